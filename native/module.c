/* The module hetc.runtime._native. What its functions do is stated in hetc/runtime/native.py. */

#include "native.h"

PyObject *hetc_pack(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *values, *array;
    Py_buffer buffer;
    if (!PyArg_ParseTuple(arguments, "OO:pack", &values, &array))
        return NULL;
    if (!PyList_CheckExact(values) && !PyTuple_CheckExact(values))
        return PyErr_Format(PyExc_TypeError, "pack takes a list or tuple, not %.100s", Py_TYPE(values)->tp_name);
    Py_ssize_t size = PySequence_Fast_GET_SIZE(values), place = 0;
    if (hetc_open_buffer(&buffer, array, size) < 0)
        return NULL;
    /* No Python code runs below, so the list stays as it is. */
    PyObject **items = PySequence_Fast_ITEMS(values);
    enum kind kind = EMPTY;
    for (; place < size; place++) {
        long long number = 0;
        enum kind found = kind_of(items[place], &number);
        if (found == OTHER || (found != kind && place > 0))
            break;
        kind = found;
        store(buffer.buf, place, kind, items[place], number);
    }
    PyBuffer_Release(&buffer);
    if (place < size || size == 0)
        Py_RETURN_NONE;
    return PyUnicode_FromFormat("%c", kind);
}

static PyMethodDef functions[] = {
    {"pack", hetc_pack, METH_VARARGS, NULL},
    {"read_fields", hetc_read_fields, METH_VARARGS, NULL},
    {"make_objects", hetc_make_objects, METH_VARARGS, NULL},
    {"set_attributes", hetc_set_attributes, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "hetc.runtime._native",
    .m_doc = "The loops over Python objects, compiled: see hetc.runtime.native.",
    .m_size = 0,
    .m_methods = functions,
};

PyMODINIT_FUNC PyInit__native(void)
{
    return PyModuleDef_Init(&module);
}

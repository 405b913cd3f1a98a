/* The module hetc._native. What its functions do is stated in hetc/native.py. */

#include "native.h"

/* type_of_numbers(values) */
PyObject *hetc_type_of_numbers(PyObject *Py_UNUSED(module), PyObject *values)
{
    if (!is_list_or_tuple(values))
        return NULL;
    /* No Python code runs below, so the list stays as it is. */
    Py_ssize_t size = PySequence_Fast_GET_SIZE(values);
    PyObject **items = PySequence_Fast_ITEMS(values);
    enum kind kind = EMPTY;
    long long least = LLONG_MAX, greatest = LLONG_MIN;
    for (Py_ssize_t place = 0; place < size; place++) {
        long long number = 0;
        enum kind found = kind_of(items[place], &number);
        if (found == OTHER || (found != kind && place > 0))
            Py_RETURN_NONE;
        kind = found;
        least = number < least ? number : least;
        greatest = number > greatest ? number : greatest;
    }
    if (size == 0)
        Py_RETURN_NONE;
    return Py_BuildValue("CLL", kind, least, greatest);
}

/* pack(values, buffer) */
PyObject *hetc_pack(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *values, *array;
    Py_buffer buffer;
    if (!PyArg_ParseTuple(arguments, "OO:pack", &values, &array))
        return NULL;
    if (!is_list_or_tuple(values))
        return NULL;
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
    {"type_of_numbers", hetc_type_of_numbers, METH_O, NULL},
    {"pack", hetc_pack, METH_VARARGS, NULL},
    {"read_fields", hetc_read_fields, METH_VARARGS, NULL},
    {"make_objects", hetc_make_objects, METH_VARARGS, NULL},
    {"assign_numbers", hetc_assign_numbers, METH_VARARGS, NULL},
    {"addresses", hetc_addresses, METH_VARARGS, NULL},
    {"start_numbering", hetc_start_numbering, METH_NOARGS, NULL},
    {"number_objects", hetc_number_objects, METH_VARARGS, NULL},
    {"start_copy", hetc_start_copy, METH_VARARGS, NULL},
    {"allow_chunks", hetc_allow_chunks, METH_VARARGS, NULL},
    {"await_chunk", hetc_await_chunk, METH_VARARGS, NULL},
    {"end_copy", hetc_end_copy, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "hetc._native",
    .m_doc = "What hetc does in C: see hetc.native.",
    .m_size = 0,
    .m_methods = functions,
};

PyMODINIT_FUNC PyInit__native(void)
{
    return PyModuleDef_Init(&module);
}

/* assign_numbers and addresses: attributes of the objects of a list set to numbers, and which objects these are. */

#include "native.h"

/* Set an attribute of the objects of a list or tuple, of those that are marked, to numbers that are packed.

   Each number becomes an object right before it is assigned: the float that it replaces has just been freed, and its
   memory is taken again while it is in the cache. */
static int assign(PyObject *objects, PyObject *name, const void *numbers, enum kind kind, const char *marks, Py_ssize_t size)
{
    for (Py_ssize_t place = 0; place < size; place++) {
        /* What is replaced may be an object of the user's, which runs code as it is freed. */
        if (place >= PySequence_Fast_GET_SIZE(objects))
            return 0;
        if (marks != NULL && !marks[place])
            continue;
        PyObject *value = load(numbers, place, kind);
        if (value == NULL)
            return -1;
        PyObject *object = Py_NewRef(PySequence_Fast_GET_ITEM(objects, place));
        int failed = PyObject_SetAttr(object, name, value);
        Py_DECREF(object);
        Py_DECREF(value);
        if (failed < 0)
            return -1;
    }
    return 0;
}

PyObject *hetc_assign_numbers(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *objects, *name, *array, *marked;
    const char *letter;
    if (!PyArg_ParseTuple(arguments, "OUOsO:assign_numbers", &objects, &name, &array, &letter, &marked)
        || !is_list_or_tuple(objects))
        return NULL;
    if (letter[0] == '\0' || strchr("dq?", letter[0]) == NULL) {
        PyErr_SetString(PyExc_ValueError, "assign_numbers takes floats 'd', ints 'q' or bools '?'");
        return NULL;
    }
    enum kind kind = (enum kind)letter[0];
    Py_buffer numbers, marks = {0};
    if (PyObject_GetBuffer(array, &numbers, PyBUF_SIMPLE) < 0)
        return NULL;
    if (!Py_IsNone(marked) && PyObject_GetBuffer(marked, &marks, PyBUF_SIMPLE) < 0) {
        PyBuffer_Release(&numbers);
        return NULL;
    }
    Py_ssize_t size = numbers.len / (kind == BOOL ? 1 : 8);
    if (marks.obj != NULL && marks.len < size)
        size = marks.len;
    int failed = assign(objects, name, numbers.buf, kind, marks.buf, size);
    PyBuffer_Release(&numbers);
    if (marks.obj != NULL)
        PyBuffer_Release(&marks);
    return failed < 0 ? NULL : Py_NewRef(Py_None);
}

/* The addresses of the objects of a list or tuple but for None, into a buffer; how many there are. No Python code runs. */
PyObject *hetc_addresses(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *values, *array;
    Py_buffer buffer;
    if (!PyArg_ParseTuple(arguments, "OO:addresses", &values, &array) || !is_list_or_tuple(values))
        return NULL;
    Py_ssize_t size = PySequence_Fast_GET_SIZE(values), count = 0;
    if (hetc_open_buffer(&buffer, array, size) < 0)
        return NULL;
    PyObject **items = PySequence_Fast_ITEMS(values);
    for (Py_ssize_t place = 0; place < size; place++)
        if (!Py_IsNone(items[place]))
            ((uint64_t *)buffer.buf)[count++] = (uint64_t)(uintptr_t)items[place];
    PyBuffer_Release(&buffer);
    return PyLong_FromSsize_t(count);
}

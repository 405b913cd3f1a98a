/* Columns: values in a row, packed into the caller's buffer as long as all are numbers of one type.

   Python's own headers and what the files of this module share. One thread at a time runs here: the global interpreter
   lock is held from begin to end (but for copying.c). Code of the user's may run all the same, wherever an attribute is looked up or an
   object is freed. So a list is asked for its length before an element is taken from it, and what is in use is owned. */

#ifndef HETC_NATIVE_H
#define HETC_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef Py_GIL_DISABLED
#error "this module needs the global interpreter lock; hetc does without it"
#endif

PyObject *hetc_type_of_numbers(PyObject *module, PyObject *arguments);
PyObject *hetc_pack(PyObject *module, PyObject *arguments);
PyObject *hetc_read_fields(PyObject *module, PyObject *arguments);
PyObject *hetc_make_objects(PyObject *module, PyObject *arguments);
PyObject *hetc_assign_numbers(PyObject *module, PyObject *arguments);
PyObject *hetc_addresses(PyObject *module, PyObject *arguments);
PyObject *hetc_start_numbering(PyObject *module, PyObject *nothing);
PyObject *hetc_number_objects(PyObject *module, PyObject *arguments);
PyObject *hetc_start_copy(PyObject *module, PyObject *arguments);
PyObject *hetc_allow_chunks(PyObject *module, PyObject *arguments);
PyObject *hetc_await_chunk(PyObject *module, PyObject *arguments);
PyObject *hetc_end_copy(PyObject *module, PyObject *capsule);

enum kind { EMPTY = 0, FLOAT = 'd', INT = 'q', BOOL = '?', OTHER = 'O', MISSING = '!' };

/* A buffer that is contiguous has room for values of 8 bytes, and values follow each other. In one whose items stand
   apart, as the fields of structs do, values are as large as items, and stand where these do. */
typedef struct {
    enum kind kind;
    Py_buffer buffer;   /* FLOAT, INT, BOOL: the values so far */
    Py_ssize_t step;    /* the bytes from one item to the next, 0 if they follow each other */
    PyObject *values;   /* OTHER: the list of the values so far */
    Py_ssize_t missing; /* MISSING: the index of the first object that has not the attribute */
} Column;

/* A buffer for `capacity` values of 8 bytes. */
static inline int hetc_open_buffer(Py_buffer *buffer, PyObject *array, Py_ssize_t capacity)
{
    if (PyObject_GetBuffer(array, buffer, PyBUF_WRITABLE) < 0)
        return -1;
    if (buffer->len / 8 >= capacity)
        return 0;
    PyBuffer_Release(buffer);
    PyErr_SetString(PyExc_ValueError, "a buffer is too small for the values");
    return -1;
}

static inline bool is_list_or_tuple(PyObject *values)
{
    if (PyList_CheckExact(values) || PyTuple_CheckExact(values))
        return true;
    PyErr_Format(PyExc_TypeError, "a list or tuple is needed, not %.100s", Py_TYPE(values)->tp_name);
    return false;
}

static inline int column_open(Column *column, PyObject *array, Py_ssize_t capacity)
{
    Py_buffer *buffer = &column->buffer;
    column->kind = EMPTY;
    column->values = NULL;
    column->step = 0;
    if (PyObject_GetBuffer(array, buffer, PyBUF_WRITABLE | PyBUF_STRIDED) < 0)
        return -1;
    Py_ssize_t size = buffer->len / 8;
    if (buffer->ndim == 1 && buffer->strides[0] != buffer->itemsize) {
        column->step = buffer->strides[0];
        size = buffer->shape[0];
    }
    if (buffer->ndim == 1 && size >= capacity)
        return 0;
    PyBuffer_Release(buffer);
    PyErr_SetString(PyExc_ValueError, "a buffer is too small for the values");
    return -1;
}

static inline void column_close(Column *column)
{
    PyBuffer_Release(&column->buffer);
    Py_CLEAR(column->values);
}

/* The type of a value, exactly: an int that does not fit 64 bits is none of the numbers, nor is a subclass of float. */
static inline enum kind kind_of(PyObject *value, long long *number)
{
    if (PyFloat_CheckExact(value))
        return FLOAT;
    if (PyLong_CheckExact(value)) {
        int overflow;
        *number = PyLong_AsLongLongAndOverflow(value, &overflow);
        return overflow ? OTHER : INT;
    }
    return PyBool_Check(value) ? BOOL : OTHER;
}

static inline Py_ssize_t size_of_kind(enum kind kind)
{
    return kind == BOOL ? 1 : 8;
}

/* Where a column has a value, or the first bytes of a buffer from which `load` and `store` count its place. */
static inline void *column_at(const Column *column, Py_ssize_t *place)
{
    if (column->step == 0)
        return column->buffer.buf;
    void *at = (char *)column->buffer.buf + *place * column->step;
    *place = 0;
    return at;
}

static inline void store(void *numbers, Py_ssize_t place, enum kind kind, PyObject *value, long long number)
{
    if (kind == FLOAT)
        ((double *)numbers)[place] = PyFloat_AS_DOUBLE(value);
    else if (kind == INT)
        ((int64_t *)numbers)[place] = number;
    else
        ((char *)numbers)[place] = value == Py_True;
}

static inline PyObject *load(const void *numbers, Py_ssize_t place, enum kind kind)
{
    if (kind == FLOAT)
        return PyFloat_FromDouble(((const double *)numbers)[place]);
    if (kind == INT)
        return PyLong_FromLongLong(((const int64_t *)numbers)[place]);
    return PyBool_FromLong(((const char *)numbers)[place]);
}

static inline int append(PyObject *list, PyObject *value)
{
    if (value == NULL)
        return -1;
    int failed = PyList_Append(list, value);
    Py_DECREF(value);
    return failed;
}

/* From now on a list, with what has been packed as Python numbers again. */
static inline int column_unpack(Column *column, Py_ssize_t count)
{
    PyObject *values = PyList_New(0);
    if (values == NULL)
        return -1;
    for (Py_ssize_t place = 0; place < count; place++) {
        Py_ssize_t offset = place;
        const void *numbers = column_at(column, &offset);
        if (append(values, load(numbers, offset, column->kind)) < 0) {
            Py_DECREF(values);
            return -1;
        }
    }
    column->values = values;
    column->kind = OTHER;
    return 0;
}

/* Add a value to a column that holds `count` of them. */
static inline int column_add(Column *column, Py_ssize_t count, PyObject *value)
{
    if (column->kind != OTHER) {
        long long number = 0;
        enum kind kind = kind_of(value, &number);
        bool fits = column->step == 0 || (kind != OTHER && size_of_kind(kind) == column->buffer.itemsize);
        if (column->kind == EMPTY && kind != OTHER && fits)
            column->kind = kind;
        if (kind == column->kind) {
            Py_ssize_t offset = count;
            void *numbers = column_at(column, &offset);
            store(numbers, offset, kind, value, number);
            return 0;
        }
        if (column_unpack(column, count) < 0)
            return -1;
    }
    return PyList_Append(column->values, value);
}

/* A letter for packed values, a list of other ones, the index of the object that has not the attribute. */
static inline PyObject *column_result(Column *column)
{
    if (column->kind == EMPTY)
        return PyList_New(0);
    if (column->kind == OTHER)
        return Py_NewRef(column->values);
    if (column->kind == MISSING)
        return PyLong_FromSsize_t(column->missing);
    return PyUnicode_FromFormat("%c", column->kind);
}

#endif

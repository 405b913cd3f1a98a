/* read_fields: all that a program reads of a list of objects, in one pass.

   What is not plain (an element of another class, an object that hides a method) is left to the Python code, which looks
   at the objects again and says what is wrong. */

#include "native.h"

#include <structmember.h>

typedef struct {
    PyObject *name;
    Py_ssize_t slot; /* where in an object the attribute is, 0 for one that has to be looked up */
    Column column;
} Field;

typedef struct {
    PyObject *name, *function;
    bool is_static, is_class;
} Method;

typedef struct {
    PyTypeObject *cls;
    Py_ssize_t method_count, field_count, opened; /* `opened`: how many columns have a buffer */
    Method *methods;
    Field *fields;
    Py_buffer places;
    Py_ssize_t count;  /* the objects that have been read */
    bool has_holes;    /* None stands among them: then `places` are their indices */
} Reader;

/* Where a slot of a class is in its objects; 0 for what is no slot, and for a class that reads attributes its own way. */
static Py_ssize_t slot_of(PyTypeObject *cls, PyObject *name)
{
    if (cls->tp_getattro != PyObject_GenericGetAttr)
        return 0;
    PyObject *found = _PyType_Lookup(cls, name);
    if (found == NULL || !Py_IS_TYPE(found, &PyMemberDescr_Type))
        return 0;
    PyMemberDescrObject *member = (PyMemberDescrObject *)found;
    bool is_plain = member->d_member->type == T_OBJECT_EX && member->d_member->flags == 0;
    return is_plain && PyType_IsSubtype(cls, PyDescr_TYPE(member)) ? member->d_member->offset : 0;
}

static PyObject *read_attribute(PyObject *object, const Field *field)
{
    if (field->slot > 0) {
        PyObject *value = *(PyObject **)((char *)object + field->slot);
        if (value != NULL)
            return Py_NewRef(value);
    }
    return PyObject_GetAttr(object, field->name);
}

/* Whether an error that was raised is an AttributeError, which then is cleared. */
static bool is_missing(void)
{
    if (!PyErr_ExceptionMatches(PyExc_AttributeError))
        return false;
    PyErr_Clear();
    return true;
}

/* Whether an object's method is that of its class, bound to it: 1, 0, or -1 for an error. */
static int has_method(PyObject *object, const Method *method)
{
    PyObject *found = PyObject_GetAttr(object, method->name);
    if (found == NULL)
        return is_missing() ? 0 : -1;
    bool is_plain;
    if (method->is_static)
        is_plain = found == method->function;
    else {
        PyObject *self = method->is_class ? (PyObject *)Py_TYPE(object) : object;
        is_plain = PyMethod_Check(found) && PyMethod_GET_FUNCTION(found) == method->function
                   && PyMethod_GET_SELF(found) == self;
    }
    Py_DECREF(found);
    return is_plain;
}

/* Read one object: 1; 0 for one that is left to the general way; -1 for an error. */
static int read_object(Reader *reader, PyObject *object, Py_ssize_t index)
{
    if (!Py_IS_TYPE(object, reader->cls))
        return 0;
    for (Py_ssize_t k = 0; k < reader->method_count; k++) {
        int found = has_method(object, &reader->methods[k]);
        if (found <= 0)
            return found;
    }
    for (Py_ssize_t k = 0; k < reader->field_count; k++) {
        Field *field = &reader->fields[k];
        if (field->column.kind == MISSING)
            continue;
        PyObject *value = read_attribute(object, field);
        if (value == NULL) {
            if (!is_missing())
                return -1;
            field->column.kind = MISSING;
            field->column.missing = index;
            continue;
        }
        int failed = column_add(&field->column, reader->count, value);
        Py_DECREF(value);
        if (failed < 0)
            return -1;
    }
    return 1;
}

static void note_hole(Reader *reader)
{
    if (!reader->has_holes)
        for (Py_ssize_t place = 0; place < reader->count; place++)
            ((int64_t *)reader->places.buf)[place] = place;
    reader->has_holes = true;
}

/* Read all objects of a list or tuple: 1; 0 if the general way has to; -1 for an error. */
static int read_objects(Reader *reader, PyObject *objects, Py_ssize_t size)
{
    for (Py_ssize_t index = 0; index < size; index++) {
        if (PySequence_Fast_GET_SIZE(objects) != size)
            return 0;
        PyObject *object = PySequence_Fast_GET_ITEM(objects, index);
        if (Py_IsNone(object)) {
            note_hole(reader);
            continue;
        }
        Py_INCREF(object);
        int found = read_object(reader, object, index);
        Py_DECREF(object);
        if (found <= 0)
            return found;
        if (reader->has_holes)
            ((int64_t *)reader->places.buf)[reader->count] = index;
        reader->count++;
    }
    return PySequence_Fast_GET_SIZE(objects) == size;
}

static int reader_open(Reader *reader, PyObject *methods, PyObject *names, PyObject *buffers, Py_ssize_t capacity)
{
    reader->method_count = PyTuple_GET_SIZE(methods);
    reader->field_count = PyTuple_GET_SIZE(names);
    if (PyTuple_GET_SIZE(buffers) != reader->field_count) {
        PyErr_SetString(PyExc_ValueError, "read_fields takes a buffer for each name");
        return -1;
    }
    reader->methods = PyMem_Calloc(reader->method_count + 1, sizeof(Method));
    reader->fields = PyMem_Calloc(reader->field_count + 1, sizeof(Field));
    if (reader->methods == NULL || reader->fields == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t k = 0; k < reader->method_count; k++) {
        Method *method = &reader->methods[k];
        const char *kind;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(methods, k), "UOs", &method->name, &method->function, &kind))
            return -1;
        method->is_static = strcmp(kind, "static") == 0;
        method->is_class = strcmp(kind, "class") == 0;
    }
    for (Py_ssize_t k = 0; k < reader->field_count; k++, reader->opened++) {
        Field *field = &reader->fields[k];
        field->name = PyTuple_GET_ITEM(names, k);
        if (!PyUnicode_CheckExact(field->name)) {
            PyErr_SetString(PyExc_TypeError, "the names of fields are strings");
            return -1;
        }
        field->slot = slot_of(reader->cls, field->name);
        if (column_open(&field->column, PyTuple_GET_ITEM(buffers, k), capacity) < 0)
            return -1;
    }
    return 0;
}

static void reader_close(Reader *reader)
{
    for (Py_ssize_t k = 0; k < reader->opened; k++)
        column_close(&reader->fields[k].column);
    PyMem_Free(reader->fields);
    PyMem_Free(reader->methods);
    PyBuffer_Release(&reader->places);
}

static PyObject *reader_result(Reader *reader)
{
    PyObject *columns = PyTuple_New(reader->field_count);
    if (columns == NULL)
        return NULL;
    for (Py_ssize_t k = 0; k < reader->field_count; k++) {
        PyObject *column = column_result(&reader->fields[k].column);
        if (column == NULL) {
            Py_DECREF(columns);
            return NULL;
        }
        PyTuple_SET_ITEM(columns, k, column);
    }
    return Py_BuildValue("nON", reader->count, reader->has_holes ? Py_True : Py_False, columns);
}

PyObject *hetc_read_fields(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *objects, *methods, *names, *places, *buffers;
    Reader reader = {0};
    if (!PyArg_ParseTuple(arguments, "OO!O!O!OO!:read_fields", &objects, &PyType_Type, &reader.cls, &PyTuple_Type, &methods,
                          &PyTuple_Type, &names, &places, &PyTuple_Type, &buffers))
        return NULL;
    if (!is_list_or_tuple(objects))
        return NULL;
    Py_ssize_t capacity = PySequence_Fast_GET_SIZE(objects);
    if (hetc_open_buffer(&reader.places, places, capacity) < 0)
        return NULL;
    int found = reader_open(&reader, methods, names, buffers, capacity);
    if (found == 0)
        found = read_objects(&reader, objects, capacity);
    PyObject *result = found > 0 ? reader_result(&reader) : found < 0 ? NULL : Py_NewRef(Py_None);
    reader_close(&reader);
    return result;
}

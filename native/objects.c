/* make_objects(cls, names, columns, count): new objects of the arrays that a device has filled. */

#include "native.h"

static PyObject *make_object(PyTypeObject *cls, PyObject *nothing, PyObject *names, PyObject *columns, Py_ssize_t place)
{
    PyObject *object = PyBaseObject_Type.tp_new(cls, nothing, NULL);
    for (Py_ssize_t k = 0; object != NULL && k < PyTuple_GET_SIZE(names); k++) {
        PyObject *value = PyList_GET_ITEM(PyTuple_GET_ITEM(columns, k), place);
        if (PyObject_GenericSetAttr(object, PyTuple_GET_ITEM(names, k), value) < 0)
            Py_CLEAR(object);
    }
    return object;
}

static PyObject *make_list(PyTypeObject *cls, PyObject *names, PyObject *columns, Py_ssize_t count)
{
    PyObject *objects = PyList_New(count), *nothing = objects == NULL ? NULL : PyTuple_New(0);
    if (nothing == NULL)
        Py_CLEAR(objects);
    for (Py_ssize_t place = 0; objects != NULL && place < count; place++) {
        PyObject *object = make_object(cls, nothing, names, columns, place);
        if (object == NULL)
            Py_CLEAR(objects);
        else
            PyList_SET_ITEM(objects, place, object);
    }
    Py_XDECREF(nothing);
    return objects;
}

static int check_columns(PyObject *names, PyObject *columns, Py_ssize_t count)
{
    bool is_right = PyTuple_GET_SIZE(names) == PyTuple_GET_SIZE(columns) && count >= 0;
    for (Py_ssize_t k = 0; is_right && k < PyTuple_GET_SIZE(columns); k++) {
        PyObject *column = PyTuple_GET_ITEM(columns, k);
        is_right = PyList_CheckExact(column) && PyList_GET_SIZE(column) == count;
    }
    if (!is_right)
        PyErr_SetString(PyExc_ValueError, "make_objects takes for each name a list with a value for each object");
    return is_right ? 0 : -1;
}

PyObject *hetc_make_objects(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyTypeObject *cls;
    PyObject *names, *columns;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(arguments, "O!O!O!n:make_objects", &PyType_Type, &cls, &PyTuple_Type, &names, &PyTuple_Type,
                          &columns, &count)
        || check_columns(names, columns, count) < 0)
        return NULL;
    /* Nothing is freed here, and no Python code runs. To look for garbage among the new objects, over and over as there
       come to be more of them, takes several times as long as making them. */
    int collects = PyGC_Disable();
    PyObject *objects = make_list(cls, names, columns, count);
    if (collects)
        PyGC_Enable();
    return objects;
}

/* number_objects(numbering, values, places): each object of a list as a number, the same one for the same object.

   A numbering is a hash table from addresses to numbers: open addressing, at most half full. It owns its objects, so that
   no address comes to be that of another object. No Python code runs here: nothing is compared, only addresses are. */

#include "native.h"

static const char capsule_name[] = "hetc.numbering";

typedef struct {
    PyObject **objects; /* NULL where nothing is */
    int64_t *numbers;
    size_t mask; /* the capacity, a power of two, minus one */
    int shift;   /* 64 minus the bits of a slot */
    size_t count;
} Numbering;

static size_t slot_of(const Numbering *numbering, PyObject *object)
{
    /* Addresses are multiples of 16. The high bits of the product spread them (Fibonacci hashing: Knuth, The Art of
       Computer Programming, vol. 3, 1998, section 6.4). */
    size_t slot = (size_t)((((uint64_t)(uintptr_t)object >> 4) * UINT64_C(0x9E3779B97F4A7C15)) >> numbering->shift);
    while (numbering->objects[slot] != NULL && numbering->objects[slot] != object)
        slot = (slot + 1) & numbering->mask;
    return slot;
}

static int allocate(Numbering *numbering, size_t capacity)
{
    numbering->objects = PyMem_Calloc(capacity, sizeof(PyObject *));
    numbering->numbers = PyMem_Malloc(capacity * sizeof(int64_t));
    numbering->mask = capacity - 1;
    numbering->shift = 64;
    for (size_t bits = capacity; bits > 1; bits >>= 1)
        numbering->shift--;
    if (numbering->objects != NULL && numbering->numbers != NULL)
        return 0;
    PyErr_NoMemory();
    return -1;
}

static int grow(Numbering *numbering)
{
    Numbering old = *numbering;
    if (allocate(numbering, 2 * (old.mask + 1)) < 0) {
        PyMem_Free(numbering->objects);
        PyMem_Free(numbering->numbers);
        *numbering = old;
        return -1;
    }
    for (size_t k = 0; k <= old.mask; k++)
        if (old.objects[k] != NULL) {
            size_t slot = slot_of(numbering, old.objects[k]);
            numbering->objects[slot] = old.objects[k];
            numbering->numbers[slot] = old.numbers[k];
        }
    PyMem_Free(old.objects);
    PyMem_Free(old.numbers);
    return 0;
}

static void delete_numbering(PyObject *capsule)
{
    Numbering *numbering = PyCapsule_GetPointer(capsule, capsule_name);
    for (size_t k = 0; numbering->objects != NULL && k <= numbering->mask; k++)
        Py_XDECREF(numbering->objects[k]);
    PyMem_Free(numbering->objects);
    PyMem_Free(numbering->numbers);
    PyMem_Free(numbering);
}

PyObject *hetc_start_numbering(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(nothing))
{
    Numbering *numbering = PyMem_Calloc(1, sizeof(Numbering));
    if (numbering == NULL)
        return PyErr_NoMemory();
    PyObject *capsule = allocate(numbering, 64) < 0 ? NULL : PyCapsule_New(numbering, capsule_name, delete_numbering);
    if (capsule == NULL) {
        PyMem_Free(numbering->objects);
        PyMem_Free(numbering->numbers);
        PyMem_Free(numbering);
    }
    return capsule;
}

/* The number of an object; a new one is appended to `found`. -1 for None, -2 for an error. */
static int64_t number_of(Numbering *numbering, PyObject *object, PyObject *found)
{
    if (Py_IsNone(object))
        return -1;
    size_t slot = slot_of(numbering, object);
    if (numbering->objects[slot] == object)
        return numbering->numbers[slot];
    if (2 * (numbering->count + 1) > numbering->mask) {
        if (grow(numbering) < 0)
            return -2;
        slot = slot_of(numbering, object);
    }
    if (PyList_Append(found, object) < 0)
        return -2;
    numbering->objects[slot] = Py_NewRef(object);
    numbering->numbers[slot] = (int64_t)numbering->count;
    return (int64_t)numbering->count++;
}

PyObject *hetc_number_objects(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *capsule, *values, *places;
    Py_buffer buffer;
    if (!PyArg_ParseTuple(arguments, "OOO:number_objects", &capsule, &values, &places))
        return NULL;
    Numbering *numbering = PyCapsule_GetPointer(capsule, capsule_name);
    if (numbering == NULL || !is_list_or_tuple(values))
        return NULL;
    Py_ssize_t size = PySequence_Fast_GET_SIZE(values);
    PyObject *found = PyList_New(0);
    if (found == NULL)
        return NULL;
    if (hetc_open_buffer(&buffer, places, size) < 0) {
        Py_DECREF(found);
        return NULL;
    }
    /* To append may look for garbage, and then code of the user's runs: the list is asked for its length each time. */
    for (Py_ssize_t k = 0; k < size && k < PySequence_Fast_GET_SIZE(values); k++) {
        int64_t number = number_of(numbering, PySequence_Fast_GET_ITEM(values, k), found);
        if (number == -2) {
            Py_CLEAR(found);
            break;
        }
        ((int64_t *)buffer.buf)[k] = number;
    }
    PyBuffer_Release(&buffer);
    return found;
}

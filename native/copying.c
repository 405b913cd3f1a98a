/* Copies between an array and a ring of chunks, by threads that hold no global interpreter lock.

   The array is taken as chunks, of which chunk k has its place in slot k % slots of the ring. Who started the copy says
   how many chunks may be copied so far (`allowed`), and waits until a chunk has been. The threads take pieces of the
   allowed chunks, in order. They live as long as the copy: none is left to be stopped when the interpreter ends, and none
   is missing in a process that was forked. */

#include "native.h"
#include <string.h>

#define CAPSULE "hetc._native.copy"

#ifdef _WIN32

PyObject *hetc_start_copy(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(arguments))
{
    Py_RETURN_NONE; /* no threads here */
}

PyObject *hetc_allow_chunks(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(arguments))
{
    Py_RETURN_NONE;
}

PyObject *hetc_await_chunk(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(arguments))
{
    Py_RETURN_NONE;
}

PyObject *hetc_end_copy(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(capsule))
{
    Py_RETURN_NONE;
}

#else

#include <pthread.h>

#define MOST_THREADS 64

typedef struct {
    Py_buffer array, ring;
    bool to_ring;
    size_t chunk, piece;    /* bytes of a chunk, and of a piece, of which a chunk has a whole number; the last are smaller */
    size_t chunks, slots;
    pthread_mutex_t mutex;  /* of all below */
    pthread_cond_t work;    /* more chunks are allowed, or the copy is stopped */
    pthread_cond_t copied;  /* a chunk is complete */
    size_t allowed;         /* chunks below this number may be copied */
    size_t next;            /* the piece that is taken next */
    size_t *missing;        /* for each chunk, its pieces that are not copied yet */
    bool stopped;
    bool open;              /* the buffers are held, and the threads may be running */
    pthread_t threads[MOST_THREADS];
    int count;
} Copy;

static size_t size_of_chunk(const Copy *copy, size_t chunk)
{
    size_t rest = (size_t)copy->array.len - chunk * copy->chunk;
    return rest < copy->chunk ? rest : copy->chunk;
}

static void copy_piece(const Copy *copy, size_t chunk, size_t piece)
{
    size_t start = piece * copy->piece, rest = size_of_chunk(copy, chunk) - start;
    size_t size = rest < copy->piece ? rest : copy->piece;
    char *array = (char *)copy->array.buf + chunk * copy->chunk + start;
    char *ring = (char *)copy->ring.buf + chunk % copy->slots * copy->chunk + start;
    memcpy(copy->to_ring ? ring : array, copy->to_ring ? array : ring, size);
}

static void *copy_pieces(void *argument)
{
    Copy *copy = argument;
    size_t pieces = copy->chunk / copy->piece, end = ((size_t)copy->array.len + copy->piece - 1) / copy->piece;
    pthread_mutex_lock(&copy->mutex);
    while (copy->next < end && !copy->stopped) {
        size_t chunk = copy->next / pieces, piece = copy->next % pieces;
        if (chunk >= copy->allowed) {
            pthread_cond_wait(&copy->work, &copy->mutex);
            continue;
        }
        copy->next++;
        pthread_mutex_unlock(&copy->mutex);
        copy_piece(copy, chunk, piece);
        pthread_mutex_lock(&copy->mutex);
        if (--copy->missing[chunk] == 0)
            pthread_cond_broadcast(&copy->copied);
    }
    pthread_mutex_unlock(&copy->mutex);
    return NULL;
}

/* Stop the threads, which finish the pieces that they are at, and give the buffers back. */
static void finish(Copy *copy)
{
    if (!copy->open)
        return;
    copy->open = false;
    Py_BEGIN_ALLOW_THREADS
    pthread_mutex_lock(&copy->mutex);
    copy->stopped = true;
    pthread_cond_broadcast(&copy->work);
    pthread_mutex_unlock(&copy->mutex);
    for (int thread = 0; thread < copy->count; thread++)
        pthread_join(copy->threads[thread], NULL);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&copy->array);
    PyBuffer_Release(&copy->ring);
}

static void destroy(PyObject *capsule)
{
    Copy *copy = PyCapsule_GetPointer(capsule, CAPSULE);
    finish(copy);
    pthread_cond_destroy(&copy->copied);
    pthread_cond_destroy(&copy->work);
    pthread_mutex_destroy(&copy->mutex);
    PyMem_Free(copy->missing);
    PyMem_Free(copy);
}

/* The number of chunks, and room for what is missing of each; false with an exception if the sizes do not fit. */
static bool plan_chunks(Copy *copy)
{
    if (!copy->piece || !copy->chunk || copy->chunk % copy->piece || (size_t)copy->ring.len < copy->chunk) {
        PyErr_SetString(PyExc_ValueError, "a chunk is a number of pieces, and the ring has room for one chunk at least");
        return false;
    }
    copy->slots = (size_t)copy->ring.len / copy->chunk;
    copy->chunks = ((size_t)copy->array.len + copy->chunk - 1) / copy->chunk;
    copy->missing = PyMem_Calloc(copy->chunks + 1, sizeof *copy->missing);
    if (copy->missing == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t chunk = 0; chunk < copy->chunks; chunk++)
        copy->missing[chunk] = (size_of_chunk(copy, chunk) + copy->piece - 1) / copy->piece;
    return true;
}

/* start_copy(array, ring, chunk, piece, to_ring, threads) */
PyObject *hetc_start_copy(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *array, *ring;
    Py_ssize_t chunk, piece;
    int to_ring, threads;
    if (!PyArg_ParseTuple(arguments, "OOnnpi:start_copy", &array, &ring, &chunk, &piece, &to_ring, &threads))
        return NULL;
    Copy *copy = PyMem_Calloc(1, sizeof *copy);
    if (copy == NULL)
        return PyErr_NoMemory();
    copy->to_ring = to_ring;
    copy->chunk = chunk < 0 ? 0 : (size_t)chunk;
    copy->piece = piece < 0 ? 0 : (size_t)piece;
    pthread_mutex_init(&copy->mutex, NULL);
    pthread_cond_init(&copy->work, NULL);
    pthread_cond_init(&copy->copied, NULL);
    PyObject *capsule = PyCapsule_New(copy, CAPSULE, destroy);
    if (capsule == NULL) {
        PyMem_Free(copy);
        return NULL;
    }
    if (PyObject_GetBuffer(array, &copy->array, to_ring ? PyBUF_SIMPLE : PyBUF_WRITABLE) < 0)
        goto failed;
    if (PyObject_GetBuffer(ring, &copy->ring, PyBUF_WRITABLE) < 0) {
        PyBuffer_Release(&copy->array);
        goto failed;
    }
    copy->open = true;
    if (!plan_chunks(copy))
        goto failed;
    while (copy->count < threads && copy->count < MOST_THREADS &&
           pthread_create(&copy->threads[copy->count], NULL, copy_pieces, copy) == 0)
        copy->count++;
    if (copy->count > 0)
        return capsule;
    Py_DECREF(capsule);
    Py_RETURN_NONE;
failed:
    Py_DECREF(capsule);
    return NULL;
}

static Copy *open_copy(PyObject *capsule)
{
    Copy *copy = PyCapsule_GetPointer(capsule, CAPSULE);
    if (copy != NULL && !copy->open) {
        PyErr_SetString(PyExc_ValueError, "the copy has been ended");
        return NULL;
    }
    return copy;
}

/* allow_chunks(copy, count) */
PyObject *hetc_allow_chunks(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *capsule;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(arguments, "On:allow_chunks", &capsule, &count))
        return NULL;
    Copy *copy = open_copy(capsule);
    if (copy == NULL)
        return NULL;
    pthread_mutex_lock(&copy->mutex);
    copy->allowed = count < 0 ? 0 : (size_t)count;
    pthread_cond_broadcast(&copy->work);
    pthread_mutex_unlock(&copy->mutex);
    Py_RETURN_NONE;
}

/* await_chunk(copy, number) */
PyObject *hetc_await_chunk(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *capsule;
    Py_ssize_t number;
    if (!PyArg_ParseTuple(arguments, "On:await_chunk", &capsule, &number))
        return NULL;
    Copy *copy = open_copy(capsule);
    if (copy == NULL)
        return NULL;
    if (number < 0 || (size_t)number >= copy->chunks) {
        PyErr_SetString(PyExc_IndexError, "there is no such chunk");
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    pthread_mutex_lock(&copy->mutex);
    while (copy->missing[number] && (size_t)number < copy->allowed)
        pthread_cond_wait(&copy->copied, &copy->mutex);
    pthread_mutex_unlock(&copy->mutex);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

/* end_copy(copy) */
PyObject *hetc_end_copy(PyObject *Py_UNUSED(module), PyObject *capsule)
{
    Copy *copy = PyCapsule_GetPointer(capsule, CAPSULE);
    if (copy == NULL)
        return NULL;
    finish(copy);
    Py_RETURN_NONE;
}

#endif

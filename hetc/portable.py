"""`hetc.array`: the portable array of an object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from hetc import settings
from hetc.arrays.base import Array
from hetc.arrays.making import make_array, make_sequence
from hetc.arrays.objects import ObjectArray
from hetc.errors import CompileError
from hetc.foreign import marshaller_for, read
from hetc.frontends.python.classes import sample_objects
from hetc.jobs import LAYOUTS, select_device


def array(obj: object, layout: str | None = None, pinned: bool = False, copy: bool | None = True) -> Array:
    """A portable array of a NumPy array, list, tuple, range or buffer, with the same elements and shape.

    A container of another package that says how it is read (`hetc.extensions.Marshaller`) is one of these, too.

    * Numbers have the dtype that `numpy.array` gives them. A list or tuple of tuples gives an array of tuples, kept as
      one array a component.
    * A list or tuple of objects gives an array of copies of them. The fields that functions read of them are kept on
      devices: each as an array of numbers (`layout="soa"`), or those that a function reads beside each other ("aos",
      array of structs). With None or "auto" that is decided for each function, by how it reads them.
    * The array is a value: by default it takes a copy, so later writes to `obj` are not seen. With `copy=None` it
      shares the memory of `obj` where it can, with `copy=False` it raises ValueError where it cannot, as in NumPy; then
      the array is read-only, and nothing is to be written to that memory as long as the array is used.
    * `pinned`: keep the host's copy in memory that the system does not swap out, from where a device with memory of its
      own copies several times as fast. On a device that shares the host's memory, or without one, it changes nothing.

    Raises InputError for what holds no numbers that hetc compiles (texts, dates, masked arrays), ValueError for a
    layout that there is not, and for "aos" of what are no objects.

    >>> import hetc, numpy as np
    >>> a = hetc.array(np.array([1.0, 2.0]))
    >>> double = hetc.map(lambda x: 2 * x)
    >>> with hetc.configure(offload="never"):
    ...     double(double(a))
    hetc.array([4., 8.], dtype=float64, on host)
    """
    if layout not in (None, "auto", *LAYOUTS):
        raise ValueError(f'layout is "auto", "aos" or "soa", not {layout!r}')
    if pinned and copy is False:
        raise ValueError("pinned memory is hetc's own, so an array that is to be pinned cannot share other memory")
    if (marshaller := marshaller_for(obj)) is not None:
        obj = read(obj, marshaller)
    if sample_objects(obj) and not isinstance(obj, ObjectArray):
        if copy is False:
            raise ValueError("objects cannot be shared: an array has its own, so that nobody else changes them")
        return ObjectArray.of(cast("Sequence[Any]", obj), layout or "auto")
    if layout == "aos":
        raise ValueError('layout="aos" (array of structs) is one of lists of objects; others are struct of arrays')
    made = make_array(obj, copy=True if pinned else copy)
    if pinned:
        _pin(made)
    return made


def seq(start: float, step: float, n: int) -> Array:
    """The portable array of `start + step * i` for `i` below `n`, which takes no memory on a device.

    Integers give int64 elements. If one of the numbers is a float, all are float64, and an element is what NumPy
    computes as `start + step * i`: the product is rounded, then the sum. (`numpy.arange` steps by the difference of its
    first two elements instead, which may be rounded.)

    Raises InputError for integers that do not fit 64 bits, TypeError for what is no real number or no length.

    >>> import hetc
    >>> with hetc.configure(offload="never"):
    ...     hetc.map(lambda x: x * x)(hetc.seq(0.5, 2, 3)).tolist()
    [0.25, 6.25, 20.25]
    """
    return make_sequence(start, step, n)


def _pin(made: Array) -> None:
    try:
        device = select_device(settings.current().device)
    except CompileError:  # there is no device
        return
    if not device.shared_memory:
        from hetc.runtime.pinning import pinned_copy

        for memory in made.memories():
            memory.move_to(pinned_copy(memory.read(), device))

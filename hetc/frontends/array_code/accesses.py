"""Where the elements of a view are in an array that a kernel is given: `a[1:-1, 2:]` at (i, j) is `a` at (i+1, j+2).

A kernel takes arrays that are contiguous, row by row; others would be copied for it. A part of such an array is read in
place, with another index for each dimension, if its steps are those of the array's dimensions (an affine access with
unit coefficients: Feautrier, Dataflow analysis of array and scalar references, 1991, section 2).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from hetc.arrays.geometry import layout_at, offset_of, row_major
from hetc.arrays.numbers import NumberArray
from hetc.dataclass import dataclass

AnyArray = np.ndarray[Any, np.dtype[Any]]

MAX_RANK = 3
"""The dimensions that an array may have which a loop indexes."""
MAX_PLACES = 4096
"""Places of portable arrays that are kept; they hang on shapes and strides alone."""


@dataclass(frozen=True)
class Access:
    """How the elements of an array are found in one that is handed over.

    `whole` says that it is the array itself, else it is its container, and `dropped` where the array has dimensions of
    one element, or repeats one, which are left out of what is handed over. `packed` says that this is contiguous.

    `dims` has for each dimension of what is handed over the dimension of the array that runs there, and where it
    starts; None is a dimension that stays where it starts.
    """

    dims: tuple[tuple[int | None, int], ...]
    whole: bool = True
    dropped: tuple[int, ...] = ()
    packed: bool = True

    def handed(self, array: Any, container: Any) -> Any:
        """What a kernel is given, for an array of the kind that this was found for."""
        if not self.whole:
            return container
        return without(array, self.dropped) if self.dropped else array


def without(array: Any, dims: tuple[int, ...]) -> Any:
    """A view of an array without dimensions that have, or repeat, one element."""
    return array[tuple(0 if dim in dims else slice(None) for dim in range(array.ndim))]


def access_of(array: AnyArray, container: AnyArray) -> Access:
    """How the elements of an array are found, best without a copy.

    >>> a = np.zeros((5, 7))
    >>> access_of(a[1:-1, 2:], a)
    Access(dims=((0, 1), (1, 2)), whole=False, dropped=(), packed=True)
    >>> access_of(a[:, 1:].T, a).dims
    ((1, 0), (0, 1))
    >>> access_of(a[2, :, None], a)
    Access(dims=((0, 0),), whole=True, dropped=(1,), packed=True)
    >>> access_of(np.zeros((1, 1)), a)
    Access(dims=((None, 0),), whole=True, dropped=(0,), packed=True)
    >>> access_of(np.broadcast_to(a[0], (5, 7)), a)
    Access(dims=((1, 0),), whole=True, dropped=(0,), packed=True)
    """
    dropped = tuple(dim for dim, size in enumerate(array.shape) if size == 1)
    if array.size > 1 and any(array.strides):  # else it is no array that a dimension could be left out of
        dropped = tuple(dim for dim, size in enumerate(array.shape) if size == 1 or not array.strides[dim])
    kept = [dim for dim in range(array.ndim) if dim not in dropped]
    if not kept:  # one element, wherever it is asked for
        return Access(((None, 0),), dropped=dropped[:-1])
    packed = (without(array, dropped) if dropped else array).flags.c_contiguous
    row_by_row = Access(tuple((dim, 0) for dim in kept), dropped=dropped, packed=packed)
    if packed or container is array:
        return row_by_row
    found = _inside(array, kept, container)
    # Parts of arrays of more dimensions are copied: row by row, some of these may become one.
    return row_by_row if found is None or len(found) > MAX_RANK else Access(found, whole=False)


def part_of(array: AnyArray, container: AnyArray) -> Access:
    """How the elements of a part of a container are found, best in the container, also where the part is contiguous.

    >>> a = np.zeros((5, 7))
    >>> part_of(a[1:], a)
    Access(dims=((0, 1), (1, 0)), whole=False, dropped=(), packed=True)
    """
    kept = [dim for dim, size in enumerate(array.shape) if size > 1 and array.strides[dim]]
    found = _inside(array, kept, container)
    return access_of(array, array) if found is None or len(found) > MAX_RANK else Access(found, whole=False)


@dataclass(frozen=True)
class Place:
    """Where a portable array is in its memory, and what of that a kernel is given, from which element to which.

    `access` says how the elements are found in what is given, whose shape, strides and first element are `given`.
    """

    access: Access
    span: tuple[int, int]
    given: tuple[Any, ...]
    given_span: tuple[int, int]


def portable_place(array: NumberArray) -> Place:
    """Where a portable array is, in itself, or in the one that it is a view of."""
    return _place(array.shape, array.geometry)


@functools.lru_cache(MAX_PLACES)
def _place(shape: tuple[int, ...], geometry: tuple[Any, ...] | None) -> Place:
    layout = layout_at(shape, geometry)
    frame = layout if geometry is None else row_major(geometry[2])
    access = access_of(layout, layout) if geometry is None else part_of(layout, frame)
    given = access.handed(layout, frame)
    return Place(access, reach(layout), (given.shape, given.strides, offset_of(given)), reach(given))


def _inside(array: AnyArray, kept: list[int], container: AnyArray) -> tuple[tuple[int | None, int], ...] | None:
    """The dimensions of a container along which an array's run, and where they start; None if they do not.

    Nor for a column or plane: where it is would be part of the kernel, one for each, and a copy of it is small.
    """
    if len(kept) != container.ndim or not container.size:
        return None
    offset = address(array) - address(container)
    if offset < 0:
        return None
    starts: list[int] = []
    for stride in container.strides:
        start, offset = divmod(offset, stride)
        starts.append(start)
    along: dict[int, int] = {}
    for dim in kept:
        fitting = [
            k for k, stride in enumerate(container.strides) if stride == array.strides[dim] and container.shape[k] > 1
        ]
        if len(fitting) != 1 or fitting[0] in along:
            return None
        (k,) = fitting
        if starts[k] + array.shape[dim] > container.shape[k]:
            return None
        along[k] = dim
    if offset:
        return None
    return tuple((along[k], start) for k, start in enumerate(starts))


def reach(array: AnyArray) -> tuple[int, int]:
    """From where to where an array reaches, in bytes; of a layout, in elements. Nowhere if it is empty."""
    return span_of(address(array), array.shape, array.strides, array.itemsize)


def span_of(place: int, shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> tuple[int, int]:
    """The same for an array that starts at a place."""
    low = high = place
    for size, stride in zip(shape, strides, strict=True):
        if not size:
            return place, place
        if stride > 0:
            high += stride * (size - 1)
        else:
            low += stride * (size - 1)
    return low, high + itemsize


def address(array: AnyArray) -> int:
    """Where an array's first element is in memory."""
    return array.__array_interface__["data"][0]

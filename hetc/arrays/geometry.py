"""Where the elements of a view are in the memory of its array, computed by NumPy without any memory.

A layout is an array of bytes whose strides count elements. Nothing is ever read from it: indexing it with integers and
slices, or transposing it, gives the layout of what NumPy gives for an array of that shape.
"""

from __future__ import annotations

import math
from types import EllipsisType
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.lib.stride_tricks import as_strided

Layout = np.ndarray[Any, np.dtype[np.int8]]
BasicKey = int | slice | EllipsisType | None

_ORIGIN: Layout = np.zeros(1, np.int8)
_ORIGIN_ADDRESS: int = _ORIGIN.__array_interface__["data"][0]


def row_major(shape: tuple[int, ...]) -> Layout:
    """The layout of an array whose elements follow each other, row by row."""
    strides = tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
    return as_strided(_ORIGIN, shape, strides)


def layout_at(shape: tuple[int, ...], geometry: tuple[Any, ...] | None) -> Layout:
    """The layout of an array whose `NumberArray.geometry` this is.

    >>> layout_at((2, 2), ((4, 1), 6, (3, 4))).strides
    (4, 1)
    """
    if geometry is None:
        return row_major(shape)
    strides, offset, _ = geometry
    return as_strided(row_major((offset + 1,))[offset:], shape, strides)


def offset_of(layout: Layout) -> int:
    """The place of the first element.

    >>> offset_of(select(row_major((3, 4)), (1, 2)))
    6
    """
    return layout.__array_interface__["data"][0] - _ORIGIN_ADDRESS


def is_row_major(layout: Layout) -> bool:
    """Whether the elements follow each other, row by row."""
    return layout.flags.c_contiguous


def basic_key(key: Any) -> TypeGuard[tuple[BasicKey, ...] | BasicKey]:
    """Whether an index is one of integers, slices, `...` and None, which selects a view."""
    parts: tuple[Any, ...] = cast("Any", key) if isinstance(key, tuple) else (key,)
    return all(
        part is None
        or part is Ellipsis
        or isinstance(part, slice)
        or (isinstance(part, int | np.integer) and not isinstance(part, bool))
        for part in parts
    )


def selects_element(layout: Layout, key: tuple[Any, ...]) -> bool:
    """Whether an index selects one element, and not a view of one."""
    return len(key) == layout.ndim and all(isinstance(part, int | np.integer) for part in key)


def select(layout: Layout, key: tuple[BasicKey, ...]) -> Layout:
    """The layout of what a basic index selects. Raises IndexError as NumPy does."""
    # The `...` at the end keeps NumPy from reading the one element that the others may select.
    return layout[key if Ellipsis in key else (*key, ...)]


def reshaped(shape: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[int, ...]:
    """The shape asked for, with its -1 found. Raises ValueError as NumPy does."""
    size, known = math.prod(shape), math.prod(length for length in wanted if length != -1)
    found = wanted
    if wanted.count(-1) == 1 and known and not size % known:
        found = tuple(size // known if length == -1 else length for length in wanted)
    if math.prod(found) != size or -1 in found or any(length < 0 for length in found):
        raise ValueError(f"cannot reshape array of size {size} into shape {wanted}")
    return found


def in_few_dimensions(layout: Layout) -> Layout:
    """The layout with those neighbouring dimensions as one whose elements follow each other.

    >>> in_few_dimensions(row_major((2, 5, 3, 5))[:, ::2]).shape
    (2, 3, 15)
    """
    parts: list[tuple[int, int]] = []
    for size, stride in zip(layout.shape, layout.strides, strict=True):
        if size == 1:
            continue
        if parts and parts[-1][1] == stride * size:
            parts[-1] = parts[-1][0] * size, stride
        else:
            parts.append((size, stride))
    return as_strided(layout, [size for size, _ in parts], [stride for _, stride in parts])


def in_shape(layout: Layout, shape: tuple[int, ...]) -> Layout | None:
    """The layout in another shape of the same size, if its elements need not be moved for that.

    >>> in_shape(row_major((4, 6))[:, ::2], (2, 2, 3)).strides
    (12, 6, 2)
    >>> in_shape(row_major((4, 6)).T, (24,))
    """
    try:
        # There is no memory to be read.
        return layout.reshape(shape, copy=False)
    except ValueError:
        return None
    except TypeError:  # NumPy 2.0 has no `copy`, and does not deprecate this yet
        found = layout.view()
    try:
        found.shape = shape  # pyright: ignore[reportDeprecated]
    except AttributeError:
        return None
    return found

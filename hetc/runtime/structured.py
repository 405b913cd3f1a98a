"""Structured arrays: each field that is read is a strided view, so nothing is marshalled but what is not contiguous.

An element is a `numpy.void`, whose fields are read as `e["x"]`, or a `numpy.record`, which has them as attributes, too.
Fields of fields are read so as well. A field that is an array counts as its items, if there are only few. Of other
fields than numbers, such as strings, nothing is known on the device.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from hetc.abi import FIELD_ARRAY, INT32_MAX, NAMED_RECORD, RECORD, ElementType, ObjectType, ScalarType

AnyArray = np.ndarray[Any, np.dtype[Any]]
DType = np.dtype[Any]
Scalars = Mapping[DType, ScalarType]

MAX_FIELD_ITEMS = 16
"""A field that is an array of more numbers is left to Python: each of them is marshalled for itself."""


def record_type(dtype: DType, scalars: Scalars) -> ObjectType | None:
    """The type of the elements of a structured array, with the fields that are compiled; None if there are none."""
    names: list[str] = []
    types: list[ElementType] = []
    for name in dtype.names or ():
        found = _field_type(dtype[name], scalars)
        if found is not None and name.isidentifier() and name.isascii():
            names.append(name)
            types.append(found)
    symbol = NAMED_RECORD if dtype.type is np.record else RECORD
    return ObjectType(symbol, tuple(names), tuple(types)) if names else None


def _field_type(dtype: DType, scalars: Scalars) -> ElementType | None:
    if dtype.subdtype is not None:
        item, shape = dtype.subdtype
        return _array_type(_field_type(item, scalars), shape) if 0 < math.prod(shape) <= MAX_FIELD_ITEMS else None
    if dtype.names is not None:
        return record_type(dtype, scalars)
    return scalars.get(dtype.newbyteorder("="))


def _array_type(item: ElementType | None, shape: Sequence[int]) -> ElementType | None:
    if item is None or not shape:
        return item
    names = tuple(f"item{place}" for place in range(shape[0]))
    part = _array_type(item, shape[1:])
    assert part is not None
    return ObjectType(FIELD_ARRAY, names, (part,) * shape[0])


def strides_of(array: AnyArray, element: ObjectType, scalars: Scalars) -> tuple[int, ...]:
    """The strides of the numbers of a structured array's elements, as `hetc.abi.ValueType` has them; () if none has."""
    if array.ndim != 1:
        return ()
    found = tuple(
        _stride(array, offset, dtype) for offset, dtype in _places(array.dtype, element, tuple(scalars.items()))
    )
    return found if any(found) else ()


def stride_of(array: AnyArray) -> tuple[int, ...]:
    """The same for a view of a field of a structured array; none for any other array."""
    base = array.base
    is_field = isinstance(base, np.ndarray) and cast("AnyArray", base).dtype.names is not None
    if not is_field or array.ndim != 1:
        return ()
    found = _stride(array, 0, array.dtype)
    return (found,) if found else ()


def _stride(array: AnyArray, offset: int, dtype: DType) -> int:
    """How far apart the numbers are that lie at an offset in the elements of an array; 0 if no device can use them."""
    size, distance = dtype.itemsize, array.strides[0]
    aligned = (array.ctypes.data + offset) % dtype.alignment == 0 and distance % size == 0
    # As places in arrays in a row, those in memory fit 32 bits.
    fits = size < distance and array.size * distance // size <= INT32_MAX
    return distance // size if aligned and fits and dtype.isnative else 0


@functools.lru_cache(maxsize=256)
def _places(
    dtype: DType, element: ObjectType, scalars: tuple[tuple[DType, ScalarType], ...]
) -> list[tuple[int, DType]]:
    """Where in a record each number of its type is, and of what dtype."""
    one = np.zeros(1, dtype)
    views = [field_view(one, path, dict(scalars)) for path in _paths(element)]
    return [(view.ctypes.data - one.ctypes.data, view.dtype) for view in views]


def _paths(element: ElementType) -> Iterator[tuple[int, ...]]:
    """The ways to all numbers of a record."""
    if not isinstance(element, ObjectType):
        yield ()
        return
    for place, item in enumerate(element.items):
        yield from ((place, *path) for path in _paths(item))


def memory_of(array: AnyArray, stride: int) -> AnyArray:
    """The memory from the first number of an array to its last, which stand a stride apart. It is for reading only."""
    if not array.size:
        return array
    size = array.itemsize
    assert array.strides == (stride * size,) or array.size == 1
    count = (array.size - 1) * stride + 1
    return np.lib.stride_tricks.as_strided(array, (count,), (size,), writeable=False)


def field_view(array: AnyArray, path: Sequence[int], scalars: Scalars) -> AnyArray:
    """The field of a structured array of one dimension that a path in the type of its elements leads to."""
    for place in path:
        if array.ndim > 1:  # of a field that is an array
            array = array[:, place]
            continue
        element = record_type(array.dtype, scalars)
        assert element is not None
        array = array[element.names[place]]
    return array

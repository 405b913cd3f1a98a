"""Structured arrays: each field that is read is a strided view, so nothing is marshalled but what is not contiguous.

An element is a `numpy.void`, whose fields are read as `e["x"]`, or a `numpy.record`, which has them as attributes, too.
Fields of fields are read so as well. A field that is an array counts as its items, if there are only few. Of other
fields than numbers, such as strings, nothing is known on the device.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hetc.abi import FIELD_ARRAY, NAMED_RECORD, RECORD, ElementType, ObjectType, ScalarType

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

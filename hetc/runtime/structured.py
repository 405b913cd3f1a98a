"""Structured arrays: each field that is read is a strided view, so nothing is marshalled but what is not contiguous.

An element is a `numpy.void`, whose fields are read as `e["x"]`; fields of fields are too. Of other fields than numbers
nothing is known on the device: strings, arrays, numbers in another byte order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hetc.abi import RECORD, ElementType, ObjectType, ScalarType

AnyArray = np.ndarray[Any, np.dtype[Any]]
DType = np.dtype[Any]
Scalars = Mapping[DType, ScalarType]


def record_type(dtype: DType, scalars: Scalars) -> ObjectType | None:
    """The type of the elements of a structured array, with the fields that are compiled; None if there are none."""
    names: list[str] = []
    types: list[ElementType] = []
    for name in dtype.names or ():
        inner = dtype[name]
        found = scalars.get(inner) if inner.names is None else record_type(inner, scalars)
        if found is not None and name.isidentifier() and name.isascii():
            names.append(name)
            types.append(found)
    return ObjectType(RECORD, tuple(names), tuple(types)) if names else None


def field_view(array: AnyArray, path: Sequence[int], scalars: Scalars) -> AnyArray:
    """The field of a structured array that a path in the type of its elements leads to."""
    for place in path:
        element = record_type(array.dtype, scalars)
        assert element is not None
        array = array[element.names[place]]
    return array

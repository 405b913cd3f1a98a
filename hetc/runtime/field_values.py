"""The values of one field of many objects, gathered block by block, and packed into an array as they come.

What a field holds must be known exactly (an int among floats is another program), so beside reading the attributes
their types are asked for. Both cost about as much as one pass over memory if a whole list is gone through twice;
blocks that stay in the processor's cache cost less. `marshal` writes floats, and only them, as a letter and eight
bytes: that is their type and their value in one pass.
"""

from __future__ import annotations

import marshal
from operator import countOf
from typing import Any

import numpy as np

from hetc.abi import SCALAR_TYPES, ScalarType

AnyVector = np.ndarray[tuple[int], np.dtype[Any]]

BLOCK = 2048
"""How many objects are gone through at a time: they, their fields and the numbers in them fit a core's cache."""

_FORMAT = 2
"""The last version of marshal's format that writes every object where it stands."""
_HEADER = 5
_FLOAT = np.dtype([("letter", "S1"), ("value", "<f8")])
_INT64 = np.dtype(np.int64)
_FLOAT64 = np.dtype(np.float64)
_PACKED: dict[np.dtype[Any], ScalarType] = {_INT64: SCALAR_TYPES["int"], _FLOAT64: SCALAR_TYPES["float"]}


class FieldValues:
    """The values of a field: an array as long as all are Python floats, or all Python ints of 64 bits; else a list.

    `capacity` is how many values there are at most.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._count = 0
        self._packed: AnyVector | None = None
        self._values: list[Any] = []

    def extend(self, values: list[Any]) -> None:
        """Add some values, in order."""
        if not values:
            return
        packed = None if self._values else _pack(values)
        if packed is None or (self._packed is not None and self._packed.dtype != packed.dtype):
            self._values += [*self._take_packed(), *values]
            return
        if self._packed is None:
            self._packed = np.empty(self._capacity, packed.dtype)
        self._packed[self._count : self._count + len(packed)] = packed
        self._count += len(packed)

    def _take_packed(self) -> list[Any]:
        """What has been packed, as Python numbers again: they are of other types than what follows."""
        packed, self._packed = self._packed, None
        return [] if packed is None else packed[: self._count].tolist()

    def result(self) -> AnyVector | list[Any]:
        """All values."""
        return self._values if self._packed is None else self._packed[: self._count]


def _pack(values: list[Any]) -> AnyVector | None:
    """Python floats, or Python ints of 64 bits, as an array; None for other values."""
    first: object = values[0]
    kind = type(first)
    if kind is float:
        return _pack_floats(values)
    if kind is int and countOf(map(type, values), int) == len(values):
        try:
            return np.fromiter(values, np.int64, len(values))
        except OverflowError:
            return None
    return None


def _pack_floats(values: list[Any]) -> AnyVector | None:
    try:
        written = marshal.dumps(values, _FORMAT)
    except ValueError:  # something that marshal does not write
        return None
    if len(written) != _HEADER + _FLOAT.itemsize * len(values):
        return None
    # Each letter tells how many bytes follow: if all letters that should be there are, the values are all floats.
    if written[_HEADER :: _FLOAT.itemsize].count(b"g") != len(values):
        return None
    return np.frombuffer(written, _FLOAT, offset=_HEADER)["value"]


def packed_type(values: AnyVector) -> tuple[ScalarType, tuple[int, int] | None]:
    """The type of values that are packed, and the interval of ints."""
    scalar = _PACKED[values.dtype]
    return scalar, (int(values.min()), int(values.max())) if values.dtype == _INT64 else None

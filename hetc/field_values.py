"""Numbers of Python packed into arrays, if they are of one type; the values of a field, gathered block by block.

What a field holds must be known exactly (an int among floats is another program), so beside reading the attributes
their types are asked for. Both cost about as much as one pass over memory if a whole list is gone through twice;
blocks that stay in the processor's cache cost less. `marshal` writes floats, and only them, as a letter and eight
bytes: that is their type and their value in one pass.
"""

from __future__ import annotations

import marshal
from collections.abc import Sequence
from operator import countOf
from typing import Any, overload

import numpy as np

from hetc import native
from hetc.abi import SCALAR_TYPES, ScalarType
from hetc.native import AnyVector

BLOCK = 2048
"""How many objects are gone through at a time: they, their fields and the numbers in them fit a core's cache."""

_FORMAT = 2
"""The last version of marshal's format that writes every object where it stands."""
_HEADER = 5
_FLOAT = np.dtype([("letter", "S1"), ("value", "<f8")])
_INT64 = np.dtype(np.int64)
_FLOAT64 = np.dtype(np.float64)
_BOOL = np.dtype(np.bool_)
_PACKED: dict[np.dtype[Any], ScalarType] = {
    _INT64: SCALAR_TYPES["int"],
    _FLOAT64: SCALAR_TYPES["float"],
    _BOOL: SCALAR_TYPES["bool"],
}
_LETTERS = {"d": _FLOAT64, "q": _INT64, "?": _BOOL}


class FieldValues:
    """The values of a field: an array as long as all are floats, all ints of 64 bits or all bools; else a list.

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
    """Python floats, ints of 64 bits or bools as an array; None for other values."""
    first: object = values[0]
    kind = type(first)
    if kind is float:
        return _pack_floats(values)
    if kind in (int, bool) and countOf(map(type, values), kind) == len(values):
        try:
            return np.fromiter(values, _INT64 if kind is int else _BOOL, len(values))
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


class PackedNumbers(Sequence[Any]):
    """A list of Python's numbers, all of one type, that nobody changes: what a field of captured objects holds."""

    def __init__(self, packed: AnyVector) -> None:
        self.packed = packed

    def __len__(self) -> int:
        return len(self.packed)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> PackedNumbers: ...
    def __getitem__(self, index: int | slice) -> Any:
        found = self.packed[index]
        return PackedNumbers(found) if isinstance(index, slice) else found.item()


def type_of_numbers(values: Sequence[Any], intervals: list[tuple[int, int]]) -> ScalarType | None:
    """The type of the elements of a list or tuple, if `pack_numbers` packs them; adds that of ints to `intervals`."""
    if native.compiled is None or type(values) not in (list, tuple):
        return None
    found = native.compiled.type_of_numbers(values)
    if found is None:
        return None
    letter, least, greatest = found
    if letter == "q":
        intervals.append((least, greatest))
    return _PACKED[_LETTERS[letter]]


def pack_numbers(values: Sequence[Any]) -> AnyVector | None:
    """The elements of a list or tuple as an array, if all are floats, all ints of 64 bits or all bools.

    None for any others, and without the compiled loops: in Python, looking at all types first costs less.
    """
    if native.compiled is None or type(values) not in (list, tuple):
        return None
    buffer = np.empty(len(values), _INT64)
    letter = native.compiled.pack(values, buffer)
    return None if letter is None else packed_in(buffer, letter, len(values))


def packed_in(buffer: AnyVector, letter: str, count: int) -> AnyVector:
    """The values that the compiled loops have written into a buffer, as an array of their type."""
    return buffer.view(_LETTERS[letter])[:count]


def packed_type(values: AnyVector, intervals: list[tuple[int, int]]) -> ScalarType:
    """The type of values that are packed, at least one; adds the interval of ints to `intervals`."""
    if values.dtype == _INT64:
        intervals.append((int(values.min()), int(values.max())))
    return _PACKED[values.dtype]

"""Records: the numbers of each object beside each other, as an array of structs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hetc import abi
from hetc.field_values import PackedNumbers
from hetc.runtime.marshal import HostArray, length, marshal
from hetc.runtime.objects import ObjectColumn
from hetc.structs import is_member, structs_around


def dtype_of(step: abi.MarshalRecords | abi.PresentRecords) -> np.dtype[Any]:
    """The structs as NumPy has them, at the device's offsets."""
    members = step.members
    return np.dtype({
        "names": [member.name for member in members],
        "formats": [member.dtype for member in members],
        "offsets": [member.offset for member in members],
        "itemsize": step.size,
    })  # fmt: skip


def marshaller(step: abi.MarshalRecords | abi.PresentRecords) -> Callable[[Sequence[object]], HostArray]:
    """What makes an array of structs of the values that hold the sources of its members.

    Where fields have been read into such structs already, the others are written beside them.
    """
    dtype = dtype_of(step)
    members = [(member.name, member.source.path, np.dtype(member.dtype)) for member in step.members]

    def make(values: Sequence[object]) -> HostArray:
        found = {name: _packed(value, path) for value, (name, path, _) in zip(values, members, strict=True)}
        packed = {name: numbers for name, numbers in found.items() if numbers is not None}
        records = structs_around(packed, dtype)
        if records is None:
            records = np.empty(length(values[0], 0), dtype)
        for value, (name, path, kind) in zip(values, members, strict=True):
            numbers = packed.get(name)
            if numbers is None or numbers.dtype != kind:
                records[name] = marshal(value, path, kind)
            elif not is_member(numbers, records, name):
                records[name] = numbers
        return records

    return make


def _packed(value: object, path: tuple[int, ...]) -> HostArray | None:
    """The numbers of a source, where an array holds them, wherever its numbers are."""
    while isinstance(value, ObjectColumn) and value.present is None and path:
        value, path = value.fields[path[0]], path[1:]
    if isinstance(value, PackedNumbers):
        value = value.packed
    return value if type(value) is np.ndarray and not path and value.ndim == 1 else None

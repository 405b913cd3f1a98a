"""The fields of portable arrays of objects: read once for the functions that read them, and kept on devices."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from hetc.abi import ElementType, leaf_at
from hetc.arrays.made_objects import MadeObjects
from hetc.arrays.memory import Memory
from hetc.arrays.objects import ObjectArray
from hetc.records import ClassLayout
from hetc.runtime.made_objects import with_made_fields
from hetc.runtime.marshal import HostArray, marshal
from hetc.runtime.objects import Describe, MixedColumn, ObjectColumn, as_column


class ColumnFields:
    """The fields of an array of objects, each number of which becomes a memory when a kernel needs it."""

    def __init__(self, column: ObjectColumn | MixedColumn, refused: Mapping[type, Mapping[str, str]]) -> None:
        self.column = column
        self.refused = refused
        """The fields of each class that are not compiled, and why."""
        self._memories: dict[tuple[int, ...], Memory] = {}
        self._structs: dict[Hashable, Memory] = {}

    @property
    def element(self) -> ElementType:
        """The type of an element."""
        return self.column.element

    @property
    def intervals(self) -> Sequence[tuple[int, int]]:
        """The intervals of the columns of Python's integers."""
        return self.column.intervals

    def memory(self, path: tuple[int, ...]) -> Memory:
        """The numbers at a path in the elements."""
        if path not in self._memories:
            dtype = np.dtype(leaf_at(self.element, path).dtype)
            self._memories[path] = Memory.of(self.column.marshal(path, dtype, marshal))
        return self._memories[path]

    def structs(self, key: Hashable, make: Callable[[object], HostArray]) -> Memory:
        """Structs of the numbers, which are made of the column."""
        if key not in self._structs:
            self._structs[key] = Memory.of(make(self.column))
        return self._structs[key]

    def memories(self) -> Sequence[Memory]:
        """What kernels have needed so far."""
        return (*self._memories.values(), *self._structs.values())


def with_fields(
    array: ObjectArray, layouts: Mapping[type, ClassLayout], number: int, describe: Describe
) -> ObjectArray:
    """An array of objects, input `number` of a call, with the fields that the call reads.

    Raises UnsupportedError for objects that cannot be described.
    """
    if isinstance(array, MadeObjects):
        return with_made_fields(array, layouts, number)
    if all(item is None for item in array.items):
        return array
    # The objects of the array are its own: nobody may have them, so that it does not matter which one is which.
    layouts = {cls: replace(layout, identified=False) for cls, layout in layouts.items()}
    key = tuple((cls, layout.symbol, layout.fields, layout.methods) for cls, layout in layouts.items())

    def read() -> ColumnFields:
        column = cast("ObjectColumn | MixedColumn", as_column(array.items, layouts, number, describe))
        return ColumnFields(column, {cls: dict(layout.refused) for cls, layout in layouts.items()})

    found = array.reading(key, read)
    for cls, refused in cast("ColumnFields", found.fields).refused.items():
        layouts[cls].refused.update(refused)
    return found

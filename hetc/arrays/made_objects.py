"""Arrays of objects that a device has made: numbers, of which an object is made when it is asked for."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from hetc.abi import ObjectType, leaves
from hetc.arrays.base import AnyArray, where_text
from hetc.arrays.memory import Memory
from hetc.arrays.objects import ObjectArray, StoredFields

Make = Callable[[Sequence[AnyArray], int], list[Any]]
"""Makes so many objects of the arrays of the numbers in them."""


class MadeObjects(ObjectArray):
    """An array of one dimension of objects of one class, known by the numbers in their fields.

    The numbers stay where they are: an array function that reads some of the fields reads these very numbers. Python
    gets new objects each time that it asks. So to change them changes nothing else, as with other arrays of objects.
    """

    def __init__(
        self,
        cls: type,
        element: ObjectType,
        numbers: Sequence[Memory],
        make: Make,
        fields: StoredFields | None = None,
    ) -> None:
        super().__init__((), cls.__qualname__, fields=fields)
        self.cls = cls
        self.made_of = element
        """The type of the objects with all of their fields, and names of classes as the program that made them has."""
        self.numbers = tuple(numbers)
        """One memory for each number in an object, from left to right."""
        self.make = make

    @property
    def items(self) -> tuple[Any, ...]:
        """All objects, which nobody is to change."""
        return self._objects

    @functools.cached_property
    def _objects(self) -> tuple[Any, ...]:
        return tuple(self._made(slice(None)))

    def _made(self, part: slice) -> list[Any]:
        """New objects for a part of the array."""
        arrays = [memory.read()[part] for memory in self.numbers]
        return self.make(arrays, len(arrays[0]))

    @property
    def samples(self) -> Sequence[Any]:
        """An object with the class and the fields of all, whose numbers are zero: nothing is moved to tell these."""
        if not len(self):
            return ()
        return self.make([np.zeros(1, leaf.dtype) for leaf in leaves(self.made_of)], 1)

    def reading(self, key: Hashable, read: Callable[[], StoredFields]) -> MadeObjects:
        """The same array, for a call that reads certain fields."""
        return MadeObjects(self.cls, self.made_of, self.numbers, self.make, read())

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of objects."""
        return (self.numbers[0].size,)

    @property
    def places(self) -> tuple[str, ...]:
        """Where the numbers are now."""
        return tuple(dict.fromkeys(place for memory in self.numbers for place in memory.places))

    @property
    def is_on_host(self) -> bool:
        """Whether objects can be made without anything being moved."""
        return all(memory.is_on_host for memory in self.numbers)

    def memories(self) -> Sequence[Memory]:
        """The numbers."""
        return self.numbers

    def __iter__(self) -> Iterator[Any]:
        return iter(self._made(slice(None)))

    def copy(self) -> MadeObjects:
        """The same array; nothing that it consists of changes."""
        return MadeObjects(self.cls, self.made_of, self.numbers, self.make)

    def __getitem__(self, key: Any) -> Any:
        """An object, or the array of some of them."""
        if isinstance(key, slice):
            return ObjectArray(tuple(self._made(key)), self.name)
        place = range(len(self))[operator.index(key)]
        return self._made(slice(place, place + 1))[0]

    def __repr__(self) -> str:
        return f"hetc.array(<{len(self)} objects of {self.name}>, {where_text(self.places)})"

"""Results that are objects and stay on a device: their fields, as the functions of the next call read them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from hetc.abi import ElementType, ObjectType, TupleType, leaves
from hetc.arrays.base import AnyArray
from hetc.arrays.made_objects import MadeObjects
from hetc.arrays.memory import Memory
from hetc.diagnostics import Category
from hetc.errors import UnsupportedError
from hetc.records import ClassLayout, missing_attribute
from hetc.runtime.marshal import Classes, HostArray, class_key, elements_of


def made_objects(memories: Sequence[Memory], element: ObjectType, classes: Classes) -> MadeObjects:
    """The array of objects whose numbers are in these memories, one for each leaf of their type."""
    known = MappingProxyType({class_key(name): classes[class_key(name)] for name in _symbols(element)})
    make = functools.partial(_make, element, known)
    return MadeObjects(known[class_key(element.symbol)], element, memories, make)


def _make(element: ObjectType, classes: Classes, arrays: Sequence[AnyArray], count: int) -> list[Any]:
    return elements_of(arrays, element, count, classes)


def _symbols(element: ElementType) -> set[str]:
    """The names of the classes in a type."""
    match element:
        case TupleType(items):
            return set[str]().union(*map(_symbols, items))
        case ObjectType(symbol, _, items):
            return {symbol}.union(*map(_symbols, items))
        case _:
            return set()


class MadeFields:
    """The fields of objects that a device has made, as far as a call reads them."""

    intervals: Sequence[tuple[int, int]] = ()
    """Nothing is known of the integers: nobody has looked at them."""

    def __init__(self, element: ObjectType, memories: Mapping[tuple[int, ...], Memory]) -> None:
        self.element = element
        self._memories = memories

    def memory(self, path: tuple[int, ...]) -> Memory:
        """The numbers at a path in the elements."""
        return self._memories[path]

    def structs(self, key: Hashable, make: Callable[[object], HostArray]) -> Memory:
        """None: where a device has made numbers, each is an array, which stays there."""
        raise AssertionError("numbers that a device has made are arrays")

    def memories(self) -> Sequence[Memory]:
        """All of them."""
        return tuple(self._memories.values())


def with_made_fields(array: MadeObjects, layouts: Mapping[type, ClassLayout], number: int) -> MadeObjects:
    """An array of objects, input `number` of a call, with the fields that the call reads.

    Raises UnsupportedError for attributes that the objects have not.
    """
    sample = array.samples
    if not sample:
        raise UnsupportedError(f"input {number} is an array without objects", category=Category.INPUT)
    memories: dict[tuple[int, ...], Memory] = {}
    element = _read(array.made_of, sample[0], layouts, array.numbers, (), memories)
    return array.reading((), lambda: MadeFields(element, memories))


def _read(
    made: ObjectType,
    sample: object,
    layouts: Mapping[type, ClassLayout],
    numbers: Sequence[Memory],
    path: tuple[int, ...],
    memories: dict[tuple[int, ...], Memory],
) -> ObjectType:
    """The type of objects with the fields that are read; the memory of each number in them, by its path."""
    layout = layouts.get(type(sample))
    if layout is None:
        raise UnsupportedError(f"objects of the class {type(sample).__qualname__} are not compiled here")
    if hidden := [method.name for method in layout.methods if method.name in made.names]:
        raise UnsupportedError(f"an object has an attribute '{hidden[0]}' of its own, which hides the method")
    starts: dict[str, int] = {}
    position = 0
    for name, item in zip(made.names, made.items, strict=True):
        starts[name] = position
        position += len(leaves(item))
    names: list[str] = []
    types: list[ElementType] = []
    for name in layout.fields:
        if name not in starts:
            layout.refused.setdefault(name, missing_attribute(0, name, "an array of objects").reason)
            continue
        item = made.items[made.names.index(name)]
        part, place = numbers[starts[name] : starts[name] + len(leaves(item))], (*path, len(names))
        if isinstance(item, ObjectType):
            item = _read(item, getattr(sample, name), layouts, part, place, memories)
        else:
            memories |= {(*place, *inner): memory for inner, memory in zip(_paths(item), part, strict=True)}
        names.append(name)
        types.append(item)
    return ObjectType(layout.symbol, tuple(names), tuple(types))


def _paths(element: ElementType) -> list[tuple[int, ...]]:
    """The paths to the numbers in tuples, from left to right."""
    if not isinstance(element, TupleType):
        return [()]
    return [(place, *inner) for place, item in enumerate(element.items) for inner in _paths(item)]

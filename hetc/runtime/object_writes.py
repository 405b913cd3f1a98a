"""Attributes that a map has assigned, written into the objects of its inputs once all elements are right."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, compress, repeat
from typing import Any

import numpy as np

from hetc import native
from hetc.abi import Container, ElementType, FieldWrite, NoneType, ScalarType, TupleType
from hetc.containers import collect
from hetc.diagnostics import Category
from hetc.errors import UnsupportedError
from hetc.identities import identities_of_all
from hetc.runtime.marshal import Classes, HostArray, elements_of, parts_of, unmarshal
from hetc.runtime.objects import ObjectColumn, columns_of_classes


def unmarshal_written(
    hosts: Sequence[HostArray],
    element: ElementType,
    container: Container,
    inputs: Sequence[object],
    classes: Classes,
    writes: Sequence[FieldWrite],
) -> object:
    """The result of a map, whose elements are tuples on the device: what the function returns, and what it assigns.

    Each write has two items, the values and whether they have been assigned. The objects of the inputs get them.
    """
    assert isinstance(element, TupleType)
    (result, *arrays), (returned, *types) = parts_of(hosts, element.items), element.items
    count = len(hosts[0])
    if isinstance(returned, NoneType):
        made = collect([None] * count, container)
    else:
        made = unmarshal(result, returned, container, classes, scalar=False)
    for write, values, type_, (flags,) in zip(writes, arrays[::2], types[::2], arrays[1::2], strict=True):
        column = inputs[write.index]
        assert isinstance(column, ObjectColumn)
        if flags.any() and not assign_numbers(column.elements, write.name, values, type_, flags):
            _assign(column.elements, write.name, elements_of(values, type_, count, classes), flags)
    return made


def _assign(objects: Iterable[object], name: str, values: Iterable[Any], flags: HostArray) -> None:
    if not flags.all():
        chosen = flags.tolist()
        objects, values = compress(objects, chosen), compress(values, chosen)
    assign(objects, name, values)


def assign_numbers(
    objects: Sequence[object], name: str, values: Sequence[HostArray], type_: ElementType, flags: HostArray
) -> bool:
    """Set an attribute of the objects that are flagged to Python's numbers, by the compiled loops; whether it was done.

    The objects that are replaced are freed one by one, and the new ones take their memory. A list of all new ones,
    made before, takes twice the time, since none of it is in a cache when it is assigned.
    """
    if native.compiled is None or type(objects) not in (list, tuple) or not isinstance(type_, ScalarType):
        return False
    letter = _LETTERS.get(type_.name)
    if letter is None:
        return False
    (numbers,) = values
    marks = None if flags.all() else np.ascontiguousarray(flags).view(np.int8)
    native.compiled.assign_numbers(objects, name, np.ascontiguousarray(numbers), letter, marks)
    return True


_LETTERS = {"float": "d", "int": "q", "bool": "?"}


def assign(objects: Iterable[object], name: str, values: Iterable[Any]) -> None:
    """Set an attribute of each object to the value beside it."""
    # The classes have no `__setattr__` of their own, so that nothing of the user's runs here.
    deque(map(setattr, objects, repeat(name), values), maxlen=0)


def check_written(writes: Collection[FieldWrite], columns: Sequence[object], others: Sequence[object]) -> None:
    """Raise UnsupportedError unless each object that is written stands in one place only.

    `others` are the objects that are captured. Of objects in fields it is not known which they are.
    """
    numbers = {write.index for write in writes}
    written = {c.cls for number, c in enumerate(columns) if number in numbers and isinstance(c, ObjectColumn)}
    places: list[Sequence[object]] = [[one for one in others if type(one) in written]]
    for column in chain.from_iterable(map(columns_of_classes, columns)):
        if any(cls in written for cls in column.nested_classes):
            raise _aliased("may also be reached through a field")
        if column.cls in written:
            places.append(column.elements)
    if has_twice(np.concatenate(list(map(identities_of_all, places)))):
        raise _aliased("stands in several places")


def has_twice(identities: HostArray) -> bool:
    """Whether a number is there more than once; sorts them.

    Objects that were made one after the other mostly lie so in memory. The stable sort, which looks for what is in
    order already, then takes a fiftieth of the time of the other.

    >>> has_twice(np.array([3, 1, 2])), has_twice(np.array([3, 1, 3]))
    (False, True)
    """
    identities.sort(kind="stable")
    return bool((identities[1:] == identities[:-1]).any())


def _aliased(how: str) -> UnsupportedError:
    return UnsupportedError(
        f"an object of a class whose attributes are assigned {how}: Python assigns and reads them in order",
        category=Category.INPUT,
    )

"""Lists of objects as struct of arrays: what their fields are, and each field that a kernel reads as one array.

Reading a million Python attributes costs tens of milliseconds, so each field is read once a call: `describe` needs its
type, and `marshal` takes the same list of values. Fields that the compiled functions do not name are never read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from hetc.abi import (
    TAG_PATH,
    Container,
    ElementType,
    NoneType,
    ObjectType,
    UnionType,
    alternative_path,
    tag_of,
)
from hetc.diagnostics import Category
from hetc.errors import UnsupportedError
from hetc.records import ClassLayout, check_methods, column, other_class

AnyVector = np.ndarray[tuple[int], np.dtype[Any]]
Interval = tuple[int, int]
Describe = Callable[[Sequence[Any], str, list[Interval]], ElementType]
"""The element type of a list of numbers or tuples, and the intervals of its integers."""
Marshal = Callable[[Sequence[Any], tuple[int, ...], np.dtype[Any]], AnyVector]


@dataclass(frozen=True)
class ObjectColumn:
    """A list of objects of one class, some of them None, with the values of their fields.

    `present` are the places of the objects, None if there is one in every place.
    """

    size: int
    element: ElementType
    present: AnyVector | None
    fields: tuple[ObjectColumn | list[Any], ...]
    container: Container = Container.LIST
    intervals: tuple[Interval, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return self.size

    def marshal(self, path: tuple[int, ...], dtype: np.dtype[Any], numbers: Marshal) -> AnyVector:
        """A number of each object, as an array; where there is no object, zero. `path` begins in the element type."""
        if self.present is None:
            return self._field(path, dtype, numbers)
        whole = np.zeros(self.size, dtype)
        if path == (TAG_PATH,):
            whole[self.present] = tag_of(self._object)
        else:
            assert path[0] == alternative_path(self._object)
            whole[self.present] = self._field(path[1:], dtype, numbers)
        return whole

    def _field(self, path: tuple[int, ...], dtype: np.dtype[Any], numbers: Marshal) -> AnyVector:
        found = self.fields[path[0]]
        if isinstance(found, ObjectColumn):
            return found.marshal(path[1:], dtype, numbers)
        return numbers(found, path[1:], dtype)

    @property
    def _object(self) -> ObjectType:
        parts = self.element.items if isinstance(self.element, UnionType) else (self.element,)
        return next(part for part in parts if isinstance(part, ObjectType))


def as_column(value: object, layouts: Mapping[type, ClassLayout], number: int, describe: Describe) -> object:
    """An input that is a list or tuple of objects as their fields; any other input as it is.

    Raises UnsupportedError for objects that cannot be described.
    """
    if type(value) not in (list, tuple):
        return value
    elements = cast("Sequence[object]", value)
    first = next((element for element in elements if element is not None), None)
    if type(first) not in layouts:
        return value
    intervals: list[Interval] = []
    found = _column(elements, layouts, f"input {number}", describe, intervals, ())
    if not _has_numbers(found):
        reasons = [reason for layout in layouts.values() for reason in layout.refused.values()]
        reason = reasons[0] if reasons else f"nothing is read from the objects in input {number}"
        raise UnsupportedError(reason, category=Category.INPUT)
    container = Container.TUPLE if type(value) is tuple else Container.LIST
    return ObjectColumn(found.size, found.element, found.present, found.fields, container, tuple(intervals))


def _column(
    elements: Sequence[object],
    layouts: Mapping[type, ClassLayout],
    what: str,
    describe: Describe,
    intervals: list[Interval],
    around: tuple[type, ...],
) -> ObjectColumn:
    objects: Sequence[object] = elements
    present: AnyVector | None = None
    kinds = set(map(type, elements))
    if type(None) in kinds:
        places = [place for place, element in enumerate(elements) if element is not None]
        present = np.array(places, np.int64)
        objects = [elements[place] for place in places]
    layout = layouts[type(objects[0])]
    if layout.cls in around:
        raise UnsupportedError(
            f"{what} refers to another {layout.cls.__qualname__}, of which there may be any number: "
            "such chains of objects are not compiled",
            category=Category.INPUT,
        )
    if kinds - {layout.cls, type(None)}:
        raise other_class(objects, layout.cls, what)
    check_methods(objects, layout, what)
    fields: list[ObjectColumn | list[Any]] = []
    names: list[str] = []
    types: list[ElementType] = []
    for name in layout.fields:
        known = len(intervals)
        part: ObjectColumn | list[Any]
        try:
            values = column(objects, name, what)
            stated = f"{what}, attribute '{name}'"
            first = next((value for value in values if value is not None), None)
            if type(first) in layouts:
                part = _column(values, layouts, stated, describe, intervals, (*around, layout.cls))
                described = part.element
            else:
                part, described = values, describe(values, stated, intervals)
        except UnsupportedError as error:  # it need not be read
            layout.refused.setdefault(name, error.reason)
            del intervals[known:]
            continue
        names.append(name)
        types.append(described)
        fields.append(part)
    element: ElementType = ObjectType(layout.symbol, tuple(names), tuple(types))
    if present is not None:
        element = UnionType((NoneType(), element))
    return ObjectColumn(len(elements), element, present, tuple(fields))


def _has_numbers(found: ObjectColumn) -> bool:
    return any(not isinstance(part, ObjectColumn) or _has_numbers(part) for part in found.fields)


def make_objects(cls: type, names: Sequence[str], columns: Sequence[Sequence[Any]], count: int) -> list[Any]:
    """Objects with the given fields. No code of the class runs: that of its `__init__` has run on the device."""
    if issubclass(cls, tuple):
        make = cast("Any", tuple).__new__
        return [make(cls, items) for items in zip(*columns, strict=True)]
    objects: list[Any] = [object.__new__(cast("type[object]", cls)) for _ in range(count)]
    for name, values in zip(names, columns, strict=True):
        for one, value in zip(objects, values, strict=True):
            object.__setattr__(one, name, value)
    return objects

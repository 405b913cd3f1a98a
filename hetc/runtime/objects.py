"""Lists of objects as struct of arrays: what their fields are, and each field that a kernel reads as one array.

Reading a million Python attributes costs tens of milliseconds, so each field is read once a call: `describe` needs its
type, and `marshal` takes the same values. Fields that the compiled functions do not name are never read.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from hetc import native
from hetc.abi import (
    IDENTITY,
    MAX_ALTERNATIVES,
    SCALAR_TYPES,
    TAG_PATH,
    Container,
    ElementType,
    NoneType,
    ObjectType,
    UnionType,
    alternative_path,
    tag_of,
)
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.enumerations import ORDER, kind_of, members_of_orders
from hetc.errors import UnsupportedError
from hetc.field_values import packed_type
from hetc.identities import Identities
from hetc.native import AnyVector
from hetc.records import ClassLayout, SeveralClassesError, other_class, recursive

Interval = tuple[int, int]
Describe = Callable[[Sequence[Any], str, list[Interval]], ElementType]
"""The element type of a list of numbers or tuples, and the intervals of its integers."""
Marshal = Callable[[Sequence[Any] | AnyVector, tuple[int, ...], np.dtype[Any]], AnyVector]


@dataclass(frozen=True, eq=False)
class ObjectColumn:
    """A list of objects of one class, some of them None, with the values of their fields.

    `present` are the places of the objects, None if there is one in every place.
    """

    elements: Sequence[object]
    cls: type
    element: ElementType
    present: AnyVector | None
    fields: tuple[Field, ...]
    container: Container = Container.LIST
    intervals: tuple[Interval, ...] = ()

    def __len__(self) -> int:
        return len(self.elements)

    def part(self, span: range) -> ObjectColumn:
        """Some consecutive ones of its elements."""
        if self.present is None:
            present, inside = None, slice(span.start, span.stop)
        else:
            inside = slice(*np.searchsorted(self.present, [span.start, span.stop]).tolist())
            present = self.present[inside] - span.start
        fields = tuple(
            field.part(range(*inside.indices(len(field))))
            if isinstance(field, ObjectColumn | MixedColumn)
            else field[inside]
            for field in self.fields
        )
        return replace(self, elements=self.elements[span.start : span.stop], present=present, fields=fields)

    @property
    def identities(self) -> Iterator[Identities]:
        """Which objects these are, and those in their fields, where the program asks."""
        for part in self.fields:
            if isinstance(part, ObjectColumn | MixedColumn):
                yield from part.identities
            elif isinstance(part, Identities):
                yield part

    @property
    def nested_classes(self) -> Iterator[type]:
        """The classes of the objects in its fields."""
        for part in self.fields:
            for column in columns_of_classes(part):
                yield column.cls
                yield from column.nested_classes

    def marshal(self, path: tuple[int, ...], dtype: np.dtype[Any], numbers: Marshal) -> AnyVector:
        """A number of each object, as an array; where there is no object, zero. `path` begins in the element type."""
        if self.present is None:
            return self._field(path, dtype, numbers)
        whole = np.zeros(len(self), dtype)
        if path == (TAG_PATH,):
            whole[self.present] = tag_of(self.object)
        else:
            assert path[0] == alternative_path(self.object)
            whole[self.present] = self._field(path[1:], dtype, numbers)
        return whole

    def _field(self, path: tuple[int, ...], dtype: np.dtype[Any], numbers: Marshal) -> AnyVector:
        found = self.fields[path[0]]
        if isinstance(found, ObjectColumn | MixedColumn):
            return found.marshal(path[1:], dtype, numbers)
        return numbers(found, path[1:], dtype)

    @property
    def path(self) -> tuple[int]:
        """The way to its objects, among those of several classes."""
        return (alternative_path(self.object),)

    @property
    def object(self) -> ObjectType:
        """The type of its objects."""
        parts = self.element.items if isinstance(self.element, UnionType) else (self.element,)
        return next(part for part in parts if isinstance(part, ObjectType))


@dataclass(frozen=True, eq=False)
class MixedColumn:
    """A list of objects of several classes: a column of each class, in which the others count as None."""

    elements: Sequence[object]
    parts: tuple[ObjectColumn, ...]
    container: Container = Container.LIST
    intervals: tuple[Interval, ...] = ()

    def __len__(self) -> int:
        return len(self.elements)

    @property
    def identities(self) -> Iterator[Identities]:
        """Which objects these are, where the program asks."""
        for part in self.parts:
            yield from part.identities

    def part(self, span: range) -> MixedColumn:
        """Some consecutive ones of its elements."""
        parts = tuple(part.part(span) for part in self.parts)
        return replace(self, elements=self.elements[span.start : span.stop], parts=parts)

    @functools.cached_property
    def element(self) -> UnionType:
        """The type of an element."""
        found: list[ElementType] = [part.object for part in self.parts]
        found += [NoneType()] if any(element is None for element in self.elements) else []
        return UnionType(tuple(sorted(found, key=tag_of)))

    def marshal(self, path: tuple[int, ...], dtype: np.dtype[Any], numbers: Marshal) -> AnyVector:
        """The tag, or a number, of each object as an array; where the object is of another class, zero."""
        columns = [part.marshal(path, dtype, numbers) for part in self.parts if path[0] in (TAG_PATH, *part.path)]
        return sum(columns[1:], columns[0])


Field = ObjectColumn | MixedColumn | AnyVector | list[Any] | Identities
"""The values of a field: objects, numbers that are packed, or anything; or which objects they are the fields of."""


def columns_of_classes(column: object) -> Sequence[ObjectColumn]:
    """An input or field as the objects of each class in it."""
    if isinstance(column, MixedColumn):
        return column.parts
    return [column] if isinstance(column, ObjectColumn) else []


def identities_of(columns: Sequence[object]) -> list[Identities]:
    """Which objects the inputs of a call hold, where the program asks."""
    return [one for c in columns if isinstance(c, ObjectColumn | MixedColumn) for one in c.identities]


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
    container = Container.TUPLE if type(value) is tuple else Container.LIST
    try:
        found = _column(elements, layouts, f"input {number}", describe, intervals, ())
    except SeveralClassesError:
        return replace(_mixed(elements, layouts, f"input {number}", describe, ()), container=container)
    if not _has_numbers(found):
        reasons = [reason for layout in layouts.values() for reason in layout.refused.values()]
        reason = reasons[0] if reasons else f"nothing is read from the objects in input {number}"
        raise UnsupportedError(reason, category=Category.INPUT)
    return replace(found, container=container, intervals=tuple(intervals))


def _mixed(
    elements: Sequence[object],
    layouts: Mapping[type, ClassLayout],
    what: str,
    describe: Describe,
    around: tuple[tuple[object, str], ...],
) -> MixedColumn:
    kinds = [cls for cls in dict.fromkeys(map(type, elements)) if cls is not type(None)]
    unknown = next((cls for cls in kinds if cls not in layouts), None)
    if unknown is not None:
        raise other_class([element for element in elements if element is not None], kinds[0], what)
    if len(kinds) > MAX_ALTERNATIVES:
        raise UnsupportedError(
            f"{what} has objects of {len(kinds)} classes; hetc compiles for {MAX_ALTERNATIVES}", category=Category.MIXED
        )
    apart = ([element if type(element) is cls else None for element in elements] for cls in kinds)
    return MixedColumn(elements, tuple(_column(part, layouts, what, describe, [], around) for part in apart))


def _column(
    elements: Sequence[object],
    layouts: Mapping[type, ClassLayout],
    what: str,
    describe: Describe,
    intervals: list[Interval],
    around: tuple[tuple[object, str], ...],
) -> ObjectColumn:
    first = next(element for element in elements if element is not None)
    layout = layouts[type(first)]
    again = [place for place, (one, _) in enumerate(around) if type(one) is layout.cls]
    if again:
        raise recursive(around[again[0]][0], [name for _, name in around[again[0] :]], what.partition(",")[0])
    from hetc.field_reading import read_fields

    present, columns = read_fields(elements, layout, what)
    fields: list[Field] = []
    names: list[str] = []
    types: list[ElementType] = []
    for name, values in zip(layout.fields, columns, strict=True):
        known = len(intervals)
        part: Field
        try:
            if isinstance(values, UnsupportedError):
                raise values
            stated = f"{what}, attribute '{name}'"
            if isinstance(values, list) and type(next((v for v in values if v is not None), None)) in layouts:
                part = _objects_of(values, layouts, stated, describe, intervals, (*around, (first, name)))
                described = part.element
            elif isinstance(values, list) and all(value is None for value in values):
                part, described = values, NoneType()
            else:
                part, described = values, _describe_values(values, stated, describe, intervals)
        except UnsupportedError as error:  # it need not be read
            layout.refused.setdefault(name, error.reason)
            del intervals[known:]
            continue
        names.append(name)
        types.append(described)
        fields.append(part)
    if layout.identified:
        names.append(IDENTITY)
        types.append(SCALAR_TYPES["i64"])
        fields.append(Identities(elements, len(elements) if present is None else len(present)))
    element: ElementType = ObjectType(layout.symbol, tuple(names), tuple(types))
    if present is not None:
        element = UnionType((NoneType(), element))
    return ObjectColumn(elements, layout.cls, element, present, tuple(fields))


def _objects_of(
    values: Sequence[object],
    layouts: Mapping[type, ClassLayout],
    what: str,
    describe: Describe,
    intervals: list[Interval],
    around: tuple[tuple[object, str], ...],
) -> ObjectColumn | MixedColumn:
    """The objects in a field, which may be of several classes."""
    known = len(intervals)
    try:
        return _column(values, layouts, what, describe, intervals, around)
    except SeveralClassesError:
        del intervals[known:]
        return _mixed(values, layouts, what, describe, around)


def _describe_values(
    values: AnyVector | list[Any], what: str, describe: Describe, intervals: list[Interval]
) -> ElementType:
    """The element type of the values of a field."""
    return describe(values, what, intervals) if isinstance(values, list) else packed_type(values, intervals)


def _has_numbers(found: ObjectColumn) -> bool:
    return any(not isinstance(part, ObjectColumn) or _has_numbers(part) for part in found.fields)


def make_objects(cls: type, names: Sequence[str], columns: Sequence[list[Any]], count: int) -> list[Any]:
    """Objects with the given fields. No code of the class runs: that of its `__init__` has run on the device."""
    if kind_of(cls) is not None:
        return members_of_orders(cls, columns[names.index(ORDER)])
    if issubclass(cls, tuple):
        make = cast("Any", tuple).__new__
        return [make(cls, items) for items in zip(*columns, strict=True)]
    plain = cast("type[object]", cls)
    if native.compiled is not None:
        return native.compiled.make_objects(plain, tuple(names), tuple(columns), count)
    objects: list[Any] = [object.__new__(plain) for _ in range(count)]
    for name, values in zip(names, columns, strict=True):
        for one, value in zip(objects, values, strict=True):
            object.__setattr__(one, name, value)
    return objects

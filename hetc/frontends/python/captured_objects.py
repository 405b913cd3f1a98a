"""Captured objects, and lists of them, as captured fields: a number, or an array of the values in all objects.

A list of objects of several classes, None among them, is a list for each class, and a tag for each place. In the list
of a class, the places of other objects are filled with its first object: nobody reads what stands there.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hetc.abi import IDENTITY, MAX_ALTERNATIVES, NoneType, class_tag, tag_of
from hetc.diagnostics import Category
from hetc.errors import UnsupportedError
from hetc.field_values import PackedNumbers
from hetc.frontends.python.classes import ClassFacts, is_object
from hetc.frontends.python.closure import Binding, Capture, CapturedObject, ObjectTable, References, Resolver
from hetc.identities import Identities, Places
from hetc.records import ClassLayout, FieldPath, SeveralClassesError, assigned_mark, other_class, recursive

if TYPE_CHECKING:
    from hetc.field_reading import Values

Steps = tuple[tuple[Sequence[object], str], ...]
"""The objects and attributes that led to some objects."""


class CapturingResolver(Resolver, ABC):
    """Finds the fields of captured objects, once it is known which ones the program reads."""

    def __init__(self, *, stores: bool) -> None:
        super().__init__(merges=stores)
        self.assigned: frozenset[str] | None = frozenset() if stores else None
        """The attributes that a loop may assign; None where nothing is stored."""
        self.field_paths: list[tuple[str, FieldPath]] = []
        self.classes: dict[type, ClassFacts] = {}
        self.assigned_classes: set[type] = set()
        """The classes of the objects in attributes that may be assigned."""
        self.tables: dict[type, ObjectTable] = {}
        self.captured: dict[int, CapturedObject] = {}
        self.names: dict[int, str] = {}
        self.groups: dict[str, str] = {}
        """The captured variables with an element for each of some objects, and the name of these."""
        self._group: str | None = None

    def fill_captured(self) -> None:
        """Read the fields of all captured objects."""
        if not self.captured:
            return
        from hetc.frontends.python.object_tables import TableFinder

        finder = TableFinder(self.classes, self.assigned or (), self.assigned_classes)
        whole = (one for one in self.captured.values() if one.refusal is None)
        self.tables = finder.tables((_objects_of(one), one.copied) for one in whole)
        for found in list(self.captured.values()):
            name = self.names[id(found.value)]
            self._group = name if found.each else None
            if found.refusal is None:
                try:
                    self._fill(found, name, (), copied=found.copied)
                except UnsupportedError as error:
                    found.refusal = error
            self.key.append((name, found.refusal is None, _shape(found)))
        for table in self.tables.values():
            self._group = self.classes[table.cls].symbol
            self._fill_table(table)
            self.key.append((table.cls, tuple(map(_shape_of_column, table.columns.items()))))

        self._group = None

    def capture(self, name: str, value: object) -> str:
        """A name for a value, which is one of the objects that are read now, if there are some."""
        variable = super().capture(name, value)
        if self._group is not None:
            self.groups[variable] = self._group
        return variable

    def _fill_table(self, table: ObjectTable) -> None:
        """What is captured of the fields of all objects of a table."""
        facts, count = self.classes[table.cls], len(table.objects)
        name = facts.symbol
        what = f"the objects of the class {table.cls.__qualname__}"
        for field, found in _columns(table.objects, facts.layout(), what).items():
            try:
                if isinstance(found, UnsupportedError):
                    raise found
                values: Sequence[Any] = PackedNumbers(found) if isinstance(found, np.ndarray) else found
                first = next((value for value in values if value is not None), None)
                if first is None or is_object(first):
                    # Where all are None, they are so as references to any class.
                    cls = table.cls if first is None else type(first)
                    table.columns[field] = self._references(values, f"{name}_{field}", cls)
                    continue
            except UnsupportedError as error:  # it need not be read
                facts.refused.setdefault(field, error.reason)
            else:
                variable = self.capture(f"{name}_{field}", values)
                self.field_paths.append((variable, FieldPath(((table.objects, field),), copied=table.copied)))
                table.columns[field] = Capture(variable)
        if facts.identified and not table.copied:
            table.columns[IDENTITY] = Capture(self.capture(f"{name}_identity", Identities(table.objects, count)))
        if len(table.objects) != count:
            raise UnsupportedError(f"{what} have changed while they were read", category=Category.INPUT)

    def _references(self, values: Sequence[object], name: str, cls: type) -> References:
        """A list of objects as places in the table of their class."""
        table = self.tables.get(cls)
        if table is None or not set(map(type, values)) <= {cls, type(None)}:
            raise UnsupportedError(f"{name} holds objects of several classes, or members of an enumeration")
        places = table.numbering.places(values)
        whole = len(places) == len(table.objects) and bool((places == np.arange(len(places))).all())
        capture = Capture(self.capture(f"{name}_places", Places(places, repr(name))))
        return References(capture, table.cls, has_none=not whole and bool((places < 0).any()), whole=whole)

    def _fill(self, found: CapturedObject, name: str, path: Steps, *, copied: bool) -> None:
        """The fields of objects, of a captured one or of each of some, as captured variables; `path` led to them."""
        objects = _objects_of(found)
        first = next(one for one in objects if one is not None)
        if type(first) in self.tables:
            found.references = self._references(objects, name, type(first))
            return
        try:
            if objects[0] is None:
                raise other_class(objects, type(next(one for one in objects if one is not None)), name)
            found.parts = self._parts(objects, name, path, each=found.each, copied=copied)
        except SeveralClassesError:
            kinds = [cls for cls in dict.fromkeys(map(type, objects)) if cls is not type(None)]
            if len(kinds) > MAX_ALTERNATIVES - 1 or any(cls not in self.classes for cls in kinds):
                raise
            self._fill_each_class(found, kinds, name, path, copied=copied)

    def _fill_each_class(
        self, found: CapturedObject, kinds: Sequence[type], name: str, path: Steps, *, copied: bool
    ) -> None:
        objects = cast("Sequence[object]", found.value)
        tags = {cls: class_tag(self.classes[cls].symbol) for cls in kinds} | {type(None): tag_of(NoneType())}
        found.has_none = any(one is None for one in objects)
        for cls in kinds:
            first = next(one for one in objects if type(one) is cls)
            filled = [one if type(one) is cls else first for one in objects]
            part = CapturedObject(filled, each=True)
            part.parts = self._parts(filled, f"{name}_{self.classes[cls].symbol}", path, each=True, copied=copied)
            found.classes.append(part)
        numbers = np.fromiter(map(tags.__getitem__, map(type, objects)), np.int8, len(objects))
        found.tags = Capture(self.capture(f"{name}_classes", numbers))

    def _parts(
        self, objects: Sequence[object], name: str, path: Steps, *, each: bool, copied: bool
    ) -> dict[str, Binding]:
        cls = type(objects[0])
        what = f"captured variable {name!r}"
        around = [place for place, (holders, _) in enumerate(path) if type(holders[0]) is cls]
        if around:
            fields = [field for _, field in path[around[0] :]]
            root = name.removesuffix("_".join(["", *(field for _, field in path)]))
            raise recursive(path[around[0]][0][0], fields, f"captured variable {root!r}")
        facts = self.classes[cls]
        parts: dict[str, Binding] = {}
        for field, found in _columns(objects, facts.layout(), what).items():
            steps = (*path, (objects, field))
            try:
                if isinstance(found, UnsupportedError):
                    raise found
                values: Sequence[Any] = PackedNumbers(found) if isinstance(found, np.ndarray) else found
                first = next((value for value in values if value is not None), None)
                if first is None and each:
                    parts[field] = self._nothing(len(values), f"{name}_{field}")
                    continue
                if is_object(first):
                    parts[field] = self._nested(values, f"{name}_{field}", steps, each=each, copied=copied)
                    if each and self.assigned is not None and field in self.assigned:
                        mark = self.capture(f"{name}_{field}_assigned", np.zeros(len(objects), np.bool_))
                        self.field_paths.append((mark, FieldPath(steps, assigned=True, copied=copied)))
                        parts[assigned_mark(field)] = Capture(mark)
                    continue
            except UnsupportedError as error:  # it need not be read
                facts.refused.setdefault(field, error.reason)
            else:
                variable = self.capture(f"{name}_{field}", values if each else values[0])
                self.field_paths.append((variable, FieldPath(steps, copied=copied)))
                parts[field] = Capture(variable)
        if facts.identified and not copied:
            numbers = Identities(objects, len(objects)) if each else np.int64(id(objects[0]))
            parts[IDENTITY] = Capture(self.capture(f"{name}_identity", numbers))
        return parts

    def _nothing(self, count: int, name: str) -> CapturedObject:
        """A list of nothing but None."""
        found = CapturedObject([None] * count, each=True)
        found.has_none, found.tags = True, Capture(self.capture(f"{name}_classes", np.zeros(count, np.int8)))
        return found

    def _nested(self, values: Sequence[Any], name: str, steps: Steps, *, each: bool, copied: bool) -> CapturedObject:
        """The objects that an attribute holds."""
        nested = CapturedObject(values if each else values[0], each=each)
        self._fill(nested, name, steps, copied=copied)
        if nested.classes and self.assigned is not None and steps[-1][1] in self.assigned:
            raise UnsupportedError(f"'{steps[-1][1]}' is assigned, and holds objects of several classes, or None")
        return nested

    def paths_of_fields(self) -> Sequence[tuple[str, FieldPath]]:
        """The captured variables that are attributes of captured objects, and which."""
        return self.field_paths

    def groups_of_fields(self) -> Mapping[str, str]:
        """The captured arrays that are fields of objects, each with the name of its objects."""
        return self.groups

    def captured_objects(self) -> list[object]:
        """The objects that the functions capture, and those in their fields."""
        found: list[object] = []
        for one in self.captured.values():
            found += _held(one)
        for table in self.tables.values():
            found += table.objects
        return found

    def tables_of_objects(self) -> Sequence[ObjectTable]:
        """The tables of objects that references are places in."""
        return list(self.tables.values())


def _objects_of(found: CapturedObject) -> Sequence[object]:
    return cast("Sequence[object]", found.value) if found.each else [found.value]


def _columns(objects: Sequence[object], layout: ClassLayout, what: str) -> dict[str, Values]:
    """The values of each field of captured objects, all of which are of the class."""
    from hetc.field_reading import read_fields

    present, columns = read_fields(objects, layout, what)
    if present is not None:
        raise other_class(objects, layout.cls, what)
    return dict(zip(layout.fields, columns, strict=True))


def _held(found: CapturedObject) -> list[object]:
    objects = _objects_of(found)
    parts = [part for one in (found, *found.classes) for part in one.parts.values() if isinstance(part, CapturedObject)]
    return [one for one in objects if one is not None] + [one for part in parts for one in _held(part)]


def _shape(found: CapturedObject) -> Hashable:
    """Which fields of captured objects are captured."""
    if found.references is not None:
        return _shape_of_column((found.references.cls.__qualname__, found.references))
    return (*map(_shape, found.classes), found.has_none, _shape_of_parts(found.parts))


def _shape_of_column(named: tuple[str, Capture | References]) -> Hashable:
    name, column = named
    return name, (column.cls, column.has_none, column.whole) if isinstance(column, References) else None


def _shape_of_parts(parts: Mapping[str, Binding]) -> Hashable:
    return tuple((name, _shape(part) if isinstance(part, CapturedObject) else None) for name, part in parts.items())

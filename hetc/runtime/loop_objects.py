"""Attributes of captured objects that a parallel loop assigns: who else may see them, and writing them back.

A run of a loop works on arrays of the values of each attribute. What has changed in them is written into the objects
when some iterations have come to their end; so Python finds what the iterations before have left behind.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import compress
from types import MemberDescriptorType
from typing import Any

import numpy as np

from hetc.abi import InputKind, Package, Refused, ValueType, WriteBack, Written, leaves
from hetc.diagnostics import Category
from hetc.errors import UnsupportedError
from hetc.identities import identities_of_all
from hetc.records import FieldPath
from hetc.runtime.marshal import AnyArray, elements_of, marshal
from hetc.runtime.object_writes import assign, assign_numbers, has_twice
from hetc.runtime.objects import make_objects
from hetc.runtime.overlap import check_distinct, check_memory

Step = tuple[Sequence[object], str]
Paths = Sequence[tuple[str, FieldPath]]


class LoopObjects:
    """The attributes that a loop assigns. `used` are the names of all captured variables that it reads or writes.

    Raises UnsupportedError if an object whose attribute is assigned stands in several places that the loop sees: Python
    reads and assigns them in order.
    """

    def __init__(
        self,
        written: Collection[str],
        used: Collection[str],
        paths: Paths,
        types: Mapping[str, ValueType | Refused],
        captures: Mapping[str, object],
    ) -> None:
        self.columns: dict[str, _Column] = {}
        """The attributes that are assigned, by the names of the captured variables."""
        self.replaced: list[tuple[str, Step]] = []
        """The attributes that are assigned new objects, by the captured variables that say of which objects."""
        # Numbers of single objects may have become constants.
        found = [(n, path) for n, path in paths if n in used or getattr(types[n], "kind", None) is InputKind.SCALAR]
        marks = {_key(path.steps[-1]) for name, path in found if name in written and path.assigned}
        assigned: list[Step] = []
        for name, path in found:
            if name not in written:
                continue
            if path.copied:
                raise UnsupportedError(
                    f"the attribute '{path.steps[-1][1]}' of an element of a portable array is assigned, "
                    "and the element is a copy",
                    hint="loop over a list of the objects",
                    category=Category.INPUT,
                )
            replaced = next((step for step in path.steps if _key(step) in marks), None)
            assigned.append(replaced or path.steps[-1])
            type_ = types[name]
            assert isinstance(type_, ValueType)
            self.columns[name] = _Column(path, type_, captures[name], is_part=replaced is not None)
        _check_places(assigned, [path for _, path in found])

    @property
    def captures(self) -> dict[str, AnyArray]:
        """The captured variables that the loop writes."""
        return {name: column.values for name, column in self.columns.items()}

    def write(self) -> None:
        """Write what has been assigned since the last time into the objects."""
        for column in self.columns.values():
            if column.path.assigned:
                self._write_new(column)
        for column in self.columns.values():
            if not column.is_part:
                column.write()

    def _write_new(self, mark: _Column) -> None:
        """Make the objects that have been assigned, and assign them."""
        places = np.flatnonzero(mark.values)
        mark.values[:] = False
        if places.size:
            objects, name = mark.path.steps[-1]
            made = self._made(mark.path.steps, places)
            assign(map(objects.__getitem__, places.tolist()), name, made)

    def _made(self, steps: Sequence[Step], places: AnyArray) -> list[Any]:
        """The new objects in some places of an attribute."""
        depth = len(steps)
        names: dict[str, list[Any]] = {}
        first: object = None
        for column in self.columns.values():
            inner = column.path.steps
            if column.path.assigned or len(inner) <= depth or list(map(_key, inner[:depth])) != list(map(_key, steps)):
                continue
            objects, name = inner[depth]
            first = objects[0]
            if name not in names:
                names[name] = (
                    column.elements(places) if len(inner) == depth + 1 else self._made(inner[: depth + 1], places)
                )
        return make_objects(type(first), list(names), list(names.values()), len(places))


def loop_objects(
    package: Package, paths: Paths, types: Mapping[str, ValueType | Refused], captures: Mapping[str, object]
) -> LoopObjects:
    """What a compiled loop assigns attributes of, looked at for the values that it captures now.

    Raises UnsupportedError if the values of this very run are none that the device gives Python's result for: also for
    arrays that it stores to.
    """
    stores = [step for step in package.steps if isinstance(step, WriteBack | Written)]
    written = [step.source.name for step in stores if step.source.name is not None]
    used = {source.name or "" for source in package.read}
    objects = LoopObjects(written, used, paths, types, captures)
    check_memory([name for name in written if name not in objects.columns], captures)
    check_distinct(package.distinct, captures)
    return objects


class _Column:
    """One attribute that is assigned: its values, which the loop changes, and those that the objects have.

    It `is_part` of objects that are assigned as a whole.
    """

    def __init__(self, path: FieldPath, type_: ValueType, values: Any, *, is_part: bool) -> None:
        self.path = path
        (self.type,) = leaves(type_.element)
        self.is_part = is_part or path.assigned
        self.values: AnyArray = np.array(marshal(values, (), np.dtype(self.type.dtype)))
        self.before = self.values.copy()
        objects, name = path.steps[-1]
        if not self.is_part:
            _check_own(objects, name)

    def elements(self, places: AnyArray) -> list[Any]:
        """The values in some places, as Python holds them."""
        return elements_of([self.values[places]], self.type, len(places), {})

    def write(self) -> None:
        """Assign what has changed."""
        changed = _bits(self.values) != _bits(self.before)
        if changed.ndim > 1:
            changed = changed.any(axis=1)
        if not changed.any():
            return
        objects, name = self.path.steps[-1]
        self.before[changed] = self.values[changed]
        if not assign_numbers(objects, name, [self.values], self.type, changed):
            assign(compress(objects, changed.tolist()), name, self.elements(np.flatnonzero(changed)))


def _bits(values: AnyArray) -> AnyArray:
    """Numbers as what tells -0.0 from 0.0, and one NaN from another."""
    if values.dtype.kind == "c":
        return values.view(np.dtype(f"u{values.itemsize // 2}")).reshape(len(values), 2)
    return values.view(np.dtype(f"u{values.itemsize}"))


def _key(step: Step) -> tuple[int, str]:
    return id(step[0]), step[1]


def _check_own(objects: Sequence[object], name: str) -> None:
    """Raise UnsupportedError if an object would get the attribute by being assigned what the class has."""
    found = [vars(base)[name] for base in type(objects[0]).__mro__ if name in vars(base)]
    if not found or isinstance(found[0], MemberDescriptorType):
        return
    for one in objects:
        own: Mapping[str, object] = getattr(one, "__dict__", {name: None})
        if name not in own:
            raise UnsupportedError(
                f"the attribute '{name}' of an object that is assigned is that of its class",
                hint="assign it in __init__",
                category=Category.INPUT,
            )


def _check_places(assigned: Sequence[Step], paths: Sequence[FieldPath]) -> None:
    """Raise UnsupportedError if the loop sees an object that is assigned in several places."""
    for name in dict.fromkeys(name for _, name in assigned):
        places = {id(objects): objects for path in paths for objects, read in path.steps if read == name}
        if has_twice(np.concatenate(list(map(identities_of_all, places.values())))):
            raise UnsupportedError(
                f"an object whose attribute '{name}' is assigned stands in several places: "
                "Python assigns and reads them in order",
                category=Category.INPUT,
            )


NO_OBJECTS = LoopObjects((), (), (), {}, {})
"""What a loop over arrays alone assigns attributes of."""

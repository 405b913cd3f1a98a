"""Which captured objects are references into tables: the distinct objects of a class, and places among them.

A captured list of objects is the arrays of their fields, in which an object that stands in several places is there
several times. That is no matter as long as nobody writes to it. The objects of a class are a table instead if

1. the program assigns an attribute of them, and one of them stands in several places: in a list twice, in two lists, in
   fields of several objects, or captured by itself as well; or None stands among them; or
2. they lead to others of their class through their fields, as the nodes of lists and trees do.

Then every reference to an object of the class is a place in the table, and so are references to the objects in its
fields. A loop that assigns through references is a loop that stores to elements at places that are data: what keeps its
iterations apart, or makes sums of them, is found as for `a[p[i]]`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

import numpy as np

from hetc.frontends.python.classes import SAMPLES, ClassFacts, is_object
from hetc.frontends.python.closure import ObjectTable
from hetc.records import cycle_of

Edges = Mapping[type, Mapping[str, frozenset[type]]]
"""The classes of the objects in the fields of each class."""


def edges_of(classes: Mapping[type, ClassFacts]) -> Edges:
    """The classes of the objects in fields, as far as some objects show them; without members of enumerations."""
    plain = {cls: facts for cls, facts in classes.items() if facts.enumeration is None}
    found: dict[type, dict[str, frozenset[type]]] = {}
    for cls, facts in plain.items():
        held = {name: map(type, _held(facts, name)) for name in facts.object_fields}
        found[cls] = {name: kinds for name, some in held.items() if (kinds := frozenset(some) & plain.keys())}
    return found


def _held(facts: ClassFacts, name: str) -> Iterator[object]:
    values = (getattr(one, name, None) for one in facts.samples[:SAMPLES])
    return (value for value in values if is_object(value))


def reachable_from(cls: type, edges: Edges) -> frozenset[type]:
    """The classes of objects that fields of a class lead to, in some steps."""
    found: set[type] = set()
    work = [cls]
    while work:
        new = frozenset[type]().union(*edges.get(work.pop(), {}).values()) - found
        found |= new
        work += new
    return frozenset(found)


def recursive_classes(classes: Mapping[type, ClassFacts], edges: Edges) -> frozenset[type]:
    """The classes whose objects lead to others of their class, but where the first ones are found to be a cycle."""
    found = frozenset(cls for cls in edges if cls in reachable_from(cls, edges))
    return frozenset(cls for cls in found if not _has_cycle(classes[cls], edges))


def _has_cycle(facts: ClassFacts, edges: Edges) -> bool:
    paths = list(_paths_back(facts.cls, edges))
    return any(cycle_of(one, path) is not None for path in paths for one in facts.samples[:SAMPLES])


def _paths_back(cls: type, edges: Edges) -> Iterator[list[str]]:
    """The attributes that lead from objects of a class to others of it, without coming to a class twice."""
    work: list[tuple[type, list[str], frozenset[type]]] = [(cls, [], frozenset())]
    while work:
        at, path, seen = work.pop()
        for name, kinds in edges[at].items():
            if cls in kinds:
                yield [*path, name]
            work += [(kind, [*path, name], seen | {kind}) for kind in kinds - seen - {cls}]


class TableFinder:
    """Looks through captured objects for those that are to stand in tables.

    `assigned` are the attributes that the program may assign, `replaced` the classes of the objects in these.
    """

    def __init__(
        self, classes: Mapping[type, ClassFacts], assigned: Collection[str], replaced: Collection[type]
    ) -> None:
        self.edges = edges_of(classes)
        self.assigned = assigned
        self.blocked = {cls for cls in self.edges if self._is_blocked(classes[cls])} | set(replaced)
        """The classes whose objects are no table: they are values, or are assigned as a whole."""
        self.recursive = recursive_classes(classes, self.edges) - self.blocked
        written = (f.cls for f in classes.values() if not f.is_frozen and not f.fields.keys().isdisjoint(assigned))
        self.written = frozenset(written) & self.edges.keys()
        seeds = self.recursive | self.written
        self.wanted = {cls: ObjectTable(cls) for cls in sorted(self._closed(seeds), key=list(classes).index)}
        self.seen: set[int] = set()

    def _is_blocked(self, facts: ClassFacts) -> bool:
        return facts.is_sequence or not self.edges[facts.cls].keys().isdisjoint(self.assigned)

    def _closed(self, seeds: Iterable[type]) -> frozenset[type]:
        """Classes that can be tables, with those that their fields lead to, which then are tables, too."""
        found = [reachable_from(cls, self.edges) | {cls} for cls in seeds]
        return frozenset[type]().union(*(classes for classes in found if self.blocked.isdisjoint(classes)))

    def tables(self, roots: Iterable[tuple[Sequence[object], bool]]) -> dict[type, ObjectTable]:
        """The tables that are needed, given the captured lists of objects, and whether they are copies."""
        if not self.wanted:
            return {}
        for objects, copied in roots:
            if id(objects) not in self.seen:
                self.seen.add(id(objects))
                self._look(objects, copied=copied)
        shared = (
            cls for cls, table in self.wanted.items() if cls in self.written and (table.is_shared or table.has_none)
        )
        chosen = self._closed({*self.recursive, *shared})
        return {cls: table for cls, table in self.wanted.items() if cls in chosen and table.objects}

    def _look(self, objects: Sequence[object], *, copied: bool) -> None:
        """Number the objects of a list, and look at those in their fields."""
        work = [objects]
        while work:
            some = work.pop()
            kinds = set(map(type, some)) - {type(None)}
            if len(kinds) > 1:
                self.blocked |= kinds
            for cls in kinds:
                table = self.wanted.get(cls)
                found: Sequence[object] = some if len(kinds) == 1 else [one for one in some if type(one) is cls]
                if table is not None and len(kinds) == 1:
                    known = len(table.objects)
                    present = int(np.count_nonzero(table.numbering.places(found) >= 0))
                    table.count += present
                    table.has_none |= present < len(found)
                    table.copied |= copied
                    found = table.objects[known:]
                work += self._held_lists(cls, [one for one in found if one is not None])

    def _held_lists(self, cls: type, objects: Sequence[object]) -> Iterator[list[object]]:
        """What objects of a class hold, in the fields that may lead to a table."""
        for name, kinds in self.edges.get(cls, {}).items() if objects else ():
            if any(not self.wanted.keys().isdisjoint(reachable_from(kind, self.edges) | {kind}) for kind in kinds):
                try:
                    yield list(map(attrgetter(name), objects))
                except AttributeError:  # then the field is not read
                    self.blocked.add(cls)

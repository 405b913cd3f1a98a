"""The types of values by their places in the source, read from a level-1 module."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import Float32Type, Float64Type, ModuleOp, TupleType
from xdsl.ir import Attribute, Operation

from hetc.analysis.locations import source_location
from hetc.analysis.naming import ascii_name
from hetc.dialects import dyn, guard, heap, obj
from hetc.errors import SourceLocation
from hetc.passes.specialization.values import describe

Place = tuple[str, int, int]
"""File, line from 1 and column from 0."""

_ITEM = "[0]"
"""What stands for a name in the key of a value that is no tuple of others: no variable has it."""


class TypesByPlace:
    """What the functions of a level-1 module say about the places that their ops come from.

    A place may have several types: one for each specialisation of its function.
    """

    def __init__(self, module: ModuleOp) -> None:
        self._types: dict[tuple[Place, str], tuple[str, ...]] = {}
        self.widened: set[tuple[str, int]] = set()
        """The lines, by file, where a single-precision number becomes a double-precision one."""
        self.places: dict[str, set[tuple[int, int]]] = defaultdict(set)
        """Lines and columns that ops come from, by file. A guard alone stands where a path is left to Python."""
        for function in module.ops:
            if isinstance(function, func.FuncOp):
                self._function(function)

    def at(self, place: Place) -> tuple[str, ...]:
        """The types of the expression that starts at a place; of several, the outermost."""
        return self._types.get((place, ""), ())

    def first_item(self, place: Place) -> tuple[str, ...]:
        """The types of the expression that starts at a place and is the first item of a tuple that does."""
        return self._types.get((place, _ITEM), ())

    def named(self, place: Place, name: str) -> tuple[str, ...]:
        """The types of a variable that is bound at a place, or of a parameter of the function that starts there."""
        return self._types.get((place, ascii_name(name)), ())

    def leaves(self, place: SourceLocation) -> bool:
        """Whether a guard at a place sends the path that comes there to Python: nothing else is compiled there."""
        return (place.line, place.column) not in self.places.get(place.filename, ())

    def _function(self, function: func.FuncOp) -> None:
        outermost: dict[tuple[Place, str], str] = {}
        start = _place(function)
        # The skeletons of the entry stand at the function that they call; in it is what is compiled where it is called.
        skipped = start if function.sym_visibility is None else None
        for op in _inner_first(function):
            place = _place(op)
            if place is None or place == skipped:
                continue
            filename, line, column = place
            if not isinstance(op, guard.RequireOp):
                self.places[filename].add((line, column))
            if isinstance(op, arith.ExtFOp) and _widens(op):
                self.widened.add((filename, line))
            for result in op.results:
                type_ = type_name(result.type)
                if type_ is not None and len(op.results) == 1:
                    outermost[place, ""] = type_
                    if not isinstance(op, obj.PackOp):
                        outermost[place, _ITEM] = type_
                if result.name_hint is not None:
                    self._add(place, result.name_hint, type_)
        for (place, name), type_ in outermost.items():
            self._add(place, name, type_)
        for argument in function.body.block.args:
            if start is not None and skipped is None and argument.name_hint is not None:
                self._add(start, argument.name_hint, type_name(argument.type))

    def _add(self, place: Place, name: str, type_: str | None) -> None:
        known = self._types.get((place, name), ())
        if type_ is not None and type_ not in known:
            self._types[place, name] = (*known, type_)


_TYPES = (obj.BoxedType, obj.UnionType, obj.ObjectType, dyn.NoneType, TupleType, obj.ListType, heap.ListType)


def type_name(type_: Attribute) -> str | None:
    """How Python spells the type of a boxed value, of a tuple, list or of one of several; None for anything else."""
    return describe(type_) if isinstance(type_, _TYPES) else None


def _place(op: Operation) -> Place | None:
    location = source_location(op.location)
    return None if location is None else (location.filename, location.line, location.column)


def _inner_first(op: Operation) -> Iterator[Operation]:
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                yield from _inner_first(inner)
                yield inner


def _widens(op: arith.ExtFOp) -> bool:
    return isinstance(op.input.type, Float32Type) and isinstance(op.result.type, Float64Type)

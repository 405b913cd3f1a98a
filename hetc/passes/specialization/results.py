"""What a function may return: objects that are new, each of them once.

The device knows objects by their fields. An object that came from outside would come back as another one, and so would
one object that a result has in two places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, SSAValue

from hetc.diagnostics import Category
from hetc.dialects import obj
from hetc.passes.specialization.interpretation import Interpretation


def check(s: Interpretation, value: SSAValue) -> None:
    """Raise UnsupportedError for a result with an object in it that has to be the very same as another.

    Members of enumerations come back as they are.
    """
    members = frozenset(symbol for symbol, cls in s.classes.items() if cls.enumeration is not None)
    found = list(_objects(value, members))
    if any(_has_given(one.type, members) for one in found):
        raise s.unsupported(
            "an object that came from outside is returned, and Python returns the object itself",
            hint="return what is needed of it, or make a new object",
            category=Category.CONTAINER,
        )
    made = {one for one in found if isinstance(one.owner, obj.NewOp)}
    if len(found) > 1 and len(made) < len(found):
        raise s.unsupported(
            "one object may be in several places of the result", hint="return one object", category=Category.CONTAINER
        )


def _objects(value: SSAValue, members: frozenset[str]) -> Iterator[SSAValue]:
    """The objects in a value, as far as it has been put together here; one that holds others comes before them."""
    if isinstance(value.owner, obj.PackOp):
        for item in value.owner.items:
            yield from _objects(item, members)
    elif isinstance(value.type, obj.ObjectType):
        if value.type.symbol in members:
            return
        yield value
        parts = value.owner.fields if isinstance(value.owner, obj.NewOp) else ()
        for part in parts:
            yield from _objects(part, members)
        if not parts:
            yield from (value for type_ in value.type.types for _ in range(count_objects(type_, members)))
    else:
        yield from (value for _ in range(count_objects(value.type, members)))


def count_objects(type_: Attribute, members: frozenset[str] = frozenset()) -> int:
    """How many objects a value of a type holds, without the members of enumerations of these names."""
    match type_:
        case TupleType():
            return sum(count_objects(part, members) for part in type_.types.data)
        case obj.UnionType():
            return max(count_objects(part, members) for part in type_.alternatives)
        case obj.ObjectType():
            if type_.symbol in members:
                return 0
            return 1 + sum(count_objects(part, members) for part in type_.types)
        case _:
            return 0


def _has_given(type_: Attribute, members: frozenset[str]) -> bool:
    parts: Sequence[Attribute] = ()
    match type_:
        case TupleType():
            parts = tuple(type_.types)
        case obj.UnionType():
            parts = tuple(type_.alternatives)
        case obj.ObjectType() if type_.symbol not in members:
            if type_.is_given:
                return True
            parts = tuple(type_.types)
        case _:
            pass
    return any(_has_given(part, members) for part in parts)

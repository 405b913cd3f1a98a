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
    """Raise UnsupportedError for a result with an object in it that has to be the very same as another."""
    found = [one for one in _objects(value) if not _is_member(s, one.type)]
    if any(_has_given(s, one.type) for one in found):
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


def _objects(value: SSAValue) -> Iterator[SSAValue]:
    """The objects in a value, as far as it has been put together here; one that holds others comes before them."""
    if isinstance(value.owner, obj.PackOp):
        for item in value.owner.items:
            yield from _objects(item)
    elif isinstance(value.type, obj.ObjectType):
        yield value
        parts = value.owner.fields if isinstance(value.owner, obj.NewOp) else ()
        for part in parts:
            yield from _objects(part)
        if not parts:
            yield from (value for type_ in value.type.types for _ in range(count_objects(type_)))
    else:
        yield from (value for _ in range(count_objects(value.type)))


def count_objects(type_: Attribute) -> int:
    """How many objects a value of a type holds."""
    match type_:
        case TupleType():
            return sum(map(count_objects, type_.types.data))
        case obj.UnionType():
            return max(map(count_objects, type_.alternatives))
        case obj.ObjectType():
            return 1 + sum(map(count_objects, type_.types))
        case _:
            return 0


def _is_member(s: Interpretation, type_: Attribute) -> bool:
    """Whether a type is that of the members of an enumeration, which come back as they are."""
    return isinstance(type_, obj.ObjectType) and type_.symbol in s.classes and bool(s.classes[type_.symbol].enumeration)


def _has_given(s: Interpretation, type_: Attribute) -> bool:
    parts: Sequence[Attribute] = ()
    match type_:
        case TupleType():
            parts = type_.types.data
        case obj.UnionType():
            parts = type_.alternatives
        case obj.ObjectType() if not _is_member(s, type_):
            if type_.is_given:
                return True
            parts = type_.types
        case _:
            pass
    return any(_has_given(s, part) for part in parts)

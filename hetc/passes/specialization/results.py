"""What a function may return: objects that are new, each of them once, and objects of which it is known which they are.

The device knows objects by their fields. An object that came from outside would come back as another one, and so would
one object that a result has in two places. With its identity, it comes back as the very object, and nothing else of it
is part of the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, SSAValue

from hetc.abi import IDENTITY
from hetc.analysis.source_types import leaf_types
from hetc.diagnostics import Category
from hetc.dialects import obj
from hetc.passes.specialization import object_tables
from hetc.passes.specialization.identities import is_known, is_unknown, reference_as_object
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.values import Reference, Value


def checked(s: Interpretation, value: Value, *, last: bool) -> SSAValue:
    """A result, as a value on the device; the `last` skeleton's is what Python gets.

    Raises UnsupportedError for a result with an object in it that has to be the very same as another, and is not known
    to be. Members of enumerations come back as they are.
    """
    result = as_result(s, value)
    _check(s, result)
    return _narrowed(s, result, narrowed_type(result.type)) if last else result


def as_result(s: Interpretation, value: Value) -> SSAValue:
    """A value that an element's function returns, on the device: an object of a captured list as which one it is."""
    found = reference_as_object(s, value) if isinstance(value, Reference) else None
    return object_tables.identified(s, s.on_device(value) if found is None else found)


def _check(s: Interpretation, value: SSAValue) -> None:
    members = frozenset(symbol for symbol, cls in s.classes.items() if cls.enumeration is not None)
    found = list(_objects(value, members))
    if any(_has_unknown(one.type, members) for one in found):
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
    """The objects in a value, as far as it has been put together here; one that holds others comes before them.

    Those of which it is known which they are, are not among them.
    """
    if isinstance(value.owner, obj.PackOp):
        for item in value.owner.items:
            yield from _objects(item, members)
    elif isinstance(value.type, obj.ObjectType):
        if value.type.symbol in members or is_known(value.type):
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
    """How many objects a value of a type holds that may be new, without the members of enumerations of these names."""
    match type_:
        case TupleType():
            return sum(count_objects(part, members) for part in type_.types.data)
        case obj.UnionType():
            return max(count_objects(part, members) for part in type_.alternatives)
        case obj.ObjectType():
            if type_.symbol in members or is_known(type_):
                return 0
            return 1 + sum(count_objects(part, members) for part in type_.types)
        case _:
            return 0


def _has_unknown(type_: Attribute, members: frozenset[str]) -> bool:
    parts: Sequence[Attribute] = ()
    match type_:
        case TupleType():
            parts = tuple(type_.types)
        case obj.UnionType():
            parts = tuple(type_.alternatives)
        case obj.ObjectType() if type_.symbol not in members and not is_known(type_):
            if is_unknown(type_):
                return True
            parts = tuple(type_.types)
        case _:
            pass
    return any(_has_unknown(part, members) for part in parts)


# --------------------------------------------------------------------------------------------------------------------
# What a result is stored as
# --------------------------------------------------------------------------------------------------------------------


def narrowed_type(type_: Attribute) -> Attribute:
    """The type of a result: of objects that are known by their identity, nothing else is stored."""
    match type_:
        case TupleType():
            return obj.tuple_type(map(narrowed_type, type_.types.data))
        case obj.UnionType():
            return obj.UnionType(map(narrowed_type, type_.alternatives))
        case obj.ObjectType() if is_known(type_):
            return obj.ObjectType(type_.symbol, [IDENTITY], [type_.types[type_.fields.index(IDENTITY)]], given=True)
        case obj.ObjectType():
            return type_.of([narrowed_type(part) for part in type_.types])
        case _:
            return type_


def _narrowed(s: Interpretation, value: SSAValue, type_: Attribute) -> SSAValue:
    """A value as one of its narrowed type."""
    if value.type == type_:
        return value
    match type_:
        case TupleType():
            items = [s.add(obj.ExtractOp(value, k)).result for k in range(len(type_.types.data))]
            return s.add(obj.PackOp([_narrowed(s, i, t) for i, t in zip(items, type_.types.data, strict=True)])).result
        case obj.UnionType():
            parts = [s.add(obj.AlternativeOp(value, k)).result for k in range(len(type_.alternatives))]
            items = [_narrowed(s, part, t) for part, t in zip(parts, type_.alternatives, strict=True)]
            return s.add(obj.UnionOp(s.add(obj.TagOp(value)).result, items)).result
        case obj.ObjectType():
            parts = [s.add(obj.GetOp(value, name)).result for name in type_.fields]
            items = [_narrowed(s, part, t) for part, t in zip(parts, type_.types, strict=True)]
            return s.add(obj.NewOp(items, type_)).result
        case _:
            raise AssertionError("only objects are narrowed")


def kept_leaves(element: Attribute) -> list[bool]:
    """Which of the numbers that an element is stored as are part of a result."""
    match element:
        case TupleType():
            return [kept for part in element.types.data for kept in kept_leaves(part)]
        case obj.UnionType():
            return [True, *(kept for part in element.alternatives for kept in kept_leaves(part))]
        case obj.ObjectType():
            pairs = zip(element.fields, element.types, strict=True)
            if is_known(element):
                return [name == IDENTITY for name, part in pairs for _ in leaf_types(part)]
            return [kept for _, part in pairs for kept in kept_leaves(part)]
        case _:
            return [True] * len(leaf_types(element))

"""Values of several types: the union of types, and how a value of one of them becomes one of the union.

Tuples of one length are joined item by item, and so are lists; lists of several lengths become one in the heap, whose
length only the kernel finds. Anything else becomes a tagged union. The alternatives stand in the order of their tags,
so that the union of the same types is always the same type.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr, TupleType, i8, i64
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from hetc.abi import IDENTITY, MAX_ALTERNATIVES, MAX_TAGGED_WIDTH, tag_of
from hetc.analysis.source_types import from_ir
from hetc.diagnostics import Category
from hetc.dialects import dyn, heap, obj
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.payloads import boxed_from
from hetc.passes.specialization.values import boxed_of, describe, element_of


def common_type(s: Interpretation, left: Attribute, right: Attribute) -> Attribute:
    """The type of a value that is of either type. Raises UnsupportedError if the device has none."""
    if left == right:
        return left
    if isinstance(left, TupleType) and isinstance(right, TupleType) and len(left.types) == len(right.types):
        pairs = zip(left.types.data, right.types.data, strict=True)
        return obj.tuple_type(common_type(s, one, other) for one, other in pairs)
    if isinstance(left, obj.ListType) and isinstance(right, obj.ListType) and len(left.types) == len(right.types):
        return obj.ListType(common_type(s, one, other) for one, other in zip(left.types, right.types, strict=True))
    if isinstance(left, obj.ListType | heap.ListType) and isinstance(right, obj.ListType | heap.ListType):
        return list_of(s, [*_item_types(left), *_item_types(right)])
    if isinstance(left, obj.ObjectType) and isinstance(right, obj.ObjectType) and left.symbol == right.symbol:
        return _common_object(s, left, right)
    found: dict[int, Attribute] = {}
    for type_ in (*_alternatives(left), *_alternatives(right)):
        tag = _tag(s, type_)
        found[tag] = common_type(s, found[tag], type_) if tag in found else type_
    if len(found) > MAX_ALTERNATIVES:
        raise s.unsupported(
            f"this may be of {len(found)} types: {', '.join(map(describe, found.values()))}",
            hint="convert to one type, for example with float(...)",
            category=Category.TYPES,
        )
    return obj.UnionType(found[tag] for tag in sorted(found)) if len(found) > 1 else next(iter(found.values()))


def _common_object(s: Interpretation, left: obj.ObjectType, right: obj.ObjectType) -> obj.ObjectType:
    """The type of an object of a class that is of either type: what both have can be read.

    An object that may be new, and may have come from outside with its identity, has the fields of the new one.
    """
    known = [part for part in (left, right) if part.is_given and IDENTITY in part.fields]
    made = [tuple(name for name in part.fields if name != IDENTITY) for part in (left, right) if not part.is_given]
    if len(made) + len(known) == 2 and made and made[0] == made[-1]:
        is_identified = any(IDENTITY in part.fields for part in (left, right))
        names, given = [*made[0], *((IDENTITY,) if is_identified else ())], False
    else:
        names = [name for name in left.fields if name in right.fields and (name != IDENTITY or not made)]
        given = True
    types = [[part.types[part.fields.index(n)] for part in (left, right) if n in part.fields] for n in names]
    return obj.ObjectType(left.symbol, names, [common_type(s, found[0], found[-1]) for found in types], given=given)


def list_of(s: Interpretation, items: Sequence[Attribute]) -> heap.ListType:
    """The type of a list in the heap whose items are of these types, boxed."""
    item = functools.reduce(functools.partial(common_type, s), items)
    try:
        return heap.ListType(element_of(item))
    except VerifyException:
        raise s.unsupported(
            f"a list whose length varies holds numbers and tuples of them, not {describe(item)}",
            category=Category.CONTAINER,
        ) from None


def _item_types(type_: obj.ListType | heap.ListType) -> tuple[Attribute, ...]:
    return (boxed_of(type_.item),) if isinstance(type_, heap.ListType) else type_.types


def _in_heap(s: Interpretation, value: SSAValue, type_: heap.ListType) -> SSAValue:
    """A list as one in the heap: its items are copied."""
    if isinstance(value.type, obj.ListType):
        room = s.constant(len(value.type.types), dyn.INT).value
        made = s.add(heap.NewOp(room, type_)).result
        items = s.add(obj.ListItemsOp(value)).result
        for k in range(len(value.type.types)):
            item = s.add(obj.ExtractOp(items, k)).result
            made = s.add(heap.AppendOp(made, unboxed(s, item, type_.item), in_room=True)).result
        return made
    assert isinstance(value.type, heap.ListType)
    length = s.add(heap.LengthOp(value)).result
    made = s.add(heap.NewOp(length, type_)).result
    body = Block(arg_types=[i64, type_])
    with s.inside(body):
        loaded = s.add(heap.LoadOp(value, body.args[0]))
        item = boxed_from(s, iter(loaded.item), value.type.item)
        longer = heap.AppendOp(body.args[1], unboxed(s, item, type_.item), in_room=True)
        s.add(scf.YieldOp(s.add(longer).result))
    zero, one = (s.constant(number, dyn.INT).value for number in (0, 1))
    return s.add(scf.ForOp(zero, length, one, [made], Region(body))).results[0]


def unboxed(s: Interpretation, value: SSAValue, target: Attribute) -> list[SSAValue]:
    """The payloads of a boxed value or of the items of a tuple, as numbers of the target type."""
    if has_union(target) or (isinstance(target, obj.ObjectType) and element_of(value.type) != target):
        value = widen(s, value, boxed_of(target))
    match target:
        case TupleType():
            tag: list[SSAValue] = []
            items = [s.add(obj.ExtractOp(value, k)).result for k in range(len(target.types.data))]
            types = target.types.data
        case obj.ListType():
            return unboxed(s, s.add(obj.ListItemsOp(value)).result, target.items)
        case obj.UnionType():
            tag = [s.add(obj.TagOp(value)).result]
            items = [s.add(obj.AlternativeOp(value, k)).result for k in range(len(target.alternatives))]
            types = target.alternatives.data
        case obj.ObjectType():
            tag = []
            items = [s.add(obj.GetOp(value, name)).result for name in target.fields]
            types = target.types
        case heap.ListType():
            return list(s.add(heap.PublishOp(value)).results)
        case dyn.NoneType():
            return []
        case _:
            return [s.convert(s.unbox(value), target).value]
    pairs = zip(items, types, strict=True)
    return [*tag, *(payload for item, type_ in pairs for payload in unboxed(s, item, type_))]


def has_union(element: Attribute) -> bool:
    """Whether an element, or a part of it, may be of several types or None."""
    if isinstance(element, TupleType):
        return any(map(has_union, element.types.data))
    if isinstance(element, obj.ObjectType | obj.ListType):
        return any(map(has_union, element.types))
    return isinstance(element, obj.UnionType | dyn.NoneType)


def _alternatives(type_: Attribute) -> tuple[Attribute, ...]:
    return type_.alternatives.data if isinstance(type_, obj.UnionType) else (type_,)


def _tag(s: Interpretation, type_: Attribute) -> int:
    known = isinstance(type_, obj.BoxedType | obj.ObjectType | dyn.NoneType)
    if not known and not (isinstance(type_, TupleType) and len(type_.types) <= MAX_TAGGED_WIDTH):
        raise s.unsupported(
            f"a value cannot be {describe(type_)} on one path and something else on another", category=Category.TYPES
        )
    return tag_of(from_ir(element_of(type_)))


def widen(s: Interpretation, value: SSAValue, type_: Attribute) -> SSAValue:
    """A value as one of a type that is the common type of its own and others."""
    if value.type == type_:
        return value
    if isinstance(type_, TupleType):
        items = [s.add(obj.ExtractOp(value, k)).result for k in range(len(type_.types.data))]
        return s.add(obj.PackOp([widen(s, i, t) for i, t in zip(items, type_.types.data, strict=True)])).result
    if isinstance(type_, obj.ListType):
        return s.add(obj.AsListOp(widen(s, s.add(obj.ListItemsOp(value)).result, type_.items))).result
    if isinstance(type_, heap.ListType):
        return _in_heap(s, value, type_)
    if isinstance(type_, obj.ObjectType):
        fields = [_field_of(s, value, name, t) for name, t in zip(type_.fields, type_.types, strict=True)]
        return s.add(obj.NewOp(fields, type_)).result
    assert isinstance(type_, obj.UnionType)
    if isinstance(value.type, obj.UnionType):
        tag = s.add(obj.TagOp(value)).result
        tags = [_tag(s, alternative) for alternative in value.type.alternatives]
        parts = {tag: s.add(obj.AlternativeOp(value, k)).result for k, tag in enumerate(tags)}
    else:
        parts = {_tag(s, value.type): value}
        tag = constant_tag(s, value.type)
    known = [(_tag(s, alternative), alternative) for alternative in type_.alternatives]
    items = [widen(s, parts[t], alternative) if t in parts else s.poison(alternative) for t, alternative in known]
    return s.add(obj.UnionOp(tag, items)).result


def _field_of(s: Interpretation, value: SSAValue, name: str, type_: Attribute) -> SSAValue:
    """A field of an object, as one of another type: a new object has no identity, and one from outside may lack others.

    What it lacks is not read: if the object is not new, it is its identity alone that a result needs.
    """
    assert isinstance(value.type, obj.ObjectType)
    if name in value.type.fields:
        return widen(s, s.add(obj.GetOp(value, name)).result, type_)
    if name == IDENTITY:
        return s.box(s.constant(0, type_.source)) if isinstance(type_, obj.BoxedType) else s.poison(type_)
    return s.poison(type_)


def constant_tag(s: Interpretation, type_: Attribute) -> SSAValue:
    """The tag of a type."""
    return s.add(ConstantOp(IntegerAttr(_tag(s, type_), i8))).result

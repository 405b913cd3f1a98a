"""Lists that grow, and lists that a function returns: those in the heap, whose length only the kernel finds.

A list of known length that is a result has its own place there, as a tuple does (escape analysis finds the same for
objects that are stored to an output): no room is taken for it, and none can be missing.
"""

from __future__ import annotations

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, SSAValue

from hetc.abi import INT32_MAX
from hetc.analysis.source_types import leaf_types
from hetc.diagnostics import Category
from hetc.dialects import guard, heap, obj
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.payloads import boxed_from
from hetc.passes.specialization.unions import common_type, list_of, unboxed, widen
from hetc.passes.specialization.values import Value, element_of


def is_growing(value: Value) -> bool:
    """Whether a value is a list in the heap."""
    return isinstance(value, SSAValue) and isinstance(value.type, heap.ListType)


def append(s: Interpretation, value: Value, new: Value) -> Value:
    """The list in the heap with one item more."""
    list_, item_ = _with_item(s, value, new)
    return s.add(heap.AppendOp(list_, item_)).result


def _with_item(s: Interpretation, value: Value, new: Value) -> tuple[SSAValue, list[SSAValue]]:
    """A list that can hold an item, and the payloads of that item."""
    list_, item_ = s.on_device(value), s.on_device(new)
    type_ = common_type(s, list_.type, obj.ListType([item_.type]))
    assert isinstance(type_, heap.ListType)
    return widen(s, list_, type_), unboxed(s, item_, type_.item)


def length(s: Interpretation, value: Value) -> SSAValue:
    """How many items a list in the heap has: a heap has room for less than 2**31."""
    return s.add(guard.FactOp(s.add(heap.LengthOp(s.on_device(value))).result, 0, INT32_MAX)).result


def item(s: Interpretation, value: Value, index: SSAValue) -> Value:
    """The item of a list in the heap at an index that is inside it."""
    list_ = s.on_device(value)
    assert isinstance(list_.type, heap.ListType)
    return boxed_from(s, iter(s.add(heap.LoadOp(list_, index)).item), list_.type.item)


def store(s: Interpretation, value: Value, index: SSAValue, new: Value) -> Value:
    """The list in the heap after another item is stored at an index that is inside it."""
    list_, item_ = _with_item(s, value, new)
    s.add(heap.StoreOp(list_, index, item_))
    return list_


def has_list(type_: Attribute) -> bool:
    """Whether a value is a list, or a tuple with one in it."""
    if isinstance(type_, TupleType):
        return any(map(has_list, type_.types.data))
    return isinstance(type_, obj.ListType | heap.ListType)


MOST_ITEMS = 16
"""A list of more numbers is stored in the heap: each of them would be an array, and an argument of the kernel."""


def as_result(s: Interpretation, value: SSAValue) -> SSAValue:
    """A result: lists of known length with few numbers in them are stored as tuples are, other lists in the heap."""
    return widen(s, value, _with_heap(s, value.type))


def is_stored_as_tuple(type_: obj.ListType) -> bool:
    """Whether a list of known length is made of a few numbers, tuples of them and such lists."""
    return _has_numbers_only(type_) and len(leaf_types(element_of(type_))) <= MOST_ITEMS


def _has_numbers_only(type_: Attribute) -> bool:
    if isinstance(type_, TupleType | obj.ListType):
        items = type_.types.data if isinstance(type_, TupleType) else type_.types
        return len(items) > 0 and all(map(_has_numbers_only, items))
    return isinstance(type_, obj.BoxedType)


def _with_heap(s: Interpretation, type_: Attribute) -> Attribute:
    match type_:
        case TupleType():
            return obj.tuple_type(_with_heap(s, item) for item in type_.types.data)
        case obj.ListType() if not type_.types:
            raise s.unsupported(
                "an empty list as a result is not compiled: it does not say what its items are",
                hint="append to it while it has one name, and is part of no other value",
                category=Category.CONTAINER,
            )
        case obj.ListType():
            return type_ if is_stored_as_tuple(type_) else list_of(s, type_.types)
        case _:
            return type_

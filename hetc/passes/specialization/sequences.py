"""Tuples and lists: items, slices, unpacking. Their length is known, but for that of lists in the heap."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import TupleType
from xdsl.ir import SSAValue

from hetc.analysis.source_types import is_integer
from hetc.diagnostics import Category
from hetc.dialects import dyn, obj
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import conversions
from hetc.passes.semantics.emitter import Number
from hetc.passes.specialization import growing, object_sequences, objects, views, windows
from hetc.passes.specialization.branches import choose
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.loops import count
from hetc.passes.specialization.values import (
    Abstract,
    FunctionValue,
    Items,
    MaybeUnbound,
    MixedSequence,
    ObjectSequence,
    RangeValue,
    References,
    SliceValue,
    Unbound,
    Value,
    describe,
)

MAX_ITEMS = 256
"""Longer tuples and lists would make too much code."""


# --------------------------------------------------------------------------------------------------------------------
# Items
# --------------------------------------------------------------------------------------------------------------------


def items_of(s: Interpretation, value: Value) -> list[Value] | None:
    """The items of a tuple or list, None for anything else."""
    if isinstance(value, Items):
        return list(value.items)
    if not isinstance(value, SSAValue):
        return None
    if isinstance(value.type, obj.ListType):
        value = value.owner.items if isinstance(value.owner, obj.AsListOp) else s.add(obj.ListItemsOp(value)).result
    if not isinstance(value.type, TupleType):
        return objects.tuple_items(s, value)
    if isinstance(value.owner, obj.PackOp):
        return list(value.owner.items)
    return [s.add(obj.ExtractOp(value, k)).result for k in range(len(value.type.types.data))]


def is_list(value: Value) -> bool:
    """Whether a tuple or list is a list."""
    return (
        value.is_list
        if isinstance(value, Items)
        else isinstance(value, SSAValue) and isinstance(value.type, obj.ListType)
    )


def pack(s: Interpretation, items: Sequence[Value], *, as_list: bool) -> Value:
    """A tuple or list of values."""
    if len(items) > MAX_ITEMS:
        raise s.unsupported(
            f"a tuple or list of {len(items)} items is too long to be compiled", category=Category.CONTAINER
        )
    for item in items:
        if isinstance(item, Unbound | MaybeUnbound):
            raise s.unsupported(f"the variable '{item.variable}' may have no value here", category=Category.CONTAINER)
    if any(isinstance(item, Abstract) for item in items):
        return Items(tuple(items), as_list)
    whole = s.add(obj.PackOp([item for item in items if isinstance(item, SSAValue)])).result
    return s.add(obj.AsListOp(whole)).result if as_list else whole


def has_function(value: Value) -> bool:
    """Whether a value is a function, or a tuple or list with one in it."""
    return isinstance(value, FunctionValue) or (isinstance(value, Items) and any(map(has_function, value.items)))


def build(s: Interpretation, op: dyn.BuildTupleOp | dyn.BuildListOp) -> None:
    """`(a, b)` and `[a, b]`."""
    items = [value if isinstance(value := s.get(old), Abstract) else s.typed(old) for old in op.items]
    s.bind(op.result, pack(s, items, as_list=isinstance(op, dyn.BuildListOp)))


def unpack(s: Interpretation, op: dyn.UnpackOp) -> None:
    """`a, b = t` and `a, *b = t`."""
    value = s.get(op.operand)
    if not isinstance(value, Abstract):
        value = s.typed(op.operand)
    inner = objects.iterated(s, value)
    value = value if inner is None else inner
    items: list[Value] | None = objects.array_items(s, value)
    items = items_of(s, value) if items is None else items
    if isinstance(value, RangeValue):
        known = known_range(value)
        if known is None or len(known) > MAX_ITEMS:
            raise s.unsupported(
                "a range that is long, or whose bounds vary, is not unpacked", category=Category.CONTAINER
            )
        items = [*(s.box(s.constant(number, dyn.INT)) for number in known)]
    if items is None:
        _unpack_array(s, op, value)
        return
    targets = len(op.items)
    star = None if op.star is None else op.star.value.data
    if (star is None and len(items) != targets) or len(items) < targets - 1:
        raise s.unsupported(f"{len(items)} items cannot be unpacked into {targets}", category=Category.CONTAINER)
    if star is not None:
        rest = len(items) - (targets - 1)
        items[star : star + rest] = [pack(s, items[star : star + rest], as_list=True)]
    for old, item in zip(op.items, items, strict=True):
        s.bind(old, item)


def _unpack_array(s: Interpretation, op: dyn.UnpackOp, value: Value) -> None:
    """An array has as many items as there are targets, or Python raises ValueError."""
    if op.star is not None:
        raise s.unsupported("this is unpacked into a list whose length varies", category=Category.CONTAINER)
    view = views.view_of(value)
    if view is None:
        assert isinstance(value, SSAValue | Abstract)
        noun = value.noun if isinstance(value, Abstract) else describe(value.type)
        raise s.unsupported(f"{noun} cannot be unpacked", category=Category.CONTAINER)
    right = s.compare_ints("eq", views.length(s, view), len(op.items))
    s.require(right, GuardKind.DOMAIN, f"there are not {len(op.items)} items to unpack")
    for k, old in enumerate(op.items):
        s.bind(old, views.item(s, view, s.constant(k, dyn.INT).value))


# --------------------------------------------------------------------------------------------------------------------
# Subscripts
# --------------------------------------------------------------------------------------------------------------------


def make_slice(s: Interpretation, op: dyn.SliceOp) -> None:
    """`start:stop:step`; None is as good as a missing part."""
    parts: list[Number | None] = []
    for old in (op.start, op.stop, op.step):
        missing = old is None or isinstance(s.typed(old).type, dyn.NoneType)
        parts.append(None if old is None or missing else s.number(old))
    s.values[op.result] = SliceValue(*parts)


def getitem(s: Interpretation, op: dyn.GetItemOp) -> None:
    """`container[index]`."""
    container = s.get(op.container)
    if not isinstance(container, Abstract):
        container = s.typed(op.container)
    indices: list[Value] = [value if isinstance(value := s.get(old), Abstract) else s.typed(old) for old in op.indices]
    if objects.is_object(container):
        special = objects.apply_special(s, "getitem", container, [index_of(s, indices)])
        if special is not None:
            s.bind(op.result, special)
            return
    if isinstance(container, ObjectSequence | MixedSequence | References) and len(indices) == 1:
        position = views.checked_index(s, _index(s, indices[0]), object_sequences.length(s, container))
        s.bind(op.result, object_sequences.item(s, container, position))
        return
    if isinstance(container, windows.Window):
        s.bind(op.result, windows.getitem(s, container, indices))
        return
    items = items_of(s, container)
    view = views.view_of(container)
    if objects.array_items(s, container) is not None:
        s.bind(op.result, _part_of_array(s, container, indices))
    elif growing.is_growing(container) and len(indices) == 1:
        position = views.checked_index(s, _index(s, indices[0]), growing.length(s, container))
        s.bind(op.result, growing.item(s, container, position))
    elif items is not None:
        if len(indices) != 1:
            raise s.unsupported("a tuple or list has one index", category=Category.CONTAINER)
        s.bind(op.result, _item(s, items, indices[0], as_list=is_list(container)))
    elif view is not None:
        s.bind(op.result, views.getitem(s, view, views.index_values(s, view, indices)))
    elif isinstance(container, RangeValue) and len(indices) == 1:
        s.bind(op.result, _range_item(s, container, s.number(op.indices[0])))
    else:
        raise s.unsupported(
            "only captured arrays, tuples, lists and ranges can be indexed", category=Category.CONTAINER
        )


def _part_of_array(s: Interpretation, value: Value, indices: Sequence[Value]) -> Value:
    """A number, or an array of fewer dimensions, of a field of a record that is an array."""
    for index in indices:
        items = objects.array_items(s, value)
        number = s.unbox(index) if isinstance(index, SSAValue) and isinstance(index.type, obj.BoxedType) else None
        if items is None or number is None or not is_integer(number.source):
            raise s.unsupported("a field that is an array is indexed by integers", category=Category.CONTAINER)
        value = _item(s, items, index, as_list=False)
    return value


def index_of(s: Interpretation, indices: list[Value]) -> Value:
    """What `__getitem__` is given: the index, or a tuple of them."""
    return indices[0] if len(indices) == 1 else pack(s, indices, as_list=False)


def _item(s: Interpretation, items: list[Value], index: Value, *, as_list: bool) -> Value:
    if isinstance(index, SliceValue):
        parts = [None if part is None else views.slice_index(s, part).integer for part in _parts(index)]
        if any(part is not None and known is None for part, known in zip(_parts(index), parts, strict=True)):
            raise s.unsupported(
                "a tuple or list is sliced by numbers written in the source", category=Category.CONTAINER
            )
        bounds = slice(*parts)
        if bounds.step == 0:
            raise s.unsupported("a slice with step 0 raises ValueError", category=Category.CONTAINER)
        return pack(s, items[bounds], as_list=as_list)
    number = _index(s, index)
    if isinstance(number.constant, int):
        if not -len(items) <= number.constant < len(items):
            raise s.unsupported(
                f"index {number.constant} is outside a {_kind(as_list)} of {len(items)} items",
                category=Category.CONTAINER,
            )
        return items[number.constant]
    if not items:
        raise s.unsupported("there is no item to index", category=Category.CONTAINER)
    position = views.checked_index(s, number, s.constant(len(items), dyn.INT).value)
    return _chosen(s, items, position)


def _kind(as_list: bool) -> str:
    return "list" if as_list else "tuple"


def _parts(part: SliceValue) -> tuple[Number | None, ...]:
    return part.start, part.stop, part.step


def _index(s: Interpretation, index: Value) -> Number:
    if not isinstance(index, SSAValue) or not isinstance(index.type, obj.BoxedType):
        raise s.unsupported("an index must be an integer", category=Category.CONTAINER)
    number = s.unbox(index)
    if number.source == dyn.BOOL:
        return conversions.to_int(s, number) if number.integer is None else s.constant(number.integer, dyn.INT)
    return number


def _chosen(s: Interpretation, items: list[Value], position: SSAValue) -> Value:
    """The item at a position that is known when the kernel runs."""
    first = items[0]
    if all(isinstance(item, SSAValue) and isinstance(item.type, obj.BoxedType) for item in items):
        numbers = [s.unbox(item) for item in items if isinstance(item, SSAValue)]
        if len({number.source for number in numbers}) == 1:
            value = numbers[-1].value
            for k in reversed(range(len(numbers) - 1)):
                value = s.select(s.compare_ints("eq", position, k), numbers[k].value, value)
            return s.box(Number(value, numbers[0].source))
    if len(items) == 1:
        return first
    half = len(items) // 2
    (value,) = choose(
        s,
        s.compare_ints("slt", position, half),
        lambda: [_chosen(s, items[:half], position)],
        lambda: [_chosen(s, items[half:], s.add(arith.SubiOp(position, s.constant(half, dyn.INT).value)).result)],
    )
    return value


def _range_item(s: Interpretation, part: RangeValue, index: Number) -> Value:
    position = Number(views.checked_index(s, index, range_length(s, part)), dyn.INT)
    return range_item(s, part, position)


def set_item(s: Interpretation, op: dyn.SetItemOp) -> None:
    """`v[i] = x` on a list that nothing else can see."""
    container = s.get(op.container)
    if not isinstance(container, Abstract):
        container = s.typed(op.container)
    items = items_of(s, container)
    if not growing.is_growing(container) and (items is None or not is_list(container)):
        raise s.unsupported("only items of lists can be stored", category=Category.CONTAINER)
    new = s.get(op.value)
    if not isinstance(new, Abstract):
        new = s.typed(op.value)
    index = s.get(op.index)
    number = _index(s, index if isinstance(index, Abstract) else s.typed(op.index))
    if items is None:
        position = views.checked_index(s, number, growing.length(s, container))
        s.bind(op.result, growing.store(s, container, position, new))
        return
    if isinstance(number.constant, int):
        if not -len(items) <= number.constant < len(items):
            raise s.unsupported(
                f"index {number.constant} is outside a list of {len(items)} items", category=Category.CONTAINER
            )
        items[number.constant] = new
    else:
        position = views.checked_index(s, number, s.constant(len(items), dyn.INT).value)
        items = [_replaced(s, item, new, position, k) for k, item in enumerate(items)]
    s.bind(op.result, pack(s, items, as_list=True))


def append(s: Interpretation, op: dyn.AppendOp) -> None:
    """`v.append(x)` on a list that nothing else can see."""
    container, new = (v if isinstance(v := s.get(old), Abstract) else s.typed(old) for old in (op.container, op.value))
    items = items_of(s, container)
    if growing.is_growing(container):
        s.bind(op.result, growing.append(s, container, new))
    elif items is None or not is_list(container):
        raise s.unsupported("only lists can be appended to", category=Category.CONTAINER)
    else:
        s.bind(op.result, pack(s, [*items, new], as_list=True))


def _replaced(s: Interpretation, item: Value, new: Value, position: SSAValue, k: int) -> Value:
    here = s.compare_ints("eq", position, k)
    if isinstance(item, SSAValue) and isinstance(new, SSAValue):
        type_ = item.type
        if isinstance(type_, obj.BoxedType) and new.type == type_:
            value = s.select(here, s.unbox(new).value, s.unbox(item).value)
            return s.box(Number(value, type_.source))
    return choose(s, here, lambda: [new], lambda: [item])[0]


# --------------------------------------------------------------------------------------------------------------------
# Ranges
# --------------------------------------------------------------------------------------------------------------------


def known_range(part: RangeValue) -> range | None:
    """A range whose bounds are all known now."""
    numbers = [number.integer for number in (part.start, part.stop, part.step)]
    known = [number for number in numbers if number is not None]
    return range(*known) if len(known) == len(numbers) else None


def range_length(s: Interpretation, part: RangeValue) -> SSAValue:
    """How many numbers a range has when the kernel runs."""
    known = known_range(part)
    if known is not None:
        return s.constant(len(known), dyn.INT).value
    if part.step.constant == 1 and part.start.constant == 0:
        return s.add(arith.MaxSIOp(part.stop.value, part.start.value)).result
    return count(s, part.start, part.stop, part.step)


def range_item(s: Interpretation, part: RangeValue, index: Number) -> Value:
    """The number at a position of a range."""
    known = known_range(part)
    if known is not None and isinstance(index.constant, int):
        return s.box(s.constant(known[index.constant], dyn.INT))
    if part.step.constant == 1 and part.start.constant == 0:
        return s.box(Number(index.value, dyn.INT))
    offset = s.add(arith.MuliOp(index.value, part.step.value)).result
    return s.box(Number(s.add(arith.AddiOp(part.start.value, offset)).result, dyn.INT))

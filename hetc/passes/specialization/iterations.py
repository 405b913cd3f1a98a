"""What loops run over: how many items there are, and what each of them is.

Tuples and lists have a number of items that is known now: loops over them are unrolled, and so each item may have a
type of its own. Arrays, ranges and lists in the heap have as many items as the kernel finds: loops over them count. A
comprehension over few items is unrolled too, so that its list has a known length.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.dialects import dyn, guard
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import arithmetic, conversions
from hetc.passes.semantics.emitter import Number
from hetc.passes.specialization import growing, object_sequences, objects, sequences, views
from hetc.passes.specialization.branches import choose
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.loops import Range, run_counted
from hetc.passes.specialization.values import (
    Abstract,
    Iterator,
    MixedSequence,
    ObjectSequence,
    RangeValue,
    References,
    Value,
)

MAX_UNROLLED = 4096
"""Iterations that are unrolled in one module: nested loops multiply."""


@dataclass(frozen=True)
class Steps:
    """The items of an iterable.

    Their number is `count`, known now, or `limit`, found when the kernel runs; with both it is the smaller of them.
    `item` makes the item at an index; only if the steps are `uniform`, the index may be one that is not known now.
    """

    item: Callable[[Number], Value]
    count: int | None = None
    limit: SSAValue | None = None
    uniform: bool = True


def steps_of(s: Interpretation, value: Value) -> Steps:
    """What iteration over a value gives."""
    inner = objects.iterated(s, value)
    if inner is not None:
        return steps_of(s, inner)
    items = objects.array_items(s, value)
    items = sequences.items_of(s, value) if items is None else items
    if items is not None:
        return _steps_of_items(items)
    if growing.is_growing(value):
        return Steps(lambda index: growing.item(s, value, index.value), limit=growing.length(s, value))
    view = views.view_of(value)
    if view is not None:
        if not view.order:
            raise s.unsupported("a number cannot be iterated", category=Category.CONTAINER)
        return Steps(lambda index: views.item(s, view, index.value), limit=views.length(s, view))
    match value:
        case RangeValue():
            known = sequences.known_range(value)
            if known is not None:
                return Steps(lambda index: sequences.range_item(s, value, index), len(known))
            return Steps(lambda index: sequences.range_item(s, value, index), limit=sequences.range_length(s, value))
        case ObjectSequence() | MixedSequence() | References():
            limit = object_sequences.length(s, value)
            return Steps(lambda index: object_sequences.item(s, value, index.value), limit=limit)
        case Iterator(kind="zip"):
            return _zip(s, [steps_of(s, part) for part in value.parts])
        case Iterator(kind="enumerate"):
            return _enumerate(s, steps_of(s, value.parts[0]), value.start)
        case Iterator():
            return _reversed(s, steps_of(s, value.parts[0]))
        case Abstract():
            raise s.unsupported(f"{value.noun} cannot be iterated", category=Category.CONTAINER)
        case _:
            raise s.unsupported(
                "this cannot be iterated",
                hint="loop over a range, an array, a tuple or a list",
                category=Category.CONTAINER,
            )


def _steps_of_items(items: Sequence[Value]) -> Steps:
    def item(index: Number) -> Value:
        assert isinstance(index.constant, int)
        return items[index.constant]

    return Steps(item, len(items), uniform=False)


def _zip(s: Interpretation, parts: Sequence[Steps]) -> Steps:
    counts = [part.count for part in parts if part.count is not None]
    limits = [part.limit for part in parts if part.limit is not None]
    limit = limits[0] if limits else None
    for other in limits[1:]:
        assert limit is not None
        limit = s.add(arith.MinSIOp(limit, other)).result

    def item(index: Number) -> Value:
        return sequences.pack(s, [part.item(index) for part in parts], as_list=False)

    if not parts:
        return Steps(item, 0, uniform=False)
    return Steps(item, min(counts) if counts else None, limit, all(part.uniform for part in parts))


def _enumerate(s: Interpretation, part: Steps, start: Number | None) -> Steps:
    def item(index: Number) -> Value:
        number = index
        if start is not None:
            if isinstance(index.constant, int) and isinstance(start.constant, int):
                number = s.constant(index.constant + start.constant, dyn.INT)
            else:
                number = arithmetic.binary(s, "add", index, start)
        return sequences.pack(s, [s.box(number), part.item(index)], as_list=False)

    return Steps(item, part.count, part.limit, part.uniform)


def _reversed(s: Interpretation, part: Steps) -> Steps:
    def item(index: Number) -> Value:
        if part.count is not None and isinstance(index.constant, int):
            return part.item(s.constant(part.count - 1 - index.constant, dyn.INT))
        length = _length(s, part)
        last = s.add(arith.SubiOp(length, s.constant(1, dyn.INT).value)).result
        return part.item(Number(s.add(arith.SubiOp(last, index.value)).result, dyn.INT))

    return Steps(item, part.count, part.limit, part.uniform)


def _require_one_length(s: Interpretation, parts: Sequence[Steps]) -> None:
    """Go on only if all parts are equally long: at the end of the shortest, `zip(strict=True)` raises."""
    lengths = [_length(s, part) for part in parts]
    counts = {part.count for part in parts if part.count is not None}
    if len(counts) > 1:
        raise s.unsupported("zip(strict=True) raises ValueError: its arguments have different lengths")
    for one, other in itertools.pairwise(lengths):
        s.require(s.compare_ints("eq", one, other), GuardKind.VALUE, "zip(strict=True) of different lengths")


def iterator(s: Interpretation, op: dyn.BuiltinOp) -> Value:
    """`zip`, `enumerate` or `reversed`."""
    kind = op.function.data
    count = len(op.arguments)
    if (kind == "reversed" and count != 1) or (kind == "enumerate" and count not in (1, 2)):
        raise s.unsupported(f"{kind}() with {count} arguments is not compiled", category=Category.CONTAINER)
    iterables = op.arguments[:1] if kind == "enumerate" else op.arguments[: count - len(op.named)]
    parts = tuple(value if isinstance(value := s.get(old), Abstract) else s.typed(old) for old in iterables)
    if kind == "reversed" and isinstance(parts[0], Iterator):
        raise s.unsupported("an iterator cannot be reversed: Python raises TypeError", category=Category.CONTAINER)
    steps = [steps_of(s, part) for part in parts]  # Python raises TypeError here, not where the loop starts
    if op.named:
        _require_one_length(s, steps)
    start = conversions.to_index(s, s.number(op.arguments[1])) if kind == "enumerate" and count == 2 else None
    return Iterator(kind, parts, start)


def all_items(s: Interpretation, value: Value) -> list[Value]:
    """The items of an iterable whose length is known now."""
    steps = steps_of(s, value)
    if steps.count is None or steps.limit is not None:
        raise s.unsupported("the number of items varies, so they make no tuple or list", category=Category.CONTAINER)
    if steps.count > sequences.MAX_ITEMS:
        raise s.unsupported(f"{steps.count} items are too many to be compiled", category=Category.CONTAINER)
    return [steps.item(s.constant(k, dyn.INT)) for k in range(steps.count)]


def _length(s: Interpretation, steps: Steps) -> SSAValue:
    """The number of items when the kernel runs."""
    if steps.count is None:
        assert steps.limit is not None
        return steps.limit
    count = s.constant(steps.count, dyn.INT).value
    return count if steps.limit is None else s.add(arith.MinSIOp(steps.limit, count)).result


# --------------------------------------------------------------------------------------------------------------------
# Loops
# --------------------------------------------------------------------------------------------------------------------


def run_for_each(s: Interpretation, op: dyn.ForEachOp) -> None:
    """`dyn.for_each`: a loop that counts, or its iterations one after the other."""
    value = s.get(op.iterable)
    if not isinstance(value, Abstract):
        value = s.typed(op.iterable)
    steps = steps_of(s, value)
    short = steps.count is not None and steps.count <= sequences.MAX_ITEMS and steps.limit is None
    if steps.count is not None and ((op.unroll is not None and short) or not steps.uniform):
        if steps.count > sequences.MAX_ITEMS:
            raise s.unsupported(
                f"a loop over {steps.count} items is too long to be unrolled", category=Category.CONTAINER
            )
        results = _unrolled(s, op, steps, 0, [s.get(init) for init in op.inits])
        for old, result in zip(op.outputs, results, strict=True):
            s.bind(old, result)
        return
    if isinstance(value, RangeValue):
        run_counted(s, op, Range(s, value.start, value.stop, value.step), lambda i: s.box(Number(i, dyn.INT)))
        return
    bounds = Range(s, s.constant(0, dyn.INT), Number(_length(s, steps), dyn.INT), s.constant(1, dyn.INT))
    run_counted(s, op, bounds, lambda i: steps.item(Number(i, dyn.INT)))


def _unrolled(s: Interpretation, op: dyn.ForEachOp, steps: Steps, first: int, carried: list[Value]) -> list[Value]:
    """The iterations from the first on; where one may be the last, the rest is a path of its own."""
    assert steps.count is not None
    location = s.location
    for k in range(first, steps.count):
        s.location = location
        if steps.limit is not None:
            more = s.compare_ints("sgt", steps.limit, k)
            return choose(
                s, more, functools.partial(_iterate, s, op, steps, k, carried), functools.partial(list[Value], carried)
            )
        carried = _body(s, op, steps, k, carried)
        if op.early_exit is not None and not _goes_on(carried):
            return _go_on_unless(s, op, steps, k + 1, carried)
    return carried


def _iterate(s: Interpretation, op: dyn.ForEachOp, steps: Steps, k: int, carried: list[Value]) -> list[Value]:
    """Iteration k, which there is, and those after it."""
    carried = _body(s, op, steps, k, carried)
    if op.early_exit is None or _goes_on(carried):
        return _unrolled(s, op, steps, k + 1, carried)
    return _go_on_unless(s, op, steps, k + 1, carried)


def _go_on_unless(s: Interpretation, op: dyn.ForEachOp, steps: Steps, k: int, carried: list[Value]) -> list[Value]:
    """Stop if the last iteration said so."""
    if guard.is_true(_flag(carried)):
        return carried
    s.location = op.location
    return choose(s, _flag(carried), lambda: carried, lambda: _unrolled(s, op, steps, k, carried))


def _flag(carried: Sequence[Value]) -> SSAValue:
    flag = carried[-1]
    assert isinstance(flag, SSAValue)
    assert flag.type == i1
    return flag


def _goes_on(carried: Sequence[Value]) -> bool:
    return guard.is_false(_flag(carried))


def _body(s: Interpretation, op: dyn.ForEachOp, steps: Steps, k: int, carried: Sequence[Value]) -> list[Value]:
    """One iteration."""
    s.unrolled += 1
    if s.unrolled > MAX_UNROLLED:
        raise s.unsupported(
            "the loops over tuples and lists are too long to be unrolled",
            hint="loop over an array",
            category=Category.CONTAINER,
        )
    block = op.body.block
    s.bind(block.args[0], steps.item(s.constant(k, dyn.INT)))
    for old, value in zip(block.args[1:], carried, strict=True):
        s.bind(old, value)
    s.run_block(block)
    terminator = block.last_op
    assert isinstance(terminator, dyn.YieldOp)
    return [s.get(value) for value in terminator.values]

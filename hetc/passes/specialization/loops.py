"""Loops: interpreted again until the types of what they carry are stable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Operation, Region, SSAValue

from hetc.abi import INT64_MAX
from hetc.diagnostics import Category
from hetc.dialects import dyn
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import arithmetic, conversions
from hetc.passes.semantics.emitter import Number
from hetc.passes.specialization.branches import materialize
from hetc.passes.specialization.carried import Carried
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.values import Value

MAX_ROUNDS = 12


def run_while(s: Interpretation, op: scf.WhileOp) -> None:
    """`scf.while`, as the frontend makes it: the condition passes on all that the loop carries."""
    before, after = op.before_region.block, op.after_region.block
    carried = Carried(s, op.arguments, [before.args, after.args])
    terminator = after.last_op
    assert terminator is not None
    for _ in range(MAX_ROUNDS):
        types = carried.kept_types()
        entered = bool(carried.weak)
        types += [i1] if entered else []
        new_before, new_after = Block(arg_types=types), Block(arg_types=types)
        with s.inside(new_before):
            carried.bind_arguments(before.args, new_before.args[: len(carried.kept)])
            s.run_block(before)
            condition_op = before.last_op
            assert isinstance(condition_op, scf.ConditionOp)
            s.location = condition_op.location
            s.add(scf.ConditionOp(s.typed(condition_op.condition), *new_before.args))
        with s.inside(new_after):
            carried.bind_arguments(after.args, new_after.args[: len(carried.kept)])
            yields = _run_body(s, after)
            s.location = op.location
            if carried.widen(yields) and not carried.give_up_weak(terminator.operands):
                extra = [s.flag(True)] if entered else []
                s.add(scf.YieldOp(*_yielded(s, carried, yields), *extra))
                break
    else:
        raise s.unsupported("the types of this loop's variables do not settle", category=Category.TYPES)
    starts = carried.start_values() + ([s.flag(False)] if entered else [])
    loop = s.add(scf.WhileOp(starts, types, Region(new_before), Region(new_after)))
    if entered and not s.single:
        s.require(loop.res[-1], GuardKind.TYPE, "the loop runs at least once")
    known = None if not entered or not s.single else loop.res[-1]
    carried.bind_results(op.results, loop.res[: len(carried.kept)], yields, entered=known)


def _run_body(s: Interpretation, block: Block) -> list[Value]:
    s.run_block(block)
    terminator = block.last_op
    assert isinstance(terminator, scf.YieldOp | dyn.YieldOp)
    return [s.get(value) for value in terminator.operands]


def _yielded(s: Interpretation, carried: Carried, yields: Sequence[Value]) -> list[SSAValue]:
    values: list[SSAValue] = []
    for k in carried.kept:
        type_ = carried.types[k]
        assert type_ is not None
        values.append(materialize(s, yields[k], type_))
    return values


class Range:
    """The bounds of a `range`, and how an iteration number becomes the loop variable."""

    def __init__(self, s: Interpretation, start: Number, stop: Number, step: Number) -> None:
        self.s = s
        self.start, self.step = start, step
        if isinstance(step.constant, int) and step.constant == 0:
            raise s.unsupported("range() with step 0 raises ValueError")
        self.plain = isinstance(step.constant, int) and step.constant > 0
        ends = start.constant, stop.constant, step.constant
        self.never_runs = all(isinstance(end, int) for end in ends) and not range(*cast("tuple[int, int, int]", ends))
        if self.plain:
            self.low, self.high, self.stride = start.value, stop.value, step.value
            self._require_room(stop, step)
            self.runs = lambda: s.compare_ints("slt", start.value, stop.value)
            return
        self.low, self.stride = s.constant(0, dyn.INT).value, s.constant(1, dyn.INT).value
        self.high = count(s, start, stop, step)
        self.runs = lambda: s.compare_ints("sgt", self.high, 0)

    def _require_room(self, stop: Number, step: Number) -> None:
        """The loop's counter goes past the end by less than a step, and must not overflow there."""
        assert isinstance(step.constant, int)
        if step.constant > 1:
            last = INT64_MAX - (step.constant - 1)
            self.s.require_between(stop, -INT64_MAX - 1, last, GuardKind.OVERFLOW, "the range ends too near to 2**63")

    def variable(self, iteration: SSAValue) -> SSAValue:
        """The loop variable of an iteration."""
        if self.plain:
            return iteration
        offset = self.s.add(arith.MuliOp(iteration, self.step.value)).result
        return self.s.add(arith.AddiOp(self.start.value, offset)).result


def count(s: Interpretation, start: Number, stop: Number, step: Number) -> SSAValue:
    """max(0, ceil((stop - start) / step)) for a step that counts down or is not known."""
    s.require(s.compare_ints("ne", step.value, 0), GuardKind.DOMAIN, "range() with step 0 raises ValueError")
    down = s.compare_ints("slt", step.value, 0)
    low, high = s.select(down, stop.value, start.value), s.select(down, start.value, stop.value)
    zero, one = s.constant(0, dyn.INT), s.constant(1, dyn.INT).value
    # Checked as Python's own arithmetic is: a range may be longer than the largest integer.
    size = s.select(down, arithmetic.binary(s, "sub", zero, step).value, step.value)
    span = arithmetic.binary(s, "sub", Number(high, dyn.INT), Number(low, dyn.INT)).value
    short = s.compare_ints("sge", low, high)
    steps = s.add(arith.DivSIOp(s.add(arith.SubiOp(span, one)).result, size)).result
    return s.select(short, zero.value, s.add(arith.AddiOp(steps, one)).result)


def run_for(s: Interpretation, op: dyn.ForRangeOp) -> None:
    """`dyn.for_range`."""
    start, stop, step = (conversions.to_index(s, s.number(value)) for value in (op.start, op.stop, op.step))
    bounds = Range(s, start, stop, step)
    run_counted(s, op, bounds, lambda variable: s.box(Number(variable, dyn.INT)))


def run_counted(
    s: Interpretation, op: dyn.ForRangeOp | dyn.ForEachOp, bounds: Range, item: Callable[[SSAValue], Value]
) -> None:
    """A loop that counts: `scf.for`, or `scf.while` with a counter if it may be left early.

    `item` makes what the loop's variable is out of the counter. A variable that has no value before the loop, and is
    read after it, has one if the loop runs at all: that is guarded, and where it does not, Python raises.
    """
    body = op.body.block
    carried = Carried(s, op.inits, [body.args[1:]])
    terminator = body.last_op
    assert terminator is not None
    for _ in range(MAX_ROUNDS):
        block = Block(arg_types=[bounds.low.type, *carried.kept_types()])
        with s.inside(block):
            variable = bounds.variable(block.args[0])
            s.bind(body.args[0], item(variable))
            if body.args[0].name_hint is not None:
                block.args[0].name_hint = body.args[0].name_hint
            carried.bind_arguments(body.args[1:], block.args[1:])
            yields = _run_body(s, body)
            s.location = op.location
            if carried.widen(yields) and not carried.give_up_weak(terminator.operands):
                yielded = _yielded(s, carried, yields)
                break
    else:
        raise s.unsupported("the types of this loop's variables do not settle", category=Category.TYPES)
    read_after = set[int]() if bounds.never_runs else carried.unbound([bool(result.uses) for result in op.results])
    entered = None
    if read_after or (carried.weak and not s.single):
        s.require(bounds.runs(), GuardKind.TYPE, "the loop runs at least once")
    elif carried.weak:
        entered = bounds.runs()
    starts = carried.start_values()
    loop: Operation
    if op.early_exit is None:
        with s.inside(block):
            s.add(scf.YieldOp(*yielded))
        loop = s.add(scf.ForOp(bounds.low, bounds.high, bounds.stride, starts, Region(block)))
        results = list(loop.results)
    else:
        results = _leave_early(s, bounds, starts, block, yielded)
    carried.bind_results(op.results, results, yields, replaced=read_after, entered=entered)


def _leave_early(
    s: Interpretation, bounds: Range, starts: Sequence[SSAValue], body: Block, yielded: Sequence[SSAValue]
) -> list[SSAValue]:
    """A counted loop that ends when the last carried value, an `i1`, is true."""
    types = [bounds.low.type, *(value.type for value in starts)]
    before = Block(arg_types=types)
    with s.inside(before):
        more = s.compare_ints("slt", before.args[0], bounds.high)
        going = s.negate(before.args[-1])
        s.add(scf.ConditionOp(s.both(going, more), *before.args))
    with s.inside(body):
        following = s.add(arith.AddiOp(body.args[0], bounds.stride)).result
        s.add(scf.YieldOp(following, *yielded))
    loop = s.add(scf.WhileOp([bounds.low, *starts], types, Region(before), Region(body)))
    return list(loop.res[1:])

"""Branches and loops: types meet at joins, and a loop is interpreted until the types it carries are stable.

A loop-carried variable may start as a Python number and become something else (`total = 0`, then `total += x[i]` with
floats). If every use of the starting value mixes it with a number that absorbs it without rounding, the loop may as
well start from the converted number (*weak start*); that the loop runs at all is then guarded, because a loop that runs
zero times leaves the Python number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from hetc.analysis.source_types import is_float, is_integer, is_python
from hetc.dialects import dyn, obj
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import conversions
from hetc.passes.semantics.emitter import Number
from hetc.passes.specialization.values import MaybeUnbound, Unbound, Value, describe

if TYPE_CHECKING:
    from hetc.passes.specialization.interpreter import Interpreter

MAX_ROUNDS = 4


# --------------------------------------------------------------------------------------------------------------------
# Branches
# --------------------------------------------------------------------------------------------------------------------


def run_if(s: Interpreter, op: scf.IfOp) -> None:
    """`scf.if`: interpret both branches; each result has the type that both agree on."""
    condition = s.typed(op.cond)
    blocks: list[Block] = []
    yields: list[list[Value]] = []
    for region in (op.true_region, op.false_region):
        with s.inside(Block()) as block:
            s.run_block(region.block)
            terminator = region.block.last_op
            assert isinstance(terminator, scf.YieldOp)
            yields.append([s.get(value) for value in terminator.arguments])
        blocks.append(block)
    s.location = op.location
    joined = [join(s, then, other) for then, other in zip(*yields, strict=True)]
    types = [value for value in joined if isinstance(value, Attribute)]
    for block, values in zip(blocks, yields, strict=True):
        with s.inside(block):
            kept = [(v, t) for v, t in zip(values, joined, strict=True) if isinstance(t, Attribute)]
            s.add(scf.YieldOp(*(materialize(s, value, type_) for value, type_ in kept)))
    results = iter(s.add(scf.IfOp(condition, types, *(Region(block) for block in blocks))).results)
    for old, target, then, other in zip(op.results, joined, *yields, strict=True):
        if isinstance(target, Attribute):
            bind_joined(s, old, next(results), [then, other])
        else:
            s.values[old] = target


def join(s: Interpreter, left: Value, right: Value) -> Attribute | Value:
    """The type of a value that is `left` on one path and `right` on the other, or the value that both are."""
    if left == right and not isinstance(left, SSAValue | MaybeUnbound):
        return left
    types = [type_of(value) for value in (left, right)]
    found = [type_ for type_ in types if type_ is not None]
    if not found:
        return Unbound(next((v.variable for v in (left, right) if isinstance(v, Unbound) and v.variable), ""))
    if len(found) == 2 and found[0] != found[1]:
        raise s.unsupported(
            f"this is {describe(found[0])} on one path and {describe(found[1])} on the other",
            hint="give both paths the same type, for example with float(...) or numpy.float32(...)",
        )
    return found[0]


def type_of(value: Value) -> Attribute | None:
    """The type of a value, None if it is unbound. An array is not a value that can change."""
    match value:
        case SSAValue():
            return value.type
        case MaybeUnbound(inner, _):
            return inner.type
        case _:
            return None


def materialize(s: Interpreter, value: Value, type_: Attribute) -> SSAValue:
    """A value at the end of a path, as SSA of the joined type."""
    match value:
        case SSAValue():
            return value
        case MaybeUnbound(inner, _):
            return inner
        case Unbound():
            return s.poison(type_)
        case _:
            raise s.unsupported("an array cannot be chosen by a branch", hint="choose between its numbers")


def bind_joined(s: Interpreter, old: SSAValue, new: SSAValue, paths: Sequence[Value]) -> None:
    """The result of a join; it may be unbound if it is on some path."""
    names = [v.variable for v in paths if isinstance(v, Unbound | MaybeUnbound) and v.variable]
    s.bind(old, new)
    if names:
        s.values[old] = MaybeUnbound(new, names[0])


# --------------------------------------------------------------------------------------------------------------------
# What a loop carries
# --------------------------------------------------------------------------------------------------------------------


class Carried:
    """The loop-carried values of one loop: their types, found by repeated interpretation."""

    def __init__(self, s: Interpreter, inits: Sequence[SSAValue], heads: Sequence[Sequence[SSAValue]]) -> None:
        self.s = s
        self.inits: list[Value] = [s.get(value) for value in inits]
        self.heads = heads  # old values that stand for each carried value, in each region
        self.types: list[Attribute | None] = [type_of(value) for value in self.inits]
        self.weak: set[int] = set()

    @property
    def kept(self) -> list[int]:
        """The carried values that exist on the device (not those that are unbound on all paths so far)."""
        return [k for k, type_ in enumerate(self.types) if type_ is not None]

    def kept_types(self) -> list[Attribute]:
        """Their types."""
        return [type_ for type_ in self.types if type_ is not None]

    def bind_arguments(self, old: Sequence[SSAValue], new: Sequence[BlockArgument]) -> None:
        """At the head of a region: what each carried value is."""
        arguments = iter(new)
        for k, (value, type_) in enumerate(zip(old, self.types, strict=True)):
            if type_ is None:
                self.s.values[value] = self.inits[k]
            else:
                bind_joined(self.s, value, next(arguments), [self.inits[k]])

    def widen(self, yields: Sequence[Value]) -> bool:
        """Meet the types that one iteration yields; True if they were stable."""
        stable = True
        for k, value in enumerate(yields):
            type_ = type_of(value)
            if type_ is None or type_ == self.types[k]:
                continue
            if self.types[k] is not None:
                self._start_weakly(k, type_)
            self.types[k] = type_
            stable = False
        return stable

    def _start_weakly(self, k: int, type_: Attribute) -> None:
        init = self.inits[k]
        start = self.types[k]
        assert start is not None
        ok = k not in self.weak and isinstance(init, SSAValue) and weak_constant(self.s, init, type_) is not None
        if not ok:
            raise self.s.unsupported(
                f"a variable that starts as {describe(start)} becomes {describe(type_)} in the loop",
                hint=f"start it as {_start_hint(type_)}",
            )
        self.weak.add(k)

    def start_values(self) -> list[SSAValue]:
        """The initial values in the types that the loop carries."""
        values: list[SSAValue] = []
        for k in self.kept:
            init, type_ = self.inits[k], self.types[k]
            assert type_ is not None
            if k in self.weak:
                assert isinstance(init, SSAValue) and isinstance(type_, obj.BoxedType)
                number = weak_constant(self.s, init, type_)
                assert number is not None
                values.append(self.s.box(self.s.constant(number, type_.source)))
            else:
                values.append(materialize(self.s, init, type_))
        return values

    def check_weak(self, yielded: Sequence[SSAValue]) -> None:
        """Each weak start must be absorbed wherever it is used, and replaced by the first iteration."""
        for k in self.weak:
            tainted = absorbed_uses(self.s, [head[k] for head in self.heads], self.types[k])
            if tainted is None or yielded[k] in tainted:
                assert isinstance(self.types[k], obj.BoxedType)
                raise self.s.unsupported(
                    "the number that a loop variable starts with may outlive the first iteration",
                    hint=f"start it as {_start_hint(self.types[k])}",
                )

    def bind_results(self, old: Sequence[SSAValue], new: Sequence[SSAValue], yields: Sequence[Value]) -> None:
        """After the loop: zero iterations leave the initial value."""
        results = iter(new)
        for k, value in enumerate(old):
            if self.types[k] is None:
                self.s.values[value] = self.inits[k]
            else:
                bind_joined(self.s, value, next(results), [self.inits[k], yields[k]])


def _start_hint(type_: Attribute | None) -> str:
    assert type_ is not None
    name = describe(type_)
    return f"{name}(...)" if isinstance(type_, obj.BoxedType) else name


def weak_constant(s: Interpreter, init: SSAValue, type_: Attribute) -> int | float | None:
    """The Python number that `init` is, if a number of `type_` absorbs it without rounding."""
    if not isinstance(init.type, obj.BoxedType) or not isinstance(type_, obj.BoxedType):
        return None
    if not is_python(init.type.source) or init.type.source == dyn.BOOL or not isinstance(init.owner, obj.BoxOp):
        return None
    constant = init.owner.payload.owner
    if not isinstance(constant, arith.ConstantOp):
        return None
    value = constant.value.value.data  # pyright: ignore[reportAttributeAccessIssue]
    if is_float(type_.source) and is_exact(value, type_.source):
        return value
    if is_integer(type_.source) and isinstance(value, int):
        low, high = conversions.integer_limits(type_.source)
        return value if low <= value <= high else None
    return None


def is_exact(value: int | float, source: Attribute) -> bool:
    """Whether a Python number converts to a float type without rounding."""
    if obj.payload(source) == obj.payload(dyn.FLOAT):
        return float(value) == value
    return abs(value) <= 2**24 and float(value).is_integer() and float(value) == value


def absorbed_uses(s: Interpreter, values: Sequence[SSAValue], type_: Attribute | None) -> set[SSAValue] | None:
    """Follow a starting value through a loop body. None if some use would tell it from the converted number.

    Allowed are arithmetic and comparisons with a number of the target type, and passing it on unchanged through a
    branch. The result holds all old values that may still be the starting value.
    """
    tainted: set[SSAValue] = set()
    work = list(values)
    while work:
        value = work.pop()
        if value in tainted:
            continue
        tainted.add(value)
        for use in value.uses:
            op = use.operation
            if isinstance(op, dyn.BinaryOp | dyn.CompareOp):
                other = op.right if use.index == 0 else op.left
                absorbs = isinstance(op, dyn.CompareOp) or op.operator.data in ("add", "sub", "mul", "truediv")
                if not absorbs or other in tainted or type_of(s.values.get(other, Unbound(""))) != type_:
                    return None
            elif isinstance(op, scf.YieldOp) and isinstance(parent := op.parent_op(), scf.IfOp):
                work.append(parent.results[use.index])
            elif not isinstance(op, scf.YieldOp | dyn.YieldOp | scf.ConditionOp):
                return None
    return tainted


# --------------------------------------------------------------------------------------------------------------------
# Loops
# --------------------------------------------------------------------------------------------------------------------


def run_while(s: Interpreter, op: scf.WhileOp) -> None:
    """`scf.while`, as the frontend makes it: the condition passes on all that the loop carries."""
    before, after = op.before_region.block, op.after_region.block
    carried = Carried(s, op.arguments, [before.args, after.args])
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
            if carried.widen(yields):
                extra = [s.flag(True)] if entered else []
                s.add(scf.YieldOp(*_yielded(s, carried, yields), *extra))
                break
    else:
        raise s.unsupported("the types of this loop's variables do not settle")
    terminator = after.last_op
    assert terminator is not None
    carried.check_weak(terminator.operands)
    starts = carried.start_values() + ([s.flag(False)] if entered else [])
    loop = s.add(scf.WhileOp(starts, types, Region(new_before), Region(new_after)))
    if entered:
        s.require(loop.res[-1], GuardKind.TYPE, "the loop runs at least once")
    carried.bind_results(op.results, loop.res[: len(carried.kept)], yields)


def _run_body(s: Interpreter, block: Block) -> list[Value]:
    s.run_block(block)
    terminator = block.last_op
    assert isinstance(terminator, scf.YieldOp | dyn.YieldOp)
    return [s.get(value) for value in terminator.operands]


def _yielded(s: Interpreter, carried: Carried, yields: Sequence[Value]) -> list[SSAValue]:
    values: list[SSAValue] = []
    for k in carried.kept:
        type_ = carried.types[k]
        assert type_ is not None
        values.append(materialize(s, yields[k], type_))
    return values


class Range:
    """The bounds of a `range`, and how an iteration number becomes the loop variable."""

    def __init__(self, s: Interpreter, op: dyn.ForRangeOp) -> None:
        self.s = s
        start, stop, step = (conversions.to_index(s, s.number(v)) for v in (op.start, op.stop, op.step))
        self.start, self.step = start, step
        if isinstance(step.constant, int) and step.constant == 0:
            raise s.unsupported("range() with step 0 raises ValueError")
        self.plain = isinstance(step.constant, int) and step.constant > 0
        if self.plain:
            self.low, self.high, self.stride = start.value, stop.value, step.value
            self.runs = lambda: s.compare_ints("slt", start.value, stop.value)
            return
        self.low, self.stride = s.constant(0, dyn.INT).value, s.constant(1, dyn.INT).value
        self.high = self._count(start, stop, step)
        self.runs = lambda: s.compare_ints("sgt", self.high, 0)

    def _count(self, start: Number, stop: Number, step: Number) -> SSAValue:
        """max(0, ceil((stop - start) / step)) for a step that counts down or is not known."""
        s = self.s
        s.require(s.compare_ints("ne", step.value, 0), GuardKind.DOMAIN, "range() with step 0 raises ValueError")
        down = s.compare_ints("slt", step.value, 0)
        low, high = s.select(down, stop.value, start.value), s.select(down, start.value, stop.value)
        zero, one = s.constant(0, dyn.INT).value, s.constant(1, dyn.INT).value
        size = s.select(down, s.add(arith.SubiOp(zero, step.value)).result, step.value)
        span = s.add(arith.SubiOp(high, low)).result
        short = s.compare_ints("sge", low, high)
        rounded = s.add(arith.SubiOp(s.add(arith.AddiOp(span, size)).result, one)).result
        return s.select(short, zero, s.add(arith.DivSIOp(rounded, size)).result)

    def variable(self, iteration: SSAValue) -> SSAValue:
        """The loop variable of an iteration."""
        if self.plain:
            return iteration
        offset = self.s.add(arith.MuliOp(iteration, self.step.value)).result
        return self.s.add(arith.AddiOp(self.start.value, offset)).result


def run_for(s: Interpreter, op: dyn.ForRangeOp) -> None:
    """`dyn.for_range`: `scf.for`, or `scf.while` with a counter if the loop may be left early."""
    bounds = Range(s, op)
    body = op.body.block
    carried = Carried(s, op.inits, [body.args[1:]])
    for _ in range(MAX_ROUNDS):
        block = Block(arg_types=[bounds.low.type, *carried.kept_types()])
        with s.inside(block):
            variable = bounds.variable(block.args[0])
            s.bind(body.args[0], s.box(Number(variable, dyn.INT)))
            if body.args[0].name_hint is not None:
                block.args[0].name_hint = body.args[0].name_hint
            carried.bind_arguments(body.args[1:], block.args[1:])
            yields = _run_body(s, body)
            s.location = op.location
            if carried.widen(yields):
                yielded = _yielded(s, carried, yields)
                break
    else:
        raise s.unsupported("the types of this loop's variables do not settle")
    terminator = body.last_op
    assert terminator is not None
    carried.check_weak(terminator.operands)
    if carried.weak:
        s.require(bounds.runs(), GuardKind.TYPE, "the loop runs at least once")
    starts = carried.start_values()
    loop: Operation
    if op.early_exit is None:
        with s.inside(block):
            s.add(scf.YieldOp(*yielded))
        loop = s.add(scf.ForOp(bounds.low, bounds.high, bounds.stride, starts, Region(block)))
        results = list(loop.results)
    else:
        results = _leave_early(s, bounds, starts, block, yielded)
    carried.bind_results(op.results, results, yields)


def _leave_early(
    s: Interpreter, bounds: Range, starts: Sequence[SSAValue], body: Block, yielded: Sequence[SSAValue]
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

"""Integer range analysis: which interval each integer lies in, and which lengths an index is below.

Abstract interpretation over structured control flow (Cousot and Cousot, POPL 1977, intervals with widening): a branch
knows its condition, what follows a guard knows the guard, a loop is interpreted until what it carries is stable. Beside
an interval a value may be known to be *below* another value, such as the length of an array, which is what removing
bounds guards needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from hetc.analysis.intervals import Interval
from hetc.dialects import guard, skel

Root = SSAValue | tuple[str, int]
"""What stands for a value in "below" facts: the value itself without facts, or a numbered dimension."""

MAX_ROUNDS = 6
_NEGATED = {0: 1, 1: 0, 2: 5, 3: 4, 4: 3, 5: 2}  # eq ne slt sle sgt sge
_SWAPPED = {0: 0, 1: 1, 2: 4, 3: 5, 4: 2, 5: 3}


class Ranges:
    """The ranges of all integers below an op, and the truth values that follow from them."""

    def __init__(self, root: Operation) -> None:
        self.intervals: dict[SSAValue, Interval] = {}
        self.below: dict[SSAValue, frozenset[Root]] = {}
        self.refined: list[dict[SSAValue, Interval]] = [{}]
        self.refined_below: list[dict[SSAValue, frozenset[Root]]] = [{}]
        self.decided: dict[Operation, bool] = {}
        for region in root.regions:
            for block in region.blocks:
                self._block(block)

    # ---------------------------------------------------------------------------------------------------------------
    # Facts
    # ---------------------------------------------------------------------------------------------------------------

    def get(self, value: SSAValue) -> Interval:
        """The interval of a value, here."""
        interval = self.intervals.get(value)
        if interval is None:
            interval = whole(value.type)
        for frame in self.refined:
            if value in frame:
                interval = interval.meet(frame[value])
        return interval

    def is_below(self, value: SSAValue, bound: SSAValue) -> bool:
        """Whether `value < bound` is known, here."""
        if self.get(value).high < self.get(bound).low:
            return True
        return root_of(bound) in self.known_below(value)

    def known_below(self, value: SSAValue) -> frozenset[Root]:
        known = self.below.get(value, frozenset())
        for frame in self.refined_below:
            known |= frame.get(value, frozenset())
        return known

    def set(self, value: SSAValue, interval: Interval | None, below: frozenset[Root] = frozenset()) -> None:
        """Record what is known of a new value; an interval beyond the type's means that it may wrap."""
        limit = whole(value.type)
        self.intervals[value] = interval if interval is not None and interval in limit else limit
        self.below[value] = below

    @contextmanager
    def frame(self) -> Iterator[None]:
        self.refined.append({})
        self.refined_below.append({})
        yield
        self.refined.pop()
        self.refined_below.pop()

    def assume(self, condition: SSAValue, holds: bool) -> None:
        """From here on in this block the condition is known."""
        for comparison, truth in implied(condition, holds):
            predicate = comparison.predicate.value.data
            if predicate > 5:
                continue
            predicate = predicate if truth else _NEGATED[predicate]
            self._refine(comparison.lhs, predicate, comparison.rhs)
            self._refine(comparison.rhs, _SWAPPED[predicate], comparison.lhs)

    def _refine(self, value: SSAValue, predicate: int, other: SSAValue) -> None:
        mine, theirs, limit = self.get(value), self.get(other), whole(value.type)
        match predicate:
            case 0:
                known = theirs
            case 2:
                known = Interval(limit.low, max(theirs.high - 1, limit.low))
                frame = self.refined_below[-1]
                frame[value] = frame.get(value, frozenset()) | {root_of(other)}
            case 3:
                known = Interval(limit.low, theirs.high)
            case 4:
                known = Interval(min(theirs.low + 1, limit.high), limit.high)
            case 5:
                known = Interval(theirs.low, limit.high)
            case _:
                known = mine
        self.refined[-1][value] = mine.meet(known)

    # ---------------------------------------------------------------------------------------------------------------
    # Ops
    # ---------------------------------------------------------------------------------------------------------------

    def _block(self, block: Block) -> None:
        for op in block.ops:
            transfer = _TRANSFERS.get(type(op))
            if transfer is not None:
                transfer(self, op)
            else:
                for region in op.regions:
                    for inner in region.blocks:
                        with self.frame():
                            self._block(inner)

    def run_if(self, op: scf.IfOp) -> None:
        ends: list[list[Interval]] = []
        for region, holds in ((op.true_region, True), (op.false_region, False)):
            if not region.blocks:
                continue
            with self.frame():
                self.assume(op.cond, holds)
                self._block(region.block)
                terminator = region.block.last_op
                ends.append([self.get(v) for v in terminator.operands] if terminator is not None else [])
        for result, *intervals in zip(op.results, *ends, strict=True):
            joined = intervals[0]
            for interval in intervals[1:]:
                joined = joined.join(interval)
            self.set(result, joined)

    def run_for(self, op: scf.ForOp) -> None:
        variable, *carried = op.body.block.args
        low, high = self.get(op.lb), self.get(op.ub)
        positive = self.get(op.step).low >= 1
        interval = Interval(low.low, max(high.high - 1, low.low)) if positive else None
        below = frozenset({root_of(op.ub)}) if positive else frozenset[Root]()

        def body(intervals: Sequence[Interval]) -> list[Interval]:
            with self.frame():
                self.set(variable, interval, below)
                for argument, known in zip(carried, intervals, strict=True):
                    self.set(argument, known)
                self._block(op.body.block)
                terminator = op.body.block.last_op
                return [self.get(v) for v in terminator.operands] if terminator is not None else []

        self._loop(op, op.iter_args, body)

    def run_while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block

        def body(intervals: Sequence[Interval]) -> list[Interval]:
            with self.frame():
                for argument, known in zip(before.args, intervals, strict=True):
                    self.set(argument, known)
                self._block(before)
                condition = before.last_op
                assert isinstance(condition, scf.ConditionOp)
                with self.frame():
                    self.assume(condition.condition, True)
                    for argument, passed in zip(after.args, condition.args, strict=True):
                        self.set(argument, self.get(passed), self.known_below(passed))
                    self._block(after)
                    terminator = after.last_op
                    return [self.get(v) for v in terminator.operands] if terminator is not None else []

        self._loop(op, op.arguments, body, lambda: self._passed(before))

    def _passed(self, before: Block) -> list[Interval]:
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        return [self.get(value) for value in condition.args]

    def _loop(
        self,
        op: Operation,
        inits: Sequence[SSAValue],
        body: Callable[[Sequence[Interval]], list[Interval]],
        results: Callable[[], list[Interval]] | None = None,
    ) -> None:
        """Interpret a loop until all that it carries is stable.

        If that takes too long, each carried value is anything of its type, which no further round can exceed: the last
        round is always a stable one, so that what it decides holds in every iteration.
        """
        limits = [whole(value.type) for value in inits]
        carried = [self.get(value) for value in inits]
        for round_ in range(1, MAX_ROUNDS + 1):
            ends = body(carried)
            if all(end in known for end, known in zip(ends, carried, strict=True)):
                break
            if round_ == MAX_ROUNDS - 1:
                carried = limits
            else:
                carried = [
                    known if end in known else known.widened(end, limit)
                    for end, known, limit in zip(ends, carried, limits, strict=True)
                ]
        for result, interval in zip(op.results, results() if results else carried, strict=True):
            self.set(result, interval)

    def decide(self, op: Operation, answer: bool | None) -> None:
        """Record a truth value that the ranges imply, or that they no longer do."""
        if answer is None:
            self.decided.pop(op, None)
            self.set(op.results[0], None)
        else:
            self.decided[op] = answer
            self.set(op.results[0], Interval(int(answer), int(answer)))


def whole(type_: Attribute) -> Interval:
    """All values of a type."""
    return Interval.of_width(type_.width.data if isinstance(type_, IntegerType) else 64)


def root_of(value: SSAValue) -> Root:
    """A value without the facts about it; the lengths of one dimension are one value."""
    while isinstance(fact := value.owner, guard.FactOp):
        value = fact.operand
    if isinstance(size := value.owner, skel.SizeOp):
        return ("size", size.dim.value.data)
    return value


def implied(condition: SSAValue, holds: bool) -> Iterator[tuple[arith.CmpiOp, bool]]:
    """The comparisons whose truth follows from that of a condition."""
    op = condition.owner
    if isinstance(op, arith.CmpiOp):
        yield op, holds
    elif (isinstance(op, arith.AndIOp) and holds) or (isinstance(op, arith.OrIOp) and not holds):
        yield from implied(op.lhs, holds)
        yield from implied(op.rhs, holds)
    elif isinstance(op, arith.XOrIOp) and guard.is_true(op.rhs):
        yield from implied(op.lhs, not holds)
    elif isinstance(op, scf.IfOp) and holds and (second := _conjunct(op, condition)) is not None:
        yield from implied(op.cond, True)
        yield from implied(second, True)


def _conjunct(op: scf.IfOp, result: SSAValue) -> SSAValue | None:
    """`if c then x else false` and `if c then x else c` are c and x: the x, for one result."""
    index = op.results.index(result)  # pyright: ignore[reportArgumentType]
    then, other = op.true_region.block.last_op, op.false_region.block.last_op
    assert then is not None and other is not None
    short = other.operands[index]
    return then.operands[index] if short is op.cond or is_false(short) else None


def is_false(condition: SSAValue) -> bool:
    """Whether an `i1` is the constant false."""
    return (
        isinstance(constant := condition.owner, arith.ConstantOp)
        and isinstance(constant.value, IntegerAttr)
        and constant.value.value.data == 0
    )


# --------------------------------------------------------------------------------------------------------------------
# Transfer functions
# --------------------------------------------------------------------------------------------------------------------


def _constant(r: Ranges, op: arith.ConstantOp) -> None:
    if isinstance(op.value, IntegerAttr):
        value = op.value.value.data
        value = abs(value) if op.value.type == IntegerType(1) else value
        r.set(op.result, Interval(value, value))


def _add(r: Ranges, op: arith.AddiOp) -> None:
    r.set(op.result, r.get(op.lhs) + r.get(op.rhs))


def _sub(r: Ranges, op: arith.SubiOp) -> None:
    left, right = r.get(op.lhs), r.get(op.rhs)
    shrinks = right.low >= 0 and (left - right) in whole(op.result.type)
    r.set(op.result, left - right, r.below.get(op.lhs, frozenset()) if shrinks else frozenset())


def _mul(r: Ranges, op: arith.MuliOp) -> None:
    r.set(op.result, r.get(op.lhs) * r.get(op.rhs))


def _div(r: Ranges, op: arith.DivSIOp) -> None:
    r.set(op.result, r.get(op.lhs).quotient(r.get(op.rhs)))


def _rem(r: Ranges, op: arith.RemSIOp) -> None:
    interval = r.get(op.lhs).remainder(r.get(op.rhs))
    r.set(op.result, interval, frozenset({root_of(op.rhs)}) if interval is not None else frozenset())


def _select(r: Ranges, op: arith.SelectOp) -> None:
    if not isinstance(op.result.type, IntegerType | IndexType):
        return
    condition = r.get(op.cond)
    if condition.low == condition.high:
        chosen = op.lhs if condition.low else op.rhs
        r.set(op.result, r.get(chosen), r.known_below(chosen))
        return
    with r.frame():
        r.assume(op.cond, True)
        then, then_below = r.get(op.lhs), r.known_below(op.lhs)
    with r.frame():
        r.assume(op.cond, False)
        other, other_below = r.get(op.rhs), r.known_below(op.rhs)
    r.set(op.result, then.join(other), then_below & other_below)


def _and(r: Ranges, op: arith.AndIOp) -> None:
    highs = [i.high for i in (r.get(op.lhs), r.get(op.rhs)) if i.low >= 0]
    r.set(op.result, Interval(0, min(highs)) if highs else None)


def _or(r: Ranges, op: arith.OrIOp) -> None:
    left, right = r.get(op.lhs), r.get(op.rhs)
    r.set(op.result, _bitwise(left, right, max(left.low, right.low)))


def _xor(r: Ranges, op: arith.XOrIOp) -> None:
    r.set(op.result, _bitwise(r.get(op.lhs), r.get(op.rhs), 0))


def _bitwise(left: Interval, right: Interval, low: int) -> Interval | None:
    if left.low < 0 or right.low < 0:
        return None
    return Interval(low, (1 << max(left.high, right.high).bit_length()) - 1)


def _min(r: Ranges, op: arith.MinSIOp) -> None:
    left, right = r.get(op.lhs), r.get(op.rhs)
    below = r.known_below(op.lhs) | r.known_below(op.rhs)
    r.set(op.result, Interval(min(left.low, right.low), min(left.high, right.high)), below)


def _max(r: Ranges, op: arith.MaxSIOp) -> None:
    left, right = r.get(op.lhs), r.get(op.rhs)
    r.set(op.result, Interval(max(left.low, right.low), max(left.high, right.high)))


def _shift_right(r: Ranges, op: arith.ShRSIOp) -> None:
    left, right = r.get(op.lhs), r.get(op.rhs)
    r.set(op.result, Interval(0, left.high >> max(right.low, 0)) if left.low >= 0 else None)


def _same(r: Ranges, op: Any) -> None:
    """Casts that keep the value when it fits."""
    operand, result = op.operands[0], op.results[0]
    interval = r.get(operand)
    if isinstance(op, arith.ExtUIOp) and interval.low < 0:
        interval = None
    r.set(result, interval, r.known_below(operand))


def _fact(r: Ranges, op: guard.FactOp) -> None:
    known = Interval(op.low.value.data, op.high.value.data)
    r.set(op.result, r.get(op.operand).meet(known), r.known_below(op.operand))


def _size(r: Ranges, op: skel.SizeOp) -> None:
    r.set(op.result, Interval(0, 2**63 - 1))


def _require(r: Ranges, op: guard.RequireOp) -> None:
    r.assume(op.condition, True)


def _fits(r: Ranges, op: guard.FitsOp) -> None:
    left, right = r.get(op.left), r.get(op.right)
    exact = {"add": left + right, "sub": left - right, "mul": left * right}[op.operator.data]
    r.decide(op, True if exact in whole(op.left.type) else None)


def _compare(r: Ranges, op: arith.CmpiOp) -> None:
    predicate = op.predicate.value.data
    left, right = r.get(op.lhs), r.get(op.rhs)
    if predicate > 5:
        if left.low < 0 or right.low < 0:
            r.decide(op, None)
            return
        predicate -= 4
    r.decide(op, _answer(r, predicate, op.lhs, op.rhs))


def _answer(r: Ranges, predicate: int, lhs: SSAValue, rhs: SSAValue) -> bool | None:
    left, right = r.get(lhs), r.get(rhs)
    match predicate:
        case 0 | 1:
            if left.high < right.low or right.high < left.low:
                return predicate == 1
            same = left.low == left.high == right.low == right.high
            return predicate == 0 if same else None
        case 2:
            if r.is_below(lhs, rhs):
                return True
            return False if left.low >= right.high else None
        case 3:
            if left.high <= right.low or r.is_below(lhs, rhs):
                return True
            return False if left.low > right.high else None
        case 4:
            return _answer(r, 2, rhs, lhs)
        case _:
            return _answer(r, 3, rhs, lhs)


_TRANSFERS: dict[type[Operation], Callable[[Ranges, Any], None]] = {
    arith.ConstantOp: _constant,
    arith.AddiOp: _add,
    arith.SubiOp: _sub,
    arith.MuliOp: _mul,
    arith.DivSIOp: _div,
    arith.RemSIOp: _rem,
    arith.SelectOp: _select,
    arith.AndIOp: _and,
    arith.OrIOp: _or,
    arith.XOrIOp: _xor,
    arith.MinSIOp: _min,
    arith.MaxSIOp: _max,
    arith.ShRSIOp: _shift_right,
    arith.ExtSIOp: _same,
    arith.ExtUIOp: _same,
    arith.TruncIOp: _same,
    arith.IndexCastOp: _same,
    arith.CmpiOp: _compare,
    guard.FactOp: _fact,
    guard.FitsOp: _fits,
    guard.RequireOp: _require,
    skel.SizeOp: _size,
    scf.IfOp: Ranges.run_if,
    scf.ForOp: Ranges.run_for,
    scf.WhileOp: Ranges.run_while,
}

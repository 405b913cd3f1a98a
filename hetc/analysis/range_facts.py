"""What is known about integers at one place of a program, and what follows from the conditions that hold there."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from enum import IntEnum

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from hetc.analysis.intervals import Interval
from hetc.dialects import guard, skel

Root = SSAValue | tuple[str, int]
"""What stands for a value in "below" facts: the value itself without facts, or a numbered dimension."""


class Predicate(IntEnum):
    """The signed predicates of `arith.cmpi`, by their numbers in MLIR; the unsigned ones follow."""

    EQ = 0
    NE = 1
    SLT = 2
    SLE = 3
    SGT = 4
    SGE = 5


_NEGATED = {
    Predicate.EQ: Predicate.NE,
    Predicate.NE: Predicate.EQ,
    Predicate.SLT: Predicate.SGE,
    Predicate.SLE: Predicate.SGT,
    Predicate.SGT: Predicate.SLE,
    Predicate.SGE: Predicate.SLT,
}
_SWAPPED = {
    Predicate.EQ: Predicate.EQ,
    Predicate.NE: Predicate.NE,
    Predicate.SLT: Predicate.SGT,
    Predicate.SLE: Predicate.SGE,
    Predicate.SGT: Predicate.SLT,
    Predicate.SGE: Predicate.SLE,
}


class RangeFacts:
    """Intervals and "below" facts of values, refined by frames of conditions; and the truth values that they decide."""

    def __init__(self) -> None:
        self.intervals: dict[SSAValue, Interval] = {}
        self.below: dict[SSAValue, frozenset[Root]] = {}
        self.refined: list[dict[SSAValue, Interval]] = [{}]
        self.refined_below: list[dict[SSAValue, frozenset[Root]]] = [{}]
        self.decided: dict[Operation, bool] = {}

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
        """What a value is known to be below, here."""
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
    def frame(self) -> Generator[None]:
        """What is assumed inside holds there alone."""
        self.refined.append({})
        self.refined_below.append({})
        yield
        self.refined.pop()
        self.refined_below.pop()

    def assume(self, condition: SSAValue, holds: bool) -> None:
        """From here on in this block the condition is known."""
        for comparison, truth in implied(condition, holds):
            number = comparison.predicate.value.data
            if number > Predicate.SGE:
                continue
            predicate = Predicate(number) if truth else _NEGATED[Predicate(number)]
            self._refine(comparison.lhs, predicate, comparison.rhs)
            self._refine(comparison.rhs, _SWAPPED[predicate], comparison.lhs)

    def _refine(self, value: SSAValue, predicate: Predicate, other: SSAValue) -> None:
        mine, theirs, limit = self.get(value), self.get(other), whole(value.type)
        match predicate:
            case Predicate.EQ:
                known = theirs
            case Predicate.SLT:
                known = Interval(limit.low, max(theirs.high - 1, limit.low))
                frame = self.refined_below[-1]
                frame[value] = frame.get(value, frozenset()) | ceilings(other)
            case Predicate.SLE:
                known = Interval(limit.low, theirs.high)
            case Predicate.SGT:
                known = Interval(min(theirs.low + 1, limit.high), limit.high)
            case Predicate.SGE:
                known = Interval(theirs.low, limit.high)
            case _:
                known = mine
        self.refined[-1][value] = mine.meet(known)

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


def ceilings(value: SSAValue) -> frozenset[Root]:
    """The value, and the values that it is the minimum of: what is below it is below them all."""
    while isinstance(fact := value.owner, guard.FactOp):
        value = fact.operand
    op = value.owner
    if isinstance(op, arith.MinSIOp) or (isinstance(op, arith.SelectOp) and _is_minimum(op)):
        return frozenset({value}) | ceilings(op.lhs) | ceilings(op.rhs)
    return frozenset({root_of(value)})


def _is_minimum(op: arith.SelectOp) -> bool:
    """x < y ? x : y."""
    condition = op.cond.owner
    if not isinstance(condition, arith.CmpiOp):
        return False
    predicate, operands = condition.predicate.value.data, (condition.lhs, condition.rhs)
    if predicate in (Predicate.SGT, Predicate.SGE):
        predicate, operands = Predicate.SLT, operands[::-1]
    return predicate in (Predicate.SLT, Predicate.SLE) and operands == (op.lhs, op.rhs)


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
    index = op.results.index(result)
    then, other = op.true_region.block.last_op, op.false_region.block.last_op
    assert then is not None
    assert other is not None
    short = other.operands[index]
    return then.operands[index] if short is op.cond or guard.is_false(short) else None

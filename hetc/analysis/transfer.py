"""What each op says about the range of its result, from the ranges of its operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue

from hetc.analysis.intervals import Interval
from hetc.analysis.range_facts import Predicate, RangeFacts, root_of, whole
from hetc.dialects import guard, skel


def transfer(facts: RangeFacts, op: Operation) -> bool:
    """Record what an op without regions says; False if there is nothing to say about such an op."""
    function = _TRANSFERS.get(type(op))
    if function is None:
        return False
    function(facts, op)
    return True


def _constant(r: RangeFacts, op: arith.ConstantOp) -> None:
    if isinstance(op.value, IntegerAttr):
        value = op.value.value.data
        value = abs(value) if op.value.type == IntegerType(1) else value
        r.set(op.result, Interval(value, value))


def _add(r: RangeFacts, op: arith.AddiOp) -> None:
    r.set(op.result, r.get(op.lhs) + r.get(op.rhs))


def _sub(r: RangeFacts, op: arith.SubiOp) -> None:
    left, right = r.get(op.lhs), r.get(op.rhs)
    shrinks = right.low >= 0 and (left - right) in whole(op.result.type)
    r.set(op.result, left - right, r.below.get(op.lhs, frozenset()) if shrinks else frozenset())


def _mul(r: RangeFacts, op: arith.MuliOp) -> None:
    r.set(op.result, r.get(op.lhs) * r.get(op.rhs))


def _div(r: RangeFacts, op: arith.DivSIOp) -> None:
    r.set(op.result, r.get(op.lhs).quotient(r.get(op.rhs)))


def _rem(r: RangeFacts, op: arith.RemSIOp) -> None:
    interval = r.get(op.lhs).remainder(r.get(op.rhs))
    r.set(op.result, interval, frozenset({root_of(op.rhs)}) if interval is not None else frozenset())


def _select(r: RangeFacts, op: arith.SelectOp) -> None:
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


def _and(r: RangeFacts, op: arith.AndIOp) -> None:
    highs = [i.high for i in (r.get(op.lhs), r.get(op.rhs)) if i.low >= 0]
    r.set(op.result, Interval(0, min(highs)) if highs else None)


def _or(r: RangeFacts, op: arith.OrIOp) -> None:
    left, right = r.get(op.lhs), r.get(op.rhs)
    r.set(op.result, _bitwise(left, right, max(left.low, right.low)))


def _xor(r: RangeFacts, op: arith.XOrIOp) -> None:
    r.set(op.result, _bitwise(r.get(op.lhs), r.get(op.rhs), 0))


def _bitwise(left: Interval, right: Interval, low: int) -> Interval | None:
    if left.low < 0 or right.low < 0:
        return None
    return Interval(low, (1 << max(left.high, right.high).bit_length()) - 1)


def _min(r: RangeFacts, op: arith.MinSIOp) -> None:
    left, right = r.get(op.lhs), r.get(op.rhs)
    below = r.known_below(op.lhs) | r.known_below(op.rhs)
    r.set(op.result, Interval(min(left.low, right.low), min(left.high, right.high)), below)


def _max(r: RangeFacts, op: arith.MaxSIOp) -> None:
    left, right = r.get(op.lhs), r.get(op.rhs)
    r.set(op.result, Interval(max(left.low, right.low), max(left.high, right.high)))


def _shift_right(r: RangeFacts, op: arith.ShRSIOp) -> None:
    left, right = r.get(op.lhs), r.get(op.rhs)
    r.set(op.result, Interval(0, left.high >> max(right.low, 0)) if left.low >= 0 else None)


def _same(r: RangeFacts, op: Any) -> None:
    """Casts that keep the value when it fits."""
    operand, result = op.operands[0], op.results[0]
    interval = r.get(operand)
    if isinstance(op, arith.ExtUIOp) and interval.low < 0:
        interval = None
    r.set(result, interval, r.known_below(operand))


def _fact(r: RangeFacts, op: guard.FactOp) -> None:
    known = Interval(op.low.value.data, op.high.value.data)
    r.set(op.result, r.get(op.operand).meet(known), r.known_below(op.operand))


def _size(r: RangeFacts, op: skel.SizeOp) -> None:
    r.set(op.result, Interval(0, 2**63 - 1))


def _require(r: RangeFacts, op: guard.RequireOp) -> None:
    r.assume(op.condition, True)


def _fits(r: RangeFacts, op: guard.FitsOp) -> None:
    left, right = r.get(op.left), r.get(op.right)
    exact = {"add": left + right, "sub": left - right, "mul": left * right}[op.operator.data]
    r.decide(op, True if exact in whole(op.left.type) else None)


def _compare(r: RangeFacts, op: arith.CmpiOp) -> None:
    number = op.predicate.value.data
    left, right = r.get(op.lhs), r.get(op.rhs)
    if number > Predicate.SGE:
        if left.low < 0 or right.low < 0:
            r.decide(op, None)
            return
        number -= 4  # an unsigned predicate is the signed one for what is not negative
    r.decide(op, _answer(r, Predicate(number), op.lhs, op.rhs))


def _answer(r: RangeFacts, predicate: Predicate, lhs: SSAValue, rhs: SSAValue) -> bool | None:
    left, right = r.get(lhs), r.get(rhs)
    match predicate:
        case Predicate.EQ | Predicate.NE:
            if left.high < right.low or right.high < left.low:
                return predicate is Predicate.NE
            same = left.low == left.high == right.low == right.high
            return predicate is Predicate.EQ if same else None
        case Predicate.SLT:
            if r.is_below(lhs, rhs):
                return True
            return False if left.low >= right.high else None
        case Predicate.SLE:
            if left.high <= right.low or r.is_below(lhs, rhs):
                return True
            return False if left.low > right.high else None
        case Predicate.SGT:
            return _answer(r, Predicate.SLT, rhs, lhs)
        case _:
            return _answer(r, Predicate.SLE, rhs, lhs)


_TRANSFERS: dict[type[Operation], Callable[[RangeFacts, Any], None]] = {
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
}

"""What each op says about the range of its result, from the ranges of its operands."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType, i1
from xdsl.ir import Attribute, Operation, SSAValue

from hetc.abi import POSITIVE
from hetc.analysis.conditions import Predicate
from hetc.analysis.float_intervals import INF, FloatInterval, is_float_type
from hetc.analysis.float_transfer import FLOAT_TRANSFERS, relax, select_float
from hetc.analysis.intervals import Interval
from hetc.analysis.range_facts import (
    RangeFacts,
    Root,
    merged_uppers,
    root_of,
    shifted_uppers,
    whole,
)
from hetc.dialects import guard, skel


def transfer(facts: RangeFacts, op: Operation) -> bool:
    """Record what an op without regions says; False if there is nothing to say about such an op."""
    function = _TRANSFERS.get(type(op)) or FLOAT_TRANSFERS.get(type(op))
    if function is None:
        return False
    function(facts, op)
    if "fastmath" in op.properties:
        relax(facts, op)
    return True


def _constant(r: RangeFacts, op: arith.ConstantOp) -> None:
    if isinstance(op.value, IntegerAttr):
        value = op.value.value.data
        value = abs(value) if op.value.type == IntegerType(1) else value
        r.set(op.result, Interval(value, value))
    elif isinstance(op.value, FloatAttr):
        number = op.value.value.data
        r.set_float(op.result, FloatInterval.whole() if isnan(number) else FloatInterval(number, number))


def _add(r: RangeFacts, op: arith.AddiOp) -> None:
    subtrahend = _negated(op.rhs)
    if subtrahend is not None and r.get(subtrahend).low > whole(op.result.type).low:
        _difference(r, op.result, op.lhs, subtrahend, r.get(op.lhs) + r.get(op.rhs))
        return
    interval = _exact(r, "add", op, r.get(op.lhs) + r.get(op.rhs))
    if interval is None:
        r.set(op.result, None)
        return
    uppers = [
        shifted_uppers(r.uppers_of(one), r.get(other).high) for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs))
    ]
    r.set(op.result, interval, merged_uppers(uppers))
    for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        distance = r.get(other)
        if distance.low == distance.high:
            r.set_linear(op.result, one, distance.low)


def _negated(value: SSAValue) -> SSAValue | None:
    """x, for x * -1."""
    product = value.owner
    if not isinstance(product, arith.MuliOp) or not isinstance(product.rhs.owner, arith.ConstantOp):
        return None
    factor = product.rhs.owner.value
    return product.lhs if isinstance(factor, IntegerAttr) and factor.value.data == -1 else None


def _exact(r: RangeFacts, operator: str, op: arith.AddiOp | arith.SubiOp | arith.MuliOp, exact: Interval) -> Any:
    """The interval of a result that cannot wrap, by its operands or because a guard has asked; else None."""
    limit = whole(op.result.type)
    if exact in limit:
        return exact
    return exact.meet(limit) if r.fits(operator, op.lhs, op.rhs) else None


def _sub(r: RangeFacts, op: arith.SubiOp) -> None:
    interval = _exact(r, "sub", op, r.get(op.lhs) - r.get(op.rhs))
    if interval is None:
        r.set(op.result, None)
        return
    _difference(r, op.result, op.lhs, op.rhs, interval)


def _difference(r: RangeFacts, result: SSAValue, left: SSAValue, right: SSAValue, interval: Interval) -> None:
    """left - right, also by what one is known to exceed the other by at most."""
    if interval in whole(result.type):
        above, below = r.exceeds(left, right), r.exceeds(right, left)
        bounds = Interval(
            max(interval.low, -below),
            min(interval.high, above),
        )
        interval = bounds if bounds.low <= bounds.high else interval
        subtrahend = r.get(right)
        r.set(result, interval, shifted_uppers(r.uppers_of(left), -subtrahend.low))
        if subtrahend.low == subtrahend.high:
            r.set_linear(result, left, -subtrahend.low)
    else:
        r.set(result, None)


def _mul(r: RangeFacts, op: arith.MuliOp) -> None:
    left, right = r.get(op.lhs), r.get(op.rhs)
    exact = left * right
    if op.lhs is op.rhs:
        exact = Interval(0 if 0 in left else min(left.low**2, left.high**2), exact.high)
    r.set(op.result, _exact(r, "mul", op, exact))


def _div(r: RangeFacts, op: arith.DivSIOp) -> None:
    left, right = r.get(op.lhs), r.get(op.rhs)
    uppers = [r.uppers_of(op.lhs)] if left.low >= 0 and right.low >= 1 else []
    if right.low == right.high == 2:
        uppers.append(_middle(r, op.lhs))
    r.set(op.result, left.quotient(right), merged_uppers(uppers))
    if right.low == right.high == 1:
        r.set_linear(op.result, op.lhs, 0)


def _middle(r: RangeFacts, total: SSAValue) -> dict[Root, int]:
    """The uppers of (a + b) / 2: from a <= root + c and b <= root + d, (2 root + c + d) / 2."""
    add = total.owner
    if not isinstance(add, arith.AddiOp) or r.get(total).low < 0:
        return {}
    exact = r.get(add.lhs) + r.get(add.rhs) in whole(total.type) or r.fits("add", add.lhs, add.rhs)
    left, right = r.uppers_of(add.lhs), r.uppers_of(add.rhs)
    return {root: (left[root] + right[root]) // 2 for root in left.keys() & right.keys()} if exact else {}


def _rem(r: RangeFacts, op: arith.RemSIOp) -> None:
    left, right = r.get(op.lhs), r.get(op.rhs)
    uppers = [shifted_uppers(r.uppers_of(op.rhs), -1)] if right.low >= 1 else []
    uppers += [r.uppers_of(op.lhs)] if left.low >= 0 and not right.low <= 0 <= right.high else []
    r.set(op.result, left.remainder(right), merged_uppers(uppers))


def _select(r: RangeFacts, op: arith.SelectOp) -> None:
    if is_float_type(op.result.type):
        select_float(r, op)
    if not isinstance(op.result.type, IntegerType | IndexType):
        return
    condition = r.get(op.cond)
    if condition.low == condition.high:
        _alias(r, op.result, op.lhs if condition.low else op.rhs)
        return
    with r.frame():
        r.assume(op.cond, True)
        then, then_uppers = r.get(op.lhs), r.uppers_of(op.lhs)
    with r.frame():
        r.assume(op.cond, False)
        other, other_uppers = r.get(op.rhs), r.uppers_of(op.rhs)
    r.set(op.result, then.join(other), r.joined(then_uppers, then, other_uppers, other))


def _alias(r: RangeFacts, result: SSAValue, source: SSAValue) -> None:
    r.set(result, r.get(source), r.uppers_of(source))
    r.set_linear(result, source, 0)


def _and(r: RangeFacts, op: arith.AndIOp) -> None:
    positive = [operand for operand in (op.lhs, op.rhs) if r.get(operand).low >= 0]
    highs = [r.get(operand).high for operand in positive]
    uppers = merged_uppers(r.uppers_of(operand) for operand in positive)
    r.set(op.result, Interval(0, min(highs)) if highs else None, uppers if op.result.type != i1 else None)


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
    uppers = merged_uppers((r.uppers_of(op.lhs), r.uppers_of(op.rhs)))
    r.set(op.result, Interval(min(left.low, right.low), min(left.high, right.high)), uppers)


def _max(r: RangeFacts, op: arith.MaxSIOp) -> None:
    left, right = r.get(op.lhs), r.get(op.rhs)
    uppers = r.joined(r.uppers_of(op.lhs), left, r.uppers_of(op.rhs), right)
    r.set(op.result, Interval(max(left.low, right.low), max(left.high, right.high)), uppers)


def _shift_right(r: RangeFacts, op: arith.ShRSIOp) -> None:
    left, right = r.get(op.lhs), r.get(op.rhs)
    count = right.meet(Interval(0, 63))
    if count not in Interval(0, 63):  # never: a guard before it fails always
        r.set(op.result, None)
        return
    ends = [bound >> shift for bound in (left.low, left.high) for shift in (count.low, count.high)]
    uppers = [r.uppers_of(op.lhs)] if left.low >= 0 else []
    if right.low == right.high == 1:
        uppers.append(_middle(r, op.lhs))
    r.set(op.result, Interval(min(ends), max(ends)), merged_uppers(uppers))


def _same(r: RangeFacts, op: Any) -> None:
    """Casts that keep the value when it fits."""
    operand, result = op.operands[0], op.results[0]
    interval = r.get(operand)
    fits = interval in whole(result.type) and not (isinstance(op, arith.ExtUIOp) and interval.low < 0)
    if not fits or operand.type == i1:
        r.set(result, (interval if fits else _unsigned(operand.type)) if isinstance(op, arith.ExtUIOp) else None)
        return
    _alias(r, result, operand)


def _unsigned(type_: Attribute) -> Interval:
    """The numbers that an integer type holds without a sign."""
    assert isinstance(type_, IntegerType)
    return Interval(0, (1 << type_.width.data) - 1)


def _fact(r: RangeFacts, op: guard.FactOp) -> None:
    known = Interval(op.low.value.data, op.high.value.data)
    root = root_of(op.operand)
    below: dict[Root, int] = {("size", dim): constant for dim, constant in op.lengths.items()}
    if below and isinstance(root, SSAValue):
        r.uppers[root] = merged_uppers([r.uppers.get(root, {}), below])
    r.set(op.result, r.get(op.operand).meet(known), merged_uppers([r.uppers_of(op.operand), below]))
    if not isinstance(root, SSAValue):
        r.intervals[root] = r.of_root(root).meet(known)


def _captured(r: RangeFacts, op: skel.CapturedOp) -> None:
    if op.positive is not None:
        r.set_float(op.result, FloatInterval(POSITIVE, INF))


def _size(r: RangeFacts, op: skel.SizeOp) -> None:
    r.set(op.result, Interval(0, 2**63 - 1))


def _require(r: RangeFacts, op: guard.RequireOp) -> None:
    if op.kind.data is not guard.GuardKind.SIGN:  # which may be removed although its condition does not hold
        r.assume(op.condition, True)


def _fits(r: RangeFacts, op: guard.FitsOp) -> None:
    left, right = r.get(op.left), r.get(op.right)
    exact = {"add": left + right, "sub": left - right, "mul": left * right}[op.operator.data]
    limit = whole(op.left.type)
    if exact in limit or r.fits(op.operator.data, op.left, op.right):
        r.decide(op, True)
    else:
        r.decide(op, False if exact.high < limit.low or exact.low > limit.high else None)


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
    if predicate in (Predicate.EQ, Predicate.NE):
        return _equality(r, predicate, lhs, rhs)
    if predicate in (Predicate.SGT, Predicate.SGE):
        return _answer(r, Predicate.SLT if predicate is Predicate.SGT else Predicate.SLE, rhs, lhs)
    most, least = r.exceeds(lhs, rhs), r.exceeds(rhs, lhs)
    edge = 0 if predicate is Predicate.SLE else -1  # lhs <predicate> rhs is lhs - rhs <= edge
    if most <= edge:
        return True
    return False if -least > edge else None


def _equality(r: RangeFacts, predicate: Predicate, lhs: SSAValue, rhs: SSAValue) -> bool | None:
    left, right = r.get(lhs), r.get(rhs)
    most, least = r.exceeds(lhs, rhs), r.exceeds(rhs, lhs)
    if most < 0 or least < 0:
        return predicate is Predicate.NE
    for value, other in ((lhs, right), (rhs, left)):
        if other.low == other.high and r.is_excluded(value, other.low):
            return predicate is Predicate.NE
    same = left.low == left.high == right.low == right.high or r.linear_of(lhs) == r.linear_of(rhs)
    return predicate is Predicate.EQ if same else None


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
    skel.CapturedOp: _captured,
    skel.SizeOp: _size,
}

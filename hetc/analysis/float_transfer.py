"""What each op says about the float that it gives, and what float comparisons are decided to be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerType, f32
from xdsl.ir import Operation

from hetc.analysis import float_intervals as floats
from hetc.analysis.conditions import FloatPredicate
from hetc.analysis.fast_math import FastMathFlag, may
from hetc.analysis.float_intervals import INF, FloatInterval, float_format
from hetc.analysis.range_facts import RangeFacts

Transfer = Callable[[RangeFacts, Any], None]


def _binary(function: Callable[[FloatInterval, FloatInterval, floats.Format], FloatInterval]) -> Transfer:
    def run(r: RangeFacts, op: Any) -> None:
        format_ = float_format(op.result.type)
        r.set_float(op.result, function(r.get_float(op.lhs), r.get_float(op.rhs), format_))

    return run


def _multiply(r: RangeFacts, op: arith.MulfOp) -> None:
    left, format_ = r.get_float(op.lhs), float_format(op.result.type)
    square = op.lhs is op.rhs
    result = floats.square(left, format_) if square else floats.multiply(left, r.get_float(op.rhs), format_)
    r.set_float(op.result, result)


def _negate(r: RangeFacts, op: arith.NegfOp) -> None:
    r.set_float(op.result, floats.negate(r.get_float(op.operand)))


def _absolute(r: RangeFacts, op: math.AbsFOp) -> None:
    r.set_float(op.result, floats.absolute(r.get_float(op.operand)))


def _root(r: RangeFacts, op: math.SqrtOp) -> None:
    r.set_float(op.result, floats.square_root(r.get_float(op.operand), float_format(op.result.type)))


def _function(monotone: Callable[[Any], Any], floor: float = -INF, ceiling: float = INF) -> Transfer:
    def run(r: RangeFacts, op: Any) -> None:
        operand, format_ = r.get_float(op.operand), float_format(op.result.type)
        r.set_float(op.result, floats.function(operand, monotone, floor, ceiling, format_))

    return run


def _bounded(bound: float) -> Transfer:
    """A function with values between -bound and bound, NaN of infinities."""

    def run(r: RangeFacts, op: Any) -> None:
        operand = r.get_float(op.operand)
        r.set_float(op.result, FloatInterval(-bound, bound, operand.nan or operand.has_infinity))

    return run


def _power(r: RangeFacts, op: math.PowFOp) -> None:
    """x to an even power is not negative; and NaN only of NaN."""
    exponent = op.rhs.owner
    if not isinstance(exponent, arith.ConstantOp) or not isinstance(exponent.value, FloatAttr):
        return
    if exponent.value.value.data % 2 == 0:
        r.set_float(op.result, FloatInterval(0.0, INF, r.get_float(op.lhs).nan))


def _from_integer(r: RangeFacts, op: arith.SIToFPOp) -> None:
    interval, format_ = r.get(op.input), float_format(op.result.type)
    if op.input.type == IntegerType(1):
        return
    result = FloatInterval(float(interval.low), float(interval.high), nonzero=r.is_excluded(op.input, 0))
    r.set_float(op.result, floats.rounded(result, format_))


def _from_unsigned(r: RangeFacts, op: arith.UIToFPOp) -> None:
    if isinstance(op.input.type, IntegerType):
        r.set_float(op.result, FloatInterval(0.0, float(1 << op.input.type.width.data)))


def _extend(r: RangeFacts, op: arith.ExtFOp) -> None:
    interval = r.get_float(op.input)
    # A device may take a 32-bit number that is not normal for zero.
    r.set_float(op.result, replace(interval, nonzero=False) if op.input.type == f32 else interval)


def _truncate(r: RangeFacts, op: arith.TruncFOp) -> None:
    r.set_float(op.result, floats.rounded(r.get_float(op.input), float_format(op.result.type)))


def _compare(r: RangeFacts, op: arith.CmpfOp) -> None:
    predicate = FloatPredicate(op.predicate.value.data)
    r.decide(op, r.get_float(op.lhs).compare(predicate, r.get_float(op.rhs)))


def select_float(r: RangeFacts, op: arith.SelectOp) -> None:
    """One float or another, each where its condition holds."""
    found: list[FloatInterval] = []
    for value, holds in ((op.lhs, True), (op.rhs, False)):
        condition = r.get(op.cond)
        if int(holds) in condition:
            with r.frame():
                r.assume(op.cond, holds)
                found.append(r.get_float(value))
    r.set_float(op.result, found[0].join(found[-1]))


def relax(r: RangeFacts, op: Operation) -> None:
    """Take back what is not so of an op that may be computed otherwise than exactly.

    A contracted product is not rounded, so a sum with it is off by the last place of the larger term; the sign of a
    product with a reciprocal is that of the quotient; and of an approximation nothing is known. Double precision is
    not approximated.
    """
    result = op.results[0]
    if may(op, FastMathFlag.ALLOW_CONTRACT) and isinstance(op, arith.AddfOp | arith.SubfOp):
        r.set_float(result, _contracted(r, op))
    elif isinstance(op, arith.DivfOp) and may(op, FastMathFlag.ALLOW_RECIP):
        found = r.get_float(result)
        r.set_float(result, FloatInterval(0.0 if found.low >= 0 else -INF, 0.0 if found.high <= 0 else INF, nan=True))
    elif (
        isinstance(op, math.FloatingPointLikeUnaryMathOperation)
        and result.type == f32
        and may(op, FastMathFlag.APPROX_FUNC)
    ):
        r.set_float(result, FloatInterval.whole())


def _contracted(r: RangeFacts, op: arith.AddfOp | arith.SubfOp) -> FloatInterval:
    left, right = r.get_float(op.lhs), r.get_float(op.rhs)
    if isinstance(op, arith.SubfOp):
        right = floats.negate(right)
    found, format_ = r.get_float(op.result), float_format(op.result.type)
    size = max(abs(left.low), abs(left.high), abs(right.low), abs(right.high))
    off = INF if size == INF else 4.0 * size * float(np.finfo(format_).eps)
    low, high = found.low - off, found.high + off
    nearly = 1.0 - 4.0 * float(np.finfo(format_).eps)
    if left.low >= 0 and right.low >= 0:
        low = max(low, nearly * max(left.low, right.low))
    if left.high <= 0 and right.high <= 0:
        high = min(high, nearly * min(left.high, right.high))
    return FloatInterval(low, high, found.nan)


FLOAT_TRANSFERS: dict[type[Operation], Transfer] = {
    arith.AddfOp: _binary(floats.add),
    arith.SubfOp: _binary(floats.subtract),
    arith.MulfOp: _multiply,
    arith.DivfOp: _binary(floats.divide),
    arith.NegfOp: _negate,
    arith.SIToFPOp: _from_integer,
    arith.UIToFPOp: _from_unsigned,
    arith.ExtFOp: _extend,
    arith.TruncFOp: _truncate,
    arith.CmpfOp: _compare,
    math.AbsFOp: _absolute,
    math.SqrtOp: _root,
    math.PowFOp: _power,
    math.ExpOp: _function(np.exp, floor=0.0),
    math.Exp2Op: _function(np.exp2, floor=0.0),
    math.ExpM1Op: _function(np.expm1, floor=-1.0 - 1e-5),
    math.LogOp: _function(np.log),
    math.Log2Op: _function(np.log2),
    math.Log10Op: _function(np.log10),
    math.Log1pOp: _function(np.log1p),
    math.AtanOp: _function(np.arctan),
    math.TanhOp: _function(np.tanh),
    math.FloorOp: _function(np.floor),
    math.CeilOp: _function(np.ceil),
    math.TruncOp: _function(np.trunc),
    math.RoundEvenOp: _function(np.rint),
    math.SinOp: _bounded(1.0 + 1e-5),
    math.CosOp: _bounded(1.0 + 1e-5),
    math.ErfOp: _bounded(1.0 + 1e-5),
}

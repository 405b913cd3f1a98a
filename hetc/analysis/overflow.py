"""Which operands of an operation keep it from overflowing."""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt

from xdsl.ir import SSAValue

from hetc.analysis.intervals import Interval


def allowed(
    operator: str, left: SSAValue, right: SSAValue, known: Mapping[SSAValue, Interval], limit: Interval
) -> tuple[SSAValue, Interval] | None:
    """An operand and the interval in which it keeps `left <operator> right` within `limit`, exactly.

    There is one if the other operand is a constant, or if both are the same; else None.
    """
    if operator == "mul" and left is right:
        side = isqrt(limit.high)
        return left, Interval(-side, side)
    for value, other in ((left, right), (right, left)):
        constant = known[other].low
        if constant != known[other].high or (operator == "sub" and other is left):
            continue
        if operator == "mul":
            if constant == 0:
                return None
            ends = (limit.low, limit.high) if constant > 0 else (limit.high, limit.low)
            return value, Interval(-(-ends[0] // constant), ends[1] // constant).meet(limit)
        shifted = limit.shifted(-constant if operator == "add" else constant)
        return value, shifted.meet(limit)
    return None

"""warning-elimination: what NumPy surely does not warn of is not asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from hetc.analysis.float_intervals import FloatInterval, float_format, is_float_type
from hetc.analysis.nonfinite import asked_value
from hetc.analysis.ranges import Ranges
from hetc.dialects import guard
from hetc.passes.conversion.dead_code import erase_dead


@dataclass(frozen=True)
class WarningEliminationPass(ModulePass):
    """Remove the questions whether NumPy warns where the operands' ranges show that it does not.

    Needs: no boxes. Leaves: the warnings that may be given.

    A warning asks whether a result is finite. What is not finite may still be nothing to warn of: NumPy does not warn
    of a NaN or an infinity that an operand is already. So `fold-ranges`, which knows the results' ranges, cannot tell:

    1. a / b: b is at least 1 in size, and one of both is not infinite;
    2. sqrt a: a is not below zero; log a: a is above zero; exp a: a is not so large that the result overflows;
       sin a, cos a: a is not infinite.

    Each may be NaN besides.

    A question costs a comparison and a store in a branch, which keeps CPUs' compilers from vectorising: without it a
    Hilbert matrix of 1024 rows takes 0.16 of the time (PoCL). Cost: that of `fold-ranges`, if there are warnings.
    """

    name = "warning-elimination"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        warnings = [inner for inner in op.walk() if isinstance(inner, guard.WarnOp)]
        if not warnings:
            return
        ranges = Ranges(op)
        for warning in warnings:
            asked = asked_value(warning.condition)
            if asked is not None and isinstance(asked.owner, Operation) and _is_needless(asked.owner, ranges):
                block = warning.parent
                assert block is not None
                block.erase_op(warning)
        erase_dead(op, arith.CmpfOp, math.AbsFOp)


def _is_needless(op: Operation, ranges: Ranges) -> bool:
    if not is_float_type(op.results[0].type):
        return False
    known = [ranges.get_float(operand) for operand in op.operands]
    if isinstance(op, arith.DivfOp):
        left, right = known
        return (right.low >= 1.0 or right.high <= -1.0) and not (left.has_infinity and right.has_infinity)
    rule = _RULES.get(type(op))
    if rule is None:
        return False
    largest = float(np.finfo(float_format(op.results[0].type)).max)
    return rule(known[0], log(largest))


_RULES: Mapping[type[Operation], Callable[[FloatInterval, float], bool]] = {
    math.SqrtOp: lambda x, _: x.low >= 0.0,
    math.LogOp: lambda x, _: x.low >= 0.0 and not x.has_zero,
    math.ExpOp: lambda x, largest: x.high < largest - 1.0,
    math.SinOp: lambda x, _: not x.has_infinity,
    math.CosOp: lambda x, _: not x.has_infinity,
}
"""For each function, given the range of its argument and the logarithm of the largest number."""

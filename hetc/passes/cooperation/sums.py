"""Recurrences that are sums, whose terms may be added up in any order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import Float32Type, Float64Type, IntegerType, i1
from xdsl.ir import Operation, SSAValue

from hetc.analysis.attributes import number_attribute
from hetc.analysis.fast_math import FastMathFlag, flags_of, may
from hetc.passes.cooperation.code import Code

_IDENTITIES: dict[type[Operation], float] = {
    arith.AddiOp: 0, arith.MuliOp: 1, arith.AndIOp: -1, arith.OrIOp: 0, arith.XOrIOp: 0,
    arith.AddfOp: -0.0, arith.MulfOp: 1.0, math.FmaOp: -0.0,
}  # fmt: skip


@dataclass(frozen=True)
class Sum:
    """One carried value of a loop: `step` takes it, and what does not depend on it, and gives the next."""

    step: Operation

    @staticmethod
    def of(carried: SSAValue, step: object) -> Sum | None:
        """The sum that a step makes; None if it is none, or one of floats whose order is not free (`reassoc`)."""
        if type(step) not in _IDENTITIES or not isinstance(step, Operation):
            return None
        if not isinstance(carried.type, IntegerType | Float32Type | Float64Type) or carried.type == i1:
            return None
        floats = isinstance(carried.type, Float32Type | Float64Type)
        if floats and not may(step, FastMathFlag.REASSOC):
            return None
        if isinstance(step, math.FmaOp):
            others = [step.a, step.b]
            return Sum(step) if step.c is carried and carried not in others else None
        return Sum(step) if list(step.operands).count(carried) == 1 else None

    def identity(self, code: Code) -> SSAValue:
        """What leaves any other number as it is."""
        type_ = self.step.results[0].type
        return code.add(arith.ConstantOp(number_attribute(_IDENTITIES[type(self.step)], type_)))

    def combined(self, code: Code, left: SSAValue, right: SSAValue) -> SSAValue:
        """Two parts of a sum as one."""
        step = self.step
        if isinstance(step, math.FmaOp | arith.AddfOp):
            return code.add(arith.AddfOp(left, right, flags_of(step)))
        if isinstance(step, arith.MulfOp):
            return code.add(arith.MulfOp(left, right, flags_of(step)))
        kind = type(step)
        assert issubclass(kind, arith.AddiOp | arith.MuliOp | arith.AndIOp | arith.OrIOp | arith.XOrIOp)
        return code.add(kind(left, right))


def sums_of(loop: scf.ForOp, steps: Sequence[Operation]) -> list[Sum] | None:
    """For each carried value of a loop, how it is a sum; None if one is not, or a step is part of no sum.

    A carried value that is used by two steps is no sum, since the parts of it are not what the loop would have.
    """
    end = loop.body.block.last_op
    assert end is not None
    found = [
        Sum.of(carried, value.owner) if carried.has_one_use() and value.has_one_use() else None
        for carried, value in zip(loop.body.block.args[1:], end.operands, strict=True)
    ]
    sums = [one for one in found if one is not None]
    whole = len(sums) == len(found) == len(steps) and {id(one.step) for one in sums} == {id(step) for step in steps}
    return sums if whole else None


def without_order(step: Operation) -> Operation:
    """A step whose parts may wrap where those in the loop's order do not."""
    if isinstance(step, arith.AddiOp | arith.MuliOp):
        step.overflow_flags = arith.IntegerOverflowAttr("none")
    return step

"""unroll-loops: a device's compiler is told to put rounds of some loops together."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import math, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from hetc.analysis.walking import kernels_in, walk
from hetc.dialects import guard, offload, special

BRANCHING = (
    math.CosOp, math.SinOp, math.TanOp, special.SinCosOp, math.ExpOp, math.Exp2Op, math.ExpM1Op, math.LogOp,
    math.Log2Op, math.Log10Op, math.Log1pOp, math.PowFOp,
)  # fmt: skip
"""Functions that a device's compiler puts in place with branches for some arguments."""

LONGEST = 48
"""Ops of a round."""


@dataclass(frozen=True)
class UnrollLoopsPass(ModulePass):
    """Mark counted loops with `offload.unroll`.

    Needs: the last ops of kernels; passes that make loops anew would drop the marks. Leaves: the same ops.

    1. Mark innermost counted loops whose rounds call functions that are branches inside, and are short.

    NVIDIA's compiler unrolls loops itself, but not such, whose rounds it then does not overlap. A discrete Fourier
    transform by its definition takes 0.62 of the time with `rounds=4`, 0.75 with 2 and 0.65 with 8 (H200, with its
    warnings behind the loop; 0.75 with 4 and the warnings inside). Products of matrices with 32 results a work-item
    take 1.5 times the time, sums of gathered numbers 1.0, all-pairs N-body 1.0: so other loops are left alone.

    Refused are loops that a work-item may leave. Cost: linear.
    """

    name = "unroll-loops"
    rounds: int = 4

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.rounds < 2:
            raise PassFailedException("unroll-loops: at least 2 rounds are put together")
        for kernel in kernels_in(op):
            for loop in [inner for inner in walk(kernel) if isinstance(inner, scf.ForOp)]:
                if _gains(loop):
                    loop.attributes[offload.UNROLL] = IntegerAttr(self.rounds, i64)


def _gains(loop: scf.ForOp) -> bool:
    inside = list(loop.body.block.walk())
    if len(inside) > LONGEST or any(isinstance(op, scf.ForOp | scf.WhileOp) for op in inside):
        return False
    if any(isinstance(op, guard.CheckOp) and op.stay is None for op in inside):
        return False
    return any(isinstance(op, BRANCHING) for op in inside)

"""fuse-sincos: the sine and the cosine of the same angle are one call."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import math
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.fast_math import FastMathFlag, may
from hetc.analysis.walking import kernels_in
from hetc.dialects import special
from hetc.passes.conversion.insertion import insert


@dataclass(frozen=True)
class FuseSincosPass(ModulePass):
    """Compute sine and cosine together.

    Needs: kernels after `cse`, so that an angle is one value, and each function of it is computed once in a block.
    Leaves: no block with both of one angle.

    1. sin(x), cos(x) -> sincos(x), at the first of them, in the same block.

    What may be approximated (`afn`) in single precision stays: devices have instructions for each, and reduce no angle.

    Both start by reducing the angle to a quarter of the circle, which for large angles is a branch with many digits of
    pi. A discrete Fourier transform by its definition takes 0.68 of the time (NVIDIA H200), or 0.65 to 0.47 (PoCL).
    Refuses nothing: a sine alone, or one in another block, stays. Cost: linear.
    """

    name = "fuse-sincos"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            first: dict[tuple[Block | None, SSAValue], math.SinOp | math.CosOp] = {}
            for inner in [one for one in kernel.walk() if isinstance(one, math.SinOp | math.CosOp)]:
                if inner.result.type == f32 and may(inner, FastMathFlag.APPROX_FUNC):
                    continue
                other = first.setdefault((inner.parent, inner.operand), inner)
                if type(other) is not type(inner):
                    _fuse(other, inner)


def _fuse(first: math.SinOp | math.CosOp, second: math.SinOp | math.CosOp) -> None:
    both = special.SinCosOp(first.operand)
    insert([both], InsertPoint.before(first), first)
    for op in (first, second):
        result = both.sine if isinstance(op, math.SinOp) else both.cosine
        result.name_hint = op.result.name_hint
        op.result.replace_all_uses_with(result)
        Rewriter.erase_op(op)

"""hide-truncations: a float of an integer of a float is not that float without its fraction."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from hetc.analysis.walking import kernels_in, walk
from hetc.passes.conversion.hidden import hidden_zero
from hetc.passes.conversion.insertion import insert


@dataclass(frozen=True)
class HideTruncationsPass(ModulePass):
    """Keep the device's compiler from seeing that an integer that becomes a float was made of a float.

    Needs: the last ops of kernels. Leaves: the same ops, and `offload.zero`.

    1. In a kernel that makes floats of integers: integer of a float -> that integer xor zero.

    Intel's compiler (2025 and 2026) makes `trunc(x)` of `(float)(int)x` in code that is not vectorised or has masks:
    -0.0 where it should be 0.0, since -0.5 becomes the integer 0.

    Refuses nothing. What is hidden costs an xor. Cost: linear.
    """

    name = "hide-truncations"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            ops = walk(kernel)
            if not any(isinstance(inner, arith.SIToFPOp | arith.UIToFPOp) for inner in ops):
                continue
            for inner in ops:
                if isinstance(inner, arith.FPToSIOp | arith.FPToUIOp):
                    _hide(kernel, inner)


def _hide(kernel: gpu.FuncOp, op: arith.FPToSIOp | arith.FPToUIOp) -> None:
    uses = list(op.result.uses)
    hidden = arith.XOrIOp(op.result, hidden_zero(kernel, op.result.type))
    hidden.result.name_hint = op.result.name_hint
    insert([hidden], InsertPoint.after(op), op)
    for use in uses:
        use.operation.operands[use.index] = hidden.result

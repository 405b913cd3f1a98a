"""Values that a device's compiler does not know, to keep it from rewriting what it would rewrite wrongly."""

from __future__ import annotations

from xdsl.dialects import gpu
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import InsertPoint

from hetc.dialects import offload
from hetc.passes.conversion.insertion import insert


def hidden_zero(kernel: gpu.FuncOp, type_: Attribute) -> SSAValue:
    """A zero of that type that the compiler does not know: one a kernel, read where the kernel begins."""
    for op in kernel.body.block.ops:
        if isinstance(op, offload.ZeroOp) and op.result.type == type_:
            return op.result
    zero = offload.ZeroOp(type_)
    insert([zero], InsertPoint.at_start(kernel.body.block), kernel)
    return zero.result

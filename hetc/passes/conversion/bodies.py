"""Bodies of skeletons, put into others and into kernels."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Region, SSAValue

from hetc.dialects import skel


def inline_body(region: Region, target: Block, arguments: Sequence[SSAValue]) -> list[SSAValue]:
    """Move the ops of a body to the end of a block; the result is what the body yields."""
    block = region.block
    for argument, value in zip(block.args, arguments, strict=True):
        argument.replace_all_uses_with(value)
    terminator = block.last_op
    assert isinstance(terminator, skel.YieldOp)
    values = list(terminator.values)
    block.erase_op(terminator)
    for op in list(block.ops):
        op.detach()
        target.add_op(op)
    return values

"""The ops of a module, without a look at more of them than are asked for.

`Operation.walk` of xDSL passes each op through three generators a level; and most ops of a module are in its kernels,
in which there is neither another kernel nor a step of the host's plan.
"""

from __future__ import annotations

from xdsl.dialects import gpu
from xdsl.ir import Operation


def walk(root: Operation, *, reverse: bool = False) -> list[Operation]:
    """What `root.walk(reverse=reverse)` gives, as a list: what is changed later does not matter."""
    found = [root]
    _inside(root, found, reverse, kernels=True)
    return found


def kernels_in(root: Operation) -> list[gpu.FuncOp]:
    """The kernels in an op, in order."""
    return [op for op in host_ops(root) if isinstance(op, gpu.FuncOp)]


def host_ops(root: Operation) -> list[Operation]:
    """All ops but those within kernels, in the order of `walk`."""
    found = [root]
    _inside(root, found, reverse=False, kernels=False)
    return found


def _inside(op: Operation, found: list[Operation], reverse: bool, *, kernels: bool) -> None:
    for region in reversed(op.regions) if reverse else op.regions:
        for block in reversed(region.blocks) if reverse else region.blocks:
            inner = block.last_op if reverse else block.first_op
            while inner is not None:
                found.append(inner)
                if inner.regions and (kernels or not isinstance(inner, gpu.FuncOp)):
                    _inside(inner, found, reverse, kernels=kernels)
                inner = inner.prev_op if reverse else inner.next_op

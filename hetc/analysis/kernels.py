"""What a kernel's body looks like."""

from __future__ import annotations

from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation
from xdsl.traits import is_side_effect_free

ADD_INTEGERS = 1
"""The kind of `memref.atomic_rmw` that adds integers: MLIR's `arith.AtomicRMWKind`."""

MOST = "offload.most"
"""The attribute of a kernel that is launched for so many points at most."""

ELEMENT = "offload.element"
"""The attribute of what computes a work-item's number in an index space, where its launch has several dimensions."""


def element_of(kernel: gpu.FuncOp) -> Operation | None:
    """What computes a work-item's number in an index space of several dimensions."""
    return next((op for op in kernel.walk() if ELEMENT in op.attributes), None)


def coarse_name(kernel: gpu.FuncOp) -> str:
    """The name of the kernel whose work-items do what several of this one do."""
    return f"{kernel.sym_name.data}_coarse"


def last_block(kernel: gpu.FuncOp) -> Block:
    """The block that a kernel ends with: its own, or that of a test of the index around all that it does."""
    block = kernel.body.block
    terminator = block.last_op
    last = None if terminator is None else terminator.prev_op
    return last.true_region.block if isinstance(last, scf.IfOp) and not last.results and not _rest(last) else block


def _rest(branch: scf.IfOp) -> list[Operation]:
    """What else a kernel does that ends with a branch: effects before it or in its other side."""
    block = branch.parent
    assert block is not None
    other = [op for inner in branch.false_region.blocks for op in inner.ops if not isinstance(op, scf.YieldOp)]
    return other + [op for op in block.ops if op is not branch and not op.regions and not is_quiet(op)]


def is_quiet(op: Operation) -> bool:
    """Whether an op only computes, or ends a kernel."""
    return is_pure(op) or isinstance(op, gpu.ReturnOp | gpu.GlobalIdOp | gpu.BlockIdOp | gpu.ThreadIdOp)


def is_pure(op: Operation) -> bool:
    """Whether an op has no effect; xDSL does not say so of `arith.extsi`."""
    return is_side_effect_free(op) or isinstance(op, arith.ExtSIOp)


def most_points(kernel: gpu.FuncOp) -> int | None:
    """How many points a kernel is launched for at most, if that is known."""
    most = kernel.attributes.get(MOST)
    return most.value.data if isinstance(most, IntegerAttr) else None

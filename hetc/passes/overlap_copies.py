"""overlap-copies: copies in, a kernel and copies out that may be done part by part, so that they go on side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, gpu, memref
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from hetc.analysis.entry import entry_function
from hetc.analysis.kernels import coarse_name
from hetc.analysis.walking import kernels_in
from hetc.dialects import offload

_IN_THE_MIDDLE = (offload.HeapOp, offload.DrainOp, offload.LastOp, offload.RequireOp, offload.WriteBackOp)
"""What waits for launches, or changes what the user has, before the plan's end."""


@dataclass(frozen=True)
class OverlapCopiesPass(ModulePass):
    """Mark the copies and launches of a plan that may be done in parts of the index space, one after the other.

    Needs: a plan that is done, for a device with memory of its own (level 3, after `coarsen-kernels` and
    `lower-guards`). Leaves: the same ops, of which `offload.copy_in`, `offload.launch` and `offload.copy_out` are
    marked `in_parts` where there is something to overlap. Then the runtime may bring one part of the arrays while the
    kernel runs for the part before it, and what that has made of the one before comes back.

    1. The plan launches one kernel, once and over all indices: each of its work-items computes the element of its index
       (`offload.elementwise`), and knows no other index than its own, in no group. With `coarsen-kernels` there are two
       launches, of which the second can do the work of both.
    2. An array that is copied in may come in parts if only this kernel reads it, at its work-item's index; others are
       there before the first part.
    3. One that is copied out may go in parts if the kernel has as many elements of it as work-items, at their indices.
    4. If there are both, mark them. A device copies in both directions at once, so that one hides behind the other.

    Cost: linear in the number of ops. Leaves alone: plans that only bring or only fetch, where there is nothing to
    hide but the kernel; reductions, scans and filters; stencils, whose work-items read their neighbours' elements.

    Overlapping transfers by parts and several queues is in NVIDIA's CUDA C++ Best Practices Guide (2024, section
    10.1.2) and in Gomez-Luna et al., "Performance models for asynchronous data transfers on consumer graphics
    processing units", JPDC 2012; that the compiler finds what may be parted, ours.
    """

    name = "overlap-copies"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entry = entry_function(op)
        if entry is None or any(isinstance(inner, _IN_THE_MIDDLE) for inner in entry.body.block.ops):
            return
        launches = [inner for inner in entry.body.block.ops if isinstance(inner, offload.LaunchOp)]
        kernels = {inner.sym_name.data: inner for inner in kernels_in(op)}
        kernel = _only_kernel(launches, kernels)
        if kernel is None:
            return
        copies_in = list(_copies_in(entry, launches, kernel))
        copies_out = list(_copies_out(entry, launches, kernel))
        if copies_in and copies_out:
            for marked in (*copies_in, *launches, *copies_out):
                marked.in_parts = UnitAttr()


def _only_kernel(launches: Sequence[offload.LaunchOp], kernels: dict[str, gpu.FuncOp]) -> gpu.FuncOp | None:
    """The kernel that the last launch runs, if it could run all indices, and nothing else is launched."""
    if not launches or launches[-1].kernel_name not in kernels:
        return None
    *before, last = launches
    kernel = kernels[last.kernel_name]
    if before:
        (coarse, *others) = before
        if others or coarse.kernel_name != coarse_name(kernel) or len(last.box) != 1 or coarse.box:
            return None
        if [*coarse.arguments] != [*last.arguments]:
            return None
    elif last.box:
        return None
    alone = all(_knows_its_index_alone(inner) for inner in kernel.body.walk())
    return kernel if "offload.elementwise" in kernel.attributes and alone else None


def _knows_its_index_alone(op: Operation) -> bool:
    if isinstance(op, gpu.GlobalIdOp):
        return op.dimension.data is gpu.DimensionEnum.X
    in_groups = op.name.startswith("gpu.") and not isinstance(op, gpu.ReturnOp)
    return not in_groups and not isinstance(op, memref.AtomicRMWOp | memref.AllocaOp)


def _copies_in(
    entry: func.FuncOp, launches: Sequence[offload.LaunchOp], kernel: gpu.FuncOp
) -> Iterator[offload.CopyInOp]:
    for op in entry.body.block.ops:
        if not isinstance(op, offload.CopyInOp) or op.shared is not None:
            continue
        parameters = _parameters(op.result, launches[-1], kernel)
        if _is_only_for(op.result, launches) and all(map(_at_index, parameters)):
            yield op


def _copies_out(
    entry: func.FuncOp, launches: Sequence[offload.LaunchOp], kernel: gpu.FuncOp
) -> Iterator[offload.CopyOutOp]:
    extent = launches[-1].extent
    for op in entry.body.block.ops:
        if not isinstance(op, offload.CopyOutOp) or op.shared is not None:
            continue
        origin = op.buffer.owner
        made = isinstance(origin, offload.AllocOp) and origin.count is extent
        if made and _is_only_for(op.buffer, [*launches, op]):
            parameters = _parameters(op.buffer, launches[-1], kernel)
            if parameters and all(map(_at_index, parameters)):
                yield op


def _is_only_for(buffer: SSAValue, users: Sequence[Operation]) -> bool:
    """Whether a buffer has no other users than these."""
    return all(any(use.operation is user for user in users) for use in buffer.uses)


def _parameters(buffer: SSAValue, launch: offload.LaunchOp, kernel: gpu.FuncOp) -> list[BlockArgument]:
    """The parameters of a kernel that are a buffer."""
    pairs = zip(launch.arguments, kernel.body.block.args, strict=True)
    return [parameter for argument, parameter in pairs if argument is buffer]


def _at_index(parameter: BlockArgument) -> bool:
    """Whether a work-item sees no other element of a buffer than that of its index."""
    for use in parameter.uses:
        op = use.operation
        if not isinstance(op, memref.LoadOp | memref.StoreOp) or op.memref is not parameter or len(op.indices) != 1:
            return False
        index = op.indices[0].owner
        while isinstance(index, arith.IndexCastOp):
            index = index.input.owner
        if not isinstance(index, gpu.GlobalIdOp):
            return False
    return True

"""choose-index-space: how a launch meets the device's work-groups, and how wide an index is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from hetc.analysis.attributes import known_integer
from hetc.analysis.entry import entry_function
from hetc.analysis.walking import host_ops, kernels_in
from hetc.dialects import offload
from hetc.passes.conversion.kernels import DIMENSIONS, add_parameter, global_id, run_only_if


@dataclass(frozen=True)
class ChooseIndexSpacePass(ModulePass):
    """Fix the work-group size of each launch, what happens in the last group, and the width of `index`.

    Needs: kernels outlined. Leaves: launches with `group` and `tail`; with tail "guard", kernels that test their index;
    `offload.index_bits` on the kernels' module.

    1. Set group and tail of every launch. A launch of one work-item, or of groups that its kernel relies on, stays
       "exact".
    2. tail "guard": give the kernel the extents, and wrap its body in `if (global_id < extent)`, for each dimension of
       the launch. A group in several dimensions is 32 work-items wide, which a GPU runs together.
    3. Set the index width: `index-bits`, but 64 where a dimension has 2**31 elements or more.

    The options come from the device. Measured on 2 cores of an AMD EPYC with Intel's CPU runtime: a tail guard makes
    saxpy up to 8 times slower, a 32-bit index up to 2 times; so CPU devices get "split" and 64 bits, GPUs "guard" and
    32. PoCL compiles a kernel again for each size of a group, in 30 to 60 ms of CPU time, so that each new length of an
    array would take that long: it gets "single", with which there are two sizes. Starting a group costs a CPU runtime
    some time: saxpy on 2 cores with AVX-512 takes 6.4 ms in groups of 256 and 5.0 in groups of 4096. Kernels with loops
    do not notice, and small groups spread them better: `loop-group` is theirs. A launch of several dimensions on a CPU
    has groups of whole rows: the five-point stencil on 4096 x 4096 float32 takes 23 ms in groups of 64, 15 in groups of
    1024 and 11 in groups of a row. Cost: linear.
    """

    name = "choose-index-space"
    group: int = 0
    loop_group: int = 0
    tail: str = "exact"
    index_bits: int = 64

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.tail not in offload.TAILS or self.index_bits not in (32, 64) or min(self.group, self.loop_group) < 0:
            raise PassFailedException(
                f"choose-index-space: tail is one of {', '.join(offload.TAILS)}, index-bits 32 or 64, groups at least 0"
            )
        kernels = {f.sym_name.data: f for f in kernels_in(op)}
        launches = [inner for inner in host_ops(op) if isinstance(inner, offload.LaunchOp)]
        for launch in launches:
            if launch.group.value.data or _is_single(launch):
                continue
            kernel = kernels[launch.kernel_name]
            launch.properties["group"] = IntegerAttr(self.loop_group if _has_loop(kernel) else self.group, i64)
            launch.properties["tail"] = StringAttr(self.tail)
            if launch.box and self.tail == "guard":
                shape = _group_shape(launch.group.value.data, len(launch.box))
                launch.properties["shape"] = DenseArrayBase.from_list(i64, shape)
        if self.tail == "guard":
            for kernel in kernels.values():
                _guard_tail([one for one in launches if one.kernel_name == kernel.sym_name.data], kernel)
        entry = entry_function(op)
        wide = entry is not None and "skel.wide" in entry.attributes
        for module in op.ops:
            if isinstance(module, gpu.ModuleOp):
                module.attributes["offload.index_bits"] = IntegerAttr(64 if wide else self.index_bits, i64)


def _has_loop(kernel: gpu.FuncOp) -> bool:
    """Whether a work-item may take long."""
    return any(isinstance(op, scf.ForOp | scf.WhileOp) for op in kernel.walk())


def _is_single(launch: offload.LaunchOp) -> bool:
    """Whether the launch is of one work-item, known now."""
    return known_integer(launch.extent) == 1


def _group_shape(group: int, rank: int) -> list[int]:
    """The sizes of a work-group, x first: rows of at most 32, as a GPU's work-items run together."""
    row = min(32, group)
    rows = group // row
    slices = 2 if rank == 3 and rows >= 8 else 1
    return [row, rows // slices, slices][:rank] if rank > 1 else [group]


def _guard_tail(launches: Sequence[offload.LaunchOp], kernel: gpu.FuncOp) -> None:
    """before: body; after: if (global_id < extent) { body }, in each dimension of the launches."""
    guarded = [launch for launch in launches if launch.tail.data == "guard"]
    if not guarded:
        return
    test: list[Operation] = []
    condition: SSAValue | None = None
    for axis, dimension in enumerate(DIMENSIONS[: max(1, len(guarded[0].box))]):
        name = "extent" if axis == 0 else f"extent_{dimension}"
        extent = add_parameter(kernel, {launch: _end(launch, axis) for launch in guarded}, name)
        inside = arith.CmpiOp(global_id(kernel, dimension).result, extent, "ult")
        test.append(inside)
        if condition is not None:
            test.append(arith.AndIOp(condition, inside.result))
        condition = test[-1].results[0]
    assert condition is not None
    run_only_if(kernel, test, condition)


def _end(launch: offload.LaunchOp, axis: int) -> SSAValue:
    """Where the indices of a launch end in a dimension."""
    if not launch.box:
        return launch.extent
    if not launch.start:
        return launch.box[axis]
    end = arith.AddiOp(launch.start[axis], launch.box[axis])
    end.location = launch.location
    Rewriter.insert_op(end, InsertPoint.before(launch))
    return end.result

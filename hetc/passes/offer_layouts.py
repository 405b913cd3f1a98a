"""offer-layouts: the work-groups of a launch that are worth measuring, beside the one that is taken for the best."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, gpu, memref, scf
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from hetc.analysis.attributes import known_integer
from hetc.analysis.walking import host_ops, kernels_in
from hetc.dialects import offload

NEAR = 8
"""Elements that are so many apart are still in the same few lines of a cache."""


@dataclass(frozen=True)
class OfferLayoutsPass(ModulePass):
    """Say of launches which other work-groups give the same, and may be faster.

    Needs: launches with group and tail as they are to run, so it is the last pass that looks at launches.
    Leaves: `layouts` on launches with tail "split"; the runtime measures these layouts, where it is worth it, beside
    the group that the launch has.

    1. A launch with tail "split" is of a kernel that relies on no group: each work-item does what is its own. So all
       groups give the same, to the bit. Its layouts are groups of `groups` items, but for the one that it has.
    2. In two dimensions or more, if neighbours along x read or write elements that are far apart (an index in which x
       is multiplied), so are the blocks `blocks`, whose rows are read together from columns of an array. Other kernels
       take up to four times as long in blocks, twelve for a Mandelbrot set, so that to try them would cost too much.

    Refused are launches of a heap, which are repeated for what is left, and those of one work-item.

    Measured (Intel's runtime, 2 cores of an AMD EPYC with AVX-512), over the time of what the passes choose:
    transposed squares 0.07 to 0.28 in blocks of 16 x 16, 0.09 to 0.22 of 8 x 64; loops over 16 gathered numbers 0.67
    and sums of 5 x 5 neighbours 0.67 in groups of 8192 for 64; three neighbours of float64 0.75 in groups of 256 for
    4096. On an NVIDIA H200 no group of a kernel that is not coarse gains 5 %. Cost: linear.
    """

    name = "offer-layouts"
    groups: tuple[int, ...] = ()
    blocks: tuple[int, ...] = ()
    """Sizes along x and y, one block after the other."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if len(self.blocks) % 2 or min((*self.groups, *self.blocks), default=1) < 1:
            raise PassFailedException(f"{self.name}: blocks have two sizes each, and all sizes are at least 1")
        kernels = {inner.sym_name.data: inner for inner in kernels_in(op)}
        launches = [inner for inner in host_ops(op) if isinstance(inner, offload.LaunchOp)]
        drained = {inner.kernel for inner in host_ops(op) if isinstance(inner, offload.DrainOp)}
        for launch in launches:
            free = launch.tail.data == "split" and launch.shape is None and launch.kernel not in drained
            if free and launch.group.value.data > 1:
                found = [DenseArrayBase.from_list(i64, layout) for layout in self._layouts(launch, kernels)]
                launch.properties.pop("layouts", None)
                if found:
                    launch.properties["layouts"] = ArrayAttr(found)

    def _layouts(self, launch: offload.LaunchOp, kernels: dict[str, gpu.FuncOp]) -> Iterator[list[int]]:
        rank = len(launch.box)
        if rank > 1 and _goes_across(kernels[launch.kernel_name]):
            for x, y in zip(self.blocks[::2], self.blocks[1::2], strict=True):
                yield [x, y, *[1] * (rank - 2)]
        for group in self.groups:
            if group != launch.group.value.data:
                yield [group]


def _goes_across(kernel: gpu.FuncOp) -> bool:
    """Whether a load or store has an index in which x is multiplied."""
    along, across = set[SSAValue](), set[SSAValue]()
    for op in kernel.walk():
        if isinstance(op, gpu.GlobalIdOp) and op.dimension.data is gpu.DimensionEnum.X:
            along.add(op.result)
        elif isinstance(op, memref.LoadOp | memref.StoreOp):
            if not across.isdisjoint(op.indices):
                return True
        elif not isinstance(op, scf.ForOp | scf.IfOp | scf.WhileOp):
            if not across.isdisjoint(op.operands) or (_multiplies(op) and not along.isdisjoint(op.operands)):
                across.update(op.results)
            elif not along.isdisjoint(op.operands):
                along.update(op.results)
    return False


def _multiplies(op: Operation) -> bool:
    """Whether an op multiplies by what may be large."""
    if not isinstance(op, arith.MuliOp):
        return False
    factors = [found for operand in op.operands if (found := known_integer(operand)) is not None]
    return all(abs(factor) > NEAR for factor in factors)

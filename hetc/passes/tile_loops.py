"""tile-loops: what the work-items of a group all read in a loop is read once, into local memory."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import gpu, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from hetc.analysis.walking import host_ops, kernels_in
from hetc.dialects import offload
from hetc.passes.coarsening.sharing import Sharing
from hetc.passes.conversion.kernels import DIMENSIONS
from hetc.passes.cooperation.taking_part import body_of, group_shape, may_take_part, take_part
from hetc.passes.cooperation.tiles import TiledLoop


@dataclass(frozen=True)
class TileLoopsPass(ModulePass):
    """Read tiles of what a loop reads together, where work-items read the same.

    Needs: kernels as they are to run, with tail "guard" or "exact" (after `coarsen-kernels`). Leaves: loops in two
    parts, the first over whole tiles, the second, which is the loop as it was, over the rounds that are left.

    1. Ask which values depend on which dimension of a work-group (`hetc.passes.coarsening.sharing`). A load in a loop
       depends on the loop's variable and on some dimensions: along the others, all work-items read the same.
    2. Let these share the work: each computes the index for other rounds, and loads.

           for (k = 0; k < n; k++) { s += f(x[k]); }                     // all of a group read the same x[k]

           for (first = 0; first < n / 256 * 256; first += 256) {
               tile[lane] = x[first + lane];
               barrier();
               for (k = 0; k < 256; k++) { s += f(tile[k]); }
               barrier();
           }
           for (k = n / 256 * 256; k < n; k++) { s += f(x[k]); }

       Of a[i, k] * b[k, j] in a group of rows and columns, those of a row share what they read of a, those of a column
       what they read of b.
    3. Where a test keeps the last work-items from all this, it is asked after the loop, and they do what the last one
       with an element does (`hetc.passes.cooperation.taking_part`): all must come to a barrier.

    The rounds of a loop stay in their order, so results stay as they are to the bit.

    A tile has as many rounds as work-items share a load, but no more than are unrolled where other dimensions take
    tiles of their own. The loop over a tile counts to a number that is known, and is unrolled up to `MOST_OPS` ops.

    Refused are loops that are not run equally often by all work-items, in which one may leave, or that hold other
    loops; those with fewer rounds than a tile; kernels that store before the loop, and loads of what they store to;
    loads in branches, which may not be done for all; and indices that one round hands to the next.

    Measured on an NVIDIA H200, over the time without tiles: all-pairs N-body 0.75, a product of matrices with 32
    results a work-item 0.54, a discrete Fourier transform 0.90. Where the loop over a tile counts to what is left of
    the loop, and not to a known number, the first two are 0.78 and 0.61.
    Cost: linear. Sources: Nyland, Harris, Prins, "Fast N-body simulation with CUDA", GPU Gems 3, 2007; Volkov, Demmel,
    "Benchmarking GPUs to tune dense linear algebra", SC 2008.
    """

    name = "tile-loops"
    local_memory: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        drained = {inner.kernel for inner in host_ops(op) if isinstance(inner, offload.DrainOp)}
        launches = [inner for inner in host_ops(op) if isinstance(inner, offload.LaunchOp)]
        for kernel in kernels_in(op):
            calls = [launch for launch in launches if launch.kernel_name == kernel.sym_name.data]
            if "offload.elementwise" not in kernel.attributes or any(launch.kernel in drained for launch in calls):
                continue
            shape = group_shape(kernel, calls)
            if shape is not None:
                _tile_loops(kernel, shape, self.local_memory)


def _tile_loops(kernel: gpu.FuncOp, shape: list[int], memory: int) -> None:
    body = body_of(kernel)
    if body is None:
        return
    sharing = Sharing.of(kernel, frozenset(DIMENSIONS[: len(shape)]))
    found: list[TiledLoop] = []
    for op in body.block.ops:
        if not may_take_part(op, sharing.stored, body.test):
            break
        if isinstance(op, scf.ForOp):
            tiled = TiledLoop.of(op, sharing, shape, memory - sum(one.bytes for one in found))
            found += [] if tiled is None else [tiled]
    if found:
        take_part(body, found[-1].loop)
        for tiled in found:
            tiled.split(kernel)

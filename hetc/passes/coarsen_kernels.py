"""coarsen-kernels: a work-item does what several did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith, gpu, memref, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, SymbolRefAttr, UnknownLoc, i8
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from hetc.analysis.attributes import int_values
from hetc.analysis.kernels import coarse_name, last_block, most_points
from hetc.analysis.walking import host_ops, kernels_in
from hetc.dialects import offload
from hetc.passes.coarsening.lanes import Joining, Lane, X, Y
from hetc.passes.coarsening.launches import Split
from hetc.passes.coarsening.sharing import Dimensions, Sharing, can_be_joined, loads_in_loops
from hetc.passes.conversion.dead_code import erase_dead
from hetc.passes.conversion.kernels import DIMENSIONS

Counts = Mapping[gpu.DimensionEnum, int]

MOST_OPS = 800
"""Ops of a kernel, after joining: a device's compiler takes its time, too."""

MOST_CARRIED = 32
"""Values that the loops of a kernel carry, after joining: they are in registers."""


@dataclass(frozen=True)
class CoarsenKernelsPass(ModulePass):
    """Let a work-item compute several elements, side by side, where there are elements enough for the whole device.

    Needs: kernels as they are to run (after `lower-guards`), with tail "guard"; with `shape`, with any other tail.
    Leaves: for each kernel that can be joined one more, `<name>_coarse`, in which nothing tests whether the elements
    exist, and a launch of it for whole tiles before that of the kernel that there was, which runs what is left. In an
    index space of fewer than `least` points that is all.

    1. Ask which values depend on which dimension of the launch (`hetc.passes.coarsening.sharing`). Refused are kernels
       in which a work-item may leave, or run a loop more often than its neighbours, or whose work-items do more than
       their own element; long ones; and those with loops in which work-items would share no load.
    2. Choose how many work-items are joined (unroll and jam, with the work-items as the outer loop):
       - four rows in two dimensions or more; with a loop that loads what does not depend on the row, and what does not
         depend on the column, four columns and eight rows: a load is then used eight or four times;
       - with `words`, four neighbouring elements, if all that is loaded are bytes: `widen-loads` makes words of them;
       - else four elements that are as far apart as the group is wide, so that neighbours still read neighbours;
       - with `shape`, the work-groups of joined work-items on a CPU, whose compiler makes vectors of neighbours: eight
         rows in two dimensions or more, of kernels with a loop that loads what does not depend on the row.
    3. Copy each op once for all lanes in which it computes the same, else once for each; checks become one. All lanes
       load first, so that their loads are under way together; then each computes and stores, one after the other, so
       that few of their values are needed at the same time.
    4. Split the launch (`hetc.passes.coarsening.launches`).

    Measured on an NVIDIA H200, time over that of one element a work-item: saxpy 0.78 (0.79 with float4 loads, so no
    vectors are needed), Black-Scholes 0.81, black and white 0.66, the Hilbert matrix 0.39 and the five-point stencil
    0.66 with `narrow-addresses`, K-means 0.78, a product of matrices of 4096 rows 0.35. N-body with 65,536 bodies takes
    1.6 times the time with two bodies a work-item, since half of the device has nothing to do then: `least` is what
    fills it. Monte Carlo draws take 1.15 times, with nothing to share; Black-Scholes 1.7 times, if all lanes do each op
    before the next one. On 2 cores of an AMD EPYC with AVX-512, a product of matrices of 1024 rows takes 0.06 of the
    time by Intel's runtime, and by PoCL 0.08 in a variant by hand, in groups of 16 x 4: columns as wide as a cache line
    stay in the caches for the rows of a group. In groups of a row it takes 1.4 times as long as that, and with 2048
    rows three times. Cost: linear in the ops that are made.

    Sources: Volkov, "Better performance at lower occupancy", GTC 2010; Magni, Dubach, O'Boyle, "A large-scale
    cross-architecture evaluation of thread-coarsening", SC 2013.
    """

    name = "coarsen-kernels"
    least: int = 1 << 20
    words: bool = False
    shape: tuple[int, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        launches = [inner for inner in host_ops(op) if isinstance(inner, offload.LaunchOp)]
        drained = {inner.kernel for inner in host_ops(op) if isinstance(inner, offload.DrainOp)}
        kernels = {inner.sym_name.data: inner for inner in kernels_in(op)}
        for name, kernel in kernels.items():
            calls = [launch for launch in launches if launch.kernel_name == name]
            done = coarse_name(kernel) in kernels or (most_points(kernel) or self.least) < self.least
            if done or len(calls) != 1 or calls[0].kernel in drained:
                continue
            coarse = self._coarse(kernel, calls[0])
            if coarse is None:
                continue
            block = kernel.parent_block()
            assert block is not None
            joined = coarse.joined()
            block.insert_op_after(joined, kernel)
            *outer, _ = calls[0].kernel.nested_references.data
            symbol = SymbolRefAttr(calls[0].kernel.root_reference, [*outer, joined.sym_name])
            Split(calls[0], coarse.tiles, coarse.shape, self.least).run(symbol)

    def _coarse(self, kernel: gpu.FuncOp, launch: offload.LaunchOp) -> _Coarse | None:
        """How to join the work-items of a kernel; None if they cannot be joined."""
        guarded = launch.tail.data == "guard"
        if "offload.elementwise" not in kernel.attributes or guarded == bool(self.shape):
            return None
        return _Coarse.of(kernel, launch, words=self.words) if guarded else _Coarse.of_rows(kernel, launch, self.shape)


@dataclass
class _Coarse:
    """A kernel that can be joined, and how."""

    kernel: gpu.FuncOp
    launch: offload.LaunchOp
    inside: Block
    """What a work-item does, within a test of whether its element exists."""
    sharing: Sharing
    counts: Counts
    shape: Sequence[int]
    near: bool
    """Whether those that are joined are neighbours along x."""

    @staticmethod
    def of(kernel: gpu.FuncOp, launch: offload.LaunchOp, *, words: bool) -> _Coarse | None:
        """How to join the work-items of a kernel; None if they cannot be joined."""
        if last_block(kernel) is kernel.body.block:
            return None
        rank = max(1, len(launch.box))
        shape = [launch.group.value.data] if launch.shape is None else list(int_values(launch.shape))
        loads = loads_in_loops(kernel, Sharing.of(kernel, frozenset({X, Y})))
        counts: dict[gpu.DimensionEnum, int] = {X: 4} if rank == 1 else {Y: 4}
        if rank == 2 and frozenset({X}) in loads and frozenset({Y}) in loads:
            counts, shape = {X: 4, Y: 8}, [shape[0], max(1, shape[1] // 2)]
        near = words and rank == 1 and not launch.start and _loads_bytes(kernel)
        coarse = _Coarse(kernel, launch, last_block(kernel), Sharing.of(kernel, frozenset(counts)), counts, shape, near)
        gains = not coarse.loops or any(not depends.issuperset(counts) for depends in loads)
        return coarse if gains and coarse.can_be_joined() else None

    @staticmethod
    def of_rows(kernel: gpu.FuncOp, launch: offload.LaunchOp, shape: Sequence[int]) -> _Coarse | None:
        """The same on a CPU, whose compiler joins neighbours in a row; so rows are what is left to join."""
        if len(launch.box) < 2 or launch.shape is not None:
            return None
        sharing = Sharing.of(kernel, frozenset({Y}))
        sides = [*shape, *[1] * len(launch.box)][: len(launch.box)]
        coarse = _Coarse(kernel, launch, kernel.body.block, sharing, {Y: 8}, sides, near=False)
        gains = Dimensions() in loads_in_loops(kernel, sharing)
        return coarse if gains and coarse.can_be_joined() else None

    @property
    def loops(self) -> list[scf.ForOp]:
        """The loops of a work-item."""
        return [op for op in self.inside.walk() if isinstance(op, scf.ForOp)]

    @property
    def tiles(self) -> Counts:
        """The dimensions along which the joined kernel runs whole tiles, with the elements of a work-item."""
        return self.counts if self.launch.tail.data == "guard" else {X: 1} | dict(self.counts)

    def can_be_joined(self) -> bool:
        """Whether work-items can do all that they do together, and what they carry finds room."""
        copies, ops = prod(self.counts.values()), list(self.inside.walk())
        carried = sum(len(loop.iter_args) for loop in self.loops)
        small = len(ops) * copies <= MOST_OPS and carried * copies <= MOST_CARRIED
        return small and all(can_be_joined(op, self.sharing) for op in ops)

    def joined(self) -> gpu.FuncOp:
        """The kernel for several work-items at once."""
        old, inside = self.kernel.body.block, self.inside
        block = Block(arg_types=[*old.arg_types, *(start.type for start in self.launch.start)])
        joining = Joining(self.sharing, self.counts)
        for parameter, copy in zip(old.args, block.args, strict=False):
            copy.name_hint = parameter.name_hint
            joining.define(parameter, (), copy)
        around = [] if inside is old else [op for op in old.ops if op is not inside.parent_op()]
        indices = [op for op in old.ops if isinstance(op, gpu.GlobalIdOp)]
        for op in indices:
            axis = DIMENSIONS.index(op.dimension.data)
            start = block.args[len(old.args) + axis] if self.launch.start else None
            for lane, index in self._indices(op, axis, start, block):
                joining.define(op.result, lane, index)
        joining.block(around, block)
        body, test = self._tested(joining, around, block)
        joining.block(list(inside.ops), body)
        if test is not None:
            body.add_op(scf.YieldOp())
            block.add_op(scf.IfOp(test, [], Region(body)))
        block.add_op(gpu.ReturnOp([]))
        for op in block.walk():
            if isinstance(op.location, UnknownLoc):
                op.location = self.kernel.location
        function = gpu.FuncOp(coarse_name(self.kernel), (block.arg_types, []), Region(block), kernel=True)
        function.location = self.kernel.location
        function.attributes |= {**self.kernel.attributes, "sym_name": function.sym_name}
        erase_dead(function, arith.AndIOp, arith.CmpiOp)  # tests of the axes that are joined
        return function

    def _indices(
        self, op: gpu.GlobalIdOp, axis: int, start: SSAValue | None, block: Block
    ) -> Iterator[tuple[Lane, SSAValue]]:
        """A work-item's index along an axis, in each of its lanes."""
        code = _Code(block)
        count = self.counts.get(op.dimension.data)
        if count is None:
            index = code.add(gpu.GlobalIdOp(op.dimension))
            index.name_hint = op.result.name_hint
            yield (), index if start is None else code.plus(index, start)
            return
        if op.dimension.data is X and not self.near:
            # As far apart as the group is wide, so that neighbours read neighbours.
            step = self.shape[axis]
            tile = code.add(arith.MuliOp(code.add(gpu.BlockIdOp(op.dimension)), code.constant(count * step)))
            first = code.plus(tile, code.add(gpu.ThreadIdOp(op.dimension)))
        else:
            step = 1
            first = code.add(arith.MuliOp(code.add(gpu.GlobalIdOp(op.dimension)), code.constant(count)))
        first = first if start is None else code.plus(first, start)
        for number in range(count):
            index = code.plus(first, code.constant(number * step)) if number else first
            index.name_hint = op.result.name_hint
            yield ((op.dimension.data, number),), index

    def _tested(self, joining: Joining, around: Sequence[Operation], block: Block) -> tuple[Block, SSAValue | None]:
        """The block for what is done by those work-items that exist along the axes that are not joined."""
        test: SSAValue | None = None
        for op in around:
            index = op.lhs.owner if isinstance(op, arith.CmpiOp) else None
            if isinstance(index, gpu.GlobalIdOp) and index.dimension.data not in self.counts:
                one = joining.value(op.results[0], ())
                test = one if test is None else _Code(block).add(arith.AndIOp(test, one))
        return (block, None) if test is None else (Block(), test)


def _loads_bytes(kernel: gpu.FuncOp) -> bool:
    """Whether all that a kernel loads are bytes of its own element."""
    loads = [op for op in kernel.walk() if isinstance(op, memref.LoadOp)]
    return bool(loads) and all(op.res.type == i8 and isinstance(op.indices[0].owner, gpu.GlobalIdOp) for op in loads)


@dataclass
class _Code:
    """Appends ops to a block."""

    block: Block

    def add(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def constant(self, value: int) -> SSAValue:
        return self.add(arith.ConstantOp(IntegerAttr(value, offload.INDEX)))

    def plus(self, left: SSAValue, right: SSAValue) -> SSAValue:
        return self.add(arith.AddiOp(left, right))

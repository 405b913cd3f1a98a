"""`skel.reduce` as a few kernels: a tree of partial results that keeps the order of the operands.

The kernel of each level combines runs of consecutive elements, one run a work-item, in order; the last continues from
the initial value. The levels have a fixed shape for a given length, so the result is deterministic.

With an operator that is known to commute, the kernels go in *blocks*: a work-group takes a block of consecutive
elements, and its `lanes` items take them in turn, so that neighbours read neighbouring elements. A GPU coalesces such
loads; a CPU's vectoriser makes vector loads of them, if there are as many lanes as a vector has elements (measured with
Intel's runtime on an AVX-512 machine, dot product of 16 Mi float32: 16 lanes 2.7 ms, 256 lanes 55 ms, where
hand-written code with a run-time group size takes 12 ms).

Without an operator that commutes, a GPU's groups take tiles; with one, if the transform is light (the sum of 64 Mi
float32 takes 0.110 ms in blocks and 0.081 in tiles, NVIDIA H200).

Blelloch, "Prefix sums and their applications", CMU-CS-90-190, 1990, section 1.2, gives the tree; the wide first level
follows Harris, "Optimizing parallel reduction in CUDA", 2007 ("algorithm cascading", after Brent's theorem).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain

from xdsl.dialects import arith, gpu, scf
from xdsl.ir import Attribute, Block, Region, SSAValue

from hetc.analysis.costs import is_light
from hetc.analysis.operators import is_commutative
from hetc.dataclass import dataclass
from hetc.dialects import offload, skel
from hetc.passes.outlining.host import HostPlan
from hetc.passes.outlining.kernel import INDEX, Kernel
from hetc.passes.outlining.monoids import Monoid
from hetc.passes.outlining.runs import Elements, Operator, Strips, loads, run_bounds, run_length, share
from hetc.passes.outlining.tiles import GroupShape, tile_of, tile_totals, transformed

FEW = 1 << 14
"""So many partial results the last work-item combines sooner than another launch would begin and end."""

LAST_STRANDS = 8
"""Parts of them that it combines side by side: in order it waits for each result before it combines the next."""


def outline_reduce(
    plan: HostPlan, op: skel.ReduceOp, levels: Sequence[int], shape: GroupShape, strips: Strips | None
) -> None:
    """The kernels and launches of a reduction.

    `levels` says how many partial results each level of the tree may have; groups that go in blocks, or take tiles, are
    of this shape. With `strips`, runs are these; there is one level, unless it has many partial results.
    """
    plan.at(op)
    name = plan.entry.sym_name.data
    kernel = Kernel(plan, f"{name}_partial", op)
    operator = Operator(op, op.combine, op.inits)
    count, commutes = plan.length(*op.inputs), is_commutative(op.combine.block)
    # Few elements are few tiles, which are too few work-items for what takes long.
    light = is_light(op.transform.block)
    tile = tile_of(shape, operator, op.transform) if not commutes or light else None
    single = strips is not None and (not commutes or levels[0] <= FEW)
    limits = [0] * tile.levels if tile is not None else levels[:1] if single else levels
    last = LAST_STRANDS if single and commutes and tile is None else 1
    level = Level(plan, operator, kernel, transformed(kernel, tile, op.transform, op.inputs), light)
    for depth, limit in enumerate(limits, start=1):
        if tile is not None:
            count, buffers = tile_totals(kernel, Monoid(operator), tile, level.element, count)
            tile = replace(tile, guarded=False)
        elif commutes:
            count, buffers = level.in_blocks(count, limit, shape.lanes)
        else:
            count, buffers = level.in_runs(count, limit, strips)
        kernel = Kernel(plan, f"{name}_{'final' if depth == len(limits) else 'combine'}", op)
        level = Level(plan, operator, kernel, loads(kernel, buffers))
    if op.nonempty is not None:
        plan.add(offload.RequireOp(plan.length(*op.inputs)))
    for output, buffer in zip(op.outputs, level.from_initial_value(count, last), strict=True):
        plan.buffers[output] = buffer


# --------------------------------------------------------------------------------------------------------------------
# Levels of the tree
# --------------------------------------------------------------------------------------------------------------------


@dataclass
class Level:
    """One level: a kernel that combines elements into fewer."""

    plan: HostPlan
    operator: Operator
    kernel: Kernel
    element: Elements
    light: bool = True
    """Whether an element costs little to compute."""

    def in_runs(self, length: SSAValue, limit: int, strips: Strips | None = None) -> tuple[SSAValue, list[SSAValue]]:
        """Each work-item combines a run of elements; with strips, these are its runs."""
        run = run_length(self.plan, length, limit) if strips is None else strips.run_length(self.plan, length)
        count = self._host(arith.CeilDivUIOp, length, run)
        buffers = self._allocate(count)
        index = self.kernel.global_id()
        start, end = run_bounds(self.kernel, index, length, run)
        if strips is None or strips.strands == 1:
            if strips is not None:
                # A variable in the text: Intel's compiler takes `i < min(a, b)` for `i < a && i < b`, does not know
                # then how many rounds there are, and makes no vectors of them.
                end.name_hint = "end"
            second = self._device(arith.AddiOp, start, self.kernel.constant(1))
            combined = self._loop(self.element, second, end, self.element(start))
        else:
            combined = self._in_strands(start, end, strips.strands)
        self._store(combined, buffers, index)
        self.kernel.finish(count, group=0 if strips is None else 1)
        return count, buffers

    def _in_strands(self, start: SSAValue, end: SSAValue, strands: int) -> list[SSAValue]:
        """Combine a run in equal parts side by side; a short run in order."""
        one = self.kernel.constant(1)
        enough, side_by_side = self._parts(start, end, strands)

        def in_order() -> list[SSAValue]:
            return self._loop(self.element, self._device(arith.AddiOp, start, one), end, self.element(start))

        return self.kernel.branch(enough, side_by_side, in_order)

    def _parts(self, start: SSAValue, end: SSAValue, strands: int) -> tuple[SSAValue, Callable[[], list[SSAValue]]]:
        """Whether a run has an element for each strand, and how to combine it then: equal parts side by side, then what
        these come to in order, and then what is left.
        """
        kernel, one = self.kernel, self.kernel.constant(1)
        length = self._device(arith.SubiOp, end, start)
        part = self._device(arith.DivUIOp, length, kernel.constant(strands))

        def side_by_side() -> list[SSAValue]:
            starts = [start]
            for _ in range(strands - 1):
                starts.append(self._device(arith.AddiOp, starts[-1], part))
            firsts = [self.element(first) for first in starts]
            width = len(firsts[0])

            def step(number: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
                found = [self.element(self._device(arith.AddiOp, first, number)) for first in starts]
                sides = [carried[at : at + width] for at in range(0, len(carried), width)]
                both = zip(sides, found, strict=True)
                return [one for left, right in both for one in self._combined(left, right)]

            carried = kernel.loop((one, part, one), list(chain.from_iterable(firsts)), step)
            sides = [carried[at : at + width] for at in range(0, len(carried), width)]
            return self._loop(
                self.element, self._device(arith.AddiOp, starts[-1], part), end, reduce(self._combined, sides)
            )

        return self._below(kernel.constant(0), part), side_by_side

    def _combined(self, left: Sequence[SSAValue], right: Sequence[SSAValue]) -> list[SSAValue]:
        return self.kernel.inline(self.operator.combine, [*left, *right])

    def in_blocks(self, length: SSAValue, limit: int, lanes: int) -> tuple[SSAValue, list[SSAValue]]:
        """Group g combines block g of lanes * run elements, its items taking them in turn.

        Only the last block may be short; its first items, or all, then have an element more than the others, or one at
        all. The results of the items that have none are neither stored nor counted. Where elements are light, the items
        of a block that has one for each do not ask for it: a question of each item masks all loads of the loop that
        is in its branch, which takes 1.14 times as long by hand (dot product of 32 Mi float32, Intel's runtime, Zen 5).
        """
        width = self.plan.constant(lanes)
        run = share(self.plan, length, limit)
        span = self._host(arith.MuliOp, run, width)
        extent = self._host(arith.MuliOp, self._host(arith.CeilDivUIOp, length, span), width)
        whole = self._host(arith.DivUIOp, length, span)
        rest = self._host(arith.SubiOp, length, self._host(arith.MuliOp, whole, span))
        count = self._host(arith.AddiOp, self._host(arith.MuliOp, whole, width), self._host(arith.MinUIOp, rest, width))
        buffers = self._allocate(count)
        self._block_body(self.kernel.parameter(length, "length"), self.kernel.parameter(run, "run"), lanes, buffers)
        self.kernel.finish(extent, group=lanes)
        return count, buffers

    def _block_body(self, total: SSAValue, run: SSAValue, lanes: int, buffers: Sequence[SSAValue]) -> None:
        kernel = self.kernel
        width = kernel.constant(lanes)
        dimension = gpu.DimensionAttr(gpu.DimensionEnum.X)
        block, lane = kernel.add(gpu.BlockIdOp(dimension)).result, kernel.add(gpu.ThreadIdOp(dimension)).result
        block.name_hint, lane.name_hint = "group", "lane"
        base = self._device(arith.MuliOp, block, self._device(arith.MuliOp, run, width))
        first = self._device(arith.AddiOp, base, lane)
        item = self._device(arith.AddiOp, self._device(arith.MuliOp, block, width), lane)

        def several() -> list[SSAValue]:
            self._store(self._of_block(total, run, width, base, first), buffers, item)
            return []

        def one_or_none() -> list[SSAValue]:
            return kernel.branch(self._below(first, total), single)

        def single() -> list[SSAValue]:
            self._store(self.element(first), buffers, item)
            return []

        if self.light:
            end = self._device(arith.AddiOp, base, kernel.constant(lanes - 1))
            kernel.branch(self._below(end, total), several, one_or_none)
        else:
            kernel.branch(self._below(first, total), several)

    def _of_block(
        self, total: SSAValue, run: SSAValue, width: SSAValue, base: SSAValue, first: SSAValue
    ) -> list[SSAValue]:
        """What the item with this first element combines of its block."""
        one = self.kernel.constant(1)
        available = self._device(arith.DivUIOp, self._device(arith.SubiOp, total, base), width)
        rounds = self._device(arith.MinUIOp, run, available)

        def in_round(number: SSAValue) -> list[SSAValue]:
            return self.element(self._device(arith.AddiOp, first, self._device(arith.MuliOp, number, width)))

        combined = self._loop(in_round, one, rounds, self.element(first))
        done = self._device(arith.MaxUIOp, rounds, one)
        last = self._device(arith.AddiOp, first, self._device(arith.MuliOp, done, width))
        more = self._both(self._below(done, run), self._below(last, total))
        return self._combine_if(more, combined, lambda: self.element(last))

    def from_initial_value(self, count: SSAValue, strands: int = 1) -> list[SSAValue]:
        """One work-item continues from the initial value, or from the first partial result if there is none.

        Its results, in buffers, are those of the skeleton. With several strands, it combines these before.
        """
        kernel = self.kernel
        zero = kernel.constant(0)
        total = kernel.parameter(count, "length")

        def in_order() -> list[SSAValue]:
            begin = zero if self.operator.inits else kernel.constant(1)
            first = self.operator.beginning(kernel) if self.operator.inits else self.element(zero)
            return self._loop(self.element, begin, total, first)

        if strands == 1:
            values = in_order()
        else:
            enough, side_by_side = self._parts(zero, total, strands)

            def in_strands() -> list[SSAValue]:
                found = side_by_side()
                return self._combined(self.operator.beginning(kernel), found) if self.operator.inits else found

            values = kernel.branch(enough, in_strands, in_order)
        single = self.plan.constant(1)
        buffers = self._allocate(single)
        self._store(values, buffers, zero)
        kernel.finish(single)
        return buffers

    # ---------------------------------------------------------------------------------------------------------------
    # Pieces
    # ---------------------------------------------------------------------------------------------------------------

    def _loop(self, element: Elements, start: SSAValue, end: SSAValue, first: Sequence[SSAValue]) -> list[SSAValue]:
        """Combine the elements of indices [start, end) into the accumulators."""
        kernel = self.kernel
        body = Block(arg_types=[INDEX, *(value.type for value in first)])
        step = kernel.constant(1)
        outer, kernel.current = kernel.current, body
        kernel.add(scf.YieldOp(*kernel.inline(self.operator.combine, [*body.args[1:], *element(body.args[0])])))
        kernel.current = outer
        return list(kernel.add(scf.ForOp(start, end, step, first, Region(body))).results)

    def _combine_if(
        self, condition: SSAValue, accumulators: Sequence[SSAValue], element: Callable[[], list[SSAValue]]
    ) -> list[SSAValue]:
        """Combine one more element if there is one."""
        kernel = self.kernel
        then, other = Block(), Block()
        outer, kernel.current = kernel.current, then
        kernel.add(scf.YieldOp(*kernel.inline(self.operator.combine, [*accumulators, *element()])))
        kernel.current = other
        kernel.add(scf.YieldOp(*accumulators))
        kernel.current = outer
        types: list[Attribute] = [value.type for value in accumulators]
        return list(kernel.add(scf.IfOp(condition, types, Region(then), Region(other))).results)

    def _allocate(self, count: SSAValue) -> list[SSAValue]:
        return [self.plan.allocate(count, type_) for type_ in self.operator.types]

    def _store(self, values: Sequence[SSAValue], buffers: Sequence[SSAValue], index: SSAValue) -> None:
        for value, parameter in zip(values, self.kernel.result_parameters(buffers), strict=True):
            self.kernel.store(value, parameter, index)

    def _host(self, kind: type[IndexOp], left: SSAValue, right: SSAValue) -> SSAValue:
        return self.plan.add(kind(left, right)).result

    def _device(self, kind: type[IndexOp], left: SSAValue, right: SSAValue) -> SSAValue:
        return self.kernel.add(kind(left, right)).result

    def _below(self, left: SSAValue, right: SSAValue) -> SSAValue:
        return self.kernel.add(arith.CmpiOp(left, right, "ult")).result

    def _both(self, left: SSAValue, right: SSAValue) -> SSAValue:
        return self.kernel.add(arith.AndIOp(left, right)).result


IndexOp = arith.AddiOp | arith.SubiOp | arith.MuliOp | arith.DivUIOp | arith.CeilDivUIOp | arith.MinUIOp | arith.MaxUIOp

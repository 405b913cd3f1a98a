"""`skel.scan` as a few kernels: reduce, scan, and scan again.

The elements are taken in runs of consecutive ones, one run a work-item. A kernel combines each run into a partial
result; the partial results are scanned in the same way, with fewer runs, the last level by one work-item; then a kernel
scans each run, starting from what comes before it. The transform is computed twice, and only the results are stored.
Runs have a fixed shape for a given length, so the result is deterministic; no identity is needed, and operands keep
their order.

On CPUs a work-item scans several runs side by side, so that it has several sums under way.

Blelloch, "Prefix sums and their applications", CMU-CS-90-190, 1990, section 1.3, has the runs. Neither done are the one
pass over memory of Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA 2016, nor
runs that go through a GPU's local memory: there, neighbours do not read neighbouring elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Region, SSAValue

from hetc.dataclass import dataclass
from hetc.dialects import skel
from hetc.passes.outlining.host import HostPlan
from hetc.passes.outlining.kernel import INDEX, Kernel
from hetc.passes.outlining.monoids import Monoid
from hetc.passes.outlining.reduce import Level
from hetc.passes.outlining.runs import Elements, Operator, Strips, loads, run_bounds, run_length
from hetc.passes.outlining.tiles import (
    GroupShape,
    Tile,
    TileKernel,
    Totals,
    scan_tiles,
    tile_of,
    tile_totals,
    transformed,
)

Inputs = Callable[[Kernel], Elements]
"""From a kernel to how it reads the elements of a level."""


def outline_scan(
    plan: HostPlan, op: skel.ScanOp, levels: Sequence[int], shape: GroupShape, strips: Strips | None
) -> None:
    """The kernels and launches of a scan.

    `levels` bounds the number of partial results of each level; groups that take tiles are of this shape. With
    `strips`, runs are these, in one level.
    """
    plan.at(op)
    length = plan.length(*op.inputs)
    results = plan.allocate_results(op.outputs, length)
    operator = Operator(op, op.combine, op.inits)
    tile = tile_of(shape, operator, op.transform)

    def inputs(kernel: Kernel) -> Elements:
        return transformed(kernel, tile, op.transform, op.inputs)

    level = _Level(inputs, length, results, op.exclusive is not None)
    if tile is None:
        _Scan(plan, operator, strips).scan(level, levels[:1] if strips else levels)
    else:
        _Scan(plan, operator).scan_tiles(level, Monoid(operator), tile, tile.levels)


def scan_partials(
    plan: HostPlan, operator: Operator, partials: Sequence[SSAValue], count: SSAValue, levels: Sequence[int]
) -> list[SSAValue]:
    """The inclusive scan of partial results in buffers, in other buffers."""
    level = _level_of(plan, operator, partials, count)
    _Scan(plan, operator).scan(level, levels)
    return level.results


def scan_elements(
    plan: HostPlan, operator: Operator, inputs: Inputs, count: SSAValue, levels: Sequence[int]
) -> list[SSAValue]:
    """The inclusive scan of so many elements, which kernels read as `inputs` says, in buffers."""
    level = _Level(inputs, count, [plan.allocate(count, type_) for type_ in operator.types], exclusive=False)
    _Scan(plan, operator).scan(level, levels)
    return level.results


def scan_tile_totals(
    plan: HostPlan, monoid: Monoid, partials: Sequence[SSAValue], count: SSAValue, tile: Tile
) -> list[SSAValue]:
    """The inclusive scan of what tiles come to, in other buffers."""
    level = _level_of(plan, monoid.operator, partials, count)
    _Scan(plan, monoid.operator).scan_tiles(level, monoid, tile, tile.levels - 1)
    return level.results


def _level_of(plan: HostPlan, operator: Operator, partials: Sequence[SSAValue], count: SSAValue) -> _Level:
    """Partial results, to be scanned into other buffers."""
    results = [plan.allocate(count, type_) for type_ in operator.types]
    return _Level(lambda kernel: loads(kernel, partials), count, results, exclusive=False)


@dataclass(frozen=True)
class _Level:
    """What one level scans: the elements, how many there are, where the results go."""

    inputs: Inputs
    length: SSAValue
    results: list[SSAValue]
    exclusive: bool


@dataclass(frozen=True)
class _Scan:
    """The kernels of one scan."""

    plan: HostPlan
    operator: Operator
    strips: Strips | None = None

    def scan(self, level: _Level, limits: Sequence[int]) -> None:
        """Partial results, their scan, and the runs; or one work-item, where there are no more limits."""
        if not limits:
            self._by_one(level)
            return
        plan, name = self.plan, self.plan.entry.sym_name.data
        kernel = Kernel(plan, f"{name}_partial", self.operator.source)
        runs = Level(plan, self.operator, kernel, level.inputs(kernel))
        count, partials = runs.in_runs(level.length, limits[0], self.strips)
        before = scan_partials(plan, self.operator, partials, count, limits[1:])
        self._in_runs(level, limits[0], count, before)

    def scan_tiles(self, level: _Level, monoid: Monoid, tile: Tile, levels: int) -> None:
        """What tiles come to, the scan of that, and the tiles; or one work-item, where there are no more levels."""
        if levels == 0:
            self._by_one(level)
            return
        plan, name = self.plan, self.plan.entry.sym_name.data
        kernel = Kernel(plan, f"{name}_partial", self.operator.source)
        count, partials = tile_totals(kernel, monoid, tile, level.inputs(kernel), level.length)
        inner = _level_of(plan, self.operator, partials, count)
        self.scan_tiles(inner, monoid, replace(tile, guarded=False), levels - 1)
        kernel = Kernel(plan, f"{name}_scan", self.operator.source)
        work = TileKernel.begin(kernel, tile, level.length, count)
        totals = Totals(count, inner.results)
        scan_tiles(work, monoid, level.inputs(kernel), totals, level.results, exclusive=level.exclusive)

    def _by_one(self, level: _Level) -> None:
        """One work-item scans all elements, of which there may be none."""
        kernel = Kernel(self.plan, f"{self.plan.entry.sym_name.data}_scan_partials", self.operator.source)
        elements = level.inputs(kernel)
        total, zero = kernel.parameter(level.length, "length"), kernel.constant(0)
        results = kernel.result_parameters(level.results)
        body = Block()
        outer, kernel.current = kernel.current, body
        first = self._beginning(kernel, elements, results)
        begin = zero if self.operator.inits else kernel.constant(1)
        self._loop(kernel, level, elements, (begin, total), first)
        kernel.add(scf.YieldOp())
        kernel.current = outer
        some = kernel.add(arith.CmpiOp(zero, total, "ult")).result
        kernel.add(scf.IfOp(some, [], Region(body)))
        kernel.finish(self.plan.constant(1))

    def _in_runs(self, level: _Level, limit: int, count: SSAValue, before: Sequence[SSAValue]) -> None:
        """Each work-item scans a run of elements, or several side by side, from what the runs before them come to on.

        A work-item alone waits for each result before it combines the next one; of several runs it has as many results
        under way. What is left in the end it scans as one run.
        """
        plan, strips = self.plan, self.strips
        run = run_length(plan, level.length, limit) if strips is None else strips.run_length(plan, level.length)
        kernel = Kernel(plan, f"{plan.entry.sym_name.data}_scan", self.operator.source)
        elements = level.inputs(kernel)
        index, runs = kernel.global_id(), 1 if strips is None else strips.strands
        if runs > 1:
            index = kernel.add(arith.MuliOp(index, kernel.constant(runs))).result
            count = plan.add(arith.CeilDivUIOp(count, plan.constant(runs))).result
        start, end = run_bounds(kernel, index, level.length, run, runs)
        results, previous = kernel.result_parameters(level.results), loads(kernel, before)
        zero, one = kernel.constant(0), kernel.constant(1)
        is_first = kernel.add(arith.CmpiOp(index, zero, "eq")).result
        first = kernel.branch(
            is_first,
            lambda: self._beginning(kernel, elements, results),
            lambda: previous(kernel.add(arith.SubiOp(index, one)).result),
        )

        def one_run() -> list[SSAValue]:
            # Without an initial value, the first element of all is one already.
            begin = start if self.operator.inits else kernel.add(arith.MaxUIOp(start, one)).result
            self._loop(kernel, level, elements, (begin, end), first)
            return []

        def side_by_side() -> list[SSAValue]:
            size, begin = kernel.parameter(run, "run"), zero
            starts, carried = [start], [first]
            for number in range(runs - 1):
                starts.append(kernel.add(arith.AddiOp(starts[-1], size)).result)
                carried.append(previous(kernel.add(arith.AddiOp(index, kernel.constant(number))).result))
            if not self.operator.inits:
                begin = one
                carried[0] = kernel.branch(
                    is_first, lambda: first, lambda: self._round(kernel, level, elements, start, first)
                )
                for number in range(1, runs):
                    carried[number] = self._round(kernel, level, elements, starts[number], carried[number])

            def step(number: SSAValue, values: Sequence[SSAValue]) -> list[SSAValue]:
                found: list[SSAValue] = []
                for at, begun in enumerate(starts):
                    place = kernel.add(arith.AddiOp(begun, number)).result
                    accumulators = values[at * len(first) : (at + 1) * len(first)]
                    found += self._round(kernel, level, elements, place, accumulators)
                return found

            kernel.loop((begin, size, one), list(chain.from_iterable(carried)), step)
            return []

        if runs == 1:
            one_run()
        else:
            whole = kernel.add(arith.MuliOp(kernel.parameter(run, "run"), kernel.constant(runs))).result
            available = kernel.add(arith.SubiOp(end, start)).result
            kernel.branch(kernel.add(arith.CmpiOp(available, whole, "eq")).result, side_by_side, one_run)
        kernel.finish(count, group=0 if strips is None else 1)

    def _beginning(self, kernel: Kernel, elements: Elements, results: Sequence[SSAValue]) -> list[SSAValue]:
        """What the first run starts from: the initial value, or the first element, which then is a result itself."""
        if self.operator.inits:
            return self.operator.beginning(kernel)
        zero = kernel.constant(0)
        first = elements(zero)
        _store(kernel, first, results, zero)
        return first

    def _loop(
        self,
        kernel: Kernel,
        level: _Level,
        elements: Elements,
        bounds: tuple[SSAValue, SSAValue],
        first: Sequence[SSAValue],
    ) -> None:
        """Combine the elements between bounds into the accumulators, and store these, each time before or after."""
        body = Block(arg_types=[INDEX, *(value.type for value in first)])
        step = kernel.constant(1)
        outer, kernel.current = kernel.current, body
        kernel.add(scf.YieldOp(*self._round(kernel, level, elements, body.args[0], body.args[1:])))
        kernel.current = outer
        kernel.add(scf.ForOp(*bounds, step, first, Region(body)))

    def _round(
        self, kernel: Kernel, level: _Level, elements: Elements, position: SSAValue, accumulators: Sequence[SSAValue]
    ) -> list[SSAValue]:
        """Combine an element into the accumulators, and store these, before or after."""
        results = kernel.result_parameters(level.results)
        if level.exclusive:
            element = elements(position)
            _store(kernel, accumulators, results, position)
            return kernel.inline(self.operator.combine, [*accumulators, *element])
        combined = kernel.inline(self.operator.combine, [*accumulators, *elements(position)])
        _store(kernel, combined, results, position)
        return combined


def _store(kernel: Kernel, values: Sequence[SSAValue], buffers: Sequence[SSAValue], index: SSAValue) -> None:
    for value, buffer in zip(values, buffers, strict=True):
        kernel.store(value, buffer, index)

"""`skel.filter` as a few kernels: count, scan, and compact.

The elements are taken in runs of consecutive ones, one run a work-item. A kernel counts the kept elements of each run;
the scan of the counts tells where each run's results go, and how many there are, which the host reads; then a kernel
stores the kept elements of each run. So they keep their order, and the predicate is computed twice, in place of a flag
and a position an element in memory. On a GPU, work-groups take tiles in the place of runs.

Blelloch, "Prefix sums and their applications", CMU-CS-90-190, 1990, section 1.3.2, packs this way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i32, i64
from xdsl.ir import Block, Region, SSAValue

from hetc.analysis.counts import only_compares
from hetc.analysis.speculative import may_all_go_on
from hetc.dialects import offload, skel
from hetc.passes.outlining.host import HostPlan
from hetc.passes.outlining.kernel import INDEX, Kernel
from hetc.passes.outlining.monoids import Monoid
from hetc.passes.outlining.reduce import Level
from hetc.passes.outlining.runs import Operator, Strips, run_bounds, run_length
from hetc.passes.outlining.scan import scan_partials, scan_tile_totals
from hetc.passes.outlining.tiles import GroupShape, Tile, TileKernel, Totals, tile_totals, tile_with_room


def outline_filter(
    plan: HostPlan, op: skel.FilterOp, levels: Sequence[int], shape: GroupShape, strips: Strips | None
) -> None:
    """The kernels and launches of a filter.

    `levels` bounds the number of runs, as in a scan; groups that take tiles are of this shape. With `strips`, runs are
    these. What is kept by comparisons alone is counted in one strand, of which a CPU's compiler makes vectors: 0.75 of
    the time of four strands that are none.
    """
    plan.at(op)
    length = plan.length(*op.inputs)
    counter = Operator(op, Region(_addition(op, i64)))
    light = may_all_go_on([op.predicate.block, op.transform.block])
    tile = tile_with_room(shape, [i32]) if light else None
    kernel = Kernel(plan, f"{plan.entry.sym_name.data}_count", op)

    def kept(index: SSAValue) -> list[SSAValue]:
        keep = _elements(kernel, op, index)[1]
        one, zero = (kernel.add(arith.ConstantOp(IntegerAttr(number, i64))).result for number in (1, 0))
        return [kernel.add(arith.SelectOp(keep, one, zero)).result]

    if tile is None:
        counted = replace(strips, strands=1) if strips and only_compares(op.predicate.block) else strips
        parts, counts = Level(plan, counter, kernel, kept).in_runs(length, levels[0], counted)
        (ends,) = scan_partials(plan, counter, counts, parts, [] if strips else levels[1:])
    else:
        monoid = Monoid(counter)
        parts, counts = tile_totals(kernel, monoid, tile, kept, length)
        (ends,) = scan_tile_totals(plan, monoid, counts, parts, tile)
    count = plan.add(offload.LastOp(ends)).result
    results = plan.allocate_results(op.outputs, count)
    if tile is None:
        run = strips.run_length(plan, length) if strips else run_length(plan, length, levels[0])
        _compact(plan, op, length, Totals(parts, [ends]), run, results, group=1 if strips else 0)
    else:
        _compact_tiles(plan, op, tile, length, Totals(parts, [ends]), results)


def _addition(op: skel.FilterOp, type_: IntegerType) -> Block:
    """The operator that the counts are scanned with."""
    block = Block(arg_types=[type_, type_])
    add = arith.AddiOp(block.args[0], block.args[1])
    end = skel.YieldOp(add.result)
    add.location = end.location = op.location
    block.add_ops([add, end])
    return block


def _elements(kernel: Kernel, op: skel.FilterOp, index: SSAValue) -> tuple[list[SSAValue], SSAValue]:
    """The elements at an index, and whether they are kept."""
    elements = kernel.elements(op.inputs, [argument.name_hint for argument in op.predicate.block.args], index)
    (keep,) = kernel.inline(op.predicate, elements)
    return elements, keep


def _results(kernel: Kernel, op: skel.FilterOp, position: SSAValue, elements: Sequence[SSAValue]) -> list[SSAValue]:
    """What is stored of an element that is kept."""
    if op.positions is not None:
        return [kernel.add(arith.IndexCastOp(position, i64)).result]
    return kernel.inline(op.transform, elements)


def _compact(
    plan: HostPlan,
    op: skel.FilterOp,
    length: SSAValue,
    ends: Totals,
    run: SSAValue,
    results: Sequence[SSAValue],
    *,
    group: int,
) -> None:
    """Each work-item stores what it keeps of a run, from where the runs before it end.

    It stores each element where the next one that is kept goes, as long as there is one to come: that test is seldom
    false, while whether an element is kept is often not foreseen.
    """
    kernel = Kernel(plan, f"{plan.entry.sym_name.data}_compact", op)
    index = kernel.global_id()
    start, end = run_bounds(kernel, index, length, run)
    bounds = kernel.parameter(ends.buffers[0], "ends")
    first, last = _first_place(kernel, bounds, index), _place(kernel, kernel.load(bounds, index))
    one, zero = kernel.constant(1), kernel.constant(0)
    body = Block(arg_types=[INDEX, INDEX])
    position, place = body.args
    position.name_hint, place.name_hint = "position", "place"
    outer, kernel.current = kernel.current, body
    elements, keep = _elements(kernel, op, position)
    values = _results(kernel, op, position, elements)
    store = Block()
    to_come = kernel.add(arith.CmpiOp(place, last, "ult")).result
    kernel.current = store
    for value, result in zip(values, kernel.result_parameters(results), strict=True):
        kernel.store(value, result, place)
    kernel.add(scf.YieldOp())
    kernel.current = body
    kernel.add(scf.IfOp(to_come, [], Region(store)))
    step = kernel.add(arith.SelectOp(keep, one, zero)).result
    kernel.add(scf.YieldOp(kernel.add(arith.AddiOp(place, step)).result))
    kernel.current = outer
    kernel.add(scf.ForOp(start, end, one, [first], Region(body)))
    kernel.finish(ends.count, group=group)


def _compact_tiles(
    plan: HostPlan, op: skel.FilterOp, tile: Tile, length: SSAValue, ends: Totals, results: Sequence[SSAValue]
) -> None:
    """Each group stores what it keeps of a tile, from where the tiles before it end.

    The items of a group find out in turn what is kept; each counts through the elements that are its own, and leaves
    behind where they go. So neighbours store in turn what goes to neighbouring places.
    """
    kernel = Kernel(plan, f"{plan.entry.sym_name.data}_compact", op)
    work = TileKernel.begin(kernel, tile, length, ends.count)
    group, places = work.group, Monoid(Operator(op, Region(_addition(op, i32))))
    nowhere, one = (kernel.add(arith.ConstantOp(IntegerAttr(number, i32))).result for number in (-1, 1))

    def kept(position: SSAValue) -> list[SSAValue]:
        return [kernel.add(arith.ExtUIOp(_elements(kernel, op, position)[1], i32)).result]

    arrays = work.fill(places, kept)
    start = group.exclusive(places, work.own_total(places, arrays), lambda: places.identity(kernel))

    def place(at: SSAValue, before: Sequence[SSAValue]) -> Sequence[SSAValue]:
        (flag,) = group.load(arrays, at)
        is_kept = kernel.add(arith.CmpiOp(flag, one, "eq")).result
        group.store([kernel.add(arith.SelectOp(is_kept, before[0], nowhere)).result], arrays, at)
        return [kernel.add(arith.AddiOp(before[0], flag)).result]

    work.own(start, place)
    kernel.barrier()
    first = _first_place(kernel, kernel.parameter(ends.buffers[0], "ends"), work.number)

    def give_back(at: SSAValue, position: SSAValue, _carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        (rank,) = group.load(arrays, at)

        def store() -> Sequence[SSAValue]:
            names = [argument.name_hint for argument in op.predicate.block.args]
            values = _results(kernel, op, position, kernel.elements(op.inputs, names, position))
            goes_to = group.index(arith.AddiOp, first, _place(kernel, rank))
            group.store(values, kernel.result_parameters(results), goes_to)
            return []

        kernel.branch(kernel.add(arith.CmpiOp(rank, nowhere, "ne")).result, store)
        return []

    work.each_in_turn([], give_back)
    work.finish(ends.count)


def _first_place(kernel: Kernel, ends: SSAValue, index: SSAValue) -> SSAValue:
    """Where the results of a run begin: where those of the run before it end."""
    then, other = Block(), Block()
    outer, kernel.current = kernel.current, then
    kernel.add(scf.YieldOp(kernel.constant(0)))
    kernel.current = other
    before = kernel.add(arith.SubiOp(index, kernel.constant(1))).result
    kernel.add(scf.YieldOp(_place(kernel, kernel.load(ends, before))))
    kernel.current = outer
    is_first = kernel.add(arith.CmpiOp(index, kernel.constant(0), "eq")).result
    return kernel.add(scf.IfOp(is_first, [INDEX], Region(then), Region(other))).results[0]


def _place(kernel: Kernel, count: SSAValue) -> SSAValue:
    return kernel.add(arith.IndexCastOp(count, INDEX)).result

"""`skel.filter` as a few kernels: count, scan, and compact.

The elements are taken in runs of consecutive ones, one run a work-item. A kernel counts the kept elements of each run;
the scan of the counts tells where each run's results go, and how many there are, which the host reads; then a kernel
stores the kept elements of each run. So they keep their order, and the predicate is computed twice, in place of a flag
and a position an element in memory.

Blelloch, "Prefix sums and their applications", CMU-CS-90-190, 1990, section 1.3.2, packs this way.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Block, Region, SSAValue

from hetc.dialects import offload, skel
from hetc.passes.outlining.host import HostPlan
from hetc.passes.outlining.kernel import INDEX, Kernel
from hetc.passes.outlining.reduce import Level
from hetc.passes.outlining.runs import Operator, run_bounds, run_length
from hetc.passes.outlining.scan import scan_partials


def outline_filter(plan: HostPlan, op: skel.FilterOp, levels: Sequence[int]) -> None:
    """The kernels and launches of a filter; `levels` bounds the number of runs, as in a scan."""
    plan.at(op)
    length = plan.length(*op.inputs)
    counter = Operator(op, Region(_addition(op)))
    kernel = Kernel(plan, f"{plan.entry.sym_name.data}_count", op)

    def kept(index: SSAValue) -> list[SSAValue]:
        keep = _elements(kernel, op, index)[1]
        one, zero = (kernel.add(arith.ConstantOp(IntegerAttr(number, i64))).result for number in (1, 0))
        return [kernel.add(arith.SelectOp(keep, one, zero)).result]

    runs, counts = Level(plan, counter, kernel, kept).in_runs(length, levels[0])
    (ends,) = scan_partials(plan, counter, counts, runs, levels[1:])
    count = plan.add(offload.LastOp(ends)).result
    results = plan.allocate_results(op.outputs, count)
    _compact(plan, op, length, runs, levels[0], ends, results)


def _addition(op: skel.FilterOp) -> Block:
    """The operator that the counts are scanned with."""
    block = Block(arg_types=[i64, i64])
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


def _compact(
    plan: HostPlan,
    op: skel.FilterOp,
    length: SSAValue,
    runs: SSAValue,
    limit: int,
    ends: SSAValue,
    results: Sequence[SSAValue],
) -> None:
    """Each work-item stores what it keeps of a run, from where the runs before it end.

    It stores each element where the next one that is kept goes, as long as there is one to come: that test is seldom
    false, while whether an element is kept is often not foreseen.
    """
    run = run_length(plan, length, limit)
    kernel = Kernel(plan, f"{plan.entry.sym_name.data}_compact", op)
    index = kernel.global_id()
    start, end = run_bounds(kernel, index, length, run)
    bounds = kernel.parameter(ends, "ends")
    first, last = _first_place(kernel, bounds, index), _place(kernel, kernel.load(bounds, index))
    one, zero = kernel.constant(1), kernel.constant(0)
    body = Block(arg_types=[INDEX, INDEX])
    position, place = body.args
    position.name_hint, place.name_hint = "position", "place"
    outer, kernel.current = kernel.current, body
    elements, keep = _elements(kernel, op, position)
    if op.positions is None:
        values = kernel.inline(op.transform, elements)
    else:
        values = [kernel.add(arith.IndexCastOp(position, i64)).result]
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
    kernel.finish(runs)


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

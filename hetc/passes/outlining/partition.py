"""`skel.partition` as a few kernels: count, scan, and place.

The elements are taken in runs of consecutive ones, one run a work-item. A kernel counts the elements of each class in
each run; the scan of the counts, class by class, tells where those of a run go; then each run goes through its elements
in order, and puts each in the next place of its class. On a GPU, work-groups take tiles in the place of runs
(`partition_tiles`).

Zagha and Blelloch, "Radix sort for vector multiprocessors", Supercomputing 1991, has the runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from hetc.dialects import guard, skel
from hetc.passes.outlining.classes import Partition, count_one, end_before, index_of
from hetc.passes.outlining.copies import CopiesShape
from hetc.passes.outlining.host import HostPlan
from hetc.passes.outlining.kernel import Kernel
from hetc.passes.outlining.partition_tiles import partition_tile, place_by_tiles
from hetc.passes.outlining.runs import Elements, loads, run_bounds, share
from hetc.passes.outlining.scan import scan_elements
from hetc.passes.outlining.tiles import GroupShape

LEAST_RUN = 4096
"""Fewer elements are not worth a run of their own, with counts of its own."""

SCAN_LEVELS = (64,)
"""The scan of the counts of runs, which are few, is in so many runs itself."""


def outline_partition(plan: HostPlan, op: skel.PartitionOp, copies: CopiesShape, shape: GroupShape) -> None:
    """The kernels and launches of a partition, in at most as many runs as there may be copies, or in tiles.

    Raises PassFailedException if a guard is left in what tells the classes: nobody would know of it in time.
    """
    if any(isinstance(inner, guard.RequireOp) for inner in op.body.walk()):
        raise PassFailedException("outline-kernels: what tells the class of an element may fail")
    plan.at(op)
    partition = Partition(plan, op, plan.length(*op.inputs), plan.entry.sym_name.data)
    tile = partition_tile(partition, shape)
    if tile is not None:
        place_by_tiles(partition, tile)
        return
    even = share(plan, partition.length, max(1, min(copies.copies, copies.room // partition.classes)))
    run = plan.add(arith.MaxUIOp(even, plan.constant(LEAST_RUN))).result
    runs = plan.add(arith.CeilDivUIOp(partition.length, run)).result
    slots = plan.add(arith.MuliOp(runs, plan.constant(partition.classes))).result
    _Runs(partition, run, runs, plan.allocate(slots, i64), copies.group).place(slots)


@dataclass(frozen=True)
class _Runs:
    """A partition by work-items that take a run each; the counts of a run are side by side."""

    partition: Partition
    run: SSAValue
    runs: SSAValue
    counts: SSAValue
    group: int

    def place(self, slots: SSAValue) -> None:
        """All kernels; there are so many counts."""
        partition, plan = self.partition, self.partition.plan
        self._count()
        (ends,) = scan_elements(plan, partition.operator(i64), self._by_class, slots, SCAN_LEVELS)
        self._put(ends, plan.allocate_results(partition.op.outputs, partition.length))

    def _begin(self, name: str) -> tuple[Kernel, SSAValue, SSAValue]:
        """A kernel for runs, the number of the run, and where its counts begin."""
        kernel = Kernel(self.partition.plan, f"{self.partition.name}_{name}", self.partition.op)
        index = kernel.global_id()
        width = kernel.constant(self.partition.classes)
        return kernel, index, kernel.add(arith.MuliOp(index, width)).result

    def _count(self) -> None:
        partition = self.partition
        kernel, index, base = self._begin("count")
        start, end = run_bounds(kernel, index, partition.length, self.run)
        one, counts = kernel.constant(1), kernel.parameter(self.counts, "counts")
        nothing = kernel.add(arith.ConstantOp(IntegerAttr(0, i64))).result

        def clear(class_: SSAValue, _carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            kernel.store(nothing, counts, kernel.add(arith.AddiOp(base, class_)).result)
            return []

        def count(position: SSAValue, _carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            class_ = partition.class_of(kernel, partition.elements(kernel, position))
            count_one(kernel, counts, kernel.add(arith.AddiOp(base, class_)).result)
            return []

        kernel.loop((kernel.constant(0), kernel.constant(partition.classes), one), [], clear)
        kernel.loop((start, end, one), [], count)
        kernel.finish(self.runs, self.group)

    def _by_class(self, kernel: Kernel) -> Elements:
        """The counts, those of a class one after the other."""
        load = loads(kernel, [self.counts])
        runs, width = kernel.parameter(self.runs, "runs"), kernel.constant(self.partition.classes)

        def element(position: SSAValue) -> list[SSAValue]:
            class_ = kernel.add(arith.DivUIOp(position, runs)).result
            row = kernel.add(arith.MuliOp(kernel.add(arith.RemUIOp(position, runs)).result, width)).result
            return load(kernel.add(arith.AddiOp(row, class_)).result)

        return element

    def _put(self, ends: SSAValue, results: Sequence[SSAValue]) -> None:
        """The counts of a run become the next places of its classes."""
        partition = self.partition
        kernel, index, base = self._begin("place")
        start, end = run_bounds(kernel, index, partition.length, self.run)
        one, places = kernel.constant(1), kernel.parameter(self.counts, "places")
        before, runs = kernel.parameter(ends, "ends"), kernel.parameter(self.runs, "runs")

        def begin(class_: SSAValue, _carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            row = kernel.add(arith.MuliOp(class_, runs)).result
            first = end_before(kernel, before, kernel.add(arith.AddiOp(row, index)).result)
            kernel.store(first, places, kernel.add(arith.AddiOp(base, class_)).result)
            return []

        def put(position: SSAValue, _carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            elements = partition.elements(kernel, position)
            slot = kernel.add(arith.AddiOp(base, partition.class_of(kernel, elements))).result
            partition.store(kernel, elements, results, index_of(kernel, count_one(kernel, places, slot)))
            return []

        kernel.loop((kernel.constant(0), kernel.constant(partition.classes), one), [], begin)
        kernel.loop((start, end, one), [], put)
        kernel.finish(self.runs, self.group)

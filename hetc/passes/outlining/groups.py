"""Kernels in which the work-items of a group work together: what they exchange in local memory.

All go through each barrier, none is in a loop or branch: on a CPU runtime, barriers in loops were seen to give wrong
results, and a work-item that waits for one that has left waits forever.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

from xdsl.dialects import arith, gpu
from xdsl.ir import Attribute, SSAValue

from hetc.dataclass import dataclass
from hetc.passes.outlining.kernel import Kernel
from hetc.passes.outlining.monoids import Monoid


@dataclass
class Group:
    """The work-items of a group, `lanes` of them, a power of two, in a kernel.

    For a scan over the group its lanes are taken as rows; the first lanes scan a row each, one after the other, then
    one lane scans what the rows come to. Few combinations are made, and there are few barriers.
    """

    kernel: Kernel
    lanes: int
    lane: SSAValue = field(init=False)
    number: SSAValue = field(init=False)

    def __post_init__(self) -> None:
        dimension = gpu.DimensionAttr(gpu.DimensionEnum.X)
        self.number = self.kernel.add(gpu.BlockIdOp(dimension)).result
        self.lane = self.kernel.add(gpu.ThreadIdOp(dimension)).result
        self.number.name_hint, self.lane.name_hint = "group", "lane"
        self.columns = columns(self.lanes)
        self.rows = self.lanes // self.columns

    def index(self, kind: type[IndexOp], *of: SSAValue | int) -> SSAValue:
        """An index computed from two."""
        left, right = (self.kernel.constant(value) if isinstance(value, int) else value for value in of)
        return self.kernel.add(kind(left, right)).result

    def below(self, left: SSAValue, right: SSAValue | int) -> SSAValue:
        """Whether an index is less than another."""
        right = self.kernel.constant(right) if isinstance(right, int) else right
        return self.kernel.add(arith.CmpiOp(left, right, "ult")).result

    def arrays(self, types: Sequence[Attribute], length: int, name: str) -> list[SSAValue]:
        """An array in local memory for each component."""
        names = [name] if len(types) == 1 else [f"{name}{k}" for k in range(len(types))]
        return [self.kernel.local(type_, length, name) for type_, name in zip(types, names, strict=True)]

    def count(
        self,
        start: int,
        end: int,
        carried: Sequence[SSAValue],
        body: Callable[[SSAValue, Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> list[SSAValue]:
        """A loop of so many rounds."""
        first, last, step = (self.kernel.constant(number) for number in (start, end, 1))
        return self.kernel.loop((first, last, step), carried, body)

    def load(self, arrays: Sequence[SSAValue], index: SSAValue) -> list[SSAValue]:
        """One element of each array."""
        return [self.kernel.load(array, index) for array in arrays]

    def store(self, values: Sequence[SSAValue], arrays: Sequence[SSAValue], index: SSAValue) -> None:
        """One element of each array."""
        for value, array in zip(values, arrays, strict=True):
            self.kernel.store(value, array, index)

    def total(self, monoid: Monoid, values: Sequence[SSAValue], use: Callable[[Sequence[SSAValue]], None]) -> None:
        """What the values of all lanes come to, in order; one lane uses it."""
        partials = self._scanned_rows(monoid, values)

        def add_rows() -> Sequence[SSAValue]:
            first = self.load(partials, self.kernel.constant(self.columns - 1))
            use(self.count(1, self.rows, first, lambda row, before: self._with_row(monoid, partials, row, before)))
            return []

        self.kernel.branch(self.below(self.lane, 1), add_rows)

    def exclusive(
        self, monoid: Monoid, values: Sequence[SSAValue], before: Callable[[], Sequence[SSAValue]]
    ) -> list[SSAValue]:
        """For each lane, what comes before the group, and then the values of the lanes before it, come to."""
        kernel = self.kernel
        partials = self._scanned_rows(monoid, values)
        starts = self.arrays(monoid.types, self.rows, "row_start")

        def scan_rows() -> Sequence[SSAValue]:
            def next_row(row: SSAValue, running: Sequence[SSAValue]) -> Sequence[SSAValue]:
                self.store(running, starts, row)
                return self._with_row(monoid, partials, row, running)

            self.count(0, self.rows, before(), next_row)
            return []

        kernel.branch(self.below(self.lane, 1), scan_rows)
        kernel.barrier()
        row, column = self._row_and_column()
        start = self.load(starts, row)

        def with_lanes_before() -> Sequence[SSAValue]:
            last = kernel.add(arith.SubiOp(self._place(row, column), kernel.constant(1))).result
            return monoid.combined(kernel, start, self.load(partials, last))

        return kernel.branch(self.below(kernel.constant(0), column), with_lanes_before, lambda: start)

    def _scanned_rows(self, monoid: Monoid, values: Sequence[SSAValue]) -> list[SSAValue]:
        """In local memory, what each row of lanes comes to, lane by lane."""
        kernel = self.kernel
        partials = self.arrays(monoid.types, self.rows * (self.columns + 1), "partial")
        row, column = self._row_and_column()
        self.store(values, partials, self._place(row, column))
        kernel.barrier()

        def scan_row() -> Sequence[SSAValue]:
            first = self._place(self.lane, kernel.constant(0))

            def next_lane(column: SSAValue, running: Sequence[SSAValue]) -> Sequence[SSAValue]:
                place = self.index(arith.AddiOp, first, column)
                combined = monoid.combined(kernel, running, self.load(partials, place))
                self.store(combined, partials, place)
                return combined

            self.count(1, self.columns, self.load(partials, first), next_lane)
            return []

        kernel.branch(self.below(self.lane, self.rows), scan_row)
        kernel.barrier()
        return partials

    def _with_row(
        self, monoid: Monoid, partials: Sequence[SSAValue], row: SSAValue, before: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """What came before, and a row."""
        last = self._place(row, self.kernel.constant(self.columns - 1))
        return monoid.combined(self.kernel, before, self.load(partials, last))

    def _row_and_column(self) -> tuple[SSAValue, SSAValue]:
        """Where a lane is."""
        row, column = (self.index(kind, self.lane, self.columns) for kind in (arith.DivUIOp, arith.RemUIOp))
        return row, column

    def _place(self, row: SSAValue, column: SSAValue) -> SSAValue:
        """Where a lane's number is: rows are a place longer than they have to be, so that they lie in other banks."""
        return self.index(arith.AddiOp, self.index(arith.MuliOp, row, self.columns + 1), column)


IndexOp = arith.AddiOp | arith.MuliOp | arith.DivUIOp | arith.RemUIOp


def columns(lanes: int) -> int:
    """The lanes of a row: as many as there are rows, or twice as many."""
    return 1 << (lanes.bit_length() // 2)


def exchange_bytes(lanes: int, element: int) -> int:
    """The local memory that a scan over a group takes, where an element has so many bytes."""
    rows = lanes // columns(lanes)
    return rows * (columns(lanes) + 2) * element

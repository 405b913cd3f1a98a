"""Partitions by work-groups that take tiles of consecutive elements, in local memory.

Each lane has a counter for each class. A kernel counts the elements of each class in each tile, and the scan of that,
class by class, tells where those of a tile go. Then a group puts the elements of its tile in order: each lane counts
those that are its own, the scan of the counters tells their ranks in the tile, and where the element of a rank lies is
noted in local memory. The lanes take the ranks in turn, so that neighbours store to neighbouring places.

Satish, Harris and Garland, "Designing efficient sorting algorithms for manycore GPUs", IPDPS 2009, section 4, put the
elements of a tile in order before they are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

from hetc.passes.outlining.classes import Partition, count_one, end_before, index_of, word
from hetc.passes.outlining.groups import exchange_bytes
from hetc.passes.outlining.kernel import Kernel
from hetc.passes.outlining.monoids import Monoid
from hetc.passes.outlining.scan import scan_tile_totals
from hetc.passes.outlining.tiles import GroupShape, Tile, TileKernel, number_of_tiles

ITEMS = 8
"""The elements that a lane of a group takes."""

BANKS = 16
"""After so many counters in local memory a place is left free, so that lanes in step use different banks."""


def partition_tile(partition: Partition, shape: GroupShape) -> Tile | None:
    """The tiles that a group takes, if there is room: a class has as many lanes as another, for what they add up."""
    classes, tile = partition.classes, Tile(shape.lanes, ITEMS)
    if shape.lanes & (shape.lanes - 1) or classes > shape.lanes or shape.lanes % classes:
        return None
    words = tile.places + tile.size + _padded(classes * shape.lanes) + 2 * classes + shape.lanes
    return tile if 4 * words + exchange_bytes(shape.lanes, 4) <= shape.memory else None


def _padded(count: int) -> int:
    return count + count // BANKS


def place_by_tiles(partition: Partition, tile: Tile) -> None:
    """The kernels and launches."""
    plan = partition.plan
    tiles = number_of_tiles(plan, tile, partition.length)
    slots = plan.add(arith.MuliOp(tiles, plan.constant(partition.classes))).result
    counts = plan.allocate(slots, i64)
    _count(partition, tile, tiles, counts)
    (ends,) = scan_tile_totals(plan, Monoid(partition.operator(i64)), [counts], slots, tile)
    results = plan.allocate_results(partition.op.outputs, partition.length)
    _Placing.begin(partition, tile, tiles).place(ends, results)


@dataclass(frozen=True)
class _Counters:
    """A counter for each class and lane, in local memory, those of a class side by side; each is one lane's own."""

    work: TileKernel
    classes: int
    array: SSAValue

    @staticmethod
    def begin(work: TileKernel, classes: int) -> _Counters:
        """Counters that are zero."""
        found = _Counters(work, classes, work.kernel.local(i32, _padded(classes * work.tile.lanes), "counters"))
        nothing = word(work.kernel, 0)

        def clear(class_: SSAValue, _carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            work.group.store([nothing], [found.array], found.own(class_))
            return []

        work.group.count(0, classes, [], clear)
        return found

    def own(self, class_: SSAValue) -> SSAValue:
        """Where the lane's counter of a class is."""
        return self.of_lane(class_, self.work.group.lane)

    def of_lane(self, class_: SSAValue, lane: SSAValue | int) -> SSAValue:
        """Where the counter of a class and lane is."""
        group = self.work.group
        return self.at(group.index(arith.AddiOp, group.index(arith.MuliOp, class_, self.work.tile.lanes), lane))

    def at(self, number: SSAValue) -> SSAValue:
        """Where the counter of a number is."""
        group = self.work.group
        return group.index(arith.AddiOp, number, group.index(arith.DivUIOp, number, BANKS))

    def count(self, class_: SSAValue) -> SSAValue:
        """Count one more of a class, in the lane; how many there were."""
        return count_one(self.work.kernel, self.array, self.own(class_))

    def in_a_row(self, start: Sequence[SSAValue], use: Callable[[SSAValue, SSAValue], SSAValue]) -> list[SSAValue]:
        """Go through as many counters in a row as there are classes: the place of each, and what is carried."""
        group = self.work.group
        first = group.index(arith.MuliOp, group.lane, self.classes)

        def next_(k: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return [use(self.at(group.index(arith.AddiOp, first, k)), carried[0])]

        return group.count(0, self.classes, start, next_)

    def total_in_a_row(self) -> SSAValue:
        """What these come to."""
        kernel = self.work.kernel

        def add(place: SSAValue, before: SSAValue) -> SSAValue:
            return kernel.add(arith.AddiOp(before, kernel.load(self.array, place))).result

        return self.in_a_row([word(kernel, 0)], add)[0]

    def scan(self, monoid: Monoid) -> None:
        """Each counter becomes the sum of those before it."""
        kernel, group = self.work.kernel, self.work.group
        start = group.exclusive(monoid, [self.total_in_a_row()], lambda: monoid.identity(kernel))

        def replace(place: SSAValue, before: SSAValue) -> SSAValue:
            value = kernel.load(self.array, place)
            kernel.store(before, self.array, place)
            return kernel.add(arith.AddiOp(before, value)).result

        self.in_a_row(start, replace)


def _count(partition: Partition, tile: Tile, tiles: SSAValue, counts: SSAValue) -> None:
    """What lanes have counted is added up by several lanes a class, and then by one."""
    kernel = Kernel(partition.plan, f"{partition.name}_count", partition.op)
    work = TileKernel.begin(kernel, tile, partition.length)
    group, counters = work.group, _Counters.begin(work, partition.classes)
    shares, parts = tile.lanes // partition.classes, kernel.local(i32, tile.lanes, "parts")
    number = kernel.parameter(tiles, "tiles")

    def count(_at: SSAValue, position: SSAValue, _carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        def inside() -> Sequence[SSAValue]:
            counters.count(partition.class_of(kernel, partition.elements(kernel, position)))
            return []

        kernel.branch(work.inside(position), inside)
        return []

    work.each_in_turn([], count)
    kernel.barrier()
    group.store([counters.total_in_a_row()], [parts], group.lane)
    kernel.barrier()

    def store() -> Sequence[SSAValue]:
        own = group.index(arith.MuliOp, group.lane, shares)

        def add(k: SSAValue, before: Sequence[SSAValue]) -> Sequence[SSAValue]:
            (value,) = group.load([parts], group.index(arith.AddiOp, own, k))
            return [kernel.add(arith.AddiOp(before[0], value)).result]

        (total,) = group.count(0, shares, [word(kernel, 0)], add)
        slot = group.index(arith.AddiOp, group.index(arith.MuliOp, group.lane, number), work.number)
        group.store([kernel.add(arith.ExtUIOp(total, i64)).result], [kernel.parameter(counts, "counts")], slot)
        return []

    kernel.branch(group.below(group.lane, partition.classes), store)
    work.finish(tiles)


@dataclass(frozen=True)
class _Placing:
    """The kernel that puts the elements of tiles in order, and then in their places.

    In local memory, `found` has the class of each element, and `order` where the element of each rank is in the tile;
    `bases` has for each class where its element of rank zero would go.
    """

    partition: Partition
    work: TileKernel
    tiles: SSAValue
    counters: _Counters
    found: SSAValue
    order: SSAValue
    bases: SSAValue

    @staticmethod
    def begin(partition: Partition, tile: Tile, tiles: SSAValue) -> _Placing:
        """The kernel, with its local memory."""
        kernel = Kernel(partition.plan, f"{partition.name}_place", partition.op)
        work = TileKernel.begin(kernel, tile, partition.length, tiles)
        found, order = kernel.local(i32, tile.places, "found"), kernel.local(i32, tile.size, "order")
        bases = kernel.local(i64, partition.classes, "bases")
        return _Placing(partition, work, tiles, _Counters.begin(work, partition.classes), found, order, bases)

    def place(self, ends: SSAValue, results: Sequence[SSAValue]) -> None:
        """All of it; `ends` is the scan of the counts of tiles, class by class."""
        kernel, counters, group = self.work.kernel, self.counters, self.work.group
        self._find_classes()
        kernel.barrier()
        self._each_own(lambda _at, class_: counters.count(class_))
        kernel.barrier()
        counters.scan(Monoid(self.partition.operator(i32)))
        kernel.barrier()
        self._find_bases(ends)
        kernel.barrier()

        def rank(at: SSAValue, class_: SSAValue) -> None:
            place = index_of(kernel, counters.count(class_))
            offset = kernel.add(arith.SubiOp(at, group.lane)).result  # each lane has a place more than elements
            kernel.store(kernel.add(arith.IndexCastOp(offset, i32)).result, self.order, place)

        self._each_own(rank)
        kernel.barrier()
        self._store(results)
        self.work.finish(self.tiles)

    def _find_classes(self) -> None:
        """The class of each element; where there is none, one more than there are."""
        partition, work, kernel = self.partition, self.work, self.work.kernel
        nobody = word(kernel, partition.classes)

        def find(at: SSAValue, position: SSAValue, _carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            def inside() -> Sequence[SSAValue]:
                class_ = partition.class_of(kernel, partition.elements(kernel, position))
                return [kernel.add(arith.IndexCastOp(class_, i32)).result]

            (class_,) = kernel.branch(work.inside(position), inside, lambda: [nobody])
            kernel.store(class_, self.found, at)
            return []

        work.each_in_turn([], find)

    def _each_own(self, use: Callable[[SSAValue, SSAValue], object]) -> None:
        """Use the place in the tile, and the class, of each element that is the lane's own, in order."""
        kernel = self.work.kernel
        nobody = word(kernel, self.partition.classes)

        def each(at: SSAValue, _carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            class_ = kernel.load(self.found, at)

            def inside() -> Sequence[SSAValue]:
                use(at, index_of(kernel, class_))
                return []

            kernel.branch(kernel.add(arith.CmpiOp(class_, nobody, "ne")).result, inside)
            return []

        self.work.own([], each)

    def _find_bases(self, ends: SSAValue) -> None:
        """Where the elements of each class go, less the ranks of those before them in the tile; by a lane a class."""
        kernel, group = self.work.kernel, self.work.group
        before, number = kernel.parameter(ends, "ends"), kernel.parameter(self.tiles, "tiles")

        def find() -> Sequence[SSAValue]:
            first = kernel.load(self.counters.array, self.counters.of_lane(group.lane, 0))
            slot = group.index(arith.AddiOp, group.index(arith.MuliOp, group.lane, number), self.work.number)
            rank = kernel.add(arith.ExtUIOp(first, i64)).result
            base = kernel.add(arith.SubiOp(end_before(kernel, before, slot), rank)).result
            group.store([base], [self.bases], group.lane)
            return []

        kernel.branch(group.below(group.lane, self.partition.classes), find)

    def _store(self, results: Sequence[SSAValue]) -> None:
        """The lanes take the ranks in turn."""
        partition, work, kernel, group = self.partition, self.work, self.work.kernel, self.work.group
        start = group.index(arith.MuliOp, work.number, work.tile.size)

        def give_back(_at: SSAValue, position: SSAValue, _carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            def inside() -> Sequence[SSAValue]:
                rank = kernel.add(arith.SubiOp(position, start)).result
                offset = index_of(kernel, kernel.load(self.order, rank))
                elements = partition.elements(kernel, group.index(arith.AddiOp, start, offset))
                base = kernel.load(self.bases, partition.class_of(kernel, elements))
                wide = kernel.add(arith.IndexCastOp(rank, i64)).result
                place = index_of(kernel, kernel.add(arith.AddiOp(base, wide)).result)
                partition.store(kernel, elements, results, place)
                return []

            kernel.branch(work.inside(position), inside)
            return []

        work.each_in_turn([], give_back)

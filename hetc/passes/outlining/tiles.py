"""Tiles: consecutive elements that a work-group takes together, so that neighbours read neighbouring elements.

On a GPU the loads and stores of neighbouring work-items become one if what they access lies side by side. An operator
that does not commute wants consecutive elements in one work-item, though. So the items of a group read a tile in turn
into local memory; there each takes the consecutive elements that are its own, the group scans what these come to, and
the results go back the same way. What lies beyond the end of the data is an identity.

Blelloch, "Prefix sums and their applications", CMU-CS-90-190, 1990, section 1.3, has the levels; Harris, Sengupta and
Owens, "Parallel prefix sum (scan) with CUDA", GPU Gems 3, 2007, the blocks in local memory, and the places left free so
that the items of a group use different banks. The one pass over memory of Merrill and Garland, "Single-pass parallel
prefix scan with decoupled look-back", NVIDIA 2016, is not done: what a group finds there hangs on how far others are,
so sums of floats would not be the same each time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import ComplexType, Float16Type, Float32Type, Float64Type, IntegerType
from xdsl.ir import Attribute, Region, SSAValue

from hetc.analysis.speculative import may_all_go_on
from hetc.dataclass import dataclass
from hetc.passes.conversion.guarded import are_in_branches
from hetc.passes.outlining.groups import Group, exchange_bytes
from hetc.passes.outlining.host import HostPlan
from hetc.passes.outlining.kernel import Kernel
from hetc.passes.outlining.monoids import Monoid
from hetc.passes.outlining.runs import Elements, Operator

MOST_ITEMS = 16
BYTES_AN_ITEM = 64
"""How much of a tile a work-item takes at most: with 17 KiB a group, a GPU has room for as many as it can run."""

FEW = 1024
"""How many partial results are left to one work-item."""


@dataclass(frozen=True)
class GroupShape:
    """What a group may use: how many lanes it has, and bytes of local memory. Without any, there are no tiles."""

    lanes: int
    memory: int


@dataclass(frozen=True)
class Tile:
    """How a group takes its elements: `items` of them for each of its lanes.

    `guarded`: the last number of an element says if its guards have held. Where they have not, it is an identity.
    """

    lanes: int
    items: int
    guarded: bool = False

    @property
    def size(self) -> int:
        """The elements of a tile."""
        return self.lanes * self.items

    @property
    def places(self) -> int:
        """The places that a tile takes in local memory."""
        return self.lanes * (self.items + 1)

    @property
    def levels(self) -> int:
        """How many times tiles are made of what tiles come to, before what is left is little."""
        levels, covered = 1, self.size
        while covered * FEW < 1 << 31:
            levels, covered = levels + 1, covered * self.size
        return levels


def tile_of(shape: GroupShape, operator: Operator, transform: Region) -> Tile | None:
    """The tiles for an operator on what a transform makes of elements, or None: without room for them, or a way on.

    Where a guard fails, all may go on, or the transform goes around what follows; the operator goes on.
    """
    tile = tile_with_room(shape, operator.types)
    if tile is None or may_all_go_on([transform.block, operator.combine.block]):
        return tile
    if may_all_go_on([operator.combine.block]) and are_in_branches(transform.block):
        return replace(tile, guarded=True)
    return None


def transformed(kernel: Kernel, tile: Tile | None, transform: Region, inputs: Sequence[SSAValue]) -> Elements:
    """What a transform makes of the elements of a skeleton's inputs."""
    names = [argument.name_hint for argument in transform.block.args]
    inline = kernel.inline_told if tile is not None and tile.guarded else kernel.inline
    return lambda index: inline(transform, kernel.elements(inputs, names, index))


def tile_with_room(shape: GroupShape, types: Sequence[Attribute]) -> Tile | None:
    """The tiles of elements of these types, if there is room for them."""
    element = sum(map(_bytes, types))
    items = MOST_ITEMS
    while items > 1 and items * element > BYTES_AN_ITEM:
        items //= 2
    tile = Tile(shape.lanes, items)
    needed = tile.places * element + exchange_bytes(shape.lanes, element)
    is_power = shape.lanes & (shape.lanes - 1) == 0
    return tile if is_power and needed <= shape.memory else None


def _bytes(type_: Attribute) -> int:
    """What a number takes in local memory, where those of half precision are of single precision."""
    match type_:
        case ComplexType():
            return 2 * _bytes(type_.element_type)
        case Float16Type():
            return 4
        case Float32Type() | Float64Type():
            return type_.size
        case _:
            assert isinstance(type_, IntegerType)
            return -(-type_.width.data // 8)


# --------------------------------------------------------------------------------------------------------------------
# Kernels
# --------------------------------------------------------------------------------------------------------------------


@dataclass
class TileKernel:
    """A kernel of which each group takes a tile of so many elements."""

    kernel: Kernel
    tile: Tile
    length: SSAValue
    number: SSAValue
    group: Group

    @staticmethod
    def begin(kernel: Kernel, tile: Tile, length: SSAValue, count: SSAValue | None = None) -> TileKernel:
        """With the number of tiles, the last tile is the first to be taken: a kernel before has just read it."""
        group = Group(kernel, tile.lanes)
        number = group.number
        if count is not None:
            last = kernel.add(arith.SubiOp(kernel.parameter(count, "tiles"), kernel.constant(1))).result
            number = kernel.add(arith.SubiOp(last, number)).result
            number.name_hint = "tile"
        return TileKernel(kernel, tile, kernel.parameter(length, "length"), number, group)

    def each_in_turn(
        self,
        carried: Sequence[SSAValue],
        body: Callable[[SSAValue, SSAValue, Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> list[SSAValue]:
        """Loop over the elements that a lane takes in turn: its place in the tile and in the data of each."""
        group, lanes, items = self.group, self.tile.lanes, self.tile.items
        start = group.index(arith.AddiOp, group.index(arith.MuliOp, self.number, self.tile.size), group.lane)
        place = group.index(arith.AddiOp, group.lane, group.index(arith.DivUIOp, group.lane, items))

        def round_(turn: SSAValue, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
            at = group.index(arith.AddiOp, place, group.index(arith.MuliOp, turn, lanes + lanes // items))
            position = group.index(arith.AddiOp, start, group.index(arith.MuliOp, turn, lanes))
            return body(at, position, values)

        return group.count(0, items, carried, round_)

    def own(
        self, carried: Sequence[SSAValue], body: Callable[[SSAValue, Sequence[SSAValue]], Sequence[SSAValue]]
    ) -> list[SSAValue]:
        """Loop over the consecutive elements that are a lane's own: the place in the tile of each."""
        group = self.group
        first = group.index(arith.MuliOp, group.lane, self.tile.items + 1)
        return group.count(
            0, self.tile.items, carried, lambda k, values: body(group.index(arith.AddiOp, first, k), values)
        )

    def inside(self, position: SSAValue) -> SSAValue:
        """Whether there is an element at a position."""
        return self.group.below(position, self.length)

    def clamped(self, position: SSAValue) -> SSAValue:
        """A position, or the last one there is: so that loads need no test."""
        last = self.kernel.add(arith.SubiOp(self.length, self.kernel.constant(1))).result
        return self.kernel.add(arith.MinUIOp(position, last)).result

    def element(self, monoid: Monoid, elements: Elements, position: SSAValue) -> list[SSAValue]:
        """An element as it is combined: where there is none, an identity."""
        values, there = elements(self.clamped(position)), self.inside(position)
        if self.tile.guarded:
            *values, held = values
            there = self.kernel.add(arith.AndIOp(there, held)).result
        return monoid.present_if(self.kernel, there, values)

    def fill(self, monoid: Monoid, elements: Elements) -> list[SSAValue]:
        """The tile in local memory."""
        arrays = self.group.arrays(monoid.types, self.tile.places, "tile")

        def fill(place: SSAValue, position: SSAValue, _carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            self.group.store(self.element(monoid, elements, position), arrays, place)
            return []

        self.each_in_turn([], fill)
        self.kernel.barrier()
        return arrays

    def own_total(self, monoid: Monoid, arrays: Sequence[SSAValue]) -> list[SSAValue]:
        """What the elements that are a lane's own come to."""
        kernel, group = self.kernel, self.group
        return self.own(
            monoid.identity(kernel), lambda place, before: monoid.combined(kernel, before, group.load(arrays, place))
        )

    def finish(self, count: SSAValue) -> None:
        """Launch a group for each tile."""
        plan = self.kernel.plan
        extent = plan.add(arith.MuliOp(count, plan.constant(self.tile.lanes))).result
        self.kernel.finish(extent, group=self.tile.lanes)


def number_of_tiles(plan: HostPlan, tile: Tile, length: SSAValue) -> SSAValue:
    """How many tiles so many elements are."""
    return plan.add(arith.CeilDivUIOp(length, plan.constant(tile.size))).result


def tile_totals(
    kernel: Kernel, monoid: Monoid, tile: Tile, elements: Elements, length: SSAValue
) -> tuple[SSAValue, list[SSAValue]]:
    """What the elements of each tile come to: how many tiles there are, and buffers."""
    plan = kernel.plan
    count = number_of_tiles(plan, tile, length)
    buffers = [plan.allocate(count, type_) for type_ in monoid.operator.types]
    work = TileKernel.begin(kernel, tile, length)
    if monoid.commutes:
        total = work.each_in_turn(
            monoid.identity(kernel),
            lambda _place, position, before: monoid.combined(kernel, before, work.element(monoid, elements, position)),
        )
    else:
        total = work.own_total(monoid, work.fill(monoid, elements))

    def store(values: Sequence[SSAValue]) -> None:
        work.group.store(monoid.numbers_of(values), kernel.result_parameters(buffers), work.number)

    work.group.total(monoid, total, store)
    work.finish(count)
    return count, buffers


@dataclass(frozen=True)
class Totals:
    """How many tiles there are, and what tiles 0 to k come to, for each k."""

    count: SSAValue
    buffers: Sequence[SSAValue]


def scan_tiles(
    work: TileKernel,
    monoid: Monoid,
    elements: Elements,
    totals: Totals,
    results: Sequence[SSAValue],
    *,
    exclusive: bool,
) -> None:
    """Scan each tile, from what the tiles before it come to."""
    kernel, group, number = work.kernel, work.group, work.number
    arrays = work.fill(monoid, elements)
    total = work.own_total(monoid, arrays)
    sums = [kernel.parameter(buffer, f"before{k}") for k, buffer in enumerate(totals.buffers)]

    def tiles_before() -> Sequence[SSAValue]:
        previous = kernel.add(arith.SubiOp(number, kernel.constant(1))).result
        return monoid.present(kernel, group.load(sums, previous))

    def before() -> Sequence[SSAValue]:
        return kernel.branch(group.below(number, 1), lambda: monoid.beginning(kernel), tiles_before)

    def scan(place: SSAValue, running: Sequence[SSAValue]) -> Sequence[SSAValue]:
        combined = monoid.combined(kernel, running, group.load(arrays, place))
        values = monoid.numbers_of(running if exclusive else combined)
        group.store(values, monoid.numbers_of(arrays), place)
        return combined

    work.own(group.exclusive(monoid, total, before), scan)
    kernel.barrier()

    def give_back(place: SSAValue, position: SSAValue, _carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        def store() -> Sequence[SSAValue]:
            values = group.load(monoid.numbers_of(arrays), place)
            group.store(values, kernel.result_parameters(results), position)
            return []

        kernel.branch(work.inside(position), store)
        return []

    work.each_in_turn([], give_back)
    work.finish(totals.count)

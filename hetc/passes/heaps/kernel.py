"""A kernel with lists: what it does to the arrays and the state of its heap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TypeVar

from xdsl.dialects import arith, gpu, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, i8, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.abi import HeapState
from hetc.analysis.attributes import int_values, known_integer
from hetc.dataclass import dataclass
from hetc.dialects import guard, heap, offload
from hetc.passes.conversion.control_flow import Conversion
from hetc.passes.conversion.kernels import add_parameter, atomic_addition, global_id, run_only_if

Op = TypeVar("Op", bound=Operation)
SMALLEST_ROOM = 4
FULL = "the heap is full"


class Lists(Conversion):
    """Lists are carried as begin, length and room."""

    def expand(self, type_: Attribute) -> list[Attribute] | None:
        return [i64, i64, i64] if isinstance(type_, heap.ListType) else None

    def unpack(self, value: SSAValue) -> tuple[list[Operation], list[SSAValue]]:
        parts = heap.PartsOp(value)
        return [parts], list(parts.results)

    def pack(self, parts: Sequence[SSAValue], type_: Attribute) -> tuple[list[Operation], SSAValue]:
        made = heap.FromPartsOp(parts, type_)
        return [made], made.result


@dataclass(frozen=True)
class Parts:
    """A list, as its three integers."""

    begin: SSAValue
    length: SSAValue
    room: SSAValue


@dataclass
class Builder:
    """Appends ops to a block, or puts them before an op; all are of one place in the source."""

    source: Operation
    block: Block | None = None

    def add(self, op: Op) -> Op:
        """One op more."""
        op.location = self.source.location
        if self.block is None:
            Rewriter.insert_op(op, InsertPoint.before(self.source))
        else:
            self.block.add_op(op)
        return op

    def number(self, value: int) -> SSAValue:
        """An integer known now."""
        return self.add(arith.ConstantOp(IntegerAttr(value, i64))).result

    def index(self, value: SSAValue) -> SSAValue:
        """An integer as an index."""
        return self.add(arith.IndexCastOp(value, IndexType())).result

    def sum(self, left: SSAValue, right: SSAValue) -> SSAValue:
        """left + right."""
        return self.add(arith.AddiOp(left, right)).result

    def inside(self, block: Block) -> Builder:
        """The same for another block."""
        return Builder(self.source, block)


@dataclass
class HeapKernel:
    """Gives a kernel its heap, and lowers its lists, which control flow carries as parts already."""

    kernel: gpu.FuncOp
    launch: offload.LaunchOp
    made: offload.HeapOp
    areas: Sequence[Attribute]
    lists: dict[SSAValue, Parts] = field(default_factory=dict[SSAValue, Parts])

    def run(self) -> None:
        """Lower all ops of the dialect, in order, and let only iterations run that are left."""
        self.state = add_parameter(self.kernel, {self.launch: self.made.state}, "state")
        self.left = add_parameter(self.kernel, {self.launch: self.made.left}, "left")
        arrays = [add_parameter(self.kernel, {self.launch: b}, f"heap{k}") for k, b in enumerate(self.made.buffers)]
        self.arrays = offload.in_areas(arrays, int_values(self.made.areas))
        self.element = global_id(self.kernel).result
        lowered = [op for op in self.kernel.walk() if op.dialect_name() == heap.HEAP.name]
        for op in lowered:
            self.lower(op)
        for op in reversed(lowered):
            Rewriter.erase_op(op)
        self.run_what_is_left()

    def lower(self, op: Operation) -> None:
        """Lower one op; what it takes has been lowered."""
        build = Builder(op)
        match op:
            case heap.NewOp():
                self.lists[op.result] = self.new(build, op)
            case heap.FromPartsOp():
                self.lists[op.result] = Parts(op.begin, op.length, op.room)
            case heap.PartsOp():
                parts = self.lists[op.list]
                self.replace(op, [parts.begin, parts.length, parts.room])
            case heap.AppendOp():
                self.lists[op.result] = self.append(build, op)
            case heap.LengthOp():
                self.replace(op, [self.lists[op.list].length])
            case heap.LoadOp():
                place = build.index(build.sum(self.lists[op.list].begin, op.index))
                self.replace(op, [build.add(memref.LoadOp.get(a, [place])).res for a in self.arrays_of(op.list)])
            case heap.StoreOp():
                place = build.sum(self.lists[op.list].begin, op.index)
                self.store(build, op.item, self.arrays_of(op.list), place)
            case heap.PublishOp():
                parts = self.lists[op.list]
                base = self.load_state(build, self.area(op.list) + 1)
                self.replace(op, [build.sum(parts.begin, base), parts.length])
            case _:
                raise AssertionError(f"'{op.name}' is no op on lists")

    def replace(self, op: Operation, values: Sequence[SSAValue]) -> None:
        """What the results of an op are."""
        for result, value in zip(op.results, values, strict=True):
            if value.name_hint is None:
                value.name_hint = result.name_hint
            result.replace_all_uses_with(value)

    def arrays_of(self, list_: SSAValue) -> Sequence[SSAValue]:
        """The arrays of a list's items."""
        assert isinstance(list_.type, heap.ListType)
        return self.arrays[self.areas.index(list_.type.item)]

    def area(self, list_: SSAValue) -> int:
        """Where the state has the top of a list's area; its base follows."""
        assert isinstance(list_.type, heap.ListType)
        return HeapState.AREAS + 2 * self.areas.index(list_.type.item)

    def load_state(self, build: Builder, number: int) -> SSAValue:
        """A number of the state that no kernel changes."""
        return build.add(memref.LoadOp.get(self.state, [build.index(build.number(number))])).res

    def store(self, build: Builder, item: Sequence[SSAValue], arrays: Sequence[SSAValue], place: SSAValue) -> None:
        """Store an item."""
        index = build.index(place)
        for value, array in zip(item, arrays, strict=True):
            build.add(memref.StoreOp.get(value, array, [index]))

    def new(self, build: Builder, op: heap.NewOp) -> Parts:
        """An empty list."""
        zero = build.number(0)
        begin = zero if known_integer(op.room) == 0 else self.take(build, op.room, self.area(op.result))
        return Parts(begin, zero, op.room)

    def append(self, build: Builder, op: heap.AppendOp) -> Parts:
        """A list with one item more, which may have moved."""
        old = self.lists[op.list]
        begin, room = (old.begin, old.room) if op.in_room is not None else self.make_room(build, op, old)
        self.store(build, op.item, self.arrays_of(op.list), build.sum(begin, old.length))
        return Parts(begin, build.sum(old.length, build.number(1)), room)

    def make_room(self, build: Builder, op: heap.AppendOp, old: Parts) -> Sequence[SSAValue]:
        """Where a list begins, and its room, if it has room for one item more or is moved to where there is."""
        is_full = build.add(arith.CmpiOp(old.length, old.room, "eq")).result
        moved, kept = Block(), Block()
        inner = build.inside(moved)
        twice = inner.sum(old.room, old.room)
        room = inner.add(arith.MaxSIOp(twice, inner.number(SMALLEST_ROOM))).result
        begin = self.take(inner, room, self.area(op.list))
        self.copy(inner, self.arrays_of(op.list), old, begin)
        inner.add(scf.YieldOp(begin, room))
        build.inside(kept).add(scf.YieldOp(old.begin, old.room))
        where = build.add(scf.IfOp(is_full, [i64, i64], Region(moved), Region(kept)))
        for result, name in zip(where.results, ("begin", "room"), strict=True):
            result.name_hint = name
        return where.results

    def copy(self, build: Builder, arrays: Sequence[SSAValue], old: Parts, begin: SSAValue) -> None:
        """Copy the items of a list to another place."""
        body = Block(arg_types=[i64])
        inner, (number,) = build.inside(body), body.args
        number.name_hint = "item"
        source, target = inner.index(inner.sum(old.begin, number)), inner.index(inner.sum(begin, number))
        for array in arrays:
            value = inner.add(memref.LoadOp.get(array, [source])).res
            inner.add(memref.StoreOp.get(value, array, [target]))
        inner.add(scf.YieldOp())
        build.add(scf.ForOp(build.number(0), old.length, build.number(1), [], Region(body)))

    def take(self, build: Builder, room: SSAValue, top: int) -> SSAValue:
        """Take room for so many items: where it begins. The sum does not wrap, as the capacity is checked first."""
        capacity = self.load_state(build, HeapState.CAPACITY)
        self.check(build, build.add(arith.CmpiOp(room, capacity, "ule")).result)
        begin = build.add(atomic_addition(room, self.state, build.index(build.number(top)))).result
        begin.name_hint = "begin"
        end = build.sum(begin, room)
        self.check(build, build.add(arith.CmpiOp(end, capacity, "ule")).result)
        return begin

    def check(self, build: Builder, fits: SSAValue) -> None:
        """The work-item is left for another launch unless there is room."""
        check = guard.CheckOp(
            fits, self.state, HeapState.FULL, guard.GuardKind.ALLOC, FULL, mark=self.element, marks=self.left
        )
        build.add(check)

    def leave_if_full(self, build: Builder) -> None:
        """The work-item is left for another launch if others have asked for more than there was: no room is given back.

        What it would compute first is spared, on devices where it starts after they have done so.
        """
        capacity = self.load_state(build, HeapState.CAPACITY)
        for number in range(len(self.areas)):
            top = self.load_state(build, HeapState.AREAS + 2 * number)
            self.check(build, build.add(arith.CmpiOp(top, capacity, "ule")).result)

    def run_what_is_left(self) -> None:
        """before: body; after: if (this iteration is left) { check the heap; left[index] = 0; body }."""
        test = Block()
        build = Builder(self.kernel, test)
        until, again = (self.load_state(build, number) for number in (HeapState.UNTIL, HeapState.AGAIN))
        place = build.add(arith.IndexCastOp(self.element, i64)).result
        below = build.add(arith.CmpiOp(place, until, "ult")).result
        first = build.add(arith.CmpiOp(again, build.number(0), "eq")).result
        mark = build.add(memref.LoadOp.get(self.left, [self.element])).res
        zero = build.add(arith.ConstantOp(IntegerAttr(0, i8))).result
        marked = build.add(arith.CmpiOp(mark, zero, "ne")).result
        either = build.add(arith.OrIOp(first, marked)).result
        runs = build.add(arith.AndIOp(below, either)).result
        ops = list(test.ops)
        for op in ops:
            op.detach()
        body = run_only_if(self.kernel, ops, runs)
        start = body.first_op
        assert start is not None
        build = Builder(start)
        self.leave_if_full(build)
        done = build.add(arith.ConstantOp(IntegerAttr(0, i8))).result
        build.add(memref.StoreOp.get(done, self.left, [self.element]))

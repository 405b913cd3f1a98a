"""Copies of a scatter's items: how many there are, what type their numbers have, and how elements get into them.

Sums of 64-bit integers are kept in 32 bits where each run is so short that they fit. A histogram's copies then take
half the cache. A work-item has two copies if both find room near it, and puts each half of its run into one of its own:
so equal neighbours do not wait for one another, and the operands still keep their order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerAttr, IntegerType, i1, i32, i64
from xdsl.ir import Attribute, Operation, Region, SSAValue

from hetc.analysis.costs import is_light
from hetc.analysis.operators import identities
from hetc.analysis.ranges import Ranges
from hetc.dataclass import dataclass
from hetc.dialects import guard, skel
from hetc.passes.outlining.host import HostPlan
from hetc.passes.outlining.kernel import INDEX, Kernel
from hetc.passes.outlining.runs import run_bounds


@dataclass(frozen=True)
class CopiesShape:
    """How many copies there are at most, how many items all of them may have, and the work-group size (0: any).

    `near`: the bytes in which a work-item may have two copies; 0 for one copy of any size.
    """

    copies: int
    room: int
    group: int
    near: int = 0

    def each(self, op: skel.ScatterOp, types: Sequence[Attribute]) -> int:
        """How many copies a work-item has."""
        size = op.size.value.data * sum(map(_bytes, types))
        light = is_light(op.transform.block, guards=True) and is_light(op.combine.block)
        return 2 if light and 0 < 2 * size <= self.near else 1


def _bytes(type_: Attribute) -> int:
    return (type_.bitwidth if isinstance(type_, IntegerType | AnyFloat) else 128) // 8 or 1


LEAST_PER_ITEM = 16
"""Elements for each item that a run of narrow sums may have at least: else to add up copies would take as long."""


def narrow_sums(plan: HostPlan, op: skel.ScatterOp) -> tuple[list[Attribute], int | None]:
    """The types of a copy's numbers, and how many elements a run may have at most, if that is what makes them fit.

    A number that is only added to others has 32 bits if what an element adds, times these elements, fits them. What is
    added is any number of the range that it is proven to be in.
    """
    block = op.combine.block
    types = list(block.arg_types[: len(op.outputs)])
    sums = [k for k, type_ in enumerate(types) if type_ == i64 and _is_sum(op, k)]
    if not sums or identities(block) is None:
        return types, None
    ranges, end = Ranges(plan.module), op.transform.block.last_op
    assert isinstance(end, skel.YieldOp)
    longest = None
    for k in sums:
        added = ranges.get(end.operands[1 + k])
        most = (2**31 - 1) // max(1, abs(added.low), abs(added.high))
        if most >= LEAST_PER_ITEM * op.size.value.data:
            types[k] = i32
            longest = most if longest is None else min(longest, most)
    return types, longest


def _is_sum(op: skel.ScatterOp, number: int) -> bool:
    """Whether a component is added to those of other elements, and no guard asks whether it fits."""
    block = op.combine.block
    end = block.last_op
    assert isinstance(end, skel.YieldOp)
    sides = block.args[number], block.args[len(op.outputs) + number]
    guarded = any(isinstance(use.operation, guard.FitsOp) for side in sides for use in side.uses)
    return isinstance(end.operands[number].owner, arith.AddiOp) and not guarded


@dataclass(frozen=True)
class Runs:
    """The kernel whose work-items combine a run of elements each, into the copies of the items of their own."""

    plan: HostPlan
    op: skel.ScatterOp
    operator: Region
    """It may take one number more than the elements have: whether there is something to combine."""
    length: SSAValue
    run: SSAValue
    group: int
    each: int = 1

    def combine(self, copies: Sequence[SSAValue]) -> None:
        """Combine the elements into buffers in which the copies lie one after the other."""
        plan, op, each = self.plan, self.op, self.each
        kernel = Kernel(plan, f"{plan.entry.sym_name.data}_scatter", op)
        index = kernel.global_id()
        size, one = kernel.constant(op.size.value.data), kernel.constant(1)
        first = index if each == 1 else _index(kernel, arith.MuliOp, index, kernel.constant(each))
        base = _index(kernel, arith.MuliOp, first, size)
        start, end = run_bounds(kernel, index, self.length, self.run)
        bases, starts = [base], [start]
        if each > 1:
            part = _index(kernel, arith.DivUIOp, _index(kernel, arith.SubiOp, end, start), kernel.constant(each))
            for _ in range(each - 1):
                bases.append(_index(kernel, arith.AddiOp, bases[-1], size))
                starts.append(_index(kernel, arith.AddiOp, starts[-1], part))

            def side_by_side(number: SSAValue) -> None:
                for base, begin in zip(bases, starts, strict=True):
                    self._put(kernel, _index(kernel, arith.AddiOp, begin, number), base, copies)

            _count(kernel, (kernel.constant(0), part, one), side_by_side)
            start = _index(kernel, arith.AddiOp, starts[-1], part)
        _count(kernel, (start, end, one), lambda position: self._put(kernel, position, bases[-1], copies))
        kernel.finish(plan.add(arith.CeilDivUIOp(self.length, self.run)).result, group=self.group)

    def _put(self, kernel: Kernel, position: SSAValue, base: SSAValue, copies: Sequence[SSAValue]) -> None:
        """Combine the element at a position into the copy that begins at `base`."""
        place, values = scattered(kernel, self.op, position)
        if len(copies) > len(values):
            values.append(kernel.add(arith.ConstantOp(IntegerAttr(1, i1))).result)
        slot = _index(kernel, arith.AddiOp, base, place)
        buffers = kernel.result_parameters(copies)
        items = [kernel.load(buffer, slot) for buffer in buffers]
        combined = kernel.inline(self.operator, [*widened(kernel, self.operator, items), *values])
        for value, item, buffer in zip(combined, items, buffers, strict=True):
            narrow = kernel.add(arith.TruncIOp(value, i32)).result if value.type != item.type else value
            kernel.store(narrow, buffer, slot)


def widened(kernel: Kernel, operator: Region, numbers: Sequence[SSAValue]) -> list[SSAValue]:
    """The numbers of an item in a copy, as the operator takes them."""
    types = operator.block.arg_types
    return [
        kernel.add(arith.ExtSIOp(number, i64)).result if number.type != type_ else number
        for number, type_ in zip(numbers, types, strict=False)
    ]


def scattered(kernel: Kernel, op: skel.ScatterOp, position: SSAValue) -> tuple[SSAValue, list[SSAValue]]:
    """The place of an element, and what is to be combined into the item there."""
    names = [argument.name_hint for argument in op.transform.block.args]
    place, *values = kernel.inline(op.transform, kernel.elements(op.inputs, names, position))
    return kernel.add(arith.IndexCastOp(place, INDEX)).result, values


def _count(kernel: Kernel, bounds: tuple[SSAValue, SSAValue, SSAValue], body: Callable[[SSAValue], None]) -> None:
    def each(number: SSAValue, _carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        body(number)
        return []

    kernel.loop(bounds, [], each)


def _index(
    kernel: Kernel,
    kind: type[arith.AddiOp | arith.SubiOp | arith.MuliOp | arith.DivUIOp],
    left: SSAValue,
    right: SSAValue,
) -> SSAValue:
    op: Operation = kernel.add(kind(left, right))
    return op.results[0]

"""`skel.scatter` that adds up integers: each work-group has a copy of the items in local memory.

Integers that wrap may be added in any order, so the work-items of a group add to one copy, atomically, and the copies
to the results. The elements are taken in turn, so that neighbours read neighbouring ones. Where each element adds zero
or one, as in a histogram, the copies have 32 bits: no more than 2**31 elements are counted.

Shams and Kennedy, "Efficient histogram algorithms for NVIDIA CUDA compatible devices", 2007.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, MemRefType, TensorType, i1, i8, i16, i32
from xdsl.ir import SSAValue

from hetc.analysis.attributes import known_integer
from hetc.analysis.costs import is_light
from hetc.analysis.operators import is_commutative
from hetc.dataclass import dataclass
from hetc.dialects import skel
from hetc.passes.conversion.guarded import are_in_branches, has_guard
from hetc.passes.conversion.kernels import atomic_addition
from hetc.passes.outlining.groups import Group
from hetc.passes.outlining.host import HostPlan
from hetc.passes.outlining.kernel import INDEX, Kernel

ROUND = 16
"""How many elements a work-item takes before it looks if there are more."""


@dataclass(frozen=True)
class SumsShape:
    """The groups that are launched at most, the lanes of each, what local memory they have, and atomic additions.

    `words`: buffers begin where a word does.
    """

    groups: int
    lanes: int
    memory: int
    atomics: tuple[int, ...]
    words: bool


def copied_types(plan: HostPlan, op: skel.ScatterOp, shape: SumsShape) -> list[IntegerType] | None:
    """The types of the items in local memory; None if they are no such sums, have no room, or are not added to.

    A guard in a loop of the transform is refused: there is no way around what follows it. So is one of the sum.
    """
    end, sums = op.transform.block.last_op, op.combine.block.last_op
    assert isinstance(end, skel.YieldOp)
    assert isinstance(sums, skel.YieldOp)
    wide = "skel.wide" in plan.entry.attributes
    types = [_copied(value, wide=wide, atomics=shape.atomics) for value in end.operands[1:]]
    known = [type_ for type_ in types if type_ is not None]
    added = is_commutative(op.combine.block) and all(isinstance(value.owner, arith.AddiOp) for value in sums.operands)
    guarded = any(map(has_guard, op.combine.block.ops)) or not are_in_branches(op.transform.block)
    if not added or len(known) < len(types) or guarded:
        return None
    bytes_ = op.size.value.data * sum(type_.width.data // 8 for type_ in known)
    return known if 0 < bytes_ <= shape.memory else None


def _copied(value: SSAValue, *, wide: bool, atomics: Sequence[int]) -> IntegerType | None:
    type_ = value.type
    if not isinstance(type_, IntegerType) or type_.width.data not in atomics:
        return None
    is_bit = known_integer(value) in (0, 1) or (isinstance(value.owner, arith.ExtUIOp) and value.owner.input.type == i1)
    return i32 if is_bit and not wide else type_


def add_in_local_memory(
    plan: HostPlan,
    op: skel.ScatterOp,
    length: SSAValue,
    results: Sequence[SSAValue],
    types: Sequence[IntegerType],
    shape: SumsShape,
) -> None:
    """Add the elements to results, in which the initial values are."""
    lanes = shape.lanes
    share = lanes * ROUND
    needed = plan.add(arith.CeilDivUIOp(length, plan.constant(share))).result
    groups = plan.add(arith.MinUIOp(needed, plan.constant(shape.groups))).result
    kernel = Kernel(plan, f"{plan.entry.sym_name.data}_scatter", op)
    group = Group(kernel, lanes)
    copies = group.arrays(types, op.size.value.data, "mine")
    _for_items(group, op, lambda item: group.store([_zero(kernel, type_) for type_ in types], copies, item))
    kernel.barrier()
    total = kernel.parameter(length, "length")
    step = group.index(arith.MuliOp, kernel.parameter(groups, "groups"), share)
    elements = _Elements(group, op, total, copies, words=shape.words)

    def each_round(start: SSAValue, _carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        elements.add(start)
        return []

    kernel.loop((group.index(arith.MuliOp, group.number, share), total, step), [], each_round)
    kernel.barrier()
    _for_items(group, op, lambda item: _give(group, item, copies, results))
    kernel.finish(plan.add(arith.MuliOp(groups, plan.constant(lanes))).result, group=lanes)


@dataclass(frozen=True)
class _Elements:
    """What the work-items of a group add to its copy of the items in a round."""

    group: Group
    op: skel.ScatterOp
    total: SSAValue
    copies: Sequence[SSAValue]
    words: bool

    def add(self, start: SSAValue) -> None:
        """Add the elements from `start` on; a round in which there are all of them, and they are light, has no tests.

        Tests keep NVIDIA's compiler from loading several elements at once. The histogram of 256 Mi bytes takes 0.40 ms
        with a branch around each addition, 0.17 where zero is added to the last element's item in its place, 0.157
        without a test in whole rounds, and 0.134 there if four bytes are loaded at once (H200).
        """
        if not is_light(self.op.transform.block):
            self._add_what_there_is(start)
            return
        kernel = self.group.kernel
        end = self.group.index(arith.AddiOp, start, self.group.lanes * ROUND)
        whole = kernel.add(arith.CmpiOp(end, self.total, "ule")).result
        kernel.branch(whole, lambda: self._add_all(start), lambda: self._add_what_there_is(start))

    def _add_what_there_is(self, start: SSAValue) -> Sequence[SSAValue]:
        """One element a turn; beyond the end, nothing is added to the item of the last."""
        group, kernel = self.group, self.group.kernel
        last = kernel.add(arith.SubiOp(self.total, kernel.constant(1))).result

        def each_turn(position: SSAValue) -> None:
            there = kernel.add(arith.MinUIOp(position, last)).result
            self._add(self._numbers(there), group.below(position, self.total))

        self._turns(start, ROUND, each_turn)
        return []

    def _add_all(self, start: SSAValue) -> Sequence[SSAValue]:
        """One element a turn, or a word of them."""
        parts = _parts_of_words(self.op) if self.words else 1
        if parts == 1:
            self._turns(start, ROUND, lambda position: self._add(self._numbers(position)))
        else:
            first = self.group.index(arith.DivUIOp, start, parts)
            self._turns(first, ROUND // parts, lambda position: self._add_words(position, parts))
        return []

    def _turns(self, start: SSAValue, rounds: int, body: Callable[[SSAValue], None]) -> None:
        group = self.group
        first = group.index(arith.AddiOp, start, group.lane)

        def each(turn: SSAValue, _carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            body(group.index(arith.AddiOp, first, group.index(arith.MuliOp, turn, group.lanes)))
            return []

        group.count(0, rounds, [], each)

    def _numbers(self, position: SSAValue) -> list[SSAValue]:
        names = [argument.name_hint for argument in self.op.transform.block.args]
        return self.group.kernel.elements(self.op.inputs, names, position)

    def _add_words(self, position: SSAValue, parts: int) -> None:
        """The elements in a word of each input, the lowest bits first."""
        kernel = self.group.kernel
        arrays = [kernel.words(array, f"words{k}") for k, array in enumerate(self.op.inputs)]
        words = self.group.load(arrays, position)
        width = 32 // parts
        for part in range(parts):
            shift = kernel.add(arith.ConstantOp(IntegerAttr(part * width, i32))).result
            shifted = [kernel.add(arith.ShRUIOp(word, shift)).result for word in words]
            self._add([kernel.add(arith.TruncIOp(number, IntegerType(width))).result for number in shifted])

    def _add(self, numbers: Sequence[SSAValue], inside: SSAValue | None = None) -> None:
        """Add an element to its item: what it comes to, or zero."""
        kernel = self.group.kernel

        def add(values: Sequence[SSAValue]) -> None:
            place = kernel.add(arith.IndexCastOp(values[0], INDEX)).result
            for value, array in zip(values[1:], self.copies, strict=True):
                added = _as_copied(kernel, value, array)
                if inside is not None:
                    added = kernel.add(arith.SelectOp(inside, added, _zero(kernel, element_of(array)))).result
                kernel.add(atomic_addition(added, array, place))

        kernel.inline_past_guards(self.op.transform, numbers, add)


def _parts_of_words(op: skel.ScatterOp) -> int:
    """How many elements are in a word of 32 bits, if all inputs are in memory and have such elements; else 1."""
    if not all(isinstance(array.type, TensorType) for array in op.inputs):
        return 1
    types = op.transform.block.arg_types
    return next((parts for type_, parts in ((i8, 4), (i16, 2)) if all(t == type_ for t in types)), 1)


def _give(group: Group, item: SSAValue, copies: Sequence[SSAValue], results: Sequence[SSAValue]) -> None:
    """Add an item of a copy to that of the results."""
    kernel = group.kernel
    for value, buffer in zip(group.load(copies, item), kernel.result_parameters(results), strict=True):
        type_ = element_of(buffer)
        wide = value if value.type == type_ else kernel.add(arith.ExtSIOp(value, type_)).result
        kernel.add(atomic_addition(wide, buffer, item))


def _as_copied(kernel: Kernel, value: SSAValue, array: SSAValue) -> SSAValue:
    type_ = element_of(array)
    return value if value.type == type_ else kernel.add(arith.TruncIOp(value, type_)).result


def _for_items(group: Group, op: skel.ScatterOp, body: Callable[[SSAValue], None]) -> None:
    """Do something with each item, the lanes in turn."""
    kernel = group.kernel

    def each(item: SSAValue, _carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        body(item)
        return []

    kernel.loop((group.lane, kernel.constant(op.size.value.data), kernel.constant(group.lanes)), [], each)


def element_of(array: SSAValue) -> IntegerType:
    """The type of an array's elements."""
    assert isinstance(array.type, MemRefType)
    assert isinstance(array.type.element_type, IntegerType)
    return array.type.element_type


def _zero(kernel: Kernel, type_: IntegerType) -> SSAValue:
    return kernel.add(arith.ConstantOp(IntegerAttr(0, type_))).result

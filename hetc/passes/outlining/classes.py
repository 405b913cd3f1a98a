"""What the kernels of a partition share: elements, their classes, counters, and where what is kept goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i32, i64
from xdsl.ir import Block, Region, SSAValue

from hetc.dialects import skel
from hetc.passes.outlining.host import HostPlan
from hetc.passes.outlining.kernel import INDEX, Kernel
from hetc.passes.outlining.runs import Operator


@dataclass(frozen=True)
class Partition:
    """The kernels of one partition."""

    plan: HostPlan
    op: skel.PartitionOp
    length: SSAValue
    name: str

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return self.op.classes.value.data

    def operator(self, type_: IntegerType) -> Operator:
        """The addition of counts."""
        block = Block(arg_types=[type_, type_])
        add = arith.AddiOp(block.args[0], block.args[1])
        end = skel.YieldOp(add.result)
        add.location = end.location = self.op.location
        block.add_ops([add, end])
        return Operator(self.op, Region(block))

    def elements(self, kernel: Kernel, position: SSAValue) -> list[SSAValue]:
        """The elements at a position."""
        names = [argument.name_hint for argument in self.op.body.block.args]
        return kernel.elements(self.op.inputs, names, position)

    def class_of(self, kernel: Kernel, elements: Sequence[SSAValue]) -> SSAValue:
        """The class of an element, as an index."""
        (number,) = kernel.inline(self.op.body, elements)
        return kernel.add(arith.IndexCastOp(number, INDEX)).result

    def store(self, kernel: Kernel, elements: Sequence[SSAValue], results: Sequence[SSAValue], place: SSAValue) -> None:
        """Put what is kept of an element in its place."""
        kept = elements[len(elements) - len(results) :]
        for value, buffer in zip(kept, kernel.result_parameters(results), strict=True):
            kernel.store(value, buffer, place)


def word(kernel: Kernel, value: int) -> SSAValue:
    """A constant of 32 bits."""
    return kernel.add(arith.ConstantOp(IntegerAttr(value, i32))).result


def index_of(kernel: Kernel, number: SSAValue) -> SSAValue:
    """An integer as an index."""
    return kernel.add(arith.IndexCastOp(number, INDEX)).result


def count_one(kernel: Kernel, counters: SSAValue, place: SSAValue) -> SSAValue:
    """A counter, which counts one more from then on."""
    before = kernel.load(counters, place)
    assert isinstance(before.type, IntegerType)
    one = kernel.add(arith.ConstantOp(IntegerAttr(1, before.type))).result
    kernel.store(kernel.add(arith.AddiOp(before, one)).result, counters, place)
    return before


def end_before(kernel: Kernel, ends: SSAValue, index: SSAValue) -> SSAValue:
    """Where what comes before an index ends: at first, zero."""

    def nothing() -> Sequence[SSAValue]:
        return [kernel.add(arith.ConstantOp(IntegerAttr(0, i64))).result]

    def before() -> Sequence[SSAValue]:
        return [kernel.load(ends, kernel.add(arith.SubiOp(index, kernel.constant(1))).result)]

    is_first = kernel.add(arith.CmpiOp(index, kernel.constant(0), "eq")).result
    return kernel.branch(is_first, nothing, before)[0]

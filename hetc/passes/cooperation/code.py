"""Appends ops to a block, or inserts them before one, each with the location of what it stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, gpu, memref, scf
from xdsl.dialects.builtin import Float32Type, Float64Type, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.kernels import is_pure
from hetc.analysis.speculative import INTEGER_DIVISIONS
from hetc.dialects import offload

Kind = IndexType | IntegerType
"""What loops count in."""

IndexOp = (
    arith.AddiOp | arith.SubiOp | arith.MuliOp | arith.DivUIOp | arith.RemUIOp | arith.MinUIOp | arith.MaxUIOp
    | arith.MaxSIOp | arith.AndIOp
)  # fmt: skip


@dataclass
class Code:
    """Code at an end of a block, or before an op. `source` is what it stands for."""

    point: InsertPoint | Block
    source: Operation
    constants: dict[tuple[int, Attribute], SSAValue] = field(default_factory=dict[tuple[int, Attribute], SSAValue])

    def put(self, op: Operation) -> Operation:
        """An op, in its place."""
        op.location = self.source.location
        return self._at_point(op)

    def add(self, op: Operation, name: str | None = None) -> SSAValue:
        """An op of one result, in its place."""
        (result,) = self.put(op).results
        result.name_hint = name
        return result

    def constant(self, number: int, kind: Kind = offload.INDEX) -> SSAValue:
        """A number; the same one for the same number."""
        if (number, kind) not in self.constants:
            self.constants[number, kind] = self.add(arith.ConstantOp(IntegerAttr(number, kind)))
        return self.constants[number, kind]

    def compute(self, op: type[IndexOp], left: SSAValue, right: SSAValue | int) -> SSAValue:
        """A number computed from two."""
        if isinstance(right, int):
            kind = left.type
            assert isinstance(kind, Kind)
            if op in (arith.AddiOp, arith.SubiOp) and right == 0:
                return left
            if op in (arith.MuliOp, arith.DivUIOp) and right == 1:
                return left
            right = self.constant(right, kind)
        return self.add(op(left, right))

    def advance(self, left: SSAValue, right: SSAValue) -> SSAValue:
        """A sum of which it is known that it does not wrap."""
        op = arith.AddiOp(left, right)
        if isinstance(left.type, IntegerType):
            op.overflow_flags = arith.IntegerOverflowAttr((arith.IntegerOverflowFlag.NSW,))
        return self.add(op)

    def scale(self, value: SSAValue, factor: int) -> SSAValue:
        """A multiple of a signed number, of which it is known that it does not wrap."""
        assert isinstance(value.type, IntegerType)
        op = arith.MuliOp(value, self.constant(factor, value.type))
        op.overflow_flags = arith.IntegerOverflowAttr((arith.IntegerOverflowFlag.NSW,))
        return self.add(op)

    def cast(self, value: SSAValue, kind: Kind) -> SSAValue:
        """A number as another kind of number."""
        return value if value.type == kind else self.add(arith.IndexCastOp(value, kind))

    def copy(self, op: Operation, values: Mapping[SSAValue, SSAValue]) -> Sequence[SSAValue]:
        """A copy of an op, with other values in it."""
        used = {operand for inner in op.walk() for operand in inner.operands if operand in values}
        copy = op.clone({value: values[value] for value in used})
        return self._at_point(copy).results

    def barrier(self) -> None:
        """All work-items of the group wait for each other."""
        self.put(gpu.BarrierOp())

    def load(self, memory: SSAValue, place: SSAValue, instead_of: memref.LoadOp) -> SSAValue:
        """A number in memory, in the place of another load."""
        op = memref.LoadOp.get(memory, [place])
        op.location = instead_of.location
        op.res.name_hint = instead_of.res.name_hint
        return self._at_point(op).results[0]

    def store(self, value: SSAValue, memory: SSAValue, place: SSAValue) -> None:
        """A number into memory."""
        op = memref.StoreOp.get(value, memory, [place])
        op.location = value.owner.location if isinstance(value.owner, Operation) else self.source.location
        self._at_point(op)

    def loop(self, bounds: tuple[SSAValue, SSAValue, SSAValue], carried: Sequence[SSAValue], body: Block) -> scf.ForOp:
        """A counted loop over a block, from a first number to an end by a step."""
        op = scf.ForOp(*bounds, carried, Region(body))
        self.put(op)
        return op

    def _at_point(self, op: Operation) -> Operation:
        if isinstance(self.point, Block):
            self.point.add_op(op)
        else:
            Rewriter.insert_op(op, self.point)
        return op


def sizes(shape: Sequence[int], dimensions: Sequence[int]) -> int:
    """How many work-items of a group there are along some dimensions."""
    product = 1
    for dimension in dimensions:
        product *= shape[dimension]
    return product


def erase_unused(block: Block) -> None:
    """Erase what nothing uses."""
    for op in reversed(list(block.ops)):
        unused = op.results and not any(result.uses for result in op.results)
        if unused and not op.regions and (is_pure(op) or isinstance(op, (memref.LoadOp, *INTEGER_DIVISIONS))):
            block.erase_op(op)


def number_bytes(type_: Attribute) -> int:
    """What a number takes in local memory."""
    if isinstance(type_, IntegerType):
        return max(1, type_.width.data // 8)
    assert isinstance(type_, Float32Type | Float64Type)
    return type_.size

"""One-to-many type conversion of structured control flow.

`flatten-tuples` carries a tuple through a branch or loop as its items, `box-elimination` a boxed number as its payload.
Both convert the results, loop-carried values and block arguments of `scf.if`, `scf.for` and `scf.while`, with *unpack*
ops where a value of the old type goes in and a *pack* op where one comes out; the pairs that meet then cancel.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.passes.conversion.insertion import insert


class Conversion(ABC):
    """How values of one kind of type are carried as values of other types."""

    @abstractmethod
    def expand(self, type_: Attribute) -> list[Attribute] | None:
        """The types that carry a value of this type, None if it stays as it is."""

    @abstractmethod
    def unpack(self, value: SSAValue) -> tuple[list[Operation], list[SSAValue]]:
        """The ops that take a value apart, and the parts."""

    @abstractmethod
    def pack(self, parts: Sequence[SSAValue], type_: Attribute) -> tuple[list[Operation], SSAValue]:
        """The ops that put a value together, and the value."""

    def convert(self, root: Operation) -> None:
        """Convert all structured control flow below an op, outermost first."""
        work = [block for region in root.regions for block in region.blocks]
        while work:
            block = work.pop()
            for op in list(block.ops):
                current = op
                if isinstance(op, scf.IfOp | scf.ForOp | scf.WhileOp) and self._concerns(op):
                    current = self._convert(op)
                work.extend(inner for region in current.regions for inner in region.blocks)

    def _concerns(self, op: Operation) -> bool:
        types = [*op.result_types, *op.operand_types]
        types += [type_ for region in op.regions for block in region.blocks for type_ in block.arg_types]
        return any(self.expand(type_) is not None for type_ in types)

    def _convert(self, op: scf.IfOp | scf.ForOp | scf.WhileOp) -> Operation:
        operands = self._unpacked(op.operands, InsertPoint.before(op), op)
        for region in op.regions:
            self._convert_block(region.block)
        types = self.expanded(op.result_types)
        regions = [op.detach_region(region) for region in list(op.regions)]
        new = _rebuild(op, operands, types, regions)
        new.location = op.location
        new.attributes |= op.attributes
        Rewriter.insert_op(new, InsertPoint.before(op))
        self._replace_results(op, new)
        return new

    def expanded(self, types: Sequence[Attribute]) -> list[Attribute]:
        """The types that carry values of these types; an empty tuple is carried by none."""
        expanded = [(type_, self.expand(type_)) for type_ in types]
        return [part for type_, parts in expanded for part in ([type_] if parts is None else parts)]

    def _unpacked(self, values: Sequence[SSAValue], point: InsertPoint, source: Operation) -> list[SSAValue]:
        parts: list[SSAValue] = []
        for value in values:
            if self.expand(value.type) is None:
                parts.append(value)
                continue
            ops, unpacked = self.unpack(value)
            insert(ops, point, source)
            parts += unpacked
        return parts

    def _convert_block(self, block: Block) -> None:
        terminator = block.last_op
        assert terminator is not None
        terminator.operands = self._unpacked(terminator.operands, InsertPoint.before(terminator), terminator)
        for argument in list(block.args):
            types = self.expand(argument.type)
            if types is None:
                continue
            parts: list[BlockArgument] = []
            for type_ in types:
                part = block.insert_arg(type_, argument.index)
                part.name_hint = argument.name_hint
                parts.append(part)
            ops, value = self.pack(parts, argument.type)
            first = block.first_op
            assert first is not None
            insert(ops, InsertPoint.before(first), first)
            argument.replace_all_uses_with(value)
            block.erase_arg(argument)

    def _replace_results(self, old: Operation, new: Operation) -> None:
        position = 0
        for result in old.results:
            types = self.expand(result.type)
            count = 1 if types is None else len(types)
            parts = new.results[position : position + count]
            position += count
            for part in parts:
                part.name_hint = result.name_hint
            if types is None:
                result.replace_all_uses_with(parts[0])
                continue
            ops, value = self.pack(parts, result.type)
            insert(ops, InsertPoint.after(new), old)
            result.replace_all_uses_with(value)
        Rewriter.erase_op(old)


def _rebuild(
    op: scf.IfOp | scf.ForOp | scf.WhileOp,
    operands: Sequence[SSAValue],
    types: Sequence[Attribute],
    regions: Sequence[Region],
) -> Operation:
    if isinstance(op, scf.IfOp):
        return scf.IfOp(operands[0], types, regions[0], regions[1] if len(regions) > 1 else None)
    if isinstance(op, scf.ForOp):
        return scf.ForOp(operands[0], operands[1], operands[2], operands[3:], regions[0])
    return scf.WhileOp(operands, types, regions[0], regions[1])

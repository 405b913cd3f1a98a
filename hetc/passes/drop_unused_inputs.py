"""drop-unused-inputs: a skeleton takes only the arrays of which it reads elements."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, i32
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from hetc.analysis.attributes import int_values
from hetc.analysis.walking import walk
from hetc.dialects import skel


@dataclass(frozen=True)
class DropUnusedInputsPass(ModulePass):
    """Drop the inputs of a skeleton whose elements it does not read, so that they are not moved to the device.

    Needs: objects and tuples carried as their parts. Leaves: maps, filters, reductions, scans and scatters of which
    each input is read; where one reads none, its first input stays, which says how many elements there are.

    1. Find the inputs whose argument no region uses; keep the first of them if there is no other.
    2. Take them, and their arguments, away.

    Cost: linear. HJ-OpenCL moves whole objects; this is why a field that a kernel does not read costs nothing.
    """

    name = "drop-unused-inputs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in walk(op):
            match inner:
                case skel.MapOp():
                    _drop_unused(inner, len(inner.inputs), [inner.body.block])
                case skel.FilterOp():
                    _drop_unused(inner, len(inner.inputs), [inner.predicate.block, inner.transform.block])
                case skel.ReduceOp() | skel.ScanOp() | skel.ScatterOp():
                    _drop_unused(inner, len(inner.inputs), [inner.transform.block])
                case _:
                    pass


def _drop_unused(op: Operation, count: int, blocks: list[Block]) -> None:
    """Drop those of the first operands, the inputs, whose elements no block reads."""
    read = [any(argument.uses for argument in arguments) for arguments in zip(*(b.args for b in blocks), strict=True)]
    if all(read):
        return
    if not any(read):
        read[0] = True
    op.operands = [value for place, value in enumerate(op.operands) if place >= count or read[place]]
    for block in blocks:
        for argument, is_read in zip(list(block.args), read, strict=True):
            if not is_read:
                block.erase_arg(argument)
    if SEGMENTS in op.properties:
        sizes = (sum(read), *int_values(op.properties[SEGMENTS])[1:])
        op.properties[SEGMENTS] = DenseArrayBase.from_list(i32, sizes)


SEGMENTS = "operandSegmentSizes"
"""Where an op with several groups of operands keeps how many there are in each."""

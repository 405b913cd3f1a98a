"""drop-unused-inputs: a skeleton takes only the arrays of which it reads elements."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.dialects import skel
from hetc.passes.conversion.insertion import insert


@dataclass(frozen=True)
class DropUnusedInputsPass(ModulePass):
    """Drop the inputs of a map or filter whose elements it does not read, so that they are not moved to the device.

    Needs: objects and tuples carried as their parts. Leaves: maps and filters of which each input is read; where one
    reads none, its first input stays, which says how many elements there are.

    1. Find the inputs whose argument no region uses; keep the first of them if there is no other.
    2. Make the map again without them.

    Cost: linear. HJ-OpenCL moves whole objects; this is why a field that a kernel does not read costs nothing.
    """

    name = "drop-unused-inputs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            if isinstance(inner, skel.MapOp | skel.FilterOp):
                _drop_unused(inner)


def _drop_unused(op: skel.MapOp | skel.FilterOp) -> None:
    blocks = [region.block for region in op.regions]
    read = [any(argument.uses for argument in arguments) for arguments in zip(*(b.args for b in blocks), strict=True)]
    if all(read):
        return
    if not any(read):
        read[0] = True
    kept = [value for value, is_read in zip(op.inputs, read, strict=True) if is_read]
    for block in blocks:
        for argument, is_read in zip(list(block.args), read, strict=True):
            if not is_read:
                block.erase_arg(argument)
    regions = [op.detach_region(region) for region in list(op.regions)]
    new = (
        skel.MapOp(kept, list(op.result_types), *regions)
        if isinstance(op, skel.MapOp)
        else skel.FilterOp(kept, list(op.result_types), *regions, positions=op.positions is not None)
    )
    new.attributes |= op.attributes
    insert([new], InsertPoint.before(op), op)
    for old, result in zip(op.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    Rewriter.erase_op(op)

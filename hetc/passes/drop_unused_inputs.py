"""drop-unused-inputs: a skeleton takes only the arrays of which it reads elements."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from hetc.dialects import skel


@dataclass(frozen=True)
class DropUnusedInputsPass(ModulePass):
    """Drop the inputs of a `skel.map` whose elements its body does not read, so that they are not moved to the device.

    Needs: objects and tuples carried as their parts. Leaves: maps of which each input is read; where a map reads none,
    its first input stays, which says how many elements there are.

    1. Find the arguments of the body without uses; keep the first of them if there is no other.
    2. Make the map again without them.

    Cost: linear. HJ-OpenCL moves whole objects; this is why a field that a kernel does not read costs nothing.
    """

    name = "drop-unused-inputs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            if isinstance(inner, skel.MapOp):
                _drop_unused(inner)


def _drop_unused(op: skel.MapOp) -> None:
    block = op.body.block
    read = [bool(argument.uses) for argument in block.args]
    if all(read):
        return
    if not any(read):
        read[0] = True
    kept = [value for value, is_read in zip(op.inputs, read, strict=True) if is_read]
    for argument, is_read in zip(list(block.args), read, strict=True):
        if not is_read:
            block.erase_arg(argument)
    new = skel.MapOp(kept, list(op.result_types), op.detach_region(op.body))
    new.location = op.location
    new.attributes |= op.attributes
    parent = op.parent_block()
    assert parent is not None
    parent.insert_op_before(new, op)
    for old, result in zip(op.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    parent.erase_op(op)

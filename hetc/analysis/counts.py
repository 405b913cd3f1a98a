"""Loops that count: sums of zeros and ones, in whatever order they are added."""

from __future__ import annotations

from xdsl.dialects import arith, math, memref, scf
from xdsl.dialects.builtin import Float32Type, Float64Type, IntegerType, i1
from xdsl.ir import Block, Operation, SSAValue

from hetc.analysis.attributes import known_integer
from hetc.dialects import skel

_LOGIC = arith.AndIOp | arith.OrIOp | arith.XOrIOp
_FLOATS = arith.AddfOp | arith.SubfOp | arith.MulfOp | arith.ExtFOp | arith.NegfOp | math.AbsFOp
_FREE = arith.ConstantOp | skel.CapturedOp | skel.YieldOp


def only_compares(predicate: Block) -> bool:
    """Whether all that is done with an element is to compare its numbers, floats after sums and products."""
    return all(map(_is_compared, predicate.args)) and all(
        isinstance(op, _FREE) or _is_comparison(op) for op in predicate.ops
    )


def only_counts(loop: scf.ForOp) -> bool:
    """Whether a counted loop adds zeros and ones alone, which comparisons of numbers in rows of memory say.

    The numbers are floats of 32 or 64 bits, and integers and truths as they stand in memory. A loop that does anything
    else with its variable, with what it carries, or with integers, is none.
    """
    variable, *carried = loop.body.block.args
    *ops, end = loop.body.block.ops
    if known_integer(loop.step) != 1 or not carried:
        return False
    sums = [value.owner for value in end.operands]
    for total, sum_ in zip(carried, sums, strict=True):
        if not isinstance(sum_, arith.AddiOp) or sum_.parent_op() is not loop or total not in sum_.operands:
            return False
        if any(use.operation is not sum_ for use in total.uses) or any(
            use.operation is not end for use in sum_.result.uses
        ):
            return False
        if not _is_bit(sum_.rhs if sum_.lhs is total else sum_.lhs, loop):
            return False
    return all(op in sums or _is_plain(op, variable, loop) for op in ops)


def _is_plain(op: Operation, variable: SSAValue, loop: scf.ForOp) -> bool:
    """Whether an op reads numbers in a row, compares them, or makes a truth a number."""
    match op:
        case memref.LoadOp():
            in_row = len(op.indices) == 1 and _moves_by_one(op.indices[0], variable, loop)
            return in_row and _is_compared(op.res)
        case arith.AddiOp():
            places = all(isinstance(use.operation, memref.LoadOp) for use in op.result.uses)
            return places and _moves_by_one(op.result, variable, loop)
        case arith.SelectOp() | arith.ExtUIOp() | arith.ExtSIOp():
            return _is_bit(op.results[0], loop)
        case arith.ConstantOp():
            return True
        case _:
            return _is_comparison(op) and variable not in op.operands


def _is_comparison(op: Operation) -> bool:
    if isinstance(op, _LOGIC):
        return op.result.type == i1
    return isinstance(op, _FLOATS | arith.CmpfOp | arith.CmpiOp)


def _is_compared(value: SSAValue) -> bool:
    """Whether a number is a float, a truth, or an integer that is only compared."""
    if value.type == i1 or isinstance(value.type, Float32Type | Float64Type):
        return True
    return isinstance(value.type, IntegerType) and all(isinstance(use.operation, arith.CmpiOp) for use in value.uses)


def _moves_by_one(index: SSAValue, variable: SSAValue, loop: scf.ForOp) -> bool:
    """Whether an index is the loop's variable, or the sum of it and a number that is not of the loop."""
    op = index.owner
    if index is variable:
        return True
    if not isinstance(op, arith.AddiOp) or op.parent_op() is not loop or variable not in op.operands:
        return False
    base = op.rhs if op.lhs is variable else op.lhs
    return base is not variable and not loop.is_ancestor(base.owner)


def _is_bit(value: SSAValue, loop: scf.ForOp) -> bool:
    """Whether a number that a round makes is zero or one, as a truth says."""
    op = value.owner
    if not isinstance(op, Operation) or op.parent_op() is not loop:
        return False
    match op:
        case arith.ExtUIOp():
            return op.input.type == i1 or _is_bit(op.input, loop)
        case arith.ExtSIOp():
            return op.input.type != i1 and _is_bit(op.input, loop)
        case arith.SelectOp():
            return {known_integer(op.lhs), known_integer(op.rhs)} == {0, 1}
        case _:
            return False

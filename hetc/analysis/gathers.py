"""Loops that read where other reads say: places of memory that neighbours do not have beside each other."""

from __future__ import annotations

from xdsl.dialects import arith, math, memref, scf
from xdsl.ir import Operation, SSAValue

MOST_FLOATS = 4
"""Floating-point operations for each gathered number, up to which reading is most of what a loop does."""

_HEAVY = arith.DivfOp | arith.DivSIOp | arith.DivUIOp | arith.RemSIOp | arith.RemUIOp
_FLOATS = arith.AddfOp | arith.SubfOp | arith.MulfOp | math.FmaOp | arith.CmpfOp | arith.MaximumfOp | arith.MinimumfOp


def mostly_gathers(loop: scf.ForOp) -> bool:
    """Whether a counted loop does little but read at indices that it has read in the same round.

    A division, a function of mathematics or another loop in it is more.
    """
    ops = list(loop.body.block.walk())
    gathers = sum(isinstance(op, memref.LoadOp) and any(_is_read(index, loop) for index in op.indices) for op in ops)
    heavy = any(isinstance(op, _HEAVY | scf.ForOp | scf.WhileOp) or _is_function(op) for op in ops)
    floats = sum(isinstance(op, _FLOATS) for op in ops)
    return bool(gathers) and not heavy and floats <= MOST_FLOATS * gathers


def _is_function(op: Operation) -> bool:
    return op.dialect_name() == math.Math.name and not isinstance(op, math.FmaOp | math.AbsFOp)


def _is_read(value: SSAValue, loop: scf.ForOp) -> bool:
    """Whether a value is computed of what a round of the loop has read."""
    work, seen = [value], set[SSAValue]()
    while work:
        one = work.pop()
        op = one.owner
        if one in seen or not isinstance(op, Operation) or not loop.is_ancestor(op):
            continue
        seen.add(one)
        if isinstance(op, memref.LoadOp):
            return True
        work.extend(op.operands)
    return False

"""fold-ranges: what the ranges of numbers decide becomes a constant."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from hetc.analysis.ranges import Ranges
from hetc.analysis.walking import walk
from hetc.dialects.guard import is_false, is_true
from hetc.passes.conversion.dead_code import erase_dead


@dataclass(frozen=True)
class FoldRangesPass(ModulePass):
    """Replace comparisons and overflow questions that the operands' ranges answer by constants.

    Needs: no boxes. Uses `guard.fact`, branch conditions, guards and loop bounds.
    Leaves: the same ops, fewer of them.

    1. Compute the ranges (`hetc.analysis.ranges`).
    2. Replace each decided `arith.cmpi`, `arith.cmpf` and `guard.fits` by a constant.
    3. select(true, x, y) -> x; and(x, true) -> x; or(x, true) -> true; and so on.

    Cost: linear, times the rounds of each loop nest (at most six).
    """

    name = "fold-ranges"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for question, answer in Ranges(op).decided.items():
            constant = arith.ConstantOp(IntegerAttr(int(answer), i1))
            constant.location = question.location
            Rewriter.replace_op(question, constant)
        for inner in walk(op):
            replacement = _simplified(inner)
            if replacement is not None:
                inner.results[0].replace_all_uses_with(replacement)
        erase_dead(op, *_FOLDED)


def _simplified(op: Operation) -> SSAValue | None:
    """The operand that an op with a constant truth value among its operands is equal to."""
    match op:
        case arith.SelectOp():
            if is_true(op.cond):
                return op.lhs
            return op.rhs if is_false(op.cond) else None
        case arith.AndIOp() | arith.OrIOp() if op.result.type == i1:
            absorbing, neutral = (is_false, is_true) if isinstance(op, arith.AndIOp) else (is_true, is_false)
            for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                if absorbing(one):
                    return one
                if neutral(one):
                    return other
            return None
        case _:
            return None


_FOLDED = (
    arith.SelectOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp, arith.AddiOp, arith.SubiOp, arith.CmpiOp, arith.CmpfOp,
    arith.ConstantOp,
)  # fmt: skip

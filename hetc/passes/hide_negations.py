"""hide-negations: the least integer's negation is itself, which not every device's compiler knows."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.attributes import known_integer
from hetc.analysis.conditions import Predicate
from hetc.analysis.walking import kernels_in, walk
from hetc.passes.conversion.hidden import hidden_zero
from hetc.passes.conversion.insertion import insert

NSW = arith.IntegerOverflowFlag.NSW


@dataclass(frozen=True)
class HideNegationsPass(ModulePass):
    """Subtract from a zero that the device's compiler does not know, where it knew that it negates.

    Needs: the last ops of kernels, of which those that cannot wrap say so (`lower-guards`). Leaves: the same ops, and
    `offload.zero`.

    1. 0 - x and x * -1, where that may wrap -> zero - x.
    2. c - x -> (zero + c) - x and (x xor -1) + c -> (x xor -1) + (zero + c), c constant, where that may wrap: with
       another constant that is added they may come to a negation.

    Intel's compiler (all of 2024 to 2026) takes the sign of -x for that of x reversed, also where x is the least
    integer, which is its own negation: (-x) >> 31 gives 0 instead of -1, and so do sums of such signs, which it makes
    from -x < 0. What is hidden costs nothing, since the zero is read once.

    NVIDIA's compiler does so with 16-bit integers, and takes abs(x) < 0 for false, which it is not of the least.

    Refuses what cannot wrap, and unless `absolutes` is set the negation in x < 0 ? -x : x, an absolute value, which
    Intel's compiler gets right and has an instruction for. x - y - x is not seen. Cost: linear.
    """

    name = "hide-negations"
    absolutes: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = kernels_in(op)
        for kernel in kernels:
            for inner in walk(kernel):
                if _may_negate(inner) and (self.absolutes or not _is_absolute(inner)):
                    _hide(kernel, inner)


def _may_negate(op: Operation) -> bool:
    """Whether the compiler may take an op that may wrap for a negation."""
    match op:
        case arith.SubiOp():
            found = known_integer(op.lhs) is not None
        case arith.MuliOp():
            found = -1 in (known_integer(op.lhs), known_integer(op.rhs))
        case arith.AddiOp():
            found = any(
                isinstance(one.owner, arith.XOrIOp) and -1 in map(known_integer, one.owner.operands)
                for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs))
                if known_integer(other) is not None
            )
        case _:
            return False
    return found and isinstance(op.result.type, IntegerType) and NSW not in op.overflow_flags.data


def _is_absolute(op: Operation) -> bool:
    """Whether all that is made of a negation is `x < 0 ? -x : x`."""
    uses = list(op.results[0].uses)
    return isinstance(op, arith.SubiOp) and bool(uses) and all(_selects(use.operation, op) for use in uses)


def _selects(op: Operation, negation: arith.SubiOp) -> bool:
    if not isinstance(op, arith.SelectOp) or (op.lhs, op.rhs) != (negation.result, negation.rhs):
        return False
    question = op.cond.owner
    return (
        isinstance(question, arith.CmpiOp)
        and question.lhs is negation.rhs
        and known_integer(question.rhs) == 0
        and question.predicate.value.data == Predicate.SLT
    )


def _hide(kernel: gpu.FuncOp, op: Operation) -> None:
    zero = hidden_zero(kernel, op.results[0].type)
    if isinstance(op, arith.MuliOp):
        negated = op.lhs if known_integer(op.rhs) == -1 else op.rhs
        new = arith.SubiOp(zero, negated)
        new.location = op.location
        new.result.name_hint = op.result.name_hint
        Rewriter.replace_op(op, new)
        return
    position = 0 if known_integer(op.operands[0]) is not None else 1
    hidden = zero
    if known_integer(op.operands[position]) != 0:
        sum_ = arith.AddiOp(zero, op.operands[position])
        insert([sum_], InsertPoint.before(op), op)
        hidden = sum_.result
    op.operands[position] = hidden

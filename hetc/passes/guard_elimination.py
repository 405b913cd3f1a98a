"""guard-elimination: guards that cannot fail disappear."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects import complex as complex_dialect
from xdsl.dialects.builtin import ModuleOp, f16
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.conditions import parts
from hetc.dialects import guard, obj, skel
from hetc.passes.conversion.dead_code import erase_dead


@dataclass(frozen=True)
class GuardEliminationPass(ModulePass):
    """Remove guards that are proven, and guards whose condition is known where they stand.

    Needs: `fold-ranges`, which turns what ranges prove into constants; `cse`, so that equal conditions are one value.
    Leaves: the guards that may fail.

    1. if c { require(a) } else { require(a) } -> require(a); if c { } else { }. Two of one kind meet in one guard,
       wherever they stand in their branches: a guard that fails leaves, before or after what the branch computes.
    2. require(true) -> nothing.
    3. require(c) where c is known -> nothing. Known is what an earlier guard has required and what a branch has tested,
       where these dominate, and what follows: both sides of a conjunction that holds, of a disjunction that does not.
    4. require(a and b) where a is known -> require(b).
    5. require(x is no NaN, sign) -> nothing where x comes from memory: its bits are those that Python sees, while the
       sign of a computed NaN differs between processors. So such a guard tells nothing of what follows it.

    Cost: linear. Fumero et al., VEE 2017, section 5.2: marshalling knows types, bounds and completeness, so the guards
    that check them again are removed.
    """

    name = "guard-elimination"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk(reverse=True)):
            if isinstance(inner, scf.IfOp) and inner.false_region.blocks:
                _merge_branches(inner)
        _visit(op.body.block, {})
        erase_dead(op, guard.FitsOp, arith.AndIOp)


def _merge_branches(op: scf.IfOp) -> None:
    """One guard before a branch for two on the same condition, one in each side."""
    then, other = ({g.condition: g for g in _guards(r.block)} for r in (op.true_region, op.false_region))
    for condition, first in then.items():
        second = other.get(condition)
        if second is None or second.kind != first.kind or op.is_ancestor(_definition(condition)):
            continue
        first.detach()
        Rewriter.insert_op(first, InsertPoint.before(op))
        Rewriter.erase_op(second)


def _guards(block: Block) -> Iterator[guard.RequireOp]:
    return (op for op in list(block.ops) if isinstance(op, guard.RequireOp))


def _definition(value: SSAValue) -> Operation:
    """The op that defines a value, or that has it as an argument of its body."""
    op = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
    assert op is not None
    return op


def _visit(block: Block, known: Mapping[SSAValue, bool]) -> None:
    """Visit the guards of a block, where the truth of some conditions is known."""
    known = dict(known)
    for op in list(block.ops):
        match op:
            case guard.RequireOp():
                condition = _open_part(op.condition, known)
                if condition is None or (op.kind.data is guard.GuardKind.SIGN and _is_of_memory(condition)):
                    block.erase_op(op)
                    continue
                op.operands[0] = condition
                if op.kind.data is not guard.GuardKind.SIGN:
                    known.update(_consequences(condition, holds=True))
            case scf.IfOp():
                for region, holds in ((op.true_region, True), (op.false_region, False)):
                    for inner in region.blocks:
                        _visit(inner, {**known, **dict(_consequences(op.cond, holds=holds))})
            case _:
                for region in op.regions:
                    for inner in region.blocks:
                        _visit(inner, known)


def _is_of_memory(condition: SSAValue) -> bool:
    """Whether a test for NaN is of an element or of a captured value, which half precision has to widen.

    Other conversions may lose the sign (on NVIDIA's GPUs).
    """
    test = condition.owner
    if not isinstance(test, arith.CmpfOp) or test.lhs is not test.rhs:
        return False
    value = test.lhs
    if isinstance(value.owner, arith.ExtFOp) and value.owner.input.type == f16:
        value = value.owner.input
    while isinstance(value.owner, complex_dialect.ReOp | complex_dialect.ImOp | guard.FactOp):
        value = value.owner.operands[0]
    if isinstance(value, BlockArgument):
        parent = value.owner.parent_op()
        return isinstance(parent, skel.MapOp) and isinstance(parent.operands[value.index].owner, Block)
    return isinstance(value.owner, obj.LoadOp | skel.CapturedOp)


def _consequences(condition: SSAValue, *, holds: bool) -> Iterator[tuple[SSAValue, bool]]:
    """A condition and all whose truth follows from it."""
    yield condition, holds
    for part, truth in parts(condition, holds):
        yield from _consequences(part, holds=truth)


def _open_part(condition: SSAValue, known: Mapping[SSAValue, bool]) -> SSAValue | None:
    """What of a condition is not known to hold; None if nothing is left."""
    if guard.is_true(condition) or known.get(condition) is True:
        return None
    op = condition.owner
    if isinstance(op, arith.AndIOp):
        left, right = _open_part(op.lhs, known), _open_part(op.rhs, known)
        if left is None or right is None:
            return right if left is None else left
    if isinstance(op, arith.OrIOp) and (_open_part(op.lhs, known) is None or _open_part(op.rhs, known) is None):
        return None
    if isinstance(op, arith.XOrIOp) and guard.is_true(op.rhs) and known.get(op.lhs) is False:
        return None
    return condition

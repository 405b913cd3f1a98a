"""Branches in the place of leaving: what follows a guard is done if it holds, and a branch tells if its guards do."""

from __future__ import annotations

from xdsl.dialects import arith, scf, ub
from xdsl.dialects.builtin import IntegerAttr, LocationAttr, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.dialects import guard
from hetc.passes.conversion.insertion import insert


def has_guard(op: Operation) -> bool:
    """Whether there is a guard in an op."""
    return any(isinstance(inner, guard.RequireOp) for inner in op.walk())


def is_in_branches(require: guard.RequireOp, body: Block) -> bool:
    """Whether a guard stands in a body, or in branches in it alone."""
    block = require.parent
    while block is not None and block is not body and isinstance(parent := block.parent_op(), scf.IfOp):
        block = parent.parent
    return block is body


def are_in_branches(body: Block) -> bool:
    """Whether all guards of a body stand in it, or in branches in it."""
    return all(is_in_branches(op, body) for op in body.walk() if isinstance(op, guard.RequireOp))


def held(op: Operation) -> SSAValue | None:
    """What has to hold for what follows an op: a guard's condition, or all those in a branch, which is replaced."""
    if isinstance(op, guard.RequireOp):
        return op.condition
    return _telling(op) if isinstance(op, scf.IfOp) and has_guard(op) else None


def _telling(branch: scf.IfOp) -> SSAValue:
    """A branch with one more result: whether its guards have held."""
    if not branch.false_region.blocks:
        branch.false_region.add_block(Block([scf.YieldOp()]))
    for side in (branch.true_region.block, branch.false_region.block):
        tell(side, branch.location)
    then, other = (branch.detach_region(region) for region in (branch.true_region, branch.false_region))
    new = scf.IfOp(branch.cond, [*branch.result_types, i1], then, other)
    insert([new], InsertPoint.before(branch), branch)
    for old, result in zip(branch.results, new.results, strict=False):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    Rewriter.erase_op(branch)
    return new.results[-1]


def tell(block: Block, location: LocationAttr) -> None:
    """Let a block yield one more: whether its guards have held. Guards stand in it, or in branches.

    ops; require(c); rest; yield v -> ops; require(c); v, ok = if (c) { rest; yield v, true }; yield v, ok
    """
    end = block.last_op
    assert isinstance(end, scf.YieldOp)
    for op in list(block.ops):
        following = op.next_op
        condition = held(op)
        if condition is None:
            continue
        rest = Block()
        while following is not None and following is not end:
            moved, following = following, following.next_op
            moved.detach()
            rest.add_op(moved)
        rest.add_op(scf.YieldOp(*end.operands))
        tell(rest, location)
        nothing = [ub.PoisonOp(type_) for type_ in end.operand_types]
        no = arith.ConstantOp(IntegerAttr(0, i1))
        other = Block([*nothing, no, scf.YieldOp(*(op.result for op in nothing), no.result)])
        guarded = scf.IfOp(condition, [*end.operand_types, i1], Region(rest), Region(other))
        for new in (*other.ops, rest.last_op, guarded):
            assert new is not None
            new.location = location
        Rewriter.insert_op(guarded, InsertPoint.before(end))
        end.operands = list(guarded.results)
        return
    yes = arith.ConstantOp(IntegerAttr(1, i1))
    yes.location = location
    Rewriter.insert_op(yes, InsertPoint.before(end))
    end.operands = [*end.operands, yes.result]

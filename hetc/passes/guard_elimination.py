"""guard-elimination: guards that cannot fail disappear."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from hetc.dialects import guard
from hetc.passes.conversion.dead_code import erase_dead


@dataclass(frozen=True)
class GuardEliminationPass(ModulePass):
    """Remove guards that are proven, and guards whose condition an earlier guard has already required.

    Needs: `fold-ranges`, which turns proven conditions into constants.
    Leaves: the guards that may fail.

    1. require(true) -> nothing.
    2. require(c) ... require(c) -> the first, where the first dominates the second.

    Cost: linear. Fumero et al., VEE 2017, section 5.2: marshalling knows types, bounds and completeness, so the guards
    that check them again are removed.
    """

    name = "guard-elimination"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _visit(op.body.block, frozenset())
        erase_dead(op, guard.FitsOp)


def _visit(block: Block, required: frozenset[SSAValue]) -> None:
    for op in list(block.ops):
        if isinstance(op, guard.RequireOp):
            if guard.is_true(op.condition) or op.condition in required:
                block.erase_op(op)
            else:
                required |= {op.condition}
        for region in op.regions:
            for inner in region.blocks:
                _visit(inner, required)

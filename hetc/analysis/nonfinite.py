"""Which numbers are infinite or NaN whenever another one is.

In IEEE 754 (2019, section 6) a NaN makes nearly all that is computed with it a NaN, and an infinity most: a sum, a
product and a logarithm of it are no finite numbers, whatever the others are. A quotient by an infinity is zero.
"""

from __future__ import annotations

from math import inf

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from hetc.dataclass import dataclass

_ANY_OPERAND = (
    arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.NegfOp, arith.ExtFOp, arith.TruncFOp, math.AbsFOp, math.FmaOp,
    math.SqrtOp, math.LogOp, math.Log2Op, math.Log10Op, math.Log1pOp, math.SinOp, math.CosOp, math.TanOp,
)  # fmt: skip
"""Of an operand that is not finite they are not."""

_NAN_OPERAND = (*_ANY_OPERAND, arith.DivfOp, math.ExpOp, math.Exp2Op, math.ExpM1Op)
"""Of an operand that is NaN they are NaN."""

MOST = 2000
"""Values that are looked at: a bound on the cost."""


def asked_value(condition: SSAValue) -> SSAValue | None:
    """The number that a condition asks to be finite: |x| < infinity."""
    test = condition.owner
    if not isinstance(test, arith.CmpfOp) or test.predicate.value.data != _LESS:
        return None
    size, limit = test.lhs.owner, test.rhs.owner
    if not isinstance(size, math.AbsFOp) or not isinstance(limit, arith.ConstantOp):
        return None
    return size.operand if isinstance(limit.value, FloatAttr) and limit.value.value.data == inf else None


_LESS = 4
"""The predicate of `arith.cmpf` for less, of numbers."""


def nonfinite_with(value: SSAValue) -> set[SSAValue]:
    """The numbers that are not finite whenever a number is not, in its block and around it; without that one.

    A root that is not finite is one of something infinite, or else NaN.
    """
    found = _Flow(value, nan=False).run()
    root = value.owner
    if isinstance(root, math.SqrtOp):
        found |= _Flow(value, nan=True).run() & _Flow(root.operand, nan=False).run()
    return found - {value}


@dataclass
class _Flow:
    """Follows a number that is not finite, or NaN, to what it makes so."""

    source: SSAValue
    nan: bool

    def run(self) -> set[SSAValue]:
        """All that is found."""
        found, work = {self.source}, [self.source]
        while work and len(found) < MOST:
            for use in work.pop().uses:
                for result in self._made(use.operation, use.index, found):
                    if result not in found:
                        found.add(result)
                        work.append(result)
        return found

    def _made(self, op: Operation, operand: int, found: set[SSAValue]) -> list[SSAValue]:
        """The results of an op that are not finite if one operand is not, given what else is not."""
        if isinstance(op, _NAN_OPERAND if self.nan else _ANY_OPERAND) or (isinstance(op, arith.DivfOp) and not operand):
            return list(op.results)
        match op:
            case arith.SelectOp():
                return list(op.results) if {op.lhs, op.rhs} <= found else []
            case scf.YieldOp():
                return self._yielded(op, operand, found)
            case _:
                return []

    def _yielded(self, end: scf.YieldOp, position: int, found: set[SSAValue]) -> list[SSAValue]:
        """What a branch or loop hands on. A number from inside of a branch is only there if that branch is taken."""
        around = end.parent_op()
        if isinstance(around, scf.IfOp):
            ends = [region.block.last_op for region in around.regions if not _is_inside(self.source, region.block)]
            inside = len(ends) < len(around.regions)
            others = [] if inside else [one for one in ends if one is not end]
            taken = all(one is not None and one.operands[position] in found for one in others)
            return [around.results[position]] if taken else []
        if isinstance(around, scf.ForOp):
            # It stays so in the rounds to come if the recurrence keeps what it is handed.
            argument = around.body.block.args[1 + position]
            keeps = end.operands[position] in _Flow(argument, nan=self.nan).within(around.body.block)
            return [around.results[position]] if keeps else []
        return []

    def within(self, block: Block) -> set[SSAValue]:
        """What is found in one block, for what a round hands to the next."""
        found, work = {self.source}, [self.source]
        while work and len(found) < MOST:
            for use in work.pop().uses:
                op = use.operation
                if isinstance(op, scf.YieldOp) and op.parent is block:
                    continue
                for result in self._made(op, use.index, found):
                    if result not in found:
                        found.add(result)
                        work.append(result)
        return found


def _is_inside(value: SSAValue, block: Block) -> bool:
    """Whether a number is made in a block, or in one inside of it."""
    own = value.owner if isinstance(value, BlockArgument) else value.owner.parent
    while isinstance(own, Block):
        if own is block:
            return True
        around = own.parent_op()
        own = None if around is None else around.parent
    return False

"""Conditions: the predicates of comparisons, and which comparisons follow from a truth value."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum

from xdsl.dialects import arith, scf
from xdsl.ir import SSAValue

from hetc.dialects import guard


class Predicate(IntEnum):
    """The signed predicates of `arith.cmpi`, by their numbers in MLIR; the unsigned ones follow."""

    EQ = 0
    NE = 1
    SLT = 2
    SLE = 3
    SGT = 4
    SGE = 5


NEGATED = {
    Predicate.EQ: Predicate.NE,
    Predicate.NE: Predicate.EQ,
    Predicate.SLT: Predicate.SGE,
    Predicate.SLE: Predicate.SGT,
    Predicate.SGT: Predicate.SLE,
    Predicate.SGE: Predicate.SLT,
}
SWAPPED = {
    Predicate.EQ: Predicate.EQ,
    Predicate.NE: Predicate.NE,
    Predicate.SLT: Predicate.SGT,
    Predicate.SLE: Predicate.SGE,
    Predicate.SGT: Predicate.SLT,
    Predicate.SGE: Predicate.SLE,
}


class FloatPredicate(IntEnum):
    """The predicates of `arith.cmpf`, by their numbers in MLIR: ordered ones are false on NaN, unordered ones true."""

    FALSE = 0
    OEQ = 1
    OGT = 2
    OGE = 3
    OLT = 4
    OLE = 5
    ONE = 6
    ORD = 7
    UEQ = 8
    UGT = 9
    UGE = 10
    ULT = 11
    ULE = 12
    UNE = 13
    UNO = 14
    TRUE = 15

    def negated(self) -> FloatPredicate:
        """The predicate that holds where this one does not.

        >>> FloatPredicate.OLT.negated()
        <FloatPredicate.UGE: 10>
        """
        special = {0: 15, 7: 14, 14: 7, 15: 0}
        return FloatPredicate(special.get(self, 14 - self))

    def swapped(self) -> FloatPredicate:
        """The predicate of the exchanged operands."""
        return FloatPredicate({2: 4, 3: 5, 4: 2, 5: 3, 9: 11, 10: 12, 11: 9, 12: 10}.get(self, self))

    @property
    def ordered(self) -> bool:
        """Whether it is false on NaN."""
        return self <= FloatPredicate.ORD


def implied(condition: SSAValue, holds: bool) -> Iterator[tuple[arith.CmpiOp | arith.CmpfOp | guard.FitsOp, bool]]:
    """The comparisons and overflow questions whose truth follows from that of a condition."""
    op = condition.owner
    if isinstance(op, arith.CmpiOp | arith.CmpfOp | guard.FitsOp):
        yield op, holds
        return
    for part, truth in parts(condition, holds):
        yield from implied(part, truth)


def parts(condition: SSAValue, holds: bool) -> Iterator[tuple[SSAValue, bool]]:
    """The truth values that follow directly: of a conjunction that holds, and of a disjunction that does not."""
    op = condition.owner
    if (isinstance(op, arith.AndIOp) and holds) or (isinstance(op, arith.OrIOp) and not holds):
        yield op.lhs, holds
        yield op.rhs, holds
    elif isinstance(op, arith.XOrIOp) and guard.is_true(op.rhs):
        yield op.lhs, not holds
    elif isinstance(op, scf.IfOp) and condition in op.results:
        yield from _of_branch(op, op.results.index(condition), holds)


def _of_branch(op: scf.IfOp, index: int, holds: bool) -> Iterator[tuple[SSAValue, bool]]:
    """A result that one branch gives as the opposite comes from the other: `if c then x else false` is c and x."""
    then, other = op.true_region.block.last_op, op.false_region.block.last_op
    assert then is not None
    assert other is not None
    excluded = guard.is_false if holds else guard.is_true
    if excluded(other.operands[index]) or (other.operands[index] is op.cond and holds):
        yield op.cond, True
        yield then.operands[index], holds
    elif excluded(then.operands[index]) or (then.operands[index] is op.cond and not holds):
        yield op.cond, False
        yield other.operands[index], holds

"""Why a guard cannot fail, in words: the ranges of the operands at the moment when they decided its condition."""

from __future__ import annotations

import math
from collections.abc import Iterator

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue

from hetc.analysis.conditions import NEGATED, FloatPredicate, Predicate
from hetc.analysis.float_intervals import FloatInterval
from hetc.analysis.intervals import Interval
from hetc.analysis.range_facts import whole
from hetc.analysis.ranges import Ranges
from hetc.dialects import guard, skel
from hetc.dialects.guard import GuardKind

Question = arith.CmpiOp | arith.CmpfOp | guard.FitsOp
"""What ranges answer."""


class Evidence(Ranges):
    """The ranges of a module, with those of the operands that each decision rested on."""

    def __init__(self, root: Operation) -> None:
        self.known: dict[Operation, tuple[Interval | FloatInterval, ...]] = {}
        super().__init__(root)

    def decide(self, op: Operation, answer: bool | None) -> None:
        if answer is not None:
            get = self.get_float if isinstance(op, arith.CmpfOp) else self.get
            self.known[op] = tuple(get(operand) for operand in op.operands)
        super().decide(op, answer)


def proof(evidence: Evidence, op: guard.RequireOp) -> str | None:
    """Why a guard always holds, None if the ranges do not say that it does."""
    if not _truth(evidence, op.condition):
        return None
    subject = _SUBJECTS.get(op.kind.data, "the value")
    parts = list(
        dict.fromkeys(_sentence(evidence, question, subject) for question in _questions(evidence, op.condition))
    )
    if op.kind.data is GuardKind.BOUNDS and len(parts) > 1:  # the range says it
        parts = [part for part in parts if not part.endswith(" is at least 0")]
    return " and ".join(parts) or "its condition is a constant"


_SUBJECTS = {
    GuardKind.ZERO_DIVISION: "the divisor",
    GuardKind.BOUNDS: "the index",
    GuardKind.TYPE: "the value",
}


def _truth(evidence: Evidence, condition: SSAValue) -> bool | None:
    """The truth value of a condition as `fold-ranges` finds it."""
    op = condition.owner
    match op:
        case arith.ConstantOp(value=IntegerAttr()):
            return guard.is_true(condition)
        case arith.CmpiOp() | arith.CmpfOp() | guard.FitsOp():
            return evidence.decided.get(op)
        case arith.AndIOp() | arith.OrIOp():
            absorbing = isinstance(op, arith.OrIOp)
            sides = {_truth(evidence, op.lhs), _truth(evidence, op.rhs)}
            if absorbing in sides:
                return absorbing
            return None if None in sides else not absorbing
        case arith.XOrIOp() if guard.is_true(op.rhs):
            inner = _truth(evidence, op.lhs)
            return None if inner is None else not inner
        case _:
            return None


def _questions(evidence: Evidence, condition: SSAValue) -> Iterator[Question]:
    """The answered questions that decide a condition; of alternatives, the first that does."""
    op = condition.owner
    match op:
        case arith.CmpiOp() | arith.CmpfOp() | guard.FitsOp():
            yield op
        case arith.AndIOp() | arith.OrIOp():
            decisive = isinstance(op, arith.OrIOp)
            sides = [op.lhs, op.rhs]
            if _truth(evidence, condition) is decisive:
                sides = [side for side in sides if _truth(evidence, side) is decisive][:1]
            for side in sides:
                yield from _questions(evidence, side)
        case arith.XOrIOp():
            yield from _questions(evidence, op.lhs)
        case _:
            pass


def _sentence(evidence: Evidence, op: Question, subject: str) -> str:
    one, other = (
        _term(evidence, value, known, role)
        for value, known, role in zip(op.operands, evidence.known[op], (subject, "another value"), strict=True)
    )
    if isinstance(op, guard.FitsOp):
        symbol = {"add": "+", "sub": "-", "mul": "*"}[op.operator.data]
        return f"{one} {symbol} {other} fits {_width(op.left)} bits"
    relation = _relation(op, evidence.decided[op])
    if relation == "is never" and _is_constant(evidence.known[op][0]):
        return f"{_bare(evidence, op.lhs, subject)} is the constant {one}"
    return f"{one} {relation} {other}"


def _relation(op: arith.CmpiOp | arith.CmpfOp, answer: bool) -> str:
    number = op.predicate.value.data
    if isinstance(op, arith.CmpfOp):
        predicate = FloatPredicate(number)
        return _FLOAT_RELATIONS[predicate if answer else predicate.negated()]
    predicate = Predicate(number - 4 if number > Predicate.SGE else number)
    return _RELATIONS[predicate if answer else NEGATED[predicate]]


def _is_constant(interval: Interval | FloatInterval) -> bool:
    return interval.low == interval.high


_RELATIONS = {
    Predicate.EQ: "is",
    Predicate.NE: "is never",
    Predicate.SLT: "is below",
    Predicate.SLE: "is at most",
    Predicate.SGT: "is above",
    Predicate.SGE: "is at least",
}
_FLOAT_RELATIONS = {
    FloatPredicate.FALSE: "is not compared with",
    FloatPredicate.OEQ: "is",
    FloatPredicate.OGT: "is above",
    FloatPredicate.OGE: "is at least",
    FloatPredicate.OLT: "is below",
    FloatPredicate.OLE: "is at most",
    FloatPredicate.ONE: "is never",
    FloatPredicate.ORD: "is a number, as is",
    FloatPredicate.UEQ: "is",
    FloatPredicate.UGT: "is above",
    FloatPredicate.UGE: "is at least",
    FloatPredicate.ULT: "is below",
    FloatPredicate.ULE: "is at most",
    FloatPredicate.UNE: "is never",
    FloatPredicate.UNO: "is not a number, or nor is",
    FloatPredicate.TRUE: "is compared with",
}


def _term(evidence: Evidence, value: SSAValue, interval: Interval | FloatInterval, subject: str) -> str:
    """A value with its range: `k in [1, 9]`, `3`, `the length`."""
    if _is_constant(interval):
        return _number(interval.low)
    name = _bare(evidence, value, subject)
    if isinstance(interval, Interval):
        if name == LENGTH or interval == whole(value.type):
            return name
    elif interval.low > interval.high or math.isinf(interval.high - interval.low):
        return f"{name}, not 0," if interval.nonzero else name
    return f"{name} in [{_number(interval.low)}, {_number(interval.high)}]"


LENGTH = "the length"


def _bare(evidence: Evidence, value: SSAValue, subject: str) -> str:
    """What a person calls a value: the user's name for it, or its role."""
    while value.name_hint is None:
        op = value.owner
        match op:
            case skel.SizeOp():
                return LENGTH
            case guard.FactOp() | arith.ExtFOp() | arith.ExtSIOp() | arith.ExtUIOp() | arith.IndexCastOp():
                value = op.operands[0]
            case arith.SelectOp() if (chosen := _truth(evidence, op.cond)) is not None:
                value = op.lhs if chosen else op.rhs
            case _:
                return subject
    return value.name_hint


def _width(value: SSAValue) -> int:
    assert isinstance(value.type, IntegerType | IndexType)
    return value.type.width.data if isinstance(value.type, IntegerType) else 64


def _number(value: float) -> str:
    """A number; integers next to a power of 2 that everybody knows, as such.

    >>> _number(9), _number(2**31 - 1), _number(-(2**63))
    ('9', '2**31 - 1', '-2**63')
    """
    if isinstance(value, float):
        return f"{value:.6g}"
    for bits in (31, 32, 53, 63, 64):
        for offset, suffix in ((0, ""), (-1, " - 1"), (-2, " - 2")):
            if value == 2**bits + offset:
                return f"2**{bits}{suffix}"
            if value == -(2**bits) - offset:
                return f"-2**{bits}{suffix.replace('-', '+')}"
    return str(value)

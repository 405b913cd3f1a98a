"""Why a guard cannot fail, in words: the ranges of the operands at the moment when they decided its condition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue

from hetc.analysis.intervals import Interval
from hetc.analysis.range_facts import Predicate, whole
from hetc.analysis.ranges import Ranges
from hetc.dialects import guard, skel
from hetc.dialects.guard import GuardKind


@dataclass(frozen=True)
class Known:
    """What was known of the operands of a question when it was answered."""

    left: Interval
    right: Interval


class Evidence(Ranges):
    """The ranges of a module, with what each decision rested on."""

    def __init__(self, root: Operation) -> None:
        self.known: dict[Operation, Known] = {}
        super().__init__(root)

    def decide(self, op: Operation, answer: bool | None) -> None:
        if answer is not None:
            self.known[op] = Known(self.get(op.operands[0]), self.get(op.operands[1]))
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
        case arith.CmpiOp() | guard.FitsOp():
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


def _questions(evidence: Evidence, condition: SSAValue) -> Iterator[arith.CmpiOp | guard.FitsOp]:
    """The answered questions that decide a condition; of alternatives, the first that does."""
    op = condition.owner
    match op:
        case arith.CmpiOp() | guard.FitsOp():
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


def _sentence(evidence: Evidence, op: arith.CmpiOp | guard.FitsOp, subject: str) -> str:
    known = evidence.known[op]
    left, right = op.operands
    if isinstance(op, guard.FitsOp):
        symbol = {"add": "+", "sub": "-", "mul": "*"}[op.operator.data]
        operands = (
            f"{_term(evidence, left, known.left, subject)} {symbol} {_term(evidence, right, known.right, subject)}"
        )
        return f"{operands} fits {_width(op.left)} bits"
    number = op.predicate.value.data
    predicate = Predicate(number - 4 if number > Predicate.SGE else number)
    answer = evidence.decided[op]
    if not answer:
        predicate = _NEGATED[predicate]
    one, other = _term(evidence, left, known.left, subject), _term(evidence, right, known.right, "another value")
    if predicate is Predicate.NE and known.left.low == known.left.high:
        return f"{_bare(evidence, left, subject)} is the constant {one}"
    return f"{one} {_RELATIONS[predicate]} {other}"


_RELATIONS = {
    Predicate.EQ: "is",
    Predicate.NE: "is never",
    Predicate.SLT: "is below",
    Predicate.SLE: "is at most",
    Predicate.SGT: "is above",
    Predicate.SGE: "is at least",
}
_NEGATED = {
    Predicate.EQ: Predicate.NE,
    Predicate.NE: Predicate.EQ,
    Predicate.SLT: Predicate.SGE,
    Predicate.SLE: Predicate.SGT,
    Predicate.SGT: Predicate.SLE,
    Predicate.SGE: Predicate.SLT,
}


def _term(evidence: Evidence, value: SSAValue, interval: Interval, subject: str) -> str:
    """A value with its range: `k in [1, 9]`, `3`, `the length`."""
    if interval.low == interval.high:
        return _number(interval.low)
    name = _bare(evidence, value, subject)
    if name == LENGTH or interval == whole(value.type):
        return name
    return f"{name} in [{_number(interval.low)}, {_number(interval.high)}]"


LENGTH = "the length"


def _bare(evidence: Evidence, value: SSAValue, subject: str) -> str:
    """What a person calls a value: the user's name for it, or its role."""
    while value.name_hint is None:
        op = value.owner
        match op:
            case skel.SizeOp():
                return LENGTH
            case guard.FactOp() | arith.ExtSIOp() | arith.ExtUIOp() | arith.IndexCastOp():
                value = op.operands[0]
            case arith.SelectOp() if (chosen := _truth(evidence, op.cond)) is not None:
                value = op.lhs if chosen else op.rhs
            case _:
                return subject
    return value.name_hint


def _width(value: SSAValue) -> int:
    assert isinstance(value.type, IntegerType | IndexType)
    return value.type.width.data if isinstance(value.type, IntegerType) else 64


def _number(value: int) -> str:
    """An integer; those next to a power of 2 that everybody knows, as such.

    >>> _number(9), _number(2**31 - 1), _number(-(2**63))
    ('9', '2**31 - 1', '-2**63')
    """
    for bits in (31, 32, 53, 63, 64):
        for offset, suffix in ((0, ""), (-1, " - 1"), (-2, " - 2")):
            if value == 2**bits + offset:
                return f"2**{bits}{suffix}"
            if value == -(2**bits) - offset:
                return f"-2**{bits}{suffix.replace('-', '+')}"
    return str(value)

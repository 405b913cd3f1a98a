"""A loop as two: the terms, which rounds compute for themselves, and the recurrence, which takes them in order."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math, memref, scf
from xdsl.dialects.builtin import Float32Type, Float64Type, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from hetc.analysis.kernels import is_pure
from hetc.analysis.speculative import INTEGER_DIVISIONS
from hetc.dataclass import dataclass
from hetc.dialects.special import SPECIAL

DEAR = 8
"""What a division, a root, another function or a load costs, in additions."""

_FREE = arith.ConstantOp | arith.IndexCastOp | arith.ExtSIOp | arith.ExtUIOp | arith.TruncIOp | scf.YieldOp


@dataclass(frozen=True)
class Recurrence:
    """The ops of a loop's body, in two parts, each in order, and the values that go from one to the other."""

    terms: Sequence[Operation]
    steps: Sequence[Operation]
    passed: Sequence[SSAValue]

    @staticmethod
    def of(loop: scf.ForOp, stored: frozenset[SSAValue]) -> Recurrence | None:
        """for (...) { t = f(k); s = g(s, t) } -> f and g; None if a part does more than to compute.

        Loop distribution: Kennedy and McKinley, "Loop distribution with control flow", SC 1990, section 2.
        """
        depends = set[SSAValue](loop.body.block.args[1:])
        terms: list[Operation] = []
        steps: list[Operation] = []
        end = loop.body.block.last_op
        for op in loop.body.block.ops:
            used = {operand for inner in op.walk() for operand in inner.operands}
            if op is end:
                break
            if used & depends:
                depends.update(op.results)
                steps.append(op)
            else:
                terms.append(op)
        if not all(only_computes(op, stored) for op in terms) or not all(map(_is_step, steps)):
            return None
        assert end is not None
        made = [result for op in terms for result in op.results]
        needed = {operand for op in (*steps, end) for inner in op.walk() for operand in inner.operands}
        passed = [value for value in made if value in needed]
        alike = all(_has_room(value.type) for value in passed)
        return Recurrence(terms, steps, passed) if passed and alike else None

    @property
    def is_worth_it(self) -> bool:
        """Whether the terms are much more work than the recurrence."""
        steps = sum(map(_cost, self.steps)) + len(self.passed)
        return sum(map(_cost, self.terms)) >= 2 * max(steps, 4)


def _has_room(type_: Attribute) -> bool:
    """Whether there is an array for numbers of a type; that of bits is one of bytes."""
    return isinstance(type_, IntegerType | Float32Type | Float64Type)


def only_computes(op: Operation, stored: frozenset[SSAValue]) -> bool:
    """Whether an op only computes, without loops, which would take long where a round is computed again."""
    return all(
        isinstance(inner, (scf.IfOp, scf.YieldOp, *INTEGER_DIVISIONS))
        or (not inner.regions and is_pure(inner))
        or (isinstance(inner, memref.LoadOp) and inner.memref not in stored)
        for inner in op.walk()
    )


def _is_step(op: Operation) -> bool:
    """Whether an op of the recurrence computes without memory."""
    return all(
        isinstance(inner, scf.IfOp | scf.YieldOp) or (not inner.regions and is_pure(inner)) for inner in op.walk()
    )


def _cost(op: Operation) -> int:
    """A rough cost of an op, in additions."""
    cost = 0
    for inner in op.walk():
        dear = isinstance(inner, (memref.LoadOp, arith.DivfOp, *INTEGER_DIVISIONS))
        if dear or (inner.name.partition(".")[0] in (math.Math.name, SPECIAL.name)):
            cost += DEAR
        elif not isinstance(inner, _FREE):
            cost += 1
    return cost

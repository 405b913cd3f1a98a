"""Indices as linear functions of the variables of a parallel loop, plus what is the same in all its iterations."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from hetc.analysis.attributes import known_integer
from hetc.analysis.conditions import Predicate
from hetc.dialects import guard, skel

Term = Hashable
Key = TypeVar("Key")


@dataclass(frozen=True)
class Affine:
    """`sum of coefficient * variable + sum of coefficient * invariant + constant`.

    `variables` are the coefficients of the loop's variables by their numbers, `invariants` those of values that all
    iterations share, by what they are computed from. Neither holds zeros.
    """

    variables: Mapping[int, int] = field(default_factory=dict[int, int])
    invariants: Mapping[Term, int] = field(default_factory=dict[Term, int])
    constant: int = 0

    def plus(self, other: Affine, factor: int = 1) -> Affine:
        """This function plus a multiple of another."""
        return Affine(
            _sum(self.variables, other.variables, factor),
            _sum(self.invariants, other.invariants, factor),
            self.constant + factor * other.constant,
        )

    @property
    def known(self) -> int | None:
        """The number that this is, if it is one."""
        return None if self.variables or self.invariants else self.constant


def _sum(one: Mapping[Key, int], other: Mapping[Key, int], factor: int) -> dict[Key, int]:
    keys = dict.fromkeys([*one, *other])
    total = {key: one.get(key, 0) + factor * other.get(key, 0) for key in keys}
    return {key: value for key, value in total.items() if value}


class AffineForms:
    """The linear functions of one loop body. `wrapped` collects the indices that are taken not to be negative.

    Python counts negative indices from the end, so `a[i]` is at `i < 0 ? i + n : i`: linear only where no index is
    negative, which is for the user of the form to make sure.
    """

    def __init__(self, body: Block) -> None:
        self.body = body
        self.wrapped: list[SSAValue] = []

    def of(self, value: SSAValue) -> Affine | None:
        """A value as a linear function; None if it is not known to be one."""
        if isinstance(value, BlockArgument) and value.owner is self.body:
            return Affine({value.index: 1})
        op = value.owner
        match op:
            case guard.FactOp():
                return self.of(op.operand)
            case arith.ConstantOp(value=IntegerAttr() as number):
                return Affine(constant=number.value.data)
            case arith.AddiOp() | arith.SubiOp():
                left, right = self.of(op.lhs), self.of(op.rhs)
                if left is not None and right is not None:
                    return left.plus(right, 1 if isinstance(op, arith.AddiOp) else -1)
            case arith.MuliOp():
                return self._product(op) or self._invariant(value)
            case arith.SelectOp() if (index := _index_of(op)) is not None:
                form = self.of(index)
                if form is not None and form.variables:
                    self.wrapped.append(index)
                    return form
            case _:
                pass
        return self._invariant(value)

    def _product(self, op: arith.MuliOp) -> Affine | None:
        left, right = self.of(op.lhs), self.of(op.rhs)
        if left is None or right is None:
            return None
        for one, other in ((left, right), (right, left)):
            if one.known is not None:
                return Affine().plus(other, one.known)
        return None

    def _invariant(self, value: SSAValue) -> Affine | None:
        term = self._term(value)
        return None if term is None else Affine(invariants={term: 1})

    def _term(self, value: SSAValue) -> Term | None:
        """What a value is computed from, if that is the same in all iterations."""
        op = value.owner
        if not isinstance(op, Operation):
            return None if self._is_inside(op) else (value,)
        if not self._is_inside(op.parent_block()):
            return (value,)
        if isinstance(op, guard.FactOp):
            return self._term(op.operand)
        if op.regions or not is_side_effect_free(op):
            return None
        operands = [self._term(operand) for operand in op.operands]
        if None in operands:
            return None
        facts = tuple(sorted((name, str(attribute)) for name, attribute in (op.properties | op.attributes).items()))
        kind = ("size", op.dim.value.data) if isinstance(op, skel.SizeOp) else (op.name, facts)
        return (*kind, op.results.index(value), *operands)

    def _is_inside(self, block: Block | None) -> bool:
        """Whether a block is the body or nested in it."""
        while block is not None and block is not self.body:
            parent = block.parent_op()
            block = None if parent is None else parent.parent_block()
        return block is self.body


def _index_of(op: arith.SelectOp) -> SSAValue | None:
    """The i of `i < 0 ? i + n : i`."""
    test, from_end = op.cond.owner, op.lhs.owner
    if not isinstance(test, arith.CmpiOp) or not isinstance(from_end, arith.AddiOp):
        return None
    below_zero = test.predicate.value.data == Predicate.SLT and known_integer(test.rhs) == 0
    return op.rhs if below_zero and test.lhs is op.rhs and op.rhs in (from_end.lhs, from_end.rhs) else None

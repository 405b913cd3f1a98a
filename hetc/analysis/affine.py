"""Indices as linear functions of the variables of a parallel loop, plus what is the same in all its iterations."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import field

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from hetc.analysis.attributes import known_integer
from hetc.analysis.conditions import Predicate
from hetc.analysis.polynomials import Invariant, Polynomial
from hetc.dataclass import dataclass
from hetc.dialects import guard, obj, skel


@dataclass(frozen=True)
class Affine:
    """`sum of coefficient * variable + rest`; coefficients and the rest are the same in all iterations.

    Variables are those of the parallel loop, and those of loops inside it. No coefficient is zero.
    """

    variables: Mapping[BlockArgument, Polynomial] = field(default_factory=dict[BlockArgument, Polynomial])
    rest: Polynomial = field(default_factory=Polynomial)

    def plus(self, other: Affine, factor: int = 1) -> Affine:
        """This function plus a multiple of another."""
        total = dict(self.variables)
        for variable, coefficient in other.variables.items():
            total[variable] = total.get(variable, Polynomial()).plus(coefficient, factor)
        return Affine(
            {variable: coefficient for variable, coefficient in total.items() if coefficient.terms},
            self.rest.plus(other.rest, factor),
        )

    def times(self, factor: Polynomial) -> Affine:
        """This function times what all iterations share."""
        products = {variable: coefficient.times(factor) for variable, coefficient in self.variables.items()}
        return Affine(
            {variable: product for variable, product in products.items() if product.terms}, self.rest.times(factor)
        )


@dataclass(frozen=True)
class Lookup:
    """The element of a captured array, which the loop does not store to, at these indices."""

    array: str
    indices: tuple[SSAValue, ...]


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
        if isinstance(value, BlockArgument) and (value.owner is self.body or self._counts(value)):
            return Affine({value: Polynomial.constant(1)})
        op = value.owner
        match op:
            case guard.FactOp():
                form = self.of(op.operand)
                fact = self._invariant(value)
                return fact if form == fact else form
            case arith.ConstantOp(value=IntegerAttr() as number):
                return Affine(rest=Polynomial.constant(number.value.data))
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

    def lookup(self, value: SSAValue) -> Lookup | None:
        """A value as an element of a captured array, where it is not negative; None if it is not known to be one."""
        op = value.owner
        match op:
            case guard.FactOp() | arith.ExtSIOp() | arith.ExtUIOp():
                return self.lookup(op.operands[0])
            case arith.SelectOp() if (index := _index_of(op)) is not None:
                found = self.lookup(index)
                if found is not None:
                    self.wrapped.append(index)
                return found
            case obj.LoadOp() if op.mutable is None:
                return Lookup(skel.captured_name(op.array), tuple(op.indices))
            case _:
                return None

    def _counts(self, value: BlockArgument) -> bool:
        """Whether a value is the variable of a loop inside the parallel one."""
        return isinstance(value.owner.parent_op(), scf.ForOp) and value.index == 0 and self._is_inside(value.owner)

    def _product(self, op: arith.MuliOp) -> Affine | None:
        left, right = self.of(op.lhs), self.of(op.rhs)
        if left is None or right is None:
            return None
        for one, other in ((left, right), (right, left)):
            if not one.variables:
                return other.times(one.rest)
        return None

    def _invariant(self, value: SSAValue) -> Affine | None:
        term = self._term(value)
        return None if term is None else Affine(rest=Polynomial.of(Invariant(term, value)))

    def _term(self, value: SSAValue) -> Hashable | None:
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

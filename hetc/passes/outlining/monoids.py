"""Operators with an identity, which stands for what is not there: kernels of whole groups need no test then."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from xdsl.dialects import arith, ub
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Attribute, Region, SSAValue

from hetc.analysis.operators import Number, identities, is_commutative
from hetc.dataclass import dataclass
from hetc.passes.fusion.filters import combine_present
from hetc.passes.outlining.kernel import Kernel
from hetc.passes.outlining.runs import Operator


@dataclass(frozen=True)
class Monoid:
    """An operator whose identity is known, or, where none is, on pairs: numbers, and whether they are there."""

    operator: Operator

    @cached_property
    def numbers(self) -> list[Number] | None:
        """The identity, if the operator itself has one that is known."""
        return identities(self.operator.combine.block)

    @cached_property
    def commutes(self) -> bool:
        """Whether operands may change places."""
        return is_commutative(self.operator.combine.block)

    @cached_property
    def combine(self) -> Region:
        """The operator on what is combined: numbers, or pairs."""
        operator = self.operator
        if self.numbers is not None:
            return operator.combine
        return Region(combine_present(operator.combine.clone(), operator.types, operator.source))

    @cached_property
    def types(self) -> list[Attribute]:
        """The types of what is combined."""
        return [*self.operator.types, *([] if self.numbers is not None else [i1])]

    def identity(self, kernel: Kernel) -> list[SSAValue]:
        """What leaves all others as they are."""
        if self.numbers is not None:
            return [kernel.add(arith.ConstantOp(number)).result for number in self.numbers]
        return [*(kernel.add(ub.PoisonOp(type_)).result for type_ in self.operator.types), self._truth(kernel, 0)]

    def present(self, kernel: Kernel, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Numbers that are there."""
        return [*values, *([] if self.numbers is not None else [self._truth(kernel, 1)])]

    def present_if(self, kernel: Kernel, condition: SSAValue, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Numbers that are there if a condition holds."""
        if self.numbers is None:
            return [*values, condition]
        pairs = zip(values, self.identity(kernel), strict=True)
        return [kernel.add(arith.SelectOp(condition, value, other)).result for value, other in pairs]

    def numbers_of(self, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """The numbers of what was combined."""
        return values[: len(self.operator.types)]

    def combined(self, kernel: Kernel, left: Sequence[SSAValue], right: Sequence[SSAValue]) -> list[SSAValue]:
        """The operator, on both."""
        return kernel.inline(self.combine, [*left, *right])

    def beginning(self, kernel: Kernel) -> list[SSAValue]:
        """The initial value; without one, the identity."""
        if not self.operator.inits:
            return self.identity(kernel)
        return self.present(kernel, self.operator.beginning(kernel))

    def _truth(self, kernel: Kernel, value: int) -> SSAValue:
        return kernel.add(arith.ConstantOp(IntegerAttr(value, i1))).result

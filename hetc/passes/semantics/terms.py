"""Terms: payloads with operators that append ops, so that an algorithm on bits and numbers reads as in a book.

Integers are signed, wrap, and divide towards zero; comparisons of floats are false for NaN, but for `differs`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Attribute, Block, Region, SSAValue

from hetc.analysis.attributes import number_attribute
from hetc.dataclass import dataclass
from hetc.passes.semantics.emitter import Emitter, Number

_INTEGER = {
    "+": arith.AddiOp, "-": arith.SubiOp, "*": arith.MuliOp, "/": arith.DivSIOp, "%": arith.RemSIOp,
    "&": arith.AndIOp, "|": arith.OrIOp, "^": arith.XOrIOp, "<<": arith.ShLIOp, ">>": arith.ShRSIOp,
}  # fmt: skip
_FLOAT = {"+": arith.AddfOp, "-": arith.SubfOp, "*": arith.MulfOp, "/": arith.DivfOp}
_COMPARE = {
    "<": ("slt", "olt"), "<=": ("sle", "ole"), ">": ("sgt", "ogt"), ">=": ("sge", "oge"), "==": ("eq", "oeq"),
    "!=": ("ne", "une"),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Payload:
    """A payload with the four operations; what they give is of the same class."""

    e: Emitter
    value: SSAValue

    @property
    def is_integer(self) -> bool:
        """Whether it is an integer or a truth value."""
        return isinstance(self.value.type, IntegerType)

    def constant(self, value: float) -> Self:
        """A constant of the same type."""
        return self.of(self.e.add(arith.ConstantOp(number_attribute(value, self.value.type))).result)

    def of(self, value: SSAValue) -> Self:
        """Another payload of this class."""
        return type(self)(self.e, value)

    def _with(self, symbol: str, other: Self | float) -> Self:
        op = (_INTEGER if self.is_integer else _FLOAT)[symbol]
        right = other if isinstance(other, Payload) else self.constant(other)
        return self.of(self.e.add(op(self.value, right.value)).result)

    def __add__(self, other: Self | float) -> Self:
        return self._with("+", other)

    def __sub__(self, other: Self | float) -> Self:
        return self._with("-", other)

    def __mul__(self, other: Self | float) -> Self:
        return self._with("*", other)

    def __truediv__(self, other: Self | float) -> Self:
        return self._with("/", other)

    def __neg__(self) -> Self:
        return self.constant(0) - self if self.is_integer else self.of(self.e.add(arith.NegfOp(self.value)).result)

    def call(self, function: type[math.FloatingPointLikeUnaryMathOperation]) -> Self:
        """A `math` function of this float."""
        return self.of(self.e.unary(function, self.value))

    def with_sign_of(self, other: Self) -> Self:
        """copysign."""
        return self.of(self.e.add(math.CopySignOp(self.value, other.value)).result)


@dataclass(frozen=True, eq=False)
class Term(Payload):
    """A payload: a float, a signed integer or an `i1`."""

    def __mod__(self, other: Self | float) -> Self:
        return self._with("%", other)

    def __and__(self, other: Self | int) -> Self:
        return self._with("&", other)

    def __or__(self, other: Self | int) -> Self:
        return self._with("|", other)

    def __xor__(self, other: Self | int) -> Self:
        return self._with("^", other)

    def __lshift__(self, other: Self | int) -> Self:
        return self._with("<<", other)

    def __rshift__(self, other: Self | int) -> Self:
        return self._with(">>", other)

    def logical_shift(self, count: int) -> Term:
        """The bits moved to the right, zeros from the left."""
        return Term(self.e, self.e.add(arith.ShRUIOp(self.value, self.constant(count).value)).result)

    def __invert__(self) -> Term:
        return self ^ (1 if self.value.type == i1 else -1)

    def __abs__(self) -> Term:
        return (self < 0).choose(-self, self) if self.is_integer else self.call(math.AbsFOp)

    def _compare(self, symbol: str, other: Term | float) -> Term:
        whole, real = _COMPARE[symbol]
        right = (other if isinstance(other, Term) else self.constant(other)).value
        compare, predicate = (self.e.compare_ints, whole) if self.is_integer else (self.e.compare_floats, real)
        return Term(self.e, compare(predicate, self.value, right))

    def __lt__(self, other: Term | float) -> Term:
        return self._compare("<", other)

    def __le__(self, other: Term | float) -> Term:
        return self._compare("<=", other)

    def __gt__(self, other: Term | float) -> Term:
        return self._compare(">", other)

    def __ge__(self, other: Term | float) -> Term:
        return self._compare(">=", other)

    def equals(self, other: Term | float) -> Term:
        """Whether two numbers are equal; NaN is not."""
        return self._compare("==", other)

    def differs(self, other: Term | float) -> Term:
        """Whether two numbers are not equal; NaN is not equal to anything."""
        return self._compare("!=", other)

    def is_nan(self) -> Term:
        """Whether a float is NaN."""
        return Term(self.e, self.e.compare_floats("uno", self.value, self.value))

    def is_finite(self) -> Term:
        """Whether a float is neither NaN nor an infinity."""
        return abs(self) < float("inf")

    def is_infinite(self) -> Term:
        """Whether a float is an infinity."""
        return abs(self).equals(float("inf"))

    def choose(self, then: Term, other: Term | float) -> Term:
        """`then` if this `i1` holds, else `other`."""
        right = other if isinstance(other, Term) else then.constant(other)
        return Term(self.e, self.e.select(self.value, then.value, right.value))

    def times_plus(self, factor: Term, summand: Term) -> Term:
        """self * factor + summand, rounded once."""
        return Term(self.e, self.e.add(math.FmaOp(self.value, factor.value, summand.value)).result)

    def to(self, source: Attribute, target: Attribute) -> Term:
        """This payload of one source type converted to another source type, as C casts."""
        return Term(self.e, self.e.convert(Number(self.value, source), target).value)

    def bits(self, type_: Attribute) -> Term:
        """The same bits as another type of the same width."""
        return Term(self.e, self.e.add(arith.BitcastOp(self.value, type_)).result)


def constant(e: Emitter, value: float, type_: Attribute) -> Term:
    """A constant of a payload type."""
    return Term(e, e.add(arith.ConstantOp(number_attribute(value, type_))).result)


def repeat(
    starts: Sequence[Term],
    condition: Callable[[Sequence[Term]], Term],
    body: Callable[[Sequence[Term]], Sequence[Term]],
) -> list[Term]:
    """While the condition holds on some terms, replace them by what the body makes of them."""
    e = starts[0].e
    types = [start.value.type for start in starts]
    before, after = Block(arg_types=types), Block(arg_types=types)
    with e.inside(before):
        going = condition([Term(e, argument) for argument in before.args])
        e.add(scf.ConditionOp(going.value, *before.args))
    with e.inside(after):
        e.add(scf.YieldOp(*(term.value for term in body([Term(e, argument) for argument in after.args]))))
    loop = e.add(scf.WhileOp([start.value for start in starts], types, Region(before), Region(after)))
    return [Term(e, result) for result in loop.results]

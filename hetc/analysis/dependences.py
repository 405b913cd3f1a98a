"""Which iterations of a parallel loop may meet at one element, as far as one dimension's indices tell."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from xdsl.ir import Block, BlockArgument

from hetc.analysis.affine import Affine
from hetc.analysis.polynomials import ONE, Polynomial
from hetc.dataclass import dataclass

LIMIT = 2**31
"""Coefficients up to here, times variables below it, do not leave 64 bits, where NumPy's integers would wrap."""


@dataclass(frozen=True)
class Digit:
    """What has to hold of an index, of which `lower` is the part below `base`: 0 <= lower < base <= LIMIT."""

    lower: Affine
    base: Polynomial

    @property
    def holds(self) -> bool | None:
        """Whether it holds; None if that is not known."""
        lower = None if self.lower.variables else self.lower.rest.known
        base = self.base.known
        if base is not None and not 0 < base <= LIMIT:
            return False
        if lower is not None and lower < 0:
            return False
        if lower is None or base is None:
            return None
        return lower < base


@dataclass(frozen=True)
class Relation:
    """What two indices say of two iterations that meet.

    `same` are the variables that both have the same value of, provided that `digits` hold of the one and of the other.
    `apart`: they never meet. Both hold provided that the arrays `distinct` have no two elements that are the same.
    """

    same: frozenset[int] = frozenset()
    apart: bool = False
    digits: tuple[tuple[Digit, ...], tuple[Digit, ...]] = ((), ())
    distinct: frozenset[str] = frozenset()


UNKNOWN = Relation()


def relate(left: Affine | None, right: Affine | None, loop: Block) -> Relation:
    """Compare the indices of two accesses in one dimension.

    1. The indices differ by a constant that no multiples of the coefficients come to: apart (the GCD test).
    2. Sort the terms of each by their coefficients. An index is a number in a mixed radix, the variables its digits,
       if each sum of lower terms is at least zero and below the next coefficient. Then two numbers are the same only if
       all their digits are: the variables of the parallel loop are. Terms that are below all of those variables
       (variables of inner loops, constants) may differ.
    """
    if left is None or right is None:
        return UNKNOWN
    distance = left.rest.plus(right.rest, -1).known
    if distance is None:
        return UNKNOWN
    step = gcd(*(_step(v, c, loop) for form in (left, right) for v, c in form.variables.items()))
    if distance != 0 if step == 0 else distance % step != 0:
        return Relation(apart=True)
    lower_left, upper_left = _split(left, loop)
    lower_right, upper_right = _split(right, loop)
    if not upper_left or len(upper_left) != len(upper_right):
        return UNKNOWN
    for (one, here), (other, there) in zip(upper_left, upper_right, strict=True):
        if here != there or (one is not other and loop in (one.owner, other.owner)):
            return UNKNOWN
    for first, second in _starts(left, right, inner=bool(lower_left or lower_right)):
        parts = (Affine(dict(lower_left), first), Affine(dict(lower_right), second))
        digits = _digits(parts, upper_left, upper_right)
        if not any(digit.holds is False for side in digits for digit in side):
            same = frozenset(variable.index for variable, _ in upper_left if variable.owner is loop)
            return Relation(same, digits=digits)
    return UNKNOWN


def _step(variable: BlockArgument, coefficient: Polynomial, loop: Block) -> int:
    """What all multiples of a coefficient are multiples of, in 64 bits that may wrap."""
    known = coefficient.known
    if known is not None and abs(known) <= LIMIT and variable.owner is loop:
        return abs(known)
    content = coefficient.content
    return content & -content


Terms = Sequence[tuple[BlockArgument, Polynomial]]


def _split(form: Affine, loop: Block) -> tuple[Terms, Terms]:
    """The terms of a form, from low coefficients to high: those before the first variable of the loop, and from there.

    Of coefficients that cannot be compared the one with more factors is taken to be higher: a wrong guess only means
    that the digits do not hold.
    """
    terms = sorted(form.variables.items(), key=lambda term: (term[1].degree, term[1].content))
    first = next((k for k, (variable, _) in enumerate(terms) if variable.owner is loop), len(terms))
    return terms[:first], terms[first:]


def _starts(left: Affine, right: Affine, *, inner: bool) -> list[tuple[Polynomial, Polynomial]]:
    """What the lowest digits may begin with: their distance alone, or the constants in the indices.

    The constants come first where variables of inner loops count from there, as in `for j in range(1, n): a[j - 1]`.
    """
    one, other = left.rest.terms.get(ONE, 0), right.rest.terms.get(ONE, 0)
    least = min(one, other)
    starts = [(one - least, other - least), (one, other)]
    constants = [(Polynomial.constant(first), Polynomial.constant(second)) for first, second in starts]
    return constants[::-1] if inner else constants


def _digits(
    parts: tuple[Affine, Affine], upper_left: Terms, upper_right: Terms
) -> tuple[tuple[Digit, ...], tuple[Digit, ...]]:
    left, right = parts
    digits: list[tuple[Digit, Digit]] = []
    for (one, coefficient), (other, _) in zip(upper_left, upper_right, strict=True):
        # Where all variables count down, the negations are compared: their distances are the same.
        coefficients = [*left.variables.values(), *right.variables.values()]
        sign = -1 if coefficients and all(c.is_negative for c in coefficients) else 1
        base = Polynomial().plus(coefficient, -1 if coefficient.is_negative else 1)
        digits.append((Digit(Affine().plus(left, sign), base), Digit(Affine().plus(right, sign), base)))
        left = left.plus(Affine({one: coefficient}))
        right = right.plus(Affine({other: coefficient}))
    return tuple(digit for digit, _ in digits), tuple(digit for _, digit in digits)

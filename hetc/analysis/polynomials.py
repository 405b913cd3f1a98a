"""Polynomials with integer coefficients in values that all iterations of a loop share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import field
from functools import reduce
from math import gcd

from xdsl.ir import SSAValue

from hetc.dataclass import dataclass


@dataclass(frozen=True)
class Invariant:
    """A value that all iterations share: equal to others that are computed in the same way, whatever the value is."""

    computed: Hashable
    value: SSAValue = field(compare=False)


Monomial = frozenset[tuple[Invariant, int]]
"""A product of powers; empty for 1."""

ONE: Monomial = frozenset()


@dataclass(frozen=True)
class Polynomial:
    """A sum of `coefficient * monomial`. No coefficient is zero."""

    terms: Mapping[Monomial, int] = field(default_factory=dict[Monomial, int])

    @staticmethod
    def constant(number: int) -> Polynomial:
        """A number."""
        return Polynomial({ONE: number} if number else {})

    @staticmethod
    def of(invariant: Invariant) -> Polynomial:
        """A value."""
        return Polynomial({frozenset({(invariant, 1)}): 1})

    def plus(self, other: Polynomial, factor: int = 1) -> Polynomial:
        """This plus a multiple of another."""
        total = dict(self.terms)
        for monomial, coefficient in other.terms.items():
            total[monomial] = total.get(monomial, 0) + factor * coefficient
        return Polynomial({monomial: coefficient for monomial, coefficient in total.items() if coefficient})

    def times(self, other: Polynomial) -> Polynomial:
        """The product of two."""
        total = Polynomial()
        for one, left in self.terms.items():
            for two, right in other.terms.items():
                powers = Counter(dict(one)) + Counter(dict(two))
                total = total.plus(Polynomial({frozenset(powers.items()): left * right}))
        return total

    @property
    def known(self) -> int | None:
        """The number that this is, if it is one."""
        return self.terms.get(ONE, 0) if self.terms.keys() <= {ONE} else None

    @property
    def content(self) -> int:
        """The greatest integer that divides all coefficients; 0 for the polynomial 0."""
        return reduce(gcd, self.terms.values(), 0)

    @property
    def degree(self) -> int:
        """The highest number of factors in a monomial."""
        return max((sum(power for _, power in monomial) for monomial in self.terms), default=0)

    @property
    def is_negative(self) -> bool:
        """Whether all coefficients are negative."""
        return bool(self.terms) and all(coefficient < 0 for coefficient in self.terms.values())

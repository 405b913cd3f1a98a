"""Closed intervals of floats, with NaN and infinities: what a float can be.

Rounding to nearest is monotone, so the bounds of a sum, product, quotient or root are those of the bounds, computed in
the same precision. Where OpenCL allows a function an error of some ulp, the bounds are widened by far more than that.
Signs of zeros are not told apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.ir import Attribute

from hetc.analysis.conditions import FloatPredicate
from hetc.dataclass import dataclass

INF = math.inf
SLACK = 1e-5
"""Relative error that the bounds of functions are widened by, which no rounding and no device's library reaches."""

Format = type[np.floating[Any]]


def is_float_type(type_: Attribute) -> bool:
    """Whether floats of this type are analysed."""
    return isinstance(type_, Float32Type | Float64Type)


def float_format(type_: Attribute) -> Format:
    """The NumPy type that computes as the device does."""
    return np.float32 if isinstance(type_, Float32Type) else np.float64


@dataclass(frozen=True)
class FloatInterval:
    """All floats from `low` to `high`, both included, without zero if `nonzero`; and NaN, if `nan`.

    Where `low` is above `high` only NaN is left.
    """

    low: float
    high: float
    nan: bool = False
    nonzero: bool = False

    @staticmethod
    def whole() -> FloatInterval:
        """Any float, NaN included.

        >>> FloatInterval.whole()
        FloatInterval(low=-inf, high=inf, nan=True, nonzero=False)
        """
        return _WHOLE

    def __contains__(self, other: FloatInterval) -> bool:
        inside = other.low > other.high or (self.low <= other.low and other.high <= self.high)
        return inside and (self.nan or not other.nan) and (not self.nonzero or not other.has_zero)

    @property
    def has_zero(self) -> bool:
        """Whether it may be zero."""
        return not self.nonzero and self.low <= 0.0 <= self.high

    @property
    def has_infinity(self) -> bool:
        """Whether it may be infinite."""
        return self.low == -INF or self.high == INF

    @property
    def empty(self) -> bool:
        """Whether it is NaN, if anything."""
        return self.low > self.high

    def join(self, other: FloatInterval) -> FloatInterval:
        """The smallest interval that holds both."""
        if self.empty or other.empty:
            return replace(other if self.empty else self, nan=self.nan or other.nan)
        nonzero = not self.has_zero and not other.has_zero
        return FloatInterval(min(self.low, other.low), max(self.high, other.high), self.nan or other.nan, nonzero)

    def meet(self, other: FloatInterval) -> FloatInterval:
        """What lies in both."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return FloatInterval(low, high, self.nan and other.nan, self.nonzero or other.nonzero)

    def widened(self, other: FloatInterval) -> FloatInterval:
        """At a loop head: an end that moves goes to the next landmark (0, then infinity)."""
        joined = self.join(other)
        low = joined.low if joined.low == self.low else (0.0 if joined.low >= 0.0 else -INF)
        high = joined.high if joined.high == self.high else (0.0 if joined.high <= 0.0 else INF)
        return FloatInterval(low, high, joined.nan, joined.nonzero)

    def refined(self, predicate: FloatPredicate, other: FloatInterval, format_: Format) -> FloatInterval:
        """What is left of it where it compares so with another."""
        if predicate in (FloatPredicate.FALSE, FloatPredicate.TRUE, FloatPredicate.UNO):
            return self
        known = replace(self, nan=self.nan and not predicate.ordered)
        if other.nan and not predicate.ordered:
            return known  # true for any number, if the other is NaN
        low, high = known.low, known.high
        match _relation(predicate):
            case "eq":
                return replace(known.meet(replace(other, nan=True)), nan=known.nan)
            case "ne":
                zero = other.low == other.high == 0.0
                return replace(known, nonzero=known.nonzero or zero)
            case "gt":
                low = max(low, _next(other.low, INF, format_))
            case "ge":
                low = max(low, other.low)
            case "lt":
                high = min(high, _next(other.high, -INF, format_))
            case "le":
                high = min(high, other.high)
            case _:
                pass
        return replace(known, low=low, high=high)

    def compare(self, predicate: FloatPredicate, other: FloatInterval) -> bool | None:
        """The truth of a comparison, if it is the same for all members."""
        nan = self.nan or other.nan
        match predicate:
            case FloatPredicate.FALSE | FloatPredicate.TRUE:
                return predicate is FloatPredicate.TRUE
            case FloatPredicate.ORD | FloatPredicate.UNO:
                return None if nan else predicate is FloatPredicate.ORD
            case _:
                pass
        if self.empty or other.empty:
            return None
        relation = _relation(predicate)
        if _always(self, relation, other) and not (nan and predicate.ordered):
            return True
        if _always(self, _OPPOSITE[relation], other) and not (nan and not predicate.ordered):
            return False
        return None


_WHOLE = FloatInterval(-INF, INF, nan=True)
_OPPOSITE = {"eq": "ne", "ne": "eq", "gt": "le", "le": "gt", "ge": "lt", "lt": "ge", "none": "none"}


def _relation(predicate: FloatPredicate) -> str:
    return ("none", "eq", "gt", "ge", "lt", "le", "ne")[predicate if predicate <= FloatPredicate.ONE else predicate - 7]


def _always(left: FloatInterval, relation: str, right: FloatInterval) -> bool:
    match relation:
        case "eq":
            return left.low == left.high == right.low == right.high
        case "ne":
            apart = left.high < right.low or right.high < left.low
            zeros = (left, right) if right.low == right.high == 0.0 else (right, left)
            return apart or (zeros[1].low == zeros[1].high == 0.0 and zeros[0].nonzero)
        case "gt":
            return left.low > right.high
        case "ge":
            return left.low >= right.high
        case "lt":
            return left.high < right.low
        case "le":
            return left.high <= right.low
        case _:
            return False


def _next(number: float, towards: float, format_: Format) -> float:
    """The next float of a format; a 32-bit one that is not normal may count as zero on a device."""
    following = float(np.nextafter(format_(number), format_(towards)))
    return number if format_ is np.float32 and abs(following) < _SMALLEST_NORMAL else following


_SMALLEST_NORMAL = float(np.finfo(np.float32).tiny)


# --------------------------------------------------------------------------------------------------------------------
# Arithmetic
# --------------------------------------------------------------------------------------------------------------------


def rounded(interval: FloatInterval, format_: Format) -> FloatInterval:
    """The interval in a format: bounds rounded, 32-bit numbers that are not normal as zero."""
    with np.errstate(all="ignore"):
        low, high = float(format_(interval.low)), float(format_(interval.high))
    nonzero = interval.nonzero and not (low == 0.0 or high == 0.0)
    if format_ is np.float32:
        low = 0.0 if 0.0 < low < _SMALLEST_NORMAL else low
        high = 0.0 if -_SMALLEST_NORMAL < high < 0.0 else high
        nonzero = False
    return FloatInterval(low, high, interval.nan, nonzero)


def _corners(
    operator: Callable[[Any, Any], Any], left: FloatInterval, right: FloatInterval, format_: Format, *, nan: bool
) -> FloatInterval:
    """The bounds of an operator that is monotone in each operand; a bound without meaning leaves it open."""
    if left.empty or right.empty:
        return _WHOLE
    with np.errstate(all="ignore"):
        found = [
            float(operator(format_(a), format_(b))) for a in (left.low, left.high) for b in (right.low, right.high)
        ]
    if any(math.isnan(number) for number in found):
        return FloatInterval(-INF, INF, nan)
    return rounded(FloatInterval(min(found), max(found), nan), format_)


def add(left: FloatInterval, right: FloatInterval, format_: Format) -> FloatInterval:
    """left + right: NaN also of infinities of different signs."""
    opposed = (left.low == -INF and right.high == INF) or (left.high == INF and right.low == -INF)
    if left.empty or right.empty:
        return _WHOLE
    with np.errstate(all="ignore"):
        low = float(format_(left.low) + format_(right.low))
        high = float(format_(left.high) + format_(right.high))
    low, high = (-INF if math.isnan(low) else low), (INF if math.isnan(high) else high)
    return rounded(FloatInterval(low, high, left.nan or right.nan or opposed), format_)


def negate(operand: FloatInterval) -> FloatInterval:
    """-x."""
    return FloatInterval(-operand.high, -operand.low, operand.nan, operand.nonzero)


def subtract(left: FloatInterval, right: FloatInterval, format_: Format) -> FloatInterval:
    """left - right."""
    return add(left, negate(right), format_)


def multiply(left: FloatInterval, right: FloatInterval, format_: Format) -> FloatInterval:
    """left * right: NaN also of zero times infinity, which is between the bounds where it is no bound."""
    invalid = (left.low <= 0.0 <= left.high and right.has_infinity) or (
        right.low <= 0.0 <= right.high and left.has_infinity
    )
    nan = left.nan or right.nan or invalid
    return _corners(_product, left, right, format_, nan=nan)


def _product(a: Any, b: Any) -> Any:
    """A corner of a product: zero times infinity stands for zero times what is large."""
    return a * 0 * 0 if (a == 0 and abs(b) == INF) else (b * 0 * 0 if (b == 0 and abs(a) == INF) else a * b)


def square(operand: FloatInterval, format_: Format) -> FloatInterval:
    """x * x: never negative, NaN only of NaN."""
    size = absolute(operand)
    if size.empty:
        return _WHOLE
    with np.errstate(all="ignore"):
        low, high = (float(format_(bound) * format_(bound)) for bound in (size.low, size.high))
    return rounded(FloatInterval(low, high, operand.nan), format_)


def absolute(operand: FloatInterval) -> FloatInterval:
    """|x|."""
    if operand.empty:
        return operand
    low = 0.0 if operand.low <= 0.0 <= operand.high else min(abs(operand.low), abs(operand.high))
    return FloatInterval(low, max(abs(operand.low), abs(operand.high)), operand.nan, operand.nonzero)


def divide(left: FloatInterval, right: FloatInterval, format_: Format) -> FloatInterval:
    """left / right, by what is surely positive or surely negative; anything else gives anything."""
    if right.empty or right.low <= 0.0 <= right.high:
        return _WHOLE
    nan = left.nan or right.nan or (left.has_infinity and right.has_infinity)
    return _corners(lambda a, b: a / b, left, right, format_, nan=nan)


def square_root(operand: FloatInterval, format_: Format) -> FloatInterval:
    """sqrt(x): NaN of what is negative; no positive number has the root zero."""
    low, high = max(operand.low, 0.0), operand.high
    if low > high:
        return _WHOLE
    with np.errstate(all="ignore"):
        bounds = FloatInterval(float(np.sqrt(format_(low))), float(np.sqrt(format_(high))))
    return rounded(replace(bounds, nan=operand.nan or operand.low < 0.0, nonzero=operand.nonzero), format_)


def function(
    operand: FloatInterval, monotone: Callable[[Any], Any], floor: float, ceiling: float, format_: Format
) -> FloatInterval:
    """A monotone function that a device computes with an error of some ulp, with values from `floor` to `ceiling`."""
    if operand.empty:
        return _WHOLE
    with np.errstate(all="ignore"):
        low, high = (float(monotone(np.float64(bound))) for bound in (operand.low, operand.high))
    nan = operand.nan or math.isnan(low) or math.isnan(high)
    low, high = (-INF if math.isnan(low) else low), (INF if math.isnan(high) else high)
    low = low if math.isinf(low) else low - SLACK * abs(low)
    high = high if math.isinf(high) else high + SLACK * abs(high)
    return rounded(FloatInterval(max(min(low, ceiling), floor), min(max(high, floor), ceiling), nan), format_)

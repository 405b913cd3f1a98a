"""Closed intervals of integers, and their arithmetic without overflow."""

from __future__ import annotations

from hetc.dataclass import dataclass


@dataclass(frozen=True)
class Interval:
    """All integers from `low` to `high`, both included.

    >>> Interval(1, 3) * Interval(-2, 5)
    Interval(low=-6, high=15)
    """

    low: int
    high: int

    @staticmethod
    def of_width(width: int) -> Interval:
        """All values of a signed integer type; a truth value is 0 or 1."""
        if width == 1:
            return Interval(0, 1)
        return Interval(-(1 << (width - 1)), (1 << (width - 1)) - 1)

    def __contains__(self, other: Interval | int) -> bool:
        if isinstance(other, int):
            return self.low <= other <= self.high
        return self.low <= other.low and other.high <= self.high

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.low - other.high, self.high - other.low)

    def __mul__(self, other: Interval) -> Interval:
        corners = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(corners), max(corners))

    def shifted(self, distance: int) -> Interval:
        """All of it plus a constant."""
        return Interval(self.low + distance, self.high + distance) if distance else self

    def join(self, other: Interval) -> Interval:
        """The smallest interval that holds both."""
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def meet(self, other: Interval) -> Interval:
        """What lies in both; where nothing does, this code is dead, and either answer will do."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Interval(low, high) if low <= high else self

    def quotient(self, other: Interval) -> Interval | None:
        """Division rounding to zero, by a divisor that is known to be positive, or to be negative."""
        if other.low <= 0 <= other.high:
            return None
        corners = [_divide(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(corners), max(corners))

    def remainder(self, other: Interval) -> Interval | None:
        """Remainder with the dividend's sign, by a divisor that is known not to be zero."""
        if other.low <= 0 <= other.high:
            return None
        largest = max(abs(other.low), abs(other.high)) - 1
        low = 0 if self.low >= 0 else max(self.low, -largest)
        return Interval(low, 0 if self.high <= 0 else min(self.high, largest))

    def widened(self, other: Interval, limit: Interval) -> Interval:
        """At a loop head: an end that moves goes to the next landmark (0, 1, 32 bits), then to the limit."""
        low, high = self.low, self.high
        if other.low < low:
            low = next((mark for mark in (1, 0, -(2**31)) if mark <= other.low), limit.low)
        if other.high > high:
            high = next((mark for mark in (0, 2**31 - 1) if mark >= other.high), limit.high)
        return Interval(low, high)


def _divide(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a >= 0) == (b >= 0) else -quotient

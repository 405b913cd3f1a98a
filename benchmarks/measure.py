"""How two sides are compared: in pairs, by medians, with the spread.

A pair is one measurement of each side, right after one another, and the side that goes first changes from pair to pair.
So whatever else the machine does in a second falls on both. The ratio is the median over the pairs' ratios; its spread
is the range that the middle 80 % of them lie in.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    """Milliseconds of both sides, pair by pair."""

    hetc: tuple[float, ...]
    native: tuple[float, ...]

    @property
    def ratios(self) -> list[float]:
        """hetc's time over the hand-written program's, pair by pair."""
        return [ours / theirs for ours, theirs in zip(self.hetc, self.native, strict=True)]

    @property
    def ratio(self) -> float:
        """The median ratio: above 1, hetc is slower."""
        return statistics.median(self.ratios)

    @property
    def spread(self) -> tuple[float, float]:
        """Ratios between which the middle 80 % of the pairs lie."""
        return spread(self.ratios)


def spread(values: Sequence[float]) -> tuple[float, float]:
    """The 10th and the 90th percentile.

    >>> spread([5.0, 1.0, 2.0, 4.0, 3.0])
    (1.4, 4.6)
    """
    if len(values) < 2:
        return values[0], values[0]
    tenths = statistics.quantiles(values, n=10, method="inclusive")
    return tenths[0], tenths[-1]


def compare(hetc: Callable[[], float], native: Callable[[], float], pairs: int, warm_up: int = 2) -> Comparison:
    """Measure both sides `pairs` times. Each callable measures once, and returns milliseconds."""
    ours: list[float] = []
    theirs: list[float] = []
    for pair in range(-warm_up, pairs):
        if pair % 2:
            a = hetc()
            b = native()
        else:
            b = native()
            a = hetc()
        if pair >= 0:
            ours.append(a)
            theirs.append(b)
    return Comparison(tuple(ours), tuple(theirs))

"""What calls take on one of several devices: a straight line, and beyond what was measured as little as may be."""

from __future__ import annotations

from hetc.dataclass import dataclass
from hetc.hotness import CALL_SECONDS, FunctionTimes

LONGEST_START = 1e-3
"""So long may a call take on next to no data, on a device with many processors: it tells nothing about more data."""
TRIALS = 3
"""So often is a candidate measured before it is left: the first calls of a kernel may take many times as long."""


@dataclass
class PlaceTimes(FunctionTimes):
    """What calls have taken on one candidate, whose data was in the same places.

    Beyond what has been measured a call is taken to be as cheap as it may be: what is taken for too cheap is measured
    by its first call, what is taken for too dear never is.
    """

    def device(self, size: int) -> float:
        """The seconds that a call takes."""
        runs = list(self.runs)  # other threads may add to them
        start = CALL_SECONDS + self.deciding
        if not runs:
            return start + self.moving * size
        small, large = min(runs)[0], max(runs)[0]
        last = _lasting([seconds for elements, seconds in runs if elements == large])
        if size > large:
            known = last - LONGEST_START if len(runs) >= TRIALS else 0.0
            return last + max(self.moving, known / max(1, large)) * (size - large)
        first = last if small == large else _lasting([seconds for elements, seconds in runs if elements == small])
        if size < small:
            start = min(first, start)
            return start + (first - start) * size / small
        return first + (last - first) * (size - small) / max(1, large - small)


def _lasting(found: list[float]) -> float:
    """What a call takes that has taken so long: of few the least, for the first ones take longer; else the median."""
    found.sort()
    return found[0] if len(found) <= TRIALS else found[(len(found) - 1) // 2]


@dataclass
class Estimate(FunctionTimes):
    """What `Hotness.decide` asks of a device."""

    seconds: float = 0.0

    def device(self, size: int) -> float:
        """The seconds that this very call takes."""
        return self.seconds

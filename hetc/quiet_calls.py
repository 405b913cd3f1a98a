"""Calls of a function of whose NumPy statements nothing is to be gained: they are left alone for a while.

To look at statements costs some microseconds each, and to ask whether to look a tenth of one. A call in which nothing
was gained is therefore followed by some that run the function as it was written, twice as many each time, as long as
they take no longer than before: if some take twice as long, they may have more data, and are looked at again
(exponential backoff: Metcalfe and Boggs, Ethernet: distributed packet switching, 1976, section 4).
"""

from __future__ import annotations

from hetc.dataclass import dataclass
from hetc.settings import Settings

MAX_QUIET = 64
"""Calls that are left alone, one after the other, where looking costs little."""
MAX_QUIET_OF_DEAR = 4096
"""The same where looking takes much longer than the call does."""
SHARE_OF_LOOKING = 0.03
"""How long looking may take, in the times of the calls that follow."""
SHORT_SECONDS = 20e-6
"""A call of less time is not measured each time: that would be too large a part of it."""
UNTIMED = 15
"""So many short calls go by between two that are measured."""
NOTHING_TO_GAIN = 100e-6
"""Seconds in which nothing is worth a kernel: to start one takes as long."""
GROWN, GROWN_CALLS = 2.0, 3
"""Calls that take so many times what they took, so often in a row, have other data; one may have waited for others."""


@dataclass
class QuietCalls:
    """How many calls are yet to be left alone, under which settings, and what they have taken so far."""

    left: int = 0
    untimed: int = 0
    settings: Settings | None = None
    vain: int = 0
    seconds: float = 0.0
    grown: int = 0

    def looked(self, current: Settings, seconds: float, looking: float, *, gained: bool) -> None:
        """A call has taken `seconds`, besides `looking` at its statements.

        >>> quiet, current = QuietCalls(), Settings()
        >>> for _ in range(3):
        ...     quiet.looked(current, 1e-3, 0.0, gained=False)
        >>> quiet.left
        4
        >>> quiet.looked(current, 1e-3, 0.0, gained=True)
        >>> quiet.left
        0
        """
        self.untimed = 0
        if gained:  # perhaps now and then only, where a device would be about as fast
            self.left, self.vain = 0, self.vain // 2
            return
        self.vain += 1
        until_paid = int(looking / (SHARE_OF_LOOKING * max(seconds, 1e-9)))
        backoff = 2 ** min(self.vain, 20) // 2
        self.left = min(max(backoff, until_paid if self.vain > 1 else 0), MAX_QUIET_OF_DEAR)
        if until_paid <= MAX_QUIET:
            self.left = min(self.left, MAX_QUIET)
        self.settings, self.seconds = current, seconds

    def took(self, seconds: float) -> None:
        """A call that was left alone has taken so long.

        >>> quiet = QuietCalls(left=20, seconds=1e-3)
        >>> for _ in range(3):
        ...     quiet.took(5e-3)
        >>> quiet.left
        0
        """
        if seconds > NOTHING_TO_GAIN and seconds > GROWN * self.seconds:
            self.grown += 1
            if self.grown >= GROWN_CALLS:
                self.left = self.grown = 0
            return
        self.grown = 0
        if seconds < SHORT_SECONDS:
            self.untimed = UNTIMED

"""Which of several layouts of a launch is the fastest, found out on launches that are to be run anyhow.

Each layout gives the same, so nothing is run for the measurement alone: a launch runs one of them, and is timed by the
device. This module decides which, and knows no device.

1. *Watched.* The launch's own layout runs, and few launches are timed: one of eight, and ever fewer of short ones,
   so that those are not made longer by the asking. Trials begin where a launch takes long enough
   to be measured, and `PATIENCE` launches have been run: by then what the trials may cost (about two launches, as slow
   layouts are tried once) is what a gain of a tenth would have saved. It is the ski rental rule of `hetc.hotness`.
2. *Tried.* In each round all layouts run in turn, one a launch. Those that take twice as long as the launch's own are
   out after the first round, those that take `HOPELESS` times as long after the second one; the others go on for
   `ROUNDS` rounds.
3. *Decided.* The fastest by its median is chosen if that is `GAIN` below the median of the launch's own, and three
   quarters of its times are below three quarters of the other's, so that noise does not decide. Else the launch keeps
   its own. That is never asked again, by other processes neither (`hetc.storage.tuned`).

Times are nanoseconds an item, since launches of one class differ in size by up to two.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence

from hetc import abi

PATIENCE = 24
"""Launches before trials begin."""
LEAST_NS = 50_000
"""Shorter launches are not tried: their times say more about the machine than about the layout."""
SPENT_NS = 20_000_000
"""What launches of a class must have taken together."""
HOPELESS = 1.3
SIFTED = {1: 2.0, 2: HOPELESS}
"""After how many rounds a layout is out that has taken so many times as long as the launch's own."""
ROUNDS = 8
FEWEST = 6
"""Rounds in which a layout must have been timed; some launches fail, or are not done when the next one comes."""
GAIN = 0.05
WATCHED_EACH = 8
"""One of so many launches is timed while they are watched."""
SELDOM = 1024
"""At least one of so many is timed of short ones."""
REMEMBERED = 5
"""Times of watched launches that say what is typical: the last ones."""


class Trials:
    """The launches of one step on data of one size class. `layouts` has first the launch's own, which is empty."""

    def __init__(self, layouts: Sequence[abi.Layout]) -> None:
        self.layouts = tuple(layouts)
        self.chosen: int | None = None
        """The layout that has been chosen, once one is."""
        self.launches = 0
        self.unasked = 0
        """So many launches are to run in their own layout, without being asked about: for the caller to count down."""
        self.round = 0
        self._each = WATCHED_EACH
        self._watched = deque[int](maxlen=REMEMBERED)
        self._times: list[list[float]] = [[] for _ in layouts]
        self._turn: list[int] = []
        self._alive = list(range(len(self.layouts)))

    def next(self) -> tuple[int, bool]:
        """The number of the layout for the next launch, and whether its time is wanted."""
        if self.chosen is not None:
            return self.chosen, False
        self.launches += 1
        if not self.round and not self._begun:
            self.unasked = self._each - 1
            self.launches += self.unasked
            return 0, True
        if not self._turn and not self._next_round():
            return self.chosen or 0, False
        return self._turn.pop(), True

    def took(self, layout: int, nanoseconds: int, items: int) -> None:
        """A launch of so many items took so long."""
        if self.chosen is not None:
            return
        if self.round:
            self._times[layout].append(nanoseconds / items)
        else:
            self._watched.append(nanoseconds)

    def choose(self, layout: abi.Layout) -> None:
        """Another process has chosen this one."""
        if layout in self.layouts:
            self.chosen = self.layouts.index(layout)

    @property
    def measured(self) -> tuple[tuple[abi.Layout, float], ...]:
        """The layouts that have been timed, with their medians."""
        return tuple((layout, _median(times)) for layout, times in zip(self.layouts, self._times, strict=True) if times)

    @property
    def _begun(self) -> bool:
        """Whether trials are worth it by now. Where launches are short, fewer are asked about from now on."""
        if self.launches <= PATIENCE or not self._watched:
            return False
        typical = _median(self._watched)
        self._each = min(2 * self._each, SELDOM) if typical < LEAST_NS else WATCHED_EACH
        return typical >= LEAST_NS and typical * self.launches >= SPENT_NS

    def _next_round(self) -> bool:
        """Have another round; False if there have been enough, and one is chosen."""
        own = self._times[0]
        if self.round in SIFTED and own:
            limit = SIFTED[self.round] * min(own)
            self._alive = [k for k in self._alive if k == 0 or not self._times[k] or min(self._times[k]) <= limit]
        if self.round == ROUNDS or len(self._alive) == 1:
            self.chosen = self._best()
            return False
        # Each begins once in a while: what runs first after other work may be slower.
        shift = self.round % len(self._alive)
        self._turn = [*self._alive[shift:], *self._alive[:shift]]
        self.round += 1
        return True

    def _best(self) -> int:
        own = sorted(self._times[0])
        if len(own) < FEWEST:
            return 0
        others = [k for k in self._alive if k and len(self._times[k]) >= FEWEST]
        best = min(others, key=lambda k: _median(self._times[k]), default=0)
        times = sorted(self._times[best])
        if _median(times) > (1 - GAIN) * _median(own):
            return 0
        return best if times[3 * len(times) // 4] < own[len(own) // 4] else 0


def _median(times: Collection[float]) -> float:
    from statistics import median  # few programs have trials, and it brings exact fractions with it

    return median(times)

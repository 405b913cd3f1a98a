"""What has been measured of a launch: which of its layouts was the fastest, for data of several sizes."""

from __future__ import annotations

from hetc.dataclass import dataclass

Layout = tuple[int, ...]
"""A work-group: the number of its work-items, in rows of the launch; or its sizes, x first."""


@dataclass(frozen=True)
class TunedClass:
    """For launches of about `items` work-items: the layout that was chosen, and what each took.

    `items` is the power of two that a launch has at least, but not twice. `measured` are medians in nanoseconds an
    item; the first is the layout that the passes have chosen.
    """

    items: int
    layout: Layout
    measured: tuple[tuple[Layout, float], ...]

    @property
    def gain(self) -> float:
        """The time of what was chosen over that of what the passes have chosen."""
        found = dict(self.measured)
        return found[self.layout] / self.measured[0][1]


@dataclass(frozen=True)
class Tuned:
    """What has been measured of one launch."""

    kernel: str
    classes: tuple[TunedClass, ...] = ()

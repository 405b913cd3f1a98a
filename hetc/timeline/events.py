"""The events of a profile: what happened when, on the host and on the queues of devices.

Times are nanoseconds of `time.perf_counter_ns`, those of devices included: the runtime brings them to that clock.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from hetc.dataclass import dataclass
from hetc.errors import SourceLocation

HOST = "host"


class Kind(enum.StrEnum):
    """What an event is, in the order in which a summary tells of them."""

    CALL = "call"
    START = "start"
    LOAD = "load"
    COMPILE = "compile"
    BUILD = "build"
    MARSHAL = "marshal"
    ENQUEUE = "enqueue"
    WAIT = "wait"
    COPY_IN = "copy in"
    KERNEL = "kernel"
    COPY_OUT = "copy out"
    GUARDS = "guards"
    RESULT = "result"
    PYTHON = "Python"
    DEOPTIMISATION = "deoptimisation"
    RETRY = "heap retry"
    CHOICE = "choice of device"
    TUNING = "tuning"
    FALLBACK = "fallback"


COPIES = (Kind.COPY_IN, Kind.COPY_OUT)


class Lane(NamedTuple):
    """Where an event was: on the host, in the thread `number`, or on a queue of the device called `owner`."""

    owner: str
    number: int


@dataclass(frozen=True)
class Event:
    """One thing that happened; what has no duration happened at an instant.

    `count` is a number of elements, `function` the array function or loop that it happened for, and `place` the user's
    line: that of the call, or of what the event itself is about.
    """

    kind: Kind
    name: str
    lane: Lane
    start: int
    duration: int = 0
    bytes: int = 0
    count: int = 0
    function: str = ""
    place: SourceLocation | None = None

    @property
    def end(self) -> int:
        """When it was over."""
        return self.start + self.duration


def lane_names(events: Iterable[Event]) -> Mapping[Lane, str]:
    """The lanes of some events by name, those of the host first; otherwise in the order in which they appear.

    >>> seen = [Event(Kind.KERNEL, "f", Lane("GPU", 7), 0), Event(Kind.CALL, "f", Lane("host", 5), 0)]
    >>> list(lane_names(seen).values())
    ['host', 'GPU, queue 1']
    """
    lanes = sorted(dict.fromkeys(event.lane for event in events), key=lambda lane: lane.owner != HOST)
    seen: dict[str, int] = {}
    names: dict[Lane, str] = {}
    for lane in lanes:
        number = seen[lane.owner] = seen.get(lane.owner, 0) + 1
        if lane.owner == HOST:
            names[lane] = HOST if number == 1 else f"{HOST} {number}"
        else:
            names[lane] = f"{lane.owner}, queue {number}"
    return names


def overlap(events: Iterable[Event]) -> float:
    """The share of the time of copies in which a kernel was running, too; 0 without copies.

    >>> copy, kernel = (Event(kind, "", Lane("GPU", 1), 0, 10) for kind in (Kind.COPY_IN, Kind.KERNEL))
    >>> overlap([copy, kernel]), overlap([copy])
    (1.0, 0.0)
    """
    copies: list[tuple[int, int]] = []
    kernels: list[tuple[int, int]] = []
    for event in events:
        if event.kind in COPIES and event.lane.owner != HOST:
            copies.append((event.start, event.end))
        elif event.kind is Kind.KERNEL:
            kernels.append((event.start, event.end))
    copies, kernels = _union(copies), _union(kernels)
    whole = sum(end - start for start, end in copies)
    return _common(copies, kernels) / whole if whole else 0.0


def _union(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same times as spans that do not meet, in order."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _common(left: Sequence[tuple[int, int]], right: Sequence[tuple[int, int]]) -> int:
    """How long two lists of spans, each in order, have in common."""
    total = i = j = 0
    while i < len(left) and j < len(right):
        total += max(0, min(left[i][1], right[j][1]) - max(left[i][0], right[j][0]))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return total

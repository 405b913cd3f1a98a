"""What a piece of code cost: bytes moved, kernels run, time compiled; and what happened when.

    with hetc.profile() as p:
        saxpy(x, y)
    print(p.launches, p.kernel_ns)
    print(p.summary())

Profiles nest; each sees everything that happens in the process while it is open, in any thread. Code that has
something to tell asks `active()` first where telling itself costs something (reading a kernel's times does).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import field
from pathlib import Path
from typing import NamedTuple, TypedDict, TypeVar, Unpack

from hetc.dataclass import dataclass
from hetc.errors import SourceLocation
from hetc.timeline import events
from hetc.timeline.events import Event, Kind, Lane

MOST_EVENTS = 500_000
"""Events that a profile keeps; later ones are counted in `events_left_out`."""

Item = TypeVar("Item")

now = time.perf_counter_ns
"""The clock of all events."""


@dataclass(eq=False)
class Profile:
    """What happened between entering and leaving `with profile() as p`.

    `bytes_h2d` and `bytes_d2h` count bytes copied to and from the device; memory that the device shares with the host
    is not copied and counts nothing. `kernel_ns` is the device's own measure of time inside kernels. `cache_hits` are
    calls whose kernel was there, `disk_hits` kernels that were on disk (docs/cache.md), `disk_misses` those that were
    looked for there in vain, to be compiled. `in_python` counts
    calls that ran in Python since that was estimated to be faster, `fallbacks` those that had to, `heap_retries`
    launches for elements that had found the heap full, `batches` those of calls that ran in several.
    `peak_device_memory` is the most bytes that the buffers of a call had together, in batches those of all queues;
    memory that the device shares with the host counts, too.

    `events` are what happened, in the order in which it was known, at most `MOST_EVENTS`.
    """

    bytes_h2d: int = 0
    bytes_d2h: int = 0
    launches: int = 0
    kernel_ns: int = 0
    compile_ms: float = 0.0
    cache_hits: int = 0
    disk_hits: int = 0
    disk_misses: int = 0
    deopts: int = 0
    in_python: int = 0
    heap_retries: int = 0
    fallbacks: int = 0
    batches: int = 0
    peak_device_memory: int = 0
    events: list[Event] = field(default_factory=list[Event], repr=False)
    events_left_out: int = 0

    def summary(self) -> str:
        """What happened as a table: how often and how long, the bytes, the array function, and the line of the call.

        >>> import hetc
        >>> with hetc.configure(offload="never"), hetc.profile() as p:
        ...     _ = hetc.map(abs)([-1, 2])
        >>> "all elements" in p.summary()
        True
        """
        from hetc.timeline import summary  # to show a profile is no part of most programs, as below

        left_out = self.events_left_out
        return summary.summary(self.events) + (f"\n{left_out} later events were left out" if left_out else "")

    def trace(self, filename: str | Path) -> None:
        """Write a file that https://ui.perfetto.dev and chrome://tracing show: a lane for the host, and one a queue."""
        from hetc.timeline import trace

        Path(filename).write_text(trace.trace(self.events), encoding="utf-8")

    def plot(self, filename: str | Path) -> None:
        """Write a picture of the timeline: what the name ends with, ".svg", or with Matplotlib ".png" or ".pdf".

        Raises HetcError for another ending, or if Matplotlib is needed and not there.
        """
        from hetc.timeline import picture

        picture.write(self.events, Path(filename))

    @property
    def overlap(self) -> float:
        """The share of the time of copies in which a kernel was running, too."""
        return events.overlap(self.events)

    def _repr_html_(self) -> str:
        """The timeline and the table, for notebooks."""
        from hetc.timeline import page

        return page.timeline(self.events)

    def __str__(self) -> str:
        """One counter a line, those that are zero left out."""
        counters = {name: getattr(self, name) for name in (*Counts.__annotations__, "peak_device_memory")}
        shown = {name: value for name, value in counters.items() if value} or {"launches": 0}
        width = max(map(len, shown))
        return "\n".join(
            f"{name:<{width}}  {value:,.1f}" if isinstance(value, float) else f"{name:<{width}}  {value:,}"
            for name, value in shown.items()
        )


_open: tuple[Profile, ...] = ()
_lock = threading.Lock()


@contextmanager
def profile() -> Generator[Profile]:
    """Count what hetc does inside the block.

    >>> with profile() as p:
    ...     record(launches=2)
    >>> p.launches
    2
    """
    global _open
    counters = Profile()
    with _lock:
        _open = (*_open, counters)
    try:
        yield counters
    finally:
        with _lock:
            _open = tuple(p for p in _open if p is not counters)


def active() -> bool:
    """Whether anyone is counting."""
    return bool(_open)


class Counts(TypedDict, total=False):
    """What `record` takes: any of a profile's counters."""

    bytes_h2d: int
    bytes_d2h: int
    launches: int
    kernel_ns: int
    compile_ms: float
    cache_hits: int
    disk_hits: int
    disk_misses: int
    deopts: int
    in_python: int
    heap_retries: int
    fallbacks: int
    batches: int


class Origin(NamedTuple):
    """What runs now: an array function or a loop, and the user's line that asks for it."""

    function: str
    place: SourceLocation | None


NOBODY = Origin("", None)
_origin: ContextVar[Origin] = ContextVar("hetc_profile_origin", default=NOBODY)


def note(kind: Kind, name: str, start: int, end: int, **facts: Unpack[Facts]) -> None:
    """Add an event to every open profile; `start` and `end` are times of `now`. By default it is of this thread."""
    if not _open:
        return
    origin = _origin.get()
    lane = facts.get("lane") or Lane(events.HOST, threading.get_ident())
    place = facts.get("place") or origin.place
    moved, count = facts.get("bytes", 0), facts.get("count", 0)
    event = Event(kind, name, lane, start, max(0, end - start), moved, count, origin.function, place)
    with _lock:
        for each in _open:
            if len(each.events) < MOST_EVENTS:
                each.events.append(event)
            else:
                each.events_left_out += 1


def note_instant(kind: Kind, name: str, place: SourceLocation | None = None) -> None:
    """Add something that takes no time of its own, about a line of the user's."""
    moment = now()
    note(kind, name, moment, moment, place=place)


class Facts(TypedDict, total=False):
    """What else is known of an event."""

    lane: Lane | None
    bytes: int
    count: int
    place: SourceLocation | None


_NOTHING = nullcontext()


def span(kind: Kind, name: str, *, count: int = 0) -> AbstractContextManager[None]:
    """The block is an event, of `count` elements."""
    return _noted(kind, name, count) if _open else _NOTHING


@contextmanager
def _noted(kind: Kind, name: str, count: int) -> Generator[None]:
    start = now()
    try:
        yield
    finally:
        note(kind, name, start, now(), count=count)


@contextmanager
def calling(function: str, place: SourceLocation | None) -> Generator[None]:
    """What happens in the block happens for this function, asked for by this line."""
    token = _origin.set(Origin(function, place))
    try:
        with span(Kind.CALL, function):
            yield
    finally:
        _origin.reset(token)


def iterating(items: Iterable[Item], kind: Kind, name: str, origin: Origin, *, count: int = 0) -> Iterator[Item]:
    """The items; the time until they are all taken, or given up, is an event."""
    start = now()
    try:
        yield from items
    finally:
        # Between two items anyone runs, so that the origin is set for the event alone.
        token = _origin.set(origin)
        note(kind, name, start, now(), count=count)
        _origin.reset(token)


def record(**counts: Unpack[Counts]) -> None:
    """Add to the counters of every open profile; without one this costs no more than the call."""
    if not _open:
        return
    with _lock:
        for counters in _open:
            for name, amount in counts.items():
                setattr(counters, name, getattr(counters, name) + amount)


def peak(size: int) -> None:
    """A call's buffers have so many bytes together."""
    if not _open:
        return
    with _lock:
        for counters in _open:
            counters.peak_device_memory = max(counters.peak_device_memory, size)

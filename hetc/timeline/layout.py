"""Where the events of a timeline stand in a picture: rows of bars over an axis of time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hetc.dataclass import dataclass
from hetc.timeline.events import Event, Kind, lane_names
from hetc.timeline.summary import place_text
from hetc.timeline.units import spelled, spelled_bytes

MOST_BARS = 4000
"""Bars in a picture; of more events, the longest are shown."""

COLOURS = {
    Kind.CALL: "#b8bcc4",
    Kind.START: "#7d8590",
    Kind.LOAD: "#a48fc9",
    Kind.COMPILE: "#8e6bbf",
    Kind.BUILD: "#b59ad6",
    Kind.MARSHAL: "#d9a441",
    Kind.ENQUEUE: "#8fa7b8",
    Kind.WAIT: "#c9d4dc",
    Kind.COPY_IN: "#4c8fd1",
    Kind.KERNEL: "#3f9e5b",
    Kind.COPY_OUT: "#2bb0b0",
    Kind.GUARDS: "#c77f4a",
    Kind.RESULT: "#c9b458",
    Kind.PYTHON: "#d1603d",
    Kind.DEOPTIMISATION: "#c0223b",
    Kind.RETRY: "#c0223b",
    Kind.CHOICE: "#6f7f3a",
    Kind.TUNING: "#7a6f9b",
    Kind.FALLBACK: "#c0223b",
}
"""A colour a kind, that can be told from its neighbours on a light and on a dark ground."""


@dataclass(frozen=True)
class Bar:
    """An event in a row, counted from the top; `left` and `width` are in seconds from the first event on."""

    event: Event
    row: int
    left: float
    width: float

    @property
    def title(self) -> str:
        """All that is known of the event, a fact a line."""
        event = self.event
        facts = [f"{event.kind}: {event.name}" if event.name else str(event.kind)]
        facts += [spelled(self.width)] if event.duration else []
        facts += [spelled_bytes(event.bytes)] if event.bytes else []
        facts += [f"{event.count:,} elements"] if event.count else []
        facts += [event.function] if event.function and event.function != event.name else []
        facts += [place_text(event.place)] if event.place else []
        return "\n".join(facts)


@dataclass(frozen=True)
class Layout:
    """A picture: `rows` are the names of the rows, empty where a lane has several; `seconds` is its length."""

    rows: tuple[str, ...]
    bars: tuple[Bar, ...]
    seconds: float
    left_out: int

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of the events that are shown, in order."""
        return tuple(sorted({bar.event.kind for bar in self.bars}, key=list(Kind).index))


def layout(events: Sequence[Event]) -> Layout:
    """Lanes one under the other. In a lane, events at the same time stand in rows of their own."""
    shown = sorted(events, key=lambda event: -event.duration)[:MOST_BARS]
    start = min((event.start for event in shown), default=0)
    rows: list[str] = []
    bars: list[Bar] = []
    for lane, name in lane_names(shown).items():
        first, ends = len(rows), list[int]()
        for event in sorted((e for e in shown if e.lane == lane), key=lambda e: (e.start, -e.duration)):
            row = next((row for row, end in enumerate(ends) if end <= event.start), len(ends))
            ends[row : row + 1] = [event.end]
            bars.append(Bar(event, first + row, (event.start - start) / 1e9, event.duration / 1e9))
        rows += [name, *[""] * (len(ends) - 1)]
    seconds = max((bar.left + bar.width for bar in bars), default=0.0)
    return Layout(tuple(rows), tuple(bars), seconds or 1e-6, len(events) - len(shown))


def ticks(seconds: float) -> Iterator[float]:
    """Round times from 0 on, four to ten of them.

    >>> [round(tick, 3) for tick in ticks(0.0123)]
    [0.0, 0.002, 0.004, 0.006, 0.008, 0.01, 0.012]
    """
    step = 1e-9
    factors = (2.0, 2.5, 2.0)
    number = 0
    while seconds / step > 9:
        step *= factors[number % 3]
        number += 1
    count = 0
    while count * step <= seconds:
        yield count * step
        count += 1

"""A timeline as a table: what took how long, for which function and line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from hetc.errors import SourceLocation
from hetc.timeline.events import COPIES, Event, Kind, lane_names, overlap
from hetc.timeline.units import spelled, spelled_bytes

HEAD = ("what", "of", "times", "total", "bytes", "elements", "for", "line")
_NUMBERS = {"times", "total", "bytes", "elements"}
Row = tuple[str, ...]
_HOST_STEPS = (Kind.MARSHAL, Kind.ENQUEUE, Kind.WAIT, Kind.GUARDS, Kind.RESULT)
"""Steps of a plan on the host, of which each call has several."""
SMALL = 0.01
"""The passes that take less than this part of compiling, each, are one row."""


def rows(events: Sequence[Event]) -> list[Row]:
    """A row for each thing that happened: its parts are named by `HEAD`. The longest first, within a kind.

    What is compiled is told by pass, for all functions together; the steps of plans on the host by call.
    """
    groups: dict[tuple[Kind, str, str, str], list[Event]] = {}
    compiling = _total([event for event in events if event.kind is Kind.COMPILE])
    passes = Counter[str]()
    for event in events:
        if event.kind is Kind.COMPILE:
            passes[event.name] += event.duration
    for event in events:
        key = (event.kind, event.name, event.function, place_text(event.place))
        if event.kind is Kind.COMPILE:
            name = event.name if passes[event.name] >= SMALL * compiling else "other passes"
            key = (event.kind, name, "", "")
        elif event.kind in _HOST_STEPS:
            key = (event.kind, "", *key[2:])
        groups.setdefault(key, []).append(event)
    order = list(Kind)
    found = sorted(groups.items(), key=lambda item: (order.index(item[0][0]), -_total(item[1])))
    return [_row(kind, name, group) for (kind, name, _, _), group in found]


def facts(events: Sequence[Event]) -> Iterator[str]:
    """What is true of the whole timeline, a sentence each."""
    if not events:
        yield "nothing happened"
        return
    took = max(event.end for event in events) - min(event.start for event in events)
    yield f"{spelled(took / 1e9)} from the first event to the last, on {', '.join(lane_names(events).values())}"
    if any(event.kind in COPIES for event in events):
        yield f"kernels ran during {overlap(events):.0%} of the time of copies"


def table(events: Sequence[Event]) -> list[Row]:
    """`HEAD` and the rows, without the columns that are empty in all rows."""
    lines = [HEAD, *rows(events)]
    return list(zip(*[column for column in zip(*lines, strict=True) if any(column[1:])], strict=True))


def summary(events: Sequence[Event]) -> str:
    """The facts, and the table with aligned columns."""
    lines = table(events)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    numbers = [head in _NUMBERS for head in lines[0]] if lines else []
    aligned = [
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, numbers, strict=True)
        ).rstrip()
        for line in lines
    ]
    return "\n".join([*facts(events), *(["", *aligned] if events else [])])


def place_text(place: SourceLocation | None) -> str:
    """A line without the folders of its file, such as user.py:3."""
    return "" if place is None else f"{PurePath(place.filename).name}:{place.line}"


def _row(kind: Kind, name: str, group: Sequence[Event]) -> Row:
    moved, count, total = sum(event.bytes for event in group), sum(event.count for event in group), _total(group)
    functions = {event.function for event in group}
    places = {place_text(event.place) for event in group}
    return (
        kind,
        "" if kind is Kind.CALL else name,
        str(len(group)),
        spelled(total / 1e9) if total else "",
        spelled_bytes(moved) if moved else "",
        f"{count:,}" if count else "",
        functions.pop() if len(functions) == 1 else f"{len(functions)} functions",
        places.pop() if len(places) == 1 else f"{len(places)} lines",
    )


def _total(group: Sequence[Event]) -> int:
    return sum(event.duration for event in group)

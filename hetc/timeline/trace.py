"""A timeline in the Trace Event Format, which Perfetto (https://ui.perfetto.dev) and chrome://tracing show.

One process for the host and one for each device; a thread for each thread of the host, and for each queue.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hetc.timeline.events import HOST, Event, Lane, lane_names
from hetc.timeline.summary import place_text

Record = dict[str, Any]


def trace(events: Sequence[Event]) -> str:
    """The events as JSON; times are microseconds from the first one on."""
    names = lane_names(events)
    owners = {owner: number for number, owner in enumerate(dict.fromkeys([HOST, *(lane.owner for lane in names)]), 1)}
    threads = {lane: number for number, lane in enumerate(names, 1)}
    start = min((event.start for event in events), default=0)
    # What begins at the same time encloses what is shorter, if it comes first.
    in_order = sorted(events, key=lambda event: (event.start, -event.duration))
    records = [
        *_names(names, owners, threads),
        *(_record(event, start) | {"pid": owners[event.lane.owner], "tid": threads[event.lane]} for event in in_order),
    ]
    return json.dumps({"traceEvents": records, "displayTimeUnit": "ns"}, indent=0)


def _names(names: Mapping[Lane, str], owners: Mapping[str, int], threads: Mapping[Lane, int]) -> Iterator[Record]:
    for owner, pid in owners.items():
        yield {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": owner}}
        yield {"ph": "M", "name": "process_sort_index", "pid": pid, "tid": 0, "args": {"sort_index": pid}}
    for lane, name in names.items():
        shown = name.removeprefix(f"{lane.owner}, ")
        ids = {"pid": owners[lane.owner], "tid": threads[lane]}
        yield {"ph": "M", "name": "thread_name", **ids, "args": {"name": shown}}


def _record(event: Event, start: int) -> Record:
    facts = {"function": event.function, "line": place_text(event.place), "bytes": event.bytes, "elements": event.count}
    name = f"{event.kind}: {event.name}" if event.name else str(event.kind)
    record: Record = {"name": name, "cat": str(event.kind), "ts": (event.start - start) / 1e3}
    record["args"] = {key: value for key, value in facts.items() if value}
    # An instant is marked in its own lane alone ("t": thread).
    return record | ({"ph": "X", "dur": event.duration / 1e3} if event.duration else {"ph": "i", "s": "t"})

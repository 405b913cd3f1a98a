"""What a small heap costs: ``python -m benchmarks.heap``.

The centroids of K-means, one list of three coordinates for each of 40,000 clusters, made in the kernel: 12 bytes each,
480,000 in all. Some clusters more have no members, and their lists are empty: lists of any length lie in a heap. With a
heap of less than all take, the kernel is launched again, for the clusters that found no room. Where all clusters have
members, it is known how long each list is, and they need no heap, whatever its size would be.

The sizes are those of HJ-OpenCL's table (Grossman et al.), where 50 KB took 3.05 to 3.66 times as long as 800 KB. Times
are of whole calls, result lists included; of the launches, from the start of the first to the end of the last copy of
what they made; and of the kernels by the device's own clock; medians. Python's garbage collector, which would look at
all lists of the process in some calls and at none in others, runs between the calls.
"""

from __future__ import annotations

import argparse
import functools
import gc
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

import hetc
from benchmarks.report import describe, markdown
from hetc.runtime.devices import Device, select
from hetc.timeline.events import COPIES, Event, Kind

CLUSTERS = 40_000
EMPTY = 4_032
"""So many clusters more have no members. All together they are whole work-groups."""
MEMBERS = 25
KILOBYTES = (800, 400, 200, 100, 50)
GOAL = 3.0

_random = np.random.default_rng(0)
_sizes = _random.integers(1, 2 * MEMBERS, CLUSTERS)
starts = np.concatenate([[0], np.cumsum(_sizes)])
_with_empty = np.insert(_sizes, np.linspace(0, CLUSTERS, EMPTY, dtype=int), 0)
starts_some = np.concatenate([[0], np.cumsum(_with_empty)])
xs, ys, zs = (_random.random(int(starts[-1]), np.float32) for _ in range(3))


def centroid(cluster: int) -> list[np.float32]:
    """The mean of the members of a cluster, which lie one after the other."""
    first, last = starts[cluster], starts[cluster + 1]
    x = y = z = np.float32(0)
    for member in range(first, last):
        x += xs[member]
        y += ys[member]
        z += zs[member]
    size = np.float32(last - first)
    return [x / size, y / size, z / size]


def some_centroid(cluster: int) -> list[np.float32]:
    """The same of clusters of which some have no members: their lists are empty, and how many are not, nobody knows."""
    first, last = starts_some[cluster], starts_some[cluster + 1]
    x = y = z = np.float32(0)
    for member in range(first, last):
        x += xs[member]
        y += ys[member]
        z += zs[member]
    size = np.float32(last - first)
    return [x / size, y / size, z / size] if last > first else []


centroids, some_centroids = hetc.map(centroid), hetc.map(some_centroid)


@dataclass(frozen=True)
class Row:
    """One size of the heap, in bytes: what a call took, in seconds, and whether its result is that of the largest."""

    heap: int
    launches: int
    retries: int
    call: float
    launched: float
    kernels: float
    equal: bool


def launched(events: Sequence[Event]) -> float:
    """Seconds from the start of a call's first kernel to the end of the last copy of what its kernels made."""
    kernels = [event for event in events if event.kind is Kind.KERNEL]
    names = {event.name for event in kernels}
    end = max(event.end for event in events if event.kind in (Kind.KERNEL, *COPIES) and event.name in names)
    return (end - min(event.start for event in kernels)) * 1e-9


@contextmanager
def collected() -> Iterator[None]:
    """The garbage collector runs now, and not inside the block."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def measure(
    function: Callable[[int], Callable[[], Any]], heaps: Sequence[int], repeat: int, expected: object
) -> list[Row]:
    """A row for each size; the sizes take turns, so that what else the machine does falls on all."""
    calls = [function(heap) for heap in heaps]
    counts: list[hetc.Profile] = []
    equal: list[bool] = []
    for call in calls:
        with hetc.profile() as counted:
            equal.append(call() == expected)
        counts.append(counted)
    times: list[list[tuple[float, float, float]]] = [[] for _ in heaps]
    for _ in range(repeat):
        for number, call in enumerate(calls):
            with collected(), hetc.profile() as counted:
                start = time.perf_counter()
                call()
                seconds = time.perf_counter() - start
            times[number].append((seconds, launched(counted.events), counted.kernel_ns * 1e-9))
    medians = [[statistics.median(column) for column in zip(*of_heap, strict=True)] for of_heap in times]
    return [
        Row(heap, count.launches, count.heap_retries, *median, same)
        for heap, count, median, same in zip(heaps, counts, medians, equal, strict=True)
    ]


def table(rows: Sequence[Row]) -> str:
    """The rows as Markdown."""
    first = rows[0]
    head = ("heap", "launches", "retries", "call", "slowdown", "launches and copies", "slowdown", "kernels", "slowdown")
    cells = [
        (
            f"{row.heap // 1000} KB",
            f"{row.launches}",
            f"{row.retries}",
            *(f"{row.call * 1e3:.1f}", f"{row.call / first.call:.2f}"),
            *(f"{row.launched * 1e3:.2f}", f"{row.launched / first.launched:.2f}"),
            *(f"{row.kernels * 1e3:.3f}", f"{row.kernels / first.kernels:.2f}"),
            "yes" if row.equal else "NO",
        )
        for row in rows
    ]
    return markdown((*head, "equal"), cells)


def on_device(function: hetc.ArrayFunction, count: int, device: Device, heap: int) -> Callable[[], Any]:
    """A call for so many clusters, with a heap of that size."""
    with_heap = function.on(device).options(heap=heap, fallback="error")
    return lambda: with_heap(range(count))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the table; 1 if a result differs or the smallest heap costs too much."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.heap", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--device", help="a part of the device's name")
    parser.add_argument("--repeat", type=int, default=15)
    options = parser.parse_args(arguments)
    device = select(options.device)
    print(describe(device))
    failed = False
    for title, function, count, heaps in (
        ("Lists of any length", some_centroids, len(starts_some) - 1, KILOBYTES),
        ("Lists of known length, which take no heap", centroids, CLUSTERS, (KILOBYTES[0], KILOBYTES[-1])),
    ):
        with hetc.configure(offload="never"):
            expected = function(range(count))
        made = functools.partial(on_device, function, count, device)
        rows = measure(made, [1000 * size for size in heaps], options.repeat, expected)
        print(f"\n{title}: {CLUSTERS:,} of {MEMBERS} members on average; milliseconds, medians of {options.repeat}\n")
        print(table(rows), flush=True)
        failed |= not all(row.equal for row in rows) or rows[-1].call > GOAL * rows[0].call
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

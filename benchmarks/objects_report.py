"""All that is measured about objects, as the tables of docs/performance.md: ``python -m benchmarks.objects_report``.

Programs with objects (`benchmarks.objects`), a small heap (`benchmarks.heap`), what Python data costs on its way
(`benchmarks.marshal`), and what a call over a million objects moves. The exit status is 1 if something is wrong or
misses its goal.
"""

from __future__ import annotations

import argparse
import datetime
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from operator import attrgetter

import numpy as np

import hetc
from benchmarks import heap, marshal, objects
from benchmarks.measure import Comparison, compare
from benchmarks.report import describe, markdown
from hetc.runtime.devices import Device, select

SIZE = 1_000_000


def moved(p: marshal.Point) -> None:
    """Three fields are read, and one is assigned."""
    p.x = p.x * 0.5 + p.y * p.z


def computed(p: marshal.Point) -> float:
    """Three fields are read, and a number is made of them."""
    return p.x * 0.5 + p.y * p.z


def computed_in_numpy(points: list[marshal.Point]) -> list[float]:
    """The same, by arrays of the fields."""
    x, y, z = (np.fromiter(map(attrgetter(name), points), float, len(points)) for name in "xyz")
    return (x * 0.5 + y * z).tolist()


def moved_in_numpy(points: list[marshal.Point]) -> None:
    """The same for what is assigned, by a loop, which takes as long as `map(setattr, points, repeat("x"), ...)`."""
    for p, value in zip(points, computed_in_numpy(points), strict=True):
        p.x = value


def calls_over_objects(device: Device, size: int, pairs: int) -> str:
    """Whole calls that read three fields of each object and assign one, and what of that moves, as a table."""
    points, same = ([marshal.point(k) for k in range(size)] for _ in range(2))
    assign, compute, read = hetc.map(moved), hetc.map(computed), hetc.map(lambda p: p.x + p.y)
    with hetc.configure(device=device, offload="always", fallback="error"), objects.without_collector():
        assert compute(points) == computed_in_numpy(points), "both sides come to the same"
        made = compare(_timed(lambda: compute(points)), _timed(lambda: computed_in_numpy(same)), pairs)
        assign(points)
        moved_in_numpy(same)
        assert points == same, "both sides come to the same"
        assigned = compare(_timed(lambda: assign(points)), _timed(lambda: moved_in_numpy(same)), pairs)
        assert points == same, "both sides come to the same"
        on_device = hetc.array(points)
        counts: list[hetc.Profile] = []
        calls = ((compute, points), (assign, points), (read, points), (read, on_device), (read, on_device))
        for function, argument in calls:
            with hetc.profile() as counted:
                function(argument)
            counts.append(counted)
    rows = [
        ("3 fields read, a list of numbers", *_bytes(counts[0]), *_times(made)),
        ("3 fields read, 1 assigned", *_bytes(counts[1]), *_times(assigned)),
        ("2 fields read, a list of numbers", *_bytes(counts[2]), "", "", ""),
        ("the same of hetc.array(points), first call", *_bytes(counts[3]), "", "", ""),
        ("the same of hetc.array(points), second call", *_bytes(counts[4]), "", "", ""),
    ]
    return markdown(("a call", "bytes in", "bytes out", "call", "with fromiter", "ratio (spread)"), rows)


def _times(found: Comparison) -> tuple[str, str, str]:
    times = statistics.median(found.hetc), statistics.median(found.native)
    return f"{times[0]:.0f}", f"{times[1]:.0f}", marshal.ratio_of(found)


def _bytes(counted: hetc.Profile) -> tuple[str, str]:
    return f"{counted.bytes_h2d:,}", f"{counted.bytes_d2h:,}"


def _timed(run: Callable[[], object]) -> Callable[[], float]:
    def once() -> float:
        start = time.perf_counter()
        run()
        return (time.perf_counter() - start) * 1e3

    return once


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.objects_report", description=__doc__)
    parser.add_argument("--device", default=None, help="a part of its name, 'cpu', 'gpu' or a number")
    parser.add_argument("--repeat", type=int, default=15, metavar="N", help="pairs of measurements (default: 15)")
    parser.add_argument("--shrink", type=int, default=1, metavar="N", help="divide the sizes, to try it")
    options = parser.parse_args(argv)
    device = select(options.device)
    print(f"{datetime.datetime.now(datetime.UTC):%d %B %Y}. {describe(device)}", flush=True)
    arguments = ["--repeat", str(options.repeat)]
    on_device = arguments if options.device is None else [*arguments, "--device", options.device]
    shrink = ["--shrink", str(options.shrink)]
    failed = 0
    for title, run in (
        ("Programs", lambda: objects.main([*on_device, *shrink])),
        ("A small heap", lambda: heap.main(on_device)),
        ("Calls", lambda: print(calls_over_objects(device, SIZE // options.shrink, options.repeat)) or 0),
        ("Reading and making", lambda: marshal.main([*arguments, *shrink])),
    ):
        print(f"\n## {title}\n", flush=True)
        failed |= run()
    return failed


if __name__ == "__main__":
    sys.exit(main())

"""What a function gains whose regions leave arrays on the device: ``python -m benchmarks.regions``.

Two functions, of loops and of array functions, in three ways, milliseconds: with copies around each region
(`transfer_elimination=False`), with arrays that stay on the device but a wait at the end of each region, and as they
run, without waits. Results must be the same.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import hetc
from benchmarks.devices import copying_device
from benchmarks.report import describe, markdown
from hetc.runtime.call import Call
from hetc.runtime.device_steps import Preparation
from hetc.runtime.devices import Device
from hetc.runtime.repeated_run import RepeatedRun


@hetc.jit
def relax(x: Any, y: Any, rounds: int) -> Any:
    """Loops, of which each overwrites an array."""
    for _ in range(rounds):
        for i in hetc.forall(len(y)):
            y[i] = 0.5 * x[i] + 1
        for i in hetc.forall(len(x)):
            x[i] = 0.5 * y[i] - 1
    return x


half = hetc.map(lambda v: 0.5 * v + 1)
both = hetc.map(lambda v, w: 0.5 * (v + w))


@hetc.jit
def chain(x: Any, rounds: int) -> Any:
    """Array functions, of which each makes a new array."""
    for _ in range(rounds):
        y = half(x)
        x = both(x, y)
    return x


waiting = [False]


def waits_if_told(go_on: Callable[[Preparation, Call], None]) -> Callable[[Preparation, Call], None]:
    """The end of a plan that does not wait, or does, for comparison."""

    def end(steps: Preparation, call: Call) -> None:
        if waiting[0]:
            steps.settle(call)
        else:
            go_on(steps, call)

    return end


def repeats_if_told(go_on: Callable[[RepeatedRun, Any], None]) -> Callable[[RepeatedRun, Any], None]:
    """The same for the end of a run that is repeated."""

    def end(repeated: RepeatedRun, run: Any) -> None:
        go_on(repeated, run)
        if waiting[0]:
            repeated.device.queue.finish()

    return end


def milliseconds(call: Callable[[], Any], pairs: int) -> tuple[list[float], Any]:
    """The medians of calls that wait and of calls that do not, one after the other in turns; and a result."""
    times: list[list[float]] = [[], []]
    found = None
    for turn in range(2 * pairs):
        waiting[0] = turn % 2 == 0
        start = time.perf_counter()
        found = call()
        times[turn % 2].append((time.perf_counter() - start) * 1e3)
    waiting[0] = False
    return [statistics.median(each) for each in times], found


def measure(device: Device, size: int, rounds: int, pairs: int) -> list[list[str]]:
    """A row for each function."""
    x = np.random.default_rng(1).random(size)
    rows: list[list[str]] = []
    for name, call in {
        "loops": lambda: relax(x.copy(), np.zeros(size), rounds),
        "array functions": lambda: chain(x.copy(), rounds),
    }.items():
        with hetc.configure(device=device, offload="always", fallback="error", transfer_elimination=False):
            call()
            start = time.perf_counter()
            expected = call()
            copying = (time.perf_counter() - start) * 1e3
        with hetc.configure(device=device, offload="always", fallback="error"):
            call()
            (waited, free), found = milliseconds(call, pairs)
        np.testing.assert_array_equal(found, expected)
        ratios = f"{copying / free:.1f}", f"{waited / free:.2f}"
        rows.append([f"{name}, {size:,} elements", *(f"{t:.2f}" for t in (copying, waited, free)), *ratios])
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.regions", description=__doc__.partition("\n")[0])
    parser.add_argument("--device", help="a device's name or a part of it (default: the best)")
    parser.add_argument("--sizes", default="1000,1000000", metavar="A,B", help="elements (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=100, metavar="N", help="of two regions each (default: 100)")
    parser.add_argument(
        "--pairs", type=int, default=7, metavar="N", help="of calls with waits and without (default: 7)"
    )
    parser.add_argument("--force", action="store_true", help="copy on a device that shares the host's memory, too")
    options = parser.parse_args(argv)
    device = copying_device(options.device, force=options.force)
    print(describe(device), flush=True)
    Preparation.go_on = waits_if_told(Preparation.go_on)
    RepeatedRun.go_on = repeats_if_told(RepeatedRun.go_on)
    rows = [
        row
        for size in map(int, options.sizes.split(","))
        for row in measure(device, size, options.rounds, options.pairs)
    ]
    header = ["regions", "copies around each", "stay, waiting", "stay", "copies over the last", "waiting over the last"]
    print(markdown(header, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())

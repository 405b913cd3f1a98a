"""Calls from host memory in batches and without: ``python -m benchmarks.batches``.

For each program and size, milliseconds of a call from NumPy arrays to a new one: with copies by the driver from plain
memory (*pageable*), with large copies through pinned memory (*staged*), and with inputs in pinned memory (*pinned*);
at once, *in parts* (as calls are by themselves, where copies do not go by the driver: copies both ways and the kernel
side by side), in batches one after the other on one queue, and in batches on several queues. Of several sizes of
batches and numbers of queues the best is told. These are the cells of TornadoVM's figure 5 (Blanaru et al., VEE 2022),
where a size is taken to be that of all data that a call moves.

In the same run it is measured how fast pinned memory is copied in one direction and in both at once, the limit for a
program that only copies, and what saxpy by hand takes from and to pinned memory (`pipeline_by_hand.py`). On a device
that shares the host's memory nothing is copied; with ``--force`` it is treated as if it had memory of its own, to see
that all works.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import hetc
from benchmarks.devices import copying_device
from benchmarks.pipeline_by_hand import saxpy_by_hand
from benchmarks.programs import black_and_white, black_scholes, monte_carlo, saxpy
from benchmarks.programs.program import Array, largest_error
from benchmarks.report import describe, markdown
from hetc.runtime.buffers import pinned_array
from hetc.runtime.copies import download, upload
from hetc.runtime.devices import Device

MIB = 2**20
ONE = np.float32(1)
MEMORIES = ("pageable", "staged", "pinned")
WAYS = ("at once", "in parts", "one queue", "several queues")
PARTS = (4, 16)
"""A batch is so manieth a part of the data, and at least `LEAST` bytes."""
LEAST = 4 * MIB
QUEUES = (2, 4)


@dataclass(frozen=True)
class Work:
    """A program on data of one size. `call(function, inputs)` ends with the result on the host."""

    name: str
    size: int
    function: Any
    inputs: tuple[Any, ...]
    moved: int
    wrong_by: Callable[[Any], float]
    tolerance: float = 1e-5

    def call(self, function: Any, inputs: Sequence[Any]) -> Any:
        found = function(*inputs)
        return found if isinstance(found, tuple | np.ndarray) else np.asarray(found)


def hilbert(width: int) -> Any:
    """The Hilbert matrix, row by row, as a map over the numbers of its elements."""
    n = np.int64(width)
    return hetc.map(lambda k: ONE / (k // n + k % n + 1))


def _checked(reference: Callable[..., Any], inputs: Sequence[Array], every: int = 997) -> Callable[[Any], float]:
    """The error of a result, at some elements, the last among them."""
    size = len(inputs[0])
    places = np.unique(np.append(np.arange(0, size, every), size - 1))
    expected = reference(*(each[places] for each in inputs))

    def wrong_by(result: Any) -> float:
        parts = result if isinstance(result, tuple) else (result,)
        assert all(len(part) == size for part in parts)
        found = tuple(part[places] for part in parts)
        return largest_error(found if len(found) > 1 else found[0], expected)

    return wrong_by


def works(sizes: Sequence[int], monte_carlo_size: int) -> Iterator[Work]:
    """All programs, with data of so many bytes."""
    for size in sizes:
        for program, each in ((saxpy.PROGRAM, 12), (black_and_white.PROGRAM, 7), (black_scholes.PROGRAM, 20)):
            n = size // each
            inputs = program.sample(n)
            wrong = _checked(program.reference, inputs)
            yield Work(program.name, size, program.function, inputs, n * each, wrong, program.tolerance)
        width = int((size // 8) ** 0.5)  # a float32 over an int64 is a float64
        numbers = hetc.seq(0, 1, width * width)
        exact = _checked(lambda k, width=width: 1 / (k // width + k % width + 1.0), [np.arange(width * width)])
        yield Work("Hilbert matrix", size, hilbert(width), (numbers,), 8 * width * width, exact)
    program = monte_carlo.PROGRAM
    seeds = program.sample(monte_carlo_size // 12)
    counts = program.reference(*seeds)
    yield Work(
        program.name, monte_carlo_size, program.function, seeds, 12 * len(seeds[0]),
        lambda result: program.wrong_by(result, counts), program.tolerance,
    )  # fmt: skip


def pinned(inputs: Sequence[Any], device: Device) -> tuple[Any, ...]:
    """The same inputs in pinned memory; what is computed in the kernel stays as it is."""
    found: list[Any] = []
    for value in inputs:
        if isinstance(value, np.ndarray):
            copy = pinned_array(device.context, device.queue, value.size, value.dtype)
            copy[:] = value
            found.append(copy)
        else:
            found.append(value)
    return tuple(found)


def ways(function: Any, size: int) -> Iterator[tuple[str, str, Any]]:
    """How the calls run: the way, what is particular to it, and the function."""
    yield "at once", "", function
    yield "in parts", "", function
    for part in PARTS:
        batch = max(LEAST, size // part)
        yield "one queue", f"{batch // MIB} MiB", function.batched(batch, queues=1)
        for queues in QUEUES:
            yield "several queues", f"{batch // MIB} MiB, {queues} queues", function.batched(batch, queues=queues)


def milliseconds(call: Callable[[], Any], repeat: int) -> float:
    """The median time of a call."""
    times: list[float] = []
    for _ in range(repeat):
        start = time.perf_counter()
        found = call()
        times.append((time.perf_counter() - start) * 1e3)
        del found
    return statistics.median(times)


def measure(work: Work, device: Device, repeat: int) -> dict[str, dict[str, tuple[float, str]]]:
    """For each memory and way the least milliseconds, and what is particular to the best. Checks each result."""
    cells: dict[str, dict[str, tuple[float, str]]] = {}
    for memory in MEMORIES:
        inputs = pinned(work.inputs, device) if memory == "pinned" else work.inputs
        cells[memory] = {}
        for way, how, function in ways(work.function, work.moved):
            if memory == "pageable" and way == "in parts":  # the driver copies, at once
                continue
            with _settings(device, staging=memory != "pageable", overlap=way != "at once"):
                error = work.wrong_by(work.call(function, inputs))
                assert error <= work.tolerance, f"{work.name}, {memory}, {way} {how}: an error of {error}"
                found = milliseconds(lambda function=function, inputs=inputs: work.call(function, inputs), repeat)
                best = cells[memory].get(way)
                if best is None or found < best[0]:
                    cells[memory][way] = found, how
    return cells


def _settings(device: Device, *, staging: bool, overlap: bool) -> AbstractContextManager[object]:
    return hetc.configure(device=device, offload="always", fallback="error", staging=staging, overlap=overlap)


def limits(device: Device, size: int, repeat: int) -> tuple[float, float, float]:
    """GB/s of copies from pinned memory, to it, and of both at once, on two queues and by two threads."""
    other = device.on_queue(1)
    into, out = (pinned_array(device.context, device.queue, size, np.dtype(np.uint8)) for _ in range(2))
    first, second = device.pool.allocate(size), device.pool.allocate(size)

    def bring() -> None:
        kept = upload(device, first, into)
        device.queue.finish()
        del kept

    def fetch() -> None:
        download(other, out, second, wait=True)

    def both() -> None:
        threads = [threading.Thread(target=copy) for copy in (bring, fetch)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    for copy in (bring, fetch, both):
        copy()
    speeds = [size / milliseconds(copy, repeat) / 1e6 for copy in (bring, fetch)]
    return speeds[0], speeds[1], 2 * size / milliseconds(both, repeat) / 1e6


def rows_of(work: Work, cells: dict[str, dict[str, tuple[float, str]]], limit: float) -> list[str]:
    """The row of a program: all cells, the best over the first, and its share of the limit."""
    first = cells["pageable"]["at once"][0]
    best, memory, way, how = min(
        (found, memory, way, how) for memory, of in cells.items() for way, (found, how) in of.items()
    )
    times = [f"{cells[memory][way][0]:.1f}" if way in cells[memory] else "" for memory in MEMORIES for way in WAYS]
    told = f"{memory}, {way}" + (f" ({how})" if how else "")
    speed = work.moved / best / 1e6
    return [
        f"{work.name}, {work.size // MIB} MiB",
        *times,
        told,
        *(f"{first / best:.2f}", f"{speed:.1f}", f"{speed / limit:.2f}"),
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.batches", description=__doc__.partition("\n")[0])
    parser.add_argument("--device", help="a device's name or a part of it (default: the best)")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="calls a cell (default: 5)")
    parser.add_argument("--sizes", default="32,512", metavar="A,B", help="MiB that a call moves (default: %(default)s)")
    parser.add_argument("--monte-carlo", type=int, default=1024, metavar="N", help="the same for it (default: 1024)")
    parser.add_argument("--force", action="store_true", help="copy on a device that shares the host's memory, too")
    parser.add_argument("--json", metavar="FILE", help="write what was found there, too")
    options = parser.parse_args(argv)
    device = copying_device(options.device, force=options.force)
    if device.shared_memory:
        print(f"{device} shares the host's memory: nothing is copied")
        return 0
    print(describe(device), flush=True)
    sizes = [int(size) * MIB for size in options.sizes.split(",")]
    into, out, both = limits(device, max(sizes) // 2, options.repeat)
    print(f"\nPinned memory: {into:.1f} GB/s in, {out:.1f} out, {both:.1f} both at once.", flush=True)
    hands: dict[int, dict[str, float]] = {}
    for size in sizes:
        hands[size] = saxpy_by_hand(device, size, options.repeat)
        told = ", ".join(f"{way} {found:.2f}" for way, found in hands[size].items())
        print(f"Saxpy of {size // MIB} MiB by hand, from and to pinned memory, ms: {told}.", flush=True)
    print(flush=True)
    header = [
        "program, data", *(f"{memory}, {way}" for memory in MEMORIES for way in WAYS), "best", "over the first", "GB/s",
        "share of both",
    ]  # fmt: skip
    rows: list[list[str]] = []
    found: list[dict[str, Any]] = []
    for work in works(sizes, options.monte_carlo * MIB):
        cells = measure(work, device, options.repeat)
        rows.append(rows_of(work, cells, both))
        found.append({"program": work.name, "size": work.size, "moved": work.moved, "cells": cells})
        print("; ".join(rows[-1]), file=sys.stderr, flush=True)
    print(markdown(header, rows))
    if options.json:
        Path(options.json).write_text(
            json.dumps({"limits": [into, out, both], "by hand": hands, "programs": found}, indent=1)
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

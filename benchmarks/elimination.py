"""What transfer elimination saves in whole functions: ``python -m benchmarks.elimination``.

K-means, N-body and PageRank, each one function under `hetc.jit` with a loop of the host around its parallel loops, on a
device with memory of its own: the bytes that `hetc.profile` counts, and the milliseconds of calls in turn, with the
pass and without it. Results must be equal to the bit. With the pass, each input is to come in once, and each result to
go out once, beside the few bytes that the host or a guard looks at, however many rounds there are. (Grossman, Imam,
Sarkar, "HJ-OpenCL", saves 50, 58.8 and 50 % of the bytes of these programs.)
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

Arguments = tuple[Any, ...]


@hetc.jit
def kmeans(px, py, cx, cy, labels, rounds):
    """Move the centres to the middle of the points that are next to them; the host ends the loop when none changes."""
    n, k = len(px), len(cx)
    for _ in range(rounds):
        changed = 0
        for i in hetc.forall(n):
            best, least = 0, 1e300
            for c in range(k):
                d = (px[i] - cx[c]) ** 2 + (py[i] - cy[c]) ** 2
                if d < least:
                    best, least = c, d
            if labels[i] != best:
                changed += 1
            labels[i] = best
        if changed == 0:
            break
        for q in hetc.forall(k):
            sx, sy, m = 0.0, 0.0, 0
            for j in range(n):
                if labels[j] == q:
                    sx, sy, m = sx + px[j], sy + py[j], m + 1
            if m > 0:
                cx[q] = sx / m
                cy[q] = sy / m


@hetc.jit
def nbody(x, y, vx, vy, mass, rounds):
    """Move the bodies by some steps."""
    n = len(x)
    for _ in range(rounds):
        for i in hetc.forall(n):
            ax, ay = 0.0, 0.0
            for j in range(n):
                dx, dy = x[j] - x[i], y[j] - y[i]
                r = np.sqrt(dx * dx + dy * dy + 0.01)
                ax += mass[j] * dx / (r * r * r)
                ay += mass[j] * dy / (r * r * r)
            vx[i] += 0.01 * ax
            vy[i] += 0.01 * ay
        for i in hetc.forall(n):
            x[i] += 0.01 * vx[i]
            y[i] += 0.01 * vy[i]


@hetc.jit
def pagerank(sources, links, rank, given, rounds):
    """Set `rank` to what it is after some rounds."""
    n = len(rank)
    for _ in range(rounds):
        for i in hetc.forall(n):
            given[i] = rank[i] / links[i]
        for i in hetc.forall(n):
            total = 0.0
            for k in range(sources.shape[1]):
                total += given[sources[i, k]]
            rank[i] = 0.15 / n + 0.85 * total


def points(size: int) -> Arguments:
    """Points, 16 centres, and to which each point belongs."""
    px, py = np.random.default_rng(1).normal(size=(2, size))
    return px, py, px[:16].copy(), py[:16].copy(), np.zeros(size, np.int64)


def bodies(size: int) -> Arguments:
    """Places, speeds and masses, of which there are fewer: all pairs are computed."""
    *moving, mass = np.random.default_rng(2).uniform(1, 2, (5, max(1, size // 256)))
    return *moving, mass


def pages(size: int) -> Arguments:
    """Which pages link to each, how many links each has, ranks, and what each page gives."""
    draw = np.random.default_rng(3)
    return draw.integers(0, size, (size, 16)), draw.integers(1, 9, size) * 1.0, np.full(size, 1 / size), np.empty(size)


PROGRAMS: dict[str, tuple[Callable[..., None], Callable[[int], Arguments], int]] = {
    "K-means": (kmeans, points, 10),
    "N-body": (nbody, bodies, 20),
    "PageRank": (pagerank, pages, 10),
}
"""A function, what makes its arrays, and its rounds."""


def row(name: str, size: int, pairs: int) -> list[str]:
    """Bytes and milliseconds of one program, with the pass and without. Raises AssertionError."""
    function, make, rounds = PROGRAMS[name]
    moved: dict[bool, int] = {}
    times: dict[bool, list[float]] = {True: [], False: []}
    results: dict[bool, Arguments] = {}
    for number in range(pairs + 1):
        for on in (True, False):
            arguments = make(size)
            with hetc.configure(transfer_elimination=on):
                start = time.perf_counter()
                function(*arguments, rounds)
                times[on] += [(time.perf_counter() - start) * 1e3] if number else []
                results[on] = arguments
                if not number:
                    with hetc.profile() as profile:
                        function(*make(size), rounds)
                    moved[on] = profile.bytes_h2d + profile.bytes_d2h
    for one, other in zip(results[True], results[False], strict=True):
        assert one.tobytes() == other.tobytes(), name
    inputs = sum(array.nbytes for array in make(size))
    with_pass, without = (statistics.median(times[on]) for on in (True, False))
    fewer = 1 - moved[True] / moved[False]
    return [
        name, f"{rounds}", f"{inputs:,}", f"{moved[True]:,}", f"{moved[False]:,}", f"{fewer:.1%}",
        f"{with_pass:.2f}", f"{without:.2f}", f"{with_pass / without:.2f}",
    ]  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.elimination", description=__doc__.partition("\n")[0])
    parser.add_argument("--device", help="a device's name or a part of it (default: the best)")
    parser.add_argument("--size", type=int, default=1 << 18, metavar="N", help="points and pages (default: 256 Ki)")
    parser.add_argument("--pairs", type=int, default=7, metavar="N", help="calls with and without (default: 7)")
    parser.add_argument("--force", action="store_true", help="copy on a device that shares the host's memory, too")
    options = parser.parse_args(argv)
    device = copying_device(options.device, force=options.force)
    print(describe(device), flush=True)
    with hetc.configure(device=device, offload="always", fallback="error"):
        rows = [row(name, options.size, options.pairs) for name in PROGRAMS]
    header = ["program", "rounds", "bytes of arrays", "moved", "without the pass", "fewer", "ms", "without", "ratio"]
    print(markdown(header, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())

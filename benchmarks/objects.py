"""What programs with objects cost: ``python -m benchmarks.objects``.

K-means, N-body and PageRank, written with classes, against the same on arrays: kernels by hand and their times by the
device's own clock, in interleaved pairs, all over arrays that have just been read from the objects; and whole calls,
objects read and written, against plain Python, NumPy and, where it can be imported, Numba: on arrays, and on its own
`jitclass`.

What is measured is checked to be right. hetc's numbers are equal to the last bit to those of the kernels by hand, and
to those of plain Python, which computes a part of the elements only: its time is that of the part, scaled.
"""

from __future__ import annotations

import argparse
import functools
import gc
import importlib
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyopencl as cl
from numpy.typing import NDArray

import hetc
from benchmarks import objects_data, objects_jitclass, objects_numba
from benchmarks.measure import compare
from benchmarks.native.host import Host, milliseconds
from benchmarks.objects_data import BODY, columns
from benchmarks.peers import available
from benchmarks.report import describe, markdown
from examples import kmeans_objects, nbody_objects, pagerank_objects
from hetc.runtime.devices import Device, select

Array = NDArray[Any]


@hetc.jit
def pagerank_round(pages: list[Any], links: list[Any]) -> None:
    """One round of PageRank."""
    for i in hetc.forall(len(pages)):
        total = 0.0
        for k in range(pages[i].first, pages[i].last):
            total += pages[links[k].source].given
        pages[i].next = total
    for i in hetc.forall(len(pages)):
        pages[i].settle(len(pages))


@dataclass(frozen=True)
class Program:
    """A program with objects: its data, what runs it, and the same on arrays.

    `left` are the numbers that a run leaves behind; `python` computes them for the first `part` elements and leaves
    the objects alone, `numpy`, `numba` and `jitclass` for all. `kernels` are run one after the other: each by the
    numbers of the arrays that it takes, and the scalars at their places; `results` are the arrays with what is left.
    """

    name: str
    size: int
    part: int
    make: Callable[[int], tuple[Any, ...]]
    run: Callable[..., object]
    python: Callable[..., list[Array]]
    arrays: Callable[..., list[Array]]
    left: Callable[..., list[Array]]
    numpy: Callable[..., list[Array]]
    numba: Callable[[Any], Callable[..., tuple[Array, ...]]]
    jitclass: Callable[[Any], Callable[..., Callable[[], tuple[Array, ...]]]]
    kernels: Callable[[int], list[tuple[str, list[int | np.generic]]]]
    results: tuple[int, ...]


# --------------------------------------------------------------------------------------------------------------------
# K-means
# --------------------------------------------------------------------------------------------------------------------


def _kmeans_arrays(points: list[Any]) -> list[Array]:
    centres = columns(kmeans_objects.clusters, "centre.x", "centre.y")
    return [*columns(points, "x", "y"), *centres, np.zeros(len(points), np.int64)]


def _kmeans_numpy(x: Array, y: Array, cx: Array, cy: Array, _: Array) -> list[Array]:
    found = np.zeros(len(x), np.int64)
    least = np.full(len(x), np.inf)
    for number, (centre_x, centre_y) in enumerate(zip(cx, cy, strict=True)):
        distance = (x - centre_x) ** 2 + (y - centre_y) ** 2
        nearer = distance < least
        found[nearer], least[nearer] = number, distance[nearer]
    return [found]


KMEANS = Program(
    "K-means, nearest of 64",
    1 << 21,
    1 << 13,
    lambda size: (objects_data.points(size),),
    kmeans_objects.kmeans,
    lambda part, points: [np.array([kmeans_objects.nearest(point) for point in points[:part]])],
    _kmeans_arrays,
    lambda points, found: [np.array(found)],
    _kmeans_numpy,
    objects_numba.kmeans,
    objects_jitclass.kmeans,
    lambda size: [("nearest", [0, 1, 2, 3, np.int64(len(kmeans_objects.clusters)), 4])],
    (4,),
)

# --------------------------------------------------------------------------------------------------------------------
# N-body
# --------------------------------------------------------------------------------------------------------------------

ROWS = 64
"""How many bodies NumPy looks at at a time: all pairs of bodies would not stay in the caches."""


def _nbody_python(part: int, bodies: list[Any]) -> list[Array]:
    moved: list[Any] = []
    for body in bodies[:part]:
        acceleration = nbody_objects.Vector(0.0, 0.0, 0.0)
        for other in bodies:
            acceleration = acceleration + body.pull(other)
        moved.append(body.moved(acceleration))
    return columns(moved, *BODY[:3], *BODY[4:])


def _nbody_numpy(x: Array, y: Array, z: Array, mass: Array, vx: Array, vy: Array, vz: Array) -> list[Array]:
    left = [np.empty_like(x) for _ in range(6)]
    for first in range(0, len(x), ROWS):
        rows = slice(first, first + ROWS)
        dx, dy, dz = (part - part[rows, None] for part in (x, y, z))
        squared = dx * dx + dy * dy + dz * dz + nbody_objects.SOFTENING
        factor = mass / (squared * np.sqrt(squared))
        for axis, (place, speed, d) in enumerate(((x, vx, dx), (y, vy, dy), (z, vz, dz))):
            left[3 + axis][rows] = speed[rows] + (d * factor).sum(axis=1) * nbody_objects.STEP
            left[axis][rows] = place[rows] + left[3 + axis][rows] * nbody_objects.STEP
    return left


NBODY = Program(
    "N-body, a step",
    1 << 13,
    1 << 5,
    lambda size: (nbody_objects.random_bodies(size),),
    lambda bodies: nbody_objects.simulate(bodies, 1),
    _nbody_python,
    lambda bodies: columns(bodies, *BODY),
    lambda bodies, _: columns(bodies, *BODY[:3], *BODY[4:]),
    _nbody_numpy,
    objects_numba.nbody,
    objects_jitclass.nbody,
    lambda size: [
        ("accelerate", [0, 1, 2, 3, np.int64(size), np.float64(0.01), np.float64(0.01), 4, 5, 6]),
        ("move", [0, 1, 2, 4, 5, 6, np.float64(0.01)]),
    ],
    (0, 1, 2, 4, 5, 6),
)

# --------------------------------------------------------------------------------------------------------------------
# PageRank
# --------------------------------------------------------------------------------------------------------------------


def _pagerank_python(part: int, pages: list[Any], links: list[Any]) -> list[Array]:
    damping, ranks = pagerank_objects.DAMPING, list[float]()
    for page in pages[:part]:
        total = 0.0
        for k in range(page.first, page.last):
            total += pages[links[k].source].given
        ranks.append((1.0 - damping) / len(pages) + damping * total)
    return [np.array(ranks)]


def _pagerank_arrays(pages: list[Any], links: list[Any]) -> list[Array]:
    first, last, rank, given, following = columns(pages, "first", "last", "rank", "links", "next")
    return [first, last, *columns(links, "source"), rank, given, following]


def _pagerank_numpy(first: Array, last: Array, source: Array, rank: Array, links: Array, _: Array) -> list[Array]:
    given = np.divide(rank, links, out=np.zeros_like(rank), where=links > 0)
    sums = np.concatenate([[0.0], np.cumsum(given[source])])
    damping = pagerank_objects.DAMPING
    return [(1 - damping) / len(rank) + damping * (sums[last] - sums[first])]


PAGERANK = Program(
    "PageRank, a round",
    1 << 18,
    1 << 14,
    objects_data.web,
    pagerank_round,
    _pagerank_python,
    _pagerank_arrays,
    lambda pages, links, _: columns(pages, "rank"),
    _pagerank_numpy,
    objects_numba.pagerank,
    objects_jitclass.pagerank,
    lambda size: [
        ("gather", [0, 1, 2, 3, 4, 5]),
        ("settle", [5, np.float64(pagerank_objects.DAMPING), np.float64((1 - pagerank_objects.DAMPING) / size), 3]),
    ],
    (3,),
)

PROGRAMS = (KMEANS, NBODY, PAGERANK)

# --------------------------------------------------------------------------------------------------------------------
# Measuring
# --------------------------------------------------------------------------------------------------------------------


class Native:
    """The kernels of a program by hand, over arrays of what is in the objects.

    These are read for each run, as hetc reads them, and not copied again: what stands in the processor's caches when
    the kernels start then is the same on both sides.
    """

    def __init__(self, host: Host, program: Program, size: int, read: Callable[[], Sequence[Array]]) -> None:
        self.host, self.size, self.read = host, size, read
        built = host.build("objects.cl")
        self.kernels = [(cl.Kernel(built, name), arguments) for name, arguments in program.kernels(size)]

    def run(self) -> float:
        """Run all kernels on the objects' numbers of now; milliseconds inside of them."""
        self.arrays = self.read()
        with self.host.taking_times():
            self.buffers = [self.host.upload(array) for array in self.arrays]
            group = self.host.group((self.size,))
            events: list[cl.Event] = []
            for kernel, arguments in self.kernels:
                values = [self.buffers[a] if isinstance(a, int) else a for a in arguments]
                events.append(kernel(self.host.queue, (self.size,), group, *values))
            return milliseconds(events)

    def result(self, number: int) -> Array:
        """What an array holds now."""
        array = np.empty_like(self.arrays[number])
        cl.enqueue_copy(self.host.queue, array, self.buffers[number])
        return array


def seconds_of(run: Callable[[], object]) -> float:
    """How long something takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


@contextmanager
def without_collector() -> Iterator[None]:
    """Without the garbage collector, which would look at all of millions of objects whenever there are some more."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.collect()


def numba_cell(prepare: Callable[[Any], Callable[[], Sequence[Array]]], wanted: Sequence[Array], repeat: int) -> str:
    """Numba's milliseconds; what fails there is its cell. AssertionError if Numba is wrong."""
    if "Numba" not in available(gpu=False):
        return "-"
    try:
        run = prepare(importlib.import_module("numba"))
        results = run()
    except Exception as error:  # noqa: BLE001 -- another package raises whatever it likes
        return f"error: {type(error).__name__}"
    for theirs, array in zip(wanted, results, strict=True):
        assert np.allclose(theirs, array), "Numba is wrong"
    return f"{statistics.median(seconds_of(run) for _ in range(repeat)) * 1e3:.1f}"


def measure(program: Program, device: Device, pairs: int, shrink: int) -> tuple[str, ...]:
    """One row. AssertionError if a side is wrong."""
    size, part = program.size // shrink, max(1, program.part // shrink)
    data = program.make(size)
    arrays = program.arrays(*data)
    native = Native(Host(device.handle), program, size, lambda: program.arrays(*data))
    found: list[Any] = []
    python = seconds_of(lambda: found.append(program.python(part, *data)))
    numpy = seconds_of(lambda: found.append(program.numpy(*arrays)))
    native.run()
    with hetc.configure(device=device, offload="always", fallback="error"):
        left = program.left(*data, program.run(*data))
        for number, ours, of_part, theirs in zip(program.results, left, *found, strict=True):
            assert np.array_equal(ours[:part], of_part), f"{program.name}: hetc is not equal to Python"
            assert np.array_equal(ours, native.result(number)), f"{program.name}: not equal to the kernels by hand"
            assert np.allclose(ours, theirs), f"{program.name}: NumPy is wrong"

        def ours() -> float:
            with hetc.profile() as p:
                program.run(*data)
            return p.kernel_ns / 1e6

        kernels = compare(ours, native.run, pairs)
        calls = statistics.median(seconds_of(lambda: program.run(*data)) for _ in range(pairs))
    low, high = kernels.spread
    return (
        f"{program.name} ({size:,})",
        f"{statistics.median(kernels.hetc):.2f}",
        f"{statistics.median(kernels.native):.2f}",
        f"{kernels.ratio:.2f} ({low:.2f} to {high:.2f})",
        f"{calls * 1e3:.1f}",
        f"{python * size / part * 1e3:,.0f}",
        f"{numpy * 1e3:.1f}",
        numba_cell(lambda nb: functools.partial(program.numba(nb), *arrays), left, pairs),
        numba_cell(lambda nb: program.jitclass(nb)(*arrays), left, pairs),
    )


HEAD = (
    *("program", "kernels", "by hand", "ratio (spread)", "call"),
    *("Python", "NumPy on arrays", "Numba on arrays", "Numba's jitclass"),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.objects", description="What programs with objects cost."
    )
    parser.add_argument("--device", default=None, help="a part of its name, 'cpu', 'gpu' or a number")
    parser.add_argument("--repeat", type=int, default=15, metavar="N", help="pairs of measurements (default: 15)")
    parser.add_argument("--shrink", type=int, default=1, metavar="N", help="divide the sizes, to try it")
    options = parser.parse_args(argv)
    if min(options.repeat, options.shrink) < 1:
        parser.error("--repeat and --shrink are at least 1")
    device = select(options.device)
    rows: list[tuple[str, ...]] = []
    clusters = list(kmeans_objects.clusters)
    try:
        for program in PROGRAMS:
            with without_collector():
                rows.append(measure(program, device, options.repeat, options.shrink))
            print(" | ".join(rows[-1]), file=sys.stderr)
    finally:
        kmeans_objects.clusters[:] = clusters
    print(markdown(HEAD, rows))
    print(f"\nMilliseconds, medians of {options.repeat}; NumPy once, Python scaled from a part. {describe(device)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What programs with objects cost: ``python -m benchmarks.objects``.

K-means, N-body and PageRank, written with classes, against the same on arrays: kernels by hand and their times by the
device's own clock, in interleaved pairs; and whole calls, objects read and written, against plain Python, NumPy and,
where it can be imported, Numba.
What is measured is checked to be right: equal to plain Python, and on both sides of the kernels.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyopencl as cl
from numpy.typing import NDArray

import hetc
from benchmarks import objects_numba
from benchmarks.measure import compare
from benchmarks.native.host import Host, milliseconds
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


def columns(objects: Sequence[Any], *names: str) -> list[Array]:
    """Attributes of objects as arrays; a dot leads into an attribute."""
    return [np.array([functools.reduce(getattr, name.split("."), one) for one in objects]) for name in names]


@dataclass(frozen=True)
class Program:
    """A program with objects: its data, what runs it, and the same on arrays.

    `left` are the numbers that a run leaves behind, `numpy` and `numba` compute them. `kernels` are run one after the
    other: each by the numbers of the arrays that it takes, and the scalars at their places.
    """

    name: str
    size: int
    make: Callable[[int], tuple[Any, ...]]
    run: Callable[..., object]
    arrays: Callable[..., list[Array]]
    left: Callable[..., list[Array]]
    numpy: Callable[..., list[Array]]
    numba: Callable[[Any], Callable[..., tuple[Array, ...]]]
    kernels: Callable[[int], list[tuple[str, list[int | np.generic]]]]
    results: tuple[int, ...]


def _kmeans(size: int) -> tuple[Any, ...]:
    return (kmeans_objects.random_points(size),)


def _kmeans_arrays(points: list[Any]) -> list[Array]:
    centres = columns(kmeans_objects.clusters, "centre.x", "centre.y")
    return [*columns(points, "x", "y"), *centres, np.zeros(len(points), np.int64)]


def _kmeans_numpy(x: Array, y: Array, cx: Array, cy: Array, _: Array) -> list[Array]:
    return [np.argmin((x[:, None] - cx) ** 2 + (y[:, None] - cy) ** 2, axis=1)]


_BODY = ("position.x", "position.y", "position.z", "mass", "velocity.x", "velocity.y", "velocity.z")


def _nbody_numpy(x: Array, y: Array, z: Array, mass: Array, vx: Array, vy: Array, vz: Array) -> list[Array]:
    dx, dy, dz = (part - part[:, None] for part in (x, y, z))
    squared = dx * dx + dy * dy + dz * dz + nbody_objects.SOFTENING
    factor = mass / (squared * np.sqrt(squared))
    speeds = [v + (d * factor).sum(axis=1) * nbody_objects.STEP for v, d in ((vx, dx), (vy, dy), (vz, dz))]
    return [part + v * nbody_objects.STEP for part, v in zip((x, y, z), speeds, strict=True)] + speeds


def _pagerank_arrays(pages: list[Any], links: list[Any]) -> list[Array]:
    first, last, rank, given, following = columns(pages, "first", "last", "rank", "links", "next")
    return [first, last, *columns(links, "source"), rank, given, following]


def _pagerank_numpy(first: Array, last: Array, source: Array, rank: Array, links: Array, _: Array) -> list[Array]:
    given = np.divide(rank, links, out=np.zeros_like(rank), where=links > 0)
    sums = np.concatenate([[0.0], np.cumsum(given[source])])
    damping = pagerank_objects.DAMPING
    return [(1 - damping) / len(rank) + damping * (sums[last] - sums[first])]


PROGRAMS = (
    Program(
        "K-means, nearest",
        1 << 18,
        _kmeans,
        kmeans_objects.kmeans,
        _kmeans_arrays,
        lambda points, found: [np.array(found)],
        _kmeans_numpy,
        objects_numba.kmeans,
        lambda size: [("nearest", [0, 1, 2, 3, np.int64(len(kmeans_objects.clusters)), 4])],
        (4,),
    ),
    Program(
        "N-body, a step",
        2048,
        lambda size: (nbody_objects.random_bodies(size),),
        lambda bodies: nbody_objects.simulate(bodies, 1),
        lambda bodies: columns(bodies, *_BODY),
        lambda bodies, _: columns(bodies, *_BODY[:3], *_BODY[4:]),
        _nbody_numpy,
        objects_numba.nbody,
        lambda size: [
            ("accelerate", [0, 1, 2, 3, np.int64(size), np.float64(0.01), np.float64(0.01), 4, 5, 6]),
            ("move", [0, 1, 2, 4, 5, 6, np.float64(0.01)]),
        ],
        (0, 1, 2, 4, 5, 6),
    ),
    Program(
        "PageRank, a round",
        1 << 17,
        pagerank_objects.random_web,
        pagerank_round,
        _pagerank_arrays,
        lambda pages, links, _: columns(pages, "rank"),
        _pagerank_numpy,
        objects_numba.pagerank,
        lambda size: [
            ("gather", [0, 1, 2, 3, 4, 5]),
            ("settle", [5, np.float64(pagerank_objects.DAMPING), np.float64((1 - pagerank_objects.DAMPING) / size), 3]),
        ],
        (3,),
    ),
)


class Native:
    """The kernels of a program by hand, over arrays on a device."""

    def __init__(self, host: Host, program: Program, size: int, arrays: Sequence[Array]) -> None:
        self.host, self.size, self.arrays = host, size, [np.array(array) for array in arrays]
        self.buffers = [host.upload(array) for array in self.arrays]
        built = host.build("objects.cl")
        self.kernels = [(cl.Kernel(built, name), arguments) for name, arguments in program.kernels(size)]

    def run(self) -> float:
        """Run all kernels; milliseconds inside of them."""
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


def with_numba(program: Program, arrays: Sequence[Array], wanted: Sequence[Array], repeat: int) -> str:
    """The cell of Numba's milliseconds; what fails there is its cell. AssertionError if Numba is wrong."""
    if "Numba" not in available(gpu=False):
        return "-"
    try:
        function = program.numba(importlib.import_module("numba"))
        results = function(*arrays)
    except Exception as error:  # noqa: BLE001 -- another package raises whatever it likes
        return f"error: {type(error).__name__}"
    for theirs, array in zip(wanted, results, strict=True):
        assert np.allclose(theirs, array), f"{program.name}: Numba is wrong"
    seconds = statistics.median(seconds_of(lambda: function(*arrays)) for _ in range(repeat))
    return f"{seconds * 1e3:.1f}"


def measure(program: Program, device: Device, pairs: int, shrink: int) -> tuple[str, ...]:
    """One row. AssertionError if a side is wrong."""
    size = program.size // shrink
    data, expected = program.make(size), program.make(size)
    arrays = program.arrays(*expected)
    native = Native(Host(device.handle), program, size, arrays)
    with hetc.configure(offload="never"):
        found: list[Any] = []
        python = seconds_of(lambda: found.append(program.run(*expected)))
    wanted = program.left(*expected, found[0])
    numpy = seconds_of(lambda: found.append(program.numpy(*arrays)))
    native.run()
    with hetc.configure(device=device, offload="always", fallback="error"):
        left = program.left(*data, program.run(*data))
        for ours, theirs, number in zip(left, wanted, program.results, strict=True):
            assert np.array_equal(ours, theirs), f"{program.name}: hetc is wrong"
            assert np.allclose(native.result(number), theirs), f"{program.name}: the kernel by hand is wrong"
        for theirs, array in zip(wanted, found[1], strict=True):
            assert np.allclose(theirs, array), f"{program.name}: NumPy is wrong"

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
        f"{python * 1e3:.0f}",
        f"{numpy * 1e3:.1f}",
        with_numba(program, arrays, wanted, pairs),
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
    head = ("program", "kernels", "by hand", "ratio (spread)", "call", "Python", "NumPy on arrays", "Numba on arrays")
    print(markdown(head, [measure(program, device, options.repeat, options.shrink) for program in PROGRAMS]))
    print(f"\nMilliseconds, medians of {options.repeat}; Python and NumPy once. {describe(device)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

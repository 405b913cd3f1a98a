"""How times grow with the data, beside kernels by hand: ``python -m benchmarks.growth``.

From a thousand elements to as many as memory has room for, four times as many at each step. The goal is that hetc's
time grows no faster than the other's at any step. What a step adds is the ratio of two ratios: hetc's time over the
other's, after the step and before it. Above 1, hetc has grown faster. A step counts as above only where the lower end
of its spread is, and by more than `TOLERANCE`: the ends come from drawing the pairs of both sizes anew (Efron,
"Bootstrap methods", The Annals of Statistics 7, 1979), so that a busy machine widens them. Steps after which hetc is
still the faster one are told apart.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyopencl as cl

import hetc
from benchmarks.measure import Comparison, compare, spread
from benchmarks.native.host import Host, milliseconds
from benchmarks.programs import PROGRAMS, Program
from benchmarks.report import describe, markdown
from benchmarks.run import timed
from hetc.runtime.devices import Device, select

NAMES = ("saxpy", "dot product", "inclusive scan", "filter", "histogram", "Black-Scholes", "5-point stencil")
LEAST, MOST, FACTOR = 1 << 10, 1 << 28, 4

BYTES = {"saxpy": 12, "dot product": 8, "inclusive scan": 8, "filter": 8, "histogram": 1, "Black-Scholes": 20}
"""The bytes of an element, inputs and results; the stencil has three squares."""
OTHERS = 12
COPIES = 3
"""How often these are in memory: for each of the sides, and in what is on its way."""

TOLERANCE = 1.05
DRAWS = 400
CHECKED = 1 << 22
"""Up to so many elements results are compared with those in double precision, which take several times the memory."""


@dataclass(frozen=True)
class Point:
    """Both sides at one size: times in kernels, and from NumPy arrays to the result."""

    size: int
    kernel: Comparison
    call: Comparison


@dataclass(frozen=True)
class Step:
    """What a step to more data adds to a ratio, with its spread."""

    added: float
    low: float
    high: float

    @property
    def above(self) -> bool:
        """Whether hetc's time has grown faster, by more than the noise."""
        return self.low > 1 and self.added > TOLERANCE

    def __str__(self) -> str:
        text = f"{self.added:.2f} ({self.low:.2f} to {self.high:.2f})"
        return f"**{text}**" if self.above else text


def step(before: Comparison, after: Comparison) -> Step:
    """What has been added between two sizes.

    >>> step(Comparison((2.0, 2.0), (1.0, 1.0)), Comparison((4.0, 4.0), (4.0, 4.0)))
    Step(added=0.5, low=0.5, high=0.5)
    """
    draw = random.Random(0)

    def drawn(one: Comparison) -> float:
        return statistics.median(draw.choices(one.ratios, k=len(one.ratios)))

    low, high = spread([drawn(after) / drawn(before) for _ in range(DRAWS)])
    return Step(after.ratio / before.ratio, low, high)


class Sides:
    """hetc and the kernels by hand, on the same data."""

    def __init__(self, program: Program, host: Host, native: Any, inputs: tuple[Any, ...]) -> None:
        self.program, self.host, self.native, self.inputs = program, host, native, inputs

    def hetc_call(self) -> Any:
        return self.program.function(*self.inputs)

    def hetc_kernel(self) -> float:
        """Milliseconds in hetc's kernels, launched at once."""
        with hetc.configure(overlap=False), hetc.profile() as profile:
            self.hetc_call()
        return profile.kernel_ns / 1e6

    def native_call(self) -> Any:
        """The result by hand."""
        call = self.native.start(*self.inputs)
        self.native.launch(call)
        return self.native.finish(call)

    def native_kernel(self) -> float:
        """Milliseconds in the kernels by hand."""
        with self.host.taking_times():
            call = self.native.start(*self.inputs)
            kernel = milliseconds(self.native.launch(call))
            self.native.finish(call)
            return kernel

    def check(self, size: int) -> None:
        """Raise ArithmeticError where one side is wrong."""
        reference = self.program.reference(*self.inputs)
        for name, result in (("hetc", self.hetc_call()), ("by hand", self.native_call())):
            if not (error := self.program.wrong_by(result, reference)) <= self.program.tolerance:
                raise ArithmeticError(f"{self.program.name}, {size} elements, {name}: the error is {error:.2g}")


def point(sides: Sides, size: int, options: argparse.Namespace) -> Point:
    """Both sides at one size, in as many pairs as there is time for."""

    def pairs(ours: Callable[[], float], theirs: Callable[[], float]) -> Comparison:
        seconds = timed(lambda: (ours(), theirs()))[0] / 1e3
        count = max(3, min(options.repeat, int(options.budget / max(seconds, 1e-9))))
        return compare(ours, theirs, count, warm_up=2)

    kernel = pairs(sides.hetc_kernel, sides.native_kernel)
    call = pairs(lambda: timed(sides.hetc_call)[0], lambda: timed(sides.native_call)[0])
    return Point(size, kernel, call)


def room(device: Device) -> int:
    """The bytes that data may take: what the host has free, and the device, whichever is less."""
    try:
        import psutil

        free = psutil.virtual_memory().available
    except ImportError:
        found = Path("/proc/meminfo").read_text().partition("MemAvailable:")[2].split()
        free = int(found[0]) * 1024
    return min(free, device.global_memory)


def measure(program: Program, host: Host, device: Device, options: argparse.Namespace) -> list[Point]:
    """A program at all sizes that there is room for."""
    native, points = program.native(host), list[Point]()
    each = BYTES.get(program.name, OTHERS)
    size = options.least
    while size <= options.most and COPIES * each * size <= room(device) and 4 * size <= device.largest_buffer:
        sides = Sides(program, host, native, program.sample(size))
        if size <= CHECKED:
            sides.check(size)
        points.append(point(sides, size, options))
        print(f"  {program.name}, {size:,}: {points[-1].call.ratio:.2f}", file=sys.stderr, flush=True)
        del sides
        gc.collect()
        size *= FACTOR
    return points


def spelled(size: int) -> str:
    """A size in powers of two.

    >>> spelled(1 << 12), spelled(1 << 28)
    ('4 Ki', '256 Mi')
    """
    return f"{size >> 20} Mi" if size >= 1 << 20 else f"{size >> 10} Ki"


def table(points: Sequence[Point]) -> str:
    """A row a size."""
    rows: list[list[str]] = []
    for number, now in enumerate(points):
        row = [spelled(now.size)]
        for found, before in ((now.kernel, points[number - 1].kernel), (now.call, points[number - 1].call)):
            ours, theirs = statistics.median(found.hetc), statistics.median(found.native)
            low, high = found.spread
            added = str(step(before, found)) if number else ""
            row += [f"{ours:.3g}, {theirs:.3g}", f"{found.ratio:.2f} ({low:.2f} to {high:.2f})", added]
        rows.append(row)
    head = ["elements", "kernels, ms", "ratio", "step", "call, ms", "ratio", "step"]
    return markdown(head, rows)


def verdict(found: dict[str, list[Point]]) -> str:
    """How many steps there are, and which are above."""
    steps, slower, faster = 0, list[str](), list[str]()
    for name, points in found.items():
        for before, after in itertools.pairwise(points):
            for what in ("kernel", "call"):
                one, ratio = step(getattr(before, what), getattr(after, what)), getattr(after, what).ratio
                steps += 1
                if one.above:
                    said = f"{name}, {what}, to {spelled(after.size)}: {one.added:.2f}, to {ratio:.2f}"
                    (slower if ratio > TOLERANCE else faster).append(said)
    count = steps - len(slower) - len(faster)
    return (
        f"{count} of {steps} steps are not above 1 by more than noise and {TOLERANCE - 1:.0%}. "
        f"Above, and slower than by hand then: {'; '.join(slower) or 'none'}. "
        f"Above, and not slower: {'; '.join(faster) or 'none'}."
    )


def overview(found: dict[str, list[Point]]) -> str:
    """The ratios of kernels and calls for all sizes and programs, with the steps that are above in bold."""
    sizes = sorted({one.size for points in found.values() for one in points})
    rows: list[list[str]] = []
    for size in sizes:
        row = [spelled(size)]
        for points in found.values():
            number = next((k for k, one in enumerate(points) if one.size == size), None)
            row.append("" if number is None else ", ".join(_ratio(points, number, what) for what in ("kernel", "call")))
        rows.append(row)
    return markdown(["elements", *found], rows)


def _ratio(points: Sequence[Point], number: int, what: str) -> str:
    now: Comparison = getattr(points[number], what)
    above = number and step(getattr(points[number - 1], what), now).above
    return f"**{now.ratio:.2f}**" if above else f"{now.ratio:.2f}"


def report(found: dict[str, list[Point]]) -> str:
    """What has been found, as Markdown."""
    tables = [f"### {name}\n\n{table(points)}" for name, points in found.items()]
    return "\n\n".join([verdict(found), overview(found), *tables])


def store(found: dict[str, list[Point]], options: argparse.Namespace) -> None:
    """Write what has been measured so far, which is there then if the rest takes too long."""
    if options.output:
        options.output.write_text(f"{report(found)}\n")
    if options.json:
        stored = {name: [asdict(point) for point in points] for name, points in found.items()}
        options.json.write_text(json.dumps(stored, indent=1))


def draw(found: dict[str, list[Point]], file: Path) -> None:
    """The ratios over the sizes, by matplotlib: kernels left, calls right."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, sharey=True, figsize=(11, 4.5))
    for axis, what in zip(axes, ("kernel", "call"), strict=True):
        for name, points in found.items():
            axis.plot([p.size for p in points], [getattr(p, what).ratio for p in points], marker="o", label=name)
        axis.axhline(1, color="black", linewidth=0.8)
        axis.set(xscale="log", yscale="log", xlabel="elements", title=f"{what}: hetc over by hand")
    axes[1].legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(file)


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__.partition(":")[0])
    parser.add_argument("--device", help="which one, as in hetc.configure")
    parser.add_argument("--programs", default=",".join(NAMES), metavar="A,B", help="some of: " + ", ".join(NAMES))
    parser.add_argument("--least", type=int, default=LEAST, help="elements to start from (default: 1 Ki)")
    parser.add_argument("--most", type=int, default=MOST, help="elements to end with (default: 256 Mi)")
    parser.add_argument("--repeat", type=int, default=41, metavar="N", help="pairs a size, at most (default: 41)")
    parser.add_argument("--budget", type=float, default=2.0, metavar="S", help="seconds a comparison (default: 2)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all measurements there")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the tables there, as Markdown")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the ratios there, by matplotlib")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, write. The exit status is 1 if something was wrong or failed."""
    options = arguments(argv)
    device, wanted = select(options.device), [name.strip().lower() for name in options.programs.split(",")]
    host, found, failed = Host(device.handle), dict[str, list[Point]](), 0
    print(describe(device))
    with hetc.configure(device=device, offload="always", fallback="error"):
        for program in PROGRAMS:
            if not any(program.name.lower().startswith(name) for name in wanted):
                continue
            started = time.perf_counter()
            try:
                found[program.name] = measure(program, host, device, options)
            except (hetc.HetcError, cl.Error, ArithmeticError, MemoryError) as error:
                failed += 1
                print(f"  {program.name}: {type(error).__name__}: {error}", file=sys.stderr)
            print(f"  {program.name}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
            store(found, options)
    print(f"\n{report(found)}")
    if options.plot:
        draw(found, options.plot)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

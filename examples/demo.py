"""What `make demo` runs: five programs on this machine's OpenCL device, beside NumPy and plain Python.

Every result is checked against double precision; a wrong one makes the program fail. All times are from call to result
in this process, with NumPy arrays (or a `range`) in and arrays (or a list) out:

* *first call*: hetc compiles the function and runs it; *later calls*: the median of several;
* *NumPy*: the same computation as one writes it for whole arrays, in the same precision;
* *Python*: the same array function with ``offload="never"``, on a part of the data, its time scaled up to the whole.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import hetc
from examples import black_scholes, dot, mandelbrot, nbody, saxpy
from examples.picture import colour, write_png
from hetc.runtime.devices import select

PICTURE = Path(__file__).parents[1] / "out" / "mandelbrot.png"

TOLERANCE = 1e-5
"""The largest error, relative to the largest value, that rounding in float32 explains in these programs."""

NOTES = """
first call   hetc compiles the function, then runs it; later calls: the median of several.
~            plain Python ran a part of the data; its time is scaled up to the whole.
error        the largest against double precision, as a share of the largest value.
*            points whose count differs in double precision: one rounding decides at the set's border.
             All points equal NumPy's in the same precision."""


@dataclass(frozen=True)
class Program:
    """An array function with data for it, and what to compare it with.

    `part` is data that plain Python works through in a fraction of a second. `exact` is for results that one rounding
    can change wholly: they are compared with NumPy's in the same precision, and have to be equal.
    """

    name: str
    work: str
    function: Callable[..., object]
    inputs: Sequence[Sequence[object]]
    part: Sequence[Sequence[object]]
    numpy: Callable[..., object]
    reference: Callable[..., object]
    exact: bool = False


@dataclass(frozen=True)
class Row:
    """A line of the table: seconds, and the largest error as a person reads it."""

    program: Program
    first: float
    later: float
    numpy: float
    python: float
    error: str


def programs() -> list[Program]:
    """The programs at full size."""

    def numpy_saxpy(x, y):
        return np.float32(2.5) * x + y

    def numpy_mandelbrot(indices):
        return mandelbrot.reference(indices, np.float32)

    def numpy_nbody(x, y, z):
        return nbody.reference(x, y, z, np.float32)

    picture_size = mandelbrot.WIDTH * mandelbrot.HEIGHT
    return [
        Program(
            name="saxpy",
            work="16 Mi float32",
            function=saxpy.saxpy,
            inputs=saxpy.sample(16 << 20),
            part=saxpy.sample(1 << 18),
            numpy=numpy_saxpy,
            reference=saxpy.reference,
        ),
        Program(
            name="dot product",
            work="16 Mi float32",
            function=dot.dot,
            inputs=dot.sample(16 << 20),
            part=dot.sample(1 << 18),
            numpy=np.dot,
            reference=dot.reference,
        ),
        Program(
            name="Black-Scholes",
            work="4 Mi options, call and put",
            function=black_scholes.black_scholes,
            inputs=black_scholes.sample(4 << 20),
            part=black_scholes.sample(1 << 15),
            numpy=black_scholes.array_prices,
            reference=black_scholes.reference,
        ),
        Program(
            name="Mandelbrot",
            work=f"{mandelbrot.WIDTH} x {mandelbrot.HEIGHT}, {mandelbrot.ITERATIONS} steps",
            function=mandelbrot.mandelbrot,
            inputs=mandelbrot.sample(picture_size),
            part=mandelbrot.sample(1 << 12),
            numpy=numpy_mandelbrot,
            reference=mandelbrot.reference,
            exact=True,
        ),
        Program(
            name="N-body",
            work=f"{nbody.BODIES} bodies, all pairs",
            function=nbody.nbody,
            inputs=nbody.sample(nbody.BODIES),
            part=nbody.sample(16),
            numpy=numpy_nbody,
            reference=nbody.reference,
        ),
    ]


def timed(function: Callable[[], object]) -> tuple[float, object]:
    """Seconds that one call takes, and its result."""
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def median_seconds(function: Callable[[], object], calls: int = 9, budget: float = 1.5) -> float:
    """The median time of several calls: `calls` of them, or as many as start within `budget` seconds."""
    times: list[float] = []
    while len(times) < calls and (not times or sum(times) < budget):
        times.append(timed(function)[0])
    return statistics.median(times)


def measure(program: Program) -> tuple[Row, object]:
    """Run a program every way, and check what it gives. The row, and hetc's result."""

    def by_hetc() -> object:
        return program.function(*program.inputs)

    def by_numpy() -> object:
        return program.numpy(*program.inputs)

    def by_python() -> object:
        with hetc.configure(offload="never"):
            return program.function(*program.part)

    first, result = timed(by_hetc)
    later = median_seconds(by_hetc)
    numpy_first, numpy_result = timed(by_numpy)
    numpy = median_seconds(by_numpy, calls=3) if numpy_first < 1 else numpy_first
    share = len(program.part[0]) / len(program.inputs[0])
    python = timed(by_python)[0] / share
    error = describe_error(program, result, numpy_result)
    return Row(program, first, later, numpy, python, error), result


def describe_error(program: Program, result: object, numpy_result: object) -> str:
    """The largest error against double precision, in words. Stops the demo if it is more than rounding explains."""
    expected = columns(program.reference(*program.inputs))
    actual = columns(result)
    if program.exact:
        if any((a != b).any() for a, b in zip(actual, columns(numpy_result), strict=True)):
            sys.exit(f"{program.name}: the result differs from NumPy's in the same precision.")
        differing = sum(int((a != b).sum()) for a, b in zip(actual, expected, strict=True))
        return f"{100 * differing / len(expected[0]):.1f} % of points *"
    error = max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in zip(actual, expected, strict=True))
    if not error <= TOLERANCE:
        sys.exit(f"{program.name}: the error against double precision is {error:.1e}, which is too much.")
    return f"{error:.1e}"


def columns(result: object) -> list[np.ndarray]:
    """A result as a list of arrays: one for each component of a tuple."""
    return [np.atleast_1d(np.asarray(part)) for part in (result if isinstance(result, tuple) else (result,))]


def milliseconds(seconds: float) -> str:
    """Three significant digits or so, in a unit that a person reads easily."""
    return f"{seconds * 1e3:,.1f} ms" if seconds < 1 else f"{seconds:,.1f} s"


def table(rows: Sequence[Row]) -> str:
    """The table that the demo ends with."""
    header = ("program", "data", "first call", "later calls", "NumPy", "Python", "largest error")
    body = [
        (
            row.program.name,
            row.program.work,
            milliseconds(row.first),
            milliseconds(row.later),
            milliseconds(row.numpy),
            "~" + milliseconds(row.python),
            row.error,
        )
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(header, *body, strict=True)]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(
            cell.ljust(width) if i < 2 else cell.rjust(width)  # words to the left, numbers to the right
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )

    return "\n".join([line(header), "  ".join("-" * width for width in widths), *map(line, body)])


def main() -> None:
    """Run every program, print the table, write the picture."""
    device = select(None)
    print(f"hetc on {device.name} ({device.platform})")
    rows: list[Row] = []
    # An error rather than Python in the place of the device: the table is about the device.
    with hetc.configure(device=device, offload="always", fallback="error", cache=False):
        for program in programs():
            print(f"  {program.name}: {program.work} ...", flush=True)
            row, result = measure(program)
            rows.append(row)
            if program.name == "Mandelbrot":
                steps = np.asarray(result).reshape(mandelbrot.HEIGHT, mandelbrot.WIDTH)
                PICTURE.parent.mkdir(exist_ok=True)
                write_png(PICTURE, colour(steps, mandelbrot.ITERATIONS))
    print(f"\nWrote {PICTURE}\n")
    print(f"Device: {device.name} ({device.platform})\n")
    print(table(rows))
    print(NOTES)


if __name__ == "__main__":
    main()

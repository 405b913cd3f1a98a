"""What guards cost: ``python -m benchmarks.guards``.

Each program's kernels as they are against the same kernels without guards: these are dropped just before they would be
lowered, so that all else is equal, what the compiler knows from them included. Kernel times by the device's own clock,
in interleaved pairs. The programs of the other benchmark have no guard left, and show that they have not; the others
are of a kind in which some are left. Then one element in many fails, and Python computes its block again: the whole
call, against a call in which none fails.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import hetc
from benchmarks.compile_time import request
from benchmarks.measure import Comparison, compare
from benchmarks.programs import ARRAY_PROGRAMS
from benchmarks.report import describe, markdown
from hetc import driver
from hetc.backends.opencl.target import emit_package
from hetc.dialects import guard
from hetc.frontends.python.closure import resolve
from hetc.frontends.skeleton.composition import functions
from hetc.runtime.devices import Device, select
from hetc.runtime.executor import Executable

BEFORE_LOWERING = "defer-guards"
"""The pass after which guards are dropped for the comparison."""

GOAL = 1.10
FAILURE_GOAL = 1.5

ROWS = 1 << 16
ENTRIES = 16
_random = np.random.default_rng(0)
starts = np.arange(ROWS + 1, dtype=np.int64) * ENTRIES
columns = _random.integers(0, ROWS, ROWS * ENTRIES)
entries = _random.random(ROWS * ENTRIES)
vector = _random.random(ROWS)


def discounted(price: float, strike: float, years: float) -> float:
    """Part of Black-Scholes on Python floats: each division, root, logarithm and exponential may raise."""
    spread = 0.3 * math.sqrt(years)
    d = (math.log(price / strike) + 0.065 * years) / spread
    return price * math.exp(-d)


def softmax(x: float, y: float) -> float:
    """The logarithm of a sum of exponentials."""
    return math.log(math.exp(x) + math.exp(y))


def distance(x: float, y: float) -> float:
    """A softened inverse distance: the root's argument is proven to be positive."""
    return 1.0 / math.sqrt(x * x + y * y + 1e-9)


def product(a: int, b: int) -> int:
    """64-bit integers that may overflow."""
    return a * b + a


def row_product(i: int) -> float:
    """A row of a sparse matrix in CSR form times a vector: two indices a step, one bounded before the loop."""
    total = 0.0
    for k in range(starts[i], starts[i + 1]):
        total += entries[k] * vector[columns[k]]
    return total


def collatz(n: int) -> int:
    """The length of Collatz's sequence."""
    steps = 0
    while n != 1 and steps < 500:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def sum_to(n: int) -> int:
    """A sum of integers, proven to fit."""
    total = 0
    for i in range(n):
        total += i ^ 5
    return total


def third(n: np.int64) -> float:
    """Exact on the device up to 2**53; beyond, Python divides, and gives a float as well."""
    return int(n) / 3


def floats(count: int) -> Callable[[int], tuple[list[float], ...]]:
    """Lists of Python floats between 1 and 2."""
    return lambda size: tuple(_random.uniform(1, 2, size).tolist() for _ in range(count))


def integers(low: int, high: int, count: int) -> Callable[[int], tuple[list[int], ...]]:
    """Lists of Python integers."""
    return lambda size: tuple(_random.integers(low, high, size).tolist() for _ in range(count))


@dataclass(frozen=True)
class Guarded:
    """A program of the comparison; `sample(size)` are its inputs."""

    name: str
    size: int
    function: Any
    sample: Callable[[int], tuple[Any, ...]]


GUARDED = (
    *(Guarded(program.name, program.size, program.function, program.sample) for program in ARRAY_PROGRAMS),
    Guarded("discounted", 1 << 20, hetc.map(discounted), floats(3)),
    Guarded("softmax", 1 << 20, hetc.map(softmax), floats(2)),
    Guarded("distance", 1 << 20, hetc.map(distance), floats(2)),
    Guarded("product", 1 << 20, hetc.map(product), integers(-(2**31), 2**31 + 2**20, 2)),
    Guarded("row product", ROWS, hetc.map(row_product), lambda size: (range(size),)),
    Guarded("collatz", 1 << 16, hetc.map(collatz), integers(1, 10**6, 1)),
    Guarded("sum", 1 << 16, hetc.map(sum_to), integers(1, 4000, 1)),
)


def build(program: Guarded, inputs: Sequence[Any], device: Device, *, guards: bool) -> Executable:
    """Compile a program, with its guards or without."""
    asked = request(program.function, inputs, device.traits)
    for stage, module in driver.levels(asked):
        if stage == BEFORE_LOWERING and not guards:
            for require in [op for op in module.walk() if isinstance(op, guard.RequireOp)]:
                require.detach()
                require.erase()
        last = module
    return Executable(emit_package(last, asked.traits), device)


def measure(program: Guarded, device: Device, size: int, pairs: int) -> tuple[str, ...]:
    """One program: its guards, and the time of its kernels with and without them."""
    inputs = program.sample(size)
    guarded, bare = (build(program, inputs, device, guards=guards) for guards in (True, False))
    captures = resolve(functions(program.function.stages)).captures

    def kernel(executable: Executable) -> float:
        with hetc.profile() as profile:
            executable.run(inputs, captures)
        return profile.kernel_ns / 1e6

    kinds = Counter(site.kind for site in guarded.package.guards)
    left = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    return (
        program.name,
        f"{size:,}",
        left or "none",
        *cells(compare(lambda: kernel(guarded), lambda: kernel(bare), pairs)),
    )


def cells(comparison: Comparison) -> tuple[str, str, str]:
    """Both times and their ratio."""
    low, high = comparison.spread
    ratio = f"{comparison.ratio:.2f} ({low:.2f} to {high:.2f})"
    return f"{statistics.median(comparison.hetc):.3f}", f"{statistics.median(comparison.native):.3f}", ratio


def measure_failure(device: Device, size: int, pairs: int) -> tuple[str, ...]:
    """One failing element against none, in milliseconds of whole calls."""
    clean = np.arange(size, dtype=np.int64)
    failing = clean.copy()
    failing[size // 2] = 2**60 + 1
    function = hetc.map(third)

    def call(numbers: np.ndarray[Any, Any], deopts: int) -> float:
        with hetc.profile() as profile:
            start = time.perf_counter()
            function(numbers)
            elapsed = time.perf_counter() - start
        assert profile.deopts == deopts, "the guard did not fail where it should"
        return elapsed * 1e3

    with hetc.configure(device=device, offload="always", fallback="error"):
        comparison = compare(lambda: call(failing, 1), lambda: call(clean, 0), pairs)
    return "one fails", f"{size:,}", "1 domain", *cells(comparison)


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    names = [program.name for program in GUARDED]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guards", description="What guards cost.")
    parser.add_argument("--device", help="a device's name or a part of it, 'cpu', 'gpu' or a number")
    parser.add_argument("--programs", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--repeat", type=int, default=15, metavar="N", help="pairs of measurements (default: 15)")
    parser.add_argument("--shrink", type=int, default=1, metavar="N", help="divide every size, to try it")
    options = parser.parse_args(argv)
    if min(options.repeat, options.shrink) < 1:
        parser.error("--repeat and --shrink are at least 1")
    return options


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    options = arguments(argv)
    device = select(options.device)
    print(describe(device))
    rows: list[tuple[str, ...]] = []
    for program in GUARDED:
        if program.name in options.programs:
            print(f"  {program.name} ...", file=sys.stderr, flush=True)
            rows.append(measure(program, device, program.size // options.shrink, options.repeat))
    header = ("program", "elements", "guards left", "with", "without", "ratio (spread)")
    print(f"\n{markdown(header, rows)}")
    failure = measure_failure(device, (16 << 20) // options.shrink, options.repeat)
    print(f"\n{markdown(('whole calls', 'elements', 'guards left', 'one fails', 'none', 'ratio (spread)'), [failure])}")
    print(f"\nMilliseconds, medians of {options.repeat} pairs. The goals are ratios of {GOAL:.2f} and {FAILURE_GOAL}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

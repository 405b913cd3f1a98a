"""What it costs to read the fields of objects: ``python -m benchmarks.marshal``.

All that happens to a list of objects before a device gets it: what the program reads of it is found out, the objects
and the values of their fields are looked at, and each field becomes an array. The other side is `numpy.fromiter` over
`operator.attrgetter`, once a field, which looks at nothing: it takes any number for a float, and any object.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

import hetc
from benchmarks.measure import compare
from benchmarks.report import markdown
from hetc.abi import ObjectType, leaves
from hetc.frontends.python.objects import resolve_program
from hetc.frontends.skeleton.composition import functions
from hetc.records import layouts_by_class
from hetc.runtime.describe import describe, object_columns
from hetc.runtime.marshal import marshal

SIZE = 1_000_000


@dataclass
class Point:
    """Three numbers, in the dict of the object."""

    x: float
    y: float
    z: float

    def norm(self) -> float:
        """A method, which no object may hide."""
        return self.x * self.x + self.y * self.y + self.z * self.z


@dataclass(slots=True)
class Slotted:
    """Three numbers in slots."""

    x: float
    y: float
    z: float


@dataclass
class Counter:
    """An integer."""

    n: int


@dataclass(frozen=True)
class Case:
    """A program, the objects that it reads, and the fields and types that the other side reads."""

    name: str
    function: hetc.ArrayFunction
    make: Callable[[int], object]
    fields: tuple[str, ...]
    dtype: type = float


def point(k: int) -> Point:
    """An object with a dict."""
    return Point(k * 0.5, k * 0.25, k * 1.5)


def slotted(k: int) -> Slotted:
    """An object with slots."""
    return Slotted(k * 0.5, k * 0.25, k * 1.5)


CASES = (
    Case("1 of 3 fields", hetc.map(lambda p: p.x), point, ("x",)),
    Case("3 fields", hetc.map(lambda p: p.x + p.y + p.z), point, ("x", "y", "z")),
    Case("3 fields, a method", hetc.map(lambda p: p.norm()), point, ("x", "y", "z")),
    Case("3 slots", hetc.map(lambda p: p.x + p.y + p.z), slotted, ("x", "y", "z")),
    Case("1 integer", hetc.map(lambda c: c.n), Counter, ("n",), int),
)


def marshalled(case: Case, objects: list[Any]) -> list[np.ndarray[Any, Any]]:
    """What a call does before the device gets the fields of the objects."""
    resolution = resolve_program(functions(case.function.stages), [objects])
    assert resolution.program is not None
    layouts = layouts_by_class(facts.layout() for facts in resolution.program.known_classes())
    columns = object_columns([objects], layouts)
    signature, _ = describe(columns, resolution.captures)
    element = signature.inputs[0].element
    assert isinstance(element, ObjectType)
    return [marshal(columns[0], (place,), np.dtype(leaf.dtype)) for place, leaf in enumerate(leaves(element))]


def from_iterators(case: Case, objects: list[Any]) -> list[np.ndarray[Any, Any]]:
    """The fields as an expert reads them."""
    return [np.fromiter(map(attrgetter(name), objects), case.dtype, len(objects)) for name in case.fields]


def measure(case: Case, size: int, pairs: int) -> tuple[str, ...]:
    """One row: both times and their ratio, and how many bytes an object takes on the device."""
    objects = [case.make(k) for k in range(size)]
    ours, theirs = marshalled(case, objects), from_iterators(case, objects)
    assert all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True)), "the fields are not the same"

    def timed(read: Callable[[Case, list[Any]], object]) -> Callable[[], float]:
        def once() -> float:
            start = time.perf_counter()
            read(case, objects)
            return (time.perf_counter() - start) * 1e3

        return once

    found = compare(timed(marshalled), timed(from_iterators), pairs)
    low, high = found.spread
    return (
        case.name,
        f"{sum(array.nbytes for array in ours) / size:.0f}",
        f"{statistics.median(found.hetc):.1f}",
        f"{statistics.median(found.native):.1f}",
        f"{found.ratio:.2f} ({low:.2f} to {high:.2f})",
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.marshal", description="What reading objects costs.")
    parser.add_argument("--repeat", type=int, default=15, metavar="N", help="pairs of measurements (default: 15)")
    parser.add_argument("--shrink", type=int, default=1, metavar="N", help="divide the number of objects, to try it")
    options = parser.parse_args(argv)
    if min(options.repeat, options.shrink) < 1:
        parser.error("--repeat and --shrink are at least 1")
    size = SIZE // options.shrink
    rows = [measure(case, size, options.repeat) for case in CASES]
    print(markdown(("objects", "bytes an object", "hetc", "fromiter", "ratio (spread)"), rows))
    print(f"\n{size:,} objects; milliseconds, medians of {options.repeat} pairs.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

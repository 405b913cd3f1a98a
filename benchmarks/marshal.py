"""What Python data costs on its way to a device and back: ``python -m benchmarks.marshal``.

* Reading lists of objects: all that happens before a device gets them. What the program reads is found out, the objects
  and the values of their fields are looked at, and each field becomes an array. The other side is `numpy.fromiter` over
  `operator.attrgetter`, once a field, which looks at nothing: it takes any number for a float, and any object.
* Reading lists of numbers, against `numpy.fromiter`, which takes any number for a float here too.
* Making objects of arrays, against calls of the class. On both sides the garbage collector then looks at the new ones,
  which it otherwise does a little later.

Each is measured with hetc's C code and, if it is there, also with the Python code that stands in for it.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

import hetc
from benchmarks.measure import Comparison, compare
from benchmarks.report import markdown
from hetc import native
from hetc.abi import SCALAR_TYPES, Container, ObjectType, ScalarType, leaves
from hetc.frontends.python.objects import resolve_program
from hetc.frontends.skeleton.composition import functions
from hetc.records import layouts_by_class
from hetc.runtime.describe import describe, object_columns
from hetc.runtime.marshal import class_key, marshal, unmarshal

SIZE = 1_000_000
Arrays = list[np.ndarray[Any, Any]]


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


def point(k: int) -> Point:
    """An object with a dict."""
    return Point(k * 0.5, k * 0.25, k * 1.5)


def slotted(k: int) -> Slotted:
    """An object with slots."""
    return Slotted(k * 0.5, k * 0.25, k * 1.5)


@dataclass(frozen=True)
class Case:
    """The same work on both sides, whether both come to the same, and the arrays that the device gets or gives."""

    name: str
    ours: Callable[[], object]
    theirs: Callable[[], object]
    same: Callable[[Any, Any], bool]
    arrays: Arrays


# --------------------------------------------------------------------------------------------------------------------
# From Python
# --------------------------------------------------------------------------------------------------------------------


def fields_of(function: hetc.ArrayFunction, objects: list[Any]) -> Arrays:
    """What a call does before the device gets the fields of the objects."""
    resolution = resolve_program(functions(function.stages), [objects])
    assert resolution.program is not None
    layouts = layouts_by_class(facts.layout() for facts in resolution.program.known_classes())
    columns = object_columns([objects], layouts)
    signature, _ = describe(columns, resolution.captures)
    element = signature.inputs[0].element
    assert isinstance(element, ObjectType)
    return [marshal(columns[0], (place,), np.dtype(leaf.dtype)) for place, leaf in enumerate(leaves(element))]


def numbers_of(values: list[Any]) -> Arrays:
    """What a call does before the device gets a list of numbers."""
    element = describe([values], {})[0].inputs[0].element
    assert isinstance(element, ScalarType)
    return [marshal(values, (), np.dtype(element.dtype))]


def equal_arrays(ours: Arrays, theirs: Arrays) -> bool:
    """Whether both sides come to the same numbers."""
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))


def reading(
    name: str, function: hetc.ArrayFunction, objects: list[Any], fields: Sequence[str], dtype: type = float
) -> Case:
    """A program that reads fields of objects."""
    return Case(
        name,
        lambda: fields_of(function, objects),
        lambda: [np.fromiter(map(attrgetter(field), objects), dtype, len(objects)) for field in fields],
        equal_arrays,
        fields_of(function, objects),
    )


def reading_cases(size: int) -> Iterator[Case]:
    """Lists of objects, and of numbers."""
    points = [point(k) for k in range(size)]
    yield reading("1 of 3 fields", hetc.map(lambda p: p.x), points, ("x",))
    yield reading("3 fields", hetc.map(lambda p: p.x + p.y + p.z), points, ("x", "y", "z"))
    yield reading("3 fields, a method", hetc.map(lambda p: p.norm()), points, ("x", "y", "z"))
    slots = [slotted(k) for k in range(size)]
    yield reading("3 slots", hetc.map(lambda p: p.x + p.y + p.z), slots, ("x", "y", "z"))
    counters = [Counter(k) for k in range(size)]
    yield reading("1 integer", hetc.map(lambda c: c.n), counters, ("n",), int)
    for name, values in (("a list of floats", [k * 0.5 for k in range(size)]), ("a list of ints", list(range(size)))):
        dtype = type(values[0])
        yield Case(
            name,
            lambda values=values: numbers_of(values),
            lambda values=values, dtype=dtype: [np.fromiter(values, dtype, len(values))],
            equal_arrays,
            numbers_of(values),
        )


# --------------------------------------------------------------------------------------------------------------------
# Back to Python
# --------------------------------------------------------------------------------------------------------------------

FLOAT = SCALAR_TYPES["float"]


def making(name: str, cls: type, arrays: Arrays) -> Case:
    """Objects with three fields, as the result of a call."""
    element = ObjectType("Made", ("x", "y", "z"), (FLOAT,) * 3)

    def ours() -> object:
        made = unmarshal(arrays, element, Container.LIST, {class_key("Made"): cls}, scalar=False)
        gc.collect(0)
        return made

    def theirs() -> object:
        made = list(map(cls, *(array.tolist() for array in arrays)))
        gc.collect(0)
        return made

    return Case(name, ours, theirs, lambda a, b: a == b and type(a[0]) is cls, arrays)


def result_cases(size: int) -> Iterator[Case]:
    """Lists of new objects."""
    arrays: Arrays = [np.arange(size) * factor for factor in (0.5, 0.25, 1.5)]
    yield making("making objects", Point, arrays)
    yield making("making objects with slots", Slotted, arrays)


# --------------------------------------------------------------------------------------------------------------------
# Measuring
# --------------------------------------------------------------------------------------------------------------------


@contextmanager
def in_python() -> Iterator[None]:
    """Without the C code."""
    kept, native.compiled = native.compiled, None
    try:
        yield
    finally:
        native.compiled = kept


def timed(run: Callable[[], object]) -> Callable[[], float]:
    """Milliseconds of one run."""

    def once() -> float:
        start = time.perf_counter()
        run()
        return (time.perf_counter() - start) * 1e3

    return once


def ratio_of(found: Comparison) -> str:
    """The ratio of both sides, with its spread."""
    low, high = found.spread
    return f"{found.ratio:.2f} ({low:.2f} to {high:.2f})"


def measure(case: Case, size: int, pairs: int) -> tuple[str, ...]:
    """One row: how many bytes an element takes on the device, both times, and the ratios with and without C."""
    assert case.same(case.ours(), case.theirs()), "both sides come to the same"
    found = compare(timed(case.ours), timed(case.theirs), pairs)
    with in_python():
        assert case.same(case.ours(), case.theirs()), "both sides come to the same"
        without = compare(timed(case.ours), timed(case.theirs), pairs)
    return (
        case.name,
        f"{sum(array.nbytes for array in case.arrays) / size:.0f}",
        f"{statistics.median(found.hetc):.1f}",
        f"{statistics.median(found.native):.1f}",
        ratio_of(found) if native.compiled is not None else "not installed",
        ratio_of(without),
    )


HEADER = ("what", "bytes an element", "hetc", "other side", "ratio (spread)", "without C (spread)")


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.marshal", description="What Python data costs.")
    parser.add_argument("--repeat", type=int, default=15, metavar="N", help="pairs of measurements (default: 15)")
    parser.add_argument("--shrink", type=int, default=1, metavar="N", help="divide the number of elements, to try it")
    options = parser.parse_args(argv)
    if min(options.repeat, options.shrink) < 1:
        parser.error("--repeat and --shrink are at least 1")
    size = SIZE // options.shrink
    rows = [measure(case, size, options.repeat) for cases in (reading_cases, result_cases) for case in cases(size)]
    print(markdown(HEADER, rows))
    print(f"\n{size:,} elements; milliseconds, medians of {options.repeat} pairs.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

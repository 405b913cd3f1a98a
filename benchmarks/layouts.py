"""Objects in each layout: `python -m benchmarks.layouts [--device intel] [--pairs 9]`.

For each program, the time of its kernels, and of whole calls, with fields as struct of arrays over that with fields as
array of structs, and over that with the layouts that the pass `choose-layout` chooses, all in one process, in turn.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import hetc
from examples import kmeans_objects, nbody_objects
from examples.pagerank_objects import random_web
from hetc import abi, driver, settings
from hetc.jobs import Job
from hetc.runtime.call import Call
from hetc.runtime.executor import Executable

LAYOUTS = ("soa", "aos", "auto")


@dataclass(eq=False)
class Record:
    """An object with eight numbers."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float
    g: float
    h: float


@dataclass(eq=False)
class Node:
    """A node of a search tree."""

    key: int
    weight: float
    left: Any = None
    right: Any = None


Program = tuple[str, Callable[[str], "Prepared"]]
"""Its name, and what prepares a call of it, in a layout."""


def programs() -> Iterator[Program]:
    """All that is measured."""
    yield kmeans(100_000)
    yield nbody(2048)
    yield pagerank(200_000)
    for count in (10_000, 200_000):
        yield search(count)
    for count in (10_000, 1_000_000):
        for fields in (2, 4, 8):
            yield gather(count, fields)
    yield own(300_000, 4)


def kmeans(count: int) -> Program:
    """Each point finds the nearest of some centres: its own is read once, the centres by all."""
    points = kmeans_objects.random_points(count)
    return f"K-means, {count:,} points", lambda layout: bound(kmeans_objects.kmeans.options(layout=layout), points)


def nbody(count: int) -> Program:
    """Each body is pulled by all."""
    nbody_objects.bodies[:] = nbody_objects.random_bodies(count)
    bodies = nbody_objects.bodies
    return f"N-body, {count:,} bodies", lambda layout: bound(nbody_objects.nbody.options(layout=layout), bodies)


def pagerank(count: int) -> Program:
    """What the pages that link to each page pass on to it, found by references."""
    pages, links = random_web(count)

    def given(page: Any) -> float:
        total = 0.0
        for k in range(page.first, page.last):
            source = pages[links[k].source]
            total += source.rank / source.links if source.links else 0.0
        return total

    return f"PageRank, {count:,} pages", lambda layout: bound(hetc.map(given).options(layout=layout), pages)


def search(count: int) -> Program:
    """Keys are looked for in a tree of nodes, which refer to each other."""
    draw = random.Random(1)
    keys = list(range(count))
    nodes = [Node(key, key / 8) for key in keys]
    draw.shuffle(nodes)
    by_key = {node.key: node for node in nodes}

    def built(low: int, high: int) -> Node | None:
        if low >= high:
            return None
        middle = (low + high) // 2
        node = by_key[middle]
        node.left, node.right = built(low, middle), built(middle + 1, high)
        return node

    root = built(0, count)

    def found(key: int) -> float:
        node, total = root, 0.0
        while node is not None and node.key != key:
            total += node.weight
            node = node.left if key < node.key else node.right
        return total

    wanted = [draw.randrange(count) for _ in range(200_000)]
    return f"tree search, {count:,} nodes", lambda layout: bound(hetc.map(found).options(layout=layout), wanted)


SUMS: dict[int, Callable[[Any], float]] = {
    2: lambda r: r.a + r.b,
    4: lambda r: r.a + r.b + r.c + r.d,
    8: lambda r: r.a + r.b + r.c + r.d + r.e + r.f + r.g + r.h,
}


def gather(count: int, fields: int) -> Program:
    """Sums of fields of objects at random places."""
    records, total = made_records(count), SUMS[fields]
    draw = random.Random(2)
    places = [draw.randrange(count) for _ in range(500_000)]

    def at(place: int) -> float:
        return total(records[place])

    name = f"gather of {fields} fields, {count:,} objects"
    return name, lambda layout: bound(hetc.map(at).options(layout=layout), places)


def own(count: int, fields: int) -> Program:
    """Sums of fields of each object."""
    records = made_records(count)
    name = f"map of {fields} fields, {count:,} objects"
    return name, lambda layout: bound(hetc.map(SUMS[fields]).options(layout=layout), records)


def made_records(count: int) -> list[Record]:
    """Objects that are not in memory in the order of the list."""
    records = [Record(*(k / (8 + j) for j in range(8))) for k in range(count)]
    random.Random(3).shuffle(records)
    return records


def bound(function: Any, *inputs: Any) -> Prepared:
    """A call, prepared."""
    return Prepared(function, inputs)


class Prepared:
    """A call, whose kernels can be run alone."""

    def __init__(self, function: hetc.ArrayFunction, inputs: tuple[Any, ...]) -> None:
        self.function, self.inputs = function, inputs
        function(*inputs)
        function(*inputs)  # now its fields are read into the structs that its kernels read
        job = Job.of(function.stages, inputs, function.call_options, settings.current())
        package = driver.compile(function.lower(*inputs).request)
        launches = [place for place, step in enumerate(package.steps) if isinstance(step, abi.Launch)]
        self.launches = slice(launches[0], launches[-1] + 1)
        self.executable = Executable(package, job.device)
        self.run = Call(job.columns, job.captured, package.registers, job.inputs)
        self.executable.perform(self.run, slice(launches[-1] + 1))
        self.executable.finish()

    def kernels(self) -> float:
        """Seconds of processors for the kernels, which other work on the machine changes less than those of a clock."""
        start, count = time.process_time(), 0
        while count < 3 or time.process_time() < start + 0.1:
            self.executable.perform(self.run, self.launches)
            self.executable.finish()
            count += 1
        return (time.process_time() - start) / count

    def call(self) -> float:
        """The same for a whole call."""
        self.function(*self.inputs)
        start = time.process_time()
        self.function(*self.inputs)
        return time.process_time() - start


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default=None)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    print("| program | kernels: soa/aos | soa/auto | calls: soa/aos | soa/auto |\n|---|---:|---:|---:|---:|")
    with hetc.configure(device=options.device, offload="always", fallback="error"):
        for name, make in programs():
            if options.only in name:
                print(row(name, make, options.pairs), flush=True)


def row(name: str, make: Callable[[str], Prepared], pairs: int) -> str:
    """One line of the table: medians of ratios."""
    prepared = {layout: make(layout) for layout in LAYOUTS}
    parts = [name]
    for measure, count in ((Prepared.kernels, pairs), (Prepared.call, max(pairs // 2, 1))):
        rounds = [{layout: measure(one) for layout, one in prepared.items()} for _ in range(count)]
        parts += [f"{statistics.median(one['soa'] / one[layout] for one in rounds):.2f}" for layout in LAYOUTS[1:]]
    return f"| {' | '.join(parts)} |"


if __name__ == "__main__":
    main()

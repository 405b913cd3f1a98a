"""Objects in each layout: `python -m benchmarks.layouts [--device intel] [--pairs 9]`.

For each program, the time of its kernels and of whole calls with fields as struct of arrays and as array of structs,
and as the pass `choose-layout` has it, all in one process, one after the other in turn.
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


Program = tuple[str, Callable[[str], Callable[[], object]]]
"""Its name, and what makes a call of it, in a layout."""


def programs() -> Iterator[Program]:
    """All that is measured."""
    yield kmeans(100_000)
    yield nbody(4096)
    yield pagerank(200_000)
    for count in (10_000, 100_000, 1_000_000):
        yield search(count)
    for count in (10_000, 100_000, 1_000_000):
        for fields in (2, 4, 8):
            yield gather(count, fields)
    yield own(1_000_000, 4)


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


def bound(function: Any, *inputs: Any) -> Callable[[], object]:
    """A call."""
    return lambda: function(*inputs)


def measured(call: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the kernels of a call, and of all of it."""
    start = time.perf_counter()
    with hetc.profile() as p:
        call()
    return p.kernel_ns / 1e9, time.perf_counter() - start


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default=None)
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    print("| program | kernels: soa/aos | soa/auto | calls: soa/aos | soa/auto |\n|---|---:|---:|---:|---:|")
    with hetc.configure(device=options.device, offload="always", fallback="error"):
        for name, make in programs():
            if options.only in name:
                print(row(name, make, options.pairs), flush=True)


def row(name: str, make: Callable[[str], Callable[[], object]], pairs: int) -> str:
    """One line of the table: medians of ratios."""
    calls = {layout: make(layout) for layout in LAYOUTS}
    for call in calls.values():
        call()
    found: dict[str, list[tuple[float, float]]] = {layout: [] for layout in LAYOUTS}
    for _ in range(pairs):
        for layout, call in calls.items():
            call()  # what is read of objects is read for the layout of the call before
            found[layout].append(measured(call))
    parts = [name]
    for which in (0, 1):
        for layout in LAYOUTS[1:]:
            ratios = [a[which] / b[which] for a, b in zip(found["soa"], found[layout], strict=True)]
            parts.append(f"{statistics.median(ratios):.2f}")
    return f"| {' | '.join(parts)} |"


if __name__ == "__main__":
    main()

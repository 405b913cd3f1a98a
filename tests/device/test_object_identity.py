"""Which object an object is: results that are the very objects of the inputs, and `is`, as Python has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

import hetc
from hetc.runtime.devices import Device
from tests.oracle import in_cpython

Check = Callable[..., Any]


@dataclass
class Point:
    x: float
    y: float = 0.0

    def moved(self, distance: float) -> Point:
        self.x += distance
        return self

    def nearer(self, other: Point) -> Point:
        return self if self.x <= other.x else other


@dataclass(frozen=True, slots=True)
class Cell:
    level: int


@dataclass
class Pair:
    first: Any
    second: Any


class Tree:
    """A class without `__eq__`: `==` asks whether it is the same object."""

    def __init__(self, height: float, best: Point | None = None) -> None:
        self.height = height
        self.best = best


class Entry(NamedTuple):
    key: int
    value: float


def told_apart(value: Any, known: dict[int, int]) -> Any:
    """A value as something that can be compared: objects of the inputs by which they are, others by their fields."""
    if id(value) in known:
        return "known", known[id(value)]
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return type(value).__name__, [told_apart(item, known) for item in value]
    if isinstance(value, Point | Pair | Tree):
        return type(value).__name__, {name: told_apart(part, known) for name, part in vars(value).items()}
    return type(value).__name__, repr(value)


@pytest.fixture
def same(device: Device) -> Check:
    """`same(f, *inputs)`: compiled, hetc gives CPython's result, of the same objects; with `reason`, in Python."""

    def check(
        function: Any, *inputs: Any, also: tuple[Any, ...] = (), reason: str | None = None, deopts: int | None = 0
    ) -> Any:
        af = function if isinstance(function, hetc.ArrayFunction) else hetc.map(function)
        objects = [one for value in (*inputs, also) for one in value if one is not None]
        known = {id(one): number for number, one in reversed(list(enumerate(objects)))}
        expected = told_apart(in_cpython(af, inputs), known)
        with hetc.configure(device=device, offload="always", fallback="error", verify=True), hetc.profile() as p:
            if reason is None:
                assert told_apart(af(*inputs), known) == expected
                assert deopts in (None, p.deopts), f"{p.deopts} calls went back to Python"
                return
            with pytest.raises(hetc.CompileError, match=reason):
                af(*inputs)
        with hetc.configure(device=device, offload="always", fallback="silent"):
            assert told_apart(af(*inputs), known) == expected

    return check


def points(count: int = 67) -> list[Point]:
    return [Point(float(k * 7 % 11), float(k)) for k in range(count)]


# --------------------------------------------------------------------------------------------------------------------
# Results
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 7, 255, 257])
def test_an_object_that_is_returned_is_the_very_object(same: Check, count: int) -> None:
    same(lambda p: p, points(count))
    same(lambda p: (p, p.x), points(count))
    same(lambda p, q: p if p.x > q.x else q, points(count), points(count))


def test_objects_that_stand_in_several_places_come_back_from_each(same: Check) -> None:
    some = points(5)
    same(lambda p, q: q if p.x > 2.0 else p, [some[0], some[0], some[1], some[3]], [some[3], some[0], some[0], some[3]])
    same(lambda p: (p, p), some)


def test_methods_may_return_their_object_or_another(same: Check) -> None:
    same(lambda p, q: p.nearer(q), points(), points()[::-1])
    same(lambda p, q: p.nearer(q).x, points(), points()[::-1])


def test_objects_or_new_ones(same: Check) -> None:
    same(lambda p: p if p.x > 4.0 else Point(p.x + 1.0, 5.0), points())
    same(lambda p: Point(1.0, 2.0) if p.x > 4.0 else p, points())
    same(lambda p: (p if p.x > 4.0 else Point(p.x + 1.0)).x, points())

    def either(p: Point) -> Point:
        q = p if p.x > 4.0 else Point(p.x + 1.0, 5.0)
        return q if q.x > 2.0 else Point(0.0, q.x)

    same(either, points())


def test_a_field_that_only_new_objects_have_is_not_read_of_others(same: Check) -> None:
    """`y` of the elements is no number, so that it cannot be read; but it need not be to return them."""
    some: list[Any] = [Point(float(k), "no number") for k in range(9)]  # pyright: ignore[reportArgumentType]
    same(lambda p: p if p.x > 4.0 else Point(p.x, 5.0), some)
    same(lambda p: (p if p.x > 4.0 else Point(p.x, 5.0)).y, some, reason="attribute 'y'|'y'", deopts=None)


def test_objects_or_none(same: Check) -> None:
    same(lambda p: p if p is not None and p.x > 4.0 else None, [*points(), None, None])
    same(lambda p: p, [None, *points()])
    same(lambda p: p is None, [None, *points()])
    same(lambda p: p is not None, points())


def test_objects_in_new_ones(same: Check) -> None:
    def paired(p: Point, q: Point) -> Pair:
        return Pair(p, q)

    same(paired, points(), points())
    same(lambda p, q: Pair(p, Pair(q, Point(p.x))), points(), points())
    same(lambda p: Pair(p, p), points())
    same(lambda p: Pair(p if p.x > 3.0 else None, 1), points())


def test_objects_in_fields(same: Check) -> None:
    some = points()
    trees = [Tree(float(k), some[k * 5 % len(some)]) for k in range(40)]
    same(lambda t: t.best, trees, also=tuple(some))
    same(lambda t: t.best if t.best.x > t.height else t, trees, also=tuple(some))
    trees[3].best = None
    same(lambda t: t.best, trees, also=tuple(some))


def test_frozen_objects_with_slots_and_named_tuples(same: Check) -> None:
    same(lambda c: c if c.level > 2 else Cell(c.level + 1), [Cell(k) for k in range(9)])
    same(lambda c: c, [Cell(k) for k in range(9)])
    entries = [Entry(k * 5 % 7, float(k)) for k in range(9)]
    same(lambda e, f: e if e.key > f.key else f, entries, entries[::-1])
    same(lambda e, f: e if e > f else f, entries, entries[::-1])
    same(lambda e: (e, sum(e), len(e)), entries)


def test_objects_of_several_classes(same: Check) -> None:
    mixed: list[Any] = [Point(float(k)) if k % 3 else Cell(k) for k in range(20)]
    same(lambda p: p, mixed)
    same(lambda p, q: p if isinstance(p, Cell) else q, mixed, mixed[::-1])


def test_a_captured_object_may_be_the_result(same: Check) -> None:
    best, some = Point(5.0), points()
    same(lambda p: p if p.x < best.x else best, points(), also=(best,))
    same(lambda p: some[int(p.x)], points(), also=tuple(some))
    trees = [Tree(float(k), some[k]) for k in range(11)]
    same(lambda p: trees[int(p.x)].best, points(), also=tuple(some))


def test_the_greatest_object_of_a_list(same: Check) -> None:
    some = [Point(float(k * k % 101), float(k)) for k in range(1000)]
    same(hetc.reduce(lambda p, q: p if p.x >= q.x else q), some)
    same(hetc.map(lambda p: p).reduce(lambda p, q: p if p.x <= q.x else q), some)
    same(
        hetc.map(lambda t: t.best).reduce(lambda p, q: p if p.x <= q.x else q), [Tree(0.0, p) for p in some], also=some
    )
    same(hetc.reduce(lambda p, q: p if p.x > q.x else q if q.x > p.x else Point(p.x, 0.0)), [Point(2.0), Point(3.0)])


def test_objects_go_through_several_skeletons(same: Check) -> None:
    same(hetc.map(lambda p: p).map(lambda p: p.x + 1.0), points())
    same(hetc.map(lambda t: t.best).filter(lambda p: p.x > 3.0), [Tree(0.0, p) for p in points()], also=points())
    same(hetc.map(lambda p: p if p.x > 2.0 else Point(9.0)).map(lambda p: (p, p.x)), points())


# --------------------------------------------------------------------------------------------------------------------
# Comparisons
# --------------------------------------------------------------------------------------------------------------------


def test_is_tells_objects_apart(same: Check) -> None:
    some = points()
    one = some[3]
    same(lambda p: p is one, some)
    same(lambda p: p is not one, [*some, one])
    same(lambda p, q: p is q, some, [*some[:30], *some[:37]])
    same(lambda p, k: some[k] is p, some, [k // 2 for k in range(len(some))])
    same(lambda p: p is Point(p.x), some)
    same(lambda p: p is p, some)


def test_is_of_none_and_other_classes(same: Check) -> None:
    some, cell = points(), Cell(3)
    same(lambda p, q: p is q, [*some, None, None], [*some[::-1], None, some[0]])
    same(lambda p: p is cell, some)
    same(lambda p: p is p.x, some)


def test_is_of_what_may_be_new(same: Check) -> None:
    some = points()
    one = some[3]
    same(lambda p: (p if p.x > 3.0 else Point(1.0)) is one, some)
    same(lambda p: (p if p.x > 3.0 else Point(1.0)) is Point(p.x), [p for p in some if p.x > 3.0])
    same(lambda p: (p if p.x > 3.0 else Point(1.0)) is Point(p.x), some, deopts=1)

    def fresh(p: Point) -> bool:
        a, b = Point(p.x), Point(p.x)
        return a is b

    same(fresh, some, reason="two new objects")


def test_classes_without_an_eq_compare_by_identity(same: Check) -> None:
    trees = [Tree(float(k)) for k in range(20)]
    tree = trees[5]
    same(lambda t: t == tree, trees)
    same(lambda t, u: t != u, trees, [*trees[:5], *trees[:15]])
    same(lambda t: t == 1, trees)


def test_objects_in_fields_are_told_apart(same: Check) -> None:
    some = points(4)
    trees = [Tree(float(k), some[k % 4]) for k in range(20)]
    one = some[2]
    same(lambda t: t.best is one, trees)
    same(lambda t, u: t.best is u.best, trees, [*trees[2:], *trees[:2]])


# --------------------------------------------------------------------------------------------------------------------
# Beside other things
# --------------------------------------------------------------------------------------------------------------------


def test_what_is_assigned_is_seen_in_the_result(device: Device) -> None:
    def moved(p: Point) -> Point:
        p.x += 1.0
        return p

    def some_moved(p: Point) -> Any:
        p.x += 1.0
        return p if p.x > 4.0 else (p.x, p)

    def moved_by_itself(p: Point) -> Any:
        return p.moved(2.0)

    for function in (moved, some_moved, moved_by_itself):
        some, others = points(), points()
        expected = in_cpython(hetc.map(function), [others])
        with hetc.configure(device=device, offload="always", fallback="error"):
            found = hetc.map(function)(some)
        known = {id(one): number for one_list in (some, others) for number, one in enumerate(one_list)}
        assert told_apart(found, known) == told_apart(expected, known)
        assert some == others


def moved(function: Callable[..., Any], *inputs: list[Any]) -> tuple[int, int]:
    """How many arrays are made of the inputs, and how many come back."""
    plan = hetc.map(function).lower(*inputs).plan()
    return plan.count("Marshal("), plan.count("CopyOut(")


def test_only_what_is_asked_for_moves() -> None:
    some = points(9)
    assert moved(lambda p, q: p is q, some, some)[0] == 2
    assert moved(lambda p: p, some) == moved(lambda p: p.x, some)
    assert moved(lambda p: p if p.x > 1.0 else None, some)[0] == 2
    assert moved(lambda p: Point(p.x, p.y), some)[0] == 2


def test_a_field_with_a_default_in_its_class_is_not_that_default(same: Check) -> None:
    some: list[Any] = [Point(1.0, "no number"), Point(2.0, "no number")]  # pyright: ignore[reportArgumentType]
    same(lambda p: p.y, some, reason="attribute 'y'")


def test_overflow_goes_back_for_those_elements_alone(same: Check) -> None:
    cells = [Cell(2**62 + k if k % 5 == 0 else k) for k in range(40)]
    same(lambda c: (c, c.level * 2), cells, deopts=1)
    same(lambda c: c if c.level * 2 > 9 else Cell(1), cells, deopts=1)


def test_portable_arrays_hold_copies(device: Device) -> None:
    array = hetc.array(points())
    with hetc.configure(device=device, offload="always", fallback="silent"):
        assert hetc.map(lambda p: p if p.x > 2.0 else Point(1.0))(array)[1].x == 7.0

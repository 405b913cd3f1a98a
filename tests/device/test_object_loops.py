"""Loops that assign attributes of objects: Python's values, exceptions, and the very objects that Python leaves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, NamedTuple, cast

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.test_objects import SIZES, outcome, state

Make = Callable[[], tuple[Any, ...]]
Check = Callable[..., None]


@dataclass(frozen=True)
class Vec:
    x: float
    y: float

    def __add__(self, other: Vec) -> Vec:
        return Vec(self.x + other.x, self.y + other.y)

    def __sub__(self, other: Vec) -> Vec:
        return Vec(self.x - other.x, self.y - other.y)

    def __mul__(self, factor: float) -> Vec:
        return Vec(self.x * factor, self.y * factor)

    def dot(self, other: Vec) -> float:
        return self.x * other.x + self.y * other.y


@dataclass
class Pair:
    """A vector that can be changed."""

    x: float
    y: float

    def scale(self, factor: float) -> None:
        self.x *= factor
        self.y *= factor


@dataclass
class Body:
    place: Vec
    speed: Vec
    mass: float = 1.0
    hits: int = 0
    limit = 4.0

    def pull(self, other: Body) -> Vec:
        between = other.place - self.place
        squared = between.dot(between) + 0.01
        return between * (other.mass / (squared * math.sqrt(squared)))

    def move(self, dt: float) -> float:
        self.place = self.place + self.speed * dt
        self.hit(self.place.x > 1.0)
        return self.energy

    def hit(self, far: bool) -> None:
        if far:
            self.hits += 1

    @property
    def energy(self) -> float:
        return self.mass * self.speed.dot(self.speed)

    @energy.setter
    def energy(self, value: float) -> None:
        self.speed = self.speed * math.sqrt(value / self.energy)


@dataclass(slots=True)
class Slotted:
    a: int
    b: float
    c: bool = False
    z: complex = 1j
    s: Any = field(default_factory=lambda: np.float32(0.5))


@dataclass
class Holder:
    at: Pair
    n: int = 0


@dataclass(frozen=True)
class Frozen:
    a: int

    @property
    def twice(self) -> int:
        return 2 * self.a

    @twice.setter
    def twice(self, value: int) -> None:
        self.a = value // 2


class Open(Slotted):
    """Its attributes are in slots, but it may have others."""


class Plain:
    kind = 2.0
    total: float

    def __init__(self, a: float) -> None:
        self.a = a


class Row(NamedTuple):
    a: int


class Edge:
    def __init__(self, source: Slotted, target: int) -> None:
        self.source = source
        self.target = target


def bodies(size: int) -> list[Body]:
    return [Body(Vec(k * 0.25 - 1, 1.0 - k % 5), Vec(0.5 + k % 3, -0.5), 1.0 + k % 2) for k in range(size)]


def slotted(size: int) -> list[Slotted]:
    return [Slotted(k - 3, k / 4 - 1, k % 3 == 0, complex(k, -1)) for k in range(size)]


def reached(value: Any) -> Iterator[Any]:
    """All objects in a value, each as often as it is there."""
    if isinstance(value, list | tuple):
        for item in cast("list[Any]", value):
            yield from reached(item)
    elif value is not None and not isinstance(value, int | float | complex | np.generic | np.ndarray):
        yield value
        own = getattr(value, "__dict__", None) or {name: getattr(value, name) for name in value.__slots__}
        yield from reached(list(own.values()))


def picture(value: Any, before: list[Any]) -> Any:
    """A value, and which of its objects are those that it had before, and which of them are the same."""
    known = {id(one): number for number, one in enumerate(before)}
    return state(value), [known.setdefault(id(one), -len(known)) for one in reached(value)]


def checked_loops(device: Device) -> Check:
    """`same(f, make)`: jit of `f` does to what `make` makes what `f` does; `reason`: in Python, because of that."""

    def check(function: Any, make: Make, reason: str | None = None, deopts: int = 0) -> None:
        assert isinstance(function, FunctionType)
        expected, given = make(), make()
        had, has = list(reached(expected)), list(reached(given))
        wanted = outcome(lambda: function(*expected))
        loop = hetc.jit(function)
        if reason is not None:
            with (
                hetc.configure(device=device, offload="always", fallback="error", verify=True),
                pytest.raises(hetc.CompileError, match=reason),
            ):
                loop(*given)
            fresh = make()
            assert picture(given, has) == picture(fresh, list(reached(fresh)))
        fallback = "error" if reason is None else "silent"
        with hetc.configure(device=device, offload="always", fallback=fallback, verify=True), hetc.profile() as p:
            assert outcome(lambda: loop(*given)) == wanted
        assert picture(given, has) == picture(expected, had)
        assert p.deopts == deopts

    return check


@pytest.fixture
def same(device: Device) -> Check:
    return checked_loops(device)


def test_attributes_of_each_type(same: Check) -> None:
    def all_of_them(some: Any, more: Any, k: int) -> Any:
        total = 0
        for i in hetc.forall(len(some)):
            one, other = some[i], more[i]
            one.a += other.a
            one.b = other.b * 0.5 + one.b
            one.c = not one.c
            if other.c:
                one.z *= other.z
                one.s = np.float32(other.a) * one.s
            more[i].a, other.b = one.a * k, -other.b
            total += one.a - more[i].a
        return total

    for size in SIZES:
        same(all_of_them, lambda size=size: (slotted(size), tuple(slotted(size)), 3))


def test_methods_properties_and_new_objects(same: Check) -> None:
    def step(some: Any, dt: float) -> float:
        for i in hetc.forall(len(some)):
            one, pull = some[i], Vec(0.0, 0.0)
            for other in some:
                pull = pull + one.pull(other)
            if pull.x > 0.1:
                one.speed = one.speed + pull * dt
        total = 0.0
        for i in hetc.forall(len(some)):
            total += round(some[i].move(dt))
        for i in hetc.prange(0, len(some), 2):
            some[i].energy = 2.0
        return total

    def with_shared_vectors() -> tuple[Any, ...]:
        at, some = Vec(0.0, 0.5), bodies(20)
        for one in some[::3]:
            one.place = one.speed = at
        return some, 0.25

    for size in SIZES:
        same(step, lambda size=size: (bodies(size), 0.25))
    same(step, with_shared_vectors)


def test_objects_in_fields_are_changed(same: Check) -> None:
    def nested(some: Any) -> None:
        for i in hetc.forall(len(some)):
            some[i].at.x += 1.0
            at = some[i].at
            at.scale(0.5)
            some[i].n = round(at.y)

    def swapped(some: Any, more: Any) -> None:
        for i in hetc.forall(len(some)):
            old = some[i].place
            some[i].place = Vec(more[i].speed.y, old.x)
            some[i].mass = old.x + some[i].place.x

    def shared(size: int) -> tuple[Any, ...]:
        pair = Pair(1.0, 2.0)
        return ([Holder(pair) for _ in range(size)],)

    for size in SIZES[1:]:
        same(nested, lambda size=size: ([Holder(Pair(k * 0.5, 3.0 + k)) for k in range(size)],))
    same(swapped, lambda: (bodies(9), bodies(9)))
    same(nested, lambda: shared(1))
    same(nested, lambda: shared(2), reason="several places")


def test_the_same_object_in_several_places(same: Check) -> None:
    def moved(some: Any, more: Any, edges: Any) -> None:
        for i in hetc.forall(len(some)):
            some[i].b = more[i].z.real + edges[i].source.a

    def given(some: Any, more: Any, edges: Any) -> None:
        for i in hetc.forall(len(some)):
            some[i].b += more[i].a + edges[i].target
        for i in hetc.forall(len(some)):
            some[i].a = edges[i].target + int(edges[i].source.b)

    def all_the_same() -> tuple[Any, ...]:
        some = slotted(9)
        return some, some, [Edge(one, k) for k, one in enumerate(reversed(some))]

    def twice() -> tuple[Any, ...]:
        some = slotted(9)
        return [*some, some[4]], slotted(10), [Edge(one, 1) for one in slotted(10)]

    def in_two_lists() -> tuple[Any, ...]:
        some = slotted(9)
        return some, some[::-1], [Edge(one, 1) for one in some]

    def read_twice(some: Any, more: Any, edges: Any) -> None:
        for i in hetc.forall(len(some)):
            some[i].b = more[i].b + edges[i].target

    same(moved, all_the_same)
    same(moved, in_two_lists)
    same(given, all_the_same)
    same(moved, twice, reason="several places")
    same(read_twice, in_two_lists, reason="several places")
    same(read_twice, all_the_same)


def test_a_captured_object_among_those_that_are_assigned(same: Check) -> None:
    def drawn(some: Any, one: Slotted) -> None:
        for i in hetc.forall(len(some)):
            some[i].b += one.b + one.a

    def one_of_them() -> tuple[Any, ...]:
        some = slotted(5)
        return some, some[2]

    def counted(some: Any, one: Slotted) -> None:
        for i in hetc.forall(len(some)):
            some[i].a += one.a

    def of_the_length() -> tuple[Any, ...]:
        some = slotted(5)
        some[2].a = 5  # to the compiler, it is the length of the list
        return some, some[2]

    same(drawn, lambda: (slotted(5), Slotted(7, 0.25)))
    same(drawn, one_of_them, reason="several places")
    same(counted, lambda: (slotted(5), Slotted(5, 0.25)))
    same(counted, of_the_length, reason="several places")


def test_iterations_that_meet(same: Check) -> None:
    def shifted(some: Any) -> None:
        for i in hetc.prange(1, len(some)):
            some[i].b = some[i - 1].b * 0.5

    def other_field(some: Any) -> None:
        for i in hetc.prange(1, len(some)):
            some[i].b = some[i - 1].a * 0.5

    def counted(some: Any, edges: Any) -> None:
        for i in hetc.forall(len(edges)):
            some[edges[i].target].a += 1

    def scattered(some: Any, edges: Any) -> None:
        for i in hetc.forall(len(edges)):
            some[edges[i].target].b = some[i].a + 0.5

    def aimed(factor: int) -> tuple[Any, ...]:
        return slotted(11), [Edge(one, k * factor % 11) for k, one in enumerate(slotted(11))]

    same(shifted, lambda: (slotted(9),), reason="another one")
    same(other_field, lambda: (slotted(9),))
    same(counted, lambda: aimed(3))
    same(counted, lambda: aimed(0))
    same(scattered, lambda: aimed(3))
    same(scattered, lambda: aimed(11), reason="are the same")


def test_an_exception_leaves_what_the_iterations_before_have_written(same: Check) -> None:
    def divided(some: Any, k: int) -> None:
        for i in hetc.forall(len(some)):
            some[i].b += 1.0
            some[i].a = k // some[i].a

    def grown(some: Any, k: int) -> None:
        for i in hetc.forall(len(some)):
            some[i].c = True
            some[i].a = some[i].a * k

    def beyond(some: Any, k: int) -> None:
        for i in hetc.forall(len(some)):
            some[i + k].b = 1.0

    same(divided, lambda: ([Slotted(5 - k, 0.5) for k in range(9)], 7), deopts=1)
    same(divided, lambda: ([Slotted(700 - k, 0.5) for k in range(1000)], 7), deopts=1)
    same(grown, lambda: ([Slotted(k, 0.5) for k in range(300)], 2**55), deopts=1)
    same(beyond, lambda: (slotted(9), 2), deopts=1)


def test_what_is_assigned_is_told_from_what_is_not(same: Check) -> None:
    def signs(some: Any) -> None:
        for i in hetc.forall(len(some)):
            if some[i].a > 1:
                some[i].b = -some[i].b
            else:
                some[i].b = 0.0 * some[i].b

    def kind(some: Any) -> None:
        for i in hetc.forall(len(some)):
            some[i].kind = some[i].a

    def kinds(own: bool) -> tuple[Any, ...]:
        some = [Plain(2.0), Plain(3.0)]
        for one in some[own:]:
            one.kind = 2.0
        return (some,)

    same(signs, lambda: ([Open(k, -0.0) for k in range(4)],))
    same(signs, lambda: ([Slotted(k, v) for k in range(4) for v in (0.0, -0.0, math.nan, math.inf, 1.0)],))
    same(kind, lambda: kinds(own=False))
    same(kind, lambda: kinds(own=True), reason="that of its class")


def test_left_to_python(same: Check) -> None:
    def thawed(some: Any) -> None:
        for i in hetc.forall(len(some)):
            some[i].a = 1

    def retyped(some: Any) -> None:
        for i in hetc.forall(len(some)):
            some[i].b = 1

    def unknown(some: Any) -> None:
        for i in hetc.forall(len(some)):
            some[i].d = 1

    def single(some: Any) -> None:
        one = some[0]
        for _ in hetc.forall(len(some)):
            one.a = 1

    def chosen(some: Any) -> None:
        for i in hetc.forall(len(some)):
            one = some[i] if some[i].a > 0 else some[-1]
            one.b = 1.0

    def computed(some: Any) -> None:
        for i in hetc.forall(len(some)):
            some[i].energy2 = 1.0

    def whole(some: Any, other: Any) -> None:
        for i in hetc.forall(len(some)):
            some[i] = other[i]

    same(thawed, lambda: ([Frozen(3), Frozen(4)],), reason="assigned")
    same(thawed, lambda: ([Row(3), Row(4)],), reason="assigned")
    same(retyped, lambda: (slotted(4),), reason="float in all objects")
    same(unknown, lambda: (slotted(4),), reason="nothing that is compiled")
    same(single, lambda: (slotted(4),), reason="not assigned here")
    same(chosen, lambda: (slotted(4),), reason="chosen")
    same(computed, lambda: (bodies(4),), reason="energy2")
    same(whole, lambda: (slotted(4), slotted(4)), reason=".")


def test_a_setter_of_a_frozen_class_is_not_called(same: Check) -> None:
    def set_by_code(some: Any) -> None:
        for i in hetc.forall(len(some)):
            some[i].twice = 3

    same(set_by_code, lambda: ([Frozen(3), Frozen(4)],), reason="not assigned here|assigned")


def test_objects_that_others_may_have(same: Check) -> None:
    def given(some: Any) -> None:
        for i in hetc.forall(len(some)):
            some[i].place = some[i].speed

    def twice(some: Any) -> None:
        for i in hetc.forall(len(some)):
            new = Vec(1.0, 2.0)
            some[i].place = new
            some[i].speed = new

    def repeated(some: Any) -> None:
        for i in hetc.forall(len(some)):
            new = Vec(1.0, 2.0)
            for k in range(i, i + 1):
                some[k].place = new

    for function in (given, twice, repeated):
        same(function, lambda: (bodies(4),), reason="others may have")


def test_objects_that_are_only_read(same: Check) -> None:
    def nearest(some: Any, others: Any, found: Any) -> Any:
        best = 0.0
        for i in hetc.forall(len(some)):
            least, which = math.inf, others[0]
            for other in others:
                distance = abs(other.place.x - some[i].b)
                if distance < least:
                    least, which = distance, other
            found[i].b = which.place.y
            best = max(best, least)
        return best

    same(nearest, lambda: (slotted(9), bodies(5), slotted(9)))


def test_what_changes_between_calls_and_loops(device: Device) -> None:
    @hetc.jit
    def rounds(some: Any, count: int) -> None:
        for k in range(count):
            for i in hetc.forall(len(some)):
                some[i].b += some[i].a
            some[k % len(some)].b *= 2

    data, expected = slotted(9), slotted(9)
    with hetc.configure(device=device, offload="always", fallback="error"):
        for _ in range(3):
            rounds(data, 4)
            rounds.function(expected, 4)
            data[1].a += 2
            expected[1].a += 2
            data.append(Slotted(1, 0.5))
            expected.append(Slotted(1, 0.5))
    assert state(data) == state(expected)

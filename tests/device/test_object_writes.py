"""Attributes of the user's objects that a map assigns: the same objects as Python leaves behind, and its exceptions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.test_objects import SIZES, outcome, state

Make = Callable[[], list[Any]]
Check = Callable[..., None]


@dataclass
class Body:
    x: float
    v: float
    hits: int = 0
    limit = 4.0

    @property
    def energy(self) -> float:
        return self.v * self.v

    def slower(self) -> float:
        return self.v * 0.5

    def move(self, dt: float) -> None:
        self.x += self.v * dt

    def share(self, k: int) -> None:
        self.hits = 100 // k

    @property
    def momentum(self) -> float:
        return self.v * 2.0

    @momentum.setter
    def momentum(self, value: float) -> None:
        self.v = value / 2.0

    def bounce(self, dt: float) -> float:
        self.x += self.v * dt
        if self.x > 3.0 or self.x < -3.0:
            self.v = -self.v
            self.hits += 1
        return self.energy


@dataclass(slots=True)
class Slotted:
    a: int
    b: float


@dataclass(frozen=True)
class Frozen:
    a: int


class Watched:
    def __init__(self, x: float) -> None:
        self.__dict__["x"] = x
        self.__dict__["log"] = []

    def __setattr__(self, name: str, value: Any) -> None:
        self.log.append((name, value))
        self.__dict__[name] = value


class Doubling:
    def __get__(self, one: Any, owner: Any) -> float:
        return one.inner

    def __set__(self, one: Any, value: float) -> None:
        one.inner = 2 * value


class Described:
    x = Doubling()

    def __init__(self, x: float) -> None:
        self.y = x
        self.x = x


@dataclass
class Vec:
    x: float
    y: float


@dataclass
class Holder:
    at: Vec
    n: int = 0


def bodies(size: int) -> list[Body]:
    return [Body(k * 0.75 - 3, 2.0 - k % 5) for k in range(size)]


@pytest.fixture
def same(device: Device) -> Check:
    """`same(f, make)`: what `make` makes is as Python leaves it, and so is the result; for `reason` not compiled."""

    def check(function: Any, make: Make, reason: str | None = None, deopts: int = 0) -> None:
        af = hetc.map(function)
        expected, given = make(), make()
        with hetc.configure(offload="never"):
            wanted = outcome(lambda: af(*expected))
        identities = [[id(one) for one in column] for column in given if isinstance(column, list | tuple)]
        if reason is not None:
            with (
                hetc.configure(device=device, offload="always", fallback="error", verify=True),
                pytest.raises(hetc.CompileError, match=reason),
            ):
                af(*given)
            assert state(given) == state(make())
        fallback = "error" if reason is None else "silent"
        with hetc.configure(device=device, offload="always", fallback=fallback, verify=True), hetc.profile() as p:
            assert outcome(lambda: af(*given)) == wanted
        assert state(given) == state(expected)
        assert [[id(one) for one in column] for column in given if isinstance(column, list | tuple)] == identities
        assert p.deopts == deopts

    return check


@pytest.mark.parametrize("size", SIZES[1:])
def test_methods_that_change_their_object(same: Check, size: int) -> None:
    same(Body.move, lambda: [bodies(size), [0.5] * size])
    same(Body.bounce, lambda: [bodies(size), [0.25] * size])
    same(Body.bounce, lambda: [tuple(bodies(size)), np.linspace(0, 1, size)])


def test_functions_that_assign(same: Check) -> None:
    def swap(s: Slotted) -> tuple[int, float]:
        s.a, s.b = s.a + 1, s.a * 0.5
        return s.a, s.b

    def sometimes(b: Body) -> float | None:
        if b.x < 0:
            return None
        b.v = 0.0
        b.hits = b.hits + 1
        return b.x

    def looped(b: Body, n: int) -> None:
        for k in range(n):
            b.x += b.v / (k + 1)
            if b.x > 5:
                b.hits += 1
                break
        else:
            b.v = -1.0

    def two(a: Body, b: Body) -> float:
        a.x, b.x = b.x, a.x
        return a.x - b.x

    def typed(b: Any) -> None:
        b.hits = b.x
        if b.x > 0:
            b.x = 1

    same(swap, lambda: [[Slotted(k, k / 2) for k in range(20)]])
    same(sometimes, lambda: [bodies(20)])
    same(looped, lambda: [bodies(20), range(20)])
    same(two, lambda: [bodies(20), bodies(20)])
    same(typed, lambda: [bodies(20)])


def test_objects_in_fields_are_replaced(same: Check) -> None:
    def moved(h: Holder) -> float:
        h.at = Vec(h.at.x + 1, h.at.y)
        return h.at.x

    same(moved, lambda: [[Holder(Vec(k * 0.5, 1.0)) for k in range(9)]])


def test_an_attribute_of_the_class_becomes_one_of_the_object(same: Check) -> None:
    def limited(b: Body) -> float:
        if b.x > 0:
            b.limit = b.limit * 1.0
        return b.limit

    same(limited, lambda: [bodies(9)])


def test_values_of_numpys_types(same: Check) -> None:
    def cast(s: Any) -> None:
        s.b = np.float32(s.b) * np.float32(2)

    same(cast, lambda: [[Slotted(1, k / 2) for k in range(9)]])


def test_an_exception_leaves_what_the_elements_before_have_written(same: Check) -> None:
    def divided(s: Slotted) -> float:
        s.b = s.b + 1.0
        s.a = 100 // s.a
        return s.b

    same(divided, lambda: [[Slotted(5 - k, 0.5) for k in range(9)]], deopts=1)
    same(divided, lambda: [[Slotted(700 - k, 0.5) for k in range(1000)]], deopts=1)


def test_a_failed_guard_writes_nothing_twice(same: Check) -> None:
    def grown(s: Slotted) -> None:
        s.a = s.a * 2**40

    same(grown, lambda: [[Slotted(k**5, 0.5) for k in range(300)]], deopts=1)


def test_one_object_in_several_places(same: Check) -> None:
    def doubled(lists: int) -> list[Any]:
        some = bodies(6)
        return [some[:3] + some[:3], bodies(6)][:lists] if lists < 3 else [some, some[::-1]]

    def move_two(a: Body, b: Body) -> float:
        a.x += b.v
        return b.x

    same(lambda b: Body.move(b, 1.0), lambda: doubled(1), reason="assigned")
    same(Body.bounce, lambda: [doubled(1)[0], [1.0] * 6], reason="several places")
    same(move_two, lambda: doubled(2), reason="several places")
    same(move_two, lambda: doubled(3), reason="several places")


HERE = bodies(3)


def test_objects_that_are_captured_too(same: Check) -> None:
    world = Body(0.0, 1.0)

    def pulled(b: Body) -> None:
        b.v += world.x

    def drawn(b: Body) -> None:
        for other in HERE:
            b.v += other.x

    def nested(h: Holder, v: Vec) -> None:
        v.x += h.at.y

    same(pulled, lambda: [bodies(9)])
    same(drawn, lambda: [bodies(9)])
    before = state(HERE)

    def all_of_them() -> list[Any]:
        for one, fresh in zip(HERE, bodies(3), strict=True):
            one.x, one.v, one.hits = fresh.x, fresh.v, fresh.hits
        return [HERE]

    with hetc.configure(offload="always", fallback="error"), pytest.raises(hetc.CompileError, match="several places"):
        hetc.map(drawn)(HERE)
    assert state(HERE) == before
    all_of_them()
    same(nested, lambda: [[Holder(Vec(1.0, 2.0))], [Vec(3.0, 4.0)]], reason="reached through a field")


def test_left_to_python(same: Check) -> None:
    def thaw(f: Any) -> None:
        f.a = 1

    def watch(w: Watched) -> None:
        w.x = w.x + 1.0

    def rename(s: Any) -> None:
        s.a = 1
        s.c = 1.0

    def computed(b: Any) -> None:
        b.energy = 1.0

    def described(d: Described) -> float:
        d.x = d.y
        return d.y

    def second_name(b: Body) -> float:
        c = b
        b.x = 1.0
        return c.x

    def handed(b: Body) -> float:
        b.x = 1.0
        return b.slower()

    def deleted(b: Body) -> None:
        b.x = 2.0
        del b.x

    same(thaw, lambda: [[Frozen(3)]], reason="assigned")
    same(watch, lambda: [[Watched(1.0)]], reason="assigned")
    same(rename, lambda: [[Slotted(1, 2.0)]], reason="'c'")
    same(computed, lambda: [bodies(3)], reason="energy")
    same(described, lambda: [[Described(1.0)]], reason=".")
    same(computed, lambda: [[None, *bodies(3)]], reason=".")
    for function in (second_name, handed, deleted):
        same(function, lambda: [bodies(3)], reason=".")


def test_methods_setters_and_objects_in_fields(same: Check) -> None:
    """What assigns is not the mapped function, or not of its parameters: the map is a loop over its elements."""

    def fall(b: Body, dt: float, k: int) -> float:
        b.move(dt)
        if k % 3 == 1:
            b.bounce(dt)
        b.momentum = b.momentum * 0.5
        return b.x

    def inner(h: Holder) -> None:
        h.at.x += 1.0
        h.at = Vec(h.at.y, h.at.x)

    def inner_only(h: Holder) -> tuple[float, int]:
        h.at.x += 1.0
        h.n += 1
        return h.at.x, h.n

    for size in SIZES[1:]:
        same(fall, lambda size=size: [bodies(size), [0.5] * size, range(size)])
        same(lambda b: b.move(0.25), lambda size=size: [bodies(size)])
    same(fall, lambda: [tuple(bodies(9)), (0.25,) * 9, tuple(range(9))])
    same(inner_only, lambda: [[Holder(Vec(k * 0.5, 1.0)) for k in range(9)]])
    same(inner, lambda: [[Holder(Vec(k * 0.5, 1.0)) for k in range(9)]], reason="not assigned here")
    same(inner_only, lambda: [[Holder(Vec(1.0, 1.0))] * 2], reason="several places")


def test_a_property_that_is_only_read(same: Check) -> None:
    """Its setter assigns, but nobody calls it: no loop is needed, which would not take None."""
    same(lambda b: 0.0 if b is None else b.momentum, lambda: [[None, *bodies(5)]])


def test_an_exception_in_a_method(same: Check) -> None:
    def hit(b: Body, k: int) -> int:
        b.move(1.0)
        b.share(k)
        return b.hits

    same(hit, lambda: [bodies(300), [200 - k for k in range(300)]], deopts=1)
    same(hit, lambda: [bodies(9), [3] * 9])


@pytest.mark.usefixtures("work_clock")
def test_calls_that_start_in_python(device: Device) -> None:
    """Where hetc chooses, elements that Python has run are not run again on the device."""

    def step(b: Body) -> float:
        b.x += 1.0
        return b.x

    data, program = bodies(3000), hetc.map(step)
    with hetc.configure(device=device, offload="auto", threshold=1.0, fallback="error"):
        for round_ in range(1, 6):
            assert program(data) == [b.x + round_ for b in bodies(3000)]
    assert [b.x for b in data] == [b.x + 5 for b in bodies(3000)]


def test_a_stage_that_assigns_must_be_the_only_one(device: Device) -> None:
    def step(b: Body) -> float:
        b.x += 1.0
        return b.x

    data = bodies(5)
    with hetc.configure(device=device, offload="always", fallback="error"), pytest.raises(hetc.CompileError):
        hetc.map(step).map(lambda x: x * 2)(data)
    with hetc.configure(device=device, offload="always", fallback="silent"):
        assert hetc.map(step).map(lambda x: x * 2)(data) == [(b.x + 1) * 2 for b in bodies(5)]
    assert [b.x for b in data] == [b.x + 1 for b in bodies(5)]


def test_portable_arrays_have_read_their_objects_before(device: Device) -> None:
    def step(b: Body, x: float) -> float:
        b.x += x
        return b.x

    data, numbers = bodies(5), np.arange(5.0)
    with hetc.configure(device=device, offload="always", fallback="error"), pytest.raises(hetc.CompileError):
        hetc.map(step)(data, hetc.array(numbers))
    with hetc.configure(device=device, offload="always", fallback="silent"):
        found = hetc.map(step)(data, hetc.array(numbers))
    assert list(found) == [b.x + k for k, b in enumerate(bodies(5))]
    assert [b.x for b in data] == [b.x + k for k, b in enumerate(bodies(5))]

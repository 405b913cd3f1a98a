"""Portable arrays of objects: values, of which each field that is read moves once."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.test_portable_arrays import FLAGS, check, moved


@dataclass
class Point:
    x: float
    y: float


@dataclass
class Body:
    at: Point
    mass: float
    number: int
    name: str

    def energy(self) -> float:
        return self.mass * (self.at.x * self.at.x + self.at.y * self.at.y)


class Pair(NamedTuple):
    left: int
    right: float


class Slots:
    __slots__ = ("value",)

    def __init__(self, value: float) -> None:
        self.value = value


def bodies(size: int) -> list[Body]:
    return [Body(Point(k / 2, 2.0), 1.5 * k, k, str(k)) for k in range(size)]


energy = hetc.map(lambda b: b.energy() + b.number)


@pytest.mark.parametrize("size", [1, 7, 255, 257])
def test_fields_move_once(target: Device, size: int) -> None:
    objects = bodies(size)
    expected = np.array([b.energy() + b.number for b in objects])
    a = hetc.array(objects)
    found, h2d, _ = moved(lambda: energy(a))
    check(found, expected)
    assert h2d == (0 if target.shared_memory else size * 4 * 8)  # x, y, mass, number
    for _ in range(2):
        found, h2d, d2h = moved(lambda: energy(a))
        check(found, expected)
        assert h2d == 0
        assert d2h <= FLAGS
    _, h2d, _ = moved(lambda: hetc.map(lambda b: b.mass * 2)(a))
    assert h2d <= size * 8
    assert hetc.map(lambda b: b.mass).reduce(lambda p, q: p + q, 0.0)(a) == sum(b.mass for b in objects)


def test_objects_are_values(target: Device) -> None:
    objects = bodies(9)
    a: Any = hetc.array(objects)
    expected = np.array([b.energy() + b.number for b in objects])
    check(energy(a), expected)
    objects[3].mass = 100.0
    objects[4].at.x = 100.0
    a[5].mass = 100.0
    next(iter(a)).mass = 100.0
    check(energy(a), expected)
    with hetc.configure(offload="never"):
        check(energy(a), expected)

        def store(b: Body) -> float:
            b.mass = 7.0
            return b.mass

        check(hetc.map(store)(a), np.full(9, 7.0))
        check(energy(a), expected)
    assert (a[2], a[-1].name, len(a), a.shape) == (bodies(9)[2], "8", 9, (9,))
    with pytest.raises(TypeError):
        a[0] = objects[0]
    with pytest.raises(TypeError):
        a + a


@pytest.mark.parametrize("part", [slice(2, None), slice(None, None, -2), slice(0, 0), slice(3, 4)], ids=str)
def test_parts(target: Device, part: slice) -> None:
    objects = bodies(20)
    found: Any = hetc.array(objects)[part]
    assert found.tolist() == objects[part]
    if len(found):
        check(energy(found), np.array([b.energy() + b.number for b in objects[part]]))
    else:
        with hetc.configure(fallback="silent"):
            assert len(energy(found)) == 0


def test_holes_slots_and_named_tuples(target: Device) -> None:
    objects = [None, *bodies(3), None]
    masses = hetc.map(lambda b: -1.0 if b is None else b.mass)
    a = hetc.array(objects)
    for _ in range(2):
        check(masses(a), np.array([-1.0, 0, 1.5, 3, -1]))
    assert moved(lambda: masses(a))[1] == 0
    nothing = hetc.array(objects)[:1]
    with hetc.configure(fallback="silent"):
        check(masses(nothing), np.array([-1.0]))
    check(hetc.map(lambda s: s.value)(hetc.array([Slots(1.5), Slots(2.5)])), np.array([1.5, 2.5]))
    pairs: Any = hetc.array([Pair(1, 2.5), Pair(3, 4.5)])
    check(hetc.map(lambda p: p.left * p.right)(pairs), np.array([2.5, 13.5]))
    assert pairs[1] == Pair(3, 4.5)


def test_functions_that_give_objects_or_capture_them(target: Device) -> None:
    a: Any = hetc.array(bodies(5))
    found = hetc.map(lambda b: Point(b.mass, b.at.y))(a)
    assert list(found) == [Point(b.mass, b.at.y) for b in bodies(5)]
    check(hetc.map(lambda i: a[i].mass + len(a))(hetc.array([2, 4])), np.array([8.0, 11.0]))


def test_objects_beside_other_arrays(target: Device) -> None:
    a, x = hetc.array(bodies(5)), np.arange(5.0)
    expected = np.array([b.mass + k for k, b in enumerate(bodies(5))])
    add = hetc.map(lambda b, k: b.mass + k)
    for other in (x, hetc.array(x), list(x)):
        check(add(a, other), expected)


def test_several_classes(target: Device) -> None:
    a = hetc.array([Point(1.0, 2.0), Slots(3.0), Point(5.0, 2.0)])
    first = hetc.map(lambda o: o.x if isinstance(o, Point) else o.value)
    check(first(a), np.array([1.0, 3.0, 5.0]))
    with hetc.profile() as p:
        check(first(a), np.array([1.0, 3.0, 5.0]))
    assert p.bytes_h2d == 0


def test_copies_and_conversions() -> None:
    a: Any = hetc.array(bodies(3))
    for again in (copy.copy(a), copy.deepcopy(a), pickle.loads(pickle.dumps(a)), hetc.array(a)):
        assert again.tolist() == bodies(3)
    assert np.asarray(a).tolist() == bodies(3)
    assert repr(a) == "hetc.array(<3 objects of Body>, on host)"
    with pytest.raises(ValueError, match="cannot be shared"):
        hetc.array(bodies(3), copy=False)

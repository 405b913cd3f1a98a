"""Lists of objects of several classes: methods by class, `isinstance`, and results of several classes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.test_objects import SIZES, same, state

__all__ = ["same"]
Check = Callable[..., Any]


class Shape:
    weight = 2.0

    def area(self) -> float:
        raise NotImplementedError

    def twice(self) -> float:
        return 2 * self.area()

    @property
    def heavy(self) -> bool:
        return self.weight * self.area() > 10


@dataclass
class Circle(Shape):
    r: float

    def area(self) -> float:
        return math.pi * self.r * self.r

    def __add__(self, other: Any) -> Circle:
        return Circle(self.r + (other.r if isinstance(other, Circle) else other.w))


@dataclass(slots=True)
class Rect(Shape):
    w: float
    h: int

    def area(self) -> float:
        return self.w * self.h

    def twice(self) -> float:
        return self.area() + self.w * self.h

    def __add__(self, other: Any) -> Rect:
        return Rect(self.w + other.area(), self.h)


class Square(Rect):
    weight = 3.0

    def __init__(self, w: float) -> None:
        self.w = w
        self.h = 2

    def area(self) -> float:
        return self.w**2


class Unit(Shape):
    def area(self) -> float:
        return 1.0


class Pair(NamedTuple):
    w: float
    r: float

    def area(self) -> float:
        return self.w - self.r


def shapes(size: int) -> list[Any]:
    return [(Circle(k * 0.5), Rect(k / 4, k), Unit(), Square(k + 0.5))[k * k % 7 % 4] for k in range(size)]


def test_methods_by_class(same: Check) -> None:
    def measured(s: Shape) -> tuple[float, float, bool]:
        return s.area() - 1, s.twice() * s.weight, s.heavy

    for size in SIZES[1:]:
        same(measured, shapes(size))
    same(lambda s, t: s.area() + t.area(), tuple(shapes(9)), tuple(reversed(shapes(9))))
    same(measured, [Square(1.0), *shapes(3)])
    same(hetc.map(lambda s: s.area()).map(round).reduce(lambda p, q: p + q, 0), shapes(70))


def test_classes_are_told_apart(same: Check) -> None:
    def kind(s: Any) -> int:
        if isinstance(s, Square):
            return 1
        return 2 if isinstance(s, Rect) else 3 if isinstance(s, Circle | Unit) else 4

    def of_each(s: Any) -> float:
        if isinstance(s, Rect):
            return s.w * s.h
        return s.r if isinstance(s, Circle) else -1.0

    def missing(s: Any) -> float:
        return 0.0 if s is None else s.area() if isinstance(s, Shape) else s[0]

    same(kind, shapes(20))
    same(of_each, shapes(20))
    same(missing, [None, *shapes(5), Pair(1.0, 2.0), None])
    same(lambda s: s.area(), [Pair(3.0, 1.0), Circle(1.0)])


def test_results_of_several_classes(same: Check) -> None:
    def grown(s: Any) -> Any:
        return s + s if isinstance(s, Circle | Rect) else Circle(s.area())

    def one_or_none(s: Any) -> Any:
        return Rect(s.area(), 1) if isinstance(s, Circle) else Circle(2.0) if isinstance(s, Square) else None

    same(grown, [s for s in shapes(30) if not isinstance(s, Square)])
    same(one_or_none, shapes(30))
    same(lambda x: Circle(x) if x > 1 else Rect(x, 1), [0.5, 1.5, 2.5])
    same(lambda x: (Circle(x) if x > 1 else Rect(x, 1)).area(), [0.5, 1.5, 2.5])


def test_what_a_class_has_not(same: Check) -> None:
    same(lambda s: s.w, shapes(9), deopts=1)
    same(lambda s: s.r if s.area() > 4 else 0.0, [Circle(2.0), Rect(1.0, 2), Circle(0.5)])
    same(lambda s: s.area(), [None, *shapes(9)], deopts=1)


def test_filters_keep_the_objects(device: Device) -> None:
    data = shapes(50)
    with hetc.configure(device=device, offload="always", fallback="error"):
        found = hetc.filter(lambda s: s.area() > 4)(data)
    assert list(map(id, found)) == [id(s) for s in data if s.area() > 4]


class Base:
    def __init__(self, x: float) -> None:
        self.x = x

    def value(self, factor: float = 1.0) -> float:
        return self.x * factor

    def bump(self) -> None:
        self.x += 1


class Mixin(Base):
    def value(self, factor: float = 1.0) -> float:
        return super().value(factor) + 10 * super().value()


class Other(Base):
    def value(self, factor: float = 1.0) -> float:
        return -super().value(factor=factor)


class Both(Mixin, Other):
    def value(self, factor: float = 1.0) -> float:
        return super().value(2 * factor)

    def bump(self) -> None:
        super().bump()
        self.x *= 2


def test_methods_of_base_classes(same: Check) -> None:
    same(lambda b: b.value(3.0), [Mixin(1.5), Mixin(2.0)])
    same(lambda b: b.value(3.0), [Base(1.5), Mixin(2.0), Other(0.5)])
    same(lambda b: b.value(3.0), [Both(1.5), Both(2.0)])
    # What comes after Mixin is Base for some objects and Other for others.
    same(lambda b: b.value(3.0), [Both(1.5), Mixin(2.0)], reason="not the same for all")


def test_methods_of_base_classes_that_assign(device: Device) -> None:
    data = [Both(1.5), Both(2.5)]
    with hetc.configure(device=device, offload="always", fallback="error"):
        hetc.map(lambda b: b.bump())(data)
    assert [b.x for b in data] == [5.0, 7.0]


def test_a_class_that_appears_late(same: Check) -> None:
    for count in (64, 65, 257):
        same(lambda s: s.area(), [*(Unit() for _ in range(count)), Circle(1.0), None][: count + 1])
    same(lambda s: s.twice(), (*(Circle(k / 2) for k in range(90)), Square(0.5), Rect(0.5, 3)))


def test_left_to_python(same: Check) -> None:
    class A(Unit):
        pass

    many: list[type] = [A, *(type(f"A{k}", (A,), {}) for k in range(6))]

    def other_parameters(s: Any) -> float:
        return s.scaled(2.0)

    class Wide(Unit):
        def scaled(self, x: float, y: float = 1.0) -> float:
            return x * y

    class Narrow(Unit):
        def scaled(self, x: float) -> float:
            return x

    same(lambda s: s.area(), [cls() for cls in many], reason="7 classes")
    same(other_parameters, [Wide(), Narrow()], reason="different parameters")


def test_an_object_of_several_lists_is_assigned(device: Device) -> None:
    def moved(c: Circle, s: Any) -> None:
        c.r += s.area()

    def make() -> tuple[list[Circle], list[Any]]:
        some = [Circle(1.0), Circle(2.0)]
        return some, [Unit(), some[0]]

    given, expected = make(), make()
    with hetc.configure(device=device, offload="always", fallback="error"), pytest.raises(hetc.CompileError):
        hetc.map(moved)(*given)
    with hetc.configure(device=device, offload="always", fallback="silent"):
        hetc.map(moved)(*given)
    for c, s in zip(*expected, strict=True):
        moved(c, s)
    assert state(list(given)) == state(list(expected))

"""Captured lists of objects of several classes, with None among them, and objects that refer to their own class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.test_objects import outcome, state
from tests.oracle import in_cpython

Check = Callable[..., Any]


class Shape:
    """A class whose objects have no fields."""

    def area(self) -> float:
        return 0.0

    def doubled(self) -> float:
        return 2 * self.area()


@dataclass
class Circle(Shape):
    radius: float

    def area(self) -> float:
        return 3.0 * self.radius * self.radius


@dataclass
class Square(Shape):
    side: float
    count: int = 1

    def area(self) -> float:
        return self.side * self.side * self.count

    @property
    def half(self) -> float:
        return self.side / 2


@dataclass
class Holder:
    weight: float
    shape: Any = None


@dataclass
class Node:
    value: float
    next: Any = None


class Tagged:
    KIND = "text"

    def __init__(self, value: float) -> None:
        self.value = value


@pytest.fixture
def same(device: Device) -> Check:
    """`same(f, *inputs)`: hetc gives what CPython gives, compiled; with `reason`, in Python, because of that."""

    def check(function: Any, *inputs: Any, reason: str | None = None, deopts: int | None = 0) -> None:
        af = hetc.map(function)
        expected = outcome(lambda: in_cpython(af, inputs))
        with hetc.configure(device=device, offload="always", fallback="error", verify=True), hetc.profile() as p:
            if reason is None:
                assert outcome(lambda: af(*inputs)) == expected
                assert deopts in (None, p.deopts), f"{p.deopts} calls went back to Python"
                return
            with pytest.raises(hetc.CompileError, match=reason):
                af(*inputs)
        with hetc.configure(device=device, offload="always", fallback="silent"):
            assert outcome(lambda: af(*inputs)) == expected

    return check


def shapes(count: int = 23) -> list[Any]:
    return [Circle(k / 2) if k % 3 == 0 else Square(float(k), k) if k % 3 == 1 else Shape() for k in range(count)]


def test_methods_and_attributes_are_those_of_each_class(same: Check) -> None:
    some = shapes()
    places = [k * 7 % len(some) for k in range(50)]
    same(lambda i: some[i].area(), places)
    same(lambda i: some[i].doubled() + some[-1].area(), places)
    same(lambda i: some[i].half if isinstance(some[i], Square) else 0, places)
    same(lambda i: type(some[i]) is Square, places, reason=".")


def test_all_of_them_are_gone_through(same: Check) -> None:
    some = shapes()

    def total(x: float) -> float:
        found = 0.0
        for shape in some:
            found += x * shape.area()
        return found

    same(total, [0.5, 1.5])
    same(lambda x: sum(shape.area() for shape in some) + x * len(some), [0.5, 1.5])
    same(lambda x: max(shape.area() * x for shape in some), [0.5, 1.5])


def test_an_attribute_that_one_class_has_not_raises_as_in_python(same: Check) -> None:
    some = shapes(6)
    same(lambda i: some[i].radius, [0, 3, 0], deopts=0)
    same(lambda i: some[i].radius, [0, 1, 3], deopts=1)


def test_none_among_captured_objects(same: Check) -> None:
    first: list[Any] = [None, Circle(1.0), None, Circle(2.0)]
    last: list[Any] = [*shapes(7), None]
    same(lambda i: 0.5 if first[i] is None else first[i].area(), range(4))
    same(lambda i: 0.5 if last[i] is None else last[i].area(), range(8))
    same(lambda i: last[i].area(), range(7))
    same(lambda i: last[i].area(), range(8), deopts=1)


def test_objects_of_several_classes_in_fields(same: Check) -> None:
    some = [Holder(float(k), shape) for k, shape in enumerate([None, *shapes(7)])]
    same(lambda i: some[i].weight if some[i].shape is None else some[i].shape.area(), range(8))
    one = Holder(1.0, Circle(2.0))
    same(lambda x: one.shape.area() * x, [1.0, 2.0])


def test_the_very_objects_come_back(device: Device) -> None:
    some: list[Any] = [*shapes(9), None]
    with hetc.configure(device=device, offload="always", fallback="error"):
        found = hetc.map(lambda i: some[i])(list(range(9, -1, -1)))
        assert all(one is other for one, other in zip(found, some[::-1], strict=True))
        assert hetc.map(lambda i: some[i] is some[4])([3, 4, 9]) == [False, True, False]


def test_other_lists_of_the_same_kind_need_no_other_kernel(device: Device) -> None:
    def doubled(some: list[Any]) -> Any:
        return hetc.map(lambda i: some[i].doubled())

    with hetc.configure(device=device, offload="always", fallback="error"):
        first, second = shapes(9), shapes(9)[::-1]
        assert doubled(first)(range(9)) == [one.doubled() for one in first]
        assert doubled(second)(range(9)) == [one.doubled() for one in second]


def test_loops_that_change_one_of_several_classes_run_in_python(device: Device) -> None:
    @hetc.jit
    def grow(some: list[Any]) -> None:
        for i in hetc.forall(len(some)):
            if isinstance(some[i], Square):
                some[i].side += 1.0

    some = [one for one in shapes(9) if type(one) is not Shape]
    expected = [Square(one.side + 1.0, one.count) if isinstance(one, Square) else one for one in some]
    with hetc.configure(device=device, offload="always", fallback="silent"):
        grow(some)
    assert state(some) == state(expected)


def test_cycles_are_told_with_their_path(same: Check) -> None:
    a, b = Node(1.0), Node(2.0)
    a.next, b.next = b, a
    some = [a, b]
    same(lambda n: n.next.value, some, reason=r"input 0 has a cycle: x\.next\.next is x, .* class Node")
    same(lambda i: some[i].next.value, [0, 1], reason=r"variable 'some' has a cycle: x\.next\.next is x")
    same(lambda x: a.next.value * x, [1.0, 2.0], reason=r"variable 'a' has a cycle: x\.next\.next is x")
    a.next = a
    same(lambda x: a.next.value * x, [1.0, 2.0], reason=r"variable 'a' has a cycle: x\.next is x")
    chain = [Node(float(k), Node(k + 0.5)) for k in range(5)]
    same(lambda n: n.next.value, chain)
    same(lambda n: n.value, [a, b])


def test_a_constant_of_a_class_that_is_no_number(same: Check) -> None:
    same(lambda x: Tagged(x).value if Tagged(x).KIND else 0.0, [1.0, 2.0], reason="is a str")
    same(lambda x: Tagged(x).value, [1.0, 2.0])

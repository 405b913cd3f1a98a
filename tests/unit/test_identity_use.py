"""Which programs ask which object is which: their syntax tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hetc.frontends.python.objects import resolve_program


class Point:
    def __init__(self, x: float, other: Any = None) -> None:
        self.x = x
        self.other = other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Point) and self.x == other.x

    def __hash__(self) -> int:
        return 0

    def itself(self) -> Point:
        return self


class Plain(Point):
    __eq__ = object.__eq__
    __hash__ = object.__hash__


class Holder:
    def __init__(self, held: Point) -> None:
        self.held = held

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


CAPTURED = Point(1.0)


def chosen(p: Any) -> Any:
    best = p
    for k in range(3):
        best = p if p.x > k else best
    return best


def counted(p: Any) -> Any:
    total = 0.0
    for k in range(3):
        total += p.x * k
    first, second = total, p.x
    return first, second


ASKED: list[Callable[[Any], Any]] = [
    lambda p: p,
    lambda p: p.x if p is CAPTURED else 0.0,
    lambda p: CAPTURED if p.x else None,
    lambda p: (p.x, p),
    lambda p: p.itself() if p.x else p.other,
    lambda p: Holder(p if p.x else CAPTURED),
    chosen,
]
NOT_ASKED: list[Callable[[Any], Any]] = [
    lambda p: p.x,
    lambda p: None if p is None else p.x,
    lambda p: Point(p.x),
    lambda p: p.x == CAPTURED.x,
    lambda p: CAPTURED.x if p == CAPTURED else p.x,
    counted,
]


def is_asked(function: Callable[[Any], Any], samples: list[Any]) -> bool:
    program = resolve_program([function], [samples]).program
    assert program is not None
    return any(facts.identified for facts in program.known_classes())


@pytest.mark.parametrize("function", ASKED)
def test_asked(function: Callable[[Any], Any]) -> None:
    assert is_asked(function, [Point(1.0, Point(2.0))])


@pytest.mark.parametrize("function", NOT_ASKED)
def test_not_asked(function: Callable[[Any], Any]) -> None:
    assert not is_asked(function, [Point(1.0)])


def test_a_class_without_an_eq_compares_identities() -> None:
    assert is_asked(lambda p: p.x if p == CAPTURED else 1.0, [Plain(1.0)])


def test_objects_in_fields_may_be_results() -> None:
    assert is_asked(lambda h: h.held, [Holder(Point(1.0))])
    assert not is_asked(lambda h: h.held.x, [Holder(Point(1.0))])


def test_of_objects_of_which_nothing_is_read_there_is_only_that() -> None:
    assert is_asked(lambda p: p is None, [Point(1.0), None])

"""What special methods and classes of objects mean where Python asks for them: loops, `in`, conversions, defaults."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tests.device.test_objects import SIZES, same

__all__ = ["same"]
Check = Callable[..., Any]


@dataclass
class Pair:
    x: float
    y: float = 2.0
    ONE: ClassVar[float] = 1.5

    def __iter__(self) -> Iterator[float]:
        return iter((self.x, self.y))

    def __contains__(self, number: float) -> bool:
        return number == self.x

    def __float__(self) -> float:
        return self.x

    def __int__(self) -> int:
        return int(self.y)

    def __round__(self, digits: int) -> float:
        return round(self.x, digits)

    def __floor__(self) -> int:
        return math.floor(self.x)

    def __divmod__(self, other: float) -> tuple[float, float]:
        return self.x // other, self.y % other

    def __matmul__(self, other: Pair) -> float:
        return self.x * other.x + self.y * other.y

    def __rmatmul__(self, factor: float) -> float:
        return factor * self.x

    def __iadd__(self, other: Pair) -> Pair:
        self.x += other.x
        return self

    @classmethod
    def of(cls, x: float) -> Pair:
        return cls(x, cls.ONE)


class Lazy:
    def __init__(self, x: float) -> None:
        self.x = x

    def __iter__(self) -> Iterator[float]:
        double = self.x * 2
        yield self.x
        yield double


@functools.total_ordering
class Version:  # noqa: PLW1641 (none is put into a set)
    def __init__(self, major: int, minor: int) -> None:
        self.major, self.minor = major, minor

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Version):
            return NotImplemented
        return (self.major, self.minor) == (other.major, other.minor)

    def __lt__(self, other: Version) -> bool:
        return (self.major, self.minor) < (other.major, other.minor)


class Unusual:
    def __init__(self, x: float) -> None:
        self.x = x

    def __iter__(self) -> Any:
        return (self.x, self.x)

    def __float__(self) -> Any:
        return int(self.x)


def start() -> float:
    return 0.25


@dataclass
class Made:
    x: float
    count: int = field(default_factory=int)
    start: float = field(default_factory=start)
    pair: Pair = field(default_factory=lambda: Pair(1.0))
    area: float = field(init=False)

    def __post_init__(self) -> None:
        self.area = self.x * self.pair.y


@dataclass
class Listed:
    x: float
    items: list[float] = field(default_factory=list)


def pairs(size: int) -> list[Pair]:
    return [Pair(k / 2 - 3, float(k % 5)) for k in range(size)]


def test_objects_are_iterated(same: Check) -> None:
    def folded(p: Pair) -> tuple[Any, ...]:
        total = 0.0
        for number in p:
            total = total * 2 + number
        first, *rest = p
        return total, first, rest[0], sum(p), max(p), tuple(p), [2 * number for number in p], 1.0 in p, 2.5 not in p

    def summed(p: Lazy) -> float:
        a, b = p
        return a - 2 * b if b in p else sum(number for number in p)

    for size in SIZES[1:]:
        same(folded, pairs(size))
    same(summed, [Lazy(k / 2) for k in range(9)])


def test_conversions_and_operators(same: Check) -> None:
    other = Pair(0.5, -1.0)
    same(lambda p: (float(p), int(p), round(p, 1), math.floor(p), divmod(p, 2.0), p @ other, 2.0 @ p), pairs(30))
    same(lambda a, b: a @ b, [1.0, 2.0], [3.0, 4.0], reason="'@'")


def test_classes_of_objects(same: Check) -> None:
    def told(p: Pair) -> tuple[float, ...]:
        return p.ONE, Pair.ONE, type(p)(p.y, p.x).x, p.__class__(p.x, 1.0).y, p.of(p.y).y

    same(told, pairs(7))
    same(lambda p: type(p)(p.y, p.x), pairs(7))
    same(Pair.of, [1.0, 2.0], reason="no Python source")


def test_orders_that_are_completed(same: Check) -> None:
    limit = Version(1, 2)
    versions = [Version(k % 3, k % 4) for k in range(13)]
    same(lambda v: (v < limit, v <= limit, v > limit, v >= limit, v == limit, v != limit), versions)


def test_defaults_that_are_made(same: Check) -> None:
    for size in SIZES[1:]:
        same(lambda x: Made(x + 1), [k / 4 for k in range(size)])
    same(lambda x: Made(x, 2, pair=Pair(x, x)).area, [1.5, 2.5])
    same(lambda x: Made(x).pair.y + Made(x).start, [1.5, 2.5])


def test_left_to_python(same: Check) -> None:
    same(lambda p: sum(number for number in p), [Unusual(1.0)], reason="fixed order")
    same(lambda p: float(p) + 1, [Unusual(1.0)], reason="another type")
    same(lambda x: Listed(x + 1), [1.0], reason="default value is not compiled")
    same(lambda p: p.__iter__().__length_hint__(), pairs(2), reason="not compiled")

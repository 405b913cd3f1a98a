"""Members of enumerations as elements, fields, arguments and captured variables."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import hetc
from hetc.runtime.devices import Device
from tests.device.test_objects import SIZES, same

__all__ = ["same"]
Check = Callable[..., Any]


class Kind(enum.Enum):
    ROUND = 1
    FLAT = 2.5
    CIRCULAR = 1  # noqa: PIE796 (another name of the same member)

    def doubled(self) -> float:
        return self.value * 2

    @property
    def is_round(self) -> bool:
        return self is Kind.ROUND


class Level(enum.IntEnum):
    LOW = -1
    NONE = 0
    HIGH = 5

    @classmethod
    def top(cls) -> Level:
        return Level.HIGH


class Weight(float, enum.Enum):
    LIGHT = 0.5
    HEAVY = 8.0


class Name(enum.StrEnum):
    A = "a"
    B = ""


class Planet(enum.Enum):
    MERCURY = (3.303e23, 2.4397e6)
    EARTH = (5.976e24, 6.37814e6)

    def __init__(self, mass: float, radius: float) -> None:
        self.mass = mass
        self.radius = radius

    def gravity(self) -> float:
        return 6.67300e-11 * self.mass / self.radius**2


class Access(enum.Flag):
    READ = 1
    WRITE = 2


@dataclass
class Part:
    kind: Kind
    size: float
    level: Level = Level.NONE
    name: Name | None = None


LEVELS, KINDS = list(Level), [Kind.ROUND, Kind.FLAT]


def parts(count: int) -> list[Part]:
    names = (Name.A, None, Name.B)
    return [Part(KINDS[k % 2], k / 2, LEVELS[k % 3], names[k * k % 3]) for k in range(count)]


def test_what_members_are(same: Check) -> None:
    chosen = Kind.FLAT

    def told_apart(p: Part) -> tuple[bool, bool, bool, bool, bool, float]:
        inside = p.kind in (Kind.ROUND, chosen)
        value = p.kind.value if p.kind is Kind.CIRCULAR else p.kind.doubled()
        return p.kind is chosen, p.kind == Kind.ROUND, p.kind != 1, inside, p.kind.is_round, value

    def matched(p: Part) -> float:
        match p.kind:
            case Kind.ROUND:
                return math.pi * p.size
            case Kind.FLAT:
                return p.size

    for size in SIZES[1:]:
        same(told_apart, parts(size))
    same(matched, parts(9))
    same(lambda p: (p.name is Name.A, p.name == Name.B, p.name is None, p.name is not None), parts(9))
    same(lambda m: 1 if m else 2, [*KINDS, Kind.FLAT])
    same(lambda p: p.gravity() + p.mass, list(Planet))


def test_members_that_are_numbers(same: Check) -> None:
    def computed(m: Level) -> tuple[Any, ...]:
        return m + 1, -m, m * 0.5, m < Level.HIGH, m == 5, m == Level.LOW, m >= 0, 2 if m else 3, m.value, abs(m)

    def more(m: Level) -> tuple[Any, ...]:
        return (
            int(m),
            float(m),
            m // 2,
            7 - m,
            isinstance(m, int),
            isinstance(m, Level),
            (1, 2, 3)[m % 3],
            m is Level.LOW,
        )

    same(computed, [LEVELS[k % 3] for k in range(257)])
    same(more, LEVELS)
    same(lambda w: (w * 2, w.value - 1, Weight.HEAVY > w, w is Weight.LIGHT), list(Weight))
    same(lambda p: p.size * p.level + Level.HIGH, parts(9))
    same(lambda m: 6 // m, LEVELS, deopts=None)


def test_members_come_back(device: Device) -> None:
    def chosen(p: Part) -> Any:
        return p.kind if p.size > 1 else None

    def made(p: Part) -> Part:
        return Part(Kind.FLAT if p.kind is Kind.ROUND else p.kind, p.size + 1, p.level)

    data = parts(70)
    with hetc.configure(device=device, offload="always", fallback="error", verify=True):
        assert all(a is b for a, b in zip(hetc.map(chosen)(data), map(chosen, data), strict=True))
        assert all(m is Level.HIGH for m in hetc.map(lambda m: m.top())(LEVELS))
        found = hetc.map(lambda x: (Kind.ROUND, Level.LOW) if x > 0 else (Kind.FLAT, Level.HIGH))([-1.0, 1.0])
        assert found == [(Kind.FLAT, Level.HIGH), (Kind.ROUND, Level.LOW)]
        assert hetc.map(made)(data) == list(map(made, data))
        assert hetc.map(lambda p: Part(p.kind, 1.0))(data) == [Part(p.kind, 1.0) for p in data]


def test_loops_over_objects_with_members(device: Device) -> None:
    @hetc.jit
    def step(some: list[Part], wanted: Kind) -> None:
        for i in hetc.forall(len(some)):
            if some[i].kind is wanted:
                some[i].size += some[i].level

    data, expected = parts(257), parts(257)
    with hetc.configure(device=device, offload="always", fallback="error"):
        step(data, Kind.FLAT)
    for p in expected:
        p.size += p.level if p.kind is Kind.FLAT else 0
    assert data == expected


def test_left_to_python(same: Check) -> None:
    one = np.float32(2)
    same(lambda m: m.name, KINDS, reason="no attribute 'name'")
    same(lambda x: Level(x) + 1, [5, 0], reason="enumeration")
    same(lambda a: a is Access.READ, [Access.READ, Access.WRITE], reason="Access")
    same(lambda m: m * one, LEVELS, reason="NumPy scalar")
    same(lambda n: 1 if n else 2, list(Name), reason="truth of a text")
    same(lambda p: p < Kind.FLAT, KINDS, reason="not defined")

"""`--check-passes` on objects, unions and Nones: level 0 and what follows are all run, and give what Python gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetc.tools import run_main

PROGRAMS = """\
from __future__ import annotations
from dataclasses import dataclass
from typing import NamedTuple
import hetc
class P(NamedTuple):
    x: float
    y: float
@dataclass(order=True)
class Q:
    a: float
    b: P
    unit = 3.0
    @property
    def twice(self): return 2 * self.a
    @staticmethod
    def half(v): return v / 2
    def __add__(self, other): return Q(self.a + other.a, self.b)
    def __radd__(self, k): return Q(self.a + k, self.b)
    def __neg__(self): return Q(-self.a, P(self.b.y, self.b.x))
    def __len__(self): return 3
    def grow(self):
        self.a = self.a + 1.0
        return self
def made(n): return [Q(float(k), P(float(k), -1.0)) for k in range(n)]
def use(q):
    x, y = q.b
    r = -q + q
    return r.a + x * y + q.twice + Q.half(q.a) + q.unit + len(q) + q.b[0] + (1.0 if q < r else 2.0) + (5 + q).a
def same(q, p): return (q == p, q is p, isinstance(q, Q), q > p)
def neg(q): return -q
def maybe(q): return 0.0 if q is None else q.a
big = hetc.filter(lambda q: q.a > 1)
tot = hetc.map(lambda q: q.a).reduce(lambda p, q: p + q, 0.0)
@hetc.jit
def lp(qs):
    for i in hetc.forall(len(qs)):
        qs[i].a = qs[i].b.x + 2.0
        qs[i].b = P(1.0, 2.0)
@dataclass
class Circle:
    r: float
    def area(self): return 3.0 * self.r * self.r
@dataclass
class Square:
    a: float
    k: int
    def area(self): return self.a * self.a + self.k
def area(s): return 0.0 if s is None else s.area()
def kind(s): return isinstance(s, Circle)
def shapes(n): return [Circle(float(k)) if k % 2 else Square(float(k), k) for k in range(n)]

def maybe_number(x): return 1.0 if x is None else x * 2
def several(x): return x + 1
"""

CALLS = [
    ("use", "=made(5)"),
    ("same", "=made(4)", "=made(4)"),
    ("neg", "=made(3)"),
    ("maybe", "=[*made(3), None]"),
    ("big", "=made(5)"),
    ("tot", "=made(5)"),
    ("lp", "=made(5)"),
    ("area", "=shapes(5)"),
    ("area", "=[*shapes(5), None]"),
    ("kind", "=[*shapes(5), None]"),
    ("maybe_number", "[1.5, None, 2.5]"),
    ("several", "[1, 2.5, True]"),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: "-".join(call[:2]))
def test_all_states_are_checked(call: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "programs.py"
    path.write_text(PROGRAMS)
    name, *data = call
    run_main.main([f"{path}:{name}", *data, "--check-passes"])
    said = capsys.readouterr().out
    assert "not checked" not in said
    assert "go to Python" not in said
    assert said.rstrip().endswith("all checked")

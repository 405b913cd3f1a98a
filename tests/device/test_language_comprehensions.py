"""Comprehensions and generators, assignment expressions, what sum, any, all, min and max make of them."""

# The functions under test are odd on purpose.
# ruff: noqa: C400, C416, RUF015, PLW0131, C420, B905, RUF007

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import api
from hetc.analysis.compensated_sums import add, end, lose
from hetc.frontends.python import comprehensions
from hetc.runtime.devices import Device

Agree = Callable[..., Any]

INTS = [-7, -3, -1, 0, 1, 2, 3, 5, 10]
FLOATS = [-7.5, -1.0, -0.0, 0.0, 0.25, 2.0]
TABLE = np.arange(7.0) * 0.5 - 1
MATRIX = np.arange(12.0).reshape(3, 4)
NUMBERS = [4, 8, -2, 0]


# --------------------------------------------------------------------------------------------------------------------
# Lists
# --------------------------------------------------------------------------------------------------------------------


def lists(x: Any) -> Any:
    t = (x, 1, 2.5)
    squares = [v * v for v in t]
    pairs = [a * 10 + b for a in range(3) for b in t[: a + 1]]
    odd = [k * x for k in range(6) if k % 2 if k > 1]
    nested = [[a + b for a in t] for b in (1, x)]
    swapped = tuple(b - a for a, b in zip(t, t[1:]))
    return squares[0] + squares[2], sum(pairs), len(pairs), odd[1], len(odd), nested[1][0], swapped[0], max(squares)


def scopes(x: int) -> Any:
    v = 100
    first = [v for v in (x, 2)][0] + v
    second = [x + v for x in range(v - 98)][-1] + x
    third = sum(v for v in range(3) for w in range(v) if w < x) + v
    return first, second, third


def measured(x: int) -> Any:
    return (
        len([v for v in range(x)]), len([v for v in (x, 1) if v > 0]), sum([v for v in NUMBERS]) + x,
        len([v for v in range(1000)]) + x,
    )  # fmt: skip


def test_list_comprehensions(agree: Agree) -> None:
    agree(hetc.map(lists), INTS)
    agree(hetc.map(lists), FLOATS)
    agree(hetc.map(scopes), INTS)
    agree(hetc.map(lambda x: tuple([k * x for k in range(3)])), FLOATS)
    agree(hetc.map(lambda x: list(k * x for k in range(4))[-1]), FLOATS)
    agree(hetc.map(lambda x: [10 // (v - x) for v in (3, 4)][0]), INTS, deopts=1)
    agree(hetc.map(measured), INTS)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: len({v for v in (x, 1)}),
        lambda x: {v: 1 for v in (x, 1)}[x],
        lambda x: len(f"{x}"),
        lambda x: next(v for v in (x, 1)),
        lambda x: sum(filter(None, (x, 1))),
        lambda x: len(sorted([v for v in range(x)])),
        lambda x: sum(v for v in x),
        lambda x: sum(1, 2, 3) if x > 100 else sum(x),
        lambda x: max((x, 1), key=lambda v: -v),
    ],
)
def test_what_is_not_compiled_runs_in_python(agree: Agree, function: Callable[[int], Any]) -> None:
    agree(hetc.map(function), INTS, fallbacks=1)


# --------------------------------------------------------------------------------------------------------------------
# Generators
# --------------------------------------------------------------------------------------------------------------------


def sums(n: int) -> Any:
    return (
        sum(k * k for k in range(n)), sum(k for k in range(n, -n, -2) if k % 3),
        sum(1 for a in range(n) for b in range(a)), sum((v for v in NUMBERS), 100),
        sum(k * v for k, v in enumerate(NUMBERS, n)),
        sum(v > 0 for v in NUMBERS), sum(range(n)), sum([n, 1], start=3),
    )  # fmt: skip


def float_sums(n: int) -> Any:
    total = sum(TABLE[k] * n for k in range(1, 7))
    return total, sum(TABLE[n:]), sum(sum(row) for row in MATRIX), sum(v * v for v in TABLE if v > 0)


def conditions(n: int) -> Any:
    return (
        any(k * k == n for k in range(n)), all(k < n for k in range(0, 9, 2)), any(n // k > 2 for k in (1, 2, 0)),
        all(10 // k for k in (1, n)), any(v > n for v in TABLE), all(v < n for row in MATRIX for v in row),
        all(TABLE[:n]), any(a * b == n for a in range(2, 6) for b in range(a, 6)), any(()), not all((n, 1)),
        any(NUMBERS[:n]),
    )  # fmt: skip


def extremes(n: int) -> Any:
    return (
        max(k * (5 - k) for k in range(n)), min((k - 3) ** 2 for k in range(n)), max(NUMBERS), min(TABLE),
        min((v for v in NUMBERS if v > n), default=-1), max(abs(v) for v in (n, -4, 2)),
        max(max(row) for row in MATRIX), min(k % 4 if k else 1.5 for k in range(n)), max((), default=None) is None,
    )  # fmt: skip


def test_sums(agree: Agree) -> None:
    agree(hetc.map(sums), [0, 1, 2, 7])
    agree(hetc.map(sums), INTS)
    agree(hetc.map(float_sums), [0, 1, 2, 3], deopts=None)


def test_any_and_all(agree: Agree) -> None:
    agree(hetc.map(conditions), [3, 4, 7, 12, 20])
    agree(hetc.map(conditions), [4, 0, 3], deopts=1)
    agree(hetc.map(conditions), [4, 1, 3], deopts=1)


def test_min_and_max(agree: Agree) -> None:
    agree(hetc.map(extremes), [1, 2, 3, 5, 7])
    agree(hetc.map(extremes), [1, 0], deopts=1)
    data = [math.nan, 1.0, -0.0, 0.0, -1.0]
    agree(hetc.map(lambda x: (max(v * x for v in (1.0, -1.0, x)), min(v * x for v in (x, 0.0, -1.0)))), data)
    agree(hetc.map(lambda x: (max(v for v in [x, 0.0, -x]), min(v for v in [0.0, x]))), data)


# --------------------------------------------------------------------------------------------------------------------
# Assignment expressions
# --------------------------------------------------------------------------------------------------------------------


def in_conditions(x: Any) -> Any:
    total = 0
    if (y := x * 2) > 4 and (z := y + 1) % 3:
        total += z
    elif (w := y - 1) or (w := 7):
        total += w
    return total + y + ((v := y + 1) if x > 1 else (v := y - 1)) * v


def in_loops(x: int) -> Any:
    total, k = 0, x
    while (k := k - 1) > 0:
        if k % 2:
            continue
        if (total := total + k) > 50:
            break
    else:
        total += 1000
    n = 0
    while (n := n + 1) < 5 and (m := n * x) < 20:
        total += m
    for v in range(m := abs(x) % 4):
        total += v * m
    return total, k, n


def in_comprehensions(x: int) -> Any:
    best = -1
    found = any((best := v) > x for v in (1, 4, 9, 16))
    last = [(seen := k * x) for k in range(3)][-1]
    total = sum(t for k in range(4) if (t := k - x) > 0)
    return found, best, last, seen, total


def unused(x: int) -> int:
    (y := x + 1)
    x // 2
    y + 1
    return y


def may_be_unbound(x: int) -> int:
    if x > 0 and (y := x):
        pass
    return y


def test_assignment_expressions(agree: Agree) -> None:
    agree(hetc.map(in_conditions), INTS)
    agree(hetc.map(in_conditions), FLOATS)
    agree(hetc.map(in_loops), [1, 2, 3, 7, 30, -5])
    agree(hetc.map(in_comprehensions), [0, 1, 5, 20])
    agree(hetc.map(unused), INTS)
    agree(hetc.map(may_be_unbound), [1, 2], fallbacks=None)
    agree(hetc.map(may_be_unbound), [1, -2], fallbacks=None, deopts=None)
    agree(hetc.map(lambda x: (y := x + 1) * (y := y * 2) - y), INTS)
    agree(hetc.map(lambda x: 0 < (y := x * 2) < (z := y + 3) < 100 and y + z), INTS)
    agree(hetc.map(lambda x: (y := 1) if x > 3 else (y := 2) + y), INTS)


# --------------------------------------------------------------------------------------------------------------------
# sum, as Python has it since 3.12
# --------------------------------------------------------------------------------------------------------------------

TENTHS = np.array([0.1] * 10)
SUMS: list[Callable[[Any], Any]] = [
    lambda x: sum([x, 1e100, 1.0, -1e100]),
    lambda x: sum(v * x for v in (0.1, 0.2, 0.3, 0.4, 1e16, -1e16)),
    lambda x: sum([0.1] * 10, x),
    lambda x: sum([1, 2, x, 3, 1e17, -1e17]),
    lambda x: sum([x, 1e17, 3, True, -1e17]),
    lambda x: sum([x, 1e17, np.float32(0.1), 0.1, -1e17, 1.5]),
    lambda x: sum([x, 1e308, 1e308, -1e308]),
    lambda x: sum([x] * 3, 2),
    lambda x: sum(v for v in (x, -0.0) if v > 0),
    lambda x: sum(float(v) * x for v in TENTHS),
]


def total(items: Any, start: Any = 0) -> Any:
    """What Python's `sum` gives since 3.12."""
    result, lost = start, 0.0
    for item in items:
        result, lost = add(result, lost, item), lose(result, lost, item)
    return end(result, lost)


@pytest.mark.parametrize("function", SUMS)
def test_sums_of_floats_keep_what_rounding_loses(
    device: Device, function: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a function that says what Python does; where this is such a Python, by itself."""
    monkeypatch.setattr(comprehensions, "COMPENSATED", (3, 0))
    monkeypatch.setattr(api._dispatcher, "compiled", {})
    data = [0.1, -0.0, 1.0, 3.7e-8, -1e16, math.inf, math.nan]
    with hetc.configure(device=device, fallback="error"), hetc.profile() as p:
        found = hetc.map(function)(data)
    assert p.deopts == 0
    same = FunctionType(function.__code__, {**function.__globals__, "sum": total}, closure=function.__closure__)
    expected = [same(x) for x in data]
    assert list(map(repr, found)) == list(map(repr, expected))
    if sys.version_info >= (3, 12):
        assert list(map(repr, map(function, data))) == list(map(repr, expected))

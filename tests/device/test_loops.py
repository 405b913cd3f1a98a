"""Loops over arrays, `zip`, `enumerate`, and the `else` branch of a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc

SHORT = np.arange(5, dtype=np.float32)
LONG = np.arange(7, dtype=np.float32) * np.float32(2)
MATRIX = np.arange(12.0).reshape(3, 4)
NUMBERS = [3, 1, 2]
NOTHING = np.zeros(0)


def over_arrays(x: np.float32) -> np.float32:
    total = np.float32(0)
    for value in SHORT:
        total += value * x
    for a, b in zip(SHORT, LONG):  # noqa: B905 (the shorter one ends it)
        total += a - b * x
    for i, value in enumerate(SHORT):
        total += value * np.float32(i)
    for i, value in enumerate(LONG, 10):
        total -= value * np.float32(i)
    for i, (a, b) in enumerate(zip(SHORT, LONG), 2):  # noqa: B905
        total += a * b - np.float32(i)
    for i, value in zip(range(3), LONG):  # noqa: B905
        total += value * np.float32(i)
    return total


def over_rows(x: float) -> float:
    total = 0.5
    for row in MATRIX:
        for value in row:
            total += float(value) * x
    for number in NUMBERS:
        total += number
    for value in NOTHING:
        total += float(value)
    return total


def test_loops_over_captured_arrays(agree: Callable[..., Any]) -> None:
    agree(hetc.map(over_arrays), np.linspace(0, 3, 300, dtype=np.float32))
    agree(hetc.map(over_rows), [0.0, 1.5, -2.0])


def test_an_array_that_grows_between_calls(agree: Callable[..., Any]) -> None:
    values = [1, 2, 3]

    def total(x: int) -> int:
        result = x
        for value in values:
            result += value
        return result

    af = hetc.map(total)
    agree(af, [1, 2])
    values.append(10)
    agree(af, [1, 2])
    values.clear()  # an empty list says nothing of its elements' type
    agree(af, [1, 2], fallbacks=None)


def found(n: int) -> int:
    for k in range(n):
        if k == 2:
            break
    else:
        return -1
    return 1


def summed(n: int) -> int:
    total = 0
    for k in range(n):
        if k > 3:
            total += 100
            break
        total += k
    else:
        total += 1000
    return total


def nested(n: int) -> int:
    i = 0
    while i < n:
        i += 1
        if i == 7:
            break
        for j in range(i):
            if j == 5:
                break
        else:
            continue
        i += 2
    else:
        i = -i
    return i


def pair(n: int) -> tuple[int, int]:
    for i in range(3):
        for j in range(4):
            if i * j == n:
                return (i, j)
        if i == n:
            break
    else:
        return (-1, -1)
    return (9, 9)


def never_broken(n: int) -> int:
    total = 0
    for k in range(n):
        total += k
    total *= 2
    return total


@pytest.mark.parametrize("function", [found, summed, nested, pair, never_broken])
def test_the_else_branch_of_a_loop(agree: Callable[..., Any], function: Callable[[int], Any]) -> None:
    agree(hetc.map(function), range(12))

"""Control flow: endless loops that are left, breaks in deep nests, del, match, loops over anything with any step."""

# The functions under test are odd on purpose.
# ruff: noqa: B007, PLW2901, C416

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc

Agree = Callable[..., Any]

INTS = [-7, -3, -1, 0, 1, 2, 3, 5, 10]
FLOATS = [-7.5, -1.0, -0.0, 0.0, 0.25, 2.0, math.inf]
ROWS = np.arange(12.0).reshape(3, 4)


# --------------------------------------------------------------------------------------------------------------------
# Loops
# --------------------------------------------------------------------------------------------------------------------


def endless(n: int) -> int:
    k = 0
    while True:
        k += 1
        if k * k > n:
            return k


def endless_with_both(n: int) -> int:
    k = 0
    while 1:
        k += 2
        if k > 50:
            break
        if k % 7 == n:
            return k
    return -k


def deep(n: int) -> Any:
    total = a = 0
    for a in range(n):
        for b in range(a, -1, -1):
            if b == 2:
                continue
            for c in (a, b, 7):
                if c > 5:
                    break
                while c < n:
                    c += 2
                    if c % 5 == 4:
                        break
                    if total > 400:
                        return total, c
                else:
                    total += 1
                total += c
            else:
                total += 100
                continue
            if total % 11 == 10:
                break
        else:
            total += 5
    return total, a


def steps(n: int) -> Any:
    total, last = 0, -1
    for step in (1, -1, 2, -3):
        for k in range(n, -n, step):
            total += k * step
            last = k
    for k in range(5, n):
        pass
    for step in range(1, 4):
        for j in range(0, n, -step):
            total -= j
    return total, last


def after_loop(n: int) -> int:
    k = 100
    for k in range(n):
        k += 5
    return k


def first_row_above(x: float) -> Any:
    for i, row in enumerate(ROWS):
        for j, value in enumerate(row):
            if value > x:
                return i, j
    return -1, -1


def deleted(x: int) -> int:
    y = x + 1
    z = y * 2
    del y
    for k in range(3):
        y = k + z
        z += y
        del y
    y = 5
    return y + z


def deleted_and_read(x: int) -> int:
    y = x
    if x > 2:
        del y
    return y


def deleted_twice(x: int) -> int:
    if x > 2:
        y = x
    del y
    return x


@pytest.mark.parametrize("function", [endless, endless_with_both, deep, steps, after_loop, deleted])
def test_loops(agree: Agree, function: Callable[[int], Any]) -> None:
    agree(hetc.map(function), [0, 1, 2, 3, 5, 7])
    agree(hetc.map(function), [4])
    agree(hetc.map(function), [], fallbacks=None)


def test_loops_over_rows(agree: Agree) -> None:
    agree(hetc.map(first_row_above), [-1.0, 3.5, 10.0, 11.0])
    agree(hetc.map(lambda n: [k for k in range(n, n + 2)] and n), INTS, fallbacks=None)


def test_deleted_variables(agree: Agree) -> None:
    agree(hetc.map(deleted_and_read), [1, 2], fallbacks=None, deopts=None)
    agree(hetc.map(deleted_and_read), [1, 3], fallbacks=None, deopts=None)
    agree(hetc.map(deleted_twice), [3, 4], fallbacks=None, deopts=None)
    agree(hetc.map(deleted_twice), [3, 1], fallbacks=None, deopts=None)


# --------------------------------------------------------------------------------------------------------------------
# match
# --------------------------------------------------------------------------------------------------------------------


class Limits:
    low = -3


def numbers(x: Any) -> Any:
    match x:
        case 0 | 1:
            return 10
        case -1:
            return 20
        case 2.0:
            y = 30
        case math.inf:
            y = 35
        case int() if x > 4:
            y = 40
        case float(z) if z < -1:
            y = z * 2
        case other:
            y = other + 1
    return y


def sequences(x: Any) -> Any:
    total = 0
    for t in ((x, 1), (0, x), (x,), [x, 2, 3], (1, (x, 5)), x, (), (7, x, 8, 9)):
        match t:
            case ():
                total += 1
            case (0, y) | [y, 0]:
                total += 1000
            case [0, y]:
                total += 2 * y
            case [y]:
                total += 3 * y
            case (1, (y, z)):
                total += y * z
            case [first, *rest, 9]:
                total += first * len(rest) + rest[-1]
            case [a, b, c]:
                total += a * b - c
            case (a, b) if a > b:
                total += 100
            case (a, _):
                total += a
            case _:
                total -= 1
    return total


def captures_before_guard(x: int) -> int:
    y = 0
    match x, x + 1:
        case (y, z) if z > 3:
            return y * 100 + z
        case (3, _) | (_, 0):
            y += 50
        case _:
            pass
    return y


def singletons(x: Any) -> Any:
    a = 0
    match x > 1:
        case True:
            a = 1
        case False:
            a = 2
    match None if x > 3 else x:
        case None:
            return a
        case y:
            return a + y


def no_case(x: int) -> int:
    result = -1
    match x:
        case 2:
            result = 5
        case 3:
            result = 6
    return result


def in_loop(n: int) -> int:
    total = 0
    for k in range(n):
        match k % 4:
            case 0:
                continue
            case 3 if k > 10:
                break
            case r:
                total += r
    return total


def mapping(x: int) -> int:
    match x:
        case {"a": y}:
            return y
        case _:
            return 1


@pytest.mark.parametrize("function", [numbers, captures_before_guard, singletons, no_case, in_loop])
def test_match(agree: Agree, function: Callable[[Any], Any]) -> None:
    agree(hetc.map(function), INTS, fallbacks=0 if function is not in_loop else None)
    agree(hetc.map(function), np.array(INTS, np.int16), fallbacks=None, deopts=None)


def test_match_of_other_kinds(agree: Agree) -> None:
    agree(hetc.map(in_loop), [0, 1, 5, 30])
    agree(hetc.map(numbers), FLOATS)
    agree(hetc.map(sequences), INTS, fallbacks=None)
    agree(hetc.map(sequences), FLOATS, fallbacks=None)
    agree(hetc.map(mapping), INTS, fallbacks=1)
    agree(hetc.map(lambda x: numbers(x > 2)), INTS)

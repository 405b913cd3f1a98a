"""Loops over arrays, `zip`, `enumerate`, and the `else` branch of a loop."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import api, driver
from hetc.runtime.devices import Device

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


# --- What compilers of devices have got wrong in loops ---------------------------------------------------------------


def subtracted(s: int) -> int:
    for k in range(COUNT):
        s -= k + 5
    return s


def subtracted_levels(s: int) -> int:
    for k, _ in enumerate(LEVELS):
        s -= k - 2147483647
    return s


def subtracted_shorts(s: int, n: int) -> int:
    for k in range(n):
        s -= int(SHORTS[k % 4]) - 7
    return s


def last_of_a_count(x: np.int16) -> int | np.int16:
    last: int | np.int16 = x
    for k in range(len(WEIGHTS)):
        last = k
    return last * len(WEIGHTS)


def first_of_a_walk(a: float) -> float:
    for entry in TABLE:
        if math.isfinite(a) ^ True:
            a = a - SQUARE[entry % 2, entry % 3]
            if entry < entry:
                continue
    rest = a - np.float16(a)
    for _ in WEIGHTS:
        a = a + rest / rest
        if rest == rest:
            return a + a
    return math.erfc(np.sqrt(rest))


def two_widths(a: np.float32, b: np.float32) -> np.float32 | np.float64:
    if b != a:
        for _ in range(4, -1, 0 % 3 - 3):
            a = b - b / b
            b += np.float64(a)
    a //= a
    return a + (a + a)


COUNT = 3
LEVELS = (0.5, 1.5, -2.0)
SHORTS = np.array([3, -2, 7, 1], np.int16)
WEIGHTS = np.array([0.5, -1.25, 3.0, 8.0])
TABLE = [3, 1, 4, 1, 5]
SQUARE = np.array([[1.0, 2.0, 3.0], [-4.0, 0.5, 0.0]])
MANY = [(-1) ** k * k for k in range(257)]


def test_sums_of_differences(agree: Callable[..., Any]) -> None:
    """Vectorised as sums, with the wrong sign."""
    agree(hetc.map(subtracted), MANY)
    agree(hetc.map(subtracted_levels), MANY)
    agree(hetc.map(subtracted_shorts), MANY, [k % 9 for k in range(257)])


def test_loops_of_which_the_last_value_matters(agree: Callable[..., Any]) -> None:
    """They crashed a compiler."""
    agree(hetc.map(last_of_a_count), np.arange(257, dtype=np.int16))


def test_lanes_that_take_branches_differently(agree: Callable[..., Any]) -> None:
    """All lanes of a vector got the type that the first one had."""
    agree(hetc.map(first_of_a_walk), ([math.nan, 0.5, 1e16, -7.5, 0.5, 1.0, 0.5] * 37)[:257], deopts=None)
    ones, others = np.resize(np.float32([-0.0, 3.0, -0.0, 0.5]), 257), np.resize(np.float32([-0.5, 0.5, 100, 0.5]), 257)
    agree(hetc.map(two_widths), list(ones), list(others), deopts=None)


WEIGHTS = np.array([0.5, -1.25, 3.0, 8.0])
LIMIT = 1e-3


def one_of_two_types(a: np.uint64, b: np.uint64) -> Any:
    if 0.0 >= 0.0 - LIMIT:
        if b:
            v = abs(-2.5) < LIMIT + 3.0
            if v:
                return a | b
    else:
        for k in range(1, 4):
            if 1000.0 + LIMIT < 0:
                return b - b
            b = b + (k ^ b)
    return round(WEIGHTS[(b * 2147483647) % 4])


def test_types_beside_a_loop_that_all_or_none_run(agree: Callable[..., Any]) -> None:
    """All lanes of a vector got the type that the first one had."""
    firsts = np.uint64([2**64 - 1, 0, 2**64 - 2, 7, 10, 1, 1])
    seconds = np.uint64([7, 7, 2**63 - 1, 0, 2**63 - 1, 7, 3])
    for size in (7, 257):
        inputs = list(np.resize(firsts, size)), list(np.resize(seconds, size))
        agree(hetc.map(one_of_two_types).map(lambda x: x * x - x), *inputs)


def remainder_of_two_types(a: float, b: np.float16) -> Any:
    if b:
        a += b
    b %= np.square(a)
    return b - a


def test_types_that_branches_choose(agree: Callable[..., Any]) -> None:
    """Lanes got each other's types without any loop, beside a call of fmod."""
    halves = list(np.resize(np.float16([1.5, 0.0, 1.5, -1.0, -7.5, 0.25, -7.5]), 255))
    agree(hetc.map(remainder_of_two_types), ([0.0, 7.5, 1.5, 0.0, 0.25, 0.5, 1.0] * 37)[:255], halves, deopts=None)


SMALL = np.array([7, 0, 2, 100], np.uint16)


def two_ways_out(a: np.uint16, b: np.uint16, c: np.uint16) -> Any:
    for e in WEIGHTS:
        v = math.trunc(e * e)
        if False:
            b += c + -1
            v = True  # noqa: F841
        for d in SMALL:
            if not d:
                return (a + a), NUMBERS[b]
            if not False:
                continue
            e = (0.0 / 1.0) if (False == True) else float(True)  # noqa: E712, PLW2901
    return (c * abs(int(False))), (c - a)


def test_guards_that_leave_from_loops_in_loops(agree: Callable[..., Any]) -> None:
    """They crashed a compiler."""
    firsts, seconds, thirds = (np.resize(np.uint16(d), 257) for d in ([1, 1, 0, 7], [1, 2, 0], [10, 2, 10, 0, 5]))
    agree(hetc.map(two_ways_out), firsts, seconds, thirds, deopts=None)


def walk(a: int, b: int) -> int:
    """For ever, if `a` is not on the way down from `b` in steps of three."""
    rounds = 0
    while a != b:
        b = b - 3 if b > 0 else 9
        rounds += 100 // (a + 5)
    return rounds


def test_an_endless_loop_after_an_element_that_raises(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python never comes to the loop that does not end, so the device must not stay in it."""
    _bound_loops(monkeypatch, 1000)
    firsts, seconds = [0] * 600, [9, 6, 3, 300] * 150
    firsts[100], firsts[101] = -5, 2  # the first divides by zero, the second never ends
    with hetc.configure(device=device), pytest.raises(ZeroDivisionError) as raised:
        hetc.map(walk)(firsts, seconds)
    assert raised.traceback[-1].name == "walk"


def test_a_long_loop_is_run_by_python_and_counted_no_more(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Python has run to its end, ends."""
    _bound_loops(monkeypatch, 50)
    firsts, seconds = [0] * 600, [9, 6, 3, 300] * 150
    long, walks = hetc.map(walk), list(map(walk, firsts, seconds))
    with hetc.configure(device=device), hetc.profile() as p:
        assert long(firsts, seconds) == walks
        assert p.deopts == 1
        assert long(firsts, seconds) == walks
        assert p.deopts == 1


def _bound_loops(monkeypatch: pytest.MonkeyPatch, rounds: int) -> None:
    steps = [f"bound-loops{{{{rounds={rounds}}}}}" if step == "bound-loops" else step for step in driver.PIPELINE]
    monkeypatch.setattr(driver, "PIPELINE", tuple(steps))
    monkeypatch.setattr(api._dispatcher, "compiled", {})

"""Guards at the edges: whichever iteration, element or guard fails, the result is what CPython gives.

And no call goes back to Python that need not.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.conftest import agreement, discrete

SIZES = [0, 1, 7, 255, 256, 257]
DIVISORS = [float(k) for k in range(1, 11)]
VALUES = np.arange(1.0, 33.0)
PLACES = [0, 5, 31]
LINKS = [3, 0, 4, 1, 5, 9]
"""The last of them leads nowhere."""


def quotients(x: float, k: int) -> float:
    total = 0.0 * x
    for j in range(len(VALUES)):
        total += x / (float(VALUES[j]) - k)
    return total


def shifted(start: int, stop: int) -> float:
    total = 0.0 * start
    for j in range(start, stop):
        total += float(VALUES[j])
    return total


def logarithms(x: float, y: float) -> float:
    return math.log(math.exp(x) + y) / (x - 3.0) + math.sqrt(y)


def product(a: int, b: int) -> int:
    return a * b + a


def collatz(n: int) -> int:
    steps = 0
    while n != 1 and steps < 300:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def power(x: int) -> int:
    r = 1
    for _ in range(10):
        r = r * x
    return r


def unused(x: float, n: int) -> float:
    """The guard on x is the same in each iteration; with no iteration Python does not divide."""
    total = x
    for _ in range(n):
        total += 1.0 / x
    return total


def neighbours(i: int) -> float:
    total = 0.0 * i
    for j in range(1, len(VALUES) - 1):
        total += float(VALUES[j - 1] + VALUES[j + 1])
    return total


def backwards(i: int) -> float:
    total = 0.0 * i
    for j in range(len(VALUES) - 1, -1, -1):
        total = total * 0.5 + float(VALUES[j])
    return total


def bisection(x: float) -> int:
    low, high = 0, len(VALUES)
    while low < high:
        middle = (low + high) // 2
        if float(VALUES[middle]) < x:
            low = middle + 1
        else:
            high = middle
    return low


def prime(n: int) -> bool:
    i = 2
    while i * i <= n:
        if n % i == 0:
            return False
        i += 1
    return n > 1


def nested(x: float, k: int) -> float:
    total = 0.0
    for i in range(4):
        for j in range(i, len(VALUES)):
            if j % 3 == 1:
                total += math.sqrt(float(VALUES[j]) + x) / (float(VALUES[j]) - k)
    return total


def looked_up(start: int, k: int) -> int:
    at, total = start, 0
    for j in range(8):
        at = LINKS[at]
        total += at * (2**62 if j == k else 1)
    return total


def edges(size: int) -> list[int]:
    """The first, a middle and the last element."""
    return sorted({0, size // 2, size - 1}) if size else []


@pytest.mark.parametrize("size", SIZES)
def test_a_guard_at_the_end_of_a_kernel(agree: Callable[..., Any], size: int) -> None:
    x = [k % 2 + 0.5 for k in range(size)]
    y = [k % 5 + 1.0 for k in range(size)]
    agree(hetc.map(logarithms), x, y, ulp=4)
    for place in edges(size):
        for bad in (3.0, 1000.0):
            agree(hetc.map(logarithms), [*x[:place], bad, *x[place + 1 :]], y, deopts=1, ulp=4)
        agree(hetc.map(logarithms), x, [*y[:place], -1e9, *y[place + 1 :]], deopts=1, ulp=4)


@pytest.mark.parametrize("size", SIZES)
def test_products_and_sums_past_64_bits(agree: Callable[..., Any], size: int) -> None:
    a = [2**40 + k for k in range(size)]
    agree(hetc.map(product), a, [7] * size)
    for place in edges(size):
        for bad in (2**30, -(2**30), 2**23 - 1, 2**23):
            agree(hetc.map(product), a, [*[3] * place, bad, *[3] * (size - place - 1)], deopts=None)


@pytest.mark.parametrize("place", PLACES)
def test_an_iteration_fails(agree: Callable[..., Any], place: int) -> None:
    """The first, some and the last: VALUES[place] - k is zero."""
    k = [1000] * 300
    agree(hetc.map(quotients), [1.0] * 300, k)
    k[257] = place + 1
    agree(hetc.map(quotients), [1.0] * 300, k, deopts=1)


def test_bounds_before_a_loop(agree: Callable[..., Any]) -> None:
    """Inside, negative, empty beyond the end: all right, and none goes back to Python. Then one past either end."""
    ranges = [(0, 32), (3, 4), (31, 32), (-32, 0), (-5, 5), (40, 40), (99, 3), (-99, -99)]
    starts, stops = (list(column) for column in zip(*ranges, strict=True))
    agree(hetc.map(shifted), starts, stops)
    for start, stop in ((0, 33), (31, 33), (-33, 0), (32, 33), (-33, 40)):
        agree(hetc.map(shifted), [*starts, start], [*stops, stop], deopts=1)


def test_a_loop_that_does_not_run_asks_for_nothing(agree: Callable[..., Any]) -> None:
    agree(hetc.map(unused), [0.0, 1.0, -0.0, 2.0], [0, 3, -1, 0])
    agree(hetc.map(unused), [1.0, 0.0], [3, 1], deopts=1)


def test_edges_of_cheaper_overflow_questions(agree: Callable[..., Any]) -> None:
    for function, constants in (
        (lambda x: x + 10, (2**63 - 11, 2**63 - 10)),
        (lambda x: x - 10, (-(2**63) + 10, -(2**63) + 9)),
        (lambda x: 10 - x, (-(2**63) + 11, -(2**63) + 10)),
        (lambda x: x * 3, (3074457345618258602, 3074457345618258603)),
        (lambda x: x * -3, (3074457345618258602, 3074457345618258603)),
        (lambda x: x * -3, (-3074457345618258602, -3074457345618258603)),
        (lambda x: x * x, (3037000499, 3037000500)),
        (lambda x: x * x, (-3037000499, -3037000500)),
        (lambda x: -x, (-(2**63) + 1, -(2**63))),
    ):
        fits, overflows = constants
        agree(hetc.map(function), [0, fits, 1])
        agree(hetc.map(function), [0, overflows, 1], deopts=1)


def test_products_next_to_64_bits(agree: Callable[..., Any]) -> None:
    """Of two unknown numbers: surely inside, so near to the end that Python may be asked, and outside."""
    multiply = hetc.map(lambda a, b: a * b)
    agree(multiply, [2**31, -(2**31), 2**62, 1], [2**31, 2**31, -1, 2**63 - 2**14])
    for a, b in ((2**63 - 1, 1), (-(2**63), 1), (3037000499, 3037000499), (-(2**32), 2**31), (2**63 - 2**13, -1)):
        agree(multiply, [1, a, 2], [2**40, b, 3], deopts=None)
    for a, b in ((2**32, 2**31), (-(2**63), -1), (3037000500, 3037000500), (-(2**63), 2), (2**63 - 1, 2**63 - 1)):
        agree(multiply, [1, a, 2], [2**40, b, 3], deopts=1)


def test_loops_whose_guards_stay(agree: Callable[..., Any]) -> None:
    agree(hetc.map(collatz), list(range(1, 300)))
    agree(hetc.map(collatz), [1, 2**62 + 1, 27, 3074457345618258603], deopts=1)
    agree(hetc.map(power), [0, 1, -1, 70, -70, 78])
    agree(hetc.map(power), [0, 1, -1, 70, -70, 79], deopts=1)


@pytest.mark.parametrize("function", [neighbours, backwards, bisection, prime])
def test_what_ranges_prove_is_right(agree: Callable[..., Any], function: Callable[..., Any]) -> None:
    values: list[Any] = [float(k) / 3 for k in range(-3, 120)] if function is bisection else list(range(300))
    agree(hetc.map(function), values)


def test_sums_that_are_counted(agree: Callable[..., Any]) -> None:
    """Of numbers at the ends of 32 bits; in the reduction too."""
    numbers = [2**31 - 1, -(2**31)] * 200
    agree(hetc.map(sum_of), numbers, [100] * 400)
    agree(hetc.map(lambda x: x).reduce(lambda p, q: p + q, 0), numbers)
    agree(hetc.map(lambda x: x).reduce(lambda p, q: p + q, 0), [2**62, 2**62, 2**62], deopts=1)


def sum_of(x: int, n: int) -> int:
    total = 0
    for _ in range(n):
        total += x
    return total


def test_loops_that_remember_their_guards(device: Device) -> None:
    """As they are compiled for GPUs: one fails in the first, some or the last round, and the rest does no harm."""
    agree = agreement(discrete(device))
    for size in SIZES:
        for function in (quotients, nested):
            agree(hetc.map(function), [1.5] * size, [1000] * size)
            for place, k in itertools.product(edges(size), (2, 5, 32)):
                deopts = None if function is nested and k == 1 else 1
                agree(
                    hetc.map(function), [1.5] * size, [*[1000] * place, k, *[1000] * (size - place - 1)], deopts=deopts
                )
        for place in edges(size):
            agree(hetc.map(nested), [*[1.5] * place, -3.0, *[1.5] * (size - place - 1)], [1000] * size, deopts=1)
            for start, k in ((2, 9), (0, 0), (0, 2), (0, 7)):
                starts, rounds = [0] * size, [9] * size
                starts[place], rounds[place] = start, k
                agree(hetc.map(looked_up), starts, rounds, deopts=None)

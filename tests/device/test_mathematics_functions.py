"""`math` on the device, with operands of the data; each function on what it is defined for, and where it raises."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc

Agree = Callable[..., Any]
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -7.25, 1e300, -1e300, 5e-324, -5e-324, 2.3e-308, 1.7976931348623157e308]
SPECIAL = [math.inf, -math.inf, math.nan]


def columns(*values: list[Any]) -> tuple[list[Any], ...]:
    """All combinations, one column an operand."""
    return tuple(list(column) for column in zip(*itertools.product(*values), strict=True))


def spread(count: int, low: float, high: float) -> list[float]:
    chance = random.Random(count)
    return [chance.uniform(low, high) for _ in range(count)]


# --- Exact functions of floats ---------------------------------------------------------------------------------------


def test_parts_of_floats(agree: Agree) -> None:
    values = [*EDGES, *SPECIAL, *spread(200, -1e6, 1e6)]
    agree(hetc.map(math.modf), values)
    agree(hetc.map(math.frexp), values)
    agree(hetc.map(math.ulp), values)
    agree(hetc.map(lambda x: math.frexp(x)[1] + math.modf(x)[0]), values[:13])


def test_neighbours(agree: Agree) -> None:
    agree(hetc.map(math.nextafter), *columns([*EDGES, *SPECIAL], [*EDGES, *SPECIAL]))


def test_powers_of_two(agree: Agree) -> None:
    exponents = [0, 1, -1, 52, -52, 1000, -1000, -1074, -1075, -2098, -5000, -(2**63)]
    agree(hetc.map(math.ldexp), *columns([0.0, -0.0, 1.0, -1.5, 0.1, 1e-300, 3e-5, *SPECIAL], exponents))
    agree(hetc.map(math.ldexp), [5e-324, 0.1], [2097, 5])
    agree(hetc.map(math.ldexp), [1.0, 0.1], [1024, 5], deopts=1)


def test_remainders(agree: Agree) -> None:
    values = [*EDGES, 3.5, -3.5, 1e17, *spread(50, -100, 100), math.nan]
    agree(hetc.map(math.remainder), *columns(values, [1.0, -2.0, 0.1, 7.25, 5e-324, 1e300, math.inf, math.nan]))
    agree(hetc.map(math.remainder), [1.0, 2.0], [1.0, 0.0], deopts=1)
    agree(hetc.map(math.remainder), [1.0, math.inf], [1.0, 2.0], deopts=1)


def test_nearness(agree: Agree) -> None:
    agree(hetc.map(math.isclose), *columns([*EDGES, *SPECIAL, 1 + 1e-9, 1 + 1e-8], [*EDGES, *SPECIAL, 1 - 1e-10]))


def test_distances(agree: Agree) -> None:
    values = [*EDGES, *SPECIAL, 3.0, 4.0, 1e-200]
    agree(hetc.map(math.hypot), *columns(values, values), ulp=1)
    agree(hetc.map(lambda x, y, z: math.hypot(x, y, z, 1.0)), spread(300, 0, 9), spread(300, 0, 2), spread(300, 0, 1))
    agree(hetc.map(lambda x: (math.hypot(), math.hypot(x))), values)
    agree(hetc.map(lambda x, y: math.dist((x, y), (1.0, 2))), *columns(values, values), ulp=1)


def test_sums_and_products(agree: Agree) -> None:
    a, b, c = columns([1e100, 0.1, -1e100, 1.0], [1.0, 1e-16, 0.2, -0.0], [-1e100, 2.0**-53, 0.3, -1.0])
    agree(hetc.map(lambda a, b, c: math.fsum((a, b, c, 1e-17, b))), a, b, c)
    agree(hetc.map(lambda a, b, c: math.prod((a, b, 2, c))), a, b, c)
    agree(hetc.map(lambda a: math.prod((a, a, a))), [1, 2, -3, 2**20])
    agree(hetc.map(lambda a, b: (math.fsum([a, b]), math.prod([a, b, 2]), math.dist([a, b], (b, a)))), a, b)
    agree(hetc.map(lambda a, b: (math.hypot(*(a, b)), math.gcd(*(6, 4)))), [3.0, 1.0], [4.0, 2.0])
    agree(hetc.map(lambda a: math.prod((a, a, a))), [1, 2, 2**22], deopts=1)
    agree(hetc.map(lambda a: math.fsum((a, 1.0))), [math.inf, 1.0], deopts=1)


# --- Functions that are not rounded correctly ------------------------------------------------------------------------


def test_error_functions(agree: Agree) -> None:
    agree(hetc.map(lambda x: (math.erf(x), math.erfc(x))), [*EDGES, *SPECIAL, *spread(200, -6, 26)], ulp=16)


def test_gamma(agree: Agree) -> None:
    assert agree(hetc.map(math.gamma), [float(n) for n in range(1, 24)])[4] == 24.0
    agree(hetc.map(math.gamma), [0.5, 1e-10, -1e-25, math.inf, math.nan, -0.5, -190.5, *spread(200, -20, 170)], ulp=20)
    for bad in (0.0, -3.0, 180.0, -math.inf):
        agree(hetc.map(math.gamma), [1.5, bad], ulp=20, deopts=1)


def test_log_gamma(agree: Agree) -> None:
    assert agree(hetc.map(math.lgamma), [1.0, 2.0, math.inf]) == [0.0, 0.0, math.inf]
    agree(hetc.map(math.lgamma), [1e-10, -1e-25, math.nan, 1e300, *spread(200, 3, 1e4)], ulp=4)
    for bad in (0.0, -3.0, 1e308):
        agree(hetc.map(math.lgamma), [3.5, bad], ulp=20, deopts=1)


def test_logarithms_to_a_base(agree: Agree) -> None:
    agree(hetc.map(math.log), *columns([0.5, 1.0, 8.0, 1e300, math.inf], [2.0, 10.0, 0.5]), ulp=4)
    agree(hetc.map(math.log), [8, 9, 1], [2, 3, 5], ulp=4)
    for bad in (1.0, 0.0, -2.0):
        agree(hetc.map(math.log), [2.0, 2.0], [2.0, bad], deopts=1)


# --- Integers --------------------------------------------------------------------------------------------------------


def test_divisors_and_multiples(agree: Agree) -> None:
    values = [0, 1, -1, 6, -15, 35, 2**31, 10**9 + 7, 3 * 2**40]
    agree(hetc.map(lambda a, b: (math.gcd(a, b), math.gcd(a, b, 12))), *columns(values, values))
    agree(hetc.map(math.lcm), *columns(values[:8], values[:6]))
    agree(hetc.map(lambda a: (math.gcd(), math.gcd(a), math.lcm(), math.lcm(a))), values)
    agree(hetc.map(math.gcd), [4, -(2**63)], [6, 2], deopts=1)
    agree(hetc.map(math.lcm), [4, 2**40], [6, 3**30], deopts=1)
    agree(hetc.map(math.gcd), np.array([4, 6, -9], np.int8), np.array([6, 255, 3], np.uint8))


def test_square_roots_of_integers(agree: Agree) -> None:
    roots = [1, 2, 3, 1000, 94906267, 3037000499]
    agree(hetc.map(math.isqrt), [0, 2**63 - 1, *(r * r + d for r in roots for d in (-1, 0, 1))])
    agree(hetc.map(math.isqrt), [4, -1], deopts=1)


def test_factorials_and_choices(agree: Agree) -> None:
    agree(hetc.map(math.factorial), list(range(21)))
    agree(hetc.map(math.factorial), [3, 21], deopts=1)
    agree(hetc.map(math.factorial), [3, -1], deopts=1)
    small = [0, 1, 2, 3, 5, 10, 17, 30]
    agree(hetc.map(math.comb), *columns(small, small))
    agree(hetc.map(math.comb), [62, 66, 2**40], [31, 33, 1])
    agree(hetc.map(math.comb), [5, 68], [2, 34], deopts=1)
    agree(hetc.map(math.perm), *columns(small[:7], small[:7]))
    agree(hetc.map(math.perm), [5, 0], deopts=0)
    agree(hetc.map(math.perm), [5, 30], [2, 30], deopts=1)
    agree(hetc.map(math.comb), [5, 3], [2, -1], deopts=1)


@pytest.mark.parametrize("function", [math.gcd, math.isqrt, math.factorial, math.comb, math.lcm, math.perm])
def test_floats_are_no_integers(agree: Agree, function: Callable[..., Any]) -> None:
    arity = 1 if function in (math.isqrt, math.factorial) else 2
    agree(hetc.map(function), *([[4.0, 2.0]] * arity), fallbacks=1)


@pytest.mark.parametrize(
    "function",
    [math.modf, math.frexp, math.hypot, math.gcd, lambda z: math.fsum((z, 1)), lambda z: math.dist((z,), (1,)),
     lambda z: pow(z, 2, 3), lambda z: divmod(z, 2), lambda z: round(z, 1), lambda z: math.ldexp(z, 1)],
)  # fmt: skip
def test_complex_numbers_are_no_floats(agree: Agree, function: Callable[..., Any]) -> None:
    agree(hetc.map(function), [1j, 2 + 0j], fallbacks=1)


def test_constants(agree: Agree) -> None:
    agree(hetc.map(lambda x: x * math.pi + math.e - math.tau), [0.5, 1.0])
    agree(hetc.map(lambda x: (x < math.inf, x + math.nan, np.pi * x, np.inf - x, np.e)), [0.5, 1.0])

"""Values that are easily got wrong, each kind whole: all sign pairs, all widths, edges, with operands from the data."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc

Agree = Callable[..., Any]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def columns(*values: list[Any]) -> tuple[list[Any], ...]:
    """All combinations, one column an operand."""
    return tuple(list(column) for column in zip(*itertools.product(*values), strict=True))


# --- Floor division and modulo ---------------------------------------------------------------------------------------


def floor_and_remainder(a: Any, b: Any) -> Any:
    return (a // b, a % b)


def test_divisions_of_python_integers(agree: Agree) -> None:
    agree(hetc.map(floor_and_remainder), *columns([-7, -6, -1, 0, 1, 6, 7, 2**40, -(2**40)], [-5, -3, -1, 1, 3, 5]))
    agree(hetc.map(lambda a, b: a % b), [-6, 6, -7], [5, -5, 3])
    agree(hetc.map(floor_and_remainder), [-(2**63), 5], [-1, 2], deopts=1)


def test_divisions_of_python_floats(agree: Agree) -> None:
    values = [-4.0, -1.0, -0.1, -0.0, 0.0, 0.1, 1.0, 4.0, 1e300, 5e-324, math.inf, -math.inf, math.nan]
    divisors = [-2.0, -0.1, 0.1, 2.0, 5e-324, math.inf, -math.inf, math.nan]
    agree(hetc.map(floor_and_remainder), *columns(values, divisors))
    found = agree(hetc.map(floor_and_remainder), [-1.0, -4.0, 1.0], [0.1, 2.0, 0.1])
    assert found == [(-10.0, 5.551115123125783e-17), (-2.0, 0.0), (9.0, 0.09999999999999995)]


@pytest.mark.parametrize("dtype", [*INTEGERS, "float32", "float64"])
def test_divisions_of_numpy_numbers(agree: Agree, dtype: str) -> None:
    if dtype.startswith("float"):
        values = [-7.5, -1.0, -0.0, 0.0, 1.0, 7.5, math.inf, math.nan]
    else:
        info = np.iinfo(dtype)
        values = sorted({info.min, info.min + 1, 0, 1, 2, 7, info.max} | ({-1, -3, -7} if info.min else set()))
    left, right = columns(values, values)
    agree(hetc.map(floor_and_remainder), np.array(left, dtype), np.array(right, dtype))


# --- Powers ----------------------------------------------------------------------------------------------------------


def power(a: Any, b: Any) -> Any:
    return a**b


def test_powers(agree: Agree) -> None:
    assert agree(hetc.map(power), [3, 3], [41, 2], deopts=1)[0] == 36472996377170786403
    assert agree(hetc.map(power), [2, 4], [-1, 2], deopts=1)[0] == 0.5
    assert isinstance(agree(hetc.map(power), [-8.0, 8.0], [1 / 3, 1 / 3], deopts=1, ulp=4)[0], complex)
    agree(hetc.map(power), [1, 0], [2, -1], deopts=1)
    agree(hetc.map(power), *columns([-3, -2, -1, 0, 1, 2], [0, 1, 2, 3, 17, 31, 39]))
    agree(hetc.map(power), *columns([-1, 0, 1], [63, 64, 10**9 + 7, 2**63 - 1]))
    agree(hetc.map(power), *columns([10, -10, 2097151, 3037000499], [0, 1, 2]))
    agree(hetc.map(power), *columns([0.5, 1.0, 2.0, 10.0], [-2.0, -1.0, 0.0, 0.5, 1.0, 2.0]), ulp=4)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_powers_of_numpy_integers_wrap(agree: Agree, dtype: str) -> None:
    info = np.iinfo(dtype)
    bases = sorted({info.min, info.min + 1, 0, 1, 2, 3, 7, 100, info.max})
    base, exponent = columns(bases, [0, 1, 2, 3, 7, 20, 64, info.max])
    agree(hetc.map(power), np.array(base, dtype), np.array(exponent, dtype))
    agree(hetc.map(lambda a: (a**3, a**0, 2 ** abs(a // 2), a**2.0)), np.array(bases, dtype)[1:], ulp=4)
    if info.min:
        agree(hetc.map(power), np.array([1, 2], dtype), np.array([2, -1], dtype), deopts=1)


# --- Integers past 64 bits -------------------------------------------------------------------------------------------


BIG: list[Callable[[Any], Any]] = [
    lambda x: x + x,
    lambda x: -x,
    lambda x: x * x,
    abs,
    lambda x: (x * 3 - x) // 7,
    lambda x: x << 5,
    lambda x: (x + x) % 1000,
    lambda x: (x + x) > x,
    lambda x: min(x * 4, 0),
]


@pytest.mark.parametrize("function", BIG, ids=range(len(BIG)))
def test_integers_past_64_bits_anywhere(agree: Agree, function: Callable[[Any], Any]) -> None:
    values = [1, 2**62, -(2**62), 2**63 - 1, -(2**63), 3]
    agree(hetc.map(function), values, deopts=None)
    agree(hetc.map(function), [1] * 600 + values, deopts=None)


def test_shifts(agree: Agree) -> None:
    agree(hetc.map(lambda a, b: a << b), *columns([-3, -1, 0, 1, 5], [0, 1, 31, 32, 62]), deopts=None)
    assert agree(hetc.map(lambda a, b: a << b), [1, 1], [70, 2], deopts=1)[0] == 2**70
    agree(hetc.map(lambda a, b: a >> b), *columns([-3, -1, 0, 1, 5, 2**62, -(2**63)], [0, 1, 31, 63, 64, 200]))
    agree(hetc.map(lambda a, b: a << b), [1, 1], [2, -1], deopts=1)
    agree(hetc.map(lambda a, b: a >> b), [1, 1], [2, -1], deopts=1)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_numpy_integers_wrap(agree: Agree, dtype: str) -> None:
    info = np.iinfo(dtype)
    values = np.array([info.min, info.min + 1, 0, 1, 2, info.max - 1, info.max], dtype)
    left, right = np.repeat(values, len(values)), np.tile(values, len(values))
    agree(hetc.map(lambda a, b: (a + b, a - b, a * b, -a, abs(a), ~a, a & b, a ^ b)), left, right)
    agree(hetc.map(lambda a, b: (a + 1, a * 3, 5 - a, a < b, a == b)), left, right)


def test_uint64_against_python_and_signed_integers(agree: Agree) -> None:
    unsigned = np.array([0, 1, 2**63, 2**64 - 1], np.uint64)
    signed = np.array([0, -1, 2**62, -(2**63)], np.int64)
    agree(hetc.map(lambda a: (a + 1, a * 2, a // 3, a > 5, a == 0, 7 - a)), unsigned)
    agree(hetc.map(lambda a, b: (a < b, a == b, a >= b, a + b, a * b)), np.repeat(unsigned, 4), np.tile(signed, 4))


def test_truth_values_are_numbers(agree: Agree) -> None:
    left, right = columns([True, False], [True, False])
    agree(hetc.map(lambda a, b: (a + b, a - b, a * b, a & b, a | b, a ^ b, -a, a < b, a == b)), left, right)
    agree(hetc.map(lambda a, b: (a + b, a * b, a & b, a | b, a ^ b, a < b)), np.array(left), np.array(right))
    agree(hetc.map(lambda a, b: (a + 1, b * 2.5, a + b + 3)), np.array(left), right)


# --- Rounding, conversions, math -------------------------------------------------------------------------------------


def test_rounding(agree: Agree) -> None:
    halves = [-2.5, -1.5, -0.5, -0.0, 0.5, 1.5, 2.5, 0.49999999999999994, 4503599627370497.5, 1e300]
    agree(hetc.map(round), halves, deopts=None)
    assert agree(hetc.map(lambda x: round(x, 2)), [2.675, 2.665, -2.675, 1.005])[0] == 2.67
    agree(hetc.map(round), [math.nan, 1.0], deopts=1)
    agree(hetc.map(round), [1.0, math.inf], deopts=1)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_int_of_what_is_no_integer(agree: Agree, bad: float) -> None:
    agree(hetc.map(int), [1.5, -1.5, bad], deopts=1)
    agree(hetc.map(int), [1.5, -1.5, 2.0**70], deopts=1)


RAISING: list[tuple[Callable[[Any], Any], float]] = [
    (math.sqrt, -1.0),
    (math.exp, 1000.0),
    (math.log, 0.0),
    (math.log, -1.0),
    (math.acos, 1.5),
    (lambda x: math.fmod(1.0, x), 0.0),
    (lambda x: math.pow(x, 0.5), -2.0),
    (math.cosh, 1e4),
    (math.atanh, 1.0),
    (math.floor, math.inf),
    (lambda x: x**400.0, 1e10),
    (lambda x: 1 / x, 0.0),
    (lambda x: 1 // x, 0.0),
    (lambda x: 1 % x, -0.0),
]


@pytest.mark.parametrize(("function", "bad"), RAISING, ids=range(len(RAISING)))
def test_math_raises_what_python_raises(agree: Agree, function: Callable[[Any], Any], bad: float) -> None:
    agree(hetc.map(function), [0.5, 0.25], ulp=4)
    agree(hetc.map(function), [0.5] * 300 + [bad] + [0.25], deopts=1, ulp=4)


def test_minimum_and_maximum_with_nan_and_signed_zeros(agree: Agree) -> None:
    values = [math.nan, 0.0, -0.0, 1.0, -1.0, math.inf, -math.inf]
    left, right = columns(values, values)
    agree(hetc.map(lambda a, b: (min(a, b), max(a, b), min(b, a, 0.5), max(b, a, -0.5))), left, right)
    for dtype in (np.float32, np.float64):
        agree(
            hetc.map(lambda a, b: (min(a, b), max(a, b), np.minimum(a, b), np.maximum(a, b))),
            np.array(left, dtype),
            np.array(right, dtype),
        )
    agree(hetc.map(lambda a, b: (a < b, a <= b, a == b, a != b, a > b, a >= b)), left, right)


def test_signed_zeros(agree: Agree) -> None:
    values = [0.0, -0.0]
    left, right = columns(values, values)
    agree(hetc.map(lambda a, b: (a + b, a - b, a * b, -a, abs(a), a or b, math.copysign(1.0, a))), left, right)


# --- Division by zero ------------------------------------------------------------------------------------------------


def test_one_zero_divisor_in_a_million(agree: Agree) -> None:
    divisors = [1.5] * 1_000_000
    divisors[777_777] = 0.0
    agree(hetc.map(lambda x: 1.0 / x), divisors, deopts=1)
    found = agree(hetc.map(lambda x: 1.0 / x), np.array(divisors))
    assert found[777_777] == math.inf


# --- Indices ---------------------------------------------------------------------------------------------------------

table = np.array([2.5, -1.0, 0.0, 7.25])


def test_indices(agree: Agree) -> None:
    agree(hetc.map(lambda i: table[i]), [-4, -1, 0, 3])
    agree(hetc.map(lambda i: table[i]), [0, 1, 4], deopts=1)
    agree(hetc.map(lambda i: table[i]), [0, -5, 1], deopts=1)


def test_loops_that_run_zero_times(agree: Agree) -> None:
    def total(n: int) -> Any:
        found = 0
        for i in range(n):
            found += table[i % 4]
        return found

    agree(hetc.map(total), [3, 2, 1])
    agree(hetc.map(total), [3, 0, -2], deopts=None)


# --- What changes between calls --------------------------------------------------------------------------------------


def test_a_closure_that_is_bound_late(agree: Agree) -> None:
    for k in range(4):
        agree(hetc.map(lambda x: x * k + table[k]), [1.0, 2.0])  # noqa: B023 (that is the point)
    late = [hetc.map(lambda x: x + k) for k in range(3)]  # noqa: B023
    assert [agree(af, [1]) for af in late] == [[3]] * 3


def test_a_captured_array_that_changes_in_place(agree: Agree) -> None:
    weights = np.array([1.0, 2.0])
    af = hetc.map(lambda i: weights[i] * 2)
    agree(af, [0, 1])
    weights[1] = -5.0
    agree(af, [0, 1])
    weights.resize(1, refcheck=False)
    agree(af, [0, 0])


def test_a_captured_function_that_is_replaced(agree: Agree) -> None:
    def inner(x: float) -> float:
        return x + 1

    af = hetc.map(lambda x: inner(x) * 2)
    agree(af, [1.0, 2.0])

    def inner(x: float) -> float:  # noqa: F811 (that is the point)
        return x - 1

    agree(af, [1.0, 2.0])


# --- The sign of a NaN -----------------------------------------------------------------------------------------------


def test_the_sign_of_a_nan(agree: Agree) -> None:
    """That of a computed NaN differs between processors, so Python runs such elements; a NaN that is read has one."""
    infinite = [math.inf, 1.0, -math.inf, -0.0]
    agree(hetc.map(lambda x: math.copysign(2.0, x - x)), infinite, deopts=1)
    agree(hetc.map(lambda x: (np.copysign(x, x * 0.0), np.signbit(x - x))), np.array(infinite), deopts=1)
    agree(hetc.map(lambda x: x - x).map(lambda x: math.copysign(1.0, x)), infinite, deopts=1)
    signed = np.array([math.nan, -math.nan, 1.0])
    agree(hetc.map(lambda x: (math.copysign(2.0, x), np.signbit(x))), signed)
    agree(hetc.map(lambda x: math.copysign(2.0, 1.0 if x > 0.0 else -1.0)), [math.inf, math.nan, -2.0])


NEGATIONS: list[Callable[[Any], Any]] = [
    lambda x: -x,
    lambda x: x * -1,
    lambda x: 0 - x,
    lambda x: ~x + 1,
    lambda x: 7 - x - 7,
    lambda x: -abs(x),
    abs,
]


@pytest.mark.parametrize("negation", NEGATIONS)
@pytest.mark.parametrize("dtype", INTEGERS[:4])
def test_the_least_integer_is_its_own_negation(agree: Agree, dtype: str, negation: Callable[[Any], Any]) -> None:
    """The sign of a negation is that of the number reversed, but for the least."""
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    last = np.iinfo(dtype).bits - 1

    def signs(x: Any) -> Any:
        y = negation(x)
        sign = y >> last
        step = y - 1 if y < 0 else y + 1
        return sign, step, y & sign, (y | 1) >> last, y // 2, y % 3, y <= 0, (y >= 0) - 1

    agree(hetc.map(signs), np.resize(np.array([low, high, low + 1, -1, 0, 1, 5, low // 2], dtype), 257))

"""NumPy's universal functions on the device: every type, edge values, results of NumPy's types."""

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
FLOATS = ["float32", "float64"]


def values(dtype: str) -> list[Any]:
    if dtype.startswith("float"):
        info = np.finfo(dtype)
        some = [0.0, -0.0, 1.0, -1.5, 2.5, -7.0, 0.1, 100.25, info.max, info.tiny, math.inf, -math.inf, math.nan]
        return list(np.array(some, dtype))
    info = np.iinfo(dtype)
    some = {info.min, info.min + 1, 0, 1, 2, 7, 12, info.max} | ({-1, -12} if info.min else set())
    return list(np.array(sorted(some), dtype))


def pairs(dtype: str, *, zeros: bool = True) -> tuple[Any, Any]:
    """All pairs of edge values; without `zeros`, those of which not both are 0."""
    rows = [(a, b) for a, b in itertools.product(values(dtype), repeat=2) if zeros or a or b]
    left, right = zip(*rows, strict=True)
    return np.array(left, dtype), np.array(right, dtype)


# --- Arithmetic ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [*INTEGERS, "float16", *FLOATS])
def test_arithmetic(agree: Agree, dtype: str) -> None:
    left, right = pairs(dtype)
    agree(hetc.map(lambda a, b: (np.add(a, b), np.subtract(a, b), np.multiply(a, b), np.divide(a, b))), left, right)
    agree(hetc.map(lambda a, b: (np.floor_divide(a, b), np.mod(a, b), np.fmod(a, b))), left, right)
    agree(hetc.map(np.divmod), left, right)
    agree(hetc.map(lambda a: (np.positive(a), np.negative(a), np.absolute(a), np.sign(a), np.square(a))), left)


@pytest.mark.parametrize("dtype", [*INTEGERS, "float16", *FLOATS])
def test_comparisons_and_extremes(agree: Agree, dtype: str) -> None:
    left, right = pairs(dtype)
    agree(hetc.map(lambda a, b: (np.less(a, b), np.less_equal(a, b), np.greater(a, b))), left, right)
    agree(hetc.map(lambda a, b: (np.greater_equal(a, b), np.equal(a, b), np.not_equal(a, b))), left, right)
    agree(hetc.map(lambda a, b: (np.logical_and(a, b), np.logical_or(a, b), np.logical_xor(a, b))), left, right)
    agree(hetc.map(lambda a: (np.logical_not(a), np.isnan(a), np.isinf(a), np.isfinite(a), np.signbit(a))), left)
    left, right = pairs(dtype, zeros=False)
    agree(hetc.map(lambda a, b: (np.fmax(a, b), np.fmin(a, b), np.maximum(a, b), np.minimum(a, b))), left, right)
    agree(hetc.map(lambda a, b: np.clip(a, b, 5)), left, right)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_bits_and_divisors(agree: Agree, dtype: str) -> None:
    left, right = pairs(dtype)
    agree(hetc.map(lambda a, b: (np.bitwise_and(a, b), np.bitwise_or(a, b), np.bitwise_xor(a, b))), left, right)
    agree(hetc.map(lambda a, b: (np.invert(a), np.left_shift(a, b), np.right_shift(a, b))), left, right)
    agree(hetc.map(lambda a, b: (np.gcd(a, b), np.lcm(a, b))), left, right)
    agree(hetc.map(np.power), left, np.abs(right % 9))
    agree(hetc.map(np.reciprocal), left[left != 0])
    agree(hetc.map(lambda a: (np.floor(a), np.ceil(a), np.trunc(a), np.round(a))), left)


# --- Floats ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
def test_rounding_and_bits(agree: Agree, dtype: str) -> None:
    left, right = pairs(dtype)
    agree(hetc.map(lambda a: (np.rint(a), np.floor(a), np.ceil(a), np.trunc(a), np.fix(a), np.round(a))), left)
    agree(hetc.map(lambda a: (np.round(a, 1), np.around(a, 2), np.reciprocal(a), np.spacing(a))), left)
    agree(hetc.map(lambda a, b: (np.copysign(a, b), np.nextafter(a, b), np.heaviside(a, b))), left, right)
    agree(hetc.map(np.modf), left)
    agree(hetc.map(np.frexp), left)
    exponents = np.array([0, 1, -1, 30, -160, 1000, -1074, 2**31 - 1, -(2**31)], np.int32)
    agree(hetc.map(np.ldexp), np.repeat(left[:13], 9), np.tile(exponents, 13))
    agree(hetc.map(lambda a: (np.deg2rad(a), np.radians(a), np.rad2deg(a), np.degrees(a))), left)


@pytest.mark.parametrize("dtype", FLOATS)
def test_transcendental_functions(agree: Agree, dtype: str) -> None:
    grid = np.linspace(-3, 3, 61).astype(dtype)
    unit = np.linspace(-1, 1, 41).astype(dtype)
    positive = np.geomspace(1e-3, 1e3, 61).astype(dtype)
    agree(hetc.map(lambda a: (np.exp(a), np.exp2(a), np.expm1(a), np.cbrt(a), np.sinh(a), np.tanh(a))), grid, ulp=4)
    agree(hetc.map(lambda a: (np.log(a), np.log2(a), np.log10(a), np.log1p(a), np.sqrt(a))), positive, ulp=4)
    agree(hetc.map(lambda a: (np.arcsin(a), np.arccos(a), np.arctan(a), np.arcsinh(a))), unit, ulp=4)
    left, right = np.repeat(grid, 61), np.tile(grid, 61)
    agree(hetc.map(lambda a, b: (np.hypot(a, b), np.arctan2(a, b))), left, right, ulp=4)
    near = {"float32": 1e-4, "float64": 1e-12}[dtype]  # near to 0, the result shows the rounding of both terms
    agree(hetc.map(lambda a, b: (np.logaddexp(a, b), np.logaddexp2(a, b))), left, right, ulp=16, rtol=near)
    agree(hetc.map(lambda a, b: (np.power(a, b), np.float_power(a, b))), np.repeat(positive, 61), right, ulp=16)
    edges = np.array([math.inf, -math.inf, math.nan, 0.0, -0.0], dtype)
    agree(hetc.map(lambda a, b: (np.hypot(a, b), np.logaddexp(a, b))), np.repeat(edges, 5), np.tile(edges, 5))
    agree(hetc.map(lambda a: np.power(a, 0.5)), edges)


def test_half_precision(agree: Agree) -> None:
    left, right = pairs("float16")
    agree(hetc.map(lambda a: (np.rint(a), np.floor(a), np.ceil(a), np.trunc(a), np.reciprocal(a))), left)
    agree(hetc.map(lambda a, b: (np.copysign(a, b), np.heaviside(a, b), np.fmod(a, b))), left, right)
    agree(hetc.map(np.modf), left)
    agree(hetc.map(np.frexp), left)
    grid = np.linspace(-3, 3, 61).astype(np.float16)
    agree(hetc.map(lambda a, b: (np.hypot(a, b), np.logaddexp(a, b), np.degrees(a))), grid, grid[::-1].copy(), ulp=1)
    agree(hetc.map(lambda a: (np.nextafter(a, a), np.spacing(a))), grid, fallbacks=1)


# --- Python numbers, truth values and mixtures -----------------------------------------------------------------------


def test_python_numbers_become_numpys(agree: Agree) -> None:
    agree(hetc.map(lambda a: (np.add(a, 1), np.less(a, 2), np.sign(a), np.floor(a), np.power(a, 2))), [1, -3, 2**62])
    agree(hetc.map(lambda a: (np.add(a, 1), np.less(a, 2), np.sign(a), np.floor(a), np.clip(a, 0, 1))), [1.5, -0.25])
    agree(hetc.map(lambda a: (np.round(a, 1), np.round(a), np.abs(a), np.divide(a, 4))), [1.25, -2.5])
    agree(hetc.map(lambda a, b: (np.logical_and(a, b), np.add(a, b), np.multiply(a, b))), [True, False], [True, True])


@pytest.mark.parametrize("other", ["int8", "uint64", "float32", "float64"])
@pytest.mark.parametrize("dtype", ["int16", "uint8", "int64", "float32"])
def test_two_types(agree: Agree, dtype: str, other: str) -> None:
    left, right = np.array([0, 1, 100, 7], dtype), np.array([3, 0, 1, 100], other)
    agree(hetc.map(lambda a, b: (np.add(a, b), np.less(a, b), np.maximum(a, b), np.remainder(a, b))), left, right)
    agree(hetc.map(lambda a: (np.multiply(a, 2), np.fmod(a, 3), np.minimum(a, 50), np.divide(a, 2.0))), left)


def test_a_negative_power_of_an_integer_raises(agree: Agree) -> None:
    agree(hetc.map(np.power), np.array([2, 3]), np.array([2, -1]), deopts=1)
    agree(hetc.map(np.reciprocal), np.array([2, 1, 0]), deopts=1)

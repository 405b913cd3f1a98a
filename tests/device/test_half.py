"""Half precision on the device: equal to NumPy's to the bit, which computes in single precision and rounds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.frontends.python import known
from hetc.runtime.devices import Device

Agree = Callable[..., Any]

EVERY = np.arange(2**16, dtype=np.uint16).view(np.float16)
"""Every number of half precision, NaNs of all kinds included."""

SIZES = [0, 1, 7, 255, 257]


def some(count: int = 2000, seed: int = 0) -> np.ndarray[Any, np.dtype[np.float16]]:
    """Random bits as numbers: all sizes alike, infinities and NaN among them."""
    return np.random.default_rng(seed).integers(0, 2**16, count).astype(np.uint16).view(np.float16)


def ordinary(count: int = 300, seed: int = 0) -> np.ndarray[Any, np.dtype[np.float16]]:
    return np.random.default_rng(seed).normal(size=count).astype(np.float16)


ARITHMETIC = {
    "add": hetc.map(lambda a, b: a + b),
    "sub": hetc.map(lambda a, b: a - b),
    "mul": hetc.map(lambda a, b: a * b),
    "truediv": hetc.map(lambda a, b: a / b),
    "floordiv": hetc.map(lambda a, b: a // b),
    "mod": hetc.map(lambda a, b: a % b),
    "lt": hetc.map(lambda a, b: a < b),
    "eq": hetc.map(lambda a, b: a == b),
}


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic(agree: Agree, name: str):
    agree(ARITHMETIC[name], some(), some(seed=1))
    edges = np.array([0.0, -0.0, 1.0, -1.5, 65504, -65504, 6e-8, 6.1e-5, math.inf, -math.inf, math.nan], np.float16)
    left, right = zip(*itertools.product(edges, edges), strict=True)
    agree(ARITHMETIC[name], np.array(left), np.array(right))
    agree(ARITHMETIC[name], list(left), list(right))


def test_every_number(agree: Agree):
    agree(hetc.map(lambda a: (-a, +a, abs(a), not a, a + 1, a * a)), EVERY)
    agree(hetc.map(lambda a: (a * 3 - a, a / 3, 1 / a)), EVERY)


@pytest.mark.parametrize("size", SIZES)
def test_arrays_of_all_sizes(agree: Agree, size: int):
    x = ordinary(size)
    af = hetc.map(lambda a: a * a + 1)
    if size:
        agree(af, x)
    else:  # NumPy takes no elements for float64
        assert af(x).dtype == np.float16


@pytest.mark.parametrize(
    "other", ["int", "float", "bool", "int8", "uint8", "int16", "int32", "uint64", "float32", "float64", "complex64"]
)
def test_mixed_types(agree: Agree, other: str):
    plain = [3, 1, 2, 1, 5] * 20
    right: Any = (
        [{"int": int, "float": float, "bool": bool}[other](x) for x in plain]
        if other in ("int", "float", "bool")
        else np.array(plain, other)
    )
    left = ordinary(100)
    agree(hetc.map(lambda a, b: (a + b, b + a, a - b, b - a, a * b, b * a)), left, right)
    agree(hetc.map(lambda a, b: (a / b, b / a, a < b, b < a, a == b, b == a)), left, right)
    if other != "complex64":
        agree(hetc.map(lambda a, b: (a // b, b // a, a % b, b % a)), left, right)


def test_python_numbers_are_rounded_first(agree: Agree):
    agree(hetc.map(lambda a: (a + 0.1, a * 1e6, a == 0.1, a < 100000, a - 70000, 2 - a)), some())


@pytest.mark.parametrize("gain", [0.1, 1e9, 7, 70000, np.float16(0.1), np.float32(0.1), np.float64(0.1), 1j])
def test_captured_numbers(agree: Agree, gain: Any):
    agree(hetc.map(lambda a: a * gain), ordinary())


def conversions() -> np.ndarray[Any, np.dtype[np.float64]]:
    """Numbers at, and next to, the midpoints of numbers of half precision, and random ones."""
    finite = EVERY[np.isfinite(EVERY)].astype(np.float64)
    middle = (finite + np.roll(finite, 1)) / 2
    rng = np.random.default_rng(0)
    wide = rng.normal(size=3000) * 10.0 ** rng.integers(-12, 12, 3000)
    special = [65519.99, 65520.0, 65536.0, -65520.0, 2.0**-25, 2.0**-25 * 1.0001, 1e300, math.inf, math.nan, -0.0]
    return np.concatenate([middle, np.nextafter(middle, np.inf), np.nextafter(middle, -np.inf), wide, special])


def test_conversions_round_once(agree: Agree):
    doubles = conversions()
    agree(hetc.map(lambda x: np.float16(x)), doubles)  # noqa: PLW0108
    agree(hetc.map(lambda x: np.float16(x) * 2), doubles)
    with np.errstate(over="ignore"):
        singles = doubles.astype(np.float32)
    singles = np.concatenate([singles, np.nextafter(singles, np.float32(np.inf))])
    agree(hetc.map(np.float16), singles)
    agree(hetc.map(lambda x: np.float16(x) * 2), singles)
    agree(hetc.map(lambda x: np.float16(x) + 0), np.arange(-70000, 70000, 7))
    agree(hetc.map(lambda x: np.float16(x) + 0), list(map(float, conversions()[:500])))


def test_conversions_to_other_types(agree: Agree):
    agree(hetc.map(lambda h: (np.float32(h), np.float64(h), float(h), bool(h), np.complex64(h))), EVERY)
    finite = EVERY[np.isfinite(EVERY)]
    agree(hetc.map(lambda h: (int(h), round(h), math.floor(h), math.ceil(h), np.int32(h))), finite)
    agree(hetc.map(lambda h: int(h)), np.array([1, math.inf], np.float16), deopts=1)  # noqa: PLW0108


NOT_OF_ONE_HALF = {"absolute", "clip", "frexp", "invert", "modf", "spacing"}
ONE = sorted(name for name in {*known._NUMPY} - NOT_OF_ONE_HALF if getattr(getattr(np, name), "nin", 1) == 1)
NUMPY = {name: hetc.map(getattr(np, name)) for name in ONE}


@pytest.mark.parametrize("name", NUMPY)
def test_numpy_functions(agree: Agree, name: str):
    agree(NUMPY[name], ordinary(), ulp=1)
    agree(NUMPY[name], np.array([0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, 60000.0], np.float16), ulp=1)


def test_numpy_functions_of_two(agree: Agree):
    agree(hetc.map(lambda a, b: (np.maximum(a, b), np.minimum(a, b), np.copysign(a, b))), ordinary(), ordinary(seed=1))
    agree(hetc.map(lambda a, b: np.arctan2(a, b)), ordinary(), ordinary(seed=1), ulp=1)  # noqa: PLW0108
    agree(hetc.map(lambda a, b: (min(a, b), max(a, b))), some(), some(seed=1))


def test_square_roots_are_bit_equal(agree: Agree):
    agree(NUMPY["sqrt"], EVERY)


def test_functions_of_math_take_it_as_a_float(agree: Agree):
    agree(hetc.map(lambda a: (math.sqrt(abs(a)), math.isnan(a), math.fabs(a))), ordinary())


def test_powers(agree: Agree):
    agree(hetc.map(lambda a: (a**2, a**3, abs(a) ** 0.5)), ordinary(), ulp=1)
    agree(hetc.map(divmod), some(), some(seed=1))


def test_branches_and_loops(agree: Agree):
    def f(a: Any) -> Any:
        total = a * 0
        for k in range(5):
            if total < 2:
                total += a * k
            else:
                total = total / 3
        while total > 1:
            total = total * total - total - 1
            if total > 100:
                break
        return total, a if a > 0 else -a

    agree(hetc.map(f), ordinary())


def test_a_loop_that_starts_from_a_python_number(agree: Agree):
    def f(a: Any) -> Any:
        total = 0.0
        for _ in range(4):
            total += a
        return total

    agree(hetc.map(f), ordinary())


def test_captured_arrays_and_tuples(agree: Agree):
    table, matrix = ordinary(9), ordinary(12).reshape(3, 4)
    agree(hetc.map(lambda i: (table[i] * matrix[i % 3, 1], table[-1], i)), range(9))
    agree(hetc.map(lambda t: (t[0] + t[1], t[1])), [(np.float16(1.5), 2.0), (np.float16(0.1), 0.5)])
    agree(hetc.map(lambda a: a if a > 0 else 1), ordinary())
    agree(hetc.map(lambda a: a), [np.float16(1), 2.5, np.float16(3)])
    agree(hetc.zip(), ordinary(5), np.arange(5))


@pytest.mark.parametrize("size", [1, 7, 255, 257])
def test_reductions(agree: Agree, size: int):
    whole = np.random.default_rng(0).integers(-3, 4, size).astype(np.float16)  # sums of these are exact
    agree(hetc.reduce(lambda p, q: p + q, np.float16(0)), whole)
    agree(hetc.reduce(lambda p, q: p if p > q else q, np.float16(-60000)), ordinary(size))
    agree(hetc.map(lambda a: (a, 1)).reduce(lambda p, q: (p[0] + q[0], p[1] + q[1]), (np.float16(0), 0)), whole)
    agree(hetc.map(lambda a: np.float32(a)).reduce(lambda p, q: p + q, np.float32(0)), whole)  # noqa: PLW0108


def test_compositions(agree: Agree):
    agree(hetc.map(lambda a: a * 3).map(lambda a: a + 1).map(np.sqrt), abs(ordinary()))


def test_no_extension_is_needed(device: Device):
    text = hetc.map(lambda a: a * a + 1).on(device).lower(ordinary()).opencl()
    assert "cl_khr" not in text
    assert "vload_half" in text

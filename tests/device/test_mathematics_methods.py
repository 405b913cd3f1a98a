"""Keywords of known functions, and methods of numbers, on the device with operands of the data."""

from __future__ import annotations

import cmath
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc

Agree = Callable[..., Any]
FLOATS = [0.0, -0.0, 1.0, 1.5, -2.5, 2.675, 1e300, 5e-324, 2.0**53, math.inf, -math.inf, math.nan]
WHOLE = [0, 1, -1, 5, -6, 2**31, 2**53 + 1, 2**62, 2**63 - 1, -(2**63)]
INTEGER_TYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def columns(*values: list[Any]) -> tuple[list[Any], ...]:
    """All combinations, one column an operand."""
    return tuple(list(column) for column in zip(*itertools.product(*values), strict=True))


# --- Keywords --------------------------------------------------------------------------------------------------------


def test_tolerances_by_keyword(agree: Agree) -> None:
    x, y = columns(FLOATS, [0.0, 0.5, 10.0, math.inf, math.nan])
    agree(hetc.map(lambda a, t: math.isclose(a, 1.0, rel_tol=t)), x, y)
    agree(hetc.map(lambda a, t: math.isclose(abs_tol=t, b=a, a=1.0)), x, y)
    agree(hetc.map(lambda a, t: math.isclose(a, 1.0, abs_tol=0.25, rel_tol=t)), x, y)
    agree(hetc.map(lambda a, t: math.isclose(a, 1.0, rel_tol=t)), [1.0, 2.0], [0.5, -0.5], deopts=1)
    agree(hetc.map(lambda a, t: cmath.isclose(a, 1 + 2j, abs_tol=t)), *columns([1 + 2j, 3 - 1j, 1.5j], [0.0, 1.0, 5.0]))


def test_digits_by_keyword(agree: Agree) -> None:
    x, n = columns(FLOATS[:9], [0, 1, 2, -1])
    agree(hetc.map(lambda a, d: round(ndigits=d, number=a)), x, n)
    agree(hetc.map(lambda a: round(a, ndigits=None)), FLOATS[:6])
    agree(hetc.map(lambda a: round(a, None)), WHOLE)
    agree(hetc.map(lambda a: np.round(a, decimals=2)), np.array(FLOATS))


def test_other_keywords(agree: Agree) -> None:
    agree(hetc.map(lambda a: pow(base=a, exp=3, mod=1000)), WHOLE[:6])
    agree(hetc.map(lambda a: math.prod((a, 2), start=1.5)), FLOATS)
    agree(hetc.map(lambda a: math.prod([a, 2], start=3)), WHOLE[:6])
    agree(hetc.map(lambda a: np.clip(a, a_max=2.0, a_min=0.5)), np.array(FLOATS))
    agree(hetc.map(lambda a: complex(imag=a, real=1.0)), FLOATS)


def test_arguments_are_evaluated_in_the_order_of_the_source(agree: Agree) -> None:
    # The first division that fails is the one that raises.
    agree(hetc.map(lambda a, b: round(ndigits=1 // a, number=1.0 / b)), [1, 0], [1.0, 0.0], deopts=1)


# --- Methods ---------------------------------------------------------------------------------------------------------


def test_methods_of_python_numbers(agree: Agree) -> None:
    agree(hetc.map(lambda x: x.is_integer()), FLOATS)
    agree(hetc.map(lambda x: (x.bit_length(), x.bit_count(), x.numerator, x.denominator)), WHOLE)
    agree(hetc.map(lambda x: (x.bit_length(), x.bit_count(), x.numerator)), [True, False])


@pytest.mark.parametrize("dtype", INTEGER_TYPES)
def test_methods_of_numpy_integers(agree: Agree, dtype: str) -> None:
    limits = np.iinfo(dtype)
    values = np.array([0, 1, 5, 100, limits.max - 1, limits.max, limits.min], dtype)
    agree(hetc.map(lambda x: (x.bit_count(), x.numerator, x.is_integer())), values)
    agree(hetc.map(lambda x: x.item()), values, deopts=int(dtype == "uint64"))
    agree(hetc.map(lambda x: x.astype(np.int16)), values)
    agree(hetc.map(lambda x: x.astype(float)), values)
    agree(hetc.map(lambda x: x.astype("uint64")), values)
    agree(hetc.map(lambda x: round(x, -1)), values[:4])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_methods_of_numpy_floats(agree: Agree, dtype: str) -> None:
    with np.errstate(all="ignore"):
        values = np.array(FLOATS).astype(dtype)
    agree(hetc.map(lambda x: (x.is_integer(), x.item(), x.astype(bool))), values)
    agree(hetc.map(lambda x: x.astype(np.float32)), values)
    agree(hetc.map(lambda x: x.astype(int)), values[:6])
    agree(hetc.map(lambda x: x.astype(int)), values[-3:], deopts=1)


def test_what_has_no_such_method_is_left_to_python(agree: Agree) -> None:
    agree(hetc.map(lambda x: x.astype(float)), [1.0], fallbacks=1)
    agree(hetc.map(lambda x: x.bit_length()), [1.0], fallbacks=1)


# --- Comparisons -----------------------------------------------------------------------------------------------------


def test_integers_and_floats_compare_exactly(agree: Agree) -> None:
    real = [*FLOATS, 2.0**53 + 2, 2.0**62, 2.0**63, -(2.0**63), 2.0**63 - 1024]
    i, x = columns([*WHOLE, 2**53, 2**53 + 2, 2**63 - 1023, 2**63 - 1024, -(2**53) - 1], real)
    agree(hetc.map(lambda a, b: (a < b, a <= b, a == b, a != b, a > b, a >= b)), i, x)
    agree(hetc.map(lambda a, b: (b < a, b <= a, b == a, b != a, b > a, b >= a)), i, x)

"""The work-items of a last group that is not full, and code that is not vectorised, compute what the others do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc

SIZES = [1, 7, 257, 4099]


def _least(a: Any, b: Any) -> Any:
    return min(~a, b)


def _greatest(a: Any, b: Any) -> Any:
    return max(a, ~b)


def _conditional(a: Any, b: Any) -> Any:
    return ~a if ~a < b else b


def _complement_of_least(a: Any, b: Any) -> Any:
    return ~min(a, b)


def _difference(a: Any, b: Any) -> Any:
    return min(-1 - a, b)


def _sum(a: Any, b: Any) -> Any:
    return max(3 - a - 4, b)


def _product(a: Any, b: Any) -> Any:
    return max(a * -1 - 1, b)


def _difference_of_two(a: Any, b: Any) -> Any:
    return max(b - a - 1, b), min(a - b, ~b)


def _shifted(a: Any, b: Any) -> Any:
    return max(~a >> 1, b) + min((~a) << 1, b)


def _by_statements(a: Any, b: Any) -> Any:
    best, place = b, 0
    for number, candidate in enumerate((~a, a - b, b)):
        if candidate > best:
            best, place = candidate, number
    return ~best, place


def _sign(a: Any, b: Any) -> Any:
    return max(-1 if a >= b else 0, b)


ANY_SIGN = [_least, _greatest, _conditional, _complement_of_least]
"""These have no negative constant, which would not mix with an unsigned number."""
SIGNED = [*ANY_SIGN, _difference, _sum, _product, _difference_of_two, _shifted, _by_statements, _sign]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("dtype", "function"),
    [
        *((dtype, f) for dtype in (None, "int8", "int32", "int64") for f in SIGNED),
        *((dtype, f) for dtype in ("uint32", "uint64") for f in ANY_SIGN),
    ],
)
def test_a_complement_beside_a_minimum(
    agree: Callable[..., Any], function: Callable[..., Any], dtype: str | None, size: int
) -> None:
    a = np.resize([0, 3, 1, 5, 100, 7, 8], size)
    b = np.resize([2, 30, 1, 5, 90], size)
    inputs = (a.tolist(), b.tolist()) if dtype is None else (a.astype(dtype), b.astype(dtype))
    agree(hetc.map(function), *inputs)
    if function not in (_difference_of_two, _by_statements):
        agree(hetc.map(function).reduce(lambda x, y: x ^ y, 0), *inputs)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.float32(np.int32(x)),
        lambda x: np.float64(np.int32(x)),
        lambda x: np.copysign(1.0, np.float32(np.int16(x))),
        lambda x: 2.0 * np.float64(np.int64(x)),
        lambda x: float(int(x)),
    ],
)
def test_a_float_of_an_integer_has_no_negative_zero(
    agree: Callable[..., Any], function: Callable[..., Any], dtype: str, size: int
) -> None:
    agree(hetc.map(function), np.resize([-0.5, 0.5, -0.25, 1.5, -0.0, 0.0, -1.5], size).astype(dtype))

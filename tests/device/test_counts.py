"""Filters that count by comparisons alone: loops that Intel's compiler makes vectors of, unlike others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc

SIZES = (1, 5, 63, 64, 65, 1000, 4113, 70_001)
DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")


def data_of(dtype: str, size: int) -> Any:
    """Numbers of both signs about 0 where there are such, the extremes, and NaN."""
    numbers = np.random.default_rng(size).integers(-3, 4, size).astype(dtype)
    kind = numbers.dtype.kind
    if kind in "iu":
        numbers[::7], numbers[3::11] = np.iinfo(dtype).min, np.iinfo(dtype).max
    if kind == "f":
        numbers[::7], numbers[3::11], numbers[5::13] = np.nan, -0.0, np.inf
    return numbers


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "predicate",
    [
        lambda x: x < 1,
        lambda x: x <= 1,
        lambda x: x > 1,
        lambda x: x >= 1,
        lambda x: x == 1,
        lambda x: x != 1,
        lambda x: not x > 1,
        lambda x: x,
        lambda x: 0 < x <= 2,
        lambda x: (x > 2) | (x < 1),
        lambda x: (x > 0) ^ (x > 1),
    ],
)
def test_comparisons_of_each_type(agree: Callable[..., Any], predicate: Callable[[Any], Any], dtype: str) -> None:
    kept = hetc.filter(predicate)
    for size in SIZES:
        agree(kept, data_of(dtype, size))


@pytest.mark.parametrize("one", ["int8", "uint32", "int64", "float32", "float64"])
def test_comparisons_of_two_arrays(agree: Callable[..., Any], one: str) -> None:
    for other in ("int16", "uint64", "float32"):
        for predicate in (lambda x, y: x < y, lambda x, y: x >= y, lambda x, y: (x > 0) & (y < 2)):
            for size in (65, 4113):
                agree(hetc.filter(predicate), data_of(one, size), data_of(other, size))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_that_are_computed_first(agree: Callable[..., Any], dtype: str) -> None:
    bound = np.dtype(dtype).type(1.5)
    for size in (65, 4113, 70_001):
        agree(hetc.filter(lambda x: x * x - x + x > bound), data_of(dtype, size))
        agree(hetc.map(lambda x: -x + x * 3).filter(lambda x: abs(x) < bound), data_of(dtype, size))


def test_near_misses_count_right(agree: Callable[..., Any]) -> None:
    """Integers that are computed; the positions of elements; numbers that a list holds."""
    for size in (65, 4113, 70_001):
        agree(hetc.filter(lambda x: x - 1 < 1), data_of("int16", size) // 2)
        agree(hetc.filter(lambda x: x % 3 == 1), data_of("int32", size) // 2)
        agree(hetc.filter(lambda x: x * 2 < 3), (data_of("int64", size) % 100).tolist())
        agree(hetc.filter(lambda x: x > 40), range(size))

"""`round` to digits, conversions to integers, divisions with remainder and powers with a modulus, on the device."""

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
TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]


def columns(*values: list[Any]) -> tuple[list[Any], ...]:
    """All combinations, one column an operand."""
    return tuple(list(column) for column in zip(*itertools.product(*values), strict=True))


def floats() -> list[float]:
    chance = random.Random(3)
    ties = [k / 8 for k in range(-40, 41)] + [2.675, 1.005, 1.115, 4.35, 0.15, 5e-324, 4503599627370497.5, 1e22]
    decimals = [round(chance.uniform(-1000, 1000), 4) + 0.00005 for _ in range(100)]
    spread = [chance.uniform(-10, 10) * 10.0 ** chance.randint(-30, 30) for _ in range(100)]
    return [0.0, -0.0, math.inf, -math.inf, math.nan, *ties, *decimals, *spread]


def test_floats_to_digits_of_the_data(agree: Agree) -> None:
    agree(hetc.map(round), *columns(floats(), list(range(-22, 23))))
    agree(hetc.map(round), [1e-9, 2.0], [25, 1], deopts=1)
    agree(hetc.map(round), [1.7976931348623157e308, 2.0], [-306, 1], deopts=1)


@pytest.mark.parametrize("digits", [0, 1, 2, 3, 15, 22, 400, -1, -2, -22, -400])
def test_digits_of_the_source(agree: Agree, digits: int) -> None:
    agree(hetc.map(lambda x: round(x, digits)), floats())
    agree(hetc.map(lambda x: (round(x, 2), round(x, 0), round(x, -1))), floats())


def test_integers_to_digits(agree: Agree) -> None:
    whole = [0, 1, 5, 15, 25, 35, 45, 55, 149, 150, 151, 250, 12345, 10**17 + 5, 2**62]
    agree(hetc.map(round), *columns(whole + [-x for x in whole], [-40, -19, -18, -2, -1, 0, 3]))
    agree(hetc.map(round), [2**63 - 1, 1], [-1, -1], deopts=1)
    agree(hetc.map(round), [True, False], [-1, 2])


@pytest.mark.parametrize("dtype", TYPES)
def test_numpy_numbers_to_digits(agree: Agree, dtype: str) -> None:
    values = np.array([0.0, 1.5, 2.675, 127.0, 33.335, 99.5]).astype(dtype)
    agree(hetc.map(lambda x: (round(x, 2), round(x, 0), round(x))), values, deopts=None)
    if dtype.startswith("float"):
        agree(hetc.map(lambda x: (round(x, -1), round(x, 10))), values)


def test_unsigned_numbers_of_64_bits_as_integers(agree: Agree) -> None:
    agree(hetc.map(int), np.array([0, 1, 2**63 - 1], np.uint64))
    agree(hetc.map(int), np.array([0, 2**63, 2**64 - 1], np.uint64), deopts=1)


@pytest.mark.parametrize("right", [*TYPES, "bool", "int", "float"])
@pytest.mark.parametrize("left", ["int8", "uint64", "float32", "bool", "int", "float"])
def test_divmod_of_all_pairs(agree: Agree, left: str, right: str) -> None:
    def column(name: str, values: list[int]) -> Any:
        if name in ("int", "float"):
            return [{"int": int, "float": float}[name](x) for x in values]
        return np.array(values, name)

    agree(hetc.map(divmod), column(left, [7, 6, 1, 0, 100]), column(right, [2, 3, 1, 5, 7]))
    agree(hetc.map(divmod), column(left, [7, 1]), column(right, [2, 0]), deopts=None, fallbacks=None)


def test_powers_with_a_modulus(agree: Agree) -> None:
    bases, exponents = [0, 1, -5, 10, 2**62 + 1, -(2**63)], [0, 1, 2, 17, 10**9 + 7, 2**63 - 1]
    agree(hetc.map(pow), *columns(bases, exponents, [1, -1, 7, -7, 10**9 + 7, 2**50 - 1]))
    agree(hetc.map(pow), [3, 2], [5, -1], [7, 7], deopts=1)
    agree(hetc.map(pow), [3, 2], [5, 1], [7, 0], deopts=1)
    agree(hetc.map(pow), [3, 2], [5, 1], [7, 2**60], deopts=1)

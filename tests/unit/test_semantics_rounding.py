"""`round` to digits, and powers with a modulus, against CPython and NumPy."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from hetc.passes.semantics import functions
from hetc.passes.semantics.emitter import Emitter, Number
from tests.unit.semantics_oracle import TYPES, Build, check, edges, is_ordinary

FLOAT, INT = TYPES["float"], TYPES["int"]
DIGITS = [*range(-25, 26), 100, 308, 322, 323, 324, 1000, -307, -308, -309, -1000, 2**63 - 1, -(2**63)]
TIES = [0.5, 1.5, 2.5, 0.125, 0.375, 2.675, 2.665, 1.005, 1.115, 5e-324, 1e-5, 4.35, 0.15, 0.25, 0.35, 15.0, 25.0, 2e22]
LARGE = [4503599627370496.5, 4503599627370497.5, 9007199254740991.0, 9007199254740993.0, 1e22, 1.7976931348623157e308]


def round_to(e: Emitter, number: Number, digits: Number) -> Number:
    return functions.call(e, "round", [number, digits])


def round_with(digits: int) -> Build:
    return lambda e, number: functions.call(e, "round", [number, e.constant(digits, INT)])


def rounded(digits: int) -> Callable[[Any], Any]:
    return lambda x: round(x, digits)


def numbers() -> list[float]:
    chance = random.Random(7)
    decimals = [round(chance.uniform(-100, 100), 3) + 0.0005 for _ in range(200)]
    spread = [chance.uniform(1, 10) * 10.0 ** chance.randint(-30, 30) for _ in range(200)]
    found = [*edges("float"), *TIES, *LARGE, *decimals, *spread]
    return [*found, *(-x for x in found)]


def test_floats_to_digits_of_the_data():
    rows = [(x, digits) for x in numbers() for digits in DIGITS]
    check(round_to, round, [FLOAT, INT], rows, may_fail="round() to more than 22 digits")
    near = [(x, digits) for x, digits in rows if -22 <= digits <= 22 and not (abs(x) > 1e300 and digits < 0)]
    check(round_to, round, [FLOAT, INT], near)


@pytest.mark.parametrize("digits", [0, 1, 2, 3, 15, 22, 23, 324, -1, -3, -22, -23, -309])
def test_floats_to_digits_of_the_source(digits: int):
    rows = [(x,) for x in numbers()]
    may_fail = "round() to more than 22 digits"
    check(round_with(digits), rounded(digits), [FLOAT], rows, may_fail=may_fail)


@hypothesis.given(st.lists(st.tuples(st.floats(), st.integers(-22, 22)), min_size=1, max_size=50))
@hypothesis.settings(max_examples=50, deadline=None)
def test_any_float(rows: list[tuple[float, int]]):
    check(round_to, round, [FLOAT, INT], rows)


def test_integers_to_digits():
    whole = [*edges("int"), 5, 15, 25, 35, 45, 150, 250, 12345, 10**18, 5 * 10**18, 5 * 10**18 - 1]
    whole += [-x for x in whole if x > -(2**63)]
    digits = [d for d in DIGITS if d > -(2**63)]  # Python would compute 10**(2**63)
    check(round_to, round, [INT, INT], list(itertools.product(whole, digits)))
    check(round_to, round, [TYPES["bool"], INT], list(itertools.product([False, True], digits)))
    for places in (-1, -2, -18, -19, -30, 0, 4):
        check(round_with(places), rounded(places), [INT], [(x,) for x in whole])


@pytest.mark.parametrize("digits", [0, 1, 2, 8, 9, 10, 20, -1, -2, -10])
@pytest.mark.parametrize("type_", ["f16", "f32", "f64", "i8", "i32", "u64"])
def test_numpy_numbers_to_digits(type_: str, digits: int):
    values = [*edges(type_), *(np.dtype(edges(type_)[0].dtype).type(x) for x in TIES[1:3] * (type_[0] == "f"))]
    # Where a float does not fit an integer type, NumPy gives what the processor makes of it.
    may_fail = "the rounded integer does not fit" if type_[0] in "iu" else None
    check(round_with(digits), rounded(digits), [TYPES[type_]], [(x,) for x in values], may_fail=may_fail)


def test_powers_with_a_modulus():
    def power(e: Emitter, *operands: Number) -> Number:
        return functions.call(e, "pow", operands)

    bases = [0, 1, -1, 2, 3, -5, 10, 2**31, 2**62 + 1, 2**63 - 1, -(2**63)]
    exponents = [0, 1, 2, 3, 17, 64, 10**9 + 7, 2**63 - 1]
    moduli = [1, -1, 2, 7, -7, 97, 10**9 + 7, 2**31, 2**50 - 1, -(2**50) + 1]
    rows = list(itertools.product(bases, exponents, moduli))
    check(power, pow, [INT] * 3, rows)

    def ordinary(row: tuple[Any, ...]) -> bool:
        return all(map(is_ordinary, row))

    assert any(map(ordinary, rows))
    check(power, pow, [INT] * 3, [(2, 3, 0), (2, 3, 2**60), (2, 3, -(2**63))], may_fail="the modulus")
    check(power, pow, [INT] * 3, [(3, -1, 7), (2, -1, 4), (0, 0, 1)], may_fail="pow() with a modulus")
    check(power, pow, [TYPES["bool"], INT, INT], [(True, 2, 3), (False, 0, 5)])

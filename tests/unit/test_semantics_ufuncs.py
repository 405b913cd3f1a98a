"""NumPy's universal functions on scalars of every type, against NumPy: values, and the type of the result."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from hetc.frontends.python import known
from hetc.passes.semantics import functions
from hetc.passes.semantics.emitter import Emitter, Number
from tests.unit.semantics_oracle import TYPES, check, edges
from tests.unit.test_semantics_functions import ALL, call, refused, values

NAMES = sorted({str(known.known_name(getattr(np, name)))[3:] for name in known._NUMPY})
PAIRS = {"divmod", "frexp", "modf"}
TERNARY = {"clip"}
BINARY = {name for name in NAMES if getattr(getattr(np, name), "nin", 1) == 2} - PAIRS
UNARY = {*NAMES} - PAIRS - TERNARY - BINARY

ZEROS = {"maximum", "minimum", "fmax", "fmin"}
"""Which of two zeros they return depends on the processor."""


def limits(name: str, arity: int) -> set[tuple[str, ...]]:
    """Half precision has no bits to look at, but in memory."""
    if name not in ("nextafter", "spacing"):
        return set()
    return {types for types in itertools.product(ALL, repeat=arity) if result_type(name, types) == np.float16}


def result_type(name: str, types: tuple[str, ...]) -> Any:
    with np.errstate(all="ignore"):
        return np.dtype(type(getattr(np, name)(*(edges(type_)[1] for type_ in types))))


def test_the_names_are_what_numpy_calls_them():
    assert {known.known_name(np.true_divide), known.known_name(np.mod)} == {"np.divide", "np.remainder"}
    assert known.known_name(np.bitwise_not) == "np.invert"
    aliases = {"short": "int16", "intc": "int32", "uint": "uint64", "single": "float32", "double": "float64"}
    assert {name: known.known_name(getattr(np, name)) for name in aliases} == {
        name: f"np.{target}" for name, target in aliases.items()
    }


@pytest.mark.parametrize("name", sorted(UNARY))
def test_ufuncs_of_one(name: str):
    function = getattr(np, name)
    assert refused(call(f"np.{name}"), function, ulp=8, may_fail="np.reciprocal()") == limits(name, 1)


@pytest.mark.parametrize("name", sorted(BINARY))
def test_ufuncs_of_two(name: str):
    function = getattr(np, name)

    def is_zero(value: Any) -> bool:
        return abs(float(value)) < float(np.finfo(np.float32).smallest_subnormal)

    def rows_of(left: list[Any], right: list[Any]) -> list[tuple[Any, Any]]:
        rows = list(itertools.product(left, right))
        if name in ZEROS:
            return [(a, b) for a, b in rows if not (is_zero(a) and is_zero(b))]
        return rows

    ulp = 8 if name in ("power", "float_power", "arctan2", "hypot", "logaddexp", "logaddexp2") else 0
    assert refused(call(f"np.{name}"), function, 2, ulp=ulp, rows_of=rows_of) == limits(name, 2)


@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("name", sorted(PAIRS))
def test_ufuncs_that_give_two(name: str, part: int):
    def build(e: Emitter, *numbers: Number) -> Number:
        return functions.call_pair(e, f"np.{name}", numbers)[part]

    function, arity = getattr(np, name), 2 if name == "divmod" else 1
    found = refused(build, lambda *row: function(*row)[part], arity)
    assert found == set()


@pytest.mark.parametrize("type_", sorted(ALL))
def test_clip(type_: str):
    if type_ == "bool":
        return
    some = [*values(type_)[:5], *values(type_)[-4:]]
    check(call("np.clip"), np.clip, [TYPES[type_]] * 3, itertools.product(some, repeat=3))


@pytest.mark.parametrize("digits", [0, 1, 3, 12, -1, -3])
@pytest.mark.parametrize("type_", ["float", "f16", "f32", "f64", "int", "i16"])
def test_round_to_digits(type_: str, digits: int):
    def build(e: Emitter, number: Number) -> Number:
        return functions.call(e, "np.round", [number, e.constant(digits, TYPES["int"])])

    if type_ in ("int", "i16") and digits < 0:
        return
    check(build, lambda x: np.round(x, digits), [TYPES[type_]], [(x,) for x in values(type_)])

"""Operators on every pair of types: what `specialize` emits, run by an interpreter, against CPython and NumPy.

For each operator and pair of types the ops are built once and run on all pairs of edge values. What is refused, and so
runs in Python, is listed.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from hetc.abi import SCALAR_TYPES
from hetc.errors import UnsupportedError
from hetc.passes.semantics import arithmetic, comparison
from hetc.passes.semantics.emitter import Emitter, Number
from hetc.passes.semantics.promotion import OPERATORS
from tests.unit.semantics_oracle import TYPES, Build, check, edges, python_raises

COMPARISONS = {name: getattr(operator, name) for name in ("lt", "le", "eq", "ne", "gt", "ge")}
BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift")

# --------------------------------------------------------------------------------------------------------------------
# Binary operators
# --------------------------------------------------------------------------------------------------------------------


def binary(name: str) -> Build:
    return lambda e, left, right: arithmetic.binary(e, name, left, right)


def pairs(name: str, left: str, right: str) -> list[tuple[Any, Any]]:
    """All pairs of edge values, but for shifts to the left and powers that Python can hardly compute.

    Left out too are shifts of Python's 0 by 64 or more: a guard on the count fails, although the result is 0.
    """
    rows = list(itertools.product(edges(left), edges(right)))
    if name == "pow" and {left, right} <= {"int", "bool"}:
        return [(a, b) for a, b in rows if b <= 100 or abs(a) <= 1]
    if name != "lshift":
        return rows
    small = [(a, b) for a, b in rows if b <= 100 or not math.isfinite(b)]
    return [(a, b) for a, b in small if a or b < 64 or type(a) not in (int, bool)]


def check_pairs(
    name: str, build: Build, function: Callable[..., Any], ulp: int = 0, may_fail: str | None = None
) -> set[tuple[str, str]]:
    """Check an operator on every pair of types; the result names those that only Python runs."""
    refused: set[tuple[str, str]] = set()
    for left, right in itertools.product(TYPES, TYPES):
        rows = pairs(name, left, right)
        try:
            check(build, function, (TYPES[left], TYPES[right]), rows, ulp, may_fail=may_fail)
        except UnsupportedError:
            if not python_raises(function, [row for row in rows if name != "pow" or max(map(float, row)) < 100]):
                refused.add((left, right))
        except AssertionError as error:
            raise AssertionError(f"{left} {name} {right}\n{error}") from None
    return refused


WHOLE = [name for name, scalar in SCALAR_TYPES.items() if np.dtype(scalar.dtype).kind in "biu"]
SIGNED = [name for name in WHOLE if name.startswith("i") and name != "int"]


@pytest.mark.parametrize("name", BINARY)
def test_binary_operators_on_all_types(name: str):
    # The sign of an integer exponent decides the type of the result.
    may_fail = "a negative power" if name == "pow" else None
    assert check_pairs(name, binary(name), OPERATORS[name], 4 if name == "pow" else 0, may_fail) == set()


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_of_all_types(name: str):
    refused = check_pairs(name, lambda e, left, right: comparison.compare(e, name, left, right), COMPARISONS[name])
    assert refused == set()


# --------------------------------------------------------------------------------------------------------------------
# Literals
# --------------------------------------------------------------------------------------------------------------------

LITERALS: list[Any] = [
    0,
    1,
    -1,
    2,
    3,
    -3,
    7,
    64,
    300,
    -200,
    2**40,
    2**63 - 1,
    True,
    0.0,
    -0.0,
    0.5,
    2.0,
    -2.0,
    3.0,
    0.1,
    1e300,
]


def with_literal(literal: Any, build: Build, *, on_the_left: bool) -> Build:
    """An operator of which one operand is a literal."""

    def built(e: Emitter, other: Number) -> Number:
        constant = e.constant(literal, TYPES[type(literal).__name__])
        return build(e, constant, other) if on_the_left else build(e, other, constant)

    return built


def check_literals(name: str, build: Build, function: Callable[[Any, Any], Any], ulp: int = 0) -> set[tuple[str, str]]:
    """Check an operator on every type and literal, on both sides; the result names what only Python runs."""
    refused: set[tuple[str, str]] = set()
    for type_, literal, on_the_left in itertools.product(TYPES, LITERALS, (True, False)):

        def on(value: Any, literal: Any = literal, left: bool = on_the_left) -> Any:
            return function(literal, value) if left else function(value, literal)

        values = edges(type_)
        if name in ("lshift", "pow"):
            values = [value for value in values if not (math.isfinite(value) and abs(float(value)) > 100)]
        text = (str(literal), type_) if on_the_left else (type_, str(literal))
        if name == "lshift" and (literal == 0 if on_the_left else literal > 100):
            continue
        if name == "lshift" and not on_the_left and literal > 63:
            values = [value for value in values if value]
        if name == "pow" and not on_the_left and abs(literal) > 300:
            values = [value for value in values if abs(value) <= 1]
        try:
            check(
                with_literal(literal, build, on_the_left=on_the_left),
                on,
                [TYPES[type_]],
                [(v,) for v in values],
                ulp,
                literal,
                may_fail="a negative power" if name == "pow" else None,
            )
        except UnsupportedError:
            if not python_raises(on, [(v,) for v in values]):
                refused.add(text)
        except AssertionError as error:
            raise AssertionError(f"{text[0]} {name} {text[1]}\n{error}") from None
    return refused


@pytest.mark.parametrize("name", BINARY)
def test_binary_operators_with_a_literal(name: str):
    refused = check_literals(name, binary(name), OPERATORS[name], ulp=4 if name == "pow" else 0)
    assert refused == set()


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_with_a_literal(name: str):
    refused = check_literals(name, lambda e, left, right: comparison.compare(e, name, left, right), COMPARISONS[name])
    assert refused == set()


# --------------------------------------------------------------------------------------------------------------------
# Random values
# --------------------------------------------------------------------------------------------------------------------


def values(name: str) -> st.SearchStrategy[Any]:
    """Any value of a type."""
    scalar = SCALAR_TYPES[name]
    dtype = np.dtype(scalar.dtype)
    match dtype.kind:
        case "b":
            numbers: st.SearchStrategy[Any] = st.booleans()
        case "f":
            numbers = st.floats(width=8 * dtype.itemsize)
        case _:
            limits = np.iinfo(dtype)
            numbers = st.one_of(
                st.integers(int(limits.min), int(limits.max)), st.integers(max(-100, int(limits.min)), 100)
            )
    return numbers if scalar.python else numbers.map(dtype.type)


@st.composite
def operations(draw: st.DrawFn) -> tuple[str, tuple[str, str], list[tuple[Any, Any]]]:
    """An operator, a pair of types, and some pairs of values."""
    name = draw(st.sampled_from([*BINARY[:6], *BINARY[7:10], "rshift", *COMPARISONS]))
    left, right = draw(st.sampled_from(sorted(TYPES))), draw(st.sampled_from(sorted(TYPES)))
    return name, (left, right), draw(st.lists(st.tuples(values(left), values(right)), min_size=1, max_size=20))


@hypothesis.given(operations())
@hypothesis.settings(max_examples=200)
def test_random_values(operation: tuple[str, tuple[str, str], list[tuple[Any, Any]]]):
    name, types, rows = operation
    comparing = name in COMPARISONS
    build: Build = (lambda e, a, b: comparison.compare(e, name, a, b)) if comparing else binary(name)
    function = COMPARISONS[name] if comparing else OPERATORS[name]
    try:
        check(build, function, [TYPES[name] for name in types], rows)
    except UnsupportedError:
        assert python_raises(function, rows)

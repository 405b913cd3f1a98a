"""Attributes and methods of numbers, on edge values of every type: against CPython and NumPy."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import pytest

from hetc.analysis.concrete import function_named
from hetc.dialects import dyn, guard
from hetc.errors import UnsupportedError
from hetc.passes.semantics import comparison, functions
from hetc.passes.semantics.emitter import Emitter, Number
from tests.unit.semantics_oracle import TYPES, Build, check, edges, python_raises

NAMES = [*dyn.NUMBER_ATTRIBUTES, *dyn.NUMBER_METHODS]
DTYPES = ["bool", "int8", "uint16", "int32", "int64", "uint64", "float32", "float64"]


def method(name: str) -> Build:
    return lambda e, x: functions.call(e, f"number.{name}", [x])


def refused(name: str, types: Any = TYPES) -> set[str]:
    """The types that have the attribute in Python, but not here.

    What NumPy makes of a float that does not fit an integer type depends on the processor.
    """
    found: set[str] = set()
    for type_ in types:
        rows = [(value,) for value in edges(type_)]
        function = function_named(f"number.{name}")
        try:
            check(method(name), function, [TYPES[type_]], rows, may_fail="the float does not fit")
        except UnsupportedError:
            if not python_raises(function, rows):
                found.add(type_)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_attributes_and_methods(name: str):
    assert refused(name) == set()


@pytest.mark.parametrize("dtype", DTYPES)
def test_conversions_of_numpy_numbers(dtype: str):
    assert refused(f"astype.{dtype}") == set()


@pytest.mark.parametrize("dtype", [*DTYPES, "float16"])
def test_bits_of_numpy_numbers(dtype: str):
    """A view as a number of the same size; `bool` and complex numbers are left to NumPy."""
    function, kind = function_named(f"number.view.{dtype}"), np.dtype(dtype)
    for type_, source in TYPES.items():
        rows = [(value,) for value in edges(type_)]
        scalar = type(rows[0][0])
        own = np.dtype(scalar) if issubclass(scalar, np.integer | np.floating) else None
        if own is not None and kind.kind != "b" and own.itemsize == kind.itemsize:
            check(method(f"view.{dtype}"), function, [source], rows)
        else:
            with pytest.raises(UnsupportedError):
                check(method(f"view.{dtype}"), function, [source], rows)


@pytest.mark.parametrize("shift", range(64))
def test_lengths_of_all_powers_of_two(shift: int):
    power = 1 << shift
    values = [power, power - 1, -power, 1 - power]
    rows = [(value,) for value in values if -(2**63) <= value < 2**63]
    for name in ("bit_length", "bit_count"):
        check(method(name), operator.methodcaller(name), [dyn.INT], rows)


# --- Comparisons -----------------------------------------------------------------------------------------------------

WHOLE = [0, 1, -1, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**62, 2**62 + 1, 2**63 - 513, 2**63 - 512, 2**63 - 1]
REAL = [0.0, -0.0, 0.5, 1.0, -1.5, 2.0**53, 2.0**53 + 2.0, 2.0**62, 2.0**63, 2.0**63 - 1024.0, 1e300, math.inf]


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_integers_and_floats_compare_exactly_and_without_a_guard(name: str):
    whole, real = [*WHOLE, *(-x for x in WHOLE), -(2**63)], [*REAL, *(-x for x in REAL), math.nan]
    rows = [(i, x) for i in whole for x in real]
    emitted: list[Emitter] = []

    def build(e: Emitter, left: Number, right: Number) -> Number:
        emitted.append(e)
        return comparison.compare(e, name, left, right)

    check(build, getattr(operator, name), [dyn.INT, dyn.FLOAT], rows)
    check(build, getattr(operator, name), [dyn.FLOAT, dyn.INT], [(x, i) for i, x in rows])
    assert not [op for e in emitted for op in e.block.walk() if isinstance(op, guard.RequireOp)]


# --- Tolerances ------------------------------------------------------------------------------------------------------


def test_tolerances():
    values = [0.0, 1.0, 1.05, -1.0, 1e300, math.inf, -math.inf, math.nan]
    tolerances = [0.0, 1e-9, 0.1, 10.0, math.inf, math.nan, -0.0, -1.0]
    rows = [(a, b, r, t) for a in values for b in values for r in tolerances for t in tolerances]
    for name in ("math.isclose", "cmath.isclose"):
        close = function_named(name)
        check(
            lambda e, *operands, name=name: functions.call(e, name, operands),
            lambda a, b, r, t, close=close: close(a, b, rel_tol=r, abs_tol=t),
            [dyn.FLOAT] * 4,
            [tuple(np.array(row).tolist()) for row in rows],
        )

"""Differential tests of semantics: build typed ops, run them on edge values, and ask CPython and NumPy what is right.

Where Python raises, or leaves 64 bits, a guard has to fail; everywhere else value and type must be Python's, and on
ordinary numbers no guard may fail.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Attribute

from hetc.abi import SCALAR_TYPES
from hetc.analysis.source_types import is_complex, to_ir
from hetc.dialects.obj import payload
from hetc.interpreter.cases import Cases, Stopped, payloads, python_value
from hetc.interpreter.comparison import same
from hetc.interpreter.program import OPS
from hetc.passes.semantics.emitter import Emitter, Number

Build = Callable[..., Number]
"""Given an emitter and operands, appends the ops and returns their result."""

ALL_TYPES = {name: to_ir(scalar) for name, scalar in SCALAR_TYPES.items()}
"""The source type of each element type."""

TYPES = {name: source for name, source in ALL_TYPES.items() if not is_complex(source)}
"""Those of real numbers."""

PARTS = [0.0, -0.0, 1.0, -2.5, math.inf, math.nan]
COMPLEX = [
    *itertools.starmap(complex, itertools.product(PARTS, PARTS)),
    *(3 - 4j, -7 + 0.5j, 0.1 + 3j, 2 + 1j, complex(1e308, 1e308), complex(1e-300, 1.0), complex(-1e-310, 0.0)),
]
INTEGERS = [0, 1, -1, 2, -2, 3, -5, 7, 10, 63, 64, 100]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.1, -0.5, 2.5, 3.0, -7.0, 1e6, math.inf, -math.inf, math.nan]


def edges(name: str) -> list[Any]:
    """The edge values of a type, as Python or NumPy scalars."""
    scalar = SCALAR_TYPES[name]
    if name == "int":
        return [*INTEGERS, 2**31 - 1, -(2**31), 2**53, 2**53 + 1, 2**62, 2**63 - 1, -(2**63)]
    if name == "float":
        return [*FLOATS, 1e308, -1e308, 5e-324, 2.0**53, 2.0**63]
    dtype = np.dtype(scalar.dtype)
    if dtype.kind == "c":
        with np.errstate(all="ignore"):
            return COMPLEX if scalar.python else [dtype.type(z) for z in COMPLEX]
    if dtype.kind == "b":
        return [dtype.type(False), dtype.type(True)] if not scalar.python else [False, True]
    if dtype.kind == "f":
        info = np.finfo(dtype)
        with np.errstate(over="ignore"):
            return [dtype.type(x) for x in (*FLOATS, info.max, info.tiny, info.smallest_subnormal)]
    limits = np.iinfo(dtype)
    inside = [x for x in (*INTEGERS, limits.min, limits.max) if limits.min <= x <= limits.max]
    return [dtype.type(x) for x in inside]


def is_ordinary(value: Any) -> bool:
    """Whether no guard may fail on such a number, unless Python raises."""
    if isinstance(value, bool | np.bool_):
        return True
    if isinstance(value, complex | np.complexfloating):
        return is_ordinary(float(value.real)) and is_ordinary(float(value.imag))
    number = float(value)
    return math.isfinite(number) and (number == 0.0 or 1e-3 <= abs(number) <= 1e6)


# --------------------------------------------------------------------------------------------------------------------
# The oracle and the comparison with it
# --------------------------------------------------------------------------------------------------------------------


def outcome(function: Callable[..., Any], row: Sequence[Any]) -> Any:
    """What Python gives: a value or an exception."""
    try:
        return function(*row)
    except (AttributeError, ArithmeticError, LookupError, ValueError, TypeError) as error:
        return error


def leaves_64_bits(expected: Any) -> bool:
    """Whether a value is beyond what a real type of the device holds: Python's big integers and complex numbers."""
    return isinstance(expected, complex) or (type(expected) is int and not -(2**63) <= expected < 2**63)


def check(
    build: Build,
    function: Callable[..., Any],
    sources: Sequence[Attribute],
    rows: Iterable[Sequence[Any]],
    ulp: int = 0,
    literal: Any = 0,
    may_fail: str | None = None,
) -> None:
    """Build the ops for operands of the given types, run them on all rows, and compare with a Python function.

    `ulp` is how far a result may be off, `literal` what `build` adds to each row, and `may_fail` starts the reason of a
    guard that may fail on ordinary numbers too. Raises UnsupportedError if the types are refused.
    """
    emitter = Emitter()
    arguments = [
        Number(emitter.block.insert_arg(payload(source), index), source) for index, source in enumerate(sources)
    ]
    result = build(emitter, *arguments)
    rows = list(rows)
    cases = Cases(len(rows), OPS)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        columns = [
            cases.plain(payloads(column, source))
            for column, source in zip(zip(*rows, strict=True), sources, strict=True)
        ]
        try:
            cases.run(emitter.block, columns)
            found = cases.demand(cases.get(result.value), "the result")
        except Stopped:
            found = np.zeros(len(rows))
        wrong = [
            text
            for index, row in enumerate(rows)
            if not excused(cases.failed[index], may_fail)
            and (text := complaint(cases, index, found, result.source, (*row, literal), outcome(function, row), ulp))
        ]
    assert not wrong, "\n".join(wrong[:10])


def excused(failed: str, may_fail: str | None) -> bool:
    """Whether a case failed the guard that may fail."""
    return may_fail is not None and failed.startswith(may_fail)


def complaint(
    cases: Cases, index: int, found: Any, source: Attribute, row: Sequence[Any], expected: Any, ulp: int
) -> str | None:
    """What is wrong with one case."""
    if not cases.alive[index]:
        excused = (
            isinstance(expected, Exception)
            or (leaves_64_bits(expected) and not is_complex(source))
            or not all(map(is_ordinary, row))
        )
        return None if excused else f"{row}: the guard '{cases.failed[index]}' fails, but Python gives {expected!r}"
    value = python_value(found[index], source)
    if isinstance(expected, Exception) or not same(value, expected, ulp):
        return f"{row}: {value!r} ({type(value).__name__}) instead of {expected!r} ({type(expected).__name__})"
    return None


def python_raises(function: Callable[..., Any], rows: Iterable[Sequence[Any]]) -> bool:
    """Whether Python raises for all rows, so that nothing is lost by not compiling."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return all(isinstance(outcome(function, row), Exception) for row in rows)

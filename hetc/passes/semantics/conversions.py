"""Conversions between kinds of numbers that Python guards: float to int, and Python integers to NumPy's."""

from __future__ import annotations

from xdsl.dialects import math
from xdsl.dialects.builtin import IntegerType, f32
from xdsl.ir import Attribute

from hetc.analysis.source_types import is_complex, is_float, is_integer, is_unsigned, part_type, spelling
from hetc.diagnostics import Category
from hetc.dialects import dyn, obj
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics.emitter import Emitter, Number

EXACT_IN_DOUBLE = 2**53


def to_int(e: Emitter, number: Number) -> Number:
    """`int(x)`."""
    _refuse_complex(e, number)
    if is_float(number.source):
        return truncated(e, number)
    if is_unsigned(number.source):
        limit = integer_limits(number.source)[1]
        if limit >= 2**63:
            fits = e.compare_ints("sge", number.value, 0)
            e.require(fits, GuardKind.OVERFLOW, "int() of a uint64 may not fit 64 bits with a sign")
    return e.convert(number, dyn.INT)


def _refuse_complex(e: Emitter, number: Number) -> None:
    if is_complex(number.source):
        raise e.unsupported(f"{e.names(number)} cannot become a real number without loss", hint="take its .real")


def to_float(e: Emitter, number: Number) -> Number:
    """`float(x)`."""
    _refuse_complex(e, number)
    return e.convert(number, dyn.FLOAT)


def truncated(e: Emitter, number: Number) -> Number:
    """A float as a Python integer, towards zero; Python raises for NaN and infinities, and has big integers."""
    number = e.convert(number, dyn.FLOAT)
    limit = 2.0**63
    size = e.unary(math.AbsFOp, number.value)
    e.require(e.compare_floats("olt", size, limit), GuardKind.DOMAIN, "the float does not fit a 64-bit integer")
    return e.convert(Number(number.value, dyn.FLOAT), dyn.INT)


def exact_float(e: Emitter, number: Number, reason: str) -> Number:
    """A Python integer as a float, guarded to be exact, so that what is computed with it rounds once."""
    number = e.convert(number, dyn.INT)
    e.require_between(number, -EXACT_IN_DOUBLE, EXACT_IN_DOUBLE, GuardKind.DOMAIN, reason)
    return e.convert(number, dyn.FLOAT)


def fit_numpy(e: Emitter, number: Number, source: Attribute) -> Number:
    """A number as a NumPy type; a Python integer that does not fit raises OverflowError in NumPy."""
    if number.source == dyn.INT and is_integer(source):
        low, high = integer_limits(source)
        if isinstance(number.constant, int) and not low <= number.constant <= high:
            raise e.unsupported(
                f"the Python integer {number.constant} does not fit {spelling(source)}", category=Category.INTEGER
            )
        if (low, high) != (-(2**63), 2**63 - 1):
            reason = "the integer does not fit the NumPy type"
            e.require_between(number, low, min(high, 2**63 - 1), GuardKind.DOMAIN, reason)
    if number.source == dyn.INT and not is_integer(source) and isinstance(number.constant, int):
        return e.convert(e.constant(float(number.constant), dyn.FLOAT), source)
    if number.source == dyn.INT and _is_narrow(source):
        reason = "NumPy rounds an integer above 2**53 twice"
        e.require_between(number, -(2**53), 2**53, GuardKind.DOMAIN, reason)
    return e.convert(number, source)


def _is_narrow(source: Attribute) -> bool:
    """Whether a NumPy type holds single-precision floats; integers that are rounded twice overflow half precision."""
    return (part_type(source) if is_complex(source) else source) == f32


def integer_limits(source: Attribute) -> tuple[int, int]:
    """The lowest and highest value of an integer source type."""
    payload = obj.payload(source)
    assert isinstance(payload, IntegerType)
    width = payload.width.data
    return (0, 2**width - 1) if is_unsigned(source) else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)


def to_index(e: Emitter, number: Number) -> Number:
    """A number where Python needs an integer (`__index__`): floats are refused, truth values count as 0 and 1."""
    if is_float(number.source) or is_complex(number.source):
        raise e.unsupported("an integer is needed here, not a float", hint="use int(...)")
    return to_int(e, number)

"""Operators on Python numbers that are known now are computed now, by Python itself."""

from __future__ import annotations

from hetc.abi import INT64_MAX
from hetc.analysis.concrete import operator_named
from hetc.analysis.source_types import is_python
from hetc.dialects import dyn
from hetc.passes.semantics.emitter import Emitter, Number

MAX_EXPONENT = 1024
"""Python would take long for a power with a larger one, or its memory."""


def folded(e: Emitter, name: str, *operands: Number) -> Number | None:
    """The result of an operator of `dyn` on Python numbers that are known now, if it is a number that fits.

    None otherwise; also where Python raises, which is left to run time.
    """
    if any(number.constant is None or not is_python(number.source) for number in operands):
        return None
    if name in ("pow", "lshift") and not abs(operands[1].constant or 0) <= MAX_EXPONENT:
        return None
    try:
        value = operator_named(name)(*(number.constant for number in operands))
    except (ArithmeticError, ValueError, TypeError):
        return None
    if isinstance(value, bool):
        return e.constant(value, dyn.BOOL)
    if isinstance(value, int) and -INT64_MAX - 1 <= value <= INT64_MAX:
        return e.constant(value, dyn.INT)
    if isinstance(value, float):
        return e.constant(value, dyn.FLOAT)
    return e.constant(value, dyn.COMPLEX) if isinstance(value, complex) else None

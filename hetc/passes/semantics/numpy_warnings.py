"""What NumPy warns of: which operators and functions can make infinities of finite numbers, and NaNs of numbers.

NumPy reads the processor's floating-point flags (IEEE 754-2019, section 7) and warns of an invalid operation, a
division by zero and an overflow. Additions, subtractions and multiplications are not told of: to look at each of their
results makes the loop of the Mandelbrot set take 1.7 times as long.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import math
from xdsl.ir import SSAValue

from hetc.analysis.source_types import is_float, is_integer
from hetc.dialects.guard import Warns
from hetc.passes.semantics.emitter import Emitter, Number

INVALID = frozenset((
    "truediv", "floordiv", "mod", "pow", "fmod", "float_power", "sqrt", "log", "log2", "log10", "log1p", "sin", "cos",
    "tan", "arcsin", "arccos", "arccosh", "arctanh",
))  # fmt: skip
"""What may make a NaN of numbers."""
INFINITE = frozenset((
    "truediv", "floordiv", "pow", "float_power", "reciprocal", "hypot", "ldexp", "log", "log2", "log10", "log1p", "exp",
    "exp2", "expm1", "sinh", "cosh", "arctanh",
))  # fmt: skip
"""What may make an infinity of finite numbers."""
_INFINITY = float("inf")


def warn(e: Emitter, name: str, operands: Sequence[Number], result: Number) -> None:
    """Let Python tell of what NumPy warns of, where an operator or function does.

    To know whether there is anything to be told, it is enough to look for results that are not finite.
    """
    invalid, infinite = name in INVALID, name in INFINITE
    if e.warns is None or not is_float(result.source) or not (invalid or infinite):
        return
    if name == "truediv" and _is_large(operands[1]):
        return
    if e.warns is Warns.ANY:
        e.warn(_is_size(e, "olt", result.value), "something to warn of")
        return
    floats = [number.value for number in operands if is_float(number.source)]
    if invalid:
        number = e.compare_floats("ord", result.value, result.value)
        e.warn(_or_any(e, number, [e.compare_floats("uno", x, x) for x in floats]), "invalid value")
    if infinite:
        finite = _is_size(e, "une", result.value)
        e.warn(_or_any(e, finite, [_is_size(e, "oeq", x) for x in floats]), "division by zero or overflow")


def warn_of_zero(e: Emitter, divisor: Number) -> None:
    """Let Python tell of an integer that is divided by zero, which NumPy makes 0 of."""
    if e.warns is not None and is_integer(divisor.source) and not divisor.constant:
        e.warn(e.compare_ints("ne", divisor.value, 0), "division by zero")


def _is_large(divisor: Number) -> bool:
    """Whether a quotient is no larger than the dividend, and NaN only where that is."""
    return isinstance(divisor.constant, int | float) and 1 <= abs(divisor.constant) < _INFINITY


def _is_size(e: Emitter, predicate: str, value: SSAValue) -> SSAValue:
    return e.compare_floats(predicate, e.unary(math.AbsFOp, value), _INFINITY)


def _or_any(e: Emitter, first: SSAValue, others: Sequence[SSAValue]) -> SSAValue:
    for other in others:
        first = e.either(first, other)
    return first

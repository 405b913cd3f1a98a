"""`round`: to a number of digits as Python rounds, correctly, and as NumPy does, by scaling.

CPython rounds a float by its exact decimal expansion. With p = 10**|digits|, exact in a double up to 10**22, the same
is done in binary: the error of `x * p` (or the remainder of `x / p`) is computed exactly by a fused multiply-add, so
that the nearest integer z to the exact value is known, ties included; `z / p` (or `z * p`) of exact numbers rounds
once. A number of 2**53 units or more has its neighbours at least a unit apart: it is itself the nearest.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import math
from xdsl.dialects.builtin import f32, f64

from hetc.analysis.source_types import is_bool, is_complex, is_float, is_integer, is_python
from hetc.dialects import dyn, guard
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import conversions
from hetc.passes.semantics.emitter import Emitter, Number
from hetc.passes.semantics.promotion import result_type
from hetc.passes.semantics.terms import Term, constant

EXACT_POWERS = 22
"""10**22 is the largest power of ten that is a double."""
INTEGER_POWERS = 18
"""10**18 is the largest power of ten of 64 bits with a sign."""
MOST_DIGITS = 323
LEAST_DIGITS = -308
"""Beyond them every double is its own rounding, or rounds to zero (CPython, `float___round___impl`)."""
_UNITS = 2.0**53


def builtin_round(e: Emitter, arguments: Sequence[Number]) -> Number:
    """`round(x)` and `round(x, digits)`."""
    number = arguments[0]
    if any(is_complex(argument.source) for argument in arguments):
        raise e.unsupported(f"round() of {e.names(*arguments)} raises TypeError")
    if len(arguments) == 2:
        digits = arguments[1]
        if is_float(digits.source) or (is_bool(digits.source) and not is_python(digits.source)):
            raise e.unsupported("round() needs an integer as its number of digits")
        return _to_digits(e, number, conversions.to_int(e, digits))
    if is_float(number.source):
        return conversions.truncated(e, Number(e.unary(math.RoundEvenOp, number.value), number.source))
    source = result_type("round", number.source)
    if source is None:
        raise e.unsupported(f"round() of {e.names(number)} is not compiled")
    return conversions.to_int(e, number) if source == dyn.INT else e.convert(number, source)


def _to_digits(e: Emitter, number: Number, digits: Number) -> Number:
    if not is_python(number.source):
        return numpy_round(e, number, digits)
    if is_float(number.source):
        return Number(_round_float(e, Term(e, number.value), digits).value, dyn.FLOAT)
    return _round_integer(e, e.convert(number, dyn.INT), digits)


# --------------------------------------------------------------------------------------------------------------------
# Python
# --------------------------------------------------------------------------------------------------------------------


def _round_float(e: Emitter, x: Term, digits: Number) -> Term:
    if isinstance(digits.constant, int):
        if digits.constant > MOST_DIGITS:
            return x
        if digits.constant < LEAST_DIGITS:
            return x.is_finite().choose(x * 0.0, x)
        size = abs(digits.constant)
        power = x.constant(10.0 ** min(size, EXACT_POWERS))
        value = _fraction(x, power) if digits.constant >= 0 else _multiple(x, power)
        beyond = None if size <= EXACT_POWERS else Term(e, e.flag(True))
        return _far(e, x, value, beyond, Term(e, digits.value))
    count = Term(e, digits.value)
    size = (count < 0).choose(-count, count)
    power = _power_of_ten(e, size)
    value = (count < 0).choose(_multiple(x, power), _fraction(x, power))
    return _far(e, x, value, (count > EXACT_POWERS) | (count < -EXACT_POWERS), count)


def _far(e: Emitter, x: Term, value: Term, beyond: Term | None, count: Term) -> Term:
    """The rounding where 10**|count| is no double: x itself or 0 where that is clear, else Python's work."""
    overflow = value.is_finite() | x.is_nan() | x.is_infinite()
    if beyond is None:
        value = x.is_finite().choose(value, x)
        e.require(overflow.value, GuardKind.OVERFLOW, "the rounded value is too large for a float")
        return value
    size = abs(x)
    units = constant(e, _UNITS / 10.0**EXACT_POWERS, x.value.type)
    keeps = ((count > 0) & (size > units)) | (count > MOST_DIGITS) | ~x.is_finite()
    vanishes = (count < 0) & ((size < 1e22) | (count < LEAST_DIGITS)) & x.is_finite()
    known = ~beyond | keeps | vanishes | size.equals(0.0)
    e.require(known.value, GuardKind.DOMAIN, "round() to more than 22 digits")
    e.require((beyond | overflow).value, GuardKind.OVERFLOW, "the rounded value is too large for a float")
    return (~x.is_finite()).choose(x, beyond.choose(vanishes.choose(x * 0.0, x), value))


def _power_of_ten(e: Emitter, size: Term) -> Term:
    """10.0**size for 0 <= size <= 22: exact products."""
    power = constant(e, 1.0, f64)
    for bit in range(5):
        factor = ((size & (1 << bit)).differs(0)).choose(power.constant(10.0 ** (1 << bit)), 1.0)
        power = power * factor
    return power


def _fraction(x: Term, power: Term) -> Term:
    """x rounded to a multiple of 1 / power."""
    scaled = x * power
    error = x.times_plus(power, -scaled)
    whole = scaled.call(math.RoundEvenOp)
    rest = scaled - whole
    up = rest.equals(0.5) & (error > 0.0)
    down = rest.equals(-0.5) & (error < 0.0)
    nearest = up.choose(whole + 1.0, down.choose(whole - 1.0, whole))
    return (abs(scaled) < _UNITS).choose(nearest / power, x)


def _multiple(x: Term, power: Term) -> Term:
    """x rounded to a multiple of power."""
    whole = (x / power).call(math.RoundEvenOp)
    rest = (-whole).times_plus(power, x)
    twice = rest * 2.0
    odd = (whole - (whole * 0.5).call(math.FloorOp) * 2.0).differs(0.0)
    up = (twice > power) | (twice.equals(power) & odd)
    down = (twice < -power) | (twice.equals(-power) & odd)
    nearest = up.choose(whole + 1.0, down.choose(whole - 1.0, whole))
    # The sign of x: a number that rounds to zero from below is -0.0.
    return (abs(whole) < _UNITS).choose((nearest * power).with_sign_of(x), x)


def _round_integer(e: Emitter, number: Number, digits: Number) -> Number:
    """An integer to a multiple of 10**-digits, the even one of two that are as near."""
    if isinstance(digits.constant, int) and digits.constant >= 0:
        return number
    x, count = Term(e, number.value), Term(e, digits.value)
    places = (count < 0).choose(-count, 0)
    in_range = (places >= 0) & (places <= INTEGER_POWERS)
    power = x.constant(1)
    for bit in range(5):
        power = power * (in_range & (places & (1 << bit)).differs(0)).choose(x.constant(10 ** min(1 << bit, 18)), 1)
    rest = x % power
    down = x - rest
    half = power / 2
    size, odd = abs(rest), ((x / power) & 1).differs(0)
    away = (power > 1) & ((size > half) | (size.equals(half) & odd))
    step = away.choose((x < 0).choose(-power, power), 0)
    vanishes = (x < 5 * 10**INTEGER_POWERS) & (x > -5 * 10**INTEGER_POWERS)
    fits = (~in_range & vanishes) | (in_range & Term(e, e.add(guard.FitsOp("add", down.value, step.value)).result))
    e.require(fits.value, GuardKind.OVERFLOW, "the rounded integer does not fit 64 bits")
    return Number(in_range.choose(down + step, 0).value, dyn.INT)


# --------------------------------------------------------------------------------------------------------------------
# NumPy
# --------------------------------------------------------------------------------------------------------------------


def numpy_round(e: Emitter, number: Number, digits: Number) -> Number:
    """`np.round(x, digits)` of a NumPy number: scaled, rounded, and scaled back, in the number's type."""
    if not isinstance(digits.constant, int):
        raise e.unsupported("NumPy's numbers are rounded to a number of digits written in the source")
    if is_integer(number.source) and digits.constant >= 0:
        return number
    power = _scale(abs(digits.constant))
    if is_integer(number.source):
        return _round_numpy_integer(e, number, power)
    if not is_float(number.source):
        raise e.unsupported(f"round() of {e.names(number)} is not compiled")
    x = Term(e, number.value)
    if number.source == f32 and power > 1e38:
        raise e.unsupported("10**digits does not fit numpy.float32")
    if digits.constant >= 0:
        return Number(((x * power).call(math.RoundEvenOp) / power).value, number.source)
    return Number(((x / power).call(math.RoundEvenOp) * power).value, number.source)


def _round_numpy_integer(e: Emitter, number: Number, power: float) -> Number:
    """To a multiple of a power of ten, in double precision, as NumPy does; what then does not fit is left to NumPy."""
    x = Term(e, e.convert(number, dyn.FLOAT).value)
    rounded = (x / power).call(math.RoundEvenOp) * power
    low, high = conversions.integer_limits(number.source)
    fits = (rounded >= float(low)) & (rounded < float(high + 1))
    e.require(fits.value, GuardKind.OVERFLOW, "the rounded integer does not fit its type")
    return e.convert(Number(rounded.value, dyn.FLOAT), number.source)


def _scale(digits: int) -> float:
    """10**digits as NumPy computes it (`power_of_ten` in multiarray/calculation.c)."""
    power = 10.0 ** min(digits, 9)
    for _ in range(digits - 9):
        power *= 10.0
    return power

"""Powers of complex numbers.

Small whole exponents multiply, others go through the polar form: CPython's `complex_pow` and `_Py_c_pow`
(Objects/complexobject.c), NumPy's `npy_cpow` (numpy/core/src/npymath). An exponent that is known when the function is
compiled takes the one way that it needs; otherwise both are computed and one is chosen.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import math

from hetc.analysis.source_types import is_complex
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics.emitter import Constant, Number
from hetc.passes.semantics.reals import Complex, Flag, Real, hypotenuse, quotient, reciprocal_quotient

PYTHON_SMALL = 100
NUMPY_SMALL = 99
ORDINARY = 1e100
NOT_A_NUMBER = complex(float("nan"), float("nan"))
Divide = Callable[[Complex, Complex], Complex]


def python_power(a: Complex, b: Complex, exponent: Number) -> Complex:
    """`a ** b`, with Python's exceptions."""
    e = a.e
    whole = _known_whole(exponent.constant, PYTHON_SMALL)
    if whole == 0:
        return a.constant(1)
    if whole is not None:
        result = _known_power(a, whole)
        if whole < 0:
            e.require(result.is_nonzero(), GuardKind.ZERO_DIVISION, "zero to a negative power")
            result = quotient(a.constant(1), result)
    else:
        polar = _polar(a, b, real_exponent=not is_complex(exponent.source))
        zero = a.is_zero()
        positive = e.both(b.re.test("ogt", 0.0), b.im.test("oeq", 0.0))
        polar = a.constant(0).choose(zero, polar)
        ok = e.either(e.negate(zero), positive)
        if exponent.constant is None:
            small = _is_small(b, PYTHON_SMALL)
            multiplied = _multiplied(a, b.re)
            e.require(
                e.either(e.negate(e.both(small, b.re.test("ole", 0.0))), multiplied.is_nonzero()),
                GuardKind.ZERO_DIVISION,
                "zero to a negative power",
            )
            inverse = quotient(a.constant(1), multiplied)
            polar = inverse.choose(b.re.test("ole", 0.0), multiplied).choose(small, polar)
            ok = e.either(ok, small)
            _require_ordinary(a, b, small)
        else:
            _require_ordinary(a, b, None)
        e.require(ok, GuardKind.ZERO_DIVISION, "zero to a negative or complex power")
        result = polar
    e.require(e.negate(result.has_infinity()), GuardKind.OVERFLOW, "complex exponentiation overflows")
    return result


def numpy_power(a: Complex, b: Complex, constant: Constant | None) -> Complex:
    """`a ** b` of NumPy's scalars."""
    e = a.e
    whole = _known_whole(constant, NUMPY_SMALL)
    one = a.constant(1)
    if whole is not None:
        if whole == 0:
            return one
        if whole > 0:
            return a.constant(0).choose(a.is_zero(), _numpy_known_power(a, whole))
        return a.constant(NOT_A_NUMBER).choose(a.is_zero(), reciprocal_quotient(one, _known_power(a, whole)))
    polar = _polar(a.as_double(), b.as_double(), real_exponent=False).like(a)
    of_zero = a.constant(0).choose(b.re.test("ogt", 0.0), a.constant(NOT_A_NUMBER))
    if constant is not None:
        _require_ordinary(a, b, None)
        ok = e.either(a.is_zero(), e.negate(polar.has_infinity()))
        e.require(ok, GuardKind.DOMAIN, "a power that is infinite")
        return of_zero.choose(a.is_zero(), polar)
    small = _is_small(b, NUMPY_SMALL)
    _require_ordinary(a, b, small)
    negative = b.re.test("olt", 0.0)
    multiplied = _multiplied(a, b.re)
    for exponent in (1.0, 2.0, 3.0):
        multiplied = _numpy_known_power(a, int(exponent)).choose(b.re.test("oeq", exponent), multiplied)
    inverse = reciprocal_quotient(one, multiplied)
    known = e.either(small, a.is_zero())
    e.require(e.either(known, e.negate(polar.has_infinity())), GuardKind.DOMAIN, "a power that is infinite")
    result = of_zero.choose(a.is_zero(), inverse.choose(negative, multiplied).choose(small, polar))
    return one.choose(b.is_zero(), result)


def _known_whole(constant: Constant | None, limit: int) -> int | None:
    """A small whole exponent that is known now."""
    if constant is None:
        return None
    number = complex(constant)
    small = number.imag == 0.0 and number.real.is_integer() and abs(number.real) <= limit
    return int(number.real) if small else None


def _known_power(a: Complex, exponent: int) -> Complex:
    """a ** |exponent| by squaring, starting from 1: 1 times a number is not nothing for -0.0 and infinities."""
    exponent = abs(exponent)
    result, square = a.constant(1), a
    while exponent:
        if exponent & 1:
            result = result * square
        exponent >>= 1
        if exponent:
            square = square * square
    return result


def _numpy_known_power(a: Complex, exponent: int) -> Complex:
    match exponent:
        case 1:
            return a
        case 2:
            return a * a
        case 3:
            return a * (a * a)
        case _:
            return _known_power(a, exponent)


def _is_small(b: Complex, limit: int) -> Flag:
    """Whether an exponent is a whole number of at most that size."""
    e = b.e
    whole = e.both(b.im.test("oeq", 0.0), b.re.call(math.FloorOp).test("oeq", b.re))
    return e.both(whole, b.re.is_below(float(limit)))


def _multiplied(a: Complex, exponent: Real) -> Complex:
    """a ** |exponent| by squaring for a whole exponent of less than 128 that is not known now."""
    result, square, rest = a.constant(1), a, abs(exponent)
    for bit in range(7):
        half = (rest * 0.5).call(math.FloorOp)
        odd = (half * 2.0).test("une", rest)
        result = (result * square).choose(odd, result)
        rest = half
        if bit < 6:
            square = square * square
    return result


def _polar(a: Complex, b: Complex, *, real_exponent: bool) -> Complex:
    """a ** b as length and angle, for a other than 0."""
    size, angle = hypotenuse(a), a.im.arctan2(a.re)
    length, phase = size.power(b.re), angle * b.re
    if not real_exponent:
        curved = b.im.test("une", 0.0)
        length = (length / (angle * b.im).call(math.ExpOp)).choose(curved, length)
        phase = (phase + b.im * size.call(math.LogOp)).choose(curved, phase)
    return Complex(length * phase.call(math.CosOp), length * phase.call(math.SinOp))


def _require_ordinary(a: Complex, b: Complex, otherwise: Flag | None) -> None:
    """The polar form is used on numbers of ordinary size only; where `otherwise` holds it is not used."""
    e = a.e
    ordinary = e.both(a.as_double().is_below(ORDINARY), b.as_double().is_below(ORDINARY))
    ok = ordinary if otherwise is None else e.either(ordinary, otherwise)
    e.require(ok, GuardKind.DOMAIN, "a power of numbers that are very large or not finite")

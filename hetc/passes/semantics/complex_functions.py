"""`cmath` and NumPy's scalar functions of complex numbers.

All compute in double precision, by the formulas of CPython's Modules/cmathmodule.c, which keep the branch cuts and the
signs of zeros of C11, annex G. Where their special cases begin (infinities, NaN, overflow on the way, numbers next to a
pole), a guard leaves for Python. The inverse functions are Kahan's ("Branch cuts for complex elementary functions",
1987). A result of complex64 is rounded once, so it is nearer to the exact value than NumPy's own.
"""

from __future__ import annotations

import math as pymath
from collections.abc import Callable, Sequence

from xdsl.dialects import math
from xdsl.dialects.builtin import i1

from hetc.analysis.source_types import is_complex
from hetc.dialects import dyn
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import complex_numbers
from hetc.passes.semantics.emitter import Emitter, Number
from hetc.passes.semantics.promotion import result_type
from hetc.passes.semantics.real_functions import tolerances
from hetc.passes.semantics.reals import Complex, Flag, Real, hypotenuse, quotient
from hetc.passes.semantics.terms import Term

Function = Callable[[Complex], Complex]
Domain = Callable[[Complex], Flag]

LARGEST_EXPONENT = 700.0
"""Up to here `exp` does not overflow."""

MIDDLING = 1e75
"""Up to here, and down to its inverse, no square over- or underflows."""

CANCELLATION = 2.0**-20
"""Where less than this is left of a sum of rounded terms, Python computes; where more is, up to 20 bits are lost."""


# --------------------------------------------------------------------------------------------------------------------
# Functions
# --------------------------------------------------------------------------------------------------------------------


def _exp(z: Complex) -> Complex:
    return _polar_form(z.re.call(math.ExpOp), z.im)


def _polar_form(size: Real, angle: Real) -> Complex:
    return Complex(size * angle.call(math.CosOp), size * angle.call(math.SinOp))


def _log(z: Complex) -> Complex:
    """Near the unit circle, the logarithm of 1 + (|z|**2 - 1)."""
    x, y = abs(z.re), abs(z.im)
    greater = x.test("olt", y)
    large, small = y.choose(greater, x), x.choose(greater, y)
    size = hypotenuse(z)
    near = z.e.both(size.test("oge", 0.71), size.test("ole", 1.73))
    by_excess = ((large - 1.0) * (large + 1.0) + small * small).call(math.Log1pOp) * 0.5
    return Complex(by_excess.choose(near, size.call(math.LogOp)), z.im.arctan2(z.re))


def _over(z: Complex, factor: float) -> Complex:
    return Complex(z.re / factor, z.im / factor)


def _times(z: Complex, factor: float) -> Complex:
    return z.scaled(z.re.constant(factor))


def _log10(z: Complex) -> Complex:
    return _over(_log(z), pymath.log(10.0))


def _log2(z: Complex) -> Complex:
    return _times(_log(z), 1.0 / pymath.log(2.0))


def _expm1(z: Complex) -> Complex:
    half = (z.im * 0.5).call(math.SinOp)
    re = z.re.call(math.ExpM1Op) * z.im.call(math.CosOp) - half * half * 2.0
    return Complex(re, z.re.call(math.ExpOp) * z.im.call(math.SinOp))


def _sqrt(z: Complex) -> Complex:
    eighth = abs(z.re) * 0.125
    size = hypotenuse(Complex(eighth, z.im * 0.125))
    s = (eighth + size).call(math.SqrtOp) * 2.0
    d = abs(z.im) / (s * 2.0)
    right = z.re.test("oge", 0.0)
    root = Complex(s.choose(right, d), d.choose(right, s).with_sign_of(z.im))
    return Complex(z.re.constant(0.0), z.im).choose(z.is_zero(), root)


def _sinh(z: Complex) -> Complex:
    return Complex(
        z.im.call(math.CosOp) * z.re.call(math.SinhOp),
        z.im.call(math.SinOp) * z.re.call(math.CoshOp),
    )


def _cosh(z: Complex) -> Complex:
    return Complex(
        z.im.call(math.CosOp) * z.re.call(math.CoshOp),
        z.im.call(math.SinOp) * z.re.call(math.SinhOp),
    )


def _tanh(z: Complex) -> Complex:
    tx, ty = z.re.call(math.TanhOp), z.im.call(math.TanOp)
    cx = z.re.constant(1.0) / z.re.call(math.CoshOp)
    product = tx * ty
    denominator = product * product + 1.0
    return Complex(tx * (ty * ty + 1.0) / denominator, ty / denominator * cx * cx)


def _asinh(z: Complex) -> Complex:
    s1 = _sqrt(Complex(z.im + 1.0, -z.re))
    s2 = _sqrt(Complex(z.im.constant(1.0) - z.im, z.re))
    re = (s1.re * s2.im - s2.re * s1.im).call(math.AsinhOp)
    return Complex(re, z.im.arctan2(s1.re * s2.re - s1.im * s2.im))


def _acos(z: Complex) -> Complex:
    s1 = _sqrt(Complex(z.re.constant(1.0) - z.re, -z.im))
    s2 = _sqrt(Complex(z.re + 1.0, z.im))
    return Complex(s1.re.arctan2(s2.re) * 2.0, (s2.re * s1.im - s2.im * s1.re).call(math.AsinhOp))


def _acosh(z: Complex) -> Complex:
    s1, s2 = _sqrt(Complex(z.re - 1.0, z.im)), _sqrt(Complex(z.re + 1.0, z.im))
    return Complex((s1.re * s2.re + s1.im * s2.im).call(math.AsinhOp), s1.im.arctan2(s2.re) * 2.0)


def _atanh(z: Complex) -> Complex:
    """atanh(z) = -atanh(-z) on the left, the sign of zero included."""
    one = z.re.constant(1.0)
    sign = one.with_sign_of(z.re)
    x, y = abs(z.re), z.im * sign
    square = y * y
    re = (x * 4.0 / ((one - x) * (one - x) + square)).call(math.Log1pOp) * 0.25
    im = -((-y * 2.0).arctan2((one - x) * (x + 1.0) - square) * 0.5)
    return Complex(re * sign, im * sign)


def _turned(function: Function) -> Function:
    """f(z) = -i g(iz): sin of sinh, asin of asinh, and so on."""

    def turned(z: Complex) -> Complex:
        result = function(Complex(-z.im, z.re))
        return Complex(result.im, -result.re)

    return turned


def _cos(z: Complex) -> Complex:
    return _cosh(Complex(-z.im, z.re))


# --------------------------------------------------------------------------------------------------------------------
# Where they hold
# --------------------------------------------------------------------------------------------------------------------


def _middling(z: Complex) -> Flag:
    return z.is_below(MIDDLING)


def _real_exponent(z: Complex) -> Flag:
    return z.e.both(z.re.is_below(LARGEST_EXPONENT), z.im.is_below(MIDDLING))


def _imaginary_exponent(z: Complex) -> Flag:
    return z.e.both(z.im.is_below(LARGEST_EXPONENT), z.re.is_below(MIDDLING))


def _not_tiny(z: Complex) -> Flag:
    e = z.e
    return e.either(abs(z.re).test("oge", 1 / MIDDLING), abs(z.im).test("oge", 1 / MIDDLING))


def _has_logarithm(z: Complex) -> Flag:
    return z.e.both(_middling(z), _not_tiny(z))


def _has_root(z: Complex) -> Flag:
    return z.e.both(_middling(z), z.e.either(_not_tiny(z), z.is_zero()))


def _has_atanh(z: Complex) -> Flag:
    """Away from the poles at 1 and -1."""
    away = z.e.either(abs(z.re).test("une", 1.0), abs(z.im).test("oge", 1e-9))
    return z.e.both(_middling(z), away)


def _has_atan(z: Complex) -> Flag:
    return _has_atanh(Complex(z.im, z.re))


_FUNCTIONS: dict[str, tuple[Function, Domain]] = {
    "acos": (_acos, _middling),
    "acosh": (_acosh, _middling),
    "asin": (_turned(_asinh), _middling),
    "asinh": (_asinh, _middling),
    "atan": (_turned(_atanh), _has_atan),
    "atanh": (_atanh, _has_atanh),
    "cos": (_cos, _imaginary_exponent),
    "cosh": (_cosh, _real_exponent),
    "exp": (_exp, _real_exponent),
    "log": (_log, _has_logarithm),
    "log10": (_log10, _has_logarithm),
    "sin": (_turned(_sinh), _imaginary_exponent),
    "sinh": (_sinh, _real_exponent),
    "sqrt": (_sqrt, _has_root),
    "tan": (_turned(_tanh), _imaginary_exponent),
    "tanh": (_tanh, _real_exponent),
}
_NUMPY_ONLY: dict[str, tuple[Function, Domain]] = {
    "expm1": (_expm1, _real_exponent),
    "log2": (_log2, _has_logarithm),
}
_NUMPY_NAMES = {"arc" + name[1:] if name.startswith("a") else name: name for name in _FUNCTIONS}


def _apply(e: Emitter, name: str, z: Complex) -> Complex:
    function, domain = (_FUNCTIONS | _NUMPY_ONLY)[name]
    e.require(domain(z), GuardKind.DOMAIN, f"{name}() of this number is left to Python")
    return function(z)


# --------------------------------------------------------------------------------------------------------------------
# Calls
# --------------------------------------------------------------------------------------------------------------------


def call_cmath(e: Emitter, name: str, arguments: Sequence[Number]) -> Number:
    """`cmath.name(...)` with one result: a complex, float or bool. The arguments become complex numbers."""
    if name == "rect" and len(arguments) == 2:
        return _rect(e, *arguments)
    if name == "isclose" and 2 <= len(arguments) <= 4:
        a, b = (complex_numbers.as_complex(e, argument, dyn.COMPLEX) for argument in arguments[:2])
        return Number(_is_close(a, b, *tolerances(e, arguments[2:])), dyn.BOOL)
    numbers = [complex_numbers.as_complex(e, argument, dyn.COMPLEX) for argument in arguments]
    if name == "log" and len(numbers) == 2:
        logarithms = [_apply(e, "log", z) for z in numbers]
        e.require(logarithms[1].is_nonzero(), GuardKind.ZERO_DIVISION, "the logarithm to base 1")
        a, b = logarithms
        kept = e.both(_keeps_bits(a.re * b.re, a.im * b.im), _keeps_bits(a.im * b.re, -(a.re * b.im)))
        e.require(kept, GuardKind.DOMAIN, "log() of this number to this base is left to Python")
        return complex_numbers.finished(quotient(*logarithms), dyn.COMPLEX)
    if len(numbers) == 1:
        (z,) = numbers
        if name in _CLASSES:
            return Number(_CLASSES[name](z), dyn.BOOL)
        if name == "phase":
            return phase(e, arguments[0])
        if name in _FUNCTIONS:
            return complex_numbers.finished(_apply(e, name, z), dyn.COMPLEX)
    raise e.unsupported(f"cmath.{name}() with {len(arguments)} arguments is not compiled")


def _keeps_bits(x: Real, y: Real) -> Flag:
    """Whether the terms of a sum leave more than `CANCELLATION` of themselves."""
    return abs(x + y).test("oge", (abs(x) + abs(y)) * CANCELLATION)


def phase(e: Emitter, number: Number) -> Number:
    """`cmath.phase(z)`."""
    z = complex_numbers.as_complex(e, number, dyn.COMPLEX)
    return Number(z.im.arctan2(z.re).value, dyn.FLOAT)


def polar(e: Emitter, number: Number) -> tuple[Number, Number]:
    """`cmath.polar(z)`: size and phase."""
    size = complex_numbers.absolute(e, e.convert(number, dyn.COMPLEX))
    return size, phase(e, number)


def _rect(e: Emitter, size: Number, angle: Number) -> Number:
    if is_complex(size.source) or is_complex(angle.source):
        raise e.unsupported("cmath.rect() of complex numbers raises TypeError")
    r, phi = (Real(e, e.convert(number, dyn.FLOAT).value) for number in (size, angle))
    finite = e.both(r.is_below(1.7976931348623157e308), phi.is_below(1.7976931348623157e308))
    e.require(finite, GuardKind.DOMAIN, "rect() of numbers that are not finite is left to Python")
    return complex_numbers.finished(_polar_form(r, phi), dyn.COMPLEX)


def _is_close(a: Complex, b: Complex, relative: Term, absolute: Term) -> Flag:
    e = a.e
    equal = e.both(a.re.test("oeq", b.re), a.im.test("oeq", b.im))
    finite = e.negate(e.either(a.has_infinity(), b.has_infinity()))
    difference, left, right = (Term(e, hypotenuse(z).value) for z in (a - b, a, b))
    near = (difference <= relative * right) | (difference <= relative * left) | (difference <= absolute)
    return e.either(equal, e.both(finite, near.value))


_CLASSES: dict[str, Callable[[Complex], Flag]] = {
    "isnan": lambda z: z.e.either(z.re.is_nan(), z.im.is_nan()),
    "isinf": Complex.has_infinity,
    "isfinite": lambda z: z.is_below(1.7976931348623157e308),
}


def call_numpy(e: Emitter, name: str, arguments: Sequence[Number]) -> Number:
    """`np.name(z)` of a complex number."""
    if len(arguments) != 1:
        raise e.unsupported(f"np.{name}() of {e.names(*arguments)} is not compiled")
    (number,) = arguments
    if name in ("real", "imag"):
        return complex_numbers.attribute(e, name, number)
    source = result_type(f"np.{name}", number.source)
    if source is None:
        raise e.unsupported(f"np.{name}() of {e.names(number)} raises TypeError")
    if name in _CLASSES:
        z = Complex.of(e, e.parts(number)).as_double()
        return Number(_CLASSES[name](z), i1)
    if name == "abs":
        return Number(complex_numbers.absolute(e, _as_numpy(e, number)).value, source)
    if name == "angle":
        z = Complex.of(e, e.parts(number))
        return Number(z.im.arctan2(z.re).value, source)
    number = e.convert(number, source)
    if name == "conjugate":
        return complex_numbers.attribute(e, name, number)
    z = Complex.of(e, e.parts(number))
    if name == "square":
        return complex_numbers.finished(z * z, source)
    if name == "exp2":
        # As NumPy does: the product is rounded to the type of z.
        return complex_numbers.finished(_apply(e, "exp", _times(z, pymath.log(2.0)).as_double()), source)
    if name == "log1p":
        return complex_numbers.finished(_log1p(z), source)
    known = _NUMPY_NAMES.get(name, name)
    if known not in _FUNCTIONS | _NUMPY_ONLY:
        raise e.unsupported(f"np.{name}() of {e.names(number)} is not compiled")
    return complex_numbers.finished(_apply(e, known, z.as_double()), source)


def _log1p(z: Complex) -> Complex:
    """log(1 + z) as NumPy has it: 1 + z and its size are rounded to the type of z."""
    shifted = Complex(z.re + 1.0, z.im)
    ordinary = z.e.both(_middling(shifted.as_double()), _not_tiny(shifted.as_double()))
    z.e.require(ordinary, GuardKind.DOMAIN, "log1p() of this number is left to Python")
    size = hypotenuse(shifted.as_double()).like(z.re).as_double().call(math.LogOp)
    return Complex(size, shifted.im.as_double().arctan2(shifted.re.as_double()))


def _as_numpy(e: Emitter, number: Number) -> Number:
    """A Python complex number as NumPy's: functions of it do not raise."""
    if number.source != dyn.COMPLEX:
        return number
    source = result_type("np.conjugate", number.source)
    assert source is not None
    return e.convert(number, source)

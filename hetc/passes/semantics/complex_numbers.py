"""Python's operators on complex numbers, as real arithmetic on their parts.

Python's own follow CPython's Objects/complexobject.c; before Python 3.14 a real operand becomes a complex number with
an imaginary part of 0 first, from then on it stays real (C11, annex G). NumPy's scalars follow its scalarmath: division
multiplies by a reciprocal, and a zero divisor gives infinities. Which of the two it is, the type of the result tells:
`1j * np.float64(2)` is Python's, since float64 is a Python float. Both divide by Smith's algorithm ("Algorithm 116:
complex division", CACM 5(8), 1962).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute

from hetc.analysis.source_types import is_bool, is_complex, is_integer, is_python, part_type
from hetc.dialects import dyn, obj
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import complex_powers, conversions
from hetc.passes.semantics.emitter import Emitter, Number
from hetc.passes.semantics.promotion import common_type, result_type
from hetc.passes.semantics.reals import Complex, Real, hypotenuse, quotient, reciprocal_quotient

REAL_STAYS_REAL = math.copysign(1.0, (0.0 + complex(0.0, -0.0)).imag) < 0.0
"""Whether the running Python adds a float to the real part alone (3.14 and later)."""


def binary(e: Emitter, name: str, left: Number, right: Number) -> Number:
    """`left <operator> right`, an operand of which is complex."""
    source = result_type(name, left.source, right.source)
    if source is None:
        raise e.unsupported(f"{e.names(left, right)} cannot be combined by '{name}': Python raises TypeError")
    if source == dyn.COMPLEX:
        return _python_binary(e, name, left, right)
    a, b = as_complex(e, left, source), as_complex(e, right, source)
    if name == "pow":
        return finished(complex_powers.numpy_power(a, b, right.constant), source)
    return finished(_NUMPY[name](a, b), source)


def as_complex(e: Emitter, number: Number, source: Attribute) -> Complex:
    """A number as a complex one of a source type."""
    number = conversions.fit_numpy(e, number, source)
    return Complex.of(e, e.parts(number, part_type(source)))


def finished(z: Complex, source: Attribute) -> Number:
    """A complex result as a number."""
    return z.e.from_parts(z.parts, source)


_NUMPY: dict[str, Callable[[Complex, Complex], Complex]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "truediv": reciprocal_quotient,
}


def _python_binary(e: Emitter, name: str, left: Number, right: Number) -> Number:
    a, b = as_complex(e, left, dyn.COMPLEX), as_complex(e, right, dyn.COMPLEX)
    if name == "pow":
        return finished(complex_powers.python_power(a, b, right), dyn.COMPLEX)
    if name == "truediv" and not right.constant:
        e.require(b.is_nonzero(), GuardKind.ZERO_DIVISION, "complex division by zero")
    if REAL_STAYS_REAL and not (is_complex(left.source) and is_complex(right.source)):
        result = _with_real(name, a, b, real_left=not is_complex(left.source))
    else:
        result = quotient(a, b) if name == "truediv" else _NUMPY[name](a, b)
    if REAL_STAYS_REAL and name in ("mul", "truediv"):
        e.require(e.negate(result.is_nan_nan()), GuardKind.DOMAIN, "Python recovers infinities from NaN")
    return finished(result, dyn.COMPLEX)


def _with_real(name: str, a: Complex, b: Complex, *, real_left: bool) -> Complex:
    """An operator on a complex number and a real one that stays real, as from Python 3.14 on."""
    match name:
        case "add":
            return Complex(a.re + b.re, b.im if real_left else a.im)
        case "sub":
            return Complex(a.re - b.re, -b.im if real_left else a.im)
        case "mul":
            return b.scaled(a.re) if real_left else a.scaled(b.re)
        case _ if real_left:
            return _divide_real(a.re, b)
        case _:
            return Complex(a.re / b.re, a.im / b.re)


def _divide_real(a: Real, b: Complex) -> Complex:
    e = a.e
    swapped = e.negate(abs(b.re).test("oge", abs(b.im)))
    big, small = b.im.choose(swapped, b.re), b.re.choose(swapped, b.im)
    ratio = small / big
    denominator = big + small * ratio
    re = (a * ratio).choose(swapped, a)
    im = (-a).choose(swapped, -a * ratio)
    return Complex(re / denominator, im / denominator)


# --------------------------------------------------------------------------------------------------------------------
# Unary operators, comparisons
# --------------------------------------------------------------------------------------------------------------------


def unary(e: Emitter, name: str, operand: Number) -> Number:
    """`-z` and `+z`."""
    if name == "invert":
        raise e.unsupported(f"'~' of {e.names(operand)}: Python raises TypeError")
    if name == "pos":
        return operand
    return finished(-Complex.of(e, e.parts(operand)), operand.source)


def absolute(e: Emitter, z: Number) -> Number:
    """`abs(z)`: Python raises OverflowError where a finite number is too far out."""
    number = Complex.of(e, e.parts(z))
    result = hypotenuse(number)
    if z.source == dyn.COMPLEX:
        ok = e.either(e.negate(result.is_infinite()), number.has_infinity())
        e.require(ok, GuardKind.OVERFLOW, "the absolute value is too large for a float")
    return Number(result.value, part_type(z.source))


def compare(e: Emitter, name: str, left: Number, right: Number) -> Number:
    """`==`, `!=`, and for NumPy's numbers an order: by the real part, then by the imaginary part."""
    source = result_type(name, left.source, right.source)
    if source is None:
        raise e.unsupported(f"complex numbers have no order: Python raises TypeError for {e.names(left, right)}")
    python = source == dyn.BOOL
    kind = dyn.COMPLEX if python else common_type(left.source, right.source)
    assert kind is not None
    if python:
        for number in (left, right):
            if is_integer(number.source):
                reason = "an integer above 2**53 is compared exactly by Python"
                e.require_between(number, -(2**53), 2**53, GuardKind.DOMAIN, reason)
    a, b = as_complex(e, left, kind), as_complex(e, right, kind)
    if name in ("eq", "ne"):
        equal = e.both(a.re.test("oeq", b.re), a.im.test("oeq", b.im))
        return Number(equal if name == "eq" else e.negate(equal), source)
    # With NaN in an imaginary part, NumPy's scalars and its arrays of one number differ.
    known = e.negate(e.either(a.im.is_nan(), b.im.is_nan()))
    e.require(known, GuardKind.DOMAIN, "an order of complex numbers with NaN")
    strict = {"le": "lt", "ge": "gt"}.get(name, name)
    tie = e.both(a.re.test("oeq", b.re), a.im.test(f"o{name}", b.im))
    return Number(e.either(a.re.test(f"o{strict}", b.re), tie), source)


# --------------------------------------------------------------------------------------------------------------------
# Parts and constructors
# --------------------------------------------------------------------------------------------------------------------


def attribute(e: Emitter, name: str, number: Number) -> Number:
    """`.real`, `.imag`, `.conjugate()` and NumPy's `.conj()` of any number."""
    if name == "conj":
        if is_python(number.source):
            raise e.unsupported(f"{e.names(number)} has no 'conj'")
        name = "conjugate"
    if is_complex(number.source):
        re, im = e.parts(number)
        if name == "conjugate":
            return finished(Complex(Real(e, re), -Real(e, im)), number.source)
        return Number(re if name == "real" else im, part_type(number.source))
    source = result_type(f"number.{name}", number.source)
    if source is None:
        raise e.unsupported(f"{e.names(number)} has no '{name}'")
    if name == "imag":
        return e.constant(False if is_bool(source) else 0, source)
    return e.convert(number, source)


def construct(e: Emitter, arguments: Sequence[Number]) -> Number:
    """`complex()`, `complex(z)` and `complex(real, imag)`."""
    if not arguments:
        return e.constant(0j, dyn.COMPLEX)
    if len(arguments) == 1:
        return e.convert(arguments[0], dyn.COMPLEX)
    if REAL_STAYS_REAL and any(is_complex(number.source) for number in arguments):
        raise e.unsupported("complex(real, imag) of complex numbers is deprecated in this Python")
    if is_complex(arguments[1].source) and not _is_python_complex(arguments[1].source):
        raise e.unsupported(f"complex(real, {e.names(arguments[1])}) drops a part, and warns")
    first, second = (Complex.of(e, e.parts(number, dyn.FLOAT)) for number in arguments)
    re, im = first.re, second.re
    if is_complex(arguments[1].source):
        re = re - second.im
    if is_complex(arguments[0].source):
        im = im + first.im
    return finished(Complex(re, im), dyn.COMPLEX)


def _is_python_complex(source: Attribute) -> bool:
    """Whether numbers of a type are instances of `complex`; NumPy's complex128 are."""
    return obj.payload(source) == obj.payload(dyn.COMPLEX)


def convert_numpy(e: Emitter, number: Number, source: Attribute) -> Number:
    """`np.complex64(x)` and `np.complex128(x)`; other constructors refuse a complex number."""
    if is_bool(source):
        return Number(e.truth(number), i1)
    if not is_complex(source):
        raise e.unsupported(f"{e.names(number)} cannot become a real number without loss", hint="take its .real")
    return e.convert(conversions.fit_numpy(e, number, source), source)

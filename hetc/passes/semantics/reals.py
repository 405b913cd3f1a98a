"""Formulas: floats and pairs of floats with operators that append ops, so that a formula reads as in a book."""

from __future__ import annotations

from xdsl.dialects import math
from xdsl.dialects.builtin import Float64Type, f64
from xdsl.ir import SSAValue

from hetc.dataclass import dataclass
from hetc.passes.semantics.emitter import Emitter, Number, Parts
from hetc.passes.semantics.terms import Payload

INFINITY = float("inf")
Flag = SSAValue
"""An `i1`."""


@dataclass(frozen=True, eq=False)
class Real(Payload):
    """A float of 32 or 64 bits on the device."""

    def _other(self, other: Real | float) -> SSAValue:
        return other.value if isinstance(other, Real) else self.constant(other).value

    def __abs__(self) -> Real:
        return self.call(math.AbsFOp)

    def arctan2(self, x: Real) -> Real:
        """The angle of the point (x, self)."""
        return Real(self.e, self.e.add(math.Atan2Op(self.value, x.value)).result)

    def power(self, exponent: Real) -> Real:
        """self ** exponent."""
        return Real(self.e, self.e.add(math.PowFOp(self.value, exponent.value)).result)

    def as_double(self) -> Real:
        """In double precision."""
        return Real(self.e, self.e.convert(Number(self.value, self.value.type), f64).value)

    def like(self, other: Real) -> Real:
        """Rounded to the type of another number."""
        return Real(self.e, self.e.convert(Number(self.value, self.value.type), other.value.type).value)

    def test(self, predicate: str, other: Real | float) -> Flag:
        """A comparison; predicates starting with "u" are true when an operand is NaN."""
        return self.e.compare_floats(predicate, self.value, self._other(other))

    def is_infinite(self) -> Flag:
        """Whether it is an infinity."""
        return abs(self).test("oeq", INFINITY)

    def is_nan(self) -> Flag:
        """Whether it is NaN."""
        return self.e.compare_floats("uno", self.value, self.value)

    def is_below(self, limit: float) -> Flag:
        """Whether its size is at most `limit`; NaN is not."""
        return abs(self).test("ole", limit)

    def choose(self, condition: Flag, other: Real) -> Real:
        """self if the condition holds, else other."""
        return Real(self.e, self.e.select(condition, self.value, other.value))


@dataclass(frozen=True)
class Complex:
    """A complex number on the device, as its parts."""

    re: Real
    im: Real

    @staticmethod
    def of(e: Emitter, parts: Parts) -> Complex:
        """The complex number with the given parts."""
        return Complex(Real(e, parts.re), Real(e, parts.im))

    @property
    def parts(self) -> Parts:
        """Its parts, as values."""
        return Parts(self.re.value, self.im.value)

    @property
    def e(self) -> Emitter:
        """Where ops are appended."""
        return self.re.e

    def constant(self, value: complex) -> Complex:
        """A constant of the same type."""
        return Complex(self.re.constant(value.real), self.re.constant(value.imag))

    def __add__(self, other: Complex) -> Complex:
        return Complex(self.re + other.re, self.im + other.im)

    def __sub__(self, other: Complex) -> Complex:
        return Complex(self.re - other.re, self.im - other.im)

    def __mul__(self, other: Complex) -> Complex:
        return Complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def __neg__(self) -> Complex:
        return Complex(-self.re, -self.im)

    def as_double(self) -> Complex:
        """In double precision."""
        return Complex(self.re.as_double(), self.im.as_double())

    def like(self, other: Complex) -> Complex:
        """Rounded to the type of another number."""
        return Complex(self.re.like(other.re), self.im.like(other.im))

    def scaled(self, factor: Real) -> Complex:
        """Both parts times a real number."""
        return Complex(self.re * factor, self.im * factor)

    def choose(self, condition: Flag, other: Complex) -> Complex:
        """self if the condition holds, else other."""
        return Complex(self.re.choose(condition, other.re), self.im.choose(condition, other.im))

    def is_zero(self) -> Flag:
        """Whether both parts are 0."""
        return self.e.both(self.re.test("oeq", 0.0), self.im.test("oeq", 0.0))

    def is_nonzero(self) -> Flag:
        """Whether a part is not 0; NaN is not 0."""
        return self.e.either(self.re.test("une", 0.0), self.im.test("une", 0.0))

    def is_nan_nan(self) -> Flag:
        """Whether both parts are NaN."""
        return self.e.both(self.re.is_nan(), self.im.is_nan())

    def has_infinity(self) -> Flag:
        """Whether a part is an infinity."""
        return self.e.either(self.re.is_infinite(), self.im.is_infinite())

    def is_below(self, limit: float) -> Flag:
        """Whether both parts are of at most that size; NaN is not."""
        return self.e.both(self.re.is_below(limit), self.im.is_below(limit))


# --------------------------------------------------------------------------------------------------------------------
# Division and size
# --------------------------------------------------------------------------------------------------------------------


def quotient(a: Complex, b: Complex) -> Complex:
    """a / b as CPython divides, for b other than 0."""
    p, q, swapped, ratio, big = _smith(a, b)
    denominator = big + _small(b, swapped) * ratio
    return Complex((p + q * ratio) / denominator, _difference(p, q, ratio, swapped) / denominator)


def reciprocal_quotient(a: Complex, b: Complex) -> Complex:
    """a / b as NumPy divides: times a reciprocal, and a zero divisor divides each part."""
    p, q, swapped, ratio, big = _smith(a, b)
    scale = big.constant(1.0) / (big + _small(b, swapped) * ratio)
    result = Complex((p + q * ratio) * scale, _difference(p, q, ratio, swapped) * scale)
    size = abs(b.re)
    return Complex(a.re / size, a.im / size).choose(b.is_zero(), result)


def _smith(a: Complex, b: Complex) -> tuple[Real, Real, Flag, Real, Real]:
    """Divide by the larger part of b: the parts of a in that order, whether the imaginary part is it, small / large."""
    e = a.e
    swapped = e.negate(abs(b.re).test("oge", abs(b.im)))
    big = b.im.choose(swapped, b.re)
    return a.im.choose(swapped, a.re), a.re.choose(swapped, a.im), swapped, _small(b, swapped) / big, big


def _small(b: Complex, swapped: Flag) -> Real:
    return b.re.choose(swapped, b.im)


def _difference(p: Real, q: Real, ratio: Real, swapped: Flag) -> Real:
    """q - p * ratio or p * ratio - q: the difference of equal numbers is +0 either way."""
    scaled = p * ratio
    return scaled.choose(swapped, q) - q.choose(swapped, scaled)


def hypotenuse(z: Complex) -> Real:
    """The distance of z from 0, with less than an ulp of error: infinite if a part is, else NaN if a part is.

    The algorithm is that of the GNU C library from 2.35 on (sysdeps/ieee754/dbl-64/e_hypot.c), which corrects the
    square root of the sum by its own error (Borges, "An improved algorithm for hypot(a, b)", 2019).
    """
    double = isinstance(z.re.value.type, Float64Type)
    huge, tiny, scale, epsilon = (
        (2.0**511, 2.0**-459, 2.0**-600, 2.0**-54) if double else (2.0**60, 2.0**-50, 2.0**-70, 2.0**-26)
    )
    x, y = abs(z.re), abs(z.im)
    greater = x.test("olt", y)
    large, small = y.choose(greater, x), x.choose(greater, y)
    one = large.constant(1.0)
    is_huge, is_tiny = large.test("ogt", huge), small.test("olt", tiny)
    factor = large.constant(scale).choose(is_huge, large.constant(1.0 / scale).choose(is_tiny, one))
    back = large.constant(1.0 / scale).choose(is_huge, large.constant(scale).choose(is_tiny, one))
    result = _corrected_root(large * factor, small * factor) * back
    result = (large + small).choose(small.test("ole", large * epsilon), result)
    return large.constant(INFINITY).choose(z.has_infinity(), result)


def _corrected_root(x: Real, y: Real) -> Real:
    """sqrt(x * x + y * y) for x >= y >= 0 of middling size."""
    h = (x * x + y * y).call(math.SqrtOp)
    near = h.test("ole", y * 2.0)
    from_small, from_large = h - y, h - x
    t1 = (x * (from_small * 2.0 - x)).choose(near, from_large * 2.0 * (x - y * 2.0))
    t2 = ((from_small - (x - y) * 2.0) * from_small).choose(near, (from_large * 4.0 - y) * y + from_large * from_large)
    return h - (t1 + t2) / (h * 2.0)

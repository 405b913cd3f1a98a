"""gamma, lgamma and erfc.

gamma and lgamma are CPython's own (Modules/mathmodule.c, `m_tgamma`, `m_lgamma`): Lanczos' approximation with g =
6.02468, and the reflection formula for negative numbers; the factorials are exact.
"""

from __future__ import annotations

import math as python_math
from collections.abc import Sequence

from xdsl.dialects import math

from hetc.dialects.guard import GuardKind
from hetc.dialects.special import ErfcOp
from hetc.passes.semantics.floating import fmod
from hetc.passes.semantics.terms import Term, repeat

PI = python_math.pi
LOG_PI = 1.144729885849400174143427351353058711647
G = 6.024680040776729583740234375
G_MINUS_HALF = 5.524680040776729583740234375
LARGEST_FACTORIAL = 23.0
"""gamma(23) is the largest factorial that is a double."""
_NUMERATOR = (
    23531376880.410759688572007674451636754734846804940, 42919803642.649098768957899047001988850926355848959,
    35711959237.355668049440185451547166705960488635843, 17921034426.037209699919755754458931112671403265390,
    6039542586.3520280050642916443072979210699388420708, 1439720407.3117216736632230727949123939715485786772,
    248874557.86205415651146038641322942321632125127801, 31426415.585400194380614231628318205362874684987640,
    2876370.6289353724412254090516208496135991145378768, 186056.26539522349504029498971604569928220784236328,
    8071.6720023658162106380029022722506138218516325024, 210.82427775157934587250973392071336271166969580291,
    2.5066282746310002701649081771338373386264310793408,
)  # fmt: skip
_DENOMINATOR = (
    0.0, 39916800.0, 120543840.0, 150917976.0, 105258076.0, 45995730.0, 13339535.0, 2637558.0, 357423.0, 32670.0,
    1925.0, 66.0, 1.0,
)  # fmt: skip


def erfc(x: Term) -> Term:
    """The complementary error function."""
    return Term(x.e, x.e.add(ErfcOp(x.value)).result)


def gamma(x: Term) -> Term:
    """`math.gamma` of a double; the poles and overflow raise in Python."""
    whole = x.call(math.FloorOp).equals(x)
    pole = (whole & (x <= 0.0)) | x.equals(-python_math.inf)
    x.e.require((~pole).value, GuardKind.DOMAIN, "math.gamma() would raise")
    size = abs(x)
    factorial = whole & (x <= LARGEST_FACTORIAL)
    result = factorial.choose(_factorial(factorial.choose(x, 1.0)), _lanczos_gamma(x))
    result = (size < 1e-20).choose(x.constant(1.0) / x, result)
    vanishing = x.constant(0.0) / _sine_of_pi_times(x)
    result = (size > 200.0).choose((x < 0.0).choose(vanishing, python_math.inf), result)
    result = x.is_finite().choose(result, x)
    overflow = ~result.is_infinite() | x.is_infinite()
    x.e.require(overflow.value, GuardKind.OVERFLOW, "math.gamma() would raise OverflowError")
    return result


def log_gamma(x: Term) -> Term:
    """`math.lgamma` of a double; the poles and overflow raise in Python."""
    whole = x.call(math.FloorOp).equals(x)
    pole = whole & (x <= 0.0) & x.is_finite()
    x.e.require((~pole).value, GuardKind.DOMAIN, "math.lgamma() would raise")
    size = abs(x)
    result = _lanczos_sum(size).call(math.LogOp) - G
    result = result + (size - 0.5) * ((size + G - 0.5).call(math.LogOp) - 1.0)
    sine = abs(_sine_of_pi_times(size)).call(math.LogOp)
    reflected = sine.constant(LOG_PI) - sine - size.call(math.LogOp) - result
    result = (x < 0.0).choose(reflected, result)
    result = (size < 1e-20).choose(-size.call(math.LogOp), result)
    result = (x.equals(1.0) | x.equals(2.0)).choose(x.constant(0.0), result)
    result = x.is_infinite().choose(x.constant(python_math.inf), result)
    overflow = ~result.is_infinite() | x.is_infinite()
    x.e.require(overflow.value, GuardKind.OVERFLOW, "math.lgamma() would raise OverflowError")
    return result


def _factorial(x: Term) -> Term:
    """(x - 1)! for a whole number x up to 23: exact products."""

    def step(terms: Sequence[Term]) -> list[Term]:
        return [terms[0] * terms[1], terms[1] + 1.0]

    return repeat([x.constant(1.0), x.constant(1.0)], lambda terms: terms[1] < x, step)[0]


def _lanczos_gamma(x: Term) -> Term:
    size = abs(x)
    y = size + G_MINUS_HALF
    larger = size > G_MINUS_HALF
    error = larger.choose((y - size) - G_MINUS_HALF, (y - G_MINUS_HALF) - size)
    z = error * G / y
    exponential, total = y.call(math.ExpOp), _lanczos_sum(size)
    reflected = x.constant(-PI) / _sine_of_pi_times(size) / size * exponential / total
    result = (x < 0.0).choose(reflected, total / exponential)
    result = result - z * result
    # The power would overflow for large numbers: it is taken in two halves.
    small = size < 140.0
    exponent = small.choose(size - 0.5, size * 0.5 - 0.25)
    power = Term(x.e, x.e.add(math.PowFOp(y.value, exponent.value)).result)
    again = small.choose(power.constant(1.0), power)
    return (x < 0.0).choose(result / power / again, result * power * again)


def _lanczos_sum(x: Term) -> Term:
    """A quotient of polynomials, from the highest power for small x, else from the lowest, of 1 / x."""
    small = x < 5.0
    sums: list[Term] = []
    for coefficients in (_NUMERATOR, _DENOMINATOR):
        total = x.constant(0.0)
        for first, last in zip(coefficients, reversed(coefficients), strict=True):
            total = small.choose(total * x, total / x) + small.choose(x.constant(last), first)
        sums.append(total)
    return sums[0] / sums[1]


def _sine_of_pi_times(x: Term) -> Term:
    """sin(pi * x), exactly periodic."""
    y = fmod(abs(x), x.constant(2.0))
    n = (y * 2.0 + 0.5).call(math.FloorOp)
    use_cosine = n.equals(1.0) | n.equals(3.0)
    shift = n.equals(0.0).choose(y, n.equals(1.0).choose(y - 0.5, n.equals(2.0).choose(y.constant(1.0) - y, y - 1.5)))
    angle = n.equals(4.0).choose(y - 2.0, shift) * PI
    cosine = angle.call(math.CosOp)
    r = use_cosine.choose(n.equals(3.0).choose(-cosine, cosine), angle.call(math.SinOp))
    return r * x.constant(1.0).with_sign_of(x)

"""Functions of floats that are exact, or rounded once: by their bits, by exact errors of sums and products.

The algorithms are those of CPython (Modules/mathmodule.c), whose results they give bit for bit, but for `distance`: two
sums of squares with less than 0.5001 ulp of error may differ in the last place.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm, math
from xdsl.dialects.builtin import Float32Type, IntegerType, f64, i64

from hetc.dialects import dyn
from hetc.passes.semantics.emitter import Emitter
from hetc.passes.semantics.terms import Term, constant

INFINITY = float("inf")
_EXPONENT_BITS = 0x7FF << 52
_SMALLEST = {32: 1.401298464324817e-45, 64: 5e-324}


def fraction_and_whole(x: Term) -> tuple[Term, Term]:
    """`modf`: both parts have the sign of x."""
    whole = x.call(math.TruncOp)
    fraction = x.is_infinite().choose(x.constant(0.0), x - whole)
    return fraction.with_sign_of(x), whole


def mantissa_and_exponent(x: Term) -> tuple[Term, Term]:
    """`frexp` of a double: a mantissa in [0.5, 1) and the exponent of two; 0, NaN and infinities have exponent 0."""
    tiny = abs(x) < 2.0**-1022
    bits = tiny.choose(x * 2.0**54, x).bits(i64)
    exponent = (bits.logical_shift(52) & 0x7FF) - 1022 - tiny.choose(bits.constant(54), 0)
    mantissa = ((bits & ~_EXPONENT_BITS) | (1022 << 52)).bits(f64)
    plain = x.equals(0.0) | ~x.is_finite()
    return plain.choose(x, mantissa), plain.choose(exponent.constant(0), exponent)


def scaled(x: Term, exponent: Term) -> Term:
    """`ldexp` of a double: x * 2**exponent, rounded once (the steps are those of `scalbn` in musl)."""
    n = (exponent > 4000).choose(exponent.constant(4000), (exponent < -4000).choose(exponent.constant(-4000), exponent))
    for _ in range(2):
        up, down = n > 1023, n < -1022
        x = x * up.choose(x.constant(2.0**1023), down.choose(x.constant(2.0**-969), 1.0))
        n = n + up.choose(n.constant(-1023), down.choose(n.constant(969), 0))
    n = (n > 1023).choose(n.constant(1023), (n < -1022).choose(n.constant(-1022), n))
    return x * ((n + 1023) << 52).bits(f64)


def next_after(x: Term, y: Term) -> Term:
    """`nextafter`: the next float from x towards y."""
    integer, smallest = _integer_like(x)
    bits = x.bits(integer)
    away = Term(x.e, x.e.compare_ints("eq", (y > x).value, (x > 0.0).value))
    moved = (bits + away.choose(bits.constant(1), -1)).bits(x.value.type)
    moved = x.equals(0.0).choose(x.constant(smallest).with_sign_of(y), moved)
    return (x.is_nan() | y.is_nan()).choose(x + y, x.equals(y).choose(y, moved))


def last_place(x: Term) -> Term:
    """`math.ulp`: the value of the last bit of |x|."""
    size = abs(x)
    bits = size.bits(_integer_like(x)[0])
    above, below = (bits + 1).bits(x.value.type), (bits - 1).bits(x.value.type)
    return x.is_finite().choose(above.is_infinite().choose(size - below, above - size), size)


def _integer_like(x: Term) -> tuple[IntegerType, float]:
    """The integer type with the bits of a float, and the smallest positive float."""
    width = 32 if isinstance(x.value.type, Float32Type) else 64
    return IntegerType(width), _SMALLEST[width]


def fmod(x: Term, y: Term) -> Term:
    """The remainder of x / y, with the sign of x."""
    return Term(x.e, x.e.add(llvm.FRemOp(x.value, y.value)).res)


def remainder(x: Term, y: Term) -> Term:
    """`math.remainder`: x - n * y for the integer n nearest to x / y, the even one of two."""
    size, divisor = abs(x), abs(y)
    m = fmod(size, divisor)
    c = divisor - m
    tie = m - fmod((size - m) * 0.5, divisor) * 2.0
    r = (m < c).choose(m, (m > c).choose(-c, tie))
    return r * x.constant(1.0).with_sign_of(x)


def is_close(a: Term, b: Term, relative: Term, absolute: Term) -> Term:
    """`math.isclose`; Python raises where a tolerance is negative."""
    difference = abs(b - a)
    near = (difference <= abs(relative * b)) | (difference <= abs(relative * a)) | (difference <= absolute)
    return a.equals(b) | (near & ~a.is_infinite() & ~b.is_infinite())


# --------------------------------------------------------------------------------------------------------------------
# Sums
# --------------------------------------------------------------------------------------------------------------------


def two_sum(a: Term, b: Term) -> tuple[Term, Term]:
    """a + b, and its error (Knuth, TAOCP vol. 2, section 4.2.2)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def distance(e: Emitter, coordinates: Sequence[Term]) -> Term:
    """`math.hypot` of doubles: infinite if a coordinate is, else NaN if one is.

    The squares are added in twice the precision, and the square root is corrected by its error.
    """
    if not coordinates:
        return constant(e, 0.0, f64)
    sizes = [abs(x) for x in coordinates]
    largest, infinite, total = sizes[0], sizes[0].is_infinite(), sizes[0]
    for size in sizes[1:]:
        largest = (size > largest).choose(size, largest)
        infinite, total = infinite | size.is_infinite(), total + size
    if len(sizes) == 1:
        return largest
    # A power of two that brings the largest near to 1, so that squares neither overflow nor vanish.
    field = largest.bits(i64).constant(2045) - largest.bits(i64).logical_shift(52)
    scale = ((field < 1).choose(field.constant(1), field) << 52).bits(f64)
    high, low = largest.constant(0.0), largest.constant(0.0)
    for size in sizes:
        x = size * scale
        square = x * x
        high, error = two_sum(high, square)
        low = low + (error + x.times_plus(x, -square))
    root = (high + low).call(math.SqrtOp)
    rest = (-root).times_plus(root, high) + low
    result = (root + rest / (root * 2.0)) / scale
    result = largest.equals(0.0).choose(largest, result)
    return infinite.choose(largest.constant(INFINITY), total.is_nan().choose(total, result))


def exact_sum(e: Emitter, items: Sequence[Term]) -> Term:
    """`math.fsum` of finite doubles: the sum rounded once (Shewchuk, 1997; CPython, `math_fsum`)."""
    partials: list[Term] = []
    for item in items:
        errors: list[Term] = []
        total = item
        for partial in partials:
            total, error = two_sum(total, partial)
            errors.append(error)
        partials = [*errors, total]
    if not partials:
        return constant(e, 0.0, f64)
    *rest, high = partials
    low, following = high.constant(0.0), high.constant(0.0)
    for partial in reversed(rest):
        rounded = low.differs(0.0)
        following = (rounded & following.equals(0.0)).choose(partial, following)
        total = high + partial
        error = partial - (total - high)
        high, low = rounded.choose(high, total), rounded.choose(low, error)
    # Half an ulp is left over, and something beyond it: the tie was none.
    same_sign = ((low < 0.0) & (following < 0.0)) | ((low > 0.0) & (following > 0.0))
    twice = low * 2.0
    moved = high + twice
    corrected = same_sign & (moved - high).equals(twice)
    return corrected.choose(moved, high) + 0.0


def to_double(x: Term) -> Term:
    """A float in double precision."""
    return x if x.value.type == f64 else x.to(x.value.type, dyn.FLOAT)

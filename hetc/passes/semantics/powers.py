"""Powers: `a ** b`, `pow(a, b)` and `pow(a, b, m)`, by repeated squaring where the numbers are integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, math
from xdsl.ir import Attribute, SSAValue

from hetc.analysis.source_types import is_float, is_unsigned
from hetc.diagnostics import Category
from hetc.dialects import dyn, guard
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics.conversions import exact_float
from hetc.passes.semantics.emitter import Emitter, Number
from hetc.passes.semantics.terms import Term, repeat

MAX_UNROLLED_POWER = 64
MAX_MODULUS = 2**50
"""The quotient of a product by a smaller modulus is off by at most one when it is computed in double precision."""
_OVERFLOW = "the result of '**' does not fit 64 bits"
Multiply = Callable[[Number, Number], Number]


def python_power(e: Emitter, left: Number, right: Number) -> Number:
    """`left ** right` of Python numbers: the sign of an integer exponent decides the type of the result."""
    exponent = right.constant
    if not (is_float(left.source) or is_float(right.source)):
        if not isinstance(exponent, int) or exponent >= 0:
            return _whole_power(e, e.convert(left, dyn.INT), e.convert(right, dyn.INT))
        left = exact_float(e, left, "an integer above 2**53 is rounded by Python")
    left, right = e.convert(left, dyn.FLOAT), e.convert(right, dyn.FLOAT)
    if exponent == 2:
        result = e.add(arith.MulfOp(left.value, left.value, e.fast)).result
        _require_no_overflow(e, result, [left])
        return Number(result, dyn.FLOAT)
    if exponent == 1:
        return Number(left.value, dyn.FLOAT)
    nonzero = e.compare_floats("une", left.value, 0.0)
    if not (isinstance(exponent, int | float) and exponent >= 0):
        allowed = e.either(nonzero, e.compare_floats("uge", right.value, 0.0))
        e.require(allowed, GuardKind.ZERO_DIVISION, "zero to a negative power")
    if not (isinstance(exponent, int | float) and float(exponent).is_integer()):
        whole = e.compare_floats("ueq", e.unary(math.FloorOp, right.value), right.value)
        real = e.either(e.compare_floats("uge", left.value, 0.0), whole)
        e.require(real, GuardKind.DOMAIN, "a negative number to a fractional power is complex")
    result = _inverse(e, left) if exponent == -1 else e.add(math.PowFOp(left.value, right.value)).result
    _require_no_overflow(e, result, [left, right])
    return Number(result, dyn.FLOAT)


def _inverse(e: Emitter, number: Number) -> SSAValue:
    """1 / x, which is x ** -1 rounded correctly."""
    return e.add(arith.DivfOp(e.constant(1.0, number.source).value, number.value, e.fast)).result


def _require_no_overflow(e: Emitter, result: SSAValue, operands: Sequence[Number]) -> None:
    """Python raises OverflowError where a finite computation gives an infinity."""
    infinity = float("inf")
    ok = e.compare_floats("une", e.unary(math.AbsFOp, result), infinity)
    for operand in operands:
        if operand.constant is None:
            size = e.unary(math.AbsFOp, operand.value)
            ok = e.either(ok, e.compare_floats("oeq", size, infinity))
    e.require(ok, GuardKind.OVERFLOW, "the power is too large for a float")


def _whole_power(e: Emitter, base: Number, exponent: Number) -> Number:
    """An integer to a power that is not negative: exact, or back to Python's big integers."""
    known, number = exponent.constant, base.constant
    if isinstance(known, int) and isinstance(number, int) and _is_large(number, known):
        raise e.unsupported(f"{number}**{known} does not fit 64 bits", category=Category.INTEGER)
    if isinstance(known, int) and known <= MAX_UNROLLED_POWER:
        return _unrolled(e, base, known, lambda a, b: Number(_checked_product(e, a.value, b.value), dyn.INT))
    if known is None:
        reason = "a negative power of an integer is a float"
        e.require(e.compare_ints("sge", exponent.value, 0), GuardKind.TYPE, reason)

    def step(terms: Sequence[Term]) -> list[Term]:
        result, square, rest = terms
        factor = (rest & 1).differs(0).choose(square, 1)
        following = rest >> 1
        # The last square is not needed, so it may not fit.
        square = following.differs(0).choose(square, 1)
        products = [_checked_product(e, a.value, b.value) for a, b in ((result, factor), (square, square))]
        return [*(Term(e, product) for product in products), following]

    starts = [Term(e, e.constant(1, dyn.INT).value), Term(e, base.value), Term(e, exponent.value)]
    return Number(repeat(starts, lambda terms: terms[2].differs(0), step)[0].value, dyn.INT)


def _is_large(base: int, exponent: int) -> bool:
    """Whether base ** exponent is beyond 64 bits."""
    return abs(base) > 1 and (exponent >= MAX_UNROLLED_POWER or not -(2**63) <= base**exponent < 2**63)


def _checked_product(e: Emitter, left: SSAValue, right: SSAValue) -> SSAValue:
    e.require(e.add(guard.FitsOp("mul", left, right)).result, GuardKind.OVERFLOW, _OVERFLOW)
    return e.add(arith.MuliOp(left, right)).result


def _unrolled(e: Emitter, base: Number, exponent: int, multiply: Multiply) -> Number:
    """base ** exponent by repeated squaring."""
    if exponent == 0:
        return e.constant(1, base.source)
    result: Number | None = None
    square = base
    while True:
        if exponent & 1:
            result = square if result is None else multiply(result, square)
        exponent >>= 1
        if not exponent:
            assert result is not None
            return result
        square = multiply(square, square)


def numpy_power(e: Emitter, left: Number, right: Number, source: Attribute, exponent: object) -> Number:
    """`left ** right` in a NumPy type; `exponent` is the exponent where it is written in the source."""
    if is_float(source):
        if exponent == 2:
            return Number(e.add(arith.MulfOp(left.value, left.value, e.fast)).result, source)
        if exponent == 1:
            return Number(left.value, source)
        if exponent == -1:
            return Number(_inverse(e, left), source)
        return Number(e.add(math.PowFOp(left.value, right.value)).result, source)
    if isinstance(exponent, int) and 0 <= exponent <= MAX_UNROLLED_POWER:
        return _unrolled(e, left, exponent, lambda a, b: Number(e.add(arith.MuliOp(a.value, b.value)).result, source))
    if not is_unsigned(source):
        reason = "NumPy raises ValueError for a negative power of an integer"
        e.require(e.compare_ints("sge", right.value, 0), GuardKind.DOMAIN, reason)

    def step(terms: Sequence[Term]) -> list[Term]:
        result, square, rest = terms
        return [(rest & 1).differs(0).choose(result * square, result), square * square, rest.logical_shift(1)]

    starts = [Term(e, e.constant(1, source).value), Term(e, left.value), Term(e, right.value)]
    return Number(repeat(starts, lambda terms: terms[2].differs(0), step)[0].value, source)


def power_modulo(e: Emitter, numbers: Sequence[Number]) -> Number:
    """`pow(a, b, m)` of Python integers; the result has the sign of m. A negative b needs an inverse: Python's work."""
    if any(number.source not in (dyn.INT, dyn.BOOL) for number in numbers):
        raise e.unsupported(f"pow() of {e.names(*numbers)} is not compiled", hint="use Python integers")
    base, exponent, modulus = (Term(e, e.convert(number, dyn.INT).value) for number in numbers)
    e.require((exponent >= 0).value, GuardKind.DOMAIN, "pow() with a modulus needs an exponent that is not negative")
    e.require(modulus.differs(0).value, GuardKind.ZERO_DIVISION, "pow() with modulus 0")
    fits = (modulus > -MAX_MODULUS) & (modulus < MAX_MODULUS)
    e.require(fits.value, GuardKind.OVERFLOW, "the modulus of pow() has more than 50 bits")
    size = abs(modulus)
    remainder = base % size

    def step(terms: Sequence[Term]) -> list[Term]:
        result, square, rest = terms
        multiplied = _product_modulo(result, square, size)
        return [(rest & 1).differs(0).choose(multiplied, result), _product_modulo(square, square, size), rest >> 1]

    starts = [base.constant(1) % size, (remainder < 0).choose(remainder + size, remainder), exponent]
    result = repeat(starts, lambda terms: terms[2].differs(0), step)[0]
    negative = (modulus < 0) & result.differs(0)
    return Number(negative.choose(result + modulus, result).value, dyn.INT)


def _product_modulo(left: Term, right: Term, modulus: Term) -> Term:
    """left * right mod modulus, of numbers in [0, modulus): the quotient in double precision, the rest wraps."""
    x, y, m = (term.to(dyn.INT, dyn.FLOAT) for term in (left, right, modulus))
    rest = left * right - (x * y / m).to(dyn.FLOAT, dyn.INT) * modulus
    rest = (rest < 0).choose(rest + modulus, rest)
    return (rest >= modulus).choose(rest - modulus, rest)

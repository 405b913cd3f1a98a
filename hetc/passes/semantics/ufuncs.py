"""NumPy's universal functions on scalars: computed in the types of the loop that NumPy itself chooses.

Integers wrap, nothing raises but a negative power of an integer; of two zeros, `fmax` and `fmin` return either.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float32Type, IntegerType, Signedness, f16, f32, f64, i1
from xdsl.ir import Attribute, SSAValue

from hetc.analysis.source_types import is_bool, is_float, is_integer, is_python, is_unsigned
from hetc.dialects import dyn
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import arithmetic, comparison, conversions, floating, rounding
from hetc.passes.semantics.emitter import Emitter, Number
from hetc.passes.semantics.numpy_warnings import warn
from hetc.passes.semantics.promotion import loop_types, result_type
from hetc.passes.semantics.terms import Term, repeat

Loop = Callable[[Emitter, Sequence[Number], Attribute], Number]
"""From operands in the types of a loop to a result of the given type."""

PI = 3.141592653589793
SIGNED = IntegerType(64, Signedness.SIGNED)
"""The type that NumPy gives a Python integer."""
_OPERATORS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "floor_divide": "floordiv",
    "remainder": "mod", "power": "pow", "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor",
    "left_shift": "lshift", "right_shift": "rshift",
}  # fmt: skip
_COMPARISONS = {
    "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "equal": "eq", "not_equal": "ne",
}  # fmt: skip
_BY_BITS = ("nextafter", "spacing")
"""Functions of the bits of a number, which half precision has in memory alone."""
_PAIRS = ("divmod", "frexp", "modf")


def call(e: Emitter, name: str, arguments: Sequence[Number]) -> Number | None:
    """`np.name(...)`, or None if it is none of the functions here."""
    if name in _COMPARISONS and len(arguments) == 2:
        return _compare(e, name, arguments[0], arguments[1])
    if name == "round" and 1 <= len(arguments) <= 2:
        return _round(e, arguments)
    if name == "signbit" and len(arguments) == 1 and not is_float(arguments[0].source):
        return Number(_is_below_zero(e, arguments[0]), i1)
    if name == "fix" and len(arguments) == 1:
        number = _in_type(e, name, arguments[0])
        return _round_to_whole(math.TruncOp)(e, [number], number.source)
    if name == "clip" and len(arguments) == 3:
        return _clip(e, arguments)
    if name in _OPERATORS and len(arguments) == 2:
        left, right = _operands(e, name, arguments)
        result = arithmetic.numpy_binary(e, _OPERATORS[name], left, right, left.source)
        takes_root = name == "power" and left.source in (f32, f64) and power_takes_roots()
        return _root_or_power(e, left, right, result) if takes_root else result
    arity, loop = _LOOPS.get(name, (0, None))
    if loop is None or len(arguments) != arity:
        return None
    types = _types(e, name, arguments)
    numbers = [conversions.fit_numpy(e, a, t) for a, t in zip(arguments, types[:-1], strict=True)]
    result = _by_loop(e, name, loop, numbers, types)
    warn(e, name, numbers, result)
    return result


def _by_loop(e: Emitter, name: str, loop: Loop, numbers: Sequence[Number], types: Sequence[Attribute]) -> Number:
    if f16 not in types:
        return loop(e, numbers, types[-1])
    # NumPy computes the whole function in single precision, and rounds its result.
    if name in _BY_BITS:
        raise e.unsupported(f"np.{name}() of {e.names(*numbers)} is not compiled")
    single = [e.convert(number, f32) if number.source == f16 else number for number in numbers]
    return e.convert(loop(e, single, f32), f16) if types[-1] == f16 else loop(e, single, types[-1])


def call_pair(e: Emitter, name: str, arguments: Sequence[Number]) -> tuple[Number, Number] | None:
    """`np.divmod`, `np.modf` and `np.frexp`: two numbers; None if it is another function."""
    if name not in _PAIRS or len(arguments) != (2 if name == "divmod" else 1):
        return None
    types = _types(e, name, arguments)
    numbers = [conversions.fit_numpy(e, a, t) for a, t in zip(arguments, types[:-2], strict=True)]
    if name == "divmod":
        left, right = numbers
        quotient, remainder = (arithmetic.numpy_binary(e, op, left, right, types[0]) for op in ("floordiv", "mod"))
        return quotient, remainder
    x = Term(e, numbers[0].value)
    if name == "modf":
        fraction, whole = floating.fraction_and_whole(x)
        return Number(fraction.value, types[-2]), Number(whole.value, types[-1])
    mantissa, exponent = floating.mantissa_and_exponent(floating.to_double(x))
    return (
        e.convert(Number(mantissa.value, dyn.FLOAT), types[-2]),
        e.convert(Number(exponent.value, dyn.INT), types[-1]),
    )


# --------------------------------------------------------------------------------------------------------------------
# Types
# --------------------------------------------------------------------------------------------------------------------


def _types(e: Emitter, name: str, arguments: Sequence[Number]) -> tuple[Attribute, ...]:
    """The types of NumPy's loop, inputs and outputs."""
    types = loop_types(name, *(argument.source for argument in arguments))
    if types is None:
        raise e.unsupported(f"np.{name}() of {e.names(*arguments)} is not compiled")
    return types


def _operands(e: Emitter, name: str, arguments: Sequence[Number]) -> list[Number]:
    types = _types(e, name, arguments)
    return [conversions.fit_numpy(e, a, t) for a, t in zip(arguments, types, strict=False)]


def _in_type(e: Emitter, name: str, number: Number) -> Number:
    """A number in the type that a function of NumPy gives it."""
    source = result_type(f"np.{name}", number.source)
    if source is None:
        raise e.unsupported(f"np.{name}() of {e.names(number)} is not compiled")
    return conversions.fit_numpy(e, number, source)


def _compare(e: Emitter, name: str, left: Number, right: Number) -> Number:
    if left.source == right.source == dyn.INT:
        left, right = e.convert(left, SIGNED), e.convert(right, SIGNED)
    elif is_python(left.source) and is_python(right.source):
        left, right = _operands(e, name, (left, right))
    return Number(comparison.compare(e, _COMPARISONS[name], left, right).value, i1)


def _round(e: Emitter, arguments: Sequence[Number]) -> Number:
    digits = arguments[1] if len(arguments) == 2 else e.constant(0, dyn.INT)
    if not is_integer(digits.source):
        raise e.unsupported("np.round() needs an integer as its number of digits")
    number = _in_type(e, "round", arguments[0])
    return rounding.numpy_round(e, number, digits)


def _clip(e: Emitter, arguments: Sequence[Number]) -> Number:
    """min(max(x, low), high), where NaN wins; NumPy chooses one type for all three."""
    source = result_type("np.clip", *(argument.source for argument in arguments))
    if source is None:
        raise e.unsupported(f"np.clip() of {e.names(*arguments)} is not compiled")
    x, low, high = (conversions.fit_numpy(e, argument, source) for argument in arguments)
    above = _extreme("ge", keep_nan=True)(e, [x, low], source)
    return _extreme("le", keep_nan=True)(e, [above, high], source)


# --------------------------------------------------------------------------------------------------------------------
# Loops
# --------------------------------------------------------------------------------------------------------------------


def _extreme(predicate: str, *, keep_nan: bool) -> Loop:
    """The greater or lesser of two numbers of one type, or the first of equals."""

    def loop(e: Emitter, numbers: Sequence[Number], source: Attribute) -> Number:
        left, right = numbers
        better = comparison.compare(e, predicate, left, right).value
        if is_float(source):
            nan = left if keep_nan else right
            better = e.either(better, e.compare_floats("uno", nan.value, nan.value))
        return Number(e.select(better, left.value, right.value), source)

    return loop


def _of_term(function: Callable[[Term], Term]) -> Loop:
    return lambda e, numbers, source: Number(function(Term(e, numbers[0].value)).value, source)


def _of_terms(function: Callable[[Term, Term], Term]) -> Loop:
    return lambda e, numbers, source: Number(
        function(Term(e, numbers[0].value), Term(e, numbers[1].value)).value, source
    )


def _operator(name: str) -> Loop:
    return lambda e, numbers, source: arithmetic.unary(e, name, numbers[0])


def _round_to_whole(op: type[math.FloatingPointLikeUnaryMathOperation]) -> Loop:
    """Integers and truth values are whole."""

    def loop(e: Emitter, numbers: Sequence[Number], _: Attribute) -> Number:
        number = numbers[0]
        return Number(e.unary(op, number.value), number.source) if is_float(number.source) else number

    return loop


def _class(test: Callable[[Term], Term], of_integers: bool) -> Loop:
    """A property that integers have or have not."""

    def loop(e: Emitter, numbers: Sequence[Number], source: Attribute) -> Number:
        number = numbers[0]
        if not is_float(number.source):
            return Number(e.flag(of_integers), source)
        return Number(test(Term(e, number.value)).value, source)

    return loop


def _logical(combine: Callable[[Term, Term], Term]) -> Loop:
    return lambda e, numbers, source: Number(combine(*(Term(e, e.truth(number)) for number in numbers)).value, source)


def _sign(e: Emitter, numbers: Sequence[Number], source: Attribute) -> Number:
    x = Term(e, numbers[0].value)
    if is_unsigned(source):
        return Number(x.differs(0).choose(x.constant(1), 0).value, source)
    sign = (x > 0).choose(x.constant(1), (x < 0).choose(x.constant(-1), 0))
    return Number((x.is_nan().choose(x, sign) if is_float(source) else sign).value, source)


def _reciprocal(e: Emitter, numbers: Sequence[Number], source: Attribute) -> Number:
    x = Term(e, numbers[0].value)
    if is_float(source):
        return Number((x.constant(1.0) / x).value, source)
    e.require(x.differs(0).value, GuardKind.DOMAIN, "np.reciprocal() of the integer 0 depends on the processor")
    unit = x.equals(1) if is_unsigned(source) else x.equals(1) | x.equals(-1)
    return Number(unit.choose(x, 0).value, source)


def _scaled_by(numerator: float, denominator: float, single: float) -> Loop:
    """x times a factor that is computed in the type of x."""

    def loop(e: Emitter, numbers: Sequence[Number], source: Attribute) -> Number:
        x = Term(e, numbers[0].value)
        return Number((x * (single if source == f32 else numerator / denominator)).value, source)

    return loop


def _spacing(x: Term) -> Term:
    """The distance to the next number away from zero; NaN of infinities."""
    size = abs(x)
    integer = IntegerType(32 if isinstance(x.value.type, Float32Type) else 64)
    step = (size.bits(integer) + 1).bits(x.value.type) - size
    signed = x.equals(0.0).choose(step, step.with_sign_of(x))
    return x.is_finite().choose(signed, float("nan"))


def _load_exponent(e: Emitter, numbers: Sequence[Number], source: Attribute) -> Number:
    x, exponent = numbers
    double = floating.to_double(Term(e, x.value))
    result = floating.scaled(double, Term(e, e.convert(exponent, dyn.INT).value))
    return e.convert(Number(result.value, dyn.FLOAT), source)


def _hypotenuse(e: Emitter, numbers: Sequence[Number], source: Attribute) -> Number:
    terms = [floating.to_double(Term(e, number.value)) for number in numbers]
    if source != f32:
        return Number(floating.distance(e, terms).value, source)
    x, y = terms
    root = (x * x + y * y).call(math.SqrtOp)
    root = (x.is_infinite() | y.is_infinite()).choose(x.constant(float("inf")), root)
    return e.convert(Number(root.value, dyn.FLOAT), source)


def _heaviside(x: Term, at_zero: Term) -> Term:
    step = (x < 0.0).choose(x.constant(0.0), 1.0)
    return x.is_nan().choose(x, x.equals(0.0).choose(at_zero, step))


def _log_of_sum(
    exponential: type[math.FloatingPointLikeUnaryMathOperation], factor: float, of_two: float
) -> Callable[[Term, Term], Term]:
    """log(exp(x) + exp(y)) without overflow, to the base that `exponential` is of."""

    def function(x: Term, y: Term) -> Term:
        difference = x - y
        larger = (difference > 0.0).choose(x, y)
        rest = (-abs(difference)).call(exponential).call(math.Log1pOp)
        result = larger + (rest if factor == 1.0 else rest * factor)
        return x.equals(y).choose(x + of_two, difference.is_nan().choose(difference, result))

    return function


def _gcd(e: Emitter, numbers: Sequence[Number], source: Attribute) -> Number:
    a, b = _magnitudes(e, numbers, source)
    return Number(_euclid(a, b).value, source)


def _lcm(e: Emitter, numbers: Sequence[Number], source: Attribute) -> Number:
    a, b = _magnitudes(e, numbers, source)
    divisor = _euclid(a, b)
    divisor = divisor.equals(0).choose(divisor.constant(1), divisor)
    quotient = Term(e, e.add(arith.DivUIOp(a.value, divisor.value)).result)
    return Number((quotient * b).value, source)


def _magnitudes(e: Emitter, numbers: Sequence[Number], source: Attribute) -> list[Term]:
    terms = [Term(e, number.value) for number in numbers]
    return terms if is_unsigned(source) else [abs(term) for term in terms]


def _euclid(a: Term, b: Term) -> Term:
    """The greatest common divisor of numbers without a sign."""

    def step(terms: Sequence[Term]) -> list[Term]:
        left, right = terms
        return [right, Term(a.e, a.e.add(arith.RemUIOp(left.value, right.value)).result)]

    return repeat([a, b], lambda terms: terms[1].differs(0), step)[0]


def _remainder(e: Emitter, numbers: Sequence[Number], source: Attribute) -> Number:
    """`np.fmod`: the sign of the dividend; of integers, 0 for a zero divisor."""
    left, right = (Term(e, number.value) for number in numbers)
    if is_float(source):
        return Number(floating.fmod(left, right).value, source)
    if is_unsigned(source):
        return arithmetic.numpy_binary(e, "mod", numbers[0], numbers[1], source)
    trivial = right.equals(0) | right.equals(-1)
    rest = left % trivial.choose(right.constant(1), right)
    return Number(rest.value, source)


@functools.cache
def power_takes_roots() -> bool:
    """Whether `np.power` of scalars is a square root where the exponent is 0.5.

    The infinity and the zero below zero have another root than power.
    """
    with np.errstate(all="ignore"):
        return bool(np.isnan(np.power(-np.inf, 0.5)))


def _root_or_power(e: Emitter, base: Number, exponent: Number, power: Number) -> Number:
    half = e.compare_floats("oeq", exponent.value, 0.5)
    return Number(e.select(half, e.unary(math.SqrtOp, base.value), power.value), power.source)


def _float_power(x: Term, y: Term) -> Term:
    return Term(x.e, x.e.add(math.PowFOp(x.value, y.value)).result)


def _absolute(e: Emitter, numbers: Sequence[Number], _: Attribute) -> Number:
    return arithmetic.absolute(e, numbers[0])


def _negated(e: Emitter, numbers: Sequence[Number], source: Attribute) -> Number:
    return Number(e.negate(e.truth(numbers[0])), source)


def _is_below_zero(e: Emitter, number: Number) -> SSAValue:
    """Whether an integer is negative."""
    if is_bool(number.source) or is_unsigned(number.source):
        return e.flag(False)
    return e.compare_ints("slt", number.value, 0)


def _sign_bit(e: Emitter, numbers: Sequence[Number], source: Attribute) -> Number:
    e.require_sign("np.signbit()", numbers[0].value)
    return _of_term(_is_negative)(e, numbers, source)


def _is_negative(x: Term) -> Term:
    return x.constant(1.0).with_sign_of(x) < 0.0


_LOOPS: dict[str, tuple[int, Loop]] = {
    "abs": (1, _absolute),
    "ceil": (1, _round_to_whole(math.CeilOp)),
    "deg2rad": (1, _scaled_by(PI, 180.0, 0.01745329238474369)),
    "degrees": (1, _scaled_by(180.0, PI, 57.2957763671875)),
    "float_power": (2, _of_terms(_float_power)),
    "floor": (1, _round_to_whole(math.FloorOp)),
    "fmax": (2, _extreme("ge", keep_nan=False)),
    "fmin": (2, _extreme("le", keep_nan=False)),
    "fmod": (2, _remainder),
    "gcd": (2, _gcd),
    "heaviside": (2, _of_terms(_heaviside)),
    "hypot": (2, _hypotenuse),
    "invert": (1, _operator("invert")),
    "isfinite": (1, _class(Term.is_finite, True)),
    "isinf": (1, _class(Term.is_infinite, False)),
    "isnan": (1, _class(Term.is_nan, False)),
    "lcm": (2, _lcm),
    "ldexp": (2, _load_exponent),
    "logaddexp": (2, _of_terms(_log_of_sum(math.ExpOp, 1.0, 0.6931471805599453))),
    "logaddexp2": (2, _of_terms(_log_of_sum(math.Exp2Op, 1.4426950408889634, 1.0))),
    "logical_and": (2, _logical(Term.__and__)),
    "logical_not": (1, _negated),
    "logical_or": (2, _logical(Term.__or__)),
    "logical_xor": (2, _logical(Term.__xor__)),
    "negative": (1, _operator("neg")),
    "nextafter": (2, _of_terms(floating.next_after)),
    "positive": (1, _operator("pos")),
    "rad2deg": (1, _scaled_by(180.0, PI, 57.2957763671875)),
    "radians": (1, _scaled_by(PI, 180.0, 0.01745329238474369)),
    "reciprocal": (1, _reciprocal),
    "rint": (1, _round_to_whole(math.RoundEvenOp)),
    "sign": (1, _sign),
    "signbit": (1, _sign_bit),
    "spacing": (1, _of_term(_spacing)),
    "trunc": (1, _round_to_whole(math.TruncOp)),
}

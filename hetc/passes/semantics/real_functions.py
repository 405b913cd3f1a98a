"""`math`'s functions of floats that are more than one operation, and where they raise."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import math

from hetc.analysis.source_types import is_float, is_python
from hetc.dialects import dyn
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import conversions, floating, special_functions
from hetc.passes.semantics.emitter import Emitter, Number
from hetc.passes.semantics.terms import Term

_OF_ONE: dict[str, Callable[[Term], Term]] = {
    "erfc": special_functions.erfc,
    "gamma": special_functions.gamma,
    "lgamma": special_functions.log_gamma,
    "ulp": floating.last_place,
}
_OF_MANY = ("fma", "hypot", "isclose")
TOLERANCES = (1e-9, 0.0)
"""The relative and the absolute tolerance of `isclose` that Python takes if none are given."""


def call(e: Emitter, name: str, arguments: Sequence[Number]) -> Number | None:
    """`math.name(...)` with the arguments taken as Python floats, or None if it is another function."""
    if name == "ldexp" and len(arguments) == 2:
        return _load_exponent(e, arguments[0], arguments[1])
    if name not in _OF_ONE and name not in _OF_TWO and name not in _OF_MANY:
        return None
    terms = [Term(e, e.convert(argument, dyn.FLOAT).value) for argument in arguments]
    if name == "hypot":
        return Number(floating.distance(e, terms).value, dyn.FLOAT)
    if len(terms) == 1 and name in _OF_ONE:
        return Number(_OF_ONE[name](terms[0]).value, dyn.FLOAT)
    if len(terms) == 2 and name in _OF_TWO:
        return Number(_OF_TWO[name](e, *terms).value, dyn.FLOAT)
    if name == "fma" and len(terms) == 3:
        return Number(_fused(e, *terms).value, dyn.FLOAT)
    if name == "isclose" and 2 <= len(terms) <= 4:
        return Number(floating.is_close(terms[0], terms[1], *tolerances(e, arguments[2:])).value, dyn.BOOL)
    return None


def tolerances(e: Emitter, given: Sequence[Number]) -> list[Term]:
    """The relative and the absolute tolerance of `isclose`, where Python would not raise."""
    numbers = [*given, *(e.constant(value, dyn.FLOAT) for value in TOLERANCES[len(given) :])]
    terms = [Term(e, conversions.to_float(e, number).value) for number in numbers]
    for number, term in zip(given, terms, strict=False):
        if not isinstance(number.constant, int | float) or number.constant < 0:
            e.require((~(term < 0.0)).value, GuardKind.DOMAIN, "isclose() of a negative tolerance raises ValueError")
    return terms


def call_pair(e: Emitter, name: str, arguments: Sequence[Number]) -> tuple[Number, Number] | None:
    """`math.modf(x)` and `math.frexp(x)`: two numbers; None if it is another function."""
    if name not in ("modf", "frexp") or len(arguments) != 1:
        return None
    x = Term(e, conversions.to_float(e, arguments[0]).value)
    split = floating.fraction_and_whole if name == "modf" else floating.mantissa_and_exponent
    first, second = split(x)
    return Number(first.value, dyn.FLOAT), Number(second.value, dyn.FLOAT if name == "modf" else dyn.INT)


def _load_exponent(e: Emitter, number: Number, exponent: Number) -> Number:
    if is_float(exponent.source) or not is_python(exponent.source):
        raise e.unsupported(f"math.ldexp() by {e.names(exponent)} raises TypeError")
    x = Term(e, e.convert(number, dyn.FLOAT).value)
    result = floating.scaled(x, Term(e, conversions.to_int(e, exponent).value))
    fits = ~result.is_infinite() | x.is_infinite()
    e.require(fits.value, GuardKind.OVERFLOW, "math.ldexp() would raise OverflowError")
    return Number(result.value, dyn.FLOAT)


def _remainder(e: Emitter, x: Term, y: Term) -> Term:
    allowed = x.is_nan() | y.is_nan() | (x.is_finite() & y.differs(0.0))
    e.require(allowed.value, GuardKind.DOMAIN, "math.remainder() would raise")
    return floating.remainder(x, y)


def _next_after(_: Emitter, x: Term, y: Term) -> Term:
    return floating.next_after(x, y)


def _logarithm(e: Emitter, x: Term, base: Term) -> Term:
    for term in (x, base):
        positive = (term > 0.0) | term.is_nan()
        e.require(positive.value, GuardKind.DOMAIN, "math.log() would raise")
    denominator = base.call(math.LogOp)
    e.require(denominator.differs(0.0).value, GuardKind.ZERO_DIVISION, "math.log() to base 1")
    return x.call(math.LogOp) / denominator


_OF_TWO: dict[str, Callable[[Emitter, Term, Term], Term]] = {
    "log": _logarithm,
    "nextafter": _next_after,
    "remainder": _remainder,
}


def _fused(e: Emitter, x: Term, y: Term, z: Term) -> Term:
    result = x.times_plus(y, z)
    valid = ~result.is_nan() | x.is_nan() | y.is_nan() | z.is_nan()
    e.require(valid.value, GuardKind.DOMAIN, "math.fma() would raise ValueError")
    fits = ~result.is_infinite() | ~(x.is_finite() & y.is_finite() & z.is_finite())
    e.require(fits.value, GuardKind.OVERFLOW, "math.fma() would raise OverflowError")
    return result

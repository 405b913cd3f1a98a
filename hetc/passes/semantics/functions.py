"""Python's built-in functions on numbers: abs, min, max, int, float, complex, bool, round, pow, divmod."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hetc.diagnostics import Category
from hetc.dialects import dyn
from hetc.extensions import builder, is_intrinsic
from hetc.passes.semantics import (
    arithmetic,
    comparison,
    complex_functions,
    complex_numbers,
    conversions,
    mathematics,
    number_methods,
    powers,
    real_functions,
    rounding,
    sums,
    ufuncs,
)
from hetc.passes.semantics.emitter import Emitter, Number

Builtin = Callable[[Emitter, Sequence[Number]], Number]


def call(e: Emitter, name: str, arguments: Sequence[Number]) -> Number:
    """A known function on numbers."""
    if name.startswith("math."):
        return mathematics.call_math(e, name[5:], arguments)
    if name.startswith("cmath."):
        return complex_functions.call_cmath(e, name[6:], arguments)
    if name.startswith("number."):
        return number_methods.call(e, name[7:], arguments[0])
    if name.startswith("sum."):
        return sums.call(e, name[4:], arguments)
    if name.startswith("np."):
        return mathematics.call_numpy(e, name[3:], arguments)
    if is_intrinsic(name):
        return builder(name)(e, arguments)
    function = _BUILTINS.get(name)
    if function is None:
        hint = "return numbers, and make text of the results" if name in _TEXT else None
        raise e.unsupported(f"{name}() of numbers is not compiled", hint=hint)
    low, high = _ARITY.get(name, (1, 1))
    if not low <= len(arguments) <= high:
        raise e.unsupported(f"{name}() with {len(arguments)} arguments is not compiled", category=Category.ARGUMENTS)
    return function(e, arguments)


_TEXT = ("str", "repr", "format", "chr", "ord", "hex", "bin", "oct", "ascii")

PAIRS = ("divmod", "math.modf", "math.frexp", "np.divmod", "np.modf", "np.frexp")
"""The functions that return two numbers."""


def call_pair(e: Emitter, name: str, arguments: Sequence[Number]) -> tuple[Number, Number]:
    """A function of `PAIRS`."""
    if name == "divmod" and len(arguments) == 2:
        quotient, remainder = (arithmetic.binary(e, part, *arguments) for part in ("floordiv", "mod"))
        return quotient, remainder
    if name.startswith("np."):
        pair = ufuncs.call_pair(e, name[3:], arguments)
    else:
        pair = real_functions.call_pair(e, name.removeprefix("math."), arguments)
    if pair is None:
        raise e.unsupported(f"{name}() with {len(arguments)} arguments is not compiled")
    return pair


def _extreme(name: str) -> Builtin:
    """min and max keep the first of equals, and compare as Python does, NaN included."""

    def extreme(e: Emitter, arguments: Sequence[Number]) -> Number:
        best = arguments[0]
        for number in arguments[1:]:
            if number.source != best.source:
                raise e.unsupported(
                    f"{name}() of {e.names(best, number)} may return either type",
                    hint="give both arguments the same type",
                    category=Category.TYPES,
                )
            better = comparison.compare(e, "lt" if name == "min" else "gt", number, best)
            best = Number(e.select(better.value, number.value, best.value), best.source)
        return best

    return extreme


def _float(e: Emitter, arguments: Sequence[Number]) -> Number:
    return conversions.to_float(e, arguments[0])


def _bool(e: Emitter, arguments: Sequence[Number]) -> Number:
    return Number(e.truth(arguments[0]), dyn.BOOL)


def _pow(e: Emitter, arguments: Sequence[Number]) -> Number:
    if len(arguments) == 3:
        return powers.power_modulo(e, arguments)
    return arithmetic.binary(e, "pow", arguments[0], arguments[1])


_BUILTINS: dict[str, Builtin] = {
    "abs": lambda e, arguments: arithmetic.absolute(e, arguments[0]),
    "min": _extreme("min"),
    "max": _extreme("max"),
    "int": lambda e, arguments: conversions.to_int(e, arguments[0]),
    "float": _float,
    "complex": complex_numbers.construct,
    "bool": _bool,
    "round": rounding.builtin_round,
    "pow": _pow,
}
_ARITY = {"min": (2, 64), "max": (2, 64), "pow": (2, 3), "round": (1, 2), "complex": (0, 2)}

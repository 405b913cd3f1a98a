"""`math.*` and NumPy's scalar functions.

`math` computes in double precision and raises where C sets errno: a NaN out of a number is ValueError, an infinity out
of a finite number is OverflowError or ValueError (CPython, Modules/mathmodule.c, `math_1`). Each function has the
cheapest guard that says so. NumPy's functions compute in the type of their argument and never raise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, llvm, math
from xdsl.ir import SSAValue

from hetc.abi import SCALAR_TYPES
from hetc.analysis.source_types import is_bool, is_complex, is_float, is_integer, is_python, is_unsigned, to_ir
from hetc.diagnostics import Category
from hetc.dialects import dyn
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import (
    arithmetic,
    complex_functions,
    complex_numbers,
    conversions,
    number_theory,
    real_functions,
    ufuncs,
)
from hetc.passes.semantics.emitter import Emitter, Number
from hetc.passes.semantics.numpy_warnings import warn
from hetc.passes.semantics.promotion import result_type

INFINITY = float("inf")
Unary = type[math.FloatingPointLikeUnaryMathOperation]
Check = Callable[[Emitter, SSAValue, SSAValue], SSAValue]
"""From argument and result to "Python would not raise"."""


def _above(predicate: str, bound: float) -> Check:
    return lambda e, x, r: e.compare_floats(predicate, x, bound)


def _size(predicate: str, bound: float) -> Check:
    return lambda e, x, r: e.compare_floats(predicate, e.unary(math.AbsFOp, x), bound)


def _no_overflow(e: Emitter, x: SSAValue, r: SSAValue) -> SSAValue:
    finite = e.compare_floats("une", e.unary(math.AbsFOp, r), INFINITY)
    return e.either(finite, e.compare_floats("oeq", e.unary(math.AbsFOp, x), INFINITY))


_finite_or_nan = _size("une", INFINITY)

_MATH: dict[str, tuple[Unary, Check | None]] = {
    "acos": (math.AcosOp, _size("ule", 1.0)),
    "acosh": (math.AcoshOp, _above("uge", 1.0)),
    "asin": (math.AsinOp, _size("ule", 1.0)),
    "asinh": (math.AsinhOp, None),
    "atan": (math.AtanOp, None),
    "atanh": (math.AtanhOp, _size("ult", 1.0)),
    "cbrt": (math.CbrtOp, None),
    "cos": (math.CosOp, _finite_or_nan),
    "cosh": (math.CoshOp, _no_overflow),
    "erf": (math.ErfOp, None),
    "exp": (math.ExpOp, _no_overflow),
    "exp2": (math.Exp2Op, _no_overflow),
    "expm1": (math.ExpM1Op, _no_overflow),
    "fabs": (math.AbsFOp, None),
    "log": (math.LogOp, _above("ugt", 0.0)),
    "log10": (math.Log10Op, _above("ugt", 0.0)),
    "log1p": (math.Log1pOp, _above("ugt", -1.0)),
    "log2": (math.Log2Op, _above("ugt", 0.0)),
    "sin": (math.SinOp, _finite_or_nan),
    "sinh": (math.SinhOp, _no_overflow),
    "sqrt": (math.SqrtOp, _above("uge", 0.0)),
    "tan": (math.TanOp, _finite_or_nan),
    "tanh": (math.TanhOp, None),
}
_TO_INT: dict[str, Unary] = {"floor": math.FloorOp, "ceil": math.CeilOp, "trunc": math.TruncOp}
_FACTORS = {"degrees": 180.0 / 3.141592653589793, "radians": 3.141592653589793 / 180.0}
_NUMPY_UNARY: dict[str, Unary] = {
    name: op for name, (op, _) in _MATH.items() if name not in ("acos", "asin", "atan", "erf")
} | {
    "arccos": math.AcosOp,
    "arccosh": math.AcoshOp,
    "arcsin": math.AsinOp,
    "arcsinh": math.AsinhOp,
    "arctan": math.AtanOp,
    "arctanh": math.AtanhOp,
}
_CONSTRUCTORS = {SCALAR_TYPES[t].dtype: SCALAR_TYPES[t] for t in SCALAR_TYPES if not SCALAR_TYPES[t].python}


def call_math(e: Emitter, name: str, arguments: Sequence[Number]) -> Number:
    """`math.name(...)`: a Python float, int or bool; the arguments are taken as Python floats."""
    if name in _TO_INT and len(arguments) == 1:
        return _whole(e, name, arguments[0])
    if any(is_complex(argument.source) for argument in arguments):
        raise e.unsupported(f"math.{name}() of {e.names(*arguments)} raises TypeError", hint="use cmath")
    result = number_theory.call(e, name, arguments) or real_functions.call(e, name, arguments)
    if result is not None:
        return result
    numbers = [e.convert(argument, dyn.FLOAT) for argument in arguments]
    if len(numbers) == 1:
        result = _math_of_one(e, name, numbers[0].value)
    elif len(numbers) == 2:
        result = _math_of_two(e, name, numbers[0], numbers[1])
    if result is None:
        raise e.unsupported(
            f"math.{name}() with {len(arguments)} arguments is not compiled", category=Category.ARGUMENTS
        )
    return result


def _whole(e: Emitter, name: str, number: Number) -> Number:
    """`math.floor`, `ceil` and `trunc`: exact on Python's integers; NumPy's become floats first."""
    if is_complex(number.source):
        raise e.unsupported(f"math.{name}() of {e.names(number)} raises TypeError")
    if is_python(number.source) and not is_float(number.source):
        return conversions.to_int(e, number)
    if name == "trunc" and result_type("trunc", number.source) is None:
        raise e.unsupported(f"math.trunc() of {e.names(number)} raises TypeError")
    rounded = e.unary(_TO_INT[name], e.convert(number, dyn.FLOAT).value)
    return conversions.truncated(e, Number(rounded, dyn.FLOAT))


def _math_of_one(e: Emitter, name: str, x: SSAValue) -> Number | None:
    if name in _MATH:
        op, check = _MATH[name]
        result = e.unary(op, x)
        if check is not None:
            e.require(check(e, x, result), GuardKind.DOMAIN, f"math.{name}() would raise")
        return Number(result, dyn.FLOAT)
    if name in _FACTORS:
        factor = e.constant(_FACTORS[name], dyn.FLOAT).value
        return Number(e.add(arith.MulfOp(x, factor)).result, dyn.FLOAT)
    if name in _CLASSES:
        return Number(_CLASSES[name](e, x), dyn.BOOL)
    return None


def _math_of_two(e: Emitter, name: str, left: Number, right: Number) -> Number | None:
    x, y = left.value, right.value
    match name:
        case "pow":
            return arithmetic.binary(e, "pow", left, right)
        case "atan2":
            return Number(e.add(math.Atan2Op(x, y)).result, dyn.FLOAT)
        case "copysign":
            e.require_sign("math.copysign()", y)
            return Number(e.add(math.CopySignOp(x, y)).result, dyn.FLOAT)
        case "fmod":
            ok = e.both(_finite_or_nan(e, x, x), e.compare_floats("une", y, 0.0))
            e.require(ok, GuardKind.DOMAIN, "math.fmod() would raise")
            return Number(e.add(llvm.FRemOp(x, y)).res, dyn.FLOAT)
        case _:
            return None


_CLASSES: dict[str, Callable[[Emitter, SSAValue], SSAValue]] = {
    "isnan": lambda e, x: e.compare_floats("uno", x, x),
    "isinf": lambda e, x: e.compare_floats("oeq", e.unary(math.AbsFOp, x), INFINITY),
    "isfinite": lambda e, x: e.compare_floats("olt", e.unary(math.AbsFOp, x), INFINITY),
}


def call_numpy(e: Emitter, name: str, arguments: Sequence[Number]) -> Number:
    """`np.name(...)` on scalars, or a scalar type's constructor."""
    if name in _CONSTRUCTORS and len(arguments) == 1:
        return construct(e, arguments[0], name)
    if any(is_complex(argument.source) for argument in arguments):
        return complex_functions.call_numpy(e, name, arguments)
    if name in ("real", "imag") and len(arguments) == 1:
        return complex_numbers.attribute(e, name, arguments[0])
    if name == "square" and len(arguments) == 1:
        number = _as_numpy(e, "square", arguments[0])
        return arithmetic.binary(e, "mul", number, number)
    if name in ("maximum", "minimum") and len(arguments) == 2:
        return _numpy_extreme(e, name, arguments[0], arguments[1])
    result = ufuncs.call(e, name, arguments)
    if result is not None:
        return result
    source = result_type(f"np.{name}", *(argument.source for argument in arguments))
    if source is None:
        raise e.unsupported(f"np.{name}() of {e.names(*arguments)} is not compiled")
    numbers = [e.convert(argument, source) for argument in arguments]
    if name == "conjugate":
        return numbers[0]
    if name == "angle" and len(numbers) == 1:
        zero = e.constant(0.0, source).value
        return Number(e.add(math.Atan2Op(zero, numbers[0].value)).result, source)
    if len(numbers) == 1 and name == "fabs" and is_float(source):
        return Number(e.unary(math.AbsFOp, numbers[0].value), source)
    if len(numbers) == 1 and name in _NUMPY_UNARY and is_float(source):
        result = Number(e.unary(_NUMPY_UNARY[name], numbers[0].value), source)
        warn(e, name, numbers, result)
        return result
    if len(numbers) == 2 and name in _NUMPY_BINARY and is_float(source):
        if name == "copysign":
            e.require_sign("np.copysign()", numbers[1].value)
        return Number(e.add(_NUMPY_BINARY[name](numbers[0].value, numbers[1].value)).result, source)
    raise e.unsupported(f"np.{name}() of {e.names(*arguments)} is not compiled")


_NUMPY_BINARY = {"arctan2": math.Atan2Op, "copysign": math.CopySignOp}


def _as_numpy(e: Emitter, name: str, number: Number) -> Number:
    source = result_type(f"np.{name}", number.source)
    if source is None:
        raise e.unsupported(f"np.{name}() of {e.names(number)} is not compiled")
    return e.convert(number, source)


def _numpy_extreme(e: Emitter, name: str, left: Number, right: Number) -> Number:
    """`np.maximum` and `np.minimum`: NaN if either is; of two zeros the second, as NumPy's x86 code has it."""
    source = result_type(f"np.{name}", left.source, right.source)
    if source is None:
        raise e.unsupported(f"np.{name}() of {e.names(left, right)} is not compiled")
    left, right = conversions.fit_numpy(e, left, source), conversions.fit_numpy(e, right, source)
    if is_float(source):
        keep = e.compare_floats("ogt" if name == "maximum" else "olt", left.value, right.value)
        keep = e.either(keep, e.compare_floats("uno", left.value, left.value))
    elif is_unsigned(source) or is_bool(source):
        keep = e.compare_ints("uge" if name == "maximum" else "ule", left.value, right.value)
    else:
        keep = e.compare_ints("sge" if name == "maximum" else "sle", left.value, right.value)
    return Number(e.select(keep, left.value, right.value), source)


def construct(e: Emitter, number: Number, dtype: str) -> Number:
    """`np.float32(x)`, `np.int8(x)`, ...: NumPy integers wrap, Python integers must fit, floats are cut off."""
    target = to_ir(_CONSTRUCTORS[dtype])
    if is_complex(target) or is_complex(number.source):
        return complex_numbers.convert_numpy(e, number, target)
    if is_bool(target) and number.constant is not None:
        return e.constant(bool(number.constant), target)
    if is_bool(target):
        return Number(e.truth(number), target)
    if is_integer(target) and is_float(number.source):
        low, high = conversions.integer_limits(target)
        wide = e.convert(number, dyn.FLOAT)
        inside = e.both(
            e.compare_floats("ogt", wide.value, float(low) - 1.0 if low > -(2**53) else float(low)),
            e.compare_floats("olt", wide.value, float(high + 1)),
        )
        e.require(inside, GuardKind.DOMAIN, f"the float does not fit numpy.{dtype}")
        return e.convert(number, target)
    return conversions.fit_numpy(e, number, target)

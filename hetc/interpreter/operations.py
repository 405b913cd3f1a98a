"""What ops on numbers mean, on NumPy arrays of payloads."""

from __future__ import annotations

import functools
import math as python_math
import operator
from collections.abc import Callable
from fractions import Fraction
from math import isfinite
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, llvm, math, ub
from xdsl.dialects import complex as complex_dialect
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation

from hetc.dialects import guard, special
from hetc.interpreter.cases import Array, Cases, Handler, Handlers, UndefinedError, Value, dtype_of


def _binary(function: Callable[[Array, Array], Array]) -> Handler:
    def run(c: Cases, op: Operation) -> None:
        left, right = (c.get(operand) for operand in op.operands)
        c.set(op.results[0], function(left.data, right.data), left, right)

    return run


def _wrapping(function: Callable[[Any, Any], Any]) -> Handler:
    """Integer arithmetic: it wraps, unless the op says that it does not; then a result that does not fit is poison."""

    def run(c: Cases, op: arith.AddiOp | arith.SubiOp | arith.MuliOp) -> None:
        left, right = c.get(op.lhs), c.get(op.rhs)
        undefined = None
        if arith.IntegerOverflowFlag.NSW in op.overflow_flags.data:
            undefined = ~_fitting(function, left.data, right.data)
        c.set(op.result, function(left.data, right.data), left, right, undefined=undefined)

    return run


def _fitting(function: Callable[[Any, Any], Any], left: Array, right: Array) -> Array:
    """Where an operation on whole numbers, carried out exactly, gives one of their type."""
    lowest, highest = _limits(left.dtype)
    rows = zip(left.tolist(), right.tolist(), strict=True)
    return np.array([lowest <= function(a, b) <= highest for a, b in rows], bool)


@functools.cache
def _limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    limits = np.iinfo(cast("Any", dtype))
    return int(limits.min), int(limits.max)


def _unary(function: Callable[[Array], Array]) -> Handler:
    def run(c: Cases, op: Operation) -> None:
        (operand,) = (c.get(o) for o in op.operands)
        c.set(op.results[0], function(operand.data), operand)

    return run


def _sine_and_cosine(c: Cases, op: special.SinCosOp) -> None:
    operand = c.get(op.operand)
    c.set(op.sine, np.sin(operand.data), operand)
    c.set(op.cosine, np.cos(operand.data), operand)


def _unsigned(array: Array) -> Array:
    return array if array.dtype == np.bool_ else array.view(f"u{array.dtype.itemsize}")


def _division(function: Callable[[Array, Array], Array], *, signed: bool) -> Handler:
    """A division: by zero it has no meaning, nor has the lowest number by -1."""

    def run(c: Cases, op: Operation) -> None:
        left, right = (c.get(operand) for operand in op.operands)
        a, b = (left.data, right.data) if signed else (_unsigned(left.data), _unsigned(right.data))
        undefined = b == 0
        if signed:
            undefined |= (a == np.iinfo(a.dtype).min) & (b == -1)
        # A device may trap here, used or not, so this is not a matter of poison.
        if np.any(undefined & c.alive):
            raise UndefinedError(f"{op.name} without meaning")
        result = function(a, np.where(undefined, 1, b))
        c.set(op.results[0], result.view(left.data.dtype), left, right)

    return run


def _truncated_quotient(a: Array, b: Array) -> Array:
    floor, remainder = a // b, a % b
    return floor + ((remainder != 0) & ((a < 0) != (b < 0)))


def _shift(function: Callable[[Array, Array], Array]) -> Handler:
    def run(c: Cases, op: Operation) -> None:
        left, right = (c.get(operand) for operand in op.operands)
        undefined = _unsigned(right.data) >= right.data.dtype.itemsize * 8
        result = function(left.data, np.where(undefined, 0, right.data).astype(right.data.dtype))
        c.set(op.results[0], result, left, right, undefined=undefined)

    return run


def _logical_shift_right(a: Array, b: Array) -> Array:
    return (_unsigned(a) >> _unsigned(b)).view(a.dtype)


def _to_integer(c: Cases, op: arith.FPToSIOp | arith.FPToUIOp) -> None:
    operand = c.get(op.operands[0])
    dtype: np.dtype[Any] = np.dtype(dtype_of(op.results[0].type))
    if isinstance(op, arith.FPToUIOp):
        dtype = np.dtype(f"u{dtype.itemsize}")
    whole, info = np.trunc(operand.data.astype(np.float64)), np.iinfo(cast("Any", dtype))
    inside = (whole >= float(info.min)) & (whole < float(info.max) + 1.0)
    result = np.where(inside, whole, 0).astype(dtype)
    c.set(op.results[0], result.view(f"i{dtype.itemsize}"), operand, undefined=~inside)


def _cast(c: Cases, op: Operation) -> None:
    operand = c.get(op.operands[0])
    c.set(op.results[0], operand.data.astype(dtype_of(op.results[0].type)), operand)


def _cast_unsigned(c: Cases, op: Operation) -> None:
    operand = c.get(op.operands[0])
    c.set(op.results[0], _unsigned(operand.data).astype(dtype_of(op.results[0].type)), operand)


def _compare_integers(c: Cases, op: arith.CmpiOp) -> None:
    left, right = c.get(op.lhs), c.get(op.rhs)
    predicate = op.predicate.value.data
    a, b = left.data, right.data
    if 2 <= predicate <= 5 and a.dtype == np.bool_:
        raise UndefinedError("a signed comparison of truth values takes true for -1")
    if predicate > 5:
        a, b, predicate = _unsigned(a), _unsigned(b), predicate - 4
    functions = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)
    c.set(op.result, functions[predicate](a, b), left, right)


def _compare_floats(c: Cases, op: arith.CmpfOp) -> None:
    left, right = c.get(op.lhs), c.get(op.rhs)
    a, b = left.data, right.data
    nan = np.isnan(a) | np.isnan(b)
    ordered = (np.equal, np.greater, np.greater_equal, np.less, np.less_equal, np.not_equal)
    predicate = op.predicate.value.data
    match predicate:
        case 0 | 15:
            result = np.full(c.count, predicate == 15)
        case 7 | 14:
            result = nan if predicate == 14 else ~nan
        case _ if predicate < 7:
            result = ordered[predicate - 1](a, b) & ~nan
        case _:
            result = ordered[predicate - 8](a, b) | nan
    c.set(op.result, result, left, right)


def _constant(c: Cases, op: arith.ConstantOp) -> None:
    assert isinstance(op.value, IntegerAttr | FloatAttr)
    c.set(op.result, np.full(c.count, op.value.value.data, dtype_of(op.result.type)))


def _complex_constant(c: Cases, op: complex_dialect.ConstantOp) -> None:
    re, im = (part.value.data for part in op.value)
    c.set(op.complex, np.full(c.count, complex(re, im), dtype_of(op.complex.type)))


def _create(c: Cases, op: complex_dialect.CreateOp) -> None:
    re, im = c.get(op.real), c.get(op.imaginary)
    result: Array = np.empty(c.count, dtype_of(op.complex.type))
    result.real, result.imag = re.data, im.data
    c.set(op.complex, result, re, im)


def _select(c: Cases, op: arith.SelectOp) -> None:
    condition: Value
    then: Value
    other: Value
    condition, then, other = c.get(op.cond), c.get(op.lhs), c.get(op.rhs)
    chosen: Array = np.where(condition.data, then.poison, other.poison)
    poison: Array = condition.poison | chosen
    c.set(op.result, np.where(condition.data, then.data, other.data), undefined=poison)


def _fits(c: Cases, op: guard.FitsOp) -> None:
    left, right = c.get(op.left), c.get(op.right)
    function = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}[op.operator.data]
    c.set(op.result, _fitting(function, left.data, right.data), left, right)


def _require(c: Cases, op: guard.RequireOp) -> None:
    condition = c.demand(c.get(op.condition), "a guard")
    for index in np.flatnonzero(c.alive & ~condition):
        c.failed[index] = op.reason.data
    c.alive = c.alive & condition


def _warn(c: Cases, op: guard.WarnOp) -> None:
    c.demand(c.get(op.condition), "a warning")


def _fact(c: Cases, op: guard.FactOp) -> None:
    operand = c.get(op.operand)
    inside = (operand.data >= op.low.value.data) & (operand.data <= op.high.value.data)
    if not np.all(inside | ~c.alive):
        raise UndefinedError("a fact does not hold")
    c.values[op.result] = operand


def _poison(c: Cases, op: ub.PoisonOp) -> None:
    c.set(op.result, np.zeros(c.count, dtype_of(op.result.type)), undefined=np.ones(c.count, bool))


def _fused(c: Cases, op: math.FmaOp) -> None:
    operands = [c.get(operand) for operand in op.operands]
    dtype = dtype_of(op.result.type)
    rows = zip(*(operand.data.tolist() for operand in operands), strict=True)
    c.set(op.result, np.array([_fma(*row) for row in rows], dtype), *operands)


def _fma(a: float, b: float, c: float) -> float:
    """a * b + c, rounded once."""
    plain = a * b + c
    if not all(map(isfinite, (a, b, c))):
        return plain
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return float(exact) if exact else plain
    except OverflowError:
        return plain


def _bitcast(c: Cases, op: arith.BitcastOp) -> None:
    operand = c.get(op.input)
    c.set(op.result, operand.data.view(dtype_of(op.result.type)), operand)


HANDLERS: Handlers = {
    arith.ConstantOp: _constant,
    complex_dialect.ConstantOp: _complex_constant,
    complex_dialect.CreateOp: _create,
    complex_dialect.ReOp: _unary(np.real),
    complex_dialect.ImOp: _unary(np.imag),
    arith.AddiOp: _wrapping(operator.add),
    arith.SubiOp: _wrapping(operator.sub),
    arith.MuliOp: _wrapping(operator.mul),
    arith.DivSIOp: _division(_truncated_quotient, signed=True),
    arith.RemSIOp: _division(np.fmod, signed=True),
    arith.DivUIOp: _division(np.floor_divide, signed=False),
    arith.RemUIOp: _division(np.remainder, signed=False),
    arith.AndIOp: _binary(np.bitwise_and),
    arith.OrIOp: _binary(np.bitwise_or),
    arith.XOrIOp: _binary(np.bitwise_xor),
    arith.ShLIOp: _shift(np.left_shift),
    arith.ShRSIOp: _shift(np.right_shift),
    arith.ShRUIOp: _shift(_logical_shift_right),
    arith.MinSIOp: _binary(np.minimum),
    arith.MaxSIOp: _binary(np.maximum),
    arith.AddfOp: _binary(np.add),
    arith.SubfOp: _binary(np.subtract),
    arith.MulfOp: _binary(np.multiply),
    arith.DivfOp: _binary(np.divide),
    arith.NegfOp: _unary(np.negative),
    arith.CmpiOp: _compare_integers,
    arith.CmpfOp: _compare_floats,
    arith.SelectOp: _select,
    arith.ExtSIOp: _cast,
    arith.ExtUIOp: _cast_unsigned,
    arith.TruncIOp: _cast,
    arith.SIToFPOp: _cast,
    arith.UIToFPOp: _cast_unsigned,
    arith.FPToSIOp: _to_integer,
    arith.FPToUIOp: _to_integer,
    arith.ExtFOp: _cast,
    arith.TruncFOp: _cast,
    arith.BitcastOp: _bitcast,
    llvm.FRemOp: _binary(np.fmod),
    math.AbsFOp: _unary(np.abs),
    math.AcosOp: _unary(np.arccos),
    math.AcoshOp: _unary(np.arccosh),
    math.AsinOp: _unary(np.arcsin),
    math.AsinhOp: _unary(np.arcsinh),
    math.AtanOp: _unary(np.arctan),
    math.Atan2Op: _binary(np.arctan2),
    math.AtanhOp: _unary(np.arctanh),
    math.CbrtOp: _unary(np.cbrt),
    math.CeilOp: _unary(np.ceil),
    math.CopySignOp: _binary(np.copysign),
    math.CosOp: _unary(np.cos),
    math.CoshOp: _unary(np.cosh),
    math.ErfOp: _unary(np.vectorize(python_math.erf, otypes=[np.float64])),
    math.ExpOp: _unary(np.exp),
    math.Exp2Op: _unary(np.exp2),
    math.ExpM1Op: _unary(np.expm1),
    math.FloorOp: _unary(np.floor),
    math.FmaOp: _fused,
    math.LogOp: _unary(np.log),
    math.Log10Op: _unary(np.log10),
    math.Log1pOp: _unary(np.log1p),
    math.Log2Op: _unary(np.log2),
    math.PowFOp: _binary(np.power),
    math.RoundEvenOp: _unary(np.rint),
    math.SinOp: _unary(np.sin),
    math.SinhOp: _unary(np.sinh),
    math.SqrtOp: _unary(np.sqrt),
    math.TanOp: _unary(np.tan),
    math.TanhOp: _unary(np.tanh),
    math.TruncOp: _unary(np.trunc),
    special.RsqrtOp: _unary(lambda x: 1 / np.sqrt(x)),
    special.ErfcOp: _unary(np.vectorize(python_math.erfc, otypes=[np.float64])),
    special.SinCosOp: _sine_and_cosine,
    ub.PoisonOp: _poison,
    guard.FitsOp: _fits,
    guard.FactOp: _fact,
    guard.RequireOp: _require,
    guard.WarnOp: _warn,
}

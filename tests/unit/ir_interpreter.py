"""An interpreter of what `specialize` emits, on NumPy arrays: the IR's meaning without a device.

Every SSA value is an array with one item a *case*, so that one walk over a block computes all cases of a table. A guard
that fails takes its cases out, and what they compute from there on is not looked at. An op whose meaning is undefined
(a shift by the width, a float that does not fit the integer) gives *poison*; poison that is returned, tested or
required is an error, and so is a division by zero, which may trap. A `while` loop runs until its last case has left
it; other control flow needs all cases on one path, so programs with branches are run one case at a time.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np
from xdsl.dialects import arith, func, llvm, math, scf, ub
from xdsl.dialects import complex as complex_dialect
from xdsl.dialects.builtin import (
    ComplexType,
    Float16Type,
    Float32Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TensorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from hetc.analysis.source_types import scalar_from_ir
from hetc.dialects import guard, obj, skel, special

Array = np.ndarray[Any, Any]


class UndefinedError(AssertionError):
    """The program relies on something that has no meaning on a device."""


@dataclass(frozen=True)
class Value:
    """One item a case, and which of them are poison."""

    data: Array
    poison: Array


class Cases:
    """Some cases on their way through a program; `alive` says which have failed no guard."""

    def __init__(self, count: int, captured: dict[str, Any] | None = None, module: ModuleOp | None = None) -> None:
        self.count = count
        self.alive = np.ones(count, bool)
        self.failed: list[str] = [""] * count
        self.values: dict[SSAValue, Any] = {}
        self.captured = captured or {}
        self.functions = {f.sym_name.data: f for f in module.ops if isinstance(f, func.FuncOp)} if module else {}

    # --- values ------------------------------------------------------------------------------------------------------

    def plain(self, data: Array) -> Value:
        return Value(data, np.zeros(self.count, bool))

    def get(self, value: SSAValue) -> Any:
        return self.values[value]

    def set(self, value: SSAValue, data: Array, *sources: Value, undefined: Array | None = None) -> None:
        """Record a result; it is poison where an operand was, or where the op has no meaning."""
        poison = np.zeros(self.count, bool)
        for source in sources:
            poison = poison | source.poison
        if undefined is not None:
            poison = poison | undefined
        self.values[value] = Value(np.asarray(data, dtype_of(value.type)), poison)

    def demand(self, value: Value, what: str) -> Array:
        """The data of a value that decides something: it must not be poison."""
        if np.any(value.poison & self.alive):
            raise UndefinedError(f"{what} relies on a result without meaning")
        return value.data

    # --- blocks ------------------------------------------------------------------------------------------------------

    def run(self, block: Block, arguments: Sequence[Any]) -> list[Any]:
        """Run a block; the result is what its terminator passes on."""
        for argument, value in zip(block.args, arguments, strict=True):
            self.values[argument] = value
        for op in block.ops:
            if op is block.last_op and isinstance(op, scf.YieldOp | scf.ConditionOp | skel.YieldOp | func.ReturnOp):
                return [self.get(operand) for operand in op.operands]
            if not self.alive.any():
                raise Stopped
            handler = HANDLERS.get(type(op))
            assert handler is not None, f"the interpreter does not know {op.name}"
            handler(self, op)
        return []

    def one_path(self, condition: Value) -> bool:
        """The truth value of a condition that all cases agree on."""
        data = self.demand(condition, "a branch")
        assert self.count == 1, "control flow is run one case at a time"
        return bool(data[0])


class Stopped(Exception):  # noqa: N818 (no error: nothing is left to compute)
    """No case is left: all have failed some guard."""


def dtype_of(type_: Attribute) -> type:
    """The NumPy type that holds a payload."""
    match type_:
        case IndexType():
            return np.int64
        case IntegerType():
            return {1: np.bool_, 8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}[type_.width.data]
        case Float16Type():
            return np.float16
        case Float32Type():
            return np.float32
        case ComplexType():
            return np.complex64 if type_.element_type == Float32Type() else np.complex128
        case _:
            return np.float64


def payloads(values: Iterable[Any], source: Attribute) -> Array:
    """Python or NumPy scalars of one source type as payloads: unsigned numbers keep their bits."""
    array = np.array(list(values), np.dtype(scalar_from_ir(source).dtype))
    return array.view(f"i{array.dtype.itemsize}") if array.dtype.kind == "u" else array


def python_value(payload: Any, source: Attribute) -> Any:
    """The inverse for one case: a Python number, or a NumPy scalar."""
    scalar = scalar_from_ir(source)
    if scalar.python:
        return {"int": int, "float": float, "complex": complex, "bool": bool}[scalar.name](payload)
    number = np.asarray(payload)
    return (number.view(scalar.dtype) if number.dtype.kind == "i" else number.astype(scalar.dtype))[()]


# --------------------------------------------------------------------------------------------------------------------
# Ops
# --------------------------------------------------------------------------------------------------------------------

Handler = Callable[[Cases, Any], None]


def binary(function: Callable[[Array, Array], Array]) -> Handler:
    def run(c: Cases, op: Operation) -> None:
        left, right = (c.get(operand) for operand in op.operands)
        c.set(op.results[0], function(left.data, right.data), left, right)

    return run


def wrapping(function: Callable[[Any, Any], Any]) -> Handler:
    """Integer arithmetic: it wraps, unless the op says that it does not; then a result that does not fit is poison."""

    def run(c: Cases, op: arith.AddiOp | arith.SubiOp | arith.MuliOp) -> None:
        left, right = c.get(op.lhs), c.get(op.rhs)
        undefined = None
        if arith.IntegerOverflowFlag.NSW in op.overflow_flags.data:
            exact = function(left.data.astype(object), right.data.astype(object))
            limits = np.iinfo(left.data.dtype)
            undefined = np.array([not limits.min <= number <= limits.max for number in exact], bool)
        c.set(op.result, function(left.data, right.data), left, right, undefined=undefined)

    return run


def unary(function: Callable[[Array], Array]) -> Handler:
    def run(c: Cases, op: Operation) -> None:
        (operand,) = (c.get(o) for o in op.operands)
        c.set(op.results[0], function(operand.data), operand)

    return run


def unsigned(array: Array) -> Array:
    return array if array.dtype == np.bool_ else array.view(f"u{array.dtype.itemsize}")


def division(function: Callable[[Array, Array], Array], *, signed: bool) -> Handler:
    """A division: by zero it has no meaning, nor has the lowest number by -1."""

    def run(c: Cases, op: Operation) -> None:
        left, right = (c.get(operand) for operand in op.operands)
        a, b = (left.data, right.data) if signed else (unsigned(left.data), unsigned(right.data))
        undefined = b == 0
        if signed:
            undefined |= (a == np.iinfo(a.dtype).min) & (b == -1)
        # A device may trap here, used or not, so this is not a matter of poison.
        if np.any(undefined & c.alive):
            raise UndefinedError(f"{op.name} without meaning")
        result = function(a, np.where(undefined, 1, b))
        c.set(op.results[0], result.view(left.data.dtype), left, right)

    return run


def truncated_quotient(a: Array, b: Array) -> Array:
    floor, remainder = a // b, a % b
    return floor + ((remainder != 0) & ((a < 0) != (b < 0)))


def shift(function: Callable[[Array, Array], Array]) -> Handler:
    def run(c: Cases, op: Operation) -> None:
        left, right = (c.get(operand) for operand in op.operands)
        undefined = unsigned(right.data) >= right.data.dtype.itemsize * 8
        result = function(left.data, np.where(undefined, 0, right.data).astype(right.data.dtype))
        c.set(op.results[0], result, left, right, undefined=undefined)

    return run


def logical_shift_right(a: Array, b: Array) -> Array:
    return (unsigned(a) >> unsigned(b)).view(a.dtype)


def to_integer(c: Cases, op: arith.FPToSIOp | arith.FPToUIOp) -> None:
    operand = c.get(op.operands[0])
    dtype = np.dtype(dtype_of(op.results[0].type))
    if isinstance(op, arith.FPToUIOp):
        dtype = np.dtype(f"u{dtype.itemsize}")
    whole, info = np.trunc(operand.data.astype(np.float64)), np.iinfo(dtype)
    inside = (whole >= float(info.min)) & (whole < float(info.max) + 1.0)
    result = np.where(inside, whole, 0).astype(dtype)
    c.set(op.results[0], result.view(f"i{dtype.itemsize}"), operand, undefined=~inside)


def cast(c: Cases, op: Operation) -> None:
    operand = c.get(op.operands[0])
    c.set(op.results[0], operand.data.astype(dtype_of(op.results[0].type)), operand)


def cast_unsigned(c: Cases, op: Operation) -> None:
    operand = c.get(op.operands[0])
    c.set(op.results[0], unsigned(operand.data).astype(dtype_of(op.results[0].type)), operand)


def compare_integers(c: Cases, op: arith.CmpiOp) -> None:
    left, right = c.get(op.lhs), c.get(op.rhs)
    predicate = op.predicate.value.data
    a, b = left.data, right.data
    if predicate >= 2 and a.dtype == np.bool_:
        assert predicate > 5, "a signed comparison of truth values takes true for -1"
    if predicate > 5:
        a, b, predicate = unsigned(a), unsigned(b), predicate - 4
    functions = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)
    c.set(op.result, functions[predicate](a, b), left, right)


def compare_floats(c: Cases, op: arith.CmpfOp) -> None:
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


def constant(c: Cases, op: arith.ConstantOp) -> None:
    assert isinstance(op.value, IntegerAttr | FloatAttr)
    c.set(op.result, np.full(c.count, op.value.value.data, dtype_of(op.result.type)))


def complex_constant(c: Cases, op: complex_dialect.ConstantOp) -> None:
    re, im = (part.value.data for part in op.value)
    c.set(op.complex, np.full(c.count, complex(re, im), dtype_of(op.complex.type)))


def create(c: Cases, op: complex_dialect.CreateOp) -> None:
    re, im = c.get(op.real), c.get(op.imaginary)
    result = np.empty(c.count, dtype_of(op.complex.type))
    result.real, result.imag = re.data, im.data
    c.set(op.complex, result, re, im)


def select(c: Cases, op: arith.SelectOp) -> None:
    condition, then, other = c.get(op.cond), c.get(op.lhs), c.get(op.rhs)
    poison = condition.poison | np.where(condition.data, then.poison, other.poison)
    c.set(op.result, np.where(condition.data, then.data, other.data), undefined=poison)


def fits(c: Cases, op: guard.FitsOp) -> None:
    left, right = c.get(op.left), c.get(op.right)
    a, b = left.data.astype(object), right.data.astype(object)
    exact = {"add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b}[op.operator.data]()
    info = np.iinfo(left.data.dtype)
    c.set(op.result, np.array([info.min <= e <= info.max for e in exact], bool), left, right)


def require(c: Cases, op: guard.RequireOp) -> None:
    condition = c.demand(c.get(op.condition), "a guard")
    for index in np.flatnonzero(c.alive & ~condition):
        c.failed[index] = op.reason.data
    c.alive = c.alive & condition


def warn(c: Cases, op: guard.WarnOp) -> None:
    c.demand(c.get(op.condition), "a warning")


def fact(c: Cases, op: guard.FactOp) -> None:
    operand = c.get(op.operand)
    inside = (operand.data >= op.low.value.data) & (operand.data <= op.high.value.data)
    assert np.all(inside | ~c.alive), "a fact that does not hold"
    c.values[op.result] = operand


def poison(c: Cases, op: ub.PoisonOp) -> None:
    c.set(op.result, np.zeros(c.count, dtype_of(op.result.type)), undefined=np.ones(c.count, bool))


# --- Boxes, tuples, calls, captured variables ------------------------------------------------------------------------


def same(c: Cases, op: Operation) -> None:
    c.values[op.results[0]] = c.get(op.operands[0])


def pack(c: Cases, op: obj.PackOp) -> None:
    c.values[op.result] = [c.get(item) for item in op.items]


def extract(c: Cases, op: obj.ExtractOp) -> None:
    c.values[op.result] = c.get(op.operand)[op.index.value.data]


def call(c: Cases, op: func.CallOp) -> None:
    callee = c.functions[op.callee.root_reference.data]
    results = c.run(callee.body.block, [c.get(argument) for argument in op.arguments])
    for result, value in zip(op.results, results, strict=True):
        c.values[result] = value


def captured(c: Cases, op: skel.CapturedOp) -> None:
    value = c.captured[op.variable.root_reference.data]
    if isinstance(op.result.type, TensorType):
        c.values[op.result] = value
    else:
        c.set(op.result, np.full(c.count, value, dtype_of(op.result.type)))


def size(c: Cases, op: skel.SizeOp) -> None:
    c.set(op.result, np.full(c.count, c.captured[f"dim{op.dim.value.data}"], np.int64))


def load(c: Cases, op: obj.LoadOp) -> None:
    array = c.get(op.array)
    indices = [c.get(index) for index in op.indices]
    places = [c.demand(index, "a load") for index in indices]
    for place, length in zip(places, array.shape, strict=True):
        if np.any(((place < 0) | (place >= length)) & c.alive):
            raise UndefinedError("a load outside the array")
    c.set(op.result, array[tuple(places)], *indices)


# --- Control flow ----------------------------------------------------------------------------------------------------


def run_if(c: Cases, op: scf.IfOp) -> None:
    region = op.true_region if c.one_path(c.get(op.cond)) else op.false_region
    if not region.blocks:
        return
    for result, value in zip(op.results, c.run(region.block, []), strict=True):
        c.values[result] = value


def run_for(c: Cases, op: scf.ForOp) -> None:
    low, high, step = (int(c.demand(c.get(bound), "a loop")[0]) for bound in (op.lb, op.ub, op.step))
    assert c.count == 1
    assert step > 0, "scf.for counts up"
    carried = [c.get(value) for value in op.iter_args]
    for index in range(low, high, step):
        if index + step > np.iinfo(np.int64).max:
            raise UndefinedError("the loop variable overflows")
        carried = c.run(op.body.block, [c.plain(np.full(1, index, np.int64)), *carried])
    for result, value in zip(op.results, carried, strict=True):
        c.values[result] = value


def run_while(c: Cases, op: scf.WhileOp) -> None:
    """Each case leaves the loop when its own condition fails; until the last one does, the others wait."""
    carried = [c.get(value) for value in op.arguments]
    outside, done = c.alive, np.zeros(c.count, bool)
    left: list[Any] | None = None
    try:
        while True:
            condition, *passed = c.run(op.before_region.block, carried)
            going = c.demand(condition, "a branch")
            leaving = c.alive & ~going
            left = (
                passed if left is None else [merged(leaving, new, old) for new, old in zip(passed, left, strict=True)]
            )
            done, c.alive = done | leaving, c.alive & going
            if not c.alive.any():
                break
            carried = c.run(op.after_region.block, passed)
    except Stopped:
        assert left is not None or not done.any()
    c.alive = outside & done
    if left is None or not c.alive.any():
        raise Stopped
    for result, value in zip(op.results, left, strict=True):
        c.values[result] = value


def merged(chosen: Array, new: Any, old: Any) -> Any:
    """The new value for the chosen cases, the old one for the others; of tuples, item by item."""
    if isinstance(new, list):
        return [merged(chosen, one, other) for one, other in zip(new, old, strict=True)]
    if not isinstance(new, Value):  # an array, which does not change
        return new
    return Value(np.where(chosen, new.data, old.data), np.where(chosen, new.poison, old.poison))


def fused(c: Cases, op: math.FmaOp) -> None:
    operands = [c.get(operand) for operand in op.operands]
    dtype = dtype_of(op.result.type)
    rows = zip(*(operand.data.tolist() for operand in operands), strict=True)
    c.set(op.result, np.array([fma(*row) for row in rows], dtype), *operands)


def fma(a: float, b: float, c: float) -> float:
    """a * b + c, rounded once."""
    plain = a * b + c
    if not all(map(isfinite, (a, b, c))):
        return plain
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return float(exact) if exact else plain
    except OverflowError:
        return plain


def bitcast(c: Cases, op: arith.BitcastOp) -> None:
    operand = c.get(op.input)
    c.set(op.result, operand.data.view(dtype_of(op.result.type)), operand)


HANDLERS: dict[type[Operation], Handler] = {
    arith.ConstantOp: constant,
    complex_dialect.ConstantOp: complex_constant,
    complex_dialect.CreateOp: create,
    complex_dialect.ReOp: unary(np.real),
    complex_dialect.ImOp: unary(np.imag),
    arith.AddiOp: wrapping(operator.add),
    arith.SubiOp: wrapping(operator.sub),
    arith.MuliOp: wrapping(operator.mul),
    arith.DivSIOp: division(truncated_quotient, signed=True),
    arith.RemSIOp: division(np.fmod, signed=True),
    arith.DivUIOp: division(np.floor_divide, signed=False),
    arith.RemUIOp: division(np.remainder, signed=False),
    arith.AndIOp: binary(np.bitwise_and),
    arith.OrIOp: binary(np.bitwise_or),
    arith.XOrIOp: binary(np.bitwise_xor),
    arith.ShLIOp: shift(np.left_shift),
    arith.ShRSIOp: shift(np.right_shift),
    arith.ShRUIOp: shift(logical_shift_right),
    arith.MinSIOp: binary(np.minimum),
    arith.MaxSIOp: binary(np.maximum),
    arith.AddfOp: binary(np.add),
    arith.SubfOp: binary(np.subtract),
    arith.MulfOp: binary(np.multiply),
    arith.DivfOp: binary(np.divide),
    arith.NegfOp: unary(np.negative),
    arith.CmpiOp: compare_integers,
    arith.CmpfOp: compare_floats,
    arith.SelectOp: select,
    arith.ExtSIOp: cast,
    arith.ExtUIOp: cast_unsigned,
    arith.TruncIOp: cast,
    arith.SIToFPOp: cast,
    arith.UIToFPOp: cast_unsigned,
    arith.FPToSIOp: to_integer,
    arith.FPToUIOp: to_integer,
    arith.ExtFOp: cast,
    arith.TruncFOp: cast,
    arith.BitcastOp: bitcast,
    llvm.FRemOp: binary(np.fmod),
    math.AbsFOp: unary(np.abs),
    math.AcosOp: unary(np.arccos),
    math.AcoshOp: unary(np.arccosh),
    math.AsinOp: unary(np.arcsin),
    math.AsinhOp: unary(np.arcsinh),
    math.AtanOp: unary(np.arctan),
    math.Atan2Op: binary(np.arctan2),
    math.AtanhOp: unary(np.arctanh),
    math.CbrtOp: unary(np.cbrt),
    math.CeilOp: unary(np.ceil),
    math.CopySignOp: binary(np.copysign),
    math.CosOp: unary(np.cos),
    math.CoshOp: unary(np.cosh),
    math.ErfOp: unary(np.vectorize(__import__("math").erf, otypes=[np.float64])),
    math.ExpOp: unary(np.exp),
    math.Exp2Op: unary(np.exp2),
    math.ExpM1Op: unary(np.expm1),
    math.FloorOp: unary(np.floor),
    math.FmaOp: fused,
    math.LogOp: unary(np.log),
    math.Log10Op: unary(np.log10),
    math.Log1pOp: unary(np.log1p),
    math.Log2Op: unary(np.log2),
    math.PowFOp: binary(np.power),
    math.RoundEvenOp: unary(np.rint),
    math.SinOp: unary(np.sin),
    math.SinhOp: unary(np.sinh),
    math.SqrtOp: unary(np.sqrt),
    math.TanOp: unary(np.tan),
    math.TanhOp: unary(np.tanh),
    math.TruncOp: unary(np.trunc),
    special.ErfcOp: unary(np.vectorize(__import__("math").erfc, otypes=[np.float64])),
    ub.PoisonOp: poison,
    guard.FitsOp: fits,
    guard.FactOp: fact,
    guard.RequireOp: require,
    guard.WarnOp: warn,
    obj.BoxOp: same,
    obj.UnboxOp: same,
    obj.PackOp: pack,
    obj.ExtractOp: extract,
    obj.LoadOp: load,
    skel.CapturedOp: captured,
    skel.SizeOp: size,
    func.CallOp: call,
    scf.IfOp: run_if,
    scf.ForOp: run_for,
    scf.WhileOp: run_while,
}

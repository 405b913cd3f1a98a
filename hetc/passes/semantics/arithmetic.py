"""Python's binary and unary operators on numbers.

Python's own numbers follow the language reference, section 6.7 (integers have no bound: an overflow guard leaves for
Python's big integers); with a NumPy operand the rules are NumPy's (integers wrap, division by zero gives inf or 0).
Floor division and modulo of floats follow CPython's `float_divmod` (Objects/floatobject.c), which NumPy shares.
"""

from __future__ import annotations

from xdsl.dialects import arith, llvm, math
from xdsl.dialects.builtin import f16, f32
from xdsl.ir import Attribute, SSAValue

from hetc.analysis.source_types import is_bool, is_complex, is_float, is_python, is_unsigned
from hetc.dialects import dyn, guard
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import complex_numbers
from hetc.passes.semantics.conversions import exact_float, fit_numpy, integer_limits
from hetc.passes.semantics.emitter import Emitter, Number
from hetc.passes.semantics.numpy_warnings import warn, warn_of_zero
from hetc.passes.semantics.powers import numpy_power, python_power
from hetc.passes.semantics.promotion import result_type

_INT_OPS = {"add": arith.AddiOp, "sub": arith.SubiOp, "mul": arith.MuliOp}
_FLOAT_OPS = {"add": arith.AddfOp, "sub": arith.SubfOp, "mul": arith.MulfOp, "truediv": arith.DivfOp}
_BIT_OPS = {"and": arith.AndIOp, "or": arith.OrIOp, "xor": arith.XOrIOp}
_SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "and": "&",
    "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
}  # fmt: skip


def binary(e: Emitter, name: str, left: Number, right: Number) -> Number:
    """`left <operator> right`."""
    if is_complex(left.source) or is_complex(right.source):
        return complex_numbers.binary(e, name, left, right)
    if is_python(left.source) and is_python(right.source):
        return _python_binary(e, name, left, right)
    source = result_type(name, left.source, right.source)
    if source is None:
        raise e.unsupported(f"{e.names(left, right)} cannot be combined with '{_SYMBOLS[name]}' on the device")
    return numpy_binary(e, name, left, right, source)


def _python_binary(e: Emitter, name: str, left: Number, right: Number) -> Number:
    floats = is_float(left.source) or is_float(right.source)
    if name in _BIT_OPS:
        if floats:
            raise e.unsupported(f"'{_SYMBOLS[name]}' needs integers, not {e.names(left, right)}")
        source = dyn.BOOL if is_bool(left.source) and is_bool(right.source) else dyn.INT
        left, right = e.convert(left, source), e.convert(right, source)
        return Number(e.add(_BIT_OPS[name](left.value, right.value)).result, source)
    if name in ("lshift", "rshift"):
        if floats:
            raise e.unsupported(f"'{_SYMBOLS[name]}' needs integers, not {e.names(left, right)}")
        return _python_shift(e, name, e.convert(left, dyn.INT), e.convert(right, dyn.INT))
    if name == "pow":
        return python_power(e, left, right)
    if name == "truediv" and not floats:
        reason = "an integer above 2**53 is divided exactly by Python"
        left, right = exact_float(e, left, reason), exact_float(e, right, reason)
        floats = True
    if floats:
        left, right = e.convert(left, dyn.FLOAT), e.convert(right, dyn.FLOAT)
        if name in ("truediv", "floordiv", "mod"):
            _require_nonzero_float(e, right)
        return Number(_float_binary(e, name, left, right), dyn.FLOAT)
    left, right = e.convert(left, dyn.INT), e.convert(right, dyn.INT)
    if name in _INT_OPS:
        return _checked_int(e, name, left, right)
    e.require(e.compare_ints("ne", right.value, 0), GuardKind.ZERO_DIVISION, "integer division by zero")
    if not (isinstance(right.constant, int) and right.constant != -1):
        lowest = e.compare_ints("ne", left.value, -(2**63))
        safe = e.either(lowest, e.compare_ints("ne", right.value, -1))
        e.require(safe, GuardKind.OVERFLOW, "the quotient does not fit 64 bits")
    return Number(_floor_divide(e, name, left, right), dyn.INT)


def _checked_int(e: Emitter, name: str, left: Number, right: Number) -> Number:
    """add, sub, mul of Python integers: exact, or back to Python's big integers."""
    fits = e.add(guard.FitsOp(name, left.value, right.value)).result
    e.require(fits, GuardKind.OVERFLOW, f"the result of '{_SYMBOLS[name]}' does not fit 64 bits")
    return Number(e.add(_INT_OPS[name](left.value, right.value)).result, dyn.INT)


def _require_nonzero_float(e: Emitter, number: Number) -> None:
    if number.constant:
        return
    e.require(e.compare_floats("une", number.value, 0.0), GuardKind.ZERO_DIVISION, "float division by zero")


def _floor_divide(e: Emitter, name: str, left: Number, right: Number) -> SSAValue:
    """Floor division or modulo of signed integers, the divisor being neither 0 nor (with the lowest integer) -1."""
    remainder = e.add(arith.RemSIOp(left.value, right.value)).result
    inexact = e.compare_ints("ne", remainder, 0)
    signs = e.compare_ints("slt", e.add(arith.XOrIOp(remainder, right.value)).result, 0)
    adjust = e.both(inexact, signs)
    if name == "mod":
        return e.select(adjust, e.add(arith.AddiOp(remainder, right.value)).result, remainder)
    quotient = e.add(arith.DivSIOp(left.value, right.value)).result
    one = e.constant(1, left.source).value
    return e.select(adjust, e.add(arith.SubiOp(quotient, one)).result, quotient)


def _float_binary(e: Emitter, name: str, left: Number, right: Number) -> SSAValue:
    """An operator on two floats of one type."""
    if name in _FLOAT_OPS:
        return e.add(_FLOAT_OPS[name](left.value, right.value, e.fast)).result
    a, b = left.value, right.value
    remainder = e.add(llvm.FRemOp(a, b)).res
    nonzero = e.compare_floats("une", remainder, 0.0)
    differs = e.add(arith.XOrIOp(e.compare_floats("olt", b, 0.0), e.compare_floats("olt", remainder, 0.0))).result
    adjust = e.both(nonzero, differs)
    if name == "mod":
        moved = e.select(adjust, e.add(arith.AddfOp(remainder, b)).result, remainder)
        zero = e.constant(0.0, left.source).value
        return e.select(nonzero, moved, e.add(math.CopySignOp(zero, b)).result)
    quotient = e.add(arith.DivfOp(e.add(arith.SubfOp(a, remainder)).result, b)).result
    one, half, zero = (e.constant(c, left.source).value for c in (1.0, 0.5, 0.0))
    quotient = e.select(adjust, e.add(arith.SubfOp(quotient, one)).result, quotient)
    floor = e.unary(math.FloorOp, quotient)
    error = e.add(arith.SubfOp(quotient, floor)).result
    rounded = e.select(e.compare_floats("ogt", error, half), e.add(arith.AddfOp(floor, one)).result, floor)
    true_quotient = e.add(arith.DivfOp(a, b)).result
    signed_zero = e.add(math.CopySignOp(zero, true_quotient)).result
    result = e.select(e.compare_floats("une", quotient, 0.0), rounded, signed_zero)
    if is_python(left.source):
        return result
    return e.select(e.compare_floats("une", b, 0.0), result, true_quotient)


# --------------------------------------------------------------------------------------------------------------------
# Shifts
# --------------------------------------------------------------------------------------------------------------------


def _python_shift(e: Emitter, name: str, left: Number, right: Number) -> Number:
    """`<<` and `>>` of Python integers; a negative shift raises in Python, a wide one makes a big integer."""
    e.require(e.compare_ints("sge", right.value, 0), GuardKind.DOMAIN, "negative shift count")
    if name == "rshift":
        limit = e.constant(63, dyn.INT).value
        count = e.add(arith.MinSIOp(right.value, limit)).result
        return Number(e.add(arith.ShRSIOp(left.value, count)).result, dyn.INT)
    e.require(e.compare_ints("slt", right.value, 64), GuardKind.OVERFLOW, "the result of '<<' does not fit 64 bits")
    shifted = e.add(arith.ShLIOp(left.value, right.value)).result
    back = e.add(arith.ShRSIOp(shifted, right.value)).result
    fits = e.compare_ints("eq", back, left.value)
    e.require(fits, GuardKind.OVERFLOW, "the result of '<<' does not fit 64 bits")
    return Number(shifted, dyn.INT)


# --------------------------------------------------------------------------------------------------------------------
# NumPy operands
# --------------------------------------------------------------------------------------------------------------------


def numpy_binary(e: Emitter, name: str, left: Number, right: Number, source: Attribute) -> Number:
    """`left <operator> right`, computed in a NumPy type."""
    result = _numpy_binary(e, name, left, right, source)
    warn(e, name, (left, right), result)
    return result


def _numpy_binary(e: Emitter, name: str, left: Number, right: Number, source: Attribute) -> Number:
    exponent = right.constant
    left, right = fit_numpy(e, left, source), fit_numpy(e, right, source)
    if source == f16 and name in ("floordiv", "mod", "pow"):
        # NumPy computes the whole operator in single precision; the others are single ops.
        wide = _numpy_binary(e, name, e.convert(left, f32), e.convert(right, f32), f32)
        return e.convert(wide, f16)
    if name == "pow":
        return numpy_power(e, left, right, source, exponent)
    if is_float(source):
        return Number(_float_binary(e, name, left, right), source)
    if is_bool(source):
        table = {"add": arith.OrIOp, "mul": arith.AndIOp, **_BIT_OPS}
        return Number(e.add(table[name](left.value, right.value)).result, source)
    if name in _INT_OPS:
        return Number(e.add(_INT_OPS[name](left.value, right.value)).result, source)
    if name in _BIT_OPS:
        return Number(e.add(_BIT_OPS[name](left.value, right.value)).result, source)
    if name in ("lshift", "rshift"):
        return _numpy_shift(e, name, left, right)
    return _numpy_divide(e, name, left, right)


def _numpy_divide(e: Emitter, name: str, left: Number, right: Number) -> Number:
    """`//` and `%` of NumPy integers: a zero divisor gives 0, and the lowest integer // -1 is itself."""
    source = left.source
    warn_of_zero(e, right)
    one, zero = e.constant(1, source).value, e.constant(0, source).value
    by_zero = e.compare_ints("eq", right.value, 0)
    if is_unsigned(source):
        divisor = e.select(by_zero, one, right.value)
        op = arith.RemUIOp if name == "mod" else arith.DivUIOp
        return Number(e.select(by_zero, zero, e.add(op(left.value, divisor)).result), source)
    by_minus_one = e.compare_ints("eq", right.value, -1)
    divisor = Number(e.select(e.either(by_zero, by_minus_one), one, right.value), source)
    result = _floor_divide(e, name, left, divisor)
    special = zero if name == "mod" else e.add(arith.SubiOp(zero, left.value)).result
    return Number(e.select(by_zero, zero, e.select(by_minus_one, special, result)), source)


def _numpy_shift(e: Emitter, name: str, left: Number, right: Number) -> Number:
    """Shifts of NumPy integers: a count of the width or more shifts everything out."""
    low, high = integer_limits(left.source)
    width = (high - low).bit_length()
    unsigned = is_unsigned(left.source)
    inside = e.compare_ints("ult", right.value, width)
    zero = e.constant(0, left.source).value
    count = e.select(inside, right.value, zero)
    if name == "lshift":
        return Number(e.select(inside, e.add(arith.ShLIOp(left.value, count)).result, zero), left.source)
    if unsigned:
        return Number(e.select(inside, e.add(arith.ShRUIOp(left.value, count)).result, zero), left.source)
    last = e.constant(width - 1, left.source).value
    return Number(e.add(arith.ShRSIOp(left.value, e.select(inside, right.value, last))).result, left.source)


# --------------------------------------------------------------------------------------------------------------------
# Unary operators
# --------------------------------------------------------------------------------------------------------------------


def unary(e: Emitter, name: str, operand: Number) -> Number:
    """`-x`, `+x`, `~x`, `not x`."""
    if name == "not":
        return Number(e.negate(e.truth(operand)), dyn.BOOL)
    if is_complex(operand.source):
        return complex_numbers.unary(e, name, operand)
    if operand.source == dyn.BOOL:
        operand = e.convert(operand, dyn.INT)
    source = operand.source if is_python(operand.source) else result_type(name, operand.source)
    if source is None or (name == "invert" and is_float(source)):
        raise e.unsupported(f"this operator is not defined for {e.names(operand)}")
    if name == "pos":
        return operand
    if name == "invert":
        ones = e.constant(True if is_bool(source) else -1, source).value
        return Number(e.add(arith.XOrIOp(operand.value, ones)).result, source)
    if is_float(source):
        return Number(e.add(arith.NegfOp(operand.value)).result, source)
    zero = e.constant(0, source)
    if source == dyn.INT:
        return _checked_int(e, "sub", zero, operand)
    return Number(e.add(arith.SubiOp(zero.value, operand.value)).result, source)


def absolute(e: Emitter, number: Number) -> Number:
    """`abs(x)`: a Python bool gives an int; the lowest NumPy integer stays itself."""
    if is_complex(number.source):
        return complex_numbers.absolute(e, number)
    if number.source == dyn.BOOL:
        return e.convert(number, dyn.INT)
    if is_bool(number.source) or is_unsigned(number.source):
        return number
    if is_float(number.source):
        return Number(e.unary(math.AbsFOp, number.value), number.source)
    negated = unary(e, "neg", number)
    negative = e.compare_ints("slt", number.value, 0)
    return Number(e.select(negative, negated.value, number.value), number.source)

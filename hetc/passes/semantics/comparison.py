"""Python's comparisons of numbers.

Python compares an int with a float exactly; NumPy compares in the promoted type (NEP 50), and a Python integer with a
NumPy integer by value. NaN compares false, except with `!=`.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute, SSAValue

from hetc.analysis.source_types import is_bool, is_complex, is_float, is_integer, is_python, is_unsigned
from hetc.dialects import dyn, obj
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import complex_numbers
from hetc.passes.semantics.conversions import EXACT_IN_DOUBLE, integer_limits
from hetc.passes.semantics.emitter import Emitter, Number
from hetc.passes.semantics.promotion import common_type

_FLOAT = {"lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "une"}
_SIGNED = {"lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge", "eq": "eq", "ne": "ne"}
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
_UNSIGNED = {"lt": "ult", "le": "ule", "gt": "ugt", "ge": "uge", "eq": "eq", "ne": "ne"}
_UINT64 = IntegerType(64, Signedness.UNSIGNED)


def compare(e: Emitter, name: str, left: Number, right: Number) -> Number:
    """`left <operator> right`: a Python bool, or a NumPy bool if an operand is NumPy's."""
    if is_complex(left.source) or is_complex(right.source):
        return complex_numbers.compare(e, name, left, right)
    python = is_python(left.source) and is_python(right.source)
    if _is_signed(left) and right.source == _UINT64 and not _fits(left, right.source):
        return Number(_compare_signed(e, name, left, right), obj.payload(dyn.BOOL))
    if left.source == _UINT64 and _is_signed(right) and not _fits(right, left.source):
        return Number(_compare_signed(e, _MIRRORED[name], right, left), obj.payload(dyn.BOOL))
    left, right = _common(e, left, right) if python else _numpy_common(e, left, right)
    if is_float(left.source):
        result = e.add(arith.CmpfOp(left.value, right.value, _FLOAT[name])).result
    else:
        unsigned = is_bool(left.source) or is_unsigned(left.source)
        result = e.add(arith.CmpiOp(left.value, right.value, (_UNSIGNED if unsigned else _SIGNED)[name])).result
    return Number(result, dyn.BOOL if python else obj.payload(dyn.BOOL))


def _common(e: Emitter, left: Number, right: Number) -> tuple[Number, Number]:
    """Python numbers in one type that compares as they do."""
    if is_float(left.source) or is_float(right.source):
        return _exactly(e, left), _exactly(e, right)
    if is_bool(left.source) and is_bool(right.source):
        return left, right
    return e.convert(left, dyn.INT), e.convert(right, dyn.INT)


def _exactly(e: Emitter, number: Number) -> Number:
    """A Python number as a float of the same value."""
    if is_integer(number.source):
        reason = "an integer above 2**53 is compared exactly by Python"
        e.require_between(number, -EXACT_IN_DOUBLE, EXACT_IN_DOUBLE, GuardKind.DOMAIN, reason)
    return e.convert(number, dyn.FLOAT)


def _numpy_common(e: Emitter, left: Number, right: Number) -> tuple[Number, Number]:
    """Numbers in the type in which NumPy compares them."""
    if _both_whole(left, right):
        return _whole_common(e, left, right)
    source = common_type(left.source, right.source)
    if source is None:
        raise e.unsupported(f"{e.names(left, right)} cannot be compared on the device")
    return e.convert(left, source), e.convert(right, source)


def _both_whole(left: Number, right: Number) -> bool:
    return not is_float(left.source) and not is_float(right.source)


def _whole_common(e: Emitter, left: Number, right: Number) -> tuple[Number, Number]:
    """Integers and truth values are compared by value: in a type that holds both ranges."""
    if left.source == right.source:
        return left, right
    for number, other in ((left, right), (right, left)):
        if _fits(number, other.source):
            return e.convert(left, other.source), e.convert(right, other.source)
    source = _UINT64 if _UINT64 in (left.source, right.source) else dyn.INT
    return e.convert(left, source), e.convert(right, source)


def _fits(number: Number, source: Attribute) -> bool:
    """Whether a number is known now, and an integer type holds it."""
    if not isinstance(number.constant, int) or not is_integer(source):
        return False
    low, high = integer_limits(source)
    return low <= number.constant <= high


def _is_signed(number: Number) -> bool:
    return is_integer(number.source) and not is_unsigned(number.source)


def _compare_signed(e: Emitter, name: str, signed: Number, unsigned: Number) -> SSAValue:
    """A signed number with one of 64 bits without a sign: no type holds both, but a negative one is the smaller."""
    wide = e.convert(signed, dyn.INT).value
    magnitudes = e.add(arith.CmpiOp(wide, unsigned.value, _UNSIGNED[name])).result
    return e.select(e.compare_ints("slt", wide, 0), e.flag(name in ("lt", "le", "ne")), magnitudes)

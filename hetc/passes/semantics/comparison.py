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
from hetc.passes.semantics import complex_numbers
from hetc.passes.semantics.conversions import EXACT_IN_DOUBLE, integer_limits
from hetc.passes.semantics.emitter import Emitter, Number
from hetc.passes.semantics.promotion import common_type
from hetc.passes.semantics.terms import Term

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
    if python and _may_be_rounded(left) and is_float(right.source):
        return Number(_compare_exactly(e, name, left, right), dyn.BOOL)
    if python and is_float(left.source) and _may_be_rounded(right):
        return Number(_compare_exactly(e, _MIRRORED[name], right, left), dyn.BOOL)
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
        return e.convert(left, dyn.FLOAT), e.convert(right, dyn.FLOAT)
    if is_bool(left.source) and is_bool(right.source):
        return left, right
    return e.convert(left, dyn.INT), e.convert(right, dyn.INT)


def _may_be_rounded(number: Number) -> bool:
    """Whether a number is an integer that is not known to be exact as a double."""
    if not is_integer(number.source):
        return False
    return not isinstance(number.constant, int) or abs(number.constant) > EXACT_IN_DOUBLE


def _compare_exactly(e: Emitter, name: str, whole: Number, real: Number) -> SSAValue:
    """A Python integer with a Python float, by value.

    An integer that is rounded to a double keeps its order with every double that it does not become equal to. Where it
    does, the double is whole, and the integers are compared, but that 2**63 is no integer of 64 bits: it is greater.
    """
    i, x = Term(e, whole.value), Term(e, real.value)
    rounded = Term(e, e.convert(whole, dyn.FLOAT).value)
    result = e.compare_floats(_FLOAT[name], rounded.value, x.value)
    inside = x < 2.0**63
    tie = rounded.equals(x) & ((i > EXACT_IN_DOUBLE) | (i < -EXACT_IN_DOUBLE))
    equal = (tie & inside).choose(x, 0.0).to(dyn.FLOAT, dyn.INT)
    exact = e.compare_ints(_SIGNED[name], i.value, equal.value)
    exact = e.select(inside.value, exact, e.flag(name in ("lt", "le", "ne")))
    return e.select(tie.value, exact, result)


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

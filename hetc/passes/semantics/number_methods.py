"""Attributes and methods of numbers: which of them a type has, and what type they give, Python and NumPy are asked."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Attribute

from hetc.abi import NUMPY_SCALARS
from hetc.analysis.source_types import is_bool, is_float, is_integer, is_python, is_unsigned, spelling, to_ir
from hetc.dialects import dyn, obj
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import complex_numbers, conversions, mathematics
from hetc.passes.semantics.emitter import Emitter, Number
from hetc.passes.semantics.promotion import result_type
from hetc.passes.semantics.terms import Term

ASTYPE = "astype."
"""The method with the name of its argument, as in "astype.float32"."""
VIEW = "view."
"""The same bits as a number of another type, as in "view.uint32"."""


def call(e: Emitter, name: str, number: Number) -> Number:
    """`x.name` or `x.name()` of any number."""
    if name.startswith(ASTYPE):
        if is_python(number.source):
            raise e.unsupported(f"{e.names(number)} has no 'astype'")
        return mathematics.construct(e, number, name.removeprefix(ASTYPE))
    if name.startswith(VIEW):
        return _view(e, number, to_ir(NUMPY_SCALARS[name.removeprefix(VIEW)]))
    method = _METHODS.get(name)
    if method is None:
        return complex_numbers.attribute(e, name, number)
    source = result_type(f"number.{name}", number.source)
    if source is None:
        raise e.unsupported(f"{e.names(number)} has no '{name}'")
    return method(e, number, source)


def _view(e: Emitter, number: Number, target: Attribute) -> Number:
    """The bits of a number of NumPy's as one of another type of the same size. Those of a NaN are the processor's."""
    have, want = obj.payload(number.source), obj.payload(target)
    if is_python(number.source):
        raise e.unsupported(f"{e.names(number)} has no 'view'")
    kinds = {is_float(type_) or (is_integer(type_) and not is_bool(type_)) for type_ in (number.source, target)}
    if kinds != {True} or _bits(have) != _bits(want):
        raise e.unsupported(f"a view of {e.names(number)} as {spelling(target)} is not compiled")
    if is_float(number.source) and not is_float(target):
        e.require(e.compare_floats("ord", number.value, number.value), GuardKind.SIGN, "the bits of a NaN")
    if have == want:
        return Number(number.value, target)
    return Number(e.add(arith.BitcastOp(number.value, want)).result, target)


def _bits(payload: Attribute) -> int:
    assert isinstance(payload, AnyFloat | IntegerType)
    return payload.bitwidth


def _is_integer(e: Emitter, number: Number, source: Attribute) -> Number:
    if not is_float(number.source):
        return e.constant(True, source)
    x = Term(e, e.convert(number, dyn.FLOAT).value)
    return Number((x.is_finite() & x.equals(x.call(math.TruncOp))).value, source)


def _item(e: Emitter, number: Number, source: Attribute) -> Number:
    """NumPy's number as Python's."""
    if is_integer(number.source):
        return conversions.to_int(e, number)
    return e.convert(number, source)


def _bit_count(e: Emitter, number: Number, source: Attribute) -> Number:
    return e.convert(Number(bit_count(_magnitude(e, number)).value, dyn.INT), source)


def _bit_length(e: Emitter, number: Number, source: Attribute) -> Number:
    x = _magnitude(e, number)
    for step in (1, 2, 4, 8, 16, 32):
        x = x | x.logical_shift(step)
    return e.convert(Number(bit_count(x).value, dyn.INT), source)


def _magnitude(e: Emitter, number: Number) -> Term:
    """The size of an integer, as 64 bits without a sign."""
    x = Term(e, e.convert(number, dyn.INT).value)
    return x if is_bool(number.source) or is_unsigned(number.source) else abs(x)


def bit_count(x: Term) -> Term:
    """How many of 64 bits are 1, by sums in fields of 2, 4 and 8 bits (Warren, Hacker's Delight, section 5-1)."""
    x = x - (x.logical_shift(1) & 0x5555_5555_5555_5555)
    x = (x & 0x3333_3333_3333_3333) + (x.logical_shift(2) & 0x3333_3333_3333_3333)
    x = (x + x.logical_shift(4)) & 0x0F0F_0F0F_0F0F_0F0F
    return (x * 0x0101_0101_0101_0101).logical_shift(56)


def _numerator(e: Emitter, number: Number, source: Attribute) -> Number:
    return e.convert(number, source)


def _denominator(e: Emitter, number: Number, source: Attribute) -> Number:
    del number
    return e.constant(1, source)


_METHODS: dict[str, Callable[[Emitter, Number, Attribute], Number]] = {
    "bit_count": _bit_count,
    "bit_length": _bit_length,
    "denominator": _denominator,
    "is_integer": _is_integer,
    "item": _item,
    "numerator": _numerator,
}

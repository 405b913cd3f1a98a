"""The device code of the functions in `numbers`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr

from fixed_point.dialects.fixed import FromBitsOp, MulOp, NumberType, ToBitsOp
from fixed_point.numbers import FRACTION
from hetc.abi import SCALAR_TYPES
from hetc.analysis.source_types import to_ir
from hetc.passes.semantics.emitter import Emitter, Number

INT32 = to_ir(SCALAR_TYPES["i32"])
NUMBER = NumberType(IntAttr(FRACTION))


def build_multiply(e: Emitter, arguments: Sequence[Number]) -> Number:
    """A `fixed.mul` of two int32; anything else is left to Python."""
    if len(arguments) != 2 or any(argument.source != INT32 for argument in arguments):
        raise e.unsupported("fixed-point numbers are elements of arrays of int32")
    left, right = (e.add(FromBitsOp(argument.value, NUMBER)).result for argument in arguments)
    product = e.add(MulOp(left, right))
    return Number(e.add(ToBitsOp(product.result)).result, INT32)

"""What attributes hold, as Python values, where xDSL's types say less than the op's verifier has made sure of."""

from __future__ import annotations

from typing import cast

import numpy as np
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    DenseArrayBase,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
)
from xdsl.ir import Attribute, SSAValue


def int_values(attribute: Attribute) -> tuple[int, ...]:
    """The integers of an attribute such as `array<i64: 0, 1>`.

    >>> from xdsl.dialects.builtin import i64
    >>> int_values(DenseArrayBase.from_list(i64, [2, 3]))
    (2, 3)
    """
    assert isinstance(attribute, DenseArrayBase)
    # isinstance() cannot tell an array of integers from one of floats.
    return cast("DenseArrayBase[IntegerType]", attribute).get_values()


def known_integer(value: SSAValue) -> int | None:
    """The integer that a value is, if a constant op makes it.

    >>> from xdsl.dialects.builtin import i32
    >>> known_integer(ConstantOp(IntegerAttr(-1, i32)).result)
    -1
    """
    constant = value.owner
    if isinstance(constant, ConstantOp) and isinstance(constant.value, IntegerAttr):
        return constant.value.value.data
    return None


def number_attribute(value: int | float, type_: Attribute) -> IntegerAttr[IntegerType | IndexType] | FloatAttr:
    """The constant of a payload type or `index`, rounded to it.

    >>> from xdsl.dialects.builtin import f32, i64
    >>> str(number_attribute(1, f32)), str(number_attribute(1, i64))
    ('1.000000e+00 : f32', '1 : i64')
    """
    if isinstance(type_, IntegerType | IndexType):
        return IntegerAttr(int(value), type_)
    assert isinstance(type_, Float16Type | Float32Type | Float64Type)
    number = float(value)
    with np.errstate(over="ignore"):
        if isinstance(type_, Float16Type):
            number = float(np.float16(number))
        elif isinstance(type_, Float32Type):
            number = float(np.float32(number))
    return FloatAttr(number, type_)

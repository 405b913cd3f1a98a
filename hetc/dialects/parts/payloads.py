"""The device's types of numbers, without their signs and their origins."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    ComplexType,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute

from hetc.dialects.parts import dyn_types
from hetc.dialects.parts.dyn_types import BoolType, FloatType, IntType


def payload(source: Attribute) -> Attribute:
    """The device type that holds a value of a source type: `si32` and `ui32` -> `i32`, `!dyn.float` -> `f64`, ...

    Raises ValueError for a type that is not a source type of one number.
    """
    match source:
        case IntType():
            return i64
        case FloatType():
            return f64
        case dyn_types.ComplexType():
            return ComplexType(f64)
        case BoolType():
            return i1
        case IntegerType():
            return IntegerType(source.width.data)
        case Float16Type() | Float32Type() | Float64Type() | ComplexType(Float32Type() | Float64Type()):
            return source
        case _:
            raise ValueError(f"{source} is not the source type of a number")

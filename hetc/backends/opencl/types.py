"""The OpenCL C spelling of payload types and literals."""

from __future__ import annotations

import math

import numpy as np
from xdsl.dialects.builtin import (
    ComplexType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
)
from xdsl.ir import Attribute

from hetc.backends.opencl.names import mangle
from hetc.dialects.parts.offload_records import RecordType

_INTEGERS = {1: "bool", 8: "char", 16: "short", 32: "int", 64: "long"}
_LOWEST = {32: "INT_MIN", 64: "LONG_MIN"}


def c_type(type_: Attribute, index_bits: int) -> str:
    """The C type of a value in a kernel's body: what is loaded from or stored as `half` is a `float` there."""
    match type_:
        case IntegerType():
            return _INTEGERS[type_.width.data]
        case Float16Type() | Float32Type():
            return "float"
        case Float64Type():
            return "double"
        case IndexType():
            return "size_t" if index_bits == 64 else "uint"
        case _:
            raise ValueError(f"{type_} has no type in OpenCL C")


def parameter_type(type_: Attribute, index_bits: int) -> str:
    """The C type of a scalar parameter: `size_t` and `bool` are not allowed there."""
    if isinstance(type_, IndexType):
        return "ulong" if index_bits == 64 else "uint"
    return memory_type(type_)


def memory_type(type_: Attribute) -> str:
    """The C type of an element in memory: a truth value is a byte."""
    if isinstance(type_, RecordType):
        return f"struct {mangle(type_.symbol.data)}"
    if isinstance(type_, Float16Type):
        return "half"
    return "uchar" if type_ == IntegerType(1) else c_type(type_, 64)


def declaration(record: RecordType) -> str:
    """The declaration of a struct.

    >>> from xdsl.dialects.builtin import f64, i64
    >>> declaration(RecordType.of("Page", ["degree", "rank"], [i64, f64]))
    'struct Page { long degree; double rank; };'
    """
    members = " ".join(f"{memory_type(record.type_of(name))} {mangle(name)};" for name in record.names)
    return f"{memory_type(record)} {{ {members} }};"


def dtype(type_: Attribute, index_bits: int) -> str:
    """The NumPy dtype of a kernel parameter or buffer element. Signedness does not matter for storage."""
    match type_:
        case MemRefType():
            return dtype(type_.element_type, index_bits)
        case IntegerType():
            return "uint8" if type_.width.data == 1 else f"int{type_.width.data}"
        case Float16Type():
            return "float16"
        case Float32Type():
            return "float32"
        case Float64Type():
            return "float64"
        case RecordType():
            return f"V{type_.size}"
        case ComplexType():
            return "complex64" if type_.element_type == Float32Type() else "complex128"
        case _:
            assert isinstance(type_, IndexType)
            return f"uint{index_bits}"


def unsigned(type_: Attribute) -> str:
    """The unsigned C type of an integer's width."""
    assert isinstance(type_, IntegerType)
    return f"u{_INTEGERS[type_.width.data]}"


def literal(attribute: Attribute) -> str:
    """A constant as C has it; floats are the shortest decimals that read back as the same number.

    >>> from xdsl.dialects.builtin import f32, i64
    >>> literal(FloatAttr(0.1, f32)), literal(IntegerAttr(-3, i64)), literal(FloatAttr(float("-inf"), f32))
    ('0.1f', '-3L', '-INFINITY')
    """
    if isinstance(attribute, IntegerAttr):
        return _integer(attribute)
    assert isinstance(attribute, FloatAttr)
    value = attribute.value.data
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    if isinstance(attribute.type, Float32Type):
        return f"{_decimal(str(np.float32(value)))}f"
    return _decimal(repr(float(value)))


def _decimal(text: str) -> str:
    return text if any(c in text for c in ".e") else f"{text}.0"


def _integer(attribute: IntegerAttr) -> str:
    value: int = attribute.value.data
    type_ = attribute.type
    if not isinstance(type_, IntegerType):
        return str(value)
    width = type_.width.data
    if width == 1:
        return "true" if value else "false"
    if width in _LOWEST and value == -(1 << (width - 1)):
        return _LOWEST[width]
    return f"{value}L" if width == 64 else str(value)

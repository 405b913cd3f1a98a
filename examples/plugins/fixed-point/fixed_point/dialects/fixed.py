"""The `fixed` dialect: fixed-point numbers in 32 bits, with the number of bits after the point in the type."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntAttr, i32
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    param_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException


@irdl_attr_definition
class NumberType(ParametrizedAttribute, TypeAttribute):
    """A number of 32 bits, in units of 2**-fraction.

    ```mlir
    !fixed.number<16>
    ```
    """

    name = "fixed.number"
    fraction: IntAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer(allow_boolean=False))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_int(self.fraction.data)

    def verify(self) -> None:
        if not 0 <= self.fraction.data < 32:
            raise VerifyException("a fixed-point number has between 0 and 31 bits after the point")


@irdl_op_definition
class FromBitsOp(IRDLOperation):
    """The number whose 32 bits these are: bits * 2**-fraction.

    ```mlir
    %x = fixed.from_bits %bits : !fixed.number<16>
    ```
    """

    name = "fixed.from_bits"
    bits = operand_def(i32)
    result = result_def(NumberType)
    traits = traits_def(Pure())
    assembly_format = "$bits attr-dict `:` type($result)"

    def __init__(self, bits: SSAValue, type: NumberType):
        super().__init__(operands=[bits], result_types=[type])


@irdl_op_definition
class ToBitsOp(IRDLOperation):
    """The 32 bits of a number.

    ```mlir
    %bits = fixed.to_bits %x : !fixed.number<16>
    ```
    """

    name = "fixed.to_bits"
    operand = operand_def(NumberType)
    result = result_def(i32)
    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` type($operand)"

    def __init__(self, operand: SSAValue):
        super().__init__(operands=[operand], result_types=[i32])


@irdl_op_definition
class MulOp(IRDLOperation):
    """The product of two numbers, rounded down; the nearest number where it is too large.

    ```mlir
    %z = fixed.mul %x, %y : !fixed.number<16>
    ```
    """

    T: ClassVar = VarConstraint("number type", base(NumberType))

    name = "fixed.mul"
    left = operand_def(T)
    right = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$left `,` $right attr-dict `:` type($result)"

    def __init__(self, left: SSAValue, right: SSAValue):
        super().__init__(operands=[left, right], result_types=[left.type])


FIXED = Dialect("fixed", [FromBitsOp, ToBitsOp, MulOp], [NumberType])

"""The `special` dialect: functions of `libm` that OpenCL C has and MLIR's `math` dialect has not.

Levels 1 to 3 of the pipeline, beside `math`. Functions that CPython computes by formulas of its own (gamma, hypot) are
not here: `passes/semantics` spells these formulas.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure


@irdl_op_definition
class ErfcOp(IRDLOperation):
    """The complementary error function: erfc(x) = 1 - erf(x), without the cancellation for large x.

    One float of 32 or 64 bits in, one out; OpenCL C computes it within 16 ulp (specification, section 7.4).

    ```mlir
    %y = special.erfc %x : f64
    ```
    """

    T: ClassVar = VarConstraint("T", base(Float32Type) | base(Float64Type))

    name = "special.erfc"
    operand = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` type($result)"

    def __init__(self, operand: SSAValue):
        super().__init__(operands=[operand], result_types=[operand.type])


@irdl_op_definition
class SinCosOp(IRDLOperation):
    """The sine and the cosine of one number: each as `math.sin` and `math.cos` give them, within 4 ulp.

    One float of 32 or 64 bits in, two out; OpenCL C reduces the angle once for both (specification, section 7.4).

    ```mlir
    %s, %c = special.sincos %x : f32
    ```
    """

    T: ClassVar = VarConstraint("T", base(Float32Type) | base(Float64Type))

    name = "special.sincos"
    operand = operand_def(T)
    sine = result_def(T)
    cosine = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` type($operand)"

    def __init__(self, operand: SSAValue):
        super().__init__(operands=[operand], result_types=[operand.type, operand.type])


@irdl_op_definition
class RsqrtOp(IRDLOperation):
    """The reciprocal of a square root, 1 / sqrt(x), which devices approximate in one step, and refine.

    One float of 32 or 64 bits in, one out; OpenCL C computes it within 2 ulp (specification, section 7.4). With the
    flag `afn`, one of 32 bits is only as near as the device's approximation is.

    ```mlir
    %r = special.rsqrt %x : f32
    ```
    """

    T: ClassVar = VarConstraint("T", base(Float32Type) | base(Float64Type))

    name = "special.rsqrt"
    operand = operand_def(T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=FastMathFlagsAttr("none"))
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"

    def __init__(self, operand: SSAValue, fastmath: FastMathFlagsAttr | None = None):
        super().__init__(
            operands=[operand],
            properties={"fastmath": fastmath or FastMathFlagsAttr("none")},
            result_types=[operand.type],
        )


SPECIAL = Dialect("special", [ErfcOp, RsqrtOp, SinCosOp])

"""The ops of the `dyn` dialect on functions and their calls."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    FlatSymbolRefAttrConstr,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure

from hetc.dialects.parts.dyn_types import (
    OBJECT,
    ObjectType,
)


@irdl_op_definition
class GlobalOp(IRDLOperation):
    """The value of a captured variable: a closure cell or a global, read once before the call starts.

    The symbol names a `skel.capture` of the module, which says what the variable holds.

    ```mlir
    %gain = dyn.global @gain
    ```
    """

    name = "dyn.global"
    variable = prop_def(FlatSymbolRefAttrConstr)
    result = result_def(ObjectType)
    traits = traits_def(Pure())
    assembly_format = "$variable attr-dict"

    def __init__(self, variable: str):
        super().__init__(properties={"variable": SymbolRefAttr(variable)}, result_types=[OBJECT])


@irdl_op_definition
class CallOp(IRDLOperation):
    """A call of a Python function whose source is in this module, arguments bound to parameters.

    ```mlir
    %y = dyn.call @helper(%x, %k)
    ```
    """

    name = "dyn.call"
    callee = prop_def(FlatSymbolRefAttrConstr)
    arguments = var_operand_def(ObjectType)
    result = result_def(ObjectType)
    assembly_format = "$callee `(` $arguments `)` attr-dict"

    def __init__(self, callee: str, arguments: Sequence[SSAValue]):
        super().__init__(operands=[arguments], properties={"callee": SymbolRefAttr(callee)}, result_types=[OBJECT])


@irdl_op_definition
class FunctionOp(IRDLOperation):
    """A Python function of this module, as a value: an argument of another function.

    ```mlir
    %f = dyn.function @helper
    ```
    """

    name = "dyn.function"
    callee = prop_def(FlatSymbolRefAttrConstr)
    result = result_def(ObjectType)
    traits = traits_def(Pure())
    assembly_format = "$callee attr-dict"

    def __init__(self, callee: str):
        super().__init__(properties={"callee": SymbolRefAttr(callee)}, result_types=[OBJECT])


@irdl_op_definition
class KnownOp(IRDLOperation):
    """A function that hetc knows by name, as a value.

    ```mlir
    %f = dyn.known "math.sqrt"
    ```
    """

    name = "dyn.known"
    function = prop_def(StringAttr)
    result = result_def(ObjectType)
    traits = traits_def(Pure())
    assembly_format = "$function attr-dict"

    def __init__(self, function: str):
        super().__init__(properties={"function": StringAttr(function)}, result_types=[OBJECT])


@irdl_op_definition
class CallValueOp(IRDLOperation):
    """A call of a function that is a value, with positional arguments.

    ```mlir
    %y = dyn.call_value %f(%x)
    ```
    """

    name = "dyn.call_value"
    callee = operand_def(ObjectType)
    arguments = var_operand_def(ObjectType)
    result = result_def(ObjectType)
    assembly_format = "$callee `(` $arguments `)` attr-dict"

    def __init__(self, callee: SSAValue, arguments: Sequence[SSAValue]):
        super().__init__(operands=[callee, arguments], result_types=[OBJECT])

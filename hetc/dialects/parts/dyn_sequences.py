"""The ops of the `dyn` dialect on tuples, lists and arrays."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    I64,
    IntegerAttr,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from hetc.dialects.parts.dyn_types import (
    OBJECT,
    ObjectType,
)


@irdl_op_definition
class GetItemOp(IRDLOperation):
    """Python subscription `container[indices]`; several indices are those of a tuple index.

    Raises `IndexError` outside the container; negative indices count from its end.

    ```mlir
    %x = dyn.getitem %a[%i, %j]
    ```
    """

    name = "dyn.getitem"
    container = operand_def(ObjectType)
    indices = var_operand_def(ObjectType)
    result = result_def(ObjectType)
    assembly_format = "$container `[` $indices `]` attr-dict"

    def __init__(self, container: SSAValue, indices: Sequence[SSAValue]):
        super().__init__(operands=[container, indices], result_types=[OBJECT])


@irdl_op_definition
class ShapeOp(IRDLOperation):
    """The attribute `.shape` of an array, a tuple of Python ints.

    ```mlir
    %s = dyn.shape %a
    ```
    """

    name = "dyn.shape"
    container = operand_def(ObjectType)
    result = result_def(ObjectType)
    assembly_format = "$container attr-dict"

    def __init__(self, container: SSAValue):
        super().__init__(operands=[container], result_types=[OBJECT])


@irdl_op_definition
class BuildTupleOp(IRDLOperation):
    """A Python tuple of the given values.

    ```mlir
    %t = dyn.build_tuple(%a, %b)
    ```
    """

    name = "dyn.build_tuple"
    items = var_operand_def(ObjectType)
    result = result_def(ObjectType)
    traits = traits_def(Pure())
    assembly_format = "`(` $items `)` attr-dict"

    def __init__(self, items: Sequence[SSAValue]):
        super().__init__(operands=[items], result_types=[OBJECT])


@irdl_op_definition
class BuildListOp(IRDLOperation):
    """A new Python list of the given values.

    ```mlir
    %l = dyn.build_list(%a, %b)
    ```
    """

    name = "dyn.build_list"
    items = var_operand_def(ObjectType)
    result = result_def(ObjectType)
    traits = traits_def(Pure())
    assembly_format = "`(` $items `)` attr-dict"

    def __init__(self, items: Sequence[SSAValue]):
        super().__init__(operands=[items], result_types=[OBJECT])


@irdl_op_definition
class UnpackOp(IRDLOperation):
    """Unpacking into as many values as there are results; `ValueError` when the length differs.

    With `star` the result of that number is a list of all the items that the others leave.

    ```mlir
    %a, %b = dyn.unpack %t : !dyn.object, !dyn.object
    %first, %rest = dyn.unpack %t star 1 : !dyn.object, !dyn.object
    ```
    """

    name = "dyn.unpack"
    operand = operand_def(ObjectType)
    star = opt_prop_def(IntegerAttr[I64])
    items = var_result_def(ObjectType)
    assembly_format = "$operand (`star` $star^)? attr-dict `:` type($items)"

    def __init__(self, operand: SSAValue, count: int, star: int | None = None):
        super().__init__(
            operands=[operand],
            properties={"star": None if star is None else IntegerAttr(star, i64)},
            result_types=[[OBJECT] * count],
        )

    def verify_(self) -> None:
        if self.star is not None and not 0 <= self.star.value.data < len(self.items):
            raise VerifyException("the starred result must be one of the results")


@irdl_op_definition
class SliceOp(IRDLOperation):
    """Python's `slice(start, stop, step)`, as `a[start:stop:step]` makes it; parts may be missing.

    ```mlir
    %s = dyn.slice start %a step %b
    ```
    """

    name = "dyn.slice"
    start = opt_operand_def(ObjectType)
    stop = opt_operand_def(ObjectType)
    step = opt_operand_def(ObjectType)
    result = result_def(ObjectType)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(Pure())
    assembly_format = "(`start` $start^)? (`stop` $stop^)? (`step` $step^)? attr-dict"

    def __init__(self, start: SSAValue | None, stop: SSAValue | None, step: SSAValue | None):
        super().__init__(
            operands=[[] if part is None else [part] for part in (start, stop, step)], result_types=[OBJECT]
        )


@irdl_op_definition
class SetItemOp(IRDLOperation):
    """`container[index] = value` on a list that has no other name: the result is the list after it.

    Raises `IndexError` outside the list; negative indices count from its end.

    ```mlir
    %new = dyn.setitem %l[%i] = %x
    ```
    """

    name = "dyn.setitem"
    container = operand_def(ObjectType)
    index = operand_def(ObjectType)
    value = operand_def(ObjectType)
    result = result_def(ObjectType)
    assembly_format = "$container `[` $index `]` `=` $value attr-dict"

    def __init__(self, container: SSAValue, index: SSAValue, value: SSAValue):
        super().__init__(operands=[container, index, value], result_types=[OBJECT])


@irdl_op_definition
class AppendOp(IRDLOperation):
    """`container.append(value)` on a list that has no other name: the result is the list after it.

    ```mlir
    %new = dyn.append %x to %l
    ```
    """

    name = "dyn.append"
    value = operand_def(ObjectType)
    container = operand_def(ObjectType)
    result = result_def(ObjectType)
    assembly_format = "$value `to` $container attr-dict"

    def __init__(self, value: SSAValue, container: SSAValue):
        super().__init__(operands=[value, container], result_types=[OBJECT])


@irdl_op_definition
class StoreItemOp(IRDLOperation):
    """`container[indices] = value`, in place, on an array that others see.

    What is stored is converted as NumPy does it. Raises `IndexError` outside the array; negative indices count from its
    end. Only the iterations of a parallel loop may contain it (`skel.forall`).

    ```mlir
    dyn.store_item %x, %a[%i, %j]
    ```
    """

    name = "dyn.store_item"
    value = operand_def(ObjectType)
    container = operand_def(ObjectType)
    indices = var_operand_def(ObjectType)
    assembly_format = "$value `,` $container `[` $indices `]` attr-dict"

    def __init__(self, value: SSAValue, container: SSAValue, indices: Sequence[SSAValue]):
        super().__init__(operands=[value, container, indices])


@irdl_op_definition
class ContainsOp(IRDLOperation):
    """`value in container`: whether it is, or equals, one of the items.

    ```mlir
    %b = dyn.contains %x in %t
    ```
    """

    name = "dyn.contains"
    value = operand_def(ObjectType)
    container = operand_def(ObjectType)
    result = result_def(ObjectType)
    assembly_format = "$value `in` $container attr-dict"

    def __init__(self, value: SSAValue, container: SSAValue):
        super().__init__(operands=[value, container], result_types=[OBJECT])


@irdl_op_definition
class SpreadOp(IRDLOperation):
    """`f(*arguments)`: a call of a function that is a value, with the items of a tuple or list.

    ```mlir
    %y = dyn.spread %f(*%t)
    ```
    """

    name = "dyn.spread"
    callee = operand_def(ObjectType)
    arguments = operand_def(ObjectType)
    result = result_def(ObjectType)
    assembly_format = "$callee `(` `*` $arguments `)` attr-dict"

    def __init__(self, callee: SSAValue, arguments: SSAValue):
        super().__init__(operands=[callee, arguments], result_types=[OBJECT])

"""The ops of the `dyn` dialect on objects and their classes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    FlatSymbolRefAttrConstr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from hetc.dialects.parts.dyn_types import (
    OBJECT,
    ObjectType,
    check_name,
)


@irdl_op_definition
class IsInstanceOp(IRDLOperation):
    """`isinstance(value, classes)`: whether the value is of one of the classes that hetc knows by these names.

    ```mlir
    %b = dyn.isinstance %x ["int", "np.float32"]
    ```
    """

    name = "dyn.isinstance"
    value = operand_def(ObjectType)
    classes = prop_def(ArrayAttr[StringAttr])
    result = result_def(ObjectType)
    assembly_format = "$value $classes attr-dict"

    def __init__(self, value: SSAValue, classes: Sequence[str]):
        super().__init__(
            operands=[value], properties={"classes": ArrayAttr(map(StringAttr, classes))}, result_types=[OBJECT]
        )


@irdl_op_definition
class GetAttrOp(IRDLOperation):
    """An attribute of an object, or `.ndim`, `.size` or `.T` of an array.

    ```mlir
    %n = dyn.getattr %a "ndim"
    ```
    """

    name = "dyn.getattr"
    container = operand_def(ObjectType)
    attribute = prop_def(StringAttr)
    result = result_def(ObjectType)
    assembly_format = "$container $attribute attr-dict"

    def __init__(self, container: SSAValue, attribute: str):
        super().__init__(operands=[container], properties={"attribute": StringAttr(attribute)}, result_types=[OBJECT])

    def verify_(self) -> None:
        if not self.attribute.data.isidentifier():
            raise VerifyException(f"'{self.attribute.data}' is not the name of an attribute")


@irdl_op_definition
class FieldOp(IRDLOperation):
    """A field of an element of a structured array, `container["name"]`.

    ```mlir
    %x = dyn.field %e "x"
    ```
    """

    name = "dyn.field"
    container = operand_def(ObjectType)
    field = prop_def(StringAttr)
    result = result_def(ObjectType)
    assembly_format = "$container $field attr-dict"

    def __init__(self, container: SSAValue, field: str):
        super().__init__(operands=[container], properties={"field": StringAttr(field)}, result_types=[OBJECT])


@irdl_op_definition
class SetAttrOp(IRDLOperation):
    """An object with one attribute assigned: a new value of the one variable that means the object.

    ```mlir
    %q = dyn.setattr %p "x" %x
    ```
    """

    name = "dyn.setattr"
    container = operand_def(ObjectType)
    attribute = prop_def(StringAttr)
    value = operand_def(ObjectType)
    result = result_def(ObjectType)
    assembly_format = "$container $attribute $value attr-dict"

    def __init__(self, container: SSAValue, attribute: str, value: SSAValue):
        super().__init__(
            operands=[container, value], properties={"attribute": StringAttr(attribute)}, result_types=[OBJECT]
        )


@irdl_op_definition
class StoreAttrOp(IRDLOperation):
    """`container.attribute = value`, in place, on an object that others see.

    Only the iterations of a parallel loop may contain it (`skel.forall`).

    ```mlir
    dyn.store_attr %x, %p "x"
    ```
    """

    name = "dyn.store_attr"
    value = operand_def(ObjectType)
    container = operand_def(ObjectType)
    attribute = prop_def(StringAttr)
    assembly_format = "$value `,` $container $attribute attr-dict"

    def __init__(self, value: SSAValue, container: SSAValue, attribute: str):
        super().__init__(operands=[value, container], properties={"attribute": StringAttr(attribute)})


@irdl_op_definition
class StoreFieldOp(IRDLOperation):
    """`container["field"] = value`, in place, on an element of a structured array.

    What is stored is converted as NumPy does it. Only the iterations of a parallel loop may contain it (`skel.forall`).

    ```mlir
    dyn.store_field %x, %e "mass"
    ```
    """

    name = "dyn.store_field"
    value = operand_def(ObjectType)
    container = operand_def(ObjectType)
    field = prop_def(StringAttr)
    assembly_format = "$value `,` $container $field attr-dict"

    def __init__(self, value: SSAValue, container: SSAValue, field: str):
        super().__init__(operands=[value, container], properties={"field": StringAttr(field)})


@irdl_op_definition
class MethodOp(IRDLOperation):
    """A call of a method of an object, with the object and the other arguments in the order of its parameters.

    ```mlir
    %d = dyn.method %p "distance"(%q)
    ```
    """

    name = "dyn.method"
    container = operand_def(ObjectType)
    method = prop_def(StringAttr)
    arguments = var_operand_def(ObjectType)
    result = result_def(ObjectType)
    assembly_format = "$container $method `(` $arguments `)` attr-dict"

    def __init__(self, container: SSAValue, method: str, arguments: Sequence[SSAValue]):
        super().__init__(
            operands=[container, arguments], properties={"method": StringAttr(method)}, result_types=[OBJECT]
        )


@irdl_op_definition
class NewOp(IRDLOperation):
    """An object of a class with these fields.

    "made": a new one. "given": one that came from outside. "each": the sequence of objects whose fields are the items
    of the operands, which are sequences of one length.

    ```mlir
    %p = dyn.new "made" @Point ["x", "y"](%x, %y)
    ```
    """

    name = "dyn.new"
    kind = prop_def(StringAttr)
    cls = prop_def(FlatSymbolRefAttrConstr)
    names = prop_def(ArrayAttr[StringAttr])
    fields = var_operand_def(ObjectType)
    result = result_def(ObjectType)
    assembly_format = "$kind $cls $names `(` $fields `)` attr-dict"

    def __init__(self, kind: str, cls: str, names: Sequence[str], fields: Sequence[SSAValue]):
        super().__init__(
            operands=[fields],
            properties={
                "kind": StringAttr(kind),
                "cls": SymbolRefAttr(cls),
                "names": ArrayAttr(map(StringAttr, names)),
            },
            result_types=[OBJECT],
        )

    def verify_(self) -> None:
        check_name(self.kind.data, ("made", "given", "each"), "kind of object")
        if len(self.names) != len(self.fields):
            raise VerifyException("an object has one value a field")


@irdl_op_definition
class SeveralOp(IRDLOperation):
    """A list of objects of several classes: of which class an object is, and for each class the list of its objects.

    The tags are those of `hetc.abi.class_tag`; with `none`, some are None. In the list of a class, what stands in the
    places of other objects has no meaning.

    ```mlir
    %s = dyn.several %tags(%circles, %squares) none
    ```
    """

    name = "dyn.several"
    tags = operand_def(ObjectType)
    classes = var_operand_def(ObjectType)
    none = opt_prop_def(UnitAttr)
    result = result_def(ObjectType)
    traits = traits_def(Pure())
    assembly_format = "$tags `(` $classes `)` (`none` $none^)? attr-dict"

    def __init__(self, tags: SSAValue, classes: Sequence[SSAValue], *, none: bool):
        super().__init__(
            operands=[tags, classes], properties={"none": UnitAttr() if none else None}, result_types=[OBJECT]
        )


@irdl_op_definition
class ReferOp(IRDLOperation):
    """A list of references to the objects in the table of a class (`obj.table`), which are their places.

    With `none`, negative places are None. With `whole` it is the list of all objects of the table, in order, and what
    stands in the array has no meaning: only its length has.

    ```mlir
    %s = dyn.refer %places @Node none
    ```
    """

    name = "dyn.refer"
    places = operand_def(ObjectType)
    cls = prop_def(FlatSymbolRefAttrConstr)
    none = opt_prop_def(UnitAttr)
    whole = opt_prop_def(UnitAttr)
    result = result_def(ObjectType)
    traits = traits_def(Pure())
    assembly_format = "$places $cls (`none` $none^)? (`whole` $whole^)? attr-dict"

    def __init__(self, places: SSAValue, cls: str, *, none: bool = False, whole: bool = False):
        super().__init__(
            operands=[places],
            properties={
                "cls": SymbolRefAttr(cls),
                "none": UnitAttr() if none else None,
                "whole": UnitAttr() if whole else None,
            },
            result_types=[OBJECT],
        )

    def verify_(self) -> None:
        if self.none is not None and self.whole is not None:
            raise VerifyException("there is no None among the objects of a table")


@irdl_op_definition
class ClassOp(IRDLOperation):
    """A class as a value.

    ```mlir
    %c = dyn.class @Point
    ```
    """

    name = "dyn.class"
    cls = prop_def(FlatSymbolRefAttrConstr)
    result = result_def(ObjectType)
    traits = traits_def(Pure())
    assembly_format = "$cls attr-dict"

    def __init__(self, cls: str):
        super().__init__(properties={"cls": SymbolRefAttr(cls)}, result_types=[OBJECT])

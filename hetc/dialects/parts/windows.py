"""Ops of the `skel` dialect on windows: the neighbourhoods that the functions of stencils see."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    FlatSymbolRefAttrConstr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    i1,
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
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from hetc.dialects.parts.dyn_types import OBJECT, ObjectType
from hetc.windows import BOUNDARIES

_BOUNDARIES = tuple(dict.fromkeys(BOUNDARIES.values()))


@irdl_op_definition
class WindowOp(IRDLOperation):
    """The neighbourhood of a point of a captured array, as an object that is indexed by offsets.

    `radius` says how far it reaches along each axis. An offset beyond an end of the array means, with boundary "clamp",
    the nearest element; with "wrap", the array goes round; with "mirror" and "reflect" it is mirrored in the middle of
    its last element, or at its end; with "constant" there is `fill`. It exists at level 0 only.

    ```mlir
    %w = skel.window @image at %i, %j radius [1, 1] "clamp"
    ```
    """

    name = "skel.window"
    array = prop_def(FlatSymbolRefAttrConstr)
    point = var_operand_def(ObjectType)
    radius = prop_def(DenseArrayBase.constr(i64))
    boundary = prop_def(StringAttr)
    fill = opt_operand_def(ObjectType)
    result = result_def(ObjectType)
    traits = traits_def(Pure())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = "$array `at` $point `radius` $radius $boundary (`fill` $fill^)? attr-dict"

    def __init__(
        self, array: str, point: Sequence[SSAValue], radius: Sequence[int], boundary: str, fill: SSAValue | None = None
    ):
        super().__init__(
            operands=[point, fill],
            properties={
                "array": SymbolRefAttr(array),
                "radius": DenseArrayBase.from_list(i64, radius),
                "boundary": StringAttr(boundary),
            },
            result_types=[OBJECT],
        )

    def verify_(self) -> None:
        if self.boundary.data not in _BOUNDARIES:
            raise VerifyException(f"unknown boundary '{self.boundary.data}', expected one of {', '.join(_BOUNDARIES)}")
        if len(self.radius.get_values()) != len(self.point):
            raise VerifyException("a window has a radius for each axis")
        if (self.boundary.data == "constant") != (self.fill is not None):
            raise VerifyException("a constant boundary, and no other, has a value")


@irdl_op_definition
class NeighborOp(IRDLOperation):
    """The index of the element that stands at `index + offset` of an axis of `size` elements.

    `index` is in the axis, and `offset` at most `radius` away from zero.

    Law: neighbor(i, d) = i + d where radius <= i < size - radius, by `peel-borders`.

    ```mlir
    %p = skel.neighbor %i, %d of %n radius 1 "wrap"
    ```
    """

    name = "skel.neighbor"
    index = operand_def(i64)
    offset = operand_def(i64)
    size = operand_def(i64)
    radius = prop_def(IntegerAttr[I64])
    boundary = prop_def(StringAttr)
    result = result_def(i64)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$index `,` $offset `of` $size `radius` $radius $boundary attr-dict"

    def __init__(self, index: SSAValue, offset: SSAValue, size: SSAValue, radius: int, boundary: str):
        super().__init__(
            operands=[index, offset, size],
            properties={"radius": IntegerAttr(radius, i64), "boundary": StringAttr(boundary)},
            result_types=[i64],
        )

    def verify_(self) -> None:
        if self.boundary.data not in _BOUNDARIES:
            raise VerifyException(f"unknown boundary '{self.boundary.data}', expected one of {', '.join(_BOUNDARIES)}")


@irdl_op_definition
class InsideOp(IRDLOperation):
    """Whether `index + offset` is in an axis of `size` elements; the operands are those of `skel.neighbor`.

    Law: inside(i, d) = true where radius <= i < size - radius, by `peel-borders`.

    ```mlir
    %b = skel.inside %i, %d of %n radius 1
    ```
    """

    name = "skel.inside"
    index = operand_def(i64)
    offset = operand_def(i64)
    size = operand_def(i64)
    radius = prop_def(IntegerAttr[I64])
    result = result_def(i1)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$index `,` $offset `of` $size `radius` $radius attr-dict"

    def __init__(self, index: SSAValue, offset: SSAValue, size: SSAValue, radius: int):
        super().__init__(
            operands=[index, offset, size], properties={"radius": IntegerAttr(radius, i64)}, result_types=[i1]
        )

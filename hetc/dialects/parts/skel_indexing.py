"""The ops of the `skel` dialect that say where elements go: by places, by keys and by classes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, IntegerAttr, TensorType, UnitAttr, i64
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from hetc.dialects.parts.dyn_types import INT, OBJECT
from hetc.dialects.parts.skel_bodies import (
    ARRAY,
    SequenceType,
    YieldOp,
    check_elements,
    check_types,
    check_yield,
    element_type,
)


@irdl_op_definition
class PositionsOp(IRDLOperation):
    """The numbers of an array's elements: 0, 1, and so on up to its length.

    ```mlir
    %k = skel.positions %x : tensor<?xf32>
    ```
    """

    name = "skel.positions"
    array = operand_def(ARRAY)
    result = result_def(SequenceType(INT))
    traits = traits_def(Pure())
    assembly_format = "$array attr-dict `:` type($array)"

    def __init__(self, array: SSAValue):
        super().__init__(operands=[array], result_types=[SequenceType(INT)])


@irdl_op_definition
class GatherOp(IRDLOperation):
    """`outputs[i] = inputs[indices[i]]` for every index; negative indices count from the end, others raise IndexError.

    The outputs have the length of the indices. It exists at level 0 only: `specialize` makes of it a map over the
    indices, which loads from the inputs; so the laws of maps are its laws.

    ```mlir
    %y = skel.gather(%x) at %i : tensor<?xsi64>, (tensor<?xf32>) -> tensor<?x!dyn.object>
    ```
    """

    name = "skel.gather"
    inputs = var_operand_def(ARRAY)
    indices = operand_def(ARRAY)
    outputs = var_result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = (
        "`(` $inputs `)` `at` $indices attr-dict `:` type($indices) `,` functional-type($inputs, $outputs)"
    )

    def __init__(self, inputs: Sequence[SSAValue], indices: SSAValue, outputs: Sequence[Attribute]):
        super().__init__(operands=[inputs, indices], result_types=[outputs])

    def verify_(self) -> None:
        if len(self.inputs) != len(self.outputs):
            raise VerifyException("a gather gives as many arrays as it takes")


@irdl_op_definition
class ScatterOp(IRDLOperation):
    """`outputs[k] = combine(... combine(init, t[i0]) ..., t[in])`: the elements with key k, in their order.

    The transform gives an element's key, from 0 up to `size` (at level 0, what Python takes for an index), and then
    `t[i]`; `combine` must be associative; it need not be commutative: operands keep their order. The outputs, of `size`
    items, are the components of the accumulators. With `unique`, it is an error if two elements have the same key, and
    Python runs the call.

    Laws: scatter(op) . map(f) = scatter with transform f, by `fuse-skeletons`. A reduction is a scatter with one key.

    It is the `reduce_by_key` of Hillis and Steele's "Data parallel algorithms", 1986, for keys that are numbers of
    places; with `unique` it is the inverse of a gather.

    ```mlir
    %counts = skel.scatter(%x) size 256 init(%zero : i64) : (tensor<?xui8>) -> tensor<?x!dyn.int> transform {
    ^bb0(%e: i8):
      %key = arith.extui %e : i8 to i64
      %one = arith.constant 1 : i64
      skel.yield %key, %one : i64, i64
    } combine {
    ^bb0(%p: i64, %q: i64):
      %r = arith.addi %p, %q : i64
      skel.yield %r : i64
    }
    ```
    """

    name = "skel.scatter"
    inputs = var_operand_def(ARRAY)
    size = prop_def(IntegerAttr[I64])
    inits = var_operand_def()
    unique = opt_prop_def(UnitAttr)
    outputs = var_result_def(TensorType)
    transform = region_def("single_block")
    combine = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "`(` $inputs `)` `size` $size `init` `(` ($inits^ `:` type($inits))? `)` (`unique` $unique^)? "
        "attr-dict-with-keyword `:` functional-type($inputs, $outputs) `transform` $transform `combine` $combine"
    )

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        size: int,
        inits: Sequence[SSAValue],
        outputs: Sequence[Attribute],
        transform: Region,
        combine: Region,
        *,
        unique: bool = False,
    ):
        super().__init__(
            operands=[inputs, inits],
            result_types=[outputs],
            regions=[transform, combine],
            properties={"size": IntegerAttr(size, i64), "unique": UnitAttr() if unique else None},
        )

    def verify_(self) -> None:
        if not self.inputs:
            raise VerifyException("a scatter needs at least one input")
        if self.size.value.data < 1:
            raise VerifyException("a scatter needs room for at least one item")
        check_elements(self.transform.block, self.inputs.types, "input")
        check_yield(self.combine.block, [element_type(t) for t in self.outputs.types], "output")
        last = self.combine.block.last_op
        carried = () if last is None else tuple(last.operand_types)
        if self.inits:
            check_types(self.inits.types, carried, "the initial values must be those of an accumulator")
        check_types(self.combine.block.arg_types, carried * 2, "the operator must take two accumulators")
        end = self.transform.block.last_op
        key = OBJECT if carried == (OBJECT,) else i64
        found = end.operand_types if isinstance(end, YieldOp) else ()
        check_types(found, [key, *carried], "the transform must yield a key and an accumulator")


@irdl_op_definition
class PartitionOp(IRDLOperation):
    """The elements of the inputs by their class: first those of class 0, then those of class 1, each in their order.

    The body gives the class of an element, from 0 up to `classes` (at level 0, what Python takes for an index). The
    outputs are the last inputs, as many as there are outputs; of the others, only the class is asked. All have one
    length.

    Laws: a filter by `c == 0` is the first part of a partition by c. A partition by c % n and then one by c // n are
    one by c, since the second keeps the order of the first: so partitions by digits, the last first, are a stable sort
    (Knuth, "The Art of Computer Programming", volume 3, 1973, section 5.2.5). Only `hetc.sort` makes partitions, and
    that knows of the law; no pass does.

    ```mlir
    %order = skel.partition(%keys, %places) classes 256 : (tensor<?xui32>, tensor<?xui32>) -> tensor<?xui32> {
    ^bb0(%key: i32, %place: i32):
      %mask = arith.constant 255 : i32
      %digit = arith.andi %key, %mask : i32
      %class = arith.extui %digit : i32 to i64
      skel.yield %class : i64
    }
    ```
    """

    name = "skel.partition"
    inputs = var_operand_def(ARRAY)
    classes = prop_def(IntegerAttr[I64])
    outputs = var_result_def(TensorType)
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "`(` $inputs `)` `classes` $classes attr-dict-with-keyword `:` functional-type($inputs, $outputs) $body"
    )

    def __init__(self, inputs: Sequence[SSAValue], classes: int, outputs: Sequence[Attribute], body: Region):
        super().__init__(
            operands=[inputs],
            result_types=[outputs],
            regions=[body],
            properties={"classes": IntegerAttr(classes, i64)},
        )

    @property
    def kept(self) -> Sequence[SSAValue]:
        """The inputs whose elements are the outputs'."""
        return self.inputs[len(self.inputs) - len(self.outputs) :]

    def verify_(self) -> None:
        if not 0 < len(self.outputs) <= len(self.inputs):
            raise VerifyException("a partition has outputs, and no more than inputs")
        if self.classes.value.data < 1:
            raise VerifyException("a partition has at least one class")
        check_elements(self.body.block, self.inputs.types, "input")
        end = self.body.block.last_op
        found = end.operand_types if isinstance(end, YieldOp) else ()
        check_types(found, [OBJECT if found == (OBJECT,) else i64], "the body must yield a class")
        for array, output in zip(self.kept, self.outputs, strict=True):
            element = element_type(output.type)
            if element not in (OBJECT, element_type(array.type)):
                raise VerifyException(
                    f"elements of {element_type(array.type)} stay what they are, and are no {element}"
                )

"""The `obj` dialect: how Python values lie in memory.

A *boxed* value is a Python number with its source type, as the interpreter holds it; its *payload* is what the device
computes with. `specialize` makes every boxing explicit, so that `box-elimination` can remove it: the same split that
Graal's IR makes with its Box and Unbox nodes (Fumero, PhD thesis 2017, section 4.5; Fumero et al., PPPJ 2015).

Signedness lives in the source type: `!obj.boxed<ui32>` and `!obj.boxed<si32>` both have the payload `i32`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import cast

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    IntegerAttr,
    TensorType,
    TupleType,
    UnitAttr,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Dialect, Operation, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    param_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.traits import (
    EffectInstance,
    HasCanonicalizationPatternsTrait,
    MemoryEffect,
    MemoryEffectKind,
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
)
from xdsl.utils.exceptions import VerifyException

from hetc.dialects.dyn import NONE, NoneType
from hetc.dialects.parts.object_tables import ColumnAttr, TableOp
from hetc.dialects.parts.objects import ClassOp, GetOp, MemberAttr, NewOp, ObjectType
from hetc.dialects.parts.payloads import payload


def tuple_type(items: Iterable[Attribute]) -> TupleType:
    """The tuple of the given types, each of them a source type or a boxed type.

    >>> from xdsl.dialects.builtin import f64, i64
    >>> str(tuple_type([i64, f64]))
    'tuple<i64, f64>'
    """
    # The type of an SSA value is any attribute to xDSL, which wants those that may be types here.
    return TupleType(ArrayAttr(cast("Iterable[TypeAttribute]", items)))


@irdl_attr_definition
class BoxedType(ParametrizedAttribute, TypeAttribute):
    """`!obj.boxed<T>`: a Python or NumPy number of source type `T`, as a Python object."""

    name = "obj.boxed"
    source: Attribute = param_def()

    def verify(self) -> None:
        try:
            payload(self.source)
        except ValueError as error:
            raise VerifyException(str(error)) from None


@irdl_attr_definition
class UnionType(ParametrizedAttribute, TypeAttribute):
    """`!obj.union<[A, B, ...]>`: a value that is of one of several types, each a boxed type, a tuple or `!dyn.none`.

    Like a tuple type it also stands for the element type, with source types in place of boxed ones.
    """

    name = "obj.union"
    alternatives: ArrayAttr[Attribute] = param_def()

    def __init__(self, alternatives: Iterable[Attribute]):
        super().__init__(ArrayAttr(alternatives))

    def verify(self) -> None:
        if len(self.alternatives) < 2 or len(set(self.alternatives)) != len(self.alternatives):
            raise VerifyException("a union has at least two alternatives, all of them different")


@irdl_attr_definition
class ListType(ParametrizedAttribute, TypeAttribute):
    """`!obj.list<tuple<A, B>>`: a Python list of known length with items of the types of a tuple."""

    name = "obj.list"
    items: TupleType = param_def()

    def __init__(self, items: Iterable[Attribute]):
        super().__init__(tuple_type(items))

    @property
    def types(self) -> tuple[Attribute, ...]:
        """The types of the items."""
        return self.items.types.data


class UnboxCanonicalization(HasCanonicalizationPatternsTrait):
    """Canonicalisation of `obj.unbox`."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (EliminateBoxUnbox(),)


class ExtractCanonicalization(HasCanonicalizationPatternsTrait):
    """Canonicalisation of `obj.extract`."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (ForwardPackedItem(),)


@irdl_op_definition
class BoxOp(IRDLOperation):
    """Make a Python number out of its payload.

    ```mlir
    %b = obj.box %x : f32 -> !obj.boxed<f32>
    ```
    """

    name = "obj.box"
    payload = operand_def()
    boxed = result_def(BoxedType)
    traits = traits_def(Pure())
    assembly_format = "$payload attr-dict `:` type($payload) `->` type($boxed)"

    def __init__(self, value: SSAValue, source: Attribute):
        super().__init__(operands=[value], result_types=[BoxedType(source)])

    def verify_(self) -> None:
        _check_payload(self.payload.type, self.boxed.type)


@irdl_op_definition
class UnboxOp(IRDLOperation):
    """The payload of a Python number. Its canonicalisation is unbox(box(x)) -> x.

    ```mlir
    %x = obj.unbox %b : !obj.boxed<f32> -> f32
    ```
    """

    name = "obj.unbox"
    boxed = operand_def(BoxedType)
    payload = result_def()
    traits = traits_def(Pure(), UnboxCanonicalization())
    assembly_format = "$boxed attr-dict `:` type($boxed) `->` type($payload)"

    def __init__(self, boxed: SSAValue):
        assert isinstance(boxed.type, BoxedType)
        super().__init__(operands=[boxed], result_types=[payload(boxed.type.source)])

    def verify_(self) -> None:
        _check_payload(self.payload.type, self.boxed.type)


@irdl_op_definition
class PackOp(IRDLOperation):
    """A tuple of values. It never reaches a kernel: `flatten-tuples` replaces tuples by their items.

    ```mlir
    %t = obj.pack(%a, %b) : tuple<!obj.boxed<f32>, !obj.boxed<!dyn.int>>
    ```
    """

    name = "obj.pack"
    items = var_operand_def()
    result = result_def(TupleType)
    traits = traits_def(Pure())
    assembly_format = "`(` ($items^ `:` type($items))? `)` attr-dict `:` type($result)"

    def __init__(self, items: Sequence[SSAValue]):
        super().__init__(operands=[items], result_types=[tuple_type(item.type for item in items)])

    def verify_(self) -> None:
        if tuple(self.result.type.types.data) != tuple(self.items.types):
            raise VerifyException("the tuple type must list the types of the items")


@irdl_op_definition
class ExtractOp(IRDLOperation):
    """Item `index` of a tuple. Its canonicalisation is extract(pack(x0, ..., xn), k) -> xk.

    ```mlir
    %a = obj.extract %t[0] : tuple<!obj.boxed<f32>, !obj.boxed<!dyn.int>> -> !obj.boxed<f32>
    ```
    """

    name = "obj.extract"
    operand = operand_def(TupleType)
    index = prop_def(IntegerAttr[I64])
    result = result_def()
    traits = traits_def(Pure(), ExtractCanonicalization())
    assembly_format = "$operand `[` $index `]` attr-dict `:` type($operand) `->` type($result)"

    def __init__(self, operand: SSAValue, index: int):
        assert isinstance(operand.type, TupleType)
        super().__init__(
            operands=[operand],
            properties={"index": IntegerAttr(index, i64)},
            result_types=[operand.type.types.data[index]],
        )

    def verify_(self) -> None:
        assert isinstance(self.operand.type, TupleType)
        types = self.operand.type.types.data
        if not 0 <= self.index.value.data < len(types):
            raise VerifyException(f"index {self.index.value.data} is outside a tuple of {len(types)} items")
        if types[self.index.value.data] != self.result.type:
            raise VerifyException("the result must have the type of the item")


@irdl_op_definition
class AsListOp(IRDLOperation):
    """A list of the items of a tuple. `flatten-tuples` carries a list as its items, too.

    ```mlir
    %l = obj.as_list %t : tuple<!obj.boxed<f32>> -> !obj.list<tuple<!obj.boxed<f32>>>
    ```
    """

    name = "obj.as_list"
    items = operand_def(TupleType)
    result = result_def(ListType)
    traits = traits_def(Pure())
    assembly_format = "$items attr-dict `:` type($items) `->` type($result)"

    def __init__(self, items: SSAValue):
        assert isinstance(items.type, TupleType)
        super().__init__(operands=[items], result_types=[ListType(items.type.types.data)])

    def verify_(self) -> None:
        assert isinstance(self.result.type, ListType)
        if self.result.type.items != self.items.type:
            raise VerifyException("the list type must list the types of the items")


@irdl_op_definition
class ListItemsOp(IRDLOperation):
    """The items of a list, as a tuple.

    ```mlir
    %t = obj.list_items %l : !obj.list<tuple<!obj.boxed<f32>>> -> tuple<!obj.boxed<f32>>
    ```
    """

    name = "obj.list_items"
    operand = operand_def(ListType)
    result = result_def(TupleType)
    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"

    def __init__(self, operand: SSAValue):
        assert isinstance(operand.type, ListType)
        super().__init__(operands=[operand], result_types=[operand.type.items])

    def verify_(self) -> None:
        assert isinstance(self.operand.type, ListType)
        if self.operand.type.items != self.result.type:
            raise VerifyException("the tuple must have the types of the items")


@irdl_op_definition
class NoneOp(IRDLOperation):
    """Python's `None`.

    ```mlir
    %n = obj.none
    ```
    """

    name = "obj.none"
    result = result_def(NoneType)
    traits = traits_def(Pure())
    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__(result_types=[NONE])


@irdl_op_definition
class UnionOp(IRDLOperation):
    """A value of one of several types: the tag says of which, and only that alternative is ever looked at.

    The tag is a number that `hetc.abi.tag_of` gives the type. `flatten-tuples` carries a union as its tag and its
    alternatives.

    ```mlir
    %u = obj.union %tag(%a, %b) : !obj.union<[!obj.boxed<!dyn.int>, !obj.boxed<!dyn.float>]>
    ```
    """

    name = "obj.union"
    tag = operand_def(i8)
    alternatives = var_operand_def()
    result = result_def(UnionType)
    traits = traits_def(Pure())
    assembly_format = "$tag `(` $alternatives `:` type($alternatives) `)` attr-dict `:` type($result)"

    def __init__(self, tag: SSAValue, alternatives: Sequence[SSAValue]):
        super().__init__(operands=[tag, alternatives], result_types=[UnionType(value.type for value in alternatives)])

    def verify_(self) -> None:
        if tuple(self.result.type.alternatives) != tuple(self.alternatives.types):
            raise VerifyException("the union type must list the types of the alternatives")


@irdl_op_definition
class TagOp(IRDLOperation):
    """The tag of a union.

    ```mlir
    %t = obj.tag %u : !obj.union<[!obj.boxed<!dyn.int>, !dyn.none]>
    ```
    """

    name = "obj.tag"
    operand = operand_def(UnionType)
    result = result_def(i8)
    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` type($operand)"

    def __init__(self, operand: SSAValue):
        super().__init__(operands=[operand], result_types=[i8])


@irdl_op_definition
class AlternativeOp(IRDLOperation):
    """Alternative `index` of a union, whose tag says that it is this one. For any other tag it has no meaning.

    ```mlir
    %x = obj.alternative %u[0] : !obj.union<[!obj.boxed<!dyn.int>, !dyn.none]> -> !obj.boxed<!dyn.int>
    ```
    """

    name = "obj.alternative"
    operand = operand_def(UnionType)
    index = prop_def(IntegerAttr[I64])
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$operand `[` $index `]` attr-dict `:` type($operand) `->` type($result)"

    def __init__(self, operand: SSAValue, index: int):
        assert isinstance(operand.type, UnionType)
        super().__init__(
            operands=[operand],
            properties={"index": IntegerAttr(index, i64)},
            result_types=[operand.type.alternatives.data[index]],
        )

    def verify_(self) -> None:
        assert isinstance(self.operand.type, UnionType)
        types = self.operand.type.alternatives.data
        if not 0 <= self.index.value.data < len(types):
            raise VerifyException(f"index {self.index.value.data} is outside a union of {len(types)} alternatives")
        if types[self.index.value.data] != self.result.type:
            raise VerifyException("the result must have the type of the alternative")


class EliminateBoxUnbox(RewritePattern):
    """unbox(box(x)) -> x."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: UnboxOp, rewriter: PatternRewriter) -> None:
        if isinstance(box := op.boxed.owner, BoxOp):
            rewriter.replace(op, [], [box.payload])


class ForwardPackedItem(RewritePattern):
    """extract(pack(x0, ..., xn), k) -> xk."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ExtractOp, rewriter: PatternRewriter) -> None:
        if isinstance(pack := op.operand.owner, PackOp):
            rewriter.replace(op, [], [pack.items[op.index.value.data]])


class ReadsIfMutable(MemoryEffect):
    """A load reads memory if the array is written as well; from an array that nobody writes it is pure."""

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        assert isinstance(op, LoadOp)
        return {EffectInstance(MemoryEffectKind.READ)} if op.mutable is not None else set()


@irdl_op_definition
class LoadOp(IRDLOperation):
    """The payload of one element of an array; the indices are inside it.

    `mutable` says that the program stores to the array too, so that the load must stay between its stores.

    ```mlir
    %x = obj.load %a[%i, %j] : tensor<?x?xsi32> -> i32
    %y = obj.load %b[%i] mutable : tensor<?xf32> -> f32
    ```
    """

    name = "obj.load"
    array = operand_def(TensorType)
    indices = var_operand_def(i64)
    mutable = opt_prop_def(UnitAttr)
    result = result_def()
    traits = traits_def(ReadsIfMutable())
    assembly_format = "$array `[` $indices `]` (`mutable` $mutable^)? attr-dict `:` type($array) `->` type($result)"

    def __init__(self, array: SSAValue, indices: Sequence[SSAValue]):
        assert isinstance(array.type, TensorType)
        super().__init__(operands=[array, indices], result_types=[payload(array.type.element_type)])

    def verify_(self) -> None:
        _check_access(self.array, self.indices, self.result.type)


@irdl_op_definition
class StoreOp(IRDLOperation):
    """Stores a payload to one element of a captured array, in place; the indices are inside it.

    ```mlir
    obj.store %x, %a[%i, %j] : i32, tensor<?x?xsi32>
    ```
    """

    name = "obj.store"
    value = operand_def()
    array = operand_def(TensorType)
    indices = var_operand_def(i64)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$value `,` $array `[` $indices `]` attr-dict `:` type($value) `,` type($array)"

    def __init__(self, value: SSAValue, array: SSAValue, indices: Sequence[SSAValue]):
        super().__init__(operands=[value, array, indices])

    def verify_(self) -> None:
        _check_access(self.array, self.indices, self.value.type)


@irdl_op_definition
class AccumulateOp(IRDLOperation):
    """Adds an integer to one element of a captured array, in place and in one step: `a[i] += x`, which wraps.

    Sums of several work-items to one element come out in whatever order they are added, since integers that wrap add
    up to the same in every order. 32 and 64 bits: what devices have atomic operations for.

    ```mlir
    obj.accumulate %x, %a[%i, %j] : i32, tensor<?x?xsi32>
    ```
    """

    name = "obj.accumulate"
    value = operand_def()
    array = operand_def(TensorType)
    indices = var_operand_def(i64)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$value `,` $array `[` $indices `]` attr-dict `:` type($value) `,` type($array)"

    def __init__(self, value: SSAValue, array: SSAValue, indices: Sequence[SSAValue]):
        super().__init__(operands=[value, array, indices])

    def verify_(self) -> None:
        _check_access(self.array, self.indices, self.value.type)
        if self.value.type not in (i32, i64):
            raise VerifyException("devices add integers of 32 and 64 bits in one step, no others")


def _check_access(array: SSAValue, indices: Sequence[SSAValue], number: Attribute) -> None:
    assert isinstance(array.type, TensorType)
    if len(indices) != array.type.get_num_dims():
        raise VerifyException("an array is indexed by as many indices as it has dimensions")
    _check_payload(number, BoxedType(array.type.element_type))


def _check_payload(found: Attribute, boxed: Attribute) -> None:
    assert isinstance(boxed, BoxedType)
    expected = payload(boxed.source)
    if found != expected:
        raise VerifyException(f"the payload of {boxed} is {expected}, not {found}")


OBJ = Dialect(
    "obj",
    [
        BoxOp,
        UnboxOp,
        PackOp,
        ExtractOp,
        AsListOp,
        ListItemsOp,
        NoneOp,
        UnionOp,
        TagOp,
        AlternativeOp,
        LoadOp,
        StoreOp,
        AccumulateOp,
        ClassOp,
        TableOp,
        NewOp,
        GetOp,
    ],
    [BoxedType, UnionType, ListType, ObjectType, MemberAttr, ColumnAttr],
)

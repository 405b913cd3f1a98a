"""The `heap` dialect: lists whose length only the kernel finds, in a heap in the device's memory.

A list is where its items begin, how many it has, and for how many there is room. Its items lie one after the other in
one array for each number that an item is stored as (struct of arrays), so that each array has the alignment of its
type. What makes room counts the top of the heap up in one step, and gives nothing back: the heap is emptied between
launches (`offload.heap`, `offload.drain`).

A list value is used once by what changes it: `append` writes behind the last item, in place where there is room, and
the list before is not looked at again. The frontend sees to it (`hetc.frontends.python.ownership`).

Heap, failed flag and launching again are HJ-OpenCL's (Grossman et al., "HJ-OpenCL: reducing the gap between the JVM
and accelerators"), there for whole objects; lists that grow are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import TupleType, UnitAttr, i8, i64
from xdsl.ir import Attribute, Dialect, Operation, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    param_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from hetc.dialects import dyn
from hetc.dialects.obj import UnionType, payload


def item_payloads(item: Attribute) -> tuple[Attribute, ...]:
    """The payloads that an item of a source type is stored as: of a tuple those of its items, of a union the tag too.

    Raises ValueError for what the items of a list cannot be.
    """
    match item:
        case TupleType():
            return tuple(part for inner in item.types.data for part in item_payloads(inner))
        case UnionType():
            return (i8, *(part for inner in item.alternatives for part in item_payloads(inner)))
        case dyn.NoneType():
            return ()
        case _:
            return (payload(item),)


@irdl_attr_definition
class ListType(ParametrizedAttribute, TypeAttribute):
    """`!heap.list<T>`: a Python list of any length, of items that are all of source type `T`.

    Unlike tuples it is never boxed: what goes into it and comes out are payloads.
    """

    name = "heap.list"
    item: Attribute = param_def()

    def verify(self) -> None:
        try:
            stored = item_payloads(self.item)
        except ValueError as error:
            raise VerifyException(f"a list in the heap holds numbers, and tuples of them: {error}") from None
        if not stored:
            raise VerifyException("a list in the heap has something to store for each item")

    @property
    def payloads(self) -> tuple[Attribute, ...]:
        """What an item is stored as."""
        return item_payloads(self.item)


@irdl_op_definition
class NewOp(IRDLOperation):
    """An empty list, with room for so many items. Without room it takes nothing from the heap.

    ```mlir
    %l = heap.new %room : !heap.list<!dyn.int>
    ```
    """

    name = "heap.new"
    room = operand_def(i64)
    result = result_def(ListType)
    traits = traits_def(MemoryAllocEffect())
    assembly_format = "$room attr-dict `:` type($result)"

    def __init__(self, room: SSAValue, type_: ListType):
        super().__init__(operands=[room], result_types=[type_])


@irdl_op_definition
class AppendOp(IRDLOperation):
    """The list with one item more. The list before is used no more.

    Where there is no room, the items move to where there is twice as much (`lower-heap`). With `in_room` there is: this
    is known.

    ```mlir
    %m = heap.append %l, (%x, %y : i64, f64) : !heap.list<tuple<!dyn.int, f64>>
    %n = heap.append %m, (%x, %y : i64, f64) in_room : !heap.list<tuple<!dyn.int, f64>>
    ```
    """

    T: ClassVar = VarConstraint("T", base(ListType))

    name = "heap.append"
    list = operand_def(T)
    item = var_operand_def()
    in_room = opt_prop_def(UnitAttr)
    result = result_def(T)
    traits = traits_def(MemoryAllocEffect(), MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$list `,` ` ` `(` $item `:` type($item) `)` (`in_room` $in_room^)? attr-dict `:` type($result)"

    def __init__(self, list_: SSAValue, item: Sequence[SSAValue], *, in_room: bool = False):
        super().__init__(
            operands=[list_, item],
            properties={"in_room": UnitAttr() if in_room else None},
            result_types=[list_.type],
        )

    def verify_(self) -> None:
        _check_item(self.list, self.item.types)


@irdl_op_definition
class LengthOp(IRDLOperation):
    """How many items a list has.

    ```mlir
    %n = heap.length %l : !heap.list<!dyn.int>
    ```
    """

    name = "heap.length"
    list = operand_def(ListType)
    result = result_def(i64)
    traits = traits_def(Pure())
    assembly_format = "$list attr-dict `:` type($list)"

    def __init__(self, list_: SSAValue):
        super().__init__(operands=[list_], result_types=[i64])


@irdl_op_definition
class LoadOp(IRDLOperation):
    """The payloads of one item of a list; the index is inside it.

    ```mlir
    %x, %y = heap.load %l[%i] : !heap.list<tuple<!dyn.int, f64>> -> i64, f64
    ```
    """

    name = "heap.load"
    list = operand_def(ListType)
    index = operand_def(i64)
    item = var_result_def()
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$list `[` $index `]` attr-dict `:` type($list) `->` type($item)"

    def __init__(self, list_: SSAValue, index: SSAValue):
        assert isinstance(list_.type, ListType)
        super().__init__(operands=[list_, index], result_types=[list_.type.payloads])

    def verify_(self) -> None:
        _check_item(self.list, self.item.types)


@irdl_op_definition
class StoreOp(IRDLOperation):
    """Another item in the place of one that a list has; the index is inside it.

    ```mlir
    heap.store %l[%i], (%x : i64) : !heap.list<!dyn.int>
    ```
    """

    name = "heap.store"
    list = operand_def(ListType)
    index = operand_def(i64)
    item = var_operand_def()
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$list `[` $index `]` `,` ` ` `(` $item `:` type($item) `)` attr-dict `:` type($list)"

    def __init__(self, list_: SSAValue, index: SSAValue, item: Sequence[SSAValue]):
        super().__init__(operands=[list_, index, item])

    def verify_(self) -> None:
        _check_item(self.list, self.item.types)


@irdl_op_definition
class PublishOp(IRDLOperation):
    """What the host needs to find a list in what is drained from the heap: where it begins, and how many items it has.

    ```mlir
    %begin, %length = heap.publish %l : !heap.list<!dyn.int>
    ```
    """

    name = "heap.publish"
    list = operand_def(ListType)
    begin = result_def(i64)
    length = result_def(i64)
    traits = traits_def(Pure())
    assembly_format = "$list attr-dict `:` type($list)"

    def __init__(self, list_: SSAValue):
        super().__init__(operands=[list_], result_types=[i64, i64])


@irdl_op_definition
class PartsOp(IRDLOperation):
    """A list taken apart: where its items begin, how many there are, and for how many there is room.

    ```mlir
    %begin, %length, %room = heap.parts %l : !heap.list<!dyn.int>
    ```
    """

    name = "heap.parts"
    list = operand_def(ListType)
    begin = result_def(i64)
    length = result_def(i64)
    room = result_def(i64)
    traits = traits_def(Pure())
    assembly_format = "$list attr-dict `:` type($list)"

    def __init__(self, list_: SSAValue):
        super().__init__(operands=[list_], result_types=[i64, i64, i64])


@irdl_op_definition
class FromPartsOp(IRDLOperation):
    """The list that has these parts: the inverse of `heap.parts`.

    ```mlir
    %l = heap.from_parts %begin, %length, %room : !heap.list<!dyn.int>
    ```
    """

    name = "heap.from_parts"
    begin = operand_def(i64)
    length = operand_def(i64)
    room = operand_def(i64)
    result = result_def(ListType)
    traits = traits_def(Pure())
    assembly_format = "$begin `,` $length `,` $room attr-dict `:` type($result)"

    def __init__(self, parts: Sequence[SSAValue], type_: Attribute):
        super().__init__(operands=list(parts), result_types=[type_])


def _check_item(list_: SSAValue, found: Sequence[Attribute]) -> None:
    assert isinstance(list_.type, ListType)
    if tuple(found) != list_.type.payloads:
        expected = ", ".join(map(str, list_.type.payloads))
        raise VerifyException(f"an item of {list_.type} is stored as {expected}, not {', '.join(map(str, found))}")


HEAP = Dialect(
    "heap",
    [NewOp, AppendOp, LengthOp, LoadOp, StoreOp, PublishOp, PartsOp, FromPartsOp],
    [ListType],
)


def is_used_in(op: Operation) -> bool:
    """Whether an op makes lists in the heap."""
    return any(inner.dialect_name() == HEAP.name for inner in op.walk())

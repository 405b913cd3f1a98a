"""Records: arrays of structs, in which the numbers of one element stand beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    IndexType,
    MemRefType,
    StringAttr,
    UnitAttr,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, Pure
from xdsl.utils.exceptions import VerifyException


@irdl_attr_definition
class RecordType(ParametrizedAttribute, TypeAttribute):
    """A struct of numbers, as the device's C lays it out: in order, each at a multiple of its own size, all padded.

    `symbol` is its name, `members` and `types` are the names and types of its numbers. A truth value is a byte.

    ```mlir
    !offload.record<"Page", ["degree", "rank"], [i64, f64]>
    ```
    """

    name = "offload.record"
    symbol: StringAttr
    members: ArrayAttr[StringAttr]
    types: ArrayAttr[Attribute]

    @staticmethod
    def of(symbol: str, members: Sequence[str], types: Sequence[Attribute]) -> RecordType:
        """A struct of these numbers."""
        return RecordType(StringAttr(symbol), ArrayAttr(map(StringAttr, members)), ArrayAttr(types))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its numbers."""
        return tuple(member.data for member in self.members)

    def type_of(self, name: str) -> Attribute:
        """The type of the number of a name."""
        return self.types.data[self.names.index(name)]

    @property
    def offsets(self) -> tuple[int, ...]:
        """Where each number begins, in bytes."""
        return struct_offsets([size_of(type_) for type_ in self.types])

    @property
    def size(self) -> int:
        """The bytes from one struct to the next."""
        return struct_size([size_of(type_) for type_ in self.types])

    def verify(self) -> None:
        if not self.types.data or len(self.members) != len(self.types):
            raise VerifyException("a record has a name for each of its numbers, and at least one")
        if len(set(self.names)) < len(self.names):
            raise VerifyException("the numbers of a record have names of their own")
        if not all(map(is_member, self.types)):
            raise VerifyException("the numbers of a record are integers and floats of one, two, four or eight bytes")


def is_member(type_: Attribute) -> bool:
    """Whether a number of a type may stand in a record: of half precision it may not, since only arrays of it do."""
    return type_ in _SIZES


def size_of(type_: Attribute) -> int:
    """The bytes of a number in memory."""
    return _SIZES[type_]


_SIZES: dict[Attribute, int] = {i1: 1, i8: 1, i16: 2, i32: 4, i64: 8, f32: 4, f64: 8}


def struct_offsets(sizes: Sequence[int]) -> tuple[int, ...]:
    """Where numbers of these sizes begin in a struct: each at the next multiple of its own size (C11, 6.7.2.1).

    >>> struct_offsets([1, 8, 2, 4])
    (0, 8, 16, 20)
    """
    ends = accumulate(sizes, lambda end, size: _up(end, size) + size, initial=0)
    return tuple(_up(end, size) for end, size in zip(ends, sizes, strict=False))


def struct_size(sizes: Sequence[int]) -> int:
    """The bytes of a struct of numbers of these sizes, which is aligned as the largest of them.

    >>> struct_size([8, 1])
    16
    """
    return _up(struct_offsets(sizes)[-1] + sizes[-1], max(sizes))


def _up(number: int, factor: int) -> int:
    return -(-number // factor) * factor


@irdl_op_definition
class MarshalRecordsOp(IRDLOperation):
    """Python data as a host array of structs: each source is a number of them, in the order of the type's members.

    The sources have one length. That a device reads the fields of an object together if they stand together is as old
    as structs; Grossman et al. (HJ-OpenCL) move objects so, whole. Here a record has only what a kernel reads.

    ```mlir
    %h = offload.marshal_records %x, %y : (tensor<?xsi64>, tensor<?xf64>) -> memref<?x!offload.record<"P", ["x", "y"],
      [i64, f64]>, "host">
    ```
    """

    name = "offload.marshal_records"
    sources = var_operand_def()
    result = result_def(MemRefType)
    traits = traits_def(Pure())
    assembly_format = "$sources attr-dict `:` functional-type($sources, $result)"

    def __init__(self, sources: Sequence[SSAValue], record: RecordType):
        result = MemRefType(record, [DYNAMIC_INDEX], memory_space=StringAttr("host"))
        super().__init__(operands=[sources], result_types=[result])

    @property
    def record(self) -> RecordType:
        """The type of a struct."""
        return record_of(self.result, len(self.sources))

    def verify_(self) -> None:
        record_of(self.result, len(self.sources))


@irdl_op_definition
class PresentRecordsOp(IRDLOperation):
    """The device's copy of numbers of a portable array of objects, beside each other: copied in if there is none.

    With `shared` the copy is the host's memory. The sources are numbers of one array, as those of `marshal_records`.

    ```mlir
    %b = offload.present_records %x, %y : (tensor<?xsi64>, tensor<?xf64>) -> memref<?x!offload.record<"P", ["x", "y"],
      [i64, f64]>>
    ```
    """

    name = "offload.present_records"
    shared = opt_prop_def(UnitAttr)
    sources = var_operand_def()
    result = result_def(MemRefType)
    assembly_format = "(`shared` $shared^)? $sources attr-dict `:` functional-type($sources, $result)"

    def __init__(self, sources: Sequence[SSAValue], record: RecordType):
        super().__init__(operands=[sources], result_types=[MemRefType(record, [DYNAMIC_INDEX])])

    @property
    def record(self) -> RecordType:
        """The type of a struct."""
        return record_of(self.result, len(self.sources))

    def verify_(self) -> None:
        record_of(self.result, len(self.sources))


def record_of(array: SSAValue, members: int) -> RecordType:
    """The structs that an array is of, which have so many numbers. Raises VerifyException."""
    element = array.type.element_type if isinstance(array.type, MemRefType) else None
    if not isinstance(element, RecordType) or len(element.members) != members:
        raise VerifyException("the result is an array of records, with a number for each source")
    return element


@irdl_op_definition
class LoadMemberOp(IRDLOperation):
    """In a kernel, a number of the struct at an index of an array of structs.

    ```mlir
    %v = offload.load_member %p[%i] "y" : memref<?x!offload.record<"P", ["x", "y"], [i64, f64]>> -> f64
    ```
    """

    name = "offload.load_member"
    array = operand_def(MemRefType)
    index = operand_def(IndexType)
    member = prop_def(StringAttr)
    result = result_def()
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$array `[` $index `]` $member attr-dict `:` type($array) `->` type($result)"

    def __init__(self, array: SSAValue, index: SSAValue, member: str, type_: Attribute):
        super().__init__(operands=[array, index], properties={"member": StringAttr(member)}, result_types=[type_])

    def verify_(self) -> None:
        assert isinstance(self.array.type, MemRefType)
        record = self.array.type.element_type
        if not isinstance(record, RecordType) or self.member.data not in record.names:
            raise VerifyException(f"there is no number '{self.member.data}' in {record}")
        if record.type_of(self.member.data) != self.result.type:
            raise VerifyException(f"the number '{self.member.data}' is a {record.type_of(self.member.data)}")

"""The `offload` dialect: the host's side of one call, as a straight list of steps; and the host's code around loops.

Level 3 of the pipeline. Host arrays are `memref<?xT, "host">`, device buffers are `memref<?xT>`, what a work-group
shares in a kernel is `memref<NxT, "local">`. The runtime executes these ops in order (as `hetc.abi` steps); it
decides nothing. Sizes are computed with `arith` on `index`.

The split into marshalling (Python data <-> host array) and copying (host array <-> device buffer) is that of
Fumero et al., PPPJ 2015, section 4, where marshalling was up to 90 % of the time; keeping both visible as ops lets
passes remove either (Grossman et al., HJ-OpenCL, on redundant transfers).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TypeVar, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    SignlessIntegerConstraint,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from hetc.dialects.dyn import OBJECT, ObjectType
from hetc.dialects.guard import MARKS
from hetc.dialects.parts.offload_batches import EachBatchOp
from hetc.dialects.parts.offload_host import (
    AliasOp,
    BranchOp,
    CallOp,
    HandedOp,
    HostAnyOp,
    HostReadOp,
    HostWriteOp,
    LeaveOp,
    NewOp,
    RaiseOp,
    RegionOp,
    TransferAttr,
    VariableOp,
)
from hetc.dialects.parts.offload_records import LoadMemberOp, MarshalRecordsOp, PresentRecordsOp, RecordType

T = TypeVar("T")
INDEX = IndexType()
HOST = StringAttr("host")
LOCAL = StringAttr("local")
TAILS = ("exact", "guard", "split", "single")

STATE = MemRefType(i64, [DYNAMIC_INDEX])
"""The buffer of a heap's state."""

SCALAR = "offload.scalar"
"""An attribute of kernels and of their loops: the device's compiler is told not to vectorise it."""

UNROLL = "offload.unroll"
"""An attribute of loops of kernels: how many rounds the device's compiler is told to put together."""


def in_areas(arrays: Sequence[T], areas: Sequence[int]) -> list[Sequence[T]]:
    """The arrays of each area of a heap, of which `areas` says how many there are."""
    ends = list(accumulate(areas, initial=0))
    return [arrays[start:end] for start, end in pairwise(ends)]


def device_buffer(element: Attribute) -> MemRefType[Attribute]:
    """`memref<?xT>`."""
    return MemRefType(element, [DYNAMIC_INDEX])


def host_array(element: Attribute) -> MemRefType[Attribute]:
    """`memref<?xT, "host">`."""
    return MemRefType(element, [DYNAMIC_INDEX], memory_space=HOST)


def local_array(element: Attribute, length: int) -> MemRefType[Attribute]:
    """`memref<256xT, "local">`: what the work-items of a group share; `memref.alloca` makes it."""
    return MemRefType(element, [length], memory_space=LOCAL)


@irdl_op_definition
class MarshalOp(IRDLOperation):
    """Python data as a contiguous host array of payloads, row-major.

    `element` is the source type, which says how a number is stored. With a `stride` the host array is the memory of the
    data itself, from its first number to its last, in which numbers stand so far apart: a field of an array of structs.
    `reason` is why such data is used in place, or is not.

    With a `record`, the numbers are to stand in the records of that name, so many bytes from the beginning of each, and
    beside them those of other arrays of this length. `pack-records` puts them together. `reason` is why.

    ```mlir
    %h = offload.marshal %x : tensor<?xsi32> -> memref<?xi32, "host">
    %f = offload.marshal %y stride 6 because "each work-item reads its own" : tensor<?xf32> -> memref<?xf32, "host">
    %r = offload.marshal %z in "Page" at 8 because "read together" : tensor<?xf32> -> memref<?xf32, "host">
    ```
    """

    name = "offload.marshal"
    operand = operand_def()
    stride = opt_prop_def(IntegerAttr[I64])
    record = opt_prop_def(StringAttr)
    offset = opt_prop_def(IntegerAttr[I64])
    reason = opt_prop_def(StringAttr)
    result = result_def(MemRefType)
    traits = traits_def(Pure())
    assembly_format = (
        "$operand (`stride` $stride^)? (`in` $record^)? (`at` $offset^)? (`because` $reason^)? attr-dict "
        "`:` type($operand) `->` type($result)"
    )

    def __init__(self, operand: SSAValue, element: Attribute):
        super().__init__(operands=[operand], result_types=[host_array(element)])

    def verify_(self) -> None:
        if self.stride is not None and self.stride.value.data < 2:
            raise VerifyException("numbers that follow each other have no stride")
        if (self.record is None) != (self.offset is None):
            raise VerifyException("a number of a record has a place in it")
        if self.record is not None and self.stride is not None:
            raise VerifyException("numbers are put into records, or used where they lie")


@irdl_op_definition
class ScalarOp(IRDLOperation):
    """One number for a kernel argument.

    It is a captured scalar's "value", its "real" or "imag" part, or a sequence's "start" or "step".

    ```mlir
    %s = offload.scalar "start" of %r : !skel.sequence<!dyn.int> -> i64
    ```
    """

    name = "offload.scalar"
    part = prop_def(StringAttr)
    operand = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$part `of` $operand attr-dict `:` type($operand) `->` type($result)"

    def __init__(self, part: str, operand: SSAValue, result: Attribute):
        super().__init__(operands=[operand], properties={"part": StringAttr(part)}, result_types=[result])

    def verify_(self) -> None:
        if self.part.data not in ("value", "real", "imag", "start", "step"):
            raise VerifyException(f"unknown part '{self.part.data}', expected value, real, imag, start or step")


@irdl_op_definition
class SizeOp(IRDLOperation):
    """The length of dimension `dim` of an input or captured array.

    ```mlir
    %n = offload.size %x[0] : tensor<?xf32>
    ```
    """

    name = "offload.size"
    operand = operand_def()
    dim = prop_def(IntegerAttr[I64])
    result = result_def(IndexType)
    traits = traits_def(Pure())
    assembly_format = "$operand `[` $dim `]` attr-dict `:` type($operand)"

    def __init__(self, operand: SSAValue, dim: int):
        super().__init__(operands=[operand], properties={"dim": IntegerAttr(dim, i64)}, result_types=[INDEX])


@irdl_op_definition
class AllocOp(IRDLOperation):
    """A new device buffer of `count` elements. With `shared` it lives in host memory that the device addresses.

    ```mlir
    %b = offload.alloc %n : memref<?xf32>
    ```
    """

    name = "offload.alloc"
    count = operand_def(IndexType)
    shared = opt_prop_def(UnitAttr)
    zeroed = opt_prop_def(UnitAttr)
    result = result_def(MemRefType)
    assembly_format = "$count (`shared` $shared^)? (`zeroed` $zeroed^)? attr-dict `:` type($result)"

    def __init__(self, count: SSAValue, element: Attribute, *, zeroed: bool = False):
        super().__init__(
            operands=[count],
            properties={"zeroed": UnitAttr() if zeroed else None},
            result_types=[device_buffer(element)],
        )


@irdl_op_definition
class CopyInOp(IRDLOperation):
    """A device buffer with the contents of a host array. With `shared` the buffer is the host array itself.

    With `in_parts` it may be filled part by part, each before the same part of the launches that are so marked.

    ```mlir
    %b = offload.copy_in %h : memref<?xf32, "host"> -> memref<?xf32>
    ```
    """

    name = "offload.copy_in"
    host = operand_def(MemRefType)
    shared = opt_prop_def(UnitAttr)
    in_parts = opt_prop_def(UnitAttr)
    result = result_def(MemRefType)
    assembly_format = "$host (`shared` $shared^)? (`in_parts` $in_parts^)? attr-dict `:` type($host) `->` type($result)"

    def __init__(self, host: SSAValue, element: Attribute):
        super().__init__(operands=[host], result_types=[device_buffer(element)])


@irdl_op_definition
class PresentOp(IRDLOperation):
    """The device's copy of a portable array: its numbers are copied in if the device has no right copy of them.

    So a second call on the same array moves nothing, nor does one on the result of another. With `shared` the copy is
    the host's memory. With `saved` a copy of the copy is kept, and takes its place if the call does not go through:
    needed where a kernel writes it.

    `record`, `at` and `because` are those of `offload.marshal`, for numbers of objects.

    A portable array on host and device is Marawacc's PArray (Fumero, thesis, 2017, ch. 5); that the plan says what is
    resident, so that passes may decide by it, is ours.

    ```mlir
    %b = offload.present %x : tensor<?xf32> -> memref<?xf32>
    ```
    """

    name = "offload.present"
    array = operand_def()
    shared = opt_prop_def(UnitAttr)
    saved = opt_prop_def(UnitAttr)
    record = opt_prop_def(StringAttr)
    offset = opt_prop_def(IntegerAttr[I64])
    reason = opt_prop_def(StringAttr)
    result = result_def(MemRefType)
    assembly_format = (
        "$array (`shared` $shared^)? (`saved` $saved^)? (`in` $record^)? (`at` $offset^)? (`because` $reason^)? "
        "attr-dict `:` type($array) `->` type($result)"
    )

    def __init__(self, array: SSAValue, element: Attribute):
        super().__init__(operands=[array], result_types=[device_buffer(element)])

    def verify_(self) -> None:
        if (self.record is None) != (self.offset is None):
            raise VerifyException("a number of a record has a place in it")


@irdl_op_definition
class LaunchOp(IRDLOperation):
    """Run a kernel over `extent` work-items; launches of one plan run in order.

    `group` is the work-group size (0: the device chooses). `tail` says what is done when it does not divide the
    extent: "exact" hands the extent over as it is, "split" launches the whole groups and then the rest, "single" does,
    with the rest in groups of one, "guard" rounds up, and the kernel tests its index.

    With `box`, the launch has one dimension for each size of it, x first, and begins at `from`, which is zero if it is
    not given. It runs the points of an index space of `extent` points that lie in this box. `shape` are the sizes of a
    work-group then; without them a group is as many whole rows of the box as `group` items are, or a part of a row.

    `layouts` are other work-groups with which the kernels compute the same to the bit: of one number as `group` is, of
    more as `shape`. The runtime may measure which is the fastest.

    Launches with `in_parts` may be run part by part, in order: then the last one's kernel runs for all of `extent`. A
    part needs of the buffers with `in_parts` what is copied in of the same part, and makes what is copied out of it.

    ```mlir
    offload.launch @kernels::@saxpy over %n group 256 tail "guard" (%x, %y : memref<?xf32>, memref<?xf32>)
    offload.launch @kernels::@blur over %n box %w, %h from %one, %one group 0 tail "exact" (%x : memref<?xf32>)
    offload.launch @kernels::@f over %n group 64 tail "split" layouts [array<i64: 256>] (%x : memref<?xf32>)
    ```
    """

    name = "offload.launch"
    kernel = prop_def(SymbolRefAttr)
    extent = operand_def(IndexType)
    box = var_operand_def(IndexType)
    start = var_operand_def(IndexType)
    group = prop_def(IntegerAttr[I64])
    shape = opt_prop_def(DenseArrayBase.constr(i64))
    tail = prop_def(StringAttr)
    layouts = opt_prop_def(ArrayAttr[DenseArrayBase])
    in_parts = opt_prop_def(UnitAttr)
    arguments = var_operand_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "$kernel `over` $extent (`box` $box^)? (`from` $start^)? `group` $group (`shape` $shape^)? `tail` $tail "
        "(`layouts` $layouts^)? (`in_parts` $in_parts^)? ` ` `(` ($arguments^ `:` type($arguments))? `)` attr-dict"
    )

    def __init__(
        self,
        kernel: SymbolRefAttr,
        extent: SSAValue,
        arguments: Sequence[SSAValue],
        group: int = 0,
        tail: str = "exact",
        *,
        box: Sequence[SSAValue] = (),
        start: Sequence[SSAValue] = (),
    ):
        super().__init__(
            operands=[extent, box, start, arguments],
            properties={"kernel": kernel, "group": IntegerAttr(group, i64), "tail": StringAttr(tail)},
        )

    @property
    def kernel_name(self) -> str:
        """The name of the kernel in its module: the last part of the symbol."""
        return self.kernel.nested_references.data[-1].data

    def pass_arguments(self, arguments: Sequence[SSAValue]) -> None:
        """Give the kernel these arguments in the place of those that it had."""
        sizes = [1, len(self.box), len(self.start), len(arguments)]
        self.operands = [self.extent, *self.box, *self.start, *arguments]
        self.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, sizes)

    def verify_(self) -> None:
        if len(self.box) > 3 or len(self.start) not in (0, len(self.box)):
            raise VerifyException("a box has up to three sizes, and begins at as many indices")
        if self.tail.data not in TAILS:
            raise VerifyException(f"unknown tail '{self.tail.data}', expected one of {', '.join(TAILS)}")
        if self.group.value.data < 0:
            raise VerifyException("a work-group size is not negative")
        for layout in self.layouts or ():
            sizes = cast("DenseArrayBase[IntegerType]", layout).get_values()
            if len(sizes) not in (1, len(self.box)) or min(sizes) < 1 or self.tail.data != "split":
                raise VerifyException("a layout is a size, or one for each of the box, of a launch that is split")


@irdl_op_definition
class CheckGuardsOp(IRDLOperation):
    """Deoptimise if a kernel set any flag: Python runs the call, or what of it failed.

    With `marks`, block k of the elements (`block` of them) failed if marks[k] is set: Python runs the elements of these
    blocks, and the others keep the device's results. Without, the whole call runs in Python.

    Of the checks of kind `warning`, NumPy's warnings, each has its marks in `warned`: warned[k * n + w] for block k and
    the w-th of n such checks. For each whose flag is set, Python runs the elements of the first block that is marked.

    ```mlir
    offload.check_guards %flags marks %marks warned %warned of 256 : memref<?xi32>
    ```
    """

    name = "offload.check_guards"
    flags = operand_def(MemRefType)
    marks = opt_operand_def(MARKS)
    warned = opt_operand_def(MARKS)
    block = opt_prop_def(IntegerAttr[I64])
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = "$flags (`marks` $marks^)? (`warned` $warned^)? (`of` $block^)? attr-dict `:` type($flags)"

    def __init__(
        self,
        flags: SSAValue,
        marks: SSAValue | None = None,
        warned: SSAValue | None = None,
        block: int | None = None,
    ):
        super().__init__(
            operands=[flags, marks, warned],
            properties={"block": None if block is None else IntegerAttr(block, i64)},
        )

    def verify_(self) -> None:
        if (self.marks is None and self.warned is None) != (self.block is None):
            raise VerifyException("marks need the number of elements that each stands for")


@irdl_op_definition
class HeapOp(IRDLOperation):
    """A heap for the iterations of the launch that follows, empty: what a kernel needs of it, in the device's memory.

    `areas` says how many arrays each area has; an item of an area has a number in each. All arrays have room for the
    same number of items, how many is not the plan's to say. `state` is `hetc.abi.HeapState`, `left` has a mark for each
    of the `count` iterations: it has still to be done.

    ```mlir
    %state, %left, %a, %b = offload.heap over %n areas [2] : memref<?xi64>, memref<?xf64>
    ```
    """

    name = "offload.heap"
    count = operand_def(IndexType)
    areas = prop_def(DenseArrayBase.constr(i64))
    state = result_def(STATE)
    left = result_def(MARKS)
    buffers = var_result_def(MemRefType)
    assembly_format = "`over` $count `areas` $areas attr-dict `:` type($buffers)"

    def __init__(self, count: SSAValue, areas: Sequence[Sequence[Attribute]]):
        super().__init__(
            operands=[count],
            properties={"areas": DenseArrayBase.from_list(i64, [len(area) for area in areas])},
            result_types=[STATE, MARKS, [device_buffer(type_) for area in areas for type_ in area]],
        )

    def verify_(self) -> None:
        if sum(self.areas.get_values()) != len(self.buffers):
            raise VerifyException("the areas have as many arrays as there are buffers")


@irdl_op_definition
class DrainOp(IRDLOperation):
    """Empties a heap after the launch of a kernel before it, which is repeated until no iteration is left.

    1. Copy what the arrays of the heap hold to the host, behind what was drained before; the heap is empty again.
    2. If some iteration found the heap full, launch the kernel again, for the iterations that are marked: as many of
       them as a launch has lately brought to an end twice over, so that few fail; half as many if none did. Where one
       alone fails, the heap has to grow: with a size that the user gave, all iterations are done, and the call then
       fails with a DeviceError that says which size does.

    The results are the arrays of what was drained, for each area as many as `areas` says, all or none. What finished in
    one launch is kept, whatever happens in others; what a guard has sent to Python counts as finished.

    ```mlir
    %x, %y = offload.drain %state after @kernels::@f areas [2] : memref<?xi64, "host">, memref<?xf64, "host">
    ```
    """

    name = "offload.drain"
    state = operand_def(STATE)
    kernel = prop_def(SymbolRefAttr)
    areas = prop_def(DenseArrayBase.constr(i64))
    hosts = var_result_def(MemRefType)
    assembly_format = "$state `after` $kernel `areas` $areas attr-dict (`:` type($hosts)^)?"

    def __init__(self, state: SSAValue, kernel: SymbolRefAttr, areas: Sequence[Sequence[Attribute]]):
        super().__init__(
            operands=[state],
            properties={"kernel": kernel, "areas": DenseArrayBase.from_list(i64, [len(area) for area in areas])},
            result_types=[[host_array(type_) for area in areas for type_ in area]],
        )

    def verify_(self) -> None:
        if not isinstance(self.state.owner, HeapOp):
            raise VerifyException("what is drained is a heap's state")
        pairs = zip(self.areas.get_values(), self.state.owner.areas.get_values(), strict=False)
        if len(self.areas) != len(self.state.owner.areas) or any(mine not in (0, all_) for mine, all_ in pairs):
            raise VerifyException("of each area of the heap all arrays are drained, or none")
        if sum(self.areas.get_values()) != len(self.hosts):
            raise VerifyException("the areas have as many arrays as there are results")


@irdl_op_definition
class CopyOutOp(IRDLOperation):
    """The contents of a device buffer as a host array, after all launches before it.

    With `in_parts` they may come part by part, each after the same part of the launches that are so marked.

    ```mlir
    %h = offload.copy_out %b : memref<?xf32> -> memref<?xf32, "host">
    ```
    """

    name = "offload.copy_out"
    buffer = operand_def(MemRefType)
    shared = opt_prop_def(UnitAttr)
    in_parts = opt_prop_def(UnitAttr)
    result = result_def(MemRefType)
    assembly_format = (
        "$buffer (`shared` $shared^)? (`in_parts` $in_parts^)? attr-dict `:` type($buffer) `->` type($result)"
    )

    def __init__(self, buffer: SSAValue, element: Attribute):
        super().__init__(operands=[buffer], result_types=[host_array(element)])


@irdl_op_definition
class LastOp(IRDLOperation):
    """The last number in a device buffer, after all launches before it; 0 if the buffer is empty.

    It is the length of an array that only the device knows: the host waits for it.

    ```mlir
    %n = offload.last %ends : memref<?xi64>
    ```
    """

    name = "offload.last"
    buffer = operand_def(MemRefType)
    result = result_def(IndexType)
    assembly_format = "$buffer attr-dict `:` type($buffer)"

    def __init__(self, buffer: SSAValue):
        super().__init__(operands=[buffer], result_types=[INDEX])


@irdl_op_definition
class RequireOp(IRDLOperation):
    """Deoptimise if a size is zero: Python runs the call, whose result is another then.

    ```mlir
    offload.require %n
    ```
    """

    name = "offload.require"
    size = operand_def(IndexType)
    assembly_format = "$size attr-dict"

    def __init__(self, size: SSAValue):
        super().__init__(operands=[size])


@irdl_op_definition
class SaveOp(IRDLOperation):
    """A copy of a host array, from which it is restored if the call does not go through: a guard fails, for example.

    Needed where a kernel writes the user's own memory. The copy is not made where the host array is itself a copy.

    ```mlir
    offload.save %h : memref<?xf32, "host">
    ```
    """

    name = "offload.save"
    host = operand_def(MemRefType)
    assembly_format = "$host attr-dict `:` type($host)"

    def __init__(self, host: SSAValue):
        super().__init__(operands=[host])


@irdl_op_definition
class WriteBackOp(IRDLOperation):
    """The contents of a device buffer become those of a captured array, in place, once the guards have been checked.

    With `shared` the buffer is the host array that was marshalled, which may be the captured array's own memory.

    ```mlir
    offload.write_back %b to %a : memref<?xf32>, tensor<?xf32>
    ```
    """

    name = "offload.write_back"
    buffer = operand_def(MemRefType)
    array = operand_def()
    shared = opt_prop_def(UnitAttr)
    assembly_format = "$buffer `to` $array (`shared` $shared^)? attr-dict `:` type($buffer) `,` type($array)"

    def __init__(self, buffer: SSAValue, array: SSAValue):
        super().__init__(operands=[buffer, array])


@irdl_op_definition
class WrittenOp(IRDLOperation):
    """A portable array has been changed in its device buffer, once the guards have been checked.

    The device's copy is the right one from then on; the host and other devices get the numbers when they ask for them.
    With `asynchronous`, the host does not wait for the change; otherwise `waits` may say why it does.

    ```mlir
    offload.written %b of %a : memref<?xf32>, tensor<?xf32>
    ```
    """

    name = "offload.written"
    buffer = operand_def(MemRefType)
    array = operand_def()
    shared = opt_prop_def(UnitAttr)
    asynchronous = opt_prop_def(UnitAttr)
    waits = opt_prop_def(StringAttr)
    assembly_format = (
        "$buffer `of` $array (`shared` $shared^)? (`asynchronous` $asynchronous^)? (`waits` $waits^)? attr-dict "
        "`:` type($buffer) `,` type($array)"
    )

    def __init__(self, buffer: SSAValue, array: SSAValue):
        super().__init__(operands=[buffer, array])


@irdl_op_definition
class RetainOp(IRDLOperation):
    """The call's result as a portable array that keeps these buffers, one for each number of `element`.

    Nothing is copied out until someone looks. A buffer that another array has, or that is there twice, is copied on the
    device. For `asynchronous` and `waits` see `offload.written`.

    ```mlir
    %r = offload.retain f32 (%b : memref<?xf32>)
    ```
    """

    name = "offload.retain"
    element = prop_def()
    shared = opt_prop_def(UnitAttr)
    asynchronous = opt_prop_def(UnitAttr)
    waits = opt_prop_def(StringAttr)
    buffers = var_operand_def(MemRefType)
    result = result_def(ObjectType)
    assembly_format = (
        "$element (`shared` $shared^)? (`asynchronous` $asynchronous^)? (`waits` $waits^)? "
        "` ` `(` $buffers `:` type($buffers) `)` attr-dict"
    )

    def __init__(self, element: Attribute, buffers: Sequence[SSAValue]):
        super().__init__(operands=[buffers], properties={"element": element}, result_types=[OBJECT])


@irdl_op_definition
class UnmarshalOp(IRDLOperation):
    """The call's result as a Python object, from one host array for each number of `element`.

    `container` is "ndarray", "list", "tuple", or "array" (a portable one); with `scalar` the result is the first
    element alone. With `writes` (as `skel.writes` on the entry) the elements are tuples: the result, and attributes
    that change in the inputs' objects.

    ```mlir
    %r = offload.unmarshal "list" of f32 (%h : memref<?xf32, "host">)
    ```
    """

    name = "offload.unmarshal"
    container = prop_def(StringAttr)
    element = prop_def()
    scalar = opt_prop_def(UnitAttr)
    writes = opt_prop_def(ArrayAttr[DictionaryAttr])
    hosts = var_operand_def(MemRefType)
    result = result_def(ObjectType)
    assembly_format = (
        "$container `of` $element (`scalar` $scalar^)? (`writes` $writes^)? "
        "` ` `(` $hosts `:` type($hosts) `)` attr-dict"
    )

    def __init__(
        self,
        container: str,
        element: Attribute,
        hosts: Sequence[SSAValue],
        *,
        scalar: bool = False,
        writes: Attribute | None = None,
    ):
        super().__init__(
            operands=[hosts],
            properties={
                "container": StringAttr(container),
                "element": element,
                "scalar": UnitAttr() if scalar else None,
                "writes": writes,
            },
            result_types=[OBJECT],
        )


@irdl_op_definition
class PickOp(IRDLOperation):
    """The call's result as a Python object that holds, for each position, the element that the inputs have there.

    These are the very objects: "elements" of the one input, or "rows", tuples with an element of each input.

    ```mlir
    %r = offload.pick "list" "elements" at %h of (%x : tensor<?x!dyn.int>) : memref<?xi64, "host">
    ```
    """

    name = "offload.pick"
    container = prop_def(StringAttr)
    what = prop_def(StringAttr)
    positions = operand_def(MemRefType)
    inputs = var_operand_def()
    result = result_def(ObjectType)
    assembly_format = (
        "$container $what `at` $positions `of` ` ` `(` $inputs `:` type($inputs) `)` attr-dict `:` type($positions)"
    )

    def __init__(self, container: str, what: str, positions: SSAValue, inputs: Sequence[SSAValue]):
        super().__init__(
            operands=[positions, inputs],
            properties={"container": StringAttr(container), "what": StringAttr(what)},
            result_types=[OBJECT],
        )

    def verify_(self) -> None:
        if self.what.data not in ("elements", "rows"):
            raise VerifyException(f"unknown parts '{self.what.data}', expected elements or rows")
        if self.what.data == "elements" and len(self.inputs) != 1:
            raise VerifyException(f"elements are those of one input, not of {len(self.inputs)}")


@irdl_op_definition
class ZeroOp(IRDLOperation):
    """In a kernel, a zero that the device's compiler does not know, so that it folds nothing with it.

    It is the offset of the launch in the third dimension, in which no launch has one.

    ```mlir
    %zero = offload.zero : i32
    ```
    """

    name = "offload.zero"
    result = result_def(SignlessIntegerConstraint)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, type_: Attribute):
        super().__init__(result_types=[type_])


OFFLOAD = Dialect(
    "offload",
    [
        MarshalOp, MarshalRecordsOp, PresentRecordsOp, LoadMemberOp, ScalarOp, SizeOp, AllocOp, CopyInOp, PresentOp,
        LaunchOp, CheckGuardsOp, CopyOutOp, LastOp, RequireOp, SaveOp, WriteBackOp, WrittenOp, UnmarshalOp, RetainOp,
        PickOp, ZeroOp, HeapOp, DrainOp,
        EachBatchOp,
        VariableOp, AliasOp, NewOp, HandedOp,
        RegionOp, CallOp, HostReadOp, HostWriteOp, HostAnyOp, BranchOp, RaiseOp, LeaveOp,
    ],
    [TransferAttr, RecordType],
)  # fmt: skip

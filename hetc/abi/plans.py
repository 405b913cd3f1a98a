"""Packages: a compiled program and its plan.

A plan is a list of steps over numbered registers, in order, without branches. `hetc/dialects/offload.py` gives the
meaning of each.
"""

from __future__ import annotations

import enum
import functools
from dataclasses import field

from hetc.abi.elements import ElementType
from hetc.abi.signatures import Container
from hetc.dataclass import dataclass
from hetc.errors import SourceLocation

Register = int
"""A numbered slot of the plan's register file."""


@dataclass(frozen=True)
class Source:
    """Where a marshalled value comes from: input number `index`, or captured variable `name`; then tuple `path`.

    A negative component of the path is the tag or an alternative of a union (`TAG_PATH`, `alternative_path`).
    """

    index: int | None = None
    name: str | None = None
    path: tuple[int, ...] = ()

    def __str__(self) -> str:
        name = f"input {self.index}" if self.name is None else self.name
        return name + "".join(f"[{index}]" for index in self.path)


@dataclass(frozen=True)
class Marshal:
    """`result` = the source as a contiguous one-dimensional host array of `dtype` (row-major when it has two dims).

    With a `stride` above 1 it is the source's own memory, from its first number to its last, in which its numbers stand
    so far apart.
    """

    result: Register
    source: Source
    dtype: str
    stride: int = 1


@dataclass(frozen=True)
class Member:
    """A number of a record: its name, where it comes from, the dtype of its storage, and its place in bytes."""

    name: str
    source: Source
    dtype: str
    offset: int


@dataclass(frozen=True)
class MarshalRecords:
    """`result` = the sources, which have one length, as an array of structs of `size` bytes: a struct an element."""

    result: Register
    members: tuple[Member, ...]
    size: int

    @functools.cached_property
    def sources(self) -> tuple[Source, ...]:
        """What the members are."""
        return tuple(member.source for member in self.members)


@dataclass(frozen=True)
class Scalar:
    """`result` = one number of the source, as `dtype`: a part of its value, or for a sequence its "start" or "step"."""

    result: Register
    source: Source
    dtype: str
    part: str = "value"  # "value", "real", "imag", "start", "step"


@dataclass(frozen=True)
class Size:
    """`result` = the length of dimension `dim` of the source."""

    result: Register
    source: Source
    dim: int = 0


@dataclass(frozen=True)
class Constant:
    """`result` = an integer known at compile time."""

    result: Register
    value: int


@dataclass(frozen=True)
class Compute:
    """`result` = `left op right` on sizes; `op` is "add", "sub", "mul", "min", "max", "div" or "ceildiv"."""

    result: Register
    op: str
    left: Register
    right: Register


@dataclass(frozen=True)
class Alloc:
    """`result` = a new device buffer of `count` elements of `dtype`.

    With `shared`, it lives in host memory that the device addresses, so that `CopyOut` costs nothing.
    """

    result: Register
    dtype: str
    count: Register
    shared: bool = False
    zeroed: bool = False


@dataclass(frozen=True)
class CopyIn:
    """`result` = a device buffer with the contents of host array `host`.

    With `shared`, the buffer *is* the host array. With `in_parts`, it may be filled part by part: see `Launch`.
    """

    result: Register
    host: Register
    shared: bool = False
    in_parts: bool = False


@dataclass(frozen=True)
class Present:
    """`result` = the device's copy of the source, a portable array: copied in if the device has no right one.

    With `shared`, the copy *is* the host's memory. With `saved`, a copy of the copy is kept, and takes its place if the
    plan does not go through to its end.
    """

    result: Register
    source: Source
    dtype: str
    shared: bool = False
    saved: bool = False


@dataclass(frozen=True)
class PresentRecords:
    """`result` = the device's copy of numbers of a portable array of objects, as structs of `size` bytes.

    They are copied in if the device has none. With `shared`, the copy *is* the host's memory.
    """

    result: Register
    members: tuple[Member, ...]
    size: int
    shared: bool = False

    @property
    def source(self) -> Source:
        """The array, or rather a number of its objects."""
        return self.members[0].source


@dataclass(frozen=True)
class Launch:
    """Run `kernel` over `extent` work-items.

    `group` is the work-group size (0: the device's choice). `tail` says what happens when the group size does not
    divide the extent: "guard" rounds the launch up (the kernel tests its index itself), "split" launches the whole
    groups and then the rest with an offset, "single" the rest in groups of one, "exact" hands the extent to the device
    as it is.

    With a `box`, the launch has a dimension for each of its sizes, x first, from `start` on (zero without); `shape` are
    the sizes of a group, without which it is as many whole rows as `group` items are, or a part of a row.

    `layouts` are other groups that give the same: of one number as `group`, of more as `shape`, which may be cut off at
    the ends of the box. Which is the fastest may be measured.

    The launches of a plan with `in_parts` may be run for one part of the indices after the other, in order: then the
    last one's kernel runs for all of `extent`. A part needs, of the buffers with `in_parts`, what is copied in of the
    same part, and makes what is copied out of it.
    """

    kernel: str
    extent: Register
    arguments: tuple[Register, ...]
    group: int = 0
    tail: str = "exact"
    box: tuple[Register, ...] = ()
    start: tuple[Register, ...] = ()
    shape: tuple[int, ...] = ()
    in_parts: bool = False
    layouts: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class CopyOut:
    """`result` = the contents of device buffer `buffer` as a host array, once all launches before it have finished.

    With `in_parts`, it may be filled part by part: see `Launch`.
    """

    result: Register
    buffer: Register
    shared: bool = False
    in_parts: bool = False


@dataclass(frozen=True)
class Last:
    """`result` = the last number in device buffer `buffer`, once all launches before are done; 0 if it is empty."""

    result: Register
    buffer: Register


@dataclass(frozen=True)
class Require:
    """Deoptimise if a size is zero."""

    size: Register


@dataclass(frozen=True)
class CheckGuards:
    """Deoptimise if any element of `flags` (an int32 device buffer) is not zero.

    With `marks` (an int8 device buffer), only the elements of the blocks whose mark is not zero are wrong, each block
    of `block` elements; the plan's result holds the others. Without, the whole call is.

    The flag of a site of kind "warning" alone tells of nothing wrong, but Python is to run what warns: for each such
    site, the first block marked in `warned` (an int8 device buffer), which holds one mark a site for each block.
    Without it there is one such site, and it is not known what warns.
    """

    flags: Register
    marks: Register | None = None
    warned: Register | None = None
    block: int | None = None


@dataclass(frozen=True)
class Save:
    """Keep a copy of host array `host`, and restore it if the plan does not go through to its end.

    Only where that array is the memory of the source that it was marshalled from.
    """

    host: Register


@dataclass(frozen=True)
class WriteBack:
    """The contents of device buffer `buffer` become those of the source, an array, in place.

    All launches before it have finished and their guards are checked by then. With `shared`, the buffer is the host
    array that was marshalled from the source.
    """

    buffer: Register
    source: Source
    shared: bool = False


@dataclass(frozen=True)
class Written:
    """Kernels have changed the source, a portable array, in device buffer `buffer`: no other copy is right any more.

    All launches before it have finished and their guards are checked by then. With `shared`, the buffer is the array's
    memory on the host. With `asynchronous`, the launches are on their way; otherwise `waits` says why the host waits.
    """

    buffer: Register
    source: Source
    shared: bool = False
    asynchronous: bool = False
    waits: str = ""


@dataclass(frozen=True)
class FieldWrite:
    """Attribute `name` of the objects of input number `index` is assigned."""

    index: int
    name: str


@dataclass(frozen=True)
class Unmarshal:
    """The call's result, put together from host arrays, one for each leaf of `element`, left to right.

    With `scalar`, the result is the first element alone (a reduction). Python element types come back as Python
    numbers in lists and tuples, and as the matching NumPy dtype in arrays. With `writes` the elements are tuples: the
    result, and for each write the attribute's value and whether this object gets it. No guard has failed by then.
    """

    hosts: tuple[Register, ...]
    element: ElementType
    container: Container
    scalar: bool = False
    writes: tuple[FieldWrite, ...] = ()


@dataclass(frozen=True)
class Retain:
    """The call's result as a portable array, whose numbers stay in these buffers, one for each leaf of `element`.

    With `shared`, a buffer that the plan has allocated is host memory, which the array has for its own. For
    `asynchronous` and `waits` see `Written`.
    """

    buffers: tuple[Register, ...]
    element: ElementType
    shared: bool = False
    asynchronous: bool = False
    waits: str = ""


@dataclass(frozen=True)
class Pick:
    """The call's result: for each number in host array `positions`, what the inputs have there.

    These are the elements of the one input, or with `rows` tuples of an element of each; the very objects.
    """

    positions: Register
    container: Container
    rows: bool = False


@dataclass(frozen=True)
class Heap:
    """`state`, `left` and `buffers` = a heap for the iterations of one launch, empty, all iterations to be done.

    `areas` are the dtypes of its arrays, area by area; all arrays have room for the same number of items. `state` is an
    int64 buffer: see `HeapState`. `left` has an int8 mark for each of the `count` iterations. How large the heap is,
    is the caller's choice, or the runtime's.
    """

    state: Register
    left: Register
    buffers: tuple[tuple[Register, ...], ...]
    areas: tuple[tuple[str, ...], ...]
    count: Register


class HeapState(enum.IntEnum):
    """What each number of a heap's state says. An area has a top and a base, from `AREAS` on.

    `FULL` is set where room was asked for in vain; the iteration has marked itself in `left`. `AGAIN` says that only
    iterations that are marked run, `UNTIL` that only those below it do. A list that begins at b in an area begins at
    base + b in all that is drained of it.
    """

    FULL = 0
    CAPACITY = 1
    UNTIL = 2
    AGAIN = 3
    AREAS = 4


@dataclass(frozen=True)
class Drain:
    """The launch of `kernel` before it is repeated until no iteration is left, and the heap drained after each launch.

    `results` = host arrays of all that was drained of each array of an area, none for an area that nobody looks at.
    """

    state: Register
    kernel: str
    results: tuple[tuple[Register, ...], ...]


@dataclass(frozen=True)
class EachBatch:
    """The steps before it are done once, for the captured variables; those after it for each batch of the elements.

    In these, the inputs are a part of what they were, and `Unmarshal` and `Pick` take what the batches have made put
    together, in order; a `scalar` result is that of the last batch. The captured variables `carried` are what the batch
    before has come to, one for each leaf of its result, or of the last element of that.
    """

    carried: tuple[str, ...] = ()


Step = (
    Marshal | MarshalRecords | Scalar | Size | Constant | Compute | Alloc | CopyIn | Present | PresentRecords | Launch
    | CopyOut | Last | Require | CheckGuards | Save | WriteBack | Written | Unmarshal | Retain | Pick | Heap | Drain
    | EachBatch
)  # fmt: skip


@dataclass(frozen=True)
class KernelParameter:
    """One parameter of a kernel: a "buffer" of `dtype` elements or a "scalar" of that dtype."""

    kind: str
    dtype: str
    name: str


@dataclass(frozen=True)
class Kernel:
    """A kernel's entry point in the program text, and the parameters it takes, in order."""

    name: str
    parameters: tuple[KernelParameter, ...]


WARNING = "warning"
"""The kind of the checks of what NumPy warns of."""


@dataclass(frozen=True)
class GuardSite:
    """A check that is left in a kernel: its slot in the flag buffer, why it is there, and the user's line.

    A check of kind "warning" is of what NumPy warns of; all others find that the device's result is not Python's.
    """

    slot: int
    kind: str
    reason: str
    location: SourceLocation | None = None


@dataclass(frozen=True)
class Package:
    """A compiled call: OpenCL C text, its kernels, and the plan that runs them.

    `registers` is the size of the plan's register file. `distinct` are the names of captured arrays in which no two
    elements may be the same: it is for the caller to look before each run.
    """

    source: str
    kernels: tuple[Kernel, ...]
    steps: tuple[Step, ...]
    registers: int
    guards: tuple[GuardSite, ...] = ()
    build_options: tuple[str, ...] = ()
    distinct: tuple[str, ...] = ()
    pass_seconds: tuple[tuple[str, float], ...] = field(default=(), compare=False)

    @functools.cached_property
    def written(self) -> tuple[str, ...]:
        """The captured arrays that the plan changes."""
        stores = (step.source.name for step in self.steps if isinstance(step, WriteBack | Written))
        return tuple(name for name in stores if name is not None)

    @functools.cached_property
    def read(self) -> tuple[Source, ...]:
        """What the plan marshals, arrays and numbers."""
        return tuple(
            source
            for step in self.steps
            if isinstance(step, Marshal | MarshalRecords | Scalar)
            for source in (step.sources if isinstance(step, MarshalRecords) else (step.source,))
        )

    @functools.cached_property
    def each_batch(self) -> int | None:
        """The place of the step that parts what is done for each batch from what is done once, if there is one."""
        return next((place for place, step in enumerate(self.steps) if isinstance(step, EachBatch)), None)

    @functools.cached_property
    def writes(self) -> tuple[FieldWrite, ...]:
        """The attributes of the user's objects that the plan assigns."""
        return tuple(write for step in self.steps if isinstance(step, Unmarshal) for write in step.writes)

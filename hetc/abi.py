"""What crosses between the compiler and the runtime: element types, call signatures, device traits, packages.

A leaf beside `hetc.errors`: it imports neither xDSL nor pyopencl, so that a call whose kernel is already compiled
touches neither the compiler nor, when it runs in Python, the device.

* A `Signature` says what a call looks like (the compiler's input, and the cache's key).
* `DeviceTraits` says what the passes may know about a device.
* A `Package` is what the compiler returns: one OpenCL program and the host *plan* that runs it. A plan is a list of
  `Step`s over numbered registers, in order, without branches. `hetc/dialects/offload.py` gives the meaning of each.
"""

from __future__ import annotations

import enum
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from hetc.diagnostics import Category
from hetc.errors import SourceLocation

# --------------------------------------------------------------------------------------------------------------------
# Element types
# --------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ScalarType:
    """A source type of one element: a Python number or a NumPy scalar.

    `name` is what `hetc-opt --args` and messages use; `dtype` is the NumPy dtype of its storage on the device;
    `python` tells Python's `int`, `float`, `complex` and `bool` (weak in promotion, guarded for overflow) from NumPy's
    scalars.
    """

    name: str
    dtype: str
    python: bool = False

    def __str__(self) -> str:
        return self.name


SCALAR_TYPES: dict[str, ScalarType] = {
    t.name: t
    for t in (
        ScalarType("int", "int64", python=True),
        ScalarType("float", "float64", python=True),
        ScalarType("bool", "bool", python=True),
        ScalarType("complex", "complex128", python=True),
        ScalarType("b1", "bool"),
        ScalarType("i8", "int8"),
        ScalarType("i16", "int16"),
        ScalarType("i32", "int32"),
        ScalarType("i64", "int64"),
        ScalarType("u8", "uint8"),
        ScalarType("u16", "uint16"),
        ScalarType("u32", "uint32"),
        ScalarType("u64", "uint64"),
        ScalarType("f16", "float16"),
        ScalarType("f32", "float32"),
        ScalarType("f64", "float64"),
        ScalarType("c64", "complex64"),
        ScalarType("c128", "complex128"),
    )
}
"""Every element type that hetc compiles, by name."""

NUMPY_SCALARS: dict[str, ScalarType] = {t.dtype: t for t in SCALAR_TYPES.values() if not t.python}
"""NumPy dtype name -> element type."""


@dataclass(frozen=True)
class TupleType:
    """The type of a tuple element: one `ElementType` a component."""

    items: tuple[ElementType, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True)
class NoneType:
    """The type of `None`, of which nothing needs to be stored."""

    def __str__(self) -> str:
        return "none"


@dataclass(frozen=True)
class UnionType:
    """The type of elements that are of different types: `items`, in the order of their tags."""

    items: tuple[ElementType, ...]

    def __str__(self) -> str:
        return " | ".join(map(str, self.items))


@dataclass(frozen=True)
class ObjectType:
    """The type of objects of one class: `items` are the types of their fields `names`, as far as they matter.

    `symbol` is the class's name in the module; a class that makes results is among the captured values by that name.
    """

    symbol: str
    names: tuple[str, ...]
    items: tuple[ElementType, ...]

    def __str__(self) -> str:
        fields = ", ".join(f"{name}: {item}" for name, item in zip(self.names, self.items, strict=True))
        return f"{self.symbol}({fields})"


RECORD = "np.void"
"""The symbol of an `ObjectType` that is an element of a structured array. No class of a program has it."""


@dataclass(frozen=True)
class ListType:
    """The type of a result that is a list of any length, of items that are all of one type."""

    item: ElementType

    def __str__(self) -> str:
        return f"list[{self.item}]"


ElementType = ScalarType | TupleType | NoneType | UnionType | ObjectType | ListType

TAG = SCALAR_TYPES["i8"]
"""How the tag of a union is stored: the number that `tag_of` gives the type of the element."""

MAX_ALTERNATIVES = 6
"""A value of more types is left to Python."""

CLASSES = 128
"""As many classes have tags, all below zero: a number made of the class's name."""
_FIRST_TUPLE_TAG = 64
MAX_TAGGED_WIDTH = 63
"""The longest tuple that may be one of several types."""


def tag_of(element: ElementType) -> int:
    """The tag of an alternative. Tuples of one length have one tag: they are joined item by item.

    >>> tag_of(NoneType()), tag_of(SCALAR_TYPES["int"])
    (0, 1)
    """
    match element:
        case ScalarType(name):
            return 1 + list(SCALAR_TYPES).index(name)
        case TupleType(items):
            return _FIRST_TUPLE_TAG + len(items)
        case NoneType():
            return 0
        case ObjectType(symbol):
            return class_tag(symbol)
        case UnionType() | ListType():
            raise ValueError(f"{element} is no alternative of a union")


def class_tag(symbol: str) -> int:
    """The tag of objects of a class. Whoever names the classes of a program sees to it that their tags differ."""
    return -1 - zlib.crc32(symbol.encode()) % CLASSES


TAG_PATH = -1
"""The component of a `Source.path` that is the tag of a union."""


def alternative_path(element: ElementType) -> int:
    """The component of a `Source.path` that is an alternative of a union; where it is another, a zero.

    >>> alternative_path(SCALAR_TYPES["int"])
    -3
    """
    return alternative_path_of_tag(tag_of(element))


def alternative_path_of_tag(tag: int) -> int:
    """The same for the alternative with a tag."""
    return -2 - tag % 256


def leaves(element: ElementType) -> tuple[ScalarType, ...]:
    """The scalars that an element type is stored as, left to right; a union as its tag and all its alternatives.

    A list is stored as where its items begin and how many there are; and what an item is stored as, for all items.

    >>> [t.name for t in leaves(TupleType((SCALAR_TYPES["f32"], TupleType((SCALAR_TYPES["int"],)))))]
    ['f32', 'int']
    """
    match element:
        case ScalarType():
            return (element,)
        case NoneType():
            return ()
        case TupleType(items) | ObjectType(items=items):
            return tuple(leaf for item in items for leaf in leaves(item))
        case UnionType(items):
            return (TAG, *(leaf for item in items for leaf in leaves(item)))
        case ListType(item):
            return (SCALAR_TYPES["i64"], SCALAR_TYPES["i64"], *leaves(item))


def leaf_at(element: ElementType, path: tuple[int, ...]) -> ScalarType:
    """The scalar that an element type has at a path, which is that of a `Source`.

    >>> leaf_at(TupleType((SCALAR_TYPES["f32"], TupleType((SCALAR_TYPES["int"],)))), (1, 0)).name
    'int'
    """
    match element:
        case ScalarType():
            return element
        case TupleType(items) | ObjectType(items=items):
            return leaf_at(items[path[0]], path[1:])
        case UnionType(items):
            if path[0] == TAG_PATH:
                return TAG
            return leaf_at(next(item for item in items if alternative_path(item) == path[0]), path[1:])
        case NoneType() | ListType():
            raise ValueError(f"{element} has no number at a path")


def only_numbers(element: ElementType) -> bool:
    """Whether an element is a number or tuples of numbers, so that arrays of numbers are all there is to store."""
    match element:
        case TupleType(items):
            return all(map(only_numbers, items))
        case _:
            return isinstance(element, ScalarType)


# --------------------------------------------------------------------------------------------------------------------
# Signatures: what a call looks like
# --------------------------------------------------------------------------------------------------------------------

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1


@dataclass(frozen=True)
class Bounds:
    """A closed interval that integer data is known to lie in, rounded out to one of a few sizes.

    Rounding keeps the number of specialisations small: only the question "is it positive, non-negative, 32 bits wide"
    is asked, which is what removing overflow, bounds and zero-division guards needs.
    """

    low: int = -(INT64_MAX + 1)
    high: int = INT64_MAX

    @staticmethod
    def around(low: int, high: int) -> Bounds:
        """The smallest standard interval that holds `[low, high]`, both within 64 bits.

        >>> Bounds.around(3, 1000)
        Bounds(low=1, high=2147483647)
        """
        rounded_low = next(b for b in (1, 0, -(INT32_MAX + 1), -(INT64_MAX + 1)) if low >= b)
        return Bounds(rounded_low, INT32_MAX if high <= INT32_MAX else INT64_MAX)


class Container(enum.Enum):
    """The Python container that a call's result comes back in."""

    NDARRAY = "ndarray"
    MASKED = "masked"
    LIST = "list"
    TUPLE = "tuple"
    ARRAY = "array"


class InputKind(enum.Enum):
    """How an input or captured variable reaches the device."""

    ARRAY = "array"  # elements in memory
    SEQUENCE = "sequence"  # start + step * index, computed where it is needed
    SCALAR = "scalar"  # one value (captured variables only)


@dataclass(frozen=True)
class ValueType:
    """The type of one input or captured variable, with the facts that marshalling can vouch for.

    `rank` is 1 for inputs and may be 2 for captured arrays, 0 for scalars. `bounds` holds for every integer element.
    `dims` names each dimension: equal numbers mean equal lengths at this call, over all values of one signature.
    `equals_dim` says that a captured integer equals that dimension, `value` that it has this very value. `below` are
    dimensions and constants c: each integer is at most the length of that dimension plus c. `unit_step` says that the
    integers of a sequence follow each other, `constant` that its numbers are all the same. `resident` says that it is a
    portable array, which may be on the device.
    """

    kind: InputKind
    element: ElementType
    rank: int = 1
    bounds: Bounds | None = None
    dims: tuple[int, ...] = ()
    equals_dim: int | None = None
    value: int | None = None
    below: tuple[tuple[int, int], ...] = ()
    unit_step: bool = False
    constant: bool = False
    resident: bool = False


@dataclass(frozen=True)
class Refused:
    """A captured variable whose value is not compiled; reading it is left to Python."""

    reason: str
    hint: str | None = None
    category: Category = Category.CAPTURED


@dataclass(frozen=True)
class Signature:
    """What the compiler may assume about a call: the types of its inputs and where its result goes.

    `wide` says that some dimension has 2**31 elements or more; `empty` lists the dimensions that have none.
    """

    inputs: tuple[ValueType, ...]
    container: Container = Container.NDARRAY
    wide: bool = False
    empty: tuple[int, ...] = ()


# --------------------------------------------------------------------------------------------------------------------
# Devices
# --------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DeviceTraits:
    """The facts about a device that passes may decide by. It is part of every cache key.

    `family` is "intel-cpu", "pocl", "gpu" or "cpu": the row of the driver's per-device table. `strict_division` says
    that single-precision division and square root can be correctly rounded.
    """

    family: str = "cpu"
    shared_memory: bool = True
    fp64: bool = True
    int64_atomics: bool = True
    compute_units: int = 1
    max_group_size: int = 256
    strict_division: bool = True


# --------------------------------------------------------------------------------------------------------------------
# Packages: a compiled program and its plan
# --------------------------------------------------------------------------------------------------------------------

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


@dataclass(frozen=True)
class Marshal:
    """`result` = the source as a contiguous one-dimensional host array of `dtype` (row-major when it has two dims)."""

    result: Register
    source: Source
    dtype: str


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

    With `shared`, the buffer *is* the host array.
    """

    result: Register
    host: Register
    shared: bool = False


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
class Launch:
    """Run `kernel` over `extent` work-items.

    `group` is the work-group size (0: the device's choice). `tail` says what happens when the group size does not
    divide the extent: "guard" rounds the launch up (the kernel tests its index itself), "split" launches the whole
    groups and then the rest with an offset, "exact" hands the extent to the device as it is.
    """

    kernel: str
    extent: Register
    arguments: tuple[Register, ...]
    group: int = 0
    tail: str = "exact"


@dataclass(frozen=True)
class CopyOut:
    """`result` = the contents of device buffer `buffer` as a host array, once all launches before it have finished."""

    result: Register
    buffer: Register
    shared: bool = False


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
    memory on the host.
    """

    buffer: Register
    source: Source
    shared: bool = False


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

    With `shared`, a buffer that the plan has allocated is host memory, which the array has for its own.
    """

    buffers: tuple[Register, ...]
    element: ElementType
    shared: bool = False


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


Step = (
    Marshal | Scalar | Size | Constant | Compute | Alloc | CopyIn | Present | Launch | CopyOut | Last | Require
    | CheckGuards | Save | WriteBack | Written | Unmarshal | Retain | Pick | Heap | Drain
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

    @property
    def written(self) -> tuple[str, ...]:
        """The captured arrays that the plan changes."""
        stores = (step.source.name for step in self.steps if isinstance(step, WriteBack | Written))
        return tuple(name for name in stores if name is not None)

    @property
    def writes(self) -> tuple[FieldWrite, ...]:
        """The attributes of the user's objects that the plan assigns."""
        return tuple(write for step in self.steps if isinstance(step, Unmarshal) for write in step.writes)


# ---------------------------------------------------------------------------------------------------------------------
# The host's code around parallel loops
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HostAccess:
    """What is done before the host's statement at a line and column, for the arrays that variables are bound to.

    Those in `fetched` are brought up to date on the host; of those in `dropped`, devices' copies are used no more.
    `everything` does both, for all arrays.
    """

    fetched: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    everything: bool = False


@dataclass(frozen=True)
class RegionArrays:
    """The variables whose arrays stay on the device after a parallel loop.

    Those `overwritten` are stored to as a whole and not read, those `written` otherwise. Arrays of those `seen` may be
    held by anyone, others by the caller or by nobody but the function. The arrays that a variable in `alone` has been
    bound to before are nobody's.
    """

    kept: tuple[str, ...]
    written: tuple[str, ...] = ()
    overwritten: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()


@dataclass(frozen=True)
class Transfer:
    """One decision about a copy, for the reader: of which array, in which line, what is done and why."""

    line: int
    place: str
    array: str
    way: str
    decision: str
    why: str


@dataclass(frozen=True)
class HostPlan:
    """Where the arrays of a function with parallel loops are copied: before its statements, and at its loops."""

    accesses: Mapping[tuple[int, int], HostAccess]
    regions: Mapping[int, RegionArrays]
    transfers: tuple[Transfer, ...] = ()

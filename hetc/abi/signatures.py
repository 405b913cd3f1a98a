"""Signatures: what a call looks like, and what the passes may know of the device that it is for."""

from __future__ import annotations

import enum
from dataclasses import field

from hetc.abi.elements import ElementType
from hetc.dataclass import dataclass
from hetc.diagnostics import Category

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1
LONGEST = 2**30
"""The most elements along a dimension, but in wide signatures: sums of two indices fit 32 bits, products of sums 64."""


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


POSITIVE = 2.0**-64
"""What a captured float that is said to be positive is at least: its cube is no zero, in single precision either."""


class Container(enum.Enum):
    """The Python container that a call's result comes back in."""

    NDARRAY = "ndarray"
    MASKED = "masked"
    LIST = "list"
    TUPLE = "tuple"
    ARRAY = "array"
    KEPT = "kept"  # portable arrays, of objects too


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
    `equals_dim` says that a captured integer equals that dimension, `value` that it has this very value, `positive`
    that a captured float is at least `POSITIVE`. `below` are dimensions and constants c: each integer is at most the
    length of that dimension plus c. `unit_step` says that the integers of a sequence follow each other, `constant` that
    its numbers are all the same. `resident` says that it is a portable array, which may be on the device. `strides`
    says for each number of an element of an array whether those of all elements can be used where they lie, and how far
    apart they are then, counted in numbers; 0 if they cannot. `objects` names the objects that a captured array is a
    field of: those of one name have one length. `layout` is that of a portable array of objects: "soa", "aos" or
    "auto".
    """

    kind: InputKind
    element: ElementType
    rank: int = 1
    bounds: Bounds | None = None
    dims: tuple[int, ...] = ()
    equals_dim: int | None = None
    value: int | None = None
    positive: bool = False
    below: tuple[tuple[int, int], ...] = ()
    unit_step: bool = False
    constant: bool = False
    resident: bool = False
    strides: tuple[int, ...] = ()
    objects: str = ""
    layout: str = ""


@dataclass(frozen=True)
class Refused:
    """A captured variable whose value is not compiled; reading it is left to Python."""

    reason: str
    hint: str | None = None
    category: Category = Category.CAPTURED


@dataclass(frozen=True)
class Grid:
    """A captured array whose points a stencil visits; `fill` stands beyond its ends, if its boundary is constant.

    `spelled` is the fill as text, by which signatures are compared: a NaN is not equal to itself.
    """

    name: str
    fill: object = field(default=None, compare=False)
    spelled: str = ""


@dataclass(frozen=True)
class Batches:
    """That the elements of a call come in batches: dimension 0 is the length of one, which no captured array has.

    `carried` are the captured variables that hold what the batch before has come to; `numbered` says that the last
    input numbers the elements of all batches, for the stages that number them. Of the captured arrays `divided` a batch
    has only some rows.
    """

    carried: tuple[str, ...] = ()
    numbered: bool = False
    divided: tuple[str, ...] = ()


@dataclass(frozen=True)
class Signature:
    """What the compiler may assume about a call: the types of its inputs and where its result goes.

    `wide` says that some dimension is longer than LONGEST, or an array has 2**31 elements or more; `empty` lists the
    dimensions that have none.
    `grids` are what the windows of a stencil look at.
    `layout` is the one that the caller asks for, in structured arrays and of objects: "aos" or "soa". `batches` is None
    if all elements are there at once.
    """

    inputs: tuple[ValueType, ...]
    container: Container = Container.NDARRAY
    wide: bool = False
    empty: tuple[int, ...] = ()
    grids: tuple[Grid, ...] = ()
    layout: str | None = None
    batches: Batches | None = None


@dataclass(frozen=True)
class DeviceTraits:
    """The facts about a device that passes may decide by. It is part of every cache key.

    `family` is "intel-cpu", "pocl", "gpu" or "cpu": the row of the driver's per-device table. `strict_division` says
    that single-precision division and square root can be correctly rounded. `local_memory` is that of a work-group, in
    bytes.
    """

    family: str = "cpu"
    shared_memory: bool = True
    fp64: bool = True
    int64_atomics: bool = True
    compute_units: int = 1
    max_group_size: int = 256
    strict_division: bool = True
    local_memory: int = 1 << 15

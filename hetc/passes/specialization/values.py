"""The abstract values of specialisation: what a `!dyn.object` turns out to be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from xdsl.dialects.builtin import TensorType, TupleType
from xdsl.ir import Attribute, SSAValue

from hetc.abi import Bounds
from hetc.analysis.source_types import leaf_types, spelling
from hetc.dataclass import dataclass
from hetc.dialects import dyn, heap, obj, skel
from hetc.passes.semantics.emitter import Number


class Abstract:
    """A value that is not on the device: what can be done with it is known, and its parts are on the device."""

    noun: ClassVar[str] = "this value"


@dataclass(frozen=True)
class Captured(Abstract):
    """A captured array, known by its declaration; it is read where it is indexed."""

    declaration: skel.CaptureOp
    noun: ClassVar[str] = "an array"

    @property
    def type(self) -> TensorType[Attribute]:
        """The tensor type of the array."""
        assert isinstance(self.declaration.type, TensorType)
        return self.declaration.type


@dataclass(frozen=True)
class Axis:
    """A slice of one dimension of an array: item k is at `start + k * step`."""

    start: SSAValue
    step: SSAValue
    length: SSAValue


@dataclass(frozen=True)
class View(Abstract):
    """A part of a captured array: for each of its dimensions an index, a slice, or None for all of it.

    `order` are the dimensions that are left, as the view has them: `a.T` has them reversed.
    """

    array: Captured
    axes: tuple[SSAValue | Axis | None, ...]
    order: tuple[int, ...]
    noun: ClassVar[str] = "an array"


@dataclass(frozen=True)
class RangeValue(Abstract):
    """A Python `range`."""

    start: Number
    stop: Number
    step: Number
    noun: ClassVar[str] = "a range"


@dataclass(frozen=True)
class Iterator(Abstract):
    """A Python iterator that is used at once: "zip", "enumerate" or "reversed" of some iterables."""

    kind: str
    parts: tuple[Value, ...]
    start: Number | None = None
    noun: ClassVar[str] = "an iterator"


@dataclass(frozen=True)
class Items(Abstract):
    """A tuple or list of which some item is not on the device."""

    items: tuple[Value, ...]
    is_list: bool = False
    noun: ClassVar[str] = "a tuple or list with an array or function in it"


@dataclass(frozen=True)
class SliceValue(Abstract):
    """A Python `slice`; missing parts are None."""

    start: Number | None
    stop: Number | None
    step: Number | None
    noun: ClassVar[str] = "a slice"


@dataclass(frozen=True, eq=False)
class FunctionValue(Abstract):
    """A function: one of the module, one that hetc knows by name, or a nested one with the values around it."""

    function: str | dyn.LambdaOp
    known: bool = False
    around: Mapping[SSAValue, Value] | None = None
    noun: ClassVar[str] = "a function"


@dataclass(frozen=True)
class ObjectSequence(Abstract):
    """A captured list of objects: for each field the sequence of its values."""

    cls: str
    names: tuple[str, ...]
    parts: tuple[Value, ...]
    noun: ClassVar[str] = "a list of objects"

    def part(self, name: str) -> Value | None:
        """The sequence of the values of a field."""
        return self.parts[self.names.index(name)] if name in self.names else None


@dataclass(frozen=True)
class MixedSequence(Abstract):
    """A captured list of objects of several classes: a list for each class, and tags that say which of them counts."""

    tags: Value
    classes: tuple[ObjectSequence, ...]
    has_none: bool
    noun: ClassVar[str] = "a list of objects of several classes"


@dataclass(frozen=True)
class References(Abstract):
    """A list of references to the objects in the table of a class; with `whole`, to all of them in order."""

    cls: str
    places: Value
    has_none: bool
    whole: bool
    noun: ClassVar[str] = "a list of objects"


@dataclass(frozen=True)
class Reference(Abstract):
    """An object of a captured list, which a loop may change: it is read where its fields are."""

    sequence: ObjectSequence
    position: SSAValue
    noun: ClassVar[str] = "an object whose attributes are assigned"


@dataclass(frozen=True)
class Unbound:
    """No value: a variable that is not assigned on this path. An empty name: a value that nobody reads."""

    variable: str


@dataclass(frozen=True)
class MaybeUnbound:
    """A value that is only there on some paths; using it is refused, since Python may raise UnboundLocalError."""

    value: SSAValue
    variable: str


Value = SSAValue | Abstract | Unbound | MaybeUnbound
"""A value in the interpretation. An `SSAValue` is boxed, a tuple, a list, or an `i1` that control flow tests."""


@dataclass(frozen=True)
class Array:
    """An array between skeletons: one SSA value for each number of its element type (struct of arrays)."""

    leaves: tuple[SSAValue, ...]
    element: Attribute
    bounds: Bounds | None = None
    below: tuple[tuple[int, int], ...] = ()


def element_of(boxed: Attribute) -> Attribute:
    """The source type of an element: `boxed<T>` -> `T`, item by item for tuples and unions."""
    match boxed:
        case TupleType():
            return obj.tuple_type(element_of(item) for item in boxed.types.data)
        case obj.ListType():
            return obj.ListType(element_of(item) for item in boxed.types)
        case obj.UnionType():
            return obj.UnionType(element_of(item) for item in boxed.alternatives)
        case obj.ObjectType():
            return boxed.of([element_of(item) for item in boxed.types])
        case dyn.NoneType() | heap.ListType():
            return boxed
        case _:
            assert isinstance(boxed, obj.BoxedType)
            return boxed.source


def boxed_of(element: Attribute) -> Attribute:
    """The inverse of `element_of`."""
    match element:
        case TupleType():
            return obj.tuple_type(boxed_of(item) for item in element.types.data)
        case obj.ListType():
            return obj.ListType(boxed_of(item) for item in element.types)
        case obj.UnionType():
            return obj.UnionType(boxed_of(item) for item in element.alternatives)
        case obj.ObjectType():
            return element.of([boxed_of(item) for item in element.types])
        case dyn.NoneType() | heap.ListType():
            return element
        case _:
            return obj.BoxedType(element)


def payloads_of(element: Attribute) -> list[Attribute]:
    """The payload types of the numbers in an element."""
    return [obj.payload(leaf) for leaf in leaf_types(element)]


def describe(type_: Attribute) -> str:
    """How a message names the type of a boxed value or tuple."""
    described = obj.BoxedType | TupleType | obj.ListType | obj.UnionType | obj.ObjectType | dyn.NoneType | heap.ListType
    if isinstance(type_, described):
        return spelling(element_of(type_))
    return str(type_)

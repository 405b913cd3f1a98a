"""The abstract values of specialisation: what a `!dyn.object` turns out to be."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType, TupleType
from xdsl.ir import Attribute, SSAValue

from hetc.abi import Bounds
from hetc.analysis.source_types import leaf_types, spelling
from hetc.dialects import dyn, obj, skel


@dataclass(frozen=True)
class Captured:
    """A captured array, known by its declaration; it is read where it is indexed."""

    declaration: skel.CaptureOp

    @property
    def type(self) -> TensorType[Attribute]:
        """The tensor type of the array."""
        assert isinstance(self.declaration.type, TensorType)
        return self.declaration.type


@dataclass(frozen=True)
class Row:
    """A captured array with some of its indices given: `a[i]` of a two-dimensional array."""

    array: Captured
    indices: tuple[SSAValue, ...]


@dataclass(frozen=True)
class Unbound:
    """No value: a variable that is not assigned on this path. An empty name: a value that nobody reads."""

    variable: str


@dataclass(frozen=True)
class MaybeUnbound:
    """A value that is only there on some paths; using it is refused, since Python may raise UnboundLocalError."""

    value: SSAValue
    variable: str


Value = SSAValue | Captured | Row | Unbound | MaybeUnbound
"""A value in the interpretation. An `SSAValue` is boxed, a tuple, or an `i1` that control flow tests."""


@dataclass(frozen=True)
class Array:
    """An array between skeletons: one SSA value for each number of its element type (struct of arrays)."""

    leaves: tuple[SSAValue, ...]
    element: Attribute
    bounds: Bounds | None = None


def element_of(boxed: Attribute) -> Attribute:
    """The source type of an element: `boxed<T>` -> `T`, item by item for tuples and unions."""
    match boxed:
        case TupleType():
            return obj.tuple_type(element_of(item) for item in boxed.types.data)
        case obj.UnionType():
            return obj.UnionType(element_of(item) for item in boxed.alternatives)
        case dyn.NoneType():
            return boxed
        case _:
            assert isinstance(boxed, obj.BoxedType)
            return boxed.source


def boxed_of(element: Attribute) -> Attribute:
    """The inverse of `element_of`."""
    match element:
        case TupleType():
            return obj.tuple_type(boxed_of(item) for item in element.types.data)
        case obj.UnionType():
            return obj.UnionType(boxed_of(item) for item in element.alternatives)
        case dyn.NoneType():
            return element
        case _:
            return obj.BoxedType(element)


def payloads_of(element: Attribute) -> list[Attribute]:
    """The payload types of the numbers in an element."""
    return [obj.payload(leaf) for leaf in leaf_types(element)]


def describe(type_: Attribute) -> str:
    """How a message names the type of a boxed value or tuple."""
    if isinstance(type_, obj.BoxedType | TupleType | obj.UnionType | dyn.NoneType):
        return spelling(element_of(type_))
    return str(type_)

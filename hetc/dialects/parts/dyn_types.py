"""What the parts of the `dyn` dialect share: its types."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import ParametrizedAttribute, TypeAttribute
from xdsl.irdl import (
    irdl_attr_definition,
)
from xdsl.utils.exceptions import VerifyException


@irdl_attr_definition
class ObjectType(ParametrizedAttribute, TypeAttribute):
    """`!dyn.object`: any Python value, as the interpreter holds it."""

    name = "dyn.object"


@irdl_attr_definition
class IntType(ParametrizedAttribute, TypeAttribute):
    """`!dyn.int`: the source type of a Python `int`. On the device it is an `i64` whose overflow is guarded."""

    name = "dyn.int"


@irdl_attr_definition
class FloatType(ParametrizedAttribute, TypeAttribute):
    """`!dyn.float`: the source type of a Python `float`. On the device it is an `f64`."""

    name = "dyn.float"


@irdl_attr_definition
class ComplexType(ParametrizedAttribute, TypeAttribute):
    """`!dyn.complex`: the source type of a Python `complex`. On the device it is a `complex<f64>`."""

    name = "dyn.complex"


@irdl_attr_definition
class BoolType(ParametrizedAttribute, TypeAttribute):
    """`!dyn.bool`: the source type of a Python `bool`. On the device it is an `i1`."""

    name = "dyn.bool"


@irdl_attr_definition
class NoneType(ParametrizedAttribute, TypeAttribute):
    """`!dyn.none`: the type of Python's `None`. It has one value, so nothing of it is on the device."""

    name = "dyn.none"


OBJECT = ObjectType()
INT = IntType()
FLOAT = FloatType()
COMPLEX = ComplexType()
BOOL = BoolType()
NONE = NoneType()


def check_name(name: str, allowed: Sequence[str], what: str) -> None:
    """Raise VerifyException unless a name is one of those that are allowed."""
    if name not in allowed:
        raise VerifyException(f"unknown {what} '{name}', expected one of {', '.join(allowed)}")

"""What all ops of the `skel` dialect share: types of arrays, the end of a body, and what verifiers ask of bodies."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, OpTrait, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    param_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from hetc.dialects.parts.dyn_types import OBJECT
from hetc.dialects.parts.payloads import payload


@irdl_attr_definition
class SequenceType(ParametrizedAttribute, TypeAttribute):
    """`!skel.sequence<T>`: the values start + step * index, computed where they are needed.

    The device never sees it in memory (Fumero et al., VEE 2017, section 5.3, on R's sequences).
    """

    name = "skel.sequence"
    element: Attribute = param_def()


ARRAY = base(TensorType) | base(SequenceType)


def element_type(array: Attribute) -> Attribute:
    """The source type of the elements of an array or sequence."""
    if isinstance(array, TensorType):
        return array.element_type
    assert isinstance(array, SequenceType)
    return array.element


class InSkeleton(OpTrait):
    """The op around this one is a skeleton."""

    def verify(self, op: Operation) -> None:
        parent = op.parent_op()
        if parent is not None and not parent.name.startswith("skel."):
            raise VerifyException(f"'{op.name}' expects parent op to be one of the dialect skel, not '{parent.name}'")


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends a region of a skeleton with the values it computes.

    ```mlir
    skel.yield %y : f32
    ```
    """

    name = "skel.yield"
    values = var_operand_def()
    traits = traits_def(IsTerminator(), InSkeleton(), Pure())
    assembly_format = "($values^ `:` type($values))? attr-dict"

    def __init__(self, *values: SSAValue):
        super().__init__(operands=[values])


def check_elements(block: Block, arrays: Sequence[Attribute], what: str) -> None:
    """Ask that a body takes an element of each array."""
    if len(block.args) != len(arrays):
        raise VerifyException(f"the body takes {len(block.args)} elements of {len(arrays)} {what}s")
    for index, (argument, array) in enumerate(zip(block.args, arrays, strict=True)):
        _check_element(argument.type, element_type(array), f"{what} {index}")


def check_yield(block: Block, elements: Sequence[Attribute], what: str) -> None:
    """Ask that a body yields an element of each of these types."""
    last = block.last_op
    if not isinstance(last, YieldOp) or len(last.values) != len(elements):
        raise VerifyException(f"the body must yield {len(elements)} values")
    for index, (value, element) in enumerate(zip(last.values, elements, strict=True)):
        _check_element(value.type, element, f"{what} {index}")


def _check_element(found: Attribute, element: Attribute, what: str) -> None:
    """At level 0 every element is an object; below it, the payload of its source type."""
    if found == OBJECT:
        return
    try:
        expected = payload(element)
    except ValueError as error:
        raise VerifyException(str(error)) from None
    if found != expected:
        raise VerifyException(f"an element of {what} is {expected}, not {found}")


def check_types(found: Sequence[Attribute], expected: Sequence[Attribute], message: str) -> None:
    """Ask that types are these; the message says why."""
    if tuple(found) != tuple(expected):
        expected_text = ", ".join(map(str, expected))
        raise VerifyException(f"{message}, expected ({expected_text}), found ({', '.join(map(str, found))})")

"""Gathers and scatters: elements that are found, or find their place, by a number."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, TensorType, TupleType, i64
from xdsl.ir import Attribute, Block, Region, SSAValue

from hetc.diagnostics import Category
from hetc.dialects import dyn, obj, skel
from hetc.passes.semantics.emitter import Number
from hetc.passes.specialization.interpreter import Interpreter
from hetc.passes.specialization.values import Array, Value
from hetc.passes.specialization.views import checked_index


def check_numbers(s: Interpreter, element: Attribute) -> None:
    """Raise UnsupportedError for elements that are not numbers or tuples of them: objects keep their identity."""
    match element:
        case TupleType():
            for item in element.types.data:
                check_numbers(s, item)
        case obj.ObjectType() | obj.UnionType() | dyn.NoneType():
            raise s.unsupported(
                "only numbers and tuples of them are gathered and scattered on a device", category=Category.CONTAINER
            )
        case _:
            pass


def stored(s: Interpreter, array: Array) -> Array:
    """An array that lies in memory, so that elements can be loaded from any place; sequences have none."""
    check_numbers(s, array.element)
    return Array(tuple(_stored(s, leaf) for leaf in array.leaves), array.element, array.bounds)


def _stored(s: Interpreter, leaf: SSAValue) -> SSAValue:
    if isinstance(leaf.type, TensorType):
        return leaf
    element = skel.element_type(leaf.type)
    block = Block(arg_types=[obj.payload(element)])
    with s.inside(block):
        s.add(skel.YieldOp(block.args[0]))
    return s.add(skel.MapOp([leaf], [TensorType(element, [DYNAMIC_INDEX])], Region(block))).outputs[0]


def gather_body(s: Interpreter, indices: Array, leaves: Sequence[SSAValue], dim: int) -> Block:
    """A body that takes an index and loads what the arrays, whose length is that of dimension `dim`, have there."""
    block = Block(arg_types=[obj.payload(indices.element)])
    with s.inside(block):
        number = s.with_bounds(block.args[0], indices.element, indices.bounds)
        position = checked_index(s, Number(number, indices.element), s.size(dim))
        s.add(skel.YieldOp(*(s.add(obj.LoadOp(leaf, [position])).result for leaf in leaves)))
    return block


def place_of(s: Interpreter, key: Value, size: int) -> SSAValue:
    """The place, in an array of so many items, that Python finds by a key."""
    if not isinstance(key, SSAValue) or not isinstance(key.type, obj.BoxedType):
        raise s.unsupported("a key must be an integer", category=Category.CONTAINER)
    return checked_index(s, s.unbox(key), s.add(arith.ConstantOp(IntegerAttr(size, i64))).result)

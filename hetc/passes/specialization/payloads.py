"""Boxed values put together from the payloads that they are stored as."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, SSAValue

from hetc.abi import IDENTITY, Bounds
from hetc.diagnostics import Category
from hetc.dialects import dyn, heap, obj
from hetc.passes.semantics.emitter import Number
from hetc.passes.specialization.interpretation import Interpretation


def boxed_from(
    s: Interpretation, payloads: Iterator[SSAValue], element: Attribute, bounds: Bounds | None = None
) -> SSAValue:
    """The value of an element type, from its payloads, left to right; `bounds` hold for each number of it."""
    match element:
        case TupleType():
            items = [boxed_from(s, payloads, item, bounds) for item in element.types.data]
            return s.add(obj.PackOp(items)).result
        case obj.UnionType():
            tag = next(payloads)
            items = [boxed_from(s, payloads, item) for item in element.alternatives]
            return s.add(obj.UnionOp(tag, items)).result
        case obj.ObjectType():
            pairs = zip(element.fields, element.types, strict=True)
            items = [boxed_from(s, payloads, item, None if name == IDENTITY else bounds) for name, item in pairs]
            return s.add(obj.NewOp(items, element.of([item.type for item in items]))).result
        case dyn.NoneType():
            return s.add(obj.NoneOp()).result
        case obj.ListType() | heap.ListType():
            raise s.unsupported(
                "a list that one skeleton makes is not compiled as an element of the next",
                hint="do both in one function",
                category=Category.CONTAINER,
            )
        case _:
            payload = next(payloads)
            value = s.with_bounds(payload, element, bounds)
            value.name_hint = payload.name_hint
            return s.box(Number(value, element))

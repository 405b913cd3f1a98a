"""References to objects in tables: objects whose only field is their place.

A reference is a value like any other: branches choose between references, loops carry them, and None is another type
of a union. What it refers to is read, and assigned, where its attributes are.
"""

from __future__ import annotations

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, SSAValue

from hetc.abi import IDENTITY, tag_of
from hetc.analysis.source_types import from_ir
from hetc.diagnostics import Category
from hetc.dialects import dyn, obj
from hetc.dialects.parts.object_tables import PLACE
from hetc.passes.semantics.emitter import Number
from hetc.passes.specialization import views
from hetc.passes.specialization.branches import each_alternative
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.unions import constant_tag
from hetc.passes.specialization.values import References, Value, View, element_of


def make_list(s: Interpretation, op: dyn.ReferOp) -> None:
    """`dyn.refer`: a list of references."""
    has_none, whole = op.none is not None, op.whole is not None
    s.values[op.result] = References(op.cls.root_reference.data, s.get(op.places), has_none=has_none, whole=whole)


def length(s: Interpretation, value: References) -> SSAValue:
    """The length of a list of references."""
    return views.length(s, _view(s, value.places))


def item(s: Interpretation, value: References, position: SSAValue) -> SSAValue:
    """The reference at a position, which is inside; or None."""
    place = position if value.whole else _loaded_place(s, value.places, position)
    return _reference(s, value.cls, place, has_none=value.has_none)


def _loaded_place(s: Interpretation, places: Value, position: SSAValue) -> SSAValue:
    return s.unbox(s.on_device(views.item(s, _view(s, places), position))).value


def _view(s: Interpretation, array: Value) -> View:
    view = views.view_of(array)
    if view is None:
        raise s.unsupported("the places of references are no captured array", category=Category.INTERNAL)
    return view


def _reference(s: Interpretation, cls: str, place: SSAValue, *, has_none: bool) -> SSAValue:
    boxed = s.box(Number(place, dyn.INT))
    one = s.add(obj.NewOp([boxed], obj.ObjectType(cls, [PLACE], [boxed.type], given=True))).result
    if not has_none:
        return one
    none = s.add(obj.NoneOp()).result
    tag = s.select(s.compare_ints("sge", place, 0), constant_tag(s, one.type), constant_tag(s, none.type))
    parts = sorted([one, none], key=lambda part: tag_of(from_ir(element_of(part.type))))
    return s.add(obj.UnionOp(tag, parts)).result


def is_reference(type_: Attribute) -> bool:
    """Whether a type is that of references."""
    return isinstance(type_, obj.ObjectType) and PLACE in type_.fields


def place_of(s: Interpretation, value: SSAValue) -> SSAValue:
    """The place of the object that a reference refers to."""
    return s.unbox(s.add(obj.GetOp(value, PLACE)).result).value


def column(s: Interpretation, value: SSAValue, name: str) -> obj.ColumnAttr | None:
    """The values of an attribute of the objects among which a reference refers to one; None if it is not read."""
    assert isinstance(value.type, obj.ObjectType)
    table = s.tables.get(value.type.symbol)
    return None if table is None else table.column(name)


def read(s: Interpretation, value: SSAValue, name: str) -> Value:
    """An attribute of the object that a reference refers to, which has a column."""
    found = column(s, value, name)
    assert found is not None
    array, place = s.captured_value(found.captured), place_of(s, value)
    if found.refers_to is not None:
        return _reference(s, found.refers_to, _loaded_place(s, array, place), has_none=found.has_none)
    return views.item(s, _view(s, array), place)


def identified(s: Interpretation, value: SSAValue) -> SSAValue:
    """A value with its references as what tells which objects they are; a result needs nothing else of them."""
    if not _holds_reference(value.type):
        return value
    if isinstance(value.type, obj.UnionType):
        (found,) = each_alternative(s, value, lambda one: [identified(s, one)])
        return s.on_device(found)
    if isinstance(value.type, TupleType):
        count = len(value.type.types.data)
        items = [identified(s, s.add(obj.ExtractOp(value, k)).result) for k in range(count)]
        return s.add(obj.PackOp(items)).result
    if isinstance(value.type, obj.ListType):
        return s.add(obj.AsListOp(identified(s, s.add(obj.ListItemsOp(value)).result))).result
    assert isinstance(value.type, obj.ObjectType)
    names = value.type.fields
    if is_reference(value.type):
        if column(s, value, IDENTITY) is None:
            return value
        names, fields = (IDENTITY,), [s.on_device(read(s, value, IDENTITY))]
    else:
        fields = [identified(s, s.add(obj.GetOp(value, name)).result) for name in names]
    type_ = obj.ObjectType(value.type.symbol, names, [field.type for field in fields], given=value.type.is_given)
    return s.add(obj.NewOp(fields, type_)).result


def _holds_reference(type_: Attribute) -> bool:
    match type_:
        case TupleType():
            return any(map(_holds_reference, type_.types.data))
        case obj.UnionType():
            return any(map(_holds_reference, type_.alternatives.data))
        case obj.ListType():
            return _holds_reference(type_.items)
        case obj.ObjectType():
            return is_reference(type_) or any(map(_holds_reference, type_.types))
        case _:
            return False

"""Captured lists of objects, and structured arrays: one sequence a field, and their objects.

Where the program assigns attributes of such objects, an object of the list is a reference, which is read when one of
its fields is. Otherwise nothing can change it, and it is the values of its fields. An element of a structured array is
a view of it in Python, and so a reference in a program that stores to arrays.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from hetc.abi import IDENTITY, RECORD, tag_of
from hetc.analysis.source_types import from_ir
from hetc.diagnostics import Category
from hetc.dialects import dyn, obj
from hetc.passes.specialization import object_tables, views
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.values import (
    Captured,
    MixedSequence,
    ObjectSequence,
    Reference,
    References,
    Value,
    View,
    element_of,
)


def several(s: Interpretation, op: dyn.SeveralOp) -> None:
    """`dyn.several`: a list of objects of several classes."""
    classes = [s.get(part) for part in op.classes]
    known = tuple(part for part in classes if isinstance(part, ObjectSequence))
    assert len(known) == len(classes)
    s.values[op.result] = MixedSequence(s.get(op.tags), known, op.none is not None)


Sequence = ObjectSequence | MixedSequence | References
"""A captured list of objects."""


def length(s: Interpretation, value: Sequence) -> SSAValue:
    """The length of a captured list of objects."""
    if isinstance(value, References):
        return object_tables.length(s, value)
    part = value.tags if isinstance(value, MixedSequence) else value.parts[0]
    if isinstance(part, Sequence):
        return length(s, part)
    return views.length(s, view_of(s, part))


def item(s: Interpretation, value: Sequence, position: SSAValue) -> Value:
    """The object at a position, which is inside."""
    if isinstance(value, References):
        return object_tables.item(s, value, position)
    if isinstance(value, MixedSequence):
        return _any_of(s, value, position)
    return Reference(value, position) if _may_change(s, value) else _values(s, value, position)


def _any_of(s: Interpretation, value: MixedSequence, position: SSAValue) -> SSAValue:
    """An object that may be of several classes, or None."""
    found = [s.on_device(item(s, part, position)) for part in value.classes]
    found += [s.add(obj.NoneOp()).result] if value.has_none else []
    if len(found) == 1:
        return found[0]
    found.sort(key=lambda one: tag_of(from_ir(element_of(one.type))))
    tag = s.unbox(s.on_device(views.item(s, view_of(s, value.tags), position))).value
    return s.add(obj.UnionOp(tag, found)).result


def _may_change(s: Interpretation, value: ObjectSequence | MixedSequence) -> bool:
    if isinstance(value, MixedSequence):
        return any(_may_change(s, part) for part in value.classes)
    if value.cls == RECORD:
        return s.stores or any(isinstance(part, Captured) and part.type.get_num_dims() > 1 for part in value.parts)
    nested = (part for part in value.parts if isinstance(part, ObjectSequence | MixedSequence))
    return not s.assigned.isdisjoint(value.names) or any(_may_change(s, part) for part in nested)


def _values(s: Interpretation, value: ObjectSequence, position: SSAValue) -> SSAValue:
    """The values of an object's fields now."""
    names = [name for name in value.names if name.isidentifier() or name == IDENTITY]
    fields = [s.on_device(_field(s, value, name, position)) for name in names]
    type_ = obj.ObjectType(value.cls, names, [field.type for field in fields], given=True)
    return s.add(obj.NewOp(fields, type_)).result


def _field(s: Interpretation, value: ObjectSequence, name: str, position: SSAValue) -> Value:
    part = value.part(name)
    assert part is not None
    if value.cls == RECORD:
        is_nested = isinstance(part, ObjectSequence)
        return item(s, part, position) if is_nested else views.item(s, view_of(s, part), position)
    if isinstance(part, MixedSequence | References):
        return item(s, part, position)
    if isinstance(part, ObjectSequence):
        # What the field means may change: this is the object that it means now, which then must not change itself.
        return _values(s, part, position) if name in s.assigned else item(s, part, position)
    return views.item(s, view_of(s, part), position)


def field(s: Interpretation, one: Reference, name: str) -> Value:
    """A field of an object, which has it."""
    return _field(s, one.sequence, name, one.position)


def view_of(s: Interpretation, part: Value) -> View:
    """The captured array that holds the values of a field."""
    view = views.view_of(part)
    if view is None:
        raise s.unsupported("a field of these objects is no list of numbers", category=Category.CONTAINER)
    return view

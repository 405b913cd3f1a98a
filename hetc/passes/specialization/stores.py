"""Stores to elements of captured arrays and to attributes of captured objects, in the iterations of a parallel loop."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import UnitAttr, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from hetc.analysis.source_types import is_integer, is_python, is_unsigned, scalar_from_ir, spelling
from hetc.diagnostics import Category
from hetc.dialects import dyn, guard, obj, skel
from hetc.dialects.guard import GuardKind
from hetc.errors import UnsupportedError
from hetc.passes.semantics import conversions, functions
from hetc.passes.semantics.emitter import Number
from hetc.passes.specialization import calling, object_sequences, object_tables, objects, views
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.values import (
    Abstract,
    ObjectSequence,
    Reference,
    References,
    Value,
    View,
    describe,
)
from hetc.records import assigned_mark, setter_of


def store_item(s: Interpretation, op: dyn.StoreItemOp) -> None:
    """`a[indices] = value`: the value becomes one of the array's type as NumPy's own type would make it."""
    _check_allowed(s)
    view = views.view_of(s.get(op.container))
    if view is None or views.is_sequence(view):
        raise s.unsupported(
            "only elements of NumPy arrays can be stored to on a device",
            hint="store to a NumPy array",
            category=Category.CONTAINER,
        )
    indices: list[Value] = [value if isinstance(value := s.get(old), Abstract) else s.typed(old) for old in op.indices]
    _store_element(s, views.part(s, view, views.index_values(s, view, indices)), op.value)


def _store_element(s: Interpretation, element: View, value: SSAValue) -> None:
    """Store what a `!dyn.object` is to a number of an array."""
    if element.order:
        raise s.unsupported(
            "only single elements of an array can be stored to, not rows or slices",
            hint="store them in a loop",
            category=Category.CONTAINER,
        )
    stored = _converted(s, s.number(value), element.array.type.element_type)
    s.add(obj.StoreOp(stored.value, *views.place(s, element)))


def store_field(s: Interpretation, op: dyn.StoreFieldOp) -> None:
    """`records[i]["name"] = value`: a number of an element of a captured structured array."""
    _check_allowed(s)
    one, name = s.get(op.container), op.field.data
    if not isinstance(one, Reference) or not objects.is_record(one):
        raise s.unsupported(
            f"the field '{name}' is stored to single elements of a structured array only",
            hint=f'store to array[i]["{name}"]',
            category=Category.CONTAINER,
        )
    part = objects.record_part(s, one.sequence, name)
    if isinstance(part, ObjectSequence):
        raise s.unsupported(
            f"the field '{name}' is a record, of which single numbers can be stored", category=Category.CONTAINER
        )
    _store_element(s, views.at(s, object_sequences.view_of(s, part), one.position), op.value)


def _check_allowed(s: Interpretation) -> None:
    if not s.stores:
        raise s.unsupported(
            "only local variables can be assigned here", hint="return the new value instead of storing it"
        )


def store_attribute(s: Interpretation, op: dyn.StoreAttrOp) -> None:
    """`objects[i].name = value`: the attribute, or what the property of that name does."""
    _check_allowed(s)
    one, name = s.get(op.container), op.attribute.data
    in_table = isinstance(one, SSAValue) and object_tables.is_reference(one.type)
    if not isinstance(one, Reference) and not in_table:
        noun = one.noun if isinstance(one, Abstract) else describe(s.typed(op.container).type)
        raise s.unsupported(
            f"an attribute of {noun} is not assigned here",
            hint="assign attributes of the objects in a list that the loop runs over",
            category=Category.CONTAINER,
        )
    cls = objects.class_of(s, one)
    setter = cls.member(setter_of(name))
    if setter is not None and cls.mutable is not None:
        objects.call_member(s, setter.symbol, [one, *calling.arguments_of(s, [op.value])])
        return
    objects.check_assignable(s, cls, name)
    if isinstance(one, SSAValue):
        column, position = object_tables.column(s, one, name), object_tables.place_of(s, one)
        part = None if column is None else s.captured_value(column.captured)
        is_reference = column is not None and column.refers_to is not None
    else:
        assert isinstance(one, Reference)
        part, position = one.sequence.part(name), one.position
        is_reference = isinstance(part, References)
    if part is None:
        refused = cls.member(name)
        reason = f"a {cls.sym_name.data} has no attribute '{name}' that is compiled"
        raise s.unsupported(
            refused.reason if refused is not None and refused.kind.data == "refused" else reason,
            category=Category.NAME,
        )
    if is_reference:
        raise _is_shared(s, name)
    if isinstance(part, ObjectSequence):
        assert isinstance(one, Reference)
        _store_object(s, part, position, name, s.typed(op.value))
        mark = one.sequence.part(assigned_mark(name))
        assert mark is not None
        _store(s, mark, position, Number(s.flag(True), i1))
    else:
        _store_number(s, part, position, name, s.number(op.value))


def _is_shared(s: Interpretation, name: str) -> UnsupportedError:
    return s.unsupported(
        f"'{name}' is assigned an object that others may have, too",
        hint="keep the number of the object, and assign that",
        category=Category.CONTAINER,
    )


def _store_number(s: Interpretation, part: Value, position: SSAValue, name: str, number: Number) -> None:
    """An attribute of an object is of the type of what is assigned, which must be that of all the list's objects."""
    known = object_sequences.view_of(s, part).array.type.element_type
    if number.source != known:
        raise s.unsupported(
            f"'{name}' is {spelling(known)} in all objects of the list, and is assigned {s.names(number)}",
            hint="assign a number of the same type",
            category=Category.TYPES,
        )
    _store(s, part, position, number)


def _store(s: Interpretation, part: Value, position: SSAValue, number: Number) -> None:
    view = object_sequences.view_of(s, part)
    s.add(obj.StoreOp(number.value, *views.place(s, views.at(s, view, position))))


def _store_object(s: Interpretation, part: ObjectSequence, position: SSAValue, name: str, value: SSAValue) -> None:
    """A new object, in the place of the one that an attribute has been."""
    _check_new(s, name, value)
    assert isinstance(value.type, obj.ObjectType)
    known = {name for name in part.names if name.isidentifier()}
    odd = sorted(known ^ set(value.type.fields))
    if value.type.symbol == part.cls and odd:
        raise s.unsupported(
            f"'{name}' is assigned a {part.cls}, of which '{odd[0]}' is not compiled", category=Category.TYPES
        )
    if value.type.symbol != part.cls:
        raise s.unsupported(
            f"'{name}' is a {part.cls} in all objects of the list, and is assigned {describe(value.type)}",
            category=Category.TYPES,
        )
    for inner in value.type.fields:
        found, below = objects.field(s, value, inner), part.part(inner)
        if isinstance(below, ObjectSequence):
            _store_object(s, below, position, inner, found)
        elif isinstance(below, References):
            raise _is_shared(s, inner)
        elif below is not None:
            _store_number(s, below, position, inner, s.unbox(found))


def _check_new(s: Interpretation, name: str, value: SSAValue) -> None:
    """Raise UnsupportedError for an object that anything else might mean, too."""
    if not isinstance(value.type, obj.ObjectType):
        raise s.unsupported(f"'{name}' is an object, and is assigned {describe(value.type)}", category=Category.TYPES)
    new = isinstance(value.owner, obj.NewOp) and not value.type.is_given and value.owner.parent is s.block
    if not new or value in s.stored_objects:
        raise s.unsupported(
            f"'{name}' is assigned an object that others may have, too",
            hint="make the object where it is assigned",
            category=Category.CONTAINER,
        )
    s.stored_objects.append(value)


def _converted(s: Interpretation, number: Number, target: Attribute) -> Number:
    """A number as the array holds it: what NumPy's type makes of it, but NumPy's integers must fit a signed type."""
    both_integers = is_integer(number.source) and is_integer(target)
    if both_integers and not is_python(number.source) and not is_unsigned(target):
        low, high = conversions.integer_limits(target)
        reason = "the integer does not fit the array's type"
        s.require_between(conversions.to_int(s, number), low, high, GuardKind.DOMAIN, reason)
    return functions.call(s, f"np.{scalar_from_ir(target).dtype}", [number])


def mark_mutable_loads(functions: Iterable[Operation]) -> None:
    """Mark the loads of the arrays that are stored to: they must stay between the stores.

    What is known of the numbers in such an array holds before the stores, and nothing of what is loaded.
    """
    ops = [op for function in functions for op in function.walk() if isinstance(op, obj.LoadOp | obj.StoreOp)]
    written = {skel.captured_name(op.array) for op in ops if isinstance(op, obj.StoreOp)}
    for op in ops if written else ():
        if isinstance(op, obj.LoadOp) and skel.captured_name(op.array) in written:
            op.mutable = UnitAttr()
            for fact in [use.operation for use in op.result.uses if isinstance(use.operation, guard.FactOp)]:
                Rewriter.replace_op(fact, [], [op.result])

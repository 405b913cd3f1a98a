"""Stores to elements of captured arrays, in the iterations of a parallel loop."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Operation

from hetc.analysis.source_types import is_integer, is_python, is_unsigned, scalar_from_ir
from hetc.diagnostics import Category
from hetc.dialects import dyn, obj, skel
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import conversions, functions
from hetc.passes.semantics.emitter import Number
from hetc.passes.specialization import views
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.values import Abstract, Value


def store_item(s: Interpretation, op: dyn.StoreItemOp) -> None:
    """`a[indices] = value`: the value becomes one of the array's type as NumPy's own type would make it."""
    if not s.stores:
        raise s.unsupported(
            "only local variables can be assigned here", hint="return the new value instead of storing it"
        )
    view = views.view_of(s.get(op.container))
    if view is None or views.is_sequence(view):
        raise s.unsupported(
            "only elements of NumPy arrays can be stored to on a device",
            hint="store to a NumPy array",
            category=Category.CONTAINER,
        )
    indices: list[Value] = [value if isinstance(value := s.get(old), Abstract) else s.typed(old) for old in op.indices]
    element = views.part(s, view, views.index_values(s, view, indices))
    if element.order:
        raise s.unsupported(
            "only single elements of an array can be stored to, not rows or slices",
            hint="store them in a loop",
            category=Category.CONTAINER,
        )
    stored = _converted(s, s.number(op.value), view.array.type.element_type)
    s.add(obj.StoreOp(stored.value, *views.place(s, element)))


def _converted(s: Interpretation, number: Number, target: Attribute) -> Number:
    """A number as the array holds it: what NumPy's type makes of it, but NumPy's integers must fit a signed type."""
    both_integers = is_integer(number.source) and is_integer(target)
    if both_integers and not is_python(number.source) and not is_unsigned(target):
        low, high = conversions.integer_limits(target)
        reason = "the integer does not fit the array's type"
        s.require_between(conversions.to_int(s, number), low, high, GuardKind.DOMAIN, reason)
    return functions.call(s, f"np.{scalar_from_ir(target).dtype}", [number])


def mark_mutable_loads(functions: Iterable[Operation]) -> None:
    """Mark the loads of the arrays that are stored to: they must stay between the stores."""
    ops = [op for function in functions for op in function.walk() if isinstance(op, obj.LoadOp | obj.StoreOp)]
    written = {skel.captured_name(op.array) for op in ops if isinstance(op, obj.StoreOp)}
    for op in ops:
        if isinstance(op, obj.LoadOp) and skel.captured_name(op.array) in written:
            op.mutable = UnitAttr()

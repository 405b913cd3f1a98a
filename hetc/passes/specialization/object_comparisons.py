"""Comparisons of objects: by the special methods of their classes, by their fields, or which object they are."""

from __future__ import annotations

from hetc.dialects import dyn, obj
from hetc.enumerations import ORDER
from hetc.passes.semantics.emitter import Number
from hetc.passes.specialization import identities
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.objects import (
    apply_special,
    are_numbers,
    check_order,
    class_of,
    is_numpy,
    is_object,
    kind_of_member,
    nouns,
    plain_field,
    refuse_numpy,
    same_class,
    special,
    truth,
)
from hetc.passes.specialization.values import Value

REFLECTED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


def compare(s: Interpretation, name: str, left: Value, right: Value) -> Value | None:
    """`left < right`, ... of which one is an object; None if its class leaves that to `tuple`, or neither is one."""
    if not any(is_object(value) for value in (left, right)):
        return None
    if name in ("is", "is_not"):
        return _identical(s, name, left, right)
    if is_numpy(left) or is_numpy(right):
        raise s.unsupported("records and their arrays are not compared, only the numbers in them")
    refuse_numpy(s, left)
    check_order(s, left, right)
    for one, other, operator in ((left, right, name), (right, left, REFLECTED[name])):
        if is_object(one):
            found = special(s, one, operator)
            if found is None and name == "ne":
                equal = compare(s, "eq", one, other)
                return None if equal is None else _negated(s, equal)
            if found is not None and found.kind.data == "fields":
                if same_class(one, other):
                    return _compare_fields(s, operator, one, other, found)
                continue
            if found is not None:
                return apply_special(s, operator, one, [other])
    if any(is_object(v) and class_of(s, v).sequence is not None for v in (left, right)):
        return None
    kinds = {kind_of_member(s, value) for value in (left, right)}
    if are_numbers(s, left, right):
        return None
    if name in ("eq", "ne") and same_class(left, right) and kinds <= {"plain", "text"}:
        return _same_member(s, name == "eq", left, right)
    if name in ("eq", "ne") and same_class(left, right):
        return _identical(s, "is" if name == "eq" else "is_not", left, right)
    if name in ("eq", "ne") and kinds != {"text"}:
        return s.box(s.constant(name == "ne", dyn.BOOL))  # nothing of one class is the same object as one of another
    raise s.unsupported(f"'{name}' of {nouns(s, left, right)} is not defined")


def _same_member(s: Interpretation, positive: bool, left: Value, right: Value) -> Value:
    """Whether two members of one enumeration are the same: their orders are."""
    orders = [s.unbox(plain_field(s, value, ORDER)) for value in (left, right)]
    same = s.compare_ints("eq" if positive else "ne", orders[0].value, orders[1].value)
    return s.box(Number(same, dyn.BOOL))


def _identical(s: Interpretation, name: str, left: Value, right: Value) -> Value:
    """`left is right`: what is of another class, or no object, is another thing."""
    if same_class(left, right) and kind_of_member(s, left) is not None:
        return _same_member(s, name == "is", left, right)
    if same_class(left, right):
        same = identities.same_object(s, left, right)
        return s.box(Number(same if name == "is" else s.negate(same), dyn.BOOL))
    return s.box(s.constant(name == "is_not", dyn.BOOL))


def _compare_fields(s: Interpretation, name: str, left: Value, right: Value, found: obj.MemberAttr) -> Value:
    """What `dataclass` writes: the tuples of the fields are compared."""
    tuples = [s.add(obj.PackOp([plain_field(s, value, n) for n in found.fields])).result for value in (left, right)]
    result = s.compare_tuples(name, *tuples)
    return s.box(Number(result, dyn.BOOL))


def _negated(s: Interpretation, value: Value) -> Value:
    return s.box(Number(s.negate(truth(s, value)), dyn.BOOL))

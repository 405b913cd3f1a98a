"""What operators and built-in functions mean on tuples, lists and ranges: ==, <, in, +, *, sorted, isinstance."""

from __future__ import annotations

import numbers
from collections.abc import Sequence

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, SSAValue

from hetc.abi import FIELD_ARRAY, NAMED_RECORD
from hetc.analysis.source_types import is_float, is_python, scalar_from_ir
from hetc.diagnostics import Category
from hetc.dialects import dyn, guard, obj
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import comparison, conversions
from hetc.passes.semantics.emitter import Number
from hetc.passes.semantics.folding import folded
from hetc.passes.specialization import object_comparisons, objects, sequences
from hetc.passes.specialization.branches import choose, each_alternative
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.values import Abstract, Items, RangeValue, Value, describe

MAX_SORTED = 16
_ORDER = ("lt", "le", "gt", "ge")


# --------------------------------------------------------------------------------------------------------------------
# Comparison
# --------------------------------------------------------------------------------------------------------------------


def compared(s: Interpretation, name: str, left: Value, right: Value) -> SSAValue | None:
    """`left == right`, `left < right`, ... of which one is a tuple or list, as an `i1`; None if neither is."""
    ours, theirs = sequences.items_of(s, left), sequences.items_of(s, right)
    if (ours is None and theirs is None) or name in ("is", "is_not"):
        return None
    if any(isinstance(value, Abstract) and not isinstance(value, Items) for value in (left, right)):
        raise s.unsupported("a tuple or list is not compared with an array", category=Category.CONTAINER)
    same_kind = ours is not None and theirs is not None and sequences.is_list(left) == sequences.is_list(right)
    if name in _ORDER:
        if not same_kind or ours is None or theirs is None:
            raise s.unsupported(
                "values of these types have no order: Python raises TypeError", category=Category.CONTAINER
            )
        return _ordered(s, name, ours, theirs)
    if any(_is_numpy(value) for value in (left, right)):
        raise s.unsupported("NumPy compares a number with a tuple or list item by item", category=Category.CONTAINER)
    if not same_kind or ours is None or theirs is None or len(ours) != len(theirs):
        return s.flag(name == "ne")
    equal = s.flag(True)
    for one, other in zip(ours, theirs, strict=True):
        equal = _both(s, equal, same_or_equal(s, one, other))
    return equal if name == "eq" else s.negate(equal)


def _is_numpy(value: Value) -> bool:
    return isinstance(value, SSAValue) and isinstance(value.type, obj.BoxedType) and not is_python(value.type.source)


def _ordered(s: Interpretation, name: str, left: Sequence[Value], right: Sequence[Value]) -> SSAValue:
    """The items that differ first decide; if there are none, the lengths do."""
    if not left or not right:
        lengths = {"lt": len(left) < len(right), "le": len(left) <= len(right)}
        lengths |= {"gt": len(left) > len(right), "ge": len(left) >= len(right)}
        return s.flag(lengths[name])
    same = same_or_equal(s, left[0], right[0])
    if guard.is_true(same):
        return _ordered(s, name, left[1:], right[1:])
    if guard.is_false(same):
        return _less(s, name, left[0], right[0])
    (result,) = choose(
        s, same, lambda: [_ordered(s, name, left[1:], right[1:])], lambda: [_less(s, name, left[0], right[0])]
    )
    assert isinstance(result, SSAValue)
    return result


def _less(s: Interpretation, name: str, left: Value, right: Value) -> SSAValue:
    """An order of two items."""
    nested = compared(s, name, left, right)
    if nested is not None:
        return nested
    return s.truth(_compare(s, name, _single(s, left), _single(s, right)))


def same_or_equal(s: Interpretation, left: Value, right: Value) -> SSAValue:
    """Whether two items are the same object or equal, as containers compare them: a NaN is the same as itself."""
    if left is right:
        return s.flag(True)
    if isinstance(left, Abstract) and isinstance(right, Abstract) and not isinstance(left, Items):
        raise s.unsupported(f"{left.noun} is not compared as an item", category=Category.CONTAINER)
    for value, other, flipped in ((left, right, False), (right, left, True)):
        if isinstance(value, SSAValue) and isinstance(value.type, obj.UnionType):

            def alternative(one: SSAValue, other: Value = other, flipped: bool = flipped) -> list[Value]:
                return [same_or_equal(s, other, one) if flipped else same_or_equal(s, one, other)]

            (result,) = each_alternative(s, value, alternative)
            assert isinstance(result, SSAValue)
            return result
    nones = [isinstance(value, SSAValue) and isinstance(value.type, dyn.NoneType) for value in (left, right)]
    if any(nones):
        return s.flag(all(nones))
    nested = compared(s, "eq", left, right)
    if nested is not None:
        return nested
    if any(objects.is_object(v) and objects.kind_of_member(s, v) for v in (left, right)):
        equal = object_comparisons.compare(s, "eq", left, right)
        if equal is not None:
            return objects.truth(s, equal)
    one, other = _single(s, left), _single(s, right)
    _refuse_same_nan(s, one, other)
    return s.truth(_compare(s, "eq", one, other))


def _refuse_same_nan(s: Interpretation, one: Number, other: Number) -> None:
    """Two NaNs are equal if they are one object, which is not known here."""
    if one.source != other.source or not is_float(one.source):
        return
    if any(number.constant is not None and number.constant == number.constant for number in (one, other)):
        return
    nan = [s.compare_floats("uno", number.value, number.value) for number in (one, other)]
    s.require(s.negate(s.both(*nan)), GuardKind.VALUE, "two NaNs may be the same object")


def _single(s: Interpretation, value: Value) -> Number:
    if not isinstance(value, SSAValue):
        raise s.unsupported("numbers are compared here", category=Category.CONTAINER)
    return s.unbox(value)


def _compare(s: Interpretation, name: str, left: Number, right: Number) -> Number:
    known = folded(s, name, left, right)
    return comparison.compare(s, name, left, right) if known is None else known


def _both(s: Interpretation, left: SSAValue, right: SSAValue) -> SSAValue:
    if guard.is_true(left) or guard.is_false(right):
        return right
    return left if guard.is_true(right) or guard.is_false(left) else s.both(left, right)


# --------------------------------------------------------------------------------------------------------------------
# in
# --------------------------------------------------------------------------------------------------------------------


def contains(s: Interpretation, op: dyn.ContainsOp) -> None:
    """`value in container`."""
    container = s.get(op.container)
    if not isinstance(container, Abstract):
        container = s.typed(op.container)
    value = s.get(op.value)
    if not isinstance(value, Abstract):
        value = s.typed(op.value)
    result = objects.apply_special(s, "contains", container, [value])
    if result is not None:
        s.bind_number(op.result, Number(objects.truth(s, result), dyn.BOOL))
        return
    container = objects.iterated(s, container) or container
    items = sequences.items_of(s, container)
    if items is not None:
        found = s.flag(False)
        for item in items:
            same = same_or_equal(s, item, value)
            found = s.negate(_both(s, s.negate(found), s.negate(same)))
    elif isinstance(container, RangeValue):
        found = _in_range(s, container, _single(s, value))
    else:
        raise s.unsupported(
            "'in' is compiled for tuples, lists and ranges", hint="compare in a loop", category=Category.CONTAINER
        )
    s.bind_number(op.result, Number(found, dyn.BOOL))


def _in_range(s: Interpretation, part: RangeValue, number: Number) -> SSAValue:
    """Whether an integer lies in a range and on one of its steps."""
    if not is_python(number.source) or is_float(number.source):
        raise s.unsupported(
            f"'in' a range is compiled for Python integers, not {s.names(number)}", category=Category.CONTAINER
        )
    value = conversions.to_int(s, number).value
    length = sequences.range_length(s, part)
    start, step = part.start.value, part.step.value
    if part.step.constant == 1:
        inside = s.both(s.compare_ints("sge", value, start), s.compare_ints("slt", value, part.stop.value))
        return s.both(inside, s.compare_ints("sgt", length, 0))
    some = s.compare_ints("sgt", length, 0)
    steps = s.add(arith.SubiOp(length, s.constant(1, dyn.INT).value)).result
    last = s.add(arith.AddiOp(start, s.add(arith.MuliOp(steps, step)).result)).result
    low, high = s.add(arith.MinSIOp(start, last)).result, s.add(arith.MaxSIOp(start, last)).result
    inside = s.both(s.compare_ints("sge", value, low), s.compare_ints("sle", value, high))
    offset = s.select(s.both(some, inside), s.add(arith.SubiOp(value, start)).result, s.constant(0, dyn.INT).value)
    on_step = s.compare_ints("eq", s.add(arith.RemSIOp(offset, step)).result, 0)
    return s.both(s.both(some, inside), on_step)


# --------------------------------------------------------------------------------------------------------------------
# + and *
# --------------------------------------------------------------------------------------------------------------------


def binary(s: Interpretation, op: dyn.BinaryOp) -> Value | None:
    """`+` and `*` of tuples and lists, None if no operand is one."""
    left, right = s.get(op.left), s.get(op.right)
    ours, theirs = sequences.items_of(s, left), sequences.items_of(s, right)
    if ours is None and theirs is None:
        return None
    if dyn.IN_PLACE in op.attributes and any(sequences.is_list(value) for value in (left, right)):
        raise s.unsupported("a list is not changed in place", hint="write a = a + b", category=Category.CONTAINER)
    name = op.operator.data
    if name == "add" and ours is not None and theirs is not None:
        if sequences.is_list(left) != sequences.is_list(right):
            raise s.unsupported(
                "a tuple and a list cannot be added: Python raises TypeError", category=Category.CONTAINER
            )
        return sequences.pack(s, [*ours, *theirs], as_list=sequences.is_list(left))
    if name == "mul" and (ours is None or theirs is None):
        items, count = (ours, right) if ours is not None else (theirs, left)
        number = _single(s, count)
        if items is None or not isinstance(number.constant, int) or not is_python(number.source):
            raise s.unsupported(
                "a tuple or list is repeated a number of times that is written in the source",
                category=Category.CONTAINER,
            )
        if number.constant * len(items) > sequences.MAX_ITEMS:
            raise s.unsupported(
                f"{number.constant * len(items)} items are too many to be compiled", category=Category.CONTAINER
            )
        return sequences.pack(
            s, items * number.constant, as_list=sequences.is_list(left if ours is not None else right)
        )
    raise s.unsupported(f"the operator '{name}' is not compiled for tuples and lists", category=Category.CONTAINER)


# --------------------------------------------------------------------------------------------------------------------
# Built-in functions
# --------------------------------------------------------------------------------------------------------------------


def sorted_list(s: Interpretation, items: list[Value]) -> Value:
    """`sorted` of a few numbers of one type, by a stable network of neighbours."""
    numbers = [_single(s, item) for item in items]
    if len(numbers) > MAX_SORTED or len({number.source for number in numbers}) > 1:
        raise s.unsupported(
            f"sorted() is compiled for at most {MAX_SORTED} numbers of one type", category=Category.CONTAINER
        )
    for number in numbers:
        if is_float(number.source) and len(numbers) > 1:
            known = s.compare_floats("ord", number.value, number.value)
            s.require(known, GuardKind.VALUE, "where NaN is sorted depends on the order of comparisons")
    values = numbers[:]
    for end in range(len(values) - 1, 0, -1):
        for k in range(end):
            left, right = values[k], values[k + 1]
            swap = s.truth(comparison.compare(s, "lt", right, left))
            values[k] = Number(s.select(swap, right.value, left.value), left.source)
            values[k + 1] = Number(s.select(swap, left.value, right.value), left.source)
    return sequences.pack(s, [s.box(number) for number in values], as_list=True)


def isinstance_(s: Interpretation, op: dyn.IsInstanceOp) -> None:
    """`isinstance(value, classes)`, which the type of the value decides."""
    value = s.get(op.value)
    if objects.is_object(value) and not objects.is_numpy(value):
        s.bind_number(op.result, s.constant(_is_object_of(s, value, [name.data for name in op.classes]), dyn.BOOL))
        return
    if isinstance(value, Abstract) and not isinstance(value, Items):
        raise s.unsupported(f"the class of {value.noun} is not compiled", category=Category.CONTAINER)
    if isinstance(value, Items):
        found: type = list if value.is_list else tuple
    else:
        found = class_of(s, s.typed(op.value).type)
    classes = tuple(_class_named(s, name.data) for name in op.classes if not name.data.startswith("@"))
    s.bind_number(op.result, s.constant(issubclass(found, classes), dyn.BOOL))


def _is_object_of(s: Interpretation, value: Value, names: Sequence[str]) -> bool:
    """Whether an object is of a class of that name, `@Point` for one of the program, or of one of its bases."""
    bases = [base.data for base in objects.class_of(s, value).bases]
    own = [f"@{name}" for name in bases if name in s.classes]
    builtin = ("tuple", "object", "int", "float", "str")
    if any(name.startswith("numbers.") for name in names):
        raise s.unsupported("a class may be registered as a number, which is not compiled")
    return any(name in (*own, *(base for base in bases if base in builtin)) for name in names)


def class_of(s: Interpretation, type_: Attribute) -> type:
    """The Python class of a value of a type."""
    match type_:
        case TupleType():
            return tuple
        case obj.ListType():
            return list
        case dyn.NoneType():
            return type(None)
        case obj.ObjectType():
            # Those of other classes are asked by name.
            return {NAMED_RECORD: np.record, FIELD_ARRAY: np.ndarray}.get(type_.symbol, np.void)
        case obj.BoxedType(source=source):
            scalar = scalar_from_ir(source)
            return _CLASSES[scalar.name] if scalar.python else np.dtype(scalar.dtype).type
        case _:
            raise s.unsupported(f"the class of {describe(type_)} is not compiled", category=Category.CONTAINER)


_CLASSES: dict[str, type] = {
    "None": type(None), "bool": bool, "int": int, "float": float, "complex": complex, "tuple": tuple, "list": list,
    "range": range, "object": object, "str": str,
}  # fmt: skip


def _class_named(s: Interpretation, name: str) -> type:
    found = _CLASSES.get(name)
    if found is None and name.startswith("np."):
        found = np.bool_ if name == "np.bool" else getattr(np, name[3:], None)
    elif found is None and name.startswith("numbers."):
        found = getattr(numbers, name[8:], None)
    if not isinstance(found, type):
        raise s.unsupported(f"'{name}' is not a class that hetc knows", category=Category.CONTAINER)
    return found

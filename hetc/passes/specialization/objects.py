"""Objects: attributes, methods, operators, and what makes them.

An object is an SSA value of its class's type, which lists its fields, or a reference to one of a captured list.
Python's rules decide what a name means: a property or slot of the class, then the object's own attribute, then what
else the class has. Methods are called like functions, with the object as first argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.ir import SSAValue

from hetc.abi import FIELD_ARRAY, IDENTITY, NAMED_RECORD, RECORD
from hetc.analysis.source_types import is_python
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.dialects import dyn, obj
from hetc.dialects.guard import GuardKind
from hetc.enumerations import VALUE
from hetc.errors import UnsupportedError
from hetc.passes.semantics.emitter import Number
from hetc.passes.specialization import object_sequences, object_tables
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.values import Abstract, ObjectSequence, Reference, Value, describe

_SEQUENCE_METHODS = tuple(
    f"__{name}__" for name in ("iter", "len", "getitem", "contains", "eq", "ne", "lt", "le", "gt", "ge")
)


@dataclass(frozen=True)
class ClassValue(Abstract):
    """A class, to be called."""

    cls: str
    noun: ClassVar[str] = "a class"


def is_object(value: Value) -> bool:
    """Whether a value is an object of a class."""
    return isinstance(value, Reference) or (isinstance(value, SSAValue) and isinstance(value.type, obj.ObjectType))


def is_record(value: Value) -> bool:
    """Whether a value is an element of a structured array."""
    return is_object(value) and symbol_of(value) in (RECORD, NAMED_RECORD)


def is_numpy(value: Value) -> bool:
    """Whether a value is an element of a structured array, or a field of one that is an array."""
    return is_object(value) and symbol_of(value) in (RECORD, NAMED_RECORD, FIELD_ARRAY)


def array_items(s: Interpretation, value: Value) -> list[Value] | None:
    """The items of a field of a record that is an array; None for any other value."""
    if not isinstance(value, SSAValue) or not isinstance(value.type, obj.ObjectType):
        return None
    return [field(s, value, name) for name in value.type.fields] if value.type.symbol == FIELD_ARRAY else None


def class_of(s: Interpretation, value: Value) -> obj.ClassOp:
    """The declaration of an object's class."""
    return declaration(s, symbol_of(value))


def declaration(s: Interpretation, symbol: str) -> obj.ClassOp:
    """The declaration of a class."""
    found = s.classes.get(symbol)
    if found is None:
        raise s.unsupported(f"the class @{symbol} is not declared", category=Category.INTERNAL)
    return found


def tuple_items(s: Interpretation, value: SSAValue) -> list[Value] | None:
    """The items of a NamedTuple; None for any other value."""
    if not isinstance(value.type, obj.ObjectType) or class_of(s, value).sequence is None:
        return None
    own = [name for name in _SEQUENCE_METHODS if class_of(s, value).member(name) is not None]
    if own:
        raise s.unsupported(f"a NamedTuple with a {own[0]} of its own is not compiled as a tuple")
    return [field(s, value, name) for name in value.type.fields if name != IDENTITY]


# --------------------------------------------------------------------------------------------------------------------
# Making objects
# --------------------------------------------------------------------------------------------------------------------


def new(s: Interpretation, op: dyn.NewOp) -> None:
    """`dyn.new`: a new object, one from outside, or a sequence of those."""
    symbol, names = op.cls.root_reference.data, tuple(name.data for name in op.names)
    if op.kind.data == "each":
        s.values[op.result] = ObjectSequence(symbol, names, tuple(s.get(value) for value in op.fields))
        return
    values = [s.typed(value) for value in op.fields]
    s.bind(op.result, make(s, symbol, names, values, given=op.kind.data == "given"))


def make(
    s: Interpretation, symbol: str, names: Sequence[str], values: Sequence[SSAValue], *, given: bool = False
) -> SSAValue:
    """An object with these fields."""
    return s.add(obj.NewOp(values, obj.ObjectType(symbol, names, [v.type for v in values], given=given))).result


def class_value(s: Interpretation, op: dyn.ClassOp) -> None:
    """`dyn.class`: what it makes can be called, and it has static and class methods."""
    s.values[op.result] = ClassValue(op.cls.root_reference.data)


def call_class(s: Interpretation, cls: ClassValue, arguments: Sequence[Value]) -> Value:
    """A class that is a value is called."""
    maker = declaration(s, cls.cls).maker
    if maker is None:
        raise s.unsupported(f"making a {cls.cls} is not compiled", category=Category.CALL)
    return s.call(maker.root_reference.data, arguments)


def set_attribute(s: Interpretation, op: dyn.SetAttrOp) -> None:
    """`p.x = value`, where `p` is the only name of the object."""
    whole, name, value = s.typed(op.container), op.attribute.data, s.typed(op.value)
    if not is_object(whole):
        raise s.unsupported(f"an attribute of {describe(whole.type)} is not assigned", category=Category.CONTAINER)
    assert isinstance(whole.type, obj.ObjectType)
    if object_tables.is_reference(whole.type):
        raise s.unsupported("an attribute of an object that others may have is not assigned here")
    type_ = whole.type
    check_assignable(s, class_of(s, whole), name)
    fields = {old: field(s, whole, old) for old in type_.fields}
    fields[name] = value
    s.bind(op.result, make(s, type_.symbol, list(fields), list(fields.values()), given=type_.is_given))


def check_assignable(s: Interpretation, cls: obj.ClassOp, name: str) -> None:
    """Raise UnsupportedError unless assigning the attribute is all that assigning it does."""
    member = cls.member(name)
    if cls.mutable is None:
        raise s.unsupported(f"fields of a {cls.sym_name.data} are not assigned here", category=Category.CONTAINER)
    # What is refused may be a descriptor, whose own code assigns.
    hidden = member is not None and member.kind.data in ("property", "refused")
    if hidden or (cls.slots is not None and name not in [slot.data for slot in cls.slots]):
        raise s.unsupported(f"'{name}' of a {cls.sym_name.data} is no plain field", category=Category.CONTAINER)


# --------------------------------------------------------------------------------------------------------------------
# Attributes
# --------------------------------------------------------------------------------------------------------------------


def get_attribute(s: Interpretation, op: dyn.GetAttrOp | dyn.ShapeOp | dyn.BuiltinOp) -> bool:
    """An attribute of an object; False if it is read of something else."""
    value = s.get(op.operands[0])
    if isinstance(op, dyn.GetAttrOp):
        name = op.attribute.data
    else:
        name = "shape" if isinstance(op, dyn.ShapeOp) else op.function.data.removeprefix("number.")
    if isinstance(value, ClassValue):
        member = declaration(s, value.cls).member(name)
        if member is None or member.kind.data != "constant":
            raise s.unsupported(f"the attribute '{name}' of a class is not compiled here", category=Category.NAME)
        s.bind(op.results[0], s.captured_value(member.symbol))
        return True
    if is_object(value):
        found = type_of(s, value) if name == "__class__" else read(s, value, name)
        s.bind(op.results[0], found)
        return True
    if isinstance(op, dyn.GetAttrOp) and name not in dyn.ARRAY_ATTRIBUTES:
        raise s.unsupported(f"the attribute '.{name}' is not compiled", category=Category.NAME)
    return False


def field(s: Interpretation, value: SSAValue, name: str) -> SSAValue:
    """A field that an object has."""
    if isinstance(made := value.owner, obj.NewOp):
        assert isinstance(value.type, obj.ObjectType)
        return made.fields[value.type.fields.index(name)]
    return s.add(obj.GetOp(value, name)).result


def record_field(s: Interpretation, op: dyn.FieldOp) -> None:
    """`e["x"]`, where `e` is an element of a structured array, or a captured one."""
    value, name = s.get(op.container), op.field.data
    if isinstance(value, ObjectSequence) and value.cls == RECORD:
        s.values[op.result] = record_part(s, value, name)
        return
    if not is_record(value):
        noun = value.noun if isinstance(value, Abstract) else describe(s.typed(op.container).type)
        raise s.unsupported(f"the index '{name}' into {noun} is not compiled", category=Category.CONTAINER)
    if isinstance(value, Reference):
        record_part(s, value.sequence, name)
        s.bind(op.result, object_sequences.field(s, value, name))
        return
    assert isinstance(value, SSAValue)
    if name not in field_names(value):
        raise _no_field(s, name)
    s.bind(op.result, field(s, value, name))


def record_part(s: Interpretation, records: ObjectSequence, name: str) -> Value:
    """The values of a field of a captured structured array."""
    part = records.part(name)
    if part is None:
        raise _no_field(s, name)
    return part


def _no_field(s: Interpretation, name: str) -> UnsupportedError:
    return s.unsupported(f"the elements have no field '{name}' that is compiled", category=Category.CONTAINER)


def read(s: Interpretation, value: Value, name: str) -> Value:
    """`value.name`, of an object."""
    if is_numpy(value):
        return _named_field(s, value, name)
    cls = class_of(s, value)
    member = cls.member(name)
    if cls.enumeration is not None and name == "value" and member is None:
        name = VALUE
    if member is not None and member.kind.data == "property":
        return call_member(s, member.symbol, [value])
    if isinstance(value, SSAValue) and object_tables.is_reference(value.type):
        if object_tables.column(s, value, name) is not None:
            return object_tables.read(s, value, name)
    elif name in field_names(value) and _has_all(cls, value, name):
        if isinstance(value, Reference):
            return object_sequences.field(s, value, name)
        assert isinstance(value, SSAValue)
        return field(s, value, name)
    if member is not None and member.kind.data == "constant" and _is_new(value):
        return s.captured_value(member.symbol)
    if member is not None and member.kind.data == "constant":
        raise s.unsupported(f"'{name}' may be an attribute of the object, or of its class", category=Category.NAME)
    if member is not None and member.kind.data == "refused":
        raise s.unsupported(member.reason, category=Category.NAME)
    if member is not None:
        raise s.unsupported(f"the method '{name}' is called here, but is not a value", category=Category.NAME)
    raise s.unsupported(f"a {cls.sym_name.data} has no attribute '{name}' that is compiled", category=Category.NAME)


def _has_all(cls: obj.ClassOp, value: Value, name: str) -> bool:
    """Whether an object that may be new has a field that can be read if it came from outside, too."""
    may_be_either = isinstance(value, SSAValue) and IDENTITY in _type(value).fields and not _type(value).is_given
    return not may_be_either or name in [known.data for known in cls.fields]


def _is_new(value: Value) -> bool:
    """Whether an object has no other attributes than its fields: one from outside may have some that are not read."""
    return isinstance(value, SSAValue) and not _type(value).is_given and IDENTITY not in _type(value).fields


def _named_field(s: Interpretation, value: Value, name: str) -> Value:
    """`e.name` of an element of a `recarray`; what all records have under that name comes first."""
    if symbol_of(value) != NAMED_RECORD or name not in field_names(value) or hasattr(np.void, name):
        noun = "a field that is an array" if symbol_of(value) == FIELD_ARRAY else "an element of a structured array"
        raise s.unsupported(f"the attribute '{name}' of {noun} is not compiled")
    assert isinstance(value, SSAValue)
    found = field(s, value, name)
    if not is_record(found):
        return found
    assert isinstance(found.type, obj.ObjectType)  # read as an attribute, it has attributes itself
    fields = [field(s, found, inner) for inner in found.type.fields]
    return make(s, NAMED_RECORD, found.type.fields, fields, given=True)


# --------------------------------------------------------------------------------------------------------------------
# Methods and operators
# --------------------------------------------------------------------------------------------------------------------


def method(s: Interpretation, op: dyn.MethodOp) -> None:
    """`value.method(...)`."""
    value, name = s.get(op.container), op.method.data
    if name == "__iter__":  # what it returns here is no iterator
        raise s.unsupported("a call of __iter__ is not compiled", hint="loop over the object", category=Category.CALL)
    arguments = [v if isinstance(v := s.get(old), Abstract) else s.typed(old) for old in op.arguments]
    if isinstance(value, ClassValue):
        found = declaration(s, value.cls).member(name)
        if found is None or found.kind.data not in ("static", "class"):
            raise s.unsupported(f"'{name}' of a class is not compiled here", category=Category.CALL)
        receiver: list[Value] = [value] if found.kind.data == "class" else []
        s.bind(op.result, call_member(s, found.symbol, [*receiver, *arguments]))
        return
    if not is_object(value):
        noun = value.noun if isinstance(value, Abstract) else describe(s.typed(op.container).type)
        raise s.unsupported(f"the method '{name}' of {noun} is not compiled", category=Category.CALL)
    member = class_of(s, value).member(name)
    if member is None or member.kind.data not in ("method", "static", "class") or has_field(s, value, name):
        noun = value.noun if isinstance(value, Abstract) else describe(s.typed(op.container).type)
        raise s.unsupported(f"{noun} has no method '{name}' that is compiled", category=Category.CALL)
    first: dict[str, list[Value]] = {"method": [value], "static": [], "class": [ClassValue(symbol_of(value))]}
    s.bind(op.result, call_member(s, member.symbol, [*first[member.kind.data], *arguments]))


def call_member(s: Interpretation, symbol: str, arguments: Sequence[Value]) -> Value:
    """Call a function of a class, which may not call itself."""
    if symbol in s.active_members:
        raise s.unsupported(
            f"{symbol}() calls itself, and a device has no call stack",
            hint="write the recursion as a loop",
            category=Category.RECURSION,
        )
    s.active_members.append(symbol)
    try:
        return s.call(symbol, arguments)
    finally:
        s.active_members.pop()


CONVERSIONS = {
    "abs": "abs", "len": "len", "float": "float", "int": "int", "complex": "complex", "round": "round",
    "divmod": "divmod", "math.floor": "floor", "math.ceil": "ceil", "math.trunc": "trunc",
}  # fmt: skip
"""The functions that ask the class of their first argument, and what they call."""
_GIVES = {"float": dyn.FLOAT, "int": dyn.INT, "complex": dyn.COMPLEX}
"""What a conversion must give, or Python raises or warns."""


def convert(s: Interpretation, name: str, arguments: Sequence[Value]) -> Value | None:
    """A function that an object's class has a special method for; None for anything else."""
    first = arguments[0]
    if name == "divmod" and len(arguments) == 2 and is_object(arguments[1]):
        check_order(s, first, arguments[1])
    result = apply_special(s, CONVERSIONS[name], first, arguments[1:])
    if result is None:
        return None
    if name == "len":
        checked_length(s, s.unbox(s.on_device(result)))
    if name in _GIVES and s.unbox(s.on_device(result)).source != _GIVES[name]:
        raise s.unsupported(f"a __{name}__ gives a number of another type", category=Category.CONTAINER)
    return result


def iterated(s: Interpretation, value: Value) -> Value | None:
    """What the iterator of an object runs over; None for anything else, and for objects that are tuples."""
    if not is_object(value) or is_record(value) or class_of(s, value).sequence is not None:
        return None
    return apply_special(s, "iter", value, [])


def type_of(s: Interpretation, value: Value) -> Value:
    """`type(value)`."""
    if not is_object(value) or is_record(value):
        raise s.unsupported("the type of a value that is no object is not compiled", category=Category.CONTAINER)
    return ClassValue(symbol_of(value))


def special(s: Interpretation, value: Value, name: str) -> obj.MemberAttr | None:
    """What a special method of an object's class means; None if it has none."""
    found = class_of(s, value).member(f"__{name}__")
    if found is not None and found.kind.data == "refused":
        raise s.unsupported(found.reason, category=Category.NAME)
    return found


def apply_special(s: Interpretation, name: str, value: Value, arguments: Sequence[Value]) -> Value | None:
    """The result of a special method; None if the class has none."""
    if not is_object(value):
        return None
    found = special(s, value, name)
    if found is None or found.kind.data == "fields":
        return None
    if found.kind.data != "method":
        raise s.unsupported(f"__{name}__ of a {class_of(s, value).sym_name.data} is not a plain method")
    return call_member(s, found.symbol, [value, *arguments])


def binary(s: Interpretation, name: str, left: Value, right: Value, *, in_place: bool) -> Value | None:
    """`left + right`, ... of which one is an object that is not a tuple; None if neither is."""
    if not any(is_object(value) for value in (left, right)):
        return None
    refuse_numpy(s, left)
    check_order(s, left, right)
    if in_place and is_object(left) and special(s, left, f"i{name}") is not None:
        raise s.unsupported(f"__i{name}__ may change the object, and is not compiled")
    result = apply_special(s, name, left, [right])
    if result is None and not same_class(left, right):
        result = apply_special(s, f"r{name}", right, [left])
    if are_numbers(s, left, right):
        return result
    if result is None and all(not is_object(v) or class_of(s, v).sequence is None for v in (left, right)):
        raise s.unsupported(f"the operator '{name}' is not defined for {nouns(s, left, right)}")
    return result


def kind_of_member(s: Interpretation, value: Value) -> str | None:
    """What the member of an enumeration is: "plain", a "number" or a "text"; None for any other value."""
    kind = class_of(s, value).enumeration if is_object(value) and not is_record(value) else None
    return None if kind is None else kind.data


def are_numbers(s: Interpretation, left: Value, right: Value) -> bool:
    """Whether an operator is that of numbers, of which one is a member of an enumeration."""
    if "number" not in (kind_of_member(s, left), kind_of_member(s, right)):
        return False
    refuse_numpy(s, left)
    refuse_numpy(s, right)
    return True


def plain_field(s: Interpretation, value: Value, name: str) -> SSAValue:
    """A field of an object, which must be a value on the device."""
    result = read(s, value, name)
    if not isinstance(result, SSAValue):
        raise s.unsupported(f"the field '{name}' is not compared")
    return result


def truth(s: Interpretation, value: Value) -> SSAValue:
    """Whether a value counts as true: an object asks its class, and is true if that does not say."""
    if not is_object(value):
        return s.truth(s.unbox(s.on_device(value)))
    for name, source in (("bool", dyn.BOOL), ("len", dyn.INT)):
        result = apply_special(s, name, value, [])
        if result is not None:
            number = s.unbox(s.on_device(result))
            if number.source != source:
                raise s.unsupported(f"a __{name}__ gives {s.names(number)}")
            return s.truth(number if name == "bool" else checked_length(s, number))
    kind = kind_of_member(s, value)
    if kind == "text":
        raise s.unsupported("the truth of a text is not compiled", category=Category.CONTAINER)
    if kind == "number":
        return s.truth(s.unbox(plain_field(s, value, VALUE)))
    return s.flag(class_of(s, value).sequence is None or bool(class_of(s, value).fields))


def checked_length(s: Interpretation, number: Number) -> Number:
    """What `__len__` gives must be an integer that is not negative, or Python raises."""
    if number.source != dyn.INT:
        raise s.unsupported(f"a __len__ gives {s.names(number)}", category=Category.CONTAINER)
    s.require(s.compare_ints("sge", number.value, 0), GuardKind.DOMAIN, "a __len__ gives a negative number")
    return number


def same_class(left: Value, right: Value) -> bool:
    """Whether two values are objects of the same class."""
    return is_object(left) and is_object(right) and symbol_of(left) == symbol_of(right)


def refuse_numpy(s: Interpretation, left: Value) -> None:
    """A NumPy scalar takes the other operand for an array, if it looks like one."""
    if isinstance(left, SSAValue) and isinstance(left.type, obj.BoxedType) and not is_python(left.type.source):
        raise s.unsupported("an operator of a NumPy scalar and an object is not compiled", hint="put the object first")


def symbol_of(value: Value) -> str:
    """The name of an object's class."""
    return value.sequence.cls if isinstance(value, Reference) else _type(value).symbol


def field_names(value: Value) -> tuple[str, ...]:
    """The names of an object's fields."""
    return value.sequence.names if isinstance(value, Reference) else _type(value).fields


def has_field(s: Interpretation, value: Value, name: str) -> bool:
    """Whether an object has a field of that name that is read."""
    if isinstance(value, SSAValue) and object_tables.is_reference(value.type):
        return object_tables.column(s, value, name) is not None
    return name in field_names(value)


def _type(value: Value) -> obj.ObjectType:
    assert isinstance(value, SSAValue)
    assert isinstance(value.type, obj.ObjectType)
    return value.type


def check_order(s: Interpretation, left: Value, right: Value) -> None:
    """Python asks the right operand first if its class is derived from the left one's."""
    if same_class(left, right) or not is_object(right):
        return
    bases = [base.data for base in class_of(s, right).bases][1:]
    first = is_object(left) and class_of(s, left).sym_name.data in bases
    if first or (class_of(s, right).sequence is not None and not is_object(left)):
        raise s.unsupported("an operator of a class and one derived from it is not compiled")


def nouns(s: Interpretation, *values: Value) -> str:
    """How a message names values."""
    return " and ".join(v.noun if isinstance(v, Abstract) else describe(s.on_device(v).type) for v in values)

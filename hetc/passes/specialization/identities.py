"""Which object an object is.

The type of an object says what is known of that:

| type | the object |
|---|---|
| `!obj.object<@P {...}>` | is new: it is made here |
| `!obj.object<given @P {..., id$: si64}>` | came from outside, and its identity is a field |
| `!obj.object<@P {..., id$: si64}>` | may be either; where the identity is zero, it is new |
| `!obj.object<given @P {...}>` | came from outside, and which one it is, is not known |
| `!obj.object<given @P {place$: !dyn.int}>` | is in the table of its class, which says which one it is |
"""

from __future__ import annotations

from xdsl.dialects.arith import OrIOp
from xdsl.ir import Attribute, SSAValue

from hetc.abi import IDENTITY
from hetc.dialects import obj
from hetc.dialects.guard import GuardKind
from hetc.errors import UnsupportedError
from hetc.passes.specialization import object_sequences, object_tables
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.values import ObjectSequence, Reference, Value


def is_known(type_: Attribute) -> bool:
    """Whether it is the type of objects that came from outside, and of which it is known which ones they are."""
    return isinstance(type_, obj.ObjectType) and type_.is_given and IDENTITY in type_.fields


def is_unknown(type_: Attribute) -> bool:
    """Whether it is the type of objects that came from outside, of which it is not known which ones they are."""
    return isinstance(type_, obj.ObjectType) and type_.is_given and IDENTITY not in type_.fields


def identity(s: Interpretation, value: Value) -> SSAValue | None:
    """The identity of an object, as an integer; None for a new one.

    Raises UnsupportedError for one that came from outside without it.
    """
    if isinstance(value, Reference):
        if IDENTITY not in value.sequence.names:
            raise _unknown(s)
        return s.unbox(s.on_device(object_sequences.field(s, value, IDENTITY))).value
    assert isinstance(value, SSAValue)
    assert isinstance(value.type, obj.ObjectType)
    if object_tables.is_reference(value.type):
        if object_tables.column(s, value, IDENTITY) is None:
            raise _unknown(s)
        return s.unbox(s.on_device(object_tables.read(s, value, IDENTITY))).value
    if is_unknown(value.type):
        raise _unknown(s)
    if IDENTITY not in value.type.fields:
        return None
    return s.unbox(s.add(obj.GetOp(value, IDENTITY)).result).value


def _unknown(s: Interpretation) -> UnsupportedError:
    return s.unsupported("the identity of these objects is not compiled", hint="compare a field that tells them apart")


def same_object(s: Interpretation, left: Value, right: Value) -> SSAValue:
    """Whether two values are the same object, as an `i1`. Where both may be new, Python finds out."""
    if left is right:
        return s.flag(True)
    first, second = identity(s, left), identity(s, right)
    if first is None and second is None:
        raise s.unsupported("which of two new objects it is, is not compiled", hint="compare a field that differs")
    may_be_new = [number for number, value in ((first, left), (second, right)) if number is None or _may_be_new(value)]
    if len(may_be_new) == 2:
        known = [s.compare_ints("ne", number, 0) for number in may_be_new if number is not None]
        is_told = known[0] if len(known) == 1 else s.add(OrIOp(known[0], known[1])).result
        s.require(is_told, GuardKind.DOMAIN, "two new objects are compared by identity")
    if first is None or second is None:
        return s.flag(False)
    return s.compare_ints("eq", first, second)


def _may_be_new(value: Value) -> bool:
    return isinstance(value, SSAValue) and isinstance(value.type, obj.ObjectType) and not value.type.is_given


def reference_as_object(s: Interpretation, value: Reference) -> SSAValue | None:
    """An object of a captured list as its identity alone, which is what a result needs; None if it is not known."""
    sequence: ObjectSequence = value.sequence
    if IDENTITY not in sequence.names:
        return None
    number = s.on_device(object_sequences.field(s, value, IDENTITY))
    return s.add(obj.NewOp([number], obj.ObjectType(sequence.cls, [IDENTITY], [number.type], given=True))).result

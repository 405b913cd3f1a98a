"""Classes of the program as IR: an `obj.class` each, and for classes that are called the function that makes an object.

That function has no place in the source: what it does counts as done where it is called. `Point(x, y)` makes an object
without fields and hands it to `__init__`; if `dataclass` wrote that, or the class is a NamedTuple, the fields are the
arguments.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from hetc.abi import FIELD_ARRAY, NAMED_RECORD, RECORD, Refused
from hetc.dialects import dyn, obj
from hetc.errors import UnsupportedError
from hetc.frontends.python.classes import ClassFacts, is_named_tuple
from hetc.frontends.python.closure import ObjectTable, Program, References
from hetc.frontends.python.objects import has_generated_init


def emit_classes(program: Program, refused: Mapping[str, Refused]) -> list[Operation]:
    """The declarations of all classes of a program, and the functions that make their objects.

    `refused` are the captured variables that are not compiled, constants of classes among them.
    """
    symbols = {facts.cls: facts.symbol for facts in program.known_classes()}
    tables = [declare_table(program, table, refused) for table in program.tables_of_objects()]
    ops: list[Operation] = [declare_class(program, facts, symbols, refused) for facts in program.known_classes()]
    for facts in program.known_classes():
        if program.is_made(facts.cls):
            maker = emit_maker(program, facts)
            ops += [] if maker is None else [maker]
    return ops + tables


def declare_records() -> list[obj.ClassOp]:
    """The classes of the elements of structured arrays, and of fields that are arrays."""
    record = "an element of a structured array"
    nouns = {RECORD: record, NAMED_RECORD: record, FIELD_ARRAY: "a field that is an array"}
    refusals = {name: StringAttr(f"the truth value of {noun} is not compiled") for name, noun in nouns.items()}
    return [
        obj.ClassOp(name, [], [name, "object"], {"__bool__": obj.MemberAttr("refused", refused)})
        for name, refused in refusals.items()
    ]


def declare_table(program: Program, table: ObjectTable, refused: Mapping[str, Refused]) -> obj.TableOp:
    """The declaration of a table. Reading a field that is not compiled is refused, where it is read."""
    columns: dict[str, obj.ColumnAttr] = {}
    for name, column in table.columns.items():
        if isinstance(column, References):
            columns[name] = obj.ColumnAttr(column.places.name, program.symbol(column.cls), none=column.has_none)
        elif column.name in refused:
            program.refuse(table.cls, name, refused[column.name].reason)
        else:
            columns[name] = obj.ColumnAttr(column.name)
    return obj.TableOp(program.symbol(table.cls), list(columns), list(columns.values()))


def declare_class(
    program: Program, facts: ClassFacts, symbols: dict[type, str], refused: Mapping[str, Refused]
) -> obj.ClassOp:
    """The declaration of a class."""
    fields = [name for name in facts.fields if name not in facts.refused]
    # A constant of the class that is not compiled is no matter where objects have a value of their own.
    hidden = [n for n in fields if n in facts.members and program.member_symbol(facts, n) in refused]
    bases = [symbols.get(base, base.__qualname__) for base in facts.cls.__mro__]
    op = obj.ClassOp(
        facts.symbol,
        fields,
        bases,
        {
            **{name: _member(program, facts, name, refused) for name in facts.members if name not in hidden},
            # What objects have of their own comes before a constant of the class.
            **{name: obj.MemberAttr("refused", StringAttr(reason)) for name, reason in facts.refused.items()},
        },
        maker=_maker_symbol(program, facts) if program.is_made(facts.cls) else None,
        mutable=not facts.is_frozen and not facts.is_sequence and facts.enumeration is None,
        slots=None if facts.is_sequence else facts.slots,
        sequence=facts.is_sequence,
    )
    op.enumeration = None if facts.enumeration is None else StringAttr(facts.enumeration)
    return op


def _maker_symbol(program: Program, facts: ClassFacts) -> str | None:
    try:
        return program.constructor(facts.cls)[0]
    except UnsupportedError:
        return None


def _member(program: Program, facts: ClassFacts, name: str, refused: Mapping[str, Refused]) -> obj.MemberAttr:
    member = facts.members[name]
    if member.kind == "fields":
        return obj.MemberAttr("fields", ArrayAttr(map(StringAttr, member.fields)))
    if member.kind == "refused":
        return obj.MemberAttr("refused", StringAttr(member.reason))
    symbol = program.member_symbol(facts, name)
    if isinstance(symbol, UnsupportedError):
        return obj.MemberAttr("refused", StringAttr(symbol.reason))
    if symbol in refused:
        return obj.MemberAttr("refused", StringAttr(refused[symbol].reason))
    return obj.MemberAttr(member.kind, SymbolRefAttr(symbol))


def emit_maker(program: Program, facts: ClassFacts) -> func.FuncOp | None:
    """The function that makes an object of a class; None if that is not compiled."""
    try:
        symbol, signature = program.constructor(facts.cls)
    except UnsupportedError:
        return None
    types: list[Attribute] = [dyn.OBJECT] * len(signature.parameters)
    block = Block(arg_types=types)
    by_name: dict[str, SSAValue] = dict(zip(signature.parameters, block.args, strict=True))
    fields = _fields_from_arguments(facts.cls)
    new = dyn.NewOp("made", facts.symbol, fields, [by_name[name] for name in fields])
    block.add_op(new)
    made = new.result
    for name, arguments in _initializers(facts.cls, list(block.args)):
        call = dyn.CallOp(program.initializer_symbol(facts.cls, name), [made, *arguments])
        block.add_op(call)
        made = call.result
    block.add_op(func.ReturnOp(made))
    return func.FuncOp(symbol, (types, [dyn.OBJECT]), Region(block), visibility="private")


def _fields_from_arguments(cls: type) -> list[str]:
    """The fields that the arguments of the class become."""
    if is_named_tuple(cls):
        return list(cast("Any", cls)._fields)
    return [f.name for f in dataclasses.fields(cast("Any", cls)) if f.init] if has_generated_init(cls) else []


def _initializers(cls: type, arguments: Sequence[SSAValue]) -> list[tuple[str, Sequence[SSAValue]]]:
    """The functions that then fill the object, with their arguments."""
    if is_named_tuple(cls):
        return []
    if not has_generated_init(cls):
        return [("__init__", arguments)] if isinstance(cls.__init__, FunctionType) else []
    return [("__post_init__", ())] if hasattr(cls, "__post_init__") else []

"""Programs over objects: a function of numbers becomes one of objects, whose fields are what its parameters were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.fuzz.grammar import CONSTANTS, KINDS, Generator, indented

CLASS = "Record"
KIND = "Level"
"""An enumeration of numbers."""
ELEMENT = "one"
"""The parameter that is an object."""


@dataclass(frozen=True)
class ObjectProgram:
    """The class, and what stands before and after the statements of the function."""

    declaration: list[str]
    opening: list[str]
    ending: list[str]
    has_holes: bool
    kept: bool = False
    """Whether the results are asked for as a portable array: all of them are new objects."""

    def input(self, inputs: Sequence[str]) -> str:
        """The text of one input, a list of objects, of those of the program that it was made of."""
        values = f"zip({', '.join(inputs)})"
        if self.has_holes:
            return f"[None if k % 3 == 1 else {CLASS}(*values) for k, values in enumerate({values})]"
        return f"[{CLASS}(*values) for values in {values}]"


def draw_objects(g: Generator, fields: Sequence[str], ending: str, *, mapped: bool) -> ObjectProgram:
    """Draw a class with these fields. `mapped`: the program is a map, whose results may be anything."""
    style = g.pick("plain", "plain", "dataclass", "slots", "frozen", "inherited", "named tuple")
    g.constructs |= {"objects", f"objects: {style}"}
    declaration = {"named tuple": _named_tuple, "plain": _plain, "inherited": _inherited}.get(style, _dataclass)
    has_holes = g.maybe(0.2)
    opening = _opening(g, fields, is_tuple=style == "named tuple")
    if has_holes:
        g.constructs.add("objects: None among them")
        opening = [f"if {ELEMENT} is None:", f"    return {_nothing(g)}", *opening]
    lines, kept = [ending], False
    if mapped and not g.pair and g.maybe(0.25):
        g.constructs.add("objects: result")
        lines = [f"return {CLASS}({', '.join([ending.removeprefix('return '), *fields[1:]])})"]
        kept = not has_holes and g.maybe(0.4)
    elif mapped and g.maybe(0.2):
        g.constructs.add("objects: the element itself")
        value = ending.removeprefix("return ")
        either = f"{ELEMENT} if {fields[0]} == {fields[-1]} else {CLASS}({', '.join(fields)})"
        lines = [f"return {g.pick(ELEMENT, either, f'({ELEMENT}, {value})')}"]
    if mapped and not has_holes and style not in ("frozen", "named tuple") and g.maybe(0.15):
        g.constructs.add("objects: assigned")
        lines = [f"{ELEMENT}.{g.pick(*fields)} {g.pick('=', '=', '+=')} {g.expression(g.pick(*_kinds(g)), 1)}", *lines]
    kinds = ["import enum", "", "", f"class {KIND}(enum.IntEnum):", "    LOW = -1", "    HIGH = 3", "", ""]
    return ObjectProgram(
        [*kinds, *declaration(style, fields), *indented(_members(fields, style))], opening, lines, has_holes, kept
    )


def _kinds(g: Generator) -> list[str]:
    return [variable.kind for variable in g.variables if variable.kind in KINDS] or ["int"]


def _nothing(g: Generator) -> str:
    """What the function gives for None."""
    constant = g.pick(*CONSTANTS[g.result_kind])
    return f"({constant}, {constant})" if g.pair else constant


def _opening(g: Generator, fields: Sequence[str], *, is_tuple: bool) -> list[str]:
    """How the function comes by its numbers."""
    ways = ("attributes", "attributes", "method", "property", "operator", "class method", "copy", "enumeration", "is")
    how = g.pick(*ways, "unpacked", *(() if is_tuple else ("loop", "type")))
    g.constructs.add(f"objects: {how}")
    each = [f"{name} = {ELEMENT}.{name}" for name in fields]
    match how:
        case "method":
            return [f"{', '.join(fields)}, = {ELEMENT}.parts()"]
        case "property":
            return [f"{fields[0]} = {ELEMENT}.first", *each[1:]]
        case "operator":
            return [f"{ELEMENT}_ = {ELEMENT} {g.pick('+', '-')} {ELEMENT}", *(line.replace(".", "_.") for line in each)]
        case "enumeration":
            member = f"kind_ = {KIND}.LOW if {fields[0]} == {fields[-1]} else {KIND}.HIGH"
            number = g.pick("kind_", "kind_.value", f"(kind_ is not {KIND}.LOW)")
            return [*each, member, f"{fields[0]} = {fields[0]} {g.pick('+', '-')} {number}"]
        case "is":
            either = f"{ELEMENT} if {fields[0]} == {fields[-1]} else {CLASS}({', '.join(fields)})"
            return [
                *each,
                f"{fields[0]} = {fields[0]} {g.pick('+', '-')} (({either}) {g.pick('is', 'is not')} {ELEMENT})",
            ]
        case "unpacked":
            return [f"{', '.join(fields)}, = {ELEMENT}"]
        case "loop":
            first = f"{fields[0]} = sum(2 * number for number in {ELEMENT}) if {fields[-1]} in {ELEMENT} else 0"
            return [*each, first]
        case "type":
            made = f"{ELEMENT}_ = type({ELEMENT})({', '.join(f'{ELEMENT}.{name}' for name in reversed(fields))})"
            return [made, *(line.replace(".", "_.") for line in each)]
        case "class method":
            return [
                f"{ELEMENT}_ = {CLASS}.of({ELEMENT}.{fields[0]})",
                f"{fields[0]} = {ELEMENT}_.{fields[0]}",
                *each[1:],
            ]
        case "copy":
            return [f"{ELEMENT}_ = {CLASS}({', '.join(f'{ELEMENT}.{name}' for name in reversed(fields))})",
                    *(line.replace(".", "_.") for line in each)]  # fmt: skip
        case _:
            return each


def _members(fields: Sequence[str], style: str) -> list[str]:
    """Methods of all classes."""
    iterated = ["", "def __iter__(self):", f"    return iter(({', '.join(f'self.{name}' for name in fields)},))"]
    added, taken = (", ".join(f"self.{n} {sign} other.{n}" for n in fields) for sign in ("+", "*"))
    return [
        *([] if style == "named tuple" else iterated),
        "", "def parts(self):", f"    return ({', '.join(f'self.{name}' for name in fields)},)",
        "", "@property", "def first(self):", f"    return self.{fields[0]}",
        "", "@classmethod", "def of(cls, x):", f"    return cls({', '.join(['x'] * len(fields))})",
        "", "def __add__(self, other):", f"    return {CLASS}({added})",
        "", "def __sub__(self, other):", f"    return {CLASS}({taken})",
    ]  # fmt: skip


# --------------------------------------------------------------------------------------------------------------------
# Classes
# --------------------------------------------------------------------------------------------------------------------


def _initializer(fields: Sequence[str], first: str) -> list[str]:
    return [f"def __init__(self, {', '.join(fields)}):", f"    {first}", *(f"    self.{n} = {n}" for n in fields[1:])]


def _plain(style: str, fields: Sequence[str]) -> list[str]:
    return [f"class {CLASS}:", *indented(_initializer(fields, f"self.{fields[0]} = {fields[0]}"))]


def _inherited(style: str, fields: Sequence[str]) -> list[str]:
    base = ["class Base:", *indented(_initializer(fields[:1], f"self.{fields[0]} = {fields[0]}")), "", ""]
    return [*base, f"class {CLASS}(Base):", *indented(_initializer(fields, f"super().__init__({fields[0]})"))]


def _named_tuple(style: str, fields: Sequence[str]) -> list[str]:
    return ["import typing", "", "", f"class {CLASS}(typing.NamedTuple):", *(f"    {name}: object" for name in fields)]


def _dataclass(style: str, fields: Sequence[str]) -> list[str]:
    options = {"slots": "slots=True", "frozen": "frozen=True", "dataclass": ""}[style]
    head = ["import dataclasses", "", "", f"@dataclasses.dataclass({options})", f"class {CLASS}:"]
    return [*head, *(f"    {name}: object" for name in fields)]

"""What the classes of a program mean at this call: fields, methods, properties, constants, operators.

A class is looked at anew at each call, so that what has been replaced since is seen. Only names that the compiled
functions read are looked at: they decide what is described and moved. Python's own rules say what a name means: a data
descriptor of the class (a property, a slot) comes before the object's dict, anything else of the class after it.
"""

from __future__ import annotations

import abc
import dataclasses
import dis
import functools
import typing
from collections.abc import Iterator, Sequence
from dataclasses import field
from types import CodeType, FunctionType, MemberDescriptorType, WrapperDescriptorType
from typing import Any, cast

from hetc.arrays.base import Array
from hetc.arrays.objects import ObjectArray
from hetc.dataclass import dataclass
from hetc.enumerations import ORDER, VALUE, is_own, kind_of
from hetc.errors import UnsupportedError
from hetc.records import ClassLayout, Method, setter_of

SAMPLES = 64
"""How many objects are looked at to find the classes of fields."""

_COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
REFLECTED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
_ARITHMETIC = (
    "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift",
)  # fmt: skip
_OTHERS = (
    "neg",
    "pos",
    "invert",
    "abs",
    "bool",
    "len",
    "getitem",
    "call",
    "float",
    "int",
    "contains",
    "iter",
    "index",
    "complex",
    "round",
    "floor",
    "ceil",
    "trunc",
    "divmod",
)
_SPECIAL = frozenset(
    f"__{name}__" for name in (*_ARITHMETIC, *(f"r{n}" for n in _ARITHMETIC), *(f"i{n}" for n in _ARITHMETIC), *_OTHERS)
)
_ORDER = frozenset(f"__{name}__" for name in REFLECTED)
_HEAP_TYPE = 1 << 9


class Member:
    """What a name in a class means; `kind` is that of `#obj.member`, `function` the Python function that it calls."""

    # No dataclass: to a type checker, a function that is a field of a class is a method of it.
    def __init__(
        self,
        kind: str,
        function: FunctionType | None = None,
        fields: tuple[str, ...] = (),
        reason: str = "",
        value: object = None,
        setter: object = None,
    ) -> None:
        self.kind = kind
        self.function = function
        self.fields = fields
        self.reason = reason
        self.value = value
        self.setter = setter
        """What a property calls when it is assigned."""


@dataclass
class ClassFacts:
    """A class of the program, as far as the compiled functions use it. `samples` are some objects of it."""

    cls: type
    symbol: str
    fields: dict[str, None] = field(default_factory=dict[str, None])
    members: dict[str, Member] = field(default_factory=dict[str, Member])
    samples: list[object] = field(default_factory=list[object])
    refused: dict[str, str] = field(default_factory=dict[str, str])
    """The fields of some object that are not compiled, and why."""
    identified: bool = False
    """Whether the program asks which of its objects is which."""

    @property
    def enumeration(self) -> str | None:
        """What the members of an enumeration are; None for another class."""
        return kind_of(self.cls)

    @property
    def is_sequence(self) -> bool:
        """Whether it is a NamedTuple."""
        return is_named_tuple(self.cls)

    @property
    def has_dict(self) -> bool:
        """Whether its objects can have attributes that the class does not name."""
        return bool(self.cls.__dictoffset__)

    @property
    def is_frozen(self) -> bool:
        """Whether assigning a field raises, or runs code of the user's."""
        return self.cls.__setattr__ is not object.__setattr__

    @functools.cached_property
    def slots(self) -> tuple[str, ...] | None:
        """The fields that there can be, None if there can be any."""
        if self.has_dict:
            return None
        found = [
            name for cls in self.cls.__mro__ for name, v in vars(cls).items() if isinstance(v, MemberDescriptorType)
        ]
        return tuple(found)

    @property
    def object_fields(self) -> list[str]:
        """The fields that are read and hold an object in some of the objects that are looked at."""
        return [n for n in self.fields if any(is_object(getattr(s, n, None)) for s in self.samples[:SAMPLES])]

    def own_fields(self) -> list[str]:
        """All fields that its objects have."""
        if self.enumeration is not None:
            return list(self.fields)
        slots = self.slots or ()
        return [name for name in (*slots, *getattr(self.samples[0], "__dict__", ())) if self._reads(name)]

    def layout(self) -> ClassLayout:
        """What marshalling needs to know."""
        plain = ("method", "class", "static")
        methods = (
            Method(name, member.function, member.kind)
            for name, member in self.members.items()
            if self.has_dict and member.kind in plain and member.function and name not in _SPECIAL | _ORDER
        )
        return ClassLayout(self.cls, self.symbol, tuple(self.fields), tuple(methods), self.refused, self.identified)

    def look_at(self, names: frozenset[str]) -> bool:
        """Find out what more names mean; whether there was anything new."""
        before = len(self.fields) + len(self.members)
        known: tuple[str, ...] = (*cast("Any", self.cls)._fields,) if self.is_sequence else ()
        if self.enumeration is not None:
            uses_value = self.enumeration == "number" or not names.isdisjoint(("value", VALUE))
            known = (ORDER, VALUE) if uses_value else (ORDER,)
        wanted = dict.fromkeys(known)
        for name in self._in_order(names):
            if name in self.fields or name in self.members or name in wanted:
                continue
            found, value = static_lookup(self.cls, name)
            if found and self.enumeration is not None and is_own(owner_of(self.cls, name)):
                continue
            if found and not isinstance(value, MemberDescriptorType):
                member = member_of(self.cls, name, value)
                if member is not None:
                    self.members[name] = member
                    if isinstance(member.setter, FunctionType):
                        self.members[setter_of(name)] = Member("setter", member.setter)
                if member is None or member.kind != "constant":
                    continue
            if self._reads(name):
                wanted[name] = None
        self.fields.update(wanted)
        return len(self.fields) + len(self.members) > before

    def _in_order(self, names: frozenset[str]) -> list[str]:
        """Names in the order in which the class and its objects have them, so that types are the same at each call."""
        known = [name for cls in reversed(written_bases(self.cls)) for name in vars(cls)]
        for sample in self.samples[:1]:
            known += getattr(sample, "__dict__", {})
        return [name for name in dict.fromkeys(known) if name in names and name.isascii()]

    def _reads(self, name: str) -> bool:
        """Whether some object has the attribute."""
        return any(hasattr(sample, name) for sample in self.samples[:SAMPLES])


# --------------------------------------------------------------------------------------------------------------------
# Classes and their members
# --------------------------------------------------------------------------------------------------------------------


def is_object(value: object) -> bool:
    """Whether a value is an object of a class that is written in Python, as far as hetc takes them."""
    return is_class(type(value))


@functools.lru_cache(maxsize=1024)
def is_class(cls: type) -> bool:
    """Whether a class is written in Python, with nothing under it but `object`, a NamedTuple, or an enumeration."""
    if kind_of(cls) is not None:
        return True
    if type(cls) not in (type, abc.ABCMeta) or Array in cls.__mro__:
        return False
    bases = [base for base in cls.__mro__[:-1] if base is not typing.Generic]
    if tuple in bases:
        return cls.__mro__[1] is tuple and hasattr(cls, "_fields") and hasattr(cls, "_make")
    return bool(bases) and all(base.__flags__ & _HEAP_TYPE and base.__module__ != "typing" for base in bases)


def is_named_tuple(cls: type) -> bool:
    """Whether a class, of those that `is_class` takes, is a NamedTuple."""
    return tuple in cls.__mro__


def is_dataclass(cls: type) -> bool:
    """Whether `dataclass` was applied to this very class."""
    return "__dataclass_params__" in vars(cls)


def check_class(cls: type) -> None:
    """Raise UnsupportedError for a class whose attributes are read by code of the user's."""
    for name in ("__getattribute__", "__getattr__"):
        found, value = static_lookup(cls, name)
        if found and not isinstance(value, WrapperDescriptorType):
            raise UnsupportedError(f"the class {cls.__qualname__} has a {name} of its own, which is not compiled")


def written_bases(cls: type) -> list[type]:
    """The class and its bases, but for those that are Python's own."""
    return [base for base in cls.__mro__ if base not in (object, tuple, typing.Generic)]


def static_lookup(cls: type, name: str) -> tuple[bool, object]:
    """What a name is in the class or its bases, without running any descriptor."""
    for base in cls.__mro__:
        if name in vars(base):
            return True, vars(base)[name]
    return False, None


def owner_of(cls: type, name: str) -> type:
    """The class or base that defines a name."""
    return next(base for base in cls.__mro__ if name in vars(base))


def member_of(cls: type, name: str, value: object) -> Member | None:
    """What a name that the class defines means; None for a value without meaning here."""
    match value:
        case FunctionType():
            generated = generated_fields(cls, name, value)
            return Member("method", value) if generated is None else Member("fields", fields=generated)
        case staticmethod() if isinstance(value.__func__, FunctionType):
            return Member("static", value.__func__)
        case classmethod() if isinstance(function := cast("Any", value).__func__, FunctionType):
            return Member("class", function)
        case property() if isinstance(value.fget, FunctionType):
            return Member("property", value.fget, setter=value.fset)
        case _ if hasattr(type(value), "__get__") or hasattr(type(value), "__set__"):
            return Member("refused", reason=f"'{name}' is a {type(value).__name__} of the class, which is not compiled")
        case _:
            return Member("constant", value=value)  # an object may have another one: then it is a field, too


def generated_fields(cls: type, name: str, function: FunctionType) -> tuple[str, ...] | None:
    """The fields that an operator made by `dataclass` compares; None for a function that somebody wrote."""
    if name not in _ORDER or name not in vars(cls) or not is_generated(cls, name, function):
        return None  # that of a base class asks whether the classes are the same
    return tuple(f.name for f in dataclasses.fields(cast("Any", cls)) if f.compare)


def is_generated(cls: type, name: str, function: FunctionType) -> bool:
    """Whether a method of a class is what `dataclass` writes: it has the code of that of another such class."""
    if not is_dataclass(cls) or function.__code__.co_filename != "<string>":
        return False
    fields = tuple(_shape_of(f) for f in dataclasses.fields(cast("Any", cls)))
    frozen: bool = cast("Any", cls).__dataclass_params__.frozen
    other: Any = vars(_similar(fields, frozen, hasattr(cls, "__post_init__"))).get(name)
    return isinstance(other, FunctionType) and _code_of(function) == _code_of(other)


FieldShape = tuple[str, bool, bool, bool, bool]
"""What decides on the code that `dataclass` writes for a field."""


def _shape_of(field: dataclasses.Field[Any]) -> FieldShape:
    return field.name, field.compare, field.kw_only is True, field.init, has_factory(field)


def has_factory(field: dataclasses.Field[Any]) -> bool:
    """Whether a field's default is made by a function."""
    return field.default_factory is not dataclasses.MISSING


@functools.lru_cache(maxsize=256)
def _similar(fields: tuple[FieldShape, ...], frozen: bool, post_init: bool) -> type:
    namespace: dict[str, Any] = {"__post_init__": print} if post_init else {}
    stated: list[tuple[str, type, Any]] = []
    for name, compare, kw_only, init, factory in fields:
        default: dict[str, Any] = {"default_factory": list} if factory else {"default": 0}
        stated.append((name, object, dataclasses.field(compare=compare, kw_only=kw_only, init=init, **default)))
    return dataclasses.make_dataclass("Similar", stated, namespace=namespace, frozen=frozen, order=True)


def _code_of(function: FunctionType) -> tuple[object, ...]:
    code = function.__code__
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_consts


# --------------------------------------------------------------------------------------------------------------------
# Names that code reads
# --------------------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=1024)
def attribute_names(code: CodeType) -> frozenset[str]:
    """The attributes that a code object may read or assign, also by its operators, and those nested in it."""
    return frozenset(_attribute_names(code))


def _attribute_names(code: CodeType) -> Iterator[str]:
    yield from _SPECIAL
    for instruction in dis.get_instructions(code):
        operation = instruction.opname
        if operation in ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "LOAD_SUPER_ATTR", "LOAD_SUPER_METHOD"):
            yield instruction.argval
        elif operation == "COMPARE_OP":
            spelled = instruction.argrepr.removeprefix("bool(").removesuffix(")")
            name = _COMPARISONS.get(spelled)
            if name is not None:
                yield from (f"__{name}__", f"__{REFLECTED[name]}__")
                yield from ("__eq__",) if name == "ne" else ()
        elif operation == "CONTAINS_OP":
            yield "__eq__"
    for nested in code.co_consts:
        if isinstance(nested, CodeType):
            yield from _attribute_names(nested)


@functools.lru_cache(maxsize=1024)
def assigned_attributes(code: CodeType) -> frozenset[str]:
    """The attributes that a code object may assign, and those nested in it."""
    own = (i.argval for i in dis.get_instructions(code) if i.opname == "STORE_ATTR")
    nested = (assigned_attributes(part) for part in code.co_consts if isinstance(part, CodeType))
    return frozenset(own).union(*nested)


def sample_objects(value: object, *, every: bool = False) -> Sequence[object]:
    """Some objects of a list or tuple that begins with one, or with None, or of an array; of anything else none.

    One of each class is among them if the first ones are of several, or with `every`.
    """
    if isinstance(value, ObjectArray):
        value = tuple(value.samples)
    if type(value) not in (list, tuple):
        return ()
    some = [element for element in cast("Sequence[object]", value)[:SAMPLES] if element is not None]
    if not some:
        first = next((element for element in cast("Sequence[object]", value) if element is not None), None)
        some = [] if first is None else [first]
    if every or len(set(map(type, some))) > 1:
        some += {type(element): element for element in cast("Sequence[object]", value) if element is not None}.values()
    return some if some and is_object(some[0]) else ()

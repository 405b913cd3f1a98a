"""Objects on level 0, run on Python: attributes, methods and operators, as the classes of the module say.

An object is its class, an `obj.class` of the module, and its fields. Operators find their special methods by Python's
own protocol, since `ConcreteObject` has all of them and asks the class of the module. What a field is comes from
different places: a new object has its own fields, one of a list may be an item of each of several arrays, and one of
the inputs is a Python object or what stands for one.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar, Protocol, cast, runtime_checkable

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType, TupleType
from xdsl.ir import Attribute

from hetc.abi import IDENTITY
from hetc.dataclass import dataclass
from hetc.dialects import dyn, obj, skel
from hetc.records import assigned_mark


class Runs(Protocol):
    """What objects ask of the run that they belong to."""

    @property
    def classes(self) -> Mapping[str, obj.ClassOp]:
        """The classes of the module."""
        ...

    @property
    def captured(self) -> Mapping[str, object]:
        """The values of captured variables."""
        ...

    def call(self, name: str, arguments: Sequence[object]) -> Any:
        """The result of a function of the module."""
        ...


class NotRunError(Exception):
    """The program comes to an op, or to a member of a class, that this interpreter does not run."""


@dataclass(eq=False)
class ConcreteObject:
    """An object. `own` are the fields that have a value here; `place` is where others are read, and stored."""

    run: Runs
    cls: obj.ClassOp
    own: dict[str, Any] = field(default_factory=dict[str, Any])
    place: Place | None = None

    def __getattr__(self, name: str) -> Any:
        """A field, or what the class has under the name."""
        if name.startswith("__"):  # Python asks for its own
            raise AttributeError(name)
        return self.attribute(name)

    def attribute(self, name: str) -> Any:
        """A field, or what the class has under the name. Raises AttributeError."""
        if name in self.own:
            return self.own[name]
        if self.place is not None and self.place.has(name):
            return self.place.read(name)
        member = self.cls.member(name)
        if member is None:
            raise AttributeError(f"'{self.cls.sym_name.data}' object has no attribute '{name}'")
        match member.kind.data:
            case "property":
                return self.run.call(member.symbol, [self])
            case "constant":
                return self.run.captured[member.symbol]
            case _:
                raise NotRunError(f"the member '{name}'")

    def with_attribute(self, name: str, value: object) -> ConcreteObject:
        """The object after an assignment, which stands for the one before it."""
        member = self.cls.member(name)
        if member is not None and member.kind.data in ("property", "setter"):
            raise NotRunError(f"the setter '{name}'")
        return ConcreteObject(self.run, self.cls, {**self.own, name: value}, self.place)

    def store(self, name: str, value: object) -> None:
        """Assign an attribute of an object that others see."""
        if self.place is None:
            self.own[name] = value
        else:
            self.place.store(name, value)

    def method(self, name: str, arguments: Sequence[object]) -> Any:
        """The result of a method."""
        member = self.cls.member(name)
        kind = "" if member is None else member.kind.data
        if member is None or kind not in ("method", "static"):
            raise NotRunError(f"the method '{name}'")
        return self.run.call(member.symbol, [*([self] if kind == "method" else []), *arguments])

    @property
    def identity(self) -> object:
        """What tells which object it is: equal for the same one."""
        if self.place is not None and self.place.has(IDENTITY):
            return self.place.read(IDENTITY)
        return id(self) if self.place is None else self.place.identity

    @property
    def symbol(self) -> str:
        """The name of the class in the module."""
        return self.cls.sym_name.data

    def fields(self) -> list[tuple[str, Any]]:
        """All fields that are known, with their values."""
        names = [name.data for name in self.cls.fields if name.data in self.own or self._has(name.data)]
        return [(name, self.attribute(name)) for name in names]

    def _has(self, name: str) -> bool:
        return self.place is not None and self.place.has(name)

    # --- Python's protocols -----------------------------------------------------------------------------------------

    def special(self, name: str, arguments: Sequence[object]) -> Any:
        """What a special method gives; NotImplemented without one."""
        member = self.cls.member(name)
        if member is None:
            return self._as_tuple(name, arguments) if self.cls.sequence is not None else NotImplemented
        if member.kind.data == "fields":
            return self._compared(name, member.fields, arguments[0])
        if member.kind.data != "method":
            raise NotRunError(f"the operator '{name}'")
        return self.run.call(member.symbol, [self, *arguments])

    def _as_tuple(self, name: str, arguments: Sequence[object]) -> Any:
        """What a method of tuples gives for the fields of a NamedTuple."""
        method = getattr(tuple, name, None)
        if method is None:
            return NotImplemented
        return method(tuple(self), *(tuple(a) if isinstance(a, ConcreteObject) else a for a in arguments))

    def _compared(self, name: str, names: Sequence[str], other: object) -> Any:
        """What `dataclass` writes: the tuples of the fields are compared."""
        if not isinstance(other, ConcreteObject) or other.cls is not self.cls:
            return NotImplemented
        one, two = (tuple(value.attribute(n) for n in names) for value in (self, other))
        return getattr(tuple, name)(one, two)

    def __eq__(self, other: object) -> Any:
        found = self.special("__eq__", [other])
        if found is NotImplemented and isinstance(other, ConcreteObject):
            return self.identity == other.identity
        return found

    def __ne__(self, other: object) -> Any:
        found = self.special("__ne__", [other])
        if found is not NotImplemented:
            return found
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        found = self.special("__bool__", [])
        found = self.special("__len__", []) if found is NotImplemented else found
        return True if found is NotImplemented else bool(found)

    def __iter__(self) -> Iterator[Any]:
        if self.cls.sequence is not None:
            return iter([self.attribute(name.data) for name in self.cls.fields])
        found = self.special("__iter__", [])
        if found is NotImplemented:
            raise TypeError(f"'{self.symbol}' object is not iterable")
        return iter(found)

    def __len__(self) -> int:
        if self.cls.sequence is not None:
            return len(self.cls.fields)
        found = self.special("__len__", [])
        if found is NotImplemented:
            raise TypeError(f"object of type '{self.symbol}' has no len()")
        return found

    def __getitem__(self, index: Any) -> Any:
        return tuple(self)[index] if self.cls.sequence is not None else self._required("__getitem__", index)

    def __contains__(self, item: object) -> bool:
        found = self.special("__contains__", [item])
        return any(one is item or one == item for one in self) if found is NotImplemented else bool(found)

    def __call__(self, *arguments: object) -> Any:
        return self._required("__call__", *arguments)

    def _required(self, name: str, *arguments: object) -> Any:
        found = self.special(name, arguments)
        if found is NotImplemented:
            raise TypeError(f"'{self.symbol}' object has no {name}")
        return found

    OPERATORS: ClassVar[tuple[str, ...]] = (
        "lt", "le", "gt", "ge", "neg", "pos", "invert", "abs", "round", "float", "int", "index", "trunc", "floor",
        "ceil",
        *(f"{reflected}{name}" for reflected in ("", "r") for name in (
            "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift",
        )),
    )  # fmt: skip


def _special_method(name: str) -> Callable[..., Any]:
    def method(self: ConcreteObject, *arguments: object) -> Any:
        return self.special(name, arguments)

    return method


for _name in ConcreteObject.OPERATORS:
    setattr(ConcreteObject, f"__{_name}__", _special_method(f"__{_name}__"))


class Place(Protocol):
    """Where the fields of an object are that are not its own."""

    @property
    def identity(self) -> object:
        """What tells which place it is."""
        ...

    def has(self, name: str) -> bool:
        """Whether there is a field of this name."""
        ...

    def read(self, name: str) -> Any:
        """The value of a field."""
        ...

    def store(self, name: str, value: object) -> None:
        """Assign a field."""
        ...


@runtime_checkable
class Recorded(Protocol):
    """What stands for a Python object: its fields by name, and the name of its class."""

    @property
    def symbol(self) -> str:
        """The name of the class in the module."""
        ...

    def field_named(self, name: str) -> Any:
        """The value of a field."""
        ...


@dataclass(frozen=True)
class OfPython:
    """The fields of a Python object, or of what has the attributes that are known of one: `types` are theirs."""

    run: Runs
    value: Any
    types: Mapping[str, Attribute]

    @property
    def identity(self) -> object:
        """That of the Python object."""
        return id(self.value)

    def has(self, name: str) -> bool:
        """Whether the object has the field."""
        return name in self.types and (name != IDENTITY or isinstance(self.value, Recorded))

    def read(self, name: str) -> Any:
        """The value of a field."""
        found = self.value.field_named(name) if isinstance(self.value, Recorded) else getattr(self.value, name)
        return wrapped(self.run, found, self.types[name])

    def store(self, name: str, value: object) -> None:
        """No Python object is changed."""
        raise NotRunError("an assignment to an object of the inputs")


@dataclass(frozen=True)
class InColumns:
    """The fields of an object of a list, each an item of a sequence at one place."""

    columns: Mapping[str, Any]
    number: int

    @property
    def identity(self) -> object:
        """The list, and the place in it."""
        return tuple(map(id, self.columns.values())), self.number

    def has(self, name: str) -> bool:
        """Whether there is a sequence for the field."""
        return name in self.columns

    def read(self, name: str) -> Any:
        """The item of a field's sequence."""
        return self.columns[name][self.number]

    def store(self, name: str, value: object) -> None:
        """Assign the item; an object by its fields, with a mark that it is another one."""
        if not isinstance(value, ConcreteObject):
            self.columns[name][self.number] = value
            return
        before = self.columns[name][self.number]
        for inner, item in value.fields():
            if before.place.has(inner):
                before.place.store(inner, item)
        if (mark := assigned_mark(name)) in self.columns:
            self.columns[mark][self.number] = True


@dataclass(frozen=True)
class PythonNumbers:
    """An array that stands for a list of Python's numbers: what is read of it is one of these.

    >>> import numpy as np
    >>> PythonNumbers(np.ones(2))[1]
    1.0
    """

    packed: Any

    def __len__(self) -> int:
        return len(self.packed)

    def __getitem__(self, index: Any) -> Any:
        return self.packed[index].item()

    def __setitem__(self, index: Any, value: object) -> None:
        self.packed[index] = value


def python_numbers(captured: Mapping[str, object], module: ModuleOp) -> dict[str, object]:
    """Captured values, with arrays that stand for lists of Python's numbers as such."""
    found = dict(captured)
    for op in module.ops:
        name = op.sym_name.data if isinstance(op, skel.CaptureOp) else ""
        if isinstance(op, skel.CaptureOp) and isinstance(value := found.get(name), np.ndarray):
            element = op.type.element_type if isinstance(op.type, TensorType) else None
            if isinstance(element, dyn.IntType | dyn.FloatType | dyn.BoolType | dyn.ComplexType):
                found[name] = PythonNumbers(value)
    return found


def new_object(run: Runs, kind: str, symbol: str, fields: Mapping[str, Any]) -> Any:
    """What a `dyn.new` makes: an object, or the list of objects whose fields are items of sequences."""
    cls = run.classes[symbol]
    if kind != "each":
        return ConcreteObject(run, cls, dict(fields))
    sizes = {len(column) for column in fields.values()}
    return [ConcreteObject(run, cls, {}, InColumns(fields, number)) for number in range(max(sizes, default=0))]


def wrapped(run: Runs, value: Any, type_: Attribute) -> Any:
    """A value of the inputs: Python's objects, and what stands for them, as objects of the module's classes."""
    match type_:
        case obj.ObjectType() if value is not None and not isinstance(value, ConcreteObject):
            types = dict(zip(type_.fields, type_.types, strict=True))
            return ConcreteObject(run, run.classes[type_.symbol], {}, OfPython(run, value, types))
        case TupleType() if isinstance(value, tuple):
            items = cast("tuple[Any, ...]", value)
            return tuple(wrapped(run, item, part) for item, part in zip(items, type_.types, strict=True))
        case obj.UnionType() if value is not None:
            return wrapped(run, value, _alternative(value, list(type_.alternatives)))
        case _:
            return value


def has_objects(type_: Attribute) -> bool:
    """Whether values of a type are objects, or have some in them."""
    match type_:
        case obj.ObjectType():
            return True
        case TupleType():
            return any(map(has_objects, type_.types.data))
        case obj.UnionType():
            return any(map(has_objects, type_.alternatives))
        case _:
            return False


def _alternative(value: object, alternatives: Sequence[Attribute]) -> Attribute:
    """The alternative of a union that an object is of; numbers are of any that is no object."""
    objects = [one for one in alternatives if isinstance(one, obj.ObjectType)]
    symbol = value.symbol if isinstance(value, Recorded) else type(value).__name__
    named = [one for one in objects if one.symbol == symbol]
    if named:
        return named[0]
    if len(objects) == 1 and not isinstance(value, int | float | complex | tuple):
        return objects[0]
    if any(isinstance(value, kind) for kind in (int, float, complex, tuple)) or not objects:
        return next((one for one in alternatives if one not in objects), alternatives[0])
    raise NotRunError("an object of one of several classes")


def is_instance(value: object, names: Sequence[str], known: Callable[[str], Any]) -> bool:
    """Whether a value is of one of some classes; `known` gives those that are no classes of the module.

    The names of those begin with @.
    """
    if isinstance(value, ConcreteObject):
        return not {f"@{base.data}" for base in value.cls.bases}.isdisjoint(names)
    return any(isinstance(value, type_) for name in names if isinstance(type_ := known(name), type))


@functools.cache
def builtin_class(name: str) -> Any:
    """A class of Python or NumPy by the name that `dyn.isinstance` has for it; None if there is none."""
    if name in ("NoneType", "None"):
        return type(None)
    module, _, attribute = name.rpartition(".")
    return getattr(np if module == "np" else builtins, attribute, None)

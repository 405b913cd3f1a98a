"""`@dataclass` that writes no code before it is needed: the standard library's, in a tenth of the time.

The standard decorator writes up to six methods of a class as text and compiles them, half a millisecond a class, and a
process that runs a stored kernel needs more than a hundred classes. Here the standard decorator only reads the fields,
so that `field`, `fields`, `replace` and `match` work as always; comparison, hash and `repr` are closures over the
fields' names; and `__init__`, which should be fast, is compiled when the first object is made.

There is no `order`, `slots` or `kw_only`. A class and its bases are all made here, or all by the standard decorator.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")
Field = dataclasses.Field[Any]
Values = Callable[[Any], tuple[Any, ...]]
"""The fields of an object that it is compared by."""

_MISSING = dataclasses.MISSING


@overload
def dataclass(cls: type[T], /) -> type[T]: ...


@overload
def dataclass(*, frozen: bool = False, eq: bool = True) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(field_specifiers=(dataclasses.field,))
def dataclass(
    cls: type[T] | None = None, /, *, frozen: bool = False, eq: bool = True
) -> type[T] | Callable[[type[T]], type[T]]:
    """A class of fields, as `dataclasses.dataclass` gives it.

    >>> @dataclass(frozen=True)
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(1), Point(1) == Point(x=1, y=0), dataclasses.replace(Point(1), y=2)
    (Point(x=1, y=0), True, Point(x=1, y=2))
    """
    if cls is None:
        return lambda cls: _completed(cls, frozen, eq)
    return _completed(cls, frozen, eq)


def _completed(cls: type[T], frozen: bool, eq: bool) -> type[T]:
    """A class with what it does not define itself of the methods that its fields give."""
    own = dict(vars(cls))
    cls = dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
    fields: tuple[Field, ...] = dataclasses.fields(cls)  # pyright: ignore[reportArgumentType]
    methods: dict[str, Any] = {"__repr__": _repr}
    if "__init__" not in own:
        methods |= {"__init__": _init_in_time(cls, fields, frozen), "__signature__": _SIGNATURE}
    if frozen:
        methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
    if eq:
        values = _values([field.name for field in fields if field.compare])
        methods["__eq__"] = _eq(values)
        if own.get("__hash__") is None:  # as it is in a class that defines __eq__ alone
            own.pop("__hash__", None)
            methods["__hash__"] = _hash(values) if frozen else None
    for name, method in methods.items():
        if name not in own:
            setattr(cls, name, method)
    return cls


def _init_in_time(cls: Any, fields: tuple[Field, ...], frozen: bool) -> Callable[..., None]:
    """What makes the first object of a class: it writes `__init__`, and leaves its place to it."""

    def __init__(self: object, /, *values: Any, **named: Any) -> None:  # noqa: N807
        cls.__init__ = init = _written(cls, fields, frozen)
        init(self, *values, **named)

    return __init__


def _written(cls: type, fields: Iterable[Field], frozen: bool) -> Callable[..., None]:
    """`__init__` with a parameter a field, compiled."""
    names: dict[str, object] = {"MISSING": _MISSING}  # what the text below says, beside parameters
    parameters, body = ["self", "/"], ["fields_of_self = self.__dict__"] if frozen else []
    for field in fields:
        name = field.name
        target = f"fields_of_self[{name!r}]" if frozen else f"self.{name}"
        if field.default_factory is not _MISSING:
            names[f"factory_of_{name}"] = field.default_factory
            made = f"factory_of_{name}()"
            body.append(f"{target} = {made} if {name} is MISSING else {name}" if field.init else f"{target} = {made}")
            stated = f"{name}=MISSING"
        else:
            names[f"default_of_{name}"] = field.default
            body += [f"{target} = {name}"] if field.init else []
            stated = name if field.default is _MISSING else f"{name}=default_of_{name}"
        parameters += [stated] if field.init else []
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    text = "\n  ".join([f"def __init__({', '.join(parameters)}):", *(body or ["pass"])])
    exec(text, names)  # noqa: S102 (names of fields, as the standard library has it)
    init: Any = names["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {field.name: field.type for field in fields if field.init}
    return init


@recursive_repr()
def _repr(self: Any) -> str:
    """`__repr__` of all classes: one function, for what `recursive_repr` makes takes long to make and to let go of."""
    values = ", ".join(
        f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr
    )
    return f"{type(self).__qualname__}({values})"


def _values(names: list[str]) -> Values:
    """The values of some fields as a tuple, in which an object is equal to itself even if it is NaN."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple(getattr(self, name) for name in names)


def _eq(values: Values) -> Callable[[Any, object], bool]:
    def __eq__(self: Any, other: object) -> bool:  # noqa: N807
        if type(other) is type(self):
            return values(self) == values(other)
        return NotImplemented

    return __eq__


def _hash(values: Values) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(values(self))

    return __hash__


def _refuse(_: Any, name: str, *_value: object) -> None:
    """`__setattr__` and `__delattr__` of a frozen class."""
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")


class _Signature:
    """The parameters of a class, for `help` and `inspect`, when they are asked for."""

    def __get__(self, instance: object, owner: type) -> object:
        from inspect import signature

        if vars(owner).get("__signature__") is not self:  # a subclass, which may have an `__init__` of its own
            raise AttributeError("__signature__")
        stated: tuple[Field, ...] = dataclasses.fields(owner)
        found = signature(_written(owner, stated, frozen=False))
        return found.replace(parameters=list(found.parameters.values())[1:])


_SIGNATURE = _Signature()

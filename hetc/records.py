"""Python objects as records: which attributes are read of them, and how.

The rule that makes reading safe: all objects are of exactly one class, whose attributes hetc has looked at, and no
object hides a method of its class behind an attribute of its own. Then reading an attribute runs no code of the user's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from operator import attrgetter, is_
from types import FunctionType
from typing import Any, NamedTuple, TypeGuard, cast

import numpy as np

from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.errors import UnsupportedError


class Method(NamedTuple):
    """What a class has under a name that the program calls; `kind` is "method", "class" or "static"."""

    name: str
    function: FunctionType
    kind: str


@dataclass(frozen=True)
class ClassLayout:
    """A class as marshalling sees it: the fields that are read, and the methods that an object must not hide.

    `symbol` is the name of the class in the module.
    """

    cls: type
    symbol: str
    fields: tuple[str, ...]
    methods: tuple[Method, ...]
    refused: dict[str, str]
    """The fields that turn out not to be compiled, and why: reading one of them is refused."""
    identified: bool = False
    """Whether the program asks which object is which."""


LONGEST_CYCLE = 8
"""As many rounds are gone to find out whether a chain of objects is a cycle."""


class SeveralClassesError(UnsupportedError):
    """Objects are of several classes."""


def other_class(objects: Sequence[object], cls: type, what: str) -> SeveralClassesError:
    """The error for objects of which one is not of that class."""
    index, other = next((k, type(o)) for k, o in enumerate(objects) if type(o) is not cls)
    return SeveralClassesError(
        f"element {index} of {what} is of the class {other.__qualname__}, others are of {cls.__qualname__}; "
        "the classes that hetc compiles for are those of the first elements",
        category=Category.MIXED,
    )


def cycle_of(start: object, names: Sequence[str]) -> list[str] | None:
    """The path on which some attributes, over and over, lead from an object back to it; None if it is not found."""
    one, path = start, list[str]()
    for _ in range(LONGEST_CYCLE):
        for name in names:
            one = getattr(one, name, None)
            path.append(name)
        if one is start:
            return path
    return None


def recursive(start: object, names: Sequence[str], what: str) -> UnsupportedError:
    """The error for objects from which some attributes lead to another object of the same class, or to themselves."""
    cls, cycle = type(start).__qualname__, cycle_of(start, names)
    if cycle is not None:
        reason = f"{what} has a cycle: x.{'.'.join(cycle)} is x, for an object x of the class {cls}"
        return UnsupportedError(reason, category=Category.INPUT)
    return UnsupportedError(
        f"{what} has objects of the class {cls} whose '{'.'.join(names)}' is another one, of which there may be any "
        "number: such chains of objects are not compiled",
        category=Category.INPUT,
    )


def check_methods(objects: Sequence[object], layout: ClassLayout, what: str) -> None:
    """Raise UnsupportedError if some object has an attribute of its own in the place of a method."""
    for method in layout.methods:
        if not _have_method(objects, method, layout.cls):
            raise UnsupportedError(
                f"an object in {what} has an attribute '{method.name}' of its own, which hides the method",
                category=Category.INPUT,
            )


def _have_method(objects: Sequence[object], method: Method, cls: type) -> bool:
    """Whether a method of each object is that of the class, bound to this very object."""
    try:
        found: list[object] = list(map(attrgetter(method.name), objects))
        if method.kind == "static":
            return all(map(is_, found, repeat(method.function)))
        functions = map(attrgetter("__func__"), found)
        selves = map(attrgetter("__self__"), found)
        bound = repeat(cls) if method.kind == "class" else objects
        return all(map(is_, functions, repeat(method.function))) and all(map(is_, selves, bound))
    except AttributeError:
        return False


def missing_attribute(index: int, name: str, what: str) -> UnsupportedError:
    """The error for an object that has not an attribute which is read: Python raises there."""
    return UnsupportedError(f"element {index} of {what} has no attribute '{name}'", category=Category.INPUT)


@dataclass(frozen=True)
class FieldPath:
    """How captured objects come to the numbers of a captured array: from these objects the attribute, and so on.

    With `assigned`, the array says of which objects a loop has assigned the last attribute, which is another object.
    With `copied`, each use of the objects in Python gives a copy.
    """

    steps: tuple[tuple[Sequence[object], str], ...]
    assigned: bool = False
    copied: bool = False


def assigned_mark(name: str) -> str:
    """The name among the fields of objects for whether an attribute has been assigned: no attribute is called so."""
    return f"{name} is assigned"


def setter_of(name: str) -> str:
    """The name among the members of a class for what assigning a property calls: no member is called so."""
    return f"{name}.setter"


Records = np.ndarray[tuple[int], np.dtype[np.void]]
"""A structured array of one dimension, whose elements are records."""


def is_records(value: object) -> TypeGuard[Records]:
    """Whether a value is a plain structured array of one dimension."""
    return type(value) in (np.ndarray, np.memmap) and _is_structured(cast("np.ndarray[Any, np.dtype[Any]]", value))


def _is_structured(array: np.ndarray[Any, np.dtype[Any]]) -> bool:
    return array.ndim == 1 and array.dtype.type is np.void and bool(array.dtype.names)


def layouts_by_class(layouts: Iterable[ClassLayout]) -> dict[type, ClassLayout]:
    """Layouts, to be found by the class of an object."""
    return {layout.cls: layout for layout in layouts}

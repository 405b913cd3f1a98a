"""Containers of other packages as inputs of array functions: read before a call, made of its result.

A package says how (`hetc.extensions.Marshaller`). Classes are looked up where an input is of none of the types that
hetc knows, so calls on arrays and lists are as fast as without.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, cast

import numpy as np

from hetc.abi import NUMPY_SCALARS
from hetc.arrays.base import Array
from hetc.arrays.making import components, make_array
from hetc.arrays.numbers import NumberArray
from hetc.arrays.tuples import TupleArray
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.errors import HetcError
from hetc.extensions import ExtensionError, Marshaller, marshaller_of, resolve

KNOWN: frozenset[type] = frozenset({np.ndarray, NumberArray, TupleArray, list, tuple, range})
"""The types that most inputs have, of which none is foreign."""

_OWN = (np.ndarray, np.generic, Array, list, tuple, range, int, float, complex, str, bytes)
_NUMBERS = frozenset({int, float, bool, complex})


class ForeignInputs(HetcError):  # noqa: N818 - an outcome that the caller handles
    """Some inputs are containers of other packages: `read_inputs` reads them. Nothing has happened."""

    usual = Category.EXTENSION


def marshaller_for(value: object) -> Marshaller | None:
    """How a value is read, if it is a container of another package."""
    return None if isinstance(value, _OWN) else marshaller_of(type(value))


def refuse_foreign(inputs: Sequence[object]) -> None:
    """Raise ForeignInputs for inputs that are to be read first."""
    if any(marshaller_for(value) is not None for value in inputs if type(value) not in KNOWN):
        raise ForeignInputs("a container of another package is to be read")


@dataclass(frozen=True)
class ForeignCall:
    """The inputs of a call as hetc knows them, and what makes a container of the result."""

    inputs: tuple[Any, ...]
    foreign: tuple[tuple[int, object, Marshaller], ...]
    """The inputs that have been read: their numbers, and what they were."""
    portable: bool
    """Whether the other inputs have a portable array among them, which its result is, too."""

    def made(self, result: Any) -> Any:
        """A result that is an array or a list as the first container among the inputs that has a `make`.

        Results that are no numbers (objects, None, texts) stay as they are, and so do portable arrays and what `make`
        does not take.
        """
        if self.portable:
            return result
        result = _on_host(result)
        for _, like, marshaller in self.foreign:
            if marshaller.make is not None:
                made = _make(marshaller, marshaller.make, result, like) if _is_numbers(result) else None
                return result if made is None else made
        return result

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what has been read."""
        return tuple(
            f"input {number}, {_named(value)}, is read by {marshaller.read}"
            for number, value, marshaller in self.foreign
        )


def read_inputs(inputs: Sequence[Any], *, copy: bool = False) -> ForeignCall:
    """Read the inputs that are containers of other packages; `copy`: they may change before the result is there.

    Raises ExtensionError where a marshaller does not do what it promises.
    """
    found: list[Any] = []
    foreign: list[tuple[int, object, Marshaller]] = []
    portable = False
    for number, value in enumerate(inputs):
        marshaller = marshaller_for(value)
        if marshaller is None:
            found.append(value)
            portable = portable or isinstance(value, Array)
        else:
            found.append(read(value, marshaller, copy=copy))
            foreign.append((number, value, marshaller))
    return ForeignCall(tuple(found), tuple(foreign), portable)


def read(value: Any, marshaller: Marshaller, *, copy: bool = False) -> Any:
    """A container as an input that hetc knows: an array, an array of tuples, or a list. Raises ExtensionError."""
    elements = _called(marshaller.read, value, value)
    if isinstance(elements, tuple):
        parts = cast("tuple[Any, ...]", elements)
        if not parts or len({_numbers_in(part) for part in parts}) > 1 or _numbers_in(parts[0]) is None:
            what = ", ".join(map(_described, parts))
            raise _broken(marshaller.read, value, f"gives a tuple of {what or 'nothing'}, not of arrays of one length")
        count, given = len(parts[0]), TupleArray([cast("Any", make_array(part, copy=copy or None)) for part in parts])
    elif type(elements) in (np.ndarray, np.memmap) and elements.ndim:
        count, given = len(elements), np.array(elements) if copy else elements
    elif type(elements) is list:
        count, given = len(cast("list[Any]", elements)), cast("Any", elements)
    else:
        raise _broken(
            marshaller.read, value, f"gives {_described(elements)}, not an array, a tuple of arrays or a list"
        )
    if hasattr(value, "__len__") and len(value) != count:
        raise _broken(marshaller.read, value, f"gives {count} elements of {len(value)}")
    return given


def check_marshaller(container: Any) -> None:
    """Check, in a package's own tests, that what is read of a container is what iterating it gives.

    It is made anew of that, too. Raises ExtensionError with the first difference.
    """
    marshaller = marshaller_for(container)
    if marshaller is None:
        raise ExtensionError(f"no installed package says how {_named(container)} is read")
    given = read(container, marshaller)
    _compare(marshaller.read, container, given)
    if marshaller.make is not None:
        elements = components(given) if isinstance(given, TupleArray) else given
        made = _make(marshaller, marshaller.make, elements, container)
        if made is None:
            raise _broken(marshaller.make, container, "does not take what has been read of it")
        _compare(marshaller.make, container, made)


def _compare(function: str, container: Any, given: Any) -> None:
    nothing = object()
    for number, (ours, theirs) in enumerate(zip_longest(given, container, fillvalue=nothing)):
        if ours is nothing or theirs is nothing:
            raise _broken(function, container, "gives another number of elements than iterating has")
        if _exact(ours) != _exact(theirs):
            raise _broken(function, container, f"has {ours!r} as element {number}, iterating {theirs!r}")


def _exact(element: object) -> object:
    """What is equal for elements of the same types and values, NaN and the signs of zeros included."""
    if isinstance(element, tuple):
        return tuple(map(_exact, cast("tuple[object, ...]", element)))
    return type(element), repr(element)


def _make(marshaller: Marshaller, function: str, result: Any, like: object) -> Any:
    made = _called(function, like, result, like)
    if made is not None and not isinstance(made, resolve(marshaller.container)):
        raise _broken(function, like, f"gives {_described(made)}")
    return made


def _called(name: str, value: object, *arguments: object) -> Any:
    """What a function of a package gives for a container. Raises ExtensionError for what it raises."""
    function = resolve(name)
    try:
        return function(*arguments)
    except Exception as error:
        raise _broken(name, value, f"raises {type(error).__name__}: {error}") from error


def _broken(function: str, value: object, what: str) -> ExtensionError:
    package = function.partition(".")[0].partition(":")[0]
    return ExtensionError(
        f"{function} of {_named(value)} {what}", hint=f"this is a fault of the package {package}, which extends hetc"
    )


def _numbers_in(part: object) -> int | None:
    """The length of an array of numbers that may be a component; None for anything else."""
    array = cast("np.ndarray[Any, np.dtype[Any]]", part)
    fits = type(part) in (np.ndarray, np.memmap) and array.ndim == 1
    return len(array) if fits and array.dtype.newbyteorder("=").name in NUMPY_SCALARS else None


def _is_numbers(result: Any) -> bool:
    if isinstance(result, tuple):
        parts = cast("tuple[Any, ...]", result)
        return bool(parts) and all(isinstance(part, np.ndarray | tuple) and _is_numbers(part) for part in parts)
    if isinstance(result, list):
        return set(map(type, cast("list[Any]", result))) <= _NUMBERS
    return type(result) is np.ndarray and cast("Any", result).dtype.name in NUMPY_SCALARS


def _on_host(result: Any) -> Any:
    """NumPy arrays in the place of portable ones, which arrays of tuples have been read as."""
    if isinstance(result, tuple):
        return tuple(map(_on_host, cast("tuple[Any, ...]", result)))
    return components(result) if isinstance(result, NumberArray | TupleArray) else result


def _named(value: object) -> str:
    kind = type(value)
    return f"a {kind.__module__}.{kind.__qualname__}"


def _described(value: object) -> str:
    """What a function has given, as messages name it."""
    if isinstance(value, np.ndarray):
        array = cast("np.ndarray[Any, np.dtype[Any]]", value)
        return f"an array of {array.dtype} of shape {array.shape}"
    return "None" if value is None else _named(value)

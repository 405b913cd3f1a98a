"""What is known of the values in a function's host code, without running it: arrays, numbers, known functions.

The host's code is seen as far as its values are of types whose operators run no code of users: Python's and NumPy's
numbers, NumPy's arrays of numbers, and tuples of numbers. All else is `OTHER`.
"""

from __future__ import annotations

import builtins
import enum
import types
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

import numpy as np

from hetc.abi import NUMPY_SCALARS
from hetc.dataclass import dataclass
from hetc.frontends.python.scopes import Names
from hetc.loops import HostCode, SkeletonCode


class Kind(enum.Enum):
    """What a value is. `FOREIGN` is what certainly is no NumPy array, but may do anything: a list, a user's object."""

    UNKNOWN = "unknown"
    """Not found out yet."""
    NUMBER = "number"
    INTS = "ints"
    """A tuple of integers, such as a shape, or a range of them."""
    POINTS = "points"
    """An index space of several dimensions."""
    PLAIN = "plain"
    """An immutable value of Python's own: a boolean, None, a range, a type of numbers, a tuple of such."""
    TEXT = "text"
    """Apart from the plain values, since a text may name any dtype, that of objects among them."""
    ARRAY = "array"
    FUNCTION = "function"
    """A known function or module."""
    SKELETON = "skeleton"
    """An array function that gives arrays."""
    REDUCTION = "reduction"
    """An array function that gives a number."""
    JIT = "jit"
    """A function with parallel loops."""
    FOREIGN = "foreign"
    OTHER = "other"


SIMPLE = frozenset({Kind.NUMBER, Kind.INTS, Kind.POINTS, Kind.PLAIN, Kind.TEXT})
"""Values whose operators read no array and run no code of users."""


CALLED = frozenset({Kind.SKELETON, Kind.REDUCTION, Kind.JIT})
"""What is called on arrays that may stay on a device."""


@dataclass(frozen=True)
class Value:
    """What is known of a value: its kind, the rank of an array or tuple, the known function.

    `roots` are the variables whose arrays it may share memory with.
    """

    kind: Kind
    rank: int | None = None
    function: object = None
    roots: Names = frozenset()

    def joined(self, other: Value) -> Value:
        """What is known of a value that is one of two."""
        if Kind.UNKNOWN in (self.kind, other.kind):
            known = other if self.kind is Kind.UNKNOWN else self
            return replace(known, roots=self.roots | other.roots)
        both = {self.kind, other.kind}
        kind = self.kind if len(both) == 1 else Kind.PLAIN if both <= SIMPLE - {Kind.TEXT} else Kind.OTHER
        if kind in (Kind.FUNCTION, Kind.JIT) and self.function is not other.function:
            kind = Kind.OTHER
        same = kind is self.kind is other.kind
        return Value(
            kind,
            self.rank if same and self.rank == other.rank else None,
            self.function if same and kind in (Kind.FUNCTION, Kind.JIT) else None,
            self.roots | other.roots,
        )

    @property
    def alone(self) -> Value:
        """The same, in memory of its own."""
        return replace(self, roots=frozenset())


UNKNOWN, NUMBER, PLAIN, TEXT = Value(Kind.UNKNOWN), Value(Kind.NUMBER), Value(Kind.PLAIN), Value(Kind.TEXT)
FOREIGN, OTHER = Value(Kind.FOREIGN), Value(Kind.OTHER)


def array(rank: int | None = None, roots: Iterable[str] = ()) -> Value:
    """An array, in memory of its own without `roots`."""
    return Value(Kind.ARRAY, rank, roots=frozenset(roots))


_NUMBERS = frozenset({int, float, complex, *(np.dtype(name).type for name in NUMPY_SCALARS if name != "bool")})
_PLAIN = frozenset({bool, np.bool_, type(None), range, type(Ellipsis)})
_TEXTS = frozenset({str, bytes})
_ARRAY_DTYPES = frozenset(np.dtype(name) for name in NUMPY_SCALARS)


def value_of(found: object) -> Value:
    """What is known of an object, from its type.

    >>> value_of(3.5).kind, value_of((2, 3)).kind, value_of(np.zeros((2, 3))), value_of([1.0]).kind
    (<Kind.NUMBER: 'number'>, <Kind.INTS: 'ints'>, Value(kind=<Kind.ARRAY: 'array'>, rank=2, ...), <Kind.FOREIGN: ...>)
    """
    kind = type(found)
    if isinstance(found, SkeletonCode):
        return Value(Kind.REDUCTION if found.gives_number else Kind.SKELETON)
    if isinstance(found, HostCode):
        return Value(Kind.JIT, function=found)
    if kind in _NUMBERS:
        return NUMBER
    if kind in _TEXTS:
        return TEXT
    if isinstance(found, np.dtype):
        return PLAIN if found in _ARRAY_DTYPES else FOREIGN
    if kind in _PLAIN or is_number_type(found):
        return PLAIN
    if kind is tuple:
        items = cast("tuple[object, ...]", found)
        if items and all(type(item) is int for item in items):
            return Value(Kind.INTS, len(items))
        return PLAIN if all(value_of(item).kind in SIMPLE - {Kind.TEXT} for item in items) else FOREIGN
    if kind is np.ndarray:
        numbers = cast("np.ndarray[Any, np.dtype[Any]]", found)
        return array(numbers.ndim) if numbers.dtype in _ARRAY_DTYPES else FOREIGN
    return FOREIGN


def is_number_type(found: object) -> bool:
    """Whether an object is the type of Python's or NumPy's numbers."""
    return isinstance(found, type) and (found in _NUMBERS or found in (bool, np.bool_))


MODULES = ("math", "numpy", "time", "hetc")


def global_value(found: object) -> Value:
    """What is known of what a global name means. A global array is anyone's: functions may bind the name anew.

    Known modules and functions, numbers and types are taken to stay what they are while a call lasts.
    """
    if isinstance(found, types.ModuleType):
        return Value(Kind.FUNCTION, function=found) if found.__name__ in MODULES else OTHER
    if is_known_function(found):
        return Value(Kind.FUNCTION, function=found)
    value = value_of(found)
    return value if value.kind in SIMPLE | CALLED else OTHER


def is_known_function(found: object) -> bool:
    """Whether an object is a function of Python's, NumPy's or hetc's own, by its module and name."""
    name, module = getattr(found, "__name__", None), getattr(found, "__module__", None)
    if isinstance(found, HostCode | SkeletonCode):
        return False
    if not isinstance(name, str) or not callable(found):
        return False
    if isinstance(found, np.ufunc):
        return getattr(np, name, None) is found
    if module == "builtins":
        return getattr(builtins, name, None) is found
    return isinstance(module, str) and module.partition(".")[0] in MODULES


def attribute_of_module(module: types.ModuleType, name: str) -> Value:
    """What is known of a name in a known module."""
    found = getattr(module, name, None)
    if isinstance(found, types.ModuleType):
        inside = found.__name__.startswith(f"{module.__name__}.")
        return Value(Kind.FUNCTION, function=found) if inside else OTHER
    return global_value(found)

"""Whether two results are the same: type, sign of zero, NaN and all; objects, field by field."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from hetc.abi import IDENTITY
from hetc.dataclass import dataclass


@dataclass(frozen=True)
class Record:
    """An object as the interpreter has it: the fields that are known of it."""

    fields: tuple[tuple[str, Any], ...]
    symbol: str = ""
    """The name of its class, where it matters."""

    def __getitem__(self, index: int) -> Any:
        """A field, by its place: records stand for the tuples that objects are marshalled as."""
        return self.fields[index][1]

    def field_named(self, name: str) -> Any:
        """A field, by its name."""
        return dict(self.fields)[name]


def same_value(found: Any, expected: Any, ulp: int) -> bool:
    """Whether two elements are the same: numbers, tuples, lists, and records, of which the other may be an object."""
    if isinstance(found, Record):
        other = dict(expected.fields) if isinstance(expected, Record) else None
        return all(
            same_value(value, _field(expected, name) if other is None else other.get(name), ulp)
            for name, value in found.fields
        )
    if isinstance(found, list):
        items, others = cast("list[Any]", found), cast("list[Any]", expected)
        return (
            isinstance(expected, list)
            and len(items) == len(others)
            and all(map(same_value, items, others, [ulp] * len(items)))
        )
    ones, others = flat(found), flat(expected)
    if len(ones) == 1 and not isinstance(ones[0], Record) and found is ones[0]:
        return len(others) == 1 and same(found, others[0], ulp)
    return len(ones) == len(others) and all(map(same_value, ones, others, [ulp] * len(ones)))


def _field(value: Any, name: str) -> Any:
    """A field of a Python object, or which object it is."""
    return np.int64(id(value)) if name == IDENTITY else getattr(value, name, None)


def same(found: Any, expected: Any, ulp: int) -> bool:
    """The same type, the same value; signed zeros differ, NaN is NaN.

    A complex number is off by as many units in the last place of its size.
    """
    if type(found) is not type(expected):
        return False
    if isinstance(expected, complex | np.complexfloating):
        expected = cast("complex", expected)
        parts = [
            (np.float64(found.real), np.float64(expected.real)),
            (np.float64(found.imag), np.float64(expected.imag)),
        ]
        equal = all(same(one, other, 0) for one, other in parts)
        size, error = np.abs(expected), np.abs(found - expected)
        return equal or bool(ulp and np.isfinite(size) and error <= ulp * np.spacing(size))
    if isinstance(expected, float | np.floating):
        expected = cast("float", expected)
        if math.isnan(expected):
            return math.isnan(found)
        if found == expected:
            return math.copysign(1.0, found) == math.copysign(1.0, expected)
        return bool(math.isfinite(expected) and abs(found - expected) <= ulp * np.spacing(abs(expected)))
    return bool(found == expected)


def flat(value: Any) -> list[Any]:
    """The numbers in nested tuples, from left to right.

    >>> flat((1, (2.5, True)))
    [1, 2.5, True]
    """
    if not isinstance(value, tuple):
        return [value]
    return [leaf for item in cast("tuple[Any, ...]", value) for leaf in flat(item)]

"""Calls of array functions on arrays that stay on a device: what they are given, and what becomes of what they give.

An array that only the device has, as what such a call gives, is a NumPy array all the same: it is there to be filled
when the host looks at it. If a call gives what the plan does not rely on, no array is kept from then on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np

from hetc import abi
from hetc.abi import NUMPY_SCALARS
from hetc.arrays.base import Array
from hetc.arrays.numbers import NumberArray
from hetc.arrays.tuples import TupleArray
from hetc.runtime.kept_arrays import Kept, KeptArrays, can_keep, host_memory

_DTYPES = frozenset(map(np.dtype, NUMPY_SCALARS))


class KeptCall:
    """One call, in a function whose `arrays` are kept; `plan` is what is known of it."""

    def __init__(self, arrays: KeptArrays, plan: abi.CallArrays) -> None:
        self.arrays = arrays
        self.plan = plan

    def given(self, arguments: Sequence[Any]) -> tuple[Any, ...] | None:
        """The arguments, with portable arrays in the places of those that are kept; None if there are none."""
        found = {
            place: value
            for place, (name, value) in enumerate(zip(self.plan.arguments, arguments, strict=True))
            if name and can_keep(value)
        }
        others = [host_memory(value) for place, value in enumerate(arguments) if place not in found]
        known = [*found.values(), *(array for array in others if array is not None)]
        apart = {
            place: array
            for place, array in found.items()
            if all(other is array or not np.may_share_memory(array, other) for other in known)
        }
        for place, value in enumerate(arguments):
            if place not in apart:
                self.arrays.release(host_memory(value))
        if not apart:
            return None
        seen, alone = self.plan.seen, self.plan.alone
        given = list(arguments)
        for place, array in apart.items():
            name = self.plan.arguments[place]
            given[place] = self.arrays.entry(name, array, seen=name in seen, alone=name in alone).portable
        return tuple(given)

    def separate(self, captures: Iterable[object]) -> None:
        """Bring back what overlaps an array that the function captures: it is read on the host."""
        for value in captures:
            self.arrays.release(host_memory(value))

    def result(self, value: Any) -> Any:
        """What the variable is bound to, or the host gets at once, for what the call has given."""
        found = self._kept(value) if self.plan.makes and isinstance(value, NumberArray) else None
        found = on_host(value) if found is None else found
        self.check(found)
        return found

    def _kept(self, value: NumberArray) -> Any:
        if value.is_view or value.owner.formula is not None or value.ndim not in (1, 2) or not value.size:
            return None
        name = self.plan.makes
        array = value.owner.place().reshape(value.shape)
        self.arrays.add(
            name, Kept(array, value, name, name in self.plan.seen, made=True), alone=name in self.plan.alone
        )
        return array

    def check(self, value: object) -> None:
        """Keep nothing any more, if a value is not of the kind that the plan relies on."""
        if not _fits(value, self.plan.gives):
            self.arrays.distrust()


def on_host(value: Any) -> Any:
    """What an array function gives for NumPy arrays, for what it gives for portable ones."""
    match value:
        case TupleArray():
            return tuple(map(on_host, value.fields))
        case NumberArray() if not value.is_view and value.owner.formula is None:
            host = value.owner.read().reshape(value.shape)
            return host if host.flags.writeable else host.copy()
        case Array():
            return np.array(value)
        case tuple():
            return tuple(map(on_host, cast("tuple[Any, ...]", value)))
        case _:
            return value


def _fits(value: object, gives: str) -> bool:
    if gives == "number":
        return not isinstance(value, np.ndarray | list | dict | set)
    if gives == "any":
        return True
    if type(value) is not np.ndarray or value.dtype not in _DTYPES:
        return False
    return gives == "array" or value.ndim == int(gives.removeprefix("array"))

"""Which object is which: objects as the numbers that Python's `id` gives, and back.

An object that came from outside is known on a device by its `id`. Two names mean the same object if these are equal, in
whatever lists and fields it stands, and a result that is such an object is the very object.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import numpy as np

from hetc import native
from hetc.diagnostics import Category
from hetc.errors import UnsupportedError
from hetc.field_values import PackedNumbers
from hetc.native import AnyVector

KNOWN_OBJECTS = "objects by identity"
"""Where the `KnownObjects` of a call are found among the captured values, whose names have no space in them."""
FEW = 16
"""So many numbers are looked for one by one."""


def identities_of_all(values: Iterable[object]) -> AnyVector:
    """The `id` of each object but for None, in order, as unsigned numbers.

    >>> one = object()
    >>> identities_of_all([one, None, one]).tolist() == [id(one)] * 2
    True
    """
    if native.compiled is not None and type(values) in (list, tuple):
        known = cast("Sequence[object]", values)
        found = np.empty(len(known), np.uint64)
        return found[: native.compiled.addresses(known, found)]
    return np.fromiter((id(one) for one in values if one is not None), np.uint64)


class Identities(PackedNumbers):
    """The identities of the objects in a list, but for where None stands; read when a kernel needs them."""

    def __init__(self, elements: Sequence[object], count: int) -> None:
        self._elements = elements
        self._count = count

    def __len__(self) -> int:
        return self._count

    @functools.cached_property
    def objects(self) -> Sequence[Any]:
        """The objects. Raises UnsupportedError if there are no longer as many as there were."""
        found = list(self._elements)
        if len(found) != self._count:
            found = [one for one in found if one is not None]
        if len(found) != self._count:
            raise UnsupportedError("a list of objects has changed while it was read", category=Category.INPUT)
        return found

    @functools.cached_property
    def packed(self) -> AnyVector:
        """The numbers."""
        return np.fromiter(map(id, self.objects), np.int64, self._count)


class Places(PackedNumbers):
    """The places of references among distinct objects, negative for None; `noun` is what a message calls the list.

    >>> Places(np.array([0, -1, 1, -1]), "nodes").of_objects.tolist()
    [0, 1]
    """

    def __init__(self, packed: AnyVector, noun: str) -> None:
        super().__init__(packed)
        self.noun = noun

    @property
    def of_objects(self) -> AnyVector:
        """The places of those that are not None."""
        return self.packed[self.packed >= 0]


class KnownObjects:
    """The objects of a call that may be results: `columns` of its inputs, and those that its functions capture."""

    def __init__(self, columns: Sequence[Identities], captured: Callable[[], Iterable[object]]) -> None:
        self._columns = columns
        self._captured = captured

    def of(self, numbers: AnyVector) -> list[Any]:
        """The objects with these identities; None for what is none, where the kernel has not come to an element."""
        found = np.full(len(numbers), None, object)
        unknown = np.ones(len(numbers), np.bool_)
        for column in self._columns:  # most often an element becomes one of the objects in its own place
            if len(column) == len(numbers):
                hit = unknown & (column.packed == numbers)
                if hit.any():
                    unknown &= ~hit
                    np.copyto(found, np.fromiter(column.objects, object, len(column)), where=hit)
        places = np.flatnonzero(unknown)
        if places.size:
            elsewhere = self._found(numbers[places])
            found[places] = np.fromiter(map(elsewhere.get, numbers[places].tolist()), object, len(places))
        return found.tolist()

    def _found(self, numbers: AnyVector) -> dict[int, object]:
        """Objects by their identity; these are among them, as far as they are known."""
        wanted, found = np.unique(numbers), dict[int, object]()
        for column in self._columns:
            if len(wanted) > FEW:
                found.update(zip(column.packed.tolist(), column.objects, strict=True))
                continue
            places = np.flatnonzero(np.isin(column.packed, wanted))
            objects = map(column.objects.__getitem__, places.tolist())
            found.update(zip(column.packed[places].tolist(), objects, strict=True))
        if any(number not in found for number in wanted.tolist()):
            found.update((id(one), one) for one in self._captured())
        return found

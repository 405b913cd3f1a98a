"""The form of the leaves of array statements: what of them a plan hangs on, and what may differ from run to run.

    for k in range(1, n):
        a[k, :k] += x[k] * a[:k, k]        one form, and one plan, for all k but those of lengths 0 and 1

A plan is made for lengths and places in memory, but all that it asks of them is in its key, and two runs of one key
have one plan but for their lengths:

* Of lengths it asks whether they are equal, 0 or 1 (broadcasting). So the key has a number for each length, in the
  order in which they turn up: 0 and 1 are themselves.
* Of places it asks how an array is found in the one that a kernel is given (`access_of`): the answer is in the key.
* Of memory it asks (`touching.py`) whether two arrays are the same elements, or two that a kernel is given are the
  same: equal ones have equal numbers. And whether an array overlaps one that is stored to, or what a kernel is given of
  them does: a bit each.

A portable array is where its layout says, in memory that is no other's: each such memory has a place of its own, above
all addresses. Where NumPy has an array over the memory of one that is stored to, a bit says so, too.

The length that a number stands for is part of the run (polyhedral compilers have such lengths as parameters: Feautrier,
Dataflow analysis of array and scalar references, 1991, section 2).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from hetc.arrays.numbers import NumberArray
from hetc.dataclass import dataclass
from hetc.errors import UnsupportedError
from hetc.frontends.array_code.accesses import Access, AnyArray, access_of, address, portable_place, reach, span_of
from hetc.frontends.array_code.leaves import owner_of
from hetc.frontends.array_code.statements import ArrayStatement
from hetc.frontends.array_code.values import Values

Key = tuple[Any, ...]

Sizes = Mapping[int, int]
"""What each length of a plan is in a run."""


@dataclass(frozen=True)
class Form:
    """The key of a plan for some leaves, and the lengths, above 1, that its numbers stand for."""

    key: Key
    lengths: tuple[int, ...]

    def sizes(self, planned: Form) -> Sizes:
        """What the lengths of a plan are here, which was made for another form with this key.

        >>> Form((), (8, 9)).sizes(Form((), (3, 5)))
        {0: 0, 1: 1, 3: 8, 5: 9}
        """
        return {0: 0, 1: 1, **dict(zip(planned.lengths, self.lengths, strict=True))}


_IN_ORDER = [Access(tuple((dim, 0) for dim in range(rank))) for rank in range(8)]


def form_of(statements: Sequence[ArrayStatement], values: Values) -> Form:
    """The form of the leaves of some statements. Raises UnsupportedError for memory that is shared unbeknownst."""
    return _Former().form(statements, values)


class _Former:
    """Numbers lengths, arrays and owners of memory in the order in which they turn up."""

    def __init__(self) -> None:
        self.lengths: dict[int, int] = {0: 0, 1: 1}
        self.arrays: dict[Any, int] = {}
        self.handed: dict[Any, int] = {}
        self.owners: dict[int, tuple[int, int]] = {}
        self.spans: list[tuple[tuple[int, int], tuple[int, int]]] = []
        """From where to where each array reaches in memory, and what a kernel is given of it."""
        self.stored: list[int] = []

        self.memories: dict[int, int] = {}
        """Where the memory of each portable array is taken to be."""

    def form(self, statements: Sequence[ArrayStatement], values: Values) -> Form:
        parts: list[Any] = []
        for number, leaves in enumerate(values.leaves):
            parts.append(len(leaves))
            target = statements[number].target
            for leaf, value in enumerate(leaves):
                if type(value) is np.ndarray:
                    if target is not None and target.number == leaf:
                        self.stored.append(len(self.spans))
                    parts.append(self._array(value, cast("AnyArray", values.containers[number, leaf])))
                elif isinstance(value, NumberArray) and (number, leaf) in values.containers:
                    if target is not None and target.number == leaf:
                        self.stored.append(len(self.spans))
                        parts.append(_is_shared(value, leaves))
                    parts.append(self._portable(value))
                elif isinstance(value, int | float | complex | np.generic):
                    parts.append(type(value))
                else:
                    parts.append(value if _tells_all(value) else type(value))
        if len(self.owners) > 1 and _meet(list(self.owners.values())):
            raise UnsupportedError("different arrays share memory in a way that NumPy does not tell")
        if self.stored:
            parts.append(self._overlaps())
            parts += self._looked_at(values)
        return Form(tuple(parts), tuple(self.lengths)[2:])

    def _array(self, array: AnyArray, container: AnyArray) -> Key:
        owner = owner_of(array)
        if id(owner) not in self.owners:
            start = address(owner)
            self.owners[id(owner)] = start, start + owner.nbytes
        shape, strides, place, flags = array.shape, array.strides, address(array), array.flags
        if flags.c_contiguous and 1 not in shape and len(shape) < len(_IN_ORDER) and shape:
            access, given = _IN_ORDER[len(shape)], (place, shape, strides, array.dtype)
        else:
            access = access_of(array, container)
            if access.whole:  # without dimensions of one element, an array starts where it does with them
                kept = [dim for dim in range(len(shape)) if dim not in access.dropped]
                given = place, tuple([shape[dim] for dim in kept]), tuple([strides[dim] for dim in kept]), array.dtype
            else:
                given = address(container), container.shape, container.strides, container.dtype
        whole = place, shape, strides, array.dtype
        self.spans.append((span_of(place, shape, strides, array.itemsize), span_of(*given[:3], array.itemsize)))
        return self._key(access, whole, given, writeable=flags.writeable)

    def _portable(self, array: NumberArray) -> Key:
        """The same for a portable array, whose places are counted in elements."""
        memory = array.owner
        base = self.memories.setdefault(id(memory), (len(self.memories) + 1) << 70)
        place, dtype = portable_place(array), array.dtype
        (start, end), (given_start, given_end) = place.span, place.given_span
        self.spans.append(((base + start, base + end), (base + given_start, base + given_end)))
        whole = base, array.shape, array.geometry, dtype
        return array.is_view, *self._key(place.access, whole, (base, place.given, dtype), writeable=not memory.frozen)

    def _key(self, access: Access, whole: Any, given: Any, *, writeable: bool) -> Key:
        numbers = self.lengths
        return (
            whole[3], tuple([numbers.setdefault(size, len(numbers)) for size in whole[1]]), writeable,
            access.dims, access.whole, access.dropped, access.packed,
            self.arrays.setdefault(whole, len(self.arrays)), self.handed.setdefault(given, len(self.handed)),
        )  # fmt: skip

    def _overlaps(self) -> tuple[int, ...]:
        """Two bits for each array and each that is stored to."""
        found: list[int] = []
        for number in self.stored:
            (low, high), (given_low, given_high) = self.spans[number]
            bits = 0
            for (start, end), (given_start, given_end) in self.spans:
                given = given_start < given_high and given_low < given_end
                bits = bits * 4 + 2 * (start < high and low < end) + given
            found.append(bits)
        return tuple(found)

    def _looked_at(self, values: Values) -> list[Any]:
        """Whether arrays of which elements were read overlap those that are stored to."""
        found: list[Any] = []
        for looked_at in values.looked_at:
            for array in looked_at:
                if isinstance(array, np.ndarray):
                    known = cast("AnyArray", array)
                    start, end = reach(known)
                    found.append(tuple(start < self.spans[k][0][1] and self.spans[k][0][0] < end for k in self.stored))
                else:  # a portable array
                    found.append(type(array))
        return found


def _is_shared(stored: NumberArray, leaves: Sequence[Any]) -> bool:
    """Whether NumPy's arrays may be over the memory of a portable one that is on the host."""
    arrays = [value for value in leaves if type(value) is np.ndarray]
    if not arrays or not stored.is_on_host:
        return False
    return any(np.may_share_memory(stored.owner.read(), value) for value in arrays)


def _meet(spans: list[tuple[int, int]]) -> bool:
    """Whether two of some pieces of memory have a part in common."""
    return any(end > start for (_, end), (start, _) in itertools.pairwise(sorted(spans)))


def _tells_all(value: object) -> bool:
    """Whether a leaf that is no number is in the key as it is, rather than its type."""
    return value is None or value is ... or value is np or isinstance(value, type | np.dtype) or callable(value)

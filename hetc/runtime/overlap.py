"""What keeps the iterations of a parallel loop apart, and only the run of the loop can tell: memory, and indices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from hetc.arrays.numbers import NumberArray
from hetc.diagnostics import Category
from hetc.errors import UnsupportedError
from hetc.field_values import PackedNumbers
from hetc.identities import Places
from hetc.runtime.marshal import AnyArray, is_array


def check_memory(written: Iterable[str], captures: Mapping[str, object]) -> None:
    """Raise UnsupportedError if iterations in any order could give something else than those in Python's.

    `written` are the names of what is stored to, among all `captures`: each must be a writable array, must not overlap
    itself (as a view with a stride of zero does), and must not overlap another.
    """
    arrays = {name: value for name, value in captures.items() if is_array(value)}
    portable = {name: value for name, value in captures.items() if isinstance(value, NumberArray)}
    for name in written:
        if name in portable:
            _check_portable(name, portable, arrays)
            continue
        if name not in arrays:  # to the compiler, a list of NumPy's numbers is as good as an array
            raise UnsupportedError(
                f"'{name}' is a {type(captures[name]).__name__}, and only NumPy arrays can be stored to on a device",
                hint="store to a NumPy array",
                category=Category.CONTAINER,
            )
        array = arrays[name]
        if not array.flags.writeable:
            raise UnsupportedError(
                f"the array '{name}' is read-only",
                hint="store to an array that can be written",
                category=Category.INPUT,
            )
        if _overlaps_itself(array):
            raise UnsupportedError(
                f"elements of the array '{name}' may overlap each other in memory",
                hint="store to a copy, as array.copy() makes it",
                category=Category.DEPENDENCE,
            )
        for other, value in arrays.items():
            if other != name and np.may_share_memory(array, value) and _share(array, value):
                raise _overlapping(name, other)
        for other, value in portable.items():
            if value.owner.frozen and np.may_share_memory(array, value.owner.read()):
                raise _overlapping(name, other)


def _check_portable(name: str, portable: Mapping[str, NumberArray], arrays: Mapping[str, AnyArray]) -> None:
    """The same for a portable array that is stored to, among others and NumPy's arrays."""
    array = portable[name]
    if array.owner.frozen:
        raise UnsupportedError(
            f"the array '{name}' is read-only: it shares the memory of what it was made from",
            hint="store to a copy, as array.copy() makes it",
            category=Category.INPUT,
        )
    if array.is_view:
        raise UnsupportedError(
            f"the array '{name}' is a view of another, and only whole portable arrays can be stored to on a device",
            hint="store to the array itself",
            category=Category.INPUT,
        )
    for other, value in portable.items():
        if other != name and value.owner is array.owner:
            raise _overlapping(name, other)
    for other, value in arrays.items():
        if array.owner.is_on_host and np.may_share_memory(array.host(), value):
            raise _overlapping(name, other)


def _overlapping(name: str, other: str) -> UnsupportedError:
    return UnsupportedError(
        f"the arrays '{name}' and '{other}' overlap in memory",
        hint="store to an array of its own",
        category=Category.DEPENDENCE,
    )


def _overlaps_itself(array: AnyArray) -> bool:
    """Whether two elements may share memory: each step in a dimension must be longer than all that is inside of it."""
    if not array.size:
        return False
    reach = array.itemsize
    for stride, size in sorted((abs(stride), size) for stride, size in zip(array.strides, array.shape, strict=True)):
        if size > 1:
            if stride < reach:
                return True
            reach += stride * (size - 1)
    return False


def _share(one: AnyArray, other: AnyArray) -> bool:
    """Whether two arrays share an element; where that is hard to tell, they may."""
    try:
        # The stubs know two of the values of max_work only.
        return np.shares_memory(one, other, max_work=10_000)  # pyright: ignore[reportArgumentType]
    except np.exceptions.TooHardError:
        return True


_SPARSE = 16
"""Numbers that span up to this many times as much as there are of them are marked off, others are sorted."""


def check_distinct(names: Iterable[str], captures: Mapping[str, object]) -> None:
    """Raise UnsupportedError if two elements of one of these arrays of integers are the same."""
    for name in names:
        value = captures[name]
        if isinstance(value, Places):
            if value.of_objects.size != _count_distinct(value.of_objects):
                raise UnsupportedError(
                    f"an object stands in several places of {value.noun}, and its attributes are assigned: "
                    "Python assigns and reads them in order",
                    category=Category.DEPENDENCE,
                )
            continue
        array = value.packed if isinstance(value, PackedNumbers) else np.asarray(value)
        if array.size != _count_distinct(array):
            raise UnsupportedError(
                f"elements of '{name}' are the same, so different iterations may store to one element",
                category=Category.DEPENDENCE,
            )


def _count_distinct(array: AnyArray) -> int:
    if array.size < 2:
        return array.size
    low, high = int(array.min()), int(array.max())
    if high - low > _SPARSE * array.size:
        return np.unique(array).size
    marks = np.zeros(high - low + 1, np.bool_)
    # Narrow signed integers would wrap, wide unsigned ones would not fit.
    offsets = array.astype(np.intp) - low if array.dtype.kind == "i" else array - array.dtype.type(low)
    marks[offsets] = True
    return int(np.count_nonzero(marks))

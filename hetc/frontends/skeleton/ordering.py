"""Sorts by their sequential Python meaning: `sorted` for lists, NumPy's stable order for arrays.

Both are stable: elements that are equal stay in their order, in a reverse order, too. What is ordered by tuples is
ordered by their first items, then by the second.

A NaN is neither less than a number nor greater: what `sorted` makes of a list with one hangs on which elements it
compares, and is as it is. In arrays it is NumPy's: a NaN comes after all numbers, and is equal to other NaNs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from hetc.abi import Container
from hetc.arrays.making import components, portable
from hetc.arrays.numbers import NumberArray
from hetc.arrays.tuples import TupleArray
from hetc.containers import collect, elements_of
from hetc.frontends.skeleton.composition import Sort

Places = np.ndarray[Any, np.dtype[np.intp]]
"""Where the elements of a result are in the inputs."""

_ORDERED = "biuf"
"""The kinds of NumPy's dtypes whose numbers `lexsort` puts in NumPy's order."""


def sorted_in_python(sort: Sort, inputs: Sequence[Any], container: Container, *, zipped: bool = False) -> list[Any]:
    """The inputs in order, each in the container; or, of a sort that asks for places, these.

    The key takes an element of each input; if they are `zipped`, one tuple of them. Raises what the key and comparisons
    raise, and ValueError for inputs of different lengths.

    >>> sorted_in_python(Sort(abs, reverse=True), [[1, -3, 2, 3]], Container.LIST)
    [[-3, 3, 2, 1]]
    """
    order = places_in_python(sort, inputs, container, zipped=zipped)
    if sort.places:
        return [placed(order, container)]
    return [taken(value, order, container) for value in inputs]


def places_in_python(sort: Sort, inputs: Sequence[Any], container: Container, *, zipped: bool = False) -> Places:
    """Where the elements are, in their order; see `sorted_in_python`."""
    __tracebackhide__ = True  # the key may not take these elements, nor be ordered
    rows: Any = zip(*map(elements_of, inputs), strict=True)
    is_array = container in (Container.NDARRAY, Container.ARRAY)
    columns: object = ()
    if sort.key is not None:
        keys: list[Any] = [sort.key(row) if zipped else sort.key(*row) for row in rows]
        if is_array and keys:
            columns = collect(keys, Container.NDARRAY)
    else:
        if is_array:
            columns = tuple(components(v) if isinstance(v, NumberArray | TupleArray) else np.asarray(v) for v in inputs)
        keys = [] if is_ordered(columns) else [row[0] if len(row) == 1 else row for row in rows]
    if is_ordered(columns):
        return order_of(leaves_of(columns), reverse=sort.reverse)
    return np.array(sorted(range(len(keys)), key=keys.__getitem__, reverse=sort.reverse), np.intp)


def is_ordered(columns: object) -> bool:
    """Whether there are arrays, all of real numbers in one dimension: NumPy has an order for these."""
    leaves = leaves_of(columns)
    return bool(leaves) and all(leaf.ndim == 1 and leaf.dtype.kind in _ORDERED for leaf in leaves)


def order_of(columns: Sequence[Any], *, reverse: bool) -> Places:
    """The stable order of the rows of some arrays of real numbers.

    >>> order_of([np.array([2.0, np.nan, 1.0]), np.array([0, 0, 0])], reverse=False).tolist()
    [2, 0, 1]
    """
    ordered = [column[::-1] if reverse else column for column in columns]
    # The last key is NumPy's first.
    order = np.argsort(ordered[0], kind="stable") if len(ordered) == 1 else np.lexsort(ordered[::-1])
    return len(columns[0]) - 1 - order[::-1] if reverse else order


def taken(value: Any, order: Places, container: Container) -> Any:
    """An input's elements at some places, in the container of the result."""
    if isinstance(value, np.ndarray | NumberArray):
        found = np.asarray(cast("Any", value))[order]
        return portable(found) if container is Container.ARRAY else found
    items: list[Any] = list(map(value.__getitem__, order.tolist()))
    if items or container in (Container.LIST, Container.TUPLE):
        return collect(items, container)
    return collect(list(elements_of(value)), container)


def placed(order: Places, container: Container) -> Any:
    """Places, in the container of a result."""
    if container in (Container.LIST, Container.TUPLE):
        return collect(order.tolist(), container)
    found = order.astype(np.int64)
    return portable(found) if container is Container.ARRAY else found


def leaves_of(columns: object) -> list[Any]:
    """The arrays that an array, or a tuple of arrays and such tuples, is made of."""
    if isinstance(columns, tuple):
        return [leaf for part in cast("tuple[object, ...]", columns) for leaf in leaves_of(part)]
    return [columns]

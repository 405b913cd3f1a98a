"""The index spaces of parallel loops: what `hetc.forall` and `hetc.prange` return.

In plain Python they are iterated like any range. In a function under `hetc.jit`, a `for` statement over one of them may
run on a device.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from operator import index
from types import FunctionType
from typing import Any, SupportsIndex

from hetc.dataclass import dataclass


class HostCode:
    """What stands for a Python function with parallel loops: called from a device's function, it is that function."""

    # No class variable: to a type checker, a function that is one is a method.
    def __init__(self, function: FunctionType) -> None:
        self.function = function

    def taken_apart(self) -> Any:
        """The function and its loops, as `frontends/loops/rewrite.py` makes them; None for one that is not compiled."""
        return None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it."""
        return self.function(*args, **kwargs)

    def called_by(self, arrays: Any, arguments: tuple[Any, ...]) -> Any:
        """Call it from another such function, which keeps arrays on the device."""
        arrays.bring_all()
        return self.function(*arguments)


class SkeletonCode:
    """What stands for an array function: called on arrays, it changes none, and gives a new array or a number."""

    def __call__(self, *inputs: Any) -> Any:
        """Call it."""
        raise NotImplementedError

    @property
    def gives_number(self) -> bool:
        """Whether calls give one value rather than an array."""
        raise NotImplementedError

    def on_device_alone(self, given: tuple[Any, ...], inputs: tuple[Any, ...], separate: Any) -> Any:
        """Call it on arrays that stay on a device; see `ArrayFunction`."""
        raise NotImplementedError


@dataclass(frozen=True)
class IndexSpace:
    """The points of the product of some ranges, the last running fastest: integers for one, else tuples of them.

    >>> list(forall(2, 2))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """

    ranges: tuple[range, ...]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.ranges[0]) if len(self.ranges) == 1 else itertools.product(*self.ranges)

    def __len__(self) -> int:
        return math.prod(map(len, self.ranges))

    @property
    def is_endless(self) -> bool:
        """Whether there are so many points that Python cannot tell their number; nobody waits for them all."""
        try:
            return len(self) < 0
        except OverflowError:
            return True


def forall(*extents: SupportsIndex) -> IndexSpace:
    """The indices of an array of this shape, for a loop whose iterations do not depend on each other.

    `for i in hetc.forall(n)` has the iterations of `range(n)`, `for i, j in hetc.forall(h, w)` those of two nested
    loops. In a function under `hetc.jit` they run on a device, where that gives the same result.

    Raises TypeError for an extent that is no integer, and without any.

    >>> list(forall(3))
    [0, 1, 2]
    """
    if not extents:
        raise TypeError("forall() takes the extent of each dimension, at least one")
    for extent in extents:
        if hasattr(extent, "__len__"):
            raise TypeError(f"forall() takes the extent of each dimension, such as len(x), not {type(extent).__name__}")
    return IndexSpace(tuple(range(index(extent)) for extent in extents))


def prange(start: SupportsIndex, stop: SupportsIndex | None = None, step: SupportsIndex = 1, /) -> IndexSpace:
    """The integers of `range`, for a loop whose iterations do not depend on each other.

    Raises what `range` raises.

    >>> list(prange(1, 8, 3))
    [1, 4, 7]
    """
    first, last = (0, start) if stop is None else (start, stop)
    return IndexSpace((range(index(first), index(last), index(step)),))


Box = tuple[range, ...]
"""A part of an index space that is itself a product of ranges."""


def boxes(ranges: Box, first: int, end: int) -> Iterator[Box]:
    """Points number `first` to `end` of a product of ranges, in order, as few products.

    >>> list(boxes((range(3), range(4)), 2, 11))
    [(range(0, 1), range(2, 4)), (range(1, 2), range(0, 4)), (range(2, 3), range(0, 3))]
    """
    if first >= end:
        return
    rows, rest = ranges[0], ranges[1:]
    if not rest:
        yield (rows[first:end],)
        return
    width = math.prod(map(len, rest))
    (row, left), (last, right) = divmod(first, width), divmod(end, width)
    if row == last:
        yield from ((rows[row : row + 1], *part) for part in boxes(rest, left, right))
        return
    if left:
        yield from ((rows[row : row + 1], *part) for part in boxes(rest, left, width))
        row += 1
    if row < last:
        yield (rows[row:last], *rest)
    yield from ((rows[last : last + 1], *part) for part in boxes(rest, 0, right))


def points(ranges: Box, first: int, end: int) -> Iterator[Any]:
    """Points number `first` to `end` of a product of ranges.

    >>> list(points((range(3), range(4)), 3, 5))
    [(0, 3), (1, 0)]
    """
    for box in boxes(ranges, first, end):
        yield from IndexSpace(box)

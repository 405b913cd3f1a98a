"""What a batch of a call has of its inputs and captured variables: consecutive elements, or rows of grids."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hetc.arrays.memory import HostArray
from hetc.arrays.result_memory import empty_result
from hetc.dataclass import dataclass
from hetc.runtime.objects import MixedColumn, ObjectColumn

Captures = Mapping[str, object]


@dataclass(frozen=True)
class Part:
    """The inputs and captured variables of a batch; before its own elements it has `skip` others for each result."""

    inputs: Sequence[Any]
    captures: Captures
    skip: int = 0


@dataclass(frozen=True)
class Elements:
    """Batches of consecutive elements of the inputs, of which there are `total`; each gives one number of a result.

    Where elements are rows of captured arrays, those are the captured variables `names`, and the first input numbers
    the rows; a batch has its rows, and numbers them from zero.
    """

    inputs: Sequence[Any]
    captures: Captures
    names: tuple[str, ...] = ()
    width: int = 1

    @property
    def total(self) -> int:
        """How many elements there are."""
        return len(self.inputs[0])

    def part(self, span: range) -> Part:
        """The elements of a batch."""
        inputs = [part_of(value, span) for value in self.inputs]
        if not self.names:
            return Part(inputs, self.captures)
        return Part([range(len(span)), *inputs[1:]], self._with_rows(span))

    def sizes(self, count: int) -> Part:
        """Something as long as the inputs of a batch of so many elements."""
        return Part([range(count)] * len(self.inputs), self._with_rows(range(count)))

    def _with_rows(self, span: range) -> Captures:
        arrays: dict[str, Any] = {name: self.captures[name] for name in self.names}
        return {**self.captures, **{name: array[span.start : span.stop] for name, array in arrays.items()}}


@dataclass(frozen=True)
class Rows:
    """Batches of rows of the grids that a stencil looks at, and `margin` more on both sides, which its windows reach.

    The inputs are the indices of the axes; the grids are the captured variables `names`. What is computed at the
    margins is not looked at, unless the grid ends there. If it `wraps`, it has no ends.
    """

    inputs: Sequence[range]
    captures: Captures
    names: tuple[str, ...]
    margin: int
    wraps: bool = False

    @property
    def total(self) -> int:
        """How many rows there are."""
        return len(self.inputs[0])

    @property
    def width(self) -> int:
        """How many points a row has."""
        return math.prod(map(len, self.inputs[1:]))

    def part(self, span: range) -> Part:
        """The rows of a batch, and those around them."""
        first, end = span.start - self.margin, span.stop + self.margin
        if not self.wraps:
            first, end = max(first, 0), min(end, self.total)
        grids: dict[str, Any] = {name: self.captures[name] for name in self.names}
        slabs = {name: rows_of(grid, first, end) for name, grid in grids.items()}
        inputs = [range(end - first), *self.inputs[1:]]
        return Part(inputs, {**self.captures, **slabs}, (span.start - first) * self.width)

    def sizes(self, count: int) -> Part:
        """Something as large as what a batch has that has so many rows of its own, and margins on both sides."""
        rows = count + 2 * self.margin if self.wraps else min(count + 2 * self.margin, self.total)
        grids: dict[str, Any] = {name: self.captures[name] for name in self.names}
        # The same row again and again takes no memory.
        slabs = {name: np.broadcast_to(grid[:1], (rows, *grid.shape[1:])) for name, grid in grids.items()}
        return Part([range(rows), *self.inputs[1:]], {**self.captures, **slabs})


Cut = Elements | Rows


def rows_of(grid: HostArray, first: int, end: int) -> HostArray:
    """Some rows of a grid, of which those before the first are the last ones, and so on around.

    >>> rows_of(np.arange(4), -1, 2)
    array([3, 0, 1])
    """
    total = len(grid)
    if first >= 0 and end <= total:
        return grid[first:end]
    pieces: list[HostArray] = []
    start = first
    while start < end:
        place = start % total
        count = min(total - place, end - start)
        pieces.append(grid[place : place + count])
        start += count
    shape = (end - first, *grid.shape[1:])
    return np.concatenate(pieces, out=empty_result(math.prod(shape), grid.dtype).reshape(shape))


def part_of(value: Any, span: range) -> Any:
    """Some consecutive elements of an input, where it has them."""
    if isinstance(value, ObjectColumn | MixedColumn):
        return value.part(span)
    return value[span.start : span.stop]

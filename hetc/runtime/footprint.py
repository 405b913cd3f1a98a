"""How much memory of a device a plan takes, found by going through its steps without running them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from hetc import abi
from hetc.arrays.base import Array
from hetc.dataclass import dataclass
from hetc.runtime import marshal
from hetc.runtime.host_steps import OPERATORS
from hetc.runtime.parts import Cut

LARGE = 4096
"""Longer batches are multiples of so many elements: all begin at addresses that are aligned as well."""


@dataclass(frozen=True)
class Footprint:
    """Bytes: what stays for all batches, what a batch takes beside that, and the largest single buffer."""

    resident: int
    batch: int
    largest: int


def footprint(package: abi.Package, inputs: Sequence[Any], captures: Mapping[str, object]) -> Footprint:
    """What a plan takes for inputs of these lengths. Where only the run tells how many a filter keeps, it keeps all."""
    count = max(map(len, inputs), default=0)

    def found(source: abi.Source) -> Any:
        return captures[str(source.name)] if source.index is None else inputs[source.index]

    values: dict[abi.Register, int] = {}
    sizes: dict[abi.Register, int] = {}
    parts = [0, 0]
    largest, each = 0, 0
    for step in package.steps:
        size = 0
        match step:
            case abi.EachBatch():
                each = 1
            case abi.Marshal(result, source, dtype, stride):
                sizes[result] = _elements(found(source)) * stride * np.dtype(dtype).itemsize
            case abi.MarshalRecords(result, members, size_of_one):
                sizes[result] = _elements(found(members[0].source)) * size_of_one
            case abi.CopyIn(_, host, shared):
                size = sizes[host] if shared else pooled(sizes[host])
            case abi.Present(source=source, dtype=dtype):
                size = pooled(_elements(found(source)) * np.dtype(dtype).itemsize)
            case abi.PresentRecords(_, _, size_of_one):
                size = pooled(_elements(found(step.source)) * size_of_one)
            case abi.Alloc(_, dtype, length, shared):
                size = values[length] * np.dtype(dtype).itemsize
                size = size if shared else pooled(size)
            case abi.Size(result, source, dimension):
                values[result] = marshal.length(found(source), dimension)
            case abi.Constant(result, value):
                values[result] = value
            case abi.Compute(result, operator, left, right):
                # An empty batch is never run; a length of zero would be divided by.
                values[result] = OPERATORS[operator](values[left], values[right])
            case abi.Last(result):
                values[result] = count
            case _:
                pass
        parts[each] += size
        largest = max(largest, size)
    return Footprint(parts[0], parts[1], largest)


def most_elements(package: abi.Package, cut: Cut, room: int, largest: int) -> int:
    """The most elements that a batch can have within so much room, in buffers of at most `largest` bytes.

    It is 0 if not even one element fits.
    """
    total = cut.total

    def fits(count: int) -> bool:
        taken = batch_footprint(package, cut, count)
        return taken.batch <= room and taken.largest <= largest

    if fits(total):
        return total
    unit = LARGE if total > LARGE and fits(LARGE) else 1
    low, high = 0, -(-total // unit)  # so many units fit, and so many do not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle * unit) else (low, middle)
    return low * unit


def batch_footprint(package: abi.Package, cut: Cut, count: int) -> Footprint:
    """What a plan takes for a batch of so many elements."""
    part = cut.sizes(count)
    return footprint(package, part.inputs, part.captures)


def pooled(size: int) -> int:
    """The bytes that the device's pool takes for a buffer: it keeps sizes of which the first five bits differ.

    >>> pooled(1000), pooled(3)
    (1023, 3)
    """
    return size | ((1 << max(size.bit_length() - 5, 0)) - 1)


def _elements(value: object) -> int:
    """The number of elements of a captured array, list or tuple."""
    if isinstance(value, Array):
        return math.prod(value.shape)
    if marshal.is_array(value):
        return value.size
    return len(cast("list[object]", value))

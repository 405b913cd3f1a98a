"""What a parallel loop looks like to the compiler: its ranges of indices, and what it captures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hetc.abi import INT32_MAX, LONGEST, SCALAR_TYPES, InputKind, Signature, ValueType
from hetc.runtime.describe import Captures, describe, range_bounds, shape_of

FAR = -4
"""An index that stays further below a length than this is taken to be so far below it: signatures stay few."""

NO_LENGTH = LONGEST - 1
"""The ranges of a loop have no length that captured arrays are compared with: a run takes parts of them."""


def describe_loop(ranges: Sequence[range], captures: Mapping[str, object]) -> tuple[Signature, Captures]:
    """The signature of a loop, and the types of its captured variables. It holds for any part of the ranges, too.

    Raises UnsupportedError for a range of numbers that do not fit 64 bits.
    """
    signature, types = describe([range(NO_LENGTH)], captures)
    lengths: dict[int, int] = {}
    for name, type_ in types.items():
        if isinstance(type_, ValueType) and type_.kind is InputKind.ARRAY:
            lengths.update(zip(type_.dims, shape_of(name, captures[name]), strict=False))
    inputs = tuple(
        ValueType(
            InputKind.SEQUENCE,
            SCALAR_TYPES["int"],
            bounds=range_bounds(part, number),
            below=_below(part, lengths),
            unit_step=part.step == 1,
        )
        for number, part in enumerate(ranges)
    )
    lengths_of = [*map(len, ranges)]
    wide = signature.wide or math.prod(lengths_of) > INT32_MAX or max(lengths_of) > LONGEST
    return replace(signature, inputs=inputs, wide=wide), types


def _below(part: range, lengths: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
    """The dimensions that all indices of a range are below, each with the c of `index <= length + c`."""
    highest = max(part[0], part[-1]) if part else part.start
    return tuple((dim, max(highest - size, FAR)) for dim, size in sorted(lengths.items()) if highest < size)

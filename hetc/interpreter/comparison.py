"""Whether two results are the same number: type, sign of zero, NaN and all."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np


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

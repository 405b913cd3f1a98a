"""What fixed-point numbers mean, in Python: the oracle of what devices compute."""

from __future__ import annotations

from typing import Any

import numpy as np

FRACTION = 16
"""The bits after the point."""

_LOW, _HIGH = -(2**31), 2**31 - 1


def multiply(a: Any, b: Any) -> np.int32:
    """The product of two fixed-point numbers, rounded down; the nearest number where it is too large."""
    return np.int32(max(_LOW, min(_HIGH, (int(a) * int(b)) >> FRACTION)))


def from_float(x: float) -> np.int32:
    """A number as a fixed-point number, rounded to the nearest."""
    return np.int32(round(x * 2**FRACTION))


def to_float(a: Any) -> float:
    """The inverse."""
    return int(a) / 2**FRACTION

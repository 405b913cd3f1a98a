"""Which arrays share elements, and whether point by point."""

from __future__ import annotations

import numpy as np

from hetc.arrays.numbers import NumberArray
from hetc.dataclass import dataclass
from hetc.frontends.array_code.accesses import AnyArray, address


@dataclass(frozen=True)
class Touched:
    """An array that a statement reads or stores to, and what of it a kernel is given; `here`: only at its own point."""

    array: AnyArray | NumberArray
    handed: AnyArray | NumberArray
    here: bool = True

    def is_apart(self, other: Touched) -> bool:
        """Whether both may be in one loop: they share no memory, or the same elements, point by point."""
        if not overlap(self.handed, other.handed):
            return True
        return self.here and other.here and same_elements(self.array, other.array)


def same_elements(one: AnyArray | NumberArray, other: AnyArray | NumberArray) -> bool:
    """Whether two arrays have the same elements at the same places."""
    if one is other:
        return True
    if isinstance(one, NumberArray) or isinstance(other, NumberArray):
        if not isinstance(one, NumberArray) or not isinstance(other, NumberArray) or one.owner is not other.owner:
            return False
        one, other = one.layout, other.layout
    return (
        one.shape == other.shape
        and one.strides == other.strides
        and one.dtype == other.dtype
        and address(one) == address(other)
    )


def overlap(one: AnyArray | NumberArray, other: AnyArray | NumberArray) -> bool:
    """Whether two arrays may share elements; parts of one array that lie apart in memory do not.

    What is stored to is no portable array that shares NumPy's memory: those are read-only.
    """
    if isinstance(one, NumberArray) or isinstance(other, NumberArray):
        if not isinstance(one, NumberArray) or not isinstance(other, NumberArray) or one.owner is not other.owner:
            return False
        one, other = one.layout, other.layout
    return np.may_share_memory(one, other)

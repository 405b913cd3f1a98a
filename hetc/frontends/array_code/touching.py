"""Which arrays share elements, and whether point by point."""

from __future__ import annotations

import numpy as np

from hetc.dataclass import dataclass
from hetc.frontends.array_code.accesses import AnyArray, address


@dataclass(frozen=True)
class Touched:
    """An array that a statement reads or stores to, and what of it a kernel is given; `here`: only at its own point."""

    array: AnyArray
    handed: AnyArray
    here: bool = True

    def is_apart(self, other: Touched) -> bool:
        """Whether both may be in one loop: they share no memory, or the same elements, point by point."""
        if not overlap(self.handed, other.handed):
            return True
        return self.here and other.here and same_elements(self.array, other.array)


def same_elements(one: AnyArray, other: AnyArray) -> bool:
    """Whether two arrays have the same elements at the same places."""
    if one is other:
        return True
    return (
        one.shape == other.shape
        and one.strides == other.strides
        and one.dtype == other.dtype
        and address(one) == address(other)
    )


def overlap(one: AnyArray, other: AnyArray) -> bool:
    """Whether two arrays may share elements; parts of one array that lie apart in memory do not."""
    return np.may_share_memory(one, other)

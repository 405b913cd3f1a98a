"""Numbers that are computed where they are needed, instead of being kept: sequences, and one number many times."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from hetc.dataclass import dataclass

HostArray = np.ndarray[tuple[int], np.dtype[Any]]


class Formula(ABC):
    """What number `i` of a row is."""

    @abstractmethod
    def fill(self, host: HostArray, first: int) -> None:
        """Compute the numbers from number `first` on."""

    @abstractmethod
    def part(self, first: int, stride: int) -> Formula | None:
        """The formula of numbers `first + stride * i`, if there is one that gives the same to the bit."""


@dataclass(frozen=True)
class Progression(Formula):
    """`start + step * i`, both int64 or both float64."""

    start: Any
    step: Any

    def fill(self, host: HostArray, first: int) -> None:
        """Compute the numbers from number `first` on, as NumPy computes `start + step * numpy.arange(n)`."""
        host[...] = np.arange(first, first + host.size)
        host *= self.step
        host += self.start

    @property
    def is_integer(self) -> bool:
        """Whether its numbers are integers."""
        return self.start.dtype.kind == "i"

    def interval(self, size: int) -> tuple[int, int]:
        """The least and the greatest of some integers."""
        first, last = int(self.start), int(self.start) + int(self.step) * max(size - 1, 0)
        return min(first, last), max(first, last)

    def part(self, first: int, stride: int) -> Progression | None:
        """The formula of some of the numbers: integers are exact, floats would be rounded elsewhere."""
        if self.is_integer:
            start, step = int(self.start), int(self.step)
            return Progression(np.int64(start + step * first), np.int64(step * stride))
        return self if (first, stride) == (0, 1) else None


@dataclass(frozen=True)
class Constant(Formula):
    """The same number in each place."""

    start: Any

    def fill(self, host: HostArray, first: int) -> None:
        """Put the number everywhere."""
        host[...] = self.start

    def part(self, first: int, stride: int) -> Constant:
        """Some of the numbers are the same ones."""
        return self


def constant_of(array: np.ndarray[Any, np.dtype[Any]]) -> Constant | None:
    """The number that a NumPy array repeats without storing it, as `numpy.broadcast_to` makes them; None of others."""
    if array.size and array.ndim and not any(array.strides) and array.dtype.isnative:
        return Constant(array[(0,) * array.ndim])
    return None


@dataclass(frozen=True)
class Computed:
    """The numbers of a formula, of which a part is computed when it is asked for."""

    formula: Progression
    size: int

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, part: slice) -> HostArray:
        start, stop, _ = part.indices(self.size)
        host = np.empty(stop - start, self.formula.start.dtype)
        self.formula.fill(host, start)
        return host

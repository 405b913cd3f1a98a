"""What all portable arrays have in common: `hetc.Array`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hetc.abi import ElementType
from hetc.arrays.memory import Memory

AnyArray = np.ndarray[Any, np.dtype[Any]]


class Array(ABC):
    """A portable array: its numbers live on the host, on devices, or both, and move when someone looks at them.

    Made by `hetc.array`, and by array functions of portable arrays. It is a value: what it was made of may change
    without changing it. Elements, indexing, slices and assignment are those of the NumPy array with the same contents.
    """

    @property
    @abstractmethod
    def element(self) -> ElementType:
        """The type of an element, as the compiler knows it."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The length of each dimension."""

    @property
    @abstractmethod
    def places(self) -> tuple[str, ...]:
        """Where the data is now: "host", and the devices that have a copy of their own."""

    @property
    @abstractmethod
    def is_on_host(self) -> bool:
        """Whether Python can look at the data without anything being moved."""

    @abstractmethod
    def memory(self, path: tuple[int, ...]) -> Memory:
        """The numbers at a path in the elements, row by row, for devices to read."""

    @abstractmethod
    def memories(self) -> Sequence[Memory]:
        """What the numbers of the array are kept in."""

    @abstractmethod
    def elements(self) -> Any:
        """The elements as functions in Python see them: an iterable that can be indexed and sliced."""

    @abstractmethod
    def copy(self) -> Array:
        """The same array in memory of its own."""

    @abstractmethod
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray: ...

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.elements())

    def _repr_html_(self) -> str:
        """For notebooks: the array's shape and where it is, and its `repr`. Nothing is moved for that."""
        from hetc.markup import element

        size = " x ".join(map(str, self.shape)) or "no dimensions"
        head = element("b", f"hetc.array: {size}, {where_text(self.places)}")
        return element("div", head, element("pre", repr(self)))

    def __copy__(self) -> Array:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Array:
        return self.copy()


def where_text(places: Sequence[str]) -> str:
    """Where the data of an array is, as its `repr` says it."""
    return f"on {', '.join(places)}" if places else "computed"

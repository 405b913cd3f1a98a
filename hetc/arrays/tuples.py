"""Arrays of tuples as one array a component: struct of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np

from hetc.abi import TupleType
from hetc.arrays.base import AnyArray, Array, where_text
from hetc.arrays.memory import Memory
from hetc.arrays.numbers import NumberArray


class TupleArray(Array):
    """An array of one dimension whose elements are tuples of numbers, or of such tuples.

    >>> points = TupleArray([NumberArray.of(np.array([1, 2])), NumberArray.of(np.array([0.5, 1.5]))])
    >>> points[1], points.fields[1].tolist()
    ((np.int64(2), np.float64(1.5)), [0.5, 1.5])
    """

    __array_ufunc__ = None

    def __init__(self, fields: Sequence[NumberArray | TupleArray]) -> None:
        self.fields = tuple(fields)
        """One array a component. They are the array's own: what is assigned to them changes the tuples."""

    @property
    def element(self) -> TupleType:
        """The type of an element."""
        return TupleType(tuple(part.element for part in self.fields))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The structured dtype of what NumPy sees, with the fields "f0", "f1" and so on."""
        return np.dtype([(f"f{place}", part.dtype) for place, part in enumerate(self.fields)])

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of tuples."""
        return self.fields[0].shape

    @property
    def size(self) -> int:
        """The number of tuples."""
        return len(self)

    @property
    def nbytes(self) -> int:
        """The bytes of all numbers."""
        return sum(part.nbytes for part in self.fields)

    @property
    def places(self) -> tuple[str, ...]:
        """Where some of the data is now."""
        return tuple(dict.fromkeys(place for part in self.fields for place in part.places))

    @property
    def is_on_host(self) -> bool:
        """Whether Python can look at all of the data without anything being moved."""
        return all(part.is_on_host for part in self.fields)

    def memory(self, path: tuple[int, ...]) -> Memory:
        """The numbers of a component."""
        return self.fields[path[0]].memory(path[1:])

    def memories(self) -> Sequence[Memory]:
        """What the numbers of the array are kept in."""
        return [memory for part in self.fields for memory in part.memories()]

    def elements(self) -> TupleArray:
        """The elements as functions in Python see them."""
        return self

    def __iter__(self) -> Iterator[Any]:
        return zip(*self.fields, strict=True)

    def copy(self) -> TupleArray:
        """The same array in memory of its own."""
        return TupleArray([part.copy() for part in self.fields])

    def __getitem__(self, key: Any) -> Any:
        """An element as a tuple, or a view for a slice."""
        if isinstance(key, str):
            return self.fields[list(cast("Sequence[str]", self.dtype.names)).index(key)]
        parts = [part[key] for part in self.fields]
        return TupleArray(parts) if isinstance(parts[0], Array) else tuple(parts)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Assign a tuple to an element, or to each of several; or other tuples to them, one a place."""
        if isinstance(value, list):
            value = list(map(list, zip(*cast("list[tuple[Any, ...]]", value), strict=True)))
        for part, component in zip(self.fields, value.fields if isinstance(value, TupleArray) else value, strict=True):
            part[key] = component

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        """A structured NumPy array, which is a copy always."""
        if copy is False:
            raise ValueError("tuples are kept as one array a component: NumPy's structured array is a copy")
        array = np.empty(self.shape, self.dtype)
        for name, part in zip(cast("Sequence[str]", array.dtype.names), self.fields, strict=True):
            array[name] = np.asarray(part)
        return array if dtype is None else array.astype(dtype)

    def tolist(self) -> list[Any]:
        """The elements as tuples of Python's numbers."""
        return list(zip(*(part.tolist() for part in self.fields), strict=True))

    def __eq__(self, other: object) -> Any:
        """Elementwise, as NumPy compares structured arrays."""
        return np.asarray(self) == (np.asarray(other) if isinstance(other, Array) else other)

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'hetc.Array'")

    def __reduce__(self) -> tuple[Any, ...]:
        return TupleArray, (self.fields,)

    def __repr__(self) -> str:
        """The elements, if the host has them."""
        where = where_text(self.places)
        if not self.is_on_host:
            return f"hetc.array(<shape {self.shape}>, dtype={self.dtype}, {where})"
        shown = np.array2string(np.asarray(self), separator=", ", prefix="hetc.array(")
        return f"hetc.array({shown}, dtype={self.dtype}, {where})"

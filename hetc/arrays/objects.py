"""Arrays of Python objects: values, whose fields are kept once they have been read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from hetc.abi import ElementType, ObjectType
from hetc.arrays.base import AnyArray, Array, where_text
from hetc.arrays.formulas import HostArray
from hetc.arrays.memory import Memory
from hetc.arrays.object_copies import copies


class StoredFields(Protocol):
    """The fields of the objects that some functions read, as numbers; made by the runtime."""

    @property
    def element(self) -> ElementType: ...

    @property
    def intervals(self) -> Sequence[tuple[int, int]]: ...

    def memory(self, path: tuple[int, ...]) -> Memory: ...

    def structs(self, key: Hashable, make: Callable[[object], HostArray]) -> Memory: ...

    def memories(self) -> Sequence[Memory]: ...


class ObjectArray(Array):
    """An array of one dimension of objects, some of which may be None.

    Its objects are copies: what is changed in the objects that it was made of is not seen, nor what is changed in those
    that indexing gives. So what has been read of them once, holds.
    """

    __array_ufunc__ = None

    def __init__(
        self,
        items: tuple[Any, ...],
        name: str,
        stored: dict[Hashable, StoredFields] | None = None,
        fields: StoredFields | None = None,
        layout: str = "auto",
    ) -> None:
        self._items = items
        self.layout = layout
        """How the fields lie in the memory of devices: "soa", "aos", or "auto", as the functions read them."""
        self.name = name
        """That of their class."""
        self._stored: dict[Hashable, StoredFields] = {} if stored is None else stored
        self.fields = fields
        """The fields that are read in a call."""

    @staticmethod
    def of(objects: Sequence[Any], layout: str = "auto") -> ObjectArray:
        """An array of copies of some objects, at least one of which is not None."""
        name = type(next(one for one in objects if one is not None)).__qualname__
        return ObjectArray(tuple(copies(objects)), name, layout=layout)

    @property
    def items(self) -> tuple[Any, ...]:
        """The array's own objects, which nobody is to change."""
        return self._items

    @property
    def samples(self) -> Sequence[Any]:
        """Objects that tell the classes and fields of all."""
        return self.items

    def reading(self, key: Hashable, read: Callable[[], StoredFields]) -> ObjectArray:
        """The same array, for a call that reads certain fields: they are read when the first such call comes."""
        if key not in self._stored:
            self._stored[key] = read()
        return ObjectArray(self.items, self.name, self._stored, self._stored[key], self.layout)

    @property
    def element(self) -> ElementType:
        """The type of an element, as far as its fields are read."""
        if self.fields is not None:
            return self.fields.element
        return ObjectType(self.name, (), ())

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of objects."""
        return (len(self.items),)

    @property
    def places(self) -> tuple[str, ...]:
        """Where the objects, and numbers of theirs, are now."""
        return tuple(dict.fromkeys(("host", *(place for memory in self.memories() for place in memory.places))))

    @property
    def is_on_host(self) -> bool:
        """The objects are Python's."""
        return True

    def memory(self, path: tuple[int, ...]) -> Memory:
        """The numbers of a field of all objects."""
        assert self.fields is not None, "it is not known which fields are read"
        return self.fields.memory(path)

    def structs(self, key: Hashable, make: Callable[[object], HostArray]) -> Memory:
        """Numbers of all objects beside each other, which are made of the fields when they are first asked for."""
        assert self.fields is not None, "it is not known which fields are read"
        return self.fields.structs(key, make)

    def memories(self) -> Sequence[Memory]:
        """What has been read so far."""
        return [memory for fields in self._stored.values() for memory in fields.memories()]

    def elements(self) -> ObjectArray:
        """The elements as functions in Python see them: copies, which they may change."""
        return self

    def __iter__(self) -> Iterator[Any]:
        return (copies((item,))[0] for item in self.items)

    def copy(self) -> ObjectArray:
        """The same array; nothing that it consists of changes."""
        return ObjectArray(self.items, self.name, layout=self.layout)

    def __getitem__(self, key: Any) -> Any:
        """A copy of an object, or the array of some of them."""
        found: Any = self.items[key]
        return ObjectArray(found, self.name, layout=self.layout) if isinstance(key, slice) else copies((found,))[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        """A NumPy array of copies of the objects."""
        if copy is False:
            raise ValueError("the objects of an array are its own: what is seen of them are copies")
        array = np.empty(self.shape, object)
        array[:] = list(self)
        return array if dtype is None else array.astype(dtype)

    def tolist(self) -> list[Any]:
        """Copies of the objects."""
        return list(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return ObjectArray, (self.items, self.name, None, None, self.layout)

    def __repr__(self) -> str:
        return f"hetc.array(<{len(self)} objects of {self.name}>, {where_text(self.places)})"

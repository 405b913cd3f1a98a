"""Where the fields of objects are written as they are read: beside each other, if a kernel reads them so.

What a kernel wants is known when it is compiled, which needs the types of fields, for which they are read. So the
fields of the next call are written into the structs that the last one's kernels read; nothing but time hangs on it.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from hetc.dataclass import dataclass

Vector = np.ndarray[tuple[int], np.dtype[Any]]


@dataclass(frozen=True)
class Struct:
    """A struct that kernels read of objects of a class, and those of its numbers that are fields of the very objects.

    `dtype` is the struct, `fields` are the names of attributes and of what they are in it.
    """

    dtype: np.dtype[Any]
    fields: tuple[tuple[str, str], ...]


Reading = tuple[type, tuple[str, ...]]
"""A class, and the attributes that a program reads of its objects: other programs read others, in other structs."""


class WantedStructs:
    """The structs that kernels have lately read of objects.

    >>> class Page: ...
    >>> wanted = WantedStructs()
    >>> wanted.note({(Page, ("degree",)): (Struct(np.dtype("i8,f8"), (("degree", "f0"),)),)})
    >>> wanted.buffers(Page, ("degree",), 2)["degree"].strides
    (16,)
    """

    def __init__(self) -> None:
        self._structs: WeakKeyDictionary[type, dict[tuple[str, ...], tuple[Struct, ...]]] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def note(self, structs: Mapping[Reading, tuple[Struct, ...]]) -> None:
        """Remember what kernels read of objects."""
        with self._lock:
            for (cls, fields), wanted in structs.items():
                known = self._structs.get(cls, {})
                if known.get(fields, ()) != wanted:
                    # Readers go on with what they have found.
                    self._structs[cls] = {**(known if len(known) < MOST else {}), fields: wanted}

    def buffers(self, cls: type, fields: tuple[str, ...], count: int) -> dict[str, Vector]:
        """Memory for the attributes of so many objects of a class, for those that stand in structs."""
        wanted = self._structs.get(cls, {}).get(fields, ())
        if not wanted or count < 2:  # a single struct is no array whose items stand apart
            return {}
        found: dict[str, Vector] = {}
        for struct in wanted:
            structs = np.empty(count, struct.dtype)
            found.update((name, structs[member]) for name, member in struct.fields)
        return found


MOST = 32
"""Programs that read objects of one class in structs, which are remembered."""


def structs_around(columns: Mapping[str, Vector], dtype: np.dtype[Any]) -> Vector | None:
    """The array of structs that some of its members have been written into, if one has; the others are missing."""
    for name, column in columns.items():
        owner = column.base
        if not isinstance(owner, np.ndarray) or owner.dtype != dtype or owner.shape != column.shape:
            continue
        if is_member(column, owner, name):
            return owner
    return None


def is_member(column: Vector, structs: Vector, name: str) -> bool:
    """Whether numbers are those of a member of an array of structs, in memory."""
    member = structs[name]
    there, here = member.__array_interface__["data"][0], column.__array_interface__["data"][0]
    return there == here and member.strides == column.strides and member.dtype == column.dtype


WANTED = WantedStructs()
"""What the kernels of this process read."""

"""What is compiled C code, where hetc was installed with it: loops over Python objects, copies by several threads.

Each loop has its counterpart in Python beside where it is called, which gives the same and takes longer: see adr/0022.
Where nothing is compiled, the driver copies: see adr/0034. The sources are in `native/`.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np

AnyVector = np.ndarray[tuple[int], np.dtype[Any]]
Found = str | int | list[Any]
"""The values of a field. The letter of a NumPy type: they are packed in the buffer, all of Python's type of that name.
Otherwise a list of them, or the index of the first object that has not the attribute."""


class CompiledLoops(Protocol):
    """What the extension module does. Buffers have 8 bytes a value, and are contiguous."""

    def type_of_numbers(self, values: Sequence[Any], /) -> tuple[str, int, int] | None:
        """The letter of the type of the numbers in a list or tuple, None if of several; and the interval of ints."""
        ...

    def pack(self, values: Sequence[Any], buffer: AnyVector, /) -> str | None:
        """Write the numbers of a list or tuple into a buffer; the letter of their type, None if they are of several."""
        ...

    def read_fields(
        self,
        objects: Sequence[object],
        cls: type,
        methods: tuple[tuple[str, object, str], ...],
        names: tuple[str, ...],
        places: AnyVector,
        buffers: tuple[AnyVector, ...],
        /,
    ) -> tuple[int, bool, tuple[Found, ...]] | None:
        """Read attributes of the objects in a list or tuple, in one pass.

        How many objects there are, whether None stands among them, and what each field holds. With None among them,
        the indices of the others are in `places`. A buffer that is not contiguous takes values of the size of its
        items, where these are; values of another size are listed. The result is None where an element is of another
        class, or a method not that of the class, or the list has changed its length.
        """
        ...

    def make_objects(
        self, cls: type, names: tuple[str, ...], columns: tuple[list[Any], ...], count: int, /
    ) -> list[Any]:
        """Objects with these attributes. No code of the class runs."""
        ...

    def assign_numbers(
        self, objects: Sequence[object], name: str, numbers: AnyVector, letter: str, marks: AnyVector | None, /
    ) -> None:
        """Assign an attribute of the objects in a list or tuple, or of those that are marked, as Python's numbers.

        The letter is that of a NumPy type, as in `read_fields`. The shortest of these comes to its end first; code of
        the user's, which may run as what is replaced is freed, may make the list shorter.
        """
        ...

    def addresses(self, values: Sequence[object], buffer: AnyVector, /) -> int:
        """Write the `id` of each object of a list or tuple, but for None, into a buffer; how many there are."""
        ...

    def start_numbering(self) -> object:
        """A numbering of objects, without any."""
        ...

    def number_objects(self, numbering: object, values: Sequence[object], places: AnyVector, /) -> list[Any]:
        """Number the objects of a list or tuple, each of which has one number; the new ones, in their order.

        The number of each is in `places`, -1 for None. Numbers count from zero in the order in which objects come.
        """
        ...

    def start_copy(
        self, array: AnyVector, ring: AnyVector, chunk: int, piece: int, to_ring: bool, threads: int, /
    ) -> object:
        """Start threads that copy an array of bytes in chunks to the slots of a ring, or from there.

        Chunk k is copied to slot k % slots once it is allowed, each of its pieces by one thread. None if the system
        starts no thread. Raises ValueError if the chunk is no multiple of the piece, or larger than the ring.
        """
        ...

    def allow_chunks(self, copy: object, count: int, /) -> None:
        """The first so many chunks of an array may be copied."""
        ...

    def await_chunk(self, copy: object, number: int, /) -> None:
        """Wait until a chunk that is allowed has been copied."""
        ...

    def end_copy(self, copy: object, /) -> None:
        """End the threads of a copy, which leave alone the chunks that they have not begun."""
        ...


def _load() -> CompiledLoops | None:
    try:
        return cast("CompiledLoops", import_module("hetc._native"))
    except ImportError:
        return None


compiled = _load()
"""None where hetc was installed without a C compiler."""

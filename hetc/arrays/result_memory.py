"""Memory for large results, which is used again when nobody holds the result any more.

The pages of new memory are made when they are first touched, which takes the system longer than it takes a device to
fill them. So when the last array over the memory of a result goes, the memory is kept for the next result of about the
size: as much of it as `hetc.configure(result_memory=...)` says. In everything else such an array is an ordinary one,
which owns no memory of its own (`flags.owndata`), as a view does not.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from hetc import settings
from hetc.arrays.formulas import HostArray

LEAST = 2**24
"""Bytes of a result from which on its memory is kept. The C library keeps smaller memory, touched, by itself."""

SLACK = 8
"""A block is used for a result that leaves at most one of so many parts of it unused."""


class Lease:
    """What the arrays over a block hold: as long as it lives, the block is in use. NumPy asks for the interface."""

    __slots__ = ("__array_interface__", "_block", "_kept")

    def __init__(self, block: HostArray, kept: KeptBlocks) -> None:
        self._block = block
        self._kept = kept
        self.__array_interface__: dict[str, Any] = block.__array_interface__

    def __del__(self) -> None:
        self._kept.put(self._block)


class KeptBlocks:
    """Blocks of memory that are in nobody's use, in the order in which they came."""

    def __init__(self) -> None:
        self._blocks: list[HostArray] = []
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """The bytes that are kept."""
        return sum(block.nbytes for block in tuple(self._blocks))

    def take(self, size: int) -> HostArray:
        """A block of at least so many bytes, with anything in it. Raises MemoryError."""
        with self._unless_busy() as free:
            fitting = [block for block in self._blocks if size <= block.nbytes <= size + size // SLACK] if free else []
            if fitting:
                block = min(fitting, key=lambda each: each.nbytes)
                self._blocks = [each for each in self._blocks if each is not block]
                return block
        try:
            return np.empty(size, np.uint8)
        except MemoryError:
            self.shrink(0)
            return np.empty(size, np.uint8)

    def put(self, block: HostArray) -> None:
        """Keep a block, if there is room for it without older ones."""
        most = limit()
        with self._unless_busy() as free:
            if free and block.nbytes <= most:
                self._blocks.append(block)
        self.shrink(most)

    def shrink(self, most: int) -> None:
        """Let the oldest blocks go until at most so many bytes are kept."""
        with self._unless_busy() as free:
            while free and self._blocks and self.size > most:
                del self._blocks[0]

    @contextmanager
    def _unless_busy(self) -> Generator[bool]:
        """Whether this is the only one at the blocks. Nobody waits.

        The last array of a block may go anywhere, in the middle of `take` in the same thread too; and in a process that
        was forked the thread that was at the blocks is not there to end.
        """
        free = self._lock.acquire(blocking=False)
        try:
            yield free
        finally:
            if free:
                self._lock.release()


_kept = KeptBlocks()


def empty_result(count: int, dtype: DTypeLike) -> HostArray:
    """An array with anything in it, for a result. Raises MemoryError."""
    number = np.dtype(dtype)
    size = count * number.itemsize
    if size < LEAST or limit() == 0:
        return np.empty(count, number)
    block = np.asarray(Lease(_kept.take(size), _kept))
    return block[:size].view(number)


def kept_bytes() -> int:
    """The bytes that are kept for results to come."""
    return _kept.size


def limit() -> int:
    """The bytes that may be kept: by default an eighth of the machine's memory."""
    most = settings.current().result_memory
    return _physical_memory() // 8 if most is None else most


def _physical_memory() -> int:
    """The machine's memory in bytes, 0 where the system does not say."""
    try:
        return max(0, math.prod(map(os.sysconf, ("SC_PAGE_SIZE", "SC_PHYS_PAGES"))))
    except (AttributeError, ValueError, OSError):
        return 0

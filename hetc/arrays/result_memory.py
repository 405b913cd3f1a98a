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

MOST_BLOCKS = 256
"""Blocks that are kept at most, all of which each result looks at."""

_PAGE = 4096


class Block:
    """Memory for results, in pages of its own; `uses` is how often it has been used again.

    `pins` is for those who have the system keep its pages where they are: by whom, what does so as long as it is there.
    """

    __slots__ = ("__weakref__", "memory", "pins", "uses")

    def __init__(self, size: int) -> None:
        whole: HostArray = np.empty(size + 2 * _PAGE, np.uint8)
        first = -whole.ctypes.data % _PAGE
        self.memory: HostArray = whole[first : first + size]
        self.uses = 0
        self.pins: dict[object, object] = {}

    @property
    def nbytes(self) -> int:
        return self.memory.nbytes


class Lease:
    """What the arrays over a block hold: as long as it lives, the block is in use. NumPy asks for the interface."""

    __slots__ = ("__array_interface__", "_kept", "block")

    def __init__(self, block: Block, kept: KeptBlocks) -> None:
        self.block = block
        self._kept = kept
        self.__array_interface__: dict[str, Any] = block.memory.__array_interface__

    def __del__(self) -> None:
        self._kept.put(self.block)


class KeptBlocks:
    """Blocks of memory that are in nobody's use, in the order in which they came."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """The bytes that are kept."""
        return sum(block.nbytes for block in tuple(self._blocks))

    def take(self, size: int) -> Block:
        """A block of at least so many bytes, with anything in it. Raises MemoryError."""
        with self._unless_busy() as free:
            fitting = [block for block in self._blocks if size <= block.nbytes <= size + size // SLACK] if free else []
            if fitting:
                # What has been used most is pinned soonest.
                block = min(fitting, key=lambda each: (-each.uses, each.nbytes))
                self._blocks = [each for each in self._blocks if each is not block]
                block.uses += 1
                return block
        try:
            return Block(size)
        except MemoryError:
            self.shrink(0)
            return Block(size)

    def put(self, block: Block) -> None:
        """Keep a block, if there is room for it without older ones."""
        most = limit()
        with self._unless_busy() as free:
            if free and block.nbytes <= most:
                self._blocks.append(block)
        self.shrink(most)

    def shrink(self, most: int) -> None:
        """Let the oldest blocks go until at most so many bytes are kept."""
        with self._unless_busy() as free:
            while free and self._blocks and (self.size > most or len(self._blocks) > MOST_BLOCKS):
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


def empty_result(count: int, dtype: DTypeLike, least: int = LEAST) -> HostArray:
    """An array with anything in it, for a result, whose memory is kept from `least` bytes on. Raises MemoryError."""
    number = np.dtype(dtype)
    size = count * number.itemsize
    if size < least or limit() == 0:
        return np.empty(count, number)
    block = np.asarray(Lease(_kept.take(size), _kept))
    return block[:size].view(number)


def owner_of(array: HostArray) -> object:
    """What has the memory that an array is a view of."""
    owner: object = array.base
    while isinstance(owner, np.ndarray):
        owner = owner.base
    return owner


def block_of(array: HostArray) -> Block | None:
    """The block that an array is in, if it is the memory of a result.

    >>> block_of(np.ones(3)) is None
    True
    """
    owner = owner_of(array)
    return owner.block if isinstance(owner, Lease) else None


def kept_bytes() -> int:
    """The bytes that are kept for results to come."""
    return _kept.size


def limit() -> int:
    """The bytes that may be kept: by default an eighth of the machine's memory."""
    most = settings.current().result_memory
    return physical_memory() // 8 if most is None else most


def physical_memory() -> int:
    """The machine's memory in bytes, 0 where the system does not say."""
    try:
        return max(0, math.prod(map(os.sysconf, ("SC_PAGE_SIZE", "SC_PHYS_PAGES"))))
    except (AttributeError, ValueError, OSError):
        return 0

"""Device buffers that are host memory: of devices that share it, and pinned memory, which others copy fast."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hetc.arrays.result_memory import Block, Lease, owner_of
from hetc.runtime.marshal import HostArray
from hetc.runtime.opencl import cl

if TYPE_CHECKING:
    from pyopencl.typing import HasBufferInterface

# A buffer that is also written is the only kind that both CPU runtimes use in place: with READ_ONLY, Intel's copies
# the host's memory when the buffer is made (660 ms for 256 MiB, against 0.1 ms).
_IN_PLACE = int(cl.mem_flags.READ_WRITE) | int(cl.mem_flags.USE_HOST_PTR)

_PINNED = int(cl.mem_flags.READ_WRITE) | int(cl.mem_flags.ALLOC_HOST_PTR)
_MAPPED = int(cl.map_flags.READ) | int(cl.map_flags.WRITE)


def host_buffer(context: cl.Context, host: HostArray) -> cl.Buffer:
    """The buffer that is a host array of at least one element; it keeps the array alive."""
    return cl.Buffer(context, _IN_PLACE, 0, host if host.flags.writeable else _writable_alias(host))


def _writable_alias(host: HostArray) -> HasBufferInterface:
    """The memory of a read-only array, for a buffer that wants to be able to write. Kernels never write to inputs."""
    alias = (ctypes.c_char * host.nbytes).from_address(host.ctypes.data)
    vars(alias)["owner"] = host  # the buffer keeps the alias alive, and the alias the memory
    return cast("HasBufferInterface", alias)


def map_to_read(queue: cl.CommandQueue, buffer: cl.Buffer, host: HostArray, *, wait: bool) -> cl.MemoryMap:
    """Make what the device has written visible in the host array that a buffer is, once the map is waited for."""
    mapped, _ = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.READ, 0, host.shape, host.dtype, is_blocking=wait)
    return mapped.base


class _Mapped:
    """What the arrays over mapped memory hold. NumPy asks for the interface.

    When the last one goes the memory is given back, and this is waited for: Intel's runtime aborts the process if its
    queue is still at it when the interpreter ends. In a forked child nothing is given back: what a driver does there,
    it does to the parent's memory.
    """

    __slots__ = ("__array_interface__", "_map", "_process", "_queue", "context")
    # The module may have lost its names when the interpreter ends.
    _error = cl.Error
    _current = staticmethod(os.getpid)

    def __init__(self, mapped: HostArray, queue: cl.CommandQueue) -> None:
        self._map = cast("cl.MemoryMap", mapped.base)
        self._queue = queue
        self._process = os.getpid()
        self.context = queue.context
        self.__array_interface__: dict[str, Any] = mapped.__array_interface__

    def __del__(self) -> None:
        if self._current() != self._process:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._map))  # for ever, since the map gives back by itself, too
            return
        try:
            self._map.release(self._queue).wait()
        except self._error:  # the device is lost, and its memory with it
            return


def pinned_array(context: cl.Context, queue: cl.CommandQueue, size: int, dtype: np.dtype[Any]) -> HostArray:
    """A new array in memory that the system keeps where it is, as long as it lives. Raises cl.Error or MemoryError.

    A buffer that OpenCL allocates on the host, and that stays mapped, is pinned with all drivers that pin at all.
    """
    buffer = cl.Buffer(context, _PINNED, size * dtype.itemsize)
    flags = cast("cl.map_flags", _MAPPED)
    mapped, _ = cl.enqueue_map_buffer(queue, buffer, flags, 0, (size,), dtype, is_blocking=True)
    return np.asarray(_Mapped(mapped, queue))


def is_pinned(host: HostArray, context: cl.Context | None = None) -> bool:
    """Whether an array is in memory that is pinned: by `pinned_array`, or the memory of results, by `pin_block`.

    By any context, or by one, since to others it is like any memory.
    """
    owner = owner_of(host)
    if isinstance(owner, Lease):
        return bool(owner.block.pins) if context is None else context.int_ptr in owner.block.pins
    return isinstance(owner, _Mapped) and (context is None or owner.context == context)


def pin_block(block: Block, context: cl.Context) -> None:
    """Have the system keep the pages of a block where they are, for a context, as long as the block lives.

    The pages of a buffer that is host memory are pinned by drivers that pin at all, which takes them a tenth of what
    it takes to allocate pinned memory. Nothing else is done with the buffer. Raises cl.Error.
    """
    block.pins[context.int_ptr] = host_buffer(context, block.memory)


def device_bytes(values: Iterable[object]) -> int:
    """The memory of the device that the buffers among some values take, be it the host's own."""
    return sum(value.size for value in values if isinstance(value, cl.MemoryObjectHolder))

"""The steps of a plan that leave portable arrays where they are: on the device, if they are there.

`hetc.arrays` keeps the account of which copies are right; here the copies on devices are made, read and changed.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any, cast

import numpy as np

from hetc import abi
from hetc.arrays.base import Array
from hetc.arrays.making import from_memories
from hetc.arrays.memory import DeviceCopy, HostArray, Memory
from hetc.arrays.objects import ObjectArray
from hetc.dataclass import dataclass
from hetc.errors import DeviceError
from hetc.runtime import marshal, profile
from hetc.runtime.buffers import host_buffer, map_to_read
from hetc.runtime.call import Action, Call, Partly
from hetc.runtime.copies import download, upload
from hetc.runtime.devices import Device
from hetc.runtime.host_steps import find_source
from hetc.runtime.made_objects import made_objects
from hetc.runtime.observed_run import Command, note_commands
from hetc.runtime.opencl import cl
from hetc.runtime.pinned_results import result_array
from hetc.runtime.records import marshaller
from hetc.timeline.events import Kind


@dataclass(frozen=True)
class BufferCopy(DeviceCopy):
    """The numbers of a memory in a buffer of a device."""

    device: Device
    buffer: Any
    itemsize: int
    is_host: bool = False

    @property
    def place(self) -> str:
        """The device's family, or on a machine's GPU its name."""
        return self.device.name if self.device.kind == "gpu" else self.device.traits.family

    def read(self, host: HostArray, start: int) -> None:
        """Fill a host array with the numbers from `start` on, and wait for them. Raises DeviceError."""
        if not host.size:
            return
        if not profile.active():
            self._read(host, start)
            return
        with self.device.taking_times():
            before = profile.now()
            events = self._read(host, start)
            copy = Command(events, Kind.COPY_OUT, "read by the host", host.nbytes, before, profile.now())
            note_commands([copy], self.device.name)
        profile.record(bytes_d2h=host.nbytes)

    def _read(self, host: HostArray, start: int) -> Sequence[cl.Event]:
        try:
            return download(self.device, host, self.buffer, offset=start * self.itemsize, wait=True)
        except cl.Error as error:
            raise DeviceError(f"{self.device.name} does not give its data back: {error}") from None

    def room(self, count: int, dtype: np.dtype[Any]) -> HostArray:
        return result_array(self.device, count, dtype)

    def put(self, place: int, number: HostArray) -> None:
        """Change one of the numbers. Raises DeviceError."""
        try:
            offset = place * self.itemsize
            cl.enqueue_copy(self.device.queue, self.buffer, number, dst_offset=offset, is_blocking=True)
        except cl.Error as error:
            raise DeviceError(f"{self.device.name} does not take data: {error}") from None
        profile.record(bytes_h2d=number.nbytes)

    def part(self, start: int, count: int, dtype: np.dtype[Any]) -> BufferCopy:
        """Some of the numbers, in memory of their own on the same device. Raises DeviceError."""
        size, source = count * dtype.itemsize, start * self.itemsize
        try:
            buffer = self.device.pool.allocate(size or 1)
            if size:
                cl.enqueue_copy(self.device.queue, cast("Any", buffer), self.buffer, byte_count=size, src_offset=source)
        except (cl.Error, MemoryError) as error:
            raise DeviceError(f"{self.device.name} makes no copy of its data: {error}") from None
        return BufferCopy(self.device, buffer, dtype.itemsize)


def prepare_present(step: abi.Present | abi.PresentRecords, device: Device) -> Action:
    """The closure that finds or makes the device's copy of a portable array, or of numbers of its objects."""
    result, shared = step.result, step.shared
    saved, memory_of = isinstance(step, abi.Present) and step.saved, _memory_of(step)

    def present(call: Call) -> None:
        memory = memory_of(call)
        copy = memory.copy_on(device)
        if copy is None:
            copy = share(memory, device) if shared else copy_in(memory, device, call)
            memory.keep(device, copy)
        assert isinstance(copy, BufferCopy)
        call.values[result], call.counts[result] = copy.buffer, memory.size
        if shared:
            call.hosts[result] = memory.read()
        if saved and not memory.empty:
            call.undo.append(save_copy(memory, device, copy))

    return present


def _memory_of(step: abi.Present | abi.PresentRecords) -> Callable[[Call], Memory]:
    """How to find the memory that a step is about in a call."""
    find, path = find_source(step.source), step.source.path
    if isinstance(step, abi.Present):
        return lambda call: cast("Array", find(call)).memory(path)
    key, make = (step.members, step.size), marshaller(step)
    count = len(step.members)
    return lambda call: cast("ObjectArray", find(call)).structs(key, lambda column: make([column] * count))


def share(memory: Memory, device: Device) -> BufferCopy:
    """The host's copy, as a buffer of a device that shares its memory."""
    host = memory.read()
    buffer = host_buffer(device.context, host) if host.size else device.pool.allocate(1)
    return BufferCopy(device, buffer, memory.dtype.itemsize, is_host=True)


def copy_in(memory: Memory, device: Device, call: Call) -> BufferCopy:
    """A copy of what the host has, once the call has waited for it."""
    host = memory.read()
    buffer = device.pool.allocate(host.nbytes or 1)
    if host.nbytes:
        call.copied_in(upload(device, buffer, host), host.nbytes)
    return BufferCopy(device, buffer, memory.dtype.itemsize)


def make_room(memory: Memory, device: Device) -> bool:
    """Give a device a copy of numbers that a kernel is about to store as a whole; False if there is a copy.

    Until the kernel has stored them the host's copy is the right one, and on failure the device's is to be forgotten.
    """
    if memory.copy_on(device) is not None:
        return False
    memory.keep(
        device,
        BufferCopy(device, device.pool.allocate(memory.size * memory.dtype.itemsize or 1), memory.dtype.itemsize),
    )
    return True


def save_copy(memory: Memory, device: Device, copy: BufferCopy) -> Callable[[], None]:
    """Keep what a kernel is about to change, if the host does not have it; the result brings it back."""
    if copy.is_host:
        host = memory.read()
        before = host.copy()

        def restore() -> None:
            host[...] = before

        return restore
    if memory.is_host_array:
        return memory.return_to_host
    kept = copy.part(0, memory.size, memory.dtype)
    return lambda: memory.keep(device, kept)


def prepare_written(step: abi.Written, device: Device, settle: Callable[[Call], None]) -> Action:
    """The closure that tells a portable array of its change; `settle` waits, and raises if a guard has failed."""
    find, path, buffer, shared = find_source(step.source), step.source.path, step.buffer, step.shared

    def written(call: Call) -> None:
        settle(call)
        memory = cast("Array", find(call)).memory(path)
        if shared and memory.size:
            map_to_read(device.queue, call.values[buffer], memory.read(), wait=True).release(device.queue)
        memory.written_on(device)

    return written


def prepare_retain(
    step: abi.Retain, device: Device, allocated: Container[abi.Register], finish: Callable[[Call, Partly], None]
) -> Action:
    """The closure that makes the call's result of buffers.

    `allocated` are the buffers that are the plan's own. `finish` waits for the device, and raises if a guard has
    failed, with what it is given of the result, as NumPy arrays.
    """
    retain_buffer = _retain_shared if step.shared else _retain_copy
    dtypes = [np.dtype(leaf.dtype) for leaf in abi.leaves(step.element)]
    owned = [buffer in allocated and buffer not in step.buffers[:k] for k, buffer in enumerate(step.buffers)]

    def memories(call: Call) -> list[Memory]:
        return [
            retain_buffer(call, device, buffer, dtype, owned=own)
            for buffer, dtype, own in zip(step.buffers, dtypes, owned, strict=True)
        ]

    def retain(call: Call) -> None:
        if step.shared:
            for buffer in dict.fromkeys(step.buffers):
                host = cast("HostArray", call.hosts[buffer])
                if host.size:
                    call.maps.append(map_to_read(device.queue, call.values[buffer], host, wait=False))

        def as_numpy() -> tuple[object, abi.Container]:
            arrays = [memory.read() for memory in memories(call)]
            container = abi.Container.LIST if isinstance(step.element, abi.ObjectType) else abi.Container.NDARRAY
            return marshal.unmarshal(arrays, step.element, container, call.captures, scalar=False), container

        finish(call, as_numpy)
        if isinstance(step.element, abi.ObjectType):
            call.result = made_objects(memories(call), step.element, call.captures)
        else:
            call.result = from_memories(memories(call), step.element)

    return retain


def _retain_shared(call: Call, device: Device, buffer: abi.Register, dtype: np.dtype[Any], *, owned: bool) -> Memory:
    """The memory of a result in a buffer that is a host array: its own, or a copy of what others have."""
    host = cast("HostArray", call.hosts[buffer]).view(dtype)
    if not owned:
        return Memory.of(host.copy())
    memory = Memory.of(host)
    memory.keep(device, BufferCopy(device, call.values[buffer], dtype.itemsize, is_host=True))
    return memory


def _retain_copy(call: Call, device: Device, buffer: abi.Register, dtype: np.dtype[Any], *, owned: bool) -> Memory:
    """The memory of a result in a buffer of the device's own: this one, or a copy of what others have."""
    count = call.counts[buffer]
    copy, memory = BufferCopy(device, call.values[buffer], dtype.itemsize), Memory(count, dtype)
    memory.keep(device, copy if owned else copy.part(0, count, dtype))
    return memory

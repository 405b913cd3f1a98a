"""The OpenCL devices of this machine, and the choice of one.

The list is made once for the process, best device first: GPUs, then Intel's CPU runtime, PoCL, and other CPUs. (On
arithmetic kernels Intel's runtime is 3 to 20 times as fast as PoCL 3.0, on streaming ones they are alike.)
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
from collections.abc import Generator
from contextvars import ContextVar
from dataclasses import field, replace
from typing import TYPE_CHECKING

from hetc.abi import DeviceTraits
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.errors import DeviceError
from hetc.runtime import profile
from hetc.runtime.unusable import Unusable, unusable
from hetc.timeline.events import Kind

if TYPE_CHECKING:  # hetc works, in Python, where pyopencl is not installed
    from pyopencl.tools import MemoryPool, PooledBuffer

    from hetc.runtime.opencl import cl
    from hetc.runtime.staging import Staging

VARIABLE = "HETC_DEVICE"
"""The environment variable that chooses a device, where nothing else does."""

INSTALL_COMMAND = "pip install 'hetc[cpu]'"

KEPT_BY_LANES = 16
"""One of so many parts of a device's memory, at most, the pools of more queues keep from call to call."""

_FAMILIES = ("gpu", "intel-cpu", "pocl", "cpu")
"""Device families, best first."""

# PoCL names its device after the processor, so that "intel" or "amd" would find PoCL on their machines.
_VENDOR_WORDS = ("intel", "amd", "nvidia", "pocl", "apple")

_lock = threading.Lock()


@dataclass(eq=False)
class _Opened:
    """What is made of a device when it is first used: one for each of the queues that `Device.on_queue` counts."""

    context: cl.Context
    queue: cl.CommandQueue
    pool: MemoryPool
    staging: Staging
    takes_times: bool
    """Whether the queue takes the times of all commands."""
    timed: TimedQueue | None = None
    """Another queue, for those who want to know how long commands take; None as long as nobody has."""


class TimedQueue:
    """A queue that takes the times of its commands, and memory for what is done in it, beside a queue that does not.

    Memory comes from the pool of the other queue, which may still be using it, and places it there.
    """

    def __init__(self, opened: _Opened) -> None:
        from hetc.runtime.opencl import cl

        properties = cl.command_queue_properties.PROFILING_ENABLE
        self.queue = cl.CommandQueue(opened.context, properties=properties)
        self._pool, self._other = opened.pool, opened.queue

    def allocate(self, size: int) -> cl.Buffer | PooledBuffer:
        """A buffer of so many bytes that nothing else uses. Raises what a pool does."""
        buffer = self._pool.allocate(size)
        self._other.finish()
        return buffer


_timing: ContextVar[tuple[_Opened, ...]] = ContextVar("hetc_timing", default=())
"""What is used by a timed queue now."""


@dataclass(frozen=True, eq=False)
class Device:
    """One OpenCL device. `global_memory` is in bytes; `kind` is "cpu", "gpu" or "accelerator".

    `context`, `queue` and `pool` are pyopencl's objects: made when first asked for, one of each for the process. The
    queue is in order, the pool keeps freed device memory for the next allocation. `staging` is the context's pinned
    memory for large copies. Commands take an NVIDIA device twice as long to launch if it is to take their times, so
    that a GPU does only `with device.taking_times()`, by another queue.
    """

    name: str
    platform: str
    version: str
    driver: str
    kind: str
    global_memory: int
    fp16: bool
    traits: DeviceTraits
    handle: cl.Device
    _objects: list[_Opened] = field(default_factory=list)
    _more_queues: list[_Opened] = field(default_factory=list)

    @property
    def fp64(self) -> bool:
        """Whether the device computes in double precision."""
        return self.traits.fp64

    @property
    def int64_atomics(self) -> bool:
        """Whether the device has atomic operations on 64-bit integers."""
        return self.traits.int64_atomics

    @property
    def shared_memory(self) -> bool:
        """Whether the device works in the host's memory, so that nothing needs to be copied."""
        return self.traits.shared_memory

    @property
    def context(self) -> cl.Context:
        return self._open().context

    @property
    def queue(self) -> cl.CommandQueue:
        opened, timing = self._open(), _timing.get()
        return opened.queue if opened.timed is None or opened not in timing else opened.timed.queue

    @property
    def pool(self) -> MemoryPool | TimedQueue:
        opened, timing = self._open(), _timing.get()
        return opened.pool if opened.timed is None or opened not in timing else opened.timed

    @property
    def staging(self) -> Staging:
        return self._open().staging

    @property
    def takes_times(self) -> bool:
        """Whether the usual queue takes times, so that nobody needs another one."""
        return self._open().takes_times

    @contextlib.contextmanager
    def taking_times(self) -> Generator[None]:
        """In the block, commands of this thread go to a queue that takes their times.

        What has been enqueued before is waited for, and what the block enqueues at its end, so that the commands of
        both queues are in order. Inside another such block this is nothing, and where the usual queue takes times.
        Raises DeviceError.
        """
        opened = self._open()
        if opened.takes_times or opened in (timing := _timing.get()):
            yield
            return
        from hetc.runtime.opencl import cl

        try:
            with _lock:
                timed = opened.timed = opened.timed or TimedQueue(opened)
            opened.queue.finish()
        except cl.Error as error:
            raise DeviceError(f"{self.name} refused the work: {error}") from None
        token = _timing.set((*timing, opened))
        try:
            yield
        finally:
            _timing.reset(token)
            with contextlib.suppress(cl.Error):  # whoever waits for what has failed is told
                timed.queue.finish()

    @contextlib.contextmanager
    def taking_no_times(self) -> Generator[None]:
        """In the block, `queue` and `pool` are the usual ones, as if it were not in one that takes times."""
        token = _timing.set(())
        try:
            yield
        finally:
            _timing.reset(token)

    @functools.cached_property
    def largest_buffer(self) -> int:
        """The most bytes that one buffer may have."""
        return self.handle.max_mem_alloc_size

    def on_queue(self, number: int) -> Device:
        """The same device, whose commands go to another queue: the first is its own, each other one is made once.

        Each queue has a pool of its own. What a pool allocates, it has the device place by a command in its queue, and
        what it keeps, commands of its queue have used: on another queue nothing would order these with what follows.
        """
        if not number:
            return self
        context = self.context
        with _lock:
            while len(self._more_queues) < number:
                self._more_queues.append(_open_queue(context))
        return replace(self, _objects=[self._more_queues[number - 1]], _more_queues=[])

    def finish(self) -> None:
        """Wait for what is on all queues, if there are any. A device that has failed is done."""
        from hetc.runtime.opencl import cl

        for opened in (*self._objects, *self._more_queues):
            timed = () if opened.timed is None else (opened.timed.queue,)
            for each in (opened.queue, *timed, *opened.staging.made_queues):
                with contextlib.suppress(cl.Error):
                    each.finish()

    def free_held(self) -> None:
        """Give back all memory that is kept for allocations to come."""
        for opened in (*self._objects, *self._more_queues):
            opened.pool.free_held()

    def free_lanes(self) -> None:
        """Give back what the other queues' pools keep, if that is much, or the host's: only batches ask them again.

        To make buffers anew takes a device with memory of its own longer than to fill them.
        """
        pools = [opened.pool for opened in self._more_queues]
        if self.shared_memory or sum(pool.managed_bytes for pool in pools) > self.global_memory // KEPT_BY_LANES:
            for pool in pools:
                pool.free_held()

    def __repr__(self) -> str:
        return f"<hetc device: {self.name} ({self.platform}, {self.kind}, {self.global_memory / 2**30:.0f} GiB)>"

    def _open(self) -> _Opened:
        if not self._objects:
            with _lock:
                if not self._objects:
                    self._objects.append(_open_device(self.handle))
        return self._objects[0]


def _open_device(handle: cl.Device) -> _Opened:
    from hetc.runtime.opencl import cl

    if handle.type & cl.device_type.GPU:
        from hetc.runtime import forks

        forks.watch()
    try:
        return _open_queue(cl.Context([handle]))
    except cl.Error as error:
        raise DeviceError(f"the device {handle.name.strip()} cannot be opened: {error}") from None


def _open_queue(context: cl.Context) -> _Opened:
    from pyopencl.tools import ImmediateAllocator, MemoryPool

    from hetc.runtime.opencl import cl
    from hetc.runtime.staging import Staging

    takes_times = _takes_times(context.devices[0])
    times = cl.command_queue_properties.PROFILING_ENABLE
    queue = cl.CommandQueue(context, properties=times) if takes_times else cl.CommandQueue(context)
    return _Opened(context, queue, MemoryPool(ImmediateAllocator(queue)), Staging(context, queue), takes_times)


def _takes_times(handle: cl.Device) -> bool:
    """Whether a device's queue takes times always: a CPU's, at 0.1 us a command. `tuning` asks for them there."""
    from hetc.runtime.opencl import cl

    return bool(handle.type & cl.device_type.CPU)


def list_devices() -> tuple[Device, ...]:
    """Every OpenCL device there is, best first. Without pyopencl or any driver there is none.

    Those that compile nothing are left out: see `list_unusable`.
    """
    with _lock:
        return _find_devices()


def list_unusable() -> tuple[Unusable, ...]:
    """The devices that drivers offer and that compile nothing."""
    return tuple(found for handle in _handles() if (found := unusable(handle)) is not None)


def are_listed() -> bool:
    """Whether this process has looked for devices."""
    return bool(_find_devices.cache_info().currsize)


def is_simulator(device: Device) -> bool:
    """Whether a device is there to look for mistakes, and not to compute, whatever it calls itself."""
    return "oclgrind" in device.platform.lower()


def select(spec: str | Device | None = None) -> Device:
    """The device that `spec` asks for: see `hetc.configure` for what it may be.

    None is the choice of the environment variable HETC_DEVICE, else the first of `list_devices`. Raises DeviceError
    if no device fits, saying which there are, or how to install one.
    """
    if isinstance(spec, Device):
        return spec
    devices = list_devices()
    origin = ""
    if spec is None:
        spec = os.environ.get(VARIABLE)
        origin = f" (from {VARIABLE})"
    if not devices:
        found = "".join(f"; {device}" for device in list_unusable())
        raise DeviceError(
            f"there is no OpenCL device on this machine{found}", hint=INSTALL_COMMAND, category=Category.NO_DEVICE
        )
    if spec is None or not spec.strip():
        return devices[0]
    found = _match(spec.strip().lower(), devices)
    if found is None:
        names = "; ".join(f"{index}: {device.name} ({device.platform})" for index, device in enumerate(devices))
        names += "".join(f"; {device}" for device in list_unusable())
        raise DeviceError(
            f"no OpenCL device matches {spec!r}{origin}", hint=f"there are {names}", category=Category.UNKNOWN_DEVICE
        )
    return found


def _match(spec: str, devices: tuple[Device, ...]) -> Device | None:
    if spec.isdecimal():
        return devices[int(spec)] if int(spec) < len(devices) else None
    for device in devices:
        words = [device.kind, device.traits.family, device.platform.lower()]
        if spec not in _VENDOR_WORDS:
            words.append(device.name.lower())
        if any(spec in word for word in words):
            return device
    return None


@functools.cache
def _find_devices() -> tuple[Device, ...]:
    with profile.span(Kind.START, "looking for devices"):
        return tuple(sorted(_devices(), key=_rank))


def _rank(device: Device) -> tuple[bool, int]:
    """Where a device stands: a simulator last, though it is a GPU by its own account."""
    return is_simulator(device), _FAMILIES.index(device.traits.family)


def _devices() -> list[Device]:
    return [_describe(handle) for handle in _handles() if unusable(handle) is None]


def _handles() -> tuple[cl.Device, ...]:
    """What all drivers offer, each device once."""
    from hetc.runtime import icd

    try:
        from hetc.runtime.opencl import cl
    except ImportError:
        return ()
    with icd.vendor_folder():
        try:
            platforms = cl.get_platforms()
        except cl.Error:  # the loader's way to say that there is no platform
            return ()
    handles: dict[cl.Device, None] = {}
    for platform in platforms:
        if "fpga emulation" in platform.name.lower():
            continue
        try:
            handles.update(dict.fromkeys(platform.get_devices()))
        except cl.Error:  # a driver without its hardware
            continue
    return tuple(handles)


def _describe(handle: cl.Device) -> Device:
    from hetc.runtime.opencl import cl

    kinds = ((cl.device_type.GPU, "gpu"), (cl.device_type.CPU, "cpu"))
    kind = next((kind for bit, kind in kinds if handle.type & bit), "accelerator")
    extensions = handle.extensions.split()
    traits = DeviceTraits(
        family=_family(kind, handle),
        shared_memory=kind == "cpu" or bool(handle.host_unified_memory),
        fp64="cl_khr_fp64" in extensions,
        int64_atomics="cl_khr_int64_base_atomics" in extensions,
        compute_units=handle.max_compute_units,
        max_group_size=handle.max_work_group_size,
        local_memory=handle.local_mem_size,
        strict_division=bool(handle.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT),
    )
    return Device(
        name=handle.name.strip(),
        platform=handle.platform.name.strip(),
        version=handle.version.strip(),
        driver=handle.driver_version.strip(),
        kind=kind,
        global_memory=handle.global_mem_size,
        fp16="cl_khr_fp16" in extensions,
        traits=traits,
        handle=handle,
    )


def _family(kind: str, handle: cl.Device) -> str:
    if kind == "gpu":
        return "gpu"
    if "pocl" in handle.platform.version.lower():
        return "pocl"
    if "intel" in handle.platform.name.lower():
        return "intel-cpu"
    return "cpu"

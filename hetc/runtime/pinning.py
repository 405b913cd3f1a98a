"""Host memory that a device copies from at full speed, since the system keeps it where it is."""

from __future__ import annotations

from typing import cast

from hetc.arrays.memory import HostArray
from hetc.errors import DeviceError
from hetc.runtime.devices import Device
from hetc.runtime.opencl import cl

_PINNED = int(cl.mem_flags.READ_WRITE) | int(cl.mem_flags.ALLOC_HOST_PTR)
_MAPPED = int(cl.map_flags.READ) | int(cl.map_flags.WRITE)


def pinned_copy(host: HostArray, device: Device) -> HostArray:
    """A host array with the same contents in pinned memory, which lives as long as the array. Raises DeviceError.

    OpenCL pins no memory that there is already; but a buffer that it allocates on the host, and that stays mapped, is
    pinned with all drivers that pin at all.
    """
    if not host.size:
        return host
    try:
        buffer = cl.Buffer(device.context, _PINNED, host.nbytes)
        mapped, _ = cl.enqueue_map_buffer(
            device.queue, buffer, cast("cl.map_flags", _MAPPED), 0, host.shape, host.dtype, is_blocking=True
        )
    except (cl.Error, MemoryError) as error:
        raise DeviceError(f"{device.name} has no more pinned memory: {error}", hint="leave out pinned=True") from None
    mapped[...] = host
    return mapped

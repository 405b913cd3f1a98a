"""Host memory that a device copies from at full speed, since the system keeps it where it is."""

from __future__ import annotations

from hetc.arrays.memory import HostArray
from hetc.errors import DeviceError
from hetc.runtime.buffers import pinned_array
from hetc.runtime.devices import Device
from hetc.runtime.opencl import cl


def pinned_copy(host: HostArray, device: Device) -> HostArray:
    """A host array with the same contents in pinned memory, which lives as long as the array. Raises DeviceError."""
    if not host.size:
        return host
    try:
        copy = pinned_array(device.context, device.queue, host.size, host.dtype)
    except (cl.Error, MemoryError) as error:
        raise DeviceError(f"{device.name} has no more pinned memory: {error}", hint="leave out pinned=True") from None
    copy[...] = host
    return copy

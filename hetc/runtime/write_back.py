"""The step of a plan that changes the user's arrays in place: what kernels have stored to buffers comes back."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from hetc import abi
from hetc.runtime.buffers import map_to_read
from hetc.runtime.call import Action, Call
from hetc.runtime.copies import download
from hetc.runtime.devices import Device
from hetc.runtime.host_steps import find_source
from hetc.runtime.marshal import AnyArray, HostArray


def prepare_write_back(step: abi.WriteBack, device: Device, settle: Callable[[Call], None]) -> Action:
    """The closure of a step; `settle` waits for the commands of a call and raises if a guard has failed."""
    find, buffer = find_source(step.source), step.buffer
    fetch = _map_now if step.shared else _copy_now

    def write_back(call: Call) -> None:
        settle(call)
        host = cast("HostArray", call.hosts[buffer])
        if not host.size:
            return
        fetch(call, device, buffer, host)
        target = cast("AnyArray", find(call))
        if not np.may_share_memory(host, target):  # it is not contiguous: the kernel has worked on a copy
            target[...] = host.reshape(target.shape)

    return write_back


def _map_now(call: Call, device: Device, buffer: abi.Register, host: HostArray) -> None:
    """Make the device's writes visible in a host array that is the buffer's own memory."""
    map_to_read(device.queue, call.values[buffer], host, wait=True).release(device.queue)


def _copy_now(call: Call, device: Device, buffer: abi.Register, host: HostArray) -> None:
    """Copy a buffer to the host array that it was made from."""
    call.copied_out(download(device, host, call.values[buffer], wait=True), host.nbytes)

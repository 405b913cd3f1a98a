"""Copies between host arrays and devices with memory of their own: by the driver, or if they are large, staged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hetc.arrays.memory import HostArray
from hetc.runtime.buffers import is_pinned
from hetc.runtime.devices import Device
from hetc.runtime.opencl import cl
from hetc.runtime.routes import Route, route_of


def upload(device: Device, buffer: Any, host: HostArray, queue: cl.CommandQueue | None = None) -> Sequence[cl.Event]:
    """Enqueue the copy of a contiguous array to the beginning of a buffer, on the device's queue or another.

    The commands; as long as they are kept, the array is. Raises cl.Error.
    """
    queue, route = queue or device.queue, _route(device, host)
    staged = None if route is None else device.staging.upload(route, queue, buffer, host)
    return staged or [cl.enqueue_copy(queue, buffer, host, is_blocking=False)]


def download(
    device: Device, host: HostArray, buffer: Any, *, offset: int = 0, wait: bool, queue: cl.CommandQueue | None = None
) -> Sequence[cl.Event]:
    """Fill a contiguous array from a buffer, from byte `offset` on; if it is large, or with `wait`, wait for it.

    Otherwise like `upload`.
    """
    queue, route = queue or device.queue, _route(device, host)
    staged = None if route is None else device.staging.download(route, queue, host, buffer, offset)
    return staged or [cl.enqueue_copy(queue, host, buffer, src_offset=offset, is_blocking=wait)]


def _route(device: Device, host: HostArray) -> Route | None:
    """The way through pinned memory that a copy takes, if the array is large, and not in such memory already."""
    route = route_of(device.traits)
    return route if route is not None and host.nbytes >= route.least and not is_pinned(host, device.context) else None

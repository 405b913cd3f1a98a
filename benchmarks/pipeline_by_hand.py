"""Saxpy as an expert writes it for a device with memory of its own, from pinned memory to pinned memory.

Three queues by role: copies in, kernels, copies out, with an event from each to the next; the parts go to their places
in whole buffers, which are there already. What this reaches is the limit for a call that copies both ways.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from hetc.runtime.buffers import pinned_array
from hetc.runtime.devices import Device
from hetc.runtime.opencl import cl

MIB = 2**20
PARTS = (2 * MIB, 4 * MIB, 8 * MIB, 16 * MIB)
"""Bytes of a part of an array."""
LANES = 4
SOURCE = """
__kernel void saxpy(__global const float *x, __global const float *y, __global float *z) {
    size_t i = get_global_id(0);
    vstore4(2.5f * vload4(i, x) + vload4(i, y), i, z);
}
"""


def saxpy_by_hand(device: Device, moved: int, repeat: int) -> dict[str, float]:
    """Milliseconds of saxpy that moves about so many bytes: at once on one queue, and in parts of several sizes."""
    count = max(moved // 12 // 4096, 1) * 4096
    number = np.dtype(np.float32)
    x, y, z = (pinned_array(device.context, device.queue, count, number) for _ in range(3))
    x[:], y[:], z[:] = np.linspace(0, 1, count), 1, 0
    buffers = [cl.Buffer(device.context, cl.mem_flags.READ_WRITE, count * number.itemsize) for _ in range(3)]
    kernel = cl.Kernel(cl.Program(device.context, SOURCE).build(), "saxpy")
    cast("Any", kernel).set_args(*buffers)
    queues = [cl.CommandQueue(device.context) for _ in range(3)]

    def run(size: int, coming: cl.CommandQueue, running: cl.CommandQueue, going: cl.CommandQueue) -> None:
        kept: list[cl.Event] = []
        for start in range(0, count, size):
            stop, offset = min(start + size, count), start * number.itemsize
            for array, buffer in ((x, buffers[0]), (y, buffers[1])):
                kept.append(cl.enqueue_copy(coming, buffer, array[start:stop], dst_offset=offset, is_blocking=False))
            coming.flush()
            items, first = ((stop - start) // LANES,), (start // LANES,)
            done = cl.enqueue_nd_range_kernel(running, kernel, items, None, first, wait_for=[kept[-1]])
            running.flush()
            back = cl.enqueue_copy(
                going, z[start:stop], buffers[2], src_offset=offset, is_blocking=False, wait_for=[done]
            )
            going.flush()
            kept.append(back)
        going.finish()

    found = {"at once": _median(lambda: run(count, queues[0], queues[0], queues[0]), repeat)}
    for part in PARTS:
        found[f"{part // MIB} MiB"] = _median(lambda part=part: run(part // number.itemsize, *queues), repeat)
    np.testing.assert_allclose(z[::997], 2.5 * x[::997] + y[::997], rtol=1e-6)
    return found


def _median(call: Callable[[], None], repeat: int) -> float:
    call()
    times: list[float] = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)

"""The host side that all hand-written programs share: buffers, work-groups and times.

On a device that shares the host's memory a buffer is the NumPy array itself. READ_WRITE is on purpose: Intel's runtime
makes a copy of the array for a READ_ONLY buffer over host memory. On other devices data is copied both ways.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyopencl as cl
from numpy.typing import DTypeLike, NDArray

EXACT_DIVISION = "-cl-fp32-correctly-rounded-divide-sqrt"
"""Division and square root rounded as IEEE 754, Python and NumPy do. Intel's CPU runtime lacks it and needs it not."""

GPU_GROUP = 256
"""Work-items a group on a GPU. A CPU's runtime finds its own vector-friendly size for an exact index space."""


@dataclass(frozen=True)
class Output:
    """Memory that a kernel writes: the host array and its buffer."""

    array: NDArray[np.generic]
    buffer: cl.Buffer


class Host:
    """A device as hand-written programs use it: one context, and one queue that takes times."""

    def __init__(self, device: cl.Device) -> None:
        self.device = device
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
        self.gpu = bool(device.type & cl.device_type.GPU)
        self.shared = bool(device.host_unified_memory)

    def build(self, source: str) -> cl.Program:
        """The program in file `source` of this folder."""
        text = Path(__file__).with_name(source).read_text()
        exact = bool(self.device.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT)
        with warnings.catch_warnings():
            # Intel's runtime reports each successful build, and pyopencl warns of whatever a compiler says.
            warnings.simplefilter("ignore", cl.CompilerWarning)
            return cl.Program(self.context, text).build(options=[EXACT_DIVISION] if exact else [])

    def group(self, extent: Sequence[int]) -> tuple[int, ...] | None:
        """The work-group for an index space: 256 items on a GPU where that divides it, else the device's own choice."""
        preferred = (GPU_GROUP,) if len(extent) == 1 else (32, GPU_GROUP // 32)
        divides = all(n % size == 0 for n, size in zip(extent, preferred, strict=True))
        return preferred if self.gpu and divides else None

    def upload(self, array: NDArray[np.generic]) -> cl.Buffer:
        """A buffer with the contents of `array`."""
        where = cl.mem_flags.USE_HOST_PTR if self.shared else cl.mem_flags.COPY_HOST_PTR
        return cl.Buffer(self.context, cl.mem_flags.READ_WRITE | where, hostbuf=array)

    def output(self, count: int, dtype: DTypeLike) -> Output:
        """Memory for a kernel to write `count` numbers to."""
        array = np.empty(count, dtype)
        if self.shared:
            return Output(array, self.upload(array))
        return Output(array, cl.Buffer(self.context, cl.mem_flags.READ_WRITE, array.nbytes))

    def download(self, output: Output) -> NDArray[np.generic]:
        """What a kernel wrote, once it has finished."""
        if self.shared:
            # Mapping is what makes a device's writes visible; the mapped memory is the array's own.
            array = output.array
            view, _ = cl.enqueue_map_buffer(
                self.queue, output.buffer, cl.map_flags.READ, 0, array.shape, array.dtype, is_blocking=True
            )
            view.base.release(self.queue)
        else:
            cl.enqueue_copy(self.queue, output.array, output.buffer)
        return output.array


def milliseconds(events: Sequence[cl.Event]) -> float:
    """The device's own measure of the time inside kernels."""
    cl.wait_for_events(list(events))
    return math.fsum(event.profile.end - event.profile.start for event in events) / 1e6

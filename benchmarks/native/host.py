"""The host side that all hand-written programs share: buffers, work-groups and times.

On a device that shares the host's memory a buffer is the NumPy array itself. READ_WRITE is on purpose: Intel's runtime
makes a copy of the array for a READ_ONLY buffer over host memory. On other devices data is copied both ways, and device
memory comes from a pool, since getting it from the driver takes longer than most kernels.
"""

from __future__ import annotations

import contextlib
import math
import uuid
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl
from numpy.typing import DTypeLike, NDArray
from pyopencl.tools import ImmediateAllocator, MemoryPool, PooledBuffer

EXACT_DIVISION = "-cl-fp32-correctly-rounded-divide-sqrt"
"""Division and square root rounded as IEEE 754, Python and NumPy do. Intel's CPU runtime lacks it and needs it not."""

FAST_MATH = "-cl-fast-relaxed-math"
"""What a kernel by hand is compiled with to be compared with `fastmath=True`."""

NO_CONTRACTION = "#pragma OPENCL FP_CONTRACT OFF"

GPU_GROUP = 256
"""Work-items a group on a GPU. A CPU's runtime finds its own vector-friendly size for an exact index space."""

Buffer = cl.Buffer | PooledBuffer


@dataclass(frozen=True)
class Output:
    """Memory that a kernel writes: the host array and its buffer."""

    array: NDArray[Any]
    buffer: Buffer


class Host:
    """A device as hand-written programs use it: one context, and one queue; `taking_times`, another one."""

    def __init__(self, device: cl.Device, *, fastmath: bool = False) -> None:
        self.device = device
        self.fastmath = fastmath
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context)
        self.gpu = bool(device.type & cl.device_type.GPU)
        self.shared = bool(device.host_unified_memory)
        self._pool = MemoryPool(ImmediateAllocator(self.queue))

    @contextlib.contextmanager
    def taking_times(self) -> Iterator[None]:
        """In the block, commands go to a queue that takes their times: on a GPU their launches are twice as long."""
        usual = self.queue
        self.queue = cl.CommandQueue(self.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
        try:
            yield
            self.queue.finish()
        finally:
            self.queue = usual

    def build(self, source: str, options: Sequence[str] = ()) -> cl.Program:
        """The program in file `source` of this folder; `options` are definitions of macros."""
        text = Path(__file__).with_name(source).read_text()
        if self.fastmath:
            return self._built(text.replace(NO_CONTRACTION, ""), [*options, FAST_MATH])
        exact = bool(self.device.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT)
        return self._built(text, [*options, *([EXACT_DIVISION] if exact else [])])

    def _built(self, text: str, options: list[str]) -> cl.Program:
        with warnings.catch_warnings():
            # Intel's runtime reports each successful build, and pyopencl warns of whatever a compiler says.
            warnings.simplefilter("ignore", cl.CompilerWarning)
            program = cl.Program(self.context, text).build(options=options)
            if program.all_kernels():
                return program
            # PoCL 3.0 does not find the kernels of some programs again that it has in its cache, those with `float16`.
            # What makes it another program for PoCL is a declaration; comments do not.
            another = f"void unused_{uuid.uuid4().hex}(void);\n{text}"
            return cl.Program(self.context, another).build(options=options, cache_dir=False)

    def group(self, extent: Sequence[int]) -> tuple[int, ...] | None:
        """The work-group for an index space: 256 items on a GPU where that divides it, else the device's own choice."""
        preferred = (GPU_GROUP,) if len(extent) == 1 else (32, GPU_GROUP // 32)
        divides = all(n % size == 0 for n, size in zip(extent, preferred, strict=True))
        return preferred if self.gpu and divides else None

    def upload(self, array: NDArray[Any]) -> Buffer:
        """A buffer with the contents of `array`, which is not to change before the kernel has run."""
        if self.shared:
            flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
            return cl.Buffer(self.context, flags, hostbuf=array)
        buffer = self._pool.allocate(array.nbytes)
        cl.enqueue_copy(self.queue, buffer, array, is_blocking=False)
        return buffer

    def output(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> Output:
        """Memory for a kernel to write an array of that shape to."""
        array = np.empty(shape, dtype)
        return Output(array, self.upload(array) if self.shared else self._pool.allocate(array.nbytes))

    def download(self, output: Output) -> NDArray[Any]:
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
    """The device's own measure of the time inside kernels, launched while times were taken."""
    cl.wait_for_events(list(events))
    return math.fsum(event.profile.end - event.profile.start for event in events) / 1e6

"""The five programs by hand: what their kernels take, and over which index space they run.

A program is made once for a device, when its kernels are built. Then `start` brings the data of a call there, `launch`
runs the kernels and `finish` brings the result back; an end-to-end call is all three.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyopencl as cl
from numpy.typing import NDArray

from benchmarks.native.host import Buffer, Host, Output

Array = NDArray[Any]


@dataclass(frozen=True)
class Call:
    """The data of one call on the device."""

    inputs: tuple[Buffer, ...]
    outputs: tuple[Output, ...]
    extent: tuple[int, ...]


class NativeProgram(Protocol):
    """What a hand-written program does; its inputs are NumPy arrays, all of the same length."""

    def start(self, *inputs: Array) -> Call: ...
    def launch(self, call: Call) -> list[cl.Event]: ...
    def finish(self, call: Call) -> Any: ...


class ElementKernel:
    """A kernel with a work-item for each element. It takes the inputs, then `numbers`, then float32 outputs."""

    def __init__(self, host: Host, name: str, numbers: Sequence[np.generic] = (), outputs: int = 1) -> None:
        self._host = host
        self._kernel = cl.Kernel(host.build(f"{name}.cl"), name)
        self._numbers = tuple(numbers)
        self._outputs = outputs

    def start(self, *inputs: Array) -> Call:
        count = len(inputs[0])
        outputs = tuple(self._host.output(count, np.float32) for _ in range(self._outputs))
        return Call(tuple(map(self._host.upload, inputs)), outputs, (count,))

    def launch(self, call: Call) -> list[cl.Event]:
        group = self._host.group(call.extent)
        buffers = (output.buffer for output in call.outputs)
        return [self._kernel(self._host.queue, call.extent, group, *call.inputs, *self._numbers, *buffers)]

    def finish(self, call: Call) -> tuple[Array, ...] | Array:
        results = tuple(map(self._host.download, call.outputs))
        return results if len(results) > 1 else results[0]


class Picture:
    """The Mandelbrot kernel, over the columns and rows of a picture. Its input is a range of points.

    hetc gives a list for a range, so this does too.
    """

    def __init__(self, host: Host, columns: int, numbers: Sequence[np.generic]) -> None:
        self._host = host
        self._kernel = cl.Kernel(host.build("mandelbrot.cl"), "mandelbrot")
        self._columns = columns
        self._numbers = tuple(numbers)

    def start(self, points: range) -> Call:
        return Call((), (self._host.output(len(points), np.int32),), (self._columns, len(points) // self._columns))

    def launch(self, call: Call) -> list[cl.Event]:
        group = self._host.group(call.extent)
        return [self._kernel(self._host.queue, call.extent, group, *self._numbers, call.outputs[0].buffer)]

    def finish(self, call: Call) -> list[int]:
        return self._host.download(call.outputs[0]).tolist()


class DotProduct:
    """Partial sums of blocks, then their total.

    On a CPU a group of 16 items is one vector register (of 16 floats), which is what keeps the running sums out of
    memory: 16 was the fastest of 16 to 256 on Intel's runtime and on PoCL, by up to a factor of 3.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        program = host.build("dot.cl")
        self._partial_sums = cl.Kernel(program, "group_sums" if host.gpu else "partial_sums")
        self._total = cl.Kernel(program, "total")
        self._groups, self._width = (1024, 256) if host.gpu else (256, 16)
        self._scratch = cl.LocalMemory(self._width * np.dtype(np.float32).itemsize)

    def start(self, x: Array, y: Array) -> Call:
        groups = self._groups
        while groups > 1 and len(x) % (groups * self._width):
            groups //= 2
        sums = groups if self._host.gpu else groups * self._width
        outputs = (self._host.output(sums, np.float32), self._host.output(1, np.float32))
        return Call((self._host.upload(x), self._host.upload(y)), outputs, (len(x), groups, sums))

    def launch(self, call: Call) -> list[cl.Event]:
        count, groups, sums = call.extent
        partial, total = (output.buffer for output in call.outputs)
        queue, group, block = self._host.queue, (self._width,), np.int32(count // groups)
        scratch = (self._scratch,) if self._host.gpu else ()
        return [
            self._partial_sums(queue, (groups * self._width,), group, *call.inputs, block, partial, *scratch),
            self._total(queue, group, group, partial, np.int32(sums), total, self._scratch),
        ]

    def finish(self, call: Call) -> np.float32:
        return self._host.download(call.outputs[1])[0]

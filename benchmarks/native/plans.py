"""Hand-written programs of any number of kernels: their buffers, and what is launched over them in which order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyopencl as cl
from numpy.typing import DTypeLike, NDArray

from benchmarks.native.host import Buffer, Host, Output

Array = NDArray[Any]
Extent = tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """One launch. An argument that is a string is the buffer of that name."""

    kernel: str
    extent: Extent
    arguments: Sequence[str | np.generic | cl.LocalMemory]
    group: Extent | None = None


@dataclass(frozen=True)
class Plan:
    """What a call needs: arrays that it reads, the shapes and types of those that it makes, and its launches.

    `results` are the names of the arrays that `finish` makes the result of; the others are scratch memory.
    """

    inputs: Mapping[str, Array]
    made: Mapping[str, tuple[Extent, DTypeLike]]
    steps: Sequence[Step]
    results: Sequence[str]
    finish: Callable[..., Any] = lambda *arrays: arrays if len(arrays) > 1 else arrays[0]


@dataclass(frozen=True)
class Call:
    """The data of one call on the device."""

    plan: Plan
    buffers: Mapping[str, Buffer]
    outputs: Mapping[str, Output] = field(repr=False)


class Program:
    """The kernels of a file, launched as `plan(host, *inputs)` says. See README.md for what the kernels are."""

    def __init__(self, host: Host, name: str, plan: Callable[..., Plan], options: Sequence[str] = ()) -> None:
        self._host = host
        self._plan = plan
        self._kernels = {kernel.function_name: kernel for kernel in host.build(f"{name}.cl", options).all_kernels()}

    def start(self, *inputs: Any) -> Call:
        """Bring the inputs to the device, and get memory for what is made."""
        plan = self._plan(self._host, *inputs)
        outputs = {name: self._host.output(*made) for name, made in plan.made.items()}
        buffers = {name: self._host.upload(array) for name, array in plan.inputs.items()}
        return Call(plan, buffers | {name: output.buffer for name, output in outputs.items()}, outputs)

    def launch(self, call: Call) -> list[cl.Event]:
        """Run all kernels."""
        events: list[cl.Event] = []
        for step in call.plan.steps:
            values = [call.buffers[a] if isinstance(a, str) else a for a in step.arguments]
            group = step.group or self._host.group(step.extent)
            events.append(self._kernels[step.kernel](self._host.queue, step.extent, group, *values))
        return events

    def finish(self, call: Call) -> Any:
        """Bring the results back."""
        return call.plan.finish(*(self._host.download(call.outputs[name]) for name in call.plan.results))

"""What a call costs beside the device's work: ``python -m benchmarks.overhead``.

Each program runs on a thousand elements, compiled before, against a function that gives pyopencl the same commands,
with no choice left to make: memory for the result, buffers, arguments, one launch, and the wait for it. What hetc takes
longer is what it costs to look at the data, to see that nothing that the function reads has changed, and to find the
kernel.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyopencl as cl

import hetc
from benchmarks.measure import spread
from benchmarks.native.host import Host
from benchmarks.report import markdown
from hetc.runtime.devices import select

SIZE = 1000
CALLS = 50
"""Calls of one side in a row, of which the time is taken."""

PAUSE_NS = 100_000
"""So long a program does something else between calls. A CPU's runtime is slower to take up work after a while without,
so that the side that takes longer between its launches would look worse for that as well."""

FACTOR = 2.5

SOURCE = """
__kernel void saxpy(__global const float *x, __global const float *y, __global float *out, const float a)
{ const size_t i = get_global_id(0); out[i] = a * x[i] + y[i]; }
__kernel void line(__global const float *x, __global float *out, const double a)
{ const size_t i = get_global_id(0); out[i] = (float)a * x[i] + 1.0f; }
"""


def twice(x: Any) -> Any:
    """A function that another one calls."""
    return FACTOR * x


@hetc.jit
def filled(x: Any, y: Any, out: Any) -> Any:
    """A function with a parallel loop."""
    for i in hetc.forall(len(out)):
        out[i] = 2.5 * x[i] + y[i]
    return out


Side = Callable[[], Any]


def bare_call(host: Host, kernel: str, inputs: tuple[np.ndarray[Any, Any], ...], *scalars: np.generic) -> Side:
    """A call with nothing but pyopencl, prepared as far as it can be before its data is known."""
    launch, made = cl.Kernel(cl.Program(host.context, SOURCE).build(), kernel), np.empty_like(inputs[0])
    extent, queue = made.shape, host.queue

    def call() -> Any:
        output = host.output(extent, made.dtype)
        buffers = [host.upload(array) for array in inputs]  # a kernel does not keep its arguments alive
        launch.set_args(*buffers, output.buffer, *scalars)
        cl.enqueue_nd_range_kernel(queue, launch, extent, None)
        return host.download(output)

    return call


def pairs(host: Host) -> dict[str, tuple[Side, Side]]:
    """Of each program hetc's call and the bare one."""
    rng = np.random.default_rng(0)
    x, y = rng.random(SIZE, np.float32), rng.random(SIZE, np.float32)
    out = np.empty_like(x)
    saxpy = hetc.map(lambda a, b: 2.5 * a + b)
    line = hetc.map(lambda a: twice(a) + 1.0)
    return {
        "two arrays": (lambda: saxpy(x, y), bare_call(host, "saxpy", (x, y), np.float32(2.5))),
        "a parallel loop": (lambda: filled(x, y, out), bare_call(host, "saxpy", (x, y), np.float32(2.5))),
        "a helper, a global": (lambda: line(x), bare_call(host, "line", (x,), np.float64(FACTOR))),
    }


def microseconds(side: Side) -> float:
    """The median time of a call."""
    times: list[int] = []
    for _ in range(CALLS):
        resume = time.perf_counter_ns() + PAUSE_NS
        while time.perf_counter_ns() < resume:
            pass
        start = time.perf_counter_ns()
        side()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) / 1e3


def row(name: str, ours: Side, bare: Side, repeat: int) -> list[str]:
    """Both sides by turns: medians, and the difference with its spread."""
    np.testing.assert_allclose(ours(), bare(), rtol=1e-6)
    found = [(microseconds(ours), microseconds(bare)) for _ in range(repeat)]
    hetc_us, bare_us = (statistics.median(side) for side in zip(*found, strict=True))
    above = [one - other for one, other in found]
    low, high = spread(above)
    return [name, f"{hetc_us:.1f}", f"{bare_us:.1f}", f"{statistics.median(above):.1f}", f"{low:.1f} to {high:.1f}"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--device", help="which one, as in hetc.configure")
    parser.add_argument("--repeat", type=int, default=41)
    options = parser.parse_args()
    device = select(options.device)
    hetc.configure(device=device, offload="always")
    rows = [row(name, *sides, options.repeat) for name, sides in pairs(Host(device.handle)).items()]
    print(f"{device.name} ({device.platform}), {SIZE} elements, microseconds a call\n")
    print(markdown(["program", "hetc", "bare pyopencl", "above it", "spread"], rows))


if __name__ == "__main__":
    main()

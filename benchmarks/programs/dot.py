"""The dot product: a map, fused into a reduction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyopencl as cl

from benchmarks.native.host import Host
from benchmarks.native.plans import Plan, Step
from benchmarks.native.plans import Program as NativeProgram
from benchmarks.peers import Peers
from benchmarks.programs.program import Array, Program
from examples import dot


def plan(host: Host, x: Array, y: Array) -> Plan:
    """Partial sums of blocks, then their total.

    On a CPU a group of 16 items is one vector register (of 16 floats), which is what keeps the running sums out of
    memory: 16 was the fastest of 16 to 256 on Intel's runtime and on PoCL, by up to a factor of 3.
    """
    groups, width = (1024, 256) if host.gpu else (256, 16)
    while groups > 1 and len(x) % (groups * width):
        groups //= 2
    sums = groups if host.gpu else groups * width
    scratch = cl.LocalMemory(width * np.dtype(np.float32).itemsize)
    first = ["x", "y", np.int32(len(x) // groups), "sums", *([scratch] if host.gpu else [])]
    steps = [
        Step("group_sums" if host.gpu else "partial_sums", (groups * width,), first, (width,)),
        Step("total", (width,), ["sums", np.int32(sums), "total", scratch], (width,)),
    ]
    made = {"sums": ((sums,), np.float32), "total": ((1,), np.float32)}
    return Plan({"x": x, "y": y}, made, steps, ["total"], lambda total: total[0])


def numba(nb: Any) -> Any:
    @nb.njit(parallel=True, fastmath=True)
    def run(x, y):
        total = np.float32(0)
        for i in nb.prange(len(x)):
            total += x[i] * y[i]
        return total

    return run


def cuda(cu: Any) -> Any:
    add_up = cu.reduce(lambda a, b: a + b)

    @cu.jit(fastmath=True)
    def partial_sums(x, y, out):
        total = np.float32(0)
        for i in range(cu.grid(1), len(x), cu.gridsize(1)):
            total += x[i] * y[i]
        out[cu.grid(1)] = total

    def run(x, y):
        out = cu.device_array(512 * 256, np.float32)
        partial_sums[512, 256](x, y, out)
        return add_up(out)

    return run


PROGRAM = Program(
    "dot product",
    32 << 20,
    64 << 20,
    dot.dot,
    dot.sample,
    dot.reference,
    lambda host: NativeProgram(host, "dot", plan),
    Peers(lambda xp: xp.dot, numba, cuda),
    # Peers that add up one after the other, and float32 has 24 bits.
    tolerance=1e-4,
)

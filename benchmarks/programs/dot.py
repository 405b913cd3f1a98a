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

    On a CPU an item has a block of its own, and four vectors of 8 floats: on Intel's runtime a third of the time of 16
    items that take neighbouring elements in turn, and the same as vectors of 16.
    """
    groups, width = (1024, 256) if host.gpu else (512, 1)
    while groups > 1 and len(x) % (groups * width):
        groups //= 2
    sums, lanes = (groups, 256) if host.gpu else (groups * 8, 16)

    def scratch(items: int) -> cl.LocalMemory:
        return cl.LocalMemory(items * np.dtype(np.float32).itemsize)

    first = ["x", "y", np.int32(len(x) // groups), "sums", *([scratch(width)] if host.gpu else [])]
    steps = [
        Step("group_sums" if host.gpu else "partial_sums", (groups * width,), first, (width,)),
        Step("total", (lanes,), ["sums", np.int32(sums), "total", scratch(lanes)], (lanes,)),
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

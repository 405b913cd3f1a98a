"""An inclusive scan: running totals."""

from __future__ import annotations

from typing import Any

import numpy as np

import hetc
from benchmarks.native.host import Host
from benchmarks.native.plans import Plan, Step
from benchmarks.native.plans import Program as NativeProgram
from benchmarks.peers import Peers
from benchmarks.programs.program import Array, Program, floats

CHUNKS = 64
"""Parts that a CPU takes one at a time, in order."""

GROUP = 256
"""Work-items of a group on a GPU, each of which takes PER_ITEM elements."""
PER_ITEM = 16


def reference(x: Array) -> Array:
    """The same in double precision."""
    return np.cumsum(x, dtype=np.float64)


def plan(host: Host, x: Array) -> Plan:
    n = len(x)
    parts = -(-n // (GROUP * PER_ITEM)) if host.gpu else CHUNKS
    part = np.int32(-(-n // parts))
    count = np.int32(n)
    made = {"out": ((n,), np.float32), "sums": ((parts,), np.float32)}
    if not host.gpu:
        steps = [
            Step("chunk_sums", (parts,), ["x", count, part, "sums"], (1,)),
            Step("scan_sums", (1,), ["sums", np.int32(parts)], (1,)),
            Step("chunk_scans", (parts,), ["x", count, part, "sums", "out"], (1,)),
        ]
    else:
        extent, group = (parts * GROUP,), (GROUP,)
        steps = [
            Step("group_sums", extent, ["x", count, "sums"], group),
            Step("group_scan_sums", (1024,), ["sums", np.int32(parts)], (1024,)),
            Step("group_scans", extent, ["x", count, "sums", "out"], group),
        ]
    return Plan({"x": x}, made, steps, ["out"])


def numba(nb: Any) -> Any:
    @nb.njit(parallel=True, fastmath=True)
    def run(x):
        n, parts = len(x), 64
        size = -(-n // parts)
        sums = np.empty(parts, np.float32)
        out = np.empty_like(x)
        for part in nb.prange(parts):
            total = np.float32(0)
            for i in range(part * size, min(n, (part + 1) * size)):
                total += x[i]
            sums[part] = total
        total = np.float32(0)
        for part in range(parts):
            sums[part], total = total, total + sums[part]
        for part in nb.prange(parts):
            running = sums[part]
            for i in range(part * size, min(n, (part + 1) * size)):
                running += x[i]
                out[i] = running
        return out

    return run


def cuda(cu: Any) -> Any:
    """Three kernels: sums of parts, their scan, and the scan of each part."""
    parts = 64 * 1024

    @cu.jit(fastmath=True)
    def part_sums(x, sums, size):
        part = cu.grid(1)
        total = np.float32(0)
        for i in range(part * size, min(len(x), (part + 1) * size)):
            total += x[i]
        sums[part] = total

    @cu.jit(fastmath=True)
    def scan_sums(sums, totals):
        item, size = cu.threadIdx.x, len(sums) // 1024
        total = np.float32(0)
        for i in range(item * size, (item + 1) * size):
            total += sums[i]
        totals[item] = total
        cu.syncthreads()
        running = np.float32(0)
        for other in range(item):
            running += totals[other]
        for i in range(item * size, (item + 1) * size):
            value = sums[i]
            sums[i] = running
            running += value

    @cu.jit(fastmath=True)
    def part_scans(x, sums, size, out):
        part = cu.grid(1)
        running = sums[part]
        for i in range(part * size, min(len(x), (part + 1) * size)):
            running += x[i]
            out[i] = running

    def run(x):
        size = -(-len(x) // parts)
        out, sums = cu.device_array(len(x), np.float32), cu.device_array(parts, np.float32)
        part_sums[parts // 256, 256](x, sums, size)
        scan_sums[1, 1024](sums, cu.device_array(1024, np.float32))
        part_scans[parts // 256, 256](x, sums, size, out)
        return out

    return run


PROGRAM = Program(
    "inclusive scan",
    16 << 20,
    64 << 20,
    hetc.scan(lambda p, q: p + q),
    lambda size: floats(size, 1),
    reference,
    lambda host: NativeProgram(host, "prefix_sum", plan),
    Peers(lambda xp: xp.cumsum, numba, cuda),
    # NumPy adds up one after the other, and float32 has 24 bits.
    tolerance=0.05,
)

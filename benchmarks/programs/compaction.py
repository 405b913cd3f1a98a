"""A filter: the elements above a half, in order."""

from __future__ import annotations

from typing import Any

import numpy as np

import hetc
from benchmarks.native.host import Host
from benchmarks.native.plans import Plan, Step
from benchmarks.native.plans import Program as NativeProgram
from benchmarks.peers import Peers
from benchmarks.programs.program import Array, Program, floats

HALF = np.float32(0.5)
CHUNKS = 64
"""Parts that a CPU takes one at a time, in order."""

GROUP = 256
PER_ITEM = 16


def reference(x: Array) -> Array:
    """The same by NumPy, in double precision."""
    return x[x > 0.5].astype(np.float64)


def error(result: Array, expected: Array) -> float:
    """Zero if all are there, in order."""
    return 0.0 if np.array_equal(result, expected) else 1.0


def plan(host: Host, x: Array) -> Plan:
    n = len(x)
    parts = -(-n // (GROUP * PER_ITEM)) if host.gpu else CHUNKS
    part, count = np.int32(-(-n // parts)), np.int32(n)
    made = {"out": ((n,), np.float32), "counts": ((parts + 1,), np.int32)}
    if not host.gpu:
        steps = [
            Step("chunk_counts", (parts,), ["x", HALF, count, part, "counts"], (1,)),
            Step("scan_counts", (1,), ["counts", np.int32(parts)], (1,)),
            Step("chunk_keeps", (parts,), ["x", HALF, count, part, "counts", "out"], (1,)),
        ]
    else:
        extent, group = (parts * GROUP,), (GROUP,)
        steps = [
            Step("group_counts", extent, ["x", HALF, count, "counts"], group),
            Step("group_scan_counts", (1024,), ["counts", np.int32(parts)], (1024,)),
            Step("group_keeps", extent, ["x", HALF, count, "counts", "out"], group),
        ]
    return Plan({"x": x}, made, steps, ["out", "counts"], lambda out, counts: out[: counts[-1]])


def numba(nb: Any) -> Any:
    @nb.njit(parallel=True, fastmath=True)
    def run(x):
        n, parts = len(x), 64
        size = -(-n // parts)
        counts = np.zeros(parts, np.int64)
        for part in nb.prange(parts):
            kept = 0
            for i in range(part * size, min(n, (part + 1) * size)):
                kept += x[i] > HALF
            counts[part] = kept
        ends = np.cumsum(counts)
        out = np.empty(ends[-1], np.float32)
        for part in nb.prange(parts):
            at = ends[part] - counts[part]
            for i in range(part * size, min(n, (part + 1) * size)):
                if x[i] > HALF:
                    out[at] = x[i]
                    at += 1
        return out

    return run


PROGRAM = Program(
    "filter",
    16 << 20,
    64 << 20,
    hetc.filter(lambda x: x > 0.5),
    lambda size: floats(size, 1),
    reference,
    lambda host: NativeProgram(host, "compaction", plan),
    # JAX compiles no array whose length comes from data.
    Peers(lambda xp: lambda x: x[x > HALF], numba, compiled=False),
    error=error,
    tolerance=0,
)

"""A histogram of bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

import hetc
from benchmarks.native.host import Host
from benchmarks.native.plans import Plan, Step
from benchmarks.native.plans import Program as NativeProgram
from benchmarks.peers import Peers
from benchmarks.programs.program import Array, Program

BINS = 256


histogram = hetc.histogram(BINS)


def sample(size: int) -> tuple[Array]:
    """Bytes."""
    return (np.random.default_rng(0).integers(0, BINS, size, dtype=np.uint8),)


def plan(host: Host, keys: Array) -> Plan:
    items, group = (1024 * 256, (256,)) if host.gpu else (64, (1,))
    made = {"counts": ((BINS,), np.int32)}
    if host.gpu:
        count_step = Step("local_counts", (items,), ["keys", np.int64(len(keys)), "counts"], group)
        return Plan({"keys": keys}, made, [Step("clear", (BINS,), ["counts"]), count_step], ["counts"])
    part = np.int64(-(-len(keys) // items))
    steps = [
        Step("chunk_counts", (items,), ["keys", np.int64(len(keys)), part, "parts"], group),
        Step("add_counts", (BINS,), ["parts", np.int32(items), "counts"]),
    ]
    return Plan({"keys": keys}, made | {"parts": ((items * BINS,), np.int32)}, steps, ["counts"])


def arrays(xp: Any) -> Any:
    return lambda keys: xp.bincount(keys, minlength=BINS)


def jax(jx: Any) -> Any:
    return lambda keys: jx.numpy.bincount(keys, length=BINS)


def numba(nb: Any) -> Any:
    @nb.njit(parallel=True, fastmath=True)
    def run(keys):
        n, parts = len(keys), 64
        size = -(-n // parts)
        counts = np.zeros((parts, BINS), np.int32)
        for part in nb.prange(parts):
            for i in range(part * size, min(n, (part + 1) * size)):
                counts[part, keys[i]] += 1
        return counts.sum(axis=0)

    return run


def cuda(cu: Any) -> Any:
    @cu.jit
    def kernel(keys, counts):
        mine = cu.shared.array(BINS, np.int32)
        item = cu.threadIdx.x
        mine[item] = 0
        cu.syncthreads()
        for i in range(cu.grid(1), len(keys), cu.gridsize(1)):
            cu.atomic.add(mine, keys[i], 1)
        cu.syncthreads()
        cu.atomic.add(counts, item, mine[item])

    def run(keys):
        counts = cu.to_device(np.zeros(BINS, np.int32))
        kernel[1024, BINS](keys, counts)
        return counts

    return run


PROGRAM = Program(
    "histogram",
    64 << 20,
    256 << 20,
    histogram,
    sample,
    lambda keys: np.bincount(keys, minlength=BINS),
    lambda host: NativeProgram(host, "histogram", plan),
    Peers(arrays, numba, cuda, jax),
    tolerance=0,
)

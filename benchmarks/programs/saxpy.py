"""saxpy, ``2.5 * x + y``: memory and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.peers import Peers
from benchmarks.programs.program import Program, elementwise
from examples import saxpy


def arrays(xp: Any) -> Any:
    return lambda x, y: xp.float32(2.5) * x + y


def numba(nb: Any) -> Any:
    @nb.njit(parallel=True, fastmath=True)
    def run(x, y):
        out = np.empty_like(x)
        for i in nb.prange(len(x)):
            out[i] = np.float32(2.5) * x[i] + y[i]
        return out

    return run


def cuda(cu: Any) -> Any:
    @cu.jit(fastmath=True)
    def kernel(x, y, out):
        i = cu.grid(1)
        if i < len(x):
            out[i] = np.float32(2.5) * x[i] + y[i]

    def run(x, y):
        out = cu.device_array(len(x), np.float32)
        kernel[(len(x) + 255) // 256, 256](x, y, out)
        return out

    return run


PROGRAM = Program(
    "saxpy",
    16 << 20,
    64 << 20,
    saxpy.saxpy,
    saxpy.sample,
    saxpy.reference,
    elementwise("saxpy"),
    Peers(arrays, numba, cuda),
)

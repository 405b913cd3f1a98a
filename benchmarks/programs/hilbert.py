"""The Hilbert matrix: 1 / (i + j + 1) at row i and column j."""

from __future__ import annotations

from typing import Any

import numpy as np

import hetc
from benchmarks.native.host import Host
from benchmarks.native.plans import Plan, Step
from benchmarks.native.plans import Program as NativeProgram
from benchmarks.peers import Peers
from benchmarks.programs.program import Array, Program, side

ONE = np.float32(1)


@hetc.jit
def fill(matrix):
    """Set the elements of a matrix."""
    height, width = matrix.shape
    for i, j in hetc.forall(height, width):
        matrix[i, j] = ONE / (i + j + 1)


def function(n: int) -> Array:
    """A new matrix."""
    matrix = np.empty((n, n), np.float32)
    fill(matrix)
    return matrix


def reference(n: int) -> Array:
    """The same in double precision, every 16th row."""
    return 1 / (np.arange(0, n, 16)[:, None] + np.arange(n) + 1.0)


def plan(host: Host, n: int) -> Plan:
    four = host.gpu and n % 4 == 0
    step = Step("hilbert4", (n // 4, n), ["out"]) if four else Step("hilbert", (n, n), ["out"])
    return Plan({}, {"out": ((n, n), np.float32)}, [step], ["out"])


def arrays(xp: Any) -> Any:
    def run(n):
        return ONE / (xp.arange(n)[:, None] + xp.arange(n) + 1).astype(xp.float32)

    return run


def numba(nb: Any) -> Any:
    @nb.njit(parallel=True, fastmath=True)
    def run(n):
        out = np.empty((n, n), np.float32)
        for i in nb.prange(n):
            for j in range(n):
                out[i, j] = ONE / np.float32(i + j + 1)
        return out

    return run


def cuda(cu: Any) -> Any:
    @cu.jit(fastmath=True)
    def kernel(out):
        j, i = cu.grid(2)
        if i < out.shape[0] and j < out.shape[1]:
            out[i, j] = ONE / np.float32(i + j + 1)

    def run(n):
        out = cu.device_array((n, n), np.float32)
        kernel[((n + 31) // 32, (n + 7) // 8), (32, 8)](out)
        return out

    return run


PROGRAM = Program(
    "Hilbert matrix",
    6144 * 6144,
    12288 * 12288,
    function,
    lambda size: (side(size),),
    reference,
    lambda host: NativeProgram(host, "hilbert", plan),
    Peers(arrays, numba, cuda),
    part=lambda matrix: matrix[::16],
)

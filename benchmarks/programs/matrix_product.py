"""The product of two square matrices in float32, by its definition."""

from __future__ import annotations

from typing import Any

import numpy as np

import hetc
from benchmarks.native.host import Host
from benchmarks.native.plans import Plan, Step
from benchmarks.native.plans import Program as NativeProgram
from benchmarks.peers import Peers
from benchmarks.programs.program import Array, Program, floats, side

ZERO = np.float32(0)
TILE = 64
"""Rows and columns of a tile on a GPU, which 16 x 16 work-items compute."""

CHECKED = 16
"""Rows that the reference computes."""


@hetc.jit
def multiply(a, b, c):
    """Set c to the product of a and b."""
    height, width = c.shape
    for i, j in hetc.forall(height, width):
        total = ZERO
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


def sample(size: int) -> tuple[Array, Array]:
    """Two square matrices."""
    n = side(size)
    a, b = (values.reshape(n, n) for values in floats(size, 2))
    return a, b


def function(a: Array, b: Array) -> Array:
    """The product, as a new array."""
    c = np.empty((len(a), b.shape[1]), np.float32)
    multiply(a, b, c)
    return c


def reference(a: Array, b: Array) -> Array:
    """Some rows in double precision."""
    return a[:CHECKED].astype(np.float64) @ b.astype(np.float64)


def plan(host: Host, a: Array, b: Array) -> Plan:
    n = len(a)
    arguments = ["a", "b", np.int32(n), "c"]
    if host.gpu and n % TILE == 0:
        step = Step("tiles", (n // 4, n // 4), arguments, (16, 16))
    else:
        step = Step("rows", (n // 16, n // 4), arguments)
    return Plan({"a": a, "b": b}, {"c": ((n, n), np.float32)}, [step], ["c"])


def numba(nb: Any) -> Any:
    @nb.njit(parallel=True, fastmath=True)
    def run(a, b):
        n = len(a)
        c = np.zeros((n, n), np.float32)
        for i in nb.prange(n):
            for k in range(n):
                for j in range(n):
                    c[i, j] += a[i, k] * b[k, j]
        return c

    return run


def cuda(cu: Any) -> Any:
    @cu.jit(fastmath=True)
    def kernel(a, b, c):
        j, i = cu.grid(2)
        if i < c.shape[0] and j < c.shape[1]:
            total = ZERO
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total

    def run(a, b):
        n = len(a)
        c = cu.device_array((n, n), np.float32)
        kernel[((n + 31) // 32, (n + 7) // 8), (32, 8)](a, b, c)
        return c

    return run


PROGRAM = Program(
    "matrix product",
    1024 * 1024,
    4096 * 4096,
    function,
    sample,
    reference,
    lambda host: NativeProgram(host, "matrix_product", plan),
    Peers(lambda xp: lambda a, b: a @ b, numba, cuda),
    part=lambda c: c[:CHECKED],
    tolerance=1e-4,
)

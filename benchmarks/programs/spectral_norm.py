"""The spectral norm of an infinite matrix's corner by the power method, in float64. Source: the Benchmarks Game."""

from __future__ import annotations

from typing import Any

import numpy as np

import hetc
from benchmarks.native.host import Host
from benchmarks.native.plans import Plan, Step
from benchmarks.native.plans import Program as NativeProgram
from benchmarks.peers import Peers
from benchmarks.programs.program import Array, Program

ROUNDS = 10
GROUP = 128


@hetc.jit
def times_matrix(u, v):
    """Set v to A u."""
    for i in hetc.forall(len(u)):
        total = 0.0
        for j in range(len(u)):
            total += u[j] / ((i + j) * (i + j + 1) // 2 + i + 1)
        v[i] = total


@hetc.jit
def times_transposed(u, v):
    """Set v to A' u."""
    for i in hetc.forall(len(u)):
        total = 0.0
        for j in range(len(u)):
            total += u[j] / ((i + j) * (i + j + 1) // 2 + j + 1)
        v[i] = total


def function(n: int) -> Array:
    """The vectors u and v, from which the norm is the root of (u v) / (v v)."""
    u, v, t = np.ones(n), np.empty(n), np.empty(n)
    for _ in range(ROUNDS):
        times_matrix(u, t)
        times_transposed(t, v)
        times_matrix(v, t)
        times_transposed(t, u)
    return norm(u, v)


def norm(u: Array, v: Array) -> float:
    """The norm from the last two vectors."""
    return float(np.sqrt(u @ v / (v @ v)))


def matrix(xp: Any, n: int) -> Any:
    i, j = xp.arange(n)[:, None], xp.arange(n)
    return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)


def reference(n: int) -> float:
    """The same by a stored matrix."""
    return arrays(np)(n)


def plan(host: Host, n: int) -> Plan:
    rows, group = ((n * GROUP,), (GROUP,)) if host.gpu else ((n,), None)
    kind = "_group" if host.gpu else ""
    size = np.int32(n)

    def steps(a: str, b: str) -> list[Step]:
        return [
            Step(f"times_matrix{kind}", rows, [a, size, "t"], group),
            Step(f"times_transposed{kind}", rows, ["t", size, b], group),
        ]

    launches = [Step("ones", (n,), ["u"])] + ROUNDS * (steps("u", "v") + steps("v", "u"))
    return Plan({}, dict.fromkeys("uvt", ((n,), np.float64)), launches, ["u", "v"], norm)


def arrays(xp: Any) -> Any:
    def run(n):
        a = matrix(xp, n)
        u = v = xp.ones(n)
        for _ in range(ROUNDS):
            v = a.T @ (a @ u)
            u = a.T @ (a @ v)
        return xp.sqrt(u @ v / (v @ v))

    return run


def numba(nb: Any) -> Any:
    @nb.njit(parallel=True, fastmath=True)
    def matrix_product(u, v):
        for i in nb.prange(len(u)):
            total = 0.0
            for j in range(len(u)):
                total += u[j] / ((i + j) * (i + j + 1) // 2 + i + 1)
            v[i] = total

    @nb.njit(parallel=True, fastmath=True)
    def transposed_product(u, v):
        for i in nb.prange(len(u)):
            total = 0.0
            for j in range(len(u)):
                total += u[j] / ((i + j) * (i + j + 1) // 2 + j + 1)
            v[i] = total

    def run(n):
        u, v, t = np.ones(n), np.empty(n), np.empty(n)
        for _ in range(ROUNDS):
            matrix_product(u, t)
            transposed_product(t, v)
            matrix_product(v, t)
            transposed_product(t, u)
        return norm(u, v)

    return run


def cuda(cu: Any) -> Any:
    @cu.jit(fastmath=True)
    def matrix_product(u, v):
        i = cu.grid(1)
        if i < len(u):
            total = 0.0
            for j in range(len(u)):
                total += u[j] / ((i + j) * (i + j + 1) // 2 + i + 1)
            v[i] = total

    @cu.jit(fastmath=True)
    def transposed_product(u, v):
        i = cu.grid(1)
        if i < len(u):
            total = 0.0
            for j in range(len(u)):
                total += u[j] / ((i + j) * (i + j + 1) // 2 + j + 1)
            v[i] = total

    def run(n):
        u, v, t = cu.to_device(np.ones(n)), cu.device_array(n, np.float64), cu.device_array(n, np.float64)
        grid = (n + 63) // 64, 64
        for _ in range(ROUNDS):
            matrix_product[grid](u, t)
            transposed_product[grid](t, v)
            matrix_product[grid](v, t)
            transposed_product[grid](t, u)
        return norm(u.copy_to_host(), v.copy_to_host())

    return run


PROGRAM = Program(
    "spectral norm",
    2000,
    5500,
    function,
    lambda size: (size,),
    reference,
    lambda host: NativeProgram(host, "spectral_norm", plan),
    Peers(arrays, numba, cuda),
    tolerance=1e-9,
)

"""The spectral norm of an infinite matrix's corner by the power method, in float64. Source: the Benchmarks Game."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
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
ITEMS, ROWS = 288, 16
"""Work-items of a group that adds up in order, and the most rows that it has."""


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


@hetc.jit
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


def plan(host: Host, n: int, *, in_order: bool = False) -> Plan:
    """With terms added up in any order by a group; or `in_order`, as in the source: to the bit what Python gives."""
    extent, group, kind = (n,), None, ""
    size: list[np.generic] = [np.int32(n)]
    if host.gpu and in_order:
        # As many rows a group as give all processors equally many, none more than 16.
        together = host.device.max_compute_units * -(-n // (host.device.max_compute_units * ROWS))
        rows = -(-n // together)
        extent, group, kind, size = (-(-n // rows) * ITEMS,), (ITEMS,), "_ordered", [np.int32(n), np.int32(rows)]
    elif host.gpu:
        extent, group, kind = (n * GROUP,), (GROUP,), "_group"

    def steps(a: str, b: str) -> list[Step]:
        return [
            Step(f"times_matrix{kind}", extent, [a, *size, "t"], group),
            Step(f"times_transposed{kind}", extent, ["t", *size, b], group),
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

IN_ORDER = replace(
    PROGRAM,
    name="spectral norm in order",
    native=lambda host: NativeProgram(host, "spectral_norm", partial(plan, in_order=True)),
)
"""The same beside kernels by hand that add up in the source's order, too, as hetc does without `fastmath`."""

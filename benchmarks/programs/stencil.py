"""A stencil of five points: each inner point becomes the mean of itself and its neighbours, several times."""

from __future__ import annotations

from typing import Any

import numpy as np

import hetc
from benchmarks.native.host import Host
from benchmarks.native.plans import Plan, Step
from benchmarks.native.plans import Program as NativeProgram
from benchmarks.peers import Peers
from benchmarks.programs.program import Array, Program, floats, side

FIFTH = np.float32(0.2)


@hetc.jit
def smooth(given, steps):
    """The smoothed square in one of two new arrays, which a device has for itself until the end."""
    height, width = given.shape
    a = np.empty_like(given)
    b = np.empty_like(given)
    for i, j in hetc.forall(height, width):
        a[i, j] = given[i, j]
        b[i, j] = given[i, j]
    for _ in range(steps):
        for i, j in hetc.forall(height - 2, width - 2):
            total = a[i + 1, j + 1] + a[i, j + 1] + a[i + 2, j + 1] + a[i + 1, j] + a[i + 1, j + 2]
            b[i + 1, j + 1] = FIFTH * total
        a, b = b, a
    return a


def sample(size: int) -> tuple[Array, int]:
    """A square of numbers, and how often it is smoothed: an even number of times."""
    n = side(size)
    return floats(size, 1)[0].reshape(n, n), 10 if n > 4096 else 4


def function(a: Array, steps: int) -> Array:
    """The smoothed square, as a new array."""
    return smooth(a, steps)


def whole(xp: Any, a: Any, steps: int, fifth: Any) -> Any:
    """The same on whole arrays."""
    for _ in range(steps):
        inner = fifth * (a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        middle = xp.concatenate([a[1:-1, :1], inner, a[1:-1, -1:]], axis=1)
        a = xp.concatenate([a[:1], middle, a[-1:]])
    return a


def reference(a: Array, steps: int) -> Array:
    """A band of rows in double precision; what is beyond it reaches its margin only."""
    return whole(np, a[: BAND + steps].astype(np.float64), steps, 0.2)[:BAND]


BAND = 64
"""Rows that are compared."""


def plan(host: Host, a: Array, steps: int) -> Plan:
    height, width = a.shape
    # The border stays as it is, in both squares.
    launches = [Step("copy", (a.size,), ["a", "x"]), Step("copy", (a.size,), ["a", "y"])]
    for step in range(steps):
        source, target = ("x", "y") if step % 2 == 0 else ("y", "x")
        four = host.gpu and width % 4 == 0
        kernel, columns = ("smooth4", width // 4) if four else ("smooth", width - 2)
        # Groups of one row: the number of inner rows divides by little.
        group = (min(columns, 128), 1) if four and columns % min(columns, 128) == 0 else None
        launches.append(Step(kernel, (columns, height - 2), [source, target, np.int32(width)], group))
    made = dict.fromkeys(("x", "y"), (a.shape, np.float32))
    return Plan({"a": a}, made, launches, ["x" if steps % 2 == 0 else "y"])


def arrays(xp: Any) -> Any:
    return lambda a, steps: whole(xp, a, steps, FIFTH)


def numba(nb: Any) -> Any:
    @nb.njit(parallel=True, fastmath=True)
    def one(a, b):
        for i in nb.prange(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = FIFTH * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])

    def run(a, steps):
        a, b = a.copy(), a.copy()
        for _ in range(steps):
            one(a, b)
            a, b = b, a
        return a

    return run


def cuda(cu: Any) -> Any:
    @cu.jit(fastmath=True)
    def kernel(a, b):
        j, i = cu.grid(2)
        if 0 < i < a.shape[0] - 1 and 0 < j < a.shape[1] - 1:
            b[i, j] = FIFTH * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])

    def run(a, steps):
        height, width = a.shape
        x, y = cu.device_array(a.shape, np.float32), cu.device_array(a.shape, np.float32)
        x.copy_to_device(a)
        y.copy_to_device(a)
        for _ in range(steps):
            kernel[((width + 31) // 32, (height + 7) // 8), (32, 8)](x, y)
            x, y = y, x
        return x

    return run


PROGRAM = Program(
    "5-point stencil",
    4096 * 4096,
    8192 * 8192,
    function,
    sample,
    reference,
    lambda host: NativeProgram(host, "stencil", plan),
    Peers(arrays, numba, cuda),
    part=lambda square: square[:BAND],
)

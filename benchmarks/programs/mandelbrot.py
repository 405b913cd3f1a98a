"""The Mandelbrot set, drawn point by point into an image."""

from __future__ import annotations

from typing import Any

import numpy as np

import hetc
from benchmarks.native.host import Host
from benchmarks.native.plans import Plan, Step
from benchmarks.native.plans import Program as NativeProgram
from benchmarks.peers import Peers
from benchmarks.programs.program import Array, Program, differing_points, side

LEFT, BOTTOM = np.float32(-2.25), np.float32(-1.5)
WIDTH = np.float32(3)


@hetc.jit
def draw(image, iterations, step):
    """Set each point to the number of steps that it takes to escape."""
    height, width = image.shape
    for i, j in hetc.forall(height, width):
        x = LEFT + step * j
        y = BOTTOM + step * i
        zr, zi = x, y
        n = 0
        while n < iterations and zr * zr + zi * zi <= 4:
            zr, zi = zr * zr - zi * zi + x, 2 * zr * zi + y
            n += 1
        image[i, j] = n


def sample(size: int) -> tuple[int, int, np.float32]:
    """The side of the image, the number of iterations, and the distance of neighbours."""
    n = side(size)
    return n, 1000 if n > 1024 else 250, np.float32(WIDTH / n)


def function(n: int, iterations: int, step: np.float32) -> Array:
    """A new image."""
    image = np.empty((n, n), np.int32)
    draw(image, iterations, step)
    return image


def some_rows(image: Array) -> Array:
    """The rows that are compared."""
    return image[:: max(1, len(image) // 64)]


def rows(xp: Any, step: np.float32, first: Any, width: int, iterations: int, dtype: Any) -> Any:
    """Some rows on whole arrays: every point takes all steps, and counts those within the circle."""
    x = (LEFT + dtype(step) * xp.arange(width).astype(dtype))[None, :]
    y = (BOTTOM + dtype(step) * first.astype(dtype))[:, None]
    zr, zi = x + 0 * y, y + 0 * x
    counts = xp.zeros(zr.shape, xp.int32)
    for _ in range(iterations):
        inside = zr * zr + zi * zi <= 4
        counts = counts + inside
        zr, zi = xp.where(inside, zr * zr - zi * zi + x, zr), xp.where(inside, 2 * zr * zi + y, zi)
    return counts


def reference(n: int, iterations: int, step: np.float32) -> Array:
    """Some rows in double precision."""
    return rows(np, step, some_rows(np.arange(n)), n, iterations, np.float64)


def plan(_: Host, n: int, iterations: int, step: np.float32) -> Plan:
    launch = Step("mandelbrot", (n, n), [LEFT, BOTTOM, step, step, np.int32(iterations), "out"])
    return Plan({}, {"out": ((n, n), np.int32)}, [launch], ["out"])


def arrays(xp: Any) -> Any:
    return lambda n, iterations, step: rows(xp, step, xp.arange(n), n, iterations, np.float32)


def jax(jx: Any) -> Any:
    xp = jx.numpy

    def run(n, iterations, step):
        x = (LEFT + step * xp.arange(n).astype(np.float32))[None, :]
        y = (BOTTOM + step * xp.arange(n).astype(np.float32))[:, None]

        def advance(_, state):
            zr, zi, counts = state
            inside = zr * zr + zi * zi <= 4
            following = xp.where(inside, zr * zr - zi * zi + x, zr), xp.where(inside, 2 * zr * zi + y, zi)
            return *following, counts + inside

        start = x + 0 * y, y + 0 * x, xp.zeros((n, n), np.int32)
        return jx.lax.fori_loop(0, iterations, advance, start)[2]

    return run


def element(jit: Any) -> Any:
    """One point, for Numba on either device."""
    two, four = np.float32(2), np.float32(4)

    @jit
    def steps(x, y, iterations):
        zr, zi = x, y
        n = 0
        while n < iterations and zr * zr + zi * zi <= four:
            zr, zi = zr * zr - zi * zi + x, two * zr * zi + y
            n += 1
        return n

    return steps


def numba(nb: Any) -> Any:
    steps = element(nb.njit(fastmath=True))

    @nb.njit(parallel=True, fastmath=True)
    def run(n, iterations, step):
        out = np.empty((n, n), np.int32)
        for i in nb.prange(n):
            for j in range(n):
                out[i, j] = steps(LEFT + step * np.float32(j), BOTTOM + step * np.float32(i), iterations)
        return out

    return run


def cuda(cu: Any) -> Any:
    steps = element(cu.jit(device=True, fastmath=True))

    @cu.jit(fastmath=True)
    def kernel(out, iterations, step):
        j, i = cu.grid(2)
        if i < out.shape[0] and j < out.shape[1]:
            out[i, j] = steps(LEFT + step * np.float32(j), BOTTOM + step * np.float32(i), iterations)

    def run(n, iterations, step):
        out = cu.device_array((n, n), np.int32)
        kernel[((n + 31) // 32, (n + 7) // 8), (32, 8)](out, iterations, step)
        return out

    return run


PROGRAM = Program(
    "Mandelbrot",
    1024 * 1024,
    4096 * 4096,
    function,
    sample,
    reference,
    lambda host: NativeProgram(host, "mandelbrot", plan),
    Peers(arrays, numba, cuda, jax),
    part=some_rows,
    error=differing_points,
    # In double precision points at the border of the set take another number of steps.
    tolerance=0.01,
)

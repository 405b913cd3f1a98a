"""Monte Carlo pi: each element draws points by a linear congruential generator, and counts those in the circle."""

from __future__ import annotations

from typing import Any

import numpy as np

import hetc
from benchmarks.native.host import Host
from benchmarks.native.plans import Plan, Step
from benchmarks.native.plans import Program as NativeProgram
from benchmarks.peers import Peers
from benchmarks.programs.program import Array, Program

DRAWS = 1024
FACTOR, INCREMENT = np.uint32(1664525), np.uint32(1013904223)
UNIT = np.float32(2**-24)
CHECKED = 1024


def points_inside(seed):
    """How many of DRAWS points are in the quarter of the circle. The arithmetic wraps, as that of uint32 does."""
    inside = 0
    for _ in range(DRAWS):
        seed = seed * FACTOR + INCREMENT
        x = np.float32(seed >> 8) * UNIT
        seed = seed * FACTOR + INCREMENT
        y = np.float32(seed >> 8) * UNIT
        if x * x + y * y < 1:
            inside += 1
    return inside


def sample(size: int) -> tuple[Array]:
    """Seeds."""
    return (np.random.default_rng(0).integers(0, 2**32, size, dtype=np.uint32),)


def reference(seeds: Array) -> Array:
    """The counts of the first seeds. The products are exact in double precision, and so is the result."""
    return arrays(np)(seeds[:CHECKED])


def plan(_: Host, seeds: Array) -> Plan:
    made = {"out": ((len(seeds),), np.int64)}
    return Plan(
        {"seeds": seeds}, made, [Step("monte_carlo", (len(seeds),), ["seeds", np.int32(DRAWS), "out"])], ["out"]
    )


def arrays(xp: Any) -> Any:
    def draw(seed):
        seed = seed * FACTOR + INCREMENT
        return seed, (seed >> 8).astype(xp.float32) * UNIT

    def run(seed):
        inside = xp.zeros(len(seed), xp.int64)
        for _ in range(DRAWS):
            seed, x = draw(seed)
            seed, y = draw(seed)
            inside = inside + (x * x + y * y < 1)
        return inside

    return run


def jax(jx: Any) -> Any:
    def draw(seed):
        seed = seed * FACTOR + INCREMENT
        return seed, (seed >> np.uint32(8)).astype(np.float32) * UNIT

    def step(_, state):
        seed, inside = state
        seed, x = draw(seed)
        seed, y = draw(seed)
        return seed, inside + (x * x + y * y < 1)

    return lambda seed: jx.lax.fori_loop(0, DRAWS, step, (seed, jx.numpy.zeros(len(seed), np.int64)))[1]


def element(jit: Any) -> Any:
    """One seed, for Numba on either device."""
    eight, mask = np.uint32(8), np.uint32(0xFFFFFFFF)

    @jit
    def count(seed):
        inside = 0
        for _ in range(DRAWS):
            seed = np.uint32((seed * FACTOR + INCREMENT) & mask)
            x = np.float32(seed >> eight) * UNIT
            seed = np.uint32((seed * FACTOR + INCREMENT) & mask)
            y = np.float32(seed >> eight) * UNIT
            if x * x + y * y < np.float32(1):
                inside += 1
        return inside

    return count


def numba(nb: Any) -> Any:
    count = element(nb.njit(fastmath=True))

    @nb.njit(parallel=True, fastmath=True)
    def run(seeds):
        out = np.empty(len(seeds), np.int64)
        for i in nb.prange(len(seeds)):
            out[i] = count(seeds[i])
        return out

    return run


def cuda(cu: Any) -> Any:
    count = element(cu.jit(device=True, fastmath=True))

    @cu.jit(fastmath=True)
    def kernel(seeds, out):
        i = cu.grid(1)
        if i < len(seeds):
            out[i] = count(seeds[i])

    def run(seeds):
        out = cu.device_array(len(seeds), np.int64)
        kernel[(len(seeds) + 255) // 256, 256](seeds, out)
        return out

    return run


PROGRAM = Program(
    "Monte Carlo pi",
    64 << 10,
    2 << 20,
    hetc.map(points_inside),
    sample,
    reference,
    lambda host: NativeProgram(host, "monte_carlo", plan),
    Peers(arrays, numba, cuda, jax),
    part=lambda counts: counts[:CHECKED],
    # A product and a sum that are contracted under fastmath may count a point on the circle otherwise.
    tolerance=0.005,
)

"""K-means: the nearest of 64 clusters for each point of a plane."""

from __future__ import annotations

from typing import Any

import numpy as np

import hetc
from benchmarks.native.host import Host
from benchmarks.native.plans import Plan, Step
from benchmarks.native.plans import Program as NativeProgram
from benchmarks.peers import Peers
from benchmarks.programs.program import Array, Program, floats

CLUSTERS = 64
INFINITY = np.float32(np.inf)
CHUNK = 1 << 16
cx, cy = floats(CLUSTERS, 2, seed=1)


def nearest(x, y):
    """The number of the nearest cluster, the first of several."""
    best = 0
    least = INFINITY
    for k in range(CLUSTERS):
        dx = x - cx[k]
        dy = y - cy[k]
        distance = dx * dx + dy * dy
        if distance < least:
            best = k
            least = distance
    return best


def reference(x: Array, y: Array) -> Array:
    """The number of the nearest cluster in double precision, of the first points."""
    dx, dy = (p[:CHUNK, None].astype(np.float64) - c for p, c in ((x, cx), (y, cy)))
    return np.argmin(dx * dx + dy * dy, axis=1)


def differing(result: Array, expected: Array) -> float:
    """The share of points that were given to another cluster: those as far from two as float32 can tell."""
    return float(np.mean(result != expected))


def plan(_: Host, x: Array, y: Array) -> Plan:
    step = Step("kmeans", (len(x),), ["x", "y", "cx", "cy", np.int32(CLUSTERS), "out"])
    return Plan({"x": x, "y": y, "cx": cx, "cy": cy}, {"out": ((len(x),), np.int64)}, [step], ["out"])


def arrays(xp: Any) -> Any:
    def some(x, y, mx, my):
        dx, dy = x[:, None] - mx, y[:, None] - my
        return xp.argmin(dx * dx + dy * dy, axis=1)

    def run(x, y):
        mx, my = xp.asarray(cx), xp.asarray(cy)
        chunk = CHUNK if xp is np else 4 << 20
        return xp.concatenate([some(x[i : i + chunk], y[i : i + chunk], mx, my) for i in range(0, len(x), chunk)])

    return run


def element(jit: Any) -> Any:
    """One point, for Numba on either device."""

    @jit
    def find(x, y, mx, my):
        best = 0
        least = INFINITY
        for k in range(CLUSTERS):
            dx = x - mx[k]
            dy = y - my[k]
            distance = dx * dx + dy * dy
            if distance < least:
                best = k
                least = distance
        return best

    return find


def numba(nb: Any) -> Any:
    find = element(nb.njit(fastmath=True))

    @nb.njit(parallel=True, fastmath=True)
    def run(x, y, mx, my):
        out = np.empty(len(x), np.int64)
        for i in nb.prange(len(x)):
            out[i] = find(x[i], y[i], mx, my)
        return out

    return lambda x, y: run(x, y, cx, cy)


def cuda(cu: Any) -> Any:
    find = element(cu.jit(device=True, fastmath=True))
    mx, my = cu.to_device(cx), cu.to_device(cy)

    @cu.jit(fastmath=True)
    def kernel(x, y, mx, my, out):
        i = cu.grid(1)
        if i < len(x):
            out[i] = find(x[i], y[i], mx, my)

    def run(x, y):
        out = cu.device_array(len(x), np.int64)
        kernel[(len(x) + 255) // 256, 256](x, y, mx, my, out)
        return out

    return run


PROGRAM = Program(
    "K-means assign",
    2 << 20,
    16 << 20,
    hetc.map(nearest),
    lambda size: floats(size, 2),
    reference,
    lambda host: NativeProgram(host, "kmeans", plan),
    Peers(arrays, numba, cuda),
    part=lambda found: found[:CHUNK],
    error=differing,
    tolerance=0.001,
)

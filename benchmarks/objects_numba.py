"""The programs with objects in Numba: on arrays of the objects' fields, for Numba takes no lists of dataclasses.

Each factory is given the module, and makes a function of the arrays that gives what NumPy's version gives.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from examples import nbody_objects, pagerank_objects


def kmeans(nb: Any) -> Any:
    """The number of each point's nearest cluster."""

    @nb.njit(parallel=True, fastmath=True)
    def run(x, y, cx, cy, found):
        found = np.empty_like(found)
        for i in nb.prange(len(x)):
            best, least = 0, np.inf
            for k in range(len(cx)):
                dx, dy = x[i] - cx[k], y[i] - cy[k]
                distance = dx * dx + dy * dy
                if distance < least:
                    best, least = k, distance
            found[i] = best
        return (found,)

    return run


def nbody(nb: Any) -> Any:
    """Positions and velocities after a step."""
    softening, step = nbody_objects.SOFTENING, nbody_objects.STEP

    @nb.njit(parallel=True, fastmath=True)
    def run(x, y, z, mass, vx, vy, vz):
        ux, uy, uz = np.empty_like(x), np.empty_like(x), np.empty_like(x)
        for i in nb.prange(len(x)):
            ax = ay = az = 0.0
            for k in range(len(x)):
                dx, dy, dz = x[k] - x[i], y[k] - y[i], z[k] - z[i]
                squared = dx * dx + dy * dy + dz * dz + softening
                factor = mass[k] / (squared * math.sqrt(squared))
                ax += dx * factor
                ay += dy * factor
                az += dz * factor
            ux[i], uy[i], uz[i] = vx[i] + ax * step, vy[i] + ay * step, vz[i] + az * step
        return x + ux * step, y + uy * step, z + uz * step, ux, uy, uz

    return run


def pagerank(nb: Any) -> Any:
    """The ranks after a round."""
    damping = pagerank_objects.DAMPING

    @nb.njit(parallel=True, fastmath=True)
    def run(first, last, source, rank, links, following):
        following = np.empty_like(following)
        for i in nb.prange(len(rank)):
            total = 0.0
            for k in range(first[i], last[i]):
                page = source[k]
                if links[page] > 0:
                    total += rank[page] / links[page]
            following[i] = (1 - damping) / len(rank) + damping * total
        return (following,)

    return run

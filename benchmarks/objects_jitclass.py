"""The programs with objects in Numba's own classes: lists of instances of `jitclass`, which have methods.

Each factory is given the module, and makes a function of the arrays of the objects' fields, which makes the lists and
gives what runs the program over them. A list of instances is one of references, as in Python.
"""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np

from examples import nbody_objects, pagerank_objects


def kmeans(nb: Any) -> Any:
    """The number of each point's nearest cluster."""
    jitclass = importlib.import_module("numba.experimental").jitclass

    @jitclass([("x", nb.float64), ("y", nb.float64)])
    class Point:
        def __init__(self, x, y):
            self.x = x
            self.y = y

        def squared_distance(self, other):
            dx, dy = self.x - other.x, self.y - other.y
            return dx * dx + dy * dy

    @nb.njit
    def make(x, y):
        return nb.typed.List([Point(x[i], y[i]) for i in range(len(x))])

    @nb.njit(parallel=True, fastmath=True)
    def nearest(points, centres):
        found = np.empty(len(points), np.int64)
        for i in nb.prange(len(points)):
            point, best, least = points[i], 0, np.inf
            for k in range(len(centres)):
                distance = point.squared_distance(centres[k])
                if distance < least:
                    best, least = k, distance
            found[i] = best
        return found

    def prepare(x, y, cx, cy, _):
        points, centres = make(x, y), make(cx, cy)
        return lambda: (nearest(points, centres),)

    return prepare


def nbody(nb: Any) -> Any:
    """Positions and velocities after a step."""
    jitclass = importlib.import_module("numba.experimental").jitclass
    softening, step = nbody_objects.SOFTENING, nbody_objects.STEP

    @jitclass([(name, nb.float64) for name in ("x", "y", "z", "mass", "vx", "vy", "vz")])
    class Body:
        def __init__(self, x, y, z, mass, vx, vy, vz):
            self.x, self.y, self.z, self.mass = x, y, z, mass
            self.vx, self.vy, self.vz = vx, vy, vz

        def pull(self, other):
            dx, dy, dz = other.x - self.x, other.y - self.y, other.z - self.z
            squared = dx * dx + dy * dy + dz * dz + softening
            factor = other.mass / (squared * math.sqrt(squared))
            return dx * factor, dy * factor, dz * factor

        def moved(self, ax, ay, az):
            vx, vy, vz = self.vx + ax * step, self.vy + ay * step, self.vz + az * step
            return self.x + vx * step, self.y + vy * step, self.z + vz * step, vx, vy, vz

    @nb.njit
    def make(x, y, z, mass, vx, vy, vz):
        return nb.typed.List([Body(x[i], y[i], z[i], mass[i], vx[i], vy[i], vz[i]) for i in range(len(x))])

    @nb.njit(parallel=True, fastmath=True)
    def moved(bodies):
        left = np.empty((len(bodies), 6))
        for i in nb.prange(len(bodies)):
            body = bodies[i]
            ax = ay = az = 0.0
            for k in range(len(bodies)):
                px, py, pz = body.pull(bodies[k])
                ax += px
                ay += py
                az += pz
            left[i] = body.moved(ax, ay, az)
        return left

    def prepare(*arrays):
        bodies = make(*arrays)
        return lambda: tuple(moved(bodies).T)

    return prepare


def pagerank(nb: Any) -> Any:
    """The ranks after a round."""
    jitclass = importlib.import_module("numba.experimental").jitclass
    damping = pagerank_objects.DAMPING

    @jitclass([("first", nb.int64), ("last", nb.int64), ("rank", nb.float64), ("links", nb.int64)])
    class Page:
        def __init__(self, first, last, rank, links):
            self.first, self.last, self.rank, self.links = first, last, rank, links

        def given(self):
            return self.rank / self.links if self.links else 0.0

    @nb.njit
    def make(first, last, rank, links):
        return nb.typed.List([Page(first[i], last[i], rank[i], links[i]) for i in range(len(first))])

    @nb.njit(parallel=True, fastmath=True)
    def ranks(pages, source):
        found = np.empty(len(pages))
        for i in nb.prange(len(pages)):
            total = 0.0
            for k in range(pages[i].first, pages[i].last):
                total += pages[source[k]].given()
            found[i] = (1 - damping) / len(pages) + damping * total
        return found

    def prepare(first, last, source, rank, links, _):
        pages = make(first, last, rank, links)
        return lambda: (ranks(pages, source),)

    return prepare

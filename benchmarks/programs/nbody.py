"""N-body, one step: the acceleration of every body by all, in float32."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import hetc
from benchmarks.native.host import Host
from benchmarks.native.plans import Plan, Step
from benchmarks.native.plans import Program as NativeProgram
from benchmarks.peers import Peers
from benchmarks.programs.program import Array, Program
from examples.nbody import random_bodies

SOFTENING = np.float32(0.01)
ZERO = np.float32(0)
ONE = np.float32(1)
CHECKED = 64
"""Bodies that the reference computes."""


@hetc.jit
def accelerate(px, py, pz, mass, ax, ay, az):
    """Set ax, ay, az to the accelerations."""
    for i in hetc.forall(len(px)):
        x, y, z = px[i], py[i], pz[i]
        sx = sy = sz = ZERO
        for j in range(len(px)):
            dx = px[j] - x
            dy = py[j] - y
            dz = pz[j] - z
            inverse = 1 / np.sqrt(dx * dx + dy * dy + dz * dz + SOFTENING)
            pull = mass[j] * inverse * inverse * inverse
            sx += pull * dx
            sy += pull * dy
            sz += pull * dz
        ax[i], ay[i], az[i] = sx, sy, sz


def function(*bodies: Array) -> tuple[Array, ...]:
    """The accelerations, as new arrays."""
    results = tuple(np.empty_like(bodies[0]) for _ in range(3))
    accelerate(*bodies, *results)
    return results


def reference(px: Array, py: Array, pz: Array, mass: Array) -> tuple[Array, ...]:
    """The accelerations of the first bodies in double precision."""
    px, py, pz, mass = (values.astype(np.float64) for values in (px, py, pz, mass))
    dx, dy, dz = (p - p[:CHECKED, None] for p in (px, py, pz))
    pull = mass * (dx * dx + dy * dy + dz * dz + float(SOFTENING)) ** -1.5
    return tuple((pull * d).sum(axis=1) for d in (dx, dy, dz))


def plan(host: Host, *bodies: Array) -> Plan:
    n = len(bodies[0])
    names = ("px", "py", "pz", "mass")
    made = dict.fromkeys(("ax", "ay", "az"), ((n,), np.float32))
    tiled = host.gpu and n % 256 == 0
    step = Step(
        "tiles" if tiled else "bodies", (n,), [*names, SOFTENING, np.int32(n), *made], (256,) if tiled else None
    )
    return Plan(dict(zip(names, bodies, strict=True)), made, [step], list(made))


def arrays(xp: Any) -> Any:
    def some(px, py, pz, mass, start):
        x, y, z = (p[start : start + 2048, None] for p in (px, py, pz))
        dx, dy, dz = px - x, py - y, pz - z
        inverse = 1 / xp.sqrt(dx * dx + dy * dy + dz * dz + SOFTENING)
        pull = mass * inverse * inverse * inverse
        return tuple((pull * d).sum(axis=1) for d in (dx, dy, dz))

    def run(px, py, pz, mass):
        # Some bodies at a time: the distances of all pairs are too many to keep.
        parts = [some(px, py, pz, mass, start) for start in range(0, len(px), 2048)]
        return tuple(xp.concatenate(column) for column in zip(*parts, strict=True))

    return run


def element(jit: Any) -> Any:
    """One body's acceleration, for Numba on either device."""

    @jit
    def acceleration(i, px, py, pz, mass):
        sx = sy = sz = ZERO
        for j in range(len(px)):
            dx = px[j] - px[i]
            dy = py[j] - py[i]
            dz = pz[j] - pz[i]
            inverse = ONE / math.sqrt(dx * dx + dy * dy + dz * dz + SOFTENING)
            pull = mass[j] * inverse * inverse * inverse
            sx += pull * dx
            sy += pull * dy
            sz += pull * dz
        return sx, sy, sz

    return acceleration


def numba(nb: Any) -> Any:
    acceleration = element(nb.njit(fastmath=True))

    @nb.njit(parallel=True, fastmath=True)
    def run(px, py, pz, mass):
        ax, ay, az = np.empty_like(px), np.empty_like(px), np.empty_like(px)
        for i in nb.prange(len(px)):
            ax[i], ay[i], az[i] = acceleration(i, px, py, pz, mass)
        return ax, ay, az

    return run


def cuda(cu: Any) -> Any:
    acceleration = element(cu.jit(device=True, fastmath=True))

    @cu.jit(fastmath=True)
    def kernel(px, py, pz, mass, ax, ay, az):
        i = cu.grid(1)
        if i < len(px):
            ax[i], ay[i], az[i] = acceleration(i, px, py, pz, mass)

    def run(px, py, pz, mass):
        results = tuple(cu.device_array(len(px), np.float32) for _ in range(3))
        kernel[(len(px) + 255) // 256, 256](px, py, pz, mass, *results)
        return results

    return run


PROGRAM = Program(
    "N-body",
    8192,
    64 << 10,
    function,
    random_bodies,
    reference,
    lambda host: NativeProgram(host, "nbody", plan),
    Peers(arrays, numba, cuda),
    part=lambda result: tuple(component[:CHECKED] for component in result),
    # Sums of some ten thousand terms of both signs, each rounded to float32.
    tolerance=1e-4,
)

"""All-pairs N-body: the acceleration of every body by the gravity of all.

The mapped function loops over captured arrays, the positions and masses of the bodies; hetc reads them afresh at each
call, so a simulation may move the bodies between calls. Softening keeps a body from pulling on itself without bound.

Source: Nyland, Harris and Prins, "Fast N-Body Simulation with CUDA", GPU Gems 3, 2007, equation 3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import hetc

BODIES = 8192
SOFTENING = 0.01
ZERO = np.float32(0)


def random_bodies(count: int, seed: int = 0) -> tuple[NDArray[np.float32], ...]:
    """Positions (x, y, z) and masses of `count` bodies about the origin."""
    generator = np.random.default_rng(seed)
    px, py, pz = generator.standard_normal((3, count), dtype=np.float32)
    mass = generator.random(count, dtype=np.float32)
    return px, py, pz, mass


px, py, pz, mass = random_bodies(BODIES)


def acceleration(x, y, z):
    """The acceleration at a place (x, y, z) by all bodies."""
    ax = ay = az = ZERO
    for j in range(len(px)):
        dx = px[j] - x
        dy = py[j] - y
        dz = pz[j] - z
        inverse = 1 / np.sqrt(dx * dx + dy * dy + dz * dz + SOFTENING)
        pull = mass[j] * inverse * inverse * inverse
        ax += pull * dx
        ay += pull * dy
        az += pull * dz
    return ax, ay, az


nbody = hetc.map(acceleration)


def sample(size: int) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """The positions of the first `size` bodies."""
    return px[:size], py[:size], pz[:size]


def reference(
    x: NDArray[np.float32], y: NDArray[np.float32], z: NDArray[np.float32], dtype: type[np.floating] = np.float64
) -> tuple[NDArray[np.floating], ...]:
    """The same by NumPy, in double precision unless another `dtype` is given.

    It takes some bodies at a time: the distances of all pairs would not fit a processor's cache.
    """
    bx, by, bz, weight = (values.astype(dtype) for values in (px, py, pz, mass))
    result = np.empty((3, len(x)), dtype)
    for start in range(0, len(x), 16):
        some = slice(start, start + 16)
        dx, dy, dz = (b - p[some, None].astype(dtype) for b, p in ((bx, x), (by, y), (bz, z)))
        inverse = 1 / np.sqrt(dx * dx + dy * dy + dz * dz + SOFTENING)
        pull = weight * inverse * inverse * inverse
        result[0, some], result[1, some], result[2, some] = ((pull * d).sum(axis=1) for d in (dx, dy, dz))
    return tuple(result)


def main() -> None:
    """Print the acceleration of a few bodies."""
    ax, ay, az = nbody(px, py, pz)
    for i in range(5):
        print(f"body {i}: {ax[i]: .3f} {ay[i]: .3f} {az[i]: .3f}")


if __name__ == "__main__":
    main()

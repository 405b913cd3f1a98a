"""Parallel loops in ordinary functions: an array changed in place, a picture drawn point by point, a sum.

Under ``hetc.jit`` the functions stay what they are: Python runs them, line by line, and hands the loops over
``hetc.forall`` to the device. Without the decorator they give the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import hetc

WIDTH = 512
HEIGHT = 384
ITERATIONS = 200


@hetc.jit
def saxpy(a, x, y):
    """Add a * x to y, in place."""
    for i in hetc.forall(len(x)):
        y[i] = a * x[i] + y[i]


@hetc.jit
def mandelbrot(image):
    """Draw the Mandelbrot set into an image: the number of steps that each point takes to escape."""
    height, width = image.shape
    for i, j in hetc.forall(height, width):
        x = -2.25 + 3.0 * j / width
        y = -1.5 + 3.0 * i / height
        zr = zi = 0.0
        n = 0
        while n < ITERATIONS and zr * zr + zi * zi <= 4.0:
            zr, zi = zr * zr - zi * zi + x, 2.0 * zr * zi + y
            n += 1
        image[i, j] = n


@hetc.jit
def energy(mass, vx, vy):
    """The kinetic energy of some bodies, and the speed of the fastest."""
    total = 0.0
    fastest = 0.0
    for i in hetc.forall(len(mass)):
        square = vx[i] * vx[i] + vy[i] * vy[i]
        total += 0.5 * mass[i] * square
        fastest = max(fastest, square)
    return total, fastest**0.5


def sample(size: int, seed: int = 0) -> tuple[NDArray[np.float64], ...]:
    """Masses and speeds of some bodies."""
    generator = np.random.default_rng(seed)
    return generator.random(size), generator.standard_normal(size), generator.standard_normal(size)


def main() -> None:
    """Run all three."""
    x, y = np.arange(1_000_000, dtype=np.float32), np.ones(1_000_000, np.float32)
    saxpy(np.float32(2.5), x, y)
    print("saxpy:     ", y)
    image = np.zeros((HEIGHT, WIDTH), np.int32)
    mandelbrot(image)
    print("mandelbrot:", image.min(), "to", image.max(), "steps")
    print("energy:    ", *energy(*sample(1_000_000)))


if __name__ == "__main__":
    main()

"""The Mandelbrot set: how many steps each point of the plane takes to leave a disk."""

from __future__ import annotations

import numpy as np

import hetc

STEPS = 200


@hetc.jit
def escape(image):
    """Write the number of steps into each point of an image."""
    height, width = image.shape
    for i, j in hetc.forall(height, width):
        x, y = -2.25 + 3.0 * j / width, -1.25 + 2.5 * i / height
        zr = zi = 0.0
        steps = 0
        while steps < STEPS and zr * zr + zi * zi <= 4.0:
            zr, zi = zr * zr - zi * zi + x, 2.0 * zr * zi + y
            steps += 1
        image[i, j] = steps


def compute(size):
    image = np.zeros((5 * size, 6 * size), np.int32)
    escape(image)
    return image


def plain(size):
    """The same by NumPy: all points at once, a step at a time."""
    i, j = np.indices((5 * size, 6 * size))
    x, y = -2.25 + 3.0 * j / (6 * size), -1.25 + 2.5 * i / (5 * size)
    zr, zi, image = np.zeros_like(x), np.zeros_like(x), np.zeros(x.shape, np.int32)
    for _ in range(STEPS):
        inside = zr * zr + zi * zi <= 4.0
        image[inside] += 1
        zr, zi = np.where(inside, zr * zr - zi * zi + x, zr), np.where(inside, 2.0 * zr * zi + y, zi)
    return image


def picture(figure, image):
    axes = figure.add_axes((0, 0, 1, 1))
    axes.axis("off")
    axes.imshow(np.log1p(image), cmap="twilight_shifted", aspect="auto")

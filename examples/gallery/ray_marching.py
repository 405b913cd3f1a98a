"""Ray marching: a ray goes on as far as the nearest surface is away, until it is there.

Source: Hart, "Sphere Tracing", The Visual Computer 12, 1996, section 2.
"""

from __future__ import annotations

import math

import numpy as np

import hetc


def distance(x, y, z):
    """How far a place is from a torus that stands on the ground, with a ball in it."""
    ring = math.sqrt(x * x + y * y) - 1.0
    torus = math.sqrt(ring * ring + z * z) - 0.35
    ball = math.sqrt(x * x + y * y + z * z) - 0.45
    return min(torus, ball, y + 1.35)


def brightness(number):
    """The light that comes from a point of the image, which is as wide as it is high."""
    dx, dy = 1.6 * (number % SIZE / SIZE - 0.5), 1.6 * (0.5 - number // SIZE / SIZE)
    norm = math.sqrt(dx * dx + dy * dy + 1.0)
    way = near = x = y = z = 0.0
    for _ in range(80):
        x, y, z = way * dx / norm, 0.3 + way * dy / norm, way / norm - 3.0
        near = distance(x, y, z)
        way += near
        if near < 1e-4 or way > 20.0:
            break
    if way > 20.0:
        return 0.0
    lit = distance(x + 0.05, y + 0.08, z - 0.05) - near  # the surface looks to the light if that is far from it
    return max(0.1, min(1.0, lit / 0.11)) / (1.0 + 0.02 * way * way)


SIZE = 320


def compute(size):
    global SIZE
    SIZE = size
    return np.array(hetc.map(brightness)(range(size * size))).reshape(size, size)


def plain(size):
    """The same by Python, a point at a time."""
    global SIZE
    SIZE = size
    return np.array([brightness(number) for number in range(size * size)]).reshape(size, size)


def picture(figure, image):
    axes = figure.add_axes((0, 0, 1, 1))
    axes.axis("off")
    axes.imshow(image, cmap="bone", aspect="auto")

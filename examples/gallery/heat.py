"""The heat equation: a hot letter in a cold plate, after more and more steps."""

from __future__ import annotations

import itertools

import numpy as np

import hetc

STEPS = (0, 20, 100, 400)


def diffuse(w):
    """The next temperature of a point: it moves towards the mean of its neighbours."""
    return w[0, 0] + 0.2 * (w[-1, 0] + w[1, 0] + w[0, -1] + w[0, 1] - 4.0 * w[0, 0])


step = hetc.stencil(diffuse, radius=1, boundary="clamp")


def compute(size):
    plates = [plate(size)]
    for before, after in itertools.pairwise(STEPS):
        plates.append(hetc.iterate(step, times=after - before)(plates[-1]))
    return np.array(plates)


def plate(size):
    """A cold plate with a hot H in it."""
    letter = np.zeros((size, size))
    letter[size // 4 : -size // 4, size // 4 : size // 3] = letter[size // 4 : -size // 4, -size // 3 : -size // 4] = (
        1.0
    )
    letter[size // 2 - size // 16 : size // 2 + size // 16, size // 4 : -size // 4] = 1.0
    return letter


def plain(size):
    """The same by NumPy, on arrays with a margin."""
    plates = [plate(size)]
    for before, after in itertools.pairwise(STEPS):
        now = plates[-1]
        for _ in range(after - before):
            w = np.pad(now, 1, "edge")
            now = now + 0.2 * (w[:-2, 1:-1] + w[2:, 1:-1] + w[1:-1, :-2] + w[1:-1, 2:] - 4.0 * now)
        plates.append(now)
    return np.array(plates)


def picture(figure, plates):
    for axes, now, steps in zip(figure.subplots(1, len(STEPS)), plates, STEPS, strict=True):
        axes.set(xticks=[], yticks=[], title=f"{steps} steps")
        axes.imshow(now, cmap="inferno", vmin=0, vmax=1)

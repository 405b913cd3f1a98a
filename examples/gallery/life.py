"""Conway's Game of Life: the age of each cell of a random world, after many generations."""

from __future__ import annotations

import numpy as np

import hetc

GENERATIONS = 100


def rule(w):
    """The age of a cell in the next generation; 0 if it is dead."""
    neighbours = 0
    for i in range(-1, 2):
        for j in range(-1, 2):
            if w[i, j] > 0:
                neighbours += 1
    alive = neighbours == 3 or (neighbours == 4 and w[0, 0] > 0)
    return w[0, 0] + np.int32(1) if alive else np.int32(0)


generation = hetc.stencil(rule, radius=1, boundary="wrap")


def compute(size):
    return hetc.iterate(generation, times=GENERATIONS)(world(size))


def world(size):
    """Cells at random."""
    return (np.random.default_rng(5).random((size, size)) < 0.3).astype(np.int32)


def plain(size):
    """The same by NumPy: the neighbours are the world, moved."""
    ages = world(size)
    for _ in range(GENERATIONS):
        alive = ages > 0
        neighbours = sum(np.roll(alive, (i, j), (0, 1)).astype(int) for i in (-1, 0, 1) for j in (-1, 0, 1))
        ages = np.where((neighbours == 3) | ((neighbours == 4) & alive), ages + np.int32(1), np.int32(0))
    return ages


def picture(figure, ages):
    axes = figure.add_axes((0, 0, 1, 1))
    axes.axis("off")
    axes.imshow(np.log1p(ages), cmap="magma", aspect="auto")

"""Conway's Game of Life on a torus."""

from __future__ import annotations

from typing import Any

import numpy as np

import hetc


def rule(w: Any) -> Any:
    """A cell lives with three neighbours, or with two if it lived before."""
    alive = 0
    for i in range(-1, 2):
        for j in range(-1, 2):
            alive += w[i, j]
    return np.uint8(alive == 3 or (alive == 4 and w[0, 0] == 1))


generation = hetc.stencil(rule, radius=1, boundary="wrap")


def glider(size: int) -> Any:
    """A world with a glider, which moves by one cell along both axes in four generations."""
    world = np.zeros((size, size), np.uint8)
    world[:3, :3] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
    return world


if __name__ == "__main__":
    world = hetc.iterate(generation, times=16)(glider(12))
    print("\n".join("".join(".#"[cell] for cell in row) for row in world))

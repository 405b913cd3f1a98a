"""The heat equation on a plate: each point moves towards the mean of its neighbours, until nothing changes much."""

from __future__ import annotations

from typing import Any

import numpy as np

import hetc

RATE = 0.2


def step(w: Any) -> Any:
    """The next temperature of a point; nothing leaves the plate at its edges."""
    return w[0, 0] + RATE * (w[-1, 0] + w[1, 0] + w[0, -1] + w[0, 1] - 4 * w[0, 0])


diffuse = hetc.stencil(step, radius=1, boundary="clamp")
some_rounds = hetc.iterate(diffuse, times=20)
settle = hetc.iterate(diffuse, until=lambda new, old: abs(new - old).max() < 1e-3)


def plate(size: int) -> Any:
    """A cold plate with a hot square in it."""
    temperatures = np.zeros((size, size))
    temperatures[size // 4 : size // 2, size // 4 : size // 2] = 100.0
    return temperatures


if __name__ == "__main__":
    start = plate(64)
    end = some_rounds(start)
    print(f"the heat is the same, {start.sum():.0f} and {end.sum():.0f}; the hottest point has {end.max():.1f} degrees")
    print(f"in the end all points have {settle(plate(8)).mean():.1f} degrees")

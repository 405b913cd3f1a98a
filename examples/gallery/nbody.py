"""N-body: two clusters of stars fall through each other. A frame is drawn every few steps.

Source: Nyland, Harris and Prins, "Fast N-Body Simulation with CUDA", GPU Gems 3, 2007, equation 3.
"""

from __future__ import annotations

import numpy as np

import hetc

FRAMES, STEPS, DT, SOFTENING = 4, 12, 0.02, 0.05


@hetc.jit
def simulate(x, y, vx, vy, steps):
    """Move the stars, in place."""
    for _ in range(steps):
        for i in hetc.forall(len(x)):
            ax = ay = 0.0
            for j in range(len(x)):
                dx, dy = x[j] - x[i], y[j] - y[i]
                pull = 1.0 / (dx * dx + dy * dy + SOFTENING) ** 1.5
                ax += pull * dx
                ay += pull * dy
            vx[i] += DT * ax / len(x)
            vy[i] += DT * ay / len(x)
        for i in hetc.forall(len(x)):
            x[i] += DT * 5 * vx[i]
            y[i] += DT * 5 * vy[i]


def stars(size):
    """Places and speeds of two clusters."""
    x, y = np.random.default_rng(1).normal(0, 0.3, (2, size))
    side = np.where(np.arange(size) % 3 == 0, 1.2, -0.6)
    return x + side, y + 0.3 * side, -0.3 * side, 0.1 * side


def compute(size):
    x, y, vx, vy = stars(size)
    frames = []
    for _ in range(FRAMES):
        frames.append((x.copy(), y.copy()))
        simulate(x, y, vx, vy, STEPS)
    return np.array(frames)


def plain(size):
    """The same by NumPy: all pairs as matrices."""
    x, y, vx, vy = stars(size)
    frames = []
    for _ in range(FRAMES):
        frames.append((x, y))
        for _ in range(STEPS):
            dx, dy = x - x[:, None], y - y[:, None]
            pull = 1.0 / (dx * dx + dy * dy + SOFTENING) ** 1.5
            vx, vy = vx + DT * (pull * dx).sum(1) / size, vy + DT * (pull * dy).sum(1) / size
            x, y = x + DT * 5 * vx, y + DT * 5 * vy
    return np.array(frames)


def picture(figure, frames):
    for number, (axes, (x, y)) in enumerate(zip(figure.subplots(1, FRAMES), frames, strict=True)):
        axes.set(xlim=(-2, 2), ylim=(-2, 2), xticks=[], yticks=[], aspect="equal", title=f"step {number * STEPS}")
        axes.scatter(x, y, s=1, c=np.arange(len(x)) % 3 == 0, cmap="coolwarm")

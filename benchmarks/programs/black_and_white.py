"""A black-and-white filter: the luminance of a picture from its red, green and blue."""

from __future__ import annotations

from typing import Any

import numpy as np

import hetc
from benchmarks.peers import Peers
from benchmarks.programs.program import Array, Program, elementwise

RED, GREEN, BLUE = np.float32(0.299), np.float32(0.587), np.float32(0.114)


def luminance(r, g, b):
    """The luminance of a pixel, by ITU-R BT.601."""
    return RED * r + GREEN * g + BLUE * b


def sample(size: int) -> tuple[Array, ...]:
    """Three planes of bytes."""
    planes = np.random.default_rng(0).integers(0, 256, (3, size), dtype=np.uint8)
    return planes[0], planes[1], planes[2]


def reference(r: Array, g: Array, b: Array) -> Array:
    """The same in double precision."""
    return 0.299 * r + 0.587 * g + 0.114 * b


def arrays(_: Any) -> Any:
    return luminance


def numba(nb: Any) -> Any:
    @nb.njit(parallel=True, fastmath=True)
    def run(r, g, b):
        out = np.empty(len(r), np.float32)
        for i in nb.prange(len(r)):
            out[i] = RED * np.float32(r[i]) + GREEN * np.float32(g[i]) + BLUE * np.float32(b[i])
        return out

    return run


def cuda(cu: Any) -> Any:
    @cu.jit(fastmath=True)
    def kernel(r, g, b, out):
        i = cu.grid(1)
        if i < len(r):
            out[i] = RED * np.float32(r[i]) + GREEN * np.float32(g[i]) + BLUE * np.float32(b[i])

    def run(r, g, b):
        out = cu.device_array(len(r), np.float32)
        kernel[(len(r) + 255) // 256, 256](r, g, b, out)
        return out

    return run


PROGRAM = Program(
    "black-and-white filter",
    4096 * 4096,
    8192 * 8192,
    hetc.map(luminance),
    sample,
    reference,
    elementwise("black_and_white"),
    Peers(arrays, numba, cuda),
)

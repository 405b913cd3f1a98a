"""The programs that are measured: for each, hetc's side, the hand-written side, and the data and check they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.native.host import Host
from benchmarks.native.kernels import DotProduct, ElementKernel, NativeProgram, Picture
from examples import black_scholes, dot, mandelbrot, nbody, saxpy


def largest_error(result: Any, expected: Any) -> float:
    """The largest error of any component, relative to the component's largest value."""

    def components(value: Any) -> list[np.ndarray]:
        return [np.atleast_1d(np.asarray(part)) for part in (value if isinstance(value, tuple) else (value,))]

    pairs = zip(components(result), components(expected), strict=True)
    return max(float(np.abs(a.astype(np.float64) - b).max() / np.abs(b).max()) for a, b in pairs)


def differing_points(result: Any, expected: Any) -> float:
    """The share of points that differ."""
    return float(np.mean(np.asarray(result) != np.asarray(expected)))


@dataclass(frozen=True)
class Program:
    """One program of the comparison.

    `sample(size)` are hetc's inputs; `native_inputs` makes them into the hand-written program's. `error(result,
    reference)` is a number that has to be at most `tolerance` on both sides.
    """

    name: str
    size: int
    function: Callable[..., Any]
    sample: Callable[[int], tuple[Any, ...]]
    reference: Callable[..., Any]
    native: Callable[[Host], NativeProgram]
    native_inputs: Callable[..., tuple[Any, ...]] = lambda *inputs: inputs
    error: Callable[[Any, Any], float] = largest_error
    tolerance: float = 1e-5


PROGRAMS = (
    Program("saxpy", 16 << 20, saxpy.saxpy, saxpy.sample, saxpy.reference, lambda host: ElementKernel(host, "saxpy")),
    Program("dot", 16 << 20, dot.dot, dot.sample, dot.reference, DotProduct),
    Program(
        "black-scholes",
        4 << 20,
        black_scholes.black_scholes,
        black_scholes.sample,
        black_scholes.reference,
        lambda host: ElementKernel(
            host,
            "black_scholes",
            numbers=(np.float32(black_scholes.RATE), np.float32(black_scholes.VOLATILITY)),
            outputs=2,
        ),
    ),
    Program(
        "mandelbrot",
        mandelbrot.WIDTH * mandelbrot.HEIGHT,
        mandelbrot.mandelbrot,
        lambda size: (range(size),),
        mandelbrot.reference,
        lambda host: Picture(
            host,
            columns=mandelbrot.WIDTH,
            numbers=(
                mandelbrot.LEFT,
                mandelbrot.BOTTOM,
                mandelbrot.COLUMN_STEP,
                mandelbrot.ROW_STEP,
                np.int32(mandelbrot.ITERATIONS),
            ),
        ),
        error=differing_points,
        # The reference is in double precision, where points at the border of the set take another number of steps.
        tolerance=0.005,
    ),
    Program(
        "nbody",
        nbody.BODIES,
        nbody.nbody,
        nbody.sample,
        nbody.reference,
        lambda host: ElementKernel(
            host, "nbody", numbers=(np.float32(nbody.SOFTENING), np.int32(nbody.BODIES)), outputs=3
        ),
        native_inputs=lambda x, y, z: (x, y, z, nbody.px, nbody.py, nbody.pz, nbody.mass),
    ),
)
"""Smallest work per element first."""

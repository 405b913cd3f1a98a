"""The discrete Fourier transform by its definition, of a real signal whose length is a power of two."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import hetc
from benchmarks.native.host import Host
from benchmarks.native.plans import Plan, Step
from benchmarks.native.plans import Program as NativeProgram
from benchmarks.peers import Peers
from benchmarks.programs.program import Array, Program, floats

ZERO = np.float32(0)


@hetc.jit
def transform(signal, real, imaginary, step):
    """Set `real` and `imaginary` to the transform. The angle is reduced to one turn while it is an integer."""
    n = len(signal)
    for k in hetc.forall(n):
        a = b = ZERO
        for t in range(n):
            angle = step * ((k * t) & (n - 1))
            a += signal[t] * np.cos(angle)
            b -= signal[t] * np.sin(angle)
        real[k], imaginary[k] = a, b


def turn(n: int) -> np.float32:
    """The angle between neighbouring points of the circle."""
    return np.float32(2 * np.pi / n)


def function(signal: Array) -> tuple[Array, Array]:
    """The real and the imaginary parts, as new arrays."""
    real, imaginary = np.empty_like(signal), np.empty_like(signal)
    transform(signal, real, imaginary, turn(len(signal)))
    return real, imaginary


def reference(signal: Array) -> tuple[Array, Array]:
    """The same in double precision."""
    result = np.fft.fft(signal.astype(np.float64))
    return result.real, result.imag


def plan(_: Host, signal: Array) -> Plan:
    n = len(signal)
    step = Step("dft", (n,), ["signal", np.uint32(n), turn(n), "real", "imaginary"])
    return Plan(
        {"signal": signal}, dict.fromkeys(("real", "imaginary"), ((n,), np.float32)), [step], ["real", "imaginary"]
    )


def arrays(xp: Any) -> Any:
    def run(signal):
        n = len(signal)
        t = xp.arange(n)
        rows = min(n, 256)
        parts = []
        for start in range(0, n, rows):
            angle = turn(n) * ((xp.arange(start, start + rows)[:, None] * t) & (n - 1)).astype(xp.float32)
            parts.append((xp.cos(angle) @ signal, -(xp.sin(angle) @ signal)))
        return tuple(xp.concatenate(column) for column in zip(*parts, strict=True))

    return run


def jax(jx: Any) -> Any:
    xp = jx.numpy

    def run(signal):
        n = len(signal)
        t = xp.arange(n)

        def row(k):
            angle = turn(n) * ((k * t) & (n - 1)).astype(np.float32)
            return (xp.cos(angle) * signal).sum(), -(xp.sin(angle) * signal).sum()

        return jx.lax.map(row, xp.arange(n), batch_size=256)

    return run


def element(jit: Any) -> Any:
    """One coefficient, for Numba on either device."""

    @jit
    def coefficient(k, signal, step):
        n = len(signal)
        a = b = ZERO
        for t in range(n):
            angle = step * np.float32((k * t) & (n - 1))
            a += signal[t] * math.cos(angle)
            b -= signal[t] * math.sin(angle)
        return a, b

    return coefficient


def numba(nb: Any) -> Any:
    coefficient = element(nb.njit(fastmath=True))

    @nb.njit(parallel=True, fastmath=True)
    def run(signal, step):
        real, imaginary = np.empty_like(signal), np.empty_like(signal)
        for k in nb.prange(len(signal)):
            real[k], imaginary[k] = coefficient(k, signal, step)
        return real, imaginary

    return lambda signal: run(signal, turn(len(signal)))


def cuda(cu: Any) -> Any:
    coefficient = element(cu.jit(device=True, fastmath=True))

    @cu.jit(fastmath=True)
    def kernel(signal, step, real, imaginary):
        k = cu.grid(1)
        if k < len(signal):
            real[k], imaginary[k] = coefficient(k, signal, step)

    def run(signal):
        n = len(signal)
        real, imaginary = cu.device_array(n, np.float32), cu.device_array(n, np.float32)
        kernel[(n + 127) // 128, 128](signal, turn(n), real, imaginary)
        return real, imaginary

    return run


PROGRAM = Program(
    "DFT",
    8192,
    32 << 10,
    function,
    lambda size: floats(size, 1),
    reference,
    lambda host: NativeProgram(host, "dft", plan),
    Peers(arrays, numba, cuda, jax),
    # Angles of 24 bits, and sums of some ten thousand terms in which all but a coefficient cancels; under fastmath
    # sines of less precision.
    tolerance=1e-2,
)

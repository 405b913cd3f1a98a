"""The programs that are measured, a file each."""

from __future__ import annotations

import hetc
from benchmarks.programs import (
    black_and_white,
    black_scholes,
    compaction,
    daxpy,
    dft,
    dot,
    hilbert,
    histogram,
    kmeans,
    mandelbrot,
    matrix_product,
    monte_carlo,
    nbody,
    pagerank,
    prefix_sum,
    saxpy,
    spectral_norm,
    stencil,
)
from benchmarks.programs.program import Program, differing_points, largest_error

__all__ = ["ARRAY_PROGRAMS", "PROGRAMS", "Program", "differing_points", "largest_error"]

PROGRAMS: tuple[Program, ...] = (
    saxpy.PROGRAM,
    daxpy.PROGRAM,
    dot.PROGRAM,
    black_scholes.PROGRAM,
    nbody.PROGRAM,
    monte_carlo.PROGRAM,
    kmeans.PROGRAM,
    dft.PROGRAM,
    mandelbrot.PROGRAM,
    hilbert.PROGRAM,
    spectral_norm.PROGRAM,
    spectral_norm.IN_ORDER,
    pagerank.PROGRAM,
    black_and_white.PROGRAM,
    stencil.PROGRAM,
    prefix_sum.PROGRAM,
    matrix_product.PROGRAM,
    histogram.PROGRAM,
    compaction.PROGRAM,
)

ARRAY_PROGRAMS = tuple(program for program in PROGRAMS if isinstance(program.function, hetc.ArrayFunction))
"""Those that are one array function, which the compiler can be asked for without a call."""

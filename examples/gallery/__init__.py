"""Twelve short programs with pictures.

Each module has the program as a user writes it; `compute(size)` runs it, `plain(size)` does the same without hetc, and
`picture(figure, result)` draws what it computes. ``python -m examples.gallery`` makes all pictures.
"""

GALLERY = {
    "mandelbrot": (9, 200),
    "nbody": (30, 3000),
    "kmeans": (500, 20_000),
    "heat": (24, 200),
    "options": (9, 60),
    "filters": (40, 600),
    "life": (20, 120),
    "monte_carlo": (40, 100_000),
    "pagerank": (30, 77),
    "ray_marching": (16, 480),
    "epidemics": (7, 100),
    "molecule": (12, 60),
}
"""The programs, each with a size for tests and one for its picture."""

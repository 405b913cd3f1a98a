"""The Mandelbrot set: how many steps each point of a picture takes to escape.

The input is a `range`, which is never stored: the device computes each index. The picture's frame is a handful of
captured NumPy float32 numbers, so that the loop computes in float32 (literals such as ``2`` and ``4`` adapt to it);
with plain Python floats there it would compute in double, as Python would.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import hetc

WIDTH = 1024
HEIGHT = 1024
ITERATIONS = 500

LEFT = np.float32(-2.25)
BOTTOM = np.float32(-1.5)
COLUMN_STEP = np.float32(3 / WIDTH)
ROW_STEP = np.float32(3 / HEIGHT)


def escape_time(index):
    """The number of steps, at most ITERATIONS, for which the point stays within a distance of 2."""
    x = LEFT + COLUMN_STEP * (index % WIDTH)
    y = BOTTOM + ROW_STEP * (index // WIDTH)
    zr = x
    zi = y
    n = 0
    while n < ITERATIONS and zr * zr + zi * zi <= 4:
        zr, zi = zr * zr - zi * zi + x, 2 * zr * zi + y
        n += 1
    return n


mandelbrot = hetc.map(escape_time)


def sample(size: int) -> tuple[range]:
    """The indices of `size` points spread over the picture; all of them for ``size = WIDTH * HEIGHT``.

    The step is odd, so that the points do not all lie in a few columns.
    """
    step = max(1, WIDTH * HEIGHT // size - 1) | 1
    return (range(0, size * step, step),)


def reference(indices: range, dtype: type[np.floating] = np.float64) -> NDArray[np.int64]:
    """The same by NumPy, in double precision unless another `dtype` is given.

    Points near the set's border escape at another step in another precision: one rounding, doubled some hundred times,
    decides. In float32 the result is the array function's, bit for bit.
    """
    index = np.arange(indices.start, indices.stop, indices.step)
    x = LEFT.astype(dtype) + COLUMN_STEP.astype(dtype) * (index % WIDTH).astype(dtype)
    y = BOTTOM.astype(dtype) + ROW_STEP.astype(dtype) * (index // WIDTH).astype(dtype)
    steps = np.full(len(index), ITERATIONS)
    inside = np.arange(len(index))
    zr, zi = x, y
    for n in range(ITERATIONS):
        stays = zr * zr + zi * zi <= 4
        if not stays.all():
            steps[inside[~stays]] = n
            inside, x, y, zr, zi = (values[stays] for values in (inside, x, y, zr, zi))
        zr, zi = zr * zr - zi * zi + x, 2 * zr * zi + y
    return steps


def main() -> None:
    """Draw the set in letters."""
    columns, rows = 64, 24
    picked = [
        (row * HEIGHT // rows) * WIDTH + column * WIDTH // columns for row in range(rows) for column in range(columns)
    ]
    steps = mandelbrot(picked)
    for row in range(rows):
        line = steps[row * columns : (row + 1) * columns]
        print("".join(" .:-=+*%@#"[min(9, n // 3)] for n in line))


if __name__ == "__main__":
    main()

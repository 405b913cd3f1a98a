"""saxpy, ``2.5 * x + y``: the smallest program there is.

The lambda is ordinary Python. It is compiled when `saxpy` is first called, for the types of that call; another dtype or
another container is compiled in its turn, and gives what Python gives on it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import hetc

saxpy = hetc.map(lambda a, b: 2.5 * a + b)


def sample(size: int, seed: int = 0) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Two arrays of `size` numbers between 0 and 1."""
    generator = np.random.default_rng(seed)
    return generator.random(size, dtype=np.float32), generator.random(size, dtype=np.float32)


def reference(x: NDArray[np.float32], y: NDArray[np.float32]) -> NDArray[np.float64]:
    """The same in double precision."""
    return 2.5 * x.astype(np.float64) + y


def main() -> None:
    """Run it on an array, a list and a range."""
    x, y = sample(1_000_000)
    print("arrays:", saxpy(x, y))
    print("lists: ", saxpy([1.0, 2.0, 3.0], [10.0, 20.0, 30.0]))
    print("ranges:", saxpy(range(5), range(5)))


if __name__ == "__main__":
    main()

"""The dot product: a map, and a reduction of what it gives.

The two are one array function; hetc fuses them, so the products are never stored. A reduction may group its terms in
any way but keeps their order, so its operator has to be associative and need not be commutative.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import hetc

dot = hetc.map(lambda a, b: a * b).reduce(lambda p, q: p + q, 0.0)


def sample(size: int, seed: int = 0) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Two arrays of `size` numbers between 0 and 1."""
    generator = np.random.default_rng(seed)
    return generator.random(size, dtype=np.float32), generator.random(size, dtype=np.float32)


def reference(x: NDArray[np.float32], y: NDArray[np.float32]) -> np.float64:
    """The same in double precision."""
    return np.dot(x.astype(np.float64), y.astype(np.float64))


def main() -> None:
    """Run it once and print both results."""
    x, y = sample(1_000_000)
    print("hetc:            ", dot(x, y))
    print("double precision:", reference(x, y))


if __name__ == "__main__":
    main()

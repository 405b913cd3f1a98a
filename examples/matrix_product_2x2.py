"""A product of 2x2 matrices: a reduction whose operator is associative but not commutative.

A ray of light through a train of thin lenses is a product of 2x2 matrices, one a lens, and their order matters. A
matrix is a tuple of four numbers. hetc computes the product as a tree on the device and keeps the order of the terms.
The inputs are lists, so that the elements are Python's own floats: a focal length of zero raises ZeroDivisionError.

Source: Hecht, "Optics", section 6.2, ray-transfer matrices.
"""

from __future__ import annotations

import functools

import numpy as np

import hetc

IDENTITY = (1.0, 0.0, 0.0, 1.0)


def lens(distance, focal_length):
    """The matrix of a way of length `distance` and then a lens."""
    return 1.0, distance, -1 / focal_length, 1 - distance / focal_length


def then(p, q):
    """The matrix of `p` and then `q`: their product, the later on the left."""
    a, b, c, d = p
    e, f, g, h = q
    return e * a + f * c, e * b + f * d, g * a + h * c, g * b + h * d


matrix_product = hetc.map(lens).reduce(then, IDENTITY)


def sample(size: int, seed: int = 0) -> tuple[list[float], list[float]]:
    """Distances and focal lengths of `size` lenses that keep a ray near the axis."""
    generator = np.random.default_rng(seed)
    return generator.uniform(0.9, 1.1, size).tolist(), generator.uniform(1.9, 2.1, size).tolist()


def reference(distance: list[float], focal_length: list[float]) -> tuple[float, ...]:
    """The same by NumPy's matrix product, one after the other."""
    lenses = (np.array([[1.0, s], [-1 / f, 1 - s / f]]) for s, f in zip(distance, focal_length, strict=True))
    product = functools.reduce(lambda p, q: q @ p, lenses, np.eye(2))
    return tuple(float(value) for value in product.ravel())


def main() -> None:
    """Print the matrix of a long train of lenses, and the reference."""
    distance, focal_length = sample(10_007)
    print("hetc:     ", *(f"{value:12.9f}" for value in matrix_product(distance, focal_length)))
    print("reference:", *(f"{value:12.9f}" for value in reference(distance, focal_length)))


if __name__ == "__main__":
    main()

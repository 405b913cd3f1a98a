"""NumPy statements on arrays of four and more dimensions, on a device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hetc.runtime.devices import Device
from tests.device.test_array_code import check, check_source, numbers

SHAPES = [(2, 3, 4, 5), (1, 3, 1, 7), (2, 1, 3, 1, 2), (7, 1, 1, 1), (2, 2, 2, 2, 2)]


def softmax(x: Any) -> Any:
    largest = np.max(x, axis=-1, keepdims=True)
    e = np.exp(x - largest)
    return e / np.sum(e, axis=-1, keepdims=True)


@pytest.mark.parametrize("shape", SHAPES)
def test_softmax(device: Device, shape: tuple[int, ...]) -> None:
    check(device, softmax, numbers(*shape), launches=None, rtol=1e-14)
    check(device, softmax, numbers(*shape[::-1]).T, launches=None, rtol=1e-14)


def test_a_bias_along_the_last_dimensions(device: Device) -> None:
    def biased(x: Any, b: Any, c: Any) -> Any:
        y = x + b
        x[...] = y * c
        return np.maximum(y, 0)

    check(device, biased, numbers(2, 3, 4, 5), numbers(5), 2.0)
    check(device, biased, numbers(2, 3, 4, 5), numbers(4, 5), numbers(2, 3, 1, 1))
    check(device, biased, numbers(2, 3, 4, 5), numbers(3, 1, 5), 1.0)  # without the sum, which is NumPy's


@pytest.mark.parametrize("axis", ["(1, 2, 3)", "(0, 3)", "(0, 1, 2)", "0", "(1, 2)", "None"])
def test_folds_over_axes_of_four_dimensions(device: Device, axis: str) -> None:
    source = f"def fold(x, w): return np.sum(x[:, :, :, :, None] * w[None], axis={axis})"
    check_source(device, source, numbers(2, 3, 4, 5), numbers(3, 4, 5, 6), launches=None, rtol=1e-12)


def test_parts_of_four_dimensions(device: Device) -> None:
    def convolved(x: Any, w: Any, out: Any) -> None:
        for i in range(out.shape[1]):
            for j in range(out.shape[2]):
                out[:, i, j, :] = np.sum(x[:, i : i + 2, j : j + 2, :, np.newaxis] * w[np.newaxis], axis=(1, 2, 3))

    check(
        device, convolved, numbers(2, 5, 4, 3), numbers(2, 2, 3, 4), np.zeros((2, 4, 3, 4)), launches=None, rtol=1e-12
    )


def test_stores_to_parts_that_are_not_in_rows(device: Device) -> None:
    def stored(x: Any, y: Any) -> None:
        x[:, 1:] = y[:, 1:] * 2.0 + 1.0
        x[..., 0] = y[..., 1] + y[..., 2]

    check(device, stored, numbers(2, 3, 4, 5), numbers(2, 3, 4, 5, seed=1), launches=None)


def test_parts_that_are_copied_are_told_apart(device: Device) -> None:
    """Both are copied row by row for the loop; what one copy had for an address, the next may have, too."""

    def summed(x: Any, y: Any, z: Any) -> Any:
        return (x + y) * z

    check(device, summed, numbers(6, 4, 3, 5, 2)[::2, ::2], numbers(6, 4, 3, 5, 2, seed=1)[::2, ::2], numbers(5, 2))


def test_means_over_batches(device: Device) -> None:
    def normed(x: Any) -> Any:
        d = x - np.mean(x, axis=0, keepdims=True)
        return d / np.sqrt(np.mean(d * d, axis=0, keepdims=True) + 1e-5)

    check(device, normed, numbers(3, 2, 4, 5), launches=None, rtol=1e-12)


def test_outer_products(device: Device) -> None:
    def updated(a: Any, u: Any, v: Any) -> None:
        a += np.outer(u, v) + np.outer(u * 2, v)

    check(device, updated, numbers(5, 7), numbers(5), numbers(7, seed=1))
    check(device, updated, numbers(4, 4), numbers(2, 2), numbers(4, seed=1), launches=0)

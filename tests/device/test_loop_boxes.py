"""Loops over two and three indices, which are launched in as many dimensions."""

from __future__ import annotations

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.looping import check_loops

Numbers = np.ndarray


def five_points(a: Numbers, b: Numbers) -> None:
    h, w = a.shape
    for i, j in hetc.forall(h - 2, w - 2):
        b[i + 1, j + 1] = a[i + 1, j + 1] + a[i, j + 1] + a[i + 2, j + 1] + a[i + 1, j] + a[i + 1, j + 2]


def wraps(a: Numbers, b: Numbers) -> float:
    """Python counts negative indices from the end."""
    h, w = a.shape
    total = 0.0
    for i, j in hetc.forall(h, w):
        b[i, j] = a[i - 1, j - 1]
        total += b[i, j]
    return total


def divides(a: Numbers, b: Numbers) -> None:
    """One iteration raises, when exactly those before it are done."""
    h, w = a.shape
    for i, j in hetc.forall(h, w):
        b[i, j] = 1 // (i * w + j - h * w // 2 + 300) + a[i, j]


@pytest.mark.parametrize("loop", [five_points, wraps, divides])
@pytest.mark.parametrize("shape", [(2, 2), (7, 1), (1, 255), (5, 257), (67, 19), (3, 4099)])
def test_two_indices(device: Device, loop: object, shape: tuple[int, int]) -> None:
    """Rows longer than a work-group, and shorter ones, of which a group has several."""
    h, w = shape

    def make() -> tuple[Numbers, Numbers]:
        # Every second column of an array: its strides are odd.
        return np.arange(2.0 * h * w).reshape(h, 2 * w)[:, ::2], np.zeros(shape)

    assert callable(loop)
    check_loops(device, loop, make, deopts=None, rtol=1e-12)


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 5, 7), (2, 1, 300), (9, 33, 17)])
def test_three_indices(device: Device, shape: tuple[int, int, int]) -> None:
    """Arrays of three dimensions."""

    def fill(a: Numbers, b: Numbers) -> None:
        d, h, w = a.shape
        for i, j, k in hetc.forall(d, h, w):
            b[i, j, k] = 2 * a[i, j, k] + 100 * i + 10 * j + k

    check_loops(device, fill, lambda: (np.arange(float(np.prod(shape))).reshape(shape), np.zeros(shape)))

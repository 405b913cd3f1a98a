"""Rows that a CPU's work-items compute together: whole tiles, what is left of them, and elements that fail."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import driver
from hetc.runtime.devices import Device
from tests.device.looping import check_loops

SHAPES = [(1, 5000), (31, 90), (32, 16), (32, 64), (65, 33), (100, 47), (257, 16), (64, 15), (0, 32)]
"""Rows and columns: below, at and above whole tiles of 32 rows and 16 columns, in each direction."""


@pytest.fixture
def small(device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """The device, with tiles joined in index spaces of any size."""
    family = device.traits.family
    choices = dataclasses.replace(driver.DEVICE_CHOICES[family], coarse_work=1)
    monkeypatch.setitem(driver.DEVICE_CHOICES, family, choices)
    return dataclasses.replace(device, traits=dataclasses.replace(device.traits, compute_units=1))


def multiply(a, b, c):
    for i, j in hetc.forall(c.shape[0], c.shape[1]):
        total = a[i, 0] * 0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


def farthest(points, others, found):
    """The largest distance in one coordinate."""
    for i, j in hetc.forall(found.shape[0], found.shape[1]):
        most = -1.0
        for k in range(points.shape[1]):
            apart = abs(points[i, k] - others[j, k])
            if apart > most:  # noqa: PLR1730 -- max() takes NaN otherwise
                most = apart
        found[i, j] = most


def add_weighted(weights, values, total):
    """Each element is read and written by its own work-item; the weights are shared."""
    for i, j in hetc.forall(total.shape[0], total.shape[1]):
        for k in range(len(weights)):
            total[i, j] += weights[k] * values[i, j]


def quotients(numbers, divisors, found):
    """Python's division, which one divisor makes fail."""
    for i, j in hetc.forall(found.shape[0], found.shape[1]):
        total = 0.0
        for k in range(len(divisors)):
            total += int(numbers[i, j]) / int(divisors[k])
        found[i, j] = total


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint8])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_products_of_matrices(small: Device, shape: tuple[int, int], dtype: Any) -> None:
    """Sums are in the order of the source, to the bit."""
    rows, columns = shape
    rng = np.random.default_rng(rows)
    a, b = ((rng.random(side) * 10).astype(dtype) for side in ((rows, 5), (5, columns)))
    check_loops(small, multiply, lambda: (a.copy(), b.copy(), np.zeros(shape, dtype)))


@pytest.mark.parametrize("shape", [(33, 47), (96, 48)], ids=str)
def test_what_is_not_a_number_and_views(small: Device, shape: tuple[int, int]) -> None:
    """Comparisons with NaN, columns of a larger array, and rows from the end."""
    points, others = (np.random.default_rng(n).random((2 * n, 6)) for n in shape)
    points[3, 2] = others[5, 1] = np.nan
    check_loops(small, farthest, lambda: (points[::-2, ::2], others[::2, 3:], np.zeros(shape)))


def test_elements_that_are_read_and_written(small: Device) -> None:
    """A tile reads what it has written before, each lane its own."""
    weights, values = np.arange(4.0), np.random.default_rng(0).random((70, 35))
    check_loops(small, add_weighted, lambda: (weights, values, np.ones((70, 35))))


@pytest.mark.parametrize("place", [None, 0, 2])
def test_what_fails_runs_in_python(small: Device, place: int | None) -> None:
    """A divisor of zero: the first element raises, and the arrays are as Python leaves them."""
    numbers, divisors = np.arange(64 * 32).reshape(64, 32), np.array([3, 7, 9])
    if place is not None:
        divisors[place] = 0
    check_loops(small, quotients, lambda: (numbers, divisors, np.zeros((64, 32))), deopts=None, fallbacks=None)


def test_whole_tiles_are_launched_together(small: Device) -> None:
    """One launch for whole tiles alone, and one more for the row that is left."""
    compiled = hetc.jit(multiply)

    def launches(rows: int, columns: int) -> int:
        c = np.zeros((rows, columns), np.float32)
        with hetc.configure(device=small, offload="always", fallback="error"), hetc.profile() as p:
            compiled(np.ones((rows, 3), np.float32), np.ones((3, columns), np.float32), c)
        assert np.all(c == 3)
        return p.launches

    assert [launches(64, 64), launches(65, 64)] == [1, 2]

"""Loops that sum what they gather: indices from the front and from the end, in one row, and one that is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.looping import check_loops

ROWS = 600
LENGTHS = (0, 1, 3, 4, 5, 16, 17)


def pull(sources: Any, given: Any, result: Any) -> None:
    for i in hetc.forall(len(result)):
        total = np.float32(0)
        for k in range(sources.shape[1]):
            total += given[sources[i, k]]
        result[i] = total


def pull_two(sources: Any, given: Any, shorter: Any, result: Any) -> None:
    for i in hetc.forall(len(result)):
        total, last = 0.0, 0
        for k in range(sources.shape[1]):
            j = sources[i, k]
            total = 0.5 * total + given[j] * shorter[j]
            last = max(last, j)
        result[i] = total + last


def multiply(starts: Any, columns: Any, numbers: Any, vector: Any, result: Any) -> None:
    for i in hetc.forall(len(result)):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += numbers[k] * vector[columns[k]]
        result[i] = total


def hop(nexts: Any, hops: Any, values: Any, result: Any) -> None:
    for i in hetc.forall(len(result)):
        total = 0.0
        for k in range(hops.shape[1]):
            total += values[nexts[hops[i, k]]]
        result[i] = total


def indices(length: int, size: int, pattern: str) -> Any:
    """Rows of indices in an array of `size`."""
    found = np.random.default_rng(length).integers(0, size, (ROWS, length))
    places = np.arange(ROWS * length).reshape(ROWS, length)
    chosen = {
        "none": places < 0,
        "all": places >= 0,
        "first": places % max(length, 1) == 0,
        "last": places % max(length, 1) == length - 1,
        "one in seven": places % 7 == 3,
    }[pattern]
    return np.where(chosen, found - size, found)


@pytest.mark.parametrize("pattern", ["none", "all", "first", "last", "one in seven"])
def test_indices_that_are_negative(device: Device, pattern: str) -> None:
    for length in LENGTHS:
        for dtype in (np.int32, np.int64):
            sources = indices(length, 90, pattern).astype(dtype)
            given = np.random.default_rng(1).random(90, dtype=np.float32)
            check_loops(device, pull, lambda: (sources, given, np.zeros(ROWS, np.float32)))  # noqa: B023


def test_indices_without_a_sign(device: Device) -> None:
    sources = indices(9, 90, "none").astype(np.uint8)
    given = np.random.default_rng(1).random(90, dtype=np.float32)
    check_loops(device, pull, lambda: (sources, given, np.zeros(ROWS, np.float32)))


@pytest.mark.parametrize("pattern", ["none", "first", "one in seven"])
def test_one_index_in_two_arrays(device: Device, pattern: str) -> None:
    sources = indices(11, 80, pattern)
    given, shorter = np.linspace(0, 1, 90), np.linspace(1, 2, 80)
    check_loops(device, pull_two, lambda: (sources, given, shorter, np.zeros(ROWS)))


@pytest.mark.parametrize("row", [0, 333, ROWS - 1])
@pytest.mark.parametrize("wrong", [90, -91, 2**40])
def test_an_index_that_is_none(device: Device, row: int, wrong: int) -> None:
    for k in (0, 4, 6):
        sources = indices(7, 90, "last")
        sources[row, k] = wrong
        given = np.random.default_rng(1).random(90, dtype=np.float32)
        check_loops(device, pull, lambda: (sources, given, np.zeros(ROWS, np.float32)), deopts=None)  # noqa: B023


@pytest.mark.parametrize("pattern", ["none", "one in seven"])
def test_a_sparse_matrix(device: Device, pattern: str) -> None:
    columns = indices(6, 50, pattern).ravel()
    starts = np.sort(np.r_[0, np.random.default_rng(2).choice(len(columns), ROWS - 1, replace=False), len(columns)])
    numbers, vector = np.linspace(-1, 1, len(columns)), np.linspace(1, 2, 50)
    check_loops(device, multiply, lambda: (starts, columns, numbers, vector, np.zeros(ROWS)), deopts=None)


@pytest.mark.parametrize("pattern", ["none", "all", "one in seven"])
def test_indices_at_indices(device: Device, pattern: str) -> None:
    nexts, hops = indices(1, 60, pattern).ravel(), indices(8, ROWS, pattern)
    check_loops(device, hop, lambda: (nexts, hops, np.linspace(1, 2, 60), np.zeros(ROWS)))
    nexts = nexts.copy()
    nexts[ROWS // 2] = 60
    check_loops(device, hop, lambda: (nexts, hops, np.linspace(1, 2, 60), np.zeros(ROWS)), deopts=None)

"""Loops in which the work-items of a group read together: whole tiles, what is left, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.conftest import agreement, discrete
from tests.device.looping import check_loops
from tests.device.test_coarse_kernels import LEAST, small_gpu

Numbers = np.ndarray

SIZES = (0, 1, 7, 255, 256, 257, 520)
"""A tile has 256 rounds where all of a group read the same."""


@pytest.fixture(params=["large", "small"])
def gpu(request: pytest.FixtureRequest, device: Device) -> Device:
    """The device as a GPU that has one compute unit, so that kernels are coarse, or more."""
    return small_gpu(device) if request.param == "small" else discrete(device)


def source(gpu: Device, function: Callable[..., Any], *inputs: Any) -> str:
    """The OpenCL of a map."""
    with hetc.configure(device=gpu):
        return hetc.map(function).lower(*inputs).opencl()


@pytest.mark.parametrize(
    ("dtype", "size"),
    [
        *(("float32", size) for size in SIZES),
        *((dtype, 300) for dtype in ("float64", "int64", "int16", "uint8", "bool", "float16", "complex64")),
    ],
)
def test_all_pairs(gpu: Device, dtype: str, size: int) -> None:
    """The order of additions is that of the loop, to the bit."""

    def forces(x: Numbers, y: Numbers) -> None:
        for i in hetc.forall(len(y)):
            total = 0.0
            for j in range(len(x)):
                total = (total + (x[j] * 0.5 - y[i]).real) * 0.75
            y[i] = total

    x = (np.random.default_rng(0).random(size) * 100).astype(dtype)
    y = np.random.default_rng(1).random(270)
    check_loops(gpu, forces, lambda: (x, y.copy()), deopts=None)


@pytest.mark.parametrize("count", [3, 300])
def test_a_map_over_a_captured_array(gpu: Device, count: int) -> None:
    """Views, strides of either sign, and what is read of them backwards, in pairs, or by an index that is read, too."""
    table = np.random.default_rng(0).random(700).astype(np.float32)
    order = np.random.default_rng(0).permutation(700)
    x = np.linspace(-1, 1, count)

    def direct(a: float) -> float:
        total = 0.0
        for k in range(len(table)):
            total += table[k] * a
        return total

    def backwards(a: float) -> float:
        total = 0.0
        for k in range(len(table) // 2):
            total = total * 0.5 + table[len(table) - 1 - 2 * k] * a - table[k]
        return total

    def indirect(a: float) -> float:
        total = 0.0
        for k in range(len(order)):
            total = total * 0.5 + table[order[k]] * a
        return total

    def strided(a: float) -> float:
        view = table[::-3]
        total = 0.0
        for k in range(len(view)):
            total = total * 0.5 + view[k] * a
        return total

    for function in (direct, backwards, indirect, strided):
        agreement(gpu)(hetc.map(function), x[:: max(1, count // 260)])


def test_which_kernels_have_tiles(device: Device) -> None:
    gpu, x = discrete(device), np.ones(5000)
    table = np.ones(1000)

    def summed(a: float) -> float:
        total = 0.0
        for k in range(len(table)):
            total += table[k] * a
        return total

    def few(a: float) -> float:
        total = 0.0
        for k in range(9):
            total += table[k] * a
        return total

    assert "barrier" in source(gpu, summed, x)
    assert "barrier" not in source(gpu, few, x)
    with hetc.configure(device=device):
        if device.traits.family != "gpu":
            assert "barrier" not in hetc.map(summed).lower(x).opencl()


def test_bounds_of_loops(gpu: Device) -> None:
    """Loops that start elsewhere than at zero, that go down to less, and that each work-item runs differently often."""
    table = np.random.default_rng(0).random(700)

    def between(a: int, low: int, high: int) -> float:
        total = 0.0
        for k in range(low, high):
            total = total * 0.5 + table[k] * a
        return total

    for low, high in ((3, 600), (650, 3), (256, 512), (-700, 0), (-5, 600), (0, 0)):
        agreement(gpu)(hetc.map(lambda a, low=low, high=high: between(a, low, high)), np.arange(20.0))
    agreement(gpu)(hetc.map(lambda a: between(a, a % 300, 300 + a)), list(range(0, 390, 3)))


def test_coarse_kernels_have_tiles(device: Device) -> None:
    """Several elements a work-item, and the rest."""
    gpu, table = small_gpu(device), np.random.default_rng(0).random(300)

    def direct(a: float) -> float:
        total = 0.0
        for k in range(len(table)):
            total = total * 0.5 + table[k] * a
        return total

    x = np.linspace(-1, 1, LEAST + 700)
    with hetc.configure(device=gpu, offload="always", fallback="error"):
        found = hetc.map(direct)(x)
    expected = np.zeros_like(x)
    for number in table:
        expected = expected * 0.5 + number * x
    assert found.tolist() == expected.tolist()


def test_guards_in_the_loop(gpu: Device) -> None:
    """What fails in a round runs in Python, and others keep their results."""
    table = np.arange(1, 900)

    def divided(a: int) -> int:
        total = 0
        for k in range(len(table)):
            total += (table[k] * a) // (a - 77)
        return total

    agreement(gpu)(hetc.map(divided), list(range(76)))
    agreement(gpu)(hetc.map(divided), list(range(90)), deopts=None)


def test_what_a_loop_changes_is_read_by_each(gpu: Device) -> None:
    """Memory that iterations store to has no tiles."""

    def gather(x: Numbers, y: Numbers) -> None:
        for i in hetc.forall(len(y)):
            y[i] += x[i]
            for k in range(len(x)):
                y[i] = y[i] * 0.5 + x[k]

    x = np.random.default_rng(0).random(300)
    check_loops(gpu, gather, lambda: (x, np.ones(300)))


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        ((1, 1, 1), "float32"),
        ((7, 255, 9), "float64"),
        ((33, 32, 65), "float32"),
        ((64, 64, 128), "float64"),
        ((65, 40, 131), "float32"),
        ((40, 33, 260), "int64"),
        ((257, 31, 40), "float32"),
    ],
)
def test_products_of_matrices(gpu: Device, shape: tuple[int, int, int], dtype: str) -> None:
    """Rows share what they read of one matrix, columns what they read of the other."""

    def multiply(a: Numbers, b: Numbers, c: Numbers) -> None:
        h, w = c.shape
        for i, j in hetc.forall(h, w):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total

    h, n, w = shape
    random = np.random.default_rng(0).random
    a, b = (100 * random((h, n))).astype(dtype), (100 * random((n, w))).astype(dtype)
    check_loops(gpu, multiply, lambda: (a, b, np.zeros((h, w))))
    check_loops(gpu, multiply, lambda: (a[::-1, ::-1], np.asfortranarray(b), np.zeros((h, w))[:, ::-1]))


def test_three_indices(gpu: Device) -> None:
    def fill(a: Numbers, b: Numbers, c: Numbers) -> None:
        d, h, w = c.shape
        for i, j, k in hetc.forall(d, h, w):
            total = 0.0
            for m in range(len(a)):
                total = 0.5 * total + a[m] * b[i, m] - b[j, m]
            c[i, j, k] = total

    a, b = np.random.default_rng(0).random(70), np.random.default_rng(1).random((41, 70))
    check_loops(gpu, fill, lambda: (a, b, np.zeros((3, 17, 41))))

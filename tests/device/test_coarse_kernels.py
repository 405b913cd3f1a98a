"""Kernels in which a work-item computes several elements: whole tiles, what is left, and elements that fail."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.conftest import agreement, as_gpu
from tests.device.looping import check_loops

LEAST = 8192
"""The fewest elements that are joined on a device with one compute unit."""

Numbers = np.ndarray


@functools.cache
def small_gpu(device: Device) -> Device:
    """The same device as a GPU with one compute unit."""
    return as_gpu(device, compute_units=1)


@pytest.fixture
def gpu(device: Device) -> Device:
    return small_gpu(device)


def launches(gpu: Device, call: Callable[[], Any]) -> int:
    """How many launches a call has."""
    with hetc.configure(device=gpu, offload="always", fallback="error"), hetc.profile() as p:
        call()
    return p.launches


@pytest.mark.parametrize("size", [LEAST - 1, LEAST, LEAST + 1, LEAST + 1023, 3 * LEAST + 1024])
def test_a_map_covers_each_element(gpu: Device, size: int) -> None:
    """Below the least size all elements are for the kernel that does one a work-item, above it those that are left."""
    x = np.linspace(-1, 1, size, dtype=np.float32)
    both = hetc.map(lambda a, b: (2.5 * a + b, a < b))
    agreement(gpu)(both, x, x[::-1].copy())
    assert launches(gpu, lambda: both(x, x)) == (1 if size < LEAST or size % 1024 == 0 else 2)


@pytest.mark.parametrize("place", [0, 255, 256, 1024, 5000, LEAST, LEAST + 3])
def test_elements_that_fail_run_in_python(gpu: Device, place: int) -> None:
    """An overflow in any lane concerns its block alone; the others keep their results."""
    numbers = list(range(LEAST + 5))
    numbers[place] = 2**62
    agreement(gpu)(hetc.map(lambda a: 3 * a + 1), numbers, deopts=1)
    agreement(gpu)(hetc.map(lambda a: 7 // (a - place)), range(LEAST + 5), deopts=None)


def test_loops_with_the_same_count(gpu: Device) -> None:
    """All lanes run a loop together; branches are their own."""
    table = np.linspace(0, 1, 9)

    def nearest(x: float) -> tuple[int, float]:
        best, least = 0, 1e9
        for k in range(len(table)):
            distance = abs(x - table[k])
            if distance < least:
                best, least = k, distance
        return best, least

    agreement(gpu)(hetc.map(nearest), np.random.default_rng(0).random(LEAST + 700))


def five_points(a: Numbers, b: Numbers) -> None:
    h, w = a.shape
    for i, j in hetc.forall(h - 2, w - 2):
        b[i + 1, j + 1] = a[i + 1, j + 1] + a[i, j + 1] + a[i + 2, j + 1] + a[i + 1, j] + a[i + 1, j + 2]


def divides(a: Numbers, b: Numbers) -> None:
    """One iteration raises, when exactly those before it are done."""
    h, w = a.shape
    for i, j in hetc.forall(h, w):
        b[i, j] = 1 // (i * w + j - h * w // 2 + 300) + a[i, j]


def wraps(a: Numbers, b: Numbers) -> float:
    """Python counts negative indices from the end."""
    h, w = a.shape
    total = 0.0
    for i, j in hetc.forall(h, w):
        b[i, j] = a[i - 1, j - 1]
        total += b[i, j]
    return total


def in_place(a: Numbers, b: Numbers) -> None:
    """Memory that an iteration changes is its own."""
    h, w = a.shape
    for i, j in hetc.forall(h, w):
        a[i, j] += 1
        if a[i, j] > 100:
            a[i, j] -= 7
        b[i, j] = a[i, j] * 2


@pytest.mark.parametrize("loop", [five_points, divides, wraps, in_place])
@pytest.mark.parametrize("shape", [(130, 66), (128, 64), (257, 33), (3, 4099), (1031, 8)])
def test_rows(gpu: Device, loop: Callable[..., Any], shape: tuple[int, int]) -> None:
    """Rows and columns that tiles of four rows divide, and such that they do not."""
    check_loops(gpu, loop, lambda: (np.arange(float(np.prod(shape))).reshape(shape), np.zeros(shape)), deopts=None)


def test_three_indices(gpu: Device) -> None:
    def fill(a: Numbers, b: Numbers) -> None:
        d, h, w = a.shape
        for i, j, k in hetc.forall(d, h, w):
            b[i, j, k] = 2 * a[i, j, k] + 100 * i + 10 * j + k

    check_loops(gpu, fill, lambda: (np.arange(9.0 * 37 * 41).reshape(9, 37, 41), np.zeros((9, 37, 41))))


@pytest.mark.parametrize(
    ("shape", "parts"), [((64, 3, 128), 1), ((97, 5, 131), 3), ((31, 2, 300), 1), ((33, 9, 257), 3), ((96, 4, 131), 2)]
)
def test_products_of_matrices(gpu: Device, shape: tuple[int, int, int], parts: int) -> None:
    """Tiles of rows and columns, and the strips beside and below them."""

    def multiply(a: Numbers, b: Numbers, c: Numbers) -> None:
        h, w = c.shape
        for i, j in hetc.forall(h, w):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total

    h, n, w = shape
    random = np.random.default_rng(0).random
    a, b = random((h, n)), random((n, w))
    check_loops(gpu, multiply, lambda: (a, b, np.zeros((h, w))))
    assert launches(gpu, lambda: hetc.jit(multiply)(a, b, np.zeros((h, w)))) == parts


def test_stencils(gpu: Device) -> None:
    """The interior, which does not start at zero, is in tiles; its border is not."""
    a = np.random.default_rng(0).random((131, 140))
    blur = hetc.stencil(lambda w: w[-1, 0] + w[1, 0] + w[0, -1] + w[0, 1] - 4 * w[0, 0], boundary="wrap")
    with hetc.configure(device=gpu, offload="always", fallback="error"):
        found = blur(a)
    expected = np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4 * a
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("size", [LEAST, LEAST + 1, LEAST + 1027])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "bool"])
def test_bytes(gpu: Device, dtype: str, size: int) -> None:
    """Four neighbouring bytes are one word, in views too."""
    x = (np.arange(2 * size + 3) * 7919 % 251).astype(dtype)
    both = hetc.map(lambda a, b: (a, np.float32(2) * a + b, a != b))
    agreement(gpu)(both, x[:size], x[1 : size + 1])
    agreement(gpu)(both, x[: 2 * size : 2], x[size + 2 : 2 : -1])
    agreement(gpu)(hetc.map(lambda a, b: a + b), x[:size], np.linspace(0, 1, size))


def test_bytes_that_stay_on_the_device(gpu: Device) -> None:
    x = (np.arange(LEAST + 9) * 7919 % 251).astype(np.uint8)
    with hetc.configure(device=gpu, offload="always", fallback="error"):
        array = hetc.array(x)
        inverted = hetc.map(lambda a: np.uint8(255) - a)
        assert np.asarray(inverted(inverted(array))).tolist() == x.tolist()
        assert np.asarray(inverted(array[3 : LEAST + 5])).tolist() == (255 - x[3 : LEAST + 5]).tolist()

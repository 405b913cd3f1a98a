"""What the work-items of a group do together, as on a GPU: scans, reductions and filters in tiles, and local sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.conftest import agreement, discrete

SIZES = (1, 7, 255, 256, 257, 4097)
"""A tile has 4096 elements of four bytes."""

DTYPES = (
    "bool",
    "int8",
    "uint8",
    "int32",
    "uint64",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)


@pytest.fixture
def alike(device: Device) -> Callable[..., Any]:
    """`agree`, on the device as if it were a GPU."""
    return agreement(discrete(device))


def add(p: Any, q: Any) -> Any:
    return p + q


def greater(p: Any, q: Any) -> Any:
    return p if p > q else q


def compose(p: Any, q: Any) -> Any:
    """x * q after x * p, as x * a + b modulo a prime: associative, not commutative."""
    return p[0] * q[0] % 1009, (p[1] * q[0] + q[1]) % 1009


def pairs(size: int) -> list[tuple[int, int]]:
    return [(k % 7 + 1, k % 11) for k in range(size)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_of_any_type(alike: Callable[..., Any], dtype: str, size: int) -> None:
    data = (np.arange(size) % 2).astype(dtype)  # sums that all of these types have exactly, or wrapped
    if dtype == "float16":
        data[2048:] = 0
    one = data.dtype.type(1)
    alike(hetc.scan(add), data)
    alike(hetc.scan(add, one, exclusive=True), data)
    alike(hetc.reduce(add, one), data)
    alike(hetc.map(lambda x: x + x).scan(add), data)


@pytest.mark.parametrize("size", SIZES)
def test_operators_without_a_known_identity(alike: Callable[..., Any], size: int) -> None:
    data = np.arange(size) * 7919 % 10_007 - 5000
    for numbers in (data, data.astype(np.float32), data.astype(np.int8)):
        alike(hetc.scan(greater), numbers)
        alike(hetc.scan(greater, numbers.dtype.type(3), exclusive=True), numbers)
        alike(hetc.reduce(greater), numbers)
    alike(hetc.argmin(), data)
    alike(hetc.map(lambda x: complex(x, 1)).reduce(lambda p, q: q), data)


@pytest.mark.parametrize("size", SIZES)
def test_operators_that_do_not_commute(alike: Callable[..., Any], size: int) -> None:
    for af in (hetc.scan(compose), hetc.scan(compose, (1, 0), exclusive=True), hetc.reduce(compose)):
        alike(af, pairs(size))
    alike(hetc.scan(lambda p, q: p), np.arange(size))
    alike(hetc.scan(lambda p, q: q, -1, exclusive=True), list(range(size)))


@pytest.mark.parametrize("size", [0, *SIZES])
def test_filters(alike: Callable[..., Any], size: int) -> None:
    data = np.arange(size) * 7919 % 10_007
    numbers = data.tolist()
    for predicate in (lambda x: x % 3 == 0, lambda x: x > 30, lambda x: x < 0):
        alike(hetc.filter(predicate), numbers)
    both = hetc.zip().filter(lambda pair: pair[0] < pair[1])
    alike(both, numbers, numbers[::-1])
    alike(both.map(lambda pair: pair[0]), numbers, numbers[::-1])
    alike(hetc.filter(lambda x: x > 30).scan(add), numbers)


@pytest.mark.parametrize("dtype", DTYPES)
def test_filters_of_any_type(alike: Callable[..., Any], dtype: str) -> None:
    for size in SIZES:
        alike(hetc.filter(lambda x: x != 2), (np.arange(size) * 7919 % 5).astype(dtype))


@pytest.mark.parametrize("size", [65_537, 1_000_003])
def test_many_tiles(alike: Callable[..., Any], size: int) -> None:
    data = np.arange(size) * 7919 % 1009
    alike(hetc.scan(add), data)
    alike(hetc.reduce(greater), data)
    assert alike(hetc.filter(lambda x: x > 500), data).size


def test_an_empty_scan(device: Device) -> None:
    with hetc.configure(device=discrete(device), offload="always", fallback="error"):
        for data in (np.zeros(0, np.float32), np.zeros(0, np.int64)):
            found = hetc.scan(add)(data)
            assert (found.dtype, found.size) == (data.dtype, 0)


@pytest.mark.parametrize("size", [0, *SIZES])
def test_histograms(alike: Callable[..., Any], size: int) -> None:
    data = (np.arange(size) * 7919 % 256).astype(np.uint8)
    assert alike(hetc.histogram(256), data).tolist() == np.bincount(data, minlength=256).tolist()
    alike(hetc.histogram(1 << 16), (np.arange(size) * 7919 % 65_521).astype(np.uint16))
    alike(hetc.histogram(20), (np.arange(size) * 7919 % 40 - 20))
    alike(hetc.histogram(10, (0.1, 2.5)), (data / 100).astype(np.float32))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint64", "int8", "float32", "complex64"])
def test_sums_by_key(alike: Callable[..., Any], dtype: str, size: int) -> None:
    data = (np.arange(size) % 5).astype(dtype)
    alike(hetc.reduce_by_key(add, data.dtype.type(7), np.arange(size) * 7919 % 22 - 11, 11), data)
    both = hetc.zip().reduce_by_key(
        lambda p, q: (p[0] + q[0], p[1] + q[1]), (data.dtype.type(0), np.int32(0)), [0] * size
    )
    alike(both, data, np.arange(size, dtype=np.int32), fallbacks=None)


def test_more_items_than_local_memory_has_room_for(alike: Callable[..., Any]) -> None:
    alike(hetc.histogram(1 << 18), np.arange(5000) * 50)


def test_exceptions_are_those_of_python(alike: Callable[..., Any]) -> None:
    """Where a guard fails no work-item leaves, since others wait for it; Python takes over all the same."""
    alike(hetc.scan(add), [2**62] * 5000, deopts=1)
    alike(hetc.reduce(lambda p, q: q + 0 * p), [1] * 5000)
    alike(hetc.map(lambda x: x * x).reduce(greater), [1, 2**40] * 2500, deopts=1)
    alike(hetc.scan(lambda p, q: p * q), [3] * 50, deopts=1)
    alike(hetc.histogram(4), np.array([1, -5, 2] * 999), deopts=1)
    alike(hetc.map(lambda x: 6 // x).histogram(7), [3, 2, 1, 0] * 999, deopts=1)
    alike(hetc.map(lambda x: 6 // x).scan(add), [3, 2, 1, 0] * 999, deopts=1)
    alike(hetc.map(lambda x: 6 // x if x < 4 else x % 3).histogram(7), [3, 2, 1, 9] * 999)
    alike(hetc.map(lambda x: 6 // x if x < 4 else x % 3).histogram(7), [3, 2, 1, 9, 0] * 999, deopts=1)
    table = np.arange(10)
    alike(hetc.map(lambda x: table[x]).scan(add), [3, 2, 11] * 999, deopts=1)
    alike(hetc.map(lambda x: table[x]).scan(add), [3, 2, -1] * 999)
    alike(hetc.map(lambda x: 6 // x if x < 4 else table[x]).reduce(greater), [3, 2, 1, 9] * 999)
    alike(hetc.map(lambda x: 6 // x if x < 4 else table[x]).reduce(greater), [3, 2, 1, 10] * 999, deopts=1)


def test_the_same_each_time(device: Device) -> None:
    data = np.random.default_rng(0).random(300_007, np.float32)
    with hetc.configure(device=discrete(device), offload="always", fallback="error"):
        for af in (hetc.scan(add), hetc.reduce(add), hetc.reduce(lambda p, q: q + p * 0)):
            assert len({np.asarray(af(data)).tobytes() for _ in range(3)}) == 1
        np.testing.assert_allclose(hetc.scan(add)(data), np.cumsum(data, dtype=np.float64), rtol=1e-5)

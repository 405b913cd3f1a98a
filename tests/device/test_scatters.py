"""Scatters, reductions by key and histograms: elements that find their place by a key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device

SIZES = (1, 7, 255, 257, 5000)


def add(p: Any, q: Any) -> Any:
    return p + q


def last(p: Any, q: Any) -> Any:
    return q


def compose(p: Any, q: Any) -> Any:
    """x * q after x * p, as x * a + b modulo a prime: associative, not commutative."""
    return p[0] * q[0] % 1009, (p[1] * q[0] + q[1]) % 1009


def keys_of(size: int, count: int) -> Any:
    """Keys all over the items, half of them from the end."""
    return np.arange(size) * 7919 % (2 * count) - count


def test_each_in_its_place(agree: Callable[..., Any]) -> None:
    keys = np.array([0])
    for size in SIZES:
        keys = np.random.default_rng(size).permutation(2 * size)[:size] - size
        for dtype in ("float32", "uint8", "int64", "bool"):
            agree(hetc.scatter(keys, 2 * size), (np.arange(size) % 100).astype(dtype))
        agree(hetc.scatter(keys.tolist(), 2 * size, init=-1), list(range(size)))


def test_combined_in_order(agree: Callable[..., Any]) -> None:
    """Few items have a copy for each run, many have none; an operator may have an identity or not, and not commute."""
    for size in SIZES:
        for count in (1, 3, 300):
            keys = keys_of(size, count)
            numbers = np.arange(size)
            agree(hetc.reduce_by_key(add, np.int64(5), keys, count), numbers)
            agree(hetc.reduce_by_key(last, np.float32(-1), keys, count), numbers.astype(np.float32))
            agree(hetc.scatter(keys, count, max, 3), numbers.tolist())
            agree(hetc.scatter(keys, count, compose, (1, 0)), [(k % 7 + 1, k % 11) for k in range(size)])


def test_items_without_room_for_copies(agree: Callable[..., Any]) -> None:
    count = (1 << 22) + 1
    keys = np.array([5, count - 1, 5, -2])
    found = agree(hetc.scatter(keys, count, last), np.array([1, 2, 3, 4], np.int8))
    assert found[[5, -1, -2]].tolist() == [3, 2, 4]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "uint64", "float32", "float64"])
def test_sums_of_any_type(agree: Callable[..., Any], dtype: str) -> None:
    data = (np.arange(3000) % 5).astype(dtype)
    init = data.dtype.type(0) + data.dtype.type(0)
    agree(hetc.map(lambda x: x + x).reduce_by_key(add, init, np.arange(3000)[::-1] % 10), data, rtol=1e-6)
    agree(hetc.reduce_by_key(add, 0j, np.arange(3000) % 10), (data[::-1] * 1j).astype(np.complex128), rtol=1e-12)


def test_floats_come_out_the_same_each_time(device: Device) -> None:
    data = np.random.default_rng(0).random(100_003, np.float32)
    keys = np.random.default_rng(1).integers(0, 50, 100_003)
    sums = hetc.reduce_by_key(add, np.float32(0), keys)
    with hetc.configure(device=device, offload="always", fallback="error"), hetc.profile() as p:
        found = [sums(data).tobytes() for _ in range(3)]
        one = hetc.reduce_by_key(add, np.float32(0), np.zeros(2**20, np.int8))(np.ones(2**20, np.float32))
    assert (len(set(found)), p.in_python, one.tolist()) == (1, 0, [2.0**20])
    expected = np.bincount(keys, data.astype(np.float64))
    np.testing.assert_allclose(np.frombuffer(found[0], np.float32), expected, rtol=1e-5)


def test_histograms(agree: Callable[..., Any]) -> None:
    for size in (0, *SIZES):
        data = (np.arange(size) * 7919 % 256).astype(np.uint8)
        assert agree(hetc.histogram(256), data).tolist() == np.bincount(data, minlength=256).tolist()
        agree(hetc.histogram(256), data.tolist())
        agree(hetc.map(lambda x: x % 16).histogram(16), data[::-3])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_histograms_of_ranges_are_those_of_numpy(agree: Callable[..., Any], dtype: str) -> None:
    data = np.concatenate([np.linspace(-1, 3, 4001), [0.1, 0.2, 0.3, 1, 2.5]]).astype(dtype)
    for bins, low, high in ((10, 0.1, 2.5), (7, -0.3, 0.3), (1000, 0.0, 1.0)):
        found = agree(hetc.histogram(bins, (low, high)), data)
        assert found.tolist() == np.histogram(data, bins, (low, high))[0].tolist()


def test_exceptions_are_those_of_python(agree: Callable[..., Any]) -> None:
    agree(hetc.scatter([0, 4, 5], 4), [1, 2, 3], deopts=1)
    agree(hetc.histogram(4), np.array([1, -5, 2]), deopts=1)
    agree(hetc.map(lambda x: 6 // x).scatter([0, 1], 2, add, 0), [3, 0], deopts=1)
    agree(hetc.reduce_by_key(add, 0, [0, 0, 0]), [2**62] * 3, deopts=1)


def test_two_elements_with_one_key(device: Device) -> None:
    with hetc.configure(device=device, offload="always", fallback="error"):
        for keys in ([3, 1, 3], [3, 1, -1], np.array([0, 3, 3])):
            with pytest.raises(hetc.InputError, match="two elements have the key 3"):
                hetc.scatter(keys, 4)([1, 2, 3])
        assert hetc.scatter([3, 1, 3], 4, last)([1, 2, 3]) == [0, 2, 0, 3]


def test_what_is_left_to_python(agree: Callable[..., Any]) -> None:
    agree(hetc.scatter([0, 1], 3, add, 0), [0.5, 1.5], fallbacks=1)
    agree(hetc.filter(lambda x: x > 1).scatter([1, 0], 2), np.arange(4), fallbacks=1)
    agree(hetc.scatter([0, 2, 0], 3, add), [True, False, True], fallbacks=1)  # the items are bool, the sums int
    agree(hetc.scatter([0, 1], 3, lambda old, new: new / 2), [3, 4], fallbacks=1)
    agree(hetc.scatter([0, 1], 3), [3, 4.5], fallbacks=1)


def test_items_without_elements_are_zeros_of_their_type(agree: Callable[..., Any]) -> None:
    agree(hetc.scatter([2, 0], 4), [(1, 2.5), (3, 4.5)])
    agree(hetc.scatter([2, 0, 2], 4, last), [(1, (True, 2.5)), (3, (False, 4.5)), (5, (True, 1.0))])


def test_bad_calls(device: Device) -> None:
    with pytest.raises(hetc.InputError, match="2 keys for 3 elements"), hetc.configure(fallback="silent"):
        hetc.scatter([0, 1], 3)([1, 2, 3])
    with pytest.raises(hetc.InputError, match="takes one input"):
        hetc.histogram(3)([1], [2])
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="at least 1"):
            hetc.histogram(wrong)
    with pytest.raises(ValueError, match="the range of a histogram"):
        hetc.histogram(3, (1.0, 1.0))


def bounded(x: Any) -> Any:
    """An integer of 20 bits."""
    return x & 0xFFFFF


@pytest.mark.parametrize("number", [0xFFFFF, 0, 12345])
def test_sums_that_fit_32_bits_in_runs_alone(agree: Callable[..., Any], number: int) -> None:
    """The largest numbers of the proven range, so many that their sum does not fit; and runs that are no longer."""
    for size in (1, 2048, 2049, 4097, 70_001):
        data, keys = np.full(size, number), np.arange(size) // 3 % 5
        for combined in (hetc.map(bounded), hetc.map(lambda x: -bounded(x) - 1), hetc.map(lambda x: bounded(x) * 4)):
            agree(combined.reduce_by_key(add, np.int64(1) << 40, keys * 0, 1), data)
            agree(combined.reduce_by_key(add, np.int64(7), keys, 5), data)
        agree(hetc.map(lambda x: (bounded(x), x * 0.5)).scatter(keys, 5, lambda p, q: (p[0] + q[0], p[1] + q[1]),
                                                               (0, 0.0)), data)  # fmt: skip
        agree(hetc.map(bounded).reduce_by_key(add, 3, keys, 5), data.tolist())


def test_halves_of_runs_in_copies_of_their_own(agree: Callable[..., Any]) -> None:
    """An item may have been reached in one half only, in both, or in none; the halves keep their order."""
    for size in (1, 2, 3, 33, 34, 97, 5000):
        keys = np.arange(size) * 7 % 11
        agree(hetc.histogram(16), keys.astype(np.uint8))
        agree(hetc.histogram(16), (keys - 3).tolist())
        agree(hetc.reduce_by_key(last, np.float32(-1), keys, 12), np.arange(size, dtype=np.float32))
        agree(hetc.scatter(keys, 12, lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1]), (1.0, 0.0)),
              [(0.5 if k % 3 else -1.0, float(k % 4)) for k in range(size)], rtol=1e-9)  # fmt: skip


def test_keys_outside_are_found_in_both_halves(agree: Callable[..., Any]) -> None:
    for wrong in (0, 40, 99):
        keys = np.arange(100) % 7
        keys[wrong] = 99
        agree(hetc.histogram(16), keys, deopts=1)

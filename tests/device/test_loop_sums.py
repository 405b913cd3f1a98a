"""Parallel loops that add integers to the same elements: histograms, and what looks like them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.looping import check_loops, refusal

SIZES = (0, 1, 7, 255, 257, 5000)
INTEGERS = (np.int32, np.int64, np.uint32, np.uint64)


def _places(size: int) -> Any:
    return np.random.default_rng(size).integers(0, 10, size)


def _count(h: Any, p: Any) -> None:
    for i in hetc.forall(len(p)):
        h[p[i]] += 1


def _count_parts(h: Any, x: Any) -> None:
    for i in hetc.forall(len(x)):
        k = int(x[i] * 10)
        if k != 3:
            h[k] += 1


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_histograms(device: Device, dtype: Any, size: int) -> None:
    check_loops(device, _count, lambda: (np.zeros(10, dtype), _places(size)), fallbacks=None if size == 0 else 0)
    parts = np.random.default_rng(size).random(size)
    check_loops(device, _count_parts, lambda: (np.arange(10).astype(dtype), parts), fallbacks=None if size == 0 else 0)


@pytest.mark.parametrize(("total", "weight"), [(np.int64, np.int64), (np.int32, np.int16), (np.uint64, np.uint8)])
def test_sums_by_key_wrap(device: Device, total: Any, weight: Any) -> None:
    def add(h: Any, p: Any, w: Any) -> None:
        for i in hetc.forall(len(p)):
            h[p[i]] += w[i]

    def subtract(h: Any, p: Any, w: Any) -> None:
        for i in hetc.forall(len(p)):
            h[p[i]] -= w[i]

    weights = np.resize(np.array([np.iinfo(weight).max, 3, np.iinfo(weight).min], weight), 257)
    for loop in (add, subtract):
        check_loops(device, loop, lambda: (np.full(10, np.iinfo(total).max, total), _places(257), weights))


def test_two_sums_in_a_matrix_from_both_ends(device: Device) -> None:
    def loop(h: Any, p: Any) -> None:
        for i in hetc.forall(len(p)):
            h[p[i], 0] += i
            if p[i] > 3:
                h[-p[i], 1] -= 2

    check_loops(device, loop, lambda: (np.zeros((10, 2), np.int64), _places(257)))


def test_two_dimensions_summed_along_one(device: Device) -> None:
    def loop(h: Any, m: Any) -> None:
        rows, columns = m.shape
        for i, j in hetc.forall(rows, columns):
            h[j] += m[i, j]

    check_loops(device, loop, lambda: (np.zeros(7, np.int64), np.arange(7 * 257).reshape(257, 7)))


def test_an_index_that_is_outside_raises_when_the_sums_before_it_are_made(device: Device) -> None:
    places = _places(5000)
    places[4000] = 10
    check_loops(device, _count, lambda: (np.zeros(10, np.int64), places), deopts=1)


def _floats(h: Any, p: Any) -> None:
    for i in hetc.forall(len(p)):
        h[p[i]] += 0.5


def _seen(h: Any, p: Any) -> None:
    for i in hetc.forall(len(p)):
        h[p[i]] += 1
        if h[p[i]] > 3:
            h[p[i]] += 1


def _products(h: Any, p: Any) -> None:
    for i in hetc.forall(len(p)):
        h[p[i]] *= 3


def _of_each_other(h: Any, p: Any) -> None:
    for i in hetc.forall(len(p)):
        h[p[i]] += h[9 - p[i]]


def _moved(h: Any, p: Any) -> None:
    for i in hetc.forall(len(p)):
        h[p[i]] = h[9 - p[i]] + 1


@pytest.mark.parametrize(
    ("loop", "dtype"),
    [(_floats, np.float64), (_seen, np.int64), (_products, np.int64), (_of_each_other, np.int64), (_moved, np.int64),
     (_count, np.int16), (_count, np.uint8)],
)  # fmt: skip
def test_other_sums_run_in_order(device: Device, loop: Callable[..., None], dtype: Any) -> None:
    """Floats round by their order; what is read between additions depends on it; devices add no 8 and 16 bits."""
    check_loops(device, loop, lambda: (np.ones(10, dtype), _places(257)), fallbacks=1)
    assert "HETC0017" in refusal(loop, np.ones(10, dtype), _places(257))


def _greatest(a: Any, w: Any) -> Any:
    s = 1
    for k, m in hetc.forall(3, w):
        i = k * w + m
        s = max(s, a[i])
    return s, k, m, i


def _least_and_sum(a: Any, w: Any) -> Any:
    s, t = 5, 0
    for k, m in hetc.forall(3, w):
        i = k * w + m
        s = min(s, a[i])
        t += a[i]
    return s, t, i


@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize("dtype", [int, np.int8, np.float64])
def test_extremes_of_iterations_that_run_in_parts(device: Device, dtype: Any, place: int) -> None:
    """Python runs the last iteration, for what it assigns; those before it are a product of ranges and a row."""
    for value in (9, -9, 1):
        numbers = [1, 2, 1, 1, 3, 1]
        numbers[place] = value
        array = np.array(numbers, dtype) if dtype is not int else numbers
        for loop in (_greatest, _least_and_sum):
            check_loops(device, loop, lambda array=array: (array, 2), deopts=None)


def _all_and_any(a: Any, b: Any) -> Any:
    every, some, first = True, False, 0
    for i in hetc.forall(len(a)):
        every = every and a[i] > b
        some = some or a[i] == b
        first = first or int(a[i])
    return bool(every), bool(some), first


def _bits(a: Any, b: Any) -> Any:
    s, t, u, v = 5, -1, 3, True
    for i in hetc.forall(len(a)):
        s |= a[i]
        t = t & a[i] & 0xFF
        u ^= a[i]
        v &= a[i] != b
    return s, t, u, bool(v)


def _spelled_out(a: Any, b: Any) -> Any:
    s, p, low = 0 * b, 1, 100 * b
    for i in hetc.forall(len(a)):
        s = s + a[i] - b
        p = p * (1 + a[i] % 2)
        low = min(low, a[i], b)
    return s, p, low


def _where_least(a: Any, b: Any) -> Any:
    least, where, most, last, steps = 100 * b, -1, a[0] if len(a) else b, 0, 0
    for i in hetc.forall(len(a)):
        d = (a[i] - b) * (a[i] - b)
        if d < least:
            least = d
            where = i
        if i % 2 == 0:
            if most < a[i]:
                most, last = a[i], 2 * i
            steps += 1
    return least, where, most, last, steps


@pytest.mark.parametrize("dtype", [None, "int32", "float64"])
@pytest.mark.parametrize("loop", [_all_and_any, _bits, _spelled_out, _where_least])
def test_other_reductions(device: Device, loop: Callable[..., Any], dtype: str | None) -> None:
    if loop is _bits and dtype == "float64":
        return
    for size in (0, 1, 7, 255, 257, 5000):
        numbers = [(k * 7919 + size) % 31 - 3 for k in range(size)]
        if loop is _spelled_out:
            numbers = [x if k < 40 else 2 * x for k, x in enumerate(numbers)]
        data: Any = numbers if dtype is None else np.array(numbers, dtype)
        for b in (3, 90):
            check_loops(device, loop, lambda data=data, b=b: (data, data.dtype.type(b) if dtype else b), deopts=None)


def _two_keys(a: Any, b: Any) -> Any:
    least, where = 100, -1
    for i in hetc.forall(len(a)):
        if a[i] < least:
            least = a[i]
            where = i
        least = min(least, b[i])
    return least, where


def _chosen_elsewhere(a: Any, b: Any) -> Any:
    least, where = 100, -1
    for i in hetc.forall(len(a)):
        if a[i] < least:
            least = a[i]
            where = i
        where = where + b[i]
    return least, where


def _put(a: Any, i: int) -> bool:
    a[i] = 7
    return a[i] > 100


def _stores_that_are_skipped(a: Any, b: Any) -> Any:
    every = True
    for i in hetc.forall(len(a)):
        every = every and _put(b, i)
    return every


def _assignments_that_are_skipped(a: Any, b: Any) -> Any:
    some = False
    for i in hetc.forall(len(a)):
        some = some or (last := a[i]) > b[i]
    return some, last


@pytest.mark.parametrize(
    "loop", [_two_keys, _chosen_elsewhere, _stores_that_are_skipped, _assignments_that_are_skipped]
)
def test_reductions_that_run_in_order(device: Device, loop: Callable[..., Any]) -> None:
    check_loops(device, loop, lambda: (np.arange(9, 0, -1), np.arange(9)), fallbacks=1)


def test_what_is_skipped_may_raise(device: Device) -> None:
    def quotients(a: Any) -> bool:
        every = True
        for i in hetc.forall(len(a)):
            every = every and 10 // a[i] > 1
        return every

    for numbers in ([3, 9, 0, 2], [3, 0, 9, 2], [3, 4, 5, 2]):
        check_loops(device, quotients, lambda numbers=numbers: (numbers,), deopts=None)

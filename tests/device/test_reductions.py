"""Reductions whose initial value, elements and result differ in type: what `functools.reduce` gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device

DTYPES = ("float32", "float64", "int32", "int64", "uint8", "bool")
INITS = (0, 0.0, True, np.float32(0.5), np.float64(2), np.int32(-3), np.uint8(200), np.bool_(True))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("init", INITS, ids=lambda value: f"{type(value).__name__}")
def test_initial_values_of_every_type(agree: Callable[..., Any], init: Any, dtype: str) -> None:
    agree(hetc.reduce(lambda p, q: p + q, init), np.arange(10).astype(dtype), fallbacks=None)


def test_counting_truth_values(agree: Callable[..., Any]) -> None:
    count = hetc.map(lambda x: x > 3).reduce(lambda p, q: p + q, 0)
    agree(count, list(range(1000)))
    agree(count, np.arange(1000, dtype=np.float32))


def test_a_tuple_whose_components_become_wider(agree: Callable[..., Any]) -> None:
    total = hetc.map(lambda x: (1.0, x)).reduce(lambda p, q: (p[0] * q[0], p[0] * q[1] + p[1]), (1.0, 0.0))
    agree(total, np.arange(100, dtype=np.float64))


def test_elements_that_lose_nothing_are_converted(agree: Callable[..., Any]) -> None:
    agree(hetc.reduce(lambda p, q: p + q, 0.5), [1, 2, 3])
    agree(hetc.reduce(lambda p, q: p + q, np.float64(0)), np.arange(9, dtype=np.float32))


def test_an_operator_that_leaves_its_type_runs_in_python(agree: Callable[..., Any]) -> None:
    agree(hetc.reduce(lambda p, q: p / q, 1), [1, 2, 4], fallbacks=1)


@pytest.mark.parametrize("size", [0, 1, 7, 255, 257, 65537])
@pytest.mark.parametrize("quantifier", [hetc.any, hetc.all])
def test_any_and_all(agree: Callable[..., Any], quantifier: Callable[..., hetc.ArrayFunction], size: int) -> None:
    data = [(k * 7919) % 1009 for k in range(size)]
    array = np.array(data, np.float32)
    for predicate in (lambda x: x > 1000, lambda x: x >= 0, lambda x: x, lambda x: x > 2000):
        agree(quantifier(predicate), data)
        agree(quantifier(predicate), array)
        agree(hetc.filter(lambda x: x > 500).then(quantifier(predicate)), data)
    agree(quantifier(lambda a, b: a < b), array, data)


@pytest.mark.parametrize("size", [2, 300, 5000])
def test_any_and_all_end_where_python_does(agree: Callable[..., Any], size: int) -> None:
    for data in ([*range(1, size), 0], [0, *range(1, size)], [1] * size):
        agree(hetc.any(lambda x: 10 // x == 10), data, deopts=None, fallbacks=None)
        agree(hetc.any(lambda x: 10 // x > 10), data, deopts=None, fallbacks=None)
        agree(hetc.all(lambda x: 10 // x >= 10), data, deopts=None, fallbacks=None)
        agree(hetc.map(lambda x: x + 1).all(lambda x: 10 // x), data, deopts=None, fallbacks=None)
    calls: list[int] = []
    with hetc.configure(offload="never"):
        assert hetc.any(lambda x: calls.append(x) or x > 1)([0, 1, 2, 3, 4]) is True
    assert calls == [0, 1, 2]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "float32"])
def test_places_of_the_least_and_greatest(agree: Callable[..., Any], dtype: str) -> None:
    for size in (1, 7, 255, 257, 5000):
        for data in ((np.arange(size) * 7919 % 251).astype(dtype), np.ones(size, dtype)[::-1]):
            assert agree(hetc.argmin(), data) == np.argmin(data)
            assert agree(hetc.argmax(), data) == np.argmax(data)


def test_the_first_nan_is_the_least_and_the_greatest(agree: Callable[..., Any]) -> None:
    for place in (0, 1, 700, 4999):
        data = np.arange(5000, dtype=np.float32) % 100
        data[[place, 4999]] = np.nan
        assert agree(hetc.argmin(), data) == agree(hetc.argmax(), data.tolist()) == place


def test_places_in_compositions(agree: Callable[..., Any]) -> None:
    data = np.arange(2000) * 7919 % 1009
    assert agree(hetc.map(lambda x: (x - 500) ** 2).argmin(), data) == np.argmin((data - 500) ** 2)
    agree(hetc.filter(lambda x: x % 2).argmax(), data)
    agree(hetc.gather(data % 100).argmax(), data)
    agree(hetc.argmin(), range(500, 0, -3))
    agree(hetc.argmax(), [(1, 2.0), (3, 0.5)], fallbacks=None)


@pytest.mark.parametrize("size", [1, 2, 255, 257, 5000])
def test_without_an_initial_value(agree: Callable[..., Any], size: int) -> None:
    agree(hetc.reduce(max), (np.arange(size) * 7919 % 251).astype(np.float32))
    agree(hetc.reduce(lambda p, q: q), list(range(size)))
    agree(hetc.filter(lambda x: x >= size // 2).reduce(lambda p, q: p), np.arange(size))
    agree(hetc.map(lambda x: (x, 2 * x)).reduce(lambda p, q: (p[0] + q[0], max(p[1], q[1]))), np.arange(size))


def test_nothing_without_an_initial_value(agree: Callable[..., Any]) -> None:
    agree(hetc.reduce(max), [], deopts=None)
    agree(hetc.filter(lambda x: x > 5).reduce(max), [1, 2], deopts=None)
    for af, data in ((hetc.argmin(), []), (hetc.filter(lambda x: x > 5).argmax(), np.arange(5))):
        with hetc.configure(offload="always", fallback="silent"), pytest.raises(ValueError, match="element of none"):
            af(data)


def test_sums_of_many_ones(device: Device) -> None:
    with hetc.configure(device=device, offload="always", fallback="error"):
        assert hetc.reduce(lambda p, q: p + q, np.float32(0))(np.ones(2**25, np.float32)) == 33554432

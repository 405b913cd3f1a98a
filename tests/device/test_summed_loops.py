"""Loops whose terms a group adds up in any order, and kernels for short arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import driver
from hetc.runtime.devices import Device
from tests.device.conftest import discrete
from tests.device.looping import check_loops
from tests.device.test_spread_loops import quotients

Numbers = np.ndarray

BOUND = 1 << 14
"""Up to so many elements, squares of sums of two indices have 32 bits."""


@pytest.fixture
def gpu(device: Device) -> Device:
    return discrete(device)


@pytest.fixture(params=["as it is", "as a GPU"])
def place(request: pytest.FixtureRequest, device: Device) -> Device:
    return device if request.param == "as it is" else discrete(device)


def opencl(device: Device, function: Callable[..., Any], *arguments: Any, fastmath: bool = False) -> str:
    with hetc.configure(device=device, offload="always", fallback="error", fastmath=fastmath):
        return hetc.jit(function).lower(*arguments).opencl()


@pytest.mark.parametrize("rounds", [0, 1, 127, 128, 129, 257])
@pytest.mark.parametrize("elements", [1, 7, 40])
def test_sums_of_floats_under_fastmath(gpu: Device, elements: int, rounds: int) -> None:
    x = np.random.default_rng(0).random(rounds)
    with hetc.configure(fastmath=True):
        check_loops(gpu, quotients, lambda: (x, np.zeros(elements)), deopts=None, rtol=1e-13)


def test_the_same_call_gives_the_same_bits(gpu: Device) -> None:
    x, found = np.random.default_rng(0).random(1000), []
    with hetc.configure(device=gpu, offload="always", fallback="error", fastmath=True):
        for _ in range(3):
            y = np.zeros(9)
            hetc.jit(quotients)(x, y)
            found.append(y.tobytes())
    assert len(set(found)) == 1


def test_which_sums_are_made_in_groups(gpu: Device) -> None:
    arguments = np.ones(300), np.zeros(5)
    assert "_summed" in opencl(gpu, quotients, *arguments, fastmath=True)
    strict = opencl(gpu, quotients, *arguments)
    assert "_summed" not in strict
    assert "_spread" in strict


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64"])
def test_sums_of_integers_that_wrap(gpu: Device, dtype: str) -> None:
    def weighted(a: Numbers, x: Numbers, y: Numbers) -> None:
        for i in hetc.forall(len(y)):
            total = x[0] - x[0]
            for k in range(len(x)):
                total += a[i, k] * x[k]
            y[i] = total

    limits = np.iinfo(dtype)
    random = np.random.default_rng(0)
    a = random.integers(limits.min, limits.max, (7, 300), dtype)
    x = random.integers(limits.min, limits.max, 300, dtype)
    with np.errstate(all="ignore"):
        for columns in (300, 129, 1):
            make = lambda n=columns: (a[:, :n], x[:n], np.zeros(7, dtype))  # noqa: E731
            check_loops(gpu, weighted, make, deopts=None)
        check_loops(gpu, weighted, lambda: (a[::-1, ::-1], x[::-1], np.zeros(14, dtype)[::2]), deopts=None)


def test_several_sums_and_what_numpy_warns_of(gpu: Device) -> None:
    def moments(x: Numbers, first: Numbers, second: Numbers) -> None:
        for i in hetc.forall(len(first)):
            one = two = np.float32(0)
            for k in range(len(x)):
                weight = 1 / np.sqrt(x[k] + i)
                one += weight
                two += weight * (x[k] + 1)
            first[i] = one
            second[i] = two

    x = np.random.default_rng(0).random(200).astype(np.float32) + 1

    def make() -> tuple[Numbers, ...]:
        return x, np.zeros(5, np.float32), np.zeros(5, np.float32)

    with hetc.configure(fastmath=True):
        check_loops(gpu, moments, make, deopts=None, rtol=1e-4)
        x[77] = 0
        y = make()[1:]
        with (
            hetc.configure(device=gpu, offload="always", fallback="error"),
            pytest.warns(RuntimeWarning, match="divide by zero"),
        ):
            hetc.jit(moments)(x, *y)
        assert np.isinf(y[0][0])
        assert np.isfinite(y[0][1:]).all()


@pytest.mark.parametrize("rounds", [BOUND - 1, BOUND, BOUND + 1])
def test_lengths_around_the_bound(place: Device, rounds: int) -> None:
    x = np.random.default_rng(0).random(rounds)
    check_loops(place, quotients, lambda: (x, np.zeros(3)), deopts=None)


def test_indices_around_the_bound(place: Device) -> None:
    def far(x: Numbers, y: Numbers, start: int) -> None:
        for i in hetc.prange(start, len(y)):
            total = 0.0
            for j in range(len(x)):
                total += x[j] / ((i + j) * (i + j) + 1)
            y[i] = total

    x = np.random.default_rng(0).random(30)
    for size in (BOUND - 1, BOUND, BOUND + 1, BOUND + 40, 50_000):
        check_loops(place, far, lambda n=size: (x, np.zeros(n), n - 5), deopts=None)


def test_integers_that_would_not_fit_are_wide(place: Device) -> None:
    """Of squares of 40,000 and more, 32 bits would lose the upper ones."""

    def squares(y: Numbers, x: Numbers) -> None:
        for i in hetc.forall(len(y)):
            total = 0.0
            for j in range(len(x)):
                total += (i + j) * (i + j) / 3
            y[i] = total

    text = opencl(place, squares, np.zeros(4), np.ones(300))
    assert ("_short" in text) == driver.DEVICE_CHOICES[place.traits.family].short_versions
    check_loops(place, squares, lambda: (np.zeros(2), np.ones(50_000)), deopts=None)

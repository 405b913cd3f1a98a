"""Loops whose terms a group computes together: few elements, chunks that are whole and such that are not, and many."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.conftest import agreement, discrete
from tests.device.looping import check_loops
from tests.device.test_coarse_kernels import small_gpu

Numbers = np.ndarray

MOST = 128
"""The fewest elements that are not spread on a device with one compute unit."""


@pytest.fixture
def gpu(device: Device) -> Device:
    return discrete(device)


def quotients(x: Numbers, y: Numbers) -> None:
    """Sums that are other ones if they are added up in another order."""
    for i in hetc.forall(len(y)):
        total = 0.0
        for j in range(len(x)):
            total += x[j] / ((i + j) * (i + j + 1) // 2 + i + 1)
        y[i] = total


@pytest.mark.parametrize("rounds", [0, 1, 16, 63, 64, 127, 128, 129, 257])
@pytest.mark.parametrize("elements", [1, 15, 17, 40])
def test_sums(gpu: Device, elements: int, rounds: int) -> None:
    x = np.random.default_rng(0).random(rounds)
    check_loops(gpu, quotients, lambda: (x, np.zeros(elements)), deopts=None)


@pytest.mark.parametrize("elements", [MOST - 1, MOST, MOST + 1, 300])
def test_few_elements_or_many(device: Device, elements: int) -> None:
    """One launch has all the elements."""
    gpu, x = small_gpu(device), np.random.default_rng(0).random(130)
    check_loops(gpu, quotients, lambda: (x, np.zeros(elements)), deopts=None)
    with hetc.configure(device=gpu, offload="always", fallback="error"), hetc.profile() as p:
        hetc.jit(quotients)(x, np.zeros(elements))
    assert p.launches == 1


@pytest.mark.parametrize("units", [1, 3, 4])
def test_groups_of_as_many_elements_as_balance(device: Device, units: int) -> None:
    """Groups have 1 to 16 elements, and the last one fewer; of arrays that begin and go anywhere."""
    traits = dataclasses.replace(small_gpu(device).traits, compute_units=units)
    gpu, x = dataclasses.replace(device, traits=traits), np.random.default_rng(0).random(2 * 131 + 1)
    for elements in (0, 1, 2, 7, 15, 16, 17, 31, 33, 47, 100):
        check_loops(gpu, quotients, lambda n=elements: (x[1::2], np.zeros(2 * n + 1)[1::2]), deopts=None)
        check_loops(gpu, quotients, lambda n=elements: (x[::-1], np.zeros(n)[::-1]), deopts=None)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int16", "uint8", "float16", "complex64"])
def test_matrix_and_vector(gpu: Device, dtype: str) -> None:
    def multiply(a: Numbers, x: Numbers, y: Numbers) -> None:
        for i in hetc.forall(len(y)):
            total = a[i, 0] - a[i, 0]
            for k in range(len(x)):
                total += a[i, k] * x[k]
            y[i] = total

    random = np.random.default_rng(0)
    a, x = (random.random((33, 150)) * 5).astype(dtype), (random.random(150) * 5).astype(dtype)
    check_loops(gpu, multiply, lambda: (a, x, np.zeros(33, dtype)), deopts=None, fallbacks=None)
    check_loops(gpu, multiply, lambda: (a[::-1, ::-1], x[::-1], np.zeros(66, dtype)[::2]), deopts=None, fallbacks=None)


def test_recurrences(gpu: Device) -> None:
    """Several carried values, bits among them, a minimum and where it is, and one that remembers the last term."""
    table = np.random.default_rng(0).random(300)

    def nearest(x: float) -> tuple[int, float]:
        best, least = -1, 1e9
        for k in range(len(table)):
            distance = abs(x - table[k]) / (1 + table[k])
            if distance < least:
                best, least = k, distance
        return best, least

    def found(x: float) -> tuple[bool, float, float]:
        any_, total, last = False, 0.0, 0.0
        for k in range(len(table)):
            quotient = x / (table[k] + 1)
            any_ = any_ or quotient > 0.9
            total = total * 0.5 + quotient
            last = quotient
        return any_, total, last

    x = np.linspace(-1, 1, 37)
    for function in (nearest, found):
        agreement(gpu)(hetc.map(function), x)


def test_elements_that_fail_run_in_python(gpu: Device) -> None:
    """Divisors that are zero, in any round, and sums that overflow."""
    table = np.arange(1, 300)

    def divided(a: int) -> int:
        total = 0
        for k in range(len(table)):
            total += (table[k] * a) // (k - a)
        return total

    def large(a: int) -> int:
        total = 0
        for k in range(len(table)):
            total += a // (k + 1)
        return total

    agreement(gpu)(hetc.map(divided), list(range(400, 440)), deopts=None)
    agreement(gpu)(hetc.map(divided), list(range(290, 330)), deopts=None)
    agreement(gpu)(hetc.map(large), [*range(40), 2**61, 2**62], deopts=None)


def test_numbers_of_python(gpu: Device) -> None:
    """A sum over a range, and loops that begin elsewhere, or go down to less."""

    def series(low: int, high: int) -> Callable[[float], float]:
        def sum_of(x: float) -> float:
            total = 0.0
            for k in range(low, high):
                total += x / (k * k + 1)
            return total

        return sum_of

    for low, high in ((0, 200), (-100, 77), (5, 500), (9, 3)):
        agreement(gpu)(hetc.map(series(low, high)), np.linspace(0, 1, 21), deopts=None)


def test_what_is_spread(device: Device) -> None:
    gpu, x = discrete(device), np.ones(50)
    table = np.ones(1000)

    def sums(a: float) -> float:
        total = 0.0
        for k in range(len(table)):
            total += a / table[k]
        return total

    def products(a: float) -> float:
        total = 1.0
        for k in range(len(table)):
            total = total / table[k]
        return total + a

    def sources(function: Callable[..., Any]) -> str:
        return hetc.map(function).lower(x).opencl()

    with hetc.configure(device=gpu):
        assert "_spread(" in sources(sums)
        assert "_spread(" not in sources(products)
    if device.traits.family != "gpu":
        with hetc.configure(device=device):
            assert "_spread(" not in sources(sums)

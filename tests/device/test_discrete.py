"""Programs lowered as for a GPU, run on the devices at hand.

A GPU's pipeline differs: launches are rounded up and kernels test their index, indices and small integers have 32 bits,
data is copied. All of that runs on any device.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.conftest import discrete
from tests.device.looping import check_loops

SIZES = (0, 1, 7, 255, 256, 257, 10_007)
OFFSETS = np.arange(50, dtype=np.float32)
LIMIT = 40


@pytest.fixture
def run(device: Device) -> Callable[..., Any]:
    """Call an array function on the device as if it were a GPU, with nothing running in Python."""
    gpu = discrete(device)

    def call(af: hetc.ArrayFunction, *inputs: Any, deopts: int = 0) -> Any:
        with hetc.configure(device=gpu, fallback="error", verify=True), hetc.profile() as p:
            result = af(*inputs)
        assert p.deopts == deopts
        return result

    return call


@pytest.mark.parametrize("size", SIZES)
def test_a_map_covers_each_element_and_no_more(run: Callable[..., Any], size: int) -> None:
    x = np.linspace(-1, 1, size, dtype=np.float32)
    y = np.linspace(5, 7, size, dtype=np.float32)
    found = run(hetc.map(lambda a, b: 2.5 * a + b), x, y)
    np.testing.assert_array_equal(found, np.float32(2.5) * x + y)
    assert found.dtype == np.float32


@pytest.mark.parametrize("size", SIZES)
def test_loops_in_place(device: Device, size: int) -> None:
    def saxpy(x: Any, y: Any) -> Any:
        s = 0
        for i in hetc.forall(len(x)):
            y[i] = 2 * x[i] + y[i]
        for i in hetc.forall(len(x)):
            s += 7 // x[i]
            y[i] += 7 // x[i]
        for i, j in hetc.forall(1, len(x)):
            y[j] += i
        return s, i

    def make(bad: int) -> tuple[Any, ...]:
        return [0 if k == bad else 3 for k in range(size)], np.linspace(0, 9, 2 * size)[::2]

    gpu = discrete(device)
    check_loops(gpu, saxpy, lambda: make(size), fallbacks=None)
    check_loops(gpu, saxpy, lambda: make(size // 2), fallbacks=None, deopts=None)


@pytest.mark.parametrize("size", SIZES)
def test_reductions_of_both_kinds(run: Callable[..., Any], size: int) -> None:
    numbers = list(range(size))
    assert run(hetc.reduce(lambda p, q: p + q, 0), numbers) == sum(numbers)
    last = hetc.map(lambda i: (i, 1)).reduce(lambda p, q: (q[0], p[1] + q[1]), (-1, 0))
    assert run(last, numbers) == (size - 1, size)


def escape(i: int) -> int:
    total = 0
    for j in range(3, 100, 7):
        if j % 2 == 0:
            total = max(total, j)
        if total > LIMIT and i % 3 == 0:
            break
    n = 0
    while n < LIMIT:
        n += 3
    return total * 1000 + n + i // 7 - (i - 50) % 9


def test_narrow_integers_compute_what_python_does(run: Callable[..., Any]) -> None:
    assert run(hetc.map(escape), range(-300, 300)) == [escape(i) for i in range(-300, 300)]


def test_integers_past_32_bits_stay_exact(run: Callable[..., Any]) -> None:
    def large(i: int) -> int:
        return i * i + i * 4_000_000_000

    assert run(hetc.map(large), range(100_000, 100_500)) == [large(i) for i in range(100_000, 100_500)]


def nearest(x: np.float32) -> int:
    best = 0
    for j in range(len(OFFSETS)):
        if abs(OFFSETS[j] - x) < abs(OFFSETS[best] - x):
            best = j
    return best


def test_loops_over_captured_arrays(run: Callable[..., Any]) -> None:
    x = np.linspace(-3, 60, 257, dtype=np.float32)
    np.testing.assert_array_equal(run(hetc.map(nearest), x), [nearest(e) for e in x])


def test_a_guard_that_fails_sends_the_call_to_python(run: Callable[..., Any]) -> None:
    with pytest.raises(ZeroDivisionError):
        run(hetc.map(lambda i: 1 // i), [1, 2, 0, 3])

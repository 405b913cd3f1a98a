"""Variables that are read after the loop that assigns them; `zip(strict=True)`; pairs meant to be numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device

Agree = Callable[..., Any]


def after_a_constant_range(x: int) -> int:
    for k in range(8):
        t = x + k
    return t + k


def after_a_range(n: int) -> tuple[int, int]:
    for i in range(n):
        last = i * i
    return last, i


def nested(n: int) -> int:
    for i in range(3):
        for j in range(i + 1):
            t = j + n
    return t + i


def by_steps(n: int) -> int:
    for i in range(10, n, -3):
        t = i
    return t


def over_a_tuple(x: float) -> float:
    for w in (0.5, x, 2.0):
        t = w * x
    return t + w


def broken_off(n: int) -> int:
    for i in range(n):
        y = i
        if i == 3:
            break
    return y


@pytest.mark.parametrize("size", [0, 1, 7, 255, 257])
def test_a_loop_that_surely_runs(agree: Agree, size: int):
    agree(hetc.map(after_a_constant_range), range(size))
    agree(hetc.map(nested), range(size))
    agree(hetc.map(over_a_tuple), [float(k) for k in range(size)])
    agree(hetc.map(after_a_range), range(1, size + 1))
    agree(hetc.map(by_steps), range(0, -size, -1))
    agree(hetc.map(broken_off), range(1, size + 1))


def test_a_constant_range_needs_no_guard():
    text = hetc.map(after_a_constant_range).lower([1, 2]).mlir("guard-elimination")
    assert "at least once" not in text


def test_a_captured_length(agree: Agree):
    n = 5
    x = np.arange(5.0)

    def total(a: float) -> float:
        for i in range(n):
            t = a + x[i]
        return t

    agree(hetc.map(total), np.arange(300.0))
    n = 0
    agree(hetc.map(total), np.arange(300.0), deopts=None)


@pytest.mark.parametrize("values", [[0], [1, 0], [*range(1, 300), 0]])
def test_where_it_does_not_run_python_raises(agree: Agree, values: list[int]):
    agree(hetc.map(after_a_range), values, deopts=1)


def test_in_parallel_loops(device: Device):
    @hetc.jit(fallback="error")
    def means(a: Any, b: Any) -> None:
        for i in hetc.forall(len(a)):
            for k in range(3):
                t = b[i, k]
            for w in (0.5, 2.0):
                u = t * w
            a[i] = t + u

    a, b = np.zeros(257), np.arange(257.0 * 3).reshape(257, 3)
    with hetc.configure(device=device, offload="always"), hetc.profile() as p:
        means(a, b)
    assert (p.deopts, p.fallbacks) == (0, 0)
    assert np.array_equal(a, 3.0 * b[:, 2])


def test_a_loop_that_may_not_run_goes_from_iteration_to_iteration(device: Device):
    @hetc.jit(fallback="error")
    def last(a: Any, b: Any) -> None:
        for i in hetc.forall(len(a)):
            for k in range(b.shape[1]):
                t = b[i, k]
            a[i] = t

    with hetc.configure(device=device, offload="always"), pytest.raises(hetc.UnsupportedError, match="HETC0017"):
        last(np.zeros(3), np.ones((3, 3)))


def test_a_range_that_is_not_pythons(device: Device):
    @hetc.jit(fallback="error")
    def last(a: Any, b: Any, range: Any) -> None:  # noqa: A002 (that is what is tested)
        for i in hetc.forall(len(a)):
            for k in range(3):
                t = b[i, k]
            a[i] = t

    with hetc.configure(device=device, offload="always"), pytest.raises(hetc.UnsupportedError, match="HETC0017"):
        last(np.zeros(3), np.ones((3, 3)), range)


def test_a_branch_is_still_no_loop(device: Device):
    def late(n: int) -> int:
        for i in range(5):
            if i > n:
                y = i
        return y

    with (
        hetc.configure(device=device, offload="always", fallback="error"),
        pytest.raises(hetc.UnsupportedError, match="HETC0012"),
    ):
        hetc.map(late)([1, 2])


W, V = [1.0, 2.0, 3.0], np.array([4.0, 5.0, 6.0])


def strictly(n: int) -> float:
    total = 0.0
    for a, b, c in zip(W, V, range(n), strict=True):
        total += a * b + c
    return float(total)


def test_zip_that_is_strict(agree: Agree):
    agree(hetc.map(strictly), [3] * 300)
    agree(hetc.map(strictly), [3, 2], deopts=1)
    agree(hetc.map(strictly), [3, 4], deopts=1)
    agree(hetc.map(lambda x: sum(a * b for a, b in zip((x, 2, 3), (4, 5, x), strict=True))), [1, 2])
    agree(hetc.map(lambda x: sum(a * b for a, b in zip((x, 2), (4, 5, x), strict=False))), [1, 2])
    agree(hetc.map(lambda x: sum(a * b for a, b in zip((x, 2), (4, 5, x), strict=True))), [1, 2], fallbacks=None)


def test_a_pair_of_indices_that_is_meant_to_be_a_number(device: Device):
    @hetc.jit(fallback="error")
    def fill(a: Any) -> None:
        for i in hetc.forall(1, len(a)):
            a[i] = a[i - 1]

    with (
        hetc.configure(device=device, offload="always"),
        pytest.raises(hetc.CompileError, match=r"'i' is a pair of indices.* write hetc\.prange\(1, len\(a\)\)"),
    ):
        fill(np.ones(9))

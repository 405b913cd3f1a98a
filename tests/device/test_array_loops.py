"""NumPy statements in loops of Python, on a device: parts of arrays that move and grow, with one plan for all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.array_job import ReadyPlan
from hetc.jit_function import JitFunction
from hetc.runtime.devices import Device
from tests.device.conftest import discrete
from tests.device.test_array_code import check, numbers, same


def plans(function: JitFunction) -> int:
    """The plans that have been made for the statements of a function."""
    assert function._arrays is not None
    return sum(isinstance(k.ready, ReadyPlan) for state in function._arrays.states for k in state.plans.values())


def rank_update(alpha: Any, c: Any, a: Any) -> None:
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]


def columns(a: Any, b: Any, d: Any) -> None:
    for k in range(1, a.shape[2] - 1):
        t = 0.25 * (b[1:, :, k + 1] + b[:-1, :, k])
        a[:, :, k] = t * d - a[:, :, k - 1]
        d[:] = a[:, :, k] * 2.0 - b[1:, :, k]


def paths(path: Any) -> None:
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))


def shifts(a: Any, b: Any) -> None:
    for k in range(1, a.size):
        b[k:] = a[:-k] + b[k - 1]
        a[: k + 1] = b[: k + 1] * 0.5


def means(a: Any, out: Any) -> None:
    for k in range(1, a.shape[0] + 1):
        out[:k] = (a[:k] * 2).mean(axis=1) + a[:k, :k].sum(axis=0)


@pytest.mark.parametrize(
    ("function", "arguments", "most"),
    [
        (rank_update, (1.5, numbers(9, 9), numbers(9, 5, seed=1)), 3),
        (columns, (numbers(4, 3, 9), numbers(5, 3, 9, seed=1), numbers(4, 3, seed=2)), 4),
        (paths, (np.abs(numbers(12, 12)),), 1),
        (shifts, (numbers(17), numbers(17, seed=1)), 8),
        (means, (numbers(9, 9), numbers(9, seed=1)), 6),
    ],
)
def test_loops_over_parts_have_one_plan(
    device: Device, function: Callable[..., None], arguments: tuple[Any, ...], most: int
) -> None:
    check(device, function, *arguments, launches=None, rtol=1e-12)
    compiled = hetc.jit(function)  # pyright: ignore[reportArgumentType, reportCallIssue]
    # With memory of its own, lest the loop around the statements be a task.
    with hetc.configure(device=discrete(device), offload="always"):
        compiled(*(np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments))
    assert isinstance(compiled, JitFunction)
    assert 0 < plans(compiled) <= most


def test_parts_that_overlap_in_one_round_only(device: Device) -> None:
    def moved(a: Any, n: int) -> None:
        for k in (0, 3, 1, 8, 2):
            a[k : k + n] = a[2 : 2 + n] + a[5 : 5 + n] * 0.5

    for n in (1, 2, 3, 7):
        check(device, moved, numbers(40), n, launches=None)


def test_arrays_that_are_one_in_some_calls_only(device: Device) -> None:
    def combined(a: Any, b: Any, c: Any) -> None:
        c[1:] = a[1:] * b[:-1] + c[1:]

    compiled, x, y = hetc.jit(combined), numbers(50), numbers(50, seed=1)
    for choose in (lambda p, q: (p, q, p), lambda p, q: (p, p, q), lambda p, q: (q, p, p), lambda p, q: (p, p, p)) * 2:
        expected, found = choose(x.copy(), y.copy()), choose(x.copy(), y.copy())
        if expected[0] is expected[2]:
            found = (found[2], found[1], found[2]) if found[1] is not found[2] else (found[2],) * 3
        combined(*expected)
        with hetc.configure(device=device, offload="always"):
            compiled(*found)
        for one, other in zip(found, expected, strict=True):
            same(one, other, 0.0)


def test_views_of_one_memory_as_other_types(device: Device) -> None:
    def computed(a: Any, b: Any) -> Any:
        return (a + 1.0) * b

    a = numbers(9)
    check(device, computed, a, a.view(np.int64) % 7, launches=1)
    with hetc.configure(device=device, offload="always"):
        same(hetc.jit(computed)(a, a.view(np.int64)), computed(a, a.view(np.int64)), 0.0)


def test_a_number_is_stored_beside_what_is_computed(device: Device) -> None:
    def stored(y: Any, x: Any) -> None:
        y[:, -1] = 0.0
        y[:, -2] = 2.0 * x[:, -1]
        y[0] = 7
        y[1] = x[1] + 1

    check(device, stored, numbers(6, 5), numbers(6, 5, seed=1), launches=None)
    check(device, stored, numbers(6, 5, dtype="float32"), numbers(6, 5, dtype="float32"), launches=None)


@pytest.mark.parametrize("exponents", [(2, -1, 3), (-1, 2, -2)])
def test_a_number_whose_type_hangs_on_its_value(device: Device, exponents: tuple[int, ...]) -> None:
    def scaled(a: Any, k: int) -> Any:
        return a * 2**k

    compiled, a = hetc.jit(scaled), numbers(9, dtype="int64")
    with hetc.configure(device=device, offload="always"):
        for exponent in exponents:
            same(compiled(a, exponent), scaled(a, exponent), 0.0)


def test_sizes_in_turn(device: Device) -> None:
    def deviation(a: Any) -> Any:
        d = a - a.mean(axis=0)
        return (d * d).sum(axis=0) / a.shape[0], np.sum(d * d)

    compiled = hetc.jit(deviation)
    with hetc.configure(device=device, offload="always"):
        for rows in (1, 7, 255, 257, 7, 0, 2):
            for columns in (1, 3, 7):
                a = numbers(rows, columns)
                if rows:
                    same(compiled(a), deviation(a), 1e-12)
                else:
                    with pytest.warns(RuntimeWarning):
                        compiled(a)

"""What a function was called with is let go as soon as it returns, not when the garbage collector comes by."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from benchmarks.heap import collected
from hetc.runtime.devices import Device


def statements(x: Any) -> Any:
    y = np.exp(x - np.max(x))
    return y / np.sum(y)


def statements_that_go_on(x: Any) -> float:
    y = x * 2.0 + 1.0
    y -= x
    return float(y[0])


def a_parallel_loop(x: Any) -> float:
    total = 0.0
    for i in hetc.forall(len(x)):
        x[i] = x[i] * 0.5
        total += x[i]
    return total


def an_ordinary_loop(x: Any) -> None:
    for i in range(1, len(x)):
        x[i] = x[i] + 0.5 * x[i - 1]


def a_loop_with_a_jump(x: Any) -> int:
    for i in range(len(x)):
        if x[i] > 2.0:
            return i
    return -1


@hetc.jit
def inner(x: Any) -> Any:
    return np.maximum(x, 0.5) * 2.0


def calls(x: Any) -> Any:
    y = inner(x + 1.0)
    return inner(y)


FUNCTIONS = (statements, statements_that_go_on, a_parallel_loop, an_ordinary_loop, a_loop_with_a_jump, calls)


@pytest.mark.parametrize("offload", ["auto", "always", "never"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_arrays_are_let_go(device: Device, function: Callable[[Any], Any], offload: str) -> None:
    compiled = hetc.jit(function)
    with collected(), hetc.configure(candidates=(device,), offload=offload, fallback="silent", threshold=0.0):
        for _ in range(8):
            x = np.linspace(0.0, 1.5, 5000)
            held = weakref.ref(x)
            compiled(x)
            del x
            assert held() is None

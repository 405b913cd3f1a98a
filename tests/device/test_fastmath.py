"""fastmath: floats are nearly those of Python, exceptions are Python's, and without a licence nothing changes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.conftest import SIZES

TOLERANCE = {"float32": 1e-4, "float64": 1e-13}
"""Relative to the largest part of a result; single precision is approximated by what the device has."""


@pytest.fixture(autouse=True)
def strict(target: Device) -> Device:
    """All must be compiled, as shared and as discrete memory."""
    return target


def polynomial(x: Any, y: Any) -> Any:
    return x * x * y - x * y + y / 3 - x / y


def roots(x: Any, y: Any) -> Any:
    return 1 / np.sqrt(x * x + 1) + y / np.sqrt(x + 9)


def functions(x: Any, y: Any) -> Any:
    return np.exp(-x) + np.log(y + 5) * np.sin(x) + np.cos(x) ** 2 - np.tan(y / 8) + np.exp2(y) + np.log2(y + 5)


def loop(x: Any, y: Any) -> Any:
    total = x
    for k in range(1, 20):
        total = total * 0.5 + k / y - x / k
    return total


def scale(x: Any, out: Any) -> None:
    for i in hetc.forall(len(x)):
        out[i] = np.log2(x[i]) / np.float32(7)


@pytest.mark.parametrize("function", [polynomial, roots, functions, loop])
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_results_are_near(function: Callable[..., Any], dtype: str) -> None:
    rng = np.random.default_rng(7)
    fast = hetc.map(function).options(fastmath=True)
    for size in SIZES[:-1]:
        x = rng.uniform(-3, 3, size).astype(dtype)
        y = rng.uniform(0.5, 3, size).astype(dtype)
        found = fast(x, y)
        assert found.dtype == dtype
        expected = function(x.astype("float64"), y.astype("float64"))
        assert np.allclose(found, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * 40)


def test_infinities_and_nan_stay() -> None:
    special = [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan, 5e-324, 1.7e308]
    x, y = (np.array(part) for part in zip(*((a, b) for a in special for b in special), strict=True))
    with np.errstate(all="ignore"):
        expected = x * y + x, x / 3.0 - y
        found = hetc.map(lambda x, y: (x * y + x, x / 3.0 - y)).options(fastmath=True)(x, y)
    for one, other in zip(expected, found, strict=True):
        assert np.array_equal(np.isnan(one), np.isnan(other))
        assert np.array_equal(np.isinf(one), np.isinf(other))


@pytest.mark.parametrize(
    ("function", "data"),
    [
        (lambda x: 1.0 / x, [2.0, 1.0, 0.0, 4.0]),
        (lambda x: x / (x * x - 1.0), [2.0, 1.0]),
        (lambda x: math.sqrt(x - 1.0), [2.0, 1.0, 0.5]),
        (math.log, [1.0, 0.0]),
        (math.exp, [1.0, 1000.0]),
        (lambda x: 1.0 / math.sqrt(x), [1.0, 0.0]),
        (lambda x: [1, 2, 3][int(math.sin(x) * 4.0)], [0.0, 0.2, 1.5]),
    ],
)
def test_exceptions_are_those_of_python(function: Callable[..., Any], data: list[float]) -> None:
    with pytest.raises(Exception) as expected:  # noqa: PT011 (whatever Python raises)
        [function(x) for x in data]
    with pytest.raises(expected.type) as found:
        hetc.map(function).options(fastmath=True)(data)
    assert str(found.value) == str(expected.value)


def test_what_hetc_makes_of_operators_is_exact() -> None:
    x = np.linspace(-50, 50, 1001)
    fast = hetc.map(lambda x: (x // 0.7, x % 0.7, round(x), int(x))).options(fastmath=True)
    for one, other in zip(fast(x), (x // 0.7, x % 0.7, np.array([round(v) for v in x]), x.astype(int)), strict=True):
        assert np.array_equal(one, other)


def test_options_come_before_settings() -> None:
    x = np.linspace(2, 9, 257, dtype="float32")
    function = hetc.map(lambda x: np.log2(x) / np.float32(3))
    exact = np.log2(x) / np.float32(3)
    assert "native_log2" not in function.lower(x).opencl()
    with hetc.configure(fastmath=True):
        assert "native_log2" in function.lower(x).opencl()
        assert "native_log2" not in function.options(fastmath=False).lower(x).opencl()
        fast = function(x)
        assert np.allclose(function.options(fastmath=False)(x), exact, rtol=1e-6)
    assert "native_log2" in function.options(fastmath=True).options(fallback="error").lower(x).opencl()
    assert np.allclose(fast, exact, rtol=1e-4)
    # One kernel does not stand in for the other.
    assert np.array_equal(function(x), function.options(fastmath=False)(x))


def test_a_setting_that_changes_between_calls(strict: Device) -> None:
    """Whatever has been compiled before, a call is compiled for the settings that hold now."""

    def loop(x: Any, out: Any) -> None:
        for i in hetc.forall(len(x)):
            out[i] = np.log2(x[i]) / np.float32(3)

    def statement(x: Any, out: Any) -> None:
        out[:] = np.log2(x) / 3

    x = np.linspace(2, 9, 4001, dtype="float32")
    for function in (hetc.jit(loop), hetc.jit(statement)):
        found: list[Any] = []
        for fastmath in (False, True, False):
            out = np.zeros_like(x)
            with hetc.configure(device=strict, offload="always", fastmath=fastmath), hetc.profile() as p:
                function(x, out)
            assert p.launches
            assert p.compile_ms > 0 or len(found) == 2
            found.append(out)
        assert np.array_equal(found[0], found[2])


@pytest.mark.parametrize("value", [1, "yes", 0.0])
def test_a_value_that_is_none(value: Any) -> None:
    with pytest.raises(ValueError, match="fastmath is True or False, not"):
        hetc.map(lambda x: x).options(fastmath=value)
    with pytest.raises(ValueError, match="fastmath is True or False, not"):
        hetc.jit(scale).options(fastmath=value)


def test_loops_and_statements_of_arrays() -> None:
    x = np.linspace(2, 3, 257, dtype="float32")
    out = np.zeros_like(x)
    fast = hetc.jit(scale).options(fastmath=True)
    assert "native_log2" in fast.lower(x, out).opencl()
    assert "native_log2" not in hetc.jit(scale).lower(x, out).opencl()
    fast(x, out)
    assert np.allclose(out, np.log2(x) / 7, rtol=1e-4)

    def statements(x: Any, y: Any) -> Any:
        y[:] = np.exp(-x * x) / 3
        return y + x

    y = np.zeros_like(x)
    with hetc.configure(offload="always"):
        found = hetc.jit(statements).options(fastmath=True)(x, y)
    assert np.allclose(found, np.exp(-x * x) / 3 + x, rtol=1e-4)

"""NumPy's warnings: Python tells of them from the user's own line, once for each place and call, as NumPy does."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.oracle import in_cpython

Told = list[tuple[type, str, str, int]]
VALUES = [1.0, -1.0, 0.0, -0.0, 2.5, -2.5, 1e300, -1e300, 1e-300, 800.0, np.inf, -np.inf, np.nan]
UNARY = [
    "arccos", "arccosh", "arcsin", "arctanh", "cos", "cosh", "exp", "exp2", "expm1", "log", "log10", "log1p", "log2",
    "reciprocal", "sin", "sinh", "sqrt", "tan", "floor", "abs", "arctan", "tanh",
]  # fmt: skip
BINARY: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x / y,
    lambda x, y: x // y,
    lambda x, y: x % y,
    lambda x, y: np.divide(x, y) + 0.0,
    lambda x, y: np.fmod(x, y) + 0.0,
    lambda x, y: np.hypot(x, y) + 0.0,
    lambda x, y: np.float_power(x, y) + 0.0,
]


def told(call: Callable[[], Any]) -> tuple[Any, set[tuple[type, str, str, int]]]:
    """The result of a call, and what it warned of, where, however often."""
    with warnings.catch_warnings(record=True) as found, np.errstate(all="warn", under="ignore"):
        warnings.simplefilter("always")
        result = call()
    return result, {(one.category, str(one.message), one.filename, one.lineno) for one in found}


def assert_tells(device: Device, function: Callable[..., Any], inputs: Sequence[Any]) -> None:
    af = hetc.map(function)
    expected, warned = told(lambda: in_cpython(af, inputs))
    with hetc.configure(device=device, offload="always", fallback="error"), hetc.profile() as p:
        found, also = told(lambda: af(*inputs))
    np.testing.assert_allclose(found, expected, rtol=1e-5 if np.asarray(expected).dtype == np.float32 else 1e-13)
    assert also == warned
    assert p.deopts == 0


def spread(values: Sequence[float], size: int = 1500) -> list[float]:
    """The values one by one, far apart, among ones."""
    data = np.ones(size)
    data[:: size // len(values)][: len(values)] = values
    return list(data)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x / (1 + abs(x)),
        lambda x: 1 / (2 + abs(x)),
        lambda x: 3 / (-2 - abs(x)),
        lambda x: np.sqrt(abs(x)) + np.log(1 + abs(x)),
        lambda x: np.exp(-abs(x)) + np.exp(3 / (1 + abs(x))),
        lambda x: np.exp(abs(x)) - 1,
        lambda x: np.sin(1 / (1 + abs(x))) * np.cos(x),
    ],
)
def test_what_ranges_decide(device: Device, function: Callable[[Any], Any], dtype: type) -> None:
    """No question is asked where the ranges of operands show that NumPy does not warn; where it may, one is."""
    with np.errstate(all="ignore"):
        assert_tells(device, function, [np.array(spread(VALUES), dtype)])


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("value", VALUES)
def test_functions(device: Device, name: str, value: float) -> None:
    function = getattr(np, name)
    assert_tells(device, lambda x: function(x) + 0.0, [np.array(spread([value, 0.5, 1.0]))])


@pytest.mark.parametrize("function", BINARY)
def test_operators(device: Device, function: Callable[[Any, Any], Any]) -> None:
    for y in VALUES:
        for x in (1.0, 0.0, np.inf, np.nan):
            assert_tells(device, function, [np.array(spread([x])), np.array(spread([y]))])


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint16"])
def test_integers_divided_by_zero(device: Device, dtype: str) -> None:
    x, y = np.full(700, 7, dtype), np.full(700, 2, dtype)
    y[[300, 600]] = 0
    assert_tells(device, lambda x, y: x // y, [x, y])
    assert_tells(device, lambda x, y: x % y, [x, y])
    y[:] = 3
    assert_tells(device, lambda x, y: x // y, [x, y])


def several_places(x: Any, y: Any) -> Any:
    total = x / y
    for k in range(3):
        total += np.sqrt(x - k)
    return total if y == 0 else total + np.log(y)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_each_place_is_told_of(device: Device, dtype: str) -> None:
    """The first block in which each warns is run; they are in different ones, and one warns of two things."""
    x, y = np.full(3000, 5, dtype), np.full(3000, 5, dtype)
    x[2000], y[1000], y[1500], x[1500], y[2500] = -1, 0, 0, 0, -1
    assert_tells(device, several_places, [x, y])


@dataclass
class Pair:
    x: np.float64
    y: np.float64


def test_of_a_program_with_objects_one_block_is_run(device: Device) -> None:
    """What Python runs for a warning alone changes nothing that other elements read, whatever their methods do."""
    data = [Pair(np.float64(1), np.float64(k % 400 != 100)) for k in range(1000)]
    with (
        hetc.configure(device=device, offload="always", fallback="error"),
        warnings.catch_warnings(record=True) as found,
    ):
        warnings.simplefilter("always")
        hetc.map(lambda pair: pair.x / pair.y)(data)
    assert [str(one.message) for one in found] == ["divide by zero encountered in scalar divide"]


def test_an_error_is_raised_at_the_first_element(device: Device) -> None:
    y = np.ones(2000)
    y[[900, 1100]] = 0
    quotient = hetc.map(lambda x, y: x / y).on(device)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="divide by zero") as raised:
            quotient(np.ones(2000), y)
    assert raised.traceback[-1].path.samefile(__file__)


def test_nothing_is_looked_for_where_nobody_wants_to_know(device: Device) -> None:
    quotient, x = hetc.map(lambda x, y: x / y).on(device), np.arange(300.0)
    with np.errstate(all="ignore"):
        assert "isnan" not in quotient.lower(x, x).opencl()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.isnan(quotient(x, x)[0])
    assert "INFINITY" in quotient.lower(x, x).opencl()
    assert "INFINITY" not in hetc.map(lambda x: x / 2).on(device).lower(x).opencl()


def test_python_numbers_do_not_warn(device: Device) -> None:
    with hetc.configure(device=device, offload="always"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hetc.map(lambda x: x / 2.0)([np.inf, 1e308]) == [np.inf, 5e307]


def test_of_an_element_that_python_runs_anyway(device: Device) -> None:
    x, y = np.arange(2000.0), [1] * 2000
    y[700], y[1500] = 0, 2**62
    function = lambda x, y: np.log(x) + 1 // y + y * 4  # noqa: E731
    af = hetc.map(function)
    with np.errstate(all="ignore"), hetc.configure(device=device, offload="always"), pytest.raises(ZeroDivisionError):
        af(x, y)
    y[700] = 1
    expected, warned = told(lambda: in_cpython(af, [x, y]))
    with hetc.configure(device=device, offload="always", fallback="error"), hetc.profile() as p:
        found, also = told(lambda: af(x, y))
    assert (p.deopts, also) == (1, warned)
    np.testing.assert_allclose(np.array(found, float), np.array(expected, float), rtol=1e-13)

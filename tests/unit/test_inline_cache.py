"""What an array function remembers of its calls: it is used again, and never where something has changed."""

from __future__ import annotations

import gc
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.jobs import Job
from hetc.runtime import devices

pytestmark = pytest.mark.skipif(not devices.list_devices(), reason="there is no OpenCL device")

X = np.arange(1.0, 5.0)

factor: Any = 2.0
module = types.ModuleType("module")
module.factor = 3.0  # type: ignore[attr-defined]
late: Any


def scaled(x: Any) -> Any:
    return factor * x


def helper(x: Any) -> Any:
    return x + 1


def calls_helper(x: Any) -> Any:
    return helper(x)


def reads_module(x: Any) -> Any:
    return module.factor * x  # type: ignore[attr-defined]


def reads_numpy(x: Any) -> Any:
    return np.sqrt(x)


def with_default(x: Any, by: Any = 2.0) -> Any:
    return by * x


def absolute(x: Any) -> Any:
    return abs(x)


@pytest.fixture
def described(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one for each call that is described anew."""
    found: list[int] = []
    of = Job.of

    def counted(*arguments: Any, **options: Any) -> Job:
        found.append(1)
        return of(*arguments, **options)

    monkeypatch.setattr(Job, "of", staticmethod(counted))
    return found


def seen(function: hetc.ArrayFunction, plain: Callable[..., Any], *inputs: Any) -> None:
    """A call gives what Python gives."""
    with hetc.configure(fallback="error"):
        result = function(*inputs)
    expected = np.array([plain(*row) for row in zip(*inputs, strict=True)])
    np.testing.assert_array_equal(result, expected)
    assert result.dtype == expected.dtype


def test_a_call_that_looks_the_same_is_not_described_again(described: list[int]) -> None:
    function = hetc.map(calls_helper)
    for start in range(4):
        assert np.array_equal(function(X + start), X + start + 1)
    assert len(described) == 1
    function(X[:2])
    function(X)
    function(X[1:3])
    assert len(described) == 2


@pytest.mark.parametrize("value", [5.0, 7, 2**40, np.float32(1.5), True])
def test_other_values_of_a_global(value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    function = hetc.map(scaled)
    seen(function, scaled, X)
    monkeypatch.setitem(globals(), "factor", value)
    seen(function, scaled, X)
    seen(function, scaled, X)


def test_values_of_one_type_are_looked_up_and_no_more(described: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    function = hetc.map(scaled)
    for value in (2.0, 3.0, 4.0):
        monkeypatch.setitem(globals(), "factor", value)
        seen(function, scaled, X)
    assert len(described) == 1


def test_a_captured_array_that_is_replaced() -> None:
    values: Any = np.array([10.0, 20.0])

    def reads(x: Any) -> Any:
        return values[1] * x

    function = hetc.map(reads)
    seen(function, reads, X)
    values = np.array([1, 2, 3], np.int32)
    seen(function, reads, X)
    values = [4.0, 5.0]
    seen(function, reads, X)
    values[1] = 6.5
    seen(function, reads, X)


def test_another_function_of_the_same_name(monkeypatch: pytest.MonkeyPatch) -> None:
    function = hetc.map(calls_helper)
    seen(function, calls_helper, X)
    monkeypatch.setitem(globals(), "helper", lambda x: x * 10)
    seen(function, calls_helper, X)


def test_other_code_and_other_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    function = hetc.map(with_default)
    seen(function, with_default, X)
    monkeypatch.setattr(with_default, "__defaults__", (5,))
    seen(function, with_default, X)
    monkeypatch.setattr(with_default, "__code__", absolute.__code__)
    seen(function, absolute, X)


def test_an_attribute_of_a_module(monkeypatch: pytest.MonkeyPatch) -> None:
    function = hetc.map(reads_module)
    seen(function, reads_module, X)
    monkeypatch.setattr(module, "factor", 4)
    seen(function, reads_module, X)
    monkeypatch.setitem(globals(), "module", types.SimpleNamespace(factor=9.0))
    with hetc.configure(fallback="silent"):
        assert np.array_equal(function(X), X * 9.0)


def test_a_function_of_numpy_that_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    function = hetc.map(reads_numpy)
    seen(function, reads_numpy, X)
    monkeypatch.setattr(np, "sqrt", np.square)
    seen(function, reads_numpy, X)


def test_a_builtin_that_a_global_hides(monkeypatch: pytest.MonkeyPatch) -> None:
    function = hetc.map(absolute)
    seen(function, absolute, -X)
    monkeypatch.setitem(globals(), "abs", lambda x: x * 100)
    seen(function, absolute, -X)


def test_a_variable_of_a_closure() -> None:
    def make() -> tuple[Callable[[Any], Any], Callable[[Any], None]]:
        by: Any = 1.5

        def times(x: Any) -> Any:
            return by * x

        def change(value: Any) -> None:
            nonlocal by
            by = value

        return times, change

    times, change = make()
    function = hetc.map(times)
    seen(function, times, X)
    for value in (2.5, 3, 2):
        change(value)
        seen(function, times, X)


def test_an_integer_that_is_as_large_as_the_data() -> None:
    length: Any = 4

    def reads(x: Any) -> Any:
        return x + length

    function = hetc.map(reads)
    for length in (4, 4, 3, 2**62):  # noqa: B007 (the function reads it)
        seen(function, reads, X)


@pytest.mark.parametrize("other", [X.astype(np.float32), X.astype(np.int64), X[::2], X[::-1], np.broadcast_to(2.5, 4)])
def test_inputs_of_other_kinds(other: Any) -> None:
    function = hetc.map(with_default)
    seen(function, with_default, X)
    seen(function, with_default, other)
    assert function([1.0, 2.0]) == [2.0, 4.0]
    assert function(range(3)) == [0.0, 2.0, 4.0]
    seen(function, with_default, X)


def test_rows_are_described_at_each_call(described: list[int]) -> None:
    function = hetc.map(lambda row: row[0] + row[1])
    for start in range(3):
        matrix = np.arange(6.0).reshape(3, 2) + start
        assert np.array_equal(function(matrix), matrix.sum(axis=1))
    assert len(described) == 3


def test_other_settings_and_other_error_states() -> None:
    function = hetc.map(reads_numpy)
    seen(function, reads_numpy, X)
    with np.errstate(all="raise"), pytest.raises(hetc.UnsupportedError), hetc.configure(fallback="error"):
        function(X)
    with hetc.configure(offload="never"), hetc.profile() as profile:
        function(X)
    assert profile.launches == 0
    with np.errstate(invalid="ignore"):
        function(-X)
    with pytest.warns(RuntimeWarning, match="invalid value"):
        function(-X)


def test_another_device_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    function = hetc.map(with_default)
    monkeypatch.delenv("HETC_DEVICE", raising=False)
    seen(function, with_default, X)
    monkeypatch.setenv("HETC_DEVICE", "no such device")
    with pytest.raises(hetc.DeviceError, match="no such device"):
        function(X)


def test_what_is_remembered_keeps_no_data_alive() -> None:
    values = np.array([1.0, 2.0])

    def reads(x: Any) -> Any:
        return values[0] + x

    function = hetc.map(reads)
    given = X.copy()
    function(given)
    there = [weakref.ref(given), weakref.ref(values)]
    del given
    values = np.array([3.0])
    gc.collect()
    assert [reference() for reference in there] == [None, None]
    assert np.array_equal(function(X), X + 3)

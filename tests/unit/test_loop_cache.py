"""What a parallel loop remembers of its runs: it is used again, and never where something has changed."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import parallel
from hetc.runtime import devices

pytestmark = pytest.mark.skipif(not devices.list_devices(), reason="there is no OpenCL device")

factor: Any = 2.0


def helper(x: Any) -> Any:
    return x + 1


def other_helper(x: Any) -> Any:
    return x - 1


def scale(x: Any, y: Any) -> None:
    for i in hetc.forall(len(y)):
        y[i] = factor * x[i]


def scale_by(x: Any, y: Any, by: Any) -> None:
    for i in hetc.forall(len(y)):
        y[i] = by * x[i] // 1


def calls(x: Any, y: Any, function: Any) -> None:
    for i in hetc.forall(len(y)):
        y[i] = function(x[i])


@pytest.fixture(autouse=True)
def on_devices() -> Iterator[None]:
    with hetc.configure(offload="always", fallback="error"):
        yield


@pytest.fixture
def described(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one for each run that is described anew."""
    found: list[int] = []
    make = parallel.loop_job

    def counted(*arguments: Any, **options: Any) -> Any:
        found.append(1)
        return make(*arguments, **options)

    monkeypatch.setattr(parallel, "loop_job", counted)
    return found


def check(function: Callable[..., Any], compiled: Any, x: Any, y: Any, *others: Any) -> None:
    """A call leaves what Python leaves."""
    expected = y.copy()
    function(x, expected, *others)
    compiled(x, y, *others)
    np.testing.assert_array_equal(y, expected)


def numbers(size: int = 7, dtype: str = "float64") -> tuple[Any, Any]:
    return np.arange(1, size + 1).astype(dtype), np.zeros(size, dtype)


def test_a_run_that_looks_the_same_is_not_described_again(described: list[int]) -> None:
    compiled = hetc.jit(scale)
    for _ in range(4):
        check(scale, compiled, *numbers())
    assert len(described) == 1
    for size, dtype in ((5, "float64"), (7, "float32"), (0, "float64"), (1, "float64"), (257, "float64")):
        for _ in range(2):
            check(scale, compiled, *numbers(size, dtype))
    assert len(described) == 5  # a loop without iterations is no run


def test_values_of_globals_and_variables(described: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, by = hetc.jit(scale), hetc.jit(scale_by)
    for value in (2.0, 3.0, -4.0, 5, 7, 2**40, np.float32(1.5), True):
        monkeypatch.setitem(globals(), "factor", value)
        check(scale, compiled, *numbers())
        check(scale, compiled, *numbers())
        check(scale_by, by, *numbers(), value)
        check(scale_by, by, *numbers(), value)
    # Numbers of one type and sign are looked up, and no more; of integers the value counts.
    assert len(described) < 4 * 8


def test_integers_that_become_constants() -> None:
    compiled = hetc.jit(scale_by)
    for number in (3,) * 12 + (4,) * 3 + (3,) * 3:
        check(scale_by, compiled, *numbers(), number)


def test_another_function_of_the_same_name(described: list[int]) -> None:
    compiled = hetc.jit(calls)
    for function in (helper, helper, other_helper, other_helper, helper):
        check(calls, compiled, *numbers(), function)
    assert len(described) == 3


def test_arrays_that_may_not_be_stored_to() -> None:
    compiled = hetc.jit(scale)
    x, y = numbers(8)
    check(scale, compiled, x, y)
    check(scale, compiled, x[::-1], y[::2].repeat(2))
    # The same looks, but what is stored overlaps what is read, itself, or is read-only: Python's errors and results.
    with hetc.configure(fallback="silent"):
        both = np.arange(9.0)
        expected = both.copy()
        scale(expected[:8], expected[1:])
        compiled(both[:8], both[1:])
        np.testing.assert_array_equal(both, expected)
        y.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            compiled(x, y)


def test_error_states_and_settings(described: list[int]) -> None:
    compiled = hetc.jit(scale)
    check(scale, compiled, *numbers())
    with np.errstate(all="ignore"):
        check(scale, compiled, *numbers())
    with hetc.configure(fastmath=True):
        check(scale, compiled, *numbers())
    assert len(described) == 3


def test_a_warning_that_comes_later() -> None:
    def divide(x: Any, y: Any) -> None:
        for i in hetc.forall(len(y)):
            y[i] = 1 / x[i]

    compiled = hetc.jit(divide)
    x, y = numbers()
    for _ in range(3):
        compiled(x, y)
    x[3] = 0
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        compiled(x, y)
    x[3] = 1
    compiled(x, y)
    assert y[3] == 1


def test_no_array_is_kept_alive() -> None:
    compiled = hetc.jit(scale)
    x, y = numbers()
    compiled(x, y)
    compiled(x, y)
    watched = [weakref.ref(x), weakref.ref(y)]
    del x, y
    gc.collect()
    assert [one() for one in watched] == [None, None]


def total(x: Any, start: Any) -> Any:
    s = start
    for i in hetc.forall(len(x)):
        s += x[i]
    return s


def largest(x: Any, start: Any) -> Any:
    s = start
    for i in hetc.forall(len(x)):
        s = max(s, x[i])
    return s


def every(x: Any, start: Any) -> Any:
    s = start
    for i in hetc.forall(len(x)):
        s = s and x[i] > 2
    return s


def outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        value = function(*arguments)
    except Exception as error:  # noqa: BLE001 (whatever it is, it is compared)
        return type(error), str(error)
    return type(value), value


@pytest.mark.parametrize("function", [total, largest, every])
@pytest.mark.parametrize("dtype", ["float64", "int64", "int16"])
def test_sums_are_remembered_by_what_they_start_from(
    function: Callable[..., Any], dtype: str, described: list[int]
) -> None:
    compiled = hetc.jit(fallback="silent")(function)
    x = np.arange(3, 10).astype(dtype)
    start = x.dtype.type(1)
    for _ in range(3):
        assert outcome(compiled, x, start) == outcome(function, x, start)
    assert len(described) == 1
    others = (1.5, -1.5, 4, 99, -7, True, False, np.float32(2), np.int16(3), 1j, 2**80, 40_000, "text", None, start)
    for other in (*others, *reversed(others)):
        assert outcome(compiled, x, other) == outcome(function, x, other)
    assert outcome(compiled, x[:2], start) == outcome(function, x[:2], start)
    assert outcome(compiled, x[::2], start) == outcome(function, x[::2], start)


def test_a_function_named_max_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = hetc.jit(fallback="silent")(largest)
    x = np.arange(5.0)
    for _ in range(3):
        assert compiled(x, -1.0) == 4.0
    monkeypatch.setitem(globals(), "max", min)
    assert compiled(x, -1.0) == -1.0


def test_a_sum_that_goes_on_in_python(described: list[int]) -> None:
    compiled = hetc.jit(fallback="silent")(total)
    x = np.array([1, 2, 3], dtype=object)
    for _ in range(3):
        assert compiled([1, 2, 3], 0) == 6
    assert compiled([2**62, 2**62, 2**62], 0) == 3 * 2**62
    assert compiled([1, 2, 3], 2**63 - 2) == 2**63 + 4
    assert compiled(x, 0) == 6

"""Where calls run under offload="auto": the estimates, the decisions, and that no element runs twice in vain."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import api
from hetc.dispatch import Dispatcher
from hetc.hotness import CALL_SECONDS, EXPLORE, CompilerTimes, FunctionTimes, Hotness
from hetc.runtime import devices

needs_device = pytest.mark.skipif(not devices.list_devices(), reason="there is no OpenCL device")


pytestmark = pytest.mark.usefixtures("work_clock")


@pytest.fixture(autouse=True)
def dispatcher(monkeypatch: pytest.MonkeyPatch) -> Dispatcher:
    """Nothing compiled or measured yet."""
    fresh = Dispatcher()
    monkeypatch.setattr(api, "_dispatcher", fresh)
    return fresh


@pytest.fixture(autouse=True)
def auto(always_offload: None) -> Iterator[None]:
    with hetc.configure(offload="auto"):
        yield


@pytest.fixture
def eager() -> Iterator[None]:
    """Compile as soon as the device is estimated to be faster."""
    with hetc.configure(threshold=0):
        yield


LARGE = np.arange(100_000.0)


# --- Estimates and decisions -----------------------------------------------------------------------------------------


def decide(times: FunctionTimes, size: int, *, threshold: float | None = 0.1, kernel: bool = False) -> Any:
    return Hotness().decide(times, size, threshold, lambda: kernel)


def test_what_is_not_known_yet_runs_in_python() -> None:
    decision = decide(FunctionTimes(1e-9), 10**9)
    assert not decision.offload
    assert "not known" in decision.reason


def test_little_data_runs_in_python_even_where_there_is_a_kernel() -> None:
    times = FunctionTimes(1e-9, per_element=1e-6, compiled=True)
    assert not decide(times, 10, kernel=True).offload
    assert decide(times, 1000, kernel=True).offload


def test_a_call_is_compiled_if_it_saves_more_than_that_costs() -> None:
    times = FunctionTimes(1e-9, per_element=1e-6)
    assert not decide(times, 90_000).offload
    assert decide(times, 110_000).offload
    assert decide(times, 90_000, threshold=0.05).offload
    assert not decide(times, 110_000, threshold=1).offload


def test_what_earlier_calls_would_have_saved_counts() -> None:
    times = FunctionTimes(0.0, per_element=1e-6)
    calls = 0
    while not decide(times, 1000).offload:
        times.ran_in_python(1e-3, 1000, refused=False)
        calls += 1
    assert calls == pytest.approx(0.1 / (1e-3 - CALL_SECONDS), abs=2)
    times.ran_on_device(1000, None)
    assert times.saved == 0.0


def test_calls_too_small_for_the_device_are_never_compiled_however_many() -> None:
    times = FunctionTimes(0.0, per_element=1e-6)
    for _ in range(10**4):
        times.ran_in_python(10e-6, 10, refused=False)
    assert not decide(times, 10, threshold=0).offload


def test_what_cannot_be_compiled_saves_nothing() -> None:
    times = FunctionTimes(0.0, per_element=1e-6, saved=1.0)
    times.ran_in_python(1.0, 1000, refused=True)
    assert times.saved == 0.0


def test_a_kernel_is_measured_again_after_a_while() -> None:
    times = FunctionTimes(0.0, per_element=1e-6, compiled=True)
    times.runs.append((100, 1.0))  # the machine was busy
    assert not decide(times, 100, kernel=True).offload
    times.idle = (EXPLORE + 1) * times.device(100)
    decision = decide(times, 100, kernel=True)
    assert decision.offload
    assert "from time to time" in decision.reason
    assert not decide(times, 100, kernel=False).offload, "nothing is compiled for that"


def test_the_device_takes_a_straight_line() -> None:
    times = FunctionTimes(1e-9)
    assert times.device(10**6) == CALL_SECONDS + 1e-3
    times.runs.append((1000, 1e-3))
    assert times.device(2000) == pytest.approx(2e-3, rel=0.1)
    times.runs += [(3000, 2e-3), (1000, 1e-3)]
    assert times.device(5000) == pytest.approx(3e-3)
    assert times.device(0) == pytest.approx(0.5e-3)


def test_compilation_is_estimated_from_what_was_measured() -> None:
    compiler = CompilerTimes()
    assert compiler.estimate() > 0.05
    compiler.add(0.3)
    assert compiler.seconds == 0.3
    compiler.add(0.1)
    assert compiler.seconds == pytest.approx(0.2)


# --- Calls -----------------------------------------------------------------------------------------------------------


def test_a_small_call_loads_neither_the_compiler_nor_pyopencl() -> None:
    code = (
        "import sys, hetc, numpy as np\n"
        "assert hetc.map(lambda x: x + 1)([1, 2]) == [2, 3]\n"
        "assert hetc.map(lambda x: x + 1)(np.arange(3)).tolist() == [1, 2, 3]\n"
        "assert hetc.reduce(lambda a, b: a + b, 0)(range(4)) == 6\n"
        "print([name for name in ('xdsl', 'pyopencl') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.strip() == "[]", run.stderr


def test_small_calls_are_counted() -> None:
    square = hetc.map(lambda x: x * x)
    with hetc.profile() as p:
        for values in ([3], (), range(4)):
            square(values)
    assert (p.in_python, p.launches, p.fallbacks) == (3, 0, 0)


@needs_device
@pytest.mark.usefixtures("eager")
def test_a_large_call_goes_to_the_device_after_its_first_elements() -> None:
    with hetc.profile() as p:
        result = hetc.map(lambda x: x * x + 1)(LARGE)
    np.testing.assert_array_equal(result, LARGE * LARGE + 1)
    assert (p.in_python, p.fallbacks) == (0, 0)
    assert p.launches > 0


@needs_device
def test_many_calls_that_save_a_little_are_compiled_in_the_end() -> None:
    values = np.arange(5000.0)
    square = hetc.map(lambda x: x * x)
    # 5 ms a call in Python: one call saves less than the kernel costs, and the hundred of them more.
    with hetc.configure(threshold=0.1), hetc.profile() as p:
        for _ in range(100):
            np.testing.assert_array_equal(square(values), values * values)
    assert 15 < p.in_python < 25
    assert p.launches >= 100 - p.in_python


@needs_device
def test_always_and_never_overrule() -> None:
    square = hetc.map(lambda x: x * x)
    with hetc.configure(offload="always"), hetc.profile() as p:
        square([1, 2])
    assert (p.in_python, p.launches) == (0, 1)
    with hetc.configure(offload="never", threshold=0), hetc.profile() as p:
        square(LARGE)
    assert (p.in_python, p.launches) == (0, 0)
    with hetc.profile() as p:
        square.on(hetc.devices()[0])([1.5])
    assert (p.in_python, p.launches) == (0, 1)


@needs_device
@pytest.mark.usefixtures("eager")
def test_what_is_not_compiled_goes_on_in_python_and_runs_each_element_once() -> None:
    seen: list[float] = []

    def noted(x: float) -> float:
        seen.append(x)
        return x + 1

    with pytest.warns(hetc.FallbackWarning, match="HETC0002"), hetc.profile() as p:
        result = hetc.map(noted)(LARGE)
    np.testing.assert_array_equal(result, LARGE + 1)
    assert seen == LARGE.tolist()
    assert (p.in_python, p.fallbacks) == (0, 1)


@needs_device
@pytest.mark.usefixtures("eager")
def test_a_reduction_that_is_not_compiled_goes_on_where_it_was() -> None:
    seen: list[Any] = []

    def doubled(x: Any) -> Any:
        seen.append(("map", x))
        return 2 * x

    def add(a: Any, b: Any) -> Any:
        seen.append(("add", b))
        return a + b

    numbers = list(range(50_000))
    with hetc.profile() as p:
        assert hetc.map(doubled).reduce(add, 0)(numbers) == 2 * sum(numbers)
    assert (p.in_python, p.fallbacks) == (1, 0), "it has begun, and its first elements cannot run twice"
    with pytest.warns(hetc.FallbackWarning):
        assert hetc.map(doubled).reduce(add, 0)(numbers) == 2 * sum(numbers)
    assert seen == [event for x in numbers for event in (("map", x), ("add", 2 * x))] * 2


@needs_device
@pytest.mark.usefixtures("eager")
def test_a_reduction_runs_on_the_device_as_a_whole() -> None:
    with hetc.profile() as p:
        assert hetc.map(lambda x: x * 2).reduce(lambda a, b: a + b, 0)(np.arange(100_000)) == 99_999 * 100_000
    assert p.launches > 0


@needs_device
@pytest.mark.usefixtures("eager")
def test_fallback_error_raises_after_the_first_elements() -> None:
    with hetc.configure(fallback="error"), pytest.raises(hetc.UnsupportedError):
        hetc.map(lambda x: {x}.pop())(LARGE)
    with hetc.configure(fallback="error"):
        assert hetc.map(lambda x: {x}.pop())([1]) == [1], "little data is no reason to compile"


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("place", [0, 3, 60_000])
def test_exceptions_come_from_the_first_element_that_raises(place: int) -> None:
    values = list(range(place, -40_000, -1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hetc.FallbackWarning)
        with pytest.raises(ZeroDivisionError) as error:
            hetc.map(lambda x: 1 // x)(values)
    assert error.traceback[-1].path.name == "test_hotness.py"


def test_stop_iteration_ends_no_loop() -> None:
    def stops(x: int) -> int:
        raise StopIteration(x)

    with pytest.raises(StopIteration):
        hetc.map(stops)([1, 2])


def test_a_function_that_lengthens_its_input_sees_what_it_added() -> None:
    values = [1, 2, 3]

    def lengthens(x: int) -> int:
        if len(values) < 50:
            values.append(x + 1)
        return x

    assert hetc.map(lengthens)(values) == values
    assert len(values) == 50


def test_inputs_without_one_known_length_take_the_usual_way() -> None:
    with pytest.raises(hetc.InputError, match="different lengths"):
        hetc.map(lambda x, y: x + y)([1], [1, 2])
    with pytest.warns(hetc.FallbackWarning):
        assert hetc.map(lambda x: x + 1)(iter([1, 2])) == [2, 3]


def test_the_times_of_few_functions_are_kept(monkeypatch: pytest.MonkeyPatch, dispatcher: Dispatcher) -> None:
    monkeypatch.setattr("hetc.hotness.MAX_FUNCTIONS", 2)
    for function in (lambda x: x, lambda x: x + 1, lambda x: x + 2):
        hetc.map(function)([1])
    assert len(dispatcher.hotness.times) == 2


def test_bad_thresholds() -> None:
    for value in (-1, float("nan"), True, "1"):
        with pytest.raises(ValueError, match="threshold is a number of seconds"):
            hetc.configure(threshold=value)  # pyright: ignore[reportArgumentType]


@needs_device
def test_calls_from_many_threads() -> None:
    square = hetc.map(lambda x: x * x + 1)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda n: squared(square, n), range(64)))
    assert results == [n * n + 1.0 for n in range(64)]


def squared(square: hetc.ArrayFunction, n: int) -> float:
    with hetc.configure(offload="auto", threshold=0):
        return square(np.full(5000 + 100 * n, float(n)))[n]

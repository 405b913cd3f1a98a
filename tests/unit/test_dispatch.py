"""Dispatch: what is compiled when, what is counted, and how a call runs without any device."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import api
from hetc.dispatch import CACHE_SIZE, Dispatcher
from hetc.runtime import devices

needs_device = pytest.mark.skipif(not devices.list_devices(), reason="there is no OpenCL device")


@pytest.fixture(autouse=True)
def dispatcher(monkeypatch: pytest.MonkeyPatch) -> Dispatcher:
    """Nothing compiled yet, nothing warned about."""
    fresh = Dispatcher()
    monkeypatch.setattr(api, "_dispatcher", fresh)
    return fresh


@pytest.fixture
def no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without OpenCL."""
    monkeypatch.setattr(devices, "_find_devices", tuple)
    monkeypatch.delenv("HETC_DEVICE", raising=False)


@pytest.fixture
def strict() -> Iterator[None]:
    with hetc.configure(fallback="error"):
        yield


def compiles(call: Any) -> int:
    """How many calls were compiled, the others being cache hits or Python's."""
    before = len(api._dispatcher.compiled)
    call()
    return len(api._dispatcher.compiled) - before


def square_all() -> hetc.ArrayFunction:
    return hetc.map(lambda x: x * x)


# --------------------------------------------------------------------------------------------------------------------
# The cache of compiled calls
# --------------------------------------------------------------------------------------------------------------------


@needs_device
@pytest.mark.usefixtures("strict")
def test_the_second_call_hits_the_cache() -> None:
    square = square_all()
    with hetc.profile() as first:
        square([1.0, 2.0])
    assert first.cache_hits == 0
    assert first.compile_ms > 0
    with hetc.profile() as second:
        for values in ([1.0, 2.0], [3.0], [4.0, 5.0, 6.0]):
            assert square(values) == [value * value for value in values]
    assert second.cache_hits == 3
    assert second.compile_ms == 0.0


@needs_device
@pytest.mark.usefixtures("strict")
def test_other_objects_with_the_same_functions_share_a_kernel() -> None:
    assert compiles(lambda: [square_all()([1.0]) for _ in range(3)]) == 1


@needs_device
@pytest.mark.usefixtures("strict")
def test_types_containers_and_bounds_select_kernels() -> None:
    square = square_all()
    inputs: list[Any] = [
        [1.0], (1.0,), np.ones(1), np.ones(1, np.float32), [1], range(1), [True], [-1], [2**40], [np.float32(1)],
    ]  # fmt: skip
    for value in inputs:
        assert compiles(lambda: square(value)) == 1, value  # noqa: B023
        assert compiles(lambda: square(value)) == 0, value  # noqa: B023
    assert compiles(lambda: square([1, 5, 1000])) == 0, "bounds are rounded, so that few kernels do"
    assert compiles(lambda: square(np.ones(1000))) == 0, "the length selects no kernel"


@needs_device
@pytest.mark.usefixtures("strict")
def test_captured_values_select_by_type_and_bounds_only() -> None:
    k: Any = 3
    scaled = hetc.map(lambda x: x * k)
    assert compiles(lambda: scaled([1.0])) == 1
    k = 4
    assert compiles(lambda: scaled([1.0])) == 0
    assert scaled([1.0]) == [4.0]
    for k in (2.5, np.float32(2), True, -1, 2**40):  # noqa: B007
        assert compiles(lambda: scaled([1.0])) == 1
    k = 7
    assert compiles(lambda: scaled([1.0])) == 0, "the first kernel is still there"


@needs_device
@pytest.mark.usefixtures("strict")
def test_what_a_name_means_selects_a_kernel() -> None:
    import math

    def twice(x: Any) -> Any:
        return x * 2

    function: Any = twice
    called = hetc.map(lambda x: function(x) + 0)
    assert called([4.0]) == [8.0]
    function = math.sqrt
    assert called([4.0]) == [2.0]
    function = lambda x: x - 1  # noqa: E731
    assert called([4.0]) == [3.0]
    function = twice
    with hetc.profile() as p:
        assert called([4.0]) == [8.0]
    assert p.cache_hits == 1


@needs_device
@pytest.mark.usefixtures("strict")
def test_initial_values_and_defaults_select_kernels() -> None:
    def add(a: Any, b: Any) -> Any:
        return a + b

    assert hetc.reduce(add, 0)([1, 2]) == 3
    assert hetc.reduce(add, 10)([1, 2]) == 13
    assert hetc.reduce(add, -10)([1, 2]) == -7
    assert hetc.reduce(add, 0.0)([1.0, 2.0]) == 3.0
    assert str(hetc.reduce(add, -0.0)([-0.0])) == "-0.0"
    assert str(hetc.reduce(add, 0.0)([-0.0])) == "0.0"

    def shifted(x: Any, by: Any = 1) -> Any:
        return x + by

    results: list[Any] = []
    for default in (1, 2, True, 1.0):
        shifted.__defaults__ = (default,)
        results += hetc.map(shifted)([1])
    assert list(map(repr, results)) == ["2", "3", "2", "2.0"]


@needs_device
@pytest.mark.usefixtures("strict")
def test_skeletons_of_the_same_functions_are_told_apart() -> None:
    def add(a: Any, b: Any = 1) -> Any:
        return a + b

    assert hetc.map(add)([1, 2]) == [2, 3]
    assert hetc.reduce(add, 0)([1, 2]) == 3
    assert hetc.map(add).map(add)([1, 2]) == [3, 4]
    assert hetc.map(add).reduce(add, 0)([1, 2]) == 5


@needs_device
@pytest.mark.usefixtures("strict")
def test_each_device_has_its_kernels() -> None:
    square = square_all()
    for device in hetc.devices():
        assert compiles(lambda: square.on(device)([2.0])) == 1  # noqa: B023
        assert compiles(lambda: square.on(device)([2.0])) == 0  # noqa: B023


@needs_device
@pytest.mark.usefixtures("strict")
def test_the_cache_does_not_grow_without_bound(dispatcher: Dispatcher) -> None:
    dispatcher.compiled = {number: object() for number in range(CACHE_SIZE)}
    square_all()([1.0])
    assert len(dispatcher.compiled) == CACHE_SIZE
    assert 0 not in dispatcher.compiled, "the oldest goes"


@needs_device
@pytest.mark.usefixtures("strict")
def test_calls_from_many_threads() -> None:
    square = hetc.map(lambda x: x * x + 1)
    with ThreadPoolExecutor(8) as pool, hetc.configure(offload="always", fallback="error"):
        results = list(pool.map(lambda n: square(np.full(100 + n, float(n)))[n], range(64)))
    assert results == [n * n + 1.0 for n in range(64)]


# --------------------------------------------------------------------------------------------------------------------
# Counters
# --------------------------------------------------------------------------------------------------------------------


@needs_device
def test_guards_that_fail_are_counted_and_python_gives_the_result() -> None:
    product = hetc.map(lambda x: x * x)
    with hetc.profile() as p:
        assert product([3, 2**40]) == [9, 2**80]
        assert product([3, 2**20]) == [9, 2**40]
        with pytest.raises(ZeroDivisionError):
            hetc.map(lambda x: 1 / x)([1.0, 0.0])
    assert (p.deopts, p.fallbacks) == (2, 0)


@needs_device
def test_a_launch_is_counted_and_memory_shared_with_the_device_is_not_copied() -> None:
    x = np.ones(1024, np.float32)
    device = hetc.devices()[0]
    square = square_all().on(device)
    square(x)
    with hetc.profile() as p:
        square(x)
    assert p.launches == 1
    moved = 0 if device.shared_memory else x.nbytes
    assert (p.bytes_h2d, p.bytes_d2h) == (moved, moved)


def test_fallbacks_are_counted_each_time_and_warned_about_once() -> None:
    some = hetc.map(lambda x: [[x]] if x else [])
    with pytest.warns(hetc.FallbackWarning), hetc.profile() as p:
        assert some([1]) == [[[1]]]
    with hetc.profile() as again:
        assert some([1]) == [[[1]]]
        assert some((1.0,)) == ([[1.0]],)
    assert (p.fallbacks, again.fallbacks) == (1, 2)
    assert (p.launches, again.launches, again.deopts) == (0, 0, 0)


@needs_device
def test_what_is_not_compiled_is_found_out_once() -> None:
    some = hetc.map(lambda x: [[x]] if x else [])
    with hetc.configure(fallback="silent"):
        assert compiles(lambda: some([1])) == 1
        with hetc.profile() as p:
            assert compiles(lambda: some([1])) == 0
    assert (p.cache_hits, p.fallbacks) == (1, 1)


def test_never_offload_touches_no_device(no_device: None) -> None:
    with hetc.configure(offload="never", fallback="error"), hetc.profile() as p:
        assert square_all()([1, 2]) == [1, 4]
        assert square_all().reduce(lambda a, b: a + b, 0)(range(4)) == 14
        assert square_all()(np.arange(3)).tolist() == [0, 1, 4]
        assert hetc.map(lambda x: [x])([1]) == [[1]]
    assert (p.launches, p.cache_hits, p.fallbacks, p.deopts, p.compile_ms) == (0, 0, 0, 0, 0.0)


# --------------------------------------------------------------------------------------------------------------------
# Without OpenCL
# --------------------------------------------------------------------------------------------------------------------


def test_without_a_device_everything_works_and_says_so_once(no_device: None) -> None:
    with pytest.warns(hetc.FallbackWarning) as caught:
        assert square_all()([1, 2]) == [1, 4]
    assert len(caught) == 1
    assert "there is no OpenCL device" in str(caught[0].message)
    assert "pip install 'hetc[cpu]'" in str(caught[0].message)
    with warnings.catch_warnings(record=True) as later:
        warnings.simplefilter("always")
        assert square_all()((1.5, 2.0)) == (2.25, 4.0)
        assert hetc.map(lambda a, b: a + b).reduce(lambda a, b: a + b, 0.0)([1.0], [2.0]) == 3.0
        result = hetc.map(lambda x: (x, x + 1))(np.arange(3, dtype=np.float32))
        assert [part.dtype for part in result] == [np.float32, np.float32]
        assert hetc.reduce(lambda a, b: a + b, 0)(np.arange(4, dtype=np.int8)) == 6
        with pytest.raises(ZeroDivisionError):
            hetc.map(lambda x: 1 / x)([0])
        with pytest.raises(hetc.InputError, match="different lengths"):
            hetc.map(lambda a, b: a + b)([1], [1, 2])
    assert not later
    assert hetc.devices() == ()


def test_without_a_device_an_explicit_one_is_an_error(no_device: None) -> None:
    with pytest.raises(hetc.DeviceError, match=r"no OpenCL device(.|\n)*pip install 'hetc\[cpu\]'"):
        square_all().on("gpu")([1, 2])
    with hetc.configure(device="pocl"), pytest.raises(hetc.DeviceError):
        square_all()([1, 2])


def test_without_a_device_fallback_error_raises(no_device: None) -> None:
    with hetc.configure(fallback="error"), pytest.raises(hetc.UnsupportedError, match="no OpenCL device"):
        square_all()([1, 2])


def test_without_pyopencl_there_is_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyopencl", None)
    monkeypatch.delitem(sys.modules, "hetc.runtime.opencl", raising=False)
    assert devices._find_devices.__wrapped__() == ()


def test_importing_hetc_imports_neither_the_compiler_nor_pyopencl() -> None:
    import subprocess
    import sys

    code = (
        "import sys, hetc\n"
        "af = hetc.map(lambda x: x + 1).reduce(lambda a, b: a + b, 0)\n"
        "with hetc.configure(offload='never'):\n"
        "    assert af([1, 2]) == 5\n"
        "print([name for name in ('xdsl', 'pyopencl') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.strip() == "[]", run.stderr


@needs_device
def test_a_fault_of_the_compiler_is_told_and_the_call_runs_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(request: object, watch: object = None) -> None:
        raise KeyError("a lost value")

    monkeypatch.setattr("hetc.driver.compile", fail)
    with hetc.configure(offload="always", verify=False), pytest.warns(hetc.FallbackWarning, match="KeyError: 'a lost"):
        assert square_all()([1, 2]) == [1, 4]
    with hetc.configure(offload="always", verify=True), pytest.raises(KeyError):
        square_all()([1.0])

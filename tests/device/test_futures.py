"""Calls in the background: the same values and exceptions as those that are waited for."""

from __future__ import annotations

import asyncio
import concurrent.futures
import subprocess
import sys
import threading
import traceback
import warnings
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device


def test_several_calls(device: Device) -> None:
    functions = [hetc.map(lambda x, k=k: x * k + 1).on(device) for k in range(4)]
    total = hetc.map(lambda x: x * x).reduce(lambda a, b: a + b, 0.0).on(device)
    data = [np.arange(size, dtype=np.float64) for size in (1, 7, 255, 257, 10_007)]
    with hetc.configure(offload="always", fallback="error"):
        futures = [(k, x, f.submit(x)) for x in data for k, f in enumerate(functions)]
        totals = [total.submit(x) for x in data]
    for k, x, future in futures:
        np.testing.assert_array_equal(future.result(60), x * k + 1)
        assert future.done()
        assert future.exception() is None
    assert [future.result() for future in totals] == [total(x) for x in data]


def test_exceptions_are_those_of_the_call(device: Device) -> None:
    divide = hetc.map(lambda x: 6 // x).on(device)
    with hetc.configure(offload="always"):
        future = divide.submit([1, 0])
        wrong = divide.submit()
    with pytest.raises(ZeroDivisionError) as found:
        future.result()
    assert traceback.extract_tb(found.value.__traceback__)[-1].line == "divide = hetc.map(lambda x: 6 // x).on(device)"
    assert isinstance(future.exception(), ZeroDivisionError)
    assert isinstance(wrong.exception(), hetc.InputError)


def test_settings_are_those_of_the_submission(device: Device) -> None:
    with hetc.configure(device=device, offload="always", fallback="error"):
        refused = hetc.map(str).submit([1])
    with hetc.configure(device=device, offload="always", fallback="silent"), np.errstate(divide="raise"):
        quotient = hetc.map(lambda x: 1 / x).submit(np.array([0.0]))
    assert isinstance(refused.exception(), hetc.CompileError)
    assert isinstance(quotient.exception(), FloatingPointError)
    with hetc.configure(offload="never"), hetc.profile() as p:
        assert hetc.map(lambda x: x + 1).submit([1]).result() == [2]
    assert p.launches == 0


def test_warnings_are_of_the_line_that_submits() -> None:
    with warnings.catch_warnings(record=True) as told, hetc.configure(offload="always"):
        warnings.simplefilter("always")
        hetc.map(repr).submit([1]).result()
    (warning,) = told
    assert warning.category is hetc.FallbackWarning
    here = test_warnings_are_of_the_line_that_submits.__code__.co_firstlineno
    assert (warning.filename, warning.lineno) == (__file__, here + 3)


def test_futures_are_awaited_and_waited_for(device: Device) -> None:
    double = hetc.map(lambda x: 2 * x).on(device)

    async def both() -> list[Any]:
        return await asyncio.gather(*(asyncio.ensure_future(one(k)) for k in range(2)))

    async def one(k: int) -> Any:
        return await double.submit([k, k + 1])

    assert asyncio.run(both()) == [[0, 2], [2, 4]]
    done, waiting = concurrent.futures.wait([double.submit([k]) for k in range(3)], timeout=60)
    assert (len(done), len(waiting)) == (3, 0)


def test_a_call_that_waits_can_be_cancelled_and_a_result_has_a_time_limit() -> None:
    gate = threading.Event()

    def held(x: int) -> int:
        gate.wait(60)
        return x

    with hetc.configure(offload="never"):
        running = [hetc.map(held).submit([k]) for k in range(20)]
        with pytest.raises(TimeoutError):
            running[0].result(0.01)
        cancelled = running[-1].cancel()
        gate.set()
    assert cancelled
    with pytest.raises(concurrent.futures.CancelledError):
        running[-1].result()
    assert [future.result() for future in running[:-1]] == [[k] for k in range(19)]


def test_python_ends_when_the_calls_are_done() -> None:
    program = "import hetc; f = hetc.map(lambda x: x + 1).submit([1]); f.add_done_callback(lambda f: print(f.result()))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "[2]"

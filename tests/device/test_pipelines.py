"""Pipelines: what the stages give one after the other, whichever thread is where."""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device


def in_order(stages: tuple[Any, ...], chunks: Any) -> Iterator[Any]:
    """What a pipeline means."""
    for chunk in chunks:
        for stage in stages:
            chunk = stage(chunk)  # noqa: PLW2901 (what the stages make of it)
        yield chunk


@pytest.mark.parametrize("depth", [1, 2, 7])
def test_chunks_in_order(device: Device, depth: int) -> None:
    square = hetc.map(lambda x: x * x).on(device)
    keep = hetc.filter(lambda x: x % 3 > 0).on(device)
    total = hetc.reduce(lambda a, b: a + b, 0).on(device)

    @hetc.jit
    def double(x: Any) -> Any:
        for i in hetc.forall(len(x)):
            x[i] *= 2
        return x

    stages = (np.copy, square, double, keep, total, lambda n: (n, -n))
    chunks = [np.arange(size) for size in (0, 1, 7, 255, 257, 3, 10_007)]
    with hetc.configure(device=device, offload="always", fallback="error"):
        found = list(hetc.pipeline(*stages, depth=depth)(chunks))
        assert found == list(in_order(stages, chunks))
    assert list(hetc.pipeline(square)([])) == []


def test_stages_run_at_the_same_time() -> None:
    """Two stages that wait for each other, which would never end if one ran after the other."""
    met = threading.Barrier(2, timeout=30)

    def meet(chunk: int) -> int:
        met.wait()
        return chunk

    # The first stage is at the second chunk when the second one is at the first, so each meets the other.
    def first(chunk: int) -> int:
        return meet(chunk) if chunk > 0 else chunk

    def second(chunk: int) -> int:
        return meet(chunk) if chunk < 3 else chunk

    assert list(hetc.pipeline(first, second)(range(4))) == [0, 1, 2, 3]


def test_a_device_and_python_at_the_same_time(device: Device) -> None:
    """The device's stage is at work on the next chunk while a stage of Python still has one."""
    there = threading.Event()

    def noted(x: float) -> float:
        there.set()
        return x

    def waits(x: Any) -> Any:
        assert there.wait(60)
        return x

    slow = hetc.map(noted).on(device)  # what it calls is left to Python
    with hetc.configure(offload="never"):
        chunks = [np.zeros(0), np.ones(3)]
        found = list(hetc.pipeline(slow, waits)(chunks))
    assert [len(chunk) for chunk in found] == [0, 3]


def test_few_chunks_are_read_ahead() -> None:
    read: list[int] = []
    results = hetc.pipeline(int, int, depth=1)(read.append(n) or n for n in itertools.count())
    assert next(results) == 0
    results.close()
    assert len(read) <= 7  # two stages and three channels, and what is on its way
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("hetc stage")]


def test_an_exception_takes_the_place_of_its_chunk(device: Device) -> None:
    divide = hetc.map(lambda x: 6 // x).on(device)
    for stages in ((divide,), (divide, list), (list, divide), (list, divide, list, list)):
        results = hetc.pipeline(*stages)([[1], [2, 3], [3, 0], [1]])
        with hetc.configure(offload="always"):
            assert [next(results), next(results)] == [[6], [3, 2]]
            with pytest.raises(ZeroDivisionError) as found:
                next(results)
            line = traceback.extract_tb(found.value.__traceback__)[-1].line
            assert line == "divide = hetc.map(lambda x: 6 // x).on(device)"
            assert list(results) == []


def test_an_exception_of_the_input() -> None:
    def chunks() -> Iterator[list[int]]:
        yield [1]
        raise OSError("no more")

    results = hetc.pipeline(sum)(chunks())
    assert next(results) == 1
    with pytest.raises(OSError, match="no more"):
        next(results)


def test_settings_and_warnings_are_those_of_the_call() -> None:
    with hetc.configure(offload="always", fallback="error"):
        refused = hetc.pipeline(hetc.map(str))([[1]])
    with pytest.raises(hetc.CompileError):
        next(refused)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with hetc.configure(offload="always"):
            assert list(hetc.pipeline(hetc.map(str))([[1]])) == [["1"]]
    assert [warning.filename for warning in told] == [__file__]


def test_bad_calls() -> None:
    with pytest.raises(hetc.InputError, match="at least one stage"):
        hetc.pipeline()
    with pytest.raises(TypeError, match="a stage of a pipeline is a function, not int"):
        hetc.pipeline(sum, 3)
    with pytest.raises(hetc.InputError, match="room for one chunk, not 0"):
        hetc.pipeline(sum, depth=0)
    with pytest.raises(TypeError, match="not iterable"):
        hetc.pipeline(sum)(3)
    assert repr(hetc.pipeline(hetc.map(abs), sum)) == "hetc.pipeline(hetc.map(abs), sum)"


def test_python_ends_though_nobody_asked_for_the_rest() -> None:
    program = (
        "import hetc, itertools\n"
        "results = hetc.pipeline(hetc.map(lambda x: x + 1), sum)([n] for n in itertools.count())\n"
        "print(next(results), next(results))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1 2\n", "")

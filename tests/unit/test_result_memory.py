"""Memory for large results: kept when nobody holds them, and used again."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.arrays import result_memory
from hetc.arrays.result_memory import LEAST, KeptBlocks, empty_result, kept_bytes

LARGE = LEAST // 8
"""Numbers of eight bytes that are just enough."""


@pytest.fixture(autouse=True)
def blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[KeptBlocks]:
    """Nothing is kept at the beginning."""
    kept = KeptBlocks()
    monkeypatch.setattr(result_memory, "_kept", kept)
    with hetc.configure(result_memory=4 * LEAST):
        yield kept


def address(array: Any) -> int:
    return array.__array_interface__["data"][0]


def test_memory_is_used_again_once_nobody_holds_it() -> None:
    one = empty_result(LARGE, "float64")
    place = address(one)
    two = empty_result(LARGE, "float64")
    assert address(two) != place
    view = one[5:7]
    shown = memoryview(view)  # pyright: ignore[reportArgumentType]
    del one, view
    assert kept_bytes() == 0
    del shown
    assert kept_bytes() == LEAST
    again = empty_result(LARGE, np.int64)
    assert address(again) == place
    assert kept_bytes() == 0
    assert address(two) != place


def test_such_an_array_is_like_others() -> None:
    array = empty_result(LARGE + 3, np.complex64)
    assert type(array) is np.ndarray
    assert (array.shape, array.dtype) == ((LARGE + 3,), np.complex64)
    assert array.flags.writeable
    assert array.flags.c_contiguous
    assert array.flags.aligned
    assert not array.flags.owndata
    array[:] = 1j
    copy = array.copy()
    del array
    empty_result(LARGE + 3, np.complex64)[:] = 0
    assert (copy == 1j).all()


def test_small_results_are_as_ever() -> None:
    array = empty_result(LARGE - 1, "float64")
    assert array.flags.owndata
    del array
    assert kept_bytes() == 0
    assert empty_result(0, "float64").shape == (0,)


def test_a_block_serves_results_of_about_its_size() -> None:
    del_me = empty_result(2 * LARGE, "float64")
    place = address(del_me)
    del del_me
    assert address(empty_result(2 * LARGE - LARGE // 8, "float64")) == place
    assert kept_bytes() == 2 * LEAST
    other = empty_result(LARGE, "float64")
    assert address(other) != place
    assert kept_bytes() == 2 * LEAST


def test_no_more_is_kept_than_was_asked_for() -> None:
    arrays = [empty_result(LARGE, "float64") for _ in range(6)]
    last = {address(array) for array in arrays[2:]}
    while arrays:
        del arrays[0]
    assert kept_bytes() == 4 * LEAST
    again = [empty_result(LARGE, "float64") for _ in range(4)]
    assert {address(array) for array in again} == last
    del again
    with hetc.configure(result_memory=LEAST):
        large = empty_result(2 * LARGE, "float64")
        del large
        assert kept_bytes() == LEAST


def test_switched_off() -> None:
    with hetc.configure(result_memory=0):
        array = empty_result(LARGE, "float64")
        assert array.flags.owndata
        del array
    assert kept_bytes() == 0


def test_an_array_that_is_garbage_in_the_middle_of_an_allocation(blocks: KeptBlocks) -> None:
    array = empty_result(LARGE, "float64")
    with blocks._unless_busy():  # pyright: ignore[reportPrivateUsage]
        del array
        gc.collect()
        assert empty_result(LARGE, "float64").size == LARGE
    assert kept_bytes() == 0


def test_out_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    array = empty_result(LARGE, "float64")
    del array
    assert kept_bytes() == LEAST
    made = np.empty

    def empty(*arguments: Any) -> Any:
        if kept_bytes():
            raise MemoryError
        return made(*arguments)

    monkeypatch.setattr(np, "empty", empty)
    assert empty_result(4 * LARGE, "float64").size == 4 * LARGE


def test_threads() -> None:
    wrong: list[int] = []

    def run(number: int) -> None:
        with hetc.configure(result_memory=4 * LEAST):
            for _ in range(20):
                array = empty_result(LARGE, "int64")
                array[::4096] = number
                if not (array[::4096] == number).all():
                    wrong.append(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_results_of_calls() -> None:
    add = hetc.map(lambda x: x + 1)
    x = np.arange(float(LARGE))
    if not hetc.devices():
        pytest.skip("there is no OpenCL device")
    for _ in range(3):
        one = add(x)
        two = add(one)
        assert address(one) != address(two)
        np.testing.assert_array_equal(two, x + 2)
        del one, two
        assert kept_bytes() >= 2 * LEAST

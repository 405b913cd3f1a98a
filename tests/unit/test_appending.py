"""Arrays that batches append to, each what only it finds."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError
from typing import Any

import numpy as np
import pytest

from hetc.arrays.result_memory import LEAST
from hetc.runtime import appending
from hetc.runtime.appending import LOOSE, Appended

NUMBER = np.dtype(np.int64)
SPANS = [range(4), range(4, 8), range(8, 10)]


def appended() -> Appended:
    made = Appended(10, [NUMBER])
    made.begin(SPANS)
    return made


def numbers(*values: int) -> Any:
    return np.array(values, NUMBER)


def test_batches_stand_one_after_the_other() -> None:
    made = appended()
    made.place(0, SPANS[0], 2)[:] = [1, 2]
    made.put(SPANS[1], [numbers()])
    made.put(SPANS[2], [numbers(8, 9)])
    (found,) = made.arrays()
    assert found.tolist() == [1, 2, 8, 9]
    assert found.dtype == NUMBER


def test_nothing_is_kept_of_anything() -> None:
    assert Appended(0, [NUMBER]).arrays()[0].shape == (0,)
    made = appended()
    for span in SPANS:
        made.put(span, [numbers()])
    assert made.arrays()[0].shape == (0,)


def test_several_columns() -> None:
    made = Appended(10, [NUMBER, np.dtype(np.float32)])
    made.begin(SPANS)
    for span in SPANS:
        made.put(span, [numbers(span.start), np.array([span.stop], np.float32)])
    starts, ends = made.arrays()
    assert (starts.tolist(), ends.tolist()) == ([0, 4, 8], [4.0, 8.0, 10.0])
    assert ends.dtype == np.float32


def test_a_batch_waits_until_those_before_know_how_many_theirs_are() -> None:
    made, found = appended(), list[Any]()
    thread = threading.Thread(target=lambda: found.append(made.place(0, SPANS[1], 1)))
    thread.start()
    thread.join(0.05)
    assert thread.is_alive()
    first = made.place(0, SPANS[0], 3)  # it is not copied yet
    thread.join(10)
    assert not thread.is_alive()
    assert found[0].ctypes.data == first.ctypes.data + first.nbytes


def test_nobody_waits_for_a_batch_that_gives_up_and_it_may_come_again_in_parts() -> None:
    made, raised = appended(), list[BaseException]()
    made.put(SPANS[0], [numbers(1)])

    def wait() -> None:
        try:
            made.place(0, SPANS[2], 1)
        except CancelledError as error:
            raised.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    made.give_up(SPANS[1])
    thread.join(10)
    made.give_up(SPANS[2])
    assert len(raised) == 1
    again = [range(4, 6), range(6, 8), range(8, 10)]
    made.begin(again)
    for span in again:
        made.put(span, [numbers(span.start)])
        made.give_up(span)
    assert made.arrays()[0].tolist() == [1, 4, 6, 8]


def test_what_has_been_told_stays_if_a_batch_comes_again() -> None:
    made = appended()
    made.put(SPANS[0], [numbers(1)])
    made.place(0, SPANS[1], 2)
    made.put(SPANS[2], [numbers(8)])
    made.give_up(SPANS[1])
    again = [range(4, 6), range(6, 8)]
    made.begin(again)
    made.put(again[0], [numbers(4)])
    made.put(again[1], [numbers(7)])
    assert made.arrays()[0].tolist() == [1, 4, 7, 8]


@pytest.mark.parametrize("part", [LOOSE - 1, LOOSE, LOOSE + 1])
def test_results_that_leave_much_unused_are_copied(part: int) -> None:
    total = part * LEAST // 8
    made = Appended(total, [NUMBER])
    made.begin([range(total)])
    place = made.place(0, range(total), LEAST // 8)
    place[:] = 5
    (found,) = made.arrays()
    assert np.shares_memory(found, place) == (part <= LOOSE)
    assert (found[::4096] == 5).all()


def test_no_room_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(appending, "physical_memory", lambda: 159)
    with pytest.raises(MemoryError):
        Appended(10, [NUMBER])

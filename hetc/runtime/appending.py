"""Arrays that batches append to: each finds out how many numbers it has, and all stand one after the other.

Where a batch's numbers go is known as soon as the batches before have told how many theirs are, which they do before
they copy them. So all are copied to their places at once, and nothing is put together afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

import numpy as np

from hetc.arrays.formulas import HostArray
from hetc.arrays.result_memory import LEAST, empty_result, physical_memory

LOOSE = 4
"""Of an array for all elements at most so many parts stay unused behind a result."""


class Appended:
    """Room for as many numbers as there are elements, in several arrays, of which batches take what they need.

    Raises MemoryError if there is no such room.
    """

    def __init__(self, total: int, dtypes: Sequence[np.dtype[Any]]) -> None:
        if total * sum(number.itemsize for number in dtypes) > physical_memory() // 2:
            raise MemoryError
        self._whole = [empty_result(total, number) for number in dtypes]
        self._total = total
        start: Future[int] = Future()
        start.set_result(0)
        # By the number of elements that have come before: how many numbers these have made.
        self._ends: dict[int, Future[int]] = {0: start}

    def begin(self, spans: Sequence[range]) -> None:
        """These batches are about to be run, in this order."""
        for span in spans:
            end = self._ends.get(span.stop)
            if end is None or end.cancelled():
                self._ends[span.stop] = Future()

    def place(self, column: int, span: range, count: int) -> HostArray:
        """Where the numbers of a batch go in one of the arrays, once the batches before know how many they have.

        Raises CancelledError if one of them gives up.
        """
        start = self._ends[span.start].result()
        end = self._ends[span.stop]
        if not end.done():
            end.set_result(start + count)
        return self._whole[column][start : start + count]

    def give_up(self, span: range) -> None:
        """A batch has come to its end. If it has not told how many numbers it has, those after it do not wait."""
        self._ends[span.stop].cancel()

    def put(self, span: range, arrays: Sequence[HostArray]) -> None:
        """Copy what a batch has made to its place, where it is not there yet."""
        for column, array in enumerate(arrays):
            place = self.place(column, span, array.size)
            if not np.may_share_memory(place, array):
                place[...] = array

    def arrays(self) -> list[HostArray]:
        """All numbers, in arrays of their own if these are small beside what there was room for."""
        count = self._ends[self._total].result()
        found = [whole[:count] for whole in self._whole]
        return [part if part.nbytes >= LEAST and count * LOOSE >= self._total else part.copy() for part in found]

"""The last samples of a signal, in a ring: a container that array functions take and give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

Samples = np.ndarray[Any, np.dtype[np.int32]]


class Ring:
    """The last fixed-point numbers of a stream, as many as there is room for; the oldest is the first."""

    def __init__(self, room: int) -> None:
        self.memory: Samples = np.zeros(room, np.int32)
        self.start = 0
        self.count = 0

    def push(self, sample: np.int32) -> None:
        """Add a sample, in the place of the oldest if there is no room."""
        room = len(self.memory)
        self.memory[(self.start + self.count) % room] = sample
        if self.count < room:
            self.count += 1
        else:
            self.start = (self.start + 1) % room

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[np.int32]:
        for place in range(self.start, self.start + self.count):
            yield self.memory[place % len(self.memory)]


def read(ring: Ring) -> Samples:
    """The samples as an array, which is a part of the ring's memory unless they lie around its end."""
    after = ring.start + ring.count - len(ring.memory)
    if after <= 0:
        return ring.memory[ring.start : ring.start + ring.count]
    return np.concatenate([ring.memory[ring.start :], ring.memory[:after]])


def make(result: Any, like: Ring) -> Ring | None:
    """A ring with as much room as another, of what came of its samples; None of numbers that are no samples."""
    if not isinstance(result, np.ndarray) or result.dtype != np.int32:
        return None
    made, left = Ring(0), len(like.memory) - len(result)
    made.memory = result if left <= 0 else np.concatenate([result, np.zeros(left, np.int32)])
    made.count = len(result)
    return made

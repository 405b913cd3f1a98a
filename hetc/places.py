"""What is known of each candidate for a call, and what the call is estimated to take there, by where its data is."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import field
from typing import Any, cast

import numpy as np

from hetc.arrays.base import Array
from hetc.arrays.memory import Memory
from hetc.dataclass import dataclass
from hetc.frontends.skeleton.composition import Reduce, Stages
from hetc.hotness import EXPLORE, LIST_SECONDS, FunctionTimes, Hotness, kind_of
from hetc.place_times import Estimate, PlaceTimes
from hetc.runtime.devices import Device

# What is taken to be so until it is measured: less than anything takes, since what is taken for too dear never is.
COPIED_SECONDS = 0.016e-9
"""A byte on its way to or from a device with memory of its own."""
READ_SECONDS = 0.005e-9
"""A byte that a device reads or writes where the host has it."""
COPIES_SECONDS = 50e-6
"""What a call takes longer whose data is to be copied: copies are commands, too."""


@dataclass
class Record:
    """What is known of one candidate for calls of one kind.

    `lines` hold what calls have taken, by where their data was. `saved` is what calls would have saved here, over the
    place where they ran, since the last kernel was made; `idle` the time that they took elsewhere since it ran last;
    `owed` is how much longer it has to wait, for having been tried early. `measured`
    counts the calls here that were timed.
    `refused`: they are not compiled for it. `fails_from`: the size of the least of them that it has failed to run, for
    want of memory, say; `left_out`: it is left out for so many of that size or more.
    """

    device: Device
    lines: dict[Hashable, PlaceTimes] = field(default_factory=dict[Hashable, PlaceTimes])
    compiled: bool = False
    refused: bool = False
    fails_from: int | None = None
    left_out: int = 0
    failures: int = 0
    saved: float = 0.0
    idle: float = 0.0
    owed: float = 0.0
    measured: int = 0

    def is_left_out(self, size: int) -> bool:
        """Whether a call of a size is not for this candidate."""
        if self.refused:
            return True
        if self.fails_from is None or size < self.fails_from or not self.left_out:
            return False
        self.left_out -= 1
        return True

    def failed(self, size: int) -> None:
        """A call has failed here: it may be for want of memory, which there may be later."""
        self.fails_from = size if self.fails_from is None else min(size, self.fails_from)
        self.left_out = EXPLORE << min(self.failures, 16)
        self.failures += 1


@dataclass(frozen=True)
class Place:
    """A candidate for one call: what is known of it, and the line for data that is where the call's is."""

    record: Record
    line: FunctionTimes
    seconds: float
    """What the call is estimated to take here."""
    settled: float | None = None
    """The same if all data that stays was here already; None if none stays."""
    distance: float = 0.0
    """What it takes to move the data that stays."""

    @property
    def device(self) -> Device:
        return self.record.device

    @property
    def measured(self) -> bool:
        """Whether anything is behind the estimate but the size of the data."""
        return bool(self.line.runs)

    @property
    def at_home(self) -> float:
        """What the call is estimated to take here, if the data that stays had been here."""
        return self.seconds if self.settled is None else self.settled

    def after(self, paid: float) -> float:
        """What the call takes here, where so much has been `paid` for moving the data."""
        return max(self.at_home, self.seconds - paid)

    def times(self, per_element: float | None, paid: float = 0.0) -> FunctionTimes:
        """What `Hotness.decide` asks of a device, where so much has been `paid` for moving the data."""
        line, record = self.line, self.record
        seconds = self.after(paid)
        return Estimate(
            line.moving,
            line.deciding,
            per_element,
            record.saved,
            record.idle,
            record.compiled,
            line.runs,
            seconds=seconds,
        )


def places(
    known: Hotness,
    stages: Stages,
    inputs: Sequence[Any],
    size: int,
    among: Sequence[Device],
    saved: float = 0.0,
    kind: Hashable = None,
) -> list[Place]:
    """The candidates for a call of `size` elements; `saved` is what calls would have saved before there were any."""
    return places_of(
        known, kind or kind_of(stages, inputs), inputs, size, among, functools.partial(_line, stages, inputs), saved
    )


def places_of(
    known: Hotness,
    kind: Hashable,
    values: Sequence[Any],
    size: int,
    among: Sequence[Device],
    line: Callable[[Sequence[str], Device], PlaceTimes],
    saved: float = 0.0,
) -> list[Place]:
    """The candidates for something that takes values; `line` is what it takes at least where they are."""
    found: list[Place] = []
    for device in among:
        make = functools.partial(Record, device, saved=saved)
        record = cast("Record", known.record_of(("choice", kind, device), make))
        if record.is_left_out(size):
            continue

        def times(where: tuple[str, ...], record: Record = record, device: Device = device) -> PlaceTimes:
            times = record.lines.get(where)
            if times is None:
                times = record.lines[where] = line(where, device)
            return times

        where = tuple(_where(value, device) for value in values)
        now = times(where)
        settled, distance = None, 0.0
        if any(isinstance(value, Array) for value in values):
            home = "host" if device.shared_memory else "here"
            away = "elsewhere" if device.shared_memory else "host"
            stays = [isinstance(value, Array) for value in values]
            here = tuple(home if stay else at for stay, at in zip(stays, where, strict=True))
            there = tuple(away if stay else at for stay, at in zip(stays, where, strict=True))
            least = 0.0 if device.shared_memory else COPIED_SECONDS * sum(map(_size, values))
            distance = max(least, times(there).device(size) - times(here).device(size))
            placed = [isinstance(value, Array) and _is_settled(value) for value in values]
            here = tuple(home if stay else at for stay, at in zip(placed, where, strict=True))
            settled = times(here).device(size)
        found.append(Place(record, now, now.device(size), settled, distance))
    return found


def _is_settled(array: Array) -> bool:
    return all(memory.is_settled for memory in array.memories())


def _size(value: Any) -> int:
    """The bytes of a portable array."""
    return sum(memory.size * _itemsize(memory) for memory in value.memories()) if isinstance(value, Array) else 0


def _where(value: Any, device: Device) -> str:
    """Where an input is, seen from a device."""
    if not isinstance(value, Array):
        return "host"
    if value.is_on_host and device.shared_memory:
        return "host"
    if all(memory.copy_on(device) is not None for memory in value.memories()):
        return "here"
    return "host" if value.is_on_host else "elsewhere"


def _line(stages: Stages, inputs: Sequence[Any], where: Sequence[str], device: Device) -> PlaceTimes:
    """What a call takes at least that is not measured yet: the bytes that move, and a call."""
    ways = {"host": 1, "elsewhere": 1, "here": 1} if device.shared_memory else {"host": 1, "elsewhere": 2, "here": 0}
    read = sum(_bytes(value) * ways[at] for value, at in zip(inputs, where, strict=True))
    lists = sum(not isinstance(value, np.ndarray | range | Array) for value in inputs)
    written = 0
    if not isinstance(stages[-1], Reduce):
        stays = not device.shared_memory and any(isinstance(value, Array) for value in inputs)
        written = 0 if stays else max(map(_bytes, inputs), default=0)
        lists += not any(isinstance(value, np.ndarray | Array) for value in inputs)
    byte = READ_SECONDS if device.shared_memory else COPIED_SECONDS
    away = sum(_bytes(value) for value, at in zip(inputs, where, strict=True) if at == "elsewhere")
    moving = LIST_SECONDS * lists + byte * (read + written) + (COPIED_SECONDS * away if device.shared_memory else 0.0)
    copies = away > 0 or not device.shared_memory
    return PlaceTimes(moving, deciding=COPIES_SECONDS if copies else 0.0)


def _bytes(value: Any) -> int:
    """The bytes of an element of an input; ranges are computed where they are needed."""
    if isinstance(value, Array):
        return sum(_itemsize(memory) for memory in value.memories())
    if isinstance(value, np.ndarray):
        return value.dtype.itemsize * math.prod(value.shape[1:])
    return 0 if isinstance(value, range) else 8


def _itemsize(memory: Memory) -> int:
    return 0 if memory.formula is not None else memory.dtype.itemsize


def settle(values: Sequence[Any]) -> None:
    """Some values have been used, or made, where their data is at home: it stays there."""
    for value in values:
        if isinstance(value, Array):
            for memory in value.memories():
                memory.is_settled = True

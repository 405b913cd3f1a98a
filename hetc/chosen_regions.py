"""Parallel loops and NumPy statements whose device is chosen, each run for itself.

They are chosen for as calls are (`hetc.choice`); here it is said what a run reads, and where that is. The arrays that
stay on devices between the loops of a function (`hetc.runtime.kept_arrays`) have one home for all loops of it: a loop
that is faster elsewhere moves them when all of them together have paid for that.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any, cast

import numpy as np

from hetc.arrays.base import Array
from hetc.arrays.numbers import NumberArray
from hetc.candidates import LEAST_KINDS, candidates
from hetc.choice import Choice, compared
from hetc.errors import HetcError
from hetc.frontends.skeleton.composition import ForAll
from hetc.hotness import Decision, FunctionTimes, Hotness
from hetc.jobs import Job
from hetc.place_times import PlaceTimes
from hetc.places import COPIED_SECONDS, COPIES_SECONDS, READ_SECONDS, places_of
from hetc.runtime import devices
from hetc.runtime.devices import Device
from hetc.settings import Settings, current

Values = Callable[[], Sequence[Any]]

MOST_REPEATS = 16
"""So many runs of a loop follow a choice without another one, at most, where their data is in the same places."""
LEASED_SECONDS = 10e-3
"""And so long do they take, at most: for longer ones there is time to choose."""


class Region:
    """One run of a loop, or of NumPy statements, over `size` points.

    Runs of one `kind` take about the same time a point. Arrays that stay on devices have one home for all regions of
    an `owner`.
    """

    def __init__(self, known: Hotness, times: FunctionTimes, kind: Hashable, owner: Hashable, size: int) -> None:
        self.known, self.times, self.size = known, times, size
        self.kind, self.owner = kind, owner
        self.choice: Choice | None = None
        self.places: Hashable = None
        """Where the data was when the device was chosen."""

    @property
    def device(self) -> Device | None:
        """The device that has been chosen, if there was something to choose."""
        return None if self.choice is None else self.choice.device

    @property
    def line(self) -> FunctionTimes:
        """What runs have taken where this one goes."""
        chosen = None if self.choice is None else self.choice.place
        return self.times if chosen is None else chosen.line

    def decide(self, done: int, now: Settings, is_compiled: Callable[[], bool], values: Values) -> Decision:
        """Where the rest of the run goes, of which `done` points have run in Python, and to which device.

        `values` gives the arrays that it captures, where they are now.
        """
        alone = functools.partial(self.known.decide, self.times, self.size, now.threshold, is_compiled, done)
        if self.choice is None:
            # Devices are looked for when one is worth it, since that loads their drivers.
            if not devices.are_listed() and not (decision := alone()).offload:
                return decision
            self.choice = self._choice(values())
            if self.choice is None:
                return alone()
        return self.choice.decide(self.times.per_element, done, now.threshold, is_compiled)

    def _choice(self, values: Sequence[Any]) -> Choice | None:
        among = candidates(current())
        if len(among) < LEAST_KINDS:
            return None
        kind = self.kind, *(_kind_of(value) for value in values)
        least = functools.partial(_least, values, self.size)
        found = places_of(self.known, kind, values, self.size, among, least, self.times.saved)
        if not found:
            return None
        stay = [value for value in values if isinstance(value, Array)]
        self.places = places_of_data(values)
        return Choice.of(self.known, found, self.size, stay, self.owner)

    def start(self) -> None:
        """The device that was chosen is about to run the points."""
        if self.choice is not None:
            self.choice.start()

    def ran_in_python(self, seconds: float, *, refused: bool) -> None:
        """Python has run all points; `refused` if they cannot be compiled."""
        self.times.ran_in_python(seconds, self.size, refused=refused)
        if self.choice is not None and not refused:
            self.choice.ran_in_python(seconds)

    def ran_on_device(self, size: int, seconds: float | None) -> None:
        """A device has run so many points; `seconds` is None for what tells nothing about the next run."""
        if self.choice is None or self.choice.place is None:
            self.times.ran_on_device(size, seconds)
        else:
            self.choice.ran(size, seconds)

    def refused(self, error: HetcError) -> bool:
        """The run does not go to the device that was chosen: whether another candidate takes its place."""
        return self.choice is not None and self.choice.refused(error)


class Lease:
    """What a choice holds for: so many more runs on data that is in the same places. They count as those chosen for.

    To choose takes longer than to launch what has been chosen, and nothing has changed meanwhile but what the runs have
    taken; so a device that is to be tried again, or data that has paid to move, waits for a few runs. The home of the
    data is one for all loops of a function: where another loop moves it, what was chosen for this one holds no more, or
    each of them would have the data brought to its own device, run after run.
    """

    def __init__(self, choice: Choice, before: Lease | None) -> None:
        self.choice = choice
        seconds = 0.0 if choice.place is None else choice.place.seconds
        self.most = 1 if before is None else min(MOST_REPEATS, 2 * before.most)
        self.left = min(self.most, int(LEASED_SECONDS / max(seconds, 1e-9)))

    @property
    def holds(self) -> bool:
        """Whether one more run follows it: none does once another loop, or call, has moved the data elsewhere."""
        home, place = self.choice.home, self.choice.place
        return self.left > 0 and place is not None and (home is None or home.device == place.device)

    def ran(self, seconds: float | None, values: Sequence[Any]) -> None:
        """One more run has been; `seconds` is None if nobody has waited for it."""
        self.left -= 1
        self.choice.values = [value for value in values if isinstance(value, Array)]
        self.choice.ran(self.choice.size, seconds)


def places_of_data(values: Sequence[Any]) -> Hashable:
    """Where arrays that stay on devices are, as far as a choice hangs on it."""
    return frozenset(
        (value.dtype, memory.size, memory.is_on_host, memory.is_settled, memory.devices)
        for value in values
        if isinstance(value, NumberArray)
        for memory in value.memories()
    )


def stays(places: Hashable, device: Device) -> bool:
    """Whether arrays in these places are where a device's runs leave them, or nowhere but on the host yet."""
    shared = device.shared_memory
    return all(
        device in devices or (on_host and (shared or not devices))
        for *_, on_host, _, devices in cast("frozenset[tuple[Any, ...]]", places)
    )


def loop_kind(code: object) -> Hashable:
    """What runs of a loop have in common whose body has this code."""
    return "loop", code


def forecast(known: Hotness, job: Job, now: Settings) -> Decision | None:
    """Where a run of a loop, described as a job, would go now; None if there is nothing to choose."""
    stage = job.stages[0]
    if not now.decides or not isinstance(stage, ForAll) or not isinstance(stage.function, FunctionType):
        return None
    kind, size = loop_kind(stage.function.__code__), math.prod(map(len, job.inputs))
    captures = [job.resolution.captures.get(name) for name in stage.function.__code__.co_freevars]
    arrays = [value for value in captures if isinstance(value, np.ndarray | Array)]
    region = Region(known, known.times_of(kind, 0.0), kind, None, size)
    decision = region.decide(0, now, lambda: True, lambda: arrays)
    if region.choice is None:
        return None
    return replace(decision, device=region.device, compared=compared(region.choice.found))


def _kind_of(value: Any) -> Hashable:
    return value.dtype if isinstance(value, np.ndarray | NumberArray) else value.element


def _least(values: Sequence[Any], size: int, where: Sequence[str], device: Device) -> PlaceTimes:
    """What a run takes at least: the bytes that it reads, or that have to be copied, spread over its points."""
    ways = {"host": 1, "elsewhere": 1, "here": 1} if device.shared_memory else {"host": 1, "elsewhere": 2, "here": 0}
    read = sum(_bytes(value) * ways[at] for value, at in zip(values, where, strict=True))
    away = sum(_bytes(value) for value, at in zip(values, where, strict=True) if at == "elsewhere")
    seconds = read * (READ_SECONDS if device.shared_memory else COPIED_SECONDS)
    seconds += away * COPIED_SECONDS if device.shared_memory else 0.0
    copies = away > 0 if device.shared_memory else any(at != "here" for at in where)
    return PlaceTimes(seconds / max(1, size), deciding=COPIES_SECONDS if copies else 0.0)


def _bytes(value: Any) -> int:
    """The bytes of an array; those of a formula are computed where they are needed."""
    if isinstance(value, np.ndarray):
        return value.dtype.itemsize * math.prod(value.shape)
    return sum(memory.size * memory.dtype.itemsize for memory in value.memories() if memory.formula is None)

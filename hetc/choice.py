"""Which of several devices runs a call, with offload="auto" and where no device was asked for.

The candidates are the best GPU and the best CPU device, or those of `configure(candidates=...)`. What a call takes on
each is measured as it is for one device (`hetc.hotness`): a straight line over the number of elements, copies included,
for calls whose data was in the same places. What is not measured yet is taken to cost no more than a call, and the
bytes that have to move; nothing, for a portable array that is on the device. So a device is never compiled for whose
copies alone take longer than another place takes for all.

A device without a kernel gets one when what earlier calls would have saved there, over the place where they ran, comes
to what compiling costs: ski rental again, with one more place to rent for each device (Lotker, Patt-Shamir and Rawitz,
"Rent, lease or buy: Randomized algorithms for multislope ski rental", STACS 2008). Each kernel has by then been paid
for, so that with n devices it takes at most n + 1 times the time of a decision that knows the future. Between devices
with kernels the faster one runs the call; the other one is measured again after `EXPLORE` times what a call takes
there.
See `docs/adr/0058-choice-between-devices.md`.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Hashable, Sequence
from dataclasses import field, replace
from typing import Any, cast

import numpy as np

from hetc import hotness
from hetc.arrays.base import Array
from hetc.arrays.memory import Memory
from hetc.dataclass import dataclass
from hetc.frontends.skeleton.composition import Reduce, Stages
from hetc.hotness import EXPLORE, LIST_SECONDS, Decision, FunctionTimes, Hotness, WatchedCall, common_length, kind_of
from hetc.runtime import devices, profile
from hetc.runtime.devices import Device
from hetc.settings import Settings, current
from hetc.timeline.events import Kind
from hetc.timeline.units import spelled

# What is taken to be so until it is measured: less than anything takes, since what is taken for too dear never is.
COPIED_SECONDS = 0.016e-9
"""A byte on its way to or from a device with memory of its own."""
READ_SECONDS = 0.005e-9
"""A byte that a device reads or writes where the host has it."""
COPIES_SECONDS = 50e-6
"""What a call takes longer whose data is to be copied: copies are commands, too."""
LEAST_KINDS = 2
"""Candidates of which there is something to choose."""


def candidates(settings: Settings) -> tuple[Device, ...]:
    """The devices that a call's is chosen from: none where one was asked for. Raises DeviceError.

    Looks for devices, which loads their drivers.
    """
    if settings.device is not None or os.environ.get(devices.VARIABLE, "").strip():
        return ()
    if settings.candidates is not None:
        return _named(cast("tuple[str | Device, ...]", settings.candidates))
    return _best_of_each_kind()


@functools.lru_cache(maxsize=16)
def _named(specs: tuple[str | Device, ...]) -> tuple[Device, ...]:
    return tuple(dict.fromkeys(map(devices.select, specs)))


@functools.cache
def _best_of_each_kind() -> tuple[Device, ...]:
    """The first GPU and the first CPU device: two that share a processor are no choice. Simulators are none."""
    found: dict[str, Device] = {}
    for device in devices.list_devices():
        if not devices.is_simulator(device):
            found.setdefault(device.kind, device)
    return tuple(found.values())


@dataclass
class Record:
    """What is known of one candidate for calls of one kind.

    `lines` hold what calls have taken, by where their data was. `saved` is what calls would have saved here, over the
    place where they ran, since the last kernel was made; `idle` the time that they took elsewhere since it ran last.
    `refused`: they are not compiled for it.
    """

    device: Device
    lines: dict[Hashable, FunctionTimes] = field(default_factory=dict[Hashable, FunctionTimes])
    compiled: bool = False
    refused: bool = False
    saved: float = 0.0
    idle: float = 0.0


@dataclass(frozen=True)
class Place:
    """A candidate for one call: what is known of it, and the line for data that is where the call's is."""

    record: Record
    line: FunctionTimes
    seconds: float
    """What the call is estimated to take here."""

    @property
    def device(self) -> Device:
        return self.record.device

    @property
    def measured(self) -> bool:
        """Whether anything is behind the estimate but the size of the data."""
        return bool(self.line.runs)

    def times(self, per_element: float | None) -> FunctionTimes:
        """What `Hotness.decide` asks of a device."""
        line, record = self.line, self.record
        return FunctionTimes(
            line.moving, line.deciding, per_element, record.saved, record.idle, record.compiled, line.runs
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
    kind = kind or kind_of(stages, inputs)
    found: list[Place] = []
    for device in among:
        make = functools.partial(Record, device, saved=saved)
        record = cast("Record", known.record_of(("choice", kind, device), make))
        where = tuple(_where(value, device) for value in inputs)
        if record.refused:
            continue
        line = record.lines.get(where)
        if line is None:
            line = record.lines[where] = _line(stages, inputs, where, device)
        found.append(Place(record, line, line.device(size)))
    return found


def _where(value: Any, device: Device) -> str:
    """Where an input is, seen from a device."""
    if not isinstance(value, Array):
        return "host"
    if value.is_on_host and device.shared_memory:
        return "host"
    if all(memory.copy_on(device) is not None for memory in value.memories()):
        return "here"
    return "host" if value.is_on_host else "elsewhere"


def _line(stages: Stages, inputs: Sequence[Any], where: Sequence[str], device: Device) -> FunctionTimes:
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
    return FunctionTimes(moving, deciding=COPIES_SECONDS if copies else 0.0)


def _bytes(value: Any) -> int:
    """The bytes of an element of an input; ranges are computed where they are needed."""
    if isinstance(value, Array):
        return sum(_itemsize(memory) for memory in value.memories())
    if isinstance(value, np.ndarray):
        return value.dtype.itemsize * math.prod(value.shape[1:])
    return 0 if isinstance(value, range) else 8


def _itemsize(memory: Memory) -> int:
    return 0 if memory.formula is not None else memory.dtype.itemsize


def choose(found: Sequence[Place], python: float | None, cost: float) -> Place:
    """The candidate for a call that takes `python` seconds in Python, where a kernel costs `cost` to make.

    Of those that have a kernel, or for which one has paid by now, the one that is estimated to be fastest; else the one
    that would be. A candidate with a kernel that has not run for long is tried again.
    """
    ready = [place for place in found if place.record.compiled]
    now = min([place.seconds for place in ready] + ([] if python is None else [python]), default=math.inf)
    paid = [
        place
        for place in found
        if not place.record.compiled and place.seconds < now and now - place.seconds + place.record.saved > cost
    ]
    best = min(ready + paid or found, key=lambda place: place.seconds)
    for place in ready:
        if place is not best and place.record.idle > EXPLORE * place.seconds:
            return place
    return best


def ran(found: Sequence[Place], place: Place | None, size: int, seconds: float, *, compiled: bool) -> None:
    """A call has run at a place, in Python for None; `compiled` if its kernel was made meanwhile."""
    if place is not None:
        place.record.compiled, place.record.saved, place.record.idle = True, 0.0, 0.0
        if not compiled:
            place.line.runs.append((size, seconds))
    for other in found:
        if other is place:
            continue
        other.record.idle += seconds
        if not other.record.compiled:
            saved = 0.0 if compiled else other.record.saved + max(0.0, seconds - other.seconds)
            other.record.saved = saved


class ChoosingCall(WatchedCall):
    """A call that starts in Python, for which there may be several devices."""

    found: Sequence[Place] = ()
    place: Place | None = None

    @property
    def device(self) -> Device | None:
        """The device that has been chosen, if there was something to choose."""
        return None if self.place is None else self.place.device

    def decide(self, is_compiled: Callable[[], bool]) -> Decision:
        """Where the rest of the call runs, and on which device."""
        if not self.found:
            # Devices are looked for when one is worth it, since that loads their drivers.
            if not devices.are_listed() and not (decision := super().decide(is_compiled)).offload:
                return decision
            among = candidates(current())
            if len(among) >= LEAST_KINDS:
                saved = self.times.saved
                self.found = places(self.hotness, self.stages, self.inputs, self.size, among, saved, self.kind)
            if not self.found:
                return super().decide(is_compiled)
        per_element = self.times.per_element
        left = None if per_element is None else per_element * (self.size - self.run.done)
        cost = self.hotness.compiler.estimate() if self.threshold is None else self.threshold
        self.place = choose(self.found, left, cost)
        times = self.place.times(per_element)
        return self.hotness.decide(times, self.size, self.threshold, is_compiled, self.run.done)

    def finish(self, *, refused: bool = False) -> Any:
        """The result, by running in Python what is left."""
        result = super().finish(refused=refused)
        ran(self.found, None, self.size, self.seconds, compiled=False)
        return result

    def refused(self) -> bool:
        """The call is not compiled for the device that was chosen: whether another candidate takes its place."""
        if self.place is None:
            return False
        self.place.record.refused = True
        self.found = [place for place in self.found if not place.record.refused]
        if self.found:
            self.place = min(self.found, key=lambda place: place.seconds)
        return bool(self.found)

    def on_device(self, run: Callable[[], Any]) -> Any:
        """The result of running the whole call on the device that has been chosen."""
        if self.place is None:
            return super().on_device(run)
        return timed(self.hotness, self.found, self.place, self.size, run)


def timed(known: Hotness, found: Sequence[Place], place: Place, size: int, run: Callable[[], Any]) -> Any:
    """The result of a call on the device that was chosen for it; its time counts if nothing was compiled for it."""
    if profile.active():
        profile.note_instant(Kind.CHOICE, f"{place.device.name}: {compared(found)}")
    before, start = known.compiler.count, hotness.clock()
    result = run()
    ran(found, place, size, hotness.clock() - start, compiled=known.compiler.count != before)
    return result


def chosen_for_data(known: Hotness, stages: Stages, inputs: Sequence[Any]) -> tuple[Sequence[Place], Place] | None:
    """A candidate for a call of which some data is on a device alone, so that Python is none; None without a choice."""
    away = [value for value in inputs if isinstance(value, Array) and not value.is_on_host]
    sizes = {len(value) for value in inputs if hasattr(value, "__len__")}
    if not away or len(sizes) != 1 or len(among := candidates(current())) < LEAST_KINDS:
        return None
    found = places(known, stages, inputs, sizes.pop(), among)
    return (found, choose(found, None, known.compiler.estimate())) if found else None


def forecast(
    known: Hotness,
    stages: Stages,
    inputs: Sequence[Any],
    threshold: float | None,
    is_compiled: Callable[[Device | None], bool],
) -> Decision:
    """Where a call would run now; `is_compiled` says whether there is a kernel for a device, or for the usual one."""
    if (away := chosen_for_data(known, stages, inputs)) is not None:
        found, place = away
        return Decision(True, "an input is on a device alone", device=place.device, compared=compared(found))
    decision = known.forecast(stages, inputs, threshold, lambda: is_compiled(None))
    size = common_length(inputs)
    if size is None or decision.elements is None or len(among := candidates(current())) < LEAST_KINDS:
        return decision
    times = known.times_of(kind_of(stages, inputs), hotness.moving(inputs))
    found = places(known, stages, inputs, size, among, times.saved)
    if not found:
        return decision
    per_element = times.per_element
    cost = known.compiler.estimate() if threshold is None else threshold
    place = choose(found, None if per_element is None else per_element * size, cost)
    decision = known.decide(place.times(per_element), size, threshold, lambda: is_compiled(place.device))
    return replace(decision, device=place.device, compared=compared(found))


def compared(found: Sequence[Place]) -> str:
    """The estimates for all candidates, for people."""
    said = [
        f"{place.device.name} ({place.device.platform}) about {spelled(place.seconds)}"
        f"{'' if place.measured else ', not measured'}{'' if place.record.compiled else ', no kernel'}"
        for place in found
    ]
    return "; ".join(said)

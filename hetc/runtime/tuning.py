"""The launches of a plan in the layout that has been measured to be the fastest (`hetc.runtime.trials`).

A launch's time is asked for when the next one comes: by then it is over, mostly, and nobody waits for it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from hetc import abi, settings
from hetc.runtime import profile
from hetc.runtime.trials import Trials
from hetc.timeline.events import Kind

if TYPE_CHECKING:  # what is about choices alone needs no device
    from hetc.runtime.opencl import cl

LEAST_ITEMS = 1 << 10
"""Smaller launches are too short to be tried, whatever they do: what is stored of them is not even looked for."""


class Memory(Protocol):
    """What other processes have chosen for a launch."""

    def load(self, step: abi.Launch) -> abi.Tuned | None: ...

    def save(self, step: abi.Launch, tuned: abi.Tuned) -> None: ...


class Tuning:
    """The launches of a package that have several layouts."""

    def __init__(self, package: abi.Package, memory: Memory | None = None) -> None:
        self.launches: Mapping[abi.Launch, TunedLaunch] = {
            step: TunedLaunch(step, memory)
            for step in package.steps
            if isinstance(step, abi.Launch) and step.layouts and not step.in_parts
        }

    def __iter__(self) -> Iterator[TunedLaunch]:
        return iter(self.launches.values())


class TunedLaunch:
    """One launch of a plan: which layout it runs in, for each size class of its data. Any thread may ask."""

    def __init__(self, step: abi.Launch, memory: Memory | None = None) -> None:
        self.step = step
        self.layouts: tuple[abi.Layout, ...] = ((), *step.layouts)
        self._memory = memory
        self._classes: dict[int, Trials] = {}
        self._stored: abi.Tuned | None = None
        self._pending: tuple[Trials, int, int, Sequence[cl.Event]] | None = None
        self._lock = threading.Lock()

    def layout(self, items: int) -> tuple[abi.Layout, Timer | None]:
        """How to launch so many items, and what is to be told of the events, if anything."""
        if items < LEAST_ITEMS or settings.current().tuning == "off":
            return (), None
        trials = self._classes.get(items.bit_length())
        if trials is not None:
            if trials.chosen is not None:
                return self.layouts[trials.chosen], None
            if trials.unasked > 0:  # no more than a hint: two threads may count it down at once
                trials.unasked -= 1
                return (), None
        with self._lock:
            if trials is None:
                trials = self._classes.get(items.bit_length()) or self._new_class(items)
            if trials.chosen is not None:
                return self.layouts[trials.chosen], None
            if self._pending is not None and not self._settle():
                return (), None
            number, timed = trials.next()
            if trials.chosen is not None:
                self._decided(trials, items)
        return self.layouts[number], Timer(self, trials, number, items) if timed else None

    def chosen(self) -> tuple[abi.TunedClass, ...]:
        """What has been chosen so far, for each size class."""
        known = {one.items: one for one in (self._stored.classes if self._stored is not None else ())}
        for bits, trials in sorted(self._classes.items()):
            items = 1 << (bits - 1)
            if trials.chosen is not None and items not in known:
                own = (self.own, *self.layouts[1:])
                named = dict(zip(self.layouts, own, strict=True))
                measured = tuple((named[layout], time) for layout, time in trials.measured)
                known[items] = abi.TunedClass(items, own[trials.chosen], measured)
        return tuple(known[items] for items in sorted(known))

    @property
    def own(self) -> abi.Layout:
        """The layout that the launch has without trials."""
        return (self.step.group,)

    def wait(self, trials: Trials, number: int, items: int, events: Sequence[cl.Event]) -> None:
        """A launch is under way whose time is wanted."""
        with self._lock:
            self._pending = trials, number, items, events

    def _new_class(self, items: int) -> Trials:
        trials = self._classes[items.bit_length()] = Trials(self.layouts)
        if self._memory is not None:
            if len(self._classes) == 1:
                self._stored = self._memory.load(self.step)
            size = 1 << (items.bit_length() - 1)
            for one in self._stored.classes if self._stored is not None else ():
                if one.items == size:
                    trials.choose(() if one.layout == self.own else one.layout)
        return trials

    def _settle(self) -> bool:
        """Take the time of the launch before; False if it is not over."""
        assert self._pending is not None
        trials, number, items, events = self._pending
        nanoseconds = _nanoseconds(events)
        if nanoseconds is None:
            return False
        self._pending = None
        if nanoseconds:
            trials.took(number, nanoseconds, items)
        return True

    def _decided(self, trials: Trials, items: int) -> None:
        found = self.chosen()
        one = next(one for one in found if one.items == 1 << (items.bit_length() - 1))
        profile.note_instant(Kind.TUNING, f"{self.step.kernel}: {told(one)}")
        self._stored = abi.Tuned(self.step.kernel, found)
        if self._memory is not None:
            self._memory.save(self.step, self._stored)


class Timer:
    """Is told of a launch whose time is wanted."""

    def __init__(self, launch: TunedLaunch, trials: Trials, number: int, items: int) -> None:
        self._launch, self._trials, self._number, self._items = launch, trials, number, items

    def started(self, events: Sequence[cl.Event]) -> None:
        """These commands are the launch."""
        if events:
            self._launch.wait(self._trials, self._number, self._items, events)


def _nanoseconds(events: Sequence[Any]) -> int | None:
    """The time from the first command's start to the last one's end; None if they are not over, 0 if they failed."""
    from hetc.runtime.opencl import cl

    try:
        statuses = [event.command_execution_status for event in events]
        if min(statuses) < cl.command_execution_status.COMPLETE:
            return 0
        if max(statuses) > cl.command_execution_status.COMPLETE:
            return None
        return sum(event.profile.end - event.profile.start for event in events)
    except cl.Error:
        return 0


def told(one: abi.TunedClass) -> str:
    """What was measured for a size class, in a sentence.

    >>> told(abi.TunedClass(4096, (16, 16), (((64,), 2.0), ((16, 16), 0.5))))
    'from 4096 work-items on, groups of 16 x 16 in the place of 64: 0.25 of the time'
    >>> told(abi.TunedClass(4096, (64,), (((64,), 2.0), ((256,), 1.96))))
    'from 4096 work-items on, groups of 64, as chosen without measuring; 256: 0.98 of the time'
    """
    (own, base), *others = one.measured or ((one.layout, 1.0),)
    start = f"from {one.items} work-items on, groups of {_spelled(one.layout)}"
    if one.layout != own:
        return f"{start} in the place of {_spelled(own)}: {one.gain:.2f} of the time"
    compared = ", ".join(f"{_spelled(layout)}: {time / base:.2f}" for layout, time in others)
    return f"{start}, as chosen without measuring" + (f"; {compared} of the time" if compared else "")


def _spelled(layout: abi.Layout) -> str:
    return " x ".join(map(str, layout))

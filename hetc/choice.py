"""Which of several devices runs something, with offload="auto" and where no device was asked for.

Calls of array functions (`hetc.chosen_calls`), parallel loops and NumPy statements (`hetc.chosen_regions`) are chosen
for alike; "a call" stands for each of them here.

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
there, and at once as long as it has been measured fewer than `TRIALS` times.

Portable arrays, and those that loops keep on devices, stay where a call has run, so that the place of this call decides
what the next one takes. Such data has a `Home`, which it leaves when what the calls would have taken less elsewhere,
had it been there, comes to what it takes to move it: a task system, whose requests are calls and whose states are
devices (Borodin, Linial and Saks, "An optimal on-line algorithm for metrical task system", J. ACM 39, 1992).
See `docs/adr/0058-choice-between-devices.md` and `docs/adr/0065-choice-for-loops.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import field
from typing import Any, cast

from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.errors import DeviceError, HetcError
from hetc.hotness import EXPLORE, Decision, Hotness
from hetc.place_times import TRIALS
from hetc.places import Place, settle
from hetc.runtime import profile
from hetc.runtime.devices import Device
from hetc.timeline.events import Kind
from hetc.timeline.units import spelled


@dataclass
class Home:
    """Where data is that stays on devices: the one that runs its calls, and what the others would have saved since."""

    device: Device | None = None
    regret: dict[Device, float] = field(default_factory=dict[Device, float])

    def ran(self, found: Sequence[Place], place: Place | None, seconds: float) -> None:
        """A call has run at a place, in Python for None."""
        for other in found:
            if other is not place:
                self.regret[other.device] = max(0.0, self.regret.get(other.device, 0.0) + seconds - other.at_home)
        if place is None or place.device == self.device:
            return
        own = next((other for other in found if other.device == self.device), None)
        if own is None or place.at_home < own.at_home:  # else it has only been measured there
            self.device = place.device
            self.regret.clear()


def choose(found: Sequence[Place], python: float | None, cost: float, home: Home | None = None) -> Place:
    """The candidate for a call that takes `python` seconds in Python, where a kernel costs `cost` to make."""
    best, again = candidate(found, python, cost, home)
    return best if again is None else again


def candidate(
    found: Sequence[Place], python: float | None, cost: float, home: Home | None = None
) -> tuple[Place, Place | None]:
    """The candidate for a call, and another one that is to be tried again in its place, if any is.

    Of those that have a kernel, or for which one has paid by now, the one that is estimated to be fastest; else the one
    that would be. Data that stays on devices stays at home until it has paid to move, but not where Python would be
    faster than its home, which has the data, too: then the fastest candidate competes with Python. A candidate with a
    kernel that has not run for long, or not often, is tried again.
    """
    ready = [place for place in found if place.record.compiled]
    now = min([place.at_home for place in ready] + ([] if python is None else [python]), default=math.inf)
    paid = [
        place
        for place in found
        if not place.record.compiled and place.at_home < now and now - place.at_home + place.record.saved > cost
    ]
    able = ready + paid or found
    best = min(able, key=lambda place: place.seconds)
    distance = max(place.distance for place in found)
    if home is not None and distance > 0.0:
        own = _at_home(able, home, distance)
        if own is not None and (python is None or own.after(home.regret.get(own.device, 0.0)) < python):
            best = own
    for place in ready:
        seldom = EXPLORE * (place.seconds + distance) + place.record.owed
        early = place.record.measured < TRIALS
        if place is not best and place.record.idle > (place.seconds + distance if early else seldom):
            return best, place
    return best, None


def _at_home(able: Sequence[Place], home: Home, distance: float) -> Place | None:
    """Where data stays, or moves to; None if it has been nowhere."""
    own = next((place for place in able if place.device == home.device), None)
    if own is None:
        return None
    better = [
        place
        for place in able
        if place.at_home < own.at_home and home.regret.get(place.device, 0.0) + own.seconds - place.at_home > distance
    ]
    return min(better, key=lambda place: place.at_home, default=own)


def ran(
    found: Sequence[Place],
    place: Place | None,
    size: int,
    seconds: float | None,
    *,
    compiled: bool,
    home: Home | None = None,
) -> None:
    """A call has run at a place, in Python for None; `compiled` if its kernel was made meanwhile.

    `seconds` is None for a call that was not waited for.
    """
    if place is not None:
        place.record.compiled, place.record.saved, place.record.idle = True, 0.0, 0.0
        if seconds is not None and not compiled:
            early = place.record.measured < TRIALS and any(
                other.record.compiled and other.seconds < place.seconds for other in found
            )
            place.record.measured += 1
            place.record.owed = place.record.owed + EXPLORE * place.seconds if early else 0.0
            place.line.runs.append((size, seconds))
    if seconds is None:
        seconds = 0.0 if place is None else place.seconds
    for other in found:
        if other is place:
            continue
        other.record.idle += seconds
        if not other.record.compiled:
            saved = 0.0 if compiled else other.record.saved + max(0.0, seconds - other.at_home)
            other.record.saved = saved
    if home is not None:
        home.ran(found, place, 0.0 if compiled else seconds)


@dataclass
class Choice:
    """One call for which there are several devices: what is known of each, and which was chosen."""

    known: Hotness
    found: list[Place]
    size: int
    values: Sequence[Any] = ()
    home: Home | None = None
    place: Place | None = None
    kernels: int = 0
    """How many had been made when it was started."""
    programs: int = 1
    """How many programs are to be compiled where there is no kernel."""

    @staticmethod
    def of(known: Hotness, found: list[Place], size: int, values: Sequence[Any], owner: Hashable) -> Choice:
        """A choice among places for values; those that stay on devices have one home for all calls of an owner."""
        moves = any(place.distance > 0.0 for place in found)
        return Choice(
            known, found, size, values, cast("Home", known.record_of(("home", owner), Home)) if moves else None
        )

    @property
    def device(self) -> Device | None:
        """The device that has been chosen."""
        return None if self.place is None else self.place.device

    def decide(
        self, per_element: float | None, done: int, threshold: float | None, is_compiled: Callable[[], bool]
    ) -> Decision:
        """Where the rest of the call runs, of which `done` elements have run in Python, and on which device."""
        left = None if per_element is None else per_element * (self.size - done)
        cost = self.programs * self.known.compiler.estimate() if threshold is None else threshold
        self.place, again = candidate(self.found, left, cost, self.home)
        paid = 0.0 if self.home is None else self.home.regret.get(self.place.device, 0.0)
        times = self.place.times(per_element, paid)
        decision = self.known.decide(times, self.size, threshold, is_compiled, done)
        if again is not None and decision.offload:  # it may be slower than Python; what it takes the place of is not
            self.place = again
        return decision

    @property
    def is_best(self) -> bool:
        """Whether its device, which has run the call, has not only been tried again."""
        place = self.place
        if place is None:
            return False
        if self.home is not None:
            return self.home.device == place.device
        return not any(other.record.compiled and other.seconds < place.seconds for other in self.found)

    def ran_in_python(self, seconds: float) -> None:
        """Python has run the call."""
        ran(self.found, None, self.size, seconds, compiled=False, home=self.home)
        self._settle()

    def start(self) -> None:
        """The device that was chosen is about to run the call."""
        self.kernels = self.known.compiler.count
        if self.place is not None and profile.active():
            profile.note_instant(Kind.CHOICE, f"{self.place.device.name}: {compared(self.found)}")

    def ran(self, size: int, seconds: float | None) -> None:
        """The device that was chosen has run so many elements; `seconds` is None if nobody has waited for it."""
        if self.place is not None:
            compiled = self.known.compiler.count != self.kernels
            ran(self.found, self.place, size, seconds, compiled=compiled, home=self.home)
            self._settle()

    def _settle(self) -> None:
        settle(self.values)
        self.values = ()  # it may be known for longer than they are

    def refused(self, error: HetcError) -> bool:
        """The device that was chosen does not run the call: whether another candidate takes its place."""
        if self.place is None:
            return False
        record = self.place.record
        if isinstance(error, DeviceError) or error.category is Category.DEVICE:
            record.failed(self.size)
        else:
            record.refused = True
        self.found = [place for place in self.found if place.record is not record]
        self.place = min(self.found, key=lambda place: place.seconds, default=None)
        if self.home is not None and self.home.device == record.device:
            self.home.device = None
        return bool(self.found)


def compared(found: Sequence[Place]) -> str:
    """The estimates for all candidates, for people."""
    said = [
        f"{place.device.name} ({place.device.platform}) about {spelled(place.seconds)}"
        f"{'' if place.measured else ', not measured'}{'' if place.record.compiled else ', no kernel'}"
        for place in found
    ]
    return "; ".join(said)

"""Runs of a parallel loop that look like one before in all that its plan depends on: a few comparisons, and launches.

`LoopCache` finds what ran a loop, for a `LoopRun` to run it in parts, with Python between them. Where a run before has
gone to its end on the device, the next one can be expected to. Then nothing of that is needed, as long as it holds that

* no setting is another one, nobody watches (profiles, `explain`), and NumPy's error state is the same;
* the names of the body mean what they meant (`LoopPremises`), and its ranges are the same;
* its arrays have the shapes, strides and dtypes that they had, its integers the values, its other numbers the signs;
* what is stored to may be written, and shares no memory with another array.

Where the device is chosen, the runs on each device are remembered for themselves, and a choice holds for a few runs.

If a guard fails, what was stored is taken back, and the loop is run as ever. So is what is not known to be the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hetc import hotness, settings
from hetc.arrays.base import Array
from hetc.arrays.memory import Memory
from hetc.arrays.numbers import NumberArray
from hetc.chosen_regions import Lease, Region, places_of_data, stays
from hetc.errors import DeviceError
from hetc.inline_cache import Known, circumstances_of
from hetc.loop_cache import LoopCache, LoopPremises, Recalled
from hetc.loops import Box, IndexSpace, points
from hetc.runtime import profile
from hetc.runtime.describe import is_positive
from hetc.runtime.kept_arrays import KeptArrays, KeptRegion
from hetc.runtime.marshal import AnyArray

if TYPE_CHECKING:  # importing it imports pyopencl
    from hetc.abi import HostPlan
    from hetc.runtime.devices import Device
    from hetc.runtime.executor import Executable
    from hetc.runtime.repeated_run import RepeatedRun

    _Found = tuple["LoopRepeat", dict[str, Any], Mapping[str, Any]]

MOST = 8
"""Kinds of runs of a loop that are remembered; those made first go first."""

MAX_FAILURES = 4
"""After guards have failed in so many repeated runs of a loop, no more are tried: each costs what it takes back."""


class RanOnDevice:
    """A loop all of whose iterations have run on the device: what `rewrite` asks for of a run."""

    fresh = False
    ended = True

    def __init__(self, last: Any) -> None:
        self.last = last

    def __iter__(self) -> Iterator[Any]:
        return iter(())


class _Array:
    """What a NumPy array has to be like; `written` if it is stored to."""

    def __init__(self, array: AnyArray, *, written: bool) -> None:
        self.dtype, self.shape, self.strides, self.written = array.dtype, array.shape, array.strides, written

    def fits(self, array: AnyArray) -> bool:
        if array.shape != self.shape or array.strides != self.strides or array.dtype is not self.dtype:
            return False
        flags, base = array.flags, array.base
        if not flags.aligned or (self.written and not flags.writeable):
            return False
        return base is None or not getattr(base, "dtype", self.dtype).names


class _Portable:
    """The same for a portable array that stands for one that is kept on the device."""

    def __init__(self, array: NumberArray, *, written: bool) -> None:
        self.dtype, self.shape, self.written = array.owner.dtype, array.shape, written

    def fits(self, array: NumberArray) -> bool:
        memory = array.owner
        if array.shape != self.shape or memory.dtype is not self.dtype or array.is_view or memory.formula is not None:
            return False
        return not (self.written and memory.frozen)


class _Integer:
    """The same for an integer of Python's."""

    def __init__(self, value: int) -> None:
        self.value = value

    def fits(self, value: int) -> bool:
        return value == self.value


class _Number:
    """The same for another number, or None."""

    def __init__(self, value: object) -> None:
        self.is_positive = is_positive(value)

    def fits(self, value: object) -> bool:
        return is_positive(value) == self.is_positive


_Fact = _Array | _Portable | _Integer | _Number


def _fact(value: object, *, written: bool) -> _Fact:
    if isinstance(value, np.ndarray):
        return _Array(cast("AnyArray", value), written=written)
    if isinstance(value, NumberArray):
        return _Portable(value, written=written)
    return _Integer(value) if type(value) is int else _Number(value)


class LoopRepeat:
    """One kind of run, and what runs it again."""

    def __init__(
        self,
        known: Known[LoopPremises, Any],
        ranges: Box,
        recalled: Recalled,
        run: RepeatedRun,
        plan: HostPlan | None,
        overwritten: Sequence[str],
    ) -> None:
        self.known = known
        self.ranges = ranges
        self.executable, self.compiled = recalled.executable, recalled.compiled
        self.run = run
        self.plan = plan
        self.overwritten = overwritten
        written = set(recalled.written)
        self.facts: list[Any] = [_fact(value, written=name in written) for name, value in recalled.captures.items()]
        arrays = [name for name, value in recalled.captures.items() if isinstance(value, np.ndarray)]
        self.apart = [
            (name, other)
            for place, name in enumerate(arrays)
            for other in arrays[place + 1 :]
            if name in written or other in written
        ]
        """Pairs of NumPy arrays that must not share memory."""
        self.size = len(IndexSpace(ranges))
        (last,) = points(ranges, self.size - 1, self.size)
        self.ended = RanOnDevice(last)
        self.leases: dict[Hashable, Lease] = {}
        """Where its device was chosen: for how many runs, by where their data is."""

    def is_of(self, known: Known[LoopPremises, Any], ranges: Box, plan: HostPlan | None) -> bool:
        """Whether it was made for these ranges, by what is known now."""
        return self.known is known and self.plan is plan and self.ranges == ranges

    def fits(self, captures: Mapping[str, Any]) -> bool:
        """Whether a run that captures these is of this kind."""
        for fact, value in zip(self.facts, captures.values(), strict=True):
            if not fact.fits(value):
                return False
        for one, other in self.apart:
            if np.may_share_memory(captures[one], captures[other]):
                return False
        return self.compiled.executable is self.executable


class LoopRepeats:
    """The kinds of runs of one loop that are run again so. `names` are the variables that its body reads."""

    def __init__(
        self,
        cache: LoopCache,
        number: int,
        names: Sequence[str],
        measured: hotness.Hotness,
        times: Callable[[], hotness.FunctionTimes],
    ) -> None:
        self.cache = cache
        self.hotness = measured
        self.number = number
        self.names = names
        self.times = times
        self.found: tuple[LoopRepeat, ...] = ()
        self.unfit: Executable | None = None
        """What was asked for last and cannot be run so."""
        self.failures = 0
        self.elsewhere: dict[Device, LoopRepeats] = {}
        self.chosen: LoopRepeats | None = None
        """The same for the device that was chosen last, of several."""

    def on(self, device: Device) -> LoopRepeats:
        """The same for a device that has been chosen, of several."""
        found = self.elsewhere.get(device)
        if found is None:
            made = LoopRepeats(self.cache.on(device), self.number, self.names, self.hotness, self.times)
            found = self.elsewhere.setdefault(device, made)
        self.chosen = found
        return found

    def keep(
        self,
        recalled: Recalled,
        ranges: Box,
        plan: HostPlan | None,
        overwritten: Sequence[NumberArray],
        region: Region | None = None,
    ) -> None:
        """A run has gone to its end: run those of its kind by this from now on, if that can be.

        Where its device was chosen, `region` says so; the choice holds for some more runs.
        """
        self._keep(recalled, ranges, plan, overwritten)
        known, choice = self.cache.known, None if region is None else region.choice
        if region is None or choice is None or choice.place is None:
            return
        if not (choice.is_best and stays(region.places, choice.place.device)):
            return  # it has only been tried again, or brings arrays from elsewhere: each time that is to be asked
        for repeat in self.found:
            measured = repeat.run.waits or choice.place.line.runs_like(choice.size)
            if measured and known is not None and repeat.is_of(known, ranges, plan) and repeat.fits(recalled.captures):
                while len(repeat.leases) >= MOST:
                    repeat.leases.pop(next(iter(repeat.leases)))
                repeat.leases[region.places] = Lease(choice, repeat.leases.get(region.places))

    def _keep(self, recalled: Recalled, ranges: Box, plan: HostPlan | None, overwritten: Sequence[NumberArray]) -> None:
        known = self.cache.known
        executable = recalled.executable
        if known is None or self.failures >= MAX_FAILURES or executable.package.distinct or executable is self.unfit:
            return
        if any(repeat.is_of(known, ranges, plan) and repeat.fits(recalled.captures) for repeat in self.found):
            return
        outer = recalled.captures if plan is None else known.premises.outer.captures()
        if plan is not None and any(isinstance(value, np.ndarray | NumberArray) for value in (outer or {}).values()):
            return  # an array that is no variable of the function is not kept
        from hetc.runtime.repeated_run import repeated_run

        run = repeated_run(executable, ranges, recalled.captures)
        if run is None or any(place.in_place != (plan is None) for place in run.places):
            self.unfit = executable
            return
        whole = [n for n, value in recalled.captures.items() if any(value is other for other in overwritten)]
        made = LoopRepeat(known, ranges, recalled, run, plan, [n for n in whole if n in recalled.written])
        # Those that what was known before has made are of no use any more.
        self.found = (made, *(other for other in self.found if other.known is known))[:MOST]

    def run(self, ranges: Box, frame: FrameType | None, arrays: KeptArrays | None, *, free: bool) -> RanOnDevice | None:
        """Run the loop as before; None if it has not been run, since something is different or a guard has failed.

        `free` says that no device was asked for the function. Raises DeviceError.
        """
        if free and self.chosen is not None:
            ended = self.chosen.run_again(ranges, frame, arrays)
            if ended is not None:
                return ended
        found = self._find(ranges, frame, arrays)
        if found is None:
            return None
        repeat, captures, _ = found
        current = repeat.known.settings
        whole: list[Memory] = [captures[name].owner for name in repeat.overwritten]
        if not (free and current.decides):
            return self._ran(repeat, captures, whole)
        times = self.times()
        if times.per_element is None or (not repeat.run.waits and not times.runs):
            return None
        if not self.hotness.decide(times, repeat.size, current.threshold, lambda: True).offload:
            return None
        start = hotness.clock()
        ended = self._ran(repeat, captures, whole)
        if ended is not None:
            times.ran_on_device(repeat.size, hotness.clock() - start if repeat.run.waits else None)
        return ended

    def run_again(self, ranges: Box, frame: FrameType | None, arrays: KeptArrays | None) -> RanOnDevice | None:
        """The same where this device was chosen, as long as the choice holds."""
        if not any(lease.holds for repeat in self.found for lease in repeat.leases.values()):
            return None
        found = self._find(ranges, frame, arrays)
        if found is None:
            return None
        repeat, captures, variables = found
        values = [value for value in map(variables.get, self.names) if isinstance(value, Array)]
        lease = repeat.leases.get(places_of_data(values))
        if lease is None or not lease.holds:
            return None
        start = hotness.clock()
        ended = self._ran(repeat, captures, [captures[name].owner for name in repeat.overwritten])
        if ended is None:
            repeat.leases.clear()
        else:
            lease.ran(hotness.clock() - start if repeat.run.waits else None, values)
        return ended

    def _find(self, ranges: Box, frame: FrameType | None, arrays: KeptArrays | None) -> _Found | None:
        """The run before that this one is like, what it captures, and the variables around it."""
        known, found = self.cache.known, self.found
        if not found or known is None or frame is None or profile.active():
            return None
        current = settings.current()
        if not known.holds_in(current, circumstances_of(current)):
            return None
        variables: Mapping[str, Any] = frame.f_locals
        plan = entering = None
        if arrays is not None:
            plan, kept = arrays.plan, arrays.known(self.number, self.names, variables)
            if kept is None:
                entering = KeptRegion(arrays, self.number, self.names)
                kept = entering.enter(variables)
            variables = {**variables, **kept}
        captures = None
        for repeat in found:
            if repeat.is_of(known, ranges, plan):
                captures = known.premises.captures(variables) if captures is None else captures
                if captures is None:
                    return None
                if repeat.fits(captures):
                    apart = entering is None or entering.separate(captures.values())
                    return (repeat, captures, variables) if apart else None
        return None

    def _ran(self, repeat: LoopRepeat, captures: Mapping[str, Any], whole: Sequence[Memory]) -> RanOnDevice | None:
        try:
            done = repeat.run.run(captures, whole)
        except DeviceError as error:
            if error.launched:
                raise
            return None
        if not done:
            self.failures += 1
            self.found = () if self.failures >= MAX_FAILURES else tuple(r for r in self.found if r is not repeat)
            return None
        repeat.compiled.succeeded()
        return repeat.ended

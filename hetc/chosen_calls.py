"""Calls of array functions whose device is chosen: they start in Python, or where their data is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

from hetc import hotness
from hetc.arrays.base import Array
from hetc.candidates import LEAST_KINDS, candidates
from hetc.choice import Choice, choose, compared
from hetc.errors import HetcError
from hetc.frontends.skeleton.composition import Stages
from hetc.hotness import Decision, Hotness, WatchedCall, common_length, kind_of
from hetc.places import places, settle
from hetc.runtime import devices
from hetc.runtime.devices import Device
from hetc.settings import current


class ChoosingCall(WatchedCall):
    """A call that starts in Python, for which there may be several devices."""

    choice: Choice | None = None

    @property
    def device(self) -> Device | None:
        """The device that has been chosen, if there was something to choose."""
        return None if self.choice is None else self.choice.device

    def decide(self, is_compiled: Callable[[], bool]) -> Decision:
        """Where the rest of the call runs, and on which device."""
        if self.choice is None:
            # Devices are looked for when one is worth it, since that loads their drivers.
            if not devices.are_listed() and not (decision := super().decide(is_compiled)).offload:
                return decision
            self.choice = _choice(self.hotness, self.stages, self.inputs, self.size, self.times.saved, self.kind)
            if self.choice is None:
                return super().decide(is_compiled)
        return self.choice.decide(self.times.per_element, self.run.done, self.threshold, is_compiled)

    def finish(self, *, refused: bool = False) -> Any:
        """The result, by running in Python what is left."""
        result = super().finish(refused=refused)
        if self.choice is not None:
            self.choice.ran_in_python(self.seconds)
        return result

    def refused(self, error: HetcError) -> bool:
        """The call does not run on the device that was chosen: whether another candidate takes its place."""
        return self.choice is not None and self.choice.refused(error)

    def on_device(self, run: Callable[[], Any]) -> Any:
        """The result of running the whole call on the device that has been chosen."""
        return super().on_device(run) if self.choice is None else timed(self.choice, run)


def _choice(
    known: Hotness, stages: Stages, inputs: Sequence[Any], size: int, saved: float = 0.0, kind: Hashable = None
) -> Choice | None:
    """The devices for a call; None if there is nothing to choose."""
    among = candidates(current())
    if len(among) < LEAST_KINDS:
        return None
    kind = kind or kind_of(stages, inputs)
    found = places(known, stages, inputs, size, among, saved, kind)
    return Choice.of(known, found, size, inputs, kind) if found else None


def timed(choice: Choice, run: Callable[[], Any]) -> Any:
    """The result of a call on the device that was chosen for it; its time counts if nothing was compiled for it."""
    choice.start()
    start = hotness.clock()
    result = run()
    choice.ran(choice.size, hotness.clock() - start)
    settle([result])
    return result


def chosen_for_data(known: Hotness, stages: Stages, inputs: Sequence[Any]) -> Choice | None:
    """A candidate for a call of which some data is on a device alone, so that Python is none; None without a choice."""
    away = [value for value in inputs if isinstance(value, Array) and not value.is_on_host]
    sizes = {len(value) for value in inputs if hasattr(value, "__len__")}
    if not away or len(sizes) != 1 or (choice := _choice(known, stages, inputs, sizes.pop())) is None:
        return None
    choice.place = choose(choice.found, None, known.compiler.estimate(), choice.home)
    return choice


def forecast(
    known: Hotness,
    stages: Stages,
    inputs: Sequence[Any],
    threshold: float | None,
    is_compiled: Callable[[Device | None], bool],
) -> Decision:
    """Where a call would run now; `is_compiled` says whether there is a kernel for a device, or for the usual one."""
    if (away := chosen_for_data(known, stages, inputs)) is not None:
        return Decision(True, "an input is on a device alone", device=away.device, compared=compared(away.found))
    decision = known.forecast(stages, inputs, threshold, lambda: is_compiled(None))
    size = common_length(inputs)
    if size is None or decision.elements is None:
        return decision
    times = known.times_of(kind_of(stages, inputs), hotness.moving(inputs))
    choice = _choice(known, stages, inputs, size, times.saved)
    if choice is None:
        return decision
    decision = choice.decide(times.per_element, 0, threshold, lambda: is_compiled(choice.device))
    return replace(decision, device=choice.device, compared=compared(choice.found))

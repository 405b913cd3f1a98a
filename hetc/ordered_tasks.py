"""Ordinary loops as tasks: the jobs that they are in a frame of their function, and which of them are looked at.

A loop inside another one is looked into only if the outer one cannot be a task.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from types import FrameType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from hetc import settings
from hetc.abi import Container
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.dispatch import Dispatcher
from hetc.errors import UnsupportedError
from hetc.frontends.loops.ordered import FIRST, REST, STEP, STOP, OrderedLoop, start_name
from hetc.frontends.loops.vectors import Kind, functions_used, kind_of
from hetc.frontends.python.closure import reachable
from hetc.frontends.python.made_functions import BodyFunction
from hetc.frontends.python.objects import resolve_program
from hetc.frontends.skeleton.composition import ForAll, Stages, functions
from hetc.inline_cache import Known
from hetc.jobs import CallOptions, Job, check_error_state, select_device
from hetc.loop_cache import LoopCache, LoopPremises, Recalled
from hetc.loop_repeats import MAX_FAILURES, MOST, LoopRepeat
from hetc.runtime import devices
from hetc.runtime.describe_loop import describe_loop

if TYPE_CHECKING:  # importing it imports pyopencl
    from hetc.runtime.executor import Executable

ONCE = (range(1),)
"""The index space of a task."""

NEVER = 2**62
"""A loop is passed by so many times that lies in another one, as long as that may be a task."""
MAX_PAUSE = 2**16
"""A loop of which nothing was to be gained is passed by at most so many times before it is looked at again."""
Variant = tuple[bool, tuple[str, ...], tuple[tuple[str, Kind], ...]]
"""A loop, or the rest of one, where some of its variables have values before it."""

_OF_LOOPS = ("len", "range", "ValueError")
PLAIN = "__hetc_plain"
"""Stands among the variables where NumPy statements are no loops."""

_SPACES = frozenset({"forall", "prange"})


class TaskRepeats:
    """The runs of a task that are run again by the short form of their plan, as those of parallel loops are.

    A task that leaves values behind has no such form.
    """

    def __init__(self) -> None:
        self.found: tuple[LoopRepeat, ...] = ()
        self.unfit: Executable | None = None
        self.failures = 0

    def find(self, known: Known[LoopPremises, Any] | None, recalled: Recalled) -> LoopRepeat | None:
        """The run before that this one is like, by what is known now."""
        for repeat in self.found:
            if repeat.known is known and repeat.executable is recalled.executable and repeat.fits(recalled.captures):
                return repeat
        return None

    def keep(self, known: Known[LoopPremises, Any] | None, recalled: Recalled) -> None:
        """A run has gone to its end: run those that look the same by the short form of its plan, if there is one."""
        executable = recalled.executable
        if known is None or self.failures >= MAX_FAILURES or executable.package.distinct or executable is self.unfit:
            return
        from hetc.runtime.repeated_run import repeated_run

        run = repeated_run(executable, ONCE, recalled.captures)
        if run is None or not all(place.in_place for place in run.places):
            self.unfit = executable
            return
        made = LoopRepeat(known, ONCE, recalled, run, None, ())
        self.found = (made, *(other for other in self.found if other.known is known))[:MOST]

    def failed(self, repeat: LoopRepeat) -> None:
        """A guard has failed in a run: its like are run step by step from now on."""
        self.failures += 1
        self.found = () if self.failures >= MAX_FAILURES else tuple(r for r in self.found if r is not repeat)


@dataclass
class OrderedState:
    """What is known of one loop: its variants as functions, and how often nothing was gained of it in a row."""

    loop: OrderedLoop
    bodies: dict[Variant, BodyFunction] = field(default_factory=dict[Variant, BodyFunction])
    caches: dict[Variant, LoopCache] = field(default_factory=dict[Variant, LoopCache])
    repeats: dict[LoopCache, TaskRepeats] = field(default_factory=dict[LoopCache, TaskRepeats])
    vain: int = 0
    refused: int = 0
    """For how many more runs it is taken to be refused."""

    def variant(self, variables: Mapping[str, Any], *, rest: bool) -> Variant:
        """What the function of the task hangs on, besides the loop: some variables, and which of them are arrays."""
        bound = tuple(name for name in self.loop.started if name in variables)
        around = () if PLAIN in variables else self.loop.around_names
        kinds = ((name, kind_of(variables.get(name))) for name in around)
        return rest, bound, tuple((name, kind) for name, kind in kinds if kind is not None)

    def body(self, variables: Mapping[str, Any], *, rest: bool) -> BodyFunction:
        """The task among variables with these values; of what is left of the loop, or of all of it."""
        key = self.variant(variables, rest=rest)
        found = self.bodies.get(key)
        if found is None:
            found = self.bodies[key] = self.loop.body(key[1], dict(key[2]), rest=rest)
        return found

    def cache(self, variables: Mapping[str, Any], *, rest: bool) -> LoopCache:
        """What the last runs of a variant looked like."""
        key = self.variant(variables, rest=rest)
        found = self.caches.get(key)
        if found is None:
            found = self.caches.setdefault(key, LoopCache())
        return found


class OrderedContext:
    """The ordinary loops of one function, how its calls run, and who compiles."""

    def __init__(
        self,
        function: FunctionType,
        options: CallOptions,
        dispatcher: Dispatcher,
        loops: tuple[OrderedLoop, ...],
        pauses: list[int],
    ) -> None:
        self.function = function
        self.options = options
        self.dispatcher = dispatcher
        self.states = tuple(map(OrderedState, loops))
        self.pauses = pauses
        self.gains = 0
        """How many loops have gained something by being looked at, or may soon."""
        self.looking: Callable[[], float] = float
        """The seconds that it has taken so far to look at array statements, which may lie in loops."""
        self.hide_inner()

    def hide_inner(self) -> None:
        """Pass by the loops that lie in others, which may be tasks; look at all others the next time."""
        for number, state in enumerate(self.states):
            around = state.loop.around
            hidden = around is not None and self.states[around].loop.refused is None
            self.pauses[number] = NEVER if hidden else 0

    def show_inner(self, number: int) -> None:
        """A loop is no task: look into those that lie in it."""
        for inner in self.states[number].loop.inside:
            if self.states[inner].loop.around == number and self.pauses[inner] >= MAX_PAUSE:
                self.pauses[inner] = 0

    def gained(self, number: int, *, gained: bool) -> None:
        """A loop has been looked at: if nothing was gained by it, it is passed by each time more often."""
        state = self.states[number]
        self.gains += gained
        state.vain = 0 if gained else state.vain + 1
        self.pauses[number] = 0 if gained else min(MAX_PAUSE, 2 ** min(state.vain, 20) // 2)

    def job(
        self, number: int, frame: FrameType, current: settings.Settings, rest: Any = None
    ) -> tuple[Job, Mapping[str, Any]]:
        """A loop, or the rest of it, as a task in a frame, and the variables around it. Raises CompileError."""
        variables = self.variables(number, frame, rest)
        return self._job(self.states[number], variables, current, rest=rest is not None), variables

    def left(self, number: int, iterable: Any, done: int = 0) -> Any:
        """What is left to iterate over, as a task is told of it; None for all of it, if the loop itself says that."""
        return None if not done and self.states[number].loop.is_plain else iterable[done:]

    def variables(self, number: int, frame: FrameType, rest: Any) -> dict[str, Any]:
        """The variables around a task: those of the frame, what they are before it, and what is left of the loop."""
        names = frame.f_globals
        found: dict[str, Any] = {"np": names.get("np"), "numpy": names.get("numpy")}
        found |= functions_used()
        found |= frame.f_locals
        # What is made of statements would call these, and takes two variables for two arrays.
        if any(name in names or name in found for name in _OF_LOOPS) or self._has_aliases(number, found):
            found["np"] = found["numpy"] = None
            found[PLAIN] = True
        for name in self.states[number].loop.started:
            if name in found:
                found[start_name(name)] = found[name]
        if type(rest) is range:
            found |= {FIRST: rest.start, STOP: rest.stop, STEP: rest.step}
        elif rest is not None:
            found[REST] = rest
        return found

    def _has_aliases(self, number: int, variables: Mapping[str, Any]) -> bool:
        """Whether two variables around a loop are one array."""
        around = [variables.get(name) for name in self.states[number].loop.around_names]
        arrays = [id(value) for value in around if type(value) is np.ndarray]
        return len(arrays) > len(set(arrays))

    def _job(self, state: OrderedState, variables: Mapping[str, Any], current: settings.Settings, *, rest: bool) -> Job:
        body = state.body(variables, rest=rest).function(variables, self.function.__globals__)
        stages: Stages = (ForAll(body, yields=yields(state.loop), single=True),)
        resolution = resolve_program(functions(stages), stores=True)
        if resolution.program is not None:
            raise UnsupportedError("objects in a loop that runs in order are Python's", category=Category.CONSTRUCT)
        if any(_SPACES & set(one.function.__code__.co_names) for one in reachable(resolution.functions)):
            raise UnsupportedError("it calls a function whose loops run in parallel", category=Category.CONSTRUCT)
        signature, captures = describe_loop(ONCE, resolution.captures)
        signature = replace(signature, container=Container.LIST, layout=self.options.layout)
        check_error_state(signature, captures, resolution)
        return Job(
            stages, ONCE, ONCE, signature, captures, resolution, self.device(current), debug=False,
            warns="warn" in np.geterr().values(), verify=current.verifies, fastmath=self.options.is_fast(current),
        )  # fmt: skip

    def device(self, current: settings.Settings) -> devices.Device:
        """The device that runs tasks: it shares the host's memory. Raises UnsupportedError without one."""
        asked = self.options.device if self.options.device is not None else current.device
        found = select_device(asked)
        if found.traits.shared_memory:
            return found
        other = next((device for device in devices.list_devices() if device.traits.shared_memory), None)
        if asked is not None or other is None:
            raise UnsupportedError(
                "a loop that runs in order is Python's where the device has memory of its own",
                hint="loop over hetc.forall, if its iterations do not depend on each other",
                category=Category.CONSTRUCT,
            )
        return other


def yields(loop: OrderedLoop) -> bool:
    """Whether a task of the loop leaves anything behind but what is in arrays."""
    return bool(loop.names) or loop.breaks or loop.returns

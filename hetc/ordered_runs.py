"""Runs of ordinary loops: which of them a device runs as tasks, and which Python.

A loop that Python runs in order asks, when it is reached, who runs it (`hetc.frontends.loops.ordered`). Under
`offload="auto"` Python runs its first iterations, and is timed; once a kernel is estimated to pay, what is left of the
loop is one task, which one work-item of a device runs that shares the host's memory. The next time the loop is one from
its start. A task in which something happens that only Python does (an exception, an integer that leaves 64 bits) is
undone as a whole, and Python runs the loop from where it was: so what happens comes from the user's line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from hetc import abi, hotness, settings
from hetc.callers import asking_frame
from hetc.diagnostics import Category
from hetc.dispatch import note_deoptimisation
from hetc.errors import CompileError, DeviceError, UnsupportedError
from hetc.frontends.loops.ordered import OrderedLoop
from hetc.hotness import TRUSTED_SECONDS, FunctionTimes
from hetc.jobs import Job
from hetc.loop_cache import LoopCache, Recalled
from hetc.ordered_tasks import ONCE, OrderedContext, TaskRepeats, yields
from hetc.runtime import profile
from hetc.runtime.call import GuardFailed
from hetc.runtime.overlap import check_memory

if TYPE_CHECKING:  # importing it imports pyopencl
    from hetc.runtime.executor import Executable
    from hetc.speculation import Compiled

TRIED_AGAIN = 64
"""A loop that was refused is taken to gain nothing for so many runs."""
LEAST_SECONDS = 20e-6
"""A loop that is over so soon is no task: to describe one takes as long."""


def start(context: OrderedContext, number: int, iterable: Any, frame: FrameType) -> Any:
    """Loop `number` starts: what it iterates over."""
    current, loop = settings.current(), context.states[number].loop
    if current.offload == "never" or current.debug:
        return iterable
    if not _is_understood(loop, iterable, frame):
        context.gained(number, gained=False)
        context.show_inner(number)
        return iterable
    return OrderedRun(context, number, iterable, current).started(frame)


def _is_understood(loop: OrderedLoop, iterable: Any, frame: FrameType) -> bool:
    """Whether a task can iterate over a value as Python does."""
    if isinstance(iterable, range):
        return "range" not in loop.variables and frame.f_globals.get("range", range) is range
    if type(iterable) is np.ndarray:
        return iterable.ndim > 0
    return loop.is_plain and type(iterable) in (list, tuple, enumerate, zip)


class OrderedRun:
    """One run of a loop. `fresh`, `take`, `broke`, `returned`, `value`: see `hetc.frontends.loops.ordered`."""

    def __init__(self, context: OrderedContext, number: int, iterable: Any, current: settings.Settings) -> None:
        self.context = context
        self.number = number
        self.state = context.states[number]
        self.iterable = iterable
        self.current = current
        self.began, self.kernels = hotness.clock(), context.dispatcher.hotness.compiler.count
        self.fresh = self.broke = self.returned = self.refused = False
        self.value: Any = None
        self.values: tuple[Any, ...] = ()
        self.recalled: Recalled | None = None
        self.cache: LoopCache | None = None
        """Where that was found."""
        self.described: tuple[Job, Mapping[str, Any]] | None = None
        """The task, if it was described to find out whether there is a kernel for it."""

    def take(self) -> tuple[Any, ...]:
        """What a task has left behind, in the order of the variables' names."""
        self.fresh = False
        return self.values

    def started(self, frame: FrameType) -> Any:
        """What the loop iterates over: this run, if a device may run it, or has."""
        current, context = self.current, self.context
        if not current.decides or context.options.device is not None:
            ran = self._on_device(frame, None)
            context.gained(self.number, gained=ran)
            return self if ran else self.iterable
        if not self.state.loop.is_while and not _is_long(self.iterable):
            return self.iterable
        times = self.times(frame)
        if times.per_element is not None:
            decision = self._decision(times, 0, frame)
            if not decision.offload:
                may = (decision.python_seconds or 0.0) > (decision.device_seconds or 0.0)
                if not may and (decision.python_seconds or 0.0) < LEAST_SECONDS:
                    context.gained(self.number, gained=False)
                    return self.iterable
            elif self._on_device(frame, None, times):
                context.gained(self.number, gained=True)
                return self
            elif self.refused:
                context.gained(self.number, gained=False)
                return self.iterable
        return self

    def __iter__(self) -> Iterator[Any]:
        if self.fresh:
            return
        frame = _asking()
        times, iterable = self.times(frame), self.iterable
        if type(iterable) not in (range, np.ndarray):
            yield from self._timed(times, iterable)
            return
        count, done, seconds = len(iterable), 0, 0.0
        part = 1 if not times.per_element else max(1, int(TRUSTED_SECONDS / times.per_element))
        tried = False
        while done < count:
            if done and not tried and times.per_element is not None and self._decision(times, done, frame).offload:
                tried = True
                if self._on_device(frame, iterable[done:], times):
                    self.context.gained(self.number, gained=True)
                    return
            part, start = count - done if tried else min(part, count - done), self._now()
            yield from iterable[done : done + part]
            seconds += self._now() - start
            done += part
            part *= 2
            if seconds >= TRUSTED_SECONDS:
                times.per_element = seconds / done
            frame = _asking()
        self._finished(times, seconds, done)

    def _timed(self, times: FunctionTimes, iterable: Any) -> Iterator[Any]:
        """The items of what is iterated over as a whole."""
        count, start = 0, self._now()
        for item in iterable:
            count += 1
            yield item
        self._finished(times, self._now() - start, count)

    def _now(self) -> float:
        """The time, less what it has taken to look at array statements: at first much longer than Python runs them."""
        return hotness.clock() - self.context.looking()

    def _finished(self, times: FunctionTimes, seconds: float, count: int) -> None:
        """Python has run the loop to its end."""
        if not count:
            return
        refused = self.refused or self.state.refused > 0
        self.state.refused = max(0, self.state.refused - 1)
        times.ran_in_python(seconds, count, refused=refused)
        self.context.gained(self.number, gained=not refused and seconds > times.device(count))

    # --- on the device -----------------------------------------------------------------------------------------------

    def times(self, frame: FrameType) -> FunctionTimes:
        """The times of runs of this loop around which arrays are about as large."""
        arrays = (value for value in frame.f_locals.values() if type(value) is np.ndarray)
        sizes = tuple(value.size.bit_length() for value in arrays)
        key = "ordered", self.state.loop.place, sizes
        return self.context.dispatcher.hotness.times_of(key, hotness.ARRAY_SECONDS)

    def _decision(self, times: FunctionTimes, done: int, frame: FrameType) -> hotness.Decision:
        """Where the rest of the loop runs."""
        context = self.context

        def has_kernel() -> bool:
            rest = context.left(self.number, self.iterable, done)
            if self._recall(frame, rest) is not None:
                return True
            try:
                self.described = context.job(self.number, frame, self.current, rest)
                return context.dispatcher.has_kernel(self.described[0])
            except CompileError:
                return False

        size = len(self.iterable) if hasattr(self.iterable, "__len__") else 0
        return context.dispatcher.hotness.decide(times, size, self.current.threshold, has_kernel, done)

    def _on_device(self, frame: FrameType, rest: Any, times: FunctionTimes | None = None) -> bool:
        """Run the loop, or the rest of it, as a task: whether that has gone through."""
        if not profile.active():
            return self._ran(frame, rest, times)
        with profile.calling(f"{self.context.function.__qualname__}, a loop in order", self.state.loop.place):
            return self._ran(frame, rest, times)

    def _ran(self, frame: FrameType, rest: Any, times: FunctionTimes | None) -> bool:
        context = self.context
        start = self.began if rest is None else hotness.clock()  # to find out what runs it takes time, too
        if rest is None and not self.state.loop.is_plain:
            rest = self.iterable
        found = self.recalled = self.recalled or self._recall(frame, rest)
        if found is not None and self._ran_again(found):
            self._note(times, rest, start)
            self._leave(None)
            return True
        try:
            executable, compiled, captures = self._ready(frame, rest)
        except CompileError:
            context.show_inner(self.number)
            self.refused, self.state.refused = True, TRIED_AGAIN
            if times is not None:
                times.saved = 0.0
            return False
        try:
            result: Any = executable.run(ONCE, captures)
        except GuardFailed as failure:
            note_deoptimisation(failure)
            compiled.went_back(failure.sites, most=True)
            return False
        except DeviceError as error:
            if error.launched:
                raise
            return False
        if executable.asynchronous:
            executable.finish()
        compiled.succeeded()
        if found is not None and self.cache is not None and not yields(self.state.loop) and not profile.active():
            self.state.repeats.setdefault(self.cache, TaskRepeats()).keep(self.cache.known, found)
        self._note(times, rest, start)
        self._leave(result)
        return True

    def _note(self, times: FunctionTimes | None, rest: Any, start: float) -> None:
        """Remember what a run has taken."""
        if times is not None:
            # Not if a kernel has been made ready since the loop started, be it to find out whether there is one.
            measured = self.context.dispatcher.hotness.compiler.count == self.kernels
            count = len(self.iterable if rest is None else rest) if hasattr(self.iterable, "__len__") else 1
            times.ran_on_device(count, hotness.clock() - start if measured else None)

    def _ran_again(self, found: Recalled) -> bool:
        """Whether a run that looks like one before has gone through by the short form of its plan.

        Raises DeviceError.
        """
        repeats = None if self.cache is None else self.state.repeats.get(self.cache)
        if self.cache is None or repeats is None or profile.active():
            return False
        repeat = repeats.find(self.cache.known, found)
        if repeat is None:
            return False
        try:
            done = repeat.run.run(found.captures)
        except DeviceError as error:
            if error.launched:
                raise
            return False
        if not done:
            repeats.failed(repeat)
            return False
        if not repeat.run.waits:
            found.executable.finish()
        repeat.compiled.succeeded()
        return True

    def _leave(self, result: Any) -> None:
        """Keep what the task has left behind for the variables of the function, and end the loop."""
        loop = self.state.loop
        self.iterable, self.fresh, self.described = (), True, None
        if not yields(loop):
            return
        (found,) = result
        values: list[Any] = [found] if len(loop.names) + loop.breaks == 1 and not loop.returns else list(found)
        if loop.returns:
            *values, self.returned, self.value = values
        if loop.breaks:
            *values, self.broke = values
        self.values = tuple(values)

    def _recall(self, frame: FrameType, rest: Any) -> Recalled | None:
        """What ran the task when it looked the same."""
        if not self.state.caches:
            return None
        variables = self.context.variables(self.number, frame, rest)
        self.cache = cache = self.state.cache(variables, rest=rest is not None)
        self.recalled = None if cache.is_empty else cache.find(ONCE, variables, self.current)
        return self.recalled

    def _ready(self, frame: FrameType, rest: Any) -> tuple[Executable, Compiled, Mapping[str, object]]:
        """What runs the task now, and what it captures. Raises CompileError."""
        context, dispatcher = self.context, self.context.dispatcher
        found, self.recalled = self.recalled or self._recall(frame, rest), None
        if found is not None:
            check_memory(found.written, found.captures)
            profile.record(cache_hits=1)
            return found.executable, found.compiled, found.captures
        job, variables = self.described or context.job(self.number, frame, self.current, rest)
        executable, compiled = dispatcher.executable(job)
        steps = executable.package.steps
        written = [s.source.name for s in steps if isinstance(s, abi.WriteBack | abi.Written)]
        if not written and not yields(self.state.loop):
            raise UnsupportedError("the loop computes nothing that is left after it", category=Category.CONSTRUCT)
        job.loop_objects(executable.package)
        if dispatcher.is_settled(job, compiled):
            self.state.cache(variables, rest=rest is not None).keep(job, self.current, executable, compiled)
        return executable, compiled, job.resolution.captures


def _asking() -> FrameType:
    """The frame that asks a generator, which calls this, for its next value."""
    return asking_frame(1)


def _is_long(iterable: Any) -> bool:
    """Whether a loop has iterations enough to be timed."""
    return not hasattr(iterable, "__len__") or len(iterable) > 1

"""One run of a parallel loop: which iterations a device runs, and which Python.

A `for` statement over an index space iterates over a `LoopRun` instead (`hetc.frontends.loops.rewrite`). It hands out
the iterations that Python is to run, with the user's own statements in the user's own frame, and runs those in between
on the device. So whatever stops an iteration on the device (an exception, a number that leaves 64 bits, a `print`)
happens in Python, at its line, when exactly the iterations before it are done.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import FrameType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from hetc import abi, hotness, settings
from hetc.arrays.base import Array
from hetc.chosen_regions import Region, loop_kind
from hetc.diagnostics import Category
from hetc.dispatch import Dispatcher, note_deoptimisation
from hetc.division import check_room
from hetc.errors import CompileError, DeviceError, UnsupportedError
from hetc.frontends.loops.rewrite import Loop
from hetc.hotness import ARRAY_SECONDS, TRUSTED_SECONDS, FunctionTimes
from hetc.jobs import CallOptions, Job
from hetc.loop_cache import NOTHING, Recalled
from hetc.loop_job import check_sums, loop_job, starts_of
from hetc.loop_repeats import LoopRepeats
from hetc.loops import Box, IndexSpace, boxes, points
from hetc.record_wishes import note_structs
from hetc.runtime import profile
from hetc.runtime.kept_arrays import KeptRegion
from hetc.runtime.loop_objects import NO_OBJECTS, LoopObjects
from hetc.runtime.overlap import check_distinct, check_memory
from hetc.timeline.events import Kind

if TYPE_CHECKING:  # importing it imports pyopencl
    from hetc.runtime.devices import Device
    from hetc.runtime.executor import Executable, GuardFailed
    from hetc.speculation import Compiled

    _Ready = tuple[Executable, Compiled, Mapping[str, object], LoopObjects]
    """What runs a loop, what is known of it, what it captures now, and the objects that it assigns attributes of."""

MAX_RETURNS = 16
"""After a run has gone back to Python so many times, Python runs the rest of its iterations."""


WAITED_RUNS = 3
"""So many runs of a loop that need not be waited for are waited for, to know how long they take: of any length."""


class LoopContext:
    """What the loops of one function have in common: the function, how its calls run, and who compiles."""

    def __init__(
        self, function: FunctionType, options: CallOptions, dispatcher: Dispatcher, repeats: LoopRepeats | None = None
    ) -> None:
        self.function = function
        self.options = options
        self.dispatcher = dispatcher
        self.cache = None if repeats is None else repeats.cache
        """What the last runs of the loop looked like; None if nobody remembers."""
        self.repeats = repeats
        """The runs that can be run again."""

    def on(self, device: Device) -> LoopContext:
        """The same for runs on a device that has been chosen: which one it is, is asked before each run."""
        found = LoopContext(self.function, replace(self.options, device=device), self.dispatcher)
        if self.repeats is not None:
            found.repeats = self.repeats.on(device)
            found.cache = found.repeats.cache
        return found

    def job(
        self,
        loop: Loop,
        space: IndexSpace,
        frame: FrameType | None,
        current: settings.Settings,
        known: Mapping[str, Any] | None = None,
        kept: KeptRegion | None = None,
        *,
        warns: bool = True,
        in_order: bool = False,
    ) -> Job:
        """A run of a loop, given the frame of the function that it stands in. Raises CompileError.

        `known` are variables that the frame has not been told of yet. Arrays that are `kept` become portable ones.
        """
        variables = {**({} if frame is None else frame.f_locals), **(known or {})}

        def job(variables: Mapping[str, Any]) -> Job:
            return loop_job(
                loop, self.function, space, variables, self.options, current, warns=warns, in_order=in_order
            )

        if kept is None:
            return job(variables)
        found = job({**variables, **kept.enter(variables)})
        if not kept.separate(found.resolution.captures.values()):
            kept.names = ()
            found = job(variables)
            kept.separate(found.resolution.captures.values())
        return found


class PlainRun:
    """The iterations of what turns out to be no index space: Python's."""

    fresh = ended = False

    def __init__(self, iterable: Any, kept: KeptRegion | None = None) -> None:
        self.iterable = iterable
        self.kept = kept

    def __iter__(self) -> Iterator[Any]:
        if self.kept is not None:
            self.kept.arrays.bring_all()
        return iter(self.iterable)


class LoopRun:
    """The iterations of a loop that Python runs. `fresh`, `take`, `ended`, `last`: see `rewrite`."""

    def __init__(self, context: LoopContext, loop: Loop, space: IndexSpace, kept: KeptRegion | None = None) -> None:
        self.context = context
        self.loop = loop
        self.space = space
        self.kept = kept
        self.count = len(space)
        self.fresh = False
        self.ended = False
        self.last: Any = None
        self.values: tuple[Any, ...] = ()
        self.returns = 0
        self.inspected = False
        self.region: Region | None = None
        self.told: list[tuple[int, int]] | None = None
        """Iterations in which NumPy warns of something for the first time, once they are known: Python runs them."""

    def take(self) -> tuple[Any, ...]:
        """The values of the loop's reductions, after iterations on the device."""
        self.fresh = False
        return self.values

    def known(self) -> dict[str, Any]:
        """The values of the loop's reductions, if iterations on the device have changed them."""
        names = [reduction.name for reduction in self.loop.reductions]
        return dict(zip(names, self.values, strict=True)) if self.fresh else {}

    def __iter__(self) -> Iterator[Any]:
        current, ranges, done = settings.current(), self.space.ranges, 0
        if current.offload == "never" or not self.count:
            yield from self.in_python(0, self.count)
            return
        if current.decides and self.context.options.device is None:
            trial = _Trial(self, current)
            while done < self.count and not trial.pays(_caller(inspect.currentframe()), done):
                part, start = min(trial.part, self.count - done), hotness.clock()
                yield from self.in_python(done, done + part)
                done += part
                trial.ran(done, hotness.clock() - start)
            trial.finish(done)
        end = self.count - self.loop.needs_last
        while done < end:
            frame = _caller(inspect.currentframe())
            if profile.active():
                with profile.calling(*self.origin):
                    device, python = self._advance(frame, current, done, end)
            else:
                device, python = self._advance(frame, current, done, end)
            done += device
            if done == self.count:
                self.ended, (self.last,) = True, points(ranges, done - 1, done)
            yield from self.in_python(done, done + python)
            done += python
        yield from self.in_python(done, self.count)

    def in_python(self, first: int, end: int) -> Iterator[Any]:
        """Some iterations for Python, which finds all arrays up to date."""
        if self.kept is not None and first < end:
            self.kept.arrays.bring_all()
        found = points(self.space.ranges, first, end)
        if not profile.active() or first >= end:
            return found
        return profile.iterating(found, Kind.PYTHON, "iterations", self.origin, count=end - first)

    @property
    def origin(self) -> profile.Origin:
        """The loop, as a profile names it."""
        return profile.Origin(f"{self.context.function.__qualname__}, a loop", self.loop.place)

    def job(self, frame: FrameType | None, current: settings.Settings, *, warns: bool = True) -> Job:
        """The run as the compiler sees it now. Raises CompileError."""
        return self.context.job(self.loop, self.space, frame, current, self.known(), self.kept, warns=warns)

    # ---------------------------------------------------------------------------------------------------------------
    # On the device
    # ---------------------------------------------------------------------------------------------------------------

    def _advance(self, frame: FrameType | None, current: settings.Settings, done: int, end: int) -> tuple[int, int]:
        """Run iterations from `done` on: how many have run on the device, and how many Python is to run next."""
        dispatcher = self.context.dispatcher
        if self.told:
            first, last = self.told[0]
            if done >= first:
                del self.told[0]
                if current.debug and done < last:
                    from hetc.inspection import inspect_elements

                    inspect_elements(self.job(frame, current, warns=False), [range(done, last)])
                return 0, max(0, last - done)
            end = min(end, first)
        try:
            recalled = self._recalled(frame, current)
            executable, compiled, captures, objects = self._ready(frame, current) if recalled is None else (
                recalled.executable, recalled.compiled, recalled.captures, NO_OBJECTS
            )  # fmt: skip
            if current.debug and self._inspect(frame, current, done):
                # Arrays that were kept on the device are on the host since then.
                executable, compiled, captures, objects = self._ready(frame, current)
            start, before = hotness.clock(), dispatcher.hotness.compiler.count
            ran, python, failure = self._run(executable, captures, objects, done, end)
        except (CompileError, DeviceError) as error:
            return self._refused(error, current, done, end)
        if failure is not None and failure.untold:
            compiled.tells, compiled.executable = True, None
            return ran, 0
        if failure is None or not failure.sites:
            compiled.succeeded()
            if failure is None:
                measured = dispatcher.hotness.compiler.count == before
                region = self.region
                times = self.times() if region is None else region.line
                if executable.asynchronous and measured and current.offload == "auto":
                    measured = times.runs_like(ran) < WAITED_RUNS
                    if measured:
                        executable.finish()
                (region or times).ran_on_device(ran, hotness.clock() - start if measured else None)
                if recalled is not None and ran == self.count:
                    self._keep(recalled)
            return ran, 0
        note_deoptimisation(failure)
        self.returns += 1
        if self.returns > MAX_RETURNS:
            python = end - done - ran
        compiled.went_back(failure.sites, most=2 * python >= self.count)
        return ran, python

    def _refused(
        self, error: CompileError | DeviceError, current: settings.Settings, done: int, end: int
    ) -> tuple[int, int]:
        """Iterations do not run on their device: another candidate takes them, or Python does, as `_advance` says.

        Raises DeviceError where nothing else was to be chosen, or where arrays may have changed.
        """
        dispatcher, region = self.context.dispatcher, self.region
        if isinstance(error, DeviceError) and (region is None or error.launched):
            raise error
        try:
            if (
                region is not None
                and dispatcher.goes_on(error, region, self.context.options)
                and region.device is not None
            ):
                self.context = self.context.on(region.device)
                return 0, 0
        except CompileError as failed:
            error = failed
        assert isinstance(error, CompileError)
        dispatcher.fall_back(self.loop.explained(error), self.context.options.fallback or current.fallback)
        return 0, end - done

    def made_region(self) -> Region:
        """What is known of runs like this one, whose device may be chosen."""
        body = self.loop.body
        key = self.loop.place if body is None else body.code
        known, owner = self.context.dispatcher.hotness, self.context.function.__code__
        return Region(known, self.times(), loop_kind(key), owner, self.count)

    def arrays(self, frame: FrameType | None) -> list[Any]:
        """The arrays that the loop captures, where they are."""
        body = self.loop.body
        if body is None or frame is None:
            return []
        variables = frame.f_locals
        kept = {} if self.kept is None else self.kept.enter(variables)
        found = [kept.get(name, variables.get(name)) for name in body.code.co_freevars]
        return [value for value in found if isinstance(value, np.ndarray | Array)]

    def _ready(self, frame: FrameType | None, current: settings.Settings) -> _Ready:
        """What runs the loop now. Raises CompileError."""
        dispatcher, cache = self.context.dispatcher, self.context.cache
        job = self.job(frame, current, warns=self.told is None)
        executable, compiled = dispatcher.executable(job)
        note_structs(job, executable.package)
        if not self.fresh and self.loop.reductions and frame is not None:
            self.values = tuple(frame.f_locals[reduction.name] for reduction in self.loop.reductions)
        objects = self._check(job, executable)
        check_room(job, executable.package, objects.captures)
        if cache is not None and self._looks_the_same(current) and dispatcher.is_settled(job, compiled):
            cache.keep(job, current, executable, compiled, self._starts(frame))
        return executable, compiled, job.resolution.captures | objects.captures, objects

    def _looks_the_same(self, current: settings.Settings) -> bool:
        """Whether runs that look the same are compiled, and checked, the same."""
        asked = current.debug or current.memory_limit is not None
        return not asked and not self.fresh and self.told is None

    def _starts(self, frame: FrameType | None) -> Mapping[str, object]:
        """What sums start from, before anything has been summed up. Raises UnsupportedError."""
        if not self.loop.reductions or frame is None:
            return NOTHING
        return starts_of(self.loop, self.context.function, frame.f_locals)

    def _keep(self, recalled: Recalled) -> None:
        """All iterations have run on the device, by something known: the next run may be like this one."""
        repeats, kept = self.context.repeats, self.kept
        if repeats is not None and not profile.active():
            plan = None if kept is None else kept.arrays.plan
            overwritten = () if kept is None else kept.overwritten(self.space.ranges)
            repeats.keep(recalled, self.space.ranges, plan, overwritten, self.region)

    def _recalled(self, frame: FrameType | None, current: settings.Settings) -> Recalled | None:
        """What ran the loop when it looked the same; None where that is not known. Raises CompileError."""
        cache, kept = self.context.cache, self.kept
        if cache is None or cache.is_empty or frame is None or not self._looks_the_same(current):
            return None
        variables = dict(frame.f_locals)
        if kept is not None:
            variables |= kept.enter(variables)
        starts = self._starts(frame)
        found = cache.find(self.space.ranges, {**variables, **starts}, current, starts)
        if found is None or not (kept is None or kept.separate(found.captures.values())):
            return None
        check_memory(found.written, found.captures)
        check_distinct(found.executable.package.distinct, found.captures)
        if self.loop.reductions:
            self.values = tuple(variables[reduction.name] for reduction in self.loop.reductions)
            check_sums(self.loop, self.values, found.executable.package)
        profile.record(cache_hits=1)
        return found

    def _inspect(self, frame: FrameType | None, current: settings.Settings, done: int) -> bool:
        """Tell, once, what the iterations from `done` on, of a loop that sums up, will make of their numbers.

        Returns whether it has; then all arrays are on the host.
        """
        if self.inspected or not self.loop.reductions:
            return False
        self.inspected = True
        from hetc.loop_inspection import SumsInspection

        if self.kept is not None:
            self.kept.arrays.bring_all()

        def job(values: tuple[Any, ...], *, in_order: bool = False) -> Job:
            known = {r.name: value for r, value in zip(self.loop.reductions, values, strict=True)}
            return self.context.job(self.loop, self.space, frame, current, known, warns=False, in_order=in_order)

        SumsInspection(self.context.dispatcher, self.loop, job, self.values, range(done, self.count)).tell()
        return True

    def _check(self, job: Job, executable: Executable) -> LoopObjects:
        """The objects that the loop assigns attributes of.

        Raises UnsupportedError if the values of this very run are none that the device gives Python's result for.
        """
        objects = job.loop_objects(executable.package)
        check_sums(self.loop, self.values, executable.package)
        stores = any(isinstance(step, abi.WriteBack | abi.Written) for step in executable.package.steps)
        if not stores and not self.loop.reductions:
            raise UnsupportedError(
                "the loop computes nothing that is left after it",
                hint="store to an array, or sum up",
                category=Category.CONSTRUCT,
            )
        return objects

    def _run(
        self, executable: Executable, captures: Mapping[str, object], objects: LoopObjects, done: int, end: int
    ) -> tuple[int, int, GuardFailed | None]:
        """Run iterations from `done` on, to `end` at most.

        How many ran; if a guard failed, how many Python has to run then, and why.
        """
        from hetc.runtime.executor import GuardFailed

        first = done
        for box in self._parts(done, end):
            size = len(IndexSpace(box))
            try:
                self._add(self._execute(executable, box, captures))
                objects.write()
            except DeviceError:
                if first == done:
                    raise
                return first - done, 0, None  # those before have run, and must not again
            except GuardFailed as failure:
                partial = failure.partial
                if partial is None or not partial.blocks:
                    return first - done, size, failure
                if not failure.sites:
                    ends = [min(size, (k + 1) * partial.block) for k in partial.blocks]
                    self.told = [
                        (first + k * partial.block, first + e) for k, e in zip(partial.blocks, ends, strict=True)
                    ]
                    return first - done, 0, failure
                good = partial.blocks[0] * partial.block
                if good:
                    before, python, again = self._run(executable, captures, objects, first, first + good)
                    if again is not None or before < good:
                        return first - done + before, python, again
                return first - done + good, min(partial.block, size - good), failure
            first += size
        return first - done, 0, None

    def _execute(self, executable: Executable, box: Box, captures: Mapping[str, object]) -> object:
        """Run a plan on some iterations; if the device refuses, once more without the arrays that other loops keep.

        But not if something has run: what it changes in place would change twice.
        """
        if self.kept is None:
            return executable.run(box, captures)
        try:
            return self._execute_kept(executable, box, captures, self.kept)
        except DeviceError as error:
            if error.launched or not self.kept.make_space():
                raise
            return self._execute_kept(executable, box, captures, self.kept)

    def _execute_kept(
        self, executable: Executable, box: Box, captures: Mapping[str, object], kept: KeptRegion
    ) -> object:
        """Run a plan on some iterations. What it overwrites as a whole is not brought to the device."""
        from hetc.runtime.residence import make_room

        written = [id(captures[name]) for name in executable.package.written]
        whole = [array.owner for array in kept.overwritten(box) if id(array) in written]
        made = [memory for memory in whole if make_room(memory, executable.device)]
        try:
            return executable.run(box, captures)
        except BaseException:
            for memory in made:
                if memory.is_on_host:
                    memory.forget(executable.device)
            raise

    def _parts(self, done: int, end: int) -> list[Box]:
        """Products of ranges that one job runs in order: one, if it depends on the values that the loop has come to."""
        parts = list(boxes(self.space.ranges, done, end))
        return parts[:1] if any(reduction.carries for reduction in self.loop.reductions) else parts

    def _add(self, total: Any) -> None:
        """Bring the reductions up to date with what some iterations have come to."""
        reductions = self.loop.reductions
        if not reductions:
            return
        totals = (total,) if len(reductions) == 1 else total
        with np.errstate(all="ignore"):
            self.values = tuple(r.combined(v, t) for r, v, t in zip(reductions, self.values, totals, strict=True))
        self.fresh = True

    def times(self) -> FunctionTimes:
        """The times that runs of this loop have taken."""
        return loop_times(self.context.dispatcher, self.loop)


def loop_times(dispatcher: Dispatcher, loop: Loop) -> FunctionTimes:
    """The times that runs of a loop have taken."""
    key = loop.place if loop.body is None else loop.body.code
    return dispatcher.hotness.times_of(loop_kind(key), 4 * ARRAY_SECONDS)


class _Trial:
    """The start of a run in Python, as long as that is the faster way."""

    def __init__(self, run: LoopRun, current: settings.Settings) -> None:
        self.run = run
        self.current = current
        self.region = run.region = run.made_region()
        self.times = self.region.times
        self.seconds = 0.0
        self.part = 1 if not self.times.per_element else max(1, int(TRUSTED_SECONDS / self.times.per_element))

    def pays(self, frame: FrameType | None, done: int) -> bool:
        """Whether the device is to take the rest."""
        if self.times.per_element is None:
            return False
        run, region, context = self.run, self.region, self.run.context

        def has_kernel() -> bool:
            try:
                run.context = context if region.device is None else context.on(region.device)
                return run.context.dispatcher.has_kernel(run.job(frame, self.current))
            except CompileError:
                return False

        pays = region.decide(done, self.current, has_kernel, lambda: run.arrays(frame)).offload
        run.context = context if region.device is None or not pays else context.on(region.device)
        if pays:
            region.start()
        return pays

    def ran(self, done: int, seconds: float) -> None:
        """One more part has run; all that are done are `done`."""
        self.seconds += seconds
        self.part *= 2
        if self.seconds >= TRUSTED_SECONDS:
            self.times.per_element = self.seconds / done

    def finish(self, done: int) -> None:
        """Python has run this many iterations, and the rest is the device's."""
        if done == self.run.count:
            self.region.ran_in_python(self.seconds, refused=self.run.loop.body is None)
            profile.record(in_python=1)


def _caller(frame: FrameType | None) -> FrameType | None:
    """The frame that asks a generator for its next value."""
    return None if frame is None else frame.f_back

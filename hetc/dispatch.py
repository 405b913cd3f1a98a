"""One call of an array function: describe the data, find or compile a kernel, run it, or go back to Python.

The compiler is imported when the first kernel is compiled, pyopencl when the first device is looked for.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from hetc import hotness, settings
from hetc.abi import Container, Package
from hetc.arrays.base import Array
from hetc.arrays.making import components, portable
from hetc.callers import caller, calling_place
from hetc.containers import collect, missing_as_nan, nan_as_missing
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.errors import CompileError, DeviceError, FallbackWarning, InputError, UnsupportedError
from hetc.extensions import ExtensionError, whose_fault
from hetc.foreign import refuse_foreign
from hetc.frontends.skeleton.composition import (
    Filter,
    Reduce,
    Scan,
    Scatter,
    Stages,
    check_inputs,
    composition_text,
    is_barrier,
)
from hetc.hotness import Decision, Hotness, WatchedCall
from hetc.inline_cache import InlineCache
from hetc.jobs import CallOptions, Job
from hetc.record_wishes import note_structs
from hetc.runtime import profile
from hetc.runtime.call import GuardFailed
from hetc.runtime.describe import container_of
from hetc.speculation import Compiled
from hetc.storage import store
from hetc.timeline.events import Kind

if TYPE_CHECKING:  # importing these imports xDSL and pyopencl, which a call in Python does not need
    from hetc.choice import Choice
    from hetc.chosen_regions import Region
    from hetc.errors import HetcError
    from hetc.frontends.skeleton.sequential import SequentialRun
    from hetc.runtime.devices import Device
    from hetc.runtime.executor import Executable

CACHE_SIZE = 1024
"""Compiled calls kept in memory; the oldest go first."""


class LeftDevice(Exception):  # noqa: N818 - an outcome that the caller handles, no error of hetc
    """A call that was to run on a device alone is not one that does, all of it. Nothing has happened."""


_device_alone: ContextVar[bool] = ContextVar("hetc_device_alone", default=False)


@contextmanager
def on_device_alone() -> Generator[None]:
    """Calls in this context run on a device, or raise LeftDevice before Python runs any of their elements."""
    token = _device_alone.set(True)
    try:
        yield
    finally:
        _device_alone.reset(token)


def leave_device() -> None:
    """Something is to run that is no call on a device alone. Raises LeftDevice if this is one."""
    if _device_alone.get():
        raise LeftDevice


@dataclass
class Dispatcher:
    """The compiled calls of a process, and what it has warned about."""

    compiled: dict[Hashable, Compiled] = field(default_factory=dict[Hashable, Compiled])
    warned: set[Hashable] = field(default_factory=set[Hashable])
    lock: threading.Lock = field(default_factory=threading.Lock)
    hotness: Hotness = field(default_factory=lambda: Hotness(may_find=store.may_find))

    def call(
        self,
        stages: Stages,
        inputs: Sequence[Any],
        options: CallOptions,
        cache: InlineCache[Job] | None = None,
    ) -> object:
        """The result of a composition on inputs; what its calls look like is kept in `cache`.

        Raises InputError for inputs that do not fit, DeviceError for a device that is not there, and what the user's
        functions raise; with fallback="error" also the CompileError that says why a call is not compiled.
        """
        if profile.active():
            with profile.calling(composition_text(stages), calling_place()):
                return self._called(stages, inputs, options, cache)
        current = settings.current()
        job = None if cache is None or _is_free(options, current) else _recalled(inputs, current, cache)
        if job is None:
            return self._called(stages, inputs, options, cache)
        try:
            return self._offloaded(job)
        except CompileError as error:
            self.fall_back(error, options.fallback or current.fallback)
        return _in_python(stages, inputs, job.container)  # here, so that what it raises has no other error as context

    def _called(
        self, stages: Stages, inputs: Sequence[Any], options: CallOptions, cache: InlineCache[Job] | None
    ) -> object:
        """The result of a composition on inputs, as `call` gives it."""
        if options.missing == "nan":
            present = [nan_as_missing(value) for value in inputs]
            result = missing_as_nan(self._called(stages, present, replace(options, missing=None), None))
            return portable(result) if any(isinstance(value, Array) for value in inputs) else result
        check_inputs(stages, len(inputs))
        current = settings.current()

        def describe_it() -> Job:
            job = None if cache is None else _recalled(inputs, current, cache)
            if job is None:
                refuse_foreign(inputs)
                job = Job.of(stages, inputs, options, current)
                if cache is not None and job.columns is job.inputs:  # others are made of these very inputs
                    cache.keep(inputs, job.resolution.captures, job.resolution.premises, current, job.for_others())
            return job

        return self.run(stages, inputs, options, describe_it, options.container)

    def run(
        self,
        stages: Stages,
        inputs: Sequence[Any],
        options: CallOptions,
        describe_it: Callable[[], Job],
        container: Container | None = None,
    ) -> object:
        """The result of a composition on inputs, by Python or as a job, in a container: by default, that of the inputs.

        Raises what `call` does.
        """
        current = settings.current()
        if current.offload == "never" or _reduces_nothing(stages, inputs):
            return _in_python(stages, inputs, container or container_of(inputs))
        watched = None
        if _is_free(options, current):
            from hetc.chosen_calls import ChoosingCall

            self.hotness.watched = ChoosingCall
            watched = self.hotness.watch(stages, inputs, current.threshold, container or container_of(inputs))
        try:
            if watched is not None:
                return self._where_it_is_faster(watched, describe_it, options)
            return self._where_data_is(stages, inputs, options, describe_it())
        except CompileError as error:
            self.fall_back(error, options.fallback or current.fallback)
        if watched is not None:
            return watched.finish(refused=True)
        return _in_python(stages, inputs, container or container_of(inputs))

    def decision(self, stages: Stages, inputs: Sequence[Any], options: CallOptions, job: Callable[[], Job]) -> Decision:
        """Where a call that can be compiled would run now."""
        current = settings.current()
        if current.offload == "never":
            return Decision(False, 'the setting is offload="never"')
        if _reduces_nothing(stages, inputs):
            return Decision(False, "the result of reducing nothing is the initial value")
        if current.offload == "always":
            return Decision(True, 'the setting is offload="always"')
        if current.debug:
            return Decision(True, "the setting is debug=True")
        if options.device is not None:
            return Decision(True, "a device was asked for with .on(...)")
        from hetc import chosen_calls

        def has_kernel(device: Device | None) -> bool:
            return self.has_kernel(job() if device is None else job().on(device))

        return chosen_calls.forecast(self.hotness, stages, inputs, current.threshold, has_kernel)

    def has_kernel(self, job: Job) -> bool:
        """Whether nothing needs to be compiled for a call, be it that it cannot be."""
        known = self.known(job)
        if known.executable is None and known.looked_for is None and settings.current().cache:
            known = self._entry(job.key)
            known.executable = self._load(job, known)
        return known.executable is not None

    def _where_it_is_faster(self, watched: WatchedCall, describe_it: Callable[[], Job], options: CallOptions) -> object:
        """Run in Python, on the device, or first there and then here. The call is described where that matters."""
        described: list[tuple[int, Job]] = []

        def job() -> Job:
            # The elements that have run since may have changed what the others read.
            if not described or described[-1][0] != watched.run.done:
                described.append((watched.run.done, describe_it()))
            found = described[-1][1]
            return found if watched.device is None else found.on(watched.device)

        stays = watched.stays_in_python(lambda: self.has_kernel(job()))
        begun = watched.run if not stays and watched.run.done and job().may_have_effects else None
        if stays or (begun is not None and not _is_elementwise(job().stages)):
            profile.record(in_python=1)
            return watched.finish()
        while True:
            try:
                return watched.on_device(lambda: self._offloaded(job(), begun))
            except (CompileError, DeviceError) as error:
                if not self.goes_on(error, watched, options):
                    raise

    def _where_data_is(self, stages: Stages, inputs: Sequence[Any], options: CallOptions, job: Job) -> object:
        """Run a call on the job's device; where some data is on a device alone, on the best candidate."""
        if not _is_free(options, settings.current()):
            return self._offloaded(job)
        from hetc import chosen_calls

        choice = chosen_calls.chosen_for_data(self.hotness, stages, inputs)
        if choice is None or choice.device is None:
            return self._offloaded(job)
        while True:
            run = functools.partial(self._offloaded, job.on(choice.device))
            try:
                return chosen_calls.timed(choice, run)
            except (CompileError, DeviceError) as error:
                if not self.goes_on(error, choice, options):
                    raise

    def goes_on(self, error: HetcError, choice: Choice | Region | WatchedCall, options: CallOptions) -> bool:
        """A device does not run a call that it was chosen for: whether another one takes it.

        What the driver says is told; that a device has no such numbers is nothing new. Raises CompileError where a
        device has failed and none is left, so that Python runs the call, as if it had not been compiled.
        """
        if isinstance(error, DeviceError) and error.changed:
            return False
        known = UnsupportedError(error.reason, hint=error.hint, category=error.category)
        if choice.refused(error):
            if not isinstance(error, UnsupportedError) or error.category is Category.DEVICE:
                silent = (options.fallback or settings.current().fallback) == "silent"
                self.tell(known, "silent" if silent else "warn")
            return True
        if isinstance(error, DeviceError):
            raise known from None
        return False

    def known(self, job: Job) -> Compiled:
        """What is known of the calls of this kind; of new ones, nothing."""
        return self.compiled.get(job.key) or Compiled()

    def _offloaded(self, job: Job, begun: SequentialRun | None = None) -> object:
        """Run on the device: as a loop over the elements if the program might assign attributes, else as it is.

        Which methods run is found out when the call is compiled: of a loop that is refused, the map may be compiled.
        """
        job, compiled = self._version(job)
        if job.loop_of is not None:
            compiled.executable = compiled.executable or self._compile(job, compiled)
            if isinstance(refused := compiled.executable, CompileError):
                try:
                    job, compiled = self._version(job.as_map())
                    self._ready(job, compiled)
                except CompileError:
                    raise refused.with_traceback(None) from None
        return self._run(job, compiled, begun)

    def _run(self, job: Job, compiled: Compiled, begun: SequentialRun | None) -> object:
        """Run what is compiled. Where a guard fails, Python runs the elements that failed, or the whole call.

        Of a map that may have side effects, the first elements may have run in Python, in `begun`; their results stay.
        """
        writes = False
        while True:
            try:
                executable = self._ready(job, compiled)
                writes = bool(executable.package.writes)
                note_structs(job, executable.package)
                if executable.package.writes or job.loop_of is not None:
                    leave_device()
                if writes:
                    from hetc.runtime.object_writes import check_written

                    if begun is not None:  # Python has written some objects, and the device would once more
                        begun.advance(None)
                        return begun.result()
                    program = job.resolution.program
                    check_written(
                        executable.package.writes, job.columns, () if program is None else program.captured_objects()
                    )
                if job.loop_of is not None:
                    return _looped(job, executable, compiled, begun)
                result = self._executed(job, executable)
            except DeviceError as error:
                error.changed = error.launched and (job.loop_of is not None or writes)
                raise
            except GuardFailed as error:
                failure = error
                if failure.untold:
                    compiled.tells, compiled.executable = True, None
                    continue
                if not failure.sites:
                    compiled.succeeded()
                    return _by_python(job, failure, begun)
            else:
                compiled.succeeded()
                if job.debug and not _is_elementwise(job.stages):
                    self._inspect(job, result)
                return result if begun is None else _repaired(job, job.container, result, (), begun)
            note_deoptimisation(failure)
            if not compiled.failed(failure, len(job.inputs[0])):
                return _by_python(job, failure, begun)

    def _inspect(self, job: Job, result: object) -> None:
        """Say where what is no number in a result comes from, where the kernel does not tell."""

        def of_first(count: int) -> object:
            with settings.configure(debug=False, offload="always"):
                return self.call(job.sequential, [value[:count] for value in job.inputs], CallOptions(job.device))

        from hetc.inspection import inspect_result

        inspect_result(job, result, of_first)

    def _executed(self, job: Job, executable: Executable) -> object:
        """What a compiled call comes to on the device. Raises GuardFailed and DeviceError."""
        result = executable.run(job.columns, job.captured, job.inputs, job.heap)
        if executable.asynchronous and settings.current().offload == "auto" and not _device_alone.get():
            executable.finish()  # it is measured how long this takes
        return result

    def executable(self, job: Job) -> tuple[Executable, Compiled]:
        """What runs a job, compiled now if need be, and what is known of it. Raises CompileError."""
        job, compiled = self._version(job)
        return self._ready(job, compiled), compiled

    def is_settled(self, job: Job, compiled: Compiled) -> bool:
        """Whether further calls like a job, with the same captured integers, will be compiled as this one is."""
        if not job.integers:
            return True
        known = self.known(job)
        return compiled is not known or known.has_loops is False or known.is_restless

    def _ready(self, job: Job, compiled: Compiled) -> Executable:
        """What runs this version of a job, compiled now if need be. Raises CompileError."""
        executable = compiled.executable
        if executable is None:
            executable = compiled.executable = self._compile(job, compiled)
        else:
            profile.record(cache_hits=1)
        if isinstance(executable, CompileError):
            raise executable.with_traceback(None)
        return executable

    def _version(self, job: Job) -> tuple[Job, Compiled]:
        """The call as it is compiled: for any captured integers, or for those that have been the same for a while."""
        compiled = self._entry(job.key)
        if job.integers and compiled.is_steady(job.integers):
            if compiled.has_loops is None:
                compiled.has_loops = job.has_loops
            if not compiled.has_loops:
                return job, compiled
            constant = job.with_constants()
            special = self._entry(constant.key)
            if special.executable is None:
                special.executable = self._compile(constant, special)
            if not isinstance(special.executable, CompileError):
                return constant, special
        return job, compiled

    def _entry(self, key: Hashable) -> Compiled:
        compiled = self.compiled.get(key)
        if compiled is None:
            compiled = Compiled()
            with self.lock:
                while len(self.compiled) >= CACHE_SIZE:
                    self.compiled.pop(next(iter(self.compiled)))
                self.compiled[key] = compiled
        return compiled

    def _load(self, job: Job, compiled: Compiled) -> Executable | None:
        """What another process has compiled for this call, if it is stored and the device takes it."""
        key = job.stored_under(compiled)
        if key is None or key == compiled.looked_for:
            return None
        compiled.looked_for = key
        with profile.span(Kind.LOAD, "looking for a stored kernel"):
            package = store.load(key, Package, settings.current())
        if package is None:
            profile.record(disk_misses=1)
            return None
        try:
            executable = _executable(package, job.device)
        except DeviceError:  # it may have been changed in a way that no version tells of
            store.forget(key, settings.current())
            return None
        compiled.stored = True
        profile.record(disk_hits=1)
        self.hotness.compiler.loaded()
        return executable

    def _compile(self, job: Job, compiled: Compiled) -> Executable | CompileError:
        """What runs a call from now on: stored by another process, or compiled."""
        return self._load(job, compiled) or self._compile_anew(job, compiled)

    def _compile_anew(self, job: Job, compiled: Compiled) -> Executable | CompileError:
        compiled.stored = False
        with profile.span(Kind.START, "importing the compiler"):  # that takes some hundred milliseconds, once
            from hetc import driver
            from hetc.progress import progress

        start = hotness.clock()
        try:
            request = job.request(compiled)
            steps = len(driver.stages(request.traits, checks=request.checks)) + 1
            with progress(f"hetc: compiling {request.name}", steps, "steps") as advance:
                package = driver.compile(request, lambda stage, _: advance(1, stage))
                profile.record(compile_ms=(hotness.clock() - start) * 1e3)
                advance(0, "the device's compiler")
                executable = _executable(package, job.device)
        except CompileError as error:
            return error
        except RecursionError:
            return UnsupportedError(
                "a function is nested too deeply to be compiled",
                hint="split its expressions into statements",
                category=Category.NESTING,
            )
        except ExtensionError as error:
            return CompileError(error.reason, hint=error.hint, category=error.category)
        except DeviceError as error:
            reason = f"the device's compiler refuses the kernel: {error.reason.splitlines()[0]}"
            return CompileError(reason, hint=whose_fault())
        except Exception as error:
            if job.verify:
                raise
            # Whatever is wrong in the compiler, the user's function has a meaning; and the warning says what happened.
            return CompileError(
                f"the compiler failed: {type(error).__name__}: {str(error).partition(chr(10))[0]}", hint=whose_fault()
            )
        self.hotness.compiler.add(hotness.clock() - start)
        if (key := job.stored_under(compiled)) is not None:
            store.save(key, package, settings.current())
        return executable

    def fall_back(self, error: CompileError, mode: str) -> None:
        """Say why a call runs in Python, once for each place and kind of reason.

        Not where Python is wanted: where what is debugged prints, or stops.
        """
        leave_device()
        if settings.current().debug:
            from hetc.inspection import is_observation

            if is_observation(error):
                return
        profile.record(fallbacks=1)
        profile.note_instant(Kind.FALLBACK, error.code or "", error.location)
        self.tell(error, mode)

    def tell(self, error: CompileError, mode: str) -> None:
        """Say why a call does not run as it was to, once for each place and kind of reason."""
        if mode == "silent":
            return
        who = caller()
        told = error.at(None if who is None else who.place)
        if mode == "error":
            raise told from None  # it says all that there is to say
        # Of a machine without devices one warning says all.
        key = (told.code, None if told.category is Category.NO_DEVICE else told.location)
        if key in self.warned:
            return
        self.warned.add(key)
        if who is not None:
            who.warn(str(told), FallbackWarning)


def _executable(package: Package, device: Device) -> Executable:
    """A package on a device, whose launches are measured where there is a choice. Raises DeviceError."""
    from hetc.runtime.executor import Executable
    from hetc.runtime.tuning import Tuning
    from hetc.storage.tuned import OnDisk

    return Executable(package, device, Tuning(package, OnDisk(package, device)))


def _recalled(inputs: Sequence[Any], current: settings.Settings, cache: InlineCache[Job]) -> Job | None:
    """A call, described as one that looked the same, if there was one."""
    known = cache.find(inputs, current)
    if known is None:
        return None
    job, captures = known
    return job.for_data(inputs, inputs, job.resolution.with_captures(captures) if captures else job.resolution)


def note_deoptimisation(failure: GuardFailed) -> None:
    """Guards have failed, and Python runs something: tell the profiles."""
    profile.record(deopts=1)
    for site in failure.sites:
        profile.note_instant(Kind.DEOPTIMISATION, f"{site.kind}: {site.reason}", site.location)


def _looped(job: Job, executable: Executable, compiled: Compiled, begun: SequentialRun | None) -> object:
    """The result of a map that is run as a loop, which changes its objects at the end."""
    if begun is not None:  # Python has changed some objects, and the device would once more
        begun.advance(None)
        return begun.result()
    objects = job.loop_objects(executable.package)
    result = executable.run(job.columns, {**job.captured, **objects.captures}, job.inputs)
    objects.write()
    compiled.succeeded()
    return collect([None] * len(job.inputs[0]), job.container) if result is None else result


def _by_python(job: Job, failure: GuardFailed, begun: SequentialRun | None) -> object:
    """The result of a call in which guards failed: Python runs the elements that failed, or all that it has not yet.

    Where NumPy only warns, it runs the elements that do; they have come to their end on the device, so without effects.
    """
    leave_device()
    partial, stages, inputs = failure.partial, job.loop_of or job.sequential, job.inputs
    if partial is not None and job.loop_of is None:
        size = len(inputs[0])
        spans = [range(k * partial.block, min((k + 1) * partial.block, size)) for k in partial.blocks]
        if job.debug:
            from hetc.inspection import inspect_elements

            inspect_elements(job, spans, failure.warned)
        if spans and failure.sites and job.may_have_effects:  # what the first one changes, all others may read
            spans = [range(spans[0].start, size)]
        return _repaired(job, partial.container, partial.result, spans, begun)
    if begun is None:
        return _in_python(stages, inputs, job.container)
    begun.advance(None)
    return begun.result()


def _repaired(
    job: Job, container: Container, result: Any, wrong: Sequence[range], begun: SequentialRun | None
) -> object:
    """The result of a job, of which Python runs the elements that are wrong; until then it is in `container`."""
    if isinstance(result, Array):
        container, result = Container.NDARRAY, components(result)
    from hetc.frontends.skeleton.sequential import repaired

    with profile.span(Kind.PYTHON, "elements of failed guards", count=sum(map(len, wrong))):
        found: Any = repaired(job.sequential, job.inputs, container, result, wrong, begun)
    if container is job.container:
        return found
    return portable(found) if container is Container.NDARRAY else collect(found, job.container)


def _in_python(stages: Stages, inputs: Sequence[Any], container: Container) -> object:
    """The call by its sequential meaning. Lengths are checked first, since Python's zip would cut off silently."""
    leave_device()
    lengths = [length for value in inputs if (length := _length(value)) is not None]
    if len(set(lengths)) > 1:
        stated = ", ".join(map(str, lengths))
        raise InputError(
            f"the inputs have different lengths: {stated}",
            hint="each input gives one element a call",
            category=Category.LENGTHS,
        )
    from hetc.frontends.skeleton.sequential import run_in_python

    if not profile.active():  # small calls in Python should not take longer for being asked about
        return run_in_python(stages, inputs, container)
    with profile.span(Kind.PYTHON, "all elements", count=lengths[0] if lengths else 0):
        return run_in_python(stages, inputs, container)


def _length(value: Any) -> int | None:
    """The length of an input; iterators have none, nor have arrays without dimensions."""
    try:
        return len(value)
    except TypeError:
        return None


def _is_free(options: CallOptions, current: settings.Settings) -> bool:
    """Whether the place of a call is hetc's to decide: nobody has asked for the device."""
    return current.decides and options.device is None and not _device_alone.get()


def _is_elementwise(stages: Stages) -> bool:
    """Whether each element of the result comes of one of the inputs, at the same place."""
    return not any(isinstance(stage, Reduce | Scan | Filter) or is_barrier(stage) for stage in stages)


def _reduces_nothing(stages: Stages, inputs: Sequence[Any]) -> bool:
    """Whether all that there is in the result are initial values."""
    return (isinstance(stages[-1], Reduce) or any(isinstance(s, Scatter) for s in stages)) and _is_empty(inputs)


def _is_empty(inputs: Sequence[Any]) -> bool:
    return any(_length(value) == 0 for value in inputs)

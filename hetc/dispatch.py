"""One call of an array function: describe the data, find or compile a kernel, run it, or go back to Python.

The compiler is imported when the first kernel is compiled, pyopencl when the first device is looked for.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hetc import hotness, settings
from hetc.abi import Container, Package, Refused, Signature, ValueType, leaves
from hetc.arrays.base import Array
from hetc.arrays.making import components, portable
from hetc.batching import BatchRequest
from hetc.callers import caller, calling_place
from hetc.containers import collect, missing_as_nan, nan_as_missing
from hetc.diagnostics import Category
from hetc.element_loop import element_function, is_loop
from hetc.errors import CompileError, DeviceError, FallbackWarning, InputError, UnsupportedError
from hetc.frontends.python.closure import Resolution, reachable, uses_numpy
from hetc.frontends.python.effects import has_loops, may_have_effects
from hetc.frontends.python.objects import resolve_program
from hetc.frontends.skeleton.composition import (
    Filter,
    ForAll,
    Map,
    Reduce,
    Scan,
    Scatter,
    Stage,
    Stages,
    Stencil,
    check_inputs,
    composition_text,
    functions,
    is_barrier,
)
from hetc.frontends.skeleton.resolution import resolve_stages
from hetc.frontends.skeleton.sequential import SequentialRun, repaired, run_in_python
from hetc.hotness import Decision, Hotness, WatchedCall
from hetc.identities import KNOWN_OBJECTS, KnownObjects
from hetc.inline_cache import InlineCache
from hetc.records import ClassLayout, SeveralClassesError, layouts_by_class
from hetc.rows import has_rows, numbers_first, over_numbers
from hetc.runtime import devices, profile
from hetc.runtime.call import GuardFailed
from hetc.runtime.describe import container_of, describe, object_columns
from hetc.runtime.describe_loop import describe_loop
from hetc.runtime.devices import Device
from hetc.runtime.loop_objects import LoopObjects, loop_objects
from hetc.runtime.marshal import class_key
from hetc.runtime.object_writes import check_written
from hetc.runtime.objects import identities_of
from hetc.speculation import Compiled
from hetc.storage import store
from hetc.storage.keys import call_key
from hetc.timeline.events import Kind

if TYPE_CHECKING:  # importing these imports xDSL and pyopencl, which a call in Python does not need
    from hetc import driver
    from hetc.runtime.executor import Executable

_TOLD = frozenset({"raise", "call", "print", "log"})
"""The modes of `numpy.errstate` in which a floating-point error does more than warn."""
CACHE_SIZE = 1024
"""Compiled calls kept in memory; the oldest go first."""
_NO_FACTS = frozenset(
    {"stages", "inputs", "columns", "resolution", "device", "loop_of", "heap", "in_python", "constants", "batches"}
)
"""The parts of a job that the compiler is not told, or that have a place of their own in the key on disk."""
MAX_CONSTANTS = 4
"""Values of captured integers for which a call that looks the same is kept described."""


@dataclass(frozen=True)
class CallOptions:
    """What `ArrayFunction.on` and `.options` fix for one array function; None leaves it to the settings.

    `missing` "nan": NaN stands for an element that is not there. `heap` is the size of a kernel's heap in bytes.
    `layout` is that of structured arrays, "aos" or "soa". `batches` is what `ArrayFunction.batched` asks for.
    """

    device: Device | str | None = None
    fallback: str | None = None
    missing: str | None = None
    heap: int | None = None
    layout: str | None = None
    batches: BatchRequest | None = None


LAYOUTS = ("aos", "soa")
"""The layouts that a caller may ask for."""


def chosen_layout(layout: str | None, kept: str | None) -> str | None:
    """The layout of `options`: the one that is kept if none is given. Raises ValueError for what is none."""
    if layout not in (None, "auto", *LAYOUTS):
        raise ValueError(f'layout is "auto", "aos" or "soa", not {layout!r}')
    return kept if layout is None else None if layout == "auto" else layout


class _Key:
    """What selects a kernel, hashed once: there is a lot of it."""

    __slots__ = ("hash", "parts")

    def __init__(self, parts: Hashable) -> None:
        self.parts = parts
        self.hash = hash(parts)

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, _Key) and self.parts == other.parts)


@dataclass(frozen=True)
class Job:
    """One call, described: all that selects a kernel, and what compiling one needs."""

    stages: Stages
    inputs: Sequence[Any]
    columns: Sequence[Any]
    """The inputs, with lists of objects as the fields that are read of them."""
    signature: Signature
    captures: Mapping[str, ValueType | Refused]
    resolution: Resolution
    device: Device
    debug: bool
    warns: bool = False
    """Whether NumPy is to warn of floating-point errors."""
    loop_of: Stages | None = None
    """The map that the call is, if it is run as a loop over its elements."""
    heap: int | None = None
    """The size of the heap, as the user has it."""
    in_python: Stages | None = None
    """The stages that Python runs over the inputs, where it is not those that are compiled."""
    batches: BatchRequest | None = None
    """That the call is to run in batches, and how."""
    constants: dict[Hashable, Job] = field(default_factory=dict[Hashable, "Job"], init=False, compare=False)
    """The same call for very values of the captured integers, for other calls that look the same."""

    @staticmethod
    def of(
        stages: Stages,
        inputs: Sequence[Any],
        options: CallOptions,
        current: settings.Settings,
        *,
        may_loop: bool = True,
    ) -> Job:
        """Describe a call; `may_loop` says that a map may be run as a loop over its elements.

        Raises UnsupportedError for what is not compiled, and without a device.
        """
        in_python, loop_of, columns = None, None, inputs
        if has_rows(stages, inputs):
            in_python = stages
            stages, columns = over_numbers(stages, inputs)
        resolution = resolve_stages(stages, columns)
        classes = () if resolution.program is None else resolution.program.known_classes()
        if may_loop and classes and is_loop(stages, inputs, resolution):
            loop_of, function = stages, cast("Map", stages[0]).function
            stages = (ForAll(element_function(cast("FunctionType", function), inputs), yields=True),)
            resolution, columns = resolve_program(functions(stages), stores=True), [range(len(inputs[0]))]
            signature, captures = describe_loop(columns, resolution.captures)
            signature = replace(signature, container=container_of(inputs))
        else:
            if classes:
                resolution, columns = _with_columns(stages, columns, resolution)
            signature, captures = describe(columns, resolution.captures)
        if in_python is not None:
            signature = replace(signature, inputs=numbers_first(signature.inputs), container=container_of(inputs))
        signature = replace(signature, layout=options.layout)
        check_error_state(signature, captures, resolution)
        device = select_device(options.device if options.device is not None else current.device)
        warns = "warn" in np.geterr().values()
        return Job(
            stages, inputs, columns, signature, captures, resolution, device, current.debug, warns, loop_of,
            options.heap, in_python, batches=options.batches,
        )  # fmt: skip

    def for_others(self) -> Job:
        """The description, with its key, for calls that look the same: it keeps no data alive."""
        job = replace(self, inputs=(), columns=(), resolution=self.resolution.with_captures({}))
        _ = job.key
        return job

    def for_data(self, inputs: Sequence[Any], columns: Sequence[Any], resolution: Resolution) -> Job:
        """A description that was made for other calls, for this one."""
        job = object.__new__(Job)
        job.__dict__.update(self.__dict__, inputs=inputs, columns=columns, resolution=resolution)
        return job

    def as_map(self) -> Job:
        """The call, which is run as a loop over its elements, as the map that it is."""
        assert self.loop_of is not None
        options = CallOptions(self.device, heap=self.heap, layout=self.signature.layout, batches=self.batches)
        return Job.of(self.loop_of, self.inputs, options, settings.current(), may_loop=False)

    def loop_objects(self, package: Package) -> LoopObjects:
        """The objects that a loop assigns attributes of. Raises UnsupportedError if what it captures is in the way."""
        program, captures = self.resolution.program, self.resolution.captures
        return loop_objects(package, () if program is None else program.paths_of_fields(), self.captures, captures)

    @functools.cached_property
    def key(self) -> Hashable:
        """Calls with the same key run the same kernels."""
        captures, device = tuple(self.captures.items()), self.device
        shape, meaning = _shape(self.stages), self.resolution.key
        return _Key((shape, meaning, self.signature, captures, device, self.debug, self.warns))

    @property
    def sequential(self) -> Stages:
        """The stages as Python runs them over the inputs."""
        return self.in_python or self.stages

    @property
    def container(self) -> Container:
        """The container of the result."""
        return self.signature.container

    @functools.cached_property
    def may_have_effects(self) -> bool:
        """Whether Python, where elements are left to it, may change what the others read."""
        if self.resolution.program is not None:  # operators may call anything
            return True
        opaque = frozenset(name for name, value in self.captures.items() if isinstance(value, Refused))
        return may_have_effects(reachable(self.resolution.functions), opaque)

    @functools.cached_property
    def captured(self) -> Mapping[str, object]:
        """The values of the captured variables, and the classes of the program."""
        program = self.resolution.program
        classes = () if program is None else program.known_classes()
        found: dict[str, object] = {class_key(facts.symbol): facts.cls for facts in classes}
        if program is not None and any(facts.identified for facts in classes):
            found[KNOWN_OBJECTS] = KnownObjects(identities_of(self.columns), program.captured_objects)
        return self.resolution.captures | found

    @functools.cached_property
    def integers(self) -> tuple[tuple[str, int], ...]:
        """The captured integers, but for those that are the length of something."""
        values = self.resolution.captures
        return tuple(
            (name, cast("int", values[name]))
            for name, kind in self.captures.items()
            if isinstance(kind, ValueType) and type(values[name]) is int and kind.equals_dim is None
        )

    def with_constants(self) -> Job:
        """The same call, to be compiled for these very values of the captured integers."""
        known = self.constants.get(self.integers)
        if known is None:
            captures = dict(self.captures)
            for name, value in self.integers:
                captures[name] = replace(cast("ValueType", captures[name]), value=value)
            known = replace(self, captures=captures).for_others()
            if len(self.constants) < MAX_CONSTANTS:
                self.constants[self.integers] = known
        return known.for_data(self.inputs, self.columns, self.resolution)

    @functools.cached_property
    def has_loops(self) -> bool:
        """Whether a function of the call has a loop in its source."""
        return any(map(has_loops, reachable(self.resolution.functions)))

    def speculates(self, compiled: Compiled) -> bool:
        """Whether a sample of the elements says which branches are compiled."""
        return (
            compiled.speculates
            and not any(isinstance(stage, ForAll | Scan | Stencil) or is_barrier(stage) for stage in self.stages)
            # Sampling looks at elements, for which what is on a device alone would be brought back.
            and all(v.is_on_host for v in (*self.inputs, *self.captured.values()) if isinstance(v, Array))
        )

    def stored_under(self, compiled: Compiled) -> str | None:
        """The key of the package on disk, given what is known from earlier runs; None if it is not to be stored."""
        current = settings.current()
        if not current.cache:
            return None
        facts = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in _NO_FACTS}
        facts["speculates"], facts["tells"] = self.speculates(compiled), compiled.tells
        facts["widened"] = compiled.widened
        return call_key(self.stages, facts, self.resolution, self.device, current)

    def request(self, compiled: Compiled) -> driver.Request:
        """What to compile, given what is known from earlier runs."""
        from hetc import driver
        from hetc.analysis.branch_profile import Samples
        from hetc.dialects.guard import Warns

        return driver.Request(
            self.stages,
            self.signature,
            self.captures,
            self.resolution,
            self.device.traits,
            driver.entry_name(self.stages),
            verify=self.debug,
            # Where batches number the elements, they have one input more.
            samples=Samples((*self.inputs, *self.columns[len(self.inputs) :]), self.resolution.captures)
            if self.speculates(compiled)
            else None,
            widened=compiled.widened,
            warns=None if not self.warns else Warns.EACH if compiled.tells else Warns.ANY,
        )


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
            return _in_python(stages, inputs, job.container)

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
                job = Job.of(stages, inputs, options, current)
                if cache is not None and job.columns is job.inputs:  # others are made of these very inputs
                    cache.keep(inputs, job.resolution.captures, job.resolution.premises, current, job.for_others())
            return job

        return self.run(stages, inputs, options, describe_it)

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
            watched = self.hotness.watch(stages, inputs, current.threshold, container or container_of(inputs))
        try:
            if watched is not None:
                return self._where_it_is_faster(watched, describe_it)
            return self._offloaded(describe_it())
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
        if options.device is not None:
            return Decision(True, "a device was asked for with .on(...)")
        return self.hotness.forecast(stages, inputs, current.threshold, lambda: self.has_kernel(job()))

    def has_kernel(self, job: Job) -> bool:
        """Whether nothing needs to be compiled for a call, be it that it cannot be."""
        known = self.known(job)
        if known.executable is None and known.looked_for is None and settings.current().cache:
            known = self._entry(job.key)
            known.executable = self._load(job, known)
        return known.executable is not None

    def _where_it_is_faster(self, watched: WatchedCall, describe_it: Callable[[], Job]) -> object:
        """Run in Python, on the device, or first there and then here. The call is described where that matters."""
        described: list[tuple[int, Job]] = []

        def job() -> Job:
            # The elements that have run since may have changed what the others read.
            if not described or described[-1][0] != watched.run.done:
                described.append((watched.run.done, describe_it()))
            return described[-1][1]

        stays = watched.stays_in_python(lambda: self.has_kernel(job()))
        begun = watched.run if not stays and watched.run.done and job().may_have_effects else None
        if stays or (begun is not None and not _is_elementwise(job().stages)):
            profile.record(in_python=1)
            return watched.finish()
        return watched.on_device(lambda: self._offloaded(job(), begun))

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
        while True:
            try:
                executable = self._ready(job, compiled)
                if writes := executable.package.writes:
                    if begun is not None:  # Python has written some objects, and the device would once more
                        begun.advance(None)
                        return begun.result()
                    program = job.resolution.program
                    check_written(writes, job.columns, () if program is None else program.captured_objects())
                if job.loop_of is not None:
                    return _looped(job, executable, compiled, begun)
                result = self._executed(job, executable)
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
                return result if begun is None else _repaired(job, job.container, result, (), begun)
            note_deoptimisation(failure)
            if not compiled.failed(failure, len(job.inputs[0])):
                return _by_python(job, failure, begun)

    def _executed(self, job: Job, executable: Executable) -> object:
        """What a compiled call comes to on the device. Raises GuardFailed and DeviceError."""
        return executable.run(job.columns, job.captured, job.inputs, job.heap)

    def executable(self, job: Job) -> tuple[Executable, Compiled]:
        """What runs a job, compiled now if need be, and what is known of it. Raises CompileError."""
        job, compiled = self._version(job)
        return self._ready(job, compiled), compiled

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
        from hetc.runtime.executor import Executable

        try:
            executable = Executable(package, job.device)
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
            from hetc.runtime.executor import Executable

        start = hotness.clock()
        try:
            package = driver.compile(job.request(compiled))
            profile.record(compile_ms=(hotness.clock() - start) * 1e3)
            executable = Executable(package, job.device)
        except CompileError as error:
            return error
        except RecursionError:
            return UnsupportedError(
                "a function is nested too deeply to be compiled",
                hint="split its expressions into statements",
                category=Category.NESTING,
            )
        except DeviceError as error:
            return CompileError(
                f"the device's compiler refuses the kernel: {error.reason.splitlines()[0]}",
                hint="this is a fault of hetc: please report the function",
            )
        except Exception as error:
            if job.debug:
                raise
            # Whatever is wrong in the compiler, the user's function has a meaning; and the warning says what happened.
            return CompileError(
                f"the compiler failed: {type(error).__name__}: {str(error).partition(chr(10))[0]}",
                hint="this is a fault of hetc: please report the function",
            )
        self.hotness.compiler.add(hotness.clock() - start)
        if (key := job.stored_under(compiled)) is not None:
            store.save(key, package, settings.current())
        return executable

    def fall_back(self, error: CompileError, mode: str) -> None:
        """Say why a call runs in Python, once for each place and kind of reason."""
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
            raise told
        # Of a machine without devices one warning says all.
        key = (told.code, None if told.category is Category.NO_DEVICE else told.location)
        if key in self.warned:
            return
        self.warned.add(key)
        if who is not None:
            who.warn(str(told), FallbackWarning)


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


def _with_columns(stages: Stages, inputs: Sequence[Any], resolution: Resolution) -> tuple[Resolution, list[object]]:
    """What the objects of the inputs have in their fields, and the program with all of their classes.

    Where the first objects do not show a class, all are looked at.
    """
    try:
        return resolution, object_columns(inputs, layouts_by_class(_layouts(resolution)))
    except SeveralClassesError:
        resolution = resolve_stages(stages, inputs, every_object=True)
        return resolution, object_columns(inputs, layouts_by_class(_layouts(resolution)))


def _layouts(resolution: Resolution) -> list[ClassLayout]:
    program = resolution.program
    return [] if program is None else [facts.layout() for facts in program.known_classes()]


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
    partial, stages, inputs = failure.partial, job.loop_of or job.sequential, job.inputs
    if partial is not None and job.loop_of is None:
        size = len(inputs[0])
        spans = [range(k * partial.block, min((k + 1) * partial.block, size)) for k in partial.blocks]
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
    with profile.span(Kind.PYTHON, "elements of failed guards", count=sum(map(len, wrong))):
        found: Any = repaired(job.sequential, job.inputs, container, result, wrong, begun)
    if container is job.container:
        return found
    return portable(found) if container is Container.NDARRAY else collect(found, job.container)


def check_error_state(
    signature: Signature, captures: Mapping[str, ValueType | Refused], resolution: Resolution
) -> None:
    """Raise UnsupportedError if NumPy has a part in the call and is to do more than warn of floating-point errors."""
    if _TOLD.isdisjoint(np.geterr().values()):
        return
    captured = [kind for kind in captures.values() if isinstance(kind, ValueType)]
    scalars = [scalar for kind in (*signature.inputs, *captured) for scalar in leaves(kind.element)]
    if uses_numpy(resolution.functions) or not all(scalar.python for scalar in scalars):
        raise UnsupportedError(
            "numpy.errstate asks to be told of floating-point errors, which only NumPy sees",
            hint="call under numpy.errstate(all='ignore') or 'warn'",
            category=Category.ERROR_STATE,
        )


def select_device(spec: str | settings.DeviceLike | None) -> Device:
    """The device for a call. Without any OpenCL device, UnsupportedError: the call runs in Python, and says so."""
    try:
        # The runtime's devices are all there is that looks like one.
        return devices.select(cast("str | Device | None", spec))
    except DeviceError as error:
        if spec is None and not devices.list_devices():
            raise UnsupportedError(error.reason, hint=error.hint, category=Category.NO_DEVICE) from None
        raise


def _in_python(stages: Stages, inputs: Sequence[Any], container: Container) -> object:
    """The call by its sequential meaning. Lengths are checked first, since Python's zip would cut off silently."""
    lengths = [length for value in inputs if (length := _length(value)) is not None]
    if len(set(lengths)) > 1:
        stated = ", ".join(map(str, lengths))
        raise InputError(
            f"the inputs have different lengths: {stated}",
            hint="each input gives one element a call",
            category=Category.LENGTHS,
        )
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
    return current.offload == "auto" and options.device is None


def _is_elementwise(stages: Stages) -> bool:
    """Whether each element of the result comes of one of the inputs, at the same place."""
    return not any(isinstance(stage, Reduce | Scan | Filter) or is_barrier(stage) for stage in stages)


def _reduces_nothing(stages: Stages, inputs: Sequence[Any]) -> bool:
    """Whether all that there is in the result are initial values."""
    return (isinstance(stages[-1], Reduce) or any(isinstance(s, Scatter) for s in stages)) and _is_empty(inputs)


def _is_empty(inputs: Sequence[Any]) -> bool:
    return any(_length(value) == 0 for value in inputs)


def _shape(stages: Stages) -> Hashable:
    """What of a composition selects a kernel, beside its functions."""
    return tuple(map(_shape_of, stages))


def _shape_of(stage: Stage) -> Hashable:
    match stage:
        case Scatter(keys, size, init, combine):
            return Scatter, size, repr(init), type(init), keys is None, combine is None
        case Reduce(_, init) | Scan(_, init):
            exclusive = isinstance(stage, Scan) and stage.exclusive
            return type(stage), repr(init), type(init), exclusive, isinstance(stage, Reduce) and stage.part
        case Stencil(neighbourhood=neighbourhood):
            return Stencil, neighbourhood.radius, neighbourhood.boundary
        case _:
            return type(stage)

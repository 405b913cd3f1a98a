"""Calls as the compiler sees them: what selects a kernel, what compiling one needs, and the key of it on disk."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hetc import settings
from hetc.abi import Container, Package, Refused, Signature, ValueType, leaves
from hetc.arrays.base import Array
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.errors import DeviceError, UnsupportedError
from hetc.frontends.python.closure import Resolution, reachable, uses_numpy
from hetc.frontends.python.objects import resolve_program
from hetc.frontends.skeleton.composition import (
    ForAll,
    Gather,
    Iterate,
    Map,
    Partition,
    Reduce,
    Scan,
    Scatter,
    Stage,
    Stages,
    Stencil,
    functions,
    is_barrier,
)
from hetc.frontends.skeleton.resolution import resolve_stages
from hetc.identities import KNOWN_OBJECTS, KnownObjects
from hetc.records import ClassLayout, SeveralClassesError, layouts_by_class
from hetc.rows import has_rows, numbers_first, over_numbers
from hetc.runtime import devices
from hetc.runtime.describe import container_of, describe, object_columns, of_objects
from hetc.runtime.describe_loop import describe_loop
from hetc.runtime.devices import Device
from hetc.runtime.marshal import class_key
from hetc.runtime.objects import identities_of
from hetc.speculation import Compiled

if TYPE_CHECKING:  # importing the driver imports xDSL, which a call in Python does not need; few calls are loops
    from hetc import driver
    from hetc.batching import BatchRequest
    from hetc.runtime.loop_objects import LoopObjects

_TOLD = frozenset({"raise", "call", "print", "log"})
"""The modes of `numpy.errstate` in which a floating-point error does more than warn."""


_NO_FACTS = frozenset(
    {
        "stages",
        "inputs",
        "columns",
        "resolution",
        "device",
        "loop_of",
        "heap",
        "in_python",
        "constants",
        "elsewhere",
        "divided",
        "batches",
    }
)
"""The parts of a job that the compiler is not told, or that have a place of their own in the key on disk."""


MAX_CONSTANTS = 4
"""Values of captured integers for which a call that looks the same is kept described."""


@dataclass(frozen=True)
class CallOptions:
    """What `ArrayFunction.on` and `.options` fix for one array function; None leaves it to the settings.

    `missing` "nan": NaN stands for an element that is not there. `heap` is the size of a kernel's heap in bytes.
    `layout` is that of objects and structured arrays, "aos" or "soa".
    `results` "array": results are portable arrays. `batches` is what `ArrayFunction.batched` asks for. With
    `devices`, each call is divided among these, and `device` is none. `fastmath` says whether floats may be computed
    faster than exactly.
    """

    device: Device | str | None = None
    fallback: str | None = None
    missing: str | None = None
    heap: int | None = None
    layout: str | None = None
    results: str | None = None
    batches: BatchRequest | None = None
    devices: tuple[Device, ...] = ()
    fastmath: bool | None = None

    def is_fast(self, current: settings.Settings) -> bool:
        """Whether floats may be computed faster than exactly."""
        return current.fastmath if self.fastmath is None else self.fastmath

    @property
    def container(self) -> Container | None:
        """The container of results, where it is not that of the inputs."""
        return Container.KEPT if self.results == "array" else None


LAYOUTS = ("aos", "soa")
"""The layouts that a caller may ask for."""


def chosen_layout(layout: str | None, kept: str | None) -> str | None:
    """The layout of `options`: the one that is kept if none is given. Raises ValueError for what is none."""
    if layout not in (None, "auto", *LAYOUTS):
        raise ValueError(f'layout is "auto", "aos" or "soa", not {layout!r}')
    return kept if layout is None else None if layout == "auto" else layout


def chosen_fastmath(fastmath: object, kept: bool | None) -> bool | None:
    """The `fastmath` of `options`: the one that is kept if none is given. Raises ValueError for what is none."""
    if fastmath is None:
        return kept
    if not isinstance(fastmath, bool):
        raise ValueError(f"fastmath is True or False, not {fastmath!r}")
    return fastmath


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
    """Whether kernels are to find out where floats are first no numbers."""
    warns: bool = False
    """Whether NumPy is to warn of floating-point errors, or hetc of what it is debugging."""
    loop_of: Stages | None = None
    """The map that the call is, if it is run as a loop over its elements."""
    heap: int | None = None
    """The size of the heap, as the user has it."""
    in_python: Stages | None = None
    """The stages that Python runs over the inputs, where it is not those that are compiled."""
    batches: BatchRequest | None = None
    """That the call is to run in batches, and how."""
    verify: bool = False
    """Whether the IR is verified after each pass."""
    fastmath: bool = False
    """Whether floats may be computed faster than exactly."""
    constants: dict[Hashable, Job] = field(default_factory=dict[Hashable, "Job"], init=False, compare=False)
    """The same call for very values of the captured integers, for other calls that look the same."""
    elsewhere: dict[Device, Job] = field(default_factory=dict[Device, "Job"], init=False, compare=False)
    """The same call on other devices, likewise."""
    divided: list[tuple[Job, object]] = field(default_factory=list[tuple["Job", object]], init=False, compare=False)
    """The same call as its first batch runs it, and what ran that, likewise."""

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
        if may_loop and classes and (loop := _as_loop(stages, inputs, resolution)):
            loop_of, stages = stages, (loop,)
            resolution, columns = resolve_program(functions(stages), stores=True), [range(len(inputs[0]))]
            signature, captures = describe_loop(columns, resolution.captures)
            signature = replace(signature, container=container_of(inputs))
        else:
            if classes:
                resolution, columns = _with_columns(stages, columns, resolution)
            signature, captures = describe(columns, resolution.captures)
        if in_python is not None:
            signature = replace(signature, inputs=numbers_first(signature.inputs), container=container_of(inputs))
        if resolution.program is not None:
            captures = of_objects(captures, resolution.program.groups_of_fields())
        signature = replace(signature, layout=options.layout)
        if options.container is not None:
            signature = replace(signature, container=options.container)
        check_error_state(signature, captures, resolution)
        device = select_device(options.device if options.device is not None else current.device)
        warns = current.debug or "warn" in np.geterr().values()
        return Job(
            stages, inputs, columns, signature, captures, resolution, device, current.debug, warns, loop_of,
            options.heap, in_python, batches=options.batches, verify=current.verifies,
            fastmath=options.is_fast(current),
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

    def asking(self, batches: BatchRequest | None) -> Job:
        """The same call, for batches that are asked for so: they change nothing of what is compiled."""
        job = object.__new__(Job)
        job.__dict__.update(self.__dict__, batches=batches)
        return job

    def on(self, device: Device) -> Job:
        """The same call on a device."""
        if device is self.device:
            return self
        known = self.elsewhere.get(device)
        if known is None:
            known = self.elsewhere[device] = replace(self, device=device).for_others()
        return known.for_data(self.inputs, self.columns, self.resolution)

    def as_map(self) -> Job:
        """The call, which is run as a loop over its elements, as the map that it is."""
        assert self.loop_of is not None
        options = CallOptions(
            self.device, heap=self.heap, layout=self.signature.layout, batches=self.batches, fastmath=self.fastmath
        )
        return Job.of(self.loop_of, self.inputs, options, settings.current(), may_loop=False)

    def loop_objects(self, package: Package) -> LoopObjects:
        """The objects that a loop assigns attributes of. Raises UnsupportedError if what it captures is in the way."""
        from hetc.runtime.loop_objects import loop_objects

        program, captures = self.resolution.program, self.resolution.captures
        return loop_objects(package, () if program is None else program.paths_of_fields(), self.captures, captures)

    @functools.cached_property
    def key(self) -> Hashable:
        """Calls with the same key run the same kernels."""
        captures, device = tuple(self.captures.items()), self.device
        shape, meaning = _shape(self.stages), self.resolution.key
        how = self.debug, self.warns, self.verify, self.fastmath
        return _Key((shape, meaning, self.signature, captures, device, how))

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
        from hetc.frontends.python.effects import may_have_effects

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
        """The captured integers, but for those that are the length of something; of sequential loops none.

        What a sequential loop is reached with mostly changes, and its rounds are too many to be unrolled.
        """
        if any(isinstance(stage, ForAll) and stage.single for stage in self.stages):
            return ()
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
        from hetc.frontends.python.effects import has_loops

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
        from hetc.storage.keys import call_key

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
            verify=self.verify,
            checks=self.debug,
            # Where batches number the elements, they have one input more.
            samples=Samples((*self.inputs, *self.columns[len(self.inputs) :]), self.resolution.captures)
            if self.speculates(compiled)
            else None,
            widened=compiled.widened,
            warns=None if not self.warns else Warns.EACH if compiled.tells else Warns.ANY,
            fastmath=self.fastmath,
        )


def _as_loop(stages: Stages, inputs: Sequence[Any], resolution: Resolution) -> ForAll | None:
    """A map over objects as the loop over its elements that it has to be; None for what can stay as it is."""
    from hetc.element_loop import element_function, is_loop  # they are about the syntax of functions

    if not is_loop(stages, inputs, resolution):
        return None
    function = cast("FunctionType", cast("Map", stages[0]).function)
    return ForAll(element_function(function, inputs), yields=True)


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


def captured_by(stages: Stages) -> list[object]:
    """What the functions of a composition capture, and the arrays of its stages. Raises UnsupportedError."""
    return [*resolve_program(functions(stages)).captures.values(), *arrays_of(stages)]


def arrays_of(stages: Stages) -> Iterator[object]:
    """What the stages of a composition hold that may be arrays."""
    for stage in stages:
        match stage:
            case Iterate(stages=inner):
                yield from arrays_of(inner)
            case Gather(indices=indices):
                yield indices
            case Scatter(keys=keys, init=init):
                yield from (keys, init)
            case _:
                pass


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
        case Partition(_, classes, dropped):
            return Partition, classes, dropped
        case Stencil(neighbourhood=neighbourhood):
            return Stencil, neighbourhood.radius, neighbourhood.boundary
        case ForAll(_, yields, dropped, single):
            return ForAll, yields, dropped, single
        case _:
            return type(stage)

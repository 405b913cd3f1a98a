"""Calls that run in batches: those for which that is asked, those that would take too much memory, and those that did.

A call is described as usual; if its elements are to come in batches, what is compiled is what one batch runs
(`hetc.batching`), and `runtime/batches.py` runs it for each. A guard that fails sends elements to Python as in other
calls: batches of maps leave nothing behind that would have to be taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hetc import settings
from hetc.abi import Container, ElementType, Package, Unmarshal, only_numbers
from hetc.arrays.making import portable
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.dispatch import Dispatcher
from hetc.errors import CompileError, DeviceError, UnsupportedError
from hetc.frontends.python.closure import Capture, ResolvedFunction, reachable
from hetc.frontends.skeleton.composition import Nothing, Reduce, Scan, Stencil
from hetc.jobs import Job
from hetc.rows import has_rows

if TYPE_CHECKING:  # importing these imports pyopencl, which a call in Python does not need; few calls are divided
    from hetc.batching import InBatches
    from hetc.frontends.skeleton.sequential import SequentialRun
    from hetc.runtime.executor import Executable
    from hetc.runtime.parts import Cut
    from hetc.runtime.schedule import Room, Schedule

NEVER_LARGE = 1 << 16
"""So many elements find room on any device."""


def first_batch(job: Job) -> Job:
    """A call as its first batch runs it. Raises UnsupportedError if its result is not put together from parts."""
    from hetc import batching

    if job.loop_of is not None:
        raise batching.refused("the function may assign attributes of its elements")
    batch = batching.InBatches(job.stages, job.columns, job.signature, job.captures)
    if isinstance(job.stages[0], Stencil):
        grids = {grid.name: job.captured[grid.name] for grid in job.signature.grids}
        return _with(job, batching.in_rows(batch, grids))
    return replace(_with(job, batching.in_batches(batch, row_arrays(job))), in_python=job.sequential)


def _like(known: Job, job: Job) -> Job | None:
    """A call as its first batch runs it, like one that is known; None where more than its look matters."""
    described = known.signature.batches
    if described is None or described.divided or isinstance(job.stages[0], Stencil):
        return None
    columns = list(job.columns)
    if not all(isinstance(column, np.ndarray) for column in columns):
        return None
    if described.numbered:
        columns.append(range(len(columns[0])))
    captures = job.resolution.captures | dict.fromkeys(described.carried)
    return known.for_data(job.inputs, columns, job.resolution.with_captures(captures)).asking(job.batches)


def row_arrays(job: Job) -> list[str]:
    """The captured arrays whose rows are the elements of a map, if nothing else reads them."""
    root = job.resolution.functions[0] if job.resolution.functions else None
    if not isinstance(root, ResolvedFunction) or not has_rows(job.sequential, job.inputs):
        return []
    others = [
        binding for function in reachable([root]) if function is not root for binding in function.bindings.values()
    ]
    read = {binding.name for binding in others if isinstance(binding, Capture)}
    names = [binding.name for binding in root.bindings.values() if isinstance(binding, Capture)]
    return [] if read.intersection(names) else names


def cut_of(job: Job) -> Cut:
    """What the batches of a call have of its data."""
    from hetc.runtime.parts import Elements, Rows

    stencil = job.stages[0]
    batches = job.signature.batches
    names = () if batches is None else batches.divided
    captures = {**job.captured, **{name: np.asarray(job.captured[name]) for name in names}}
    if not isinstance(stencil, Stencil):
        return Elements(job.columns, captures, names)
    margin = stencil.neighbourhood.radii(len(job.columns))[0]
    return Rows(job.columns, captures, names, margin, wraps=stencil.neighbourhood.boundary == "wrap")


def later_batch(first: Job, element: ElementType) -> Job:
    """The same for the batches after the first one, which has come to an element of a type. Raises UnsupportedError."""
    from hetc import batching

    batch = batching.InBatches(first.stages, first.columns, first.signature, first.captures)
    return _with(first, batching.following(batch, element))


def without_init(job: Job) -> Job | None:
    """A reduction of a call from the first element on; None if there is no reduction, or no initial value.

    What it comes to may be of the type of the initial value or of the elements: a maximum, for example. What goes from
    batch to batch is of one type, and Python combines it with the initial value in the end.
    """
    last = job.stages[-1]
    if not isinstance(last, Reduce) or last.init is Nothing.NOTHING:
        return None
    return replace(job, stages=(*job.stages[:-1], replace(last, init=Nothing.NOTHING)))


def _with(job: Job, found: InBatches) -> Job:
    resolution = replace(job.resolution, captures=job.resolution.captures | dict.fromkeys(found.carried))
    return replace(
        job,
        stages=found.stages,
        columns=found.columns,
        signature=found.signature,
        captures=found.captures,
        resolution=resolution,
    )


@dataclass
class DividingDispatcher(Dispatcher):
    """A dispatcher that runs calls in batches where that is asked for, or needed."""

    def _offloaded(self, job: Job, begun: SequentialRun | None = None) -> object:
        batched = self.in_batches(job)
        if batched is None:
            try:
                return super()._offloaded(job, begun)
            except DeviceError as error:
                if not error.out_of_memory:
                    raise
                batched = self._smaller(job, error)
        try:
            result = self._run(batched, self._entry(batched.key), begun)
        except DeviceError as error:
            raise (_without_memory(error) if error.out_of_memory else error) from None
        arrays = job.container is Container.ARRAY and not isinstance(job.stages[-1], Reduce)
        return portable(result) if arrays else result

    def in_batches(self, job: Job, tell: Callable[[CompileError, str], None] | None = None) -> Job | None:
        """A call as its first batch runs it, if there are to be batches. Raises CompileError if there have to be.

        `tell` is told of batches that were asked for in vain, with the setting for what is told.
        """
        total = len(job.inputs[0])
        if not total or (job.batches is None and not (_may_be_large(job, total) and self._is_too_large(job))):
            return None
        if (again := self._again(job)) is not None:
            return again
        try:
            batched = first_batch(job)
            end = self._ready(batched, self._entry(batched.key)).package.steps[-1]
            if isinstance(end, Unmarshal) and not only_numbers(end.element) and (other := without_init(job)):
                batched = replace(first_batch(other), in_python=job.sequential)
                end = self._ready(batched, self._entry(batched.key)).package.steps[-1]
            if isinstance(end, Unmarshal):
                later_batch(batched, end.element)
        except UnsupportedError as error:
            if job.batches is None or error.category is not Category.BATCHES or self._is_too_large(job):
                raise
            (tell or self.tell)(error, settings.current().fallback)
            return None
        job.divided[:] = [(batched.for_others(), self._entry(batched.key).executable)]
        return batched

    def _again(self, job: Job) -> Job | None:
        """A call as its first batch runs it, if one that looked the same was, and what ran that is what runs it now."""
        if not job.divided:
            return None
        ((known, executable),) = job.divided
        if executable is None or self._entry(known.key).executable is not executable:
            return None
        return _like(known, job)

    def schedule(self, job: Job, first: Executable | None = None) -> tuple[Schedule, Executable]:
        """How the batches of a call are cut, and what runs those after the first. Raises InputError, CompileError."""
        from hetc.batching import BatchRequest
        from hetc.runtime.schedule import schedule

        compiled = self._entry(job.key)
        first = first or self._ready(job, compiled)
        end, following = first.package.steps[-1], first
        if isinstance(end, Unmarshal) and isinstance(job.stages[-1], Reduce | Scan):
            later = later_batch(job, end.element)
            following = self._ready(later, self._entry(later.key).like(compiled))
        request = job.batches or BatchRequest()
        packages = (first.package,) if following is first else (first.package, following.package)
        return schedule(packages, cut_of(job), request.size, request.queues, _room(job)), following

    def _executed(self, job: Job, executable: Executable) -> object:
        if job.signature.batches is None:
            return super()._executed(job, executable)
        from hetc.runtime.batches import BatchedCall, run_in_batches

        schedule, following = self.schedule(job, executable)
        last, mode = job.sequential[-1], settings.current().fallback
        call = BatchedCall(executable, following, cut_of(job), job.inputs)
        result: Any = run_in_batches(
            call, schedule.count, schedule.queues, lambda error: self.tell(_without_memory(error), mode)
        )
        if not isinstance(last, Reduce):
            return result
        if last.init is not Nothing.NOTHING and cast("Reduce", job.stages[-1]).init is Nothing.NOTHING:
            return last.operator(last.init, result)
        return result if last.part is None else result[last.part]

    def _is_too_large(self, job: Job) -> bool:
        """Whether a call needs more memory than there is if it is not divided. Raises CompileError."""
        if job.loop_of is not None:
            return False
        package = self.executable(job)[0].package
        return not _room(job).holds(package, job.columns, job.captured)

    def _smaller(self, job: Job, error: DeviceError) -> Job:
        """A call for which the device had no memory, to be run in batches. Raises CompileError if there are none."""
        from hetc.batching import BatchRequest
        from hetc.runtime.footprint import batch_footprint, footprint

        try:
            batched = first_batch(job)
            one = batch_footprint(self._ready(batched, self._entry(batched.key)).package, cut_of(batched), 1)
        except CompileError:
            raise _without_memory(error) from None
        whole = footprint(self.executable(job)[0].package, job.columns, job.captured)
        self.tell(_without_memory(error), settings.current().fallback)
        size = max((whole.resident + whole.batch) // 4, one.batch, 1)
        return replace(batched, batches=BatchRequest(size, queues=1))


def _may_be_large(job: Job, total: int) -> bool:
    """A quick look at whether a call might need more memory than there is."""
    if total < NEVER_LARGE and settings.current().memory_limit is None:
        return False
    room = _room(job)
    from hetc import batching

    return 4 * total * batching.bytes_of_element(job.signature) > min(room.limit, room.largest)


def _room(job: Job) -> Room:
    """The memory that there is for a call."""
    from hetc.runtime.schedule import Room

    return Room.of(job.device, settings.current().memory_limit)


def check_room(job: Job, package: Package, others: Mapping[str, object]) -> None:
    """Raise UnsupportedError if a loop, which has all of its arrays at once, takes more memory than a setting allows.

    `others` are captured arrays that the job does not know of.
    """
    if settings.current().memory_limit is None:
        return
    room = _room(job)
    if not room.holds(package, job.columns, {**job.captured, **others}):
        raise UnsupportedError(
            f"a loop has all of its arrays on the device at once, and there is {room}",
            hint="raise memory_limit, or run parts of the loop",
            category=Category.DEVICE,
        )


def _without_memory(error: DeviceError) -> UnsupportedError:
    """Why a call runs in smaller batches, or in Python."""
    return UnsupportedError(error.reason, hint=error.hint, category=Category.DEVICE)

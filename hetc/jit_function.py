"""`hetc.jit`: an ordinary function, in which parallel loops may run on a device."""

from __future__ import annotations

import copy
import functools
import types
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import Any, overload

from hetc import ordered_runs, settings
from hetc.abi import Transfer
from hetc.api import Lowered, dispatcher
from hetc.array_runs import ArrayContext, GroupRun, GroupState
from hetc.callers import calling_place
from hetc.dataclass import dataclass
from hetc.errors import CompileError, InputError, SourceLocation, UnsupportedError
from hetc.explanation.page import Section
from hetc.explanation.report import Explanation, explanations_html, save_page
from hetc.explanation.transfers import TITLE, decisions, transfer_lines
from hetc.frontends.array_code.statements import Group
from hetc.frontends.loops.ordered import OrderedLoop
from hetc.frontends.loops.rewrite import HostFunction, Loop, host_function
from hetc.hotness import clock
from hetc.jobs import CallOptions, Job, chosen_fastmath, chosen_layout
from hetc.loop_cache import LoopCache
from hetc.loop_repeats import LoopRepeats, RanOnDevice
from hetc.loops import HostCode, IndexSpace
from hetc.markup import element
from hetc.ordered_runs import OrderedRun
from hetc.ordered_tasks import OrderedContext
from hetc.parallel import LoopContext, LoopRun, PlainRun, loop_times
from hetc.quiet_calls import QuietCalls
from hetc.runtime import profile
from hetc.runtime.devices import Device
from hetc.runtime.kept_arrays import KeptArrays, KeptRegion
from hetc.runtime.profile import Profile
from hetc.tracebacks import hide_own_frames
from hetc.transfers import Versions, current_arrays, has_plan, keeps_arrays

Seen = list[tuple[Loop, "Job | CompileError"]]

_recorder: ContextVar[Seen | None] = ContextVar("hetc_loops_seen", default=None)
"""Where loops note what they meet, while a call is explained."""


class _ArraysSeen(list[tuple[SourceLocation, "Job | CompileError"]]):
    """Collects what array statements meet among what loops do."""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen

    def append(self, item: tuple[SourceLocation, Job | CompileError]) -> None:
        place, met = item
        self.seen.append((Loop(place, of_arrays=True), met))

    def __iadd__(self, items: Any) -> Any:
        for item in items:
            self.append(item)
        return self


def _described(loop: Loop) -> str:
    return "the array statements" if loop.of_arrays else "the loop" if loop.ordered is None else "the ordinary loop"


def _is_inside(loop: Loop, tasks: Sequence[OrderedLoop]) -> bool:
    """Whether a loop, or array statements, are a part of an ordinary loop that runs as a task."""
    if loop.ordered is None and not loop.of_arrays:
        return False
    return any(task.place.line < loop.place.line <= task.last_line for task in tasks)


def _group_state(made: HostFunction, group: Group) -> GroupState:
    return GroupState(group, tuple(made.place(statement.node) for statement in group.statements))


class JitFunction(HostCode):
    """A Python function whose loops over `hetc.forall` and `hetc.prange` run on a device where they can.

    So do statements on whole NumPy arrays, where that pays; all else is run by Python, as it is written.

    A loop gives what the same loop over `range` gives: the same values in arrays and variables, and the same exception
    at the same line, when exactly the iterations before it are done. The one exception is a sum or product of floats,
    whose terms are grouped differently.

    >>> import hetc, numpy as np
    >>> @hetc.jit
    ... def scale(a, factor):
    ...     for i in hetc.forall(len(a)):
    ...         a[i] *= factor
    >>> x = np.arange(4.0)
    >>> scale(x, 2)
    >>> x
    array([0., 2., 4., 6.])
    """

    def __init__(self, function: Callable[..., Any], options: CallOptions | None = None) -> None:
        if not isinstance(function, types.FunctionType):
            raise TypeError(f"hetc.jit takes a Python function, not {type(function).__name__}")
        super().__init__(function)
        functools.update_wrapper(self, function)
        self.call_options = options or CallOptions()
        self._made: HostFunction | CompileError | None = None
        self._versions: Versions | None = None
        self._arrays: ArrayContext | None = None
        self._ordered: OrderedContext | None = None
        self._quiet = QuietCalls()
        self._contexts: dict[int, LoopContext] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function. Raises what it raises."""
        quiet = self._quiet
        try:
            watched = profile.active()
            if quiet.left and quiet.settings is settings.current() and not watched and _recorder.get() is None:
                return self._left_alone(quiet, args, kwargs)
            if not watched:
                return self._call(args, kwargs)
            with profile.calling(self.function.__qualname__, calling_place()):
                return self._call(args, kwargs)
        except Exception as error:
            hide_own_frames(error)
            raise

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        __tracebackhide__ = True  # the function may not take these arguments
        made = self._host()
        if isinstance(made, CompileError):
            current = settings.current()
            if current.offload != "never":
                dispatcher().fall_back(made, self.call_options.fallback or current.fallback)
            return self.function(*args, **kwargs)
        try:
            if keeps_arrays(made, self.call_options, dispatcher()):
                return self._versions_of(made).call(args, kwargs)
            arrays, ordered = self._arrays, self._ordered
            if made.loops or self.call_options.device is not None or arrays is None or ordered is None:
                return made.function(*args, **kwargs)
            return self._watched(made, arrays, ordered, args, kwargs)
        except Exception as error:
            if settings.current().debug:
                _note_iteration(error, made)
            raise

    def _watched(
        self,
        made: HostFunction,
        arrays: ArrayContext,
        ordered: OrderedContext,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """A call of a function without parallel loops; if nothing is gained by it, the next ones are left alone."""
        __tracebackhide__ = True
        current = settings.current()
        if not current.decides or _recorder.get() is not None:
            return made.function(*args, **kwargs)
        if self._quiet.vain:
            arrays.look_again()
        gains, looking, start = arrays.gains + ordered.gains, arrays.looking, clock()
        result = made.function(*args, **kwargs)
        looking, gained = arrays.looking - looking, arrays.gains + ordered.gains > gains
        self._quiet.looked(current, clock() - start - looking, looking, gained=gained)
        return result

    def _left_alone(self, quiet: QuietCalls, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of the function as it was written."""
        __tracebackhide__ = True
        quiet.left -= 1
        if quiet.untimed:
            quiet.untimed -= 1
            return self.function(*args, **kwargs)
        start = clock()
        result = self.function(*args, **kwargs)
        quiet.took(clock() - start)
        return result

    def taken_apart(self) -> HostFunction | None:
        """The function and its loops; None for one that is not compiled."""
        made = self._host()
        return None if isinstance(made, CompileError) else made

    def called_by(self, arrays: KeptArrays, arguments: tuple[Any, ...]) -> Any:
        """Call the function from another one, whose arrays may stay on the device. Raises what it raises."""
        made = self._host()
        if isinstance(made, CompileError) or not keeps_arrays(made, self.call_options, dispatcher()):
            arrays.bring_all()
            return self(*arguments)
        if not profile.active():
            return self._versions_of(made).call(arguments, {}, arrays)
        with profile.calling(self.function.__qualname__, calling_place()):
            return self._versions_of(made).call(arguments, {}, arrays)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<hetc.jit of {self.function.__qualname__}>"

    def on(self, device: Device | str | int) -> JitFunction:
        """The same function, whose loops always run on this device."""
        chosen = str(device) if isinstance(device, int) else device
        return JitFunction(self.function, replace(self.call_options, device=chosen))

    def options(
        self, *, fallback: str | None = None, layout: str | None = None, fastmath: bool | None = None
    ) -> JitFunction:
        """The same function with its own settings: `fallback` is "warn", "silent" or "error".

        `layout` is that of objects and structured arrays; `fastmath` licenses floats computed faster than exactly, as
        in `ArrayFunction.options`.
        """
        if fallback not in (None, "warn", "silent", "error"):
            raise ValueError(f'fallback is "warn", "silent" or "error", not {fallback!r}')
        kept = self.call_options
        layout = chosen_layout(layout, kept.layout)
        fastmath = chosen_fastmath(fastmath, kept.fastmath)
        options = replace(kept, fallback=fallback or kept.fallback, layout=layout, fastmath=fastmath)
        return JitFunction(self.function, options)

    def lower(self, *args: Any, **kwargs: Any) -> LoweredLoops:
        """What the compiler makes of the loops of a call: the text of every stage.

        The function is run, in Python, on copies of its arguments, to see what its loops meet. Raises UnsupportedError
        for a loop that is not compiled.
        """
        lowered: list[Lowered] = []
        for loop, job in self.loops_met(args, kwargs):
            if isinstance(job, CompileError):
                if loop.of_arrays or loop.ordered is not None:  # NumPy's, or Python's
                    continue
                raise loop.explained(job)
            lowered.append(Lowered(job.request(dispatcher().known(job))))
        made = self._host()
        host = "" if isinstance(made, CompileError) else self._versions_of(made).text(args, kwargs)
        return LoweredLoops(tuple(lowered), host)

    def explain(self, *args: Any, **kwargs: Any) -> LoopExplanations:
        """Where the loops of a call would run and why, line by line.

        The function is run, in Python, on copies of its arguments, to see what its loops meet.
        """
        from hetc.explanation.explain import explain_loop

        name = self.function.__qualname__
        met = self.loops_met(args, kwargs, as_kept=True)
        made = self._host()
        if isinstance(made, HostFunction):
            met += [
                (Loop(loop.place, ordered=loop), loop.refused)
                for loop in made.ordered.loops
                if loop.refused is not None and not loop.has_parallel
            ]
        found = [
            (
                loop,
                explain_loop(
                    dispatcher(),
                    job,
                    loop.place,
                    f"{name}, {_described(loop)} in line {loop.place.line}",
                    asked=self.call_options.device is not None or loop.of_arrays or loop.ordered is not None,
                ),
            )
            for loop, job in met
        ]
        tasks = [loop.ordered for loop, told in found if loop.ordered is not None and told.fallback is None]
        loops = tuple(told for loop, told in found if not _is_inside(loop, tasks))
        keeps = bool(loops) or (isinstance(made, HostFunction) and has_plan(made))
        return LoopExplanations(loops, self._transfers(args, kwargs) if keeps else "")

    def _transfers(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | tuple[Transfer, ...]:
        """What a call would copy, or why that is not decided."""
        made = self._host()
        if isinstance(made, CompileError):
            raise made
        versions = self._versions_of(made)
        try:
            return versions.transfers(self.call_options, versions.arguments(args, kwargs))
        except UnsupportedError:  # there is no device
            return ""

    def _host(self) -> HostFunction | CompileError:
        if self._made is None:
            try:
                made = host_function(
                    self.function, self._start_loop, self._start_arrays, self._start_ordered, OrderedRun
                )
                self._made = made
                ordered = made.ordered
                self._ordered = OrderedContext(
                    self.function, self.call_options, dispatcher(), ordered.loops, ordered.pauses
                )
                states = tuple(_group_state(made, group) for group in made.groups.groups)
                arrays = ArrayContext(self.function, self.call_options, dispatcher(), states, made.groups.pauses)
                self._arrays, self._ordered.looking = arrays, lambda: arrays.looking
            except CompileError as error:
                self._made = error
        return self._made

    def _start_arrays(self, number: int) -> GroupRun | None:
        """Group `number` of array statements starts."""
        if self._arrays is None:
            return None
        seen = _recorder.get()
        if seen is None:
            return self._arrays.start(number, None)
        return self._arrays.start(number, _ArraysSeen(seen))

    def _start_ordered(self, number: int, iterable: Any, frame: types.FrameType) -> Any:
        """Ordinary loop `number` starts, in a frame of the function: what it iterates over."""
        ordered, seen = self._ordered, _recorder.get()
        if ordered is None:
            return iterable
        if seen is None:
            return ordered_runs.start(ordered, number, iterable, frame)
        loop = ordered.states[number].loop
        try:
            met: Job | CompileError = ordered.job(number, frame, settings.current(), ordered.left(number, iterable))[0]
        except CompileError as error:
            met = error
        seen.append((Loop(loop.place, ordered=loop), met))
        return iterable

    def _versions_of(self, made: HostFunction) -> Versions:
        if self._versions is None:
            self._versions = Versions(made, self._start_keeping)
        return self._versions

    def _start_keeping(self, number: int, space: Any, frame: types.FrameType | None) -> Any:
        """Loop `number` starts, in a frame of a version that keeps arrays on the device."""
        return self._start_loop(number, space, frame, current_arrays())

    def _start_loop(
        self, number: int, space: Any, frame: types.FrameType | None, arrays: KeptArrays | None = None
    ) -> LoopRun | PlainRun | RanOnDevice:
        """Loop `number` starts, in a frame of the function."""
        seen, context = _recorder.get(), self._contexts.get(number)
        if context is not None and context.repeats is not None and seen is None and type(space) is IndexSpace:
            ran = context.repeats.run(space.ranges, frame, arrays, free=self.call_options.device is None)
            if ran is not None:
                return ran
        made = self._host()
        body = None if isinstance(made, CompileError) else made.loops[number].body
        names = () if body is None else body.code.co_freevars
        kept = None if arrays is None else KeptRegion(arrays, number, names)
        if not isinstance(space, IndexSpace) or isinstance(made, CompileError) or space.is_endless:
            return PlainRun(space, kept)
        loop = made.loops[number]
        if context is None:
            context = self._contexts.setdefault(number, self._context(number, loop, names))
        if seen is not None:
            try:
                seen.append((loop, context.job(loop, space, frame, settings.current(), kept=kept)))
            except CompileError as error:
                seen.append((loop, error))
            return PlainRun(space)
        return LoopRun(context, loop, space, kept)

    def _context(self, number: int, loop: Loop, names: Sequence[str]) -> LoopContext:
        measured = dispatcher()
        repeats = LoopRepeats(LoopCache(), number, names, measured.hotness, lambda: loop_times(measured, loop))
        return LoopContext(self.function, self.call_options, measured, repeats)

    def loops_met(self, args: tuple[Any, ...], kwargs: dict[str, Any], *, as_kept: bool = False) -> Seen:
        """The loops that a call starts, in order, each once, as jobs or why they are none.

        The function is run, in Python, on copies of its arguments; `as_kept` describes its loops as they run on arrays
        that stay on the device, if they do. Raises CompileError if no loop can be seen.
        """
        made = self._host()
        if isinstance(made, CompileError):
            raise made
        seen: Seen = []
        if self._arrays is not None:
            self._arrays.look_again()
        token = _recorder.set(seen)
        try:
            copies = copy.deepcopy(args), copy.deepcopy(kwargs)
            if as_kept and keeps_arrays(made, self.call_options, dispatcher()):
                self._versions_of(made).look_at(*copies)
            else:
                made.function(*copies[0], **copies[1])
        finally:
            _recorder.reset(token)
        return list({loop.place: (loop, job) for loop, job in seen}.values())


def _note_iteration(error: Exception, made: HostFunction) -> None:
    """Add to an exception in which iteration of a parallel loop it was raised, if it was in one."""
    from hetc.frontends.loops.iterations import iteration_text

    if iteration := iteration_text(made, error.__traceback__):
        error.add_note(f"hetc: in {iteration}")


@dataclass(frozen=True)
class LoweredLoops:
    """The loops of a call as the compiler sees them; each text is that of all loops, one after the other.

    `host` is the code around them, with what `transfer-elimination` has decided about copies.
    """

    loops: tuple[Lowered, ...]
    host: str = ""

    def mlir(self, stage: str = "frontend") -> str:
        """The modules after a stage."""
        return "\n".join(loop.mlir(stage) for loop in self._some())

    def opencl(self) -> str:
        """The OpenCL C programs."""
        return "\n".join(loop.opencl() for loop in self._some())

    def plan(self) -> str:
        """The steps that the host executes."""
        return "\n".join(loop.plan() for loop in self._some())

    def _some(self) -> tuple[Lowered, ...]:
        if not self.loops:
            raise InputError("the call starts no parallel loop", hint="loop over hetc.forall(...) or hetc.prange(...)")
        return self.loops


@dataclass(frozen=True)
class LoopExplanations:
    """The explanations of the loops of a call, in the order in which it starts them.

    `transfers` are the decisions about copies of arrays around them, or a sentence that says why there are none.
    """

    loops: tuple[Explanation, ...]
    transfers: str | tuple[Transfer, ...] = ""

    def __str__(self) -> str:
        copies = self._transfers_text()
        return "\n\n".join([*map(str, self.loops), *([copies] if copies else [])]) or "the call starts no parallel loop"

    def _transfers_text(self) -> str:
        if isinstance(self.transfers, str):
            return f"transfers: {self.transfers}" if self.transfers else ""
        return "\n".join(transfer_lines(self.transfers))

    def _repr_html_(self) -> str:
        """The explanations of the loops, and what is copied between them."""
        copies = element("pre", self._transfers_text())
        return element("div", explanations_html(self.loops), copies)

    def save(self, filename: str | Path, profile: Profile | None = None) -> None:
        """Write a page about all loops; see `Explanation.save`."""
        sections = [loop.section() for loop in self.loops]
        if self.transfers:
            told = self.transfers
            sections.append(Section(TITLE, (told,) if isinstance(told, str) else tuple(decisions(told)), ()))
        save_page(sections, filename, profile)


@overload
def jit(function: Callable[..., Any], /) -> JitFunction: ...


@overload
def jit(*, device: Device | str | int | None = None, fallback: str | None = None) -> Callable[..., JitFunction]: ...


def jit(
    function: Callable[..., Any] | None = None,
    /,
    *,
    device: Device | str | int | None = None,
    fallback: str | None = None,
) -> JitFunction | Callable[..., JitFunction]:
    """Let the parallel loops of a function run on a device; `@hetc.jit`, or `@hetc.jit(fallback="error")`.

    `device` and `fallback` are those of `hetc.configure`, for this function alone.
    """

    def decorate(function: Callable[..., Any]) -> JitFunction:
        made = JitFunction(function).options(fallback=fallback)
        return made if device is None else made.on(device)

    return decorate if function is None else decorate(function)

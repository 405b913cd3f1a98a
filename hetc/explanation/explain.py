"""Explain a call: compile it under observation, without running anything."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from hetc import chosen_regions, driver, settings
from hetc.abi import Package, Signature
from hetc.dataclass import dataclass
from hetc.dispatch import Dispatcher
from hetc.division import DividingDispatcher
from hetc.errors import CompileError, InputError, SourceLocation, UnsupportedError
from hetc.explanation.guards import SPECIALIZED, GuardLog
from hetc.explanation.lines import Guard, Line
from hetc.explanation.notes import FUSED, LAID_OUT, fusion, layouts, moves, overlapped, skeletons_of, staged, waiting
from hetc.explanation.report import Explanation
from hetc.explanation.source import function_lines
from hetc.explanation.types import TypesByPlace
from hetc.explanation.views import views
from hetc.frontends.python.closure import reachable
from hetc.frontends.python.objects import resolve_program
from hetc.frontends.skeleton.composition import ForAll, Stages, check_inputs, functions
from hetc.hotness import Decision
from hetc.jobs import CallOptions, Job, select_device
from hetc.runtime.tuning import told
from hetc.speculation import Compiled


def explain(
    dispatcher: DividingDispatcher,
    stages: Stages,
    inputs: Sequence[Any],
    options: CallOptions,
    name: str,
    describe_it: Callable[[], Job],
) -> Explanation:
    """Explain a call, which `describe_it` describes, without running anything of the user's.

    Of a composition with stencils it is the first one that is explained, for which what comes before it is run.
    Raises InputError for inputs that do not fit, DeviceError for a device that is not there.
    """
    check_inputs(stages, len(inputs))
    try:
        job = describe_it()
        decision = dispatcher.decision(job.sequential, job.inputs, options, lambda: job)
        if decision.device is not None:
            job = job.on(decision.device)
        described, divided = _in_batches(dispatcher, job)
        known = dispatcher.known(described)
        request = described.request(known)
        if isinstance(known.executable, CompileError):
            raise known.executable
        found = _observe(request, known)
    except CompileError as error:
        return refused(stages, name, error)
    return Explanation(
        name,
        _of_data(decision, described, found.package),
        job.device.name,
        None,
        found.lines,
        found.guards,
        compiled=known.executable is not None,
        stored=known.stored,
        recompilations=known.recompilations,
        deoptimisations=sum(known.failures.values()),
        notes=(*candidates_of(decision), *divided, *found.notes, *_tuned(known)),
        compile=functools.partial(views, request),
    )


def candidates_of(decision: Decision) -> Iterator[str]:
    """What each of several devices was estimated to take."""
    if decision.compared:
        yield f"chosen from: {decision.compared}"


def _tuned(known: Compiled) -> Iterator[str]:
    """What has been measured of the launches of a call, and chosen."""
    executable = known.executable
    if executable is None or isinstance(executable, CompileError) or executable.tuning is None:
        return
    for launch in executable.tuning:
        for one in launch.chosen():
            yield f"tuned: kernel {launch.step.kernel}, {told(one)}"


def _in_batches(dispatcher: DividingDispatcher, job: Job) -> tuple[Job, tuple[str, ...]]:
    """A call, or what its batches run, if there are to be any; and how many and why, or why there are none."""
    told: list[str] = []
    try:
        batched = dispatcher.in_batches(job, lambda error, _: told.append(error.reason))
        if batched is not None:
            schedule, _ = dispatcher.schedule(batched)
            return batched, (f"batches: {schedule}",)
    except InputError as error:
        told.append(error.reason)
    return job, tuple(told)


def explain_loop(
    dispatcher: Dispatcher, job: Job | CompileError, place: SourceLocation, name: str, *, asked: bool = False
) -> Explanation:
    """Explain a run of a parallel loop, described as a job, or why there is none; a device may be `asked` for."""
    stages: Stages = () if isinstance(job, CompileError) else job.stages
    chosen: Decision | None = None
    try:
        if isinstance(job, CompileError):
            raise job
        chosen = None if asked else chosen_regions.forecast(dispatcher.hotness, job, settings.current())
        if chosen is not None and chosen.device is not None:
            job = job.on(chosen.device)
        known = dispatcher.known(job)
        if isinstance(known.executable, CompileError):
            raise known.executable
        request = job.request(known)
        found = _observe(request, known)
    except CompileError as error:
        return refused(stages, name, error.at(place))
    return Explanation(
        name,
        _of_data(_loop_decision(), job, found.package),
        job.device.name,
        None,
        found.lines,
        found.guards,
        compiled=known.executable is not None,
        stored=known.stored,
        deoptimisations=sum(known.failures.values()),
        notes=(*(() if chosen is None else candidates_of(chosen)), *found.notes, *_tuned(known)),
        compile=functools.partial(views, request),
    )


def _of_data(decision: Decision, job: Job, package: Package) -> Decision:
    """Where a run goes whose data is looked at before: a loop whose iterations meet is Python's."""
    is_loop = any(isinstance(stage, ForAll) for stage in job.stages)
    if not decision.offload or not is_loop:
        return decision
    try:
        job.loop_objects(package)
    except UnsupportedError as error:
        return Decision(False, error.reason)
    return decision


def _loop_decision() -> Decision:
    match settings.current().offload:
        case "never":
            return Decision(False, 'the setting is offload="never"')
        case "always":
            return Decision(True, 'the setting is offload="always"')
        case _ if settings.current().debug:
            return Decision(True, "the setting is debug=True")
        case _:
            return Decision(True, "it is compiled; how long it takes in Python decides for each run")


def explain_types(stages: Stages, signature: Signature, device: str | None, name: str) -> Explanation:
    """Explain calls with inputs of which only the types are known, on a device by its name or the usual one."""
    try:
        chosen = select_device(device if device is not None else settings.current().device)
        request = driver.request_for_types(stages, signature, chosen.traits)
        found = _observe(request, Compiled())
    except CompileError as error:
        return refused(stages, name, error)
    decision = Decision(True, "it is compiled for these types; how much data there is decides for each call")
    return Explanation(
        name,
        decision,
        chosen.name,
        None,
        found.lines,
        found.guards,
        compiled=None,
        notes=found.notes,
        compile=functools.partial(views, request),
    )


def refused(stages: Stages, name: str, error: CompileError) -> Explanation:
    """Explain a call that is not compiled."""
    decision = Decision(False, "it cannot be compiled, for the reason below")
    return Explanation(name, decision, None, error.with_traceback(None), lines_of(stages))


def lines_of(stages: Stages) -> tuple[Line, ...]:
    """The source of a composition's functions, of which no more is known."""
    return tuple(_lines(_functions(stages), None, ()))


@dataclass(frozen=True)
class Findings:
    """What compiling a call has shown."""

    lines: tuple[Line, ...]
    guards: tuple[Guard, ...]
    notes: tuple[str, ...]
    package: Package


def _observe(request: driver.Request, known: Compiled) -> Findings:
    """Compile and watch. Raises CompileError."""
    log = GuardLog(driver.stages(request.traits, checks=request.checks))
    seen: list[TypesByPlace] = []
    skeletons: list[tuple[str, ...]] = []
    chosen: list[str] = []

    def watch(stage: str, module: ModuleOp) -> None:
        log.watch(stage, module)
        if stage == SPECIALIZED:
            seen.append(TypesByPlace(module))
        if stage in (SPECIALIZED, FUSED):
            skeletons.append(skeletons_of(module))
        if stage == LAID_OUT:
            chosen.extend(layouts(module))

    package = driver.compile(request, watch)
    failures = {(site.kind, site.reason, site.location): count for site, count in known.failures.items()}
    guards = _guards(log, seen[0], failures)
    called = [resolved.function for resolved in reachable(request.resolution.functions)]
    traits = request.traits
    moved = (
        *moves(package, request.signature), *waiting(package), *staged(package, traits), *overlapped(package, traits)
    )  # fmt: skip
    notes = (*fusion(skeletons[0], skeletons[-1], package), *moved, *chosen)
    return Findings(tuple(_lines(called, seen[0], guards)), guards, notes, package)


def _functions(stages: Stages) -> list[FunctionType]:
    """The functions of a call that have source, callers before callees; of one that is not understood, its own."""
    own = functions(stages)
    try:
        return [resolved.function for resolved in reachable(resolve_program(own).functions)]
    except CompileError:
        return [function for function in own if isinstance(function, FunctionType)]


def _guards(
    log: GuardLog, types: TypesByPlace, failures: dict[tuple[str, str, SourceLocation | None], int]
) -> tuple[Guard, ...]:
    return tuple(
        Guard(
            site.kind,
            site.reason,
            site.place,
            kept=site in log.kept,
            proof="" if site in log.kept else log.reason_removed(site),
            failures=failures.get((site.kind, site.reason, site.place), 0),
            leaves=site.place is not None and types.leaves(site.place),
            hoisted=site in log.hoisted,
        )
        for site in log.last_seen
    )


def _lines(found: Sequence[FunctionType], types: TypesByPlace | None, guards: Sequence[Guard]) -> list[Line]:
    lines: list[Line] = []
    for function in found:
        try:
            lines += function_lines(function, types, guards)
        except UnsupportedError:  # there is no source to show; the explanation says so
            continue
    return lines

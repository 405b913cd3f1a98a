"""Explain a call: compile it under observation, without running anything."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from hetc import driver, settings
from hetc.dispatch import CallOptions, Dispatcher, Job
from hetc.errors import CompileError, SourceLocation, UnsupportedError
from hetc.explanation.guards import SPECIALIZED, GuardLog
from hetc.explanation.lines import Guard, Line
from hetc.explanation.report import Explanation
from hetc.explanation.source import function_lines
from hetc.explanation.types import TypesByPlace
from hetc.frontends.python.closure import reachable, resolve
from hetc.frontends.skeleton.composition import Stages, check_inputs, functions
from hetc.hotness import Decision
from hetc.speculation import Compiled


def explain(
    dispatcher: Dispatcher, stages: Stages, inputs: Sequence[Any], options: CallOptions, name: str
) -> Explanation:
    """Explain a call, without running anything of the user's.

    Raises InputError for inputs that do not fit, DeviceError for a device that is not there.
    """
    check_inputs(stages, len(inputs))
    try:
        job = Job.of(stages, inputs, options, settings.current())
    except CompileError as error:
        return _refused(name, error, _lines(_functions(stages), None, ()))
    known = dispatcher.known(job)
    findings = _observe(job, known)
    error = findings.error or (known.executable if isinstance(known.executable, CompileError) else None)
    if error is not None:
        return _refused(name, error, findings.lines)
    return Explanation(
        name,
        dispatcher.decision(stages, inputs, options, lambda: job),
        job.device.name,
        None,
        findings.lines,
        findings.guards,
        compiled=known.executable is not None,
        recompilations=known.recompilations,
        deoptimisations=sum(known.failures.values()),
    )


def _refused(name: str, error: CompileError, lines: Sequence[Line]) -> Explanation:
    reason = "it cannot be compiled, for the reason below"
    return Explanation(name, Decision(False, reason), None, error.with_traceback(None), tuple(lines))


@dataclasses.dataclass(frozen=True)
class Findings:
    """What compiling a call has shown; `error` is why it cannot be compiled."""

    lines: tuple[Line, ...]
    guards: tuple[Guard, ...]
    error: CompileError | None


def _observe(job: Job, known: Compiled) -> Findings:
    """Compile a call as it is compiled now, and watch."""
    failures = {(site.kind, site.reason, site.location): count for site, count in known.failures.items()}
    functions = [resolved.function for resolved in reachable(job.resolution.functions)]
    try:
        request = job.request(known)
        log = GuardLog(driver.stages(request.traits))
        seen: list[TypesByPlace] = []

        def watch(stage: str, module: ModuleOp) -> None:
            log.watch(stage, module)
            if stage == SPECIALIZED:
                seen.append(TypesByPlace(module))

        driver.compile(request, watch)
    except CompileError as error:
        return Findings(tuple(_lines(functions, None, ())), (), error)
    guards = _guards(log, failures)
    return Findings(tuple(_lines(functions, seen[0], guards)), guards, None)


def _functions(stages: Stages) -> list[FunctionType]:
    """The functions of a call that have source, callers before callees; of one that is not understood, its own."""
    own = functions(stages)
    try:
        return [resolved.function for resolved in reachable(resolve(own).functions)]
    except CompileError:
        return [function for function in own if isinstance(function, FunctionType)]


def _guards(log: GuardLog, failures: dict[tuple[str, str, SourceLocation | None], int]) -> tuple[Guard, ...]:
    return tuple(
        Guard(
            site.kind,
            site.reason,
            site.place,
            kept=site in log.kept,
            proof="" if site in log.kept else log.reason_removed(site),
            failures=failures.get((site.kind, site.reason, site.place), 0),
            leaves=site in log.leaving,
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

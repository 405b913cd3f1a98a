"""What is said about a parallel loop that sums up and is debugged: which iteration makes what is no number, and where.

The loop is looked at before it runs, on copies of the arrays that it stores to, in two questions:

1. *Its terms.* The iterations without their sum are a loop whose kernel asks at each operation, as any loop's does
   (`hetc/passes/check_floats.py`), and answers with the first block of iterations for each place.
2. *Its sums.* Finite terms may add up to an infinity. If that is what the loop comes to, it is run up to the middle,
   and so on, until it is known with which iteration: bisection, as for reductions (`hetc/inspection.py`).

The iterations that are found so run on level 0, each going on from what the device has come to before it. So an
addition is an operator like any other, of numbers that are Python's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hetc import abi
from hetc.analysis.naming import ascii_name
from hetc.arrays.base import Array
from hetc.dispatch import Dispatcher
from hetc.errors import CompileError, DeviceError
from hetc.frontends.loops.reductions import Reduction
from hetc.frontends.loops.rewrite import Loop
from hetc.frontends.skeleton.composition import ForAll
from hetc.inspection import Finding, all_finite, element_name, level_0, look_at, row_of, tell, tell_all
from hetc.jobs import Job
from hetc.loops import Box, IndexSpace, boxes
from hetc.runtime.executor import Executable, GuardFailed

if TYPE_CHECKING:  # importing these imports xDSL, which a loop that has a kernel does not need
    from xdsl.dialects.builtin import ModuleOp

    from hetc.analysis.float_origins import WatchedRun

Values = tuple[Any, ...]
"""What the reductions of a loop have come to."""


class DescribesLoop(Protocol):
    """Describes a loop, given what its reductions have come to: for a device, or to be run in order."""

    def __call__(self, values: Values, *, in_order: bool = False) -> Job: ...


class SumsInspection:
    """The iterations in `span` of a loop, which start from `values`. Arrays are on the host."""

    def __init__(self, dispatcher: Dispatcher, loop: Loop, job: DescribesLoop, values: Values, span: range) -> None:
        self.dispatcher = dispatcher
        self.reductions = loop.reductions
        self.place = loop.place
        self.job_from = job
        self.job = job(values)
        self.values = values
        self.ranges: Box = tuple(self.job.columns)
        self.span = span
        self.known: dict[int, Values | None] = {span.start: values}
        """What the reductions are before an iteration."""

    def tell(self) -> None:
        """Tell what makes a NaN or an infinity of numbers. What cannot be run on the device again is left alone."""
        try:
            spans, warned = self._terms()
            spoiled = self._spoiled()
            spans = _merged([*spans, *(range(number, number + 1) for number in spoiled.values())])
            if not spans:
                return
            job = self.job_from(self.values, in_order=True)
            module = level_0(job)
            iterations = _Iterations(self, module, spans)
            found, complete = look_at(job, module, spans, iterations.run)
        except (CompileError, DeviceError):
            return
        tell_all(found, complete, spans, warned)
        if not complete:
            return
        for reduction, number in spoiled.items():
            if reduction not in iterations.spoiled and not iterations.raised:
                text = f"what a device adds up to '{reduction.name}', in groups, leaves the numbers"
                tell(Finding(self.place, element_name(self.job, number), text))

    # --- the terms ---------------------------------------------------------------------------------------------------

    def _terms(self) -> tuple[list[range], tuple[abi.GuardSite, ...]]:
        """The blocks of iterations in which a term may be made no number, the first for each place; and the places."""
        body = self.job.stages[0]
        assert isinstance(body, ForAll)
        job = replace(self.job, stages=(replace(body, dropped=True),), warns=True)
        found: list[range] = []
        warned: dict[abi.GuardSite, None] = {}
        first = self.span.start
        for box in boxes(self.ranges, self.span.start, self.span.stop):
            end = first + len(IndexSpace(box))
            failure = self._answer(job, box)
            if failure is not None and failure.partial is not None:
                block = failure.partial.block
                starts = [first + block * number for number in failure.partial.blocks]
                found += [range(start, min(start + block, end)) for start in starts]
                warned |= dict.fromkeys(failure.warned)
            first = end
        return found, tuple(warned)

    def _answer(self, job: Job, box: Box) -> GuardFailed | None:
        """What the kernel of a loop answers for a part of its iterations; None if there is nothing."""
        for _ in range(2):  # whether there is anything, and where
            executable, compiled = self.dispatcher.executable(job)
            try:
                self._run(job, executable, box)
            except GuardFailed as failure:
                if not failure.untold:
                    return failure
                compiled.tells, compiled.executable = True, None
            else:
                return None
        return None

    # --- the sums ----------------------------------------------------------------------------------------------------

    def _spoiled(self) -> dict[Reduction, int]:
        """The iterations with which reductions cease to be numbers."""
        start, end = self.values, self.before(self.span.stop)
        if end is None:
            return {}
        return {
            reduction: self._halved(k)
            for k, reduction in enumerate(self.reductions)
            if all_finite(start[k]) and not all_finite(end[k])
        }

    def _halved(self, k: int) -> int:
        """The iteration before which reduction number k is a number, and after which it is none."""
        low, high = self.span.start, self.span.stop
        while high - low > 1:
            middle = (low + high) // 2
            values = self.before(middle)
            low, high = (middle, high) if values is None or all_finite(values[k]) else (low, middle)
        return low

    def before(self, number: int) -> Values | None:
        """What the reductions are before an iteration; None if the device does not come so far."""
        if number not in self.known:
            try:
                self.known[number] = self._ran_to(number)
            except GuardFailed:
                self.known[number] = None
        return self.known[number]

    @property
    def neutral(self) -> Values:
        """Values that change nothing, where it is not known what the reductions are."""
        return tuple(r.start_value(value) for r, value in zip(self.reductions, self.values, strict=True))

    def _ran_to(self, number: int) -> Values:
        values, job = self.values, self.job
        for box in boxes(self.ranges, self.span.start, number):
            if any(reduction.carries for reduction in self.reductions):
                job = self.job_from(values)
            total = self._run(job, self.dispatcher.executable(job)[0], box)
            totals: Any = (total,) if len(self.reductions) == 1 else total
            with np.errstate(all="ignore"):
                values = tuple(r.combined(v, t) for r, v, t in zip(self.reductions, values, totals, strict=True))
        return values

    def _run(self, job: Job, executable: Executable, box: Box) -> object:
        """Run a plan on some iterations, which change nothing: what they store goes to copies. Raises GuardFailed."""
        captures = job.resolution.captures | job.loop_objects(executable.package).captures
        copies = {name: _copy(captures[name]) for name in executable.package.written}
        return executable.run(box, captures | copies)


class _Iterations:
    """Iterations on level 0, in order; in each span, the first goes on from what the device has come to before it."""

    def __init__(self, inspection: SumsInspection, module: ModuleOp, spans: Sequence[range]) -> None:
        from hetc.analysis.entry import entry_function
        from hetc.dialects import skel

        self.inspection = inspection
        entry = entry_function(module)
        assert entry is not None
        (loop,) = [op for op in entry.body.block.ops if isinstance(op, skel.ForallOp)]
        self.body = loop.body.block
        self.starts = {span.start for span in spans}
        self.values: Values | None = None
        self.raised = False
        self.spoiled: set[Reduction] = set()
        """Those that cease to be numbers in these iterations."""

    def run(self, run: WatchedRun, number: int) -> None:
        """Run an iteration. Nothing, after one that raises what stops the loop in Python."""
        from hetc.analysis.concrete import LeftError, NotRunError, OutOfFuelError

        if self.raised:
            return
        reductions, old = self.inspection.reductions, self.values
        if number in self.starts or old is None:
            old = self.inspection.before(number) or self.inspection.neutral
        self.values = None
        run.captured = {**run.captured, **{ascii_name(r.start): v for r, v in zip(reductions, old, strict=True)}}
        try:
            result = run.element(self.body, list(row_of(self.inspection.job, number)))
        except (LeftError, NotRunError, OutOfFuelError):
            raise
        except Exception:
            self.raised = True
            raise
        new: Values = (result,) if len(reductions) == 1 else result
        changes = zip(reductions, old, new, strict=True)
        self.spoiled |= {r for r, before, after in changes if all_finite(before) and not all_finite(after)}
        self.values = new


def _merged(spans: Iterable[range]) -> list[range]:
    """Spans in order, of which none overlap.

    >>> _merged([range(7, 8), range(0, 3), range(1, 2)])
    [range(0, 3), range(7, 8)]
    """
    found: list[range] = []
    for span in sorted(spans, key=lambda span: span.start):
        if found and span.start < found[-1].stop:
            found[-1] = range(found[-1].start, max(found[-1].stop, span.stop))
        else:
            found.append(span)
    return found


def _copy(value: Any) -> Any:
    """An array with the same elements, that nobody else sees."""
    return value.copy() if isinstance(value, Array) else np.array(value)

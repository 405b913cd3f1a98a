"""What is said about a call that is debugged: which element first makes a NaN or an infinity, where, and of what.

Kernels ask whether there are any, and in which blocks of elements (`hetc/passes/check_floats.py`). The elements of
these blocks are run once more here, on level 0, where an op is an operator or function of Python
(`hetc.analysis.float_origins`). So big data is looked at by the device, and what is told of it are Python's values at
the user's own expression.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hetc.abi import GuardSite
from hetc.arrays.base import Array
from hetc.callers import caller
from hetc.containers import elements_of, value_text, values_text
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.errors import CompileError, DebugWarning, SourceLocation, render
from hetc.field_values import PackedNumbers
from hetc.frontends.python.source import expression_at
from hetc.frontends.skeleton.composition import ForAll, Reduce, Scan, Stencil, is_barrier
from hetc.frontends.skeleton.elements import element_text, parameters
from hetc.jobs import Job
from hetc.runtime.objects import ObjectColumn
from hetc.speculation import Compiled

if TYPE_CHECKING:  # importing these imports xDSL, which a call that has a kernel does not need
    from xdsl.dialects.builtin import ModuleOp

    from hetc.analysis.float_origins import Origin, WatchedRun

SECONDS = 2.0
"""How long elements of one call are looked at."""

_OWN = str(Path(__file__).parent)

FOREIGN = "a NaN or an infinity is made of numbers"
"""The reason of the questions that `check-floats` asks."""


@dataclass(frozen=True)
class Finding:
    """A place where what is no number was made of numbers: in which element, how it reads, and what came of it."""

    place: SourceLocation | None
    element: str
    text: str

    def __str__(self) -> str:
        hint = "it is the first element of this call in which that happens here"
        return render(f"{self.text}, in {self.element}", self.place, hint, Category.NO_NUMBER.code)


def inspect_elements(job: Job, spans: Sequence[range], warned: Sequence[GuardSite] = ()) -> None:
    """Tell what elements of a call make of their numbers; `warned` are the questions that a kernel answered so.

    Nothing is told of questions that turn out to be about what an operator does inside.
    """
    tell_all(*_findings(job, spans), spans, warned)


def tell_all(found: Sequence[Finding], complete: bool, spans: Sequence[range], warned: Sequence[GuardSite]) -> None:
    """Tell what is found in some elements; if they are not all looked at, where else there may be something, too."""
    told = {(finding.place.filename, finding.place.line) for finding in found if finding.place is not None}
    for finding in found:
        tell(finding)
    if complete:
        return
    for site in warned:
        place = site.location
        if site.reason == FOREIGN and place is not None and (place.filename, place.line) not in told:
            told.add((place.filename, place.line))
            where = f"one of the elements {spans[0].start} to {spans[-1].stop - 1}" if spans else "an element"
            tell(Finding(place, where, "a NaN or an infinity may be made of numbers"))


def inspect_result(job: Job, result: object, of_first: Callable[[int], object]) -> None:
    """Tell where what is no number in the result of a call comes from that combines or drops elements.

    `of_first` gives the result for the first elements: the call is halved until it is known which element makes the
    difference. Nothing is told of a NaN that does not come to the result.
    """
    if all_finite(result):
        return
    last, size = job.stages[-1], len(job.inputs[0])
    spans, before = [range(size)], None
    if not any(map(is_barrier, job.stages)):
        number = _halved(of_first, size)
        spans = [range(number, number + 1)]
        if number and isinstance(last, Reduce):
            before = (of_first(number),)
        elif number and isinstance(last, Scan) and len(done := cast("Sequence[object]", of_first(number))):
            before = (done[-1],)
    for finding in _findings(job, spans, before)[0]:
        tell(finding)


def _halved(of_first: Callable[[int], object], size: int) -> int:
    """The number of an element with which the result of those up to it becomes no number, and was one before."""
    low, high = 0, size  # of the first `high` elements it is none; of `low` it is one, or there is none
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if all_finite(of_first(middle)) else (low, middle)
    return low


def all_finite(value: object) -> bool:
    """Whether all floats in a value are finite.

    >>> all_finite([1, 2.0]), all_finite((1.0, float("nan")))
    (True, False)
    """
    match value:
        case Array() | np.ndarray():
            numbers: np.ndarray[Any, Any] = np.asarray(value)
            return numbers.dtype.kind not in "fc" or bool(np.isfinite(numbers).all())
        case list() | tuple():
            return all(map(all_finite, cast("Sequence[object]", value)))
        case float() | complex() | np.floating() | np.complexfloating():
            return bool(np.isfinite(value))
        case _:
            return True


def tell(told: Finding) -> None:
    """Warn, at the line that calls hetc."""
    who = caller()
    if who is not None:
        who.warn(str(told), DebugWarning)


def is_observation(error: CompileError) -> bool:
    """Whether a function is not compiled because it prints, or stops for a debugger: so it is Python that is to run it.

    >>> is_observation(CompileError("no"))
    False
    """
    place = error.location
    if error.category is not Category.CALL or place is None or place.end_column is None:
        return False
    return place.text().startswith(("print(", "breakpoint(", "input(", "pdb.", "ipdb."))


def _findings(job: Job, spans: Sequence[range], before: tuple[object, ...] | None = None) -> tuple[list[Finding], bool]:
    """The first element for each place, and whether all elements could be looked at.

    `before` is what a reduction or scan has come to before the element.
    """
    from hetc.analysis.concrete import run_entry
    from hetc.analysis.entry import entry_function

    module = level_0(job)
    entry = entry_function(module)
    assert entry is not None

    def run_element(run: WatchedRun, number: int) -> None:
        run_entry(run, entry, [[value] for value in row_of(job, number)], before)

    return look_at(job, module, spans, run_element)


def level_0(job: Job) -> ModuleOp:
    """What the frontend makes of a call."""
    from hetc import driver

    return driver.frontend(replace(job.request(Compiled()), samples=None, warns=None, checks=False))


def look_at(
    job: Job, module: ModuleOp, spans: Sequence[range], run_element: Callable[[WatchedRun, int], None]
) -> tuple[list[Finding], bool]:
    """The first element for each place, of those in some spans, and whether all elements could be looked at.

    `run_element` runs what an element takes; `module` is the call on level 0.
    """
    from hetc.analysis.concrete import NotRunError, OutOfFuelError
    from hetc.analysis.float_origins import FUEL, WatchedRun

    run = WatchedRun(module, _captured(job, module), stores=True)
    found: dict[SourceLocation | None, Finding] = {}
    end, complete = time.monotonic() + SECONDS, True
    for number in (number for span in spans for number in span):
        run.origins.clear()
        run.fuel = FUEL
        try:
            with np.errstate(all="ignore"):
                run_element(run, number)
        except (OutOfFuelError, NotRunError):
            complete = False
        except Exception:  # noqa: BLE001 (whatever the program raises there, Python raises it, too)
            pass
        for origin in run.origins:
            if origin.place not in found:
                found[origin.place] = _finding(job, number, origin)
        if time.monotonic() > end:
            return list(found.values()), False
    return list(found.values()), complete


def _finding(job: Job, number: int, origin: Origin) -> Finding:
    place = origin.place
    if place is not None:  # in what hetc itself makes of NumPy's functions, there is nothing to be seen
        place = None if place.filename.startswith(_OWN) else expression_at(place, origin.operator)
    return Finding(place, element_name(job, number), f"{origin.text} gives {value_text(origin.result)}")


def _is_of_points(job: Job) -> bool:
    """Whether the elements of a call are the points of an index space."""
    return isinstance(job.stages[0], ForAll | Stencil)


def row_of(job: Job, number: int) -> Iterator[object]:
    """What the body of a call is given in an element."""
    if _is_of_points(job):
        point = np.unravel_index(number, [len(column) for column in job.columns])
        yield from (column[int(k)] for column, k in zip(job.columns, point, strict=True))
        return
    batched = job.signature.batches is not None  # then columns are those of a batch
    columns = (*job.inputs, *job.columns[len(job.inputs) :]) if batched else job.columns
    yield from (element_at(column, number) for column in columns)


def element_at(column: Any, number: int) -> object:
    """An element of an input, which may be a list of objects that has been read."""
    return (column.elements if isinstance(column, ObjectColumn) else elements_of(column))[number]


def element_name(job: Job, number: int) -> str:
    """An element of a call, for people."""
    if job.loop_of is not None:
        return element_text(job.loop_of, job.inputs, number)
    if not _is_of_points(job):
        return element_text(job.sequential, job.inputs, number)
    point = list(row_of(job, number))
    if isinstance(job.stages[0], Stencil):
        return f"element {point[0] if len(point) == 1 else tuple(point)}"
    return f"the iteration {values_text(parameters(job.stages, len(point)), point)}"


def _captured(job: Job, module: ModuleOp) -> Mapping[str, Any]:
    """The values of the captured variables; arrays and attributes that the program stores to are copies."""
    stored, attributes = _stored(module), _stored_attributes(module)

    def copied(name: str, value: Any) -> Any:
        if isinstance(value, np.ndarray | Array):
            return np.array(value) if name in stored or name in attributes else value
        return list(value) if name in attributes and type(value) in (PackedNumbers, list) else value

    return {name: copied(name, value) for name, value in job.resolution.captures.items()}


def _stored_attributes(module: ModuleOp) -> set[str]:
    """The captured variables that hold attributes of objects, if a module may store to any."""
    from hetc.dialects import dyn, skel

    if not any(isinstance(op, dyn.StoreAttrOp) for op in module.walk()):
        return set()
    return {op.sym_name.data for op in module.ops if isinstance(op, skel.CaptureOp) and op.objects is not None}


def _stored(module: ModuleOp) -> set[str]:
    """The captured variables that a module may store to: all, if it does not show which."""
    from hetc.dialects import dyn

    stores = [op.container.owner for op in module.walk() if isinstance(op, dyn.StoreItemOp)]
    names = [op.variable.root_reference.data for op in module.walk() if isinstance(op, dyn.GlobalOp)]
    if all(isinstance(owner, dyn.GlobalOp) for owner in stores):
        return {owner.variable.root_reference.data for owner in stores if isinstance(owner, dyn.GlobalOp)}
    return set(names)

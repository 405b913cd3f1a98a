"""A call at each level, line by line, with the user's lines that they come from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import StringIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.printer import Printer

from hetc import driver
from hetc.analysis.locations import source_location
from hetc.backends.opencl.target import plan_text
from hetc.dataclass import dataclass
from hetc.explanation.lines import View, ViewLine, line_key
from hetc.runtime.profile import profile
from hetc.timeline.events import Event

LEVELS = ("level 0: dynamic", "level 1: typed", "level 2: simplified", "level 3: kernels and plan")
OPENCL, PLAN = "OpenCL C", "plan"
_COMMENT = re.compile(r"\s*// (.+:\d+)$")
"""The comment that the printer of OpenCL C puts before what comes from another line."""


@dataclass(frozen=True)
class Views:
    """A compiled call: what it is at each level, and the events of compiling it."""

    views: tuple[View, ...]
    events: tuple[Event, ...]


def views(request: driver.Request) -> Views:
    """Compile a call and keep what the last stage of each level leaves. Raises CompileError."""
    last = _last_stages(request)
    found: list[View] = []
    passed = 0

    def watch(_stage: str, module: ModuleOp) -> None:
        nonlocal passed
        if passed in last:
            found.append(View(LEVELS[last.index(passed)], tuple(module_lines(module))))
        passed += 1

    with profile() as seen:
        package = driver.compile(request, watch)
    found.append(View(OPENCL, tuple(opencl_lines(package.source))))
    found.append(View(PLAN, tuple(ViewLine(line) for line in plan_text(package).splitlines())))
    return Views(tuple(found), tuple(seen.events))


def _last_stages(request: driver.Request) -> Sequence[int]:
    """The numbers of the last stages of all levels."""
    stages = driver.stages(request.traits, checks=request.checks)
    starts = sorted(stages.index(name) for name in driver.LEVEL_STARTS)
    return [*(start - 1 for start in starts), len(stages) - 1]


class _LinePrinter(Printer):
    """xDSL's printer, which remembers the op that each line begins with."""

    def __init__(self, output: StringIO) -> None:
        super().__init__(output)
        self.begun: dict[int, Operation] = {}

    def print_op(self, op: Operation) -> None:
        self.begun.setdefault(self._current_line, op)
        super().print_op(op)


def module_lines(module: ModuleOp) -> Iterator[ViewLine]:
    """The text of a module; a line comes from where its op does, which a closing bracket has none of."""
    output = StringIO()
    printer = _LinePrinter(output)
    printer.print_op(module)
    for number, text in enumerate(output.getvalue().splitlines()):
        op = printer.begun.get(number)
        place = None if op is None else source_location(op.location)
        yield ViewLine(text, "" if place is None else line_key(place.filename, place.line))


def opencl_lines(source: str) -> Iterator[ViewLine]:
    """OpenCL C without the comments about places, as places."""
    at = ""
    for text in source.splitlines():
        comment = _COMMENT.match(text)
        if comment is not None:
            at = comment[1]
            continue
        if not text.startswith(" "):  # a kernel begins or ends
            at = ""
        yield ViewLine(text, at)

"""One program on one device and in CPython; and many at once, with one start of the device's compiler for all."""

from __future__ import annotations

import importlib.util
import itertools
import linecache
import signal
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import hetc
from hetc import api, driver
from hetc.abi import Package
from hetc.errors import CompileError, UnsupportedError
from hetc.runtime import executor
from hetc.runtime.devices import Device
from hetc.runtime.opencl import cl
from tests.fuzz.comparison import Outcome, difference, difference_of_identities, difference_of_values, outcome
from tests.fuzz.programs import CAPTURED, Program
from tests.oracle import with_spacing

ULP = 64
"""How far the functions that OpenCL does not round correctly may be off, NumPy's own error included."""

PATIENCE = 2.0
"""Seconds that CPython may take for a program."""


@dataclass(frozen=True)
class Verdict:
    """What came of the calls of a program. `path` is the worst: "device", "deoptimised" or "python".

    `problem` says what is wrong, if anything is; its first word is the kind. `reason` says why Python ran.
    """

    program: Program
    path: str
    problem: str | None = None
    reason: str | None = None


class Patience(BaseException):
    """CPython takes too long for a program, or too much memory."""


class Postponed(BaseException):
    """A build that a batch does later. No `Exception`, so that it passes through hetc."""


class Folder:
    """Where the text of programs goes, since hetc reads the source of functions from files."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._numbers = itertools.count()

    def write(self, program: Program) -> Path:
        """A new file with a program."""
        path = self.path / f"{program.name}_{next(self._numbers)}.py"
        path.write_text(program.source)
        return path


def load(path: Path) -> ModuleType:
    """A new module from a file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tests that are always true, `assert (x, y)`, `1 is 1`
        spec.loader.exec_module(module)
    return module


# --------------------------------------------------------------------------------------------------------------------
# One program
# --------------------------------------------------------------------------------------------------------------------


def examine(program: Program, device: Device, folder: Folder) -> Verdict:
    """Run all calls of a program on the device and in CPython, and compare."""
    path = folder.write(program)
    try:
        return _examine(program, device, path)
    except Patience:
        return Verdict(program, "python", None, "CPython takes too long")
    finally:
        path.unlink(missing_ok=True)
        linecache.checkcache(str(path))


def _examine(program: Program, device: Device, path: Path) -> Verdict:
    worst, reason = "device", None
    try:
        module = load(path)
        for number in range(program.calls):
            module.composition(), getattr(module, f"inputs_{number}")()
    except Exception as error:  # noqa: BLE001 (while it is made smaller, a program may become anything)
        return Verdict(program, "python", f"malformed: {type(error).__name__}: {error}")
    for number in range(program.calls):
        expected, found, problem, place, why = _one_call(program, device, path, number)
        worst = max(worst, place, key=["device", "deoptimised", "python"].index)
        reason = reason or why
        problem = problem or difference(found, expected, ulp=ULP if program.inexact else 0)
        if problem is not None:
            return Verdict(program, worst, f"{problem} (call {number})", reason)
    return Verdict(program, worst, None, reason)


def _one_call(
    program: Program, device: Device, path: Path, number: int
) -> tuple[Outcome, Outcome, str | None, str, str | None]:
    """What is expected of a call, what is found; what else is wrong; where it ran, and why in Python."""
    theirs, ours = load(path), load(path)
    with _patience():
        inputs = getattr(theirs, f"inputs_{number}")()
        expected = outcome(lambda: with_spacing(theirs.composition(), inputs))
    if expected.error is None:
        value, spacing = expected.value
        expected = Outcome(value, spacing)
    ours_inputs = getattr(ours, f"inputs_{number}")()
    place, reason, problem = "device", None, None
    found = Outcome()
    settings = hetc.configure(device=device, offload="always", verify=False, fallback="error", cache=False)
    with settings, hetc.profile() as p:
        try:
            found = outcome(lambda: ours.composition()(*ours_inputs))
            place = "deoptimised" if p.deopts else "device"
        except CompileError as error:
            place, reason = "python", error.reason
            if not isinstance(error, UnsupportedError):
                problem = f"internal: {error.reason}"
        except hetc.HetcError as error:
            return expected, found, f"error: {type(error).__name__}: {error}", "python", None
    if place == "python":
        with hetc.configure(device=device, offload="always", fallback="silent", cache=False), _patience():
            found = outcome(lambda: ours.composition()(*ours_inputs))
    problem = problem or difference_of_identities(found.value, ours_inputs, expected.value, inputs)
    left = difference_of_values(ours_inputs, inputs)
    if left is not None:
        problem = problem or f"input: left as {left}"
    for name in CAPTURED:
        left = difference_of_values(getattr(ours, name, None), getattr(theirs, name, None))
        if left is not None:
            problem = problem or f"captured: {name}, {left}"
    return expected, found, problem, place, reason


@contextmanager
def _patience() -> Iterator[None]:
    """End what takes too long in Python."""

    def stop(number: int, frame: FrameType | None) -> None:
        if frame is None or frame.f_code.co_name != "gc_callback":  # what such a callback raises goes nowhere
            raise Patience

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE, PATIENCE / 20)
    try:
        yield
    except MemoryError:
        raise Patience from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# --------------------------------------------------------------------------------------------------------------------
# Many programs
# --------------------------------------------------------------------------------------------------------------------


@dataclass
class Builds:
    """OpenCL programs of many functions, each text built once, together with others.

    Starting the device's compiler costs more than what it does for one small kernel. While a batch is *collected*, a
    build is postponed; then all texts are built as one program, and the calls, made again, find their kernels in it.
    """

    context: cl.Context
    collecting: bool = False
    texts: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    programs: dict[str, cl.Program] = field(default_factory=dict[str, cl.Program])
    packages: dict[Any, Package] = field(default_factory=dict[Any, Package])

    def build(self, context: cl.Context, source: str, options: list[str]) -> cl.Program:
        """What the runtime calls to build a program."""
        if source in self.programs:
            return self.programs[source]
        if self.collecting:
            self.texts[source] = options
            raise Postponed
        return cl.Program(context, source).build(options, cache_dir=False)

    def build_all(self) -> None:
        """Build what was collected. Texts with a kernel of the same name go into different programs."""
        self.collecting = False
        groups: list[dict[str, str]] = []
        for source, options in self.texts.items():
            names = _kernel_names(source)
            key = " ".join(options)
            group = next((g for g in groups if g["options"] == key and not names & set(g)), None)
            if group is None:
                group = {"options": key}
                groups.append(group)
            group.update(dict.fromkeys(names, source))
        for group in groups:
            options = group.pop("options").split()
            sources = list(dict.fromkeys(group.values()))
            try:
                program = cl.Program(self.context, "\n".join(sources)).build(options, cache_dir=False)
            except cl.Error:  # each by itself, later, so that the one that is refused is found
                continue
            self.programs.update(dict.fromkeys(sources, program))


def _kernel_names(source: str) -> set[str]:
    return {line.split("(")[0].split()[-1] for line in source.splitlines() if line.startswith("__kernel")}


def examine_all(programs: Sequence[Program], device: Device, folder: Folder) -> Iterator[Verdict]:
    """The verdicts on programs, in order, with as few builds as their texts allow."""
    builds = Builds(device.context)
    compile_ = driver.compile

    def remembered(request: driver.Request, watch: driver.Watch | None = None) -> Package:
        composition = repr(api.ArrayFunction(request.stages))
        key = (request.name, composition, request.signature, tuple(request.captures.items()), request.widened)
        if key not in builds.packages:
            builds.packages[key] = compile_(request, watch)
        return builds.packages[key]

    build, executor._build_program = executor._build_program, builds.build
    driver.compile = remembered
    try:
        builds.collecting = True
        for program in programs:
            _collect(program, device, folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            builds.build_all()
        for program in programs:
            yield examine(program, device, folder)
    finally:
        executor._build_program, driver.compile = build, compile_
        api._dispatcher.compiled.clear()  # nothing of a batch is called again


def _collect(program: Program, device: Device, folder: Folder) -> None:
    """Compile all calls of a program up to the point where the device's compiler is needed."""
    path = folder.write(program)
    try:
        with hetc.configure(device=device, offload="always", fallback="error", cache=False):
            module = load(path)
            for number in range(program.calls):
                inputs = getattr(module, f"inputs_{number}")()
                try:
                    with _patience():
                        outcome(lambda inputs=inputs: module.composition()(*inputs))
                except (Postponed, Patience, hetc.HetcError):
                    continue
    except (SyntaxError, ValueError, OverflowError):  # `examine` tells
        return
    finally:
        path.unlink(missing_ok=True)


@dataclass
class Counts:
    """How many programs went where, by construct too."""

    programs: int = 0
    paths: Counter[str] = field(default_factory=Counter[str])
    constructs: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    reasons: Counter[str] = field(default_factory=Counter[str])
    problems: int = 0

    def add(self, verdict: Verdict) -> None:
        self.programs += 1
        self.paths[verdict.path] += 1
        for construct in verdict.program.constructs:
            self.constructs.setdefault(construct, Counter())[verdict.path] += 1
        if verdict.reason is not None:
            self.reasons[verdict.reason] += 1
        self.problems += verdict.problem is not None

    def merge(self, other: Counts) -> None:
        """Add the counts of another part of the run."""
        self.programs += other.programs
        self.paths += other.paths
        self.reasons += other.reasons
        self.problems += other.problems
        for construct, paths in other.constructs.items():
            self.constructs.setdefault(construct, Counter()).update(paths)

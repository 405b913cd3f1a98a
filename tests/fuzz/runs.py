"""A run of the fuzzer: batches of programs by number, so that any part of a run can be done again, anywhere.

The programs of a run are numbered. Program n of seed s is the same on every machine, device and number of processes.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hetc.runtime.devices import Device
from tests.fuzz.comparison import PROGRAM
from tests.fuzz.execution import Counts, Folder, Verdict, examine, examine_all
from tests.fuzz.programs import Program, draw_program
from tests.fuzz.reduction import reduced

BATCH = 24
"""Programs that are compiled together."""


@dataclass(frozen=True)
class Failure:
    """A program that hetc gets wrong, as small as it could be made."""

    problem: str
    source: str
    seed: str
    number: int
    device: str

    def text(self) -> str:
        """What a person reads: what is wrong, and a module that shows it."""
        name = f"{PROGRAM}{self.number}"
        return (
            f"# {self.problem}\n# on {self.device}, program {self.number} of seed {self.seed}\n{self.source}\n\n\n"
            f"def test_{name}(agree):\n    agree(composition(), *inputs_0(), deopts=None, fallbacks=None)\n"
        )


def numbered(seed: str, number: int) -> Program:
    """Program `number` of a seed."""
    return draw_program(random.Random(f"{seed}/{number}"), f"{PROGRAM}{number}")


def batches(seed: str, first: int, device: Device, step: int = 1) -> Iterator[list[Verdict]]:
    """The verdicts on the batches `first`, `first + step`, ... of a seed, without end."""
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(Path(path))
        batch = first
        while True:
            programs = [numbered(seed, batch * BATCH + place) for place in range(BATCH)]
            yield list(examine_all(programs, device, folder))
            batch += step


def failure(verdict: Verdict, seed: str, device: Device, seconds: float = 60.0) -> Failure:
    """A wrong program made small. A problem that does not show again by itself is told as it is."""
    assert verdict.problem is not None
    kind = _kind(verdict.problem)
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(Path(path))

        def fails(program: Program) -> bool:
            problem = examine(program, device, folder).problem
            return problem is not None and _kind(problem) == kind

        small = reduced(verdict.program, fails, seconds)
        problem = examine(small, device, folder).problem or f"{verdict.problem} (not again by itself)"
    number = int(verdict.program.name.rpartition("_")[2])
    return Failure(problem, small.source, seed, number, device.traits.family)


def _kind(problem: str) -> str:
    """What of a problem has to stay the same when its program is made smaller."""
    first, _, rest = problem.partition(":")
    return f"{first}:{rest[:40]}" if first in ("internal", "error", "exception") else first


# --------------------------------------------------------------------------------------------------------------------
# Counts as text
# --------------------------------------------------------------------------------------------------------------------


def counts_as_data(counts: Counts) -> dict[str, Any]:
    """Counts as JSON holds them."""
    return {
        "programs": counts.programs,
        "paths": dict(counts.paths),
        "reasons": dict(counts.reasons),
        "constructs": {name: dict(paths) for name, paths in counts.constructs.items()},
        "problems": counts.problems,
    }


def counts_from_data(data: dict[str, Any]) -> Counts:
    """What `counts_as_data` made, again."""
    constructs = {name: Counter(paths) for name, paths in data["constructs"].items()}
    return Counts(data["programs"], Counter(data["paths"]), constructs, Counter(data["reasons"]), data["problems"])


def summary(counts: Counts) -> str:
    """Counts for a person: in all, by construct, and why Python ran."""
    programs = max(counts.programs, 1)
    lines = [
        f"{counts.programs} programs, {counts.problems} wrong: "
        + ", ".join(
            f"{counts.paths[path]} {text} ({counts.paths[path] / programs:.0%})" for path, text in _PATHS.items()
        ),
        "",
        f"{'construct':<40} programs  compiled  to the end on the device",
    ]
    for name, paths in sorted(counts.constructs.items()):
        total = sum(paths.values())
        lines.append(f"{name:<40} {total:8}  {1 - paths['python'] / total:8.0%}  {paths['device'] / total:8.0%}")
    lines += ["", "why Python ran:", *(f"{count:6}  {reason}" for reason, count in counts.reasons.most_common(40))]
    return "\n".join(lines)


_PATHS = {"device": "on the device", "deoptimised": "with elements by Python", "python": "not compiled"}


@dataclass
class Budget:
    """When a run ends: after some programs, or some seconds."""

    programs: int | None
    seconds: float | None
    start: float = field(default_factory=time.monotonic)

    def left(self, counts: Counts) -> bool:
        if self.programs is not None and counts.programs >= self.programs:
            return False
        return self.seconds is None or time.monotonic() - self.start < self.seconds


def run(
    seed: str,
    worker: int,
    workers: int,
    device: Device,
    budget: Budget,
    tell: Callable[[str, Any], None],
    start: int = 0,
) -> None:
    """One worker's part of a run. `tell` receives ("batch", number), ("counts", data) and ("failure", Failure)."""
    counts = Counts()
    batch = start if start else worker
    tell("batch", batch)
    for verdicts in batches(seed, batch, device, workers):
        for verdict in verdicts:
            counts.add(verdict)
            if verdict.problem is not None:
                tell("failure", failure(verdict, seed, device))
        tell("counts", counts_as_data(counts))
        if not budget.left(counts):
            return
        batch += workers
        tell("batch", batch)


def as_json(kind: str, value: Any) -> str:
    """What a worker tells, as a line."""
    data = vars(value) if isinstance(value, Failure) else value
    return json.dumps({"kind": kind, "value": data})

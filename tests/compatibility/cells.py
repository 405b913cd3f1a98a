"""From the tables to programs, and from verdicts to the words of the page."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hetc.runtime.devices import Device
from tests.compatibility.constructs import COMPOSITIONS, DATA, INPUTS, SECTIONS, Construct
from tests.compatibility.tables import ELEMENTS, TABLES
from tests.fuzz.comparison import outcome
from tests.fuzz.execution import Folder, Verdict, examine_all, load
from tests.fuzz.grammar import indented
from tests.fuzz.programs import Program
from tests.oracle import in_cpython

PRELUDE = """\
import cmath
import math

import numpy as np

import hetc


def read_only(array):
    array.flags.writeable = False
    return array


table = [3, 1, 4, 1, 5]
weights = np.array([0.5, -1.25, 3.0, 8.0])
matrix = np.array([[1.0, 2.0, 3.0], [-4.0, 0.5, 0.0]])
levels = (0.5, 1.5, -2.0)
offset = 2
limit = 0.5
step = np.int32(3)
point = 3 + 4j
double = lambda x: x * 2


def helper(x, y):
    return x * 2 - y


def helper_sum(x, y):
    return x + y


def with_default(x, by=2):
    return x * by


def total(*values):
    return sum(values)


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def nothing_at_all(x):
    pass


"""

WORDS = {"device": "device", "deoptimised": "device, then Python", "python": "Python", "raises": "TypeError"}
"""What a cell says, by where the program ran; "raises" is what Python itself refuses."""

BATCH = 40


@dataclass(frozen=True)
class Cell:
    """A place on the page and its program."""

    section: str
    row: str
    column: str
    program: Program


def all_cells() -> list[Cell]:
    """Every cell of the page, in its order."""
    cells: list[Cell] = []
    for section, rows in SECTIONS:
        cells += [Cell(section, row.shown, "", _of_construct(len(cells) + n, row)) for n, row in enumerate(rows)]
    for name, text in DATA:
        cells.append(Cell("Data", name, "", _of_data(len(cells), text)))
    for name, text in COMPOSITIONS:
        cells.append(Cell("Skeletons", name, "", _of_composition(len(cells), text)))
    for title, rows, columns in TABLES:
        for shown, expression, numbers in rows:
            for column in columns:
                cells.append(Cell(title, shown, column, _of_operator(len(cells), expression, numbers, column)))
    return cells


def _program(number: int, parameters: str, body: str, inputs: Sequence[str], composition: str | None = None) -> Program:
    name = f"program_{number}"
    lines = body.splitlines()
    if len(lines) == 1 and not body.startswith(("return ", "yield ")):
        lines = [f"return {body}"]
    composition = f"hetc.map({name})" if composition is None else composition.replace("program", name)
    source = "\n".join(
        [
            f"def {name}({', '.join(parameters)}):", *indented(lines), "", "",
            "def composition():", f"    return {composition}", "", "",
            "def inputs_0():", f"    return [{', '.join(inputs)}]", "",
        ]
    )  # fmt: skip
    inexact = any(part in body for part in ("math.", "np.", "**", "pow", "abs(z)", "z *"))
    return Program(name, PRELUDE + source, 1, frozenset(), inexact)


def _of_construct(number: int, row: Construct) -> Program:
    return _program(number, row.parameters, row.body, [INPUTS[name] for name in row.parameters])


def _of_data(number: int, text: str) -> Program:
    return _program(number, "a", "a", [text])


def _of_composition(number: int, text: str) -> Program:
    inputs = ["[1, 2, 3]", "[4, 5, 6]"] if "helper)" in text or "zip" in text else ["[1, 2, 3]"]
    return _program(number, "a", "a + 1", inputs, text)


def _of_operator(number: int, expression: str, numbers: str, column: str) -> Program:
    first, second = numbers.split(", ")
    inputs = [ELEMENTS[column].format(f"{first}, {first}"), ELEMENTS[column].format(f"{second}, {second}")]
    return _program(number, "ab", expression, inputs)


def words(cells: Sequence[Cell], device: Device) -> Iterator[tuple[Cell, str, str | None]]:
    """For each cell what the page says, and what is wrong with the result, if anything is."""
    for start in range(0, len(cells), BATCH):
        part = cells[start : start + BATCH]
        with tempfile.TemporaryDirectory() as path:
            verdicts = list(examine_all([cell.program for cell in part], device, Folder(Path(path))))
            for cell, verdict in zip(part, verdicts, strict=True):
                yield cell, WORDS[_place(verdict, Path(path))], verdict.problem


def _place(verdict: Verdict, folder: Path) -> str:
    """Where a program ran, or "raises" if Python raises for it: then there is no more to tell."""
    if verdict.path != "python":
        return verdict.path
    path = folder / f"{verdict.program.name}_again.py"
    path.write_text(verdict.program.source)
    module = load(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        raised = outcome(lambda: in_cpython(module.composition(), module.inputs_0())).error
    return "raises" if isinstance(raised, TypeError) else verdict.path

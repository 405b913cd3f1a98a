"""A function of another project through `hetc.map`, and through CPython, on the same elements."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import itertools
import re
import signal
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import hetc
from benchmarks.compat.discovery import Found
from hetc.runtime.devices import Device
from tests.fuzz.comparison import Outcome, difference, outcome
from tests.oracle import in_cpython

COLUMNS = {
    "int": ([1, 2, 3, 5, 7, 10, 4], [0, -1, 2, -7, 9, 100, 40]),
    "float": ([0.5, 1.0, 2.5, 0.25, 3.0, 0.75, 10.0], [0.0, -0.0, -1.5, 1e300, float("inf"), float("nan"), 2.0]),
    "bool": ([True, False, True, True, False, False, True], [False, False, True, False, True, True, True]),
    "complex": (
        [1 + 2j, 0.5j, 2 + 0j, -1 + 1j, 3 - 4j, 1j, 0.25 + 0j],
        [0j, 1e200 + 1j, -2j, 1 + 0j, 5j, 2 + 2j, -1 + 0j],
    ),
}
"""Elements of each kind: mild ones, and ones at the edges."""

ARRAYS = {"array of int": "np.arange(1, 8)", "array of float": "np.linspace(0.5, 4.0, 7)"}
"""What a parameter that takes an array is given: the same for each element, a captured variable."""

ULP = 64
PATIENCE = 3.0


@dataclass(frozen=True)
class Trial:
    """What came of a function with arguments of some kinds. `path` is "device", "deoptimised", "python" or "wrong"."""

    found: Found
    kinds: tuple[str, ...]
    path: str
    reason: str = ""


class Patience(BaseException):
    """A function takes too long in CPython."""


def trials(found: Found, device: Device) -> Iterator[Trial]:
    """The trials of a function: one for each kind of argument that CPython takes, or the first mixture."""
    accepted = 0
    count = found.parameters
    uniform = [(kind,) * count for kind in COLUMNS]
    mixed = [
        kinds
        for kinds in itertools.product(("int", *ARRAYS, "float"), repeat=count)
        if len(set(kinds)) > 1 or kinds[:1] in [(kind,) for kind in ARRAYS]
    ]
    for number, kinds in enumerate([*uniform, *(mixed if count <= 3 else [])]):
        if number >= len(uniform) and accepted:
            return
        trial = _try(found, kinds, device)
        if trial is not None:
            accepted += 1
            yield trial


def _try(found: Found, kinds: tuple[str, ...], device: Device) -> Trial | None:
    """The trial with arguments of these kinds, or None if CPython does not take them."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        module = _load(_source(found, kinds), Path(folder) / "wrapper.py")
        af = hetc.map(module.call)
        path, reason = "device", ""
        for which in (0, 1):
            columns = [COLUMNS[kind][which] for kind in kinds if kind in COLUMNS] or [list(range(7))]
            expected = _expected(af, columns)
            if expected is None or (which == 0 and isinstance(expected.error, TypeError | AttributeError | NameError)):
                return None if which == 0 else Trial(found, kinds, path, reason)
            place, why, found_outcome = _offloaded(af, columns, device)
            told = why if place == "wrong" else difference(found_outcome, expected, ulp=ULP)
            if told is not None:
                return Trial(found, kinds, "wrong", told)
            if which == 0:
                path, reason = place, why
        return Trial(found, kinds, path, reason)


def _source(found: Found, kinds: tuple[str, ...]) -> str:
    """A module that calls the function with one element of each column, and captured arrays."""
    names = "abcd"
    lines = ["import numpy as np", f"from numba.tests.{found.module} import {found.path.split('.')[0]}"]
    lines += [f"array_{names[i]} = {ARRAYS[kind]}" for i, kind in enumerate(kinds) if kind in ARRAYS]
    if "." in found.path:  # hetc follows modules, not classes
        lines.append(f"function = {found.path}")
    parameters = ", ".join(names[i] for i, kind in enumerate(kinds) if kind in COLUMNS) or "index"
    arguments = ", ".join(names[i] if kind in COLUMNS else f"array_{names[i]}" for i, kind in enumerate(kinds))
    callee = "function" if "." in found.path else found.path
    return "\n".join([*lines, "", "", f"def call({parameters}):", f"    return {callee}({arguments})", ""])


def _load(source: str, path: Path) -> ModuleType:
    path.write_text(source)
    spec = importlib.util.spec_from_file_location("wrapper", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _expected(af: hetc.ArrayFunction, columns: list[list[Any]]) -> Outcome | None:
    """What CPython gives, unless it takes too long."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise Patience

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        return outcome(lambda: in_cpython(af, columns))
    except (Patience, SystemExit):
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _offloaded(af: hetc.ArrayFunction, columns: list[list[Any]], device: Device) -> tuple[str, str, Outcome]:
    """Where hetc ran a call, why not on the device, and what came of it."""
    try:
        with hetc.configure(device=device, offload="always", fallback="error", cache=False), hetc.profile() as p:
            found = outcome(lambda: af(*columns))
    except hetc.CompileError as error:
        if not isinstance(error, hetc.UnsupportedError):
            return "wrong", error.reason, Outcome()
        reason = kind_of_reason(error.reason)
    else:
        return ("deoptimised" if p.deopts else "device"), "", found
    with hetc.configure(device=device, offload="always", fallback="silent", cache=False):
        return "python", reason, outcome(lambda: af(*columns))


def kind_of_reason(reason: str) -> str:
    """A reason without the names in it, so that equal ones can be counted.

    The names of called functions stay, since they say what is missing.

    >>> kind_of_reason("the call of 'print' is not compiled"), kind_of_reason("the variable 'k' may have no value here")
    ("the call of 'print' is not compiled", 'the variable ... may have no value here')
    """
    if reason.startswith("the call of "):
        return reason
    reason = re.sub(r"^\[?[A-Z]+\d+\]?:? ", "", reason)
    reason = re.sub(r"'[^']*'", "...", reason)
    reason = re.sub(r"\b\w+\(\) (?=calls itself|takes|missing|got)", "a function ", reason)
    reason = re.sub(r"^element \d+ of input \d+ is", "an element is", reason)
    return re.sub(r"^(this is) (\S+) on one path and (\S+) on the other", r"a value has two types on two paths", reason)

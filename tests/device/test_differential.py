"""Programs drawn at random, run by hetc and by CPython: the same value and type, or the same exception.

The programs are written to files, since hetc reads source. They keep to operations that IEEE 754 rounds correctly, so
that results are equal bit for bit. A program may meet what hetc does not compile (mostly two types on two paths) and
then runs in Python on both sides, so the test counts how many were compiled.
"""

from __future__ import annotations

import importlib.util
import itertools
import linecache
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import hetc
from hetc.abi import NUMPY_SCALARS

PROGRAMS = 50
"""On each device, in every run of the tests."""

Agree = Callable[..., Any]
Draw = Callable[[st.SearchStrategy[Any]], Any]

# --------------------------------------------------------------------------------------------------------------------
# Data
# --------------------------------------------------------------------------------------------------------------------

SMALL = [-9, -3, -2, -1, 0, 1, 2, 3, 7, 10]
EDGE_INTEGERS = [2**31 - 1, -(2**31), 2**31, 2**53, 2**53 + 1, -(2**53) - 1, 2**62, 2**63 - 1, -(2**63)]
EDGE_FLOATS = [0.1, 1e16, 1.7976931348623157e308, 5e-324, math.inf, -math.inf, math.nan]
PLAIN_FLOATS = [-7.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 3.0, 100.0]
KINDS = ["int", "float", "bool", *NUMPY_SCALARS]


def values(kind: str, *, edges: bool) -> st.SearchStrategy[Any]:
    """One element of a kind."""
    if kind == "int":
        return st.sampled_from(SMALL + EDGE_INTEGERS if edges else SMALL)
    if kind == "float":
        return st.sampled_from(PLAIN_FLOATS + EDGE_FLOATS if edges else PLAIN_FLOATS)
    if kind in ("bool", "b1"):
        return st.booleans()
    dtype = np.dtype(kind)
    if dtype.kind == "f":
        return st.sampled_from(PLAIN_FLOATS + [x for x in EDGE_FLOATS if edges])
    info = np.iinfo(dtype)
    mild = [x for x in SMALL if x >= info.min]
    return st.sampled_from([*mild, info.min, info.max, info.max // 2] if edges else mild)


def column(kind: str, length: int, *, edges: bool) -> st.SearchStrategy[Any]:
    """An input of a kind: a list of Python's numbers, or an array."""
    elements = st.lists(values(kind, edges=edges), min_size=length, max_size=length)
    if kind in ("int", "float", "bool"):
        return elements
    return elements.map(lambda numbers: array(numbers, kind))


def array(numbers: list[Any], dtype: str) -> np.ndarray[Any, Any]:
    """Numbers as an array; a float too large for the type is an infinity."""
    with np.errstate(over="ignore"):
        return np.array([np.dtype(dtype).type(number) for number in numbers])


# --------------------------------------------------------------------------------------------------------------------
# Programs
# --------------------------------------------------------------------------------------------------------------------


@dataclass
class Program:
    """A function under construction: statements, two parameters and some local variables."""

    draw: Draw
    whole: bool
    """The parameters are integers."""
    pair: bool
    lines: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=lambda: ["a", "b"])
    loops: itertools.count[int] = field(default_factory=itertools.count)

    def pick(self, *choices: str) -> str:
        return self.draw(st.sampled_from(choices))

    def name(self) -> str:
        return self.pick(*self.names)

    def atom(self) -> str:
        constants = ("0", "1", "2", "-1", "3", "7") if self.whole else ("0.0", "1", "2", "0.5", "-2.0", "1e3")
        return self.pick(self.name(), self.name(), self.name(), self.pick(*constants))

    def expression(self, depth: int) -> str:
        """A value: mostly of the kind of the parameters, so that most programs are compiled."""
        if depth == 0:
            return self.atom()
        x, y, n = self.expression(depth - 1), self.expression(depth - 1), self.name()
        common = [
            f"({x} + {y})", f"({x} - {y})", f"({x} * {y})", f"({x} // {y})", f"({x} % {y})", f"(-{x})", f"abs({x})",
            f"({x} ** 2)", f"({x} + {n} if {self.test(depth - 1)} else {y} - {n})", f"min({n}, {n} * {n})",
            f"max({n}, -{n})", f"helper({x}, {y})", f"({n} * table[int({x}) % 5])", f"({n} and {n} - {x})",
            f"({n} or {n} + {x})",
        ]  # fmt: skip
        bits = [f"({x} & {y})", f"({x} | {y})", f"({x} ^ {y})", f"({x} >> 1)", f"({x} << 3)", f"(~{x})", f"int({x})"]
        floats = [f"({x} / {y})", f"float({x})", f"math.sqrt({x})", f"np.sqrt({x})", f"np.maximum({x}, {y})"]
        mixed = [f"math.floor({x})", f"round({x})", f"np.float32({x})", f"({x} / {y})", f"int({x})", f"({x} > {y})"]
        special = bits if self.whole else floats
        return self.pick(*common, *special, *([self.pick(*mixed)] if self.draw(st.integers(0, 5)) == 0 else []))

    def test(self, depth: int) -> str:
        """A condition."""
        x, y, z = self.expression(depth), self.expression(depth), self.atom()
        comparison = self.pick("<", "<=", ">", ">=", "==", "!=")
        return self.pick(
            f"{x} {comparison} {y}", f"{x} < {y} <= {z}", f"not {x}", f"({x} > 0 and {y} {comparison} {z})",
            f"({x} {comparison} 1 or {y} > {z})", f"math.isnan({x})", x,
        )  # fmt: skip

    def block(self, indent: str, depth: int, *, in_loop: bool = False) -> None:
        """One to three statements."""
        for _ in range(self.draw(st.integers(1, 3))):
            self.statement(indent, depth, in_loop=in_loop)

    def statement(self, indent: str, depth: int, *, in_loop: bool) -> None:
        kinds = ["assign", "assign", "augment", "new", "swap"]
        kinds += ["if", "if else", "for", "while"] if depth else []
        kinds += ["break", "continue"] if in_loop else []
        kind = self.pick(*kinds)
        if kind in ("if", "if else", "for", "while"):
            self.compound(kind, indent, depth - 1, in_loop=in_loop)
            return
        name, other = self.name(), self.name()
        match kind:
            case "assign":
                operator = self.pick("+", "-", "*")
                self.lines.append(f"{indent}{name} = {self.pick(name, other)} {operator} {self.expression(1)}")
            case "augment":
                self.lines.append(f"{indent}{name} {self.pick('+=', '-=', '*=')} {self.expression(1)}")
            case "new" if indent == "    ":
                self.lines.append(f"{indent}v{len(self.names)} = {self.expression(2)}")
                self.names.append(f"v{len(self.names)}")
            case "break" | "continue":
                self.lines += [f"{indent}if {self.test(0)}:", f"{indent}    {kind}"]
            case _:
                self.lines.append(f"{indent}{name}, {other} = {other}, {name}")

    def compound(self, kind: str, indent: str, depth: int, *, in_loop: bool) -> None:
        inner, number = indent + "    ", next(self.loops)
        match kind:
            case "for":
                bounds = self.pick("3", "1, 4", "5, 0, -2", "0", "int(a) % 4", "2, int(b) % 5", "4, -1, int(a) % 3 - 3")
                self.lines.append(f"{indent}for k{number} in range({bounds}):")
                self.names.append(f"k{number}")
                self.block(inner, depth, in_loop=True)
                self.names.remove(f"k{number}")
            case "while":
                self.lines += [f"{indent}c{number} = 0", f"{indent}while c{number} < 4 and {self.test(1)}:"]
                self.lines.append(f"{inner}c{number} += 1")
                self.block(inner, depth, in_loop=True)
            case _:
                self.lines.append(f"{indent}if {self.test(1)}:")
                self.block(inner, depth, in_loop=in_loop)
                if kind == "if else":
                    self.lines.append(f"{indent}else:")
                    self.block(inner, depth, in_loop=in_loop)
                    if self.draw(st.booleans()):
                        self.lines.append(f"{inner}return {self.result(1)}")

    def result(self, depth: int) -> str:
        return f"({self.expression(depth)}, {self.expression(1)})" if self.pair else self.expression(depth)

    def source(self) -> str:
        self.block("    ", 2)
        body = "\n".join([*self.lines, f"    return {self.result(2)}"])
        return (
            "import math\n\nimport numpy as np\n\ntable = [3, 1, 4, 1, 5]\n\n\n"
            "def helper(x, y):\n    return x * 2 - y\n\n\n"
            f"def program(a, b):\n{body}\n"
        )


@st.composite
def programs(draw: Draw) -> tuple[str, list[Any]]:
    """A program's text and its inputs."""
    first = draw(st.sampled_from(KINDS))
    second = draw(st.sampled_from([first] * 20 + KINDS))
    whole = not any("float" in kind for kind in (first, second))
    source = Program(draw, whole, draw(st.booleans())).source()
    length = draw(st.integers(1, 5))
    edges = draw(st.integers(0, 2)) == 0
    return source, [draw(column(kind, length, edges=edges)) for kind in (first, second)]


# --------------------------------------------------------------------------------------------------------------------
# The test
# --------------------------------------------------------------------------------------------------------------------


@dataclass
class Modules:
    """Imports source text from files of their own."""

    folder: Path
    numbers: itertools.count[int] = field(default_factory=itertools.count)

    def function(self, source: str) -> Callable[..., Any]:
        name = f"program_{next(self.numbers)}"
        path = self.folder / f"{name}.py"
        path.write_text(source)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        linecache.checkcache(str(path))
        return module.program


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Modules:
    return Modules(tmp_path_factory.mktemp("programs"))


def test_programs_agree_with_cpython(agree: Agree, modules: Modules) -> None:
    compiled = ran = 0

    @hypothesis.settings(
        max_examples=PROGRAMS,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
    )
    @hypothesis.given(programs())
    def compare(drawn: tuple[str, list[Any]]) -> None:
        nonlocal compiled, ran
        source, inputs = drawn
        function = modules.function(source)
        hypothesis.note(source)
        hypothesis.note(f"inputs: {inputs!r}")
        with hetc.profile() as p:
            agree(hetc.map(function), *inputs, deopts=None, fallbacks=None)
        compiled += p.fallbacks == 0
        ran += p.fallbacks == 0 and p.deopts == 0

    compare()
    assert compiled >= PROGRAMS // 3, f"{compiled} programs were compiled"
    assert ran >= PROGRAMS // 5, f"{ran} programs ran to their end on the device"

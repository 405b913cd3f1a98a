"""Programs drawn at random: a function, what it captures, a composition of skeletons, and inputs, as one module's text.

The text stands alone: it can be pasted into a file of tests. Its composition and its inputs are functions, so that each
side of a comparison has its own.
"""

from __future__ import annotations

import dataclasses
import random
from dataclasses import dataclass

from tests.fuzz.data import FLOATS, INTEGERS, PYTHON, SIZES, DataType, draw_input, draw_type
from tests.fuzz.grammar import KINDS, Generator, Variable, indented
from tests.fuzz.objects import ELEMENT, draw_objects
from tests.fuzz.references import draw_references
from tests.fuzz.skeletons import draw_composition, draw_fold, needs_keys, takes_grids
from tests.fuzz.statements import LANGUAGE

PRELUDE = """\
import cmath
import functools
import math
import operator

import numpy as np

import hetc


def read_only(array):
    array.flags.writeable = False
    return array


table = [3, 1, 4, 1, 5]
weights = np.array([0.5, -1.25, 3.0, 8.0]{float_type})
numbers = np.array([7, 0, 2, 100], np.{int_type})
matrix = np.array([[1.0, 2.0, 3.0], [-4.0, 0.5, 0.0]])
levels = (0.5, 1.5, -2.0)
offset = {offset}
limit = {limit}
step = np.{step_type}(3)
nothing = None


def helper(x, y):
    return x * 2 - y


def scaled(x, by=2):
    return x * by


def clamped(x, y):
    if x > y:
        return x
    return y


def divided(x, y):
    return x // y, x % y


def total(*values):
    return sum(values)


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def add(x, y):
    return x + y


def grid(array):
    return array[: len(array) // 3 * 3].reshape(3, -1)
"""
CAPTURED = (
    "table",
    "weights",
    "numbers",
    "matrix",
    "levels",
    "offset",
    "limit",
    "step",
    "nothing",
    "results",
    "places",
)


@dataclass(frozen=True)
class Program:
    """A drawn program. `name` is the function's, unique in a run; `calls` is how many inputs there are to try."""

    name: str
    source: str
    calls: int
    constructs: frozenset[str]
    inexact: bool = False

    def with_source(self, source: str) -> Program:
        """The same program, changed."""
        return dataclasses.replace(self, source=source)


def draw_program(r: random.Random, name: str) -> Program:
    """A program by the choices of `r`."""
    g = Generator(r, LANGUAGE)
    g.swarm()
    if g.maybe(0.04):
        return _of_references(g, r, name)
    types = _types(r)
    parameters = [f"{letter}" for letter, _ in zip("abc", types, strict=False)]
    body = [*_bind_parameters(g, parameters, types)]
    kinds = [variable.kind for variable in g.variables]
    g.result_kind = r.choice(kinds) if r.random() < 0.85 else r.choice(KINDS[:3])
    g.numpy = any(_is_numpy(data) for data in types) or r.random() < 0.25
    g.anchors = {v.kind: [w.name for w in g.variables if w.kind == v.kind] for v in g.variables}
    g.pair = r.random() < 0.25
    reduced = g.result_kind == "int" and not g.pair and r.random() < 0.15
    for _ in range(r.choice((0, 1, 1, 2, 2, 3, 4))):
        body += g.statement(2)
    ending, inexact = _ending(g, reduced)
    loop = _loop(g, name, parameters) if not (reduced or inexact or g.pair) and g.maybe(0.15) else []
    composition = f"hetc.jit(loop_over_{name})" if loop else _composition(g, name, types, reduced, inexact)
    keys = r.choice(SIZES[:7]) if needs_keys(composition) else None
    calls = _calls(r, types, keys)
    prelude = _prelude(r, types)
    function = [f"def {name}({', '.join(parameters)}):", *indented([*body, ending])]
    if not (loop or inexact or takes_grids(composition)) and g.maybe(0.12):
        objects = draw_objects(g, parameters, ending, mapped=composition == f"hetc.map({name})")
        whole = indented([*objects.opening, *body, *objects.ending])
        function = [*objects.declaration, "", "", f"def {name}({ELEMENT}):", *whole]
        calls = [[objects.input(inputs)] for inputs in calls]
        composition += '.options(results="array")' if objects.kept else ""
    if takes_grids(composition):
        calls = [[f"grid({text})" for text in inputs] for inputs in calls]
    opening = [] if keys is None else ["", "", f"keys = [k * 7 % 11 for k in range({keys})]"]
    making = ["", "", "def composition():", f"    return {composition}", ""]
    source = "\n".join([prelude, "", *function, *opening, *loop, *making])
    for number, inputs in enumerate(calls):
        source += f"\n\ndef inputs_{number}():\n    return [{', '.join(inputs)}]\n"
    return Program(name, source, len(calls), frozenset(g.constructs | _data_constructs(types)), inexact)


def _of_references(g: Generator, r: random.Random, name: str) -> Program:
    """A program over objects that refer to others."""
    text, composition, calls = draw_references(g, name)
    source = "\n".join([_prelude(r, []), "", *text, "", "", "def composition():", f"    return {composition}", ""])
    for number, inputs in enumerate(calls):
        source += f"\n\ndef inputs_{number}():\n    return [{', '.join(inputs)}]\n"
    return Program(name, source, len(calls), frozenset(g.constructs))


def _is_numpy(data: DataType) -> bool:
    return data.element not in PYTHON and data.kind != "tuple"


def _prelude(r: random.Random, types: list[DataType]) -> str:
    integers = [data.element for data in types if data.element in INTEGERS] or ["int64"]
    floats = [f", np.{data.element}" for data in types if data.element in FLOATS] or [""]
    return PRELUDE.format(
        float_type=r.choice((*floats * 3, "", ", np.float32")),
        int_type=r.choice((*integers * 6, "int64", "int32", "int8", "uint8", "uint64")),
        step_type=r.choice(("int32", "int64", "uint16")),
        offset=r.choice(("2", "-3", "2**40", "0")),
        limit=r.choice(("10.5", "-0.0", "1e-3")),
    )


def _types(r: random.Random) -> list[DataType]:
    first = draw_type(r)
    count = r.choice((1, 2, 2, 2, 3))
    return [first] + [first if r.random() < 0.7 else draw_type(r) for _ in range(count - 1)]


def _bind_parameters(g: Generator, names: list[str], types: list[DataType]) -> list[str]:
    """What makes numbers of the parameters: nothing, or taking tuples apart."""
    lines: list[str] = []
    for name, data in zip(names, types, strict=True):
        if data.kind != "tuple":
            g.variables.append(Variable(name, data.kind))
            continue
        parts = [part.strip() for part in data.element.strip("()").split(",") if part.strip()]
        variables = [Variable(f"{name}{number}", DataType(part, "list").kind) for number, part in enumerate(parts)]
        g.variables += variables
        if g.maybe(0.6):
            lines.append(f"{', '.join(variable.name for variable in variables)}, = {name}")
        else:
            lines += [f"{variable.name} = {name}[{number}]" for number, variable in enumerate(variables)]
    return lines


def _ending(g: Generator, reduced: bool) -> tuple[str, bool]:
    """The last statement, and whether its result is not rounded correctly."""
    if not reduced and g.result_kind in ("float", "complex"):
        value = g.inexact(g.result_kind, 2)
        if value is not None:
            return f"return ({value}, {g.expression(g.result_kind, 1)})" if g.pair else f"return {value}", True
    return f"return {g.result(3)}", False


def _composition(g: Generator, name: str, types: list[DataType], reduced: bool, inexact: bool) -> str:
    if reduced:
        return draw_fold(g, name)
    return f"hetc.map({name})" if inexact else draw_composition(g, name, types)


_TARGETS = (
    "results[256 - i]", "results[-i - 1]", "results[i // 2]", "results[2 * i + 1]", "results[i * step]",
    "results[i * offset + 1]", "results[places[i]]", "results[places[i]]",
)  # fmt: skip
"""Where loops store, some of them in one place in several iterations, or out of range."""


_RANGES = {
    "hetc.forall(len(a))": ("0", "len(a)", 1),
    "hetc.prange(0, len(a), 2)": ("0", "len(a)", 2),
    "hetc.prange(len(a) - 1, -1, -1)": ("len(a) - 1", "-1", -1),
    "hetc.prange(len(a) // 2, len(a) + 1)": ("len(a) // 2", "len(a) + 1", 1),
}
"""The spaces of loops, each with its range: first, last and step."""


def _loop(g: Generator, name: str, parameters: list[str]) -> list[str]:
    """A function with a parallel loop that calls the program, and stores what it gives or sums it up."""
    g.constructs.add("parallel loop")
    space = g.pick("hetc.forall(len(a))", *_RANGES)
    call = f"{name}({', '.join(f'{parameter}[i]' for parameter in parameters)})"
    type_ = {"int": "int64", "float": "float64", "complex": "complex128"}.get(g.result_kind, "float64")
    if g.result_kind == "int" and g.maybe(0.3):
        g.constructs.add("parallel loop: reduction")
        before, body, after = ["s, where = 1, -1"], _summing(g, call), ["return s, where, i"]
    else:
        target = g.pick("results[i]", "results[i]", "a[i]", *_TARGETS)
        before, body, after = [], [f"{target} {g.pick('=', '=', '=', '+=')} {call}"], [g.pick("return 1", "return i")]
        if g.maybe(0.3):
            body.insert(0, f"if a[i] == {parameters[-1]}[0]: continue")
    type_ = g.pick(type_, type_, type_, "float32", "int8", "uint16", "int32", "bool_")
    places = g.pick("[::-1]", " // 2", " * 7 % 300", " - 5", ".astype(np.uint16)")
    loops = [f"for i in {space}:"]
    if g.maybe(0.25):
        g.constructs.add("parallel loop: two dimensions")
        count = g.pick("2", "3", "len(table)", "step")
        loops = [f"for k, m in hetc.forall({count}, len(a) // {count}):", f"    i = k * (len(a) // {count}) + m"]
    elif g.maybe(0.3):
        loops = _in_order(g, space, before, body, after)
    return [
        "", "", f"results = np.ones(300, np.{type_})", f"places = np.arange(300){places}", "", "",
        f"def loop_over_{name}({', '.join(parameters)}):",
        *indented([*before, *loops, *indented(body), *after]),
    ]  # fmt: skip


def _in_order(g: Generator, space: str, before: list[str], body: list[str], after: list[str]) -> list[str]:
    """The head of an ordinary loop over the same numbers, whose iterations may need those before them."""
    g.constructs.add("ordinary loop")
    before.append("count, last = 0, None")
    body += g.pick(
        ["count += 1"],
        ["last = i", "count = count + i"],
        ["results[i] += results[i - 1]", "count = 1.5 * count + 1"],
        ["for count in range(i % 3): last = count"],
        ["if i == 200: break", "count ^= i", "last = results[i]"],
        ["while count < i: count = 2 * count + 1"],
        ["results[:i] += np.flip(results[:i])", "last = results[0]"],
        ["results[2:i] = results[2:i][::-1] - results[2:i]", "count = results[i]"],
        ["last = i", "if last % 7 == 5: return last, results[0]", "count = last"],
        ["last = results[::-1][i] + np.flip(places)[count]", "count = i"],
    )
    after[-1] += ", count, last"
    if g.maybe(0.3):
        g.constructs.add("ordinary loop: while")
        start, stop, step = _RANGES[space]
        before.append(f"i = {start} - {step}")
        return [f"while i + {step} {'<' if step > 0 else '>'} {stop}:", f"    i += {step}"]
    return [f"for i in {space.replace('hetc.forall', 'range').replace('hetc.prange', 'range')}:"]


def _summing(g: Generator, call: str) -> list[str]:
    """What sums up in a loop what a call gives, an integer, into `s`."""
    step = g.pick(
        f"s += {call}", f"s = max(s, {call})", f"s = min({call}, s)", f"s *= {call}", f"s = {call} + s", f"s -= {call}",
        f"s {g.pick('|', '&', '^')}= {call}", f"s = s {g.pick('and', 'or')} {call}", "less", "chosen",
    )  # fmt: skip
    if step in ("less", "chosen"):
        target, value = ("s", "x") if step == "less" else ("s, where", "x, i")
        return [f"x = {call}", f"if x {g.pick('<', '>', '<=')} s: {target} = {value}"]
    return [step]


def _calls(r: random.Random, types: list[DataType], length: int | None) -> list[list[str]]:
    """Inputs for two calls, of one length or any: mild ones, and ones with the edges of each type."""
    calls: list[list[str]] = []
    given = length
    for edges in (False, True):
        length = r.choice(SIZES) if given is None else given
        calls.append([draw_input(r, data, length, edges=edges) for data in types])
    return calls


def _data_constructs(types: list[DataType]) -> set[str]:
    return {f"data: {data.container} of {data.element if data.kind != 'tuple' else 'tuples'}" for data in types}

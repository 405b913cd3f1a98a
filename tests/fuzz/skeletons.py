"""The compositions that a drawn function is put into: every skeleton, alone or after a map of the function."""

from __future__ import annotations

from collections.abc import Sequence

from tests.fuzz.data import DataType
from tests.fuzz.grammar import Generator

OPERATORS = (("add", "0"), ("max", "0"), ("min", "100"), ("lambda x, y: x ^ y", "0"), ("lambda x, y: x * y", "1"))
"""Associative operators on integers, with values to start from."""


def draw_composition(g: Generator, name: str, types: Sequence[DataType]) -> str:
    """A composition of the function, of elements that it gives whatever the kind."""
    if not g.pair and g.maybe(0.07):
        g.constructs.add("map of map")
        return f"hetc.map({name}).map(lambda x: {g.pick('x + x', 'scaled(x)', '-x', 'x * x - x')})"
    if g.maybe(0.1):
        g.constructs.add("filter")
        return g.pick(f"hetc.filter({name})", f"hetc.map({name}).filter({predicate(g)})")
    if not g.pair and g.maybe(0.25):
        draw = g.random.choice((_asked, _gathered, _scattered, _windows, _windows, _rounds))
        return draw(g, name) if draw is not _windows else _windows(g, name, types)
    return f"hetc.map({name})"


def draw_fold(g: Generator, name: str) -> str:
    """What the function gives, integers, or some of it, reduced, scanned or counted."""
    operator, init = g.random.choice(OPERATORS)
    kept = f".filter({predicate(g)})" if g.maybe(0.3) else ""
    g.constructs |= {"filter"} if kept else set()
    kind = g.pick("reduce", "reduce", "scan", "scan", "reduce by key", "histogram")
    g.constructs.add(kind)
    if kind == "histogram":
        return f"hetc.map({name}){kept}.map(lambda x: x % 7).histogram({g.pick('7', '7', '8', '5')})"
    if kind == "reduce by key":
        return f"hetc.map({name}).reduce_by_key({operator}, {init}, keys={_keys(g)})"
    if kind == "reduce":
        start = "" if g.maybe(0.3) else f", {init}"
        return f"hetc.map({name}){kept}.reduce({operator}{start})"
    arguments = g.pick(operator, f"{operator}, {init}", f"{operator}, {init}, exclusive=True")
    return f"hetc.map({name}){kept}.scan({arguments})"


def predicate(g: Generator) -> str:
    """A question about one element."""
    return g.pick("lambda x: x", "lambda x: x == x", "lambda x: x != 0", "lambda x: x > 1", "lambda x: x < limit")


def needs_keys(composition: str) -> bool:
    """Whether the inputs must have as many elements as there are keys."""
    return "keys" in composition


def takes_grids(composition: str) -> bool:
    """Whether the inputs have two dimensions."""
    return "u[0, " in composition


def _asked(g: Generator, name: str) -> str:
    """Whether something is true of an element, and where the least one is."""
    g.constructs.add("any, all, argmin, argmax")
    if g.result_kind == "complex" or g.maybe(0.5):
        return f"hetc.map({name}).{g.pick('any', 'all')}({predicate(g)})"
    return f"hetc.map({name}).{g.pick('argmin', 'argmax')}()"


def _gathered(g: Generator, name: str) -> str:
    g.constructs.add("gather")
    indices = g.pick("[0, -1]", "[0]", "np.array([-1, 0, 0], np.int8)", "table", "range(3)", "[]")
    return g.pick(f"hetc.map({name}).gather({indices})", f"hetc.gather({indices}).map({name})")


def _scattered(g: Generator, name: str) -> str:
    g.constructs.add("scatter")
    if g.maybe(0.5):
        return f"hetc.map({name}).scatter(range(len(keys) - 1, -1, -1), len(keys))"
    return f"hetc.map({name}).scatter({_keys(g)}, 11, combine=lambda old, new: {g.pick('new', 'old', 'new + new')})"


def _keys(g: Generator) -> str:
    return g.pick("keys", "np.array(keys)", "np.array(keys, np.uint8)")


def _windows(g: Generator, name: str, types: Sequence[DataType]) -> str:
    """The function's parameters are read from windows, or what it gives is."""
    boundary = g.pick("clamp", "wrap", "mirror", "reflect", "constant")
    radius, far = g.random.choice(((1, 1), (2, 2), (3, 1), (1, 2)))
    options = f"{radius}, {boundary!r}"
    if any(data.kind == "tuple" for data in types) or g.maybe(0.4):
        g.constructs.add("stencil of map")
        return f"hetc.map({name}).stencil(lambda w: {g.pick('w[-1] + w[1]', f'w[{far}]', 'w[-1] * w[0]')}, {options})"
    g.constructs.add("stencil")
    windows = "uvw"[: len(types)]
    plane = all(data.container == "array" for data in types) and g.maybe(0.6)

    def offset() -> str:
        return g.pick("0", "1", "-1", str(-far))

    reads = [f"{window}[0, {offset()}]" if plane else f"{window}[{offset()}]" for window in windows]
    if plane:
        g.constructs.add("stencil: two dimensions")
        reads[-1] = f"{windows[-1]}[{offset()}, {offset()}]" if len(reads) > 1 else reads[-1]
    return f"hetc.stencil(lambda {', '.join(windows)}: {name}({', '.join(reads)}), {options})"


def _rounds(g: Generator, name: str) -> str:
    g.constructs.add("iterate")
    step = g.pick("hetc.map(scaled)", "hetc.map(lambda x: x * x - x)", "hetc.stencil(lambda w: w[-1] + w[1])")
    return f"hetc.map({name}).iterate({step}, times={g.pick('0', '1', '2', '3')})"

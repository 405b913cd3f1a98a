"""Reductions of a loop: variables that each iteration adds something to, or compares with something."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from hetc.frontends.python.scopes import scope_nodes

START = "__start"
"""The variable `s` starts each iteration as the captured variable `s__start`."""

_AUGMENTED: dict[type[ast.operator], str] = {ast.Add: "add", ast.Sub: "add", ast.Mult: "mul"}
_IDENTITY = {"add": 0, "mul": 1}


@dataclass(frozen=True)
class Reduction:
    """A variable and how its iterations are combined: "add", "mul", "min" or "max"."""

    name: str
    kind: str

    @property
    def start(self) -> str:
        """The captured variable that holds what each iteration starts from."""
        return self.name + START

    def start_value(self, value: Any) -> Any:
        """What each iteration starts from, if the variable is `value` before the loop.

        A number of the same type that changes nothing; min and max do not mind being given `value` more than once.

        >>> Reduction("s", "add").start_value(2.5), Reduction("s", "max").start_value(3)
        (-0.0, 3)
        """
        if self.kind not in _IDENTITY:
            return value
        identity = type(value)(_IDENTITY[self.kind])
        # -0.0 + x is x for every x, 0.0 + -0.0 is not
        return -identity if self.kind == "add" and not isinstance(identity, int) else identity

    @property
    def carries(self) -> bool:
        """Whether what iterations come to depends on what the variable was before them: not only on their terms."""
        return self.kind in ("min", "max")

    def combined(self, value: Any, total: Any) -> Any:
        """The variable after iterations that have come to `total`."""
        match self.kind:
            case "add":
                return value + total
            case "mul":
                return value * total
            case _:
                return total


def reductions_of(body: Sequence[ast.stmt]) -> tuple[Reduction, ...]:
    """The variables of a loop's body that are only ever added to, multiplied, or made the least or largest."""
    kinds: dict[str, set[str]] = {}
    used: set[int] = set()
    for name, kind, nodes in _updates(body):
        kinds.setdefault(name, set()).add(kind)
        used |= {id(node) for node in nodes}
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id in kinds and id(node) not in used:
                kinds[node.id].add("")
    return tuple(
        Reduction(name, *found) for name, found in sorted(kinds.items()) if len(found) == 1 and "" not in found
    )


def _updates(body: Sequence[ast.stmt]) -> Iterator[tuple[str, str, list[ast.AST]]]:
    """The statements that update a variable: its name, how, and the nodes in which its name stands."""
    for node in scope_nodes(body):
        match node:
            case ast.AugAssign(target=ast.Name(id=name) as target) if type(node.op) in _AUGMENTED:
                yield name, _AUGMENTED[type(node.op)], [target]
            case ast.Assign(
                targets=[ast.Name(id=name) as target],
                value=ast.Call(func=ast.Name(id="min" | "max" as kind), args=[ast.Name() as first, _], keywords=[]),
            ) if first.id == name:
                yield name, kind, [target, first]
            case _:
                pass


def combination(
    reductions: Sequence[Reduction], place: ast.stmt, compile_it: Callable[..., FunctionType]
) -> FunctionType:
    """The function that combines what two runs of iterations have come to: one number, or a tuple of several."""
    texts = {"add": "{0} + {1}", "mul": "{0} * {1}", "min": "min({0}, {1})", "max": "max({0}, {1})"}
    single = len(reductions) == 1
    parts = [
        texts[reduction.kind].format(*(name if single else f"{name}[{number}]" for name in ("p", "q")))
        for number, reduction in enumerate(reductions)
    ]
    result = parts[0] if single else f"({', '.join(parts)})"
    tree = ast.parse(f"def combine(p, q):\n    return {result}")
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    for node in ast.walk(function):
        if isinstance(node, ast.expr | ast.stmt | ast.arg):
            ast.copy_location(node, place)
    return compile_it(function)

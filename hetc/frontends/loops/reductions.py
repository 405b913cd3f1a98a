"""Reductions of a loop: variables that each iteration adds something to, or compares with something."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any

from hetc.dataclass import dataclass
from hetc.frontends.python.scopes import Names, assigned_names, loaded_names, scope_nodes

START = "__start"
"""The variable `s` starts each iteration as the captured variable `s__start`."""

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "add", ast.Mult: "mul", ast.BitOr: "bit_or", ast.BitAnd: "bit_and", ast.BitXor: "bit_xor",
}  # fmt: skip
_CONNECTIVES: dict[type[ast.boolop], str] = {ast.And: "and", ast.Or: "or"}
_ARITHMETIC = ("add", "mul")
_COMBINED = {
    "add": "{0} + {1}", "mul": "{0} * {1}", "bit_or": "{0} | {1}", "bit_and": "{0} & {1}", "bit_xor": "{0} ^ {1}",
    "and": "{0} and {1}", "or": "{0} or {1}", "min": "min({0}, {1})", "max": "max({0}, {1})",
}  # fmt: skip


@dataclass(frozen=True)
class Reduction:
    """A variable and how its iterations are combined.

    The kinds are "add", "mul", "bit_or", "bit_and", "bit_xor", "and", "or", "min", "max", and "chosen": the variable is
    assigned where the variable `key`, a "min" or "max", is.
    """

    name: str
    kind: str
    key: str | None = None

    @property
    def start(self) -> str:
        """The captured variable that holds what each iteration starts from."""
        return self.name + START

    @property
    def constant_start(self) -> bool | None:
        """What each iteration starts from, if that is the same whatever the variable is."""
        return {"and": True, "or": False}.get(self.kind)

    def start_value(self, value: Any) -> Any:
        """What each iteration starts from, if the variable is `value` before the loop.

        A number of the same type that changes nothing; min and max do not mind being given `value` more than once.

        >>> Reduction("s", "add").start_value(2.5), Reduction("s", "max").start_value(3)
        (-0.0, 3)
        """
        if self.carries:
            return value
        if self.constant_start is not None:
            return self.constant_start
        identity = type(value)(self.kind == "mul")
        if self.kind == "bit_and":
            return type(value)(True) if isinstance(value, bool) else ~identity
        # -0.0 + x is x for every x, 0.0 + -0.0 is not
        return -identity if self.kind == "add" and not isinstance(identity, int) else identity

    @property
    def carries(self) -> bool:
        """Whether what iterations come to depends on what the variable was before them: not only on their terms."""
        return self.kind in ("min", "max", "chosen")

    @property
    def may_skip(self) -> bool:
        """Whether Python leaves out a part of the iterations whose results do not matter."""
        return self.constant_start is not None

    @property
    def is_arithmetic(self) -> bool:
        """Whether it is of numbers that are no truth values."""
        return self.kind in _ARITHMETIC or self.carries

    def combined(self, value: Any, total: Any) -> Any:
        """The variable after iterations that have come to `total`."""
        match self.kind:
            case "add":
                return value + total
            case "mul":
                return value * total
            case "bit_or":
                return value | total
            case "bit_and":
                return value & total
            case "bit_xor":
                return value ^ total
            case "and":
                return value and total
            case "or":
                return value or total
            case _:
                return total


@dataclass(frozen=True)
class _Update:
    """A statement that updates a variable: how, and the nodes in which the variable's name stands."""

    statement: ast.stmt
    name: str
    kind: str
    nodes: tuple[ast.AST, ...]
    key: str | None = None


def reductions_of(body: Sequence[ast.stmt], kept: Names = frozenset()) -> tuple[Reduction, ...]:
    """The variables of a loop's body that are only ever updated in one way whose order can be chosen.

    Those in `kept` are read after the loop: they may be chosen by another one's minimum or maximum.
    """
    updates: dict[str, list[_Update]] = {}
    own = assigned_names(body)
    for update in _updates(body):
        if (update.key is None or update.name in kept) and not _skips_assignments(update, own):
            updates.setdefault(update.name, []).append(update)
    used = {id(node) for update in itertools.chain(*updates.values()) for node in update.nodes}
    others = {
        node.id
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and id(node) not in used
    }
    found = {
        name: Reduction(name, some[0].kind, some[0].key)
        for name, some in updates.items()
        if name not in others and len({(update.kind, update.key) for update in some}) == 1
    }
    return tuple(
        found[name]
        for name in sorted(found)
        if (key := found[name].key) is None
        # Another update of either would part them.
        or (key in found and [u.statement for u in updates[key]] == [u.statement for u in updates[name]])
    )


def _skips_assignments(update: _Update, own: Names) -> bool:
    """Whether what an `and` or `or` may leave out assigns variables, or calls functions that the loop itself makes."""
    if update.kind not in _CONNECTIVES.values():
        return False
    return any(
        isinstance(node, ast.NamedExpr) or (isinstance(node, ast.Call) and loaded_names(node.func) & own)
        for node in ast.walk(update.statement)
    )


def _updates(body: Sequence[ast.stmt]) -> Iterator[_Update]:
    for node in scope_nodes(body):
        match node:
            case ast.AugAssign(target=ast.Name(id=name) as target) if type(node.op) in _OPERATORS:
                yield _Update(node, name, _OPERATORS[type(node.op)], (target,))
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value):
                first, kind = _first_operand(value)
                if kind and isinstance(first, ast.Name) and first.id == name:
                    yield _Update(node, name, kind, (target, first))
            case ast.If(test=ast.Compare(left=left, ops=[ast.Lt() | ast.Gt() as op], comparators=[right])):
                yield from _choices(node, left, isinstance(op, ast.Lt), right)
            case _:
                pass


def _first_operand(value: ast.expr) -> tuple[ast.expr, str]:
    """What an expression starts from, through operators that may be grouped anew, and their kind."""
    match value:
        case ast.BinOp(left=left, op=op) if type(op) in _OPERATORS:
            kind = _OPERATORS[type(op)]
            first, inner = _first_operand(left)
            return (first, kind) if inner == kind else (left, kind)
        case ast.BoolOp(op=op, values=[first, *_]):
            return first, _CONNECTIVES[type(op)]
        case ast.Call(func=ast.Name(id="min" | "max" as kind), args=[ast.Name() as first, _, *_], keywords=[]):
            return first, kind
        case _:
            return value, ""


def _choices(branch: ast.If, left: ast.expr, less: bool, right: ast.expr) -> Iterator[_Update]:
    """`if x < s: s = x; k = i` makes s the least x, as `min(s, x)` does, and k its place: the first one, in both."""
    for key, other, kind in ((right, left, "min" if less else "max"), (left, right, "max" if less else "min")):
        if not isinstance(key, ast.Name):
            continue
        assigned = [pair for statement in branch.body for pair in _assigned(statement)]
        own = [target for target, value in assigned if target.id == key.id and ast.dump(value) == ast.dump(other)]
        if len(own) != 1:
            continue
        yield _Update(branch, key.id, kind, (key, own[0]))
        for target, _ in assigned:
            if target.id != key.id:
                yield _Update(branch, target.id, "chosen", (target,), key.id)
        return


def _assigned(statement: ast.stmt) -> list[tuple[ast.Name, ast.expr]]:
    """The variables that a statement assigns, each with its value."""
    match statement:
        case ast.Assign(targets=[ast.Name() as target], value=value):
            return [(target, value)]
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            pairs = list(zip(targets, values, strict=True))
            return [(t, v) for t, v in pairs if isinstance(t, ast.Name)] if _are_plain(targets + values) else []
        case _:
            return []


def _are_plain(nodes: Sequence[ast.expr]) -> bool:
    return not any(isinstance(node, ast.Starred) for node in nodes)


def combination(
    reductions: Sequence[Reduction], place: ast.stmt, compile_it: Callable[..., FunctionType]
) -> FunctionType:
    """The function that combines what two runs of iterations have come to: one number, or a tuple of several."""
    single = len(reductions) == 1
    names = {reduction.name: number for number, reduction in enumerate(reductions)}

    def parts_of(name: str) -> list[str]:
        return [side if single else f"{side}[{names[name]}]" for side in ("p", "q")]

    kinds = {reduction.name: reduction.kind for reduction in reductions}
    parts: list[str] = []
    for reduction in reductions:
        p, q = parts_of(reduction.name)
        if reduction.key is None:
            parts.append(_COMBINED[reduction.kind].format(p, q))
            continue
        before, after = parts_of(reduction.key)
        parts.append(f"{q} if {after} {'<' if kinds[reduction.key] == 'min' else '>'} {before} else {p}")
    result = parts[0] if single else f"({', '.join(parts)})"
    tree = ast.parse(f"def combine(p, q):\n    return {result}")
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    for node in ast.walk(function):
        if isinstance(node, ast.expr | ast.stmt | ast.arg):
            ast.copy_location(node, place)
    return compile_it(function)

"""Calls in a function's host code whose arrays may stay on a device: of array functions, and of functions with loops.

    y = square(x)                offload.call 0 "square" reads ["x"] writes [] makes ["y"] ...
    s = total(hetc.map(f)(y))    ->    an array for the host in between goes by the place of the call that makes it
    update(x, y)                 offload.call 3 "update" reads [] writes ["x", "y"] makes [] ... hands

An array function changes none of the arrays that it is given. A function with parallel loops may; its own plan goes
on from where the arrays are. What it gives is looked for in its code; if others may hold that, the call is a barrier.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from hetc.dataclass import dataclass
from hetc.frontends.loops.host_calls import Arguments, Outcome, roots_of
from hetc.frontends.loops.host_values import NUMBER, SIMPLE, Kind, Value, array
from hetc.frontends.python.scopes import scope_nodes


@dataclass
class Site:
    """A call; `made` is the variable that what it gives is bound to, "" if the host wants that at once.

    `arguments` has the variable of each argument that is an array of one, or what stands for the call that makes it.
    """

    node: ast.Call
    what: str
    arguments: tuple[str, ...]
    gives: str
    hands: bool = False
    made: str = ""


# ---------------------------------------------------------------------------------------------------------------------
# What makes array functions
# ---------------------------------------------------------------------------------------------------------------------

_ARRAYS = frozenset({"map", "scan", "filter", "stencil", "gather", "scatter"})
_NUMBERS = frozenset({"reduce", "any", "all", "argmin", "argmax"})
_SAME = frozenset({"on", "batched"})


def made_by(name: str, owner: Kind | None, values: Arguments) -> Outcome | None:
    """What a function of hetc's that makes an array function does, or its method; None if that is not seen."""
    if name in _SAME and owner is not None:
        return Outcome(Value(owner))
    if name not in _ARRAYS | _NUMBERS or owner is Kind.REDUCTION:
        return None
    roots = roots_of(values)
    return Outcome(Value(Kind.REDUCTION if name in _NUMBERS else Kind.SKELETON, roots=roots), reads=roots)


# ---------------------------------------------------------------------------------------------------------------------
# Their calls
# ---------------------------------------------------------------------------------------------------------------------


def skeleton_call(node: ast.Call, function: Value, values: Arguments, sites: Sequence[Site]) -> Site | None:
    """The call of an array function on arrays and numbers; None if that is not seen. `sites` are the calls in it."""
    if not any(value.kind is Kind.ARRAY for value in values):
        return None
    if not all(value.kind is Kind.ARRAY or value.kind in SIMPLE - {Kind.TEXT} for value in values):
        return None
    arguments = tuple(_variable(part, value, sites) for part, value in zip(node.args, values, strict=True))
    ranks = {value.rank for value in values if value.kind is Kind.ARRAY}
    gives = "number" if function.kind is Kind.REDUCTION else "array1" if ranks == {1} else "array"
    return Site(node, ast.unparse(node.func), arguments, gives)


def _variable(node: ast.expr, value: Value, sites: Sequence[Site]) -> str:
    if value.kind is not Kind.ARRAY:
        return ""
    if isinstance(node, ast.Name):
        return node.id
    for site in sites:
        if site.node is node and site.gives != "number":
            site.made = f"{site.what} in line {node.lineno}, column {node.col_offset}"
            return site.made
    return ""


def given_by(site: Site) -> Value:
    """What a call of an array function gives."""
    return NUMBER if site.gives == "number" else array(1 if site.gives == "array1" else None)


def jit_call(node: ast.Call, values: Arguments, result: Value | None) -> Site | None:
    """The call of a function with parallel loops that gives `result`; None if what becomes of arrays is not seen."""
    known = all(value.kind is Kind.ARRAY or value.kind in SIMPLE for value in values)
    if result is None or not known or not (result.kind is Kind.ARRAY or result.kind in SIMPLE - {Kind.TEXT}):
        return None
    arguments = tuple(_variable(part, value, ()) for part, value in zip(node.args, values, strict=True))
    if any(value.kind is Kind.ARRAY and not name for name, value in zip(arguments, values, strict=True)):
        return None
    rank = result.rank if result.kind is Kind.ARRAY and result.rank in (1, 2, 3) else ""
    gives = f"array{rank}" if result.kind is Kind.ARRAY else "number"
    return Site(node, ast.unparse(node.func), arguments, gives, hands=True)


def parameters_of(function: Any, values: Arguments, value_of: Callable[[object], Value]) -> dict[str, Value] | None:
    """The values of the parameters of a function with loops in a call; None for a call that does not fit."""
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*values)
    except TypeError:
        return None
    defaults = {
        name: value_of(parameter.default)
        for name, parameter in signature.parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }
    simple = all(
        parameter.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for parameter in signature.parameters.values()
    )
    return {**defaults, **bound.arguments} if simple else None


def returns_of(node: ast.FunctionDef) -> tuple[list[ast.expr], bool]:
    """The values that a function may return, and whether it may come to its end without one."""
    found = [inner for statement in node.body for inner in scope_nodes(statement) if isinstance(inner, ast.Return)]
    values = [inner.value for inner in found if inner.value is not None]
    ends = not isinstance(node.body[-1], ast.Return | ast.Raise)
    return values, ends or len(values) < len(found)


def call_numbers(node: ast.FunctionDef) -> dict[int, int]:
    """The number of each call in a function, by its identity: they are counted as they are walked through."""
    calls = [inner for inner in ast.walk(node) if isinstance(inner, ast.Call)]
    return {id(call): number for number, call in enumerate(calls)}


def direct_call(node: ast.stmt) -> tuple[ast.expr | None, str]:
    """The call that a statement consists of, and the variable that it is bound to, if there is one."""
    match node:
        case ast.Expr(value=ast.Call() as call) | ast.Return(value=ast.Call() as call):
            return call, ""
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
            return call, name
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call() as call):
            return call, name
        case _:
            return None, ""

"""What is known of the names in a function's host code, for the arguments of a call.

Each variable has one kind for the whole function: that of all values that it may be bound to.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from types import FunctionType
from typing import Any

import numpy as np

from hetc.dataclass import dataclass
from hetc.frontends.loops.host_calls import Arguments
from hetc.frontends.loops.host_effects import Effects, EffectsOf, effects_of
from hetc.frontends.loops.host_skeletons import parameters_of, returns_of
from hetc.frontends.loops.host_values import CALLED, OTHER, PLAIN, SIMPLE, UNKNOWN, Kind, Value, global_value, value_of
from hetc.frontends.python.scopes import FUNCTIONS, Names, assigned_names, free_names, loaded_names
from hetc.loops import HostCode


@dataclass(frozen=True)
class CallFacts:
    """What the host code of a function depends on at a call.

    `arguments` are the values of the parameters, `globals` those of other names, `overlaps` the parameters whose arrays
    may share memory. `handed` says that the caller keeps arrays on the device.
    """

    arguments: tuple[tuple[str, Value], ...]
    globals: tuple[tuple[str, Value], ...]
    overlaps: tuple[tuple[str, str], ...] = ()
    handed: bool = False


def call_facts(
    function: FunctionType, names: Sequence[str], arguments: Mapping[str, Any], *, handed: bool = False
) -> CallFacts:
    """The facts of a call with these values of parameters; `names` are the global names in the host's code."""
    found = {name: value_of(value) for name, value in arguments.items()}
    arrays = [name for name, value in found.items() if value.kind is Kind.ARRAY]
    overlaps = [pair for pair in combinations(arrays, 2) if np.may_share_memory(*(arguments[name] for name in pair))]
    return CallFacts(tuple(found.items()), outside_values(function, names), tuple(overlaps), handed)


def outside_values(function: FunctionType, names: Sequence[str]) -> tuple[tuple[str, Value], ...]:
    """What is known of global names, and of the array functions and functions with loops that a function captures."""
    scope = function.__globals__
    outside = [(name, _global(scope, name)) for name in names]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            value = global_value(cell.cell_contents)
        except ValueError:  # nothing is assigned yet
            continue
        if value.kind in CALLED:
            outside.append((name, value))
    return tuple(outside)


def _global(scope: Mapping[str, Any], name: str) -> Value:
    if name in scope:
        return global_value(scope[name])
    return global_value(getattr(builtins, name)) if hasattr(builtins, name) else OTHER


def global_names(node: ast.FunctionDef, function: FunctionType) -> tuple[str, ...]:
    """The names in a function's code that are neither variables of its own nor of functions around it."""
    code = function.__code__
    return tuple(sorted(loaded_names(node.body) - {*code.co_varnames, *code.co_cellvars, *code.co_freevars}))


def shared_variables(node: ast.FunctionDef) -> Names:
    """The variables that functions in a function read or bind, and those that it declares to be others'."""
    found: set[str] = set()
    for inner in ast.walk(node):
        if inner is not node and isinstance(inner, FUNCTIONS):
            found |= free_names(inner)
        if isinstance(inner, ast.ClassDef):
            found |= loaded_names(inner.body)
        if isinstance(inner, ast.Global | ast.Nonlocal):
            found.update(inner.names)
    return frozenset(found)


class _Returned(ast.NodeTransformer):
    """Statements that evaluate what is returned, in the place of returning it."""

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        return ast.copy_location(ast.Pass() if node.value is None else ast.Expr(node.value), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node


def _without_returns(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    return [_Returned().visit(copy.deepcopy(statement)) for statement in body]


class HostNames:
    """The variables of a function, and what is known of them and of other names at a call."""

    def __init__(self, node: ast.FunctionDef, function: FunctionType, facts: CallFacts, *, inner: bool = False) -> None:
        code = function.__code__
        self.inner = inner
        """Whether this is about a function that another one calls: what that calls is not looked into."""
        self.globals = dict(facts.globals)
        self.shared = shared_variables(node)
        self.values: dict[str, Value] = dict.fromkeys(
            (*code.co_varnames, *code.co_cellvars, *code.co_freevars), UNKNOWN
        )
        self.values |= {name: value for name, value in facts.arguments if name in self.values}
        self.values |= dict.fromkeys((*code.co_freevars, *(name for name in self.values if name in self.shared)), OTHER)
        assigned = assigned_names(node.body)
        self.values |= {n: v for n, v in facts.globals if n in code.co_freevars and n not in assigned}
        self._settle(node)
        for name, value in self.values.items():
            if value.kind is Kind.UNKNOWN:
                self.values[name] = OTHER
        self._settle(node)

    def lookup(self, name: str) -> Value:
        """What is known of the value of a name."""
        value = self.values.get(name)
        if value is None:
            return self.globals.get(name, OTHER)
        keeps = value.kind in (Kind.ARRAY, Kind.OTHER, Kind.UNKNOWN)
        return replace(value, roots=frozenset({name} if keeps else ()))

    def effects(self, run: Callable[[EffectsOf], object]) -> Effects:
        """The effects that are collected while `run` looks at some code."""
        found = EffectsOf(self.lookup, self.given)
        run(found)
        return found.found

    def given(self, function: object, values: Arguments) -> Value | None:
        """What a function with parallel loops gives for some arguments; None if that, or who holds it, is not known."""
        host: Any = function.taken_apart() if isinstance(function, HostCode) else None
        if host is None or self.inner:
            return None
        parameters = parameters_of(host.original, values, value_of)
        if parameters is None:
            return None
        outside = outside_values(host.original, global_names(host.node, host.original))
        inside = HostNames(host.node, host.original, CallFacts(tuple(parameters.items()), outside), inner=True)
        return inside.returned(host.node)

    def returned(self, node: ast.FunctionDef) -> Value | None:
        """What the function gives: numbers, or an array that nobody else than its caller can hold."""
        values, ends = returns_of(node)
        looked = EffectsOf(self.lookup, self.given)
        result = PLAIN if ends or not values else UNKNOWN
        for value in values:
            result = result.joined(looked.value(value))
        if result.kind is not Kind.ARRAY:
            return result if result.kind in SIMPLE else None
        inside = effects_of(_without_returns(node.body), self.lookup, self.given)
        held = self.shared or inside.barrier or inside.shared or looked.found.barrier or looked.found.shared
        return None if held else result.alone

    def _settle(self, node: ast.FunctionDef) -> None:
        """Join what each variable may be bound to, until nothing changes."""
        changed = True
        while changed:
            changed = False
            for name, value in effects_of(node.body, self.lookup, self.given).bound:
                before = self.values.get(name)
                after = None if before is None or name in self.shared else before.joined(value.alone)
                if after is not None and after != before:
                    self.values[name], changed = after, True

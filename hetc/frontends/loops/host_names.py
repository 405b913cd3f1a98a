"""What is known of the names in a function's host code, for the arguments of a call.

Each variable has one kind for the whole function: that of all values that it may be bound to.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from types import FunctionType
from typing import Any

import numpy as np

from hetc.dataclass import dataclass
from hetc.frontends.loops.host_effects import Effects, EffectsOf, effects_of
from hetc.frontends.loops.host_values import OTHER, UNKNOWN, Kind, Value, global_value, value_of
from hetc.frontends.python.scopes import FUNCTIONS, Names, free_names, loaded_names


@dataclass(frozen=True)
class CallFacts:
    """What the host code of a function depends on at a call.

    `arguments` are the values of the parameters, `globals` those of other names, `overlaps` the parameters whose arrays
    may share memory.
    """

    arguments: tuple[tuple[str, Value], ...]
    globals: tuple[tuple[str, Value], ...]
    overlaps: tuple[tuple[str, str], ...]


def call_facts(function: FunctionType, names: Sequence[str], arguments: Mapping[str, Any]) -> CallFacts:
    """The facts of a call with these values of parameters; `names` are the global names in the host's code."""
    found = {name: value_of(value) for name, value in arguments.items()}
    arrays = [name for name, value in found.items() if value.kind is Kind.ARRAY]
    overlaps = [pair for pair in combinations(arrays, 2) if np.may_share_memory(*(arguments[name] for name in pair))]
    scope = function.__globals__
    outside = [(name, _global(scope, name)) for name in names]
    return CallFacts(tuple(found.items()), tuple(outside), tuple(overlaps))


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


class HostNames:
    """The variables of a function, and what is known of them and of other names at a call."""

    def __init__(self, node: ast.FunctionDef, function: FunctionType, facts: CallFacts) -> None:
        code = function.__code__
        self.globals = dict(facts.globals)
        self.shared = shared_variables(node)
        self.values: dict[str, Value] = dict.fromkeys(
            (*code.co_varnames, *code.co_cellvars, *code.co_freevars), UNKNOWN
        )
        self.values |= {name: value for name, value in facts.arguments if name in self.values}
        self.values |= dict.fromkeys((*code.co_freevars, *(name for name in self.values if name in self.shared)), OTHER)
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
        found = EffectsOf(self.lookup)
        run(found)
        return found.found

    def _settle(self, node: ast.FunctionDef) -> None:
        """Join what each variable may be bound to, until nothing changes."""
        changed = True
        while changed:
            changed = False
            for name, value in effects_of(node.body, self.lookup).bound:
                before = self.values.get(name)
                after = None if before is None or name in self.shared else before.joined(value.alone)
                if after is not None and after != before:
                    self.values[name], changed = after, True

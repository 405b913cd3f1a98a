"""Whether Python, running a function, might do anything besides computing its result.

What is compiled has no side effects; but a path that is left to Python may have some, and what it changes, the elements
after it may read. The answer is on the safe side: what is not known to be harmless counts as an effect.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable

from hetc.frontends.python.closure import Capture, CapturedRecords, ResolvedFunction
from hetc.frontends.python.source import function_node

_EFFECTS = (
    ast.Global, ast.Nonlocal, ast.Delete, ast.Import, ast.ImportFrom, ast.With, ast.AsyncWith, ast.AsyncFor, ast.Await,
    ast.Yield, ast.YieldFrom, ast.ClassDef, ast.AsyncFunctionDef,
)  # fmt: skip


def may_have_effects(functions: Iterable[ResolvedFunction], opaque: frozenset[str]) -> bool:
    """Whether running the functions may change anything.

    `functions` are all that are called, `opaque` the captured variables whose values are not compiled: an operator on
    them may do anything. Needs functions whose source is at hand.
    """
    return any(_may_have_effects(function, opaque) for function in functions)


def has_loops(function: ResolvedFunction) -> bool:
    """Whether the source of a function has a loop. Needs a function whose source is at hand."""
    return any(isinstance(node, ast.For | ast.While) for node in ast.walk(function_node(function.function)))


def _may_have_effects(function: ResolvedFunction, opaque: frozenset[str]) -> bool:
    for value in function.bindings.values():
        if isinstance(value, Capture) and value.name in opaque:
            return True
        if isinstance(value, CapturedRecords) and not opaque.isdisjoint(value.names):
            return True
    work: list[ast.AST] = list(ast.iter_child_nodes(function_node(function.function)))
    while work:
        node = work.pop()
        match node:
            case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
                return True
            case ast.Call() if not (_is_known(function, node.func) or _is_exception(node.func)):
                return True
            case _ if isinstance(node, _EFFECTS):
                return True
            case _:
                work += ast.iter_child_nodes(node)
    return False


def _is_known(function: ResolvedFunction, callee: ast.expr) -> bool:
    """Whether the callee is a function that hetc knows, by name or by its source."""
    chain: list[str] = []
    while isinstance(callee, ast.Attribute):
        chain.insert(0, callee.attr)
        callee = callee.value
    if not isinstance(callee, ast.Name):
        return False
    binding = function.bindings.get((callee.id, *chain))
    return binding is not None and not isinstance(binding, Capture)


def _is_exception(callee: ast.expr) -> bool:
    """Whether the callee is one of Python's own exceptions, by name: making one changes nothing."""
    found = getattr(builtins, callee.id, None) if isinstance(callee, ast.Name) else None
    return isinstance(found, type) and issubclass(found, BaseException)

"""What keeps a loop from being run by a device, as far as its syntax tells."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from hetc.diagnostics import Category
from hetc.errors import UnsupportedError
from hetc.frontends.loops.reductions import Reduction
from hetc.frontends.python.liveness import Liveness
from hetc.frontends.python.scopes import (
    FUNCTIONS,
    Names,
    assigned_names,
    closures_of,
    free_names,
    loaded_names,
    scope_nodes,
)

Place = Callable[..., UnsupportedError]
"""An error at a node: node, reason, then the keywords of `UnsupportedError`."""

_LEAVES: tuple[tuple[type[ast.AST], str], ...] = (
    (ast.Return, "a return statement leaves the loop early"),
    (ast.Yield, "the loop yields"),
    (ast.YieldFrom, "the loop yields"),
    (ast.Await, "the loop waits for something"),
)
READ_ALL_LOCALS = frozenset({"locals", "vars", "dir", "eval", "exec"})
"""The functions by which code reads all variables around it, those that it does not know of among them."""


def check_loop(
    loop: ast.For,
    outer: Names,
    reductions: Sequence[Reduction],
    after: Names,
    refuse: Place,
    *,
    own_range: bool = False,
) -> None:
    """Raise UnsupportedError for a loop that has to be run in order, by Python.

    `outer` are the names that the function shares with others (`shared_names`), `after` those that it reads outside the
    loop. `own_range` says that `range` may be something else than Python's own.
    """
    _check_leaving(loop, refuse)
    assigned = assigned_names(loop.body)
    for name in sorted((assigned | assigned_names(loop.target)) & outer):
        raise refuse(loop, f"the loop assigns '{name}', which is shared with other functions")
    reduced = {reduction.name for reduction in reductions}
    head = Liveness([loop], closures_of(loop.body), own_range=own_range).head[id(loop)]
    for name in sorted((assigned & head) - reduced):
        raise refuse(
            _first_load(loop, name),
            f"the variable '{name}' goes from one iteration to the next",
            hint="sums (s += ...), min, max, and, or run in parallel; what else is carried needs a range loop",
            category=Category.DEPENDENCE,
        )
    for name in sorted(temporaries(loop, reductions) & after - certainly_assigned(loop.body)):
        raise refuse(
            loop,
            f"the variable '{name}' is read after the loop, and not every iteration assigns it",
            hint="assign it in each iteration, or after the loop",
            category=Category.DEPENDENCE,
        )


def check_task(loop: ast.For, parallel: Sequence[ast.For], outer: Names, refuse: Place) -> None:
    """Raise UnsupportedError for an ordinary loop that one work-item cannot run as a whole, as its syntax tells.

    `parallel` are the parallel loops of the function, `outer` the names that it shares with others.
    """
    _check_scope(loop, refuse, returns=True)
    inner = set(map(id, ast.walk(loop)))
    if any(id(node) in inner for node in parallel):
        raise refuse(loop, "a loop inside of it runs in parallel")
    for node in scope_nodes(loop.body):
        if isinstance(node, ast.Delete):
            raise refuse(node, "a variable or an item is deleted in the loop")
    for node in own_jumps(loop.orelse):
        raise refuse(node, "its 'else' leaves a loop around it")
    for name in sorted((assigned_names(loop.body) | assigned_names(loop.target)) & outer):
        raise refuse(loop, f"the loop assigns '{name}', which is shared with other functions")


def _check_leaving(loop: ast.For, refuse: Place) -> None:
    _check_scope(loop, refuse)
    for node in own_jumps(loop.body):
        if isinstance(node, ast.Break):
            raise refuse(node, "a break statement leaves the loop early")


def _check_scope(loop: ast.For, refuse: Place, *, returns: bool = False) -> None:
    """What leaves the function, but for a `return` that may be, reads all variables, or assigns what is not its own."""
    for node in scope_nodes(loop.body):
        if isinstance(node, ast.Name) and node.id in READ_ALL_LOCALS:
            raise refuse(node, f"'{node.id}' may read all variables of the function")
        for kind, reason in _LEAVES:
            if isinstance(node, kind) and not (returns and kind is ast.Return):
                raise refuse(node, reason)
    for statement in loop.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Global | ast.Nonlocal):
                raise refuse(node, "a nested function assigns variables of the function around it")


def own_jumps(body: Sequence[ast.stmt]) -> list[ast.Break | ast.Continue]:
    """The `break` and `continue` statements of the loop whose body this is, not of loops in it."""
    found: list[ast.Break | ast.Continue] = []
    work: list[ast.AST] = list(body)
    while work:
        node = work.pop()
        match node:
            case ast.Break() | ast.Continue():
                found.append(node)
            case ast.For() | ast.While() | ast.AsyncFor():
                work += node.orelse
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() | ast.ClassDef():
                pass
            case _:
                work += ast.iter_child_nodes(node)
    return found


def temporaries(loop: ast.For, reductions: Sequence[Reduction]) -> Names:
    """The variables that an iteration makes for itself, and that Python leaves behind as the last one made them."""
    return assigned_names(loop.body) - {reduction.name for reduction in reductions}


def shared_names(function: ast.FunctionDef, loop: ast.For) -> Names:
    """The variables that a function shares with others: declared global or nonlocal, or read by functions in it.

    What the functions that a loop defines itself read counts only if others read it, too.
    """
    found: set[str] = set()
    work: list[ast.AST] = [*function.body]
    while work:
        node = work.pop()
        if isinstance(node, ast.Global | ast.Nonlocal):
            found.update(node.names)
        elif isinstance(node, FUNCTIONS):
            found |= free_names(node)
        work += [node.iter, *node.orelse] if isinstance(node, ast.For) and node is loop else ast.iter_child_nodes(node)
    return frozenset(found)


def names_read_outside(function: ast.FunctionDef, loop: ast.For) -> Names:
    """The names that a function reads anywhere but in a loop's body; all names if it may read them by other means."""
    work: list[ast.AST] = [*function.body]
    found: set[str] = set()
    everything = any(isinstance(node, ast.Name) and node.id in READ_ALL_LOCALS for node in ast.walk(function))
    if everything:
        found |= assigned_names(loop.body) | assigned_names(loop.target)
    while work:
        node = work.pop()
        if node is loop:
            work += [loop.iter, *loop.orelse]
        elif isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Store):
                found.add(node.id)
        elif isinstance(node, ast.AugAssign):
            found |= loaded_names(node) | assigned_names(node.target)
            work += ast.iter_child_nodes(node)
        else:
            work += ast.iter_child_nodes(node)
    return frozenset(found)


def certainly_assigned(body: Sequence[ast.stmt]) -> Names:
    """The variables that a body assigns however it runs through to its end."""
    found: set[str] = set()
    for statement in body:
        if own_jumps([statement]):
            break
        match statement:
            case ast.Assign(targets=targets):
                found |= {name for target in targets for name in assigned_names(target)}
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target, value=ast.expr()):
                found |= assigned_names(target)
            case ast.FunctionDef(name=name):
                found.add(name)
            case ast.If():
                found |= certainly_assigned(statement.body) & certainly_assigned(statement.orelse)
            case _:
                pass
    return frozenset(found)


def _first_load(loop: ast.For, name: str) -> ast.AST:
    nodes = [node for child in loop.body for node in ast.walk(child) if isinstance(node, ast.Name) and node.id == name]
    loads = [node for node in nodes if isinstance(node.ctx, ast.Load)] or nodes
    return min(loads, key=lambda node: (node.lineno, node.col_offset), default=loop)

"""Which statements may leave the block or loop that they stand in, by their syntax."""

from __future__ import annotations

import ast

from hetc.frontends.python.scopes import FUNCTIONS, scope_nodes


def contains(node: ast.AST, *kinds: type[ast.AST]) -> bool:
    """Whether a statement contains a statement of one of these kinds."""
    return any(isinstance(child, kinds) for child in scope_nodes(node))


def is_endless(loop: ast.For | ast.While) -> bool:
    """Whether a loop is `while True` and no break ends it."""
    if not isinstance(loop, ast.While) or not isinstance(loop.test, ast.Constant) or not loop.test.value:
        return False
    return not leaves_loop(loop, by_return=False)


def leaves_loop(loop: ast.For | ast.While, *, by_return: bool = True) -> bool:
    """Whether the body may end this very loop early: by a break, or by a return."""

    def leaves(node: ast.AST, inside: bool) -> bool:
        if isinstance(node, FUNCTIONS):
            return False
        if (by_return and isinstance(node, ast.Return)) or (isinstance(node, ast.Break) and not inside):
            return True
        if isinstance(node, ast.For | ast.While):  # a break in its else branch is one of the loop around it
            return any(leaves(child, True) for child in node.body) or any(
                leaves(child, inside) for child in node.orelse
            )
        return any(leaves(child, inside) for child in ast.iter_child_nodes(node))

    return any(leaves(statement, False) for statement in loop.body)


def may_leave(node: ast.stmt) -> bool:
    """Whether a statement may end the block that it stands in: return, or break or continue of an outer loop."""
    match node:
        case ast.Return() | ast.Break() | ast.Continue():
            return True
        case ast.If():
            return any(may_leave(child) for child in [*node.body, *node.orelse])
        case ast.Try() | ast.TryStar():
            return any(may_leave(child) for child in [*node.body, *node.orelse, *node.finalbody])
        case ast.For() | ast.While():
            return contains(node, ast.Return) or any(may_leave(child) for child in node.orelse)
        case _:
            return False

"""Which local variables are still needed after each statement: backward liveness on the syntax tree.

SSA form needs it at joins and loops, to carry the variables that matter and no others (Aho, Lam, Sethi, Ullman,
Compilers, 2nd edition, section 9.2.5; structured control flow makes one pass a loop enough, a second confirms it).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

Names = frozenset[str]
_NONE: Names = frozenset()


def assigned_names(node: ast.AST | Sequence[ast.stmt]) -> Names:
    """The local names that a statement, or a list of statements, may assign."""
    nodes = list(node) if isinstance(node, Sequence) else [node]
    return frozenset(
        name.id
        for root in nodes
        for name in ast.walk(root)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    )


class Liveness:
    """The live variables after each `if`, `for` and `while` of a function, and at the head of each loop."""

    def __init__(self, body: Sequence[ast.stmt]) -> None:
        self.after: dict[int, Names] = {}
        self.head: dict[int, Names] = {}
        self._block(body, _NONE, _NONE, _NONE)

    def _block(self, body: Sequence[ast.stmt], live: Names, on_break: Names, on_continue: Names) -> Names:
        for statement in reversed(body):
            live = self._statement(statement, live, on_break, on_continue)
        return live

    def _statement(self, node: ast.stmt, live: Names, on_break: Names, on_continue: Names) -> Names:
        match node:
            case ast.If():
                self.after[id(node)] = live
                then = self._block(node.body, live, on_break, on_continue)
                other = self._block(node.orelse, live, on_break, on_continue)
                return then | other | _loaded(node.test)
            case ast.While():
                ended = self._block(node.orelse, live, on_break, on_continue)
                return self._loop(node, live, ended, _loaded(node.test), _NONE)
            case ast.For():
                ended = self._block(node.orelse, live, on_break, on_continue)
                return self._loop(node, live, ended, _NONE, assigned_names(node.target)) | _loaded(node.iter)
            case ast.Try() | ast.TryStar():  # the handlers are Python's
                clean = [*node.body, *node.orelse, *node.finalbody]
                return self._block(clean, live, on_break, on_continue)
            case ast.Raise():
                return _NONE
            case ast.Return():
                return _loaded(node)
            case ast.Break():
                return on_break
            case ast.Continue():
                return on_continue
            case ast.AugAssign():
                return live | _loaded(node) | assigned_names(node.target)
            case _:
                return (live - assigned_names(node)) | _loaded(node)

    def _loop(self, node: ast.While | ast.For, live: Names, ended: Names, test: Names, target: Names) -> Names:
        """`live` is needed after a break, `ended` (by the `else` branch, too) after the last iteration."""
        self.after[id(node)] = live | ended
        head = ended | test
        while True:
            inside = self._block(node.body, head, live, head) - target
            if inside <= head:
                break
            head |= inside
        self.head[id(node)] = head
        return head


def _loaded(node: ast.AST) -> Names:
    return frozenset(
        name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load)
    )

"""Where a function reads all its variables, by `locals()` or `eval`, those of hetc's own statements are gone."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from hetc.frontends.python.made_functions import placed

OWN = "__hetc_"
"""What the names of these variables begin with."""


class Forgetting(ast.NodeTransformer):
    """Deletes the variables that runs of loops and statements are kept in where an exception has left them.

    try:                                 try:
        LOOP                                 LOOP
    except ValueError:           ->      except ValueError:
        return locals()                      __hetc_loop_0__ = None; del __hetc_loop_0__
                                             return locals()
    """

    def visit_Try(self, node: Any) -> Any:
        """What a handler and `finally` see."""
        self.generic_visit(node)
        for handler in node.handlers:
            handler.body[:0] = _forgotten(node.body, handler)
        if node.finalbody:
            before = [*node.body, *(one for handler in node.handlers for one in handler.body), *node.orelse]
            node.finalbody[:0] = _forgotten(before, node)
        return node

    def visit_TryStar(self, node: Any) -> Any:
        """Likewise."""
        return self.visit_Try(node)

    def visit_With(self, node: ast.With) -> Any:
        """What comes behind a block whose exception has been suppressed."""
        self.generic_visit(node)
        return [node, *_forgotten(node.body, node)]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """Functions inside have variables of their own."""
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """Likewise."""
        return node


def _forgotten(body: Sequence[ast.stmt], place: Any) -> list[ast.stmt]:
    """Statements that delete hetc's variables of these, bound or not."""
    inner = (node for statement in body for node in ast.walk(statement))
    names = {node.id for node in inner if isinstance(node, ast.Name) and node.id.startswith(OWN)}
    found: list[ast.stmt] = []
    for name in sorted(names):
        found += [
            ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)),
            ast.Delete([ast.Name(name, ast.Del())]),
        ]
    return [placed(statement, place) for statement in found]

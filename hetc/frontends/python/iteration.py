"""Loops over `range(...)`, which need no more than its bounds. Anything else is iterated by `dyn.for_each`."""

from __future__ import annotations

import ast

from xdsl.ir import SSAValue

from hetc.frontends.python.expressions import Env, ExpressionEmitter

Bounds = tuple[SSAValue, SSAValue, SSAValue]
"""Start, stop and step."""


def range_bounds(emitter: ExpressionEmitter, node: ast.expr, env: Env) -> Bounds | None:
    """The bounds of the `range(...)` that an expression is, emitted before the loop; None if it is something else."""
    if not isinstance(node, ast.Call) or node.keywords or not 1 <= len(node.args) <= 3:
        return None
    known = emitter.known(node.func)
    if known == "forall" and len(node.args) > 1:
        raise emitter.unsupported(
            node, "an inner parallel loop has one index", hint="write one loop for each index, in each other"
        )
    if known not in ("range", "forall") or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    values = [emitter.value(argument, env) for argument in node.args]
    if len(values) == 1:
        values.insert(0, emitter.number(0, node))
    if len(values) == 2:
        values.append(emitter.number(1, node))
    return values[0], values[1], values[2]

"""A parallel loop as a function of its indices: what a device runs once for each iteration.

    for i in hetc.forall(n):           def f_loop(i):
        if x[i] < 0:                       s = s__start
            continue               ->      if x[i] < 0:
        y[i] = a * x[i]                        return s
        s += y[i]                          y[i] = a * x[i]
                                           s += y[i]
                                           return s

The nodes keep their places in the user's file. The variables of the function around the loop become captured ones,
whose values are those at the time that the loop is reached.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from types import CodeType
from typing import Any

from hetc.frontends.loops.reductions import Reduction
from hetc.frontends.python.made_functions import BodyFunction, arguments_of, compile_inside, placed
from hetc.frontends.python.scopes import FUNCTIONS, Names


def body_function(
    name: str,
    loop: ast.For,
    rank: int,
    reductions: Sequence[Reduction],
    variables: Names,
    host: CodeType,
    *,
    in_order: bool = False,
) -> BodyFunction:
    """Take the body of a loop out. `variables` are the names of the host function's own variables.

    `rank` is the number of the loop's indices; the target must fit it (`fits_rank`). Run `in_order`, an iteration goes
    on from what those before it have come to: then what it starts from is no constant.
    """
    body = copy.deepcopy(loop.body)
    parameters, prelude = _parameters(loop, rank)
    prelude += [_assign(r.name, _start(r, in_order=in_order), loop) for r in reductions]
    body = [_ReturnForContinue(reductions).visit(statement) for statement in body]
    statements = [*prelude, *body, *_end(reductions, loop)]
    function = ast.FunctionDef(
        name=name, args=arguments_of(parameters), body=statements, decorator_list=[], returns=None
    )
    placed(function, loop)
    outer = sorted((variables | {r.start for r in reductions}) - set(parameters))
    return BodyFunction(compile_inside(function, outer, host), function)


def fits_rank(target: ast.expr, rank: int) -> bool:
    """Whether a loop's target takes the indices: one name for a number or tuple, or as many names as there are."""
    match target:
        case ast.Name():
            return True
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return rank > 1 and len(parts) == rank and all(isinstance(part, ast.Name) for part in parts)
        case _:
            return False


def _parameters(loop: ast.For, rank: int) -> tuple[list[str], list[ast.stmt]]:
    """The parameters for the indices, and what makes the loop's target of them."""
    match loop.target:
        case ast.Name(id=name) if rank == 1:
            return [name], []
        case ast.Name(id=name):
            parts = [f"{name}_{k}" for k in range(rank)]
            items: list[ast.expr] = [ast.Name(part, ast.Load()) for part in parts]
            return parts, [_assign(name, ast.Tuple(items, ast.Load()), loop)]
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return [part.id for part in parts if isinstance(part, ast.Name)], []
        case _:
            raise AssertionError("the target of a loop is checked before")


def _assign(name: str, value: ast.expr, place: ast.stmt) -> ast.stmt:
    return placed(ast.Assign([ast.Name(name, ast.Store())], value), place)


def _start(reduction: Reduction, *, in_order: bool) -> ast.expr:
    """What an iteration starts from."""
    constant = None if in_order else reduction.constant_start
    return ast.Name(reduction.start, ast.Load()) if constant is None else ast.Constant(constant)


def _end(reductions: Sequence[Reduction], place: ast.stmt) -> list[ast.stmt]:
    """What an iteration ends with: what it has come to, if anything."""
    values: list[ast.expr] = [ast.Name(reduction.name, ast.Load()) for reduction in reductions]
    if not values:
        return [placed(ast.Return(None), place)]
    return [placed(ast.Return(values[0] if len(values) == 1 else ast.Tuple(values, ast.Load())), place)]


class _ReturnForContinue(ast.NodeTransformer):
    """An iteration that goes on with the next one returns."""

    def __init__(self, reductions: Sequence[Reduction]) -> None:
        self.reductions = reductions

    def visit_Continue(self, node: ast.Continue) -> ast.AST:
        return _end(self.reductions, node)[0]

    def visit(self, node: ast.AST) -> Any:
        """Leave alone what has a `continue` of its own, but for the `else` branches of loops."""
        if isinstance(node, ast.For | ast.While):
            node.orelse = [self.visit(statement) for statement in node.orelse]
            return node
        return node if isinstance(node, (*FUNCTIONS, ast.ClassDef)) else super().visit(node)

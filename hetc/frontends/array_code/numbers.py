"""Numbers that array statements compute before any loop, by Python."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hetc.errors import UnsupportedError
from hetc.frontends.array_code.trees import Call, Leaf, Operator, Tree


def number_value(tree: Tree, values: Sequence[Any]) -> Any:
    """The number that a tree of numbers comes to, by Python. Raises UnsupportedError where it would raise or warn."""
    match tree:
        case Leaf(number=number):
            return values[number]
        case Operator(node=node, operands=operands):
            parts = [number_value(operand, values) for operand in operands]
            return quietly(lambda: getattr(operator, _OPERATIONS[type(_operator(node))])(*parts))
        case Call(callee=callee, owner=owner, name=name, arguments=arguments, keywords=()) if owner is None or (
            isinstance(owner, Leaf) and values[owner.number] is np
        ):
            function = getattr(np, name) if callee is None else values[callee.number]
            parts = [number_value(argument, values) for argument in arguments]
            return quietly(lambda: function(*parts))
        case _:
            raise UnsupportedError("a number is computed in a way that is not looked into")


def quietly(compute: Callable[[], Any]) -> Any:
    """What is computed. Raises UnsupportedError where that raises or warns, for NumPy to do so at the user's line."""
    try:
        with np.errstate(all="raise"):
            return compute()
    except (ArithmeticError, TypeError, ValueError) as error:
        raise UnsupportedError(f"computing a number raises {type(error).__name__}") from None


def _operator(node: ast.expr) -> ast.AST:
    match node:
        case ast.BinOp(op=op) | ast.UnaryOp(op=op) | ast.Compare(ops=[op]):
            return op
        case _:
            raise AssertionError(node)


_OPERATIONS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv",
    ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow", ast.LShift: "lshift",
    ast.RShift: "rshift", ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor",
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq",
    ast.NotEq: "ne", ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert",
}  # fmt: skip

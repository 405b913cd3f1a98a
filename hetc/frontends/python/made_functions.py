"""Functions made of syntax: compiled as if they stood in the user's file, in a function with some variables."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from types import CellType, CodeType, FunctionType
from typing import Any, TypeVar

from hetc.dataclass import dataclass
from hetc.frontends.python.source import FUTURE_FLAGS, SYNTAX, imports_of

Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True)
class BodyFunction:
    """The compiled body of a loop, of which each run makes a function with the variables' values then."""

    code: CodeType
    syntax: ast.FunctionDef

    def function(self, variables: Mapping[str, Any], names: dict[str, Any]) -> FunctionType:
        """The function over some variables, in a module with these global names. Missing variables have no value."""
        cells = tuple(CellType(variables[name]) if name in variables else CellType() for name in self.code.co_freevars)
        function = FunctionType(self.code, names, self.code.co_name, None, cells)
        setattr(function, SYNTAX, self.syntax)
        return function


def compile_inside(function: ast.FunctionDef, variables: Sequence[str], host: CodeType) -> CodeType:
    """The code of a function that stands in a function with some variables, in the file of a host function."""
    around = ast.FunctionDef(
        name="around", args=arguments_of(variables), body=[function], decorator_list=[], returns=None
    )
    placed(around, function)
    # As in the user's file, so that the code of functions in this one is the code that they have there.
    module = ast.fix_missing_locations(ast.Module([*imports_of(host.co_filename), around], []))
    flags = host.co_flags & FUTURE_FLAGS
    code = compile(module, host.co_filename, "exec", flags, dont_inherit=True)
    return _nested(_nested(code, "around"), function.name)


def _nested(code: CodeType, name: str) -> CodeType:
    return next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)


def placed(node: Node, place: ast.AST) -> Node:
    """A node that was made up, at the place of another; the nodes in it that have a place keep theirs."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.expr | ast.stmt | ast.arg) and not hasattr(inner, "lineno"):
            ast.copy_location(inner, place)
    return node


def arguments_of(names: Sequence[str]) -> ast.arguments:
    """The parameters of a function, by their names."""
    return ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])

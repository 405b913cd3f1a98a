"""Bind the arguments of a call to the parameters of a Python function, as Python does."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType

from hetc.errors import UnsupportedError

Refuse = Callable[[ast.AST, str], UnsupportedError]


@dataclass(frozen=True)
class Default:
    """A parameter that the call leaves to its default value."""

    value: object


def signature_of(function: FunctionType) -> inspect.Signature:
    """The parameters that a function's own code has, whatever `__wrapped__` or `__signature__` claim."""
    bare = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    bare.__kwdefaults__ = function.__kwdefaults__
    return inspect.signature(bare)


def bind_arguments(function: FunctionType, node: ast.Call, refuse: Refuse) -> list[ast.expr | Default]:
    """The argument of each parameter, in the order of the parameters.

    A call that Python would reject is refused too, so that Python raises its own TypeError.
    """
    if any(isinstance(argument, ast.Starred) for argument in node.args) or any(k.arg is None for k in node.keywords):
        raise refuse(node, "a call with *args or **kwargs is not compiled")
    signature = signature_of(function)
    keywords = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
    try:
        bound = signature.bind(*node.args, **keywords)
    except TypeError as error:
        raise refuse(node, f"{function.__name__}() {error}") from None
    arguments: list[ast.expr | Default] = []
    for name, parameter in signature.parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise refuse(node, f"{function.__name__}() takes *{name}, which is not compiled")
        arguments.append(bound.arguments[name] if name in bound.arguments else Default(parameter.default))
    return arguments

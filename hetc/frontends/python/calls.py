"""Bind the arguments of a call to the parameters of a Python function, as Python does."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import cast

from hetc.dataclass import dataclass
from hetc.errors import UnsupportedError
from hetc.frontends.python.source import FunctionNode

Refuse = Callable[[ast.AST, str], UnsupportedError]


@dataclass(frozen=True)
class Default:
    """A parameter that the call leaves to its default value."""

    value: object


Argument = ast.expr | Default | tuple[ast.expr, ...]
"""What a parameter gets: an expression, its default, or (the parameter `*args`) what is left of the arguments."""


def signature_of(function: FunctionType) -> inspect.Signature:
    """The parameters that a function's own code has, whatever `__wrapped__` or `__signature__` claim."""
    bare = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    bare.__kwdefaults__ = function.__kwdefaults__
    return inspect.signature(bare)


def signature_from(arguments: ast.arguments, defaults: dict[str, object]) -> inspect.Signature:
    """The parameters of a function that is known by its syntax alone, with the given default values."""
    groups = (
        (arguments.posonlyargs, inspect.Parameter.POSITIONAL_ONLY),
        (arguments.args, inspect.Parameter.POSITIONAL_OR_KEYWORD),
        ([] if arguments.vararg is None else [arguments.vararg], inspect.Parameter.VAR_POSITIONAL),
        (arguments.kwonlyargs, inspect.Parameter.KEYWORD_ONLY),
        ([] if arguments.kwarg is None else [arguments.kwarg], inspect.Parameter.VAR_KEYWORD),
    )
    return inspect.Signature(
        [
            inspect.Parameter(one.arg, kind, default=defaults.get(one.arg, inspect.Parameter.empty))
            for found, kind in groups
            for one in found
        ]
    )


def default_node(function: FunctionNode, name: str) -> ast.AST:
    """Where the default value of a parameter is written.

    >>> ast.unparse(default_node(ast.parse("lambda x, y=1 + 1, *, z=3: 0", mode="eval").body, "y"))
    '1 + 1'
    """
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    found: dict[str, ast.AST] = dict(
        zip((part.arg for part in reversed(positional)), reversed(arguments.defaults), strict=False)
    )
    found |= {part.arg: value for part, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value}
    return found.get(name, function)


def bind_arguments(signature: inspect.Signature, name: str, node: ast.Call, refuse: Refuse) -> dict[str, Argument]:
    """The argument of each parameter, in the order of the parameters.

    A call that Python would reject is refused too, so that Python raises its own TypeError.
    """
    keywords = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
    if len(keywords) < len(node.keywords):
        raise refuse(node, "a call with **kwargs is not compiled")
    try:
        bound = signature.bind(*node.args, **keywords)
    except TypeError as error:
        raise refuse(node, f"{name}() {error}") from None
    arguments: dict[str, Argument] = {}
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            raise refuse(node, f"{name}() takes **{parameter.name}, which is not compiled")
        if parameter.name in bound.arguments:
            arguments[parameter.name] = cast("ast.expr | tuple[ast.expr, ...]", bound.arguments[parameter.name])
        else:
            variadic = parameter.kind is parameter.VAR_POSITIONAL
            arguments[parameter.name] = () if variadic else Default(parameter.default)
    return arguments

"""Whether a program asks which object is which: by `is`, by `==` of classes without an `__eq__`, or in its results.

Only then are the identities of objects part of the program. It is the syntax that tells, and may tell too often: an
identity that no kernel reads is not moved.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import field
from types import CodeType, FunctionType

from hetc.dataclass import dataclass
from hetc.errors import UnsupportedError
from hetc.frontends.python.classes import ClassFacts
from hetc.frontends.python.closure import CapturedObject, ClassUse, ResolvedFunction
from hetc.frontends.python.scopes import FUNCTIONS, ordered_parameters
from hetc.frontends.python.source import FunctionNode, function_node


@dataclass(frozen=True)
class _Function:
    """A function, known by its code."""

    functions: tuple[FunctionType] = field(compare=False)
    code: CodeType


@dataclass(frozen=True)
class IdentityUse:
    """What the syntax of a function tells; its results may be what these expressions mean."""

    compares: bool
    equals: bool
    results: tuple[ast.expr, ...]
    parameters: frozenset[str]
    assigned: dict[str, list[ast.expr | None]] = field(compare=False)
    """What each variable may be assigned; None for what has no expression of its own."""


def asks_identity(functions: Sequence[ResolvedFunction], classes: Collection[ClassFacts]) -> bool:
    """Whether functions, in a program with these classes, may ask which object is which."""
    plain = [facts for facts in classes if facts.enumeration is None]
    names = frozenset(name for facts in classes for name in facts.object_fields)
    by_identity = any(facts.cls.__eq__ is object.__eq__ for facts in plain)
    for function in functions if plain else ():
        use = _use_of(_Function((function.function,), function.function.__code__))
        if use is None:
            continue
        if use.compares or (use.equals and by_identity):
            return True
        if not function.initializes and any(_gives_object(r, use, function, names, frozenset()) for r in use.results):
            return True
    return False


@functools.lru_cache(maxsize=1024)
def _use_of(key: _Function) -> IdentityUse | None:
    """What the syntax of a function tells; None if its source is not at hand, so that it is not compiled."""
    try:
        node = function_node(key.functions[0])
    except UnsupportedError:
        return None
    comparisons = [part for part in ast.walk(node) if isinstance(part, ast.Compare)]
    operators = [operator for part in comparisons for operator in part.ops]
    return IdentityUse(
        any(map(_compares_objects, comparisons)),
        any(isinstance(operator, ast.Eq | ast.NotEq | ast.In | ast.NotIn) for operator in operators),
        tuple(_results(node)),
        frozenset(name for part in ast.walk(node) if isinstance(part, FUNCTIONS) for name in _names(part)),
        _assignments(node),
    )


def _names(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[str]:
    return ordered_parameters(node.args)


def _compares_objects(node: ast.Compare) -> bool:
    """Whether a comparison is `a is b` of something other than constants."""
    operands = [node.left, *node.comparators]
    return any(
        isinstance(operator, ast.Is | ast.IsNot) and not any(map(_is_single, (left, right)))
        for operator, left, right in zip(node.ops, operands, operands[1:], strict=False)
    )


def _is_single(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id == "NotImplemented")


def _results(node: FunctionNode) -> Iterator[ast.expr]:
    """The expressions whose values a function, or one that is nested in it, returns."""
    for part in ast.walk(node):
        if isinstance(part, ast.Lambda):
            yield part.body
        elif isinstance(part, ast.Return | ast.Yield) and part.value is not None:
            yield part.value


def _assignments(node: FunctionNode) -> dict[str, list[ast.expr | None]]:
    found: dict[str, list[ast.expr | None]] = {}
    for part in ast.walk(node):
        for target, value in _pairs(part):
            if isinstance(target, ast.Name):
                found.setdefault(target.id, []).append(value)
            elif isinstance(target, ast.Tuple | ast.List | ast.Starred):
                for inner in ast.walk(target):
                    if isinstance(inner, ast.Name):
                        found.setdefault(inner.id, []).append(None)
    return found


def _pairs(node: ast.AST) -> list[tuple[ast.expr, ast.expr | None]]:
    """The targets that a node assigns, each with what it gets."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            return list(zip(targets, values, strict=True))
        case ast.Assign(targets=targets, value=value):
            return [(target, value) for target in targets]
        case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
            return [(target, value)]
        case ast.For(target=target, iter=source) | ast.comprehension(target=target, iter=source):
            return [(target, None if not _is_range(source) else source)]
        case _:
            return []


def _is_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"


def _gives_object(
    node: ast.expr, use: IdentityUse, function: ResolvedFunction, fields: frozenset[str], seen: frozenset[str]
) -> bool:
    """Whether an expression may mean an object that was there before, or hold one."""

    def gives(part: ast.expr) -> bool:
        return _gives_object(part, use, function, fields, seen)

    match node:
        case ast.Name(id=name) if name in seen:
            return False
        case ast.Name(id=name) if name in use.parameters:
            return True
        case ast.Name(id=name) if name in use.assigned:
            inner = seen | {name}
            return any(v is None or _gives_object(v, use, function, fields, inner) for v in use.assigned[name])
        case ast.Name(id=name):
            return isinstance(function.bindings.get((name,)), CapturedObject)
        case ast.Attribute(attr=name):
            captured = (b for chain, b in function.bindings.items() if chain[-1] == name)
            return name in fields or any(isinstance(binding, CapturedObject) for binding in captured)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords):
            makes = isinstance(function.bindings.get((name,)), ClassUse)
            return makes and any(map(gives, [*arguments, *(keyword.value for keyword in keywords)]))
        case ast.IfExp(body=body, orelse=other):
            return gives(body) or gives(other)
        case ast.BoolOp(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(map(gives, parts))
        case ast.Subscript(value=part) | ast.NamedExpr(value=part) | ast.Starred(value=part):
            return gives(part)
        case _:
            return False

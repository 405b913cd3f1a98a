"""Which lists have one name only, so that storing or appending an item is the same as binding the name to a new list.

A variable owns its list if every value that it gets is a new list, and every use reads an item, the length, or the
items one after the other, or appends one: then no other name can ever mean the same list. A loop over the list must not
store into it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from hetc.frontends.python.scopes import Names, appended_list

_READERS = ("len", "sum", "min", "max", "any", "all", "sorted", "tuple", "list", "enumerate", "zip", "reversed")


KnownName = Callable[[ast.expr], str | None]
"""The name of the known function that an expression denotes."""


def owned_lists(statements: Sequence[ast.stmt], parameters: Names, known: KnownName) -> Names:
    """The local variables whose items can be stored, and to which items can be appended."""
    stored = {
        node.value.id
        for node in _walk(statements)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
    }
    stored |= {name.id for node in _walk(statements) if (name := appended_list(node)) is not None}
    return frozenset(name for name in stored - parameters if _owns(name, statements, known))


def _owns(name: str, statements: Sequence[ast.stmt], known: KnownName) -> bool:
    allowed = {id(use) for node in _walk(statements) for use in _harmless_uses(node, known)}
    is_local = False
    for node in _walk(statements):
        match node:
            case ast.Name() if _is(name, node):
                if id(node) not in allowed:
                    return False
                is_local = is_local or isinstance(node.ctx, ast.Store)
            case ast.Global(names=names) | ast.Nonlocal(names=names) if name in names:
                return False
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() | ast.ClassDef():
                if any(_is(name, inner) for inner in ast.walk(node)):
                    return False
            case ast.For() if _loops_and_stores(node, name):
                return False
            case _:
                pass
    return is_local


def _harmless_uses(node: ast.AST, known: KnownName) -> Iterator[ast.AST]:
    """The variables, among the parts of a node, whose use there makes no second name for a list."""
    match node:
        case ast.Assign(targets=[ast.Name() as target], value=value) if _is_new_list(value, known):
            yield target
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            yield from (target for target, value in zip(targets, values, strict=True) if _is_new_list(value, known))
        case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value) if _is_new_list(value, known):
            yield target
        case ast.Subscript(value=ast.Name() as container):
            yield container
        case ast.Expr() if (container := appended_list(node)) is not None:
            yield container
        case ast.Call(func=function, args=arguments) if known(function) in _READERS:
            yield from arguments
        case ast.Starred(value=part, ctx=ast.Load()):
            yield part
        case ast.For(iter=source) | ast.comprehension(iter=source):
            yield source
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[container]):
            yield container
        case ast.BinOp(left=left, right=right):
            yield from (left, right)
        case ast.Return(value=ast.Name() as value):
            yield value
        case ast.Assign(targets=[ast.Tuple() | ast.List()], value=ast.Name() as value):
            yield value
        case _:
            return


def _is_new_list(node: ast.expr, known: KnownName) -> bool:
    """Whether an expression makes a list that nothing else means, if it makes a list at all."""
    match node:
        case ast.List() | ast.ListComp() | ast.Subscript(slice=ast.Slice()):
            return True
        case ast.Call(func=function):
            return known(function) in ("list", "sorted")
        case ast.BinOp(op=ast.Add() | ast.Mult(), left=left, right=right):
            return _is_new_list(left, known) or _is_new_list(right, known)
        case _:
            return False


def _loops_and_stores(loop: ast.For, name: str) -> bool:
    """Whether a loop runs over the list and changes it: Python's loop would see what is stored or appended."""
    if not any(_is(name, node) for node in ast.walk(loop.iter)):
        return False
    inside = [node for statement in loop.body for node in ast.walk(statement)]
    return any(
        (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and _is(name, node.value))
        or ((appended := appended_list(node)) is not None and _is(name, appended))
        for node in inside
    )


def _is(name: str, node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _walk(statements: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    for statement in statements:
        yield from ast.walk(statement)


def owned_objects(
    statements: Sequence[ast.stmt], parameters: Names, filled: Names, makes_object: Callable[[ast.expr], bool]
) -> Names:
    """The variables whose attributes can be assigned: nothing else means the object.

    A variable owns its object if all that it gets is new objects, or if it is the object that an `__init__` fills or an
    argument that is written back (`filled`), and if its attributes are all that is used of it, until it is returned. A
    method may hand it on.
    """
    stored = {
        node.value.id
        for node in _walk(statements)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
    }
    return frozenset(
        name for name in stored - parameters if _owns_object(name, statements, makes_object, given=name in filled)
    )


def _returned(node: ast.expr) -> Iterator[ast.expr]:
    """The expressions whose values a result may be, or hold: after that, nothing is assigned."""
    match node:
        case ast.Tuple(elts=parts):
            for part in parts:
                yield from _returned(part)
        case ast.IfExp(body=body, orelse=other):
            yield from _returned(body)
            yield from _returned(other)
        case _:
            yield node


def _owns_object(
    name: str, statements: Sequence[ast.stmt], makes_object: Callable[[ast.expr], bool], *, given: bool
) -> bool:
    called = {id(node.func) for node in _walk(statements) if isinstance(node, ast.Call)}
    allowed: set[int] = set()
    is_local = given
    for node in _walk(statements):
        match node:
            case ast.Attribute(value=ast.Name() as value) if id(node) not in called:
                allowed.add(id(value))
            case ast.Return(value=ast.expr() as value):
                allowed |= {id(part) for part in _returned(value)}
            case ast.Assign(targets=[ast.Name() as target], value=made) if not given and makes_object(made):
                allowed.add(id(target))
                is_local = is_local or _is(name, target)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() | ast.ClassDef() | ast.ListComp():
                if any(_is(name, inner) for inner in ast.walk(node)):
                    return False
            case _:
                pass
    return is_local and all(id(node) in allowed for node in _walk(statements) if _is(name, node))

"""A function that assigns attributes of its arguments, as a function that returns what it has assigned.

```text
def f(p, dt):                      def f(p, dt):
    if p.vx > 0:                       p.x is written = False
        p.x += p.vx * dt    =>         if p.vx > 0:
    return p.x                             p.x += p.vx * dt
                                           p.x is written = True
                                       return (p.x, p.x, p.x is written)
```

On a device an object is a value, and `p.x = ...` gives its variable another one. What an element's function comes to
is written into the user's objects when all have come to their end: an object may then stand in one place only, and an
element that Python has to run leaves all of them to Python.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from hetc.frontends.python.scopes import FUNCTIONS, ordered_parameters, scope_nodes
from hetc.frontends.python.source import FunctionNode

Writes = tuple[tuple[str, str], ...]
"""The attributes that a function may assign: the parameter and the name, in the order of the first assignments."""


def written_attributes(node: FunctionNode) -> Writes:
    """The attributes of its parameters that a function assigns in statements that do nothing else."""
    if isinstance(node, ast.Lambda):
        return ()
    parameters = frozenset(ordered_parameters(node.args))
    stored = [
        part
        for part in scope_nodes(node.body)
        if isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load) and _owner(part) in parameters
    ]
    plain = [part for statement in scope_nodes(node.body) for part in _assigned(statement)]
    places = {id(part): place for place, part in enumerate(plain)}
    if any(id(part) not in places for part in stored):  # deleted, or the variable of a loop
        return ()
    stored.sort(key=lambda part: (part.lineno, part.col_offset))
    return tuple(dict.fromkeys((_owner(part), part.attr) for part in stored))


def _owner(node: ast.Attribute) -> str:
    """The variable whose attribute it is; nothing for that of another expression."""
    return node.value.id if isinstance(node.value, ast.Name) else ""


def _assigned(node: ast.AST) -> list[ast.Attribute]:
    """The attributes that a statement assigns."""
    match node:
        case ast.Assign(targets=targets):
            pass
        case ast.AugAssign(target=target):
            targets = [target]
        case ast.AnnAssign(target=target, value=ast.expr()):
            targets = [target]
        case _:
            return []
    return [part for target in targets for part in _attributes(target)]


def _attributes(target: ast.expr) -> list[ast.Attribute]:
    match target:
        case ast.Attribute():
            return [target]
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return [found for part in parts for found in _attributes(part)]
        case _:
            return []


def returning_writes(statements: Sequence[ast.stmt], writes: Writes) -> list[ast.stmt]:
    """The same statements, returning beside the result the values of these attributes and whether they are written."""
    first, last = statements[0], statements[-1]
    end = ast.copy_location(ast.Return(None), last)
    rewriter = _ReturnWrites(writes)
    body = ast.Module([*copy.deepcopy(list(statements)), end], [])
    rewriter.visit(body)
    return [*(_flag(write, first, is_written=False) for write in writes), *body.body]


def _flag(write: tuple[str, str], place: ast.stmt, *, is_written: bool) -> ast.stmt:
    return _placed(ast.Assign([ast.Name(_name(write), ast.Store())], ast.Constant(is_written)), place)


def _name(write: tuple[str, str]) -> str:
    """A variable that no program has."""
    return f"{write[0]}.{write[1]} is written"


def _placed(node: ast.stmt, place: ast.stmt) -> ast.stmt:
    for inner in ast.walk(node):
        if isinstance(inner, ast.expr | ast.stmt) and not hasattr(inner, "lineno"):
            ast.copy_location(inner, place)
    return node


class _ReturnWrites(ast.NodeTransformer):
    """Sets the flags where attributes are assigned, and returns them."""

    def __init__(self, writes: Writes) -> None:
        self.writes = writes

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        """Leave alone the functions in it."""
        if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.expr)):
            return node
        found = {(_owner(part), part.attr) for part in _assigned(node)}
        if isinstance(node, ast.stmt) and found:
            return [node, *(_flag(write, node, is_written=True) for write in self.writes if write in found)]
        return super().visit(node)

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        parts: list[ast.expr] = [node.value or ast.Constant(None)]
        for write in self.writes:
            owner = ast.Name(write[0], ast.Load())
            parts += [ast.Attribute(owner, write[1], ast.Load()), ast.Name(_name(write), ast.Load())]
        return _placed(ast.Return(ast.Tuple(parts, ast.Load())), node)

"""An `__iter__`, as a function that returns a tuple or whatever else its iterator runs over.

```text
def __iter__(self):                         def __iter__(self):
    return iter((self.x, self.y))    =>         return (self.x, self.y)

def __iter__(self):                         def __iter__(self):
    yield self.x                     =>         item 0 = self.x
    yield self.y                                item 1 = self.y
                                                return (item 0, item 1)
```

It is called where something runs over all of it at once. A generator that runs on between the iterations of a loop
gives the same as long as nothing that it reads changes: its program assigns nothing that others see.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hetc.frontends.python.scopes import scope_nodes


def iterated_at_once(statements: Sequence[ast.stmt], *, generators: bool) -> Sequence[ast.stmt] | None:
    """The statements of an `__iter__`, whose `iter` is Python's; None for those of another form.

    `generators` says that nothing changes while one runs.
    """
    yields = [node for node in scope_nodes(statements) if isinstance(node, ast.Yield | ast.YieldFrom)]
    if yields:
        return _collected(statements, yields) if generators else None
    if sum(isinstance(node, ast.Return) for node in scope_nodes(statements)) > 1:
        return None
    match statements[-1]:
        case ast.Return(value=ast.Call(func=ast.Name(id="iter"), args=[ast.expr() as whole], keywords=[])) as last:
            return [*statements[:-1], ast.copy_location(ast.Return(whole), last)]
        case _:
            return None


def _collected(statements: Sequence[ast.stmt], yields: Sequence[ast.AST]) -> Sequence[ast.stmt] | None:
    """A generator that does nothing but yield in a fixed order, as a function that returns what it yields."""
    result: list[ast.stmt] = []
    names: list[str] = []
    for statement in statements:
        match statement:
            case ast.Expr(value=ast.Yield(value=ast.expr() as item)):
                names.append(f"item {len(names)}")
                result.append(ast.copy_location(ast.Assign([_name(names[-1], item, ast.Store())], item), statement))
            case _:
                result.append(statement)
    if len(names) < len(yields) or any(isinstance(node, ast.Return) for node in scope_nodes(statements)):
        return None
    last = statements[-1]
    items: list[ast.expr] = [_name(name, last, ast.Load()) for name in names]
    result.append(ast.copy_location(ast.Return(ast.copy_location(ast.Tuple(items, ast.Load()), last)), last))
    return result


def _name(name: str, place: ast.AST, context: ast.expr_context) -> ast.expr:
    """A variable that no program has."""
    return ast.copy_location(ast.Name(name, context), place)

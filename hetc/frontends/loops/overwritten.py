"""Which arrays a parallel loop stores to as a whole, if its indices are all of theirs."""

from __future__ import annotations

import ast

from hetc.frontends.loops.conditions import own_jumps
from hetc.frontends.loops.host_effects import Lookup
from hetc.frontends.loops.host_values import Kind
from hetc.frontends.python.scopes import assigned_names


def overwritten_arrays(loop: ast.For, lookup: Lookup) -> set[str]:
    r"""The arrays of which each iteration stores the element at its indices, whatever way it takes.

    >>> source = "for i in hetc.forall(n):\n    x[i] = y[i] = 1\n    v[i], (w[i], t) = u\n    if i:\n        z[i] = 2"
    >>> from hetc.frontends.loops.host_values import array
    >>> sorted(overwritten_arrays(ast.parse(source).body[0], lambda name: array(1)))
    ['v', 'w', 'x', 'y']
    """
    targets = loop.target.elts if isinstance(loop.target, ast.Tuple | ast.List) else [loop.target]
    indices = [target.id for target in targets if isinstance(target, ast.Name)]
    assigned = assigned_names(loop.body)
    if set(indices) & assigned:
        return set()
    assigned |= _looked_at(loop)
    found: set[str] = set()
    for statement in loop.body:
        if own_jumps([statement]):
            break
        for target in _targets(statement) if isinstance(statement, ast.Assign) else ():
            match target:
                case ast.Subscript(value=ast.Name(id=name), slice=index) if name not in assigned:
                    value = lookup(name)
                    if value.kind is Kind.ARRAY and value.rank == len(indices) and _names(index) == indices:
                        found.add(name)
                case _:
                    pass
    return found


def _looked_at(loop: ast.For) -> set[str]:
    """The names in a loop's body that stand elsewhere than in `y[...] = value`, `len(y)` and `y.shape`."""
    harmless: set[int] = set()
    nodes = [node for statement in loop.body for node in ast.walk(statement)]
    for node in nodes:
        match node:
            case ast.Assign():
                harmless |= {id(target.value) for target in _targets(node) if isinstance(target, ast.Subscript)}
            case ast.Attribute(value=owner, attr="shape" | "size" | "ndim"):
                harmless.add(id(owner))
            case ast.Call(func=ast.Name(id="len"), args=[argument]):
                harmless.add(id(argument))
            case _:
                pass
    return {node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in harmless}


def _targets(node: ast.Assign) -> list[ast.expr]:
    """What an assignment stores to, tuples taken apart."""
    found = list(node.targets)
    for target in found:  # which grows meanwhile
        if isinstance(target, ast.Tuple | ast.List):
            found += target.elts
    return found


def _names(index: ast.expr) -> list[str]:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return [part.id if isinstance(part, ast.Name) else "" for part in parts]

"""The statements of a function that NumPy runs on whole arrays: found by their syntax, in groups of neighbours.

    b[1:-1] = a[:-2] + a[2:]       a store
    b *= 0.5                       an update in place, if `b` turns out to be an array
    c = np.sqrt(b)                 a binding
    return c.sum()                 a result

Whether their names mean arrays shows when they are reached.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any, cast

from hetc.dataclass import dataclass
from hetc.frontends.array_code.trees import OPERATORS, Leaf, NoTreeError, Tree, TreeBuilder, is_leaf
from hetc.frontends.python.scopes import FUNCTIONS, Names, loaded_names


class Kind(enum.Enum):
    """What a statement does with the value of its expression."""

    BIND = "bind"
    UPDATE = "update"
    STORE = "store"
    RETURN = "return"


@dataclass(frozen=True)
class ArrayStatement:
    """One statement. `name` is what it binds or updates, `target` the part of an array that it stores to.

    `value` of an update has the target as its first operand. `base` is the leaf whose part the target is.
    """

    node: ast.stmt = field(compare=False, repr=False)
    kind: Kind
    value: Tree
    leaves: tuple[ast.expr, ...] = field(compare=False, repr=False)
    name: str | None = None
    target: Leaf | None = None
    after: Names = frozenset()
    """The variables that are needed after it."""

    @property
    def is_update(self) -> bool:
        """Whether it updates something, with an operator such as `+=`."""
        return isinstance(self.node, ast.AugAssign)


def array_statement(node: ast.stmt, after: Names) -> ArrayStatement | None:
    """A statement, if it may be one on whole arrays."""
    builder = TreeBuilder()
    try:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if not is_leaf(value):
                return ArrayStatement(node, Kind.BIND, builder.tree(value), tuple(builder.leaves), name, None, after)
            case ast.Assign(targets=[ast.Subscript() as target], value=value) if is_leaf(target) and _has_slice(target):
                tree, leaf = builder.tree(value), builder.leaf(_loaded(target))
                return ArrayStatement(node, Kind.STORE, tree, tuple(builder.leaves), None, leaf, after)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                leaf = builder.leaf(_loaded(target))
                tree = builder.tree(_updated(target, op, value, node))
                return ArrayStatement(node, Kind.UPDATE, tree, tuple(builder.leaves), name, leaf, after)
            case ast.AugAssign(target=ast.Subscript() as target, op=op, value=value) if is_leaf(target):
                if not _has_slice(target):
                    return None
                tree = builder.tree(_updated(target, op, value, node))
                leaf = builder.leaf(_loaded(target))
                return ArrayStatement(node, Kind.STORE, tree, tuple(builder.leaves), None, leaf, after)
            case ast.Return(value=ast.expr() as value) if not is_leaf(value):
                return ArrayStatement(node, Kind.RETURN, builder.tree(value), tuple(builder.leaves), None, None, after)
            case _:
                return None
    except NoTreeError:
        return None


def _updated(target: ast.expr, op: ast.operator, value: ast.expr, node: ast.stmt) -> ast.expr:
    """`target op value`, at the place of a statement."""
    if type(op) not in OPERATORS:
        raise NoTreeError
    return ast.copy_location(ast.BinOp(_loaded(target), op, value), node)


def _loaded(target: ast.expr) -> ast.expr:
    """A target as an expression, at its place."""
    match target:
        case ast.Name(id=name):
            return ast.copy_location(ast.Name(name, ast.Load()), target)
        case ast.Subscript(value=value, slice=index):
            return ast.copy_location(ast.Subscript(value, index, ast.Load()), target)
        case _:
            raise NoTreeError


def _has_slice(target: ast.Subscript) -> bool:
    """Whether a target may be more than one element, as far as its syntax tells."""
    parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
    return any(isinstance(part, ast.Slice) or (isinstance(part, ast.Constant) and part.value is ...) for part in parts)


def statement_lists(node: ast.FunctionDef, without: Sequence[ast.For]) -> Iterator[list[ast.stmt]]:
    """All lists of statements of a function's own code, but for those in some loops, from the outside in."""
    left_out = set(map(id, without))
    work: list[ast.AST] = [node]
    while work:
        inner = work.pop()
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            found: Any = getattr(inner, name, None)
            if not isinstance(found, list):
                continue
            found = cast("list[Any]", found)
            if name in ("body", "orelse", "finalbody") and (name != "body" or id(inner) not in left_out):
                yield found
            work += [
                part
                for part in found
                if not isinstance(part, (*FUNCTIONS, ast.ClassDef)) and not (name == "body" and id(inner) in left_out)
            ]


@dataclass(frozen=True)
class Group:
    """Neighbouring statements on whole arrays."""

    statements: tuple[ArrayStatement, ...]

    @property
    def first(self) -> ast.stmt:
        """The statement that the group begins with."""
        return self.statements[0].node


def groups_in(body: Sequence[ast.stmt], after: dict[int, Names]) -> Iterator[Group]:
    """The groups of a list of statements, as long as can be. `after` has the variables needed after each statement."""
    found: list[ArrayStatement] = []
    for node in body:
        statement = array_statement(node, after.get(id(node), frozenset()))
        if statement is not None:
            found.append(statement)
        elif found:
            yield Group(tuple(found))
            found = []
    if found:
        yield Group(tuple(found))


def names_kept(node: ast.FunctionDef, shared: Names) -> Names | None:
    """The variables that stay although nothing reads them: those shared with others; None for all of them."""
    if loaded_names(node) & {"locals", "vars", "dir", "eval", "exec"}:
        return None
    if any(isinstance(inner, ast.Try | ast.TryStar | ast.With) for inner in ast.walk(node)):
        return None
    return shared

"""A user's function as explained lines: which of them are compiled, and the types that they bind and return."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Sequence
from types import FunctionType
from typing import cast

from hetc.explanation.lines import DEVICE, HOST, Guard, Line, Value
from hetc.explanation.types import Place, TypesByPlace
from hetc.frontends.python.scopes import appended_list
from hetc.frontends.python.source import FunctionNode, function_node

DOUBLE = "computes in double precision here: a numpy.float32 becomes a float"


def function_lines(function: FunctionType, types: TypesByPlace | None, guards: Sequence[Guard]) -> list[Line]:
    """The lines of a function, with what its level-1 module says of them; without a module, all run on the host.

    Each line gets those of `guards` that stand on it, in this function.

    Raises UnsupportedError if the source is not at hand.
    """
    node = function_node(function)
    filename = function.__code__.co_filename
    annotated = _Function(filename, node, types)
    own = [
        guard
        for guard in guards
        if (place := guard.location) and place.filename == filename and _holds(node, (place.line, place.column))
    ]
    lines: list[Line] = []
    for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
        notes = (DOUBLE,) if types is not None and (filename, number) in types.widened else ()
        text = _text(filename, number, node)
        here = tuple(guard for guard in own if guard.location and guard.location.line == number)
        where = annotated.where.get(number, "") if text.strip() else ""
        if any(guard.leaves and guard.kept for guard in here):
            where = HOST
        values = tuple(annotated.values.get(number, ()))
        lines.append(Line(function.__name__, filename, number, text, where, values, here, notes))
    return lines


def _text(filename: str, number: int, node: FunctionNode) -> str:
    """A line of a function; of a lambda on one line, the lambda alone."""
    text = linecache.getline(filename, number).rstrip("\n")
    if isinstance(node, ast.Lambda) and node.lineno == node.end_lineno:
        return text.encode()[node.col_offset : node.end_col_offset].decode()
    return text


class _Function:
    """Visits a function's statements in order, with the types that its variables have so far."""

    def __init__(self, filename: str, node: FunctionNode, types: TypesByPlace | None) -> None:
        self.filename = filename
        self.types = types
        self.where: dict[int, str] = {}
        self.values: dict[int, list[Value]] = {}
        self.variables: dict[str, tuple[str, ...]] = {}
        places = types.places[filename] if types is not None else set[tuple[int, int]]()
        self.places = sorted(place for place in places if _holds(node, place))
        where = DEVICE if self.places else HOST
        for parameter in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            found = () if types is None else types.named(self.place(node), parameter.arg)
            self.bind(parameter.arg, found, parameter.lineno)
        if isinstance(node, ast.Lambda):
            self.mark(node.lineno, _end(node), where)
            self.value(None, node.body)
            return
        self.mark(node.lineno, node.body[0].lineno - 1, where)
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        self.block(body, where)

    def place(self, node: ast.expr | ast.stmt) -> Place:
        return self.filename, node.lineno, node.col_offset

    def mark(self, first: int, last: int, where: str) -> None:
        self.where |= dict.fromkeys(range(first, last + 1), where)

    def block(self, statements: Sequence[ast.stmt], where: str) -> None:
        """A block runs where its statements do; one of nothing but names and constants, where what holds it does."""
        telling = [node for node in statements if not _is_silent(node)]
        if telling and not any(self.is_compiled(node) for node in telling):
            where = HOST
        for node in statements:
            self.statement(node, HOST if not _is_silent(node) and not self.is_compiled(node) else where)

    def is_compiled(self, node: ast.stmt) -> bool:
        return any(_holds(node, place) for place in self.places)

    def statement(self, node: ast.stmt, where: str) -> None:
        blocks = [block for _, block in _blocks(node)]
        self.mark(node.lineno, _end(node), where)
        match node:
            case ast.Assign():
                for target in node.targets:
                    self.target(target, node.value)
            case ast.AnnAssign(value=ast.expr() as value):
                self.target(node.target, value)
            case ast.AugAssign(target=ast.Name(id=name)):
                self.bind(name, self.at(self.place(node)), node.lineno)
            case ast.Expr() if (name := appended_list(node)) is not None:
                self.bind(name.id, self.at(self.place(node)), node.lineno)
            case ast.Return(value=ast.expr() as value):
                self.value(None, value)
            case ast.For():
                for target in ast.walk(node.target):
                    if isinstance(target, ast.Name):
                        self.loop_variable(target, node)
            case _:
                pass
        for block in blocks:
            self.block(block, where)

    # --- types -------------------------------------------------------------------------------------------------------

    def at(self, place: Place) -> tuple[str, ...]:
        return () if self.types is None else self.types.at(place)

    def of(self, node: ast.expr) -> tuple[str, ...]:
        """The types of an expression."""
        return self.known(node) or self.at(self.place(node))

    def known(self, node: ast.expr) -> tuple[str, ...]:
        """The types of a local variable."""
        return self.variables.get(node.id, ()) if isinstance(node, ast.Name) else ()

    def target(self, target: ast.expr, value: ast.expr) -> None:
        """Bind a target to the value of an expression; a tuple item by item, if it is one in the source too."""
        if isinstance(target, ast.Name):
            self.bind(target.id, self.of(value), target.lineno)
        elif isinstance(target, ast.Tuple | ast.List):
            items = value.elts if isinstance(value, ast.Tuple) else [None] * len(target.elts)
            for one, item in zip(target.elts, items, strict=False):
                if item is not None and item is items[0] and isinstance(one, ast.Name) and self.types is not None:
                    self.bind(one.id, self.known(item) or self.types.first_item(self.place(item)), one.lineno)
                elif item is not None:
                    self.target(one, item)
                elif isinstance(one, ast.Name) and self.types is not None:
                    self.bind(one.id, self.types.named(self.place(target), one.id), one.lineno)

    def loop_variable(self, target: ast.Name, node: ast.For) -> None:
        if self.types is not None:
            found = (self.types.named(self.place(place), target.id) for place in (node, node.target, target))
            self.bind(target.id, next(filter(None, found), ()), target.lineno)

    def value(self, name: str | None, node: ast.expr) -> None:
        types = self.of(node)
        if types:
            self.values.setdefault(node.lineno, []).append(Value(name, types))

    def bind(self, name: str, types: tuple[str, ...], line: int) -> None:
        self.variables[name] = types
        if types:
            self.values.setdefault(line, []).append(Value(name, types))


def _blocks(node: ast.stmt) -> Iterator[tuple[str, list[ast.stmt]]]:
    """The blocks of a compound statement."""
    for name, value in ast.iter_fields(node):
        if not isinstance(value, list):
            continue
        parts = cast("list[object]", value)
        statements = [part for part in parts if isinstance(part, ast.stmt)]
        if statements:
            yield name, statements
        for part in parts:
            if isinstance(part, ast.ExceptHandler | ast.match_case):
                yield name, part.body


def _is_silent(node: ast.stmt) -> bool:
    """Whether a statement compiles to no op: it consists of names and constants at most."""
    inside = [inner for inner in ast.walk(node) if isinstance(inner, ast.expr)]
    simple = not any(True for _ in _blocks(node))
    return simple and all(isinstance(inner, ast.Name) for inner in inside if not isinstance(inner, ast.expr_context))


def _holds(node: ast.expr | ast.stmt, place: tuple[int, int]) -> bool:
    return (node.lineno, node.col_offset) <= place < (_end(node), node.end_col_offset or 0)


def _end(node: ast.expr | ast.stmt) -> int:
    return node.end_lineno or node.lineno

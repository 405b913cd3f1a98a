"""Rewrite statements that others express: `match`, and `while` with an assignment expression in its test.

```text
match s:                      subject = s
    case 0 | 1: A             if subject == 0 or subject == 1: A
    case (a, b) if a < b: B   elif <sequence of 2> and (bind a, b) and a < b: B
    case _: C                 else: C

while (y := f(x)) > 0: A      while True:
else: B                           if (y := f(x)) > 0: A
                                  else: B; break
```

The new nodes stand where the old ones stood. A statement that cannot be expressed so stays as it is.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from typing import Any, TypeVar

from hetc.frontends.python.scopes import scope_nodes, walrus_names

Node = TypeVar("Node", bound=ast.AST)


class Internal(ast.expr):
    """A call of a function that hetc knows by name, whatever the user's name for it means."""

    _fields = ("args",)

    def __init__(self, name: str = "", args: list[ast.expr] | None = None, **place: Any) -> None:
        super().__init__(**place)
        self.name = name
        self.args = args or []


class Bind(ast.NamedExpr):
    """An assignment expression that counts as true, whatever its value."""


class IsInstance(ast.expr):
    """Whether the class of a value is one of those that hetc knows by these names, or a subclass.

    `cls`, if given, is the expression that denotes the class.
    """

    _fields = ("value", "cls")

    def __init__(
        self,
        value: ast.expr | None = None,
        cls: ast.expr | None = None,
        classes: tuple[str, ...] = (),
        **place: Any,
    ) -> None:
        super().__init__(**place)
        self.value = value or ast.Constant(None)
        self.cls = cls
        self.classes = classes


class Nothing(ast.expr):
    """A value that control flow makes sure nobody reads."""


class UnrolledFor(ast.For):
    """A loop that makes a list: it must be unrolled, since the list grows."""


class Leave(ast.stmt):
    """Python runs the element: what it does here is not compiled."""

    def __init__(self, reason: str = "", **place: Any) -> None:
        super().__init__(**place)
        self.reason = reason


_SELF_MATCHING = ("bool", "float", "int", "list", "tuple")


def desugar(statements: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """The statements without `match` and without assignment expressions in the tests of `while`."""
    if not any(isinstance(node, ast.Match | ast.While) for node in scope_nodes(statements)):
        return statements
    transformer = _Desugar()
    new: list[ast.stmt] = []
    for statement in copy.deepcopy(list(statements)):
        result = transformer.visit(statement)
        new += result if isinstance(result, list) else [result]
    return new


class _InexpressibleError(Exception):
    """A pattern that is not expressed by tests."""


class _Desugar(ast.NodeTransformer):
    def __init__(self) -> None:
        self.subjects = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node  # desugared when it is called

    def visit_While(self, node: ast.While) -> ast.While:
        self.generic_visit(node)
        if not walrus_names(node.test) or _leaves(node.orelse):
            return node
        choice = ast.If(node.test, node.body, [*node.orelse, ast.Break()])
        return placed(ast.While(ast.Constant(True), [placed(choice, node)], []), node)

    def visit_Match(self, node: ast.Match) -> ast.Match | list[ast.stmt]:
        self.generic_visit(node)
        name = f"subject.{self.subjects}"
        self.subjects += 1
        try:
            cases = self._cases(node.cases, name)
        except _InexpressibleError:
            return node
        return [placed(ast.Assign([_store(name)], node.subject), node.subject), *cases]

    def _cases(self, cases: Sequence[ast.match_case], subject: str) -> list[ast.stmt]:
        if not cases:
            return []
        case, rest = cases[0], cases[1:]
        pattern = _Pattern()
        pattern.add(case.pattern, _load(subject))
        if case.guard is None:
            binds = [placed(ast.Assign([_store(name)], value), case.pattern) for name, value in pattern.binds]
            tests, body = pattern.tests, [*binds, *case.body]
        else:
            tests, body = [*pattern.tests, *pattern.bindings(), case.guard], case.body
        if not tests:
            return body
        return [placed(ast.If(_all(tests, ast.And()), body, self._cases(rest, subject)), case.pattern)]


class _Pattern:
    """A pattern as tests, and what it binds once they all hold."""

    def __init__(self) -> None:
        self.tests: list[ast.expr] = []
        self.binds: list[tuple[str, ast.expr]] = []

    def bindings(self) -> list[ast.expr]:
        """The bindings, as tests that always hold."""
        return [Bind(_store(name), value) for name, value in self.binds]

    def add(self, pattern: ast.pattern, subject: ast.expr) -> None:
        """Test a subject, an expression without effects, against a pattern."""
        match pattern:
            case ast.MatchValue(value=value):
                self._test(ast.Compare(subject, [ast.Eq()], [value]), pattern)
            case ast.MatchSingleton(value=value):
                self._test(ast.Compare(subject, [ast.Is()], [ast.Constant(value)]), pattern)
            case ast.MatchAs(pattern=inner, name=name):
                if inner is not None:
                    self.add(inner, subject)
                if name is not None:
                    self.binds.append((name, subject))
            case ast.MatchOr(patterns=patterns):
                self._alternatives(patterns, subject, pattern)
            case ast.MatchSequence(patterns=patterns):
                self._sequence(patterns, subject, pattern)
            case ast.MatchClass(cls=ast.Name(id=name), patterns=patterns, kwd_attrs=[]) if name in _SELF_MATCHING:
                self._test(IsInstance(subject, pattern.cls), pattern)
                self._inside(patterns, subject)
            case _:
                raise _InexpressibleError

    def _test(self, test: ast.expr, place: ast.AST) -> None:
        self.tests.append(placed(test, place))

    def _inside(self, patterns: Sequence[ast.pattern], subject: ast.expr) -> None:
        """The argument of a class pattern: the builtin types match themselves."""
        if len(patterns) > 1:
            raise _InexpressibleError
        for inner in patterns:
            self.add(inner, subject)

    def _alternatives(self, patterns: Sequence[ast.pattern], subject: ast.expr, place: ast.pattern) -> None:
        """`p | q`, of patterns that bind nothing."""
        choices: list[ast.expr] = []
        for pattern in patterns:
            inner = _Pattern()
            inner.add(pattern, subject)
            if inner.binds:
                raise _InexpressibleError
            choices.append(_all(inner.tests, ast.And()))
        self._test(_all(choices, ast.Or()), place)

    def _sequence(self, patterns: Sequence[ast.pattern], subject: ast.expr, place: ast.pattern) -> None:
        """`[p, *rest, q]`: a tuple or list of that length, item by item."""
        stars = [k for k, pattern in enumerate(patterns) if isinstance(pattern, ast.MatchStar)]
        before = stars[0] if stars else len(patterns)
        behind = len(patterns) - before - len(stars)
        self._test(IsInstance(subject, classes=("list", "tuple")), place)
        length = Internal("len", [subject])
        operator = ast.GtE() if stars else ast.Eq()
        self._test(ast.Compare(length, [operator], [ast.Constant(before + behind)]), place)
        for k, pattern in enumerate(patterns):
            if isinstance(pattern, ast.MatchStar):
                upper = ast.UnaryOp(ast.USub(), ast.Constant(behind)) if behind else None
                middle = ast.Subscript(subject, ast.Slice(ast.Constant(before), upper), ast.Load())
                if pattern.name is not None:
                    self.binds.append((pattern.name, placed(Internal("list", [middle]), pattern)))
                continue
            index = ast.Constant(k) if k < before else ast.UnaryOp(ast.USub(), ast.Constant(len(patterns) - k))
            self.add(pattern, placed(ast.Subscript(subject, index, ast.Load()), pattern))


def _leaves(statements: Sequence[ast.stmt]) -> bool:
    """Whether statements break or continue the loop around them."""
    return any(isinstance(node, ast.Break | ast.Continue) for node in scope_nodes(statements))


def _all(tests: list[ast.expr], operator: ast.boolop) -> ast.expr:
    if not tests:
        return ast.Constant(True)
    return tests[0] if len(tests) == 1 else ast.BoolOp(operator, tests)


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _store(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def placed(node: Node, place: ast.AST) -> Node:
    """A new node, and all below it that have no place yet, at the place of another."""
    ast.copy_location(node, place)
    return ast.fix_missing_locations(node)

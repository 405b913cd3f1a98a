"""Functions that assign attributes of their arguments, as functions that return what they assign."""

from __future__ import annotations

import ast
import textwrap
from typing import cast

import pytest

from hetc.frontends.python.object_writes import returning_writes, written_attributes


def parsed(source: str) -> ast.FunctionDef:
    return cast("ast.FunctionDef", ast.parse(textwrap.dedent(source)).body[0])


def rewritten(source: str) -> str:
    node = parsed(source)
    before = ast.dump(node)
    body = returning_writes(node.body, written_attributes(node))
    assert ast.dump(node) == before
    assert all(hasattr(part, "lineno") for s in body for part in ast.walk(s) if isinstance(part, ast.expr | ast.stmt))
    return "\n".join(map(ast.unparse, body))


def test_flags_are_set_where_attributes_are_assigned() -> None:
    assert rewritten("""
        def f(p, dt):
            if dt > 0:
                p.x, q = p.x + dt, 1
                return q
            p.y += 1
    """) == textwrap.dedent("""\
        p.x is written = False
        p.y is written = False
        if dt > 0:
            p.x, q = (p.x + dt, 1)
            p.x is written = True
            return (q, p.x, p.x is written, p.y, p.y is written)
        p.y += 1
        p.y is written = True
        return (None, p.x, p.x is written, p.y, p.y is written)""")


def test_functions_inside_keep_their_returns() -> None:
    text = rewritten("""
        def f(p):
            def g():
                return 1
            p.x = g()
    """)
    assert "return 1" in text
    assert text.count("p.x is written = ") == 2


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(p, q):\n q.b = 1\n p.a = 2\n q.b = 3", (("q", "b"), ("p", "a"))),
        ("def f(p):\n p.a: float = 1\n [p.b, *p.c] = 1, 2", ()),
        ("def f(p):\n p.a: float = 1\n [p.b, c] = 1, 2", (("p", "a"), ("p", "b"))),
        ("def f(p):\n p.a = 1\n del p.b", ()),
        ("def f(p):\n p.a = 1\n for p.b in range(3): pass", ()),
        ("def f(p):\n p.a: float", ()),
        ("def f(p):\n q = p\n q.a = 1", ()),
        ("def f(p):\n p.q.a = 1", ()),
    ],
)
def test_what_may_be_assigned(source: str, expected: object) -> None:
    assert written_attributes(parsed(source)) == expected

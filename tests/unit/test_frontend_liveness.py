"""Which variables are live after branches and loops, and at the heads of loops."""

from __future__ import annotations

import ast
import textwrap

import pytest

from hetc.frontends.python.liveness import Liveness
from hetc.frontends.python.scopes import assigned_names, closures_of, free_names, loaded_names


def facts(text: str) -> list[tuple[str, set[str], set[str] | None]]:
    """For each branch and loop of a function, in order: its kind, the names live after it, and at a loop's head."""
    body = ast.parse(textwrap.dedent(text)).body
    liveness = Liveness(body, closures_of(body))
    nodes = [node for root in body for node in ast.walk(root) if isinstance(node, ast.If | ast.For | ast.While)]
    nodes.sort(key=lambda node: node.lineno)
    return [
        (
            type(node).__name__,
            set(liveness.after[id(node)]),
            set(liveness.head[id(node)]) if id(node) in liveness.head else None,
        )
        for node in nodes
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a = 1", {"a"}),
        ("a += 1", {"a"}),
        ("a: int = 1", {"a"}),
        ("a, (b, *c) = x", {"a", "b", "c"}),
        ("a[i] = x.y", set()),
        ("del a, b", {"a", "b"}),
        ("a: int", {"a"}),
        ("def f(a):\n    b = a", {"f"}),
        ("a = lambda b: (c := b)", {"a"}),
        ("a = [b for b in x if (c := b)]", {"a", "c"}),
        ("a = sum((d := b) for b in (e := x))", {"a", "d", "e"}),
        ("a = (b := 1) + (c := 2)", {"a", "b", "c"}),
        ("a.b = 1", set()),
        ("for i in range(n):\n    s = i", {"i", "s"}),
        ("if x:\n    a = 1\nelse:\n    b = 2", {"a", "b"}),
        ("return x", set()),
    ],
)
def test_assigned_names(text: str, names: set[str]):
    assert assigned_names(ast.parse(text).body) == names
    assert assigned_names(ast.parse(text).body[0]) == names


def test_after_a_branch_lives_what_is_read_before_it_is_assigned():
    text = """
        if c:
            a = b = d = 1
        b = 2
        return a + b
    """
    assert facts(text) == [("If", {"a"}, None)]


def test_an_augmented_assignment_reads_its_target():
    text = """
        if c:
            a = 1
        a += 1
        return a
    """
    assert facts(text) == [("If", {"a"}, None)]


def test_a_return_ends_what_follows():
    text = """
        if c:
            a = b = 1
        return a
        return b
    """
    assert facts(text) == [("If", {"a"}, None)]


def test_branches_of_a_branch():
    text = """
        if c:
            if d:
                a = 1
            b = a
        return b + c
    """
    assert facts(text) == [("If", {"b", "c"}, None), ("If", {"a", "c"}, None)]


def test_at_the_head_of_a_loop_lives_what_the_next_iteration_reads():
    text = """
        while x > 0:
            t = s
            s = t + x
            x = x - 1
        return s
    """
    assert facts(text) == [("While", {"s"}, {"s", "x"})]


def test_a_loop_variable_does_not_live_at_the_head():
    text = """
        for i in range(n):
            s = s + i
        return s
    """
    assert facts(text) == [("For", {"s"}, {"s"})]


def test_a_loop_variable_that_is_read_later_does():
    text = """
        for i in range(n):
            pass
        return i
    """
    assert facts(text) == [("For", {"i"}, {"i"})]


def test_what_one_iteration_hands_to_the_one_after_next():
    """The value moves through three variables, so two passes over the body are not enough."""
    text = """
        for i in range(n):
            a = b
            b = c
            c = d
            d = i
        return a
    """
    assert facts(text) == [("For", {"a"}, {"a", "b", "c", "d"})]


def test_break_goes_where_the_loop_ends_and_continue_to_its_head():
    text = """
        while c:
            if x:
                a = 1
                break
            if y:
                b = 1
                continue
            b = 2
        return a
    """
    head = {"a", "c", "x", "y"}
    # Nothing goes on from the first `if` but what its else path reads.
    assert facts(text) == [
        ("While", {"a"}, head),
        ("If", {"a", "c", "x", "y"}, None),
        ("If", {"a", "c", "x", "y"}, None),
    ]


def test_break_of_an_inner_loop():
    text = """
        for i in range(n):
            for j in range(i):
                if c:
                    a = j
                    break
                b = j
            s = a
        return s
    """
    (_, after_outer, head), (_, after_inner, _), _ = facts(text)
    assert after_outer == {"s"}
    assert head == {"a", "c", "range", "s"}
    assert after_inner == {"a", "c", "range"}


def test_nested_loops_carry_through():
    text = """
        for i in range(n):
            for j in range(m):
                t = t * j
            s = s + t
        return s
    """
    head = {"m", "range", "s", "t"}
    assert facts(text) == [("For", {"s"}, head), ("For", head, head)]


def test_the_bounds_of_a_range_are_read_once_before_the_loop():
    text = """
        if c:
            n = 1
        for i in range(n):
            pass
        return 0
    """
    assert facts(text) == [("If", {"n", "range"}, None), ("For", set(), set())]


def test_the_test_of_a_while_loop_is_read_again():
    text = """
        while x < limit:
            x = x + 1
        return 0
    """
    assert facts(text) == [("While", set(), {"limit", "x"})]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[a + b for a in c if d]", {"b", "c", "d"}),
        ("[a for a in a]", {"a"}),
        ("[b for a in x for b in a]", {"x"}),
        ("lambda a, b=c: a + b + d", {"c", "d"}),
        ("def f(a):\n    b = a\n    return b + c", {"c"}),
        ("def f(a):\n    nonlocal b\n    b = a", set()),
        ("a: b = c", {"c"}),
        ("{a: b for a in c}", {"b", "c"}),
    ],
)
def test_names_that_are_read_from_the_scope(text: str, names: set[str]):
    assert loaded_names(ast.parse(text).body) == names


def test_free_names_of_nested_functions():
    function = ast.parse("def f(a):\n    def g(b):\n        return a + b + c\n    return g(d)").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert free_names(function) == {"c", "d"}


def test_a_call_of_a_nested_function_needs_what_the_function_reads():
    text = """
        y = 1
        def g(): return y
        def h(): return g() + z
        if x:
            y = 2
        r = h()
    """
    assert facts(text) == [("If", {"h", "g", "y", "z"}, None)]


def test_a_variable_is_needed_until_the_last_call_that_reads_it():
    text = """
        def g(): return y
        for k in x:
            y = k
            r = g()
        if r:
            y = 3
    """
    assert facts(text) == [("For", {"r"}, {"g", "r"}), ("If", set(), None)]


def test_an_assignment_expression_may_not_be_evaluated():
    assert facts("if x:\n    pass\na = b and (c := d)\nr = c") == [("If", {"b", "c", "d"}, None)]


def test_deleted_variables_are_not_needed():
    assert facts("if x:\n    a = 1\ndel a\na = 2\nr = a") == [("If", set(), None)]


def test_an_annotation_assigns_nothing():
    assert facts("if x:\n    a = 1\na: int\nr = a") == [("If", {"a"}, None)]

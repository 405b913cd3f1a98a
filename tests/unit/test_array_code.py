"""NumPy statements as loops: how a function is rewritten, which statements share a loop, and the body of that loop."""

from __future__ import annotations

import ast
import textwrap
from typing import Any, cast

import numpy as np
import pytest

import hetc
from hetc import array_runs
from hetc.array_calls import operation, values_of
from hetc.array_runs import GroupState
from hetc.errors import UnsupportedError
from hetc.frontends.array_code.bodies import loop_body
from hetc.frontends.array_code.calls import ArrayCall
from hetc.frontends.array_code.forms import Form, form_of
from hetc.frontends.array_code.plans import plan
from hetc.frontends.array_code.rewrite import array_groups, rewrite_groups
from hetc.frontends.array_code.steps import Action, LoopStep, Outcome, Plan, ProductStep
from hetc.frontends.array_code.typed import Value
from hetc.frontends.array_code.values import Values, leaf_values


def function(source: str) -> ast.FunctionDef:
    (node,) = ast.parse(textwrap.dedent(source)).body
    assert isinstance(node, ast.FunctionDef)
    return node


def planned(source: str, **names: Any) -> tuple[Plan, Values]:
    """The plan for the first statements of the first group of a function, whose names mean this."""
    group = array_groups(function(source), [], frozenset())[0]
    values = leaf_values(group.statements, [names, {"np": np}])
    return plan(group.statements, values), values


def bodies(source: str, **names: Any) -> list[str]:
    """The bodies of the loops of a plan, as text."""
    found, values = planned(source, **names)
    return [
        f"product {step.name}" if isinstance(step, ProductStep) else ast.unparse(loop_body(step, values, "f").function)
        for step in found.steps
    ]


def check_body(source: str, expected: str, **names: Any) -> None:
    (body,) = bodies(source, **names)
    assert body == textwrap.dedent(expected).strip()


def test_statements_ask_whether_they_have_run() -> None:
    node = function("""
        def f(a, x):
            b = a * x
            print(b)
            return b.sum()
    """)
    rewrite_groups(node, [])
    assert ast.unparse(node) == textwrap.dedent("""\
        def f(a, x):
            if (__hetc_arrays_0__ := ('hetc starts array statements' @ 0)):
                if __hetc_arrays_0__.runs(0):
                    if __hetc_arrays_0__.gives:
                        b = __hetc_arrays_0__.take()
                else:
                    b = a * x
                __hetc_arrays_0__.end()
                del __hetc_arrays_0__
            else:
                del __hetc_arrays_0__
                b = a * x
            print(b)
            if (__hetc_arrays_1__ := ('hetc starts array statements' @ 1)):
                if __hetc_arrays_1__.runs(0):
                    return __hetc_arrays_1__.take()
                else:
                    return __hetc_arrays_1__.ended(b.sum())
            else:
                del __hetc_arrays_1__
                return b.sum()""")


def test_what_may_do_more_is_no_array_statement() -> None:
    node = function("""
        def f(a, g):
            x = g(a) + 1
            y = a if g else x
            z = [a + 1]
            a[0] = 1
            for k in a + 1:
                pass
            with g:
                def inner():
                    return a + 1
    """)
    assert array_groups(node, [], frozenset()) == []


def test_arrays_in_rows_are_read_as_if_they_had_one_dimension() -> None:
    check_body(
        "def f(a, x):\n    b = a * x + 1\n    return b",
        """
        def f(i0):
            v0 = a_a_0[i0] * c_1 + c_2
            out_3[i0] = v0
            return
        """,
        a=np.zeros((3, 4)),
        x=2.0,
    )


def test_parts_of_an_array_are_read_where_they_are() -> None:
    a = np.zeros((5, 6))
    check_body(
        "def f(a, b):\n    b[1:-1, 1:-1] = a[:-2, 1:-1] + a[2:, 1:-1]",
        """
        def f(i0, i1):
            v0 = a_a_0[i0, i1] + a_a_0[i0 + 2, i1]
            a_b_1[i0 + 1, i1] = v0
            return
        """,
        a=a,
        b=a.copy(),
    )


def test_broadcasting_leaves_indices_out() -> None:
    check_body(
        "def f(a, b):\n    c = a[:, None] - b\n    return c",
        """
        def f(i0, i1):
            v0 = a_a_0[i0] - a_b_1[i1]
            out_2[i0, i1] = v0
            return
        """,
        a=np.zeros(3),
        b=np.zeros(4),
    )


def test_a_variable_that_nothing_needs_gets_no_array() -> None:
    check_body(
        "def f(a, b):\n    t = a + b\n    b[:] = t * t",
        """
        def f(i0):
            v0 = a_a_0[i0] + a_b_1[i0]
            v1 = v0 * v0
            a_b_1[i0] = v1
            return
        """,
        a=np.zeros(3),
        b=np.zeros(3),
    )


def test_a_fold_along_an_axis_is_a_loop_inside() -> None:
    check_body(
        "def f(a):\n    s = (a * a).max(axis=1)\n    return s",
        """
        def f(i0):
            t_2 = np.int64(-9223372036854775808)
            for k_1 in range(n_0):
                t_4 = a_a_1[i0, k_1] * a_a_1[i0, k_1]
                t_2 = np.maximum(t_2, t_4)
            v0 = t_2
            out_2[i0] = v0
            return
        """,
        a=np.zeros((3, 4), np.int64),
    )


def test_what_a_fold_is_used_in_comes_after_it() -> None:
    first, second = bodies("def f(a):\n    b = a - a.max(axis=1, keepdims=True)\n    return b", a=np.zeros((3, 4)))
    assert "np.maximum" in first
    assert "v0 = a_a_0[i0, i1] - made_1[i0]" in second


def test_products_come_first() -> None:
    assert bodies("def f(a, b):\n    c = (a * 2) @ b + 1\n    return c", a=np.zeros((2, 3)), b=np.zeros((3, 4)))[1] == (
        "product matmul"
    )


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("def f(a, b):\n    b[:] = a * 2\n    a[:] = b * 3", 2),
        ("def f(a, b):\n    b[:] = a * 2\n    a[1:] = b[:-1] * 3", 1),
        ("def f(a, b):\n    b[1:] = a[:-1] * 2\n    a[1:] = b[1:] * 3", 1),
        ("def f(a, b):\n    t = a * 2\n    b[:] = t[::-1] + a", 1),
        ("def f(a, b):\n    a[:] = a * 2\n    b[:] = b * a[0]", 1),
        ("def f(a, b):\n    t = a * 2\n    return (t * t).sum()", 2),
    ],
)
def test_which_statements_share_a_loop(source: str, count: int) -> None:
    assert planned(source, a=np.zeros(9), b=np.zeros(9))[0].count == count


def test_what_overlaps_is_computed_before_it_is_stored() -> None:
    a = np.zeros(9)
    found, _ = planned("def f(a):\n    a[1:] = a[:-1] + 1", a=a)
    (step,) = found.steps
    assert isinstance(step, LoopStep)
    assert step.actions[0].kept
    assert found.outcomes[0].copied_to is not None


@pytest.mark.parametrize(
    "source",
    [
        "def f(a, b):\n    c = a @ b",
        "def f(a, b):\n    a[:] = b",
        "def f(a, b):\n    c = a + b[:2]",
        "def f(a, b):\n    c = a[[0, 1]] + 1",
        "def f(a, b):\n    c = a[a > 0] + 1",
        "def f(a, b):\n    a[:] = b * 1j",
        "def f(a, b):\n    c = np.median(a) + a",
        "def f(a, b):\n    c = a.argmin()",
        "def f(a, b):\n    c = np.sum(a, axis=3)",
    ],
)
def test_what_is_numpys(source: str) -> None:
    try:
        planned(source, a=np.zeros((9, 9)), b=np.zeros((9, 9)))
    except (UnsupportedError, IndexError):  # it is refused when it is reached, or by its syntax
        return
    raise AssertionError(source)


def test_plans_hang_on_how_arrays_lie_in_memory() -> None:
    group = array_groups(function("def f(a, b):\n    a[:] = b + 1"), [], frozenset())[0]
    memory = np.zeros(20)

    def key(a: Any, b: Any) -> Any:
        return form_of(group.statements, leaf_values(group.statements, [{"a": a, "b": b}])).key

    assert key(memory[:5], memory[10:15]) == key(memory[:5], memory[10:15])
    assert key(memory[:5], memory[10:15]) != key(memory[:5], memory[1:6])
    assert key(np.zeros(5), np.zeros(5)) == key(np.ones(5), np.ones(5))
    assert key(np.zeros(5), np.zeros(5)) == key(np.zeros(6), np.zeros(6))
    assert key(np.zeros(5), np.zeros(5)) != key(np.zeros(1), np.zeros(1))
    assert key(np.zeros(5), np.zeros(1)) != key(np.zeros(5), np.zeros(5))


def test_a_group_that_is_dear_to_look_at_is_left_alone_for_longer():
    state = GroupState(cast("Any", None), ())
    dear = [state.pause_after(gained=False, arrays=True, looking=2e-3, running=4e-6) for _ in range(3)]
    assert dear == [1, 2, 4]
    assert state.pause_after(gained=False, arrays=True, looking=2e-3, running=4e-6) == 5000
    assert state.pause_after(gained=False, arrays=True, looking=10.0, running=0.0) == array_runs.MAX_PAUSE_OF_NUMBERS
    assert state.pause_after(gained=True, arrays=True, looking=10.0, running=0.0) == 0
    assert state.pause_after(gained=False, arrays=True) == 1


# --------------------------------------------------------------------------------------------------------------------
# Forms: one plan for many lengths and places
# --------------------------------------------------------------------------------------------------------------------

FORMED = [
    "def f(a, b, x):\n    a[:] = b + x\n    b[:] = a * 2",
    "def f(a, b, x):\n    t = a * b\n    a[...] = t - x\n    x[:] = t.sum()",
    "def f(a, b, x):\n    a += b * x[0]\n    s = (a * b).sum()",
    "def f(a, b, x):\n    a[1:] = b[1:] + x[:-1]\n    x[1:] = a[:-1]",
]


def views(memory: Any, random: Any) -> Any:
    """A part of one of two arrays of memory, of one or two dimensions."""
    array = memory[random.integers(2)]
    start, size, step = random.integers(0, 3), random.integers(0, 4), random.choice([1, 1, 1, 2, -1])
    rows = slice(start, start + size)
    match random.integers(4):
        case 0:
            return array[rows, random.integers(0, 6)][::step]
        case 1:
            return array[random.integers(0, 6), rows][::step]
        case 2:
            return array[rows, random.integers(0, 2) : random.integers(2, 6)][::step]
        case _:
            return array[random.integers(0, 6)]


def renamed(value: Any, sizes: Any) -> Any:
    """A plan with other lengths: those of a run in place of those that it was made for."""
    if isinstance(value, Plan | LoopStep | ProductStep | Action | Outcome | Value):
        parts: dict[str, Any] = {}
        for name in type(value).__dataclass_fields__:
            part = getattr(value, name)
            is_shape = name in ("shape", "space")
            parts[name] = tuple(sizes[size] for size in part) if is_shape else renamed(part, sizes)
        return type(value), {name: part for name, part in parts.items() if name != "node"}
    return tuple(renamed(part, sizes) for part in value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("source", FORMED)
def test_leaves_of_one_form_have_one_plan(source: str) -> None:
    """Whatever a plan was made for, it is the plan for all leaves with the same key, but for the lengths."""
    group = array_groups(function(source), [], frozenset())[0]
    known: dict[Any, tuple[Form, Plan | str, list[str]]] = {}
    random, found, compared, differing = np.random.default_rng(3), 0, 0, set[Any]()
    for _ in range(4000):
        memory = np.zeros((6, 6)), np.zeros((6, 6))
        names = {name: views(memory, random) for name in "abx"}
        try:
            values = leaf_values(group.statements, [names, {"np": np}])
        except UnsupportedError:
            continue
        form = form_of(group.statements, values)
        made: Plan | str
        try:
            made = plan(group.statements, values)
            loops = [ast.unparse(loop_body(s, values, "f").function) for s in made.steps if isinstance(s, LoopStep)]
        except UnsupportedError as error:
            made, loops = error.reason, []
        first, expected, expected_loops = known.setdefault(form.key, (form, made, loops))
        assert loops == expected_loops
        found += isinstance(made, Plan)
        if first is not form:
            compared += 1
            if first.lengths != form.lengths:
                differing.add(form.key)
            assert renamed(expected, form.sizes(first)) == renamed(made, form.sizes(form))
    assert found > 100
    assert compared > 1000
    assert len(differing) > 5


def test_a_loop_over_slices_has_one_plan_and_one_kernel_body() -> None:
    group = array_groups(function("def f(a, x, k):\n    a[k, :k] += x[k] * a[:k, k]"), [], frozenset())[0]
    a, x = np.zeros((9, 9)), np.zeros(9)
    forms = [form_of(group.statements, leaf_values(group.statements, [{"a": a, "x": x, "k": k}])) for k in range(9)]
    assert len({form.key for form in forms[2:]}) == 1
    assert [form.lengths for form in forms] == [(), (), *((k,) for k in range(2, 9))]
    assert len({form.key for form in forms}) == 3


CALLS = [
    "np.add(x0, x1)",
    "x0[...] = x1",
    "x2[...] = np.add(x0, x1)",
    "x2[...] = np.where(x0, x1, x2)",
    "np.sum(x0 * x1, axis=(0,))",
    "np.var(x0 - x1, axis=(0,), ddof=1)",
]


def portable_views(memory: Any, random: Any) -> Any:
    """A part of one of two portable arrays, or of one in another shape, or of NumPy's array."""
    array = memory[random.integers(2)]
    if random.integers(4) == 0:
        array = array.reshape(6, 3, 2)
    start, size, step = random.integers(0, 2), random.choice([0, 1, 2, 3, 3, 3]), random.choice([1, 1, 1, 2, -1])
    rows = slice(start, start + size)
    match random.integers(6):
        case 0:
            return array[rows][::step]
        case 1:
            return array[random.integers(0, 6), rows][::step]
        case 2:
            return array[rows, random.integers(0, 2) :]
        case 3:
            return np.broadcast_to(array[2], (3, *array.shape[1:]))
        case 4:
            return np.asarray(array)[rows].T
        case _:
            return array


@pytest.mark.parametrize("text", CALLS)
def test_calls_on_operands_of_one_form_have_one_plan(text: str) -> None:
    made = operation(text)
    known: dict[Any, tuple[Form, Plan | str, list[str]]] = {}
    random, found, compared, differing = np.random.default_rng(4), 0, 0, set[Any]()
    for _ in range(3000):
        memory = hetc.array(np.zeros((6, 6))), hetc.array(np.zeros((6, 6)))
        values = values_of(made, ArrayCall(text, tuple(portable_views(memory, random) for _ in range(3))))
        form = form_of([made.statement], values)
        loops = list[str]()
        try:
            plan_made: Plan | str = plan([made.statement], values, portable=True)
            steps = plan_made.steps
            loops = [ast.unparse(loop_body(s, values, "f").function) for s in steps if isinstance(s, LoopStep)]
        except UnsupportedError as error:
            plan_made = error.reason
        first, expected, expected_loops = known.setdefault(form.key, (form, plan_made, loops))
        assert loops == expected_loops
        found += isinstance(plan_made, Plan)
        if first is not form:
            compared += 1
            if first.lengths != form.lengths:
                differing.add(form.key)
            assert renamed(expected, form.sizes(first)) == renamed(plan_made, form.sizes(form))
    assert found > 50
    assert compared > 150
    assert len(differing) > 5


# --------------------------------------------------------------------------------------------------------------------
# Dimensions that are one
# --------------------------------------------------------------------------------------------------------------------


def test_dimensions_that_no_array_tells_apart_have_one_index() -> None:
    check_body(
        "def f(a, b):\n    c = a * b\n    return c",
        """
        def f(i0, i2):
            v0 = a_a_0[i0, i2] * a_b_1[i2]
            out_2[i0, i2] = v0
            return
        """,
        a=np.zeros((2, 3, 4, 5)),
        b=np.zeros((4, 5)),
    )


def test_axes_of_a_fold_are_one() -> None:
    check_body(
        "def f(a, w):\n    c = np.sum(a[:, :, :, :, None] * w[None], axis=(1, 2, 3))\n    return c",
        """
        def f(i0, i1):
            t_2 = np.float64(-0.0)
            for k_1 in range(n_0):
                t_4 = a_a_1[i0, k_1] * a_w_2[k_1, i1]
                t_2 = t_2 + t_4
            v0 = t_2
            out_3[i0, i1] = v0
            return
        """,
        a=np.zeros((2, 3, 4, 5)),
        w=np.zeros((3, 4, 5, 6)),
    )


def test_dimensions_that_an_array_tells_apart_stay() -> None:
    a = np.zeros((2, 3, 4, 5))
    for b in (np.zeros((3, 1, 5)), np.zeros((2, 1, 4, 1))):
        with pytest.raises(UnsupportedError, match="an array has 4 dimensions"):
            bodies("def f(a, b):\n    c = a * b\n    return c", a=a, b=b)
    with pytest.raises(UnsupportedError, match="an array has 4 dimensions"):
        bodies("def f(a):\n    a[:, :, :, 1:] *= 2", a=a)

"""Parallel loops, as far as they need no device: rewriting, reductions, index spaces, the document."""

from __future__ import annotations

import ast
import doctest
import inspect
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetc
from examples import loops
from hetc.frontends.loops.reductions import Reduction, reductions_of
from hetc.frontends.loops.rewrite import host_function
from hetc.loops import IndexSpace, boxes, points
from hetc.parallel import PlainRun

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "loops.md"


def test_the_examples_of_the_document():
    with hetc.configure(offload="never"):
        result = doctest.testfile(str(DOCUMENT), module_relative=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert result.attempted > 10
    assert result.failed == 0


@pytest.mark.parametrize("size", [0, 1, 100])
def test_the_examples_in_python(size: int):
    mass, vx, vy = loops.sample(size)
    y = vx.copy()
    with hetc.configure(offload="never"):
        loops.saxpy(2.5, vy, y)
        total, fastest = loops.energy(mass, vx, vy)
    assert np.array_equal(y, 2.5 * vy + vx)
    assert total == pytest.approx((mass * (vx**2 + vy**2)).sum() / 2)
    assert fastest == pytest.approx(np.sqrt((vx**2 + vy**2).max(initial=0)))


def test_boxes_are_the_points_in_order():
    ranges = (range(3), range(5, 1, -1), range(0, 4, 2))
    everything = list(IndexSpace(ranges))
    for first in range(len(everything) + 1):
        for end in range(first, len(everything) + 1):
            assert list(points(ranges, first, end)) == everything[first:end]
            assert sum(len(IndexSpace(box)) for box in boxes(ranges, first, end)) == end - first


@pytest.mark.parametrize("arguments", [(), (1.5,), ("3",)])
def test_extents_are_integers(arguments: tuple[Any, ...]):
    with pytest.raises(TypeError):
        hetc.forall(*arguments)


def test_prange_is_range():
    assert list(hetc.prange(5)) == list(range(5))
    assert list(hetc.prange(2, 9, 3)) == [2, 5, 8]
    assert list(hetc.prange(np.int64(3))) == [0, 1, 2]
    with pytest.raises(ValueError, match="must not be zero"):
        hetc.prange(1, 2, 0)


def rewritten(function: Any) -> Any:
    return host_function(function, lambda _number, space, _frame: PlainRun(space)).function


def test_the_rewritten_function_is_the_same_function():
    outside = 3

    def f(a: int, /, b: int = 2, *rest: int, c: int = 1, **more: int) -> Any:
        """Doc."""
        found = []
        for i in hetc.forall(a):
            found += [i + outside]
        return found, b, rest, c, more, sorted(locals())

    new = rewritten(f)
    assert new(2, 5, 6, c=7, d=8) == f(2, 5, 6, c=7, d=8)
    assert new.__code__.co_qualname == f.__code__.co_qualname
    assert new.__closure__ is not None
    assert new.__closure__ == tuple(
        cell for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True) if name == "outside"
    )
    assert inspect.signature(hetc.jit(f)) == inspect.signature(f)


def test_tracebacks_keep_lines_and_columns():
    def f(x: Any) -> None:
        before = 1 / x[0]
        for i in hetc.forall(2):
            x[i] = before / x[1]

    def trace(function: Any, x: list[float]) -> list[Any]:
        try:
            function(x)
        except ZeroDivisionError as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            return [last.filename, last.name, last.lineno, last.colno, last.end_colno]
        return []

    for x in ([0.0, 0.0], [1.0, 0.0]):
        assert trace(rewritten(f), list(x)) == trace(f, list(x)) != []


def reductions(text: str, *kept: str) -> tuple[Reduction, ...]:
    return reductions_of(ast.parse(text).body, frozenset(kept))


def test_which_variables_are_reductions():
    assert reductions("s += x\ns -= 2 * x") == (Reduction("s", "add"),)
    assert reductions("p *= x\nm = min(m, x)\nk = max(k, x)") == (
        Reduction("k", "max"),
        Reduction("m", "min"),
        Reduction("p", "mul"),
    )
    for text in (
        "s += s", "s += x\ny = s", "s += x\ns *= x", "s = min(x, s)", "s /= x", "s = max(s, s)", "s = s * x + y",
        "s = s", "s += x\nf = lambda: s", "s = x - s", "s += x\ns |= y", "s = s and (t := x)", "f = g\ns = s or f(x)",
        "if x <= s:\n    s = x", "if x < s:\n    s = y", "if x < s:\n    s = t = x",
    ):  # fmt: skip
        assert reductions(text) == (), text


def test_reductions_in_other_words():
    assert reductions("s = s - x + y\np = p * x * y\nm = max(m, x, y)") == reductions("s += x\np *= x\nm = max(m, x)")
    assert reductions("a = a and f(x)\no = o or x\nb |= x\nc &= x\nd = d ^ x") == tuple(
        Reduction(name, kind)
        for name, kind in (("a", "and"), ("b", "bit_or"), ("c", "bit_and"), ("d", "bit_xor"), ("o", "or"))
    )
    for text in ("if x[i] < s:\n    s = x[i]", "if s > x[i]:\n    s = x[i]", "s = min(s, x[i])"):
        assert reductions(text) == (Reduction("s", "min"),), text


def test_places_of_extremes():
    """If they are read after the loop, and assigned nowhere else."""
    place = Reduction("k", "chosen", "s")
    assert reductions("if x > s:\n    s, k = x, i", "k") == (place, Reduction("s", "max"))
    assert reductions("if x > s:\n    s, k = x, i") == (Reduction("s", "max"),)
    assert place in reductions("if x > s:\n    s, k = x, i\nif y > s:\n    k, s = -i, y", "k")
    for text in ("if x > s:\n    s, k = x, i\nif y > s:\n    s = y", "if x > s:\n    s, k = x, i\nk = 0"):
        assert place not in reductions(text, "k"), text


def test_jit_takes_functions():
    with pytest.raises(TypeError, match="takes a Python function"):
        hetc.jit(3)
    with pytest.raises(ValueError, match="fallback"):
        hetc.jit(fallback="never")(reductions)
    assert repr(hetc.jit(rewritten)) == "<hetc.jit of rewritten>"

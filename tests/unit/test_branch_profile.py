"""The profile of a call: level-0 IR run on Python objects, and the branches that samples take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import StringAttr

import hetc
from hetc import driver
from hetc.analysis.branch_profile import ENOUGH, Samples, mark_seen_branches
from hetc.analysis.concrete import ConcreteRun, LeftError, NotRunError, OutOfFuelError, run_entry
from hetc.analysis.entry import entry_function
from hetc.analysis.locations import source_location
from hetc.dialects import dyn
from hetc.frontends.python.closure import resolve
from hetc.frontends.skeleton.composition import functions
from hetc.frontends.skeleton.emit import emit_module
from hetc.runtime.describe import describe

weights = np.array([0.5, 2.0, -1.0])
scale = 3


def helper(x, k=2):
    return x * k if x > 0 else -x


def everything(x):
    total, last = 0, None
    for i in range(5, 0, -2):
        if i == 3:
            continue
        total += weights[i % 3] * x
        last = i
    total -= scale
    n = 10
    while n > 0 and total < 1000:
        n, total = n // 2, total + len(weights)
    pair = (helper(x), min(x, 2.5), not x)
    a, _, c = pair
    return (round(total), a if last is not None else c, -2 < x <= 3, weights.shape[0], abs(x) ** 2)


def module_of(af: hetc.ArrayFunction, *inputs: Any) -> Any:
    resolution = resolve(functions(af.stages))
    signature, captures = describe(inputs, resolution.captures)
    return emit_module("entry", af.stages, signature, captures, resolution), resolution.captures


def run(af: hetc.ArrayFunction, *inputs: Any, fuel: int = 10**6) -> Any:
    module, captured = module_of(af, *inputs)
    entry = entry_function(module)
    assert entry is not None
    return run_entry(ConcreteRun(module, captured, fuel), entry, inputs)


def seen(af: hetc.ArrayFunction, *inputs: Any, widened: Any = ()) -> list[str]:
    """What each branch of the program is marked with, in order."""
    module, captured = module_of(af, *inputs)
    mark_seen_branches(module, Samples(inputs, captured), widened)
    branches = [op for op in module.walk() if isinstance(op, scf.IfOp) and dyn.BRANCH in op.attributes]
    marks = [op.attributes.get(dyn.SEEN) for op in branches]
    return [mark.data if isinstance(mark, StringAttr) else "" for mark in marks]


@pytest.mark.parametrize("data", [[-3, 0, 1, 2, 7], [0.5, -2.5], np.array([1.5, -1.5], np.float32)])
def test_level_0_means_what_python_means(data: Any) -> None:
    assert run(hetc.map(everything), data) == [everything(x) for x in data]


def test_compositions() -> None:
    pairs = hetc.zip() | (lambda p: p[0] * p[1])
    assert run(pairs.map(lambda v: v + 1).reduce(lambda a, b: a - b, 100), [1, 2, 3], [4, 5, 6]) == 100 - 5 - 11 - 19


def test_exceptions_are_pythons() -> None:
    with pytest.raises(ZeroDivisionError):
        run(hetc.map(lambda x: 1 // x), [0])
    with pytest.raises(IndexError):
        run(hetc.map(lambda x: weights[x]), [3])


def partly(x):
    if x > 5:
        raise ValueError
    return x


def test_runs_that_do_not_come_to_their_end() -> None:
    assert run(hetc.map(partly), [1, 5]) == [1, 5]
    with pytest.raises(LeftError):
        run(hetc.map(partly), [6])
    with pytest.raises(OutOfFuelError):
        run(hetc.map(everything), [1.0], fuel=20)


def branchy(x):
    if x < 100:  # noqa: SIM108 (both kinds of branch)
        y = 1
    else:
        y = 2 if x < 200 else 3
    return y if x >= 0 else -y


def test_branches_that_all_samples_take() -> None:
    af = hetc.map(branchy)
    assert seen(af, [1] * 100) == ["then", "", "then"]
    assert seen(af, [300] * 100) == ["else", "else", "then"]
    assert seen(af, [1, 300] * 100) == ["", "else", "then"]
    assert seen(af, [1] * (ENOUGH - 1)) == ["", "", ""]
    assert seen(af, [1] * ENOUGH) == ["then", "", "then"]


def test_samples_are_spread_over_the_data() -> None:
    assert seen(hetc.map(branchy), [1] * 1000 + [300] * 1000)[0] == ""


def test_places_where_speculation_failed_are_left_alone() -> None:
    module, _ = module_of(hetc.map(branchy), [1])
    places = [source_location(op.location) for op in module.walk() if isinstance(op, scf.IfOp)]
    assert seen(hetc.map(branchy), [1] * 100, widened=set(places[:1])) == ["", "", "then"]


def test_an_element_that_raises_ends_there() -> None:
    af = hetc.map(lambda x: (1 // x if x < 5 else 0) + (1 if x > 50 else 2))
    assert seen(af, [0] * 50 + [1] * 50) == ["then", "else"]


def test_nothing_is_marked_where_a_sample_takes_too_long() -> None:
    def slow(x):
        y = 0
        for i in range(100_000):
            y += i
        return y if x > 0 else -y

    assert seen(hetc.map(slow), [1] * 100) == [""]


def test_the_operators_of_reductions_are_not_speculated_on() -> None:
    af = hetc.map(lambda x: x if x > 0 else -x).reduce(lambda a, b: a if a > b else b, 0)
    assert seen(af, [1] * 100) == ["then", ""]


def test_ops_that_are_not_run() -> None:
    module, captured = module_of(hetc.map(lambda x: x), [1])
    unknown = driver.level0(hetc.map(lambda x: x), describe([[1]], {})[0])
    with pytest.raises(NotRunError):
        ConcreteRun(module, captured).op(unknown)

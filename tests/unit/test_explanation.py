"""`explain`: types and guards by line, proofs, reasons, and that it runs nothing and never fails."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import api
from hetc.division import DividingDispatcher
from hetc.explanation.lines import Guard, Line
from hetc.runtime import devices
from hetc.tools import cli
from hetc.tools.python_input import array_function_named, run_file

pytestmark = pytest.mark.skipif(not devices.list_devices(), reason="there is no OpenCL device")

table = np.arange(10)
DOUBLES = np.arange(5.0)
SINGLES = np.arange(5, dtype=np.float32)


@pytest.fixture(autouse=True)
def dispatcher(monkeypatch: pytest.MonkeyPatch) -> DividingDispatcher:
    """Nothing compiled yet."""
    fresh = DividingDispatcher()
    monkeypatch.setattr(api, "_dispatcher", fresh)
    return fresh


def explain(function: Callable[..., Any], *inputs: Any) -> hetc.Explanation:
    return hetc.map(function).explain(*inputs)


def line(explanation: hetc.Explanation, text: str) -> Line:
    """The one line that contains a text."""
    (found,) = [found for found in explanation.lines if text in found.text]
    return found


def values(explanation: hetc.Explanation, text: str) -> list[str]:
    return [str(value) for value in line(explanation, text).values]


def guards(explanation: hetc.Explanation, text: str) -> list[str]:
    return [str(guard) for guard in line(explanation, text).guards]


# --- Types -----------------------------------------------------------------------------------------------------------


def helper(v: Any, k: Any = 2) -> Any:
    return v * k


def typed(x: Any, n: Any) -> Any:
    """A docstring."""
    count = 0
    y = x  # no op of its own

    for i in range(3):
        count += i
    while count > 100:
        count = count - 1
    root, (twice, flag) = math.sqrt(n), (helper(y), n > 1)
    z: Any = twice if flag else helper(x, 3)
    return z, count, root


def test_the_types_of_what_lines_bind_and_return() -> None:
    e = explain(typed, SINGLES, range(5))
    assert values(e, "def typed") == ["x: numpy.float32", "n: int"]
    assert values(e, "count = 0") == ["count: int"]
    assert values(e, "y = x") == ["y: numpy.float32"]
    assert values(e, "for i") == ["i: int"]
    assert values(e, "count += i") == ["count: int"]
    assert values(e, "root, (twice") == ["root: float", "twice: numpy.float32", "flag: bool"]
    assert values(e, "z: Any") == ["z: numpy.float32"]
    assert values(e, "return z") == ["returns (numpy.float32, int, float)"]
    assert values(e, "def helper") == ["v: numpy.float32", "k: int"]
    assert values(e, "return v") == ["returns numpy.float32"]


def test_lines_with_code_run_on_the_device_and_others_nowhere() -> None:
    e = explain(typed, SINGLES, range(5))
    where = {found.text.strip(): found.where for found in e.lines}
    assert where[""] == where['"""A docstring."""'] == ""
    assert {found for text, found in where.items() if text and '"""' not in text} == {"device"}


def test_a_function_that_is_called_with_several_types_shows_them_all() -> None:
    e = explain(lambda x: helper(x) + helper(x > 1), [1, 2])
    assert values(e, "def helper") == ["v: int or bool", "k: int"]
    assert values(e, "return v * k") == ["returns int"]
    assert {found.function for found in e.lines} == {"<lambda>", "helper"}


def test_lambdas_of_one_line_are_shown_apart() -> None:
    e = hetc.map(lambda x: x * 2).reduce(lambda a, b: a + b, 0.0).explain(DOUBLES)
    assert [found.text for found in e.lines] == ["lambda x: x * 2", "lambda a, b: a + b"]
    assert [list(map(str, found.values)) for found in e.lines] == [
        ["x: numpy.float64", "returns numpy.float64"],
        ["a: float or numpy.float64", "b: numpy.float64", "returns numpy.float64"],
    ]


def widens(x: Any) -> Any:
    y = np.sqrt(x)
    return math.sqrt(y)


def test_where_a_float32_program_computes_in_double_is_said() -> None:
    e = explain(widens, SINGLES)
    assert not line(e, "np.sqrt").notes
    assert "double precision" in line(e, "math.sqrt").notes[0]
    assert not any(found.notes for found in explain(widens, DOUBLES).lines)


# --- Guards ----------------------------------------------------------------------------------------------------------

three = 3


def guarded(x: Any, k: Any) -> Any:
    a = x // 3
    b = x // k
    c = x + k
    d = table[2]
    return a + b + c + d + 1 // (k - 2)


def test_guards_are_kept_or_removed_with_the_proof() -> None:
    e = explain(guarded, range(5), range(1, 6))
    assert "guard removed: integer division by zero: the divisor is the constant 3" in guards(e, "a =")
    assert "guard removed: integer division by zero: k in [1, 2**31 - 1] is never 0" in guards(e, "b =")
    assert guards(e, "c =") == [
        "guard removed: the result of '+' does not fit 64 bits: x in [0, 2**31 - 1] + k in [1, 2**31 - 1] fits 64 bits"
    ]
    assert guards(e, "d =") == ["guard kept: index out of range"]
    assert "guard kept: integer division by zero" in guards(e, "return a")
    assert {found.kept for found in e.guards} == {True, False}
    assert sorted(map(str, e.guards)) == sorted(str(found) for l in e.lines for found in l.guards)  # noqa: E741


def indexes(x: Any) -> Any:
    total = 0
    for i in range(len(table)):
        total += table[i]
    return total + x


def test_an_index_below_a_length_needs_no_guard() -> None:
    (found,) = guards(explain(indexes, DOUBLES), "table[i]")
    assert found.startswith("guard removed: index out of range: i in [0, ")
    assert found.endswith("] is below the length")


def merges(x: Any, y: Any) -> Any:
    a = x / y
    b = x / y
    return a + b


def test_guards_of_one_condition_are_merged() -> None:
    e = explain(merges, [1.0], [2.0])
    first = line(e, "a = x / y")
    assert guards(e, "a = x / y") == ["guard kept: float division by zero"]
    assert guards(e, "b = x / y") == [
        f"guard removed: float division by zero: merged with the guard of line {first.number}"
    ]


def scaled(x: Any, k: Any, n: Any) -> Any:
    total = 0.0
    for _ in range(k):
        total += x / n
    if n != 0:
        total += 2 / n
    if 1.0 < x < 5.0:
        total += n / x
    return total


def test_guards_that_leave_loops_and_guards_that_tests_imply() -> None:
    e = explain(scaled, [1.0, 2.0], [3, 40], [2.0, 3.0])
    assert guards(e, "x / n") == ["guard kept, before the loop: float division by zero"]
    assert guards(e, "2 / n") == [
        f"guard removed: float division by zero: the test of line {line(e, 'if n != 0').number} implies it"
    ]
    (found,) = guards(e, "n / x")
    assert found == "guard removed: float division by zero: x in [1, 5] is never 0"


def product(x: Any) -> Any:
    return x * x


def test_guards_that_have_failed_are_counted() -> None:
    af = hetc.map(product)
    assert not af.explain([3]).compiled
    assert af([3, 2**40]) == [9, 2**80]
    assert af([3, 2**41]) == [9, 2**82]
    e = af.explain([3, 2**42])
    assert e.compiled
    assert e.deoptimisations == 2
    (found,) = line(e, "return x * x").guards
    assert found.failures == 2
    assert "failed in 2 calls" in str(found)
    assert "guards have failed 2 times since" in str(e)


def leaves(x: Any) -> Any:
    if x < 0:
        raise ValueError(x)
    if x > 100:
        print(x)
        return 0.5
    return x + 1


def test_paths_left_to_python_are_on_the_host() -> None:
    e = explain(leaves, DOUBLES)
    assert line(e, "raise").where == "host"
    assert line(e, "print").where == "host"
    assert line(e, "return 0.5").where == "host"
    assert line(e, "return x + 1").where == "device"


# --- What is not compiled --------------------------------------------------------------------------------------------


def refused(x: Any) -> Any:
    y = x + 1
    return {y}


def recursive(x: Any) -> Any:
    return recursive(x - 1) if x > 0 else x


def test_why_a_call_falls_back_is_shown_with_the_caret() -> None:
    e = explain(refused, DOUBLES)
    assert isinstance(e.fallback, hetc.UnsupportedError)
    assert not e.decision.offload
    assert {found.where for found in e.lines} == {"host"}
    assert not e.guards
    text = str(e)
    assert f"HETC0001: {__file__}" in text
    assert "    return {y}\n" in text
    assert "             ^^^\n" in text


class Odd:
    def __call__(self, x: Any) -> Any:
        return x


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (recursive, "HETC0004"),
        (eval("lambda x: x + 1"), "HETC0005"),  # noqa: S307
        (Odd(), "HETC0005"),
        (lambda x: undefined(x), "HETC0002"),  # noqa: F821, PLW0108
        (lambda x, y: x, "HETC0003"),
    ],
)
def test_nothing_that_cannot_be_compiled_makes_it_fail(function: Callable[..., Any], code: str) -> None:
    e = explain(function, [1, 2])
    assert e.fallback is not None
    assert e.fallback.code == code
    assert code in str(e)
    assert code in e._repr_html_()


def test_data_that_is_not_compiled_is_explained_and_not_touched() -> None:
    numbers = iter([1, 2])
    e = explain(product, numbers)
    assert e.fallback is not None
    assert e.fallback.code == "HETC0020"
    assert list(numbers) == [1, 2]
    assert explain(product, ["text"]).fallback is not None
    assert explain(product, []).fallback is None
    with pytest.raises(hetc.InputError):
        explain(guarded, [1], [1, 2])


def test_a_function_nested_deeply_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "deep.py"
    path.write_text(f"def f(x):\n    return {'-(' * 90}x{')' * 90}\n" + f"def g(x):\n    return x{' + 1' * 900}\n")
    module = run_file(path.read_bytes(), str(path))
    for name in ("f", "g"):
        af = array_function_named(module, name)
        assert str(af.explain([1]))
        try:
            af.lower([1]).opencl()
        except hetc.UnsupportedError as error:
            assert error.code == "HETC0007"  # noqa: PT017


def test_lower_shows_the_stages_before_the_one_that_refuses() -> None:
    lowered = hetc.map(lambda x: x & 1).lower([1.5])
    assert "dyn.binary" in lowered.mlir("frontend")
    with pytest.raises(hetc.UnsupportedError):
        lowered.mlir("inline")
    with pytest.raises(hetc.InputError, match="there is no stage"):
        lowered.mlir("no such stage")


# --- Nothing is run --------------------------------------------------------------------------------------------------

calls: list[Any] = []


def noted(x: Any) -> Any:
    calls.append(x)
    return x


@pytest.mark.parametrize("offload", ["always", "auto", "never"])
def test_explaining_runs_and_compiles_nothing(offload: str, dispatcher: DividingDispatcher) -> None:
    with hetc.configure(offload=offload, threshold=0), hetc.profile() as p:
        e = explain(noted, [1, 2])
        explain(product, [1, 2])
        hetc.map(noted).reduce(lambda a, b: a + b, 0).explain(DOUBLES)
    assert e.fallback is not None
    assert not calls
    assert not dispatcher.compiled
    assert (p.launches, p.fallbacks, p.in_python, p.compile_ms) == (0, 0, 0, 0.0)


def test_the_decision_is_explained() -> None:
    for mode, offload in (("always", True), ("never", False)):
        with hetc.configure(offload=mode):
            decision = explain(product, [1]).decision
        assert decision.offload is offload
        assert f'offload="{mode}"' in decision.reason
    with hetc.configure(offload="auto"):
        assert not explain(product, [1]).decision.offload
        assert hetc.map(product).on(hetc.devices()[0]).explain([1]).decision.offload


# --- Text ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("saxpy", "f32[?], f32[?]"),
        ("dot", "f32[?], f32[?]"),
        ("black_scholes", "f32[?], f32[?], f32[?]"),
        ("mandelbrot", "range"),
        ("matrix_product_2x2", "float[?], float[?]"),
        ("nbody", "f32[?], f32[?], f32[?]"),
    ],
)
def test_the_examples_read_well_in_a_terminal(
    name: str, arguments: str, repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository)
    function = {"matrix_product_2x2": "matrix_product"}.get(name, name)
    cli.main(["explain", f"examples/{name}.py:{function}", "--args", arguments])
    text = capsys.readouterr().out
    source = (repository / "examples" / f"{name}.py").read_text().splitlines()
    longest = max(map(len, source))
    assert all(len(printed) <= max(100, longest + 14) for printed in text.splitlines())
    assert all(len(printed) <= 100 for printed in text.splitlines() if "|" in printed)
    assert f"(examples/{name}.py)" in text


def test_the_command_says_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["nope.py:f", "--args", "f32[?]"], ["examples", "--args", "f32[?]"]):
        with pytest.raises(SystemExit) as caught:
            cli.main(["explain", *arguments])
        assert caught.value.code == 1
        assert "hetc: error: " in capsys.readouterr().err


def test_html_is_escaped() -> None:
    text = hetc.map(lambda x: x if x < 1 else "<script>").explain([1])._repr_html_()
    assert "<script>" not in text
    assert "&lt;" in text


def test_guards_as_text() -> None:
    assert str(Guard("bounds", "index out of range", None, kept=True)) == "guard kept: index out of range"
    failed = Guard("bounds", "index out of range", None, kept=True, failures=1)
    assert str(failed) == "guard kept: index out of range; failed in one call"

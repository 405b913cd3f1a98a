"""A newcomer's mistakes: each message has a code, the line with a caret, and what to write instead."""

from __future__ import annotations

import math
import random
import traceback
import warnings
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

import hetc
from hetc import api
from hetc.diagnostics import Category
from hetc.division import DividingDispatcher
from hetc.runtime import devices

# ruff: noqa: B006, F821, PLW0108, UP031, UP032 (mistakes)
# pyright: reportUndefinedVariable=false

pytestmark = pytest.mark.skipif(not devices.list_devices(), reason="there is no OpenCL device")

prices = {1: 2.0, 2: 3.0}
found: list[float] = []


@pytest.fixture(autouse=True)
def dispatcher(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing warned about yet."""
    monkeypatch.setattr(api, "_dispatcher", DividingDispatcher())


def factorial(n: int) -> int:
    return n * factorial(n - 1) if n > 1 else 1


def counted(n: int) -> Any:
    yield from range(n)


def remembered(x: Any, seen: list[Any] = []) -> int:
    return len(seen)


def without_import(x: Any) -> Any:
    return maths.sqrt(x)


def collected(x: Any) -> Any:
    found.append(x)
    return x


def listed(x: Any) -> Any:
    row = np.zeros(3)
    return row[0] + x


def with_file(x: Any) -> Any:
    with open("numbers.txt") as file:  # noqa: PTH123
        return x + len(file.read())


MISTAKES: list[tuple[Callable[..., Any], Any, str, str, str]] = [
    (lambda x: x + "a", [1], "HETC0001", '"a"', "return numbers"),
    (lambda x: f"{x:.2f}", [1.0], "HETC0001", 'f"{x:.2f}"', "return numbers"),
    (lambda x: "%d" % x, [1], "HETC0001", '"%d"', "return numbers"),
    (lambda x: "{}".format(x), [1], "HETC0002", '"{}".format(x)', "return numbers"),
    (lambda x: prices[x], [1], "HETC0022", "prices", "use a list or an array whose indices are the keys"),
    (lambda x: {x: 1}[x], [1], "HETC0001", "{x: 1}", "use a list or an array whose indices are the keys"),
    (lambda x: print(prices), [1], "HETC0002", "print(prices)", "print the results"),
    (
        lambda row: row * 2.0,
        np.ones((3, 4)),
        "HETC0013",
        "row",
        "index it down to one of its numbers; the",
    ),
    (lambda x: x << 1, [1.5], "HETC0011", "x << 1", "convert the operands"),
    (lambda x: sum + x, [1], "HETC0006", "sum", "pass numbers"),
    (lambda x: np.median(x), [1.0], "HETC0002", "np.median(x)", "loop over the numbers"),
    (lambda x: random.random() + x, [1.0], "HETC0002", "random.random()", "pass random numbers"),
    (lambda x: math.sqrt(x, x), [1.0], "HETC0003", "math.sqrt(x, x)", "pass the arguments"),
    (factorial, [5], "HETC0004", "def factorial", "write the recursion as a loop"),
    (counted, [5], "HETC0001", "yield from range(n)", "return a list"),
    (remembered, [5], "HETC0003", "[]", "pass it as an argument, or name it outside"),
    (without_import, [5.0], "HETC0002", "maths", "assign it before the call"),
    (collected, [5.0], "HETC0002", "found.append(x)", "return the value"),
    (listed, [5.0], "HETC0002", "np.zeros(3)", "make a list"),
    (with_file, [5.0], "HETC0001", "with open", "open what it opens around the call"),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake[3])
def test_a_message_has_a_line_a_caret_and_a_remedy(mistake: tuple[Callable[..., Any], Any, str, str, str]) -> None:
    function, data, code, at, remedy = mistake
    with hetc.configure(offload="always", fallback="error"), pytest.raises(hetc.UnsupportedError) as raised:
        hetc.map(function)(data)
    lines = str(raised.value).splitlines()
    place = raised.value.location
    assert place is not None
    assert lines[0].startswith(f"{code}: {__file__}:{place.line}:")
    assert place.text().startswith(at)
    assert lines[2].strip(" ^") == ""
    assert lines[1][lines[2].index("^") :].startswith(at)
    assert lines[3].startswith(f"  hint: {remedy}")


@pytest.mark.parametrize("category", Category, ids=lambda category: category.code)
def test_an_error_without_a_hint_has_the_advice_of_its_category(category: Category) -> None:
    remedy = hetc.UnsupportedError("why", category=category).remedy
    assert (remedy is None) == (category in (Category.USAGE, Category.INTERNAL))
    assert remedy is None or ((remedy[0].islower() or remedy[0] in "`'") and not remedy.endswith("."))


def test_a_range_over_an_array_says_what_is_meant() -> None:
    with pytest.raises(TypeError, match=r"takes the extent of each dimension, such as len\(x\), not ndarray"):
        hetc.forall(cast("int", np.ones(3)))


# --- Tracebacks ------------------------------------------------------------------------------------------------------


def root(x: Any) -> Any:
    return "text" + x  # Python alone runs this


@hetc.jit
def roots(x: Any) -> None:
    for i in hetc.forall(len(x)):
        x[i] = root(x[i])


def frames(error: BaseException) -> list[str]:
    """The functions of a traceback, innermost last."""
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]


@pytest.mark.parametrize("call", [lambda: hetc.map(root)([1]), lambda: roots(np.ones(3))], ids=["map", "loop"])
def test_a_traceback_has_the_line_that_calls_and_the_users_functions_alone(call: Callable[[], Any]) -> None:
    with warnings.catch_warnings(), hetc.configure(offload="always"):
        warnings.simplefilter("ignore", hetc.FallbackWarning)
        with pytest.raises(TypeError) as raised:
            call()
        assert raised.value.__context__ is None  # that it is not compiled is said by the warning
        names = frames(raised.value)
        assert names[-1] == "root"
        assert names.count("__call__") == 1
        assert names[names.index("__call__") + 1 :] in (["root"], ["roots", "root"])
        with hetc.configure(debug=True), pytest.raises(TypeError) as raised:
            call()
        assert len(frames(raised.value)) > len(names)  # all of them


def test_an_error_of_hetc_has_no_frames_of_hetc_behind_the_call() -> None:
    with pytest.raises(hetc.InputError) as raised:
        hetc.map(lambda x, y: x + y)([1], [1, 2])
    assert frames(raised.value)[-1] == "__call__"


@pytest.mark.parametrize(
    "call", [lambda: hetc.map(root)(5), lambda: hetc.map(root)([1], 5), lambda: roots()], ids=["map", "second", "loop"]
)
def test_nor_has_what_python_says_of_an_argument(call: Callable[[], Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hetc.FallbackWarning)
        with pytest.raises(TypeError) as raised:
            call()
        assert frames(raised.value)[-1] == "__call__"
        with hetc.configure(debug=True), pytest.raises(TypeError) as raised:
            call()
        assert frames(raised.value)[-1] != "__call__"


def test_a_fault_keeps_its_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hetc.dispatch.check_inputs", None)
    with pytest.raises(TypeError) as raised:
        hetc.map(lambda x: x)([1])
    assert frames(raised.value)[-1] != "__call__"

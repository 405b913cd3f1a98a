"""What the Python frontend and `specialize` refuse: one sentence, the place in the user's source, and what to do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import driver
from hetc.abi import DeviceTraits
from hetc.errors import UnsupportedError
from hetc.frontends.python.closure import resolve
from hetc.frontends.skeleton.composition import functions
from hetc.runtime.describe import describe

# ruff: noqa: B007, C416, E501, F401, F841, PLE0643, PLW0108 (programs that are refused)

gain = 1.5
weights = np.ones(4)
other_weights = np.zeros(4)
matrix = np.ones((2, 3))
F32 = np.ones(3, np.float32)


def refusal(function: Callable[..., Any] | hetc.ArrayFunction, *inputs: Any) -> UnsupportedError:
    """The error that compiling a call ends with."""
    af = function if isinstance(function, hetc.ArrayFunction) else hetc.map(function)
    inputs = inputs or ([1, 2, 3],)
    resolution = resolve(functions(af.stages))
    signature, captures = describe(inputs, resolution.captures)
    with pytest.raises(UnsupportedError) as caught:
        driver.compile(driver.Request(af.stages, signature, captures, resolution, DeviceTraits()))
    return caught.value


def pointed_at(error: UnsupportedError) -> str:
    """The source text from the place of an error on, to the end of the line or of the expression."""
    assert error.location is not None
    assert error.location.filename == __file__
    with open(__file__) as file:  # noqa: PTH123 (this very file)
        line = file.readlines()[error.location.line - 1].encode()
    return line[error.location.column : error.location.end_column].decode().strip()


def check(error: UnsupportedError, reason: str, at: str, hint: str | None = None) -> None:
    assert error.reason == reason
    assert pointed_at(error).startswith(at)
    if hint is not None:
        assert error.hint == hint
    assert "\n" not in error.reason


# --- Statements ------------------------------------------------------------------------------------------------------


def with_statement(x):
    with x:
        pass
    return x


def try_statement(x):
    try:
        return x
    finally:
        x = 0


def raise_statement(x):
    y = x
    raise ValueError


def global_statement(x):
    global gain
    gain = x
    return x


def nested_def(x):
    def inner():
        return 1

    return x


def delete(x):
    y = x
    del y
    return x


def match_statement(x):
    match x:
        case 1:
            return 1
    return 2


def import_statement(x):
    import math

    return x


def loop_over_list(x):
    for w in [1, 2]:
        x += w
    return x


def store_item(x):
    weights[0] = x
    return x


def store_attribute(x):
    x.real = 1
    return x


def augmented_item(x):
    weights[0] += x
    return x


def starred_unpacking(x):
    a, *b = (x, x, x)
    return a


@pytest.mark.parametrize(
    ("function", "reason", "at", "hint"),
    [
        (with_statement, "a with statement is not compiled", "with x", None),
        (try_statement, "a try statement with a finally branch is left early", "try", None),
        (raise_statement, "the function raises an exception here", "raise", None),
        (global_statement, "a global statement is not compiled", "global", None),
        (nested_def, "a nested function is not compiled", "def inner", None),
        (delete, "a del statement is not compiled", "del y", None),
        (match_statement, "a match statement is not compiled", "match x", None),
        (import_statement, "an import statement is not compiled", "import math", None),
        (
            loop_over_list,
            "a for loop is compiled over range(), captured arrays, zip() and enumerate() of them",
            "[",
            "loop over range(len(...)) and index",
        ),
        (
            store_item,
            "only local variables can be assigned here",
            "weights[0]",
            "return the new value instead of storing it",
        ),
        (
            store_attribute,
            "only local variables can be assigned here",
            "x.real",
            "return the new value instead of storing it",
        ),
        (augmented_item, "only local variables can be assigned here", "weights[0] += x", None),
        (starred_unpacking, "starred unpacking is not compiled", "a, *b", None),
    ],
)
def test_statements(function: Any, reason: str, at: str, hint: str | None):
    check(refusal(function), reason, at, hint)


# --- Expressions -----------------------------------------------------------------------------------------------------


class Object:
    value = 5

    def __call__(self, x):
        return x


thing = Object()


@pytest.mark.parametrize(
    ("function", "reason", "at"),
    [
        (lambda x: {x: 1}, "a dict is not compiled", "{x: 1}"),
        (lambda x: [x], "a list is not compiled", "[x]"),
        (lambda x: {x}, "a set is not compiled", "{x}"),
        (lambda x: [i for i in range(3)], "a list comprehension is not compiled", "[i for"),
        (lambda x: sum(i for i in range(3)), "the call of 'sum' is not compiled", "sum("),
        (lambda x: (lambda y: y), "a nested lambda is not compiled", "lambda y"),
        (lambda x: f"{x}", "an f-string is not compiled", "f\""),
        (lambda x: (y := x), "an assignment expression is not compiled", "y := x"),
        (lambda x: x @ x, "the operator MatMult is not compiled", "x @ x"),
        (lambda x: x is x, "the identity of numbers is not compiled", "x is x"),
        (lambda x: x in (1, 2), "the operator 'in' is not compiled", "x in"),
        (lambda x: "text", "the constant 'text' is not a real number", "\"text\""),
        (lambda x: 1j * x, "the constant 1j is not a real number", "1j"),
        (lambda x: None, "the function returns nothing but None", "lambda x: None"),
        (lambda x: x + 9223372036854775808, "the integer 9223372036854775808 does not fit 64 bits", "922"),
        (lambda x: weights[0:2], "slices are not compiled", "weights[0:2]"),
        (lambda x: x.real, "the attribute '.real' is not compiled", "x.real"),
        (lambda x: math.sqrt, "the function 'math.sqrt' can be called here, but is not a value", "math.sqrt"),
        (lambda x: abs, "the function 'abs' can be called here, but is not a value", "abs"),
        (lambda x: print(x), "the call of 'print' is not compiled", "print(x)"),
        (lambda x: thing(x), "the call of 'thing' is not compiled", "thing(x)"),
        (lambda x: x.bit_length(), "the call of 'x.bit_length' is not compiled", "x.bit_length()"),
        (lambda x: no_such_name + x, "the name 'no_such_name' has no value that can be compiled", "no_such_name"),  # type: ignore[name-defined] # noqa: F821
        (lambda x: max(*(x, x)), "max is compiled with plain positional arguments only", "max("),
        (lambda x: round(x, ndigits=1), "round is compiled with plain positional arguments only", "round("),
        (lambda x: delete(), "delete() missing a required argument: 'x'", "delete()"),
        (lambda x: delete(*(x,)), "a call with *args or **kwargs is not compiled", "delete("),
    ],
)  # fmt: skip
def test_expressions(function: Any, reason: str, at: str):
    check(refusal(function), reason, at)


def test_variadic_parameters():
    def variadic(x, *rest):
        return x

    def with_keywords(x, **rest):
        return x

    check(refusal(variadic), "the parameter *rest is not compiled", "def variadic")
    check(refusal(with_keywords), "the parameter *rest is not compiled", "def with_keywords")
    check(refusal(lambda x: variadic(x)), "variadic() takes *rest, which is not compiled", "variadic(x)")


def test_numbers_of_arguments():
    def two(a, b):
        return a + b

    reason = "two takes 2 arguments, but each element gives 1"
    check(refusal(two), reason, "def two")
    check(refusal(hetc.map(lambda a, b: a).map(two), [1], [2]), reason, "def two")


def test_an_initial_value_that_is_no_number():
    reason = refusal(hetc.reduce(lambda a, b: a, "zero")).reason
    assert reason.startswith("the initial value 'zero' is not a")


# --- Types -----------------------------------------------------------------------------------------------------------


def two_types(x):
    y = 1.5
    if x > 1:
        y = x
    return y


def maybe_unbound(x):
    if x > 1:
        y = x
    return y


def unbound_in_loop(x):
    for i in range(x):
        last = i
    return last


def array_of_a_branch(x):
    a = weights
    if x > 1:
        a = other_weights
    return a[0]


def array_or_number(x):
    a = weights
    if x > 1:
        a = x
    return a[0]


def array_of_a_loop(x):
    a = weights
    for i in range(3):
        a = other_weights
    return a[0]


def row_of_a_loop(x):
    row = matrix[0]
    k = 0
    while k < x:
        row = matrix[k]
        k += 1
    return row[0]


@pytest.mark.parametrize(
    ("function", "inputs", "reason", "at"),
    [
        (maybe_unbound, ([1],), "the variable 'y' may have no value here", "return y"),
        (unbound_in_loop, ([1],), "the variable 'last' may have no value here", "return last"),
        (lambda x: x & 0.5, ([1],), "'&' needs integers, not int and float", "x & 0.5"),
        (lambda x: x << 1, ([0.5],), "'<<' needs integers, not float and int", "x << 1"),
        (lambda x: ~x, ([0.5],), "this operator is not defined for float", "~x"),
        (lambda x: x - x, (np.ones(3, bool),), "numpy.bool and numpy.bool cannot be combined with '-' on the device", "x - x"),
        (lambda x: 2**x, ([1],), "an integer power needs a small exponent that is written as a number", "2**x"),
        (lambda x: round(x, 1), ([0.5],), "round() with 2 arguments is not compiled", "round(x, 1)"),
        (lambda x: math.hypot(x, x), ([0.5],), "math.hypot() with 2 arguments is not compiled", "math.hypot"),
        (lambda x: (x, x) + 1, ([1],), "a number is needed here, not a tuple", "(x, x) + 1"),
        (lambda x: (x, x)[x], ([1],), "a tuple is indexed by a number written in the source", "(x, x)[x]"),
        (lambda x: (x, x)[2], ([1],), "index 2 is outside a tuple of 2 items", "(x, x)[2]"),
        (lambda x: x[0], ([1],), "only captured arrays and tuples can be indexed", "x[0]"),
        (lambda x: len(x), ([1],), "len() needs a captured array or a tuple", "len(x)"),
        (lambda x: weights, ([1],), "an array cannot be used as a value here", "weights"),
        (lambda x: weights[x], ([0.5],), "an index must be an integer, not float", "weights[x]"),
        (lambda x: weights[x, x], ([1],), "too many indices for an array of 1 dimensions", "weights[x, x]"),
        (lambda x: matrix[x], ([1],), "an array cannot be used as a value here", "matrix[x]"),
        (lambda x: (weights, x)[1], ([1],), "an array cannot be used as a value here", "(weights, x)"),
        (array_of_a_branch, ([1],), "an array cannot be chosen by a branch", "if x > 1"),
        (array_or_number, ([1],), "an array cannot be chosen by a branch", "if x > 1"),
        (array_of_a_loop, ([1],), "an array cannot be chosen by a loop", "for i"),
        (row_of_a_loop, ([1],), "an array cannot be chosen by a loop", "while k"),
    ],
)  # fmt: skip
def test_types(function: Any, inputs: tuple[Any, ...], reason: str | None, at: str):
    error = refusal(function, *inputs)
    check(error, reason, at)

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

# ruff: noqa: B007, B905, C416, PIE804, F811, F821, E501, F401, F841, PLE0643, PLW0108 (programs that are refused)

gain = 1.5
weights = np.ones(4)
other_weights = np.zeros(4)
levels = (0.5, 1.5)
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
    assert error.remedy, "each message says what to do"


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


def function_value(x):
    def inner():
        return 1

    return inner


def function_twice(x):
    def inner():
        return 1

    inner = abs
    return inner(x)


def recursive(x):
    def inner(y):
        return inner(y - 1)

    return inner(x)


def delete_item(x):
    del weights[0]
    return x


def delete_nothing(x):
    del y
    return x


def match_mapping(x):
    match x:
        case {"a": 1}:
            return 1
    return 2


def write_nonlocal(x):
    y = 1

    def inner():
        nonlocal y
        y = 2

    inner()
    return y


def stores_into_alias(x):
    v = [x]
    w = v
    v[0] = 1
    return w[0]


def perhaps_generator(x):
    if x > 100:
        yield x
    return x


def import_statement(x):
    import math

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


@pytest.mark.parametrize(
    ("function", "reason", "at", "hint"),
    [
        (with_statement, "a with statement is not compiled", "with x", None),
        (try_statement, "a try statement with a finally branch is left early", "try", None),
        (raise_statement, "the function raises an exception here", "raise", None),
        (global_statement, "a global statement is not compiled", "global", None),
        (function_value, "the function 'inner' can be called or passed here, but is not a value", "inner", None),
        (function_twice, "'inner' is a nested function, and is assigned more than once", "def inner", None),
        (
            recursive,
            "inner() calls itself, and a device has no call stack",
            "inner(y - 1)",
            "write the recursion as a loop",
        ),
        (delete_item, "only local variables that have a value can be deleted here", "weights[0]", None),
        (delete_nothing, "only local variables that have a value can be deleted here", "y", None),
        (match_mapping, "a match statement is not compiled", "match x", None),
        (write_nonlocal, "a nonlocal statement is not compiled", "nonlocal y", None),
        (
            stores_into_alias,
            "only local variables can be assigned here",
            "v[0]",
            "return the new value instead of storing it",
        ),
        (perhaps_generator, "a generator function is not compiled", "yield x", None),
        (import_statement, "an import statement is not compiled", "import math", None),
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
        (augmented_item, "only local variables can be assigned here", "weights[0]", None),
    ],
)
def test_statements(function: Any, reason: str, at: str, hint: str | None):
    check(refusal(function), reason, at, hint)


# --- Expressions -----------------------------------------------------------------------------------------------------


def with_default(x, y=1):
    return x + y


class Object:
    value = 5

    def __call__(self, x):
        return x


thing = Object()


@pytest.mark.parametrize(
    ("function", "reason", "at"),
    [
        (lambda x: {x: 1}, "a dict is not compiled", "{x: 1}"),
        (lambda x: [], "an empty list as a result is not compiled: it does not say what its items are", "[]"),
        (lambda x: [[x], [x, 1] if x else [x]], "a list whose length varies holds numbers and tuples of them, not list[int]", "[[x], [x, 1] if"),
        (lambda x: {x}, "a set is not compiled", "{x}"),
        (lambda x: {i for i in range(3)}, "a set comprehension is not compiled", "{i for"),
        (lambda x: [(i, [i]) for i in range(x)], "a list whose length varies holds numbers and tuples of them, not (int, [int])", "i in"),
        (lambda x: sorted([i for i in range(x)]), "the number of items varies, so they make no tuple or list", "sorted"),
        (lambda x: sum({i: i for i in (1, 2)}), "a dict comprehension is not compiled", "{i: i for"),
        (lambda x: sum(1, 2, 3), "sum() is not compiled with these arguments", "sum("),
        (lambda x: sum(x), "this cannot be iterated", "sum("),
        (lambda x: max(x, key=abs), "max() is not compiled with these arguments", "max("),
        (lambda x: (i for i in (1, 2)), "a generator outside sum(), any(), all(), min(), max(), tuple() and list() is not compiled", "(i for"),
        (lambda x: zip((1, 2), (3, 4)), "zip() is compiled where something runs over it", "zip("),
        (lambda x: map(abs, (x, 1)), "the call of 'map' is not compiled", "map("),
        (lambda x: isinstance(x, thing), "'thing' is no class that hetc knows", "thing"),
        (lambda x: x(1), "what is called here is not a function", "x(1)"),
        (lambda x: sorted((x, 0.5)), "sorted() is compiled for at most 16 numbers of one type", "sorted("),
        (lambda x: (x, 1) < (2.0, "a"), "the constant 'a' is not a number", "\"a\""),
        (lambda x: [x].append(1), "the call of '[x].append' is not compiled", "[x].append"),
        (lambda x: (lambda y: y), "a lambda that is not called or passed to a function is not compiled", "lambda y"),
        (lambda x: f"{x}", "an f-string is not compiled", "f\""),
        (lambda x: x @ x, "the operator '@' is compiled for objects that define it", "x @ x"),
        (lambda x: x is x, "the identity of numbers is not compiled", "x is x"),
        (lambda x: x in weights, "'in' is compiled for tuples, lists and ranges", "x in"),
        (lambda x: "text", "the constant 'text' is not a number", "\"text\""),
        (lambda x: None, "the function returns nothing but None", "lambda x: None"),
        (lambda x: x + 9223372036854775808, "the integer 9223372036854775808 does not fit 64 bits", "922"),
        (lambda x: weights[0:2], "an array cannot be used as a value here", "weights[0:2]"),
        (lambda x: weights[::0][0], "a slice with step 0 raises ValueError", "weights[::0]"),
        (lambda x: (x, 1)[x:], "a tuple or list is sliced by numbers written in the source", "(x, 1)[x:]"),
        (lambda x: x.flags, "the attribute '.flags' is not compiled", "x.flags"),
        (lambda x: math.sqrt, "the function 'math.sqrt' can be called here, but is not a value", "math.sqrt"),
        (lambda x: abs, "the function 'abs' can be called here, but is not a value", "abs"),
        (lambda x: print(x), "the call of 'print' is not compiled", "print(x)"),
        (lambda x: thing(x), "the call of 'thing' is not compiled", "thing(x)"),
        (lambda x: x.hex(), "the call of 'x.hex' is not compiled", "x.hex()"),
        (lambda x: x.item(0), "item() with such arguments is not compiled", "x.item(0)"),
        (lambda x: x.astype("text"), "''text'' is no known type of NumPy", '"text"'),
        (lambda x: no_such_name + x, "the name 'no_such_name' has no value that can be compiled", "no_such_name"),
        (lambda x: math.hypot(x, y=1), "math.hypot is compiled with plain positional arguments only", "math.hypot("),
        (lambda x: round(x, digits=1), "round() got an unexpected keyword argument 'digits'", "round("),
        (lambda x: math.isclose(x, 1.0, 0.1), "math.isclose() with so many positional arguments raises TypeError", "math."),
        (lambda x: store_item(), "store_item() missing a required argument: 'x'", "store_item()"),
        (lambda x: store_item(**{"x": x}), "a call with **kwargs is not compiled", "store_item("),
        (lambda x: with_default(*(x,)), "with_default() has defaults, and is called with *, so its arguments vary", "with_default("),
    ],
)  # fmt: skip
def test_expressions(function: Any, reason: str, at: str):
    check(refusal(function), reason, at)


def test_variadic_parameters():
    def with_keywords(x, **rest):
        return x

    check(refusal(with_keywords), "the parameter **rest is not compiled", "def with_keywords")
    reason = "with_keywords() takes **rest, which is not compiled"
    check(refusal(lambda x: with_keywords(x)), reason, "with_keywords(x)")


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
    i = 0
    while i < x:
        last = i
        i += 1
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


def raises_after_an_early_return(x):
    for level in levels:
        if False:
            return x
        if math.isnan(level):
            break
    return x - (-1 * x)


@pytest.mark.parametrize(
    ("function", "inputs", "reason", "at"),
    [
        (raises_after_an_early_return, (np.ones(3, np.uint8),), "the Python integer -1 does not fit numpy.uint8", "-1 * x"),
        (maybe_unbound, ([1],), "the variable 'y' may have no value here", "y"),
        (unbound_in_loop, ([1],), "the variable 'last' may have no value here", "last"),
        (lambda x: x & 0.5, ([1],), "'&' needs integers, not int and float", "x & 0.5"),
        (lambda x: x << 1, ([0.5],), "'<<' needs integers, not float and int", "x << 1"),
        (lambda x: ~x, ([0.5],), "this operator is not defined for float", "~x"),
        (lambda x: x - x, (np.ones(3, bool),), "numpy.bool and numpy.bool cannot be combined with '-' on the device", "x - x"),
        (lambda x: math.atan2(x), ([0.5],), "math.atan2() with 1 arguments is not compiled", "math.atan2"),
        (lambda x: (x, x) + 1, ([1],), "the operator 'add' is not compiled for tuples and lists", "(x, x) + 1"),
        (lambda x: (x, x) - x, ([1],), "the operator 'sub' is not compiled for tuples and lists", "(x, x) - x"),
        (lambda x: abs((x, x)), ([1],), "a number is needed here, not (int, int)", "abs("),
        (lambda x: (x, x) < x, ([1],), "values of these types have no order: Python raises TypeError", "(x, x) < x"),
        (lambda x: (x,) == x, (F32,), "NumPy compares a number with a tuple or list item by item", "(x,) == x"),
        (lambda x: (x, x)[x], ([0.5],), "an index must be an integer, not float", "(x, x)[x]"),
        (lambda x: (x, x)[2], ([1],), "index 2 is outside a tuple of 2 items", "(x, x)[2]"),
        (lambda x: x[0], ([1],), "only captured arrays, tuples, lists and ranges can be indexed", "x[0]"),
        (lambda x: len(x), ([1],), "len() needs an array, a tuple, a list or a range", "len(x)"),
        (lambda x: weights, ([1],), "an array cannot be used as a value here", "weights"),
        (lambda x: weights[()], ([1],), "an index that is an empty tuple is not compiled", "weights[()]"),
        (lambda x: weights[x], ([0.5],), "an index must be an integer, not float", "weights[x]"),
        (lambda x: weights[x, x], ([1],), "too many indices for an array of 1 dimensions", "weights[x, x]"),
        (lambda x: matrix[x], ([1],), "an array cannot be used as a value here", "matrix[x]"),
        (lambda x: (weights, x), ([1],), "a tuple or list with an array or function in it cannot be used as a value here", "(weights, x)"),
        (lambda x: range(x), ([1],), "a range cannot be used as a value here", "range(x)"),
        (array_of_a_branch, ([1],), "an array cannot be chosen by a branch", "if x > 1"),
        (array_or_number, ([1],), "an array cannot be chosen by a branch", "if x > 1"),
        (array_of_a_loop, ([1],), "an array cannot be chosen by a loop", "for i"),
        (row_of_a_loop, ([1],), "an array cannot be chosen by a loop", "while k"),
    ],
)  # fmt: skip
def test_types(function: Any, inputs: tuple[Any, ...], reason: str | None, at: str):
    error = refusal(function, *inputs)
    check(error, reason, at)

"""Functions inside functions: nested ones, lambdas, functions as arguments, *args, defaults."""

# The functions under test are odd on purpose.
# ruff: noqa: E731, PLC3002, B026, PIE804, RUF015

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc

Agree = Callable[..., Any]

INTS = [-7, -3, -1, 0, 1, 2, 3, 5, 10]
FLOATS = [-7.5, -1.0, -0.0, 0.0, 0.25, 2.0]
SCALE, TABLE = 3, np.arange(7.0)


# --------------------------------------------------------------------------------------------------------------------
# Nested functions
# --------------------------------------------------------------------------------------------------------------------


def nested(x: Any) -> Any:
    def add(y: Any, z: Any = 10) -> Any:
        if y > 2:
            return x + y * SCALE
        return x + z

    twice = lambda y: add(y) * 2
    return add(x) + twice(3) + add(1, z=x) + (lambda a, *, b: a - b)(x, b=2)


def late_binding(x: int) -> int:
    y = 1

    def read() -> int:
        return y + x

    first = read()
    if x > 0:
        y = 100
    second = read()
    for k in range(3):
        y += k * x
        second += read()
    return first * 1000 + second


def default_is_evaluated_once(x: int) -> int:
    y = 1
    f = lambda k, z=y + x: k * z + y
    y = 50
    return f(2) + f(3, 4)


def defined_in_loop(x: int) -> int:
    total = 0
    for k in range(4):

        def times(y: int, k: int = k) -> int:
            return y * k + x

        total += times(k + 1)
    return total


def calls_another(x: Any) -> Any:
    def base(y: Any) -> Any:
        return y * y + x

    def outer(z: Any) -> Any:
        def inner(w: Any) -> Any:
            return base(w) + z

        total = 0
        for w in (1, 2, z):
            total += inner(w)
        return total

    return outer(x) - outer(2)


def loops_and_returns(x: int) -> int:
    def smallest_divisor(n: int) -> int:
        for d in range(2, n):
            if n % d == 0:
                return d
        return n

    while True:
        x += 1
        if smallest_divisor(x + 20) == x + 20:
            return x


def returns_none_or_tuple(x: int) -> Any:
    def pair(y: int) -> Any:
        return y, y + 1

    def nothing(y: int) -> None:
        y + 1

    a, b = pair(x)
    return a * b if nothing(x) is None else -1


def reads_nonlocal(x: int) -> int:
    y = x + 1

    def read() -> int:
        nonlocal y
        return y

    y *= 2
    return read()


@pytest.mark.parametrize(
    "function",
    [
        nested, late_binding, default_is_evaluated_once, defined_in_loop, calls_another, loops_and_returns,
        returns_none_or_tuple, reads_nonlocal,
    ],
)  # fmt: skip
def test_nested_functions(agree: Agree, function: Callable[[Any], Any]) -> None:
    agree(hetc.map(function), INTS)
    agree(hetc.map(function), [4])
    agree(hetc.map(function), [], fallbacks=None)


def test_nested_functions_of_floats(agree: Agree) -> None:
    agree(hetc.map(nested), FLOATS)
    agree(hetc.map(calls_another), np.array(FLOATS, np.float32))


def raises_inside(x: int) -> int:
    def divide(y: int) -> int:
        return 100 // y

    return divide(x) + divide(x + 1)


def test_errors_of_nested_functions(agree: Agree) -> None:
    agree(hetc.map(raises_inside), [1, 2, 3])
    agree(hetc.map(raises_inside), [1, 0, -1], deopts=1)


def recursive(x: int) -> int:
    def down(y: int) -> int:
        return 0 if y <= 0 else 1 + down(y - 1)

    return down(x)


def assigned_twice(x: int) -> int:
    f = lambda y: y + 1
    if x > 2:
        f = lambda y: y + 2
    return f(x)


def defined_in_a_branch(x: int) -> int:
    if x > 0:

        def f(y: int) -> int:
            return y + 1

    return f(x)


def stored_function(x: int) -> int:
    fs = (lambda: x, lambda: 2)
    x = 5
    return fs[0]()


def writes_nonlocal(x: int) -> int:
    y = 1

    def write() -> None:
        nonlocal y
        y = x

    write()
    return y


def shadows(x: int) -> int:
    y = 7

    def read() -> int:
        return y

    def other(y: int) -> int:
        return read() + y

    return other(x)


def wrong_arguments(x: int) -> int:
    f = lambda a, b=1: a + b
    return f(1, 2, 3) if x > 100 else f()


def decorated(x: int) -> int:
    @abs
    def f() -> int:
        return x

    return f


@pytest.mark.parametrize(
    "function",
    [
        recursive, assigned_twice, defined_in_a_branch, stored_function, writes_nonlocal, shadows, wrong_arguments,
        decorated,
    ],
)  # fmt: skip
def test_what_is_not_compiled_runs_in_python(agree: Agree, function: Callable[[int], int]) -> None:
    agree(hetc.map(function), [4, 5], fallbacks=None, deopts=None)
    agree(hetc.map(function), [], fallbacks=None)


# --------------------------------------------------------------------------------------------------------------------
# Functions as arguments
# --------------------------------------------------------------------------------------------------------------------


def apply(f: Callable[..., Any], *arguments: Any) -> Any:
    return f(*arguments)


def twice(f: Callable[[Any], Any], x: Any) -> Any:
    return f(f(x))


def integral(f: Callable[[float], float], low: float, high: float, n: int) -> float:
    step = (high - low) / n
    total = 0.0
    for k in range(n):
        total += f(low + (k + 0.5) * step)
    return total * step


def newton(f: Callable[[float], float], df: Callable[[float], float], x: float) -> float:
    for _ in range(5):
        x -= f(x) / df(x)
    return x


def double(x: Any) -> Any:
    return x + x


def arguments(x: Any) -> Any:
    def local(y: Any) -> Any:
        return y - x

    return (
        apply(lambda t: t * 2, x), apply(math.fabs, x), apply(double, x), twice(local, x), twice(lambda t: t * x, 2),
        apply(max, x, 1, 2), twice(lambda t: twice(lambda u: u + t, x), 1),
        twice(lambda t: apply(double, t), x), apply(lambda f: 1, double),
    )  # fmt: skip


def test_functions_as_arguments(agree: Agree) -> None:
    agree(hetc.map(arguments), INTS)
    agree(hetc.map(arguments), FLOATS)
    agree(hetc.map(lambda x: integral(lambda t: t * t * x, 0.0, 1.0 + x * x, 8)), FLOATS)
    agree(hetc.map(lambda x: newton(lambda t: t * t - x, lambda t: 2.0 * t, x)), [2.0, 9.0, 0.25])
    agree(hetc.map(lambda x: newton(lambda t: t * t - x, lambda t: 2.0 * t, x)), [2.0, 0.0], deopts=1)


def keep(f: Callable[[], int]) -> Callable[[], int]:
    return f


def kept(x: int) -> int:
    f = keep(lambda: x)
    x += 1
    return f()


def test_functions_do_not_outlive_their_variables(agree: Agree) -> None:
    agree(hetc.map(kept), INTS, fallbacks=1)
    agree(hetc.map(lambda x: apply(x, x)), INTS, fallbacks=1)
    agree(hetc.map(lambda x: apply(lambda a, b: a, x)), INTS, fallbacks=1)
    agree(hetc.map(lambda x: twice(lambda f: f(f), lambda f: f(f))), INTS, fallbacks=1)


# --------------------------------------------------------------------------------------------------------------------
# Arguments
# --------------------------------------------------------------------------------------------------------------------


def several(a: Any, b: Any = 2, *rest: Any, c: Any = 0.5, d: Any = (1, 2), e: Any = None) -> Any:
    total = a * b + c + d[0] - d[1]
    for k, value in enumerate(rest, 1):
        total += k * value
    return total if e is None else total + e


def three(a: Any, b: Any, c: Any) -> Any:
    return a + 10 * b + 100 * c


def gathered(first: Any, *rest: Any, scale: Any = 2) -> Any:
    return first + scale * sum(rest) + len(rest)


def positional_only(a: Any, /, b: Any, *, c: Any) -> Any:
    return a - b * c


def calls(x: Any) -> Any:
    t = (x, 1, 2)
    return (
        several(x), several(x, x, x, 4, 5), several(x, c=x), several(b=x, a=1), several(1, d=t, e=x),
        gathered(1, *t), gathered(*t, scale=x), gathered(x),
        three(*t), three(x, *t[1:]), three(c=1, *t[:2]) if False else three(*[x, x], 3), three(*(x, 1), x),
        positional_only(x, 2, c=x), positional_only(1, c=2, b=x), max(*t), math.atan2(*t[:2]), math.atan2(*(3, x)),
    )  # fmt: skip


def order(x: int) -> int:
    return three(c=(y := x + 1), a=y * 2, b=y + 1) + y


def test_arguments(agree: Agree) -> None:
    agree(hetc.map(order), INTS)
    agree(hetc.map(calls), [1, 2, 3], ulp=2)
    agree(hetc.map(several), INTS)
    agree(hetc.map(several), INTS, FLOATS + [1.0] * 3)
    agree(hetc.map(several), INTS, INTS, INTS, INTS)
    agree(hetc.map(lambda *t: sum(t) + len(t)), INTS, INTS)
    agree(hetc.map(lambda x, *t: x + len(t)), INTS)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: three(x, 1),
        lambda x: three(*(x, 1)),
        lambda x: three(x, 1, 2, 3),
        lambda x: three(*(x, 1), 2, 3),
        lambda x: three(x, 1, a=2),
        lambda x: three(x, 1, 2, d=2),
        lambda x: positional_only(a=x, b=1, c=2),
        lambda x: positional_only(x, 1, 2),
        lambda x: positional_only(*(x, 1)),
        lambda x: x(1),
        lambda x: several(1, 2, *(x, x)),
        lambda x: apply(lambda *t: len(t), x, 1),
        lambda x: apply(apply, double, x),
        lambda x: three(**{"a": x, "b": 1, "c": 2}),
        lambda x: x.bit_length(),
        lambda x: list(map(double, (x, 1)))[0],
    ],
)
def test_wrong_arguments_raise(agree: Agree, function: Callable[[int], int]) -> None:
    agree(hetc.map(function), INTS, fallbacks=None, deopts=None)

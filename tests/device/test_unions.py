"""Values of two types on two paths, and None: what Python gives, each element with its own type."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc

Agree = Callable[..., Any]
SIZES = [0, 1, 7, 255, 257]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint64, np.bool_])
def test_a_python_number_or_a_numpy_scalar(agree: Agree, dtype: Any, size: int) -> None:
    data = (np.arange(size) % 5).astype(dtype)
    agree(hetc.map(lambda x: 0 if x < 2 else x), data)
    agree(hetc.map(lambda x: 0.5 if x < 2 else x), data)
    agree(hetc.map(lambda x: (x, 1 if x else 2.0)), data)
    agree(hetc.map(lambda x: 0 if x < 2 else x), list(data))


@pytest.mark.parametrize("size", SIZES)
def test_int_or_float_or_bool(agree: Agree, size: int) -> None:
    values = [k - 3 for k in range(size)]
    agree(hetc.map(lambda x: x if x > 0 else x / 2), values)
    agree(hetc.map(lambda x: x > 2 if x > 1 else x if x > 0 else 0.5 * x), values)
    agree(hetc.map(lambda x: x or 0.5), values)
    agree(hetc.map(lambda x: x and x / 3), tuple(values))


NUMERIC = ["add", "sub", "mul", "truediv", "floordiv", "mod", "lt", "eq"]


@pytest.mark.parametrize("name", NUMERIC)
def test_operators_on_a_value_of_two_types(agree: Agree, name: str) -> None:
    function = getattr(operator, name)
    programs = {
        "add": lambda a, b: (a if a > 1 else a * 0.5) + (b if b > 1 else b * 0.5),
        "sub": lambda a, b: (a if a > 1 else a * 0.5) - (b if b > 1 else b * 0.5),
        "mul": lambda a, b: (a if a > 1 else a * 0.5) * (b if b > 1 else b * 0.5),
        "truediv": lambda a, b: (a if a > 1 else a * 0.5) / (b if b > 1 else b * 0.5),
        "floordiv": lambda a, b: (a if a > 1 else a * 0.5) // (b if b > 1 else b * 0.5),
        "mod": lambda a, b: (a if a > 1 else a * 0.5) % (b if b > 1 else b * 0.5),
        "lt": lambda a, b: (a if a > 1 else a * 0.5) < (b if b > 1 else b * 0.5),
        "eq": lambda a, b: (a if a > 1 else a * 0.5) == (b if b > 1 else b * 0.5),
    }
    pairs = [(a, b) for a in (-3, -1, 1, 2, 5) for b in (-4, -1, 1, 2, 3)]
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    result = agree(hetc.map(programs[name]), left, right)
    assert result[-1] == function(5, 3)


def test_builtins_on_a_value_of_two_types(agree: Agree) -> None:
    values = [-3, -2, -1, 0, 1, 2, 3]
    agree(hetc.map(lambda x: abs(x if x > 0 else x * 0.5)), values)
    agree(hetc.map(lambda x: -(x if x > 0 else x * 0.5)), values)
    agree(hetc.map(lambda x: int(x if x > 0 else x * 0.5)), values)
    agree(hetc.map(lambda x: not (x if x > 0 else x * 0.5)), values)
    agree(hetc.map(lambda x: min(x, 1.5, True)), values)
    agree(hetc.map(lambda x: max(x, 1.5, -2)), values)
    agree(hetc.map(lambda x: max(x, 1.5) + min(x, 0.5)), values)
    agree(hetc.map(lambda x: max(x, np.float32(1.5))), values)


def test_an_int_that_turns_float_in_a_loop(agree: Agree) -> None:
    def mixed(n: int) -> Any:
        total = 0
        for i in range(n):
            if i > 3:
                total += 0.5
            else:
                total += i
        return total

    def running(n: int) -> Any:
        total, k = 0, n
        while k > 0:
            total = total + 1 if k % 2 == 0 else total + 1.5
            k -= 1
        return total

    def zero_times(n: int) -> Any:
        total = 0
        for i in range(n):
            total += i / 2
        return total

    agree(hetc.map(mixed), range(20))
    agree(hetc.map(running), range(20))
    agree(hetc.map(zero_times), range(1, 20))
    agree(hetc.map(zero_times), range(20), deopts=None)


def test_overflow_of_one_alternative(agree: Agree) -> None:
    agree(hetc.map(lambda x: (x if x > 2 else 0.5) * 2**62), [0, 1, 2, 3, 4], deopts=1)


def test_three_types_and_tuples(agree: Agree) -> None:
    def classify(x: int) -> Any:
        if x > 2:
            return (x, None)
        if x > 1:
            return (0.5, x)
        if x > 0:
            return (x, x, x)
        return None

    agree(hetc.map(classify), [0, 1, 2, 3, 4])
    agree(hetc.map(lambda x: (x, (1, x)) if x > 1 else (x, (1.0, None))), [0, 1, 2, 3])


def test_unions_between_skeletons(agree: Agree) -> None:
    agree(hetc.map(lambda x: x if x > 1 else 0.5).map(lambda y: y * 2), [0, 1, 2, 3])
    agree(hetc.map(lambda x: x if x > 1 else None).map(lambda y: -1 if y is None else y), [0, 1, 2, 3])
    agree(hetc.map(lambda x: x if x > 1 else 0.5).reduce(lambda a, b: a + b, 0.0), [0, 1, 2])
    agree(hetc.map(lambda x: x if x > 1 else 0.5).reduce(lambda a, b: a + b, 0), [2, 3, 4])


# --- None ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_a_function_that_may_return_nothing(agree: Agree, size: int) -> None:
    def positive(x: float) -> Any:
        if x > 2:
            return x
        return None

    agree(hetc.map(positive), [float(k) for k in range(size)])
    agree(hetc.map(positive), np.arange(size, dtype=np.float32))


def test_a_variable_that_is_none_at_first(agree: Agree) -> None:
    def first_divisor(n: int) -> int:
        found = None
        for d in range(2, 10):
            if found is None and n % d == 0:
                found = d
        return -1 if found is None else found

    agree(hetc.map(first_divisor), range(1, 200))


@pytest.mark.parametrize("size", SIZES)
def test_holes_in_a_list(agree: Agree, size: int) -> None:
    values = [None if k % 3 == 1 else k for k in range(size)]
    agree(hetc.map(lambda x: -1 if x is None else x * 2), values)
    agree(hetc.map(lambda x: x), values, fallbacks=None)
    agree(hetc.map(lambda x: x is not None), tuple(values))
    agree(hetc.map(lambda x: x == None), values)  # noqa: E711
    agree(hetc.map(lambda x, y: y if x is None else x + y), values, np.arange(size, dtype=np.float64))


def test_a_function_that_meets_a_hole(agree: Agree) -> None:
    """Python raises its own TypeError, from the user's line."""
    agree(hetc.map(lambda x: x + 1), [1, None, 3], deopts=1)
    agree(hetc.map(lambda x: -x), [1.0] * 600 + [None], deopts=1)


def test_elements_of_several_types(agree: Agree) -> None:
    values = [1, 2.5, True, None, -7, 1e300, False]
    agree(hetc.map(lambda x: x), values)
    agree(hetc.map(lambda x: None if x is None else x + 1), values)
    agree(hetc.map(lambda x: 0 if not x else x * x), values)
    agree(hetc.map(lambda x: x * 2), [1, np.int8(100), np.float32(0.1), 2.5])
    agree(hetc.map(lambda t: t[0] if t[1] is None else t[0] * t[1]), [(1, None), (2, 3.0), (2.5, None)])


def test_identity(agree: Agree) -> None:
    agree(hetc.map(lambda x: x is True), [True, False])
    agree(hetc.map(lambda x: x is not False), [True, False])
    agree(hetc.map(lambda x: x is True), [1, 0])
    agree(hetc.map(lambda x: (x is None) + 1), [1, 0])
    agree(hetc.map(lambda x: x is x), [1, 0], fallbacks=1)


def test_a_captured_none(agree: Agree) -> None:
    limit: Any = None
    capped = hetc.map(lambda x: x if limit is None or x < limit else limit)
    agree(capped, [1, 2, 3])
    limit = 2
    agree(capped, [1, 2, 3])


def test_arrays_take_the_dtype_of_what_is_there(agree: Agree) -> None:
    """NumPy's dtype of a list depends on its elements, also where Python ran some of them."""
    data = np.arange(1000)
    agree(hetc.map(lambda x: 1 if x >= 0 else 0.5), data)
    agree(hetc.map(lambda x: 1 if x >= 500 else 0.5), data)
    agree(hetc.map(lambda x: 1 if x >= 500 else 1 / int(x - 7) if x > 7 else 2.5), data)
    agree(hetc.map(lambda x: int(x) * 2**54 if x != 3 else 0.5), data, deopts=None)

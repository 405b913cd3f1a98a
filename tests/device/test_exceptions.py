"""raise, assert and try: the clean path runs on the device, the exceptional one in Python."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from tests.device.asserting import asserted, picky

Agree = Callable[..., Any]


def reciprocal_or_zero(x: int) -> float:
    try:
        return 1 / x
    except ZeroDivisionError:
        return 0.0


def test_a_handler_runs_in_python(agree: Agree) -> None:
    agree(hetc.map(reciprocal_or_zero), [1, 2, 3])
    agree(hetc.map(reciprocal_or_zero), [1, 0, 3], deopts=1)
    agree(hetc.map(reciprocal_or_zero), [0] + [2] * 1000 + [0], deopts=1)


def test_else_and_finally(agree: Agree) -> None:
    def all_parts(x: int) -> int:
        y = 0
        try:
            y = 10 // x
        except ZeroDivisionError as error:
            y = -len(str(error))
        else:
            y += 100
        finally:
            y *= 2
        return y

    agree(hetc.map(all_parts), [1, 2, 3, 4])
    agree(hetc.map(all_parts), [1, 0, 3, 4], deopts=1)


def test_nested_and_raising_again(agree: Agree) -> None:
    def nested(x: int) -> int:
        try:
            try:
                y = 10 // x
            except ValueError:
                y = 1
            if y > 4:
                raise KeyError(y)
        except KeyError:
            y = -y
        return y

    agree(hetc.map(nested), [3, 4, 5], deopts=0)
    agree(hetc.map(nested), [3, 1, 5], deopts=1)
    agree(hetc.map(nested), [3, 1, 0], deopts=1)


def test_in_loops(agree: Agree) -> None:
    def sum_of_quotients(n: int) -> int:
        total = 0
        for k in range(-2, n):
            try:
                total += 10 // k
            except ZeroDivisionError:
                continue
            if total > 25:
                break
        return total

    agree(hetc.map(sum_of_quotients), [-2, -1, 0])
    agree(hetc.map(sum_of_quotients), range(-2, 6), deopts=1)


@pytest.mark.parametrize("size", [1, 7, 255, 257, 1000])
def test_the_lowest_element_raises(agree: Agree, size: int) -> None:
    agree(hetc.map(picky), range(size), deopts=None)
    agree(hetc.map(picky), range(size - 1, -1, -1), deopts=None)
    agree(hetc.map(picky), np.arange(size), deopts=None)


def test_the_traceback_ends_in_the_users_line(device: Any) -> None:
    def check(x: int) -> int:
        if x > 900:
            raise ArithmeticError(x)
        return x

    def outer(x: int) -> int:
        return check(x) * 2

    with hetc.configure(device=device, offload="always", fallback="error"), pytest.raises(ArithmeticError) as caught:
        hetc.map(outer)(list(range(1000)))
    assert caught.value.args == (901,)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [frame.name for frame in frames[-2:]] == ["outer", "check"]
    assert frames[-1].line == "raise ArithmeticError(x)"


def test_an_in_place_loop_leaves_the_prefix_that_python_leaves(device: Any) -> None:
    out = np.zeros(100)

    def store(i: int) -> int:
        if i == 60:
            raise ValueError("sixty")
        out[i] = i
        return i

    with hetc.configure(device=device, fallback="silent"), pytest.raises(ValueError, match="sixty"):
        hetc.map(store)(range(100))
    np.testing.assert_array_equal(out, [i if i < 60 else 0.0 for i in range(100)])


def test_a_function_that_only_raises(agree: Agree) -> None:
    def refuse(x: int) -> int:
        raise NotImplementedError(x)

    agree(hetc.map(refuse), [1, 2], fallbacks=1)


def test_assertions(agree: Agree) -> None:
    agree(hetc.map(asserted), [0, 1, 2])
    agree(hetc.map(asserted), [0, 1, 2, 3], deopts=1)


def test_reading_a_variable_without_a_value_raises_even_if_nobody_uses_it(agree: Agree) -> None:
    def copied(x: int) -> int:
        if x > 2:
            y = x
        z = y  # noqa: F841
        return x

    def never_assigned(x: int) -> int:
        for k in range(0):  # noqa: B007
            pass
        w = k if x else x  # noqa: F841
        return x

    agree(hetc.map(copied), [3, 4], fallbacks=1)
    agree(hetc.map(copied), [3, 1], fallbacks=1)
    agree(hetc.map(never_assigned), [0, 0])
    agree(hetc.map(never_assigned), [0, 1], deopts=1)


def test_what_surely_raises(agree: Agree) -> None:
    """A guard that cannot hold is never asked too late."""

    def divides(x: float) -> float:
        if 3 == -4 // 0:
            x += 1
        return x

    agree(hetc.map(divides), [1.0, 2.0], deopts=1)
    agree(hetc.map(lambda x: x + 1 % 0), [1, 2], deopts=1)
    agree(hetc.map(lambda x: x + 1 // (x - x)), [1, 2], deopts=1)
    agree(hetc.map(lambda x: 1 / 0 if x > 5 else x), [1, 2, 7], deopts=1)


def test_a_reduction_whose_operator_gives_fewer_types_than_it_takes(agree: Agree) -> None:
    af = hetc.map(lambda x: x if x > 0 else 0.5).reduce(lambda x, y: x if y is None else y, 0)
    agree(af, [1, 2, -3])
    agree(hetc.map(lambda x: int(x) if x > 0 else x).reduce(lambda x, y: x ^ y, 0), np.array([5, -3, 9], np.int8))

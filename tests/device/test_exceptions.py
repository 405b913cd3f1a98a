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
    agree(hetc.map(picky), range(size), deopts=None, fallbacks=None)
    agree(hetc.map(picky), range(size - 1, -1, -1), deopts=None, fallbacks=None)
    agree(hetc.map(picky), np.arange(size), deopts=None, fallbacks=None)


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

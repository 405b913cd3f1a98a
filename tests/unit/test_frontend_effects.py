"""Which functions might do something besides computing their result."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hetc.frontends.python.closure import reachable, resolve
from hetc.frontends.python.effects import may_have_effects

table = [1, 2, 3]
log: list[Any] = []
total = 0


def has_effects(function: Callable[..., Any], opaque: frozenset[str] = frozenset()) -> bool:
    return may_have_effects(reachable(resolve([function]).functions), opaque)


def helper(x: Any) -> Any:
    return math.sqrt(x) + table[0]


def pure(x: Any) -> Any:
    if x < 0:
        raise ValueError(f"{x} is negative")
    y = [helper(x), np.float32(x)]
    return min(abs(x), y[0]) if x else (x, -x)


def writes_an_element(x: Any) -> Any:
    if x == 5:
        table[0] = 100
    return x


def writes_an_attribute(x: Any) -> Any:
    log.name = x
    return x


def writes_a_global(x: Any) -> Any:
    global total
    total += x
    return x


def calls_a_method(x: Any) -> Any:
    log.append(x)
    return x


def calls_an_effect(x: Any) -> Any:
    return calls_a_method(x) + 1


def prints(x: Any) -> Any:
    print(x)
    return x


def calls_its_argument(x: Any) -> Any:
    return x()


def deletes(x: Any) -> Any:
    del table[x]
    return x


def test_arithmetic_calls_of_pure_functions_and_exceptions_have_none() -> None:
    assert not has_effects(pure)
    assert not has_effects(lambda x: helper(x) * 2)
    assert not has_effects(math.sqrt)


@pytest.mark.parametrize(
    "function",
    [
        writes_an_element, writes_an_attribute, writes_a_global, calls_a_method, calls_an_effect, prints,
        calls_its_argument, deletes,
    ],
)  # fmt: skip
def test_stores_and_unknown_calls_have(function: Callable[..., Any]) -> None:
    assert has_effects(function)


def test_operators_on_objects_that_are_not_compiled_may_have() -> None:
    assert not has_effects(helper)
    assert has_effects(helper, frozenset({"table"}))

"""Random programs whose loops run on a device with memory of its own do what they do in Python."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.kept_arrays import KeptArrays
from tests.unit import calling_programs
from tests.unit.host_programs import KEPT, Account, Program, arguments, on_device

PROGRAMS = range(30)


def outcome(function: Callable[..., Any], seed: int) -> Any:
    """The result or exception of a call, and all arrays that are left."""
    KEPT.clear()
    drawn = arguments(random.Random(seed))
    try:
        result = function(*drawn[:3])
    except Exception as error:  # noqa: BLE001 (whatever the program raises is its outcome)
        result = (type(error), str(error))
    return copy.deepcopy((result, drawn, KEPT))


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.dtype == other.dtype and np.array_equal(one, other, equal_nan=True)
    if isinstance(one, tuple | list):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


def differing(numbers: Iterable[int], account: Account) -> Iterator[int]:
    """The programs that leave something else on the device than in Python."""
    for number in numbers:
        function = Program(random.Random(number)).function(number)
        compiled = on_device(function, account)
        with np.errstate(all="ignore"):
            if not all(same(outcome(compiled, seed), outcome(function, seed)) for seed in (3 * number, 3 * number + 1)):
                yield number


def test_programs_do_what_python_does() -> None:
    account = Account()
    assert list(differing(PROGRAMS, account)) == []
    assert account.loops > 10 * len(PROGRAMS)
    assert account.into < 40 * account.loops  # seven numbers of eight bytes, in each of one to three arrays


@pytest.mark.parametrize("method", ["bring", "bring_all", "finish", "release"])
def test_a_copy_that_is_left_out_shows(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    """Without any of what brings arrays back, one of these programs differs."""
    monkeypatch.setattr(KeptArrays, method, lambda *_: None)
    assert next(differing(range(200), Account()), None) is not None


def differing_calls(numbers: Iterable[int], account: Account) -> Iterator[int]:
    """The same for programs that call array functions, and each other."""
    for number in numbers:
        compiled, function = calling_programs.drawn(number).both(number, account)
        with np.errstate(all="ignore"):
            if not all(same(outcome(compiled, seed), outcome(function, seed)) for seed in (3 * number, 3 * number + 1)):
                yield number


def test_programs_that_call_array_functions_and_each_other() -> None:
    account = Account()
    assert list(differing_calls(PROGRAMS, account)) == []
    assert account.loops > 10 * len(PROGRAMS)


@pytest.mark.parametrize("method", ["bring", "bring_all", "release", "take_back"])
def test_a_copy_that_is_left_out_at_a_call_shows(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    monkeypatch.setattr(KeptArrays, method, lambda *_: None)
    assert next(differing_calls(range(40), Account()), None) is not None


def rebinding(a: Any, b: Any, c: Any) -> Any:
    """A variable that a function inside binds to an array that a list holds."""
    x = b
    KEPT.append(a)

    def bind() -> None:
        nonlocal x
        x = KEPT[0]

    bind()
    for i in hetc.forall(len(x)):
        x[i] = 5
    return a[0], a[1:].sum(), c[0]


def returning(a: Any, b: Any, c: Any) -> Any:
    """A value that is returned while its variable is bound anew."""
    t = np.zeros(7)
    try:
        for i in hetc.forall(len(t)):
            t[i] = a[i] + b[i] + len(c)
        return t
    finally:
        t = np.ones(7)
        for i in hetc.forall(len(t)):
            t[i] = 2


@pytest.mark.parametrize("function", [rebinding, returning])
def test_who_holds_an_array_is_not_always_a_variable(function: Callable[..., Any]) -> None:
    compiled = on_device(function, Account())
    assert all(same(outcome(compiled, seed), outcome(function, seed)) for seed in range(8))

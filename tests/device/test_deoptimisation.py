"""A guard that fails concerns its element: Python runs that block of elements, the others keep the device's results."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc


def product(a: int, b: int) -> int:
    return a * b


def test_one_element_past_64_bits(agree: Callable[..., Any]) -> None:
    numbers = list(range(1000))
    for place in (0, 255, 256, 999):
        numbers[place] = 2**40 + place
        agree(hetc.map(product), numbers, numbers, deopts=1)
        numbers[place] = place


def test_tuples_and_several_results(agree: Callable[..., Any]) -> None:
    numbers = tuple(range(700))
    agree(hetc.map(lambda i: (i / 3, i * (2**55))), numbers, deopts=1)


def test_arrays_keep_their_dtype(agree: Callable[..., Any]) -> None:
    x = np.arange(1000)
    x[300] = 2**60 + 1
    agree(hetc.map(lambda v: int(v) / 3), x, deopts=1)
    agree(hetc.map(lambda v: (v, int(v) / 3)), x, deopts=1)


def test_a_result_that_the_array_cannot_hold(agree: Callable[..., Any]) -> None:
    """Then the array's dtype is another, and Python runs all."""
    x = np.arange(1000)
    x[300] = 2**40
    agree(hetc.map(lambda v: int(v) * int(v)), x, deopts=1)


def test_the_first_element_that_raises_is_the_one_that_raises(agree: Callable[..., Any]) -> None:
    divisors = [1] * 2000
    divisors[1500] = divisors[700] = 0
    agree(hetc.map(lambda i, d: i // d), range(2000), divisors, deopts=1)
    messages = hetc.map(lambda x: math.sqrt(x) if x < 5.0 else math.log(x - 6.0))
    agree(messages, [4.0] * 600 + [5.5] + [-1.0] * 3, deopts=1)


def test_an_element_that_fails_before_one_that_raises(agree: Callable[..., Any]) -> None:
    values = [2**40] + [3] * 500 + [0]
    agree(hetc.map(lambda v: v * v + 1 // v), values, deopts=1)


def test_many_failures(agree: Callable[..., Any]) -> None:
    agree(hetc.map(lambda i: i * 2**60), range(5000), deopts=1)


def test_only_the_failed_blocks_run_in_python(device: Any) -> None:
    size = 100_000
    runs = 0

    class Counted(list[int]):
        def __getitem__(self, key: Any) -> Any:
            nonlocal runs
            runs += len(range(*key.indices(size))) if isinstance(key, slice) else 1
            return super().__getitem__(key)

    numbers = list(range(size))
    numbers[70_000] = 2**40
    counted = Counted(numbers)
    with hetc.configure(device=device, fallback="error"), hetc.profile() as p:
        result = hetc.map(lambda v: v * v)(counted)
    assert result == [v * v for v in numbers]
    assert p.deopts == 1
    assert runs == 256


@pytest.mark.parametrize("size", [1, 255, 256, 257])
def test_every_element_fails(agree: Callable[..., Any], size: int) -> None:
    agree(hetc.map(lambda i: (i + 1) * 2**62 * 2), range(size), deopts=1)

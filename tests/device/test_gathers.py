"""Gathers: what `[xs[i] for i in indices]` gives, in the container of the inputs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device

SIZES = (1, 7, 255, 257, 5000)


def places(count: int, size: int) -> Any:
    """Indices all over an array, half of them from its end."""
    return np.arange(count) * 7919 % (2 * size) - size


def add(p: Any, q: Any) -> Any:
    return p + q


def test_arrays_of_any_length(agree: Callable[..., Any]) -> None:
    twice = hetc.map(lambda x: x + 1).gather
    for size in SIZES:
        data = np.arange(size, dtype=np.float32)
        for count in (0, 1, size, 2 * size + 1):
            indices = places(count, size)
            agree(hetc.gather(indices), data)
            if count:
                agree(twice(indices).map(lambda x: x * 2), data)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint32", "int64"])
def test_indices_of_any_type_and_stride(agree: Callable[..., Any], dtype: str) -> None:
    data = np.arange(300) * 0.5
    indices = (np.arange(600) * 31 % 100).astype(dtype)
    agree(hetc.gather(indices[::3]), data[::-1])
    agree(hetc.gather(indices[::-2]), data[::2])


def test_lists_tuples_ranges_and_tuples_of_numbers(agree: Callable[..., Any]) -> None:
    for indices in ([3, 0, -1], (2, 2), range(4, 0, -2), np.array([1, -5])):
        for data in ([0.5, 1.5, 2.5, 3.5, 4.5], (1, 2, 3, 4, 5), range(10, 20, 2), [(k, k * 0.5) for k in range(5)]):
            agree(hetc.gather(indices), data)
        agree(hetc.zip().gather(indices), np.arange(5), np.arange(5) * 0.5)
        agree(hetc.gather(indices).map(lambda a, b: a - b), np.arange(5), np.arange(5) * 0.5)


def test_compositions(agree: Callable[..., Any]) -> None:
    data, indices, others = np.arange(500), places(700, 500), places(90, 700)
    agree(hetc.gather(indices).reduce(add, 0), data)
    agree(hetc.gather(indices).scan(add), data)
    agree(hetc.gather(indices).filter(lambda x: x % 3 == 0), data)
    agree(hetc.gather(indices).gather(others), data)
    agree(hetc.scan(add).gather(indices), data)
    agree(hetc.map(lambda x: 1000 // (x + 1)).gather(indices), data)


def test_the_first_index_outside_raises(agree: Callable[..., Any]) -> None:
    data = np.arange(10)
    for wrong in ([0, 10, 11], [-11], [0, 1, 2**40]):
        agree(hetc.gather(np.array(wrong)), data, deopts=1)
    agree(hetc.map(lambda x: 10 // x).gather([3]), data.tolist(), deopts=1)
    agree(hetc.gather([0]), np.array([], np.int16), deopts=None)


def test_indices_are_read_at_each_call(device: Device) -> None:
    indices = np.array([1, 0])
    gather = hetc.gather(indices)
    with hetc.configure(device=device, offload="always", fallback="error"), hetc.profile() as p:
        first = gather(np.array([10, 20]))
        indices[:] = [1, 1]
        second = gather(np.array([10, 20]))
    assert (first.tolist(), second.tolist(), p.in_python) == ([20, 10], [20, 20], 0)


def test_what_is_left_to_python(agree: Callable[..., Any]) -> None:
    agree(hetc.filter(lambda x: x > 2).gather([0, -1]), np.arange(9), fallbacks=1)
    agree(hetc.gather([1, 0]), [None, 1], fallbacks=1)
    objects = [object(), object()]
    with hetc.configure(fallback="silent", offload="always"):
        assert hetc.gather([1, 1])(objects) == [objects[1]] * 2


def test_what_holds_no_indices(device: Device) -> None:
    for wrong in (np.array([1.5]), np.array([[1]]), 3, "ab", {1: 2}):
        with pytest.raises(TypeError, match="indices are"):
            hetc.gather(wrong)


@dataclasses.dataclass
class Plain:
    x: int

    def value(self) -> int:
        return self.x


class Negative(Plain):
    def value(self) -> int:
        return -self.x


def test_a_class_that_appears_late(agree: Callable[..., Any]) -> None:
    objects = [*(Plain(k) for k in range(300)), Negative(7)]
    agree(hetc.map(lambda p: p.value()).gather([0, 300, -2]), objects)

"""Array functions take rings and give rings."""

from __future__ import annotations

import numpy as np
import pytest
from fixed_point import from_float, multiply, to_float
from fixed_point.ring import Ring, read

import hetc
from hetc.foreign import check_marshaller
from hetc.runtime.devices import list_devices

DEVICES = list_devices()


def ring_of(count, room, pushed=None):
    ring = Ring(room)
    for number in range(pushed or count):
        ring.push(from_float(number / 8 - 5))
    assert len(ring) == count
    return ring


def test_the_oldest_goes_first():
    ring = Ring(3)
    for sample in [1, 2, 3, 4]:
        ring.push(np.int32(sample))
    assert list(ring) == [2, 3, 4]


def square(x):
    return multiply(x, x)


RINGS = [(0, 3, 0), (1, 1, 1), (1, 7, 1), (7, 7, 7), (7, 7, 10), (257, 300, 257), (257, 257, 400)]


@pytest.mark.parametrize(("count", "room", "pushed"), RINGS)
def test_what_is_read_is_what_it_holds(count, room, pushed):
    check_marshaller(ring_of(count, room, pushed))


def test_nothing_is_copied_unless_it_lies_around_the_end():
    straight, around = ring_of(7, 9), ring_of(7, 7, 10)
    assert read(straight).base is straight.memory
    assert not np.shares_memory(read(around), around.memory)


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.traits.family)
@pytest.mark.parametrize(("count", "room", "pushed"), RINGS)
def test_squares(device, count, room, pushed):
    ring = ring_of(count, room, pushed)
    with hetc.configure(device=device, offload="always", fallback="error"):
        squares = hetc.map(square)(ring)
        total = hetc.map(square).reduce(lambda a, b: a + b, np.int32(0))(ring)
    assert type(squares) is Ring
    assert list(squares) == [square(x) for x in ring]
    assert total == sum(square(x) for x in ring)


def test_numbers_that_are_no_samples_are_an_array():
    result = hetc.map(to_float)(ring_of(7, 7))
    assert type(result) is np.ndarray
    assert result.tolist() == [number / 8 - 5 for number in range(7)]

"""Where data that stays on devices is: it moves when that has paid, not before, and does not go to and fro."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from hetc.arrays.memory import DeviceCopy
from hetc.arrays.numbers import NumberArray
from hetc.choice import Choice
from hetc.chosen_regions import _least  # pyright: ignore[reportPrivateUsage]
from hetc.hotness import Hotness
from hetc.places import places_of, settle
from tests.unit.test_choice import CPU, GPU

MOVING = 3e-3
"""What it takes to bring the array to the GPU, and back."""
SIZE = 1 << 20


class Copy(DeviceCopy):
    """A copy on a device that there is not."""

    is_host = False
    place = "nowhere"

    def read(self, host: Any, start: int) -> None:
        """Nothing is in it."""

    def put(self, place: int, number: Any) -> None:
        """Nothing is put there."""

    def part(self, start: int, count: int, dtype: Any) -> Copy:
        """Another one."""
        return Copy()


class Machine:
    """A host, a CPU device that shares its memory, and a GPU: what regions take there that change one array."""

    def __init__(self) -> None:
        self.known, self.total, self.devices = Hotness(), 0.0, list[Any]()

    def call(self, regions: Sequence[tuple[str, float, float]]) -> None:
        """Some regions, with their seconds on the CPU and on the GPU; afterwards the host reads the array."""
        array = NumberArray.of(np.zeros(SIZE))
        for kind, cpu, gpu in regions:
            least = functools.partial(_least, [array], SIZE)
            found = places_of(self.known, kind, [array], SIZE, [CPU, GPU], least)
            choice = Choice.of(self.known, found, SIZE, [array], "function")
            choice.decide(1e-6, 0, 0.0, lambda: True)
            device = choice.device
            memory = array.owner
            there = memory.is_on_host if device is CPU else memory.copy_on(GPU) is not None
            seconds = (cpu if device is CPU else gpu) + (0.0 if there else MOVING)
            if device is GPU:
                memory.keep(GPU, Copy())
                memory.written_on(GPU)
            else:
                memory.write()
            choice.start()
            choice.ran(SIZE, seconds)
            self.total += seconds
            self.devices.append(device)
        if not array.owner.is_on_host:
            self.total += MOVING


def moves(devices: Sequence[Any]) -> int:
    return sum(one is not other for one, other in itertools.pairwise(devices))


def test_an_array_moves_to_where_it_is_used_often() -> None:
    machine = Machine()
    machine.call([("a", 1e-3, 1e-4)] * 100)
    assert machine.devices[-50:] == [GPU] * 50
    assert moves(machine.devices) <= 6, "each device is measured, then one runs all"
    del machine.devices[:]
    machine.call([("a", 1e-3, 1e-4)] * 100)
    assert machine.devices[:20] == [GPU] * 20, "the next call begins where the last one has ended"
    assert machine.devices.count(CPU) <= 1, "it is measured again, but seldom"


def test_an_array_stays_that_is_used_seldom() -> None:
    machine = Machine()
    for _ in range(50):
        machine.call([("a", 1e-3, 1e-4)] * 2)
    assert machine.devices[-60:].count(CPU) >= 54


@pytest.mark.parametrize(("one", "other"), [((1e-3, 1e-4), (2e-4, 1e-3)), ((1e-3, 8e-4), (8e-4, 1e-3))])
def test_regions_that_differ_do_not_move_an_array_to_and_fro(
    one: tuple[float, float], other: tuple[float, float]
) -> None:
    machine = Machine()
    for _ in range(4):
        machine.call([("a", *one), ("b", *other)] * 100)
    assert moves(machine.devices[-400:]) <= 8


@pytest.mark.parametrize("count", [1, 2, 5, 20, 200])
@pytest.mark.parametrize("gpu", [1e-5, 3e-4, 9e-4, 2e-3])
@pytest.mark.parametrize("other", [1e-4, 1e-3])
def test_it_takes_at_most_three_times_what_one_place_for_all_would(count: int, gpu: float, other: float) -> None:
    machine, calls = Machine(), 60
    regions = [("a", 1e-3, gpu), ("b", other, 5e-4)] * count
    for _ in range(calls):
        machine.call(regions)
    on_cpu, on_gpu = (sum(times) for times in list(zip(*regions, strict=True))[1:])
    best = calls * min(on_cpu, on_gpu + 2 * MOVING)
    assert machine.total <= 3 * best + 12 * MOVING


def test_what_is_new_is_at_no_place_yet() -> None:
    known, array = Hotness(), NumberArray.of(np.zeros(SIZE))
    least = functools.partial(_least, [array], SIZE)
    (place,) = places_of(known, "a", [array], SIZE, [GPU], least)
    assert place.at_home == place.seconds
    settle([array])
    (place,) = places_of(known, "a", [array], SIZE, [GPU], least)
    assert place.at_home < place.seconds
    assert place.distance > 0

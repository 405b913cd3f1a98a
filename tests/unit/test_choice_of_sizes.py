"""Calls of one function with data of several sizes, on two devices whose times are known: which of them runs the last.

The times are those that an H200 and PoCL on 16 processors took (docs/performance.md), the first calls of a kernel take
ten times as long, and all are noisy.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import numpy as np
import pytest

from hetc.choice import Choice
from hetc.frontends.skeleton.composition import Map, Reduce, Stages
from hetc.hotness import Hotness
from hetc.place_times import LONGEST_START, TRIALS, PlaceTimes
from hetc.places import places
from tests.unit.test_choice import CPU, GPU

MILLISECONDS = {
    "saxpy": {1_000: (0.13, 0.25), 100_000: (0.35, 0.50), 8_000_000: (2.87, 0.94)},
    "mathematics": {1_000: (0.34, 0.49), 100_000: (0.40, 1.35), 8_000_000: (3.37, 65.35)},
    "dot product": {1_000: (0.16, 0.48), 100_000: (0.26, 0.53), 8_000_000: (2.50, 1.25)},
}
"""What a call takes on the GPU and on the CPU, by its elements."""
PYTHON = 1e-6
COMPILING = 0.03
LAST = 20


class Simulation:
    """Calls of a function, one after the other."""

    def __init__(self, name: str, slow: int, seed: int) -> None:
        self.table, self.slow, self.random = MILLISECONDS[name], slow, random.Random(seed)
        self.stages: Stages = (Map(abs), Reduce(max, 0)) if name == "dot product" else (Map(abs),)
        self.known = Hotness()
        self.known.compiler.seconds, self.known.compiler.count = COMPILING, 1
        self.counts = {CPU: 0, GPU: 0}

    def call(self, size: int) -> str:
        """Where a call of a size runs."""
        x = np.zeros(9, np.float32)
        found = places(self.known, self.stages, [x, x], size, [GPU, CPU], kind="a function")
        choice = Choice.of(self.known, found, size, [x, x], "a function")
        ready = {place.device for place in found if place.record.compiled}
        choice.start()
        if not choice.decide(PYTHON, 0, COMPILING, lambda: choice.device in ready).offload:
            choice.ran_in_python(PYTHON * size)
            return "python"
        device = choice.device
        assert device is not None
        if device not in ready:
            self.known.compiler.count += 1
        self.counts[device] += 1
        seconds = 1e-3 * self.table[size][device is CPU] * (1 + abs(self.random.gauss(0, 0.15)))
        choice.ran(size, seconds * (10 if self.counts[device] <= 1 + self.slow else 1))
        return device.kind

    def last(self, size: int, calls: int) -> list[str]:
        """Where the last of some calls have run."""
        return [self.call(size) for _ in range(calls)][-LAST:]


SIZES = [*itertools.permutations((1_000, 100_000, 8_000_000)), (1_000, 8_000_000), (8_000_000, 1_000)]


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("name", MILLISECONDS)
@pytest.mark.parametrize("slow", [0, 1, 2])
def test_the_faster_device_comes_to_run_calls_of_each_size(name: str, sizes: Sequence[int], slow: int) -> None:
    simulation = Simulation(name, slow, seed=1)
    for size in sizes:
        gpu, cpu = MILLISECONDS[name][size]
        last = simulation.last(size, 1500)
        assert last.count("gpu" if gpu < cpu else "cpu") >= LAST - 2, (size, last)


def test_one_slow_call_is_not_believed() -> None:
    simulation = Simulation("saxpy", 1, seed=2)
    for _ in range(600):
        simulation.call(100_000)
    (place, _) = places(
        simulation.known, simulation.stages, [np.zeros(9, np.float32)] * 2, 100_000, [GPU, CPU], 0.0, "a function"
    )
    assert place.record.measured >= TRIALS
    assert place.seconds < 2 * 0.35e-3


def test_what_little_data_takes_tells_little_about_more() -> None:
    times = PlaceTimes(1e-10)
    times.runs += [(1_000, LONGEST_START)] * TRIALS
    assert times.device(8_000_000) == pytest.approx(LONGEST_START + 8e-4, rel=0.01)
    times.runs.clear()
    times.runs += [(1_000, 1.0)] * TRIALS
    assert times.device(8_000) == pytest.approx(8.0, rel=0.01), "but not where it takes long"


def test_between_two_sizes_it_is_a_line() -> None:
    times = PlaceTimes(1e-10)
    times.runs += [(1_000, 1e-3), (3_000, 3e-3)]
    assert times.device(2_000) == pytest.approx(2e-3)
    assert times.device(0) < 1e-3

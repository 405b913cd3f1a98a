"""Which of several devices runs a call: estimates, the choice, and what it costs beside a choice that knows all."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from hetc import candidates as chosen_from
from hetc.abi import DeviceTraits
from hetc.candidates import candidates
from hetc.choice import Choice, Home, choose, compared, ran
from hetc.chosen_regions import Lease
from hetc.frontends.skeleton.composition import Map, Reduce
from hetc.hotness import CALL_SECONDS, EXPLORE, FunctionTimes, Hotness
from hetc.places import COPIED_SECONDS, READ_SECONDS, Place, Record, places
from hetc.runtime import devices
from hetc.runtime.devices import Device
from hetc.settings import Settings

COST = 0.1


def device(kind: str, platform: str = "a platform") -> Any:
    traits = DeviceTraits("gpu" if kind == "gpu" else "cpu", shared_memory=kind == "cpu")
    return Device("a " + kind, platform, "1", "1", kind, 1 << 30, False, traits, handle=None)  # type: ignore[arg-type]


CPU, GPU = device("cpu"), device("gpu")


def place(where: Any, seconds: float, **known: Any) -> Place:
    return Place(Record(where, **known), FunctionTimes(0.0), seconds)


# --- Candidates ------------------------------------------------------------------------------------------------------


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The devices of a machine."""
    found = [GPU, CPU, device("cpu"), device("gpu", "Oclgrind")]
    monkeypatch.setattr(devices, "list_devices", lambda: tuple(found))
    monkeypatch.delenv(devices.VARIABLE, raising=False)
    chosen_from._best_of_each_kind.cache_clear()  # pyright: ignore[reportPrivateUsage]
    yield found  # type: ignore[misc]
    chosen_from._best_of_each_kind.cache_clear()  # pyright: ignore[reportPrivateUsage]


def test_candidates_are_the_best_of_each_kind(listed: list[Any]) -> None:
    assert candidates(Settings()) == (GPU, CPU)
    listed[:] = [CPU, device("cpu"), device("gpu", "Oclgrind")]
    chosen_from._best_of_each_kind.cache_clear()  # pyright: ignore[reportPrivateUsage]
    assert candidates(Settings()) == (CPU,), "two that share a processor are no choice, nor is a simulator"


def test_where_a_device_was_asked_for_there_is_no_choice(listed: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert candidates(Settings(device="cpu")) == ()
    monkeypatch.setenv(devices.VARIABLE, "gpu")
    assert candidates(Settings()) == ()


def test_candidates_can_be_named(listed: list[Any]) -> None:
    assert candidates(Settings(candidates=("1", "gpu", CPU))) == (CPU, GPU)


# --- Estimates -------------------------------------------------------------------------------------------------------


def seconds_on(where: Any, inputs: Sequence[Any], size: int, *stages: Any) -> float:
    return places(Hotness(), stages or (Map(abs),), inputs, size, [where])[0].seconds


def test_what_is_not_measured_is_what_moves() -> None:
    x = np.zeros(9, np.float32)
    two = seconds_on(GPU, [x, x], 10**9) - seconds_on(GPU, [x], 10**9)
    assert two == pytest.approx(4e9 * COPIED_SECONDS)
    less = seconds_on(GPU, [x], 10**9) - seconds_on(GPU, [x], 10**9, Reduce(max, 0))
    assert less == pytest.approx(4e9 * COPIED_SECONDS), "a reduction gives one number back"
    assert seconds_on(GPU, [range(9)], 10**9) > seconds_on(GPU, [x], 1), "results move, ranges do not"
    assert seconds_on(CPU, [x], 1) < seconds_on(GPU, [x], 1)
    assert seconds_on(CPU, [x], 10**9) == pytest.approx(CALL_SECONDS + 8e9 * READ_SECONDS)


def test_lines_are_apart_for_data_in_other_places() -> None:
    known, x = Hotness(), np.zeros(9)
    (first,) = places(known, (Map(abs),), [x], 9, [GPU])
    first.line.runs.append((9, 1.0))
    (again,) = places(known, (Map(abs),), [x], 9, [GPU])
    assert again.line is first.line
    assert again.measured
    (other,) = places(known, (Map(abs),), [x.astype(np.float32)], 9, [GPU])
    assert not other.measured


# --- The choice ------------------------------------------------------------------------------------------------------


def test_without_a_kernel_the_one_that_would_be_fastest() -> None:
    slow, fast = place(CPU, 2.0), place(GPU, 1.0)
    assert choose([slow, fast], 100.0, COST) is fast
    assert choose([slow, fast], None, COST) is fast


def test_of_two_with_kernels_the_faster_one() -> None:
    slow, fast = place(CPU, 2.0, compiled=True), place(GPU, 1.0, compiled=True)
    assert choose([slow, fast], 100.0, COST) is fast


def test_what_cannot_pay_is_not_compiled_for() -> None:
    ready, other = place(CPU, 1e-3, compiled=True), place(GPU, 2e-3)
    for _ in range(10**4):
        assert choose([ready, other], 1.0, COST) is ready
        ran([ready, other], ready, 1, 1e-3, compiled=False)
    assert other.record.saved == 0.0


def test_a_second_kernel_is_made_when_it_would_have_paid() -> None:
    ready, other = place(CPU, 3e-3, compiled=True), place(GPU, 1e-3)
    calls = 0
    while choose([ready, other], 1.0, COST) is ready:
        ran([ready, other], ready, 1, 3e-3, compiled=False)
        calls += 1
    assert calls == pytest.approx(COST / 2e-3, abs=2)
    ran([ready, other], other, 1, 1.0, compiled=True)
    assert other.record.compiled
    assert not other.line.runs, "the time of a call that was compiled tells nothing"


def test_a_large_call_makes_one_at_once() -> None:
    assert choose([place(CPU, 1.0, compiled=True), other := place(GPU, 0.5)], 100.0, COST) is other


def test_what_was_saved_over_python_does_not_count_over_a_device() -> None:
    one, other = place(CPU, 1e-3), place(GPU, 1.1e-3)
    for _ in range(100):
        ran([one, other], None, 1, 1e-2, compiled=False)
    assert other.record.saved > COST
    ran([one, other], one, 1, 1e-3, compiled=True)
    assert other.record.saved == 0.0


def test_the_slower_one_is_measured_again_and_rarely() -> None:
    fast, slow = place(CPU, 1e-3, compiled=True), place(GPU, 5e-3, compiled=True)
    chosen: list[Place] = []
    for _ in range(1000):
        chosen.append(now := choose([fast, slow], 1.0, COST))
        ran([fast, slow], now, 1, now.seconds, compiled=False)
    share = sum(p.seconds for p in chosen if p is slow) / sum(p.seconds for p in chosen)
    assert 0 < share <= 1.1 / EXPLORE


class Machine:
    """Places with fixed times a call, and what calls and kernels have taken there."""

    def __init__(self, python: float, seconds: Sequence[float]) -> None:
        self.python, self.seconds, self.total = python, seconds, 0.0
        self.found = [place(device("cpu"), 0.0, saved=0.0) for _ in seconds]

    def call(self) -> None:
        now = [
            dataclasses.replace(p, seconds=real if p.measured else CALL_SECONDS)
            for p, real in zip(self.found, self.seconds, strict=True)
        ]
        chosen = choose(now, self.python, COST)
        times = chosen.times(self.python)
        compiled = chosen.record.compiled
        if not Hotness().decide(times, 1, COST, lambda: compiled).offload:
            self.total += self.python
            ran(now, None, 1, self.python, compiled=False)
            return
        real = self.seconds[now.index(chosen)]
        self.total += real + (0 if compiled else COST)
        ran(now, chosen, 1, real, compiled=not compiled)


@pytest.mark.parametrize(
    ("python", "seconds"),
    list(itertools.product((1e-4, 1e-3, 1e-2, 0.3), [(1e-3, 1e-4), (2e-4, 1e-4), (5.0, 1e-4), (1e-2, 5e-3), (2, 3)])),
)
@pytest.mark.parametrize("calls", [1, 10, 1000, 10_000])
def test_it_takes_at_most_three_times_what_knowing_the_future_would(
    python: float, seconds: tuple[float, float], calls: int
) -> None:
    """Beside what it takes to find out how slow each device is, once, and to look again."""
    machine = Machine(python, seconds)
    for _ in range(calls):
        machine.call()
    best = min(calls * python, *(COST + calls * each for each in seconds))
    looking = 2 * sum(seconds)
    assert machine.total <= (3 * best + looking) * (1 + 2 / EXPLORE)


def test_what_is_told_of_it() -> None:
    said = compared([place(CPU, 1e-3, compiled=True), place(GPU, 2.0)])
    assert said == "a cpu (a platform) about 1 ms, not measured; a gpu (a platform) about 2 s, not measured, no kernel"


@pytest.mark.parametrize(("python", "runs_on"), [(0.02, GPU), (0.001, None)])
def test_a_candidate_that_is_tried_again_takes_the_place_of_the_best_one_not_of_python(
    python: float, runs_on: Device | None
) -> None:
    """What is tried again may be slower than Python, which was once compared with it, and ran all from then on."""
    best = place(CPU, 0.005, compiled=True, measured=10)
    other = place(GPU, 0.05, compiled=True, measured=1, idle=1.0)
    choice = Choice(Hotness(), [other, best], 1000)
    decision = choice.decide(python / 1000, 0, None, lambda: True)
    assert decision.offload == (runs_on is not None)
    if runs_on is not None:
        assert choice.device is runs_on
        choice.start()
        choice.ran(1000, 0.05)
        assert choice.decide(python / 1000, 0, None, lambda: True).offload
        assert choice.device is CPU
        assert choice.is_best


@pytest.mark.parametrize(
    ("at_home", "runs_on"), [(8e-3, CPU), (3e-3, GPU)], ids=["slower than Python", "faster than Python"]
)
def test_python_does_not_take_what_another_candidate_than_the_home_is_faster_at(
    at_home: float, runs_on: Device
) -> None:
    """One measurement that took too long makes the home slow, and leaving it as dear; Python would leave it, too."""
    home = Home(GPU)
    own = dataclasses.replace(place(GPU, at_home, compiled=True), distance=8.5e-3)
    other = place(CPU, 55e-6, compiled=True)
    choice = Choice(Hotness(), [own, other], 1000, home=home)
    assert choice.decide(5e-6, 0, None, lambda: True).offload
    assert choice.device is runs_on


def test_a_lease_ends_where_the_data_has_moved() -> None:
    """Each of two loops would have their arrays brought to its own device else, for as long as their leases last."""
    home = Home(GPU)
    places_ = [dataclasses.replace(place(GPU, 1e-4, compiled=True), distance=1e-3), place(CPU, 2e-4, compiled=True)]
    choice = Choice(Hotness(), places_, 1000, home=home, place=places_[0])
    lease = Lease(choice, None)
    assert lease.holds
    home.device = CPU  # another loop, whose arrays are the same, has run there
    assert not lease.holds
    home.device = GPU
    assert lease.holds
    lease.ran(1e-4, [])
    assert not lease.holds, "it was for one more run"
    alone = Lease(Choice(Hotness(), places_[1:], 1000, place=places_[1]), None)
    assert alone.holds, "there is nothing to be moved"

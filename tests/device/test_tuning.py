"""Launches in all layouts that are offered: the same to the bit; and what a user sees of the choice."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import api, driver
from hetc.division import DividingDispatcher
from hetc.runtime import trials, tuning
from hetc.runtime.devices import Device
from hetc.runtime.trials import Trials
from hetc.storage import keys
from hetc.timeline.events import Kind

SIZES = (0, 1, 7, 255, 257, 1023, 4099)
GROUPS, BLOCKS = (8, 256, 1024), (16, 16, 8, 64)


@pytest.fixture(autouse=True)
def own_settings(device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Launches of any length are tried, on any CPU; the compiler offers layouts for the device."""
    if device.traits.family == "gpu":
        pytest.skip("no layouts are offered for GPUs")
    choices = dataclasses.replace(driver.DEVICE_CHOICES[device.traits.family], layouts=GROUPS, blocks=BLOCKS)
    if choices.tail == "single":
        choices = dataclasses.replace(choices, tail="split")
    monkeypatch.setitem(driver.DEVICE_CHOICES, device.traits.family, choices)
    monkeypatch.setattr(keys, "installed", lambda name: f"{name} as it is")
    monkeypatch.setattr(tuning, "LEAST_ITEMS", 1)
    with hetc.configure(
        device=device, offload="always", fallback="error", cache=True, cache_dir=tmp_path, tuning="auto"
    ):
        yield


@pytest.fixture
def in_turn(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Each launch is in the next layout; those that have run."""
    seen = set[int]()

    def following(self: Trials) -> tuple[int, bool]:
        self.launches += 1
        number = self.launches % len(self.layouts)
        seen.add(number)
        return number, False

    monkeypatch.setattr(Trials, "next", following)
    return seen


def bits(value: Any) -> bytes:
    return np.asarray(value).tobytes()


def all_alike(run: Callable[[], Any], expected: Any, seen: set[int], *, least: int) -> None:
    """Many launches give the same, in several layouts."""
    seen.clear()
    for _ in range(14):
        assert bits(run()) == bits(expected)
    assert len(seen) >= least


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8", "i8", "c16"])
def test_maps(dtype: str, size: int, in_turn: set[int]):
    x = np.arange(size).astype(dtype)
    twice = hetc.map(lambda a: a * a + a)
    expected = x * x + x
    all_alike(lambda: twice(x), expected, in_turn, least=3 if size else 0)


def test_loops_in_a_map(in_turn: set[int]):
    def series(a: float) -> float:
        total = 0.0
        for k in range(1, 20):
            total += a / k
        return total

    x = np.random.default_rng(0).random(4099)
    expected = hetc.map(series)(x)
    assert expected[:50].tolist() == [series(a) for a in x[:50].tolist()]
    all_alike(lambda: hetc.map(series)(x), expected, in_turn, least=3)


@hetc.jit
def transpose(given, out):
    height, width = out.shape
    for i, j in hetc.forall(height, width):
        out[i, j] = given[j, i] + 0.5 * given[0, i]


@pytest.mark.parametrize("height", [1, 7, 255, 257])
@pytest.mark.parametrize("width", [1, 15, 64, 131])
def test_blocks(height: int, width: int, in_turn: set[int]):
    given = np.random.default_rng(height).random((width, height))
    expected = given.T + 0.5 * given[0][:, None]

    def run() -> Any:
        out = np.zeros((height, width))
        transpose(given, out)
        return out

    all_alike(run, expected, in_turn, least=4)


@hetc.jit
def smooth(given, out):
    depth, height, width = given.shape
    for i, j, k in hetc.forall(depth - 2, height - 2, width - 2):
        around = given[i, j + 1, k + 1] + given[i + 2, j + 1, k + 1] + given[k, j, i]
        out[i + 1, j + 1, k + 1] = around - 3.0 * given[i + 1, j + 1, k + 1]


def test_blocks_in_three_dimensions(in_turn: set[int]):
    given = np.random.default_rng(0).random((19, 19, 19))
    inner, other = given[1:-1, 1:-1, 1:-1], given[:-2, :-2, :-2].transpose(2, 1, 0)
    expected = np.zeros_like(given)
    around = given[:-2, 1:-1, 1:-1] + given[2:, 1:-1, 1:-1] + other
    expected[1:-1, 1:-1, 1:-1] = around - 3.0 * inner

    def run() -> Any:
        out = np.zeros_like(given)
        smooth(given, out)
        return out

    all_alike(run, expected, in_turn, least=4)


def test_guards_in_any_layout(in_turn: set[int]):
    """What fails goes back to Python, whichever layout it failed in."""
    inverse = hetc.map(lambda a: 1 / a if a != 5 else a)
    data = list(range(1, 600))
    expected = [1 / a if a != 5 else a for a in data]
    for _ in range(8):
        assert inverse(data) == expected
        with pytest.raises(ZeroDivisionError):
            inverse([*data, 0])
    assert len(in_turn) >= 3


def test_sums_and_scans(in_turn: set[int]):
    """How a sum is grouped is no part of a layout: its bits would change."""
    x = np.random.default_rng(0).random(50_000)
    total = hetc.map(lambda a: a * a).reduce(lambda p, q: p + q, 0.0)
    running = hetc.scan(lambda p, q: p + q)
    expected = bits(total(x)), bits(running(x))
    for _ in range(8):
        assert (bits(total(x)), bits(running(x))) == expected


@hetc.jit
def scale(x, y):
    for i in hetc.forall(len(x)):
        y[i] = 2.5 * x[i] + 1.0


def timed_by(monkeypatch: pytest.MonkeyPatch, fastest: int) -> None:
    """Launches take what is made up: half the time in one layout."""
    took = Trials.took

    def told(self: Trials, layout: int, nanoseconds: int, items: int) -> None:
        took(self, layout, (500_000 if layout == fastest else 1_000_000), items)

    monkeypatch.setattr(Trials, "took", told)
    monkeypatch.setattr(trials, "SPENT_NS", 0)


def test_the_fastest_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    timed_by(monkeypatch, 2)
    x = np.arange(5000.0)
    double = hetc.map(lambda a: a * 2)
    with hetc.profile() as profile:
        for _ in range(100):
            assert bits(double(x)) == bits(x * 2)
    (event,) = [event for event in profile.events if event.kind is Kind.TUNING]
    assert "in the place of" in event.name
    assert "0.50 of the time" in event.name
    (note,) = [note for note in double.explain(x).notes if note.startswith("tuned: kernel")]
    assert "0.50 of the time" in note
    assert len(list(tmp_path.glob("tuned-*"))) == 1
    monkeypatch.setattr(api, "_dispatcher", DividingDispatcher())  # as another process
    monkeypatch.setattr(Trials, "took", lambda *_: pytest.fail("this was measured before"))
    for _ in range(100):
        assert bits(double(x)) == bits(x * 2)
    assert note in double.explain(x).notes


def test_loops_that_are_remembered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Trials go on in repeated runs, which are not described any more, and the choice is kept."""
    timed_by(monkeypatch, 1)
    x, y = np.arange(5000.0), np.zeros(5000)
    for _ in range(150):
        y[:] = 0
        scale(x, y)
        assert bits(y) == bits(2.5 * x + 1.0)
    assert len(list(tmp_path.glob("tuned-*"))) == 1
    assert "in the place of" in " ".join(str(scale.explain(x, y)).split())


def test_off_tries_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(trials, "SPENT_NS", 0)
    monkeypatch.setattr(trials, "LEAST_NS", 0)
    monkeypatch.setattr(Trials, "next", lambda self: pytest.fail("nothing is measured"))
    x = np.arange(5000.0)
    double = hetc.map(lambda a: a * 2)
    with hetc.configure(tuning="off"):
        for _ in range(60):
            assert bits(double(x)) == bits(x * 2)
    assert list(tmp_path.glob("tuned-*")) == []

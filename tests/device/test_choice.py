"""Calls whose device is chosen: the results are CPython's on each, and the faster one comes to run them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import api
from hetc.dispatch import Dispatcher
from hetc.errors import UnsupportedError
from hetc.jobs import Job
from hetc.places import Place
from hetc.runtime.devices import Device, list_devices
from hetc.speculation import Compiled
from hetc.timeline.events import Kind
from tests.device.conftest import discrete

DEVICES = list_devices()
pytestmark = pytest.mark.skipif(not DEVICES, reason="there is no OpenCL device")
SIZES = (0, 1, 7, 255, 257, 5000)


@pytest.fixture(autouse=True)
def dispatcher(monkeypatch: pytest.MonkeyPatch) -> Dispatcher:
    """Nothing compiled or measured yet."""
    fresh = api.DividingDispatcher()
    monkeypatch.setattr(api, "_dispatcher", fresh)
    return fresh


@pytest.fixture(params=["both", "shared-and-own-memory"])
def pair(request: pytest.FixtureRequest) -> tuple[Device, Device]:
    """Two devices: those that there are, and one as it is and as one with memory of its own."""
    if request.param == "both" and len(DEVICES) < 2:
        pytest.skip("there are no two devices")
    return (DEVICES[0], DEVICES[1]) if request.param == "both" else (DEVICES[0], discrete(DEVICES[0]))


@pytest.fixture(autouse=True)
def free(pair: tuple[Device, Device], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The device of a call is hetc's to choose, and kernels cost nothing."""
    monkeypatch.delenv("HETC_DEVICE", raising=False)
    with hetc.configure(candidates=pair, offload="auto", device=None, threshold=0, fallback="error"):
        yield


def chosen_in(profile: hetc.Profile) -> list[str]:
    return [event.name.partition(":")[0] for event in profile.events if event.kind is Kind.CHOICE]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.float64])
def test_results_are_those_of_python(size: int, dtype: Any) -> None:
    doubled, small = hetc.map(lambda a: a + a), np.arange(2 * size) % 50
    for x in (small[:size].astype(dtype), small.astype(dtype)[::-2], hetc.array(np.ones(size, dtype))):
        for _ in range(4):
            found = doubled(x)
            assert type(found) is type(x)
            np.testing.assert_array_equal(np.asarray(found), np.asarray(x) + np.asarray(x))
            assert found.dtype == dtype
    numbers = list(range(size))
    assert [doubled(numbers) for _ in range(3)][2] == [2 * number for number in numbers]


def record_of(dispatcher: Dispatcher, device: Device) -> Any:
    return next(record for key, record in dispatcher.hotness.records.items() if key[2] is device)  # type: ignore[index]


def test_the_one_that_is_measured_to_be_slower_is_left(pair: tuple[Device, Device], dispatcher: Dispatcher) -> None:
    """Whichever runs first; the other one is tried as soon as it might be faster."""
    f, x = hetc.map(lambda a: a * 2 + 1), np.arange(100_000.0)
    with hetc.profile() as found:
        for _ in range(10):
            f(x)
    assert chosen_in(found)
    for device in pair:
        record = record_of(dispatcher, device)
        record.compiled, record.idle, record.saved = True, 0.0, 0.0
        for line in record.lines.values():
            line.runs.clear()
            line.runs.append((x.size, 1e-3 if device is pair[1] else 1.0))
    decision = dispatcher.decision(f.stages, [x], f.call_options, lambda: f._job((x,)))  # pyright: ignore[reportPrivateUsage]
    assert decision.device is pair[1]
    assert pair[0].name in decision.compared
    with hetc.profile() as later:
        np.testing.assert_array_equal(f(x), x * 2 + 1)
    assert chosen_in(later) == [pair[1].name]


def test_it_is_explained(pair: tuple[Device, Device]) -> None:
    f, x = hetc.map(lambda a: math.sqrt(a) + 1), np.arange(100_000.0)
    f(x)
    text = " ".join(str(f.explain(x)).split())
    assert "chosen from:" in text
    assert all(device.name in text for device in pair)


def test_a_device_that_is_asked_for_is_taken(pair: tuple[Device, Device]) -> None:
    f, x = hetc.map(lambda a: a - 1), np.arange(50_000.0)
    with hetc.profile() as found:
        f.on(pair[1])(x)
        with hetc.configure(device=pair[1]):
            f(x)
        with hetc.configure(offload="always"):
            f(x)
    assert chosen_in(found) == []


def test_data_on_a_device_alone_is_computed_there(dispatcher: Dispatcher) -> None:
    own = discrete(DEVICES[0], 3)
    f = hetc.map(lambda a: a * 3)
    with hetc.configure(candidates=[DEVICES[0], own]):
        x = f.on(own)(hetc.array(np.arange(9000.0)))
        assert not x.is_on_host
        with hetc.profile() as found:
            y = f(x)
        np.testing.assert_array_equal(np.asarray(y), np.arange(9000.0) * 9)
    assert len(chosen_in(found)) == 1
    assert x.owner.devices == (own,)
    assert record_of(dispatcher, own).compiled


def test_another_one_takes_what_is_not_compiled_for_one(
    pair: tuple[Device, Device], dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_anew = type(dispatcher)._compile_anew  # pyright: ignore[reportPrivateUsage]
    refusing: list[Device] = []

    def refuse_first(self: Any, job: Job, compiled: Compiled) -> Any:
        if not refusing or job.device in refusing:
            refusing.append(job.device)
            return UnsupportedError("the device has no such numbers")
        return compile_anew(self, job, compiled)

    monkeypatch.setattr(type(dispatcher), "_compile_anew", refuse_first)
    f, x = hetc.map(lambda a: a + 7), np.arange(100_000.0)
    for _ in range(3):
        with hetc.profile() as found:
            np.testing.assert_array_equal(f(x), x + 7)
    assert len(refusing) == 1
    assert found.fallbacks == 0
    assert found.launches


def test_what_no_candidate_compiles_runs_in_python(dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Any, job: Job, compiled: Compiled) -> Any:
        return UnsupportedError("no device has such numbers")

    monkeypatch.setattr(type(dispatcher), "_compile_anew", refuse)
    f, x = hetc.map(lambda a: a + 8), np.arange(50_000.0)
    with hetc.configure(fallback="silent"):
        for _ in range(3):
            np.testing.assert_array_equal(f(x), x + 8)


def test_exceptions_are_pythons() -> None:
    f = hetc.map(lambda a: 1 // a)
    numbers = [*range(1, 20_000), 0]
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            f(numbers)


def test_a_place_says_whether_it_is_measured(pair: tuple[Device, Device], dispatcher: Dispatcher) -> None:
    f, x = hetc.map(lambda a: a * a), np.arange(100_000.0)
    for _ in range(3):
        f(x)
    record = next(r for r in dispatcher.hotness.records.values() if r.compiled)  # type: ignore[attr-defined]
    (line,) = record.lines.values()
    assert Place(record, line, line.device(x.size)).measured

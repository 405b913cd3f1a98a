"""On GPUs commands take times where somebody profiles, and nowhere else; the two queues of a device are in order."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime import devices
from hetc.runtime.devices import Device
from hetc.runtime.opencl import cl

PROFILING = cl.command_queue_properties.PROFILING_ENABLE

halved = hetc.map(lambda a: a * 0.5 + 1.0)
total = hetc.map(lambda a: a).reduce(lambda p, q: p + q, 0.0)


@hetc.jit
def spread(x: Any, y: Any, z: Any) -> None:
    for i in hetc.forall(len(x)):
        y[i], z[i] = x[i] + 1.0, x[i] * x[i]


def takes_times(queue: Any) -> bool:
    return bool(queue.properties & PROFILING)


@pytest.fixture
def target(target: Device, monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    """The device, opened anew as a GPU is: with a queue that takes no times."""
    monkeypatch.setattr(devices, "_takes_times", lambda _: False)
    made = dataclasses.replace(target, _objects=[], _more_queues=[])
    with hetc.configure(device=made):
        yield made


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether the queues of launches take times."""
    found, launch = list[bool](), cl.enqueue_nd_range_kernel

    def watch(queue: Any, *args: Any, **kwargs: Any) -> Any:
        found.append(takes_times(queue))
        return launch(queue, *args, **kwargs)

    monkeypatch.setattr(cl, "enqueue_nd_range_kernel", watch)
    return found


def test_a_device_takes_times_where_it_is_asked_to(target: Device) -> None:
    queue, pool = target.queue, target.pool
    assert not takes_times(queue)
    with target.taking_times():
        timed, memory = target.queue, target.pool
        assert takes_times(timed)
        with target.taking_times():
            assert (target.queue, target.pool) == (timed, memory)
        with target.taking_no_times():
            assert (target.queue, target.pool) == (queue, pool)
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(target.queue))
        thread.start()
        thread.join()
        assert found == [queue]  # what another thread does is its own matter
    assert (target.queue, target.pool) == (queue, pool)


def test_a_cpu_takes_times_always(device: Device, launched: list[bool]) -> None:
    if device.kind != "cpu":
        assert not takes_times(device.queue)
        return
    queue = device.queue
    assert takes_times(queue)
    with device.taking_times():
        assert device.queue is queue
    with hetc.configure(device=device, offload="always"):
        halved(np.arange(1000.0))
        with hetc.profile() as p:
            halved(np.arange(1000.0))
    assert p.kernel_ns > 0
    assert set(launched) == {True}


def test_what_is_prepared_in_a_profile_runs_without_times_after_it(target: Device, launched: list[bool]) -> None:
    function = hetc.map(lambda a: a * 3.0 - 1.0)
    x = np.arange(3000.0)
    for watched in (True, False, True, False):
        del launched[:]
        if watched:
            with hetc.profile() as p:
                result = function(x)
            assert p.launches == len(launched) > 0
            assert p.kernel_ns > 0
        else:
            result = function(x)
        assert set(launched) == {watched}
        np.testing.assert_array_equal(result, x * 3.0 - 1.0)


@pytest.mark.parametrize("size", [1, 257, 100_003])
def test_commands_of_both_queues_are_in_order(target: Device, size: int) -> None:
    numbers = np.arange(float(size))
    a, expected = hetc.array(numbers), numbers.copy()
    for round_ in range(6):
        a, expected = halved(a), expected * 0.5 + 1.0  # nobody waits for it
        if round_ % 2:
            with hetc.profile():
                a, expected = halved(a), expected * 0.5 + 1.0
            with hetc.profile() as p:
                assert total(a) == pytest.approx(expected.sum())
            assert p.launches
    np.testing.assert_array_equal(np.asarray(a), expected)


def test_memory_of_a_profile_is_not_used_by_others_meanwhile(target: Device) -> None:
    """Buffers go from one queue to the other through one pool, while the one before may be at them."""
    x = np.arange(50_000.0)
    for _ in range(20):
        given = hetc.array(x)
        one, other = halved(given), halved(halved(given))
        del given
        with hetc.profile():
            again = halved(hetc.array(x + 1.0))
        np.testing.assert_array_equal(np.asarray(again), (x + 1.0) * 0.5 + 1.0)
        np.testing.assert_array_equal(np.asarray(one), x * 0.5 + 1.0)
        np.testing.assert_array_equal(np.asarray(other), (x * 0.5 + 1.0) * 0.5 + 1.0)


def test_batches_take_times_in_a_profile(target: Device, launched: list[bool]) -> None:
    x = np.arange(40_000.0)
    batched = halved.batched("160KB")
    for watched in (False, True, False):
        del launched[:]
        if watched:
            with hetc.profile() as p:
                result = batched(x)
            assert p.batches > 1
            assert p.kernel_ns > 0
        else:
            result = batched(x)
        assert set(launched) == {watched}
        np.testing.assert_array_equal(result, x * 0.5 + 1.0)


@pytest.mark.parametrize("size", [1, 257, 10_000])
def test_what_a_tuple_of_targets_overwrites_is_not_brought(target: Device, size: int) -> None:
    x, y, z = np.arange(float(size)), np.full(size, 7.0), np.full(size, 8.0)
    for _ in range(3):
        with hetc.profile() as p:
            spread(x, y, z)
        np.testing.assert_array_equal(y, x + 1.0)
        np.testing.assert_array_equal(z, x * x)
    assert p.bytes_h2d == (0 if target.shared_memory else x.nbytes)


def test_a_guard_that_fails_leaves_what_the_host_has(target: Device) -> None:
    """The host's numbers are right until a run has gone through: no copy of them is kept on the device."""

    @hetc.jit
    def stored(x: Any, y: Any, at: Any) -> None:
        for i in hetc.forall(len(x)):
            y[i] = x[i] * 2.0 + y[i]
            y[i] = y[i] - x[at[i]]

    def plain(x: Any, y: Any, at: Any) -> None:
        for i in range(len(x)):
            y[i] = x[i] * 2.0 + y[i]
            y[i] = y[i] - x[at[i]]

    for wrong in (False, True, False, True):
        x, y, at = np.arange(1000.0), np.arange(1000.0) - 5.0, np.arange(1000)
        if wrong:
            at[700] = 1000
        u, v = x.copy(), y.copy()
        for function, arrays in ((stored, (x, y, at)), (plain, (u, v, at))):
            if wrong:
                with pytest.raises(IndexError):
                    function(*arrays)
            else:
                function(*arrays)
        np.testing.assert_array_equal(x, u)
        np.testing.assert_array_equal(y, v)

"""Copies and kernels in parts: on any device as if it had memory of its own, with parts that are small."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import native
from hetc.errors import DeviceError, UnsupportedError
from hetc.runtime import in_parts, routes, staging
from hetc.runtime.buffers import pinned_array
from hetc.runtime.devices import Device
from hetc.runtime.in_parts import UNIT
from hetc.runtime.opencl import cl
from hetc.runtime.routes import Parts, Route
from hetc.timeline.events import Kind
from tests.device.conftest import assert_same, discrete
from tests.device.failing import Failing, threads
from tests.oracle import in_cpython

PARTS = Parts(least=1, fewest=3, slots=2, most=3, widest=8 * UNIT)
ROUTE = Route(least=1 << 30, chunk=16 * UNIT, slots=4, piece=UNIT, threads=3, share=1, parts=PARTS)
SIZES = (0, 1, 7, 255, 257, 2 * UNIT - 1, 2 * UNIT, 3 * UNIT + 1, 9 * UNIT + 255, 50_000)

pytestmark = pytest.mark.skipif(native.compiled is None, reason="without compiled code the driver copies")

saxpy = hetc.map(lambda x, y: 2.5 * x + y)


@pytest.fixture
def parted(device: Device, monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    """A device on which each call is done in parts that can be."""
    monkeypatch.setattr(routes, "ROUTES", {"gpu": ROUTE})
    monkeypatch.setattr(staging, "_processors", lambda: 8)
    made = discrete(device)
    with hetc.configure(device=made, offload="always", fallback="error"):
        yield made


def call(function: Any, *inputs: Any, parts: bool = True) -> Any:
    """The result in parts, which is the same as the one at once, and has been made in parts if that is said."""
    with hetc.configure(overlap=False), hetc.profile() as once:
        expected = function(*inputs)
    with hetc.profile() as p:
        found = function(*inputs)
    assert_same(found, expected, 0, 0)
    assert (p.launches > once.launches) == parts
    assert (p.bytes_h2d, p.bytes_d2h) == (once.bytes_h2d, once.bytes_d2h)
    return found


def pinned(device: Device, array: Any) -> Any:
    """The same in pinned memory."""
    copy = pinned_array(device.context, device.queue, array.size, array.dtype)
    copy[...] = array
    return copy


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("memory", ["plain", "pinned", "both"])
def test_sizes(parted: Device, size: int, memory: str) -> None:
    x, y = np.linspace(-1, 1, size), np.linspace(5, 9, size)
    if memory != "plain" and size:
        x, y = pinned(parted, x), y if memory == "both" else pinned(parted, y)
    found = call(saxpy, x, y, parts=size >= 2 * UNIT)
    np.testing.assert_array_equal(found, 2.5 * x + y)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "f4", "f8", "c8", "c16"])
def test_dtypes(parted: Device, dtype: str) -> None:
    x = (np.arange(5 * UNIT + 3) % 100).astype(dtype)
    with np.errstate(all="ignore"):
        found = hetc.map(lambda v: v + v)(x)
        assert_same(found, x + x, 0, 0)


@pytest.mark.parametrize("layout", ["every second", "backwards", "read only", "two-dimensional"])
def test_layouts(parted: Device, layout: str) -> None:
    x = np.linspace(0, 1, 6 * UNIT)
    given = {"every second": np.repeat(x, 2)[::2], "backwards": x[::-1], "read only": x.copy()}.get(layout, x)
    given.flags.writeable = layout != "read only"
    if layout == "two-dimensional":
        rows = x.reshape(-1, 2)
        assert_same(hetc.map(lambda r: r)(x), x, 0, 0)
        given = rows[:, 1]
    np.testing.assert_array_equal(call(saxpy, given, x[: len(given)]), 2.5 * given + x[: len(given)])


def test_lists_and_ranges(parted: Device) -> None:
    size = 3 * UNIT + 5
    values = [0.5 * k for k in range(size)]
    assert call(hetc.map(lambda k, v: k * v), range(size), values)[-1] == (size - 1) * values[-1]


def test_several_results_of_several_types(parted: Device) -> None:
    x, n = np.linspace(0, 1, 7 * UNIT + 1, dtype=np.float32), np.arange(7 * UNIT + 1, dtype=np.uint8)
    up, down, same = call(hetc.map(lambda v, k: (v + 1, k & 3, v)), x, n)
    np.testing.assert_array_equal(up, x + 1)
    np.testing.assert_array_equal(down, n & 3)
    np.testing.assert_array_equal(same, x)
    assert not np.shares_memory(same, x)


def test_captured_arrays_are_there_before_the_first_part(parted: Device) -> None:
    table, places = np.linspace(0, 1, 999), np.arange(8 * UNIT) * 7 % 999
    np.testing.assert_array_equal(call(hetc.map(lambda k, v: table[k] + v), places, table[places]), 2 * table[places])


def test_a_captured_array_that_is_longer_than_the_inputs(parted: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "ROUTES", {"gpu": replace(ROUTE, least=1)})  # it is staged, through the same ring
    size = 4 * UNIT + 9
    longer, x = np.linspace(0, 1, size + 1000), np.linspace(1, 2, size)
    np.testing.assert_array_equal(call(hetc.map(lambda k, v: longer[k] + v), range(size), x), longer[:size] + x)


@pytest.mark.parametrize("place", [0, 2 * UNIT, 5 * UNIT - 1, 6 * UNIT + 2])
def test_elements_that_python_runs(parted: Device, place: int) -> None:
    x = np.arange(6 * UNIT + 3)
    x[place] = 2**62
    with hetc.configure(fallback="silent"):
        with hetc.profile() as p:
            found = hetc.map(lambda v: v * 4)(x.tolist())
        assert found == [v * 4 for v in x.tolist()]
    assert p.deopts == 1
    assert p.launches > 1


def test_exceptions(parted: Device) -> None:
    x = np.arange(1, 6 * UNIT + 1).tolist()
    x[5 * UNIT + 7] = 0
    with hetc.configure(fallback="silent"), pytest.raises(ZeroDivisionError):
        hetc.map(lambda v: 1 // v)(x)


def test_warnings_of_numpy(parted: Device) -> None:
    x = np.ones(6 * UNIT + 1)
    x[5 * UNIT] = 0
    with hetc.configure(fallback="silent"), pytest.warns(RuntimeWarning, match="divide by zero"):
        found = hetc.map(lambda v: 1 / v)(x)
    assert np.isinf(found[5 * UNIT])


def test_what_is_not_done_in_parts(parted: Device) -> None:
    x = np.linspace(0, 1, 6 * UNIT)
    call(hetc.map(lambda v: 2 * v).reduce(max), x, parts=False)
    call(hetc.filter(lambda v: v > 0.5), x, parts=False)
    call(hetc.stencil(lambda w: w[-1] + w[1], 1, "wrap"), x, parts=False)
    call(hetc.map(lambda k: 0.5 * k), range(6 * UNIT), parts=False)


def test_batches_are_done_in_parts(parted: Device) -> None:
    x, y = np.linspace(-1, 1, 100_003), np.linspace(5, 9, 100_003)
    for queues in (1, 2):
        with hetc.profile() as p:
            found = saxpy.batched("1MB", queues=queues)(x, y)
        np.testing.assert_array_equal(found, 2.5 * x + y)
        assert 1 < p.batches < p.launches


def test_a_profile_has_one_event_for_each_transfer(parted: Device) -> None:
    x, y = np.linspace(0, 1, 9 * UNIT), np.linspace(1, 2, 9 * UNIT)
    with hetc.profile() as p:
        saxpy(x, pinned(parted, y))
    copies = [event for event in p.events if event.kind in (Kind.COPY_IN, Kind.COPY_OUT)]
    assert [(event.name, event.bytes) for event in copies] == [
        ("input 0, staged", x.nbytes), ("input 1, in parts", y.nbytes), ("result, staged", x.nbytes),
    ]  # fmt: skip


def test_calls_in_threads(parted: Device) -> None:
    def run(number: int) -> bool:
        with hetc.configure(device=parted, offload="always", fallback="error"):
            x = np.full(3 * UNIT + number, float(number))
            return all((saxpy(x, x) == 3.5 * number).all() for _ in range(5))

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(run, range(6)))


def test_explanations_say_so(parted: Device) -> None:
    assert "in parts" in str(saxpy.explain(np.ones(9), np.ones(9)))
    with hetc.configure(overlap=False):
        assert "in parts" not in str(saxpy.explain(np.ones(9), np.ones(9)))
    assert "in parts" not in str(hetc.reduce(lambda p, q: p + q).explain(np.ones(9)))


def test_cpython_agrees(parted: Device) -> None:
    x = np.linspace(-1, 1, 3 * UNIT)
    found = hetc.map(lambda v: (v * 3 if v > 0 else -v, v))(x)
    assert_same(found, in_cpython(hetc.map(lambda v: (v * 3 if v > 0 else -v, v)), (x,)), 0, 0)


# --------------------------------------------------------------------------------------------------------------------
# Failures
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2, 3, 4, 7, 11, 12])
@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (cl.MemoryError("clEnqueueWriteBuffer", -4), UnsupportedError),
        (cl.RuntimeError("clEnqueueWriteBuffer", -5), DeviceError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ],
)
def test_a_device_that_fails_in_the_middle(
    parted: Device, monkeypatch: pytest.MonkeyPatch, number: int, error: BaseException, raised: type[BaseException]
) -> None:
    x = np.linspace(0, 1, 9 * UNIT)
    expected = saxpy(x, x)
    before = threads()
    with monkeypatch.context() as patch:
        patch.setattr(in_parts, "cl", Failing(number, error))
        with pytest.raises(raised):
            saxpy(x, x)
    gc.collect()
    assert threads() == before
    np.testing.assert_array_equal(saxpy(x, x), expected)


@pytest.mark.parametrize("missing", ["ring", "threads"])
def test_at_once_where_there_is_no_ring_or_no_thread(
    parted: Device, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    x = np.linspace(0, 1, 9 * UNIT)
    if missing == "ring":
        monkeypatch.setattr(parted.staging, "ring", lambda *_: None)
    else:
        monkeypatch.setattr(in_parts._Way, "begin", lambda *_, **__: False)
    with hetc.profile() as p:
        found = saxpy(x, x)
    np.testing.assert_array_equal(found, 2.5 * x + x)
    assert p.launches <= 2

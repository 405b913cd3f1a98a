"""Large arrays through pinned memory: on any device as if it had memory of its own, with chunks that are small."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import native
from hetc.errors import DeviceError, UnsupportedError
from hetc.runtime import buffers, routes, staging
from hetc.runtime.copies import download, upload
from hetc.runtime.devices import Device
from hetc.runtime.opencl import cl
from hetc.runtime.routes import Route
from hetc.timeline.events import Kind
from tests.device.conftest import discrete
from tests.device.failing import Failing, threads

CHUNK = 2**16
PIECE = CHUNK // 4
ROUTE = Route(least=1, chunk=CHUNK, slots=2, piece=PIECE, threads=3, share=1)

pytestmark = pytest.mark.skipif(native.compiled is None, reason="without compiled code the driver copies")

saxpy = hetc.map(lambda x, y: 2.5 * x + y)


@pytest.fixture
def staged(device: Device, monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    """A device on which every copy is staged, whatever its size and the number of processors."""
    monkeypatch.setattr(routes, "ROUTES", {"gpu": ROUTE})
    monkeypatch.setattr(staging, "_processors", lambda: 3)
    made = discrete(device)
    with hetc.configure(device=made, fallback="error"):
        yield made


def numbers(size: int) -> Any:
    """Bytes that tell one chunk from another."""
    return np.random.default_rng(size).integers(0, 256, size, np.uint8)


def there_and_back(device: Device, given: Any, start: int = 0) -> Any:
    """What comes back of an array, from byte `start` on."""
    buffer = device.pool.allocate(given.nbytes)
    found = np.zeros(given.nbytes - start, np.uint8)
    upload(device, buffer, given)
    download(device, found, buffer, offset=start, wait=True)
    return found


# --------------------------------------------------------------------------------------------------------------------
# Copies
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "size",
    [
        1,
        17,
        PIECE,
        PIECE + 1,
        CHUNK - 1,
        CHUNK,
        CHUNK + 1,
        2 * CHUNK - 1,
        2 * CHUNK,
        2 * CHUNK + 1,
        5 * CHUNK,
        7 * CHUNK + 9,
    ],
)
@pytest.mark.parametrize(("chunk", "slots"), [(1, 2), (1, 3), (2, 2), (1, 16)])
def test_sizes(staged: Device, monkeypatch: pytest.MonkeyPatch, size: int, chunk: int, slots: int) -> None:
    monkeypatch.setattr(routes, "ROUTES", {"gpu": Route(1, chunk * CHUNK, slots, PIECE, threads=3, share=1)})
    given = numbers(size)
    np.testing.assert_array_equal(there_and_back(staged, given), given)
    np.testing.assert_array_equal(there_and_back(staged, given, size // 3), given[size // 3 :])


def test_the_source_may_change_after_the_call(staged: Device) -> None:
    given = numbers(5 * CHUNK + 1)
    before, buffer, found = given.copy(), staged.pool.allocate(given.nbytes), np.empty_like(given)
    upload(staged, buffer, given)
    given[:] = 0
    download(staged, found, buffer, wait=True)
    np.testing.assert_array_equal(found, before)


def test_a_source_that_is_read_only(staged: Device) -> None:
    given = np.frombuffer(numbers(3 * CHUNK).tobytes(), np.uint8)
    np.testing.assert_array_equal(there_and_back(staged, given), given)


def test_only_large_arrays_go_through_pinned_memory(staged: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "ROUTES", {"gpu": Route(CHUNK, CHUNK, 2, PIECE, threads=3, share=1)})
    rings: list[str] = []
    monkeypatch.setattr(staged.staging, "ring", lambda direction, route: rings.append(direction))
    there_and_back(staged, numbers(CHUNK - 1))
    assert not rings
    there_and_back(staged, numbers(CHUNK))
    assert rings == ["in", "out"]
    rings.clear()
    with hetc.configure(staging=False):
        there_and_back(staged, numbers(CHUNK))
    assert not rings


def test_pinned_arrays_are_in_pinned_memory_already(staged: Device) -> None:
    x = np.linspace(0, 1, 100_000)
    a: Any = hetc.array(x, pinned=True)
    with hetc.profile() as p:
        result: Any = hetc.map(lambda v: v * 2)(a)
    assert [(event.name, event.bytes) for event in p.events if event.kind is Kind.COPY_IN] == [("input 0", x.nbytes)]
    np.testing.assert_array_equal(np.asarray(result), x * 2)
    assert buffers.is_pinned(buffers.pinned_array(staged.context, staged.queue, 100, x.dtype)[3:].view(np.int64))
    assert not buffers.is_pinned(x[5:])


def test_nothing_is_staged_where_memory_is_shared(device: Device) -> None:
    if device.shared_memory:
        assert routes.route_of(device.traits) is None


# --------------------------------------------------------------------------------------------------------------------
# Calls
# --------------------------------------------------------------------------------------------------------------------

LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x,
    "every second": lambda x: np.repeat(x, 2)[::2],
    "backwards": lambda x: x[::-1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", [CHUNK // 8, 3 * CHUNK // 8 + 5])
def test_calls(staged: Device, layout: str, size: int) -> None:
    x, y = np.linspace(-1, 1, size), np.linspace(5, 9, size)
    x.flags.writeable = False
    result = saxpy(LAYOUTS[layout](x), y)
    np.testing.assert_array_equal(result, 2.5 * LAYOUTS[layout](x) + y)
    assert result.flags.writeable
    result[0] = 7


def test_several_results(staged: Device) -> None:
    x = np.linspace(0, 1, 210_000)
    up, down = hetc.map(lambda v: (v + 1, -v))(x)
    np.testing.assert_array_equal(up, x + 1)
    np.testing.assert_array_equal(down, -x)


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_two_dimensions_in_place(staged: Device, order: Any) -> None:
    @hetc.jit
    def double(a: Any) -> None:
        rows, columns = a.shape
        for i, j in hetc.forall(rows, columns):
            a[i, j] = 2 * a[i, j]

    x = np.array(np.linspace(0, 1, 300 * 700).reshape(300, 700), order=order)
    expected = 2 * x
    double(x)
    np.testing.assert_array_equal(x, expected)


def test_loops_and_portable_arrays(staged: Device) -> None:
    @hetc.jit
    def add(a: Any, b: Any) -> None:
        for i in hetc.forall(len(a)):
            a[i] = a[i] + b[i]

    a, b = np.arange(200_001.0), np.linspace(0, 1, 200_001)
    expected = a + b
    add(a, b)
    np.testing.assert_array_equal(a, expected)
    kept: Any = hetc.map(lambda v: v * 2)(hetc.array(a))
    np.testing.assert_array_equal(np.asarray(kept[7:150_000]), a[7:150_000] * 2)


def test_a_profile_has_one_event_for_each_transfer(staged: Device) -> None:
    x, y = np.linspace(0, 1, 300_000), np.linspace(1, 2, 300_000)
    with hetc.profile() as p:
        saxpy(x, y)
    into = [event for event in p.events if event.kind is Kind.COPY_IN]
    out = [event for event in p.events if event.kind is Kind.COPY_OUT and event.bytes == x.nbytes]
    assert [(event.name, event.bytes) for event in into] == [
        ("input 0, staged", x.nbytes),
        ("input 1, staged", y.nbytes),
    ]
    assert [event.name for event in out] == ["result, staged"]
    assert all(event.duration > 0 for event in (*into, *out))
    assert p.bytes_h2d == x.nbytes + y.nbytes


def test_calls_in_threads(staged: Device) -> None:
    def call(number: int) -> bool:
        # `hetc.configure` in the fixture is for the thread that entered it.
        with hetc.configure(device=staged, offload="always", fallback="error"):
            x = np.full(100_000 + number, float(number))
            return all((saxpy(x, x) == 3.5 * number).all() for _ in range(5))

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(call, range(6)))


def test_explanations_say_so(staged: Device) -> None:
    assert "staged" in str(saxpy.explain(np.ones(9), np.ones(9)))
    with hetc.configure(staging=False):
        assert "staged" not in str(saxpy.explain(np.ones(9), np.ones(9)))


# --------------------------------------------------------------------------------------------------------------------
# Failures
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2, 5, 9, 11, 13, 14])
@pytest.mark.parametrize(
    ("error", "raised", "message"),
    [
        (cl.MemoryError("clEnqueueWriteBuffer", -4), UnsupportedError, "out of memory"),  # else Python would take over
        (cl.RuntimeError("clEnqueueWriteBuffer", -5), DeviceError, "refused the work"),
    ],
)
def test_a_device_that_fails_in_the_middle(
    staged: Device,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    error: Exception,
    raised: type[Exception],
    message: str,
) -> None:
    x = np.linspace(0, 1, 5 * CHUNK // 8 - 3)
    expected = saxpy(x, x)
    before = threads()
    with monkeypatch.context() as patch:
        patch.setattr(staging, "cl", Failing(number, error, "enqueue_copy"))
        with pytest.raises(raised, match=message):
            saxpy(x, x)
    gc.collect()
    assert threads() == before
    np.testing.assert_array_equal(saxpy(x, x), expected)


def test_an_interruption_in_the_middle(staged: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.linspace(0, 1, 5 * CHUNK // 8)
    saxpy(x, x)
    before = threads()
    with monkeypatch.context() as patch:
        patch.setattr(staging, "cl", Failing(7, KeyboardInterrupt(), "enqueue_copy"))
        with pytest.raises(KeyboardInterrupt):
            saxpy(x, x)
    assert threads() == before
    np.testing.assert_array_equal(saxpy(x, x), 2.5 * x + x)


def test_without_pinned_memory_the_driver_copies(staged: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise cl.MemoryError("clCreateBuffer", -4)

    monkeypatch.setattr(staging, "pinned_array", refuse)
    own = staging.Staging(staged.context, staged.queue)
    given = numbers(3 * CHUNK)
    buffer = staged.pool.allocate(given.nbytes)
    assert own.upload(ROUTE, staged.queue, buffer, given) is None
    monkeypatch.setattr(staging, "pinned_array", buffers.pinned_array)
    assert own.upload(ROUTE, staged.queue, buffer, given) is None  # and is not asked again


def test_without_threads_the_driver_copies(staged: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    given = numbers(3 * CHUNK)
    monkeypatch.setattr(staging, "_processors", lambda: 1)
    np.testing.assert_array_equal(there_and_back(staged, given), given)
    monkeypatch.setattr(staging, "_processors", lambda: 3)
    monkeypatch.setattr(native, "compiled", None)
    np.testing.assert_array_equal(there_and_back(staged, given), given)


@pytest.mark.parametrize("lost", [False, True])
def test_pinned_memory_is_given_back_when_nobody_holds_it(
    device: Device, monkeypatch: pytest.MonkeyPatch, lost: bool
) -> None:
    """A command that is still under way when the interpreter ends makes Intel's runtime abort the process."""
    told: list[str] = []

    class Released:
        def __init__(self, _: object) -> None:
            told.append("released")
            if lost:
                raise cl.RuntimeError("clEnqueueUnmapMemObject", -36)

        def wait(self) -> None:
            told.append("waited for")

    mapped = np.arange(10.0)
    owner = SimpleNamespace(release=Released)
    monkeypatch.setattr(buffers, "cast", lambda _, base: owner)
    array = np.asarray(buffers._Mapped(mapped, device.queue))  # pyright: ignore[reportPrivateUsage]
    view = array[3:]
    del array
    assert not told
    np.testing.assert_array_equal(view, mapped[3:])
    del view
    assert told == (["released"] if lost else ["released", "waited for"])


def test_threads_of_python_run_meanwhile(staged: Device) -> None:
    """A copy holds no lock of the interpreter's while it waits."""
    given, stop, counted = numbers(7 * CHUNK), threading.Event(), [0]

    def count() -> None:
        while not stop.is_set():
            counted[0] += 1

    counter = threading.Thread(target=count)
    counter.start()
    try:
        np.testing.assert_array_equal(there_and_back(staged, given), given)
    finally:
        stop.set()
        counter.join()
    assert counted[0]


def test_a_process_that_ends_after_a_staged_call(device: Device, repository: Path, tmp_path: Path) -> None:
    program = f"""
import dataclasses, numpy as np, hetc
from hetc.runtime import devices, routes, staging
routes.ROUTES = {{"gpu": routes.Route(1, 2**19, 2, 2**18, 3, 1)}}
staging._processors = lambda: 3
device = devices.list_devices()[{hetc.devices().index(device)}]
device = dataclasses.replace(device, traits=dataclasses.replace(device.traits, family="gpu", shared_memory=False))
with hetc.configure(device=device, offload="always", fallback="error"):
    print(hetc.map(lambda x: x + 1)(np.zeros(10**6)).sum())
"""
    file = tmp_path / "program.py"
    file.write_text(program)
    path = os.pathsep.join([str(repository), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"PYTHONPATH": path}
    run = subprocess.run([sys.executable, str(file)], env=environment, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.split()) == (0, ["1000000.0"]), run.stderr

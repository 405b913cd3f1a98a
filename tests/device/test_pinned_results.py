"""Results in pinned memory, once it is used again: on any device as if it had memory of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import native
from hetc.arrays import result_memory
from hetc.arrays.result_memory import KeptBlocks, block_of, owner_of
from hetc.runtime import pinned_results, routes, staging
from hetc.runtime.buffers import is_pinned, pinned_array
from hetc.runtime.devices import Device
from hetc.runtime.in_parts import UNIT
from hetc.runtime.opencl import cl
from hetc.runtime.pinned_results import Pins
from hetc.runtime.routes import Parts, Results, Route
from hetc.timeline.events import Kind
from tests.device.conftest import discrete

PARTS = Parts(least=1, fewest=3, slots=2, most=3, widest=8 * UNIT)
ROUTE = Route(
    least=16 * UNIT, chunk=16 * UNIT, slots=4, piece=UNIT, threads=3, share=1, parts=PARTS,
    results=Results(least=64, after=2),
)  # fmt: skip
SIZES = (0, 1, 7, 255, 257, UNIT, 3 * UNIT + 1, 50_000)

pytestmark = pytest.mark.skipif(native.compiled is None, reason="without compiled code the driver copies")

saxpy = hetc.map(lambda x, y: 2.5 * x + y)


@pytest.fixture(autouse=True)
def pins(monkeypatch: pytest.MonkeyPatch) -> Pins:
    """Nothing is kept nor pinned at the beginning."""
    monkeypatch.setattr(result_memory, "_kept", KeptBlocks())
    made = Pins()
    monkeypatch.setattr(pinned_results, "_pins", made)
    return made


@pytest.fixture
def gpu(device: Device, monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    """A device that pins memory that has been used again twice."""
    monkeypatch.setattr(routes, "ROUTES", {"gpu": ROUTE})
    monkeypatch.setattr(staging, "_processors", lambda: 8)
    made = discrete(device)
    with hetc.configure(device=made, offload="always", fallback="error", result_memory="64MB"):
        yield made


def copies(profile: Any, kind: Kind) -> list[str]:
    return [event.name for event in profile.events if event.kind is kind]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("overlap", [True, False])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", "?"])
def test_results_are_right_wherever_they_are(gpu: Device, size: int, overlap: bool, dtype: str) -> None:
    x = (np.arange(size) % 100).astype(dtype)
    with hetc.configure(overlap=overlap):
        for number in range(5):
            found = hetc.map(lambda v: v + v)(x)
            np.testing.assert_array_equal(found, x + x)
            assert found.dtype == (x + x).dtype
            assert is_pinned(found) == (number >= 2 and found.nbytes >= 64)
            del found


def test_a_program_that_keeps_its_results_pins_nothing(gpu: Device, pins: Pins) -> None:
    x = np.linspace(0, 1, 10_000)
    kept = [saxpy(x, x) for _ in range(6)]
    assert not any(map(is_pinned, kept))
    assert pins.size == 0


def test_no_more_is_pinned_than_is_in_use_at_a_time(gpu: Device, pins: Pins) -> None:
    x = np.linspace(0, 1, 10_000)
    y = x
    for _ in range(10):
        y = saxpy(x, y)  # the result before is held until this one is there
    assert is_pinned(y)
    assert pins.size == 2 * x.nbytes
    result_memory._kept.shrink(0)
    assert pins.size == x.nbytes
    del y
    result_memory._kept.shrink(0)
    assert pins.size == 0


def test_copies_of_pinned_results_are_direct(gpu: Device) -> None:
    x = np.linspace(0, 1, 40_000)
    for _ in range(3):
        y = saxpy(x, x)
        del y
    with hetc.configure(overlap=False), hetc.profile() as p:
        y = saxpy(x, x)
    assert (copies(p, Kind.COPY_IN), copies(p, Kind.COPY_OUT)) == (["input 0, staged", "input 1, staged"], ["result"])
    with hetc.configure(overlap=False), hetc.profile() as p:
        z = saxpy(x, y)
    assert copies(p, Kind.COPY_IN) == ["input 0, staged", "input 1"]
    with hetc.profile() as p:
        again = saxpy(y, y[::-1][::-1])
    assert copies(p, Kind.COPY_IN) == ["input 0, in parts", "input 1, in parts"]
    np.testing.assert_array_equal(y, 2.5 * x + x)
    np.testing.assert_array_equal(z, 2.5 * x + y)
    np.testing.assert_array_equal(again, 2.5 * y + y)


def test_views_of_results_as_inputs(gpu: Device) -> None:
    x = np.linspace(0, 1, 30_000)
    for _ in range(4):
        y = saxpy(x, x)
        assert y[7:].base is not None
        for view in (y[7:], y[::-1], y[1::3], y.reshape(-1, 2)[:, 1], y[:0]):
            np.testing.assert_array_equal(hetc.map(lambda v: v - 1)(view), view - 1)
        y[5:9] = -1
        np.testing.assert_array_equal(hetc.map(lambda v: v - 1)(y), y - 1)
        del y, view


def test_portable_arrays_are_read_into_pinned_memory(gpu: Device) -> None:
    x = np.linspace(0, 1, 30_000)
    for number in range(4):
        portable: Any = hetc.map(lambda v: v * 2)(hetc.array(x))
        found = np.asarray(portable)
        np.testing.assert_array_equal(found, x * 2)
        # From Python 3.12 on, what NumPy sees is a buffer, of which nobody can say whose memory it is.
        assert is_pinned(portable.host()) == (number >= 2)
        del found, portable


@pytest.mark.parametrize("queues", [1, 2])
def test_batches(gpu: Device, queues: int) -> None:
    x = np.arange(50_001)
    twice, kept, sums = hetc.map(lambda v: 2 * v), hetc.filter(lambda v: v % 3 == 1), hetc.scan(lambda p, q: p + q)
    for number in range(4):
        found = twice.batched("64kB", queues=queues)(x)
        np.testing.assert_array_equal(found, 2 * x)
        assert is_pinned(found) or number < 2
        del found
        np.testing.assert_array_equal(kept.batched("64kB", queues=queues)(x), x[x % 3 == 1])
        np.testing.assert_array_equal(sums.batched("64kB", queues=queues)(x), np.cumsum(x))


def test_memory_is_pinned_for_one_context(gpu: Device) -> None:
    x = np.linspace(0, 1, 20_000)
    for _ in range(3):
        y = saxpy(x, x)
        del y
    y = saxpy(x, x)
    other = replace(gpu, _objects=[], _more_queues=[])
    assert is_pinned(y, gpu.context)
    assert not is_pinned(y, other.context)
    with hetc.configure(device=other):
        np.testing.assert_array_equal(saxpy(y, y), 2.5 * y + y)
        del y
        y = saxpy(x, x)
    assert is_pinned(y, other.context)
    np.testing.assert_array_equal(y, 2.5 * x + x)


@pytest.mark.parametrize("most", [0, "8kB"])
def test_no_more_is_pinned_than_may_be_kept(gpu: Device, most: int | str) -> None:
    x = np.linspace(0, 1, 10_000)
    with hetc.configure(result_memory=most):
        for _ in range(5):
            y = saxpy(x, x)
            assert not is_pinned(y)
            np.testing.assert_array_equal(y, 2.5 * x + x)
            del y


def test_a_share_of_the_machine_is_pinned_at_most(gpu: Device, pins: Pins, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.linspace(0, 1, 10_000)
    monkeypatch.setattr(pinned_results, "physical_memory", lambda: pinned_results.SHARE * x.nbytes)
    y = x
    for _ in range(10):
        y = saxpy(x, y)
    assert pins.size == x.nbytes


@pytest.mark.parametrize("error", [cl.MemoryError("clCreateBuffer", -4), cl.RuntimeError("x", -5), MemoryError()])
def test_plain_memory_where_none_is_pinned(gpu: Device, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr(pinned_results, "pin_block", refuse)
    x = np.linspace(0, 1, 20_000)
    for _ in range(5):
        y = saxpy(x, x)
        assert not is_pinned(y)
        np.testing.assert_array_equal(y, 2.5 * x + x)
        del y


def test_nothing_is_pinned_where_memory_is_shared(device: Device, pins: Pins) -> None:
    if not device.shared_memory:
        return
    x = np.linspace(0, 1, 2**21)
    with hetc.configure(device=device, offload="always"):
        for _ in range(4):
            y = saxpy(x, x)
            assert block_of(y) is not None
            assert not is_pinned(y)
            del y
    assert pins.size == 0


def test_threads(gpu: Device) -> None:
    def run(number: int) -> bool:
        with hetc.configure(device=gpu, offload="always", fallback="error", result_memory="64MB"):
            x = np.full(3 * UNIT + number, float(number))
            return all((saxpy(x, x) == 3.5 * number).all() for _ in range(20))

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(run, range(6)))


class Mapped:
    """What gives mapped memory back, and counts how often."""

    released = 0

    def release(self, _queue: object) -> Mapped:
        self.released += 1
        return self

    def wait(self) -> None:
        """Nothing is under way."""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_gives_no_memory_back(gpu: Device) -> None:
    array = pinned_array(gpu.context, gpu.queue, 100, np.dtype(np.float64))
    owner: Any = owner_of(array)
    owner._map = mapped = Mapped()
    child = os.fork()
    if not child:
        del owner, array
        os._exit(mapped.released)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    del owner, array
    assert mapped.released == 1


PROGRAM = """
import dataclasses, os, signal, warnings
import numpy as np
import hetc
from hetc.runtime import routes
from hetc.runtime.buffers import is_pinned, pinned_array
from hetc.runtime.devices import select
warnings.simplefilter("ignore")
device = select({device!r})
traits = dataclasses.replace(device.traits, family="gpu", shared_memory=False)
hetc.configure(device=dataclasses.replace(device, traits=traits), offload="always", fallback="error")
add = hetc.map(lambda v: v + 1)
x = np.arange(2.0**18)
for _ in range(4):
    y = add(x)
    if _ < 3:
        del y
assert is_pinned(y)
"""

FORK = """
child = os.fork()
if not child:
    signal.alarm(60)
    right = bool((y == x + 1).all())
    y[:] = 7
    os._exit(3 if right else 4)
assert not is_pinned(y)
y[0] = 5
assert add(y)[0] == 6
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
assert y[0] == 5 and (y[1:] == x[1:] + 1).all()
for _ in range(4):
    z = add(y)
    assert (z == y + 1).all()
    if _ < 3:
        del z
assert is_pinned(z)
"""


@pytest.mark.parametrize("then", ["", "del y", FORK], ids=["held", "kept", "fork"])
def test_the_end_of_the_process_and_of_a_child(device: Device, then: str, tmp_path: Path) -> None:
    """What is pinned does not disturb the end of the process; a child has memory of its own, and its parent, too."""
    if then == FORK and not hasattr(os, "fork"):
        pytest.skip("there is no fork here")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(device=device.traits.family) + then)
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")

"""What profiles tell of calls on devices: each command on its queue, at the host's time, with its bytes and line."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Sequence

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from hetc.timeline.events import Event, Kind

SIZES = [0, 1, 7, 255, 257, 10_000]

scaled = hetc.map(lambda a, b: 2.5 * a + b)
inverse = hetc.map(lambda i: 10 // i)


def of(events: Sequence[Event], *kinds: Kind) -> list[Event]:
    return [event for event in events if event.kind in kinds]


def test_all_bytes_and_kernels_of_a_call_are_in_its_events(target: Device):
    for size in SIZES:
        x = np.arange(2 * size, dtype=np.float32)[::2]
        with hetc.profile() as p:
            scaled(x, x)
        kernels, copies = of(p.events, Kind.KERNEL), of(p.events, Kind.COPY_IN, Kind.COPY_OUT)
        assert len(kernels) == p.launches
        assert sum(event.duration for event in kernels) == p.kernel_ns
        assert sum(event.bytes for event in of(copies, Kind.COPY_IN)) == p.bytes_h2d
        assert sum(event.bytes for event in of(copies, Kind.COPY_OUT)) == p.bytes_d2h
        assert p.bytes_h2d == (0 if target.shared_memory else 2 * x.nbytes)
        (call,) = of(p.events, Kind.CALL)
        assert call.function == "hetc.map(<lambda>)"
        assert call.place is not None
        assert call.place.filename == __file__
        assert "scaled(x, x)" in linecache.getline(__file__, call.place.line)
        assert {event.function for event in p.events} == {call.function}
        assert {event.lane.owner for event in kernels + copies} <= {target.name}


def test_commands_stand_in_the_time_of_their_call(target: Device):
    x = np.arange(10_000, dtype=np.float32)
    with hetc.profile() as p:
        for _ in range(3):
            scaled(x, x)
    calls = of(p.events, Kind.CALL)
    commands = of(p.events, Kind.COPY_IN, Kind.KERNEL, Kind.COPY_OUT)
    assert len({event.lane for event in commands}) == 1
    for number, call in enumerate(calls):
        # A command starts after it was enqueued; when it ends is known to within what enqueueing takes.
        following = calls[number + 1].end if number < 2 else call.end + call.duration
        own = [event for event in commands if call.start <= event.start < call.end]
        assert own
        assert all(event.end < following for event in own)
        if not target.shared_memory:
            assert [e.kind for e in own] == [Kind.COPY_IN, Kind.COPY_IN, *[Kind.KERNEL] * (len(own) - 3), Kind.COPY_OUT]
            assert all(one.end <= other.start for one, other in itertools.pairwise(own))  # an in-order queue


def test_compiling_is_told_by_pass(target: Device):
    with hetc.profile() as p:
        hetc.map(lambda x: x * x - 3)(np.arange(4))
    names = [event.name for event in of(p.events, Kind.COMPILE)]
    assert names[:2] == ["frontend", "specialize"]
    assert names[-1] == "opencl"
    assert len(of(p.events, Kind.BUILD)) == 1
    assert not p.cache_hits


def test_what_python_runs_is_told_with_the_guard_s_line(target: Device):
    with hetc.profile() as p, pytest.raises(ZeroDivisionError):
        inverse([1, 2, 0])
    (failed,) = of(p.events, Kind.DEOPTIMISATION)
    assert failed.name.startswith("zero_division")
    assert failed.place is not None
    assert failed.place.filename == __file__
    assert sum(event.count for event in of(p.events, Kind.PYTHON)) == 3


def test_a_call_that_is_not_compiled_says_so(target: Device):
    with hetc.configure(fallback="silent"), hetc.profile() as p:
        hetc.map(lambda x: {x})([1, 2])
    (fallback,) = of(p.events, Kind.FALLBACK)
    assert fallback.name == "HETC0001"
    assert [(event.name, event.count) for event in of(p.events, Kind.PYTHON)] == [("all elements", 2)]


def test_a_full_heap_is_launched_again(target: Device):
    digits = hetc.map(lambda n: [n + k for k in range(n)]).options(heap=64 * 8)
    with hetc.profile() as p:
        digits([1, 20, 30, 40])
    assert len(of(p.events, Kind.RETRY)) == p.heap_retries > 0


@hetc.jit
def halved(x: np.ndarray, count: int) -> None:
    for i in hetc.forall(count):
        x[i] = 1 // x[i]


def test_loops_go_by_their_function_and_line(target: Device):
    x = np.ones(300, np.int64)
    with hetc.profile() as p:
        halved(x, 300)
    call, whole = of(p.events, Kind.CALL)
    assert (call.function, whole.function) == ("halved, a loop", "halved")
    assert whole.start <= call.start <= call.end <= whole.end
    assert call.place is not None
    assert call.place.line == halved.__wrapped__.__code__.co_firstlineno + 2
    assert of(p.events, Kind.KERNEL)
    with hetc.profile() as p, hetc.configure(offload="never"):
        halved(x, 300)
    (python,) = of(p.events, Kind.PYTHON)
    assert (python.function, python.count) == ("halved, a loop", 300)


def test_what_the_host_reads_of_a_portable_array_is_a_copy(target: Device):
    a = scaled(hetc.array(np.arange(50.0)), hetc.array(np.ones(50)))
    with hetc.profile() as p:
        np.asarray(a)
    copies = of(p.events, Kind.COPY_OUT)
    assert [(c.name, c.bytes) for c in copies] == ([] if target.shared_memory else [("read by the host", 400)])

"""Copies in, a kernel and copies out, part by part: one comes while the kernel runs for another, and a third goes.

A device copies in both directions at once; a plan that brings everything, runs, and fetches everything uses one at a
time. Which copies and launches may be done in parts a pass has said (`overlap-copies`). Each part goes to its place in
the whole buffers, and the kernel runs for its indices, so that nothing else of the plan knows of parts. There are three
queues by role, in order each, and events between them; the host waits only for room in the rings of pinned chunks.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, cast

import numpy as np

from hetc import abi, native, settings
from hetc.arrays.memory import HostArray
from hetc.dataclass import dataclass
from hetc.runtime.buffers import is_pinned
from hetc.runtime.call import Action, Call
from hetc.runtime.copies import upload
from hetc.runtime.devices import Device
from hetc.runtime.opencl import cl
from hetc.runtime.pinned_results import result_array
from hetc.runtime.routes import Route, route_of
from hetc.runtime.staging import Ring

UNIT = 4096
"""Parts, but for the last, are multiples of so many elements: of work-groups and of blocks of guards, too."""


@dataclass(frozen=True)
class Stage:
    """What of a plan may be done in parts."""

    copies_in: tuple[abi.CopyIn, ...]
    launches: tuple[abi.Launch, ...]
    copies_out: tuple[abi.CopyOut, ...]
    numbers: Mapping[abi.Register, np.dtype[Any]]
    """The dtype of each buffer that is copied out."""

    @staticmethod
    def of(steps: Sequence[abi.Step]) -> Stage | None:
        """The stage of a plan, if it has one."""
        marked = [s for s in steps if isinstance(s, abi.CopyIn | abi.Launch | abi.CopyOut) and s.in_parts]
        if not marked:
            return None
        copies_in = tuple(step for step in marked if isinstance(step, abi.CopyIn))
        launches = tuple(step for step in marked if isinstance(step, abi.Launch))
        copies_out = tuple(step for step in marked if isinstance(step, abi.CopyOut))
        dtypes = {step.result: np.dtype(step.dtype) for step in steps if isinstance(step, abi.Alloc)}
        return Stage(copies_in, launches, copies_out, {step.buffer: dtypes[step.buffer] for step in copies_out})


class InParts:
    """Prepares the steps of a stage: each as it is where little is moved; else the first launch does all of them."""

    def __init__(self, stage: Stage, device: Device, kernels: Mapping[str, cl.Kernel]) -> None:
        self._stage = stage
        self._device = device
        self._last = stage.launches[-1]
        self._kernel = kernels[self._last.kernel]
        group = self._last.shape[0] if self._last.shape else self._last.group
        self._group = group if group and self._last.tail == "guard" else None  # else nothing tests its index
        self._unit = math.lcm(UNIT, group or 1)

    def prepare_copy_in(self, step: abi.CopyIn) -> Action:
        """Make room for an array, which the first launch brings."""
        result, source, pool = step.result, step.host, self._device.pool

        def make_room(call: Call) -> None:
            host: HostArray = call.values[source]
            call.hosts[result], call.counts[result] = host, host.size
            call.values[result] = pool.allocate(host.nbytes or 1)

        return make_room

    def prepare_launch(self, step: abi.Launch, whole: Action) -> Action:
        """The first launch of the stage chooses; the others have nothing to do where all is done in parts."""
        if step is not self._stage.launches[0]:
            return lambda call: None if call.in_parts else whole(call)

        def launch(call: Call) -> None:
            parted = self._parted(call)
            self._bring(call, [step for step in self._stage.copies_in if step not in parted])
            call.in_parts = bool(parted) and self._run(call, parted)
            if not call.in_parts:
                self._bring(call, parted)
                whole(call)

        return launch

    def prepare_copy_out(self, whole: Action) -> Action:
        """Nothing, where all is done in parts."""
        return lambda call: None if call.in_parts else whole(call)

    def _bring(self, call: Call, steps: Sequence[abi.CopyIn]) -> None:
        """Copy whole arrays in."""
        for step in steps:
            host = cast("HostArray", call.hosts[step.result])
            if host.nbytes:
                events = upload(self._device, call.values[step.result], host)
                call.copied_in(events, host.nbytes, of=step.result)

    def _parted(self, call: Call) -> Sequence[abi.CopyIn]:
        """What is brought in parts, nothing where that would not pay."""
        route, count = route_of(self._device.traits), cast("int", call.values[self._last.extent])
        if route is None or route.parts is None or not settings.current().overlap:
            return ()
        # A captured array that is longer than the inputs is brought as a whole.
        parted = [step for step in self._stage.copies_in if cast("HostArray", call.hosts[step.result]).size == count]
        if not parted or count < 2 * self._unit:
            return ()
        moved = [cast("HostArray", call.hosts[step.result]) for step in parted] + list(self._results(call, count))
        context = self._device.context
        size = sum(host.nbytes // 4 if is_pinned(host, context) else host.nbytes for host in moved)
        return () if size < route.parts.least else parted

    def _results(self, call: Call, count: int) -> Iterator[HostArray]:
        """The arrays for what comes to the host, however it comes."""
        make = functools.partial(result_array, self._device)
        for step in self._stage.copies_out:
            host = call.host_array(step.result, count, self._stage.numbers[step.buffer], make)
            call.places = {**call.places, step.result: host}
            yield host

    def _run(self, call: Call, parted: Sequence[abi.CopyIn]) -> bool:
        """Do everything in parts, and wait for it; False, with nothing done, where there are no threads or no rings."""
        route, count = route_of(self._device.traits), cast("int", call.values[self._last.extent])
        assert route is not None
        outs = {step: call.places[step.result] for step in self._stage.copies_out}
        into = [(call.values[step.result], cast("HostArray", call.hosts[step.result])) for step in parted]
        out = [(call.values[step.buffer], host) for step, host in outs.items()]
        with _ways(self._device, route, into, out, count, self._unit) as ways:
            if ways is None:
                return False
            set_args = cast("Callable[..., None]", self._kernel.set_args)
            set_args(*[call.values[register] for register in self._last.arguments])
            self._pump(call, ways, count)
        for step, way in zip(parted, ways.into, strict=True):
            call.copied_in(way.events, way.host.nbytes, of=step.result, direct=not way.is_staged)
        for (step, host), way in zip(outs.items(), ways.out, strict=True):
            call.copied_out(way.events, way.host.nbytes, of=step.result, direct=not way.is_staged)
            call.values[step.result] = host
        return True

    def _pump(self, call: Call, ways: _Ways, count: int) -> None:
        """All parts, one after the other; the host is as far ahead of the device as there is room in the rings."""
        queue, (kernels, back) = self._device.queue, self._device.staging.queues
        try:
            for number, start in enumerate(range(0, count, ways.size)):
                stop = min(start + ways.size, count)
                for way in ways.into:
                    way.enqueue(queue, number, start, stop)
                queue.flush()
                size = stop - start
                items = -(-size // self._group) * self._group if self._group else size
                local = (self._group,) if self._group else None
                arrived = [ways.into[-1].events[-1]]
                done = cl.enqueue_nd_range_kernel(kernels, self._kernel, (items,), local, (start,), wait_for=arrived)
                kernels.flush()
                call.kernels.append(done)
                ways.make_room(number)
                for way in ways.out:
                    way.enqueue(back, number, start, stop, done)
                back.flush()
                ways.go_on(number)
            ways.conclude()
        except BaseException:
            # Commands still under way use memory that is about to be given back.
            for each in (queue, kernels, back):
                each.finish()
            raise


class _Way:
    """An array's way in or out: through a part of a ring, by threads, or if it is pinned itself, directly."""

    def __init__(self, buffer: Any, host: HostArray, size: int) -> None:
        self.buffer, self.host = buffer, host.view(np.uint8)
        self.each = host.itemsize
        self.chunk = size * self.each
        self.events: list[cl.Event] = []
        self._ring: HostArray | None = None
        self._slots = 1
        self._copy: object = None

    @property
    def parts(self) -> int:
        return -(-self.host.size // self.chunk)

    @property
    def is_staged(self) -> bool:
        return self._ring is not None

    def begin(self, memory: HostArray, slots: int, threads: int, *, to_ring: bool) -> bool:
        """Start the threads; False if the system starts none."""
        assert native.compiled is not None
        self._ring, self._slots = memory, slots
        self._copy = native.compiled.start_copy(self.host, memory, self.chunk, self.chunk // 8, to_ring, threads)
        if self._copy is not None and to_ring:
            self.allow(min(slots, self.parts))
        return self._copy is not None

    def end(self) -> None:
        if self._copy is not None:
            assert native.compiled is not None
            native.compiled.end_copy(self._copy)
            self._copy = None

    def allow(self, parts: int) -> None:
        """The threads may copy the first so many parts."""
        if self._copy is not None:
            assert native.compiled is not None
            native.compiled.allow_chunks(self._copy, min(parts, self.parts))

    def wait(self, part: int) -> None:
        """Wait until threads have copied a part."""
        if self._copy is not None:
            assert native.compiled is not None
            native.compiled.await_chunk(self._copy, part)

    def place(self, part: int, start: int, stop: int) -> HostArray:
        """Where the device finds a part, or leaves it."""
        if self._ring is None:
            return self.host[start * self.each : stop * self.each]
        first = part % self._slots * self.chunk
        return self._ring[first : first + (stop - start) * self.each]


class _WayIn(_Way):
    def enqueue(self, queue: cl.CommandQueue, part: int, start: int, stop: int) -> None:
        """Have the device copy a part, once it is in its slot."""
        self.wait(part)
        place = self.place(part, start, stop)
        offset = start * self.each
        self.events.append(cl.enqueue_copy(queue, self.buffer, place, dst_offset=offset, is_blocking=False))


class _WayOut(_Way):
    def enqueue(self, queue: cl.CommandQueue, part: int, start: int, stop: int, made: cl.Event) -> None:
        """Have the device copy a part when it is made, to a slot that is empty."""
        place = self.place(part, start, stop)
        offset = start * self.each
        copied = cl.enqueue_copy(queue, place, self.buffer, src_offset=offset, is_blocking=False, wait_for=[made])
        self.events.append(copied)


@dataclass
class _Ways:
    """The ways of all arrays, in parts of `size` elements. `release` ends the use of the ring that leads in."""

    into: Sequence[_WayIn]
    out: Sequence[_WayOut]
    size: int
    slots: int
    release: Callable[[], None]
    emptied: int = 0

    def make_room(self, part: int) -> None:
        """Wait until the threads have emptied the slots that a part of what is made goes to."""
        if part >= self.slots:
            self._empty(part - self.slots + 1)
            for way in self.out:
                way.wait(part - self.slots)

    def go_on(self, part: int) -> None:
        """Let the threads fill the slots of the part before, and empty those of the part before that."""
        if part and any(way.is_staged for way in self.into):
            self.into[-1].events[part - 1].wait()  # in an in-order queue, so are all before
            for way in self.into:
                way.allow(part + self.slots)
        self._empty(part - 1)

    def conclude(self) -> None:
        """Wait for all that is under way."""
        self.into[-1].events[-1].wait()
        self.release()
        self._empty(len(self.out[0].events))
        for way in self.out:
            for part in range(max(0, way.parts - self.slots), way.parts):
                way.wait(part)

    def _empty(self, parts: int) -> None:
        """Let the threads empty the slots of the first so many parts, once these have come."""
        while self.emptied < parts:
            self.out[-1].events[self.emptied].wait()
            self.emptied += 1
            for way in self.out:
                way.allow(self.emptied)


Pairs = Sequence[tuple[Any, HostArray]]
"""Buffers and the arrays that they are filled from, or that are filled from them."""


@contextmanager
def _ways(device: Device, route: Route, into: Pairs, out: Pairs, count: int, unit: int) -> Generator[_Ways | None]:
    """The ways of these arrays of so many elements, with threads and rings; None if there are none to be had."""
    assert route.parts is not None
    pinned = {id(host): is_pinned(host, device.context) for _, host in (*into, *out)}
    staged = [sum(host.itemsize for _, host in pairs if not pinned[id(host)]) for pairs in (into, out)]
    widest = max(host.itemsize for _, host in (*into, *out))
    size = route.part(count, staged, widest)
    size = max(size - size % unit, unit)
    slots, processors = route.parts.slots, device.staging.processors
    with ExitStack() as stack, ExitStack() as inward:
        ways_in, ways_out = [_WayIn(*pair, size) for pair in into], [_WayOut(*pair, size) for pair in out]
        for ways, pairs, each, other, direction, ring_stack in (
            (ways_in, into, *staged, "in", inward),
            (ways_out, out, *reversed(staged), "out", stack),
        ):
            if not each:
                continue
            threads = route.threads_for(each, other, processors)
            ring: Ring | None = device.staging.ring(direction, route)
            if ring is None:
                yield None
                return
            memory, offset = ring_stack.enter_context(ring.alone()), 0
            through = [way for way, (_, host) in zip(ways, pairs, strict=True) if not pinned[id(host)]]
            for way in through:
                part_of_ring = memory[offset : offset + slots * way.chunk]
                offset += part_of_ring.size
                ring_stack.callback(way.end)
                most = max(1, min(round(threads / len(through)), way.host.size // route.share))
                if not way.begin(part_of_ring, slots, most, to_ring=direction == "in"):
                    yield None
                    return
        yield _Ways(ways_in, ways_out, size, slots, inward.close)

"""The heap of a launch: its size, draining it, and launching again until no iteration is left.

With a size that the user gave, the heap has that size. Else it has room for `ITEMS` items an iteration, at least
`SMALLEST` bytes, and, if that is more, for what the call before took and a quarter more; an eighth of the device's
memory at most. A heap that turns out too small then grows fourfold between launches, up to half of the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from hetc import abi
from hetc.abi import INT32_MAX, HeapState
from hetc.dataclass import dataclass
from hetc.errors import DeviceError
from hetc.runtime import profile
from hetc.runtime.call import Action, Call
from hetc.runtime.copies import download, upload
from hetc.runtime.devices import Device
from hetc.runtime.marshal import HostArray
from hetc.timeline.events import Kind

ITEMS = 8
SMALLEST = 2**16
GROWTH = 4

LaunchOf = Callable[[Call, int, int], None]
"""Launches a kernel in a call for some of its work-items: from the first on, so many."""


class HeapSize:
    """How large the heap of a step is: in items, of which one takes `item` bytes in the arrays of all areas."""

    def __init__(self, step: abi.Heap, device: Device) -> None:
        sizes = [np.dtype(dtype).itemsize for area in step.areas for dtype in area]
        self.count, self.item, self.widest = step.count, sum(sizes), max(sizes)
        self.device = device
        self.learnt = 0

    def first(self, call: Call) -> int:
        """The room of a new heap."""
        if call.heap is not None:
            return min(call.heap // self.item, self.largest(1))
        wanted = max(SMALLEST // self.item, ITEMS * cast("int", call.values[self.count]), self.learnt)
        return max(1, min(wanted, self.largest(8)))

    def largest(self, parts: int) -> int:
        """The room of a heap that takes one of so many parts of the device's memory."""
        one_buffer = self.device.handle.max_mem_alloc_size * 7 // 8 // self.widest  # the pool rounds sizes up
        return min(self.device.global_memory // parts // self.item, one_buffer, INT32_MAX - 1)

    def learn(self, used: int) -> None:
        """A call has taken so much room."""
        self.learnt = used + used // 4


@dataclass
class Launches:
    """The launches of one call on its heap, which has room for `capacity` items; `used` is what each area has held."""

    call: Call
    step: abi.Heap
    size: HeapSize
    device: Device
    capacity: int
    used: list[int]
    drained: dict[abi.Register, list[HostArray]]
    """What was in each array after each launch."""

    @staticmethod
    def begin(call: Call, step: abi.Heap, size: HeapSize, device: Device) -> Launches:
        """Make the heap, for the first launch of all iterations."""
        drained: dict[abi.Register, list[HostArray]] = {register: [] for area in step.buffers for register in area}
        launches = Launches(call, step, size, device, size.first(call), [0] * len(step.areas), drained)
        count = cast("int", call.values[step.count])
        call.values[step.left] = device.pool.allocate(max(1, count))
        call.values[step.state] = device.pool.allocate(launches.state(0).nbytes)
        launches.allocate()
        launches.prepare(count, again=False)
        return launches

    def allocate(self) -> None:
        """The arrays of the areas."""
        for area, dtypes in zip(self.step.buffers, self.step.areas, strict=True):
            for register, dtype in zip(area, dtypes, strict=True):
                size = self.capacity * np.dtype(dtype).itemsize
                self.call.values[register] = self.device.pool.allocate(max(1, size))

    def state(self, until: int, *, again: bool = False) -> HostArray:
        """The state of an empty heap, for the iterations below a number."""
        state = np.zeros(HeapState.AREAS + 2 * len(self.step.areas), np.int64)
        state[HeapState.CAPACITY], state[HeapState.UNTIL], state[HeapState.AGAIN] = self.capacity, until, again
        state[HeapState.AREAS + 1 :: 2] = self.used
        return state

    def prepare(self, until: int, *, again: bool) -> None:
        """Empty the heap for a launch of the iterations below a number."""
        state = self.state(until, again=again)
        self.call.copied_in(upload(self.device, self.call.values[self.step.state], state), state.nbytes)

    def read(self, buffer: abi.Register, count: int, dtype: str) -> HostArray:
        """The first numbers in a buffer, waiting for them."""
        host = np.empty(count, dtype)
        if count:
            self.call.copied_out(download(self.device, host, self.call.values[buffer], wait=True), host.nbytes)
        return host

    def drain(self, wanted: frozenset[abi.Register]) -> bool:
        """Keep what is in the arrays that are wanted. Whether some iteration has found no room."""
        state = self.read(self.step.state, len(self.state(0)), "int64")
        tops = np.minimum(state[HeapState.AREAS :: 2], self.capacity).tolist()
        for number, (area, dtypes, top) in enumerate(zip(self.step.buffers, self.step.areas, tops, strict=True)):
            for register, dtype in zip(area, dtypes, strict=True):
                if register in wanted:
                    self.drained[register].append(self.read(register, top, dtype))
            self.used[number] += top
        return bool(state[HeapState.FULL])

    def repeat(self, launch: LaunchOf, wanted: frozenset[abi.Register]) -> None:
        """Drain the heap after the first launch, and launch again until nothing is left."""
        count = cast("int", self.call.values[self.step.count])
        first_size, pending, tried = self.capacity, count, count
        while self.drain(wanted) or tried < pending:
            left = np.flatnonzero(self.read(self.step.left, count, "int8"))
            tried = self.next_number(tried, pending - len(left))
            pending = len(left)
            start, until = int(left[0]), int(left[tried]) if tried < pending else count
            self.prepare(until, again=True)
            launch(self.call, start, until - start)
            self.call.heap_retries += 1
            profile.note_instant(Kind.RETRY, "the heap was full")
        if self.call.heap is None:
            self.size.learn(max(self.used))
        elif self.capacity > first_size:
            raise self.too_small()

    def next_number(self, tried: int, done: int) -> int:
        """How many iterations to launch next, after `done` of those that were tried: so many that few fail."""
        grown = 1
        if done < tried and self.call.heap is None:
            grown = self.grow(GROWTH)
        elif done == 0 and tried == 1:
            grown = self.grow(2)
        if done == 0 and tried == 1 and grown == 1:
            raise DeviceError(f"{self.device.name} is out of memory: one element makes more than a heap holds")
        return 2 * done * grown if done else max(1, tried // 2)

    def grow(self, factor: int) -> int:
        """Make the heap, which is empty, so much larger, or as large as it may be; whether it is, 1 or the factor."""
        before = self.capacity
        self.capacity = min(max(1, factor * before), max(before, self.size.largest(2 if self.call.heap is None else 1)))
        if self.capacity == before:
            return 1
        self.allocate()
        return factor

    def too_small(self) -> DeviceError:
        """The error for a heap, of the user's size, that does not hold what one element makes."""
        return DeviceError(
            f"a heap of {self.call.heap} bytes does not hold what one element makes",
            hint=f"options(heap={self.capacity * self.size.item}) does",
        )


def prepare_heap(step: abi.Heap, drain: abi.Drain, launch: LaunchOf, device: Device) -> tuple[Action, Action]:
    """What makes a heap, and what drains it. What calls have taken is learnt from one to the next."""
    size = HeapSize(step, device)
    results = {
        register: result
        for area, hosts in zip(step.buffers, drain.results, strict=True)
        for register, result in zip(area, hosts, strict=False)
    }

    def make(call: Call) -> None:
        call.heaps[step.state] = Launches.begin(call, step, size, device)

    def run(call: Call) -> None:
        launches = cast("Launches", call.heaps[step.state])
        launches.repeat(launch, frozenset(results))
        for register, result in results.items():
            call.values[result] = np.concatenate(launches.drained[register])

    return make, run

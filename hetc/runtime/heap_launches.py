"""Launching a kernel on its heap until no iteration is left, and draining the heap in between.

A heap that the user has made too small is filled many times, and what each time costs beside the kernel is what the
host does: so it waits once for all that it reads. On a device with memory of its own it does not wait between launches
at all, where it knows from those before how many iterations fill the heap: it enqueues the launches, the drains and the
emptying of the heap for some rounds, in order, and looks at what has come of them afterwards. Each of these rounds may
take iterations that the rounds before were expected to bring to an end; those that they did leave at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any, cast

import numpy as np

from hetc import abi
from hetc.abi import HeapState
from hetc.dataclass import dataclass
from hetc.errors import DeviceError
from hetc.runtime import profile
from hetc.runtime.call import Call
from hetc.runtime.copies import download, upload
from hetc.runtime.devices import Device
from hetc.runtime.heap_size import HeapSize
from hetc.runtime.marshal import HostArray
from hetc.timeline.events import Kind

GROWTH = 4
MOST_AHEAD = 16
"""How many launches are enqueued without looking at what came of them."""
MORE_THAN_FIT = 1.25
"""How many times the iterations that are expected to fit a launch is given that is not looked at: which of them are
quicker than others, only the device knows."""

LaunchOf = Callable[[Call, int, int], None]
"""Launches a kernel in a call for some of its work-items: from the first on, so many."""


def rounds_filled(pending: int, done: int) -> int:
    """How many launches to enqueue at once, if each brings so many of the iterations that are pending to an end."""
    return max(1, min(MOST_AHEAD, pending // done))


@dataclass
class Launches:
    """The launches of one call on its heap, which has room for `capacity` items.

    `used` is what each area has held: where the next list of a launch begins in all that was drained of the area.
    `wanted` are the arrays that are drained, `drained` what was in each of them after each launch.
    """

    call: Call
    step: abi.Heap
    size: HeapSize
    device: Device
    group: int
    wanted: frozenset[abi.Register]
    capacity: int
    used: list[int]
    drained: dict[abi.Register, list[HostArray]]
    reads: Sequence[Any] = field(default=())
    """The commands of the last read."""

    @staticmethod
    def begin(
        call: Call, step: abi.Heap, size: HeapSize, device: Device, group: int, wanted: frozenset[abi.Register]
    ) -> Launches:
        """Make the heap, for the first launch of all iterations, in work-groups of some size."""
        drained: dict[abi.Register, list[HostArray]] = {register: [] for register in wanted}
        used = [0] * len(step.areas)
        launches = Launches(call, step, size, device, max(1, group), wanted, size.first(call), used, drained)
        count = launches.count
        call.values[step.left] = device.pool.allocate(max(1, count))
        call.values[step.state] = device.pool.allocate(launches.state(0, again=False).nbytes)
        launches.allocate()
        launches.empty(count, again=False)
        return launches

    @property
    def count(self) -> int:
        """How many iterations there are."""
        return cast("int", self.call.values[self.step.count])

    def allocate(self) -> None:
        """The arrays of the areas."""
        for area, dtypes in zip(self.step.buffers, self.step.areas, strict=True):
            for register, dtype in zip(area, dtypes, strict=True):
                size = self.capacity * np.dtype(dtype).itemsize
                self.call.values[register] = self.device.pool.allocate(max(1, size))

    # Commands --------------------------------------------------------------------------------------------------------

    def state(self, until: int, *, again: bool) -> HostArray:
        """The state of an empty heap, for the iterations below a number."""
        state = np.zeros(HeapState.AREAS + 2 * len(self.step.areas), np.int64)
        state[HeapState.CAPACITY], state[HeapState.UNTIL], state[HeapState.AGAIN] = self.capacity, until, again
        state[HeapState.AREAS + 1 :: 2] = self.used
        return state

    def empty(self, until: int, *, again: bool) -> None:
        """Empty the heap for a launch of the iterations below a number."""
        state = self.state(until, again=again)
        self.call.copied_in(upload(self.device, self.call.values[self.step.state], state), state.nbytes)

    def read(self, buffer: abi.Register, count: int, dtype: str) -> HostArray:
        """The first numbers in a buffer, once `wait` has been called."""
        host = np.empty(count, dtype)
        if count:
            self.reads = download(self.device, host, self.call.values[buffer], wait=False)
            self.call.copied_out(self.reads, host.nbytes)
        return host

    def wait(self) -> None:
        """Wait for all that was read: the commands run in order."""
        for event in self.reads:
            event.wait()
        self.reads = ()

    def read_state(self) -> HostArray:
        """The state after a launch."""
        return self.read(self.step.state, HeapState.AREAS + 2 * len(self.step.areas), "int64")

    def read_left(self) -> HostArray:
        """The marks of the iterations that are left."""
        return self.read(self.step.left, self.count, "bool")

    def read_areas(self, tops: Sequence[int]) -> None:
        """Drain so many items of each area."""
        for number, (area, dtypes) in enumerate(zip(self.step.buffers, self.step.areas, strict=True)):
            for register, dtype in zip(area, dtypes, strict=True):
                if register in self.wanted:
                    self.drained[register].append(self.read(register, tops[number], dtype))
            self.used[number] += tops[number]

    # Rounds ----------------------------------------------------------------------------------------------------------

    def drain(self) -> bool:
        """Drain what the launch before has made, and wait for its state. Whether some iteration has found no room."""
        state = self.read_state()
        self.wait()
        self.read_areas(np.minimum(state[HeapState.AREAS :: 2], self.capacity).tolist())
        return bool(state[HeapState.FULL])

    def run_again(self, launch: LaunchOf, start: int, until: int) -> None:
        """Empty the heap, and launch those that are left of the iterations from `start` to below `until`."""
        self.empty(until, again=True)
        launch(self.call, *self.whole_groups(start, until))
        self.call.heap_retries += 1
        profile.note_instant(Kind.RETRY, "the heap was full")

    def whole_groups(self, start: int, until: int) -> tuple[int, int]:
        """Work-items that contain those iterations: the first and how many, in whole groups if there are so many.

        The others leave at once, while a work-group that is not whole may have to be a launch of its own.
        """
        size = -(-(until - start) // self.group) * self.group
        if size > self.count:
            return start, until - start
        return min(start, self.count - size), size

    def run_ahead(self, launch: LaunchOf, left: HostArray, each: int, rounds: int) -> int:
        """Some rounds, of which each is expected to bring `each` of the iterations that are left to an end.

        How many iterations the last one was given. All areas are drained whole: how full they are is not known yet.
        """
        start, until = int(left[0]), 0
        for number in range(rounds):
            last = int((number + MORE_THAN_FIT) * each)
            until = int(left[last]) if last < len(left) else self.count
            self.run_again(launch, start, until)
            self.read_areas([self.capacity] * len(self.used))
        return min(len(left), int((rounds - 1 + MORE_THAN_FIT) * each)) - (rounds - 1) * each

    def repeat(self, launch: LaunchOf) -> None:
        """Drain the heap after the first launch, and launch again until nothing is left."""
        first_size, pending, tried = self.capacity, self.count, self.count
        full, rounds = self.drain(), 1
        while full or tried < pending:
            marks = self.read_left()
            self.wait()
            left = np.flatnonzero(marks)
            done, pending = -(-(pending - len(left)) // rounds), len(left)
            if not pending:
                break
            rounds = self.rounds_ahead(pending, done)
            if rounds > 1:
                full, tried = True, self.run_ahead(launch, left, done, rounds)
            else:
                tried = self.next_number(tried, done)
                self.run_again(launch, int(left[0]), int(left[tried]) if tried < pending else self.count)
                full = self.drain()
        self.wait()
        if self.call.heap is None:
            self.size.learn(max(self.used))
        elif self.capacity > first_size:
            raise self.too_small()

    def rounds_ahead(self, pending: int, done: int) -> int:
        """How many launches to enqueue at once, if each brings as many to an end as those before: 1 to see its state.

        A device that shares the host's memory is the processor that would look, and gains nothing. A heap that hetc
        sizes is made larger instead.
        """
        if self.call.heap is None or done == 0 or self.device.traits.shared_memory:
            return 1
        return rounds_filled(pending, done)

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

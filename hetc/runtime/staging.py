"""Copies of large arrays through pinned memory, by several threads.

A driver copies memory that the system may move at a fraction of the speed that it copies pinned memory with. So a large
array goes through a ring of pinned chunks: threads copy between the array and the ring, while the device copies
between the ring and its buffer. The host's pages of a new array are first touched by all threads, too, which takes
longer than the copy itself if one thread does it.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from hetc import native
from hetc.arrays.memory import HostArray
from hetc.runtime.buffers import pinned_array
from hetc.runtime.opencl import cl
from hetc.runtime.routes import Route

_BYTE = np.dtype(np.uint8)


class Staging:
    """The rings of a context: one for each direction, since copies in both directions can be under way.

    They are made when the first large array is copied, and go with the context.
    """

    def __init__(self, context: cl.Context, queue: cl.CommandQueue) -> None:
        self._context = context
        self._queue = queue
        self._rings: dict[tuple[str, Route], Ring | None] = {}
        self._lock = threading.Lock()

    def upload(self, route: Route, queue: cl.CommandQueue, buffer: Any, host: HostArray) -> Sequence[cl.Event] | None:
        """Copy an array to a buffer. The array may change afterwards, while the device copies the last chunks.

        The result is the commands, or None where nothing can be staged. Raises cl.Error.
        """
        ring = self.ring("in", route)
        return None if ring is None else ring.upload(queue, buffer, host.view(np.uint8))

    def download(
        self, route: Route, queue: cl.CommandQueue, host: HostArray, buffer: Any, offset: int
    ) -> Sequence[cl.Event] | None:
        """Fill an array from a buffer, from byte `offset` on, and wait for it. Otherwise like `upload`."""
        ring = self.ring("out", route)
        return None if ring is None else ring.download(queue, host.view(np.uint8), buffer, offset)

    @functools.cached_property
    def queues(self) -> tuple[cl.CommandQueue, cl.CommandQueue]:
        """Two more queues, beside that of the copies in: for kernels, and for copies out, where they go on in parts."""
        properties = cl.command_queue_properties.PROFILING_ENABLE
        return cl.CommandQueue(self._context, properties=properties), cl.CommandQueue(
            self._context, properties=properties
        )

    @property
    def made_queues(self) -> Sequence[cl.CommandQueue]:
        """These, if they have been asked for."""
        return self.queues if "queues" in vars(self) else ()

    @property
    def processors(self) -> int:
        """The processors that this process may use."""
        return _processors()

    def ring(self, direction: str, route: Route) -> Ring | None:
        """The ring of a direction, "in" or "out", or None if there are no threads or is no memory for it."""
        threads = min(route.threads, _processors())
        if native.compiled is None or threads < 2:
            return None
        with self._lock:
            key = direction, route
            if key not in self._rings:
                try:
                    memory = pinned_array(self._context, self._queue, route.chunk * route.slots, _BYTE)
                    self._rings[key] = Ring(memory, route, threads, native.compiled)
                except (cl.Error, MemoryError):
                    self._rings[key] = None
            return self._rings[key]


def _processors() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Ring:
    """Chunks of pinned memory that one copy after the other goes through, chunk k of an array through slot k % slots.

    `_busy` is, for each slot, the command of the device's that may still be using it.
    """

    def __init__(self, memory: HostArray, route: Route, threads: int, compiled: native.CompiledLoops) -> None:
        self._memory = memory
        self._route = route
        self._chunk = route.chunk
        self._views = [memory[start : start + route.chunk] for start in range(0, memory.size, route.chunk)]
        self._busy: list[cl.Event | None] = [None] * route.slots
        self._threads = threads
        self._compiled = compiled
        self._lock = threading.Lock()

    def upload(self, queue: cl.CommandQueue, buffer: Any, host: HostArray) -> list[cl.Event] | None:
        """Threads fill the slots; a slot that is full goes to the device, and is free when the device has it."""
        slots, chunks = len(self._views), -(-host.size // self._chunk)

        def move(chunk: int, events: list[cl.Event]) -> None:
            start = chunk * self._chunk
            view = self._views[chunk % slots][: host.size - start]
            events.append(cl.enqueue_copy(queue, buffer, view, dst_offset=start, is_blocking=False))
            self._sent(queue, chunk, events[-1])

        def run(copy: object, events: list[cl.Event]) -> None:
            for chunk in range(min(slots, chunks)):
                self._await_device(chunk)
                self._compiled.allow_chunks(copy, chunk + 1)
            for chunk in range(chunks):
                self._compiled.await_chunk(copy, chunk)
                move(chunk, events)
                if chunk and chunk + slots <= chunks:
                    self._await_device(chunk - 1)
                    self._compiled.allow_chunks(copy, chunk + slots)

        return self._with_threads(host, run, to_ring=True)

    def download(self, queue: cl.CommandQueue, host: HostArray, buffer: Any, offset: int) -> list[cl.Event] | None:
        """The device fills the slots; threads empty a slot that is full, and the device fills it again.

        Half of the slots are the threads', since what is to be copied to new memory takes them longer than the device.
        """
        slots, chunks = len(self._views), -(-host.size // self._chunk)

        def move(chunk: int, events: list[cl.Event]) -> None:
            self._await_device(chunk)
            start = chunk * self._chunk
            view = self._views[chunk % slots][: host.size - start]
            events.append(cl.enqueue_copy(queue, view, buffer, src_offset=offset + start, is_blocking=False))
            self._sent(queue, chunk, events[-1])

        def run(copy: object, events: list[cl.Event]) -> None:
            for chunk in range(min(slots, chunks)):
                move(chunk, events)
            for chunk in range(chunks):
                self._await_device(chunk)
                self._compiled.allow_chunks(copy, chunk + 1)
                done = chunk - slots // 2
                if 0 <= done < chunks - slots:
                    self._compiled.await_chunk(copy, done)
                    move(done + slots, events)
            for chunk in range(chunks):
                self._compiled.await_chunk(copy, chunk)

        return self._with_threads(host, run, to_ring=False)

    @contextmanager
    def alone(self) -> Generator[HostArray]:
        """The memory of all slots, for somebody else than the copies here, which wait meanwhile."""
        with self._lock:
            for slot in range(len(self._busy)):
                self._await_device(slot)
            yield self._memory

    def _with_threads(
        self, host: HostArray, run: Callable[[object, list[cl.Event]], None], *, to_ring: bool
    ) -> list[cl.Event] | None:
        """Run one copy with the threads that it needs, which end with it. None if the system starts none."""
        events: list[cl.Event] = []
        with self._lock:
            threads = max(2, min(self._threads, host.size // self._route.share))
            copy = self._compiled.start_copy(host, self._memory, self._chunk, self._route.piece, to_ring, threads)
            if copy is None:
                return None
            try:
                run(copy, events)
            finally:
                self._compiled.end_copy(copy)
        return events

    def _sent(self, queue: cl.CommandQueue, chunk: int, event: cl.Event) -> None:
        self._busy[chunk % len(self._busy)] = event
        queue.flush()

    def _await_device(self, chunk: int) -> None:
        """Wait until the device has done with a chunk's slot. If its command fails, it has done with it, too."""
        slot = chunk % len(self._busy)
        event, self._busy[slot] = self._busy[slot], None
        if event is not None:
            event.wait()

"""Results in memory that a device copies to at full speed: in blocks that earlier results have left, pinned.

To pin a block takes as long as some copies through the rings of pinned chunks (`staging`) take longer than direct
ones. So a block is pinned when it has been used again some times, and most likely will be: a program that keeps its
results pins nothing. What is pinned stays so as long as there is the block, for arguments, too, that are earlier
results. All that is pinned is a part of the machine's memory.
"""

from __future__ import annotations

import os
import threading
import weakref

import numpy as np
from numpy.typing import DTypeLike

from hetc.arrays.formulas import HostArray
from hetc.arrays.result_memory import Block, block_of, empty_result, limit, physical_memory
from hetc.runtime.buffers import pin_block
from hetc.runtime.devices import Device
from hetc.runtime.opencl import cl
from hetc.runtime.routes import route_of

SHARE = 8
"""One of so many parts of the machine's memory is pinned at most, whatever may be kept."""


def result_array(device: Device, count: int, dtype: DTypeLike) -> HostArray:
    """An array with anything in it, for what comes from a device. Raises MemoryError."""
    route = route_of(device.traits)
    if route is None or route.results is None:
        return empty_result(count, dtype)
    number = np.dtype(dtype)
    if count * number.itemsize < route.results.least:
        return np.empty(count, number)
    host = empty_result(count, number, route.results.least)
    block = block_of(host)
    if block is not None and block.uses >= route.results.after:
        _pins.pin(block, device)
    return host


class Pins:
    """The blocks that are pinned, in use or not.

    Before the process forks, nothing is: pages that are pinned in a process may be shared with the child, or missing
    in it, and what the child then does about them would be done to the parent's device.
    """

    def __init__(self) -> None:
        self._blocks = weakref.WeakSet[Block]()
        self._devices = weakref.WeakSet[Device]()
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """The bytes that are pinned, for each context."""
        return sum(block.nbytes * len(block.pins) for block in list(self._blocks))

    def pin(self, block: Block, device: Device) -> None:
        """Pin a block for a device, if there is room and the system does. Nobody waits."""
        context = device.context
        if context.int_ptr in block.pins or not self._lock.acquire(blocking=False):
            return
        try:
            if self.size + block.nbytes <= min(limit(), physical_memory() // SHARE):
                pin_block(block, context)
                self._blocks.add(block)
                self._devices.add(device)
        except (cl.Error, MemoryError):
            return
        finally:
            self._lock.release()

    def before_fork(self) -> None:
        """Nothing is pinned any more, nor will be until the process has forked."""
        self._lock.acquire()
        blocks = list(self._blocks)
        if any(block.pins for block in blocks):
            for device in list(self._devices):
                device.finish()  # copies to the blocks may be under way
        for block in blocks:
            block.pins.clear()

    def in_parent(self) -> None:
        """Blocks may be pinned again."""
        self._lock.release()

    def in_child(self) -> None:
        """Nobody else is at the blocks there."""
        self._lock = threading.Lock()


_pins = Pins()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_pins.before_fork,
        after_in_parent=_pins.in_parent,
        after_in_child=_pins.in_child,
    )

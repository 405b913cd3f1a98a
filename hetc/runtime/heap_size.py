"""How large the heap of a launch is.

With a size that the user gave, the heap has that size. Else it has room for `ITEMS` items an iteration, at least
`SMALLEST` bytes, and, if that is more, for what the call before took and a quarter more; an eighth of the device's
memory at most. A heap that turns out too small then grows between launches, up to half of the memory.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from hetc import abi
from hetc.abi import INT32_MAX
from hetc.runtime.call import Call
from hetc.runtime.devices import Device

ITEMS = 8
SMALLEST = 2**16


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

"""The state of one run of a plan, and the form of the plan's prepared steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hetc import abi
from hetc.arrays.result_memory import empty_result
from hetc.dataclass import dataclass
from hetc.runtime.marshal import HostArray

if TYPE_CHECKING:  # a call in Python does not need it
    from hetc.runtime.opencl import cl


@dataclass(frozen=True)
class Partial:
    """A result in which some elements are wrong: those of the blocks `blocks`, each of `block` elements.

    It is in `container`, which is a list where the dtype of an array depends on the elements that are wrong.
    """

    result: object
    container: abi.Container
    blocks: tuple[int, ...]
    block: int


class GuardFailed(Exception):  # noqa: N818 - an outcome that the dispatcher handles, no error of hetc
    """A check in a kernel found that the device's result is not Python's; `sites` are the checks that did.

    `partial` is what of the result is right, if the plan can tell. Without sites nothing is wrong, but only
    Python makes the result (`abi.Require`), or there is something to warn of in its blocks, which Python is to tell:
    the checks that say so are `warned`. If it is `untold`, the plan does not know where.
    """

    def __init__(
        self,
        sites: tuple[abi.GuardSite, ...],
        partial: Partial | None = None,
        *,
        untold: bool = False,
        warned: tuple[abi.GuardSite, ...] = (),
    ) -> None:
        self.sites = sites
        self.partial = partial
        self.untold = untold
        self.warned = warned
        super().__init__("; ".join(f"{site.kind}: {site.reason}" for site in sites) or "a guard without a site")


class Copy(NamedTuple):
    """A copy of so many bytes, to the device or from it, by one command or, in order, several."""

    events: Sequence[cl.Event]
    size: int
    to_device: bool
    of: abi.Register | None = None
    """The buffer or host array, where that is not what the step makes that has enqueued the copy."""
    direct: bool = False
    """Whether several commands copy parts of the array itself, and not chunks that stand between."""


class Call:
    """One run of a plan.

    `originals` are the inputs as they were given, where `inputs` are the fields of objects.

    `values` holds the registers: host arrays, buffers and numbers. `hosts` holds, for a buffer that is a host array,
    that array; `counts` has the number of elements of each. `flags` are the guards' flags and the steps that check
    them, valid once the queue has been waited for; `waited` says that it has been. `undo` brings back what is written
    in place. `places` has the host arrays that are to hold what comes to the host in a register, or the contents of a
    shared buffer, where they are not to be new ones; `own` tells, for a register that comes to the host, where those of
    so many numbers go that are wanted, and how many come before them. `in_parts` says that copies and launches have
    been done in parts. `heap` is the size of a heap in bytes, if the user has given one; `heaps` holds what
    `heap_steps` knows of each heap, by the register of its state.
    """

    def __init__(
        self,
        inputs: Sequence[object],
        captures: Mapping[str, object],
        registers: int,
        originals: Sequence[Any] | None = None,
        heap: int | None = None,
    ) -> None:
        self.inputs = inputs
        self.originals: Sequence[Any] = inputs if originals is None else originals
        self.captures = captures
        self.heap = heap
        self.heaps: dict[abi.Register, object] = {}
        self.heap_retries = 0
        self.values: list[Any] = [None] * registers
        self.hosts: list[HostArray | None] = [None] * registers
        self.counts: list[int] = [0] * registers
        self.places: Mapping[abi.Register, HostArray] = {}
        self.own: Own | None = None
        self.foretell: Foretell | None = None
        self.flags: list[tuple[HostArray, abi.CheckGuards]] = []
        self.waited = False
        self.in_parts = False
        self.undo: list[Callable[[], None]] = []
        self.result: object = None
        self.kernels: list[cl.Event] = []
        # pyopencl's copy events own the host's memory, and wait for the copy when they are dropped.
        self.copies: list[Copy] = []
        self.maps: list[Any] = []
        self.bytes_h2d = 0
        self.bytes_d2h = 0

    def host_array(
        self, register: abi.Register, count: int, dtype: np.dtype[Any], make: Make = empty_result
    ) -> HostArray:
        """The host array for what comes to the host in a register: one that is made, if it has no place."""
        place = self.places.get(register)
        return make(count, dtype) if place is None else place

    def copied_in(
        self, events: Sequence[cl.Event], size: int, of: abi.Register | None = None, *, direct: bool = False
    ) -> None:
        """A copy of so many bytes to the device has been enqueued."""
        self.copies.append(Copy(events, size, to_device=True, of=of, direct=direct))
        self.bytes_h2d += size

    def copied_out(
        self, events: Sequence[cl.Event], size: int, of: abi.Register | None = None, *, direct: bool = False
    ) -> None:
        """A copy of so many bytes from the device has been enqueued."""
        self.copies.append(Copy(events, size, to_device=False, of=of, direct=direct))
        self.bytes_d2h += size

    def restore(self) -> None:
        """Give the arrays that are written in place their contents back."""
        for restore in self.undo:
            restore()


Make = Callable[[int, np.dtype[Any]], HostArray]
"""What makes an array of so many numbers, with anything in it."""

Own = Callable[[abi.Register, int, np.dtype[Any]], tuple[HostArray, int] | None]

Foretell = Callable[[abi.Register, Callable[[], HostArray]], None]

Partly = Callable[[], tuple[object, abi.Container]]
"""What of a result is right although a guard has failed, and the container that it is in."""

Action = Callable[[Call], None]

"""How the elements of a call are cut into batches: by the memory that there is, and what a plan takes of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import numpy as np

from hetc import abi
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.errors import InputError, UnsupportedError
from hetc.runtime.devices import Device
from hetc.runtime.footprint import Footprint, batch_footprint, footprint, most_elements
from hetc.runtime.parts import Cut, Rows
from hetc.timeline.units import spelled_bytes

T = TypeVar("T")

_found: dict[tuple[object, ...], tuple[abi.Package, object]] = {}
"""What is known for a plan and lengths; the plan is kept, so that its number stays its own."""
_MOST_FOUND = 256

USUAL = 512 << 20
"""The most bytes that a batch takes if nobody asks. Each costs about 1 ms, of which larger ones hide little more."""

FREE_SHARE = 0.9
"""How much of a device's own memory there is for a call: the driver and others have a part of it."""


@dataclass(frozen=True)
class Room:
    """The memory of a device that a call may take: all bytes, those of one buffer, and whether a setting says so."""

    limit: int
    largest: int
    asked: bool

    @staticmethod
    def of(device: Device, memory_limit: int | None) -> Room:
        """The room that a device has. Memory that it shares with the host has no limit, unless one is set."""
        own = sys.maxsize if device.shared_memory else int(FREE_SHARE * device.global_memory)
        limit = own if memory_limit is None else min(own, memory_limit)
        return Room(limit, device.largest_buffer, asked=memory_limit is not None)

    def holds(self, package: abi.Package, inputs: Sequence[Any], captures: Mapping[str, object]) -> bool:
        """Whether a plan for inputs of these lengths finds room."""
        taken = footprint(package, inputs, captures)
        return taken.resident + taken.batch <= self.limit and taken.largest <= self.largest

    def __str__(self) -> str:
        limit = "memory_limit" if self.asked else "what the device has"
        return f"{limit}, {spelled_bytes(self.limit)}, in buffers of at most {spelled_bytes(self.largest)}"


@dataclass(frozen=True)
class Schedule:
    """Batches of `count` elements, but for the last one, on so many queues, and the reason for them."""

    count: int
    queues: int
    total: int
    reason: str
    unit: str

    def __str__(self) -> str:
        batches = -(-self.total // self.count)
        how_many = "1 batch" if batches == 1 else f"{batches} batches of {min(self.count, self.total):,} {self.unit}s"
        return f"{how_many} on {self.queues} queue{'s' if self.queues > 1 else ''}: {self.reason}"


def schedule(packages: Sequence[abi.Package], cut: Cut, size: int | None, queues: int, room: Room) -> Schedule:
    """The batches of a call whose first and following batches run these plans: at most `size` bytes each, within room.

    Raises InputError for a size that holds no element, UnsupportedError if the room holds none.
    """
    ones = [_footprint_of_one(package, cut) for package in packages]
    least, unit = max(1, *(one.batch for one in ones)), "row" if isinstance(cut, Rows) else "element"
    if size is not None and size < least:
        raise InputError(
            f"a batch of {spelled_bytes(size)} holds no {unit} of this call, which takes {spelled_bytes(least)}",
            hint=f"the least size that does is .batched({least})",
        )
    resident = sum(one.resident for one in ones)
    free = room.limit - resident
    queues = max(1, min(queues, free // least))
    each = min(free // queues, USUAL if size is None else size)
    count = min(_most_elements(package, cut, each, room.largest) for package in packages)
    if count < 1:
        stays = f", and {spelled_bytes(resident)} for what is captured" if resident else ""
        raise UnsupportedError(
            f"there is no room on the device: one {unit} takes {spelled_bytes(least)}{stays}; there is {room}",
            category=Category.DEVICE,
        )
    reason = "all at once would take more than " + str(room)
    whole = cut.sizes(cut.total)
    if size is not None or room.holds(packages[0], whole.inputs, whole.captures):
        reason = "it is asked for" + ("" if size is None else f", of at most {spelled_bytes(size)}")
    return Schedule(count, queues, cut.total, reason, unit)


def _most_elements(package: abi.Package, cut: Cut, room: int, largest: int) -> int:
    """`most_elements`, which is found once for data of the same lengths."""
    return _once(package, cut, (room, largest), lambda: most_elements(package, cut, room, largest))


def _footprint_of_one(package: abi.Package, cut: Cut) -> Footprint:
    """What a batch of one element takes, likewise."""
    return _once(package, cut, (), lambda: batch_footprint(package, cut, 1))


def _once(package: abi.Package, cut: Cut, others: tuple[int, ...], find: Callable[[], T]) -> T:
    """What is found out of a plan and the lengths of data."""
    shapes = tuple(sorted((name, getattr(value, "shape", None)) for name, value in cut.captures.items()))
    if not all(isinstance(shape, tuple) or np.isscalar(cut.captures[name]) for name, shape in shapes):
        return find()
    margin = cut.margin if isinstance(cut, Rows) else None
    key = id(package), shapes, cut.total, cut.width, margin, cut.names, others
    found = _found.get(key)
    if found is None:
        if len(_found) >= _MOST_FOUND:
            _found.clear()
        found = _found[key] = package, find()
    return cast("T", found[1])

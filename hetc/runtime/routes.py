"""How large arrays are copied to and from a device with memory of its own: by its family, and the array's size."""

from __future__ import annotations

from collections.abc import Mapping

from hetc import settings
from hetc.abi import DeviceTraits
from hetc.dataclass import dataclass

MIB = 2**20


@dataclass(frozen=True)
class Route:
    """Arrays of `least` bytes or more go through pinned memory: `slots` chunks, two at least, of `chunk` bytes.

    Threads copy one `piece` of a chunk at a time: `threads` at most, and one for each `share` bytes of the array.
    """

    least: int
    chunk: int
    slots: int
    piece: int
    threads: int
    share: int


ROUTES: Mapping[str, Route] = {
    "gpu": Route(least=16 * MIB, chunk=4 * MIB, slots=8, piece=MIB // 2, threads=12, share=2 * MIB)
}
"""By the family of devices with memory of their own. The driver copies smaller arrays, and those of other devices."""


def route_of(traits: DeviceTraits) -> Route | None:
    """The way through pinned memory that large arrays take, if a device has one. Without it the driver copies all."""
    return ROUTES.get(traits.family) if not traits.shared_memory and settings.current().staging else None

"""How large arrays are copied to and from a device with memory of its own: by its family, and the array's size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hetc import settings
from hetc.abi import DeviceTraits
from hetc.dataclass import dataclass

MIB = 2**20


@dataclass(frozen=True)
class Parts:
    """Calls that move `least` bytes or more, in both directions together, do so in parts where their plan allows it.

    What is pinned counts a quarter: there is less to gain. There are `fewest` parts at least. Arrays in ordinary memory
    go through `slots` slots of a ring, by as many threads as a route has for both directions, and at most `most` for
    one; parts of pinned arrays take `widest` bytes at most.
    """

    least: int
    fewest: int
    slots: int
    most: int
    widest: int


@dataclass(frozen=True)
class Results:
    """The memory of results of `least` bytes or more is kept, and pinned once it has been used again `after` times."""

    least: int
    after: int


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
    parts: Parts | None = None
    results: Results | None = None

    def part(self, count: int, staged: Sequence[int], widest: int) -> int:
        """How many of so many elements a part has at most, at least one.

        `staged` are the bytes of an element that go through the ring of each direction, `widest` those of the widest
        array.
        """
        assert self.parts is not None
        room = self.chunk * self.slots // self.parts.slots
        most = min([room // each for each in staged if each], default=self.parts.widest // widest)
        return max(1, min(most, -(-count // self.parts.fewest)))

    def threads_for(self, staged: int, other: int, processors: int) -> int:
        """How many threads copy what is staged in one direction, where so many bytes are staged in the other.

        >>> route = ROUTES["gpu"]
        >>> route.threads_for(8, 4, 16), route.threads_for(4, 8, 16), route.threads_for(4, 0, 16)
        (8, 4, 8)
        """
        assert self.parts is not None
        threads = min(self.threads, processors)
        return max(1, min(self.parts.most, round(threads * staged / (staged + other))))


ROUTES: Mapping[str, Route] = {
    "gpu": Route(
        least=16 * MIB, chunk=4 * MIB, slots=8, piece=MIB // 2, threads=12, share=2 * MIB,
        parts=Parts(least=12 * MIB, fewest=4, slots=4, most=8, widest=8 * MIB), results=Results(least=MIB, after=2),
    )
}  # fmt: skip
"""By the family of devices with memory of their own. The driver copies smaller arrays, and those of other devices."""


def route_of(traits: DeviceTraits) -> Route | None:
    """The way through pinned memory that large arrays take, if a device has one. Without it the driver copies all."""
    return ROUTES.get(traits.family) if not traits.shared_memory and settings.current().staging else None

"""Counters of what a piece of code cost: bytes moved, kernels run, time compiled.

    with hetc.profile() as p:
        saxpy(x, y)
    print(p.launches, p.kernel_ns)

Profiles nest; each counts everything that happens in the process while it is open, in any thread. Code that has
something to count asks `active()` first where counting itself costs something (reading a kernel's times does).
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TypedDict, Unpack


@dataclass(eq=False)
class Profile:
    """What happened between entering and leaving `with profile() as p`.

    `bytes_h2d` and `bytes_d2h` count bytes copied to and from the device; memory that the device shares with the host
    is not copied and counts nothing. `kernel_ns` is the device's own measure of time inside kernels. `in_python` counts
    calls that ran in Python since that was estimated to be faster, `fallbacks` those that had to, `heap_retries`
    launches for elements that had found the heap full.
    """

    bytes_h2d: int = 0
    bytes_d2h: int = 0
    launches: int = 0
    kernel_ns: int = 0
    compile_ms: float = 0.0
    cache_hits: int = 0
    deopts: int = 0
    in_python: int = 0
    heap_retries: int = 0
    fallbacks: int = 0

    def __str__(self) -> str:
        """One counter a line, those that are zero left out."""
        counters = {field.name: getattr(self, field.name) for field in fields(self)}
        shown = {name: value for name, value in counters.items() if value} or {"launches": 0}
        width = max(map(len, shown))
        return "\n".join(
            f"{name:<{width}}  {value:,.1f}" if isinstance(value, float) else f"{name:<{width}}  {value:,}"
            for name, value in shown.items()
        )


_open: tuple[Profile, ...] = ()
_lock = threading.Lock()


@contextmanager
def profile() -> Generator[Profile]:
    """Count what hetc does inside the block.

    >>> with profile() as p:
    ...     record(launches=2)
    >>> p.launches
    2
    """
    global _open
    counters = Profile()
    with _lock:
        _open = (*_open, counters)
    try:
        yield counters
    finally:
        with _lock:
            _open = tuple(p for p in _open if p is not counters)


def active() -> bool:
    """Whether anyone is counting."""
    return bool(_open)


class Counts(TypedDict, total=False):
    """What `record` takes: any of a profile's counters."""

    bytes_h2d: int
    bytes_d2h: int
    launches: int
    kernel_ns: int
    compile_ms: float
    cache_hits: int
    deopts: int
    in_python: int
    heap_retries: int
    fallbacks: int


def record(**counts: Unpack[Counts]) -> None:
    """Add to the counters of every open profile; without one this costs no more than the call."""
    if not _open:
        return
    with _lock:
        for counters in _open:
            for name, amount in counts.items():
                setattr(counters, name, getattr(counters, name) + amount)

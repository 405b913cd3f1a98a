"""What becomes of the arrays in the code around the parallel loops of a function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from hetc.dataclass import dataclass


@dataclass(frozen=True)
class HostAccess:
    """What is done before the host's statement at a line and column, for the arrays that variables are bound to.

    Those in `fetched` are brought up to date on the host; of those in `dropped`, devices' copies are used no more.
    `everything` does both, for all arrays.
    """

    fetched: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    everything: bool = False


@dataclass(frozen=True)
class RegionArrays:
    """The variables whose arrays stay on the device after a parallel loop.

    Those `overwritten` are stored to as a whole and not read, those `written` otherwise. Arrays of those `seen` may be
    held by anyone, others by the caller or by nobody but the function. The arrays that a variable in `alone` has been
    bound to before are nobody's.
    """

    kept: tuple[str, ...]
    written: tuple[str, ...] = ()
    overwritten: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()


@dataclass(frozen=True)
class CallArrays:
    """The variables whose arrays a call takes on the device, one for each argument; "" for what is passed as it is.

    What it gives is bound to the variable that it `makes`, and stays there; "" if it is wanted on the host at once. It
    is an "array", one of a known rank ("array1"), a "number", or "any" value: this is what the plan relies on. `hands`
    says that the callee has a plan of its own for the arrays that it is given. For `seen` and `alone` see
    `RegionArrays`.
    """

    arguments: tuple[str, ...]
    makes: str = ""
    gives: str = "array"
    hands: bool = False
    seen: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()


@dataclass(frozen=True)
class Transfer:
    """One decision about a copy, for the reader: of which array, in which line, what is done and why."""

    line: int
    place: str
    array: str
    way: str
    decision: str
    why: str


@dataclass(frozen=True)
class HostPlan:
    """Where the arrays of a function with parallel loops are copied: before its statements, at its loops and calls."""

    accesses: Mapping[tuple[int, int], HostAccess]
    regions: Mapping[int, RegionArrays]
    transfers: tuple[Transfer, ...] = ()
    calls: Mapping[int, CallArrays] = field(default_factory=dict[int, CallArrays])

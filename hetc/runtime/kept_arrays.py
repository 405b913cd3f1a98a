"""NumPy arrays of which devices keep copies between the parallel loops of one call of a function.

Each such array is the host memory of a portable array, which knows which copies are right (`hetc.arrays.memory`). When
its numbers are asked for on the host, they come into the NumPy array itself. What is kept, and where the host asks, is
what a pass has decided (`hetc.abi.HostPlan`); here it is carried out on the arrays that variables are bound to. That
two of them overlap is looked at here, too: no array is kept that shares memory with another one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from hetc import abi
from hetc.abi import NUMPY_SCALARS
from hetc.arrays.numbers import NumberArray
from hetc.dataclass import dataclass
from hetc.runtime.marshal import AnyArray, is_array

MOST = 64
"""Arrays that are kept at a time: a loop may make new ones in each round. Those used longest ago go first."""

_DTYPES = frozenset(map(np.dtype, NUMPY_SCALARS))


@dataclass(frozen=True, eq=False)
class Kept:
    """An array, and the portable array whose host memory it is.

    `name` is the variable that it was found in, of the call `scope`. If it is `made`, its memory is the portable
    array's, otherwise the other way round.
    """

    array: AnyArray
    portable: NumberArray
    name: str
    seen: bool
    scope: object = None
    made: bool = False

    def is_of(self, array: AnyArray) -> bool:
        """Whether an array is this one, or another with the same elements in the same places."""
        own = self.array
        return array is own or (
            array.ctypes.data == own.ctypes.data and array.shape == own.shape and array.dtype == own.dtype
            and array.strides == own.strides and array.flags.writeable == own.flags.writeable
        )  # fmt: skip

    def is_reachable(self) -> bool:
        """Whether anything but this account may refer to the array, or to a view of it; if in doubt, it may."""
        if sys.getrefcount(self.array) > (2 if self.made else 3):  # it is asked for, and a field; and memory's base
            return True
        base = self.array.base
        return sys.getrefcount(base) > 4 if self.made else base is not None  # base of both, variable, argument

    def fetch(self) -> None:
        """Bring the array up to date. Raises DeviceError."""
        self.portable.owner.read()


class KeptArrays:
    """The arrays of one call of a function. `arguments` are those that its caller holds.

    Its `caller`, if there is one, has arrays on the device that are handed over, and takes those back that it can see.
    """

    def __init__(self, plan: abi.HostPlan, arguments: Sequence[AnyArray], caller: KeptArrays | None = None) -> None:
        self.plan = plan
        self.arguments = arguments
        self.caller = caller
        self.inherited: Sequence[Kept] = () if caller is None else tuple(caller.entries)
        self.entries = list(self.inherited)
        if caller is not None:  # none of these was left by a variable of this call
            self._found = caller.by_number()[0], False
        self.trusted = True

    @property
    def entries(self) -> list[Kept]:
        """What is kept; those used longest ago come first."""
        return self._entries

    @entries.setter
    def entries(self, entries: list[Kept]) -> None:
        self._entries = entries
        self._found: tuple[dict[int, Kept], bool] | None = None

    # --- at loops ----------------------------------------------------------------------------------------------------

    def portable(self, number: int, names: Iterable[str], variables: Mapping[str, Any]) -> dict[str, NumberArray]:
        """The arrays that loop `number` captures under some names, and that stay on the device after it."""
        region = self.plan.regions.get(number)
        if region is None or not self.trusted:
            return {}
        wanted = set(names)
        found = {name: variables[name] for name in region.kept if name in wanted and can_keep(variables.get(name))}
        captured = [host_memory(value) for name, value in variables.items() if name in wanted and name not in found]
        others = [array for array in captured if array is not None]
        kept: dict[str, NumberArray] = {}
        for name, array in found.items():
            apart = all(other is array or not np.may_share_memory(array, other) for other in (*found.values(), *others))
            if apart and (array.flags.writeable or name not in (*region.written, *region.overwritten)):
                entry = self.entry(name, array, seen=name in region.seen, alone=name in region.alone)
                kept[name] = entry.portable
        return kept

    def known(self, number: int, names: Iterable[str], variables: Mapping[str, Any]) -> dict[str, NumberArray] | None:
        """The same, if nothing is to be done for it: all arrays that the loop captures are kept already, each once.

        Then none overlaps another one, since no array is kept that does.
        """
        region = self.plan.regions.get(number)
        if region is None or not self.trusted or len(self.entries) > MOST // 2:  # the order of many matters
            return None
        entries, doubled = self.by_number()
        if doubled and region.alone:
            return None
        kept: dict[str, NumberArray] = {}
        for name in names:
            value = variables.get(name)
            if isinstance(value, np.ndarray):
                entry = entries.get(id(cast("object", value)))
                if entry is None or entry.array is not value or name not in region.kept:
                    return None
                if not value.flags.writeable and (name in region.written or name in region.overwritten):
                    return None
                kept[name] = entry.portable
            elif isinstance(value, NumberArray):
                return None
        return kept if len(set(map(id, kept.values()))) == len(kept) else None

    def by_number(self) -> tuple[dict[int, Kept], bool]:
        """The entries by the numbers of their arrays, and whether a variable of this call has left several."""
        found = self._found
        if found is None:
            own = [entry.name for entry in self.entries if entry.scope is self and entry.name]
            found = self._found = {id(entry.array): entry for entry in self.entries}, len(set(own)) < len(own)
        return found

    def entry(self, name: str, array: AnyArray, *, seen: bool, alone: bool) -> Kept:
        """What is kept of the array of a variable, from now on if it is not yet; see `RegionArrays`."""
        same = [entry for entry in self.entries if entry.is_of(array)]
        if same:
            (entry,) = same
            self.entries = [other for other in self.entries if other is not entry]
        else:
            self.release(array)
            entry = Kept(array, NumberArray.of(array, frozen=not array.flags.writeable), name, seen)
        self.add(name, entry, alone=alone)
        return self.entries[-1]

    def add(self, name: str, entry: Kept, *, alone: bool) -> None:
        """Keep one more array, and none that nobody can see any more."""
        self.entries = [other for other in self.entries if other.is_reachable()]
        if alone:  # what the variable was bound to before, nobody can see any more
            self.entries = [other for other in self.entries if other.name != name or other.scope is not self]
        while len(self.entries) >= MOST:
            self.entries[0].fetch()
            self.entries = self.entries[1:]
        self.entries = [*self.entries, entry if entry.scope is not None else replace(entry, scope=self)]

    def keeps(self, portable: NumberArray) -> bool:
        """Whether a portable array still stands for one that is kept."""
        return any(entry.portable is portable for entry in self.entries)

    # --- at the host's statements ------------------------------------------------------------------------------------

    def bring(self, place: tuple[int, int], variables: Mapping[str, Any]) -> None:
        """Do what the plan says of a statement."""
        access = self.plan.accesses[place]
        if access.everything:
            self.bring_all()
            return
        for name in access.fetched:
            for entry in self._sharing(variables.get(name)):
                entry.fetch()
        for name in access.dropped:
            self.release(variables.get(name))

    def bring_all(self) -> None:
        """Bring all arrays up to date, and keep none."""
        for entry in self.entries:
            entry.fetch()
        self.entries = []

    def distrust(self) -> None:
        """Something is not as the plan takes for granted: from now on no array is kept."""
        self.bring_all()
        self.trusted = False

    def release(self, array: object) -> None:
        """Bring what shares memory with an array up to date, and keep it no more."""
        for entry in self._sharing(array):
            entry.fetch()
            self.entries = [other for other in self.entries if other is not entry]

    def finish(self, result: object) -> None:
        """The function returns: bring back what its caller can see, or hand it over."""
        handed: list[Kept] = []
        for entry in self.entries:
            if entry in self.inherited:
                handed.append(entry)
            elif entry.seen or _may_hold(result, entry.array) or _may_hold(tuple(self.arguments), entry.array):
                if entry.seen or self.caller is None:
                    entry.fetch()
                else:
                    handed.append(entry)
        self.entries = handed

    def take_back(self, callee: KeptArrays) -> None:
        """A function that this one has called has been left, in whatever way."""
        if callee.entries == self.entries:
            return
        self.entries = [
            entry if entry.scope is not callee else replace(entry, scope=self, name="") for entry in callee.entries
        ]

    def name(self, array: AnyArray, name: str, *, seen: bool, alone: bool) -> None:
        """A variable is bound to what a call has given, which may be kept already."""
        for entry in self._sharing(array):
            if entry.is_of(array) and not entry.name:
                self.entries = [other for other in self.entries if other is not entry]
                self.add(name, replace(entry, name=name, seen=seen, scope=self), alone=alone)

    def fetch_held(self, value: object) -> None:
        """Bring what a value may give access to up to date."""
        if value is None:
            return
        for entry in self.entries:
            if _may_hold(value, entry.array):
                entry.fetch()

    def _sharing(self, array: object) -> list[Kept]:
        if not isinstance(array, np.ndarray):
            return []
        return [entry for entry in self.entries if np.may_share_memory(entry.array, array)]


class KeptRegion:
    """What is kept of the arrays that one run of a loop captures; `names` are the variables that its body reads."""

    def __init__(self, arrays: KeptArrays, number: int, names: Sequence[str]) -> None:
        self.arrays = arrays
        self.number = number
        self.names = names
        self.portable: dict[str, NumberArray] = {}

    def enter(self, variables: Mapping[str, Any]) -> dict[str, NumberArray]:
        """The portable arrays that take the places of variables' arrays."""
        self.portable = self.arrays.portable(self.number, self.names, variables)
        return self.portable

    def separate(self, captures: Iterable[object]) -> bool:
        """Bring back what overlaps an array that the loop captures as it is. Whether that leaves the places taken."""
        own = [id(array) for array in self.portable.values()]
        for value in captures:
            if id(value) not in own:
                self.arrays.release(host_memory(value))
        return all(map(self.arrays.keeps, self.portable.values()))

    def make_space(self) -> bool:
        """Bring back the arrays that this loop does not use, and keep them no more. Whether there are any."""
        used = [entry for entry in self.arrays.entries if any(entry.portable is own for own in self.portable.values())]
        others = [entry for entry in self.arrays.entries if entry not in used]
        for entry in others:
            entry.fetch()
        self.arrays.entries = used
        return bool(others)

    def overwritten(self, ranges: Sequence[range]) -> list[NumberArray]:
        """The arrays that a run over these ranges stores to as a whole."""
        region = self.arrays.plan.regions.get(self.number)
        found = [self.portable.get(name) for name in (() if region is None else region.overwritten)]
        return [
            array
            for array in found
            if array is not None
            and tuple(ranges) == tuple(map(range, array.shape))
            and sum(other is array for other in self.portable.values()) == 1
        ]


def host_memory(value: object) -> AnyArray | None:
    """The memory on the host that an array has, or a portable array that the user has made."""
    if isinstance(value, NumberArray):
        return value.owner.read() if value.owner.is_on_host and value.owner.formula is None else None
    return value if is_array(value) else None


def can_keep(value: object) -> bool:
    """Whether a value is an array that is a device's buffer as it is, of a rank that kernels take."""
    return (
        type(value) is np.ndarray
        and value.ndim in (1, 2)
        and value.size > 0
        and value.dtype in _DTYPES
        and value.flags.c_contiguous
        and value.flags.aligned
    )


def _may_hold(value: object, array: AnyArray) -> bool:
    """Whether a value may give access to the memory of an array."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return np.may_share_memory(value, array)
    if type(value) in (tuple, list):
        return any(_may_hold(part, array) for part in cast("Sequence[object]", value))
    return not isinstance(value, int | float | complex | str | bytes | np.generic | type(None))

"""Which work-item of a group has touched what since the last barrier.

The work-items of a group are run side by side, one op after the other; on a device, any of them may be ahead of the
others, up to the next barrier. So a program means the same there only if between two barriers no work-item touches what
another one changes. Two that write the same do not disturb each other.
"""

from __future__ import annotations

import numpy as np

from hetc.interpreter.cases import Array, UndefinedError

_NOBODY, _SEVERAL = -1, -2

_Accesses = dict[tuple[int, int], Array]
"""By where a buffer begins and how many places it has, which work-item has been at each."""


class Accesses:
    """Accesses of the work-items of a group to buffers: the last that wrote to each place, and the one that read it."""

    def __init__(self) -> None:
        self._writers: _Accesses = {}
        self._readers: _Accesses = {}

    def barrier(self) -> None:
        """All that was done before is done for everybody."""
        self._writers.clear()
        self._readers.clear()

    def read(self, buffer: Array, places: Array, items: Array) -> None:
        """Raises UndefinedError if another work-item may or may not have written before."""
        _refuse(_known(self._writers, buffer)[places], items)
        _note(self._readers, buffer, places, items)

    def write(self, buffer: Array, places: Array, items: Array, values: Array) -> None:
        """Raises UndefinedError if another work-item reads here, or writes something else."""
        _refuse(_known(self._readers, buffer)[places], items)
        writers = _known(self._writers, buffer)[places]
        others = (writers != _NOBODY) & (writers != items)
        if np.any(others & _differ(buffer[places], values)):
            raise UndefinedError(_RACE)
        buffer[places] = values
        if np.any(_differ(buffer[places], values)):  # two of these work-items
            raise UndefinedError(_RACE)
        _note(self._writers, buffer, places, items)


_RACE = "two work-items of a group use the same place of a buffer, and no barrier says which is first"


def _refuse(known: Array, items: Array) -> None:
    if np.any((known != _NOBODY) & (known != items)):
        raise UndefinedError(_RACE)


def _differ(one: Array, other: Array) -> Array:
    return (one != other) & ((one == one) | (other == other))


def _note(accesses: _Accesses, buffer: Array, places: Array, items: Array) -> None:
    """Who has been at these places; of several at one, the last is found there, and the others find it."""
    known = _known(accesses, buffer)
    before = known[places]
    known[places] = np.where((before == _NOBODY) | (before == items), items, _SEVERAL)
    known[places[known[places] != items]] = _SEVERAL


def _known(accesses: _Accesses, buffer: Array) -> Array:
    """Who has been at each place of a buffer; two names of one buffer are one."""
    key = buffer.__array_interface__["data"][0], len(buffer)
    if key not in accesses:
        accesses[key] = np.full(len(buffer), _NOBODY)
    return accesses[key]

"""Objects as numbers: the distinct ones in order, and for lists of them the place of each.

A list in which objects stand again and again is a table of the distinct objects, and a place in it for each reference.
So an object is read once, however often it stands somewhere, and two references to it are equal places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hetc import native
from hetc.native import AnyVector

FEW = 512
"""Shorter lists are read as they are."""
PART = 32
"""A list is looked at as a whole if, of its first 32nd, less than half are distinct objects."""


class Numbering:
    """The distinct objects of some lists, in the order in which they have come first.

    >>> one, other = object(), object()
    >>> numbering = Numbering()
    >>> numbering.places([one, None, other, one]).tolist()
    [0, -1, 1, 0]
    >>> numbering.objects == [one, other], numbering.places([other]).tolist()
    (True, [1])
    """

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self._compiled = None if native.compiled is None else native.compiled.start_numbering()
        self._known: dict[int, int] = {}

    def places(self, values: Sequence[object]) -> AnyVector:
        """The place of each object of a list or tuple among the distinct ones, -1 for None; new ones are added."""
        places = np.empty(len(values), np.int64)
        if native.compiled is not None:
            self.objects += native.compiled.number_objects(self._compiled, values, places)
            return places
        for k, one in enumerate(values):
            places[k] = -1 if one is None else self._known.setdefault(id(one), len(self._known))
            if places[k] == len(self.objects):
                self.objects.append(one)
        return places


def shared_objects(values: Sequence[object]) -> tuple[list[Any], AnyVector] | None:
    """The distinct objects of a list, and the place of each among them, -1 for None; None where few are the same.

    >>> one, other = object(), object()
    >>> objects, places = shared_objects([one, other] * 300)
    >>> objects == [one, other], places[:3].tolist()
    (True, [0, 1, 0])
    >>> shared_objects([one, other]) is None, shared_objects([object() for _ in range(1000)]) is None
    (True, True)
    """
    first = max(FEW, len(values) // PART)
    if len(values) < first:
        return None
    numbering = Numbering()
    places = numbering.places(values[:first])
    if 2 * len(numbering.objects) > first:
        return None
    return numbering.objects, np.concatenate([places, numbering.places(values[first:])])

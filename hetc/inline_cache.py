"""What the last calls of an array function looked like, for calls that look the same.

To describe a call takes longer than to launch a kernel: its functions are resolved, its data is looked at. An array
function that is called again mostly finds everything as it was, and that takes a few comparisons: of what names are
bound to (`Premises`), of the types and lengths of arrays. After the inline caches of Deutsch and Schiffman (Efficient
implementation of the Smalltalk-80 system, POPL 1984), of which each call site has one.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar, cast

import numpy as np

from hetc.arrays.numbers import NumberArray
from hetc.frontends.python.premises import Premises
from hetc.runtime.describe import is_positive
from hetc.runtime.devices import VARIABLE
from hetc.runtime.marshal import DTYPES, SCALARS
from hetc.settings import Settings

T = TypeVar("T")

SIZE = 32
"""Descriptions that an array function keeps."""


Look = tuple[object, ...]
"""All that a description says of the data of a call, to be compared."""


class Comparable(Protocol):
    """What names are bound to."""

    def same_as(self, other: Any) -> bool:
        """Whether these are the same, thing by thing."""
        ...


P = TypeVar("P", bound=Comparable)


class Known(Generic[P, T]):
    """Descriptions of calls, which hold under these premises and settings; the last one is looked at first."""

    __slots__ = ("circumstances", "found", "last", "premises", "settings")

    def __init__(self, premises: P, settings: Settings, circumstances: object) -> None:
        self.premises = premises
        self.settings = settings
        self.circumstances = circumstances
        self.found: dict[Look, T] = {}
        self.last: tuple[Look, T] | None = None

    def holds_in(self, settings: Settings, circumstances: object) -> bool:
        """Whether nothing is different around the call."""
        same = self.settings is settings or self.settings == settings
        return same and self.circumstances == circumstances

    def find(self, look: Look) -> T | None:
        """What was kept of calls with this look."""
        last = self.last
        if last is not None and last[0] == look:
            return last[1]
        description = self.found.get(look)
        if description is not None:
            self.last = look, description
        return description

    def keep(self, look: Look, description: T) -> None:
        """Remember a call with this look."""
        self.found[look] = description
        self.last = look, description


def known_under(premises: P, settings: Settings, known: Known[P, T] | None) -> Known[P, T]:
    """What is known under these premises and settings, if there is room in it for one more; else, nothing yet."""
    circumstances = circumstances_of(settings)
    if (
        known is None
        or not known.holds_in(settings, circumstances)
        or len(known.found) >= SIZE
        or not known.premises.same_as(premises)
    ):
        return Known(premises, settings, circumstances)
    return known


class InlineCache(Generic[T]):
    """Descriptions of the calls of one array function, as long as what its names mean does not change."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: Known[Premises, T] | None = None  # replaced as a whole, for other threads may be reading it

    def find(self, inputs: Sequence[object], settings: Settings) -> tuple[T, dict[str, object]] | None:
        """The description of a call that looked like this one, and its captured variables as they are now."""
        known = self._known
        if known is None or not known.holds_in(settings, circumstances_of(settings)):
            return None
        captures = known.premises.captures()
        look = None if captures is None else look_of(inputs, captures)
        description = None if look is None else known.find(look)
        return None if description is None or captures is None else (description, captures)

    def keep(
        self,
        inputs: Sequence[object],
        captures: Mapping[str, object],
        premises: Premises | None,
        settings: Settings,
        description: T,
    ) -> None:
        """Remember a call. What is remembered of it must hold of all calls that look like it."""
        look = None if premises is None else look_of(inputs, captures)
        if look is None or premises is None:
            return
        known = self._known = known_under(premises, settings, self._known)
        known.keep(look, description)


def circumstances_of(settings: Settings) -> object:
    """What a description depends on beside settings, names and data."""
    return np.geterr() if settings.device is not None else (np.geterr(), os.environ.get(VARIABLE))


def look_of(inputs: Sequence[object], captures: Mapping[str, object]) -> Look | None:
    """What there is to see of the data of a call; None of data that has to be looked at more closely."""
    looks: list[object] = []
    for value in inputs:
        look = _look_of_array(value)
        if look is None:
            return None
        looks.append(look)
    for value in captures.values():
        kind = type(value)
        if kind is int:
            look = kind, value
        elif kind in SCALARS or value is None:
            look = kind, is_positive(value)
        else:
            look = _look_of_array(value)
        if look is None:
            return None
        looks.append(look)
    return tuple(looks)


def _look_of_array(value: object) -> Hashable | None:
    if type(value) is np.ndarray:
        array = cast("np.ndarray[Any, np.dtype[Any]]", value)
        dtype, base = array.dtype, array.base
        # Numbers repeated without being stored, and fields of structured arrays, are described by more.
        if dtype not in DTYPES or 0 in array.strides:
            return None
        return (dtype, array.shape) if base is None or not getattr(base, "dtype", dtype).names else None
    if isinstance(value, NumberArray):
        return (NumberArray, value.element, value.shape) if value.formula is None else None
    return (range, value) if type(value) is range else None

"""Windows: the neighbourhood of a point of a grid, as the function of a stencil sees it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from hetc.arrays.base import Array
from hetc.dataclass import dataclass
from hetc.errors import InputError

BOUNDARIES = {
    "clamp": "clamp", "nearest": "clamp", "wrap": "wrap", "grid-wrap": "wrap", "mirror": "mirror",
    "reflect": "reflect", "grid-mirror": "reflect", "constant": "constant", "grid-constant": "constant",
}  # fmt: skip
"""What lies beyond the ends of a grid, by hetc's names and those of `scipy.ndimage`."""
MAX_RANK = 3
"""Grids have one to three dimensions."""


def clamped(place: int, size: int) -> int:
    """The nearest place of an axis.

    >>> [clamped(k, 3) for k in range(-2, 5)]
    [0, 0, 0, 1, 2, 2, 2]
    """
    return min(max(place, 0), size - 1)


def wrapped(place: int, size: int) -> int:
    """The place that is there if the axis goes round.

    >>> [wrapped(k, 3) for k in range(-2, 5)]
    [1, 2, 0, 1, 2, 0, 1]
    """
    return place % size


def mirrored(place: int, size: int) -> int:
    """The place that is there if the axis is mirrored at the middle of its first and last element.

    >>> [mirrored(k, 3) for k in range(-2, 5)]
    [2, 1, 0, 1, 2, 1, 0]
    """
    period = max(2 * (size - 1), 1)
    place %= period
    return min(place, period - place)


def reflected(place: int, size: int) -> int:
    """The place that is there if the axis is mirrored at its ends.

    >>> [reflected(k, 3) for k in range(-2, 5)]
    [1, 0, 0, 1, 2, 2, 1]
    """
    period = 2 * size
    place %= period
    return min(place, period - 1 - place)


_PLACES: dict[str, Callable[[int, int], int]] = {
    "clamp": clamped, "wrap": wrapped, "mirror": mirrored, "reflect": reflected, "constant": clamped,
}  # fmt: skip


def place_at(boundary: str, place: int, size: int) -> int:
    """The place of an axis of `size` elements that a place beyond its ends stands for.

    >>> [place_at(boundary, -1, 3) for boundary in ("clamp", "wrap", "mirror", "reflect")]
    [0, 2, 1, 0]
    """
    return _PLACES[boundary](place, size)


@dataclass(frozen=True)
class Neighbourhood:
    """How far a window reaches along each axis, and what lies beyond the grid's ends.

    `radius` is one number for all axes, or one an axis. `value` is what a "constant" boundary holds.
    """

    radius: int | tuple[int, ...]
    boundary: str
    value: object = 0

    def radii(self, rank: int) -> tuple[int, ...]:
        """The radius along each axis of a grid. Raises InputError for a grid of another number of axes."""
        if not 1 <= rank <= MAX_RANK:
            raise InputError(f"a stencil takes arrays of 1 to {MAX_RANK} dimensions, not {rank}")
        if isinstance(self.radius, int):
            return (self.radius,) * rank
        if len(self.radius) != rank:
            raise InputError(
                f"the stencil has radii for {len(self.radius)} dimensions, and the array has {rank}",
                hint="give one radius a dimension, or one number for all",
            )
        return self.radius

    def fill(self, grid: Any) -> object:
        """The value of a "constant" boundary as an element of a grid. Raises InputError if its dtype holds no such."""
        value: Any = self.value
        if isinstance(grid, np.ndarray | Array):
            return _as_element(value, cast("Any", grid).dtype)
        first = grid[0] if len(grid) else 0.0  # as NumPy takes the elements of an empty list
        if isinstance(first, np.generic):
            return _as_element(value, first.dtype)
        return type(first)(value) if type(first) in (float, complex) and type(value) in (int, float) else value


def _as_element(value: Any, dtype: np.dtype[Any]) -> object:
    """A value as an element of an array. Raises InputError if its dtype holds no such."""
    with np.errstate(all="ignore"):
        try:
            element = np.array(value).astype(dtype)[()]
        except (TypeError, ValueError):
            raise InputError(f"the boundary's value {value!r} is no element of an array of {dtype}") from None
    if dtype.kind in "iub" and element != value:
        raise InputError(f"the boundary's value {value!r} does not fit an array of {dtype}")
    return element


class Window:
    """The neighbourhood of a point: `w[0, 0]` is the element there, `w[-1, 0]` the one before it on the first axis.

    In one dimension `w[0]`, `w[-1]`. An offset outside of the radius raises IndexError.

    >>> Window([3, 1, 4], (0,), Neighbourhood(1, "wrap"))[-1]
    4
    """

    __slots__ = ("_fill", "_grid", "_neighbourhood", "_point", "_radii", "_shape")

    def __init__(self, grid: Any, point: tuple[int, ...], neighbourhood: Neighbourhood, fill: object = None) -> None:
        self._grid = grid
        self._point = point
        self._neighbourhood = neighbourhood
        self._shape: tuple[int, ...] = grid.shape if isinstance(grid, np.ndarray) else (len(grid),)
        self._radii = neighbourhood.radii(len(self._shape))
        self._fill = fill

    def __getitem__(self, offset: Any) -> Any:
        __tracebackhide__ = True  # the offset may be outside of the window
        offsets = cast("tuple[Any, ...]", offset) if isinstance(offset, tuple) else (offset,)
        if len(offsets) != len(self._shape):
            raise IndexError(f"a window of {len(self._shape)} dimensions has as many offsets, not {len(offsets)}")
        boundary, places = self._neighbourhood.boundary, list[int]()
        inside = True
        for start, step, radius, size in zip(self._point, offsets, self._radii, self._shape, strict=True):
            distance = operator.index(step)
            if abs(distance) > radius:
                raise IndexError(f"the offset {distance} is outside of the window, whose radius is {radius}")
            place = start + distance
            inside = inside and 0 <= place < size
            places.append(_PLACES[boundary](place, size))
        if boundary == "constant" and not inside:
            return self._fill
        return self._grid[tuple(places) if isinstance(self._grid, np.ndarray) else places[0]]


def neighbourhood(radius: Any, boundary: str, value: object) -> Neighbourhood:
    """What a user has written, checked. Raises InputError for what is no radius or boundary."""
    if boundary not in BOUNDARIES:
        known = ", ".join(dict.fromkeys(BOUNDARIES.values()))
        raise InputError(f"there is no boundary {boundary!r}", hint=f"the boundaries are {known}")
    numbers = cast("Sequence[Any]", radius) if isinstance(radius, tuple | list) else (radius,)
    radii = tuple(map(operator.index, numbers))
    if min(radii, default=-1) < 0:
        raise InputError("a radius is an integer that is not negative, or one for each dimension")
    return Neighbourhood(radii if isinstance(radius, tuple | list) else radii[0], BOUNDARIES[boundary], value)


class Points:
    """A stencil's function as one of the number of a point, for Python."""

    def __init__(
        self,
        function: Callable[..., Any],
        neighbourhood: Neighbourhood,
        grids: Sequence[Any],
        shape: tuple[int, ...],
    ) -> None:
        self.function = function
        self._neighbourhood = neighbourhood
        self._grids = grids
        self._shape = shape
        self._hosts: list[tuple[Any, object]] | None = None

    def __call__(self, number: int) -> Any:
        """What the function makes of the windows around a point."""
        __tracebackhide__ = True  # the function may not take these windows
        if self._hosts is None:  # what is on a device alone is brought back for the first point that Python runs
            hosts = [np.asarray(grid) if isinstance(grid, Array) else grid for grid in self._grids]
            self._hosts = [(grid, self._neighbourhood.fill(grid)) for grid in hosts]
        point: tuple[int, ...] = ()
        for size in self._shape[:0:-1]:
            number, place = divmod(number, size)
            point = (place, *point)
        point = (number, *point)
        return self.function(*[Window(grid, point, self._neighbourhood, fill) for grid, fill in self._hosts])

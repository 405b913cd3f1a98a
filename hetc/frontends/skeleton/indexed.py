"""The stages that find elements, or places for them, by numbers: what their makers take, checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from hetc.arrays.base import Array
from hetc.frontends.skeleton.composition import Filter, Function, Gather, Map, Scatter, Stages


def gathering(indices: Any) -> Gather:
    """A gather. Raises TypeError for what holds no indices."""
    return Gather(_checked(indices, "indices"))


def scattering(indices: Any, size: int, combine: Function | None, init: object) -> Scatter:
    """A scatter. Raises TypeError for what holds no indices, ValueError for a size less than 1."""
    return Scatter(_checked(indices, "indices"), _checked_size(size, "size"), init, combine)


def reducing_by_key(operator: Function, init: object, keys: Any, size: int | None) -> Scatter:
    """A reduction by keys. Raises TypeError for what holds no keys, ValueError for a size less than 1."""
    checked = _checked(keys, "keys")
    if size is None:
        size = int(np.max(np.asarray(checked), initial=0)) + 1
    return Scatter(checked, _checked_size(size, "size"), init, operator)


def histogram_of(bins: int, range: tuple[float, float] | None) -> Stages:  # noqa: A002 (the user's name)
    """Counts of elements: of the bins that they number, or of those of a range that they lie in."""
    counts = Scatter(None, _checked_size(bins, "bins"), 0, count)
    if range is None:
        return (counts,)
    low, high = map(float, range)
    if not low < high or np.isinf(low) or np.isinf(high):
        raise ValueError(f"the range of a histogram goes from one number up to another, not from {low} to {high}")
    edges = np.linspace(low, high, bins + 1)
    return (Filter(_within(low, high)), Map(_bin(edges, low, bins / (high - low), bins - 1)), counts)


def count(left: int, right: int) -> int:
    """What counts are combined by."""
    return left + right


def _within(low: float, high: float) -> Callable[[Any], Any]:
    return lambda x: low <= x <= high


def _bin(edges: np.ndarray[Any, np.dtype[np.float64]], low: float, scale: float, last: int) -> Callable[[Any], int]:
    """The bin that a number lies in: it may be off by one by rounding, and the edges decide."""

    def bin_of(x: Any) -> int:
        place = min(int((x - low) * scale), last)
        # A Python float is rounded to the type of a NumPy scalar that it is compared with, as the edges of NumPy are.
        if x < float(edges[place]):
            return place - 1
        return place + 1 if place < last and x >= float(edges[place + 1]) else place

    return bin_of


def _checked_size(size: int, name: str) -> int:
    if not isinstance(cast("object", size), int | np.integer) or isinstance(size, bool):
        raise TypeError(f"{name} is a number of items, not {size!r}")
    if size < 1:
        raise ValueError(f"{name} is at least 1, not {size}")
    return int(size)


def _checked(indices: Any, name: str) -> Any:
    """Indices as what the compiler takes for a captured array. Raises TypeError for what holds none."""
    if isinstance(indices, range):
        return np.arange(indices.start, indices.stop, indices.step)
    if isinstance(indices, list | tuple):
        return cast("object", indices)
    if isinstance(indices, np.ndarray | Array):
        array: Any = indices
        if array.ndim == 1 and array.dtype.kind in "iu":
            return array
        raise TypeError(f"{name} are integers in one dimension, not {array.dtype} in {array.ndim}")
    raise TypeError(f"{name} are an array, list, tuple or range of integers, not {type(indices).__name__}")

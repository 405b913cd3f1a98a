"""What an array function means, by CPython alone: the oracle of the device tests and of the random programs."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

import hetc
from hetc.frontends.skeleton.composition import Map, Reduce, Zip


def in_cpython(af: hetc.ArrayFunction, inputs: Sequence[Any]) -> Any:
    """What an array function means, by comprehensions and `functools.reduce` alone."""
    rows: Any = zip(*inputs, strict=True)
    for stage in af.stages:  # lazily: each element goes through all stages before the next one
        match stage:
            case Map(function):
                rows = ((function(*row),) for row, function in zip(rows, itertools.repeat(function)))
            case Zip():
                rows = ((row,) for row in rows)
            case Reduce(operator, init):
                return functools.reduce(operator, (row[0] for row in rows), init)
    elements = [row[0] if len(row) == 1 else row for row in rows]
    if any(isinstance(value, np.ndarray) for value in inputs):
        return arrays(elements)
    return tuple(elements) if all(type(value) is tuple for value in inputs) else elements


def arrays(elements: list[Any]) -> Any:
    """An array of the elements; of tuples of one length, a tuple of arrays, one a component."""
    widths = {len(element) if isinstance(element, tuple) else None for element in elements}
    if len(widths) == 1 and None not in widths:
        return tuple(arrays(list(component)) for component in zip(*elements, strict=True))
    return np.array(elements)

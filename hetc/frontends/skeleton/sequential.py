"""The sequential Python meaning of a composition: the oracle, and what runs when a call falls back to Python."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np

from hetc.abi import Container
from hetc.containers import collect, elements_of
from hetc.frontends.skeleton.composition import Map, Reduce, Stages, Zip


def run_in_python(stages: Stages, inputs: Sequence[Iterable[object]], container: Container) -> object:
    """What the composition means: each element through the stages, in order, by Python.

    Elements of a NumPy array are NumPy scalars (None where it is masked); elements of a list are its objects. The
    result of an array comes back in `container`; in an ndarray, tuple elements become one array a component, as NumPy's
    own functions with several outputs return them.

    >>> run_in_python((Map(lambda i: i * i),), [range(4)], Container.LIST)
    [0, 1, 4, 9]
    """
    rows = zip(*map(elements_of, inputs), strict=True)
    if stages and isinstance(stages[-1], Reduce):
        operator, init = stages[-1].operator, stages[-1].init
        return functools.reduce(operator, (_element(stages[:-1], row) for row in rows), init)
    return collect([_element(stages, row) for row in rows], container)


def _element(stages: Stages, row: tuple[object, ...]) -> object:
    """One element of the result, from the elements of the inputs: each element goes through all stages at once."""
    for stage in stages:
        match stage:
            case Map(function):
                row = (function(*row),)
            case Zip():
                row = (row,)
            case Reduce():
                raise AssertionError("a reduction comes last")
    return row[0] if len(row) == 1 else row


def repaired(
    stages: Stages, inputs: Sequence[Any], container: Container, result: Any, wrong: Iterable[range]
) -> object | None:
    """The result of a map with the elements of some index ranges computed by Python, in order.

    None if the result cannot hold what Python gives: an array of int64 holds no larger integer. Raises what the
    functions raise: the ranges are in order and hold all elements that failed, so the first exception is Python's.
    """
    elements: Any = list(result) if container is Container.TUPLE else result
    for span in wrong:
        part = run_in_python(stages, [value[span.start : span.stop] for value in inputs], container)
        if not _store(elements, span, part):
            return None
    return tuple(elements) if container is Container.TUPLE else elements


def _store(result: Any, span: range, part: Any) -> bool:
    """Put elements in their place, if they have the type of the others."""
    if isinstance(result, tuple):  # one array a component
        components = zip(cast("tuple[object, ...]", result), part, strict=True)
        return all(_store(one, span, other) for one, other in components)
    if isinstance(result, np.ndarray) and cast("Any", result).dtype != part.dtype:
        return False
    result[span.start : span.stop] = part
    return True

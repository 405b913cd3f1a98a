"""What an array function means, by CPython alone: the oracle of the device tests and of the random programs."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

import hetc
from hetc.frontends.skeleton.composition import (
    Enumerate,
    Filter,
    Gather,
    Map,
    Nothing,
    Reduce,
    Scan,
    Scatter,
    Zip,
    keeps_elements,
)


def in_cpython(af: hetc.ArrayFunction, inputs: Sequence[Any]) -> Any:
    """What an array function means, by comprehensions and `functools.reduce` alone."""
    return _meaning(af, inputs, spaced=False)[0]


def with_spacing(af: hetc.ArrayFunction, inputs: Sequence[Any]) -> tuple[Any, Any]:
    """What an array function means, and as such a value again, how far apart the floats are at each of its numbers.

    That is told of the elements, whose type is that they were computed in; that of an array may be wider.
    """
    return _meaning(af, inputs, spaced=True)


def _meaning(af: hetc.ArrayFunction, inputs: Sequence[Any], *, spaced: bool) -> tuple[Any, Any]:
    if not isinstance(af, hetc.ArrayFunction):
        return af.function(*inputs), None
    rows: Any = zip(*inputs, strict=True)
    for stage in af.stages:  # lazily: each element goes through all stages before the next one
        match stage:
            case Map(function):
                rows = ((function(*row),) for row, function in zip(rows, itertools.repeat(function)))
            case Zip():
                rows = ((row,) for row in rows)
            case Filter(predicate):
                rows = kept(rows, predicate)
            case Scan(operator, init, exclusive):
                rows = ((value,) for value in prefixes((row[0] for row in rows), operator, init, exclusive))
            case Gather(indices):
                before = list(rows)
                rows = (before[k] for k in indices)
            case Scatter():
                rows = ((item,) for item in scattered(stage, [row[0] for row in rows]))
            case Enumerate():
                rows = ((number, *row) for number, row in enumerate(rows))
            case Reduce(operator, init, None, part):
                start = () if init is Nothing.NOTHING else (init,)
                value = functools.reduce(operator, (row[0] for row in rows), *start)
                return (value, spacing(value)) if part is None else (value[part], None)
            case Reduce(_, init, last):  # any and all
                return (last if last in (row[0] for row in rows) else init), None
    elements = [row[0] if len(row) == 1 else row for row in rows]
    collect: Callable[[Any], Any] = list
    if any(isinstance(value, np.ndarray) for value in inputs):
        collect = arrays
        if not elements and keeps_elements(af.stages):
            nothing = tuple(np.asarray(value)[:0] for value in inputs)
            return nothing if len(nothing) > 1 else nothing[0], None
    elif all(type(value) is tuple for value in inputs):
        collect = tuple
    return collect(elements), collect([spacing(element) for element in elements]) if spaced else None


def kept(rows: Iterable[tuple[Any, ...]], predicate: Callable[..., Any]) -> Iterator[tuple[Any, ...]]:
    """What a filter means."""
    return (row for row in rows if predicate(*row))


def scattered(stage: Scatter, elements: list[Any]) -> list[Any]:
    """What a scatter means, of keys that are all different if they are not combined."""
    values = elements if stage.keys is not None else [1] * len(elements)
    init = stage.init if stage.init is not None else type(values[0])() if values else 0
    items = [init] * stage.size
    for key, value in zip(elements if stage.keys is None else stage.keys, values, strict=True):
        if stage.combine is None:
            items[key] = value
        else:
            items[key] = stage.combine(items[key], value)
    return items


def prefixes(elements: Iterable[Any], operator: Callable[[Any, Any], Any], init: Any, exclusive: bool) -> Iterator[Any]:
    """What a scan means: `itertools.accumulate`, without the initial value or without the last element."""
    if init is None:
        return itertools.accumulate(elements, operator)
    if not exclusive:
        return itertools.islice(itertools.accumulate(elements, operator, initial=init), 1, None)
    known = list(elements)
    return itertools.islice(itertools.accumulate(known[:-1], operator, initial=init), len(known))


def spacing(value: Any) -> Any:
    """The distance of a float to the next one of its type; part by part of a complex number, a tuple or list."""
    if isinstance(value, tuple | list):
        return (list if isinstance(value, list) else tuple)(spacing(one) for one in value)
    if isinstance(value, complex | np.complexfloating):
        return complex(spacing(value.real), spacing(value.imag))
    if isinstance(value, float | np.floating):
        with np.errstate(all="ignore"):
            return abs(float(np.spacing(value)))
    return 0.0


def arrays(elements: list[Any]) -> Any:
    """An array of the elements; of tuples of one length, a tuple of arrays, one a component."""
    widths = {len(element) if isinstance(element, tuple) else None for element in elements}
    if len(widths) == 1 and None not in widths:
        return tuple(arrays(list(component)) for component in zip(*elements, strict=True))
    return np.array(elements)

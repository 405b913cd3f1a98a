"""What an array function means, by CPython alone: the oracle of the device tests and of the random programs."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import hetc
from hetc.frontends.skeleton.composition import (
    Enumerate,
    Filter,
    Gather,
    Iterate,
    Map,
    Nothing,
    Reduce,
    Scan,
    Scatter,
    Stencil,
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
    return _of_stages(af.stages, inputs, spaced=spaced)


def _of_stages(stages: Sequence[Any], inputs: Sequence[Any], *, spaced: bool) -> tuple[Any, Any]:
    places = [number for number, stage in enumerate(stages) if isinstance(stage, Stencil | Iterate)]
    if not places:
        return _of_rows(stages, zip(*inputs, strict=True), inputs, spaced=spaced)
    stage, following = stages[places[-1]], stages[places[-1] + 1 :]
    if before := stages[: places[-1]]:
        inputs = [_of_stages(before, inputs, spaced=False)[0]]
    if isinstance(stage, Stencil):
        rows = ((stage.function(*windows),) for windows in around_points(stage, inputs))
        value, spacings = _of_rows(following, rows, inputs, spaced=spaced)
        shape = next((grid.shape for grid in inputs if isinstance(grid, np.ndarray)), None)
        return (value.reshape(shape) if isinstance(value, np.ndarray) else value), spacings
    for _ in range(stage.times):
        inputs = [_of_stages(stage.stages, inputs, spaced=False)[0]]
    return _of_stages(following, inputs, spaced=spaced) if following else (inputs[0], None)


def _of_rows(stages: Sequence[Any], rows: Any, inputs: Sequence[Any], *, spaced: bool) -> tuple[Any, Any]:
    for stage in stages:  # lazily: each element goes through all stages before the next one
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
                rows = iter([before[k] for k in indices])
            case Scatter():
                rows = ((item,) for item in scattered(stage, [row[0] for row in rows]))
            case Enumerate():
                rows = ((number, *row) for number, row in enumerate(rows))
            case Reduce():
                return reduced(stage, (row[0] for row in rows))
    elements = [row[0] if len(row) == 1 else row for row in rows]
    collect: Callable[[Any], Any] = list
    if any(isinstance(value, np.ndarray) for value in inputs):
        collect = arrays
        if not elements and keeps_elements(tuple(stages)):
            nothing = tuple(np.asarray(value)[:0] for value in inputs)
            return nothing if len(nothing) > 1 else nothing[0], None
    elif all(type(value) is tuple for value in inputs):
        collect = tuple
    return collect(elements), collect([spacing(element) for element in elements]) if spaced else None


def reduced(stage: Reduce, elements: Iterator[Any]) -> tuple[Any, Any]:
    """What a reduction means, and its spacing."""
    if stage.last is not None:  # any and all
        return (stage.last if stage.last in elements else stage.init), None
    if stage.part is not None:  # argmin and argmax
        if not (known := list(elements)):
            raise ValueError("attempt to get the place of the least or greatest element of none")
        return functools.reduce(stage.operator, known)[stage.part], None
    start = () if stage.init is Nothing.NOTHING else (stage.init,)
    value = functools.reduce(stage.operator, elements, *start)
    return value, spacing(value)


class Around:
    """The elements around a point. What lies beyond the ends, `numpy.pad` says."""

    MODES: Mapping[str, Any] = {"clamp": "edge", "wrap": "wrap", "mirror": "reflect", "reflect": "symmetric"}

    def __init__(self, grid: Any, point: tuple[int, ...], stage: Stencil) -> None:
        self._grid, self._point, self._where = grid, point, stage.neighbourhood

    def __getitem__(self, offset: Any) -> Any:
        offsets = offset if isinstance(offset, tuple) else (offset,)
        shape = self._grid.shape if isinstance(self._grid, np.ndarray) else (len(self._grid),)
        radius, boundary = self._where.radius, self._where.boundary
        places: list[int] = []
        for start, step, size in zip(self._point, offsets, shape, strict=True):
            if abs(step) > radius:
                raise IndexError(f"the offset {step} is outside of the window, whose radius is {radius}")
            if boundary == "constant" and not 0 <= start + step < size:
                kind = type(self._grid[(0,) * len(shape)] if isinstance(self._grid, np.ndarray) else self._grid[0])
                return kind(0) if issubclass(kind, np.generic | float | complex) else 0
            padded = np.pad(np.arange(size), radius, self.MODES.get(boundary, "edge"))
            places.append(int(padded[start + step + radius]))
        return self._grid[tuple(places)] if isinstance(self._grid, np.ndarray) else self._grid[places[0]]


def around_points(stage: Stencil, grids: Sequence[Any]) -> Iterator[list[Around]]:
    """What the function of a stencil takes, point after point."""
    first = grids[0]
    shape = first.shape if isinstance(first, np.ndarray) else (len(first),)
    return ([Around(grid, point, stage) for grid in grids] for point in np.ndindex(*shape))


def kept(rows: Iterable[tuple[Any, ...]], predicate: Callable[..., Any]) -> Iterator[tuple[Any, ...]]:
    """What a filter means."""
    return (row for row in rows if predicate(*row))


def scattered(stage: Scatter, elements: list[Any]) -> list[Any]:
    """What a scatter means, of keys that are all different if they are not combined."""
    values = elements if stage.keys is not None else [1] * len(elements)
    init = stage.init if stage.init is not None else zero_of(values[0]) if values else 0
    items = [init] * stage.size
    for key, value in zip(elements if stage.keys is None else stage.keys, values, strict=True):
        if stage.combine is None:
            items[key] = value
        else:
            items[key] = stage.combine(items[key], value)
    return items


def zero_of(value: Any) -> Any:
    """The zero of a number's type, or of those of a tuple's numbers."""
    return tuple(map(zero_of, value)) if isinstance(value, tuple) else type(value)()


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

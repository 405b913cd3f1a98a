"""Compositions with stencils: they work on the points of grids, arrays of one to three dimensions.

```text
hetc.map(g).stencil(f, 1, "wrap").map(h)(a)    ->    b = hetc.map(g)(a.reshape(-1)).reshape(a.shape)
                                                     for each point p: h(f(window of b around p))
```

The functions before a stencil run on all points first, since windows look at their neighbours' results. What follows it
up to the next one belongs to the same run. In Python, that is a map over the numbers of the points; on a device it is a
loop over as many indices as the grids have dimensions, which captures them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from hetc import settings
from hetc.abi import Container, Grid, Refused, ValueType
from hetc.arrays.base import Array
from hetc.arrays.making import portable
from hetc.arrays.numbers import NumberArray
from hetc.arrays.tuples import TupleArray
from hetc.containers import is_masked
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.dispatch import Dispatcher
from hetc.errors import InputError, UnsupportedError
from hetc.frontends.python.objects import resolve_program
from hetc.frontends.skeleton.composition import (
    Filter,
    Map,
    Reduce,
    Stages,
    Stencil,
    check_inputs,
    functions,
    has_stencil,
)
from hetc.jobs import CallOptions, Job, check_error_state, select_device
from hetc.runtime.describe import container_of
from hetc.runtime.describe_loop import describe_loop
from hetc.windows import Neighbourhood, Points


def call(dispatcher: Dispatcher, stages: Stages, inputs: Sequence[Any], options: CallOptions) -> object:
    """The result of a composition on all points of the inputs; raises what `Dispatcher.call` does."""
    check_inputs(stages, len(inputs))
    container = container_of(inputs)
    if not has_stencil(stages):
        grids, shape = as_grids(inputs)
        return _shaped(stages, shape, dispatcher.call(stages, list(map(_flat, grids)), options))
    while True:
        run, stages = first_run(dispatcher, stages, inputs, options, container)
        describe_it = functools.partial(run.job, options)
        result = run.shaped(dispatcher.run(run.sequential, run.inputs, options, describe_it, container))
        if not stages:
            return result
        inputs = parts_of(result, container)


def first_run(
    dispatcher: Dispatcher, stages: Stages, inputs: Sequence[Any], options: CallOptions, container: Container
) -> tuple[GridRun, Stages]:
    """The first stencil of a composition with what follows it, on what comes before it; and the stages left."""
    places = [number for number, stage in enumerate(stages) if isinstance(stage, Stencil)]
    first, end = places[0], places[1] if len(places) > 1 else len(stages)
    grids, shape = as_grids(inputs)
    if before := stages[:first]:
        grids, shape = _before(dispatcher, before, grids, shape, options)
    return GridRun(stages[first:end], grids, shape, container), stages[end:]


def as_grids(inputs: Sequence[Any]) -> tuple[list[Any], tuple[int, ...]]:
    """The inputs as arrays or lists, and the shape that they have. Raises InputError for those of several shapes."""
    __tracebackhide__ = True  # an input may be no sequence
    grids: list[Any] = [v if isinstance(v, np.ndarray | Array | list | tuple) else list(v) for v in inputs]
    if any(map(is_masked, grids)):
        raise InputError("a stencil takes no masked arrays", hint="fill the missing elements first")
    shapes: set[tuple[int, ...]] = {v.shape if isinstance(v, np.ndarray | Array) else (len(v),) for v in grids}
    if len(shapes) > 1:
        stated = ", ".join(str(shape) for shape in sorted(shapes))
        raise InputError(f"the inputs have different shapes: {stated}", category=Category.LENGTHS)
    return grids, shapes.pop()


def _before(
    dispatcher: Dispatcher, stages: Stages, grids: Sequence[Any], shape: tuple[int, ...], options: CallOptions
) -> tuple[list[Any], tuple[int, ...]]:
    """What the stages before a stencil make of its inputs; arrays of numbers stay on the device."""
    flat = [_flat(portable(value)) for value in grids]
    found = parts_of(dispatcher.call(stages, flat, options), container_of(flat))
    if any(isinstance(stage, Filter) for stage in stages):
        return as_grids(found)
    return [_reshaped(value, shape) for value in found], shape


def _flat(value: Any) -> Any:
    return value.reshape(-1) if isinstance(value, NumberArray | np.ndarray) else value


def parts_of(result: Any, container: Container) -> list[Any]:
    """The arrays that a result is, one for each component of its elements."""
    if isinstance(result, TupleArray):
        return list(result.fields)
    if container in (Container.LIST, Container.TUPLE):
        rows = cast("Sequence[Any]", result)
        if rows and isinstance(rows[0], tuple):
            return [list(column) for column in zip(*rows, strict=True)]
        return [result]
    return list(cast("tuple[Any, ...]", result)) if isinstance(result, tuple) else [result]


def _reshaped(value: Any, shape: tuple[int, ...]) -> Any:
    return value.reshape(shape) if isinstance(value, NumberArray | np.ndarray) else value


def _shaped(stages: Stages, shape: tuple[int, ...], result: Any) -> Any:
    """A result that has an element for each point, in the shape of the grid."""
    if len(shape) == 1 or isinstance(stages[-1], Reduce) or any(isinstance(stage, Filter) for stage in stages):
        return result
    if isinstance(result, TupleArray):
        result = tuple(result.fields)
    if isinstance(result, tuple):
        return tuple(_reshaped(part, shape) for part in cast("tuple[Any, ...]", result))
    return _reshaped(result, shape)


@dataclass(frozen=True)
class GridRun:
    """A stencil and the stages up to the next one, on grids of one shape."""

    stages: Stages
    grids: Sequence[Any]
    shape: tuple[int, ...]
    container: Container

    @property
    def stencil(self) -> Stencil:
        stencil = self.stages[0]
        assert isinstance(stencil, Stencil)
        return stencil

    @property
    def neighbourhood(self) -> Neighbourhood:
        return self.stencil.neighbourhood

    @property
    def inputs(self) -> list[range]:
        """The numbers of the points, the last axis running fastest."""
        return [range(math.prod(self.shape))]

    @property
    def sequential(self) -> Stages:
        """The same as Python runs it, over the numbers of the points."""
        self.neighbourhood.radii(len(self.shape))
        points = Points(self.stencil.function, self.neighbourhood, self.grids, self.shape)
        return (Map(points), *self.stages[1:])

    def shaped(self, result: Any) -> Any:
        """A result that has an element for each point, in the shape of the grid."""
        return _shaped(self.stages, self.shape, result)

    def job(self, options: CallOptions) -> Job:
        """The run as a job. Raises UnsupportedError for what is not compiled."""
        current = settings.current()
        resolution = resolve_program(functions(self.stages))
        names = [f"grid{number}" for number in range(len(self.grids))]
        while not resolution.captures.keys().isdisjoint(names):
            names = [f"{name}_" for name in names]
        captures = {**resolution.captures, **dict(zip(names, self.grids, strict=True))}
        ranges = [range(size) for size in self.shape]
        signature, types = describe_loop(ranges, captures)
        for name in names:
            if isinstance(refused := types[name], Refused):
                raise UnsupportedError(refused.reason.replace(f"captured variable {name!r}", "an input"))
        grids = tuple(self._grid(name, grid) for name, grid in zip(names, self.grids, strict=True))
        axes = types[names[0]]
        assert isinstance(axes, ValueType)
        # How an axis compares with another one is of no use, and each answer would be compiled for.
        inputs = [
            replace(value, below=tuple(fact for fact in value.below if fact[0] == dim))
            for value, dim in zip(signature.inputs, axes.dims, strict=True)
        ]
        signature = replace(signature, inputs=tuple(inputs), container=self.container, grids=grids)
        resolution = replace(resolution, captures=captures)
        check_error_state(signature, types, resolution)
        device = select_device(options.device if options.device is not None else current.device)
        warns = current.debug or "warn" in np.geterr().values()
        return Job(
            self.stages, self.inputs, ranges, signature, types, resolution, device, current.debug, warns,
            heap=options.heap, in_python=self.sequential, batches=options.batches, verify=current.verifies,
            fastmath=options.is_fast(current),
        )  # fmt: skip

    def _grid(self, name: str, grid: Any) -> Grid:
        if self.neighbourhood.boundary != "constant":
            return Grid(name)
        fill = self.neighbourhood.fill(grid)
        return Grid(name, fill, f"{type(fill).__name__} {fill!r}")

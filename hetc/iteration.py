"""Iterations: an array function applied again and again, on arrays that stay where they are; and sorts in compositions.

Both have all elements before them at once, and are taken out of a composition: what comes before is run, then they are,
then what follows.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np

from hetc import grids
from hetc.abi import Container
from hetc.arrays.base import Array
from hetc.arrays.making import portable
from hetc.arrays.tuples import TupleArray
from hetc.containers import collect
from hetc.dataclass import dataclass
from hetc.dispatch import Dispatcher
from hetc.errors import InputError
from hetc.frontends.skeleton.composition import Filter, Gather, Iterate, Sort, Stages, Zip, check_inputs, is_taken_apart
from hetc.jobs import CallOptions
from hetc.runtime.describe import container_of


def call(dispatcher: Dispatcher, stages: Stages, inputs: Sequence[Any], options: CallOptions) -> object:
    """The result of a composition with stencils and iterations; raises what `Dispatcher.call` does.

    What comes before an iteration and after it works on all points of arrays, as the stages around stencils do.
    """
    place = next((number for number, stage in enumerate(stages) if isinstance(stage, Iterate | Sort)), None)
    if place is None:
        return grids.call(dispatcher, stages, inputs, options)
    iterate, container = stages[place], container_of(inputs)
    if isinstance(iterate, Sort):
        check_inputs(stages, len(inputs))
        return _sorted(dispatcher, stages, place, inputs, options)
    assert isinstance(iterate, Iterate)
    values = list(inputs) if container is not Container.NDARRAY else [portable(value) for value in inputs]
    if place:
        values = grids.parts_of(call(dispatcher, stages[:place], values, options), container_of(values))
    result = _rounds(dispatcher, iterate, values, options)
    if after := stages[place + 1 :]:
        result = [call(dispatcher, after, result, options)]
    found = [_on_host(value) for value in result] if container is Container.NDARRAY else result
    return found[0] if len(found) == 1 else tuple(found)


def _sorted(dispatcher: Dispatcher, stages: Stages, place: int, inputs: Sequence[Any], options: CallOptions) -> object:
    """What comes before a sort, in order, and what the stages after it make of that."""
    from hetc import sorting

    container, before, after = container_of(inputs), stages[:place], stages[place + 1 :]
    sort, unsorted = stages[place], sorted_inputs(dispatcher, before, inputs, options)
    assert isinstance(sort, Sort)
    result = sorting.sort(dispatcher, sort, unsorted.values, options, zipped=unsorted.zipped)
    if after:
        stages = (Zip(), *after) if unsorted.zipped and not sort.places else after
        found = _run(dispatcher, stages, result, options)
        return _on_host(found) if container is Container.NDARRAY else found
    if container is Container.NDARRAY:
        result = [_on_host(value) for value in result]
    if len(result) == 1:
        return result[0]
    if container is Container.ARRAY:
        return TupleArray(result)
    rows = container in (Container.LIST, Container.TUPLE)
    return collect(list(zip(*result, strict=True)), container) if rows else tuple(result)


@dataclass(frozen=True)
class Unsorted:
    """What a sort is given: arrays or lists; `zipped`, where its functions take a tuple of their elements."""

    values: list[Any]
    zipped: bool = False


def sorted_inputs(dispatcher: Dispatcher, before: Stages, inputs: Sequence[Any], options: CallOptions) -> Unsorted:
    """What the stages before a sort make of the inputs; arrays of numbers stay on the device."""
    values: list[Any] = [v if isinstance(v, np.ndarray | Array | list | tuple | range) else list(v) for v in inputs]
    if not before:
        return Unsorted(values)
    container = container_of(inputs)
    if container is Container.NDARRAY:
        values = [portable(value) for value in values]
    result = _run(dispatcher, before, values, options)
    is_list = container in (Container.LIST, Container.TUPLE)
    apart = len(values) > 1 and all(isinstance(stage, Filter | Gather) for stage in before)
    if is_list and not apart:
        return Unsorted([result])
    parts = grids.parts_of(result, container_of(values))
    if apart and is_list and not result:
        parts = [list[object]() for _ in values]
    return Unsorted(parts, zipped=len(parts) > 1 and not apart)


def _run(dispatcher: Dispatcher, stages: Stages, values: Sequence[Any], options: CallOptions) -> Any:
    """What stages make of arrays: as they are, or taken apart."""
    if is_taken_apart(stages):
        return call(dispatcher, stages, values, options)
    return dispatcher.call(stages, values, options)


def _rounds(dispatcher: Dispatcher, iterate: Iterate, values: list[Any], options: CallOptions) -> list[Any]:
    """What the rounds make of some arrays: each round takes those of the round before."""
    __tracebackhide__ = True  # `until` may not take these arrays
    rounds: Iterable[int] = itertools.count() if iterate.times is None else range(iterate.times)
    for _ in rounds:
        old, count = values, len(values)
        values = grids.parts_of(call(dispatcher, iterate.stages, old, options), container_of(old))
        if len(values) != count:
            raise InputError(
                f"a round takes {count} arrays and makes {len(values)}, so that there cannot be a next one",
                hint="return a tuple with an item for each input",
            )
        if iterate.until is not None and iterate.until(*values, *old):
            break
    return values


def _on_host(value: Any) -> Any:
    if isinstance(value, Array):
        return np.asarray(value)
    return tuple(map(_on_host, cast("tuple[Any, ...]", value))) if isinstance(value, tuple) else value

"""Iterations: an array function applied again and again, on arrays that stay where they are."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np

from hetc import grids
from hetc.abi import Container
from hetc.arrays.base import Array
from hetc.arrays.making import portable
from hetc.dispatch import Dispatcher
from hetc.errors import InputError
from hetc.frontends.skeleton.composition import Iterate, Stages
from hetc.jobs import CallOptions
from hetc.runtime.describe import container_of


def has_iteration(stages: Stages) -> bool:
    """Whether a composition has rounds."""
    return any(isinstance(stage, Iterate) for stage in stages)


def asks_in_between(stages: Stages) -> bool:
    """Whether a function of the user's is called between the rounds of an iteration."""
    return any(isinstance(s, Iterate) and (s.until is not None or asks_in_between(s.stages)) for s in stages)


def is_taken_apart(stages: Stages) -> bool:
    """Whether a composition is run in parts: around stencils and iterations."""
    return grids.has_stencil(stages) or has_iteration(stages)


def call(dispatcher: Dispatcher, stages: Stages, inputs: Sequence[Any], options: CallOptions) -> object:
    """The result of a composition with stencils and iterations; raises what `Dispatcher.call` does.

    What comes before an iteration and after it works on all points of arrays, as the stages around stencils do.
    """
    place = next((number for number, stage in enumerate(stages) if isinstance(stage, Iterate)), None)
    if place is None:
        return grids.call(dispatcher, stages, inputs, options)
    iterate, container = stages[place], container_of(inputs)
    assert isinstance(iterate, Iterate)
    values = list(inputs) if container is not Container.NDARRAY else [portable(value) for value in inputs]
    if place:
        values = grids.parts_of(call(dispatcher, stages[:place], values, options), container_of(values))
    result = _rounds(dispatcher, iterate, values, options)
    if after := stages[place + 1 :]:
        result = [call(dispatcher, after, result, options)]
    found = [_on_host(value) for value in result] if container is Container.NDARRAY else result
    return found[0] if len(found) == 1 else tuple(found)


def _rounds(dispatcher: Dispatcher, iterate: Iterate, values: list[Any], options: CallOptions) -> list[Any]:
    """What the rounds make of some arrays: each round takes those of the round before."""
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

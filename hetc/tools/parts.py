"""The parts of a program that are compiled one by one: what runs between stencils, parallel loops, or all of it.

A part has data: inputs, captured variables and, where they are its ranges, indices. Passes are checked on that data.
"""

from __future__ import annotations

import functools
import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from hetc import driver, grids, settings
from hetc.abi import Container, DeviceTraits, ElementType, ScalarType
from hetc.api import ArrayFunction, dispatcher
from hetc.arrays.numbers import NumberArray
from hetc.dialects.guard import Warns
from hetc.errors import CompileError
from hetc.field_values import PackedNumbers
from hetc.frontends.python.classes import sample_objects
from hetc.frontends.skeleton.composition import (
    Captured,
    ForAll,
    Iterate,
    Map,
    Reduce,
    Stages,
    Stencil,
    Zip,
    has_stencil,
)
from hetc.frontends.skeleton.sequential import run_in_python
from hetc.interpreter.comparison import Record
from hetc.jit_function import JitFunction
from hetc.jobs import Job
from hetc.runtime.describe import container_of
from hetc.runtime.objects import MixedColumn, ObjectColumn
from hetc.tools.pass_check import State, by_rows, whole

T = TypeVar("T")


@dataclass(frozen=True)
class Part:
    """Something that is compiled as one module: the stages, and their data.

    `job` describes it, where it is a loop, works on grids or on objects; the inputs of the first two are ranges of
    indices. With `stores`, captured arrays are part of what it computes; `objects` says that they are fields of such.
    `fastmath` says of what has no job whether its floats may be computed faster than exactly.
    """

    title: str
    stages: Stages
    inputs: Sequence[Any]
    job: Job | None = None
    stores: bool = False
    captured: Mapping[str, Any] = field(default_factory=dict[str, Any])
    objects: bool = False
    fastmath: bool = False

    @property
    def elementwise(self) -> bool:
        """Whether each element of the result is made of one element of the inputs."""
        return not isinstance(self.stages[0], ForAll | Stencil) and all(
            isinstance(stage, Map | Zip) for stage in self.stages
        )

    def level0(self, traits: DeviceTraits) -> tuple[ModuleOp, Mapping[str, Any]]:
        """The module, and the values that it captures. Raises UnsupportedError for what is not compiled."""
        if self.job is None:
            request = driver.request_for_inputs(self.stages, self.inputs, traits, self.title, fastmath=self.fastmath)
            captured = {name: _numbers(value) for name, value in request.resolution.captures.items()}
            return driver.frontend(request), captured
        job = self.job
        warns = Warns.ANY if job.warns else None
        request = driver.Request(
            job.stages, job.signature, job.captures, job.resolution, traits, driver.entry_name(job.stages), warns=warns,
            fastmath=job.fastmath,
        )  # fmt: skip
        return driver.frontend(request), self.captured

    def in_python(self) -> State | None:
        """What Python itself makes of the data; it may change captured arrays.

        None for loops over objects: what they store is in objects, and here in arrays of their fields.
        """
        return _without_warnings(self._in_python)

    def _in_python(self) -> State | None:
        if isinstance(self.stages[0], ForAll):
            return (
                None if self.objects else whole(lambda ranges: _loop(self.stages, ranges, self.captured), self.inputs)
            )
        stages, inputs = (self.stages, self.inputs) if self.job is None else (self.job.sequential, self.job.inputs)
        run = by_rows if self.elementwise else whole
        return run(lambda columns: run_in_python(stages, columns, Container.LIST), inputs)

    @staticmethod
    def of(title: str, job: Job, *, stores: bool = False) -> Part:
        """What a job is; of objects, the fields that it reads."""
        captures, columns = job.resolution.captures, job.columns
        arrays = {name: _numbers(value) for name, value in captures.items()}
        objects = any(isinstance(value, PackedNumbers) for value in captures.values())
        return Part(title, job.stages, [_numbers(column) for column in columns], job, stores, arrays, objects)


def _numbers(value: Any) -> Any:
    """Numbers in a form that the interpreters read; objects as records."""
    if isinstance(value, MixedColumn):
        columns = [_numbers(part) for part in value.parts]
        return [next((record for record in row if record is not None), None) for row in zip(*columns, strict=True)]
    if isinstance(value, ObjectColumn):
        rows = zip(*map(_field, value.fields, value.object.items), strict=True)
        symbol = value.object.symbol
        records = [Record(tuple(zip(value.object.names, row, strict=True)), symbol) for row in rows]
        if value.present is None:
            return records
        found = dict(zip(value.present.tolist(), records, strict=True))
        return [found.get(number) for number in range(len(value))]
    if isinstance(value, NumberArray):
        return np.asarray(value)
    return value.packed.copy() if isinstance(value, PackedNumbers) else value


def _field(values: Any, element: ElementType) -> Any:
    """The values of a field, of the types that they have in the objects."""
    python = isinstance(element, ScalarType) and element.python
    values = values.packed if isinstance(values, PackedNumbers) else values
    return values.tolist() if python and isinstance(values, np.ndarray) else _numbers(values)


def _loop(stages: Stages, ranges: Sequence[range], captured: Mapping[str, Any]) -> Any:
    """What a loop gives that is run in order, apart from what it stores."""
    loop, *following = stages
    assert isinstance(loop, ForAll)
    found = [loop.function(*point) for point in itertools.product(*ranges)]
    if not following:
        return found if loop.yields else []
    (reduce,) = following
    assert isinstance(reduce, Reduce)
    return functools.reduce(reduce.operator, found, _initial(reduce.init, captured))


def _initial(init: Any, captured: Mapping[str, Any]) -> Any:
    if isinstance(init, tuple):
        return tuple(_initial(item, captured) for item in cast("tuple[Any, ...]", init))
    return captured[init.name] if isinstance(init, Captured) else init


def parts_of(function: ArrayFunction | JitFunction, arguments: Sequence[Any], name: str) -> Iterator[Part]:
    """The parts of a call, in order. Raises CompileError for a loop that is not compiled."""
    if isinstance(function, JitFunction):
        for loop, job in _without_warnings(lambda: function.loops_met(tuple(arguments), {})):
            if isinstance(job, CompileError):
                raise loop.explained(job)
            title = f"{name}, the loop in line {loop.place.line}"
            yield Part.of(title, job, stores=True)
        return
    yield from _parts(function, function.stages, arguments, name)


def _without_warnings(run: Callable[[], T]) -> T:
    """What NumPy warns of is no matter here: the call is run for its data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run()


def _parts(function: ArrayFunction, stages: Stages, inputs: Sequence[Any], name: str) -> Iterator[Part]:
    rounds = next((stage for stage in stages if isinstance(stage, Iterate)), None)
    if rounds is not None:  # one round stands for all
        yield from _parts(function, rounds.stages, inputs, name)
        return
    container, number = container_of(inputs), 0
    while has_stencil(stages):
        run, stages = grids.first_run(dispatcher(), stages, inputs, function.call_options, container)
        job, number = run.job(function.call_options), number + 1
        yield Part.of(f"{name}, stencil {number}", job)
        result = _without_warnings(functools.partial(run_in_python, run.sequential, run.inputs, container))
        inputs = grids.parts_of(run.shaped(result), container)
    if stages and any(map(sample_objects, inputs)):
        yield Part.of(name, Job.of(stages, inputs, function.call_options, settings.current()))
    elif stages:
        flat = [v.reshape(-1) if isinstance(v, np.ndarray) else v for v in inputs]
        yield Part(name, stages, flat, fastmath=function.call_options.is_fast(settings.current()))

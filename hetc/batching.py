"""Calls in batches: what an array function asks for, and what a call is to the compiler where it has a part of it.

A map is the same for each part. A reduction or scan goes on from what the part before has come to: from the second on
its initial value is captured, one variable a number, so that all parts but the first run the same program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hetc.abi import (
    INT64_MAX,
    SCALAR_TYPES,
    Batches,
    Bounds,
    Container,
    ElementType,
    InputKind,
    Refused,
    ScalarType,
    Signature,
    TupleType,
    ValueType,
    leaves,
    only_numbers,
)
from hetc.arrays.base import Array
from hetc.arrays.formulas import Computed, Progression
from hetc.arrays.numbers import NumberArray
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.errors import UnsupportedError
from hetc.frontends.skeleton.composition import (
    Captured,
    Enumerate,
    Filter,
    ForAll,
    Gather,
    Iterate,
    Map,
    Partition,
    Reduce,
    Scan,
    Scatter,
    Stages,
    Stencil,
    Zip,
)

QUEUES = 2
"""How many queues there are if nobody asks: one copies while another computes."""

Captures = Mapping[str, ValueType | Refused]


@dataclass(frozen=True)
class BatchRequest:
    """What `ArrayFunction.batched` asks for: so many bytes of the device for a batch, None: hetc chooses; on queues."""

    size: int | None = None
    queues: int = QUEUES

    def __post_init__(self) -> None:
        if type(self.queues) is not int or self.queues < 1:
            raise ValueError(f"queues is a number of queues, at least 1, not {self.queues!r}")


@dataclass(frozen=True)
class InBatches:
    """A call as the compiler sees it for one batch: as `hetc.jobs.Job` has these."""

    stages: Stages
    columns: Sequence[Any]
    signature: Signature
    captures: Captures

    @property
    def carried(self) -> tuple[str, ...]:
        """The captured variables that hold what the batch before has come to."""
        batches = self.signature.batches
        return () if batches is None else batches.carried


def in_batches(call: InBatches, rows: Sequence[str] = ()) -> InBatches:
    """The first batch of a call. Raises UnsupportedError for a call whose result is not put together from batches.

    `rows` are the captured arrays whose rows are the elements; the first input numbers them then.
    """
    stages, signature = call.stages, call.signature
    check_stages(stages)
    numbered = any(isinstance(stage, Enumerate) for stage in stages)
    columns = list(map(_divisible, call.columns))
    inputs = tuple(map(_input, signature.inputs, columns))
    if rows:
        inputs = (replace(inputs[0], below=((0, -1),)), *inputs[1:])
    if numbered:
        numbers = range(len(columns[0]))
        columns, inputs = [*columns, numbers], (*inputs, _numbers())
    container = _of_batches(signature.container)
    signature = replace(
        signature, inputs=inputs, container=container, batches=Batches(numbered=numbered, divided=tuple(rows)),
        empty=tuple(dim + 1 for dim in signature.empty),
    )  # fmt: skip
    last = stages[-1]
    if isinstance(last, Reduce) and last.part is not None:
        stages = (*stages[:-1], replace(last, part=None))
    captures = {name: _captured(value, is_divided=name in rows) for name, value in call.captures.items()}
    return InBatches(stages, columns, signature, captures)


def in_rows(call: InBatches, grids: Mapping[str, Any]) -> InBatches:
    """A batch of rows of the grids that a stencil looks at. Raises UnsupportedError for what has no such batches."""
    stencil, *following = call.stages
    assert isinstance(stencil, Stencil)
    if not all(isinstance(stage, Map | Zip) for stage in following):
        raise refused("a stencil is followed by what is no map")
    if not all(isinstance(grid, np.ndarray | NumberArray) for grid in grids.values()):
        raise refused("a stencil is on lists, which have no rows")
    dims = [dim for value in call.captures.values() if isinstance(value, ValueType) for dim in value.dims]
    rows = max(dims) + 1
    captures = {
        name: replace(value, dims=(rows, *value.dims[1:]), resident=False)
        if name in grids and isinstance(value, ValueType)
        else value
        for name, value in call.captures.items()
    }
    left = {dim for value in captures.values() if isinstance(value, ValueType) for dim in value.dims}
    captures = {
        name: replace(value, equals_dim=None)
        if isinstance(value, ValueType) and value.equals_dim not in left
        else value
        for name, value in captures.items()
    }
    first, *others = call.signature.inputs
    inputs = (replace(first, below=tuple((rows, constant) for _, constant in first.below)), *others)
    container = _of_batches(call.signature.container)
    signature = replace(call.signature, inputs=inputs, container=container, batches=Batches(divided=tuple(grids)))
    return InBatches(call.stages, call.columns, signature, captures)


def following(first: InBatches, element: ElementType) -> InBatches:
    """The batches after the first one, which has come to an element of this type.

    Raises UnsupportedError for what is no number and no tuple of numbers.
    """
    last = first.stages[-1]
    if not isinstance(last, Reduce | Scan):
        return first
    if not only_numbers(element):
        raise refused(f"a batch would go on from {element}, which is not a number or a tuple of numbers")
    kinds = leaves(element)
    names = carried_names(len(kinds), first.captures)
    values = {name: ValueType(InputKind.SCALAR, kind, rank=0) for name, kind in zip(names, kinds, strict=True)}
    init = _initial(element, iter(names))
    stages = (*first.stages[:-1], replace(last, init=init))
    batches = first.signature.batches
    assert batches is not None
    signature = replace(first.signature, batches=replace(batches, carried=names))
    return InBatches(stages, first.columns, signature, {**first.captures, **values})


def carried_names(count: int, captures: Captures) -> tuple[str, ...]:
    """Names for what goes from batch to batch that no captured variable has."""
    names = tuple(f"before{number}" for number in range(count))
    while not captures.keys().isdisjoint(names):
        names = tuple(f"{name}_" for name in names)
    return names


def check_stages(stages: Stages) -> None:
    """Raise UnsupportedError for a composition whose result is not put together from those of batches."""
    filtered = False
    for number, stage in enumerate(stages):
        match stage:
            case Gather():
                raise refused("a gather may take any of all elements")
            case Partition():
                raise refused("a partition puts any of all elements in any place")
            case Scatter():
                raise refused("a scatter has one result for all elements")
            case Stencil():
                raise AssertionError("stencils are divided by rows")
            case ForAll() | Iterate():
                raise refused("a loop changes data that all of its iterations see")
            case Scan(exclusive=True):
                raise refused("an exclusive scan does not tell what it has come to")
            case Scan() if number < len(stages) - 1:
                raise refused("what follows a scan hides what it has come to")
            case Enumerate() if filtered:
                raise refused("the elements that a filter keeps are numbered")
            case Filter():
                filtered = True
            case _:
                pass


def bytes_of_element(signature: Signature) -> int:
    """About how many bytes an element and its result take."""
    inputs = (leaves(value.element) for value in signature.inputs if value.kind is InputKind.ARRAY)
    return 8 + sum(np.dtype(leaf.dtype).itemsize for found in inputs for leaf in found)


def refused(reason: str) -> UnsupportedError:
    """Why a call does not run in batches."""
    return UnsupportedError(f"the call does not run in batches: {reason}", category=Category.BATCHES)


def _initial(element: ElementType, names: Any) -> object:
    """An element of captured numbers."""
    if isinstance(element, TupleType):
        return tuple(_initial(item, names) for item in element.items)
    assert isinstance(element, ScalarType)
    return Captured(next(names))


def _divisible(column: Any) -> Any:
    """An input whose parts have what the whole has."""
    if not isinstance(column, Array):
        return column
    if not isinstance(column, NumberArray):
        raise refused("a portable array of tuples or objects is one on the device")
    formula = column.formula
    if formula is None:
        return np.asarray(column)
    # Floats from the middle on would be rounded elsewhere.
    if isinstance(formula, Progression) and not formula.is_integer:
        return Computed(formula, len(column))
    return column


def _input(value: ValueType, column: Any) -> ValueType:
    """The type of a part of an input."""
    kind = InputKind.ARRAY if isinstance(column, Computed) else value.kind
    return replace(value, kind=kind, resident=False, below=tuple(_later(value.below)))


def _numbers() -> ValueType:
    bounds = Bounds(0, INT64_MAX)
    return ValueType(InputKind.SEQUENCE, SCALAR_TYPES["int"], bounds=bounds, dims=(0,), unit_step=True)


def _captured(value: ValueType | Refused, *, is_divided: bool) -> ValueType | Refused:
    """The type of a captured variable beside a batch, which is as long as no dimension but those that are divided."""
    if isinstance(value, Refused):
        return value
    equal = None if not value.equals_dim else value.equals_dim + 1
    dims = tuple(dim + 1 for dim in value.dims)
    if is_divided:
        return replace(value, dims=(0, *dims[1:]), resident=False)
    return replace(value, dims=dims, equals_dim=equal, below=tuple(_later(value.below)))


def _later(below: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    return [(dim + 1, constant) for dim, constant in below if dim]


def _of_batches(container: Container) -> Container:
    """What batches put their results together in: portable arrays are made of it."""
    return {Container.ARRAY: Container.NDARRAY, Container.KEPT: Container.LIST}.get(container, container)

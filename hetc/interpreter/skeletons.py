"""Skeletons, element by element: reductions and scans from left to right, parallel loops in Python's order."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Region, SSAValue

from hetc.analysis.attributes import int_values
from hetc.dialects import skel
from hetc.dialects.obj import payload
from hetc.interpreter.cases import Array, dtype_of
from hetc.interpreter.program import Program, Steps


def _column(value: Any) -> Array:
    return np.array(value, np.int64) if isinstance(value, range) else value


def _outputs(values: Sequence[SSAValue], length: int) -> list[Array]:
    return [np.zeros(length, dtype_of(payload(skel.element_type(value.type)))) for value in values]


def _map(run: Program, op: skel.MapOp) -> None:
    columns = [_column(run.values[value]) for value in op.inputs]
    length = len(columns[0])
    outputs = _outputs(op.outputs, length)
    for index in range(length):
        values = run.body(op.body.block, [column[index] for column in columns], index)
        for output, value in zip(outputs, values or (), strict=False):
            output[index] = value
    run.values |= zip(op.outputs, outputs, strict=True)


def _reduce(run: Program, op: skel.ReduceOp) -> None:
    columns = [_column(run.values[value]) for value in op.inputs]
    total: list[Any] | None = [run.values[init] for init in op.inits]
    for index in range(len(columns[0])):
        element = run.body(op.transform.block, [column[index] for column in columns], 0)
        if total is None or element is None:
            break
        total = element if not total else run.body(op.combine.block, [*total, *element], 0)
    run.values |= zip(op.outputs, total or [0] * len(op.outputs), strict=True)


def _scan(run: Program, op: skel.ScanOp) -> None:
    columns = [_column(run.values[value]) for value in op.inputs]
    outputs = _outputs(op.outputs, len(columns[0]))
    total: list[Any] | None = [run.values[init] for init in op.inits] or None
    for index in range(len(columns[0])):
        element = run.body(op.transform.block, [column[index] for column in columns], 0)
        before = total
        if element is not None:
            total = element if total is None else run.body(op.combine.block, [*total, *element], 0)
        if element is None or total is None:
            break
        for output, value in zip(outputs, total if op.exclusive is None else before or (), strict=True):
            output[index] = value
    run.values |= zip(op.outputs, outputs, strict=True)


def _scatter(run: Program, op: skel.ScatterOp) -> None:
    columns = [_column(run.values[value]) for value in op.inputs]
    size = op.size.value.data
    outputs: list[Array] = [
        np.full(size, run.values[init], dtype_of(payload(skel.element_type(output.type))))
        for output, init in zip(op.outputs, op.inits, strict=True)
    ]
    taken: set[int] = set()
    for row in zip(*columns, strict=True):
        found = run.body(op.transform.block, row, 0)
        if found is None:
            break
        place, *element = found
        if op.unique is not None and int(place) in taken:
            run.failed.setdefault(0, "two elements have the same key")
            break
        taken.add(int(place))
        combined = run.body(op.combine.block, [*(output[place] for output in outputs), *element], 0)
        for output, value in zip(outputs, combined or (), strict=False):
            output[place] = value
    run.values |= zip(op.outputs, outputs, strict=True)


def _partition(run: Program, op: skel.PartitionOp) -> None:
    columns = [_column(run.values[value]) for value in op.inputs]
    classes: list[list[int]] = [[] for _ in range(op.classes.value.data)]
    for index, row in enumerate(zip(*columns, strict=True)):
        found = run.body(op.body.block, row, index)
        classes[0 if found is None else int(found[0])].append(index)
    order = np.array([index for members in classes for index in members], np.intp)
    first = len(columns) - len(op.outputs)
    run.values |= {output: column[order] for output, column in zip(op.outputs, columns[first:], strict=True)}


def _positions(run: Program, op: skel.PositionsOp) -> None:
    run.values[op.result] = range(len(run.values[op.array]))


def _forall(run: Program, op: skel.ForallOp) -> None:
    columns = [_column(run.values[value]) for value in op.sequences]
    outputs = _outputs(op.outputs, int(np.prod([len(column) for column in columns])))
    for number, (body, point) in enumerate(_iterations(op, columns)):
        values = run.body(body.block, point, number)
        for output, value in zip(outputs, values or (), strict=False):
            output[number] = value
    run.values |= zip(op.outputs, outputs, strict=True)


def _iterations(op: skel.ForallOp, columns: Sequence[Array]) -> Iterator[tuple[Region, tuple[Any, ...]]]:
    """The points of a loop in order, the last index running fastest, each with the body that is for it."""
    margins = () if op.margins is None else int_values(op.margins)
    for places in itertools.product(*(range(len(column)) for column in columns)):
        inside = all(
            low <= place < len(column) - high
            for place, column, low, high in zip(places, columns, margins[::2], margins[1::2], strict=False)
        )
        body = op.body if inside or op.border is None else op.border
        yield body, tuple(column[place] for column, place in zip(columns, places, strict=True))


def _filter(run: Program, op: skel.FilterOp) -> None:
    columns = [_column(run.values[value]) for value in op.inputs]
    kept: list[list[Any]] = []
    picked: list[int] = []
    for index, row in enumerate(zip(*columns, strict=True)):
        condition = run.body(op.predicate.block, row, index)
        found = run.body(op.transform.block, row, index) if condition and condition[0] else None
        if found is not None:
            kept.append(found)
            picked.append(index)
    if op.positions is not None:
        kept, run.picked = [[place] for place in picked], picked
    outputs = _outputs(op.outputs, len(kept))
    for index, row in enumerate(kept):
        for output, value in zip(outputs, row, strict=True):
            output[index] = value
    run.values |= zip(op.outputs, outputs, strict=True)


STEPS: Steps = {
    skel.MapOp: _map,
    skel.FilterOp: _filter,
    skel.ForallOp: _forall,
    skel.ReduceOp: _reduce,
    skel.ScanOp: _scan,
    skel.ScatterOp: _scatter,
    skel.PartitionOp: _partition,
    skel.PositionsOp: _positions,
}

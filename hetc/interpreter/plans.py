"""The host's plan: buffers and launches. Kernels run one launch after the other, and group by group."""

from __future__ import annotations

import itertools
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ComplexType, MemRefType
from xdsl.ir import Attribute, Operation

from hetc.analysis.attributes import int_values
from hetc.analysis.kernels import element_of
from hetc.dialects import offload, skel
from hetc.interpreter.cases import Array, UndefinedError, dtype_of
from hetc.interpreter.groups import Group, waiting
from hetc.interpreter.program import Program, Steps, WorkItem

ROUND = 4
"""What the sizes of a box are rounded up to where kernels test their indices: any number would do."""


def _captured_value(run: Program, op: skel.CapturedOp) -> None:
    run.values[op.result] = run.captured[op.variable.root_reference.data]


def _marshal(run: Program, op: offload.MarshalOp) -> None:
    array = run.values[op.operand]
    array = np.asarray(array).reshape(-1)
    kind = dtype_of(op.result.type.element_type)
    numbers: np.ndarray[Any, Any] = array.view(kind) if array.dtype.kind == "u" else array.astype(kind)
    if op.stride is not None and numbers.size:  # between them are those of other fields
        stride = op.stride.value.data
        spread: np.ndarray[Any, Any] = np.zeros((numbers.size - 1) * stride + 1, kind)
        spread[::stride] = numbers
        numbers = spread
    run.values[op.result] = numbers


def _marshal_records(run: Program, op: offload.MarshalRecordsOp | offload.PresentRecordsOp) -> None:
    record = op.record
    kinds = [dtype_of(type_) for type_ in record.types]
    columns = [np.asarray(run.values[source]).reshape(-1) for source in op.sources]
    records = np.zeros(len(columns[0]), list(zip(record.names, kinds, strict=True)))
    for column, name, kind in zip(columns, record.names, kinds, strict=True):
        records[name] = column.view(kind) if column.dtype.kind == "u" else column.astype(kind)
    run.values[op.result] = records


def _alias(run: Program, op: Operation) -> None:
    run.values[op.results[0]] = run.values[op.operands[0]]


def _size(run: Program, op: offload.SizeOp) -> None:
    value = run.values[op.operand]
    run.values[op.result] = np.int64(len(value) if op.dim.value.data == 0 else value.shape[op.dim.value.data])


def _scalar(run: Program, op: offload.ScalarOp) -> None:
    value = run.values[op.operand]
    part = op.part.data
    run.values[op.result] = dtype_of(op.result.type)(value if part == "value" else getattr(value, part))


def _allocate(run: Program, op: offload.AllocOp) -> None:
    assert isinstance(op.result.type, MemRefType)
    # What is not written is poison; 99 is no truth value and an unlikely number.
    fill = 0 if op.zeroed is not None else 99
    run.values[op.result] = np.full(int(run.values[op.count]), fill, dtype_of(op.result.type.element_type))


def launch(run: Program, op: offload.LaunchOp) -> None:
    """Run a kernel."""
    kernel = run.kernels[op.kernel_name]
    types = kernel.body.block.arg_types
    arguments = [_seen_as(run.values[value], type_) for value, type_ in zip(op.arguments, types, strict=True)]
    waits, element = waiting(kernel), element_of(kernel)
    for items in _groups(run, op, together=bool(waits)):
        numbers = [number for number, _ in items]
        cases = run.items([item for _, item in items])
        for parameter, value in zip(kernel.body.block.args, arguments, strict=True):
            cases.values[parameter] = value if _is_buffer(value) else cases.plain(np.full(cases.count, value))
        Group(run, numbers, cases, waits, element).run(kernel.body.block)


def _groups(run: Program, op: offload.LaunchOp, *, together: bool) -> list[list[tuple[int, WorkItem]]]:
    """The work-items of a launch, with their numbers; those that wait for each other are `together`."""
    sizes = [int(run.values[size]) for size in op.box] or [int(run.values[op.extent])]
    starts = [int(run.values[start]) for start in op.start] or [0] * len(sizes)
    shape = [max(op.group.value.data, 1)] if op.shape is None else list(int_values(op.shape))
    shape += [1] * (len(sizes) - len(shape))
    rounded = [ROUND] * len(sizes) if op.box and not together else shape
    if op.tail.data == "guard":
        sizes = [-(-size // by) * by for size, by in zip(sizes, rounded, strict=True)]
    found: dict[tuple[int, ...], list[tuple[int, WorkItem]]] = {}
    for number, reverse in enumerate(itertools.product(*map(range, sizes[::-1]))):
        local = reverse[::-1]
        place = tuple(at + start for at, start in zip(local, starts, strict=True))
        group = tuple(at // size for at, size in zip(local, shape, strict=True))
        lane = tuple(at % size for at, size in zip(local, shape, strict=True))
        found.setdefault(group if together else (number,), []).append((number, WorkItem(place, group, lane)))
    return list(found.values())


def _write_back(run: Program, op: offload.WriteBackOp | offload.WrittenOp) -> None:
    """The buffer's numbers go to the array, unless a guard has failed: then nothing of the call is left."""
    array: np.ndarray[Any, Any] = run.values[op.array]
    numbers: np.ndarray[Any, Any] = run.values[op.buffer]
    if not run.failed:
        array[...] = (numbers.view(array.dtype) if array.dtype.kind == "u" else numbers.astype(array.dtype)).reshape(
            array.shape
        )


def _present(run: Program, op: offload.PresentOp) -> None:
    array: np.ndarray[Any, Any] = np.asarray(run.values[op.array]).reshape(-1)
    kind = dtype_of(op.result.type.element_type)
    run.values[op.result] = array.view(kind).copy() if array.dtype.kind == "u" else array.astype(kind)


def _retain(run: Program, op: offload.RetainOp) -> None:
    run.values[op.result] = [run.values[buffer] for buffer in op.buffers]


def _pick(run: Program, op: offload.PickOp) -> None:
    run.picked = run.values[op.positions].tolist()
    run.values[op.result] = []


def _require(run: Program, op: offload.RequireOp) -> None:
    if not run.values[op.size]:
        run.failed.setdefault(0, "there are no elements")


def _last(run: Program, op: offload.LastOp) -> None:
    buffer = run.values[op.buffer]
    run.values[op.result] = np.int64(buffer[-1] if len(buffer) else 0)


def _check(run: Program, op: offload.CheckGuardsOp) -> None:
    if bool(np.any(run.values[op.flags])) != bool(run.failed):
        raise UndefinedError("flags and failed guards differ")


def _unmarshal(run: Program, op: offload.UnmarshalOp) -> None:
    hosts = [run.values[host] for host in op.hosts]
    run.values[op.result] = [host[:1] if op.scalar is not None else host for host in hosts]


def _is_buffer(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim > 0


def _seen_as(value: Any, type_: Attribute) -> Any:
    """A buffer as a kernel takes it: one of complex numbers may be one of floats, one of bytes one of words."""
    if not isinstance(type_, MemRefType) or not isinstance(value, np.ndarray):
        return value
    element: Attribute = type_.element_type
    array, kind = cast("Array", value), np.dtype(dtype_of(element))
    if isinstance(element, ComplexType) or (array.dtype.kind not in "ci"):
        return array
    return array[: array.nbytes // kind.itemsize * kind.itemsize // array.itemsize].view(kind)


STEPS: Steps = {
    skel.CapturedOp: _captured_value,
    offload.MarshalOp: _marshal,
    offload.MarshalRecordsOp: _marshal_records,
    offload.PresentRecordsOp: _marshal_records,
    offload.CopyInOp: _alias,
    offload.CopyOutOp: _alias,
    offload.SizeOp: _size,
    offload.ScalarOp: _scalar,
    offload.AllocOp: _allocate,
    offload.LaunchOp: launch,
    offload.LastOp: _last,
    offload.PickOp: _pick,
    offload.RequireOp: _require,
    offload.CheckGuardsOp: _check,
    offload.SaveOp: lambda run, op: None,  # what is marshalled is a copy
    offload.PresentOp: _present,
    offload.RetainOp: _retain,
    offload.WriteBackOp: _write_back,
    offload.WrittenOp: _write_back,
    offload.UnmarshalOp: _unmarshal,
}

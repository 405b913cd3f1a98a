"""What only kernels do: work-items, buffers, checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import arith, gpu, memref
from xdsl.ir import Operation, SSAValue

from hetc.dialects import guard, offload
from hetc.interpreter.cases import Array, Cases, Handler, Handlers, Stopped, UndefinedError, dtype_of

_AXES = [gpu.DimensionEnum.X, gpu.DimensionEnum.Y, gpu.DimensionEnum.Z]


def _identity(which: str) -> Handler:
    def run(c: Cases, op: gpu.GlobalIdOp | gpu.BlockIdOp | gpu.ThreadIdOp) -> None:
        c.set(op.results[0], c.captured[which][:, _AXES.index(op.dimension.data)])

    return run


def _load(c: Cases, op: memref.LoadOp) -> None:
    c.set(op.res, _read(c, op.memref, op.indices))


def _load_member(c: Cases, op: offload.LoadMemberOp) -> None:
    c.set(op.result, _read(c, op.array, [op.index], op.member.data))


def _store(c: Cases, op: memref.StoreOp) -> None:
    buffer, places, values = c.get(op.memref), _places(c, op.memref, op.indices), c.stored(c.get(op.value), "a store")
    items = np.flatnonzero(c.alive)
    if c.count == 1:
        buffer[places] = values
    else:
        c.captured["accesses"].write(buffer, places[items], items, values[items].astype(buffer.dtype))


def _add_in_place(c: Cases, op: memref.AtomicRMWOp) -> None:
    buffer, places, values = c.get(op.memref), _places(c, op.memref, op.indices), c.demand(c.get(op.value), "a store")
    before: Array = np.zeros(c.count, buffer.dtype)
    for item in np.flatnonzero(c.alive):
        before[item] = buffer[places[item]]
        buffer[places[item]] += values[item]
    c.set(op.result, before)


def _read(c: Cases, name: SSAValue, indices: Sequence[SSAValue], member: str | None = None) -> Array:
    buffer, places = c.get(name), _places(c, name, indices)
    if c.count != 1:
        items = np.flatnonzero(c.alive)
        c.captured["accesses"].read(buffer, places[items], items)
    return buffer[places] if member is None else buffer[member][places]


def _places(c: Cases, buffer: SSAValue, indices: Sequence[SSAValue]) -> Array:
    (index,) = (c.demand(c.get(index), "an address") for index in indices)
    outside = (index < 0) | (index >= len(c.get(buffer)))
    if not outside.any():
        return index
    if np.any(outside & c.alive):
        raise UndefinedError("an access outside a buffer")
    return np.where(outside, 0, index)


def _share(c: Cases, op: memref.AllocaOp) -> None:
    """An array of the group: made once. What is not written is an unlikely number."""
    (length,) = op.memref.type.get_shape()
    made: Array = np.full(length, 99, dtype_of(op.memref.type.element_type))
    c.values[op.memref] = c.captured["shared"].setdefault(op.memref, made)


def _check(c: Cases, op: guard.CheckOp) -> None:
    """Those for which it does not hold leave; that have found the heap full without a reason, as they are run again."""
    leaving = c.alive & ~c.demand(c.get(op.condition), "a guard")
    if op.kind.data is guard.GuardKind.WARNING or not leaving.any():
        return
    c.get(op.flags)[op.slot.value.data] = 1
    if op.kind.data is guard.GuardKind.ALLOC and op.mark is not None and op.marks is not None:
        c.get(op.marks)[c.demand(c.get(op.mark), "a mark")[leaving]] = 1
    else:
        for item in np.flatnonzero(leaving):
            c.failed[item] = op.reason.data
    c.alive = c.alive & ~leaving
    if not c.alive.any():
        raise Stopped


def _long_product(c: Cases, op: arith.MulSIExtendedOp) -> None:
    left, right = c.get(op.lhs), c.get(op.rhs)
    width = left.data.dtype.itemsize * 8
    products = [int(a) * int(b) for a, b in zip(left.data, right.data, strict=True)]
    for result, shift in ((op.low, 0), (op.high, width)):
        wrapped = [((p >> shift) + (1 << (width - 1))) % (1 << width) - (1 << (width - 1)) for p in products]
        c.set(result, np.array(wrapped, left.data.dtype), left, right)


def _minmax(function: Callable[[Any, Any], Any]) -> Handler:
    def run(c: Cases, op: Operation) -> None:
        left, right = (c.get(operand) for operand in op.operands)
        a, b = (value.data.view(np.uint64) for value in (left, right))
        c.set(op.results[0], function(a, b).view(np.int64), left, right)

    return run


HANDLERS: Handlers = {
    gpu.GlobalIdOp: _identity("item"),
    gpu.BlockIdOp: _identity("group"),
    gpu.ThreadIdOp: _identity("lane"),
    gpu.ReturnOp: lambda c, op: None,
    memref.LoadOp: _load,
    offload.LoadMemberOp: _load_member,
    memref.StoreOp: _store,
    memref.AtomicRMWOp: _add_in_place,
    memref.AllocaOp: _share,
    guard.CheckOp: _check,
    offload.ZeroOp: lambda c, op: c.set(op.result, np.zeros(c.count, dtype_of(op.result.type))),
    arith.MulSIExtendedOp: _long_product,
    arith.IndexCastOp: lambda c, op: c.set(
        op.result, c.get(op.input).data.astype(dtype_of(op.result.type)), c.get(op.input)
    ),
    arith.MinUIOp: _minmax(np.minimum),
    arith.MaxUIOp: _minmax(np.maximum),
    arith.CeilDivUIOp: lambda c, op: c.set(
        op.results[0],
        -(-c.get(op.operands[0]).data // np.where(c.alive, c.get(op.operands[1]).data, 1)),
        *map(c.get, op.operands),
    ),
}

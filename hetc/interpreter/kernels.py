"""What only kernels do: work-items, buffers, checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import arith, gpu, memref
from xdsl.ir import Operation, SSAValue

from hetc.dialects import guard, offload
from hetc.interpreter.cases import Array, Cases, Handler, Handlers, NoRoom, Stopped, UndefinedError, dtype_of

_AXES = [gpu.DimensionEnum.X, gpu.DimensionEnum.Y, gpu.DimensionEnum.Z]


def _identity(which: str) -> Handler:
    def run(c: Cases, op: gpu.GlobalIdOp | gpu.BlockIdOp | gpu.ThreadIdOp) -> None:
        c.set(op.results[0], np.full(1, c.captured[which][_AXES.index(op.dimension.data)]))

    return run


def _load(c: Cases, op: memref.LoadOp) -> None:
    c.set(op.res, c.get(op.memref)[_place(c, op.memref, op.indices)])


def _load_member(c: Cases, op: offload.LoadMemberOp) -> None:
    c.set(op.result, c.get(op.array)[op.member.data][_place(c, op.array, [op.index])])


def _store(c: Cases, op: memref.StoreOp) -> None:
    c.get(op.memref)[_place(c, op.memref, op.indices)] = c.stored(c.get(op.value), "a store")


def _add_in_place(c: Cases, op: memref.AtomicRMWOp) -> None:
    buffer, place = c.get(op.memref), _place(c, op.memref, op.indices)
    c.set(op.result, buffer[place].copy())
    buffer[place] += c.demand(c.get(op.value), "a store")


def _place(c: Cases, buffer: SSAValue, indices: Sequence[SSAValue]) -> Array:
    (index,) = (c.demand(c.get(index), "an address") for index in indices)
    if not 0 <= index[0] < len(c.get(buffer)):
        raise UndefinedError("an access outside a buffer")
    return index


def _share(c: Cases, op: memref.AllocaOp) -> None:
    """An array of the group: made once. What is not written is an unlikely number."""
    (length,) = op.memref.type.get_shape()
    made: Array = np.full(length, 99, dtype_of(op.memref.type.element_type))
    c.values[op.memref] = c.captured["shared"].setdefault(op.memref, made)


def _check(c: Cases, op: guard.CheckOp) -> None:
    if not c.demand(c.get(op.condition), "a guard")[0] and op.kind.data is not guard.GuardKind.WARNING:
        c.get(op.flags)[op.slot.value.data] = 1
        if op.kind.data is guard.GuardKind.ALLOC and op.mark is not None and op.marks is not None:
            c.get(op.marks)[c.demand(c.get(op.mark), "a mark")[0]] = 1
            raise NoRoom
        c.failed[0] = op.reason.data
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
    offload.ZeroOp: lambda c, op: c.set(op.result, np.zeros(1, dtype_of(op.result.type))),
    arith.MulSIExtendedOp: _long_product,
    arith.IndexCastOp: lambda c, op: c.set(
        op.result, c.get(op.input).data.astype(dtype_of(op.result.type)), c.get(op.input)
    ),
    arith.MinUIOp: _minmax(np.minimum),
    arith.MaxUIOp: _minmax(np.maximum),
    arith.CeilDivUIOp: lambda c, op: c.set(
        op.results[0], -(-c.get(op.operands[0]).data // c.get(op.operands[1]).data), *map(c.get, op.operands)
    ),
}

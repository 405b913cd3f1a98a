"""What boxes, tuples, objects, unions, calls, captured variables, windows and structured control flow mean.

Cases that part at a branch are run one path after the other, and a loop until its last case has left it: an array says
which cases are on the way, and what an op gives for the others is not looked at.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation

from hetc.dialects import obj, skel
from hetc.interpreter.cases import (
    Array,
    Cases,
    Handlers,
    NotInterpretedError,
    Stopped,
    UndefinedError,
    Value,
    dtype_of,
    merged,
)
from hetc.windows import place_at

# --- Boxes, tuples, objects, unions, calls ------------------------------------------------------------------------


def _same(c: Cases, op: Operation) -> None:
    c.values[op.results[0]] = c.get(op.operands[0])


def _pack(c: Cases, op: obj.PackOp) -> None:
    c.values[op.result] = [c.get(item) for item in op.items]


def _extract(c: Cases, op: obj.ExtractOp) -> None:
    c.values[op.result] = c.get(op.operand)[op.index.value.data]


def _none(c: Cases, op: obj.NoneOp) -> None:
    c.values[op.result] = []


def _new(c: Cases, op: obj.NewOp) -> None:
    c.values[op.result] = [c.get(operand) for operand in op.operands]


def _field(c: Cases, op: obj.GetOp) -> None:
    c.values[op.result] = c.get(op.operand)[op.index]


def _union(c: Cases, op: obj.UnionOp) -> None:
    c.values[op.result] = [c.get(op.tag), *map(c.get, op.alternatives)]


def _tag(c: Cases, op: obj.TagOp) -> None:
    c.values[op.result] = c.get(op.operand)[0]


def _alternative(c: Cases, op: obj.AlternativeOp) -> None:
    c.values[op.result] = c.get(op.operand)[1 + op.index.value.data]


def _call(c: Cases, op: func.CallOp) -> None:
    callee = c.functions[op.callee.root_reference.data]
    if len(callee.body.blocks) != 1:
        raise NotInterpretedError("the interpreter does not know functions of several blocks")
    results = c.run(callee.body.block, [c.get(argument) for argument in op.arguments])
    for result, value in zip(op.results, results, strict=True):
        c.values[result] = value


def _captured(c: Cases, op: skel.CapturedOp) -> None:
    value = c.captured[op.variable.root_reference.data]
    if isinstance(op.result.type, TensorType):
        c.values[op.result] = value
    else:
        c.set(op.result, np.full(c.count, value, dtype_of(op.result.type)))


def _size(c: Cases, op: skel.SizeOp) -> None:
    c.set(op.result, np.full(c.count, c.captured[f"dim{op.dim.value.data}"], np.int64))


def _load(c: Cases, op: obj.LoadOp) -> None:
    array, places = _place(c, op, "a load")
    numbers = array[places]
    if numbers.dtype.kind == "u":
        numbers = numbers.view(f"i{numbers.dtype.itemsize}")
    c.set(op.result, numbers, *map(c.get, op.indices))


def _store(c: Cases, op: obj.StoreOp | obj.AccumulateOp) -> None:
    array, places = _place(c, op, "a store")
    if c.count != 1:
        raise NotInterpretedError("stores are run one case at a time")
    value = c.demand(c.get(op.value), "a store")
    kind = array.dtype
    value = value.view(kind) if kind.kind == "u" else value.astype(kind)
    array[places] = value if isinstance(op, obj.StoreOp) else array[places] + value


def _place(c: Cases, op: obj.LoadOp | obj.StoreOp | obj.AccumulateOp, what: str) -> tuple[Array, tuple[Array, ...]]:
    array = c.get(op.array)
    if isinstance(array, Value):  # an array of the entry function
        array = array.data
    places = tuple(c.demand(c.get(index), what) for index in op.indices)
    outside = np.zeros(c.count, bool)
    for place, length in zip(places, array.shape, strict=True):
        outside |= (place < 0) | (place >= length)
    if not outside.any():
        return array, places
    if np.any(outside & c.alive):
        raise UndefinedError(f"{what} outside the array")
    return array, tuple(np.where(outside, 0, place) for place in places)


# --- Windows ---------------------------------------------------------------------------------------------------------


def _neighbor(c: Cases, op: skel.NeighborOp) -> None:
    operands = [c.get(operand) for operand in (op.index, op.offset, op.size)]
    index, offset, size = (c.demand(operand, "a window") for operand in operands)
    places = [place_at(op.boundary.data, int(i + d), int(n)) for i, d, n in zip(index, offset, size, strict=True)]
    c.set(op.result, np.array(places, np.int64), *operands)


def _inside(c: Cases, op: skel.InsideOp) -> None:
    index, offset, size = (c.get(operand) for operand in (op.index, op.offset, op.size))
    place = index.data + offset.data
    c.set(op.result, (place >= 0) & (place < size.data), index, offset, size)


# --- Control flow ----------------------------------------------------------------------------------------------------


def _run_if(c: Cases, op: scf.IfOp) -> None:
    outside, condition = c.alive, c.demand(c.get(op.cond), "a branch")
    found: list[tuple[Array, list[Any]]] = []
    for taken, region in ((outside & condition, op.true_region), (outside & ~condition, op.false_region)):
        if not region.blocks:
            found.append((taken, []))
        elif (values := c.run_for(taken, region.block, [])) is not None:
            found.append((c.alive, values))
    c.alive = functools.reduce(np.logical_or, (taken for taken, _ in found), np.zeros(c.count, bool))
    if not c.alive.any():
        raise Stopped
    _, results = found[0]
    for taken, values in found[1:]:
        results = [merged(taken, new, old) for new, old in zip(values, results, strict=True)]
    for result, value in zip(op.results, results, strict=True):
        c.values[result] = value


def _run_for(c: Cases, op: scf.ForOp) -> None:
    """Each case leaves the loop when its own index has reached the end."""
    index, high, step = (c.demand(c.get(bound), "a loop") for bound in (op.lb, op.ub, op.step))
    if np.any(c.alive & (step <= 0)):
        raise UndefinedError("scf.for counts up")
    carried = [c.get(value) for value in op.iter_args]
    inside, outside = c.alive & (index < high), c.alive & (index >= high)
    last = np.iinfo(index.dtype).max - step
    while inside.any():
        if np.any(inside & (index > last)):
            raise UndefinedError("the loop variable overflows")
        passed = c.run_for(inside, op.body.block, [c.plain(index), *carried])
        inside = c.alive
        if passed is not None:
            everywhere = not outside.any() and bool(inside.all())
            carried = (
                passed if everywhere else [merged(inside, new, old) for new, old in zip(passed, carried, strict=True)]
            )
        index = np.where(inside, index + step, index)
        outside, inside = outside | (inside & (index >= high)), inside & (index < high)
    c.alive = outside
    if not outside.any():
        raise Stopped
    for result, value in zip(op.results, carried, strict=True):
        c.values[result] = value


def _run_while(c: Cases, op: scf.WhileOp) -> None:
    """Each case leaves the loop when its own condition fails; until the last one does, the others wait."""
    carried = [c.get(value) for value in op.arguments]
    outside, done = c.alive, np.zeros(c.count, bool)
    left: list[Any] | None = None
    try:
        while True:
            condition, *passed = c.run(op.before_region.block, carried)
            going = c.demand(condition, "a branch")
            leaving = c.alive & ~going
            left = (
                passed if left is None else [merged(leaving, new, old) for new, old in zip(passed, left, strict=True)]
            )
            done, c.alive = done | leaving, c.alive & going
            if not c.alive.any():
                break
            carried = c.run(op.after_region.block, passed)
    except Stopped:
        assert left is not None or not done.any()
    c.alive = outside & done
    if left is None or not c.alive.any():
        raise Stopped
    for result, value in zip(op.results, left, strict=True):
        c.values[result] = value


HANDLERS: Handlers = {
    obj.BoxOp: _same,
    obj.UnboxOp: _same,
    obj.AsListOp: _same,
    obj.ListItemsOp: _same,
    obj.PackOp: _pack,
    obj.ExtractOp: _extract,
    obj.LoadOp: _load,
    obj.StoreOp: _store,
    obj.AccumulateOp: _store,
    obj.NoneOp: _none,
    obj.NewOp: _new,
    obj.GetOp: _field,
    obj.UnionOp: _union,
    obj.TagOp: _tag,
    obj.AlternativeOp: _alternative,
    skel.NeighborOp: _neighbor,
    skel.InsideOp: _inside,
    skel.CapturedOp: _captured,
    skel.SizeOp: _size,
    func.CallOp: _call,
    scf.IfOp: _run_if,
    scf.ForOp: _run_for,
    scf.WhileOp: _run_while,
}

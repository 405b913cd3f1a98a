"""Stores that add to elements: `a[i] = a[i] + x`, which work-items may do in any order if nobody looks in between."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.attributes import number_attribute
from hetc.dialects import obj, skel
from hetc.passes.conversion.insertion import insert


def accumulate(accesses: Sequence[obj.LoadOp | obj.StoreOp], widths: Sequence[int]) -> bool:
    """Make `obj.accumulate` of all accesses of an array, if all that they do is add integers of these widths.

    Otherwise nothing is changed, and the result is False.
    """
    pairs: list[tuple[obj.LoadOp, Operation, obj.StoreOp]] = []
    for store in accesses:
        if isinstance(store, obj.StoreOp):
            pair = _sum(store)
            if pair is None or pair[0].result.type not in [IntegerType(width) for width in widths]:
                return False
            pairs.append((*pair, store))
    if len({load for load, _, _ in pairs}) * 2 != len(accesses):
        return False
    for load, total, store in pairs:
        _replace(load, total, store)
    return True


def _sum(store: obj.StoreOp) -> tuple[obj.LoadOp, Operation] | None:
    """The load and the addition of `a[i] = a[i] + x` or `a[i] = a[i] - x`, whose results nothing else uses."""
    total = store.value.owner
    if not isinstance(total, arith.AddiOp | arith.SubiOp) or not store.value.has_one_use():
        return None
    for operand in total.operands if isinstance(total, arith.AddiOp) else total.operands[:1]:
        load = operand.owner
        if isinstance(load, obj.LoadOp) and operand.has_one_use() and _is_same_place(load, store):
            return load, total
    return None


def _is_same_place(load: obj.LoadOp, store: obj.StoreOp) -> bool:
    same = skel.captured_name(load.array) == skel.captured_name(store.array)
    return same and all(one is other for one, other in zip(load.indices, store.indices, strict=True))


def _replace(load: obj.LoadOp, total: Operation, store: obj.StoreOp) -> None:
    (value,) = (operand for operand in total.operands if operand is not load.result)
    if isinstance(total, arith.SubiOp):
        zero = arith.ConstantOp(number_attribute(0, value.type))
        negated = arith.SubiOp(zero, value)
        insert([zero, negated], InsertPoint.before(store), total)
        value = negated.result
    insert([obj.AccumulateOp(value, store.array, store.indices)], InsertPoint.before(store), store)
    for dead in (store, total, load):
        Rewriter.erase_op(dead)

"""Stores that add to elements: `a[i] = a[i] + x`, which work-items may do in any order if nobody looks in between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.attributes import number_attribute
from hetc.analysis.ranges import Ranges
from hetc.dataclass import dataclass
from hetc.dialects import guard, obj, skel
from hetc.passes.conversion.insertion import insert

FAR = 2**62
"""Numbers that begin nearer to zero than this, and move by at most so much, do not leave 64 bits."""


@dataclass(frozen=True)
class _Sum:
    """`a[i] = a[i] + x`, with the guards that ask whether Python's sum fits."""

    load: obj.LoadOp
    total: Operation
    store: obj.StoreOp
    questions: tuple[Operation, ...]

    @property
    def addend(self) -> SSAValue:
        """What is added, or subtracted."""
        (value,) = (operand for operand in self.total.operands if operand is not self.load.result)
        return value


def accumulate(accesses: Sequence[obj.LoadOp | obj.StoreOp], widths: Sequence[int], loop: skel.ForallOp) -> bool:
    """Make `obj.accumulate` of all accesses of an array, if all that they do is add integers of these widths.

    Python's integers do not wrap: of them also the sum of all that the loop adds must fit, in whatever order. Otherwise
    nothing is changed, and the result is False.
    """
    sums: list[_Sum] = []
    for store in accesses:
        if isinstance(store, obj.StoreOp):
            found = _sum(store)
            if found is None or found.load.result.type not in [IntegerType(width) for width in widths]:
                return False
            sums.append(found)
    if len({one.load for one in sums}) * 2 != len(accesses):
        return False
    if any(one.questions for one in sums) and not _fit(sums, loop):
        return False
    for one in sums:
        _replace(one)
    return True


def _sum(store: obj.StoreOp) -> _Sum | None:
    """The load and the addition of `a[i] = a[i] + x` or `a[i] = a[i] - x`, whose results nothing else uses."""
    total = store.value.owner
    if not isinstance(total, arith.AddiOp | arith.SubiOp) or not store.value.has_one_use():
        return None
    for operand in total.operands if isinstance(total, arith.AddiOp) else total.operands[:1]:
        load = operand.owner
        is_double = total.operands[0] is total.operands[1]
        if isinstance(load, obj.LoadOp) and not is_double and _is_same_place(load, store):
            others = [use.operation for use in operand.uses if use.operation is not total]
            questions = list(_questions(others, total))
            if len(others) == sum(isinstance(op, guard.FitsOp) for op in questions):
                return _Sum(load, total, store, tuple(questions))
    return None


def _questions(others: Sequence[Operation], total: Operation) -> Iterator[Operation]:
    """The guards on whether a sum fits, before what they ask."""
    for op in others:
        if isinstance(op, guard.FitsOp) and {op.left, op.right} == set(total.operands):
            required = [use.operation for use in op.result.uses]
            if all(isinstance(user, guard.RequireOp) for user in required):
                yield from required
                yield op


def _fit(sums: Sequence[_Sum], loop: skel.ForallOp) -> bool:
    """Whether elements stay within 64 bits, whichever of the sums come to them: each at most once an iteration."""
    module = loop.get_toplevel_object()
    assert isinstance(module, ModuleOp)
    name = skel.captured_name(sums[0].store.array)
    bounds = next(op.bounds for op in module.ops if isinstance(op, skel.CaptureOp) and op.sym_name.data == name)
    if bounds is None or any(abs(number) >= FAR for number in bounds.get_values()):
        return False
    if any(_is_repeated(one.store, loop) for one in sums):
        return False
    facts = {op.operand: op for op in loop.body.block.ops if isinstance(op, guard.FactOp)}
    known = [facts.get(variable) for variable in loop.body.block.args]
    trips = prod(2**64 if one is None else one.high.value.data - one.low.value.data + 1 for one in known)
    ranges = Ranges(module)
    added = [ranges.get(one.addend) for one in sums]
    most = sum(max(abs(one.low), abs(one.high)) for one in added)
    return trips * most < FAR


def _is_repeated(op: Operation, loop: skel.ForallOp) -> bool:
    """Whether an op is in a loop inside the parallel one."""
    around = op.parent_op()
    while around is not loop and around is not None:
        if not isinstance(around, scf.IfOp):
            return True
        around = around.parent_op()
    return False


def _is_same_place(load: obj.LoadOp, store: obj.StoreOp) -> bool:
    same = skel.captured_name(load.array) == skel.captured_name(store.array)
    return same and all(one is other for one, other in zip(load.indices, store.indices, strict=True))


def _replace(one: _Sum) -> None:
    value = one.addend
    if isinstance(one.total, arith.SubiOp):
        zero = arith.ConstantOp(number_attribute(0, value.type))
        negated = arith.SubiOp(zero, value)
        insert([zero, negated], InsertPoint.before(one.store), one.total)
        value = negated.result
    insert([obj.AccumulateOp(value, one.store.array, one.store.indices)], InsertPoint.before(one.store), one.store)
    for dead in (one.store, one.total, *one.questions, one.load):
        Rewriter.erase_op(dead)

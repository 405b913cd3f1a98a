"""reserve-lists: a list to which each iteration of a loop appends gets its room before the loop, at once."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i64
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from hetc.analysis.attributes import known_integer
from hetc.dialects import heap
from hetc.passes.conversion.insertion import insert


@dataclass(frozen=True)
class ReserveListsPass(ModulePass):
    """Give a new list the room that a counting loop takes.

    Needs: level 2. Leaves: the same program.

    1. Find the loops that carry a new list, to which each iteration appends one item under no condition.
    2. new 0, for low to high step s { append } -> new n, for low to high step s { append in_room }, with n =
       ceil((high - low) / s), or 0 if high is not above low.

    So `[f(k) for k in range(n)]` takes exactly the room of its items, in one step, and they never move. Where an
    iteration may append nothing, or the loop leave early (`scf.while`), n may be far too much: the list grows by
    doubling, and takes less than four times the room of its items in all. n is a number without sign: no heap has the
    room of what does not fit 63 bits. Cost: linear.
    """

    name = "reserve-lists"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in [inner for inner in op.walk() if isinstance(inner, scf.ForOp)]:
            for start, argument in zip(loop.iter_args, loop.body.block.args[1:], strict=True):
                new = start.owner
                if isinstance(new, heap.NewOp) and known_integer(new.room) == 0:
                    append = _append_of_each(loop, argument)
                    if append is not None:
                        append.in_room = UnitAttr()
                        _reserve(loop, new)


def _append_of_each(loop: scf.ForOp, argument: BlockArgument) -> heap.AppendOp | None:
    """The op by which the body yields, for a list, this list with one item more, whatever happens."""
    end = loop.body.block.last_op
    assert end is not None
    append = end.operands[argument.index - 1].owner
    return append if isinstance(append, heap.AppendOp) and append.list is argument else None


def _reserve(loop: scf.ForOp, new: heap.NewOp) -> None:
    """A new list with room for the loop's iterations, in the place of one without."""
    ops: list[Operation] = []

    def add(op: Operation) -> SSAValue:
        ops.append(op)
        return op.results[0]

    zero, one = (add(arith.ConstantOp(IntegerAttr(number, i64))) for number in (0, 1))
    count = add(arith.SubiOp(loop.ub, loop.lb))
    if known_integer(loop.step) != 1:
        before_last = add(arith.DivUIOp(add(arith.SubiOp(count, one)), loop.step))
        count = add(arith.AddiOp(before_last, one))
    runs = add(arith.CmpiOp(loop.lb, loop.ub, "slt"))
    room = add(arith.SelectOp(runs, count, zero))
    reserved = add(heap.NewOp(room, new.result.type))
    reserved.name_hint = new.result.name_hint
    insert(ops, InsertPoint.before(loop), loop)
    position = list(loop.iter_args).index(new.result)
    loop.operands[3 + position] = reserved

"""batch: a plan whose inputs come in batches does once what it can, and the rest for each of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.entry import entry_function
from hetc.analysis.locations import source_location
from hetc.diagnostics import Category
from hetc.dialects import offload, skel
from hetc.errors import UnsupportedError

_WHOLE: dict[type[Operation], str] = {
    offload.HeapOp: "the lists that an element makes are in a heap for all elements",
    offload.WriteBackOp: "a loop changes captured arrays in place",
    offload.WrittenOp: "a loop changes captured arrays in place",
    offload.RetainOp: "the result stays on the device as a whole",
}
"""What a plan does with all elements at once."""

_ONCE = (
    skel.CapturedOp, offload.MarshalOp, offload.MarshalRecordsOp, offload.ScalarOp, offload.SizeOp, offload.CopyInOp,
    offload.PresentOp, offload.PresentRecordsOp, arith.ConstantOp, arith.AddiOp, arith.SubiOp, arith.MuliOp,
    arith.DivUIOp, arith.CeilDivUIOp, arith.MinUIOp, arith.MaxUIOp,
)  # fmt: skip
"""What gives the same for each batch, if its operands do."""


@dataclass(frozen=True)
class BatchPass(ModulePass):
    """Part a plan into what is done once, and what is done for each batch of the elements of its inputs.

    Needs: a plan that is done (level 3, guards lowered, buffers shared).
    Leaves: plans without `skel.batches` as they are; others with one `offload.each_batch`.

    1. Refuse what needs all elements at once.
    2. An op depends on the batch if it reads an input, a carried variable or a captured array that is divided,
       allocates, launches or copies out, or if an operand does.
    3. Move the others to the front, in their order: captured arrays are copied in once, and stay for all batches.
    4. Move the reads of carried variables behind all that does not need them, so that a batch waits for the one
       before it as late as possible.

    Cost: linear in the number of ops. Refuses, with UnsupportedError, plans with a heap, with arrays that are written
    in place, and with results that stay on the device, or are written to the user's objects.
    """

    name = "batch"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entry = entry_function(op)
        if entry is None or "skel.batches" not in entry.attributes:
            return
        carried, divided = (_names(entry, f"skel.{name}") for name in ("batches", "divided"))
        check_parts(entry)
        split(entry, carried, divided)
        sink_carried(entry, carried)


def check_parts(entry: func.FuncOp) -> None:
    """Raise UnsupportedError for a plan that needs all elements at once."""
    for op in entry.body.block.ops:
        reason = _WHOLE.get(type(op))
        if isinstance(op, offload.UnmarshalOp) and op.writes is not None:
            reason = "the function assigns attributes of its elements"
        if reason is not None:
            raise UnsupportedError(
                f"the call does not run in batches: {reason}",
                location=source_location(op.location),
                category=Category.BATCHES,
            )


def split(entry: func.FuncOp, carried: Collection[str], divided: Collection[str]) -> None:
    """Move what is done once to the front, and mark where the batches begin."""
    block, of_batch = entry.body.block, {*carried, *divided}
    mark = offload.EachBatchOp(list(carried))
    first = block.first_op
    assert first is not None
    mark.location = first.location
    Rewriter.insert_op(mark, InsertPoint.before(first))
    once = set[SSAValue]()
    for op in list(block.ops):
        if isinstance(op, _ONCE) and all(operand in once for operand in op.operands) and not _is_named(op, of_batch):
            once.update(op.results)
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(mark))


def sink_carried(entry: func.FuncOp, carried: Collection[str]) -> None:
    """Move the reads of carried variables to where their values are first used."""
    for op in reversed(list(entry.body.block.ops)):
        reads = isinstance(op, offload.ScalarOp) and _is_named(op.operand.owner, carried)
        if reads or _is_named(op, carried):
            users = {use.operation for use in op.results[0].uses}
            user = next((later for later in entry.body.block.ops if later in users), None)
            if user is not None:
                op.detach()
                Rewriter.insert_op(op, InsertPoint.before(user))


def _is_named(op: object, names: Collection[str]) -> bool:
    """Whether an op reads one of these captured variables."""
    return isinstance(op, skel.CapturedOp) and op.variable.root_reference.data in names


def _names(entry: func.FuncOp, attribute: str) -> list[str]:
    """The names of captured variables in an attribute of the entry."""
    found = entry.attributes.get(attribute)
    return [name.data for name in found if isinstance(name, StringAttr)] if isinstance(found, ArrayAttr) else []

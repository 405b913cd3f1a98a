"""drop-waits: a plan that leaves everything on the device ends when its commands are on their way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from hetc.analysis.entry import entry_function
from hetc.dialects import offload

_REASONS: dict[type[Operation], str] = {
    offload.CheckGuardsOp: "a guard may fail, and then Python runs something before the host goes on",
    offload.RequireOp: "the length of the result decides whether Python runs the call",
    offload.HeapOp: "lists are made in a heap, which may be full",
    offload.LastOp: "a length comes back in the middle",
    offload.CopyOutOp: "something comes back",
    offload.UnmarshalOp: "the host makes the result",
    offload.PickOp: "the host makes the result",
    offload.WriteBackOp: "arrays come back",
    offload.EachBatchOp: "batches are put together on the host",
}
"""What the host does at the end of a plan, or in it, that needs the device to have done its work."""


@dataclass(frozen=True)
class DropWaitsPass(ModulePass):
    """Mark the ends of plans that the host need not wait for as `asynchronous`, and the others with why it `waits`.

    Needs: a plan that is done (level 3, guards lowered, buffers shared, batches parted).
    Leaves: the same ops, of which `offload.written` and `offload.retain` are marked.

    1. A plan waits if one of its ops needs the work to be done: guards are checked, something comes back, a heap is
       drained. A guard that is found to have failed when the host has gone on could not be taken back.
    2. It waits, too, if buffers are the host's memory: the host sees them only when they are mapped.
    3. Otherwise its commands are on a queue, in order, before those of all that looks at the arrays later: the wait is
       theirs.

    Cost: linear in the number of ops.

    The idea is that of HJ-OpenCL's asynchronous regions (Grossman, Imam, Sarkar), which the programmer asks for there.
    """

    name = "drop-waits"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entry = entry_function(op)
        if entry is None:
            return
        ends = [inner for inner in entry.body.block.ops if isinstance(inner, offload.WrittenOp | offload.RetainOp)]
        why = next(_waits(entry), None)
        for end in ends:
            if why is None:
                end.asynchronous = UnitAttr()
            else:
                end.waits = StringAttr(why)


def _waits(entry: func.FuncOp) -> Iterator[str]:
    """Why the host waits before a plan ends."""
    ops = list(entry.body.block.ops)
    yield from (reason for kind, reason in _REASONS.items() if any(isinstance(op, kind) for op in ops))
    if any(isinstance(op, offload.WrittenOp | offload.RetainOp) and op.shared is not None for op in ops):
        yield "the device works in the host's memory"

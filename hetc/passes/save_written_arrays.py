"""save-written-arrays: what a kernel changes in place can be restored if a guard fails."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.walking import walk
from hetc.dialects import offload


@dataclass(frozen=True)
class SaveWrittenArraysPass(ModulePass):
    """Keep a copy of each array that a kernel with guards writes in place.

    Needs: guards lowered, buffers shared (after `lower-guards` and `share-buffers`).
    Leaves: the same plan, with `offload.save` before the first launch where it is needed.

    1. If the plan checks no guards, it always goes through, and nothing is saved.
    2. A `write_back` that is shared has written the host array itself: save that array once it is marshalled.
    3. What is `written` of a portable array is its copy on the device: that is saved too.

    Without shared memory no host array needs to be saved: it changes after the guards have been checked. Cost: linear;
    at run time that of copying the arrays, which is what in-place loops pay for guards.
    """

    name = "save-written-arrays"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        ops = walk(op)
        if not any(isinstance(inner, offload.CheckGuardsOp) for inner in ops):
            return
        for inner in ops:
            if isinstance(inner, offload.WriteBackOp) and inner.shared is not None:
                copied = inner.buffer.owner
                assert isinstance(copied, offload.CopyInOp)
                save = offload.SaveOp(copied.host)
                save.location = inner.location
                Rewriter.insert_op(save, InsertPoint.before(copied))
            if isinstance(inner, offload.WrittenOp):
                present = inner.buffer.owner
                assert isinstance(present, offload.PresentOp)
                present.properties["saved"] = UnitAttr()

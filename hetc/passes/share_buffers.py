"""share-buffers: where device and host share memory, nothing is copied."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from hetc.dialects import offload

_SHARED = (
    offload.CopyInOp, offload.CopyOutOp, offload.WriteBackOp, offload.PresentOp, offload.WrittenOp, offload.RetainOp,
)  # fmt: skip


@dataclass(frozen=True)
class ShareBuffersPass(ModulePass):
    """Mark copies and result buffers as shared with the host.

    Needs: an `offload` plan for a device that addresses host memory.
    Leaves: the same plan, in which `copy_in` and `copy_out` are free and results are written in place.

    1. Each `copy_in`, `copy_out`, `write_back`, `present`, `written` and `retain` becomes shared.
    2. Each buffer that is copied out or retained is allocated in host memory.

    Cost: linear. It must not run for a discrete device, where shared memory is slow or absent.
    """

    name = "share-buffers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            if isinstance(inner, _SHARED):
                inner.properties["shared"] = UnitAttr()
            if isinstance(inner, offload.RetainOp):
                for buffer in inner.buffers:
                    if isinstance(buffer.owner, offload.AllocOp):
                        buffer.owner.properties["shared"] = UnitAttr()
            if isinstance(inner, offload.CopyOutOp) and isinstance(inner.buffer.owner, offload.AllocOp):
                inner.buffer.owner.properties["shared"] = UnitAttr()

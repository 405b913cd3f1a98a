"""The entry function of a module, and what is known about its arguments."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp


def entry_function(module: ModuleOp) -> func.FuncOp | None:
    """The function that the caller runs (marked `skel.entry`), or None if the module has none."""
    return next((op for op in module.ops if isinstance(op, func.FuncOp) and "skel.entry" in op.attributes), None)

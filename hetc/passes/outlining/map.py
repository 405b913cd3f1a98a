"""`skel.map` as a kernel: one work-item an element."""

from __future__ import annotations

from hetc.dialects import skel
from hetc.passes.outlining.host import HostPlan
from hetc.passes.outlining.kernel import Kernel


def outline_map(plan: HostPlan, op: skel.MapOp) -> None:
    """The kernel loads the elements of its index, computes, and stores the results."""
    plan.at(op)
    kernel = Kernel(plan, plan.entry.sym_name.data, op)
    index = kernel.global_id()
    names = [argument.name_hint for argument in op.body.block.args]
    elements = kernel.elements(op.inputs, names, index)
    values = kernel.inline(op.body, elements)
    length = plan.length(*op.inputs)
    kernel.store_results(op.outputs, values, index, length)
    # Over indices that are gathered by, an element is not one of the inputs.
    kernel.finish(length, elementwise=not any(isinstance(value.owner, skel.CapturedOp) for value in op.inputs))

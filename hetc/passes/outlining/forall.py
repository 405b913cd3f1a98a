"""`skel.forall` as a kernel: one work-item an iteration."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from hetc.dialects import skel
from hetc.passes.outlining.host import HostPlan
from hetc.passes.outlining.kernel import Kernel


def outline_forall(plan: HostPlan, op: skel.ForallOp) -> None:
    """The kernel computes the loop's variables from its index, and runs the body, which stores to captured arrays."""
    plan.at(op)
    kernel = Kernel(plan, plan.entry.sym_name.data, op)
    index = kernel.global_id()
    names = [argument.name_hint for argument in op.body.block.args]
    positions = _positions(kernel, op.sequences, index)
    variables = [
        kernel.elements([sequence], [name], position)[0]
        for sequence, name, position in zip(op.sequences, names, positions, strict=True)
    ]
    values = kernel.inline(op.body, variables)
    kernel.store_results(op.outputs, values, index, plan.length())
    kernel.finish(plan.length(), elementwise=True)


def _positions(kernel: Kernel, sequences: Sequence[SSAValue], index: SSAValue) -> list[SSAValue]:
    """The position in each sequence, of which the last runs fastest."""
    found: list[SSAValue] = []
    rest = index
    for number in range(len(sequences) - 1, 0, -1):
        size = kernel.parameter(kernel.plan.length_of(sequences[number]), f"size_{number}")
        found.insert(0, kernel.add(arith.RemUIOp(rest, size)).result)
        rest = kernel.add(arith.DivUIOp(rest, size)).result
    return [rest, *found]

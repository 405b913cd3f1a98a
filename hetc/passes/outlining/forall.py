"""`skel.forall` as kernels: one work-item an iteration, in launches of as many dimensions as the loop has indices."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue

from hetc.analysis.kernels import ELEMENT
from hetc.dialects import heap, skel
from hetc.passes.conversion.kernels import DIMENSIONS
from hetc.passes.outlining.host import Box, HostPlan
from hetc.passes.outlining.kernel import Kernel


def outline_forall(plan: HostPlan, op: skel.ForallOp) -> None:
    """The kernel computes the loop's variables from its indices, and runs the body, which stores to captured arrays.

    A loop over two or three indices is launched in as many dimensions, the last index as x, whose work-items are side
    by side in memory. One that makes lists is launched in one dimension, since its work-items may have to run again.
    """
    plan.at(op)
    kernel = Kernel(plan, plan.entry.sym_name.data, op)
    rank = len(op.sequences)
    if rank == 1 or rank > len(DIMENSIONS) or _makes_lists(op):
        boxes: list[Box] = []
        element = kernel.global_id()
        positions = _divided(kernel, op.sequences, element)
    else:
        boxes = [Box(tuple(map(plan.length_of, reversed(op.sequences))))]
        positions = [kernel.global_id(dimension, None) for dimension in reversed(DIMENSIONS[:rank])]
        element = _joined(kernel, op.sequences, positions)
    names = [argument.name_hint for argument in op.body.block.args]
    variables = [
        kernel.elements([sequence], [name], position)[0]
        for sequence, name, position in zip(op.sequences, names, positions, strict=True)
    ]
    values = kernel.inline(op.body, variables)
    kernel.store_results(op.outputs, values, element, plan.length())
    kernel.finish(plan.length(), elementwise=True, boxes=boxes)


def _makes_lists(op: skel.ForallOp) -> bool:
    return any(inner.dialect_name() == heap.HEAP.name for inner in op.walk())


def _divided(kernel: Kernel, sequences: Sequence[SSAValue], index: SSAValue) -> list[SSAValue]:
    """The position in each sequence of which the last runs fastest, of an iteration by its number."""
    found: list[SSAValue] = []
    rest = index
    for number in range(len(sequences) - 1, 0, -1):
        size = _size(kernel, sequences, number)
        found.insert(0, kernel.add(arith.RemUIOp(rest, size)).result)
        rest = kernel.add(arith.DivUIOp(rest, size)).result
    return [rest, *found]


def _joined(kernel: Kernel, sequences: Sequence[SSAValue], positions: Sequence[SSAValue]) -> SSAValue:
    """The number of an iteration, by its position in each sequence."""
    element = positions[0]
    for number, position in enumerate(positions[1:], start=1):
        row = kernel.add(arith.MuliOp(element, _size(kernel, sequences, number))).result
        joined = kernel.add(arith.AddiOp(row, position))
        element = joined.result
        if number == len(positions) - 1:
            joined.attributes[ELEMENT] = UnitAttr()
            element.name_hint = "index"
    return element


def _size(kernel: Kernel, sequences: Sequence[SSAValue], number: int) -> SSAValue:
    return kernel.parameter(kernel.plan.length_of(sequences[number]), f"size_{number}")

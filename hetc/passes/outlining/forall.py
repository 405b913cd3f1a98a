"""`skel.forall` as kernels: one work-item an iteration, in launches of as many dimensions as the loop has indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Region, SSAValue

from hetc.analysis.attributes import int_values
from hetc.analysis.kernels import ELEMENT
from hetc.dataclass import dataclass
from hetc.dialects import heap, skel
from hetc.passes.conversion.kernels import DIMENSIONS
from hetc.passes.outlining.host import Box, HostPlan
from hetc.passes.outlining.kernel import Kernel


def outline_forall(plan: HostPlan, op: skel.ForallOp) -> None:
    """The kernel computes the loop's variables from its indices, and runs the body, which stores to captured arrays.

    A loop over two or three indices is launched in as many dimensions, the last index as x, whose work-items are side
    by side in memory. One that makes lists is launched in one dimension, since its work-items may have to run again.
    The body of a loop's border is a kernel of its own, for two boxes along each axis. A `single` iteration is launched
    as one work-item, which is known now.
    """
    plan.at(op)
    if op.single is not None:
        _outline_single(plan, op)
        return
    rank = len(op.sequences)
    if heap.is_used_in(op) or rank > len(DIMENSIONS) or (rank == 1 and op.border is None):
        _outline(plan, op, op.body, plan.entry.sym_name.data, [])
        return
    interior, borders = _boxes(plan, op)
    name = plan.entry.sym_name.data
    buffers = plan.allocate_results(op.outputs, plan.length())
    _outline(plan, op, op.body, name, [interior], buffers)
    if op.border is not None:
        _outline(plan, op, op.border, f"{name}_border", borders, buffers)


def _outline(
    plan: HostPlan,
    op: skel.ForallOp,
    body: Region,
    name: str,
    boxes: Sequence[Box],
    buffers: Sequence[SSAValue] | None = None,
) -> None:
    """The kernel of a body, for all iterations or for those in some boxes."""
    kernel = Kernel(plan, name, op)
    if boxes:
        dimensions = reversed(DIMENSIONS[: len(op.sequences)])
        positions = [kernel.global_id(dimension, None) for dimension in dimensions]
        if len(positions) == len(DIMENSIONS) and boxes[0].start:
            # The offset in the last dimension is left at zero: `offload.zero` relies on it.
            plane = kernel.parameter_by_box([box.start[-1] for box in boxes], "plane")
            positions[0] = kernel.add(arith.AddiOp(positions[0], plane)).result
            boxes = [replace(box, start=(*box.start[:-1], plan.constant(0))) for box in boxes]
        element = _joined(kernel, op.sequences, positions)
    else:
        element = kernel.global_id()
        positions = _divided(kernel, op.sequences, element)
    names = [argument.name_hint for argument in body.block.args]
    variables = [
        kernel.elements([sequence], [name], position)[0]
        for sequence, name, position in zip(op.sequences, names, positions, strict=True)
    ]
    values = kernel.inline(body, variables)
    if buffers is None:
        buffers = plan.allocate_results(op.outputs, plan.length())
    for value, buffer in zip(values, kernel.result_parameters(buffers), strict=True):
        kernel.store(value, buffer, element)
    kernel.finish(plan.length(), elementwise=True, boxes=boxes)


def _outline_single(plan: HostPlan, op: skel.ForallOp) -> None:
    """The kernel of one iteration, which stores what it yields as the only elements of the results."""
    kernel = Kernel(plan, plan.entry.sym_name.data, op)
    first = kernel.constant(0)
    names = [argument.name_hint for argument in op.body.block.args]
    variables = [
        kernel.elements([sequence], [name], first)[0] for sequence, name in zip(op.sequences, names, strict=True)
    ]
    values = kernel.inline(op.body, variables)
    buffers = plan.allocate_results(op.outputs, plan.length())
    for value, buffer in zip(values, kernel.result_parameters(buffers), strict=True):
        kernel.store(value, buffer, first)
    kernel.finish(plan.constant(1), single=True)


def _boxes(plan: HostPlan, op: skel.ForallOp) -> tuple[Box, list[Box]]:
    """The interior of an index space, and two boxes along each axis that are its border."""
    lengths = [plan.length_of(sequence) for sequence in op.sequences]
    if op.margins is None:
        return Box(tuple(reversed(lengths))), []
    margins = int_values(op.margins)
    axes = [_Axis.of(plan, length, *margins[2 * k : 2 * k + 2]) for k, length in enumerate(lengths)]
    inner = [(axis.first, axis.inner) for axis in axes]
    borders: list[Box] = []
    for k, axis in enumerate(axes):
        rest = [(plan.constant(0), other.length) for other in axes[k + 1 :]]
        borders += [_box([*inner[:k], part, *rest]) for part in axis.ends]
    return _box(inner), borders


def _box(parts: Sequence[tuple[SSAValue, SSAValue]]) -> Box:
    """The box that starts there and is so large along each axis."""
    return Box(tuple(size for _, size in reversed(parts)), tuple(start for start, _ in reversed(parts)))


@dataclass(frozen=True)
class _Axis:
    """An axis of an index space: `inner` indices from `first` on are inside of its margins."""

    length: SSAValue
    first: SSAValue
    inner: SSAValue
    ends: tuple[tuple[SSAValue, SSAValue], ...]
    """Where the ends start, and how long they are."""

    @staticmethod
    def of(plan: HostPlan, length: SSAValue, low: int, high: int) -> _Axis:
        """An axis that may be shorter than its margins."""
        margins, first = plan.constant(low + high), plan.add(arith.MinUIOp(length, plan.constant(low))).result
        longer = plan.add(arith.MaxUIOp(length, margins)).result
        inner = plan.add(arith.SubiOp(longer, margins)).result
        end = plan.add(arith.AddiOp(first, inner)).result
        rest = plan.add(arith.SubiOp(length, end)).result
        ends = ((plan.constant(0), first), (end, rest))
        return _Axis(
            length, first, inner, tuple(part for part, margin in zip(ends, (low, high), strict=True) if margin)
        )


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

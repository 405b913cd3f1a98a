"""`skel.reduce` as three kernels: a tree of partial results that keeps the order of the operands.

The first two kernels combine runs of consecutive elements, one run a work-item, in order; the last continues from the
initial value. The levels have a fixed shape for a given length, so the result is deterministic. With an operator that is
known to commute, a work-item of the first kernel takes every p-th element instead of a run, so that neighbours read
neighbouring elements (coalesced loads on a GPU, vector loads on a CPU).

Blelloch, "Prefix sums and their applications", CMU-CS-90-190, 1990, section 1.2, gives the tree; the wide first level
follows Harris, "Optimizing parallel reduction in CUDA", 2007 ("algorithm cascading", after Brent's theorem).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Region, SSAValue

from hetc.dialects import skel
from hetc.passes.outlining.host import HostPlan
from hetc.passes.outlining.kernel import INDEX, Kernel

_COMMUTATIVE = (
    arith.AddfOp, arith.MulfOp, arith.AddiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp,
)  # fmt: skip


def outline_reduce(plan: HostPlan, op: skel.ReduceOp, partials: int, second: int) -> None:
    """The kernels and launches of a reduction."""
    plan.at(op)
    name = plan.entry.sym_name.data
    types = list(op.outputs.types)
    length = plan.length()
    count, first = _partial_buffers(plan, types, length, partials)
    kernel = Kernel(plan, f"{name}_partial", op)
    names = [argument.name_hint for argument in op.transform.block.args]

    def transformed(index: SSAValue) -> list[SSAValue]:
        return kernel.inline(op.transform, kernel.elements(op.inputs, names, index))

    _combine_runs(kernel, op, transformed, first, length, count, strided=is_commutative(op))
    count_2, following = _partial_buffers(plan, types, count, second)
    kernel = Kernel(plan, f"{name}_combine", op)
    sources = [kernel.parameter(buffer, f"partial{k}") for k, buffer in enumerate(first)]

    def loaded(index: SSAValue) -> list[SSAValue]:
        return [kernel.load(source, index) for source in sources]

    _combine_runs(kernel, op, loaded, following, count, count_2, strided=False)
    _finish(plan, op, f"{name}_final", following, count_2)


def is_commutative(op: skel.ReduceOp) -> bool:
    """Whether the operator is one op that commutes, on its two arguments."""
    block = op.combine.block
    body = [inner for inner in block.ops if not isinstance(inner, skel.YieldOp)]
    last = block.last_op
    return (
        len(body) == 1
        and isinstance(body[0], _COMMUTATIVE)
        and isinstance(last, skel.YieldOp)
        and tuple(last.values) == tuple(body[0].results)
        and set(body[0].operands) == set(block.args)
    )


def _partial_buffers(
    plan: HostPlan, types: Sequence, length: SSAValue, limit: int
) -> tuple[SSAValue, list[SSAValue]]:
    """At most `limit` partial results of `length` elements: their number, which leaves no run empty, and buffers."""
    bound = plan.add(arith.MinUIOp(length, plan.constant(limit))).result
    runs = plan.add(arith.MaxUIOp(bound, plan.constant(1))).result
    run = plan.add(arith.MaxUIOp(plan.add(arith.CeilDivUIOp(length, runs)).result, plan.constant(1))).result
    count = plan.add(arith.CeilDivUIOp(length, run)).result
    return count, [plan.allocate(count, type_) for type_ in types]


def _combine_runs(kernel: Kernel, op, element, targets, length: SSAValue, count: SSAValue, *, strided: bool) -> None:
    """Each work-item combines its elements, in order, and stores the partial result."""
    index = kernel.global_id()
    total, items = kernel.parameter(length, "length"), kernel.parameter(count, "items")
    if strided:
        accumulators = _strided(kernel, op, element, index, total, items)
    else:
        accumulators = _consecutive(kernel, op, element, index, total, items)
    for position, (value, target) in enumerate(zip(accumulators, targets, strict=True)):
        kernel.store(value, kernel.parameter(target, f"result{position if len(targets) > 1 else ''}"), index)
    kernel.finish(count)


def _consecutive(kernel: Kernel, op, element, index, total, items) -> list[SSAValue]:
    """Elements [index * run, (index + 1) * run), cut off at the end; no run is empty."""
    one = kernel.constant(1)
    run = kernel.add(arith.CeilDivUIOp(total, items)).result
    start = kernel.add(arith.MuliOp(index, run)).result
    end = kernel.add(arith.MinUIOp(kernel.add(arith.AddiOp(start, run)).result, total)).result
    first = element(start)
    return _loop(kernel, op, element, kernel.add(arith.AddiOp(start, one)).result, end, one, first)


def _strided(kernel: Kernel, op, element, index, total, items) -> list[SSAValue]:
    """Elements index, index + items, ...: the same number for every work-item, and one more for some."""
    zero, one = kernel.constant(0), kernel.constant(1)
    rounds = kernel.add(arith.DivUIOp(total, items)).result
    first = element(index)

    def at_round(round_: SSAValue) -> list[SSAValue]:
        offset = kernel.add(arith.MuliOp(round_, items)).result
        return element(kernel.add(arith.AddiOp(index, offset)).result)

    combined = _loop(kernel, op, at_round, one, rounds, one, first)
    whole = kernel.add(arith.MuliOp(rounds, items)).result
    last = kernel.add(arith.AddiOp(index, whole)).result
    more = kernel.add(arith.CmpiOp(last, total, "ult")).result
    then, other = Block(), Block()
    outer, kernel.current = kernel.current, then
    kernel.add(scf.YieldOp(*kernel.inline(op.combine, [*combined, *element(last)])))
    kernel.current = other
    kernel.add(scf.YieldOp(*combined))
    kernel.current = outer
    types = [value.type for value in combined]
    return list(kernel.add(scf.IfOp(more, types, Region(then), Region(other))).results)


def _loop(kernel: Kernel, op, element, start, end, step, first) -> list[SSAValue]:
    """Combine further elements into the accumulators."""
    body = Block(arg_types=[INDEX, *(value.type for value in first)])
    outer, kernel.current = kernel.current, body
    kernel.add(scf.YieldOp(*kernel.inline(op.combine, [*body.args[1:], *element(body.args[0])])))
    kernel.current = outer
    return list(kernel.add(scf.ForOp(start, end, step, first, Region(body))).results)


def _finish(plan: HostPlan, op: skel.ReduceOp, name: str, partials: Sequence[SSAValue], count: SSAValue) -> None:
    """One work-item continues from the initial value."""
    kernel = Kernel(plan, name, op)
    zero, one = kernel.constant(0), kernel.constant(1)
    sources = [kernel.parameter(buffer, f"partial{k}") for k, buffer in enumerate(partials)]
    total = kernel.parameter(count, "length")
    inits = [kernel.add(init.owner.clone()).results[0] for init in op.inits]

    def loaded(index: SSAValue) -> list[SSAValue]:
        return [kernel.load(source, index) for source in sources]

    values = _loop(kernel, op, loaded, zero, total, one, inits)
    single = plan.constant(1)
    for position, (output, value) in enumerate(zip(op.outputs, values, strict=True)):
        buffer = plan.allocate(single, output.type)
        plan.buffers[output] = buffer
        kernel.store(value, kernel.parameter(buffer, f"result{position if len(values) > 1 else ''}"), zero)
    kernel.finish(single)



"""`skel.scatter` as a few kernels: each work-item has a copy of the items of its own, and the copies are combined.

The elements are taken in runs of consecutive ones, one run a work-item, which combines each element into its copy of
the items; a last kernel combines the copies, in order, from the initial values. So operands keep their order, no atomic
operation is needed, and the result is the same each time, floats included. On a GPU, sums of integers, of which that is
true in any order, are added up in local memory. The more items there are, the fewer copies
have room; with one, a single work-item combines the elements into the results.

Where no two elements have the same key, each is stored in its place at once; a counter an item tells if that is true.

Copies for each processor are how histograms are made in parallel: Shams and Kennedy, "Efficient histogram algorithms
for NVIDIA CUDA compatible devices", 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, i1, i32
from xdsl.ir import Attribute, Block, Region, SSAValue

from hetc.analysis.attributes import known_integer
from hetc.analysis.operators import Number, identities
from hetc.dialects import guard, skel
from hetc.passes.conversion.kernels import atomic_addition
from hetc.passes.fusion.filters import combine_present
from hetc.passes.outlining.copies import CopiesShape, Runs, narrow_sums, scattered, widened
from hetc.passes.outlining.host import HostPlan
from hetc.passes.outlining.kernel import INDEX, Kernel
from hetc.passes.outlining.local_sums import SumsShape, add_in_local_memory, copied_types
from hetc.passes.outlining.runs import Operator, run_length, share


def outline_scatter(plan: HostPlan, op: skel.ScatterOp, shape: CopiesShape, sums: SumsShape) -> None:
    """The kernels and launches of a scatter, in copies of this shape; that of `sums`, if that is all it does."""
    plan.at(op)
    size, length = op.size.value.data, plan.length(*op.inputs)
    types = None if op.unique is not None else copied_types(plan, op, sums)
    from_zero = types is not None and all(known_integer(init) == 0 for init in op.inits)
    results = plan.allocate_results(op.outputs, plan.constant(size), zeroed=from_zero)
    copies = max(1, min(shape.copies, shape.room // size))
    if op.unique is not None:
        _fill(plan, op, op.inits, results, plan.constant(size))
        _to_places(plan, op, length, results)
    elif types is not None:
        if not from_zero:
            _fill(plan, op, op.inits, results, plan.constant(size))
        add_in_local_memory(plan, op, length, results, types, sums)
    elif copies == 1:
        _fill(plan, op, op.inits, results, plan.constant(size))
        Runs(plan, op, op.combine, length, share(plan, length, 1), shape.group).combine(results)
    else:
        _in_copies(plan, op, length, results, replace(shape, copies=copies))


def _in_copies(
    plan: HostPlan, op: skel.ScatterOp, length: SSAValue, results: Sequence[SSAValue], shape: CopiesShape
) -> None:
    """A copy of the items for each run, in which an identity is at first; where none is known, nothing is."""
    numbers = identities(op.combine.block)
    types, longest = narrow_sums(plan, op)
    each = shape.each(op, types)
    run = run_length(plan, length, shape.copies)
    if longest is not None:
        run = plan.add(arith.MinUIOp(run, plan.constant(longest))).result
    count = plan.add(arith.CeilDivUIOp(length, run)).result
    if each > 1:
        count = plan.add(arith.MuliOp(count, plan.constant(each))).result
    slots = plan.add(arith.MuliOp(count, plan.constant(op.size.value.data))).result
    if numbers is None:
        combine = Region(combine_present(op.combine.clone(), types, op))
        partials = [*(plan.allocate(slots, type_) for type_ in types), plan.allocate(slots, i1, zeroed=True)]
    else:
        combine = op.combine
        zeroed = all(isinstance(number, IntegerAttr) and number.value.data == 0 for number in numbers)
        partials = [plan.allocate(slots, type_, zeroed=zeroed) for type_ in types]
        if not zeroed:
            constants = [_of_type(number, type_) for number, type_ in zip(numbers, types, strict=True)]
            _fill(plan, op, [plan.add(arith.ConstantOp(number)).result for number in constants], partials, slots)
    Runs(plan, op, combine, length, run, shape.group, each).combine(partials)
    _combine_copies(plan, op, combine, count, partials, results)


def _of_type(number: Number, type_: Attribute) -> Number:
    """The same number in a type as narrow as that of the copies."""
    return IntegerAttr(number.value.data, i32) if type_ == i32 and isinstance(number, IntegerAttr) else number


def _fill(
    plan: HostPlan, op: skel.ScatterOp, values: Sequence[SSAValue], buffers: Sequence[SSAValue], count: SSAValue
) -> None:
    """Give all items the same values."""
    kernel = Kernel(plan, f"{plan.entry.sym_name.data}_fill", op)
    index = kernel.global_id()
    numbers = Operator(op, op.combine, values).beginning(kernel)
    for value, buffer in zip(numbers, kernel.result_parameters(buffers), strict=True):
        kernel.store(value, buffer, index)
    kernel.finish(count)


def _to_places(plan: HostPlan, op: skel.ScatterOp, length: SSAValue, results: Sequence[SSAValue]) -> None:
    """Each work-item stores one element, unless another has been stored there."""
    taken = plan.allocate(plan.constant(op.size.value.data), i32, zeroed=True)
    kernel = Kernel(plan, f"{plan.entry.sym_name.data}_scatter", op)
    place, values = scattered(kernel, op, kernel.global_id())
    one, zero = (kernel.add(arith.ConstantOp(IntegerAttr(number, i32))).result for number in (1, 0))
    before = kernel.add(atomic_addition(one, kernel.parameter(taken, "taken"), place)).result
    free = kernel.add(arith.CmpiOp(before, zero, "eq")).result
    kernel.add(guard.RequireOp(free, guard.GuardKind.VALUE, "two elements have the same key"))
    for value, buffer in zip(values, kernel.result_parameters(results), strict=True):
        kernel.store(value, buffer, place)
    kernel.finish(length)


def _combine_copies(
    plan: HostPlan,
    op: skel.ScatterOp,
    operator: Region,
    count: SSAValue,
    copies: Sequence[SSAValue],
    results: Sequence[SSAValue],
) -> None:
    """Each work-item combines what the copies have of one item, in order, from its initial value."""
    kernel = Kernel(plan, f"{plan.entry.sym_name.data}_combine", op)
    item = kernel.global_id()
    first = Operator(op, op.combine, op.inits).beginning(kernel)
    if len(copies) > len(first):
        first.append(kernel.add(arith.ConstantOp(IntegerAttr(1, i1))).result)
    size, zero, one = kernel.constant(op.size.value.data), kernel.constant(0), kernel.constant(1)
    sources = [kernel.parameter(buffer, f"copies{k}") for k, buffer in enumerate(copies)]
    body = Block(arg_types=[INDEX, *(value.type for value in first)])
    outer, kernel.current = kernel.current, body
    slot = kernel.add(arith.AddiOp(kernel.add(arith.MuliOp(body.args[0], size)).result, item)).result
    numbers = widened(kernel, operator, [kernel.load(source, slot) for source in sources])
    kernel.add(scf.YieldOp(*kernel.inline(operator, [*body.args[1:], *numbers])))
    kernel.current = outer
    total = kernel.parameter(count, "copies")
    combined = kernel.add(scf.ForOp(zero, total, one, first, Region(body))).results
    for value, buffer in zip(combined, kernel.result_parameters(results), strict=False):
        kernel.store(value, buffer, item)
    kernel.finish(plan.constant(op.size.value.data))

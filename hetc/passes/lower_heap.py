"""lower-heap: lists in the heap become positions in its arrays, and a launch that is repeated until all have room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, gpu, memref
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc import abi
from hetc.analysis.attributes import int_values
from hetc.analysis.entry import entry_function
from hetc.analysis.locations import source_location
from hetc.analysis.source_types import from_ir
from hetc.analysis.walking import host_ops, kernels_in
from hetc.diagnostics import Category
from hetc.dialects import heap, offload
from hetc.errors import UnsupportedError
from hetc.passes.heaps.kernel import HeapKernel, Lists


@dataclass(frozen=True)
class LowerHeapPass(ModulePass):
    """Lower the `heap` dialect: give kernels a heap, and the plan the steps that drain it.

    Needs: kernels outlined. Leaves: no `heap` op; `offload.heap` before the launch of a kernel with lists, and
    `offload.drain` after it; guards of kind `alloc`, as `guard.check`, where room may be missing.

    1. Carry the lists of `scf.if`, `scf.for` and `scf.while` as three integers: begin, length, room.
    2. Items of one type share an area of the heap: an array for each number of an item, and a top. Room for n items is
       taken by adding n to the top in one step; it is there if that is not past the capacity. A list that is full moves
       to twice the room, at least 4. Loads and stores access the arrays of the area.
    3. A work-item that finds no room marks itself, sets the failed flag and leaves. It has changed nothing that others
       look at, so it may run again from its start.
    4. Each kernel runs only the iterations that are left; an iteration is done as soon as it starts, unless it marks
       itself, so that one that a guard sends to Python is not run again. It leaves before it computes anything if
       others have found no room: what they asked for in vain stays taken, so it would find none either.
    5. A list in a result is where it begins in all that was drained of its area; the host's result is put together from
       these arrays too. What elements that leave do not store is zero: an empty list.

    Refuses lists in kernels whose work-items do more than compute their own element (reductions, filters, loops that
    store to arrays): these cannot be run again. Refuses devices without atomic operations on 64-bit integers, in which
    the top cannot wrap.

    Taking room work-group by work-group would save atomic operations, which on an H200 are 7 % of a kernel that does
    little else, and needs a barrier before which no guard may leave. Cost: linear.
    """

    name = "lower-heap"
    atomics: tuple[int, ...] = (32, 64)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entry = entry_function(op)
        for kernel in kernels_in(op):
            first = next((inner for inner in kernel.walk() if inner.dialect_name() == heap.HEAP.name), None)
            if first is None or entry is None:
                continue
            self._check(first, kernel, entry)
            _lower(kernel, entry)

    def _check(self, first: Operation, kernel: gpu.FuncOp, entry: func.FuncOp) -> None:
        """Raise UnsupportedError where work-items cannot be run again, or cannot take room."""
        writes = any(isinstance(op, offload.WriteBackOp | offload.WrittenOp) for op in entry.walk())
        reason = None
        if "offload.elementwise" not in kernel.attributes or writes:
            reason = "a list whose length varies is compiled in maps alone"
        elif 64 not in self.atomics:
            reason = "a list whose length varies needs 64-bit atomic operations, which the device does not have"
        if reason is not None:
            raise UnsupportedError(reason, location=source_location(first.location), category=Category.CONTAINER)


def _lower(kernel: gpu.FuncOp, entry: func.FuncOp) -> None:
    (launch,) = [
        op for op in host_ops(entry) if isinstance(op, offload.LaunchOp) and op.kernel_name == kernel.sym_name.data
    ]
    lists = [type_ for op in kernel.walk() for type_ in _list_types(op)]
    areas = list(dict.fromkeys(type_.item for type_ in lists))
    arrays = [heap.item_payloads(item) for item in areas]
    published = {
        op.list.type.item
        for op in kernel.walk()
        if isinstance(op, heap.PublishOp) and isinstance(op.list.type, heap.ListType)
    }
    made = offload.HeapOp(launch.extent, arrays)
    drained = [array if item in published else () for item, array in zip(areas, arrays, strict=True)]
    drain = offload.DrainOp(made.state, launch.kernel, drained)
    for step in (made, drain):
        step.location = launch.location
    _clear_results(kernel, launch)
    Rewriter.insert_op(made, InsertPoint.before(launch))
    Rewriter.insert_op(drain, InsertPoint.after(launch))
    Lists().convert(kernel)
    HeapKernel(kernel, launch, made, areas).run()
    if published:
        _find_in_drained(entry, dict(zip(areas, offload.in_areas(drain.hosts, int_values(drain.areas)), strict=True)))


def _list_types(op: Operation) -> list[heap.ListType]:
    """The types of the lists that an op makes, takes along, or gives."""
    arguments = [argument.type for region in op.regions for block in region.blocks for argument in block.args]
    return [type_ for type_ in (*op.result_types, *arguments) if isinstance(type_, heap.ListType)]


def _clear_results(kernel: gpu.FuncOp, launch: offload.LaunchOp) -> None:
    """Where lists begin and how long they are is zero where no work-item says so."""
    for op in kernel.walk():
        if isinstance(op, heap.PublishOp):
            for use in [use for result in op.results for use in result.uses]:
                store = use.operation
                assert isinstance(store, memref.StoreOp)
                assert isinstance(store.memref, BlockArgument)
                buffer = launch.arguments[store.memref.index].owner
                assert isinstance(buffer, offload.AllocOp)
                buffer.properties["zeroed"] = UnitAttr()


def _find_in_drained(entry: func.FuncOp, drained: dict[Attribute, Sequence[SSAValue]]) -> None:
    """The arrays of the items stand behind begin and length of each list in the result."""
    by_type = {from_ir(item): hosts for item, hosts in drained.items()}
    for op in [inner for inner in entry.walk() if isinstance(inner, offload.UnmarshalOp)]:
        hosts = iter(op.hosts)
        op.operands = list(_with_items(from_ir(op.element), hosts, by_type))


def _with_items(
    element: abi.ElementType, hosts: Iterator[SSAValue], by_type: Mapping[abi.ElementType, Sequence[SSAValue]]
) -> list[SSAValue]:
    """The host arrays of an element: those that there are, and behind those of each list what was drained."""
    match element:
        case abi.ListType(item):
            return [next(hosts), next(hosts), *by_type[item]]
        case abi.TupleType(items) | abi.ObjectType(items=items):
            return [host for item in items for host in _with_items(item, hosts, by_type)]
        case _:
            return [next(hosts) for _ in abi.leaves(element)]

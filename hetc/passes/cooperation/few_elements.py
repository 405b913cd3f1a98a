"""A launch as two: of a kernel whose groups share the work of few elements, and of the one that there was, for many."""

from __future__ import annotations

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, SymbolRefAttr, i64
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.attributes import int_values
from hetc.analysis.kernels import most_points
from hetc.analysis.walking import host_ops, kernels_in
from hetc.dialects import offload
from hetc.passes.conversion.insertion import insert
from hetc.passes.cooperation.code import Code

SUMMED, SPREAD = "_summed", "_spread"
"""The ends of the names of kernels that `sum-in-groups` and `spread-loops` make."""


def launched_alone(op: ModuleOp) -> list[tuple[gpu.FuncOp, offload.LaunchOp]]:
    """The kernels that are launched at one place, along one dimension, with a test in the last group; those places.

    Kernels that have a version for few elements already are not among them.
    """
    drained = {inner.kernel for inner in host_ops(op) if isinstance(inner, offload.DrainOp)}
    launches = [inner for inner in host_ops(op) if isinstance(inner, offload.LaunchOp)]
    kernels = {inner.sym_name.data: inner for inner in kernels_in(op)}
    found: list[tuple[gpu.FuncOp, offload.LaunchOp]] = []
    for name, kernel in kernels.items():
        calls = [launch for launch in launches if launch.kernel_name == name]
        if len(calls) != 1 or calls[0].kernel in drained or calls[0].tail.data != "guard" or len(calls[0].box) > 1:
            continue
        if not {f"{name}{SUMMED}", f"{name}{SPREAD}"} & kernels.keys():
            found.append((kernel, calls[0]))
    return found


def for_few(
    launch: offload.LaunchOp, old: gpu.FuncOp, new: gpu.FuncOp, rows: int, lanes: int, most: int, units: int = 1
) -> None:  # fmt: skip
    """Add a kernel, whose groups of `lanes` compute up to `rows` elements, for launches of fewer than `most` points.

    Its last arguments are where its elements start and, if it is more than one, how many each group computes: as many
    as give the device's processors, `units`, equally many groups. If there are never more points, the kernel that there
    was is erased.
    """
    block = old.parent_block()
    assert block is not None
    block.insert_op_after(new, old)
    *outer, _ = launch.kernel.nested_references.data
    symbol = SymbolRefAttr(launch.kernel.root_reference, [*outer, new.sym_name])
    always = (most_points(old) or most) < most
    code = Code(InsertPoint.before(launch), launch)
    few = many = size = launch.box[0] if launch.box else launch.extent
    start: SSAValue = launch.start[0] if launch.start else code.constant(0)
    if not always:
        is_large = code.compute(arith.MinUIOp, code.compute(arith.DivUIOp, size, most), 1)
        many = code.compute(arith.MuliOp, size, is_large)
        few = code.compute(arith.SubiOp, size, many)
    own = [] if rows == 1 else [balanced(code, few, rows, units)]
    groups = code.add(arith.CeilDivUIOp(few, own[0])) if own else few
    items = code.compute(arith.MuliOp, groups, lanes)
    insert(
        [offload.LaunchOp(symbol, items, [*launch.arguments, start, *own], lanes, "exact")],
        InsertPoint.before(launch),
        launch,
    )
    if always:
        Rewriter.erase_op(launch)
        Rewriter.erase_op(old)
        return
    first = code.compute(arith.AddiOp, start, few)
    group = launch.group.value.data
    rest = offload.LaunchOp(
        launch.kernel, launch.extent, list(launch.arguments), group, "guard", box=[many], start=[first]
    )
    shape = [group] if launch.shape is None else int_values(launch.shape)
    rest.properties["shape"] = DenseArrayBase.from_list(i64, shape)
    insert([rest], InsertPoint.before(launch), launch)
    Rewriter.erase_op(launch)


def balanced(code: Code, points: SSAValue, most: int, units: int) -> SSAValue:
    """How many points a group is to have, at most `most`, so that all processors get the same number of groups.

    Of 5,500 points in groups of 16, 80 of 132 processors would get three groups, and the others two; in groups of 14,
    all but three of them get three.
    """
    turns = code.add(arith.CeilDivUIOp(points, code.constant(units * most)))
    groups = code.compute(arith.MuliOp, code.compute(arith.MaxUIOp, turns, 1), units)
    return code.compute(arith.MaxUIOp, code.add(arith.CeilDivUIOp(points, groups)), 1)

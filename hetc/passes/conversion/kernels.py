"""Kernels that get another parameter, or run for some work-items only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import gpu, memref, scf
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.kernels import ADD_INTEGERS
from hetc.dialects import offload

DIMENSIONS = (gpu.DimensionEnum.X, gpu.DimensionEnum.Y, gpu.DimensionEnum.Z)
"""The dimensions of a launch, in the order of their sizes."""


def add_parameter(kernel: gpu.FuncOp, arguments: Mapping[offload.LaunchOp, SSAValue], name: str) -> SSAValue:
    """One more parameter of a kernel, with its argument for each launch."""
    block = kernel.body.block
    parameter = block.insert_arg(next(iter(arguments.values())).type, len(block.args))
    parameter.name_hint = name
    kernel.properties["function_type"] = kernel.function_type.from_lists(block.arg_types, [])
    for launch, value in arguments.items():
        launch.pass_arguments([*launch.arguments, value])
    return parameter


def global_id(kernel: gpu.FuncOp, dimension: gpu.DimensionEnum = gpu.DimensionEnum.X) -> gpu.GlobalIdOp:
    """The op that gives a kernel the index of its work-item: the one that it has, else a new one at its start."""
    block = kernel.body.block
    for op in block.ops:
        if isinstance(op, gpu.GlobalIdOp) and op.dimension.data is dimension:
            return op
    made = gpu.GlobalIdOp(gpu.DimensionAttr(dimension))
    made.location = kernel.location
    first = block.first_op
    assert first is not None
    Rewriter.insert_op(made, InsertPoint.before(first))
    return made


def atomic_addition(value: SSAValue, buffer: SSAValue, index: SSAValue) -> memref.AtomicRMWOp:
    """Adds an integer to one in memory, in one step; the result is what was there."""
    return memref.AtomicRMWOp.create(
        operands=[value, buffer, index],
        result_types=[value.type],
        properties={"kind": IntegerAttr(ADD_INTEGERS, i64)},
    )


def run_only_if(kernel: gpu.FuncOp, test: Sequence[Operation], condition: SSAValue) -> Block:
    """before: body; after: test; if (condition) { body }. The result is the block of the body.

    The ops of the test read the work-item's index and parameters alone.
    """
    block = kernel.body.block
    terminator = block.last_op
    assert terminator is not None
    body = Block()
    for op in list(block.ops):
        if not isinstance(op, gpu.GlobalIdOp) and op is not terminator:
            op.detach()
            body.add_op(op)
    end = scf.YieldOp()
    body.add_op(end)
    guarded = scf.IfOp(condition, [], Region(body))
    for op in (*test, guarded, end):
        op.location = kernel.location
    Rewriter.insert_op([*test, guarded], InsertPoint.before(terminator))
    return body

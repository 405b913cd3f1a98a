"""choose-index-space: how a launch meets the device's work-groups, and how wide an index is."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, StringAttr, i1, i64
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from hetc.analysis.attributes import known_integer
from hetc.analysis.entry import entry_function
from hetc.dialects import offload


@dataclass(frozen=True)
class ChooseIndexSpacePass(ModulePass):
    """Fix the work-group size of each launch, what happens in the last group, and the width of `index`.

    Needs: kernels outlined. Leaves: launches with `group` and `tail`; with tail "guard", kernels that test their index;
    `offload.index_bits` on the kernels' module.

    1. Set group and tail of every launch. A launch of one work-item, or of groups that its kernel relies on, stays
       "exact".
    2. tail "guard": give the kernel the extent, and wrap its body in `if (global_id < extent)`.
    3. Set the index width: `index-bits`, but 64 where a dimension has 2**31 elements or more.
    4. `masked-faults`: a kernel with one of two forms gets tail "guard". For a last group that is not a multiple of 16,
       Intel's compiler (2025) makes a variant of the kernel with masks, and gets them wrong there: a complement beside
       an integer minimum or maximum is lost (`min(x, ~y)` is `min(x, y)`), and a float of an integer of a float is the
       float without its fraction, so -0.0 where it should be 0.0. Groups that are full never run that variant.

    The options come from the device. Measured on 2 cores of an AMD EPYC with Intel's CPU runtime: a tail guard makes
    saxpy up to 8 times slower, a 32-bit index up to 2 times; so CPU devices get "split" and 64 bits, GPUs "guard" and
    32. Starting a group costs a CPU runtime some time: saxpy on 2 cores with AVX-512 takes 6.4 ms in groups of 256 and
    5.0 in groups of 4096. Kernels with loops do not notice, and small groups spread them better: `loop-group` is
    theirs. Cost: linear.
    """

    name = "choose-index-space"
    group: int = 0
    loop_group: int = 0
    tail: str = "exact"
    index_bits: int = 64
    masked_faults: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.tail not in offload.TAILS or self.index_bits not in (32, 64) or min(self.group, self.loop_group) < 0:
            raise PassFailedException(
                f"choose-index-space: tail is one of {', '.join(offload.TAILS)}, index-bits 32 or 64, groups at least 0"
            )
        kernels = {f.sym_name.data: f for f in op.walk() if isinstance(f, gpu.FuncOp)}
        for launch in [inner for inner in op.walk() if isinstance(inner, offload.LaunchOp)]:
            if launch.group.value.data or _is_single(launch):
                continue
            kernel = kernels[launch.kernel_name]
            launch.properties["group"] = IntegerAttr(self.loop_group if _has_loop(kernel) else self.group, i64)
            tail = "guard" if self.masked_faults and _fails_under_masks(kernel) else self.tail
            launch.properties["tail"] = StringAttr(tail)
            if tail == "guard":
                _guard_tail(launch, kernel)
        entry = entry_function(op)
        wide = entry is not None and "skel.wide" in entry.attributes
        for module in op.ops:
            if isinstance(module, gpu.ModuleOp):
                module.attributes["offload.index_bits"] = IntegerAttr(64 if wide else self.index_bits, i64)


def _has_loop(kernel: gpu.FuncOp) -> bool:
    """Whether a work-item may take long."""
    return any(isinstance(op, scf.ForOp | scf.WhileOp) for op in kernel.walk())


def _fails_under_masks(kernel: gpu.FuncOp) -> bool:
    """Whether Intel's compiler may find a complement beside an integer minimum, or a float of an integer of a float."""
    ops = list(kernel.walk())
    chooses = (arith.SelectOp, scf.IfOp, arith.MinSIOp, arith.MaxSIOp, arith.MinUIOp, arith.MaxUIOp)
    if any(map(_is_negative, ops)) and any(isinstance(op, chooses) for op in ops):
        return True
    to_integer = any(isinstance(op, arith.FPToSIOp | arith.FPToUIOp) for op in ops)
    return to_integer and any(isinstance(op, arith.SIToFPOp | arith.UIToFPOp) for op in ops)


def _is_negative(op: Operation) -> bool:
    """`x ^ -1`, `c - x` or `x * -1` of integers: with constants added, here or elsewhere, it makes a complement."""
    match op:
        case arith.XOrIOp():
            return op.result.type != i1 and any(known_integer(operand) == -1 for operand in op.operands)
        case arith.SubiOp(lhs=left):
            return known_integer(left) is not None
        case arith.MuliOp():
            return any(known_integer(operand) == -1 for operand in op.operands)
        case _:
            return False


def _is_single(launch: offload.LaunchOp) -> bool:
    """Whether the launch is of one work-item, known now."""
    return known_integer(launch.extent) == 1


def _guard_tail(launch: offload.LaunchOp, kernel: gpu.FuncOp) -> None:
    """before: body; after: if (global_id < extent) { body }."""
    block = kernel.body.block
    extent = block.insert_arg(IndexType(), len(block.args))
    extent.name_hint = "extent"
    launch.operands = [*launch.operands, launch.extent]
    kernel.properties["function_type"] = kernel.function_type.from_lists(block.arg_types, [])
    terminator = block.last_op
    assert terminator is not None
    body = Block()
    identifier: gpu.GlobalIdOp | None = None
    for op in list(block.ops):
        if isinstance(op, gpu.GlobalIdOp) and identifier is None:
            identifier = op
        elif op is not terminator:
            op.detach()
            body.add_op(op)
    if identifier is None:
        identifier = gpu.GlobalIdOp(gpu.DimensionAttr(gpu.DimensionEnum.X))
        Rewriter.insert_op(identifier, InsertPoint.before(terminator))
    inside = arith.CmpiOp(identifier.result, extent, "ult")
    body.add_op(scf.YieldOp())
    guarded = scf.IfOp(inside, [], Region(body))
    for op in (identifier, inside, guarded, body.last_op):
        assert op is not None
        op.location = kernel.location
    Rewriter.insert_op([inside, guarded], InsertPoint.before(terminator))

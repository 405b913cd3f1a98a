"""lower-guards: guards become checks of a flag buffer, facts and overflow questions become plain arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp, i32
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.entry import entry_function
from hetc.analysis.intervals import Interval
from hetc.analysis.ranges import Ranges
from hetc.dialects import guard, offload


@dataclass(frozen=True)
class LowerGuardsPass(ModulePass):
    """Lower what is left of the `guard` dialect to what a kernel can do.

    Needs: kernels outlined. Leaves: `guard.check` only.

    1. An addition, subtraction or multiplication whose ranges show that it does not wrap says so (`overflow<nsw>`): the
       last use of the facts, which C needs, where signed integers must not overflow. Then fact(x) -> x.
    2. fits(add, a, b) -> ((a ^ r) & (b ^ r)) >= 0 with r = a + b, and likewise for sub and mul
       (Warren, Hacker's Delight, 2nd edition, sections 2-13 and 2-14).
    3. Number the guards of all kernels; allocate one flag for each, zeroed, before the first launch.
    4. Give each kernel with guards the flags; require(c) -> check(c, flags[k]).
    5. After the last launch, check the flags.

    Cost: linear.
    """

    name = "lower-guards"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [inner for inner in op.walk() if isinstance(inner, gpu.FuncOp)]:
            _mark_no_wrap(kernel)
        for inner in list(op.walk()):
            if isinstance(inner, guard.FactOp):
                if inner.operand.name_hint is None:
                    inner.operand.name_hint = inner.result.name_hint
                inner.result.replace_all_uses_with(inner.operand)
                Rewriter.erase_op(inner)
            elif isinstance(inner, guard.FitsOp):
                _lower_fits(inner)
        entry = entry_function(op)
        kernels = [inner for inner in op.walk() if isinstance(inner, gpu.FuncOp)]
        guards = {k: [g for g in k.walk() if isinstance(g, guard.RequireOp)] for k in kernels}
        if entry is not None and any(guards.values()):
            _lower_requires(entry, guards)


_EXACT: dict[type[Operation], Callable[[Interval, Interval], Interval]] = {
    arith.AddiOp: Interval.__add__,
    arith.SubiOp: Interval.__sub__,
    arith.MuliOp: Interval.__mul__,
}


def _mark_no_wrap(kernel: gpu.FuncOp) -> None:
    ranges = Ranges(kernel)
    for op in kernel.walk():
        if not isinstance(op, arith.AddiOp | arith.SubiOp | arith.MuliOp):
            continue
        type_, exact = op.result.type, _EXACT[type(op)](ranges.get(op.lhs), ranges.get(op.rhs))
        if isinstance(type_, IntegerType) and exact in Interval.of_width(type_.width.data):
            op.overflow_flags = arith.IntegerOverflowAttr((arith.IntegerOverflowFlag.NSW,))


def _lower_fits(op: guard.FitsOp) -> None:
    """The question becomes bit arithmetic."""
    a, b, type_ = op.left, op.right, op.left.type
    assert isinstance(type_, IntegerType)
    ops: list[Operation]
    if op.operator.data == "mul":
        low, product = arith.MuliOp(a, b), arith.MulSIExtendedOp(a, b)
        shift = arith.ConstantOp(IntegerAttr(type_.width.data - 1, type_))
        sign = arith.ShRSIOp(low.result, shift.result)
        ops = [low, product, shift, sign, arith.CmpiOp(product.high, sign.result, "eq")]
    else:
        adds = op.operator.data == "add"
        result = (arith.AddiOp if adds else arith.SubiOp)(a, b)
        left = arith.XOrIOp(a, result.result)
        right = arith.XOrIOp(b, result.result) if adds else arith.XOrIOp(a, b)
        both = arith.AndIOp(left.result, right.result)
        zero = arith.ConstantOp(IntegerAttr(0, type_))
        ops = [result, left, right, both, zero, arith.CmpiOp(both.result, zero.result, "sge")]
    for new in ops:
        new.location = op.location
    Rewriter.replace_op(op, ops, [ops[-1].results[0]])


def _lower_requires(entry: Operation, guards: dict[gpu.FuncOp, list[guard.RequireOp]]) -> None:
    launches = [op for op in entry.walk() if isinstance(op, offload.LaunchOp)]
    flags = _allocate_flags(launches[0], sum(map(len, guards.values())))
    slot = 0
    for kernel, requires in guards.items():
        if not requires:
            continue
        block = kernel.body.block
        parameter = block.insert_arg(flags.type, len(block.args))
        parameter.name_hint = "flags"
        kernel.properties["function_type"] = kernel.function_type.from_lists(block.arg_types, [])
        for launch in launches:
            if launch.kernel_name == kernel.sym_name.data:
                launch.operands = [*launch.operands, flags]
        for require in requires:
            check = guard.CheckOp(require.condition, parameter, slot, require)
            check.location = require.location
            Rewriter.replace_op(require, check)
            slot += 1
    check_guards = offload.CheckGuardsOp(flags)
    check_guards.location = launches[-1].location
    Rewriter.insert_op(check_guards, InsertPoint.after(launches[-1]))


def _allocate_flags(first: offload.LaunchOp, count: int) -> SSAValue:
    size = arith.ConstantOp(IntegerAttr(count, offload.INDEX))
    flags = offload.AllocOp(size.result, i32, zeroed=True)
    flags.result.name_hint = "flags"
    for op in (size, flags):
        op.location = first.location
    Rewriter.insert_op([size, flags], InsertPoint.before(first))
    return flags.result

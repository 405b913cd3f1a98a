"""lower-guards: guards become checks of a flag buffer, facts and overflow questions become plain arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp, i8, i32
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.conditions import Predicate
from hetc.analysis.entry import entry_function
from hetc.analysis.intervals import Interval
from hetc.analysis.kernels import last_block
from hetc.analysis.ranges import Ranges
from hetc.dialects import guard, offload
from hetc.passes.conversion.overflow import lower_fits


@dataclass(frozen=True)
class LowerGuardsPass(ModulePass):
    """Lower what is left of the `guard` dialect to what a kernel can do.

    Needs: kernels outlined. Leaves: `guard.check` only.

    1. An addition, subtraction or multiplication whose ranges show that it does not wrap says so (`overflow<nsw>`): the
       last use of the facts, which C needs, where signed integers must not overflow. Then fact(x) -> x.
    2. fits(...) -> the cheapest arithmetic that answers it (`hetc.passes.conversion.overflow`). `float-products` is for
       CPUs, whose vectors have no high half of a 64-bit product: a * b + a took 2.6 times the time without guards with
       that half, and takes 1.2 times with the product as floats (Intel's runtime, AVX-512).
    3. 0 <= x and x < n -> x < n without sign, where n is not negative: the check of an index is one comparison.
    4. Number the guards of all kernels; allocate one flag for each, zeroed, before the first launch.
    5. Give each kernel with guards the flags; require(c) -> check(c, flags[k]), which stays if the kernel ends there.
    6. If the plan is one launch in which each work-item computes its element (`offload.elementwise`), a failure
       concerns that element alone: the check also marks its block of `block` elements, for Python to run these again.
    7. After the last launch, check the flags.

    A mark is a plain store, in a branch that is rarely taken. A list of failed indices would need an atomic counter,
    which made an addition with an overflow guard 1.25 times slower (Intel's runtime). Cost: linear.
    """

    name = "lower-guards"
    block: int = 256
    float_products: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        ranges = Ranges(op)
        for kernel in [inner for inner in op.walk() if isinstance(inner, gpu.FuncOp)]:
            _mark_no_wrap(kernel, ranges)
        for question in [inner for inner in op.walk() if isinstance(inner, guard.FitsOp)]:
            lower_fits(question, ranges, float_products=self.float_products)
        for inside in [inner for inner in op.walk() if isinstance(inner, arith.AndIOp)]:
            _compare_once(inside, ranges)
        for inner in list(op.walk()):
            if isinstance(inner, guard.FactOp):
                if inner.operand.name_hint is None:
                    inner.operand.name_hint = inner.result.name_hint
                inner.result.replace_all_uses_with(inner.operand)
                Rewriter.erase_op(inner)
        entry = entry_function(op)
        kernels = [inner for inner in op.walk() if isinstance(inner, gpu.FuncOp)]
        guards = {k: [g for g in k.walk() if isinstance(g, guard.RequireOp)] for k in kernels}
        if entry is not None and any(guards.values()):
            _Lowering(entry, guards, self.block).run()


def _compare_once(op: arith.AndIOp, ranges: Ranges) -> None:
    """0 <= x and x < n -> x < n without sign, where n is not negative."""
    low, high = op.lhs.owner, op.rhs.owner
    if not isinstance(low, arith.CmpiOp) or not isinstance(high, arith.CmpiOp) or low.lhs is not high.lhs:
        return
    if (low.predicate.value.data, high.predicate.value.data) != (Predicate.SGE, Predicate.SLT):
        return
    if ranges.get(low.rhs) == Interval(0, 0) and ranges.get(high.rhs).low >= 0:
        new = arith.CmpiOp(high.lhs, high.rhs, "ult")
        new.location = op.location
        Rewriter.replace_op(op, new)


_EXACT: dict[type[Operation], Callable[[Interval, Interval], Interval]] = {
    arith.AddiOp: Interval.__add__,
    arith.SubiOp: Interval.__sub__,
    arith.MuliOp: Interval.__mul__,
}


def _mark_no_wrap(kernel: gpu.FuncOp, ranges: Ranges) -> None:
    for op in kernel.walk():
        if not isinstance(op, arith.AddiOp | arith.SubiOp | arith.MuliOp):
            continue
        type_, exact = op.result.type, _EXACT[type(op)](ranges.get(op.lhs), ranges.get(op.rhs))
        if isinstance(type_, IntegerType) and exact in Interval.of_width(type_.width.data):
            op.overflow_flags = arith.IntegerOverflowAttr((arith.IntegerOverflowFlag.NSW,))


@dataclass
class _Lowering:
    """Lowers the guards of all kernels of a plan."""

    entry: Operation
    guards: dict[gpu.FuncOp, list[guard.RequireOp]]
    block: int

    def run(self) -> None:
        """Number the guards, and let the plan check them."""
        launches = [op for op in self.entry.walk() if isinstance(op, offload.LaunchOp)]
        first, last = launches[0], launches[-1]
        flags = _allocate(first, _constant(first, sum(map(len, self.guards.values()))), i32, "flags")
        elementwise = first is last and "offload.elementwise" in next(iter(self.guards)).attributes
        marks = self._allocate_marks(first) if elementwise else None
        slot = 0
        for kernel, requires in self.guards.items():
            if requires:
                calls = [launch for launch in launches if launch.kernel_name == kernel.sym_name.data]
                slot = self._lower_kernel(kernel, requires, calls, flags, marks, slot)
        check = offload.CheckGuardsOp(flags, marks, None if marks is None else self.block)
        check.location = last.location
        Rewriter.insert_op(check, InsertPoint.after(last))

    def _allocate_marks(self, launch: offload.LaunchOp) -> SSAValue:
        count = arith.CeilDivUIOp(launch.extent, _constant(launch, self.block))
        count.location = launch.location
        Rewriter.insert_op(count, InsertPoint.before(launch))
        return _allocate(launch, count.result, i8, "marks")

    def _lower_kernel(
        self,
        kernel: gpu.FuncOp,
        requires: list[guard.RequireOp],
        launches: list[offload.LaunchOp],
        flags: SSAValue,
        marks: SSAValue | None,
        slot: int,
    ) -> int:
        """Give a kernel the flags and marks, and its guards numbers from `slot` on; the result is the next number."""
        parameter = _add_parameter(kernel, launches, flags, "flags")
        marked = None if marks is None else _add_parameter(kernel, launches, marks, "marks")
        mark = None if marks is None else self._block_of_element(kernel)
        last = _last_guards(kernel)
        for number, require in enumerate(requires, start=slot):
            check = guard.CheckOp(require.condition, parameter, number, require, mark, marked, stay=require in last)
            check.location = require.location
            Rewriter.replace_op(require, check)
        return slot + len(requires)

    def _block_of_element(self, kernel: gpu.FuncOp) -> SSAValue:
        """The number of the block that this work-item's element belongs to."""
        index = next(op for op in kernel.body.block.ops if isinstance(op, gpu.GlobalIdOp))
        size = arith.ConstantOp(IntegerAttr(self.block, offload.INDEX))
        block = arith.DivUIOp(index.result, size.result)
        for op in (size, block):
            op.location = index.location
        Rewriter.insert_op([size, block], InsertPoint.after(index))
        return block.result


def _last_guards(kernel: gpu.FuncOp) -> set[Operation]:
    """The guards that a kernel ends with: nothing is left to compute, so nobody has to leave."""
    found: set[Operation] = set()
    terminator = last_block(kernel).last_op
    op = None if terminator is None else terminator.prev_op
    while isinstance(op, guard.RequireOp):
        found.add(op)
        op = op.prev_op
    return found


def _add_parameter(kernel: gpu.FuncOp, launches: list[offload.LaunchOp], value: SSAValue, name: str) -> SSAValue:
    """One more parameter of a kernel, and argument of its launches."""
    block = kernel.body.block
    parameter = block.insert_arg(value.type, len(block.args))
    parameter.name_hint = name
    kernel.properties["function_type"] = kernel.function_type.from_lists(block.arg_types, [])
    for launch in launches:
        launch.operands = [*launch.operands, value]
    return parameter


def _constant(before: offload.LaunchOp, value: int) -> SSAValue:
    constant = arith.ConstantOp(IntegerAttr(value, offload.INDEX))
    constant.location = before.location
    Rewriter.insert_op(constant, InsertPoint.before(before))
    return constant.result


def _allocate(before: offload.LaunchOp, count: SSAValue, element: IntegerType, name: str) -> SSAValue:
    """A zeroed buffer."""
    buffer = offload.AllocOp(count, element, zeroed=True)
    buffer.result.name_hint = name
    buffer.location = before.location
    Rewriter.insert_op(buffer, InsertPoint.before(before))
    return buffer.result

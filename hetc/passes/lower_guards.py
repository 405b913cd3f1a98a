"""lower-guards: guards become checks of a flag buffer, facts and overflow questions become plain arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from hetc.analysis.kernels import element_of, last_block
from hetc.analysis.ranges import Ranges
from hetc.analysis.walking import host_ops, kernels_in, walk
from hetc.dialects import guard, offload
from hetc.passes.conversion.dead_code import erase_dead
from hetc.passes.conversion.kernels import add_parameter, global_id
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
    5. Give each kernel with guards the flags; require(c) -> check(c, flags[k]), which stays if the kernel ends there,
       or has a barrier, which nobody may miss: `outline-kernels` has seen to it that the rest does no harm.
    6. If each work-item computes its element (`offload.elementwise`), in one launch or in boxes of one index space, a
       failure concerns that element alone: the check also marks its block of `block` elements, for Python to run these
       again.
    7. In such a plan, warn(c) -> check(c, flags[k]), which stays. If the module's `guard.warns` is "each", each has
       marks of its own: the first block of each is all that Python has to run. If it is "any", all have one flag. In
       other plans no element is known for Python to run, and NumPy's warnings are not told.
    8. Of a kernel of one work-item (`offload.single`) Python is to run all: warn(c) -> require(c), before all that.
    9. After the last launch, check the flags.

    A mark is a plain store, in a branch that is rarely taken. A list of failed indices would need an atomic counter,
    which made an addition with an overflow guard 1.25 times slower (Intel's runtime). Cost: linear.
    """

    name = "lower-guards"
    block: int = 256
    float_products: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        ranges = Ranges(op)
        for kernel in kernels_in(op):
            _mark_no_wrap(kernel, ranges)
        for question in [inner for inner in walk(op) if isinstance(inner, guard.FitsOp)]:
            lower_fits(question, ranges, float_products=self.float_products)
        for inside in [inner for inner in walk(op) if isinstance(inner, arith.AndIOp)]:
            _compare_once(inside, ranges)
        for inner in walk(op):
            if isinstance(inner, guard.FactOp):
                if inner.operand.name_hint is None:
                    inner.operand.name_hint = inner.result.name_hint
                inner.result.replace_all_uses_with(inner.operand)
                Rewriter.erase_op(inner)
        entry = entry_function(op)
        kernels = kernels_in(op)
        if entry is None:
            return
        launches = [inner for inner in host_ops(entry) if isinstance(inner, offload.LaunchOp)]
        for kernel in kernels:
            if "offload.single" in kernel.attributes:
                _require_silence(kernel)
        if not _is_elementwise(launches, kernels):
            erase_dead(op, guard.WarnOp)
        guards = {k: [g for g in walk(k) if isinstance(g, guard.RequireOp | guard.WarnOp)] for k in kernels}
        if any(guards.values()):
            _Lowering(entry, guards, self.block, guard.warns(op) is not guard.Warns.ANY).run()


def _require_silence(kernel: gpu.FuncOp) -> None:
    """warn(c) -> require(c)."""
    for op in [inner for inner in walk(kernel) if isinstance(inner, guard.WarnOp)]:
        require = guard.RequireOp(op.condition, guard.GuardKind.VALUE, f"NumPy warns: {op.reason.data}")
        require.location = op.location
        Rewriter.replace_op(op, require)


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


def _is_elementwise(launches: Sequence[offload.LaunchOp], kernels: Sequence[gpu.FuncOp]) -> bool:
    """Whether each work-item computes an element of its own: in one launch, or in the boxes of one index space."""
    one = len(launches) == 1 or all(launch.box for launch in launches)
    return one and all("offload.elementwise" in kernel.attributes for kernel in kernels)


Guard = guard.RequireOp | guard.WarnOp


@dataclass
class _Buffers:
    """What guards write to: flags, marks of the blocks that failed, marks of the blocks that NumPy warns of."""

    flags: SSAValue
    marks: SSAValue | None
    warned: SSAValue | None


@dataclass
class _Lowering:
    """Lowers the guards of all kernels of a plan."""

    entry: Operation
    guards: dict[gpu.FuncOp, list[Guard]]
    block: int
    each: bool
    """Whether each warning has a flag and marks of its own."""
    slots: int = 0

    def run(self) -> None:
        """Number the guards, and let the plan check them."""
        all_guards = [one for guards in self.guards.values() for one in guards]
        requires = sum(isinstance(one, guard.RequireOp) for one in all_guards)
        warnings = len(all_guards) - requires
        launches = [op for op in self.entry.walk() if isinstance(op, offload.LaunchOp)]
        first, last = launches[0], launches[-1]
        count = len(all_guards) if self.each else requires + min(warnings, 1)
        flags = _allocate(first, _constant(first, count), i32, "flags")
        buffers = _Buffers(flags, None, None)
        if _is_elementwise(launches, list(self.guards)):
            if requires:
                buffers.marks = self._allocate_marks(first, 1, "marks")
            if warnings and self.each:
                buffers.warned = self._allocate_marks(first, warnings, "warned")
        for kernel, guards in self.guards.items():
            if guards:
                calls = [launch for launch in launches if launch.kernel_name == kernel.sym_name.data]
                self._lower_kernel(kernel, guards, calls, buffers)
        marked = buffers.marks is not None or buffers.warned is not None
        check = offload.CheckGuardsOp(flags, buffers.marks, buffers.warned, self.block if marked else None)
        check.location = last.location
        drain = last.next_op  # launches the kernel again
        Rewriter.insert_op(check, InsertPoint.after(drain if isinstance(drain, offload.DrainOp) else last))

    def _allocate_marks(self, launch: offload.LaunchOp, each: int, name: str) -> SSAValue:
        """Some marks for each block."""
        count = arith.CeilDivUIOp(launch.extent, _constant(launch, self.block))
        ops: list[Operation] = [count]
        if each > 1:
            ops.append(arith.MuliOp(count.result, _constant(launch, each)))
        for op in ops:
            op.location = launch.location
            Rewriter.insert_op(op, InsertPoint.before(launch))
        return _allocate(launch, ops[-1].results[0], i8, name)

    def _lower_kernel(
        self, kernel: gpu.FuncOp, guards: list[Guard], launches: list[offload.LaunchOp], buffers: _Buffers
    ) -> None:
        """Give a kernel the buffers, and its guards the next numbers."""
        flags = add_parameter(kernel, dict.fromkeys(launches, buffers.flags), "flags")
        marks = (
            None if buffers.marks is None else add_parameter(kernel, dict.fromkeys(launches, buffers.marks), "marks")
        )
        warned = (
            None if buffers.warned is None else add_parameter(kernel, dict.fromkeys(launches, buffers.warned), "warned")
        )
        block = None if marks is None and warned is None else self._block_of_element(kernel)
        last = _last_guards(kernel)
        together = any(isinstance(op, gpu.BarrierOp) for op in kernel.walk())
        warnings = [one for one in guards if isinstance(one, guard.WarnOp)]
        for one in [*(one for one in guards if one not in warnings), *warnings]:
            kind, mark, where = guard.GuardKind.WARNING, None, None
            if isinstance(one, guard.RequireOp):
                kind, mark, where = one.kind.data, None if marks is None else block, marks
            elif warned is not None and block is not None:
                mark, where = _mark(block, len(warnings), warnings.index(one), one), warned
            stay = together or one in last or isinstance(one, guard.WarnOp)
            check = guard.CheckOp(one.condition, flags, self.slots, kind, one.reason.data, mark, where, stay=stay)
            check.location = one.location
            Rewriter.replace_op(one, check)
            self.slots += self.each or one not in warnings

    def _block_of_element(self, kernel: gpu.FuncOp) -> SSAValue:
        """The number of the block that this work-item's element belongs to."""
        index = element_of(kernel) or global_id(kernel)
        size = arith.ConstantOp(IntegerAttr(self.block, offload.INDEX))
        block = arith.DivUIOp(index.results[0], size.result)
        for op in (size, block):
            op.location = index.location
        Rewriter.insert_op([size, block], InsertPoint.after(index))
        return block.result


def _mark(block: SSAValue, each: int, number: int, before: Operation) -> SSAValue:
    """Where the mark of a warning in a block is, of `each` warnings that have one there."""
    mark = block
    for kind, operand in ((arith.MuliOp, each if each > 1 else 0), (arith.AddiOp, number)):
        if operand:
            constant = arith.ConstantOp(IntegerAttr(operand, offload.INDEX))
            op = kind(mark, constant.result)
            constant.location = op.location = before.location
            Rewriter.insert_op([constant, op], InsertPoint.before(before))
            mark = op.result
    return mark


def _last_guards(kernel: gpu.FuncOp) -> set[Operation]:
    """The guards that a kernel ends with: nothing is left to compute, so nobody has to leave."""
    found: set[Operation] = set()
    terminator = last_block(kernel).last_op
    op = None if terminator is None else terminator.prev_op
    while isinstance(op, guard.RequireOp | guard.WarnOp):
        found.add(op)
        op = op.prev_op
    return found


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

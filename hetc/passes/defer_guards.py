"""defer-guards: guards that nothing in a kernel relies on are asked at its end, where nobody has to leave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.kernels import last_block
from hetc.analysis.speculative import Support, is_harmless
from hetc.analysis.walking import kernels_in
from hetc.dialects import guard


@dataclass(frozen=True)
class DeferGuardsPass(ModulePass):
    """Move guards to the end of their kernel, past what may as well be computed for nothing.

    Needs: kernels outlined, ranges no longer asked for memory's sake (after `narrow-integers`, before `lower-guards`).
    Leaves: the same guards, those that could be moved last in the kernel and in their order.

    Where a guard fails the element's result is thrown away, so what follows may compute nonsense, as long as it does
    no harm. A guard moves past

    1. arithmetic; but not a conversion of a float to an integer, which has no meaning for some floats;
    2. a load or store at the work-item's own index;
    3. another load, and an integer division, if no integer that they are computed from is one that the guard is about:
       else it may be the guard that makes the index one of the array's, or the divisor another number than zero;
    4. a branch over such, and another guard.

    Where only is to be found out whether NumPy warns (the module's `guard.warns` is "any"), its warnings become one, at
    the kernel's end.

    A guard that surely fails stays: nothing tells what relies on it. None moves past a loop, which may run long, or
    forever, on nonsense; nor out of a loop or branch, which `sink-guards` does for the devices where it pays.

    Leaving in the middle makes a CPU's compiler, which runs several work-items in the lanes of a vector, mask all that
    follows: math.log(math.exp(x) + math.exp(y)) takes 1.5 times the time without guards if each guard leaves, and 1.1
    times if they are asked at the end; a * b + a on 64-bit integers 1.5 and 1.2 times (Intel's runtime, 2 cores with
    AVX-512). In a loop it does not pay: the loop of Collatz's sequence takes 1.8 times the time if its guard leaves,
    2.2 times if it is remembered. Cost: linear in the ops, for each guard.
    """

    name = "defer-guards"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            block = last_block(kernel)
            terminator = block.last_op
            assert terminator is not None
            warnings = [inner for inner in block.ops if isinstance(inner, guard.WarnOp)]
            if len(warnings) > 1 and guard.warns(op) is guard.Warns.ANY:
                _join(warnings, terminator)
            for require in [inner for inner in block.ops if isinstance(inner, guard.RequireOp)]:
                if not guard.is_false(require.condition) and all(
                    is_harmless(follower, Support(require)) for follower in _after(require)
                ):
                    require.detach()
                    Rewriter.insert_op(require, InsertPoint.before(terminator))


def _join(warnings: Sequence[guard.WarnOp], terminator: Operation) -> None:
    """One question at the end for those of several warnings."""
    condition = warnings[0].condition
    for other in warnings[1:]:
        both = arith.AndIOp(condition, other.condition)
        both.location = other.location
        Rewriter.insert_op(both, InsertPoint.before(terminator))
        condition = both.result
    warning = guard.WarnOp(condition, warnings[0].reason.data)
    warning.location = warnings[0].location
    Rewriter.insert_op(warning, InsertPoint.before(terminator))
    for other in warnings:
        Rewriter.erase_op(other)


def _after(require: guard.RequireOp) -> Iterable[Operation]:
    op = require.next_op
    while op is not None:
        yield op
        op = op.next_op

"""bound-loops: a loop that may never end gives up after many rounds, for Python to go on."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.ranges import Ranges
from hetc.dialects import guard
from hetc.passes.conversion.insertion import insert

REASON = "a loop takes more rounds than a kernel runs"


@dataclass(frozen=True)
class BoundLoopsPass(ModulePass):
    """Count the rounds of loops that may never end, and leave for Python where there are too many.

    Needs: ranges that tell which loops end, so after `hoist-guards`. Leaves: the same ops.

    1. while (c) { } -> n = 0; while (c and n < rounds) { n += 1 }; require(n < rounds), of kind `branch`.

    Nobody can interrupt a kernel. Python may never come to the element whose loop does not end, if an earlier one
    raises; and a person who waits can press Ctrl-C there. Refuses loops whose ranges allow no more than `long` rounds,
    and those at the places that the module's `guard.widened` lists: Python has run them to their end.

    2**28 rounds take a CPU or GPU about a second and CPython ten. Newton's, Euclid's and Mandelbrot's loops take the
    same time with and without the count (1.07, 0.96, 1.00; Intel's runtime, 2 cores with AVX-512); where Python
    integers count rounds too, the bound proves their overflow guards away (the loop of Collatz's sequence: 0.48).
    Cost: that of `fold-ranges` if there is a while loop.
    """

    name = "bound-loops"
    rounds: int = 1 << 28
    long: int = 1 << 32

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        loops = [inner for inner in op.walk(region_first=True) if isinstance(inner, scf.WhileOp)]
        if not loops:
            return
        known = op.attributes.get(guard.WIDENED)
        widened = set[Attribute](known.data) if isinstance(known, ArrayAttr) else set[Attribute]()
        ranges = Ranges(op)
        for loop in loops:
            if (loop not in ranges.trips or ranges.trips[loop] > self.long) and loop.location not in widened:
                _bound(loop, self.rounds)


def _bound(loop: scf.WhileOp, rounds: int) -> None:
    """The loop with one more carried value, the number of its rounds."""
    before, after = loop.before_region.block, loop.after_region.block
    condition, end = before.last_op, after.last_op
    assert isinstance(condition, scf.ConditionOp)
    assert isinstance(end, scf.YieldOp)
    zero, limit, one = (arith.ConstantOp(IntegerAttr(number, i32)) for number in (0, rounds, 1))
    insert([zero, limit, one], InsertPoint.before(loop), loop)

    count = before.insert_arg(i32, len(before.args))
    inside = arith.CmpiOp(count, limit.result, "slt")
    both = arith.AndIOp(condition.condition, inside.result)
    insert([inside, both], InsertPoint.before(condition), loop)
    condition.operands = [both.result, *condition.args, count]

    done = after.insert_arg(i32, len(after.args))
    more = arith.AddiOp(done, one.result)
    insert([more], InsertPoint.before(end), loop)
    end.operands = [*end.operands, more.result]

    operands: list[SSAValue] = [*loop.arguments, zero.result]
    regions = [loop.detach_region(region) for region in list(loop.regions)]
    new = scf.WhileOp(operands, [*loop.result_types, i32], *regions)
    new.attributes.update(loop.attributes)
    insert([new], InsertPoint.before(loop), loop)
    ended = arith.CmpiOp(new.results[-1], limit.result, "slt")
    require = guard.RequireOp(ended.result, guard.GuardKind.BRANCH, REASON)
    insert([ended, require], InsertPoint.after(new), loop)
    for old, result in zip(loop.results, new.results, strict=False):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    Rewriter.erase_op(loop)

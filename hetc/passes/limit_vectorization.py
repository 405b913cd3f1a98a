"""limit-vectorization: what a device's compiler must not vectorise, lest results change or take longer."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import MemRefType, ModuleOp, UnitAttr, i8
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import is_side_effect_free
from xdsl.utils.exceptions import PassFailedException

from hetc.analysis.counts import only_counts
from hetc.analysis.fast_math import FastMathFlag, may
from hetc.analysis.float_intervals import is_float_type
from hetc.analysis.gathers import mostly_gathers
from hetc.analysis.walking import kernels_in
from hetc.dialects import guard, offload

LOOPS = ("none", "floats", "all")


@dataclass(frozen=True)
class LimitVectorizationPass(ModulePass):
    """Mark loops and kernels that are to be computed one element at a time, with `offload.scalar`.

    Needs: the last ops of kernels; passes that make loops anew would drop the marks.
    Leaves: the same ops; marked loops of the kernels, and with `branches` marked kernels.

    1. loops "floats": a loop that carries floats. Intel's compiler vectorises such loops of a kernel that it does not
       vectorise across work-items (the rest of a split launch), and sums in another order than the other work-items do.
       loops "all": each loop. Intel's compiler (2026.1 and 2026.2) sums a subtraction of widened integers with the
       wrong sign, `for k in range(n): s -= k + 5`, and (2025 and 2026) crashes on loops of which only the last value
       matters. Nothing is lost: across the work-items it still vectorises, and sums, minima and integer loops in a map
       took the same time with and without the marks (2 cores with AVX-512). In a kernel of one work-item
       (`offload.single`) there is nothing across which to vectorise: a counted loop stays unmarked that carries nothing
       and has no loop or branch inside. Such loops over rows take 0.35 to 0.85 of the time (seidel, adi, syrk). So does
       one that carries only sums that may be added in any order (`reassoc`): a dot product of 2500 floats takes 0.14 of
       the time, one of 40 takes 0.3.
    2. `branches`: a kernel with a loop inside a branch that has results and that work-items may take differently, or
       with a loop that carries 8-bit integers, such as the tags of values of two types, or with branches that choose
       such tags. There Intel's compiler (2025 and 2026) takes the constants that meet after the branches for the same
       in all lanes of a vector. The cost: 1.2 times for a Mandelbrot set that returns early inside its cardioid, up to
       1.6 for Newton's iteration after an early return, none for Euclid's algorithm; a sum of two types takes 0.8
       times, since lanes that take branches differently gain nothing from vectors (same machine). What tags cost
       without a loop was not measured.
    3. `branches` too: a kernel with guards that leave from a while loop and from one around it. There it crashed.

    4. `gathers`: a kernel with a loop that does little but read at indices that it has read (`hetc.analysis.gathers`).
       A vector gathers the indices, rows apart, and then the numbers; a work-item alone reads its indices one after the
       other. Five rounds of PageRank over 16 links take 0.43 of the time (Intel's runtime, 2 cores with AVX-512).

    The options come from the device. Cost: linear.
    """

    name = "limit-vectorization"
    loops: str = "none"
    branches: bool = False
    gathers: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.loops not in LOOPS:
            raise PassFailedException(f"{self.name}: loops is one of {', '.join(LOOPS)}")
        for kernel in kernels_in(op):
            loops = [inner for inner in kernel.walk() if isinstance(inner, scf.ForOp | scf.WhileOp)]
            for loop in loops:
                if isinstance(loop, scf.ForOp) and self.loops == "all" and only_counts(loop):
                    continue
                if "offload.single" in kernel.attributes and (_is_elementwise(loop) or _sums_in_any_order(loop)):
                    continue
                if self.loops == "all" or (self.loops == "floats" and _carries_float(loop)):
                    loop.attributes[offload.SCALAR] = UnitAttr()
            if self.gathers and any(isinstance(loop, scf.ForOp) and mostly_gathers(loop) for loop in loops):
                kernel.attributes[offload.SCALAR] = UnitAttr()
            if not self.branches:
                continue
            tags = any(isinstance(op, scf.IfOp) and _chooses_tag(op) for op in kernel.walk())
            if tags or any(_carries_tag(loop) or _is_in_branch(loop) or _leaves_twice(loop) for loop in loops):
                kernel.attributes[offload.SCALAR] = UnitAttr()


def _carried(loop: scf.ForOp | scf.WhileOp) -> list[SSAValue]:
    """The values that go from one iteration to the next, and those that leave the loop."""
    arguments = loop.body.block.args[1:] if isinstance(loop, scf.ForOp) else loop.before_region.block.args
    return [*arguments, *loop.results]


def _is_elementwise(loop: scf.ForOp | scf.WhileOp) -> bool:
    """Whether a loop carries nothing, and has no loop or branch inside: it stores what it computes of elements."""
    inside = [inner for inner in loop.walk() if inner is not loop]
    return isinstance(loop, scf.ForOp) and not loop.iter_args and not any(inner.regions for inner in inside)


def _sums_in_any_order(loop: scf.ForOp | scf.WhileOp) -> bool:
    """Whether all that a loop carries are sums of floats whose order is free, and it has no loop or branch inside."""
    if not isinstance(loop, scf.ForOp) or any(inner.regions for inner in loop.walk() if inner is not loop):
        return False
    arguments, end = loop.body.block.args[1:], loop.body.block.last_op
    assert end is not None
    return bool(arguments) and all(map(_is_free_sum, arguments, end.operands))


def _is_free_sum(argument: SSAValue, carried: SSAValue) -> bool:
    step = carried.owner
    if not isinstance(step, arith.AddfOp) or not may(step, FastMathFlag.REASSOC):
        return False
    return argument in step.operands and argument.has_one_use() and carried.has_one_use()


def _carries_float(loop: scf.ForOp | scf.WhileOp) -> bool:
    return any(is_float_type(value.type) for value in _carried(loop))


def _is_tag(value: SSAValue) -> bool:
    return value.type == i8


def _carries_tag(loop: scf.ForOp | scf.WhileOp) -> bool:
    return any(map(_is_tag, _carried(loop)))


def _chooses_tag(op: scf.IfOp) -> bool:
    """Whether a branch has an 8-bit integer that is written in the source, or another such: the tag of a type."""
    for position, result in enumerate(op.results):
        ends = [region.block.last_op for region in op.regions if region.blocks]
        if _is_tag(result) and all(end is not None and _is_chosen(end.operands[position]) for end in ends):
            return True
    return False


def _is_chosen(value: SSAValue) -> bool:
    return isinstance(value.owner, arith.ConstantOp | scf.IfOp)


def _is_in_branch(loop: Operation) -> bool:
    """Whether some work-items may run a loop while others do not, and what they computed meets afterwards."""
    parent = loop.parent_op()
    while parent is not None and not isinstance(parent, gpu.FuncOp):
        if isinstance(parent, scf.IfOp) and parent.results and not _is_uniform(parent.cond):
            return True
        parent = parent.parent_op()
    return False


def _leaves_twice(loop: scf.ForOp | scf.WhileOp) -> bool:
    """Whether a guard leaves from a while loop, and another one from a while loop around it."""
    if not isinstance(loop, scf.WhileOp) or not _leaves(loop):
        return False
    parent = loop.parent_op()
    while parent is not None and not isinstance(parent, gpu.FuncOp):
        if isinstance(parent, scf.WhileOp) and _leaves(parent):
            return True
        parent = parent.parent_op()
    return False


def _leaves(loop: scf.WhileOp) -> bool:
    """Whether a guard leaves from a loop, other than from one inside of it."""
    return any(isinstance(op, guard.CheckOp) and op.stay is None and _loop_of(op) is loop for op in loop.walk())


def _loop_of(op: Operation) -> Operation | None:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, scf.ForOp | scf.WhileOp):
        parent = parent.parent_op()
    return parent


def _is_uniform(value: SSAValue) -> bool:
    """Whether all work-items compute the same, from the kernel's parameters alone."""
    owner = value.owner
    if isinstance(owner, Block):
        return isinstance(owner.parent_op(), gpu.FuncOp) and not isinstance(value.type, MemRefType)
    if isinstance(owner, gpu.GlobalIdOp) or owner.regions or not is_side_effect_free(owner):
        return False
    return all(map(_is_uniform, owner.operands))

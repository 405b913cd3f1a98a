"""sink-guards: guards in counted loops are remembered, and asked after the loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, f16, i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.attributes import number_attribute
from hetc.analysis.speculative import INTEGER_DIVISIONS, Support, is_harmless, is_own, sources
from hetc.analysis.walking import kernels_in
from hetc.dialects import guard
from hetc.passes.conversion.insertion import insert

Guard = guard.RequireOp | guard.WarnOp


@dataclass(frozen=True)
class SinkGuardsPass(ModulePass):
    """Move guards out of counted loops, downwards: the loop remembers whether they have held.

    Needs: kernels outlined, ranges no longer asked for memory's sake (after `narrow-integers`, before `defer-guards`).
    Leaves: the same guards, those that could be moved behind the outermost loop that they could be moved out of.

    1. if (b) { ...; require(c); ... } -> ok = if (b) { ...; yield c } else { yield true }; require(ok)
    2. for (...) { ...; require(c); ... } -> ok = for (...; ok = true) { ...; yield ok and c }; require(ok)
    3. A load that follows in the same round, at an index that the guard is about, is done only where the guard holds:
       require(c); v = a[i] -> v = if (c) { a[i] } else { 0 }.

    Warnings move, too, and out of every counted loop: nothing relies on them.

    Where a guard fails, the element's result is thrown away, so the rest of the loop may compute nonsense, as long as
    it does no harm (`hetc.analysis.speculative`). So refused are loops that

    - do anything harmful, or hold a loop that may run long on nonsense: a while loop, or one whose bounds are computed
      from more than numbers that do not change and the counters of loops;
    - for a guard on integers, use an integer that one round hands to the next, or that is stored, as an index or a
      divisor, or in the same round one that the guard is about as the index of a store or as a divisor.

    A work-item that leaves in the middle of a loop keeps a GPU's compiler from letting the rounds overlap: the loop of
    an all-pairs N-body step takes 1.28 times the time without guards in double precision and 1.55 times in single if
    its two guards leave, and 1.00 and 1.01 times if they are remembered (NVIDIA H200); a sum of 16 gathered numbers for
    each element takes 1.36 and 1.03 times, a discrete Fourier transform by its definition 1.17 and 1.14. Not on CPUs,
    see `defer-guards`.
    Cost: for each guard, linear in the ops of its loops.
    """

    name = "sink-guards"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            # From the last one on, so that those that end up behind one loop keep their order.
            for require in [inner for inner in kernel.walk(reverse=True) if isinstance(inner, Guard)]:
                steps = _steps(require)
                if steps and isinstance(require, guard.RequireOp):
                    _protect_loads(require)
                for _ in range(steps):
                    _move_out(require)


def _steps(require: Guard) -> int:
    """How many loops and branches a guard can be moved out of; the last is a loop. Nothing relies on a warning."""
    if guard.is_false(require.condition):
        return 0
    support, steps = Support(require) if isinstance(require, guard.RequireOp) else None, 0
    for number, parent in enumerate(_parents(require), 1):
        if isinstance(parent, scf.ForOp) and (support is None or _allows(parent, require, support)):
            steps = number
    return steps


def _parents(op: Operation) -> Iterator[scf.ForOp | scf.IfOp]:
    """The counted loops and branches around an op, from the inside, as far as there is nothing else."""
    parent = op.parent_op()
    while isinstance(parent, scf.ForOp | scf.IfOp):
        yield parent
        parent = parent.parent_op()


# --------------------------------------------------------------------------------------------------------------------
# What may be done on nonsense
# --------------------------------------------------------------------------------------------------------------------


def _allows(loop: scf.ForOp, require: Guard, support: Support) -> bool:
    """Whether a loop may go on where a guard in it has failed."""
    inside = list(loop.body.block.walk())
    stores = any(isinstance(op, memref.StoreOp) for op in inside)
    follows = inside.index(require)
    return all(_goes_on(op, loop, support, follows=number > follows, stores=stores) for number, op in enumerate(inside))


def _goes_on(op: Operation, loop: scf.ForOp, support: Support, *, follows: bool, stores: bool) -> bool:
    """Whether an op may be done on nonsense: what `follows` in the same round, and all else in later rounds."""
    match op:
        case scf.IfOp():
            return True  # what is inside is asked of itself
        case scf.ForOp():
            used, carried = (op.lb, op.ub, op.step), True
        case memref.LoadOp() if follows and _can_be_protected(op, support):
            used, carried, follows = op.indices, not support.is_on_floats, False
        case memref.LoadOp() | memref.StoreOp():
            used, carried = op.indices, not support.is_on_floats
        case _ if isinstance(op, INTEGER_DIVISIONS):
            used, carried = op.operands, not support.is_on_floats
        case _:
            return is_harmless(op, support)
    if follows and support.touches(*used) and not all(map(is_own, used)):
        return False
    return not carried or not _changes(used, loop, loads=stores or isinstance(op, scf.ForOp))


def _changes(values: Iterable[SSAValue], loop: scf.ForOp, *, loads: bool) -> bool:
    """Whether values depend on what one round of a loop hands to the next; with `loads`, also by way of memory."""
    for value in sources(values):
        owner = value.owner
        around = owner.parent_op() if isinstance(owner, Block) else owner
        if around is None or not loop.is_ancestor(around):
            continue
        if isinstance(owner, Block):
            if value is not owner.args[0]:
                return True
        elif loads and isinstance(owner, memref.LoadOp):
            return True
    return False


def _can_be_protected(load: memref.LoadOp, support: Support) -> bool:
    """Whether a load can be done only where the guard holds."""
    # Half precision is converted where it is loaded.
    return load.res.type != f16 and any(support.block is block for block in _blocks_around(load))


def _blocks_around(op: Operation) -> Iterator[Block]:
    block = op.parent
    while block is not None:
        yield block
        parent = block.parent_op()
        block = None if parent is None else parent.parent


def _protect_loads(require: guard.RequireOp) -> None:
    """require(c); v = a[i] -> require(c); v = if (c) { a[i] } else { 0 }, where the guard is about i."""
    support = Support(require)
    follower = require.next_op
    while follower is not None:
        for load in [inner for inner in follower.walk() if isinstance(inner, memref.LoadOp)]:
            if support.touches(*load.indices) and not all(map(is_own, load.indices)):
                _load_only_if(require.condition, load)
        follower = follower.next_op


def _load_only_if(condition: SSAValue, load: memref.LoadOp) -> None:
    type_ = load.res.type
    point = InsertPoint.before(load)
    zero = arith.ConstantOp(number_attribute(0, type_))
    inside, outside = load.clone(), scf.YieldOp(zero.result)
    chosen = scf.IfOp(condition, [type_], [inside, scf.YieldOp(inside.res)], [outside])
    insert([zero, chosen], point, load)
    for op in chosen.walk():
        op.location = load.location
    chosen.results[0].name_hint = load.res.name_hint
    load.res.replace_all_uses_with(chosen.results[0])
    Rewriter.erase_op(load)


# --------------------------------------------------------------------------------------------------------------------
# Moving
# --------------------------------------------------------------------------------------------------------------------


def _move_out(require: Guard) -> None:
    """Move a guard out of the loop or branch that it stands in, right behind it."""
    parent, block = require.parent_op(), require.parent
    assert block is not None
    require.detach()
    if isinstance(parent, scf.ForOp):
        new = _remembering(parent, require)
    else:
        assert isinstance(parent, scf.IfOp)
        new = _telling(parent, block, require)
    for old, result in zip(parent.results, new.results, strict=False):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    new.attributes |= parent.attributes
    insert([new], InsertPoint.before(parent), parent)
    Rewriter.erase_op(parent)
    require.operands = [new.results[-1]]
    Rewriter.insert_op(require, InsertPoint.after(new))


def _remembering(loop: scf.ForOp, require: Guard) -> scf.ForOp:
    """The loop with one more result: whether the condition has held in all rounds."""
    true = _constant_true(InsertPoint.before(loop), require)
    block = loop.body.block
    end = block.last_op
    assert end is not None
    held = block.insert_arg(i1, len(block.args))
    both = arith.AndIOp(held, require.condition)
    insert([both], InsertPoint.before(end), require)
    end.operands = [*end.operands, both.result]
    return scf.ForOp(loop.lb, loop.ub, loop.step, [*loop.iter_args, true], loop.detach_region(loop.body))


def _telling(branch: scf.IfOp, block: Block, require: Guard) -> scf.IfOp:
    """The branch with one more result: whether the condition holds, or the other side was taken."""
    if not branch.false_region.blocks:
        branch.false_region.add_block(Block([scf.YieldOp()]))
    for side in (branch.true_region.block, branch.false_region.block):
        end = side.last_op
        assert end is not None
        value = require.condition if side is block else _constant_true(InsertPoint.before(end), require)
        end.operands = [*end.operands, value]
    then, other = (branch.detach_region(region) for region in (branch.true_region, branch.false_region))
    return scf.IfOp(branch.cond, [*branch.result_types, i1], then, other)


def _constant_true(point: InsertPoint, source: Operation) -> SSAValue:
    true = arith.ConstantOp(IntegerAttr(1, i1))
    insert([true], point, source)
    return true.result

"""hoist-guards: guards that are the same in every iteration are asked once, before the loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp, i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from hetc.analysis.conditions import Predicate
from hetc.analysis.intervals import Interval
from hetc.analysis.range_facts import whole
from hetc.analysis.ranges import Ranges
from hetc.dialects import guard, obj

Loop = scf.ForOp | scf.WhileOp


@dataclass(frozen=True)
class HoistGuardsPass(ModulePass):
    """Move guards out of loops, where no call leaves for Python that would have stayed.

    Needs: `guard-elimination`, so that only guards that may fail are moved. Leaves: the same ops, elsewhere.

    A guard that fails means that Python runs the element again, so asking too early is never wrong; but asking for what
    the loop would not have needed costs. So only guards are moved that each iteration passes (none inside a branch),
    and where the loop may run zero times the question becomes "c, or the loop does not run". Innermost loops first:

    1. require(c) in the body, c the same in all iterations -> require(c or not runs); loop { }, with the ops that
       compute c. In the condition of a while loop, which is always computed once, it is require(c). Loads and integer
       divisions, which may trap, are moved only if the loop surely runs and all guards before this one have moved.
    2. require(c(i)) in a counted loop over i in [low, high), c convex in i -> require(c(low) and c(last) or not runs);
       loop { }. Convex is a conjunction of comparisons of a linear function of i with what does not change, of
       overflow questions about such a function or about the product of two that rise from zero or above, and of
       Python's index check, `0 <= (i < 0 ? i + n : i) < n`, which is `-n <= i < n`. The linear function must not wrap:
       by its ranges, or because a guard that has moved asks.

    Loops that may be left early run only a part of their range, so only 1 is done there. Cost: linear, and that of
    `fold-ranges` if there is a guard in a loop.

    Sources: Gupta, "A fresh look at optimizing array bound checking", PLDI 1990 (and LOPLAS 1993); Würthinger, Wimmer,
    Mössenböck, "Array bounds check elimination for the Java HotSpot client compiler", PPPJ 2007.
    """

    name = "hoist-guards"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        loops = [inner for inner in op.walk(region_first=True) if isinstance(inner, Loop)]
        if not any(isinstance(inner, guard.RequireOp) for loop in loops for inner in loop.walk()):
            return
        ranges = Ranges(op)
        for loop in loops:
            if isinstance(loop, scf.ForOp):
                _Hoisting(loop, loop.body.block, ranges, _Counted(loop, ranges)).run()
            else:
                _Hoisting(loop, loop.before_region.block, ranges, _Always()).run()
                _Hoisting(loop, loop.after_region.block, ranges, _Conditional(loop)).run()


# --------------------------------------------------------------------------------------------------------------------
# Whether a loop runs
# --------------------------------------------------------------------------------------------------------------------


class _Always:
    """A block that surely runs."""

    surely = True

    def unless(self) -> SSAValue | None:
        """An `i1` before the loop: the block does not run."""
        return None

    def possible(self) -> bool:
        """Whether that can be asked before the loop."""
        return True


class _Counted(_Always):
    """The body of a counted loop."""

    def __init__(self, loop: scf.ForOp, ranges: Ranges) -> None:
        self.loop = loop
        self.surely = ranges.exceeds(loop.lb, loop.ub) < 0

    def unless(self) -> SSAValue | None:
        return None if self.surely else _insert(self.loop, arith.CmpiOp(self.loop.lb, self.loop.ub, "sge"))


class _Conditional(_Always):
    """The body of a while loop: it runs if the condition holds of the initial values."""

    surely = False

    def __init__(self, loop: scf.WhileOp) -> None:
        self.loop = loop
        last = loop.before_region.block.last_op
        assert isinstance(last, scf.ConditionOp)
        self.condition = last.condition

    def possible(self) -> bool:
        block = self.loop.before_region.block
        return _cone(self.condition, self.loop, block, block.args) is not None

    def unless(self) -> SSAValue | None:
        block = self.loop.before_region.block
        copies: dict[SSAValue, SSAValue] = dict(zip(block.args, self.loop.arguments, strict=True))
        true = _insert(self.loop, arith.ConstantOp(IntegerAttr(1, i1)))
        return _insert(self.loop, arith.XOrIOp(_copy(self.condition, self.loop, block, copies), true))


# --------------------------------------------------------------------------------------------------------------------
# Moving
# --------------------------------------------------------------------------------------------------------------------


@dataclass
class _Hoisting:
    """Moves the guards of one block of a loop before the loop."""

    loop: Loop
    block: Block
    ranges: Ranges
    runs: _Always
    exact: set[tuple[str, SSAValue, SSAValue]] = field(default_factory=set[tuple[str, SSAValue, SSAValue]])

    def run(self) -> None:
        """Move all that can be moved, in order."""
        all_moved = True
        for require in [op for op in self.block.ops if isinstance(op, guard.RequireOp)]:
            moved = self._move_invariant(require, traps=self.runs.surely and all_moved) or self._move_convex(require)
            all_moved = all_moved and moved

    def _move_invariant(self, require: guard.RequireOp, *, traps: bool) -> bool:
        cone = _cone(require.condition, self.loop, self.block, (), traps=traps)
        if cone is None or not self.runs.possible():
            return False
        for op in cone:
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(self.loop))
        self._require(require, require.condition)
        return True

    def _move_convex(self, require: guard.RequireOp) -> bool:
        loop = self.loop
        if not isinstance(loop, scf.ForOp) or not self._is_convex(require.condition, loop):
            return False
        last = self._last(loop)
        if last is None:
            return False
        variable = self.block.args[0]
        if _cone(require.condition, loop, self.block, (variable,)) is None:
            return False
        first_holds = _copy(require.condition, loop, self.block, {variable: loop.lb})
        last_holds = _copy(require.condition, loop, self.block, {variable: last})
        if isinstance(question := require.condition.owner, guard.FitsOp):
            self.exact.add((question.operator.data, question.left, question.right))
        self._require(require, _insert(loop, arith.AndIOp(first_holds, last_holds)))
        return True

    def _require(self, require: guard.RequireOp, condition: SSAValue) -> None:
        """The guard, before the loop."""
        unless = self.runs.unless()
        if unless is not None:
            condition = _insert(self.loop, arith.OrIOp(unless, condition))
        require.detach()
        require.operands[0] = condition
        Rewriter.insert_op(require, InsertPoint.before(self.loop))

    def _last(self, loop: scf.ForOp) -> SSAValue | None:
        """The last value of a loop's variable, if the loop runs; None if it is not simply computed."""
        step, type_ = loop.step.owner, loop.ub.type
        if not isinstance(step, arith.ConstantOp) or not isinstance(step.value, IntegerAttr):
            return None
        if not isinstance(type_, IntegerType | IndexType):
            return None
        size = step.value.value.data
        span = self.ranges.get(loop.ub) - self.ranges.get(loop.lb)
        if size < 1 or (size > 1 and span not in whole(type_)):
            return None
        one = _insert(loop, arith.ConstantOp(IntegerAttr(1, type_)))
        last = _insert(loop, arith.SubiOp(loop.ub, one))
        if size == 1:
            return last
        steps = _insert(loop, arith.DivSIOp(_insert(loop, arith.SubiOp(last, loop.lb)), loop.step))
        return _insert(loop, arith.AddiOp(loop.lb, _insert(loop, arith.MuliOp(steps, loop.step))))

    # --- Convexity ---------------------------------------------------------------------------------------------------

    def _is_convex(self, condition: SSAValue, loop: scf.ForOp) -> bool:
        """Whether a condition that holds of two values of the loop's variable holds of all between them."""
        if self._is_invariant(condition):
            return True
        op = condition.owner
        match op:
            case arith.AndIOp() if condition.type == i1:
                return self._is_convex(op.lhs, loop) and self._is_convex(op.rhs, loop)
            case arith.CmpiOp() if Predicate.SLT <= op.predicate.value.data <= Predicate.SGE:
                return (self._is_linear(op.lhs) and self._is_linear(op.rhs)) or self._is_index_check(op)
            case guard.FitsOp():
                product = op.operator.data == "mul"
                factors = (op.left, op.right)
                if product and not any(map(self._is_invariant, factors)) and not all(map(self._rises, factors)):
                    return False
                return all(map(self._is_linear, factors))
            case _:
                return False

    def _is_invariant(self, value: SSAValue) -> bool:
        return _cone(value, self.loop, self.block, ()) is not None

    def _is_linear(self, value: SSAValue) -> bool:
        """Whether a value is a linear function of the loop's variable that does not wrap, or does not change."""
        if value is self.block.args[0] or self._is_invariant(value):
            return True
        op = value.owner
        match op:
            case arith.AddiOp() | arith.SubiOp() | arith.MuliOp() if self._is_exact(op):
                if isinstance(op, arith.MuliOp) and not (self._is_invariant(op.lhs) or self._is_invariant(op.rhs)):
                    return False
                return self._is_linear(op.lhs) and self._is_linear(op.rhs)
            case arith.ExtSIOp() | guard.FactOp() if op.parent is self.block:
                return self._is_linear(op.operands[0])
            case _:
                return False

    def _rises(self, value: SSAValue) -> bool:
        """Whether a linear function of the loop's variable is never negative, nor less than for the value before."""
        return self.ranges.get(value).low >= 0 and self._never_falls(value)

    def _never_falls(self, value: SSAValue) -> bool:
        if value is self.block.args[0] or self._is_invariant(value):
            return True
        op = value.owner
        match op:
            case arith.AddiOp():
                return self._never_falls(op.lhs) and self._never_falls(op.rhs)
            case arith.SubiOp():
                return self._never_falls(op.lhs) and self._is_invariant(op.rhs)
            case arith.MuliOp():
                return self._rises(op.lhs) and self._rises(op.rhs)
            case arith.ExtSIOp() | guard.FactOp():
                return self._never_falls(op.operands[0])
            case _:
                return False

    def _is_exact(self, op: arith.AddiOp | arith.SubiOp | arith.MuliOp) -> bool:
        name = _OPERATORS[type(op)]
        if op.parent is not self.block:
            return False
        if (name, op.lhs, op.rhs) in self.exact or (name != "sub" and (name, op.rhs, op.lhs) in self.exact):
            return True
        left, right = self.ranges.get(op.lhs), self.ranges.get(op.rhs)
        exact: Interval = {"add": left + right, "sub": left - right, "mul": left * right}[name]
        return exact in whole(op.result.type)

    def _is_index_check(self, op: arith.CmpiOp) -> bool:
        """`k >= 0` or `k < n`, k being `i < 0 ? i + n : i`."""
        index = op.lhs.owner
        if not isinstance(index, arith.SelectOp) or not isinstance(index.cond.owner, arith.CmpiOp):
            return False
        negative, from_end = index.cond.owner, index.lhs.owner
        if not isinstance(from_end, arith.AddiOp) or from_end.lhs is not index.rhs or not self._is_linear(index.rhs):
            return False
        length, zero = from_end.rhs, Interval(0, 0)
        tests_sign = negative.predicate.value.data == Predicate.SLT and negative.lhs is index.rhs
        if not tests_sign or self.ranges.get(negative.rhs) != zero or not self._is_invariant(length):
            return False
        predicate = op.predicate.value.data
        above = predicate == Predicate.SGE and self.ranges.get(op.rhs) == zero
        return self.ranges.get(length).low >= 0 and (above or (predicate == Predicate.SLT and op.rhs is length))


_OPERATORS: Mapping[type[Operation], str] = {arith.AddiOp: "add", arith.SubiOp: "sub", arith.MuliOp: "mul"}
_TRAPS = (
    arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp, arith.FPToSIOp, arith.FPToUIOp, obj.LoadOp,
)  # fmt: skip


def _cone(
    value: SSAValue, loop: Loop, block: Block, given: Sequence[SSAValue], *, traps: bool = False
) -> list[Operation] | None:
    """The ops of a block that compute a value from what is outside the loop, in order; None if it is not so computed.

    They have no effect, and unless `traps` says so they may be computed for nothing. `given` are values of the block
    that count as known outside.
    """
    found: dict[Operation, None] = {}
    work = [value]
    while work:
        current = work.pop()
        op = current.owner
        if current in given or not loop.is_ancestor(op) or op is loop:
            continue
        if isinstance(op, Block) or op.parent is not block or op.regions or not is_side_effect_free(op):
            return None
        if isinstance(op, _TRAPS) and not traps:
            return None
        if op not in found:
            found[op] = None
            work += op.operands
    return [op for op in block.ops if op in found]


def _copy(value: SSAValue, loop: Loop, block: Block, known: Mapping[SSAValue, SSAValue]) -> SSAValue:
    """A copy before the loop of the ops that compute a value, with other values for some."""
    ops = _cone(value, loop, block, tuple(known))
    assert ops is not None
    copies = dict(known)
    for op in ops:
        new = op.clone(value_mapper=copies)
        new.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(loop))
    return copies.get(value, value)


def _insert(loop: Loop, op: Operation) -> SSAValue:
    """A new op before the loop, at its place in the source."""
    op.location = loop.location
    Rewriter.insert_op(op, InsertPoint.before(loop))
    return op.results[0]

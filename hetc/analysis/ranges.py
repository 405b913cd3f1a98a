"""Integer range analysis: which interval each integer lies in, and which lengths an index is below.

Abstract interpretation over structured control flow (Cousot and Cousot, POPL 1977, intervals with widening): a branch
knows its condition, what follows a guard knows the guard, a loop is interpreted until what it carries is stable. Beside
an interval a value may be known to be *below* another value, such as the length of an array, which is what removing
bounds guards needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from hetc.analysis.intervals import Interval
from hetc.analysis.range_facts import RangeFacts, Root, ceilings, whole
from hetc.analysis.transfer import transfer

MAX_ROUNDS = 6


class Ranges(RangeFacts):
    """The ranges of all integers below an op, and the truth values that follow from them."""

    def __init__(self, root: Operation) -> None:
        super().__init__()
        for region in root.regions:
            for block in region.blocks:
                # What a guard or branch implies holds from there on; afterwards `get` says what holds everywhere.
                with self.frame():
                    self._block(block)

    def _block(self, block: Block) -> None:
        for op in block.ops:
            match op:
                case scf.IfOp():
                    self._if(op)
                case scf.ForOp():
                    self._for(op)
                case scf.WhileOp():
                    self._while(op)
                case _ if transfer(self, op):
                    pass
                case _:
                    for region in op.regions:
                        for inner in region.blocks:
                            with self.frame():
                                self._block(inner)

    def _if(self, op: scf.IfOp) -> None:
        ends: list[list[Interval]] = []
        for region, holds in ((op.true_region, True), (op.false_region, False)):
            if not region.blocks:
                continue
            with self.frame():
                self.assume(op.cond, holds)
                self._block(region.block)
                terminator = region.block.last_op
                ends.append([self.get(v) for v in terminator.operands] if terminator is not None else [])
        for result, *intervals in zip(op.results, *ends, strict=True):
            joined = intervals[0]
            for interval in intervals[1:]:
                joined = joined.join(interval)
            self.set(result, joined)

    def _for(self, op: scf.ForOp) -> None:
        variable, *carried = op.body.block.args
        low, high = self.get(op.lb), self.get(op.ub)
        positive = self.get(op.step).low >= 1
        interval = Interval(low.low, max(high.high - 1, low.low)) if positive else None
        below = ceilings(op.ub) if positive else frozenset[Root]()

        def body(intervals: Sequence[Interval]) -> list[Interval]:
            with self.frame():
                self.set(variable, interval, below)
                for argument, known in zip(carried, intervals, strict=True):
                    self.set(argument, known)
                self._block(op.body.block)
                terminator = op.body.block.last_op
                return [self.get(v) for v in terminator.operands] if terminator is not None else []

        self._loop(op, op.iter_args, body)

    def _while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block

        def body(intervals: Sequence[Interval]) -> list[Interval]:
            with self.frame():
                for argument, known in zip(before.args, intervals, strict=True):
                    self.set(argument, known)
                self._block(before)
                condition = before.last_op
                assert isinstance(condition, scf.ConditionOp)
                with self.frame():
                    self.assume(condition.condition, True)
                    for argument, passed in zip(after.args, condition.args, strict=True):
                        self.set(argument, self.get(passed), self.known_below(passed))
                    self._block(after)
                    terminator = after.last_op
                    return [self.get(v) for v in terminator.operands] if terminator is not None else []

        self._loop(op, op.arguments, body, lambda: self._passed(before))

    def _passed(self, before: Block) -> list[Interval]:
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        return [self.get(value) for value in condition.args]

    def _loop(
        self,
        op: Operation,
        inits: Sequence[SSAValue],
        body: Callable[[Sequence[Interval]], list[Interval]],
        results: Callable[[], list[Interval]] | None = None,
    ) -> None:
        """Interpret a loop until all that it carries is stable.

        If that takes too long, each carried value is anything of its type, which no further round can exceed: the last
        round is always a stable one, so that what it decides holds in every iteration.
        """
        limits = [whole(value.type) for value in inits]
        carried = [self.get(value) for value in inits]
        for round_ in range(1, MAX_ROUNDS + 1):
            ends = body(carried)
            if all(end in known for end, known in zip(ends, carried, strict=True)):
                break
            if round_ == MAX_ROUNDS - 1:
                carried = limits
            else:
                carried = [
                    known if end in known else known.widened(end, limit)
                    for end, known, limit in zip(ends, carried, limits, strict=True)
                ]
        for result, interval in zip(op.results, results() if results else carried, strict=True):
            self.set(result, interval)

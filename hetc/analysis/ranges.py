"""Range analysis: which numbers each value can be, and which lengths an index is below.

Abstract interpretation over structured control flow (Cousot and Cousot, POPL 1977, intervals with widening): a branch
knows its condition, what follows a guard knows the guard, a loop is interpreted until what it carries is stable. What
a loop adds up is bounded by its number of iterations times what an iteration adds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Operation, SSAValue

from hetc.analysis.float_intervals import FloatInterval, is_float_type
from hetc.analysis.intervals import Interval
from hetc.analysis.range_facts import RangeFacts, Uppers, shifted_uppers, whole
from hetc.analysis.transfer import transfer
from hetc.analysis.walking import walk
from hetc.dialects import skel

MAX_ROUNDS = 6
LONGEST = 2**31
"""How much a reduction adds up at most, its initial value included, where lengths fit 32 bits."""

State = FloatInterval | tuple[Interval, Uppers]
"""What is known of a float, or of an integer."""

_NOTHING: Uppers = {}


class Ranges(RangeFacts):
    """The ranges of all numbers below an op, and the truth values that follow from them."""

    def __init__(self, root: Operation) -> None:
        super().__init__()
        self.trips: dict[Operation, int] = {}
        self.longest = 2**63 if any("skel.wide" in op.attributes for op in walk(root)) else LONGEST
        for region in root.regions:
            for block in region.blocks:
                # What a guard or branch implies holds from there on; afterwards `get` says what holds everywhere.
                with self.frame():
                    self._block(block)

    def _block(self, block: Block) -> None:
        for op in block.ops:
            if transfer(self, op):  # most are such
                continue
            match op:
                case scf.IfOp():
                    self._if(op)
                case scf.ForOp():
                    self._for(op)
                case scf.WhileOp():
                    self._while(op)
                case skel.ReduceOp() | skel.ScanOp() | skel.ScatterOp():
                    self._reduce(op)
                case _:
                    for region in op.regions:
                        for inner in region.blocks:
                            with self.frame():
                                self._block(inner)

    # --- States ------------------------------------------------------------------------------------------------------

    def state(self, value: SSAValue) -> State:
        """What is known of a value, here."""
        if is_float_type(value.type):
            return self.get_float(value)
        return self.get(value), {} if value.type == i1 else self.uppers_of(value)

    def states(self, end: Operation | None, skip: int = 0) -> list[State]:
        """What is known of the operands of a terminator, here."""
        return [] if end is None else [self.state(value) for value in end.operands[skip:]]

    def bind(self, value: SSAValue, state: State) -> None:
        """Record what is known of a new value."""
        if isinstance(state, FloatInterval):
            self.set_float(value, state)
        else:
            self.set(value, *state)

    def _join(self, one: State, other: State) -> State:
        if isinstance(one, FloatInterval):
            assert isinstance(other, FloatInterval)
            return one.join(other)
        assert not isinstance(other, FloatInterval)
        return one[0].join(other[0]), self.joined(one[1], one[0], other[1], other[0])

    def _within(self, end: State, known: State, total: Interval | None = None) -> bool:
        """Whether a state at the end of an iteration is one that was assumed at its start.

        With `total`, an integer's interval may hold by counting instead: any sum of so many iterations lies in it.
        """
        if isinstance(known, FloatInterval):
            return isinstance(end, FloatInterval) and end in known
        assert not isinstance(end, FloatInterval)
        inside = end[0] in known[0] or (total is not None and total in known[0])
        return inside and self._common(end, known[1]) == known[1]

    def _common(self, end: tuple[Interval, Uppers], uppers: Uppers) -> Uppers:
        """Those uppers that hold at the end too, by what is known of the value or by its interval."""
        return {
            root: constant
            for root, constant in uppers.items()
            if min(end[1].get(root, constant + 1), end[0].high - self.of_root(root).low) <= constant
        }

    # --- Control flow ------------------------------------------------------------------------------------------------

    def _if(self, op: scf.IfOp) -> None:
        ends: list[list[State]] = []
        for region, holds in ((op.true_region, True), (op.false_region, False)):
            if not region.blocks:
                continue
            with self.frame():
                self.assume(op.cond, holds)
                self._block(region.block)
                if int(holds) in self.get(op.cond):
                    ends.append(self.states(region.block.last_op))
        for result, *states in zip(op.results, *ends, strict=True):
            joined = states[0]
            for state in states[1:]:
                joined = self._join(joined, state)
            self._bind_outside(result, joined, op)

    def _for(self, op: scf.ForOp) -> None:
        variable, *carried = op.body.block.args
        low, high, step = self.get(op.lb), self.get(op.ub), self.get(op.step)
        if step.low >= 1:
            interval = Interval(low.low, max(high.high - 1, low.low))
            uppers = shifted_uppers(self.uppers_of(op.ub), -1)
            self.trips[op] = max(0, -((low.low - high.high) // step.low))
        else:
            interval, uppers = None, {}
            self.trips[op] = 2**64

        def body(states: Sequence[State]) -> tuple[list[State], list[Interval | None]]:
            with self.frame():
                self.set(variable, interval, uppers)
                for argument, known in zip(carried, states, strict=True):
                    self.bind(argument, known)
                self._block(op.body.block)
                end = op.body.block.last_op
                assert end is not None
                return self.states(end), self._deltas(end.operands, carried)

        states = self._loop(op, op.iter_args, body)
        for result, known in zip(op.results, states, strict=True):
            self.bind(result, known)

    def _while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        passed: list[State] = []

        def body(states: Sequence[State]) -> tuple[list[State], list[Interval | None]]:
            with self.frame():
                for argument, known in zip(before.args, states, strict=True):
                    self.bind(argument, known)
                self._block(before)
                with self.frame():
                    self.assume(condition.condition, False)
                    passed[:] = self.states(condition, skip=1)
                with self.frame():
                    self.assume(condition.condition, True)
                    for argument, value in zip(after.args, condition.args, strict=True):
                        self.bind(argument, self.state(value))
                        if not is_float_type(value.type):
                            self.set_linear(argument, value, 0)
                    self._block(after)
                    end = after.last_op
                    assert end is not None
                    deltas = self._deltas(end.operands, before.args, dict(zip(after.args, condition.args, strict=True)))
                    self.trips[op] = self._trips(op, before.args, deltas)
                    return self.states(end), deltas

        self._loop(op, op.arguments, body)
        for result, state in zip(op.results, passed, strict=True):
            self._bind_outside(result, state, op)

    def _bind_outside(self, result: SSAValue, state: State, op: Operation) -> None:
        """Bind a result of a branch or loop, without what only its regions know."""
        self.bind(result, state if isinstance(state, FloatInterval) else (state[0], self._outside(state[1], op)))

    def _outside(self, uppers: Uppers, op: Operation) -> Uppers:
        """The uppers whose roots mean the same after a branch or loop."""
        return {
            root: constant
            for root, constant in uppers.items()
            if not isinstance(root, SSAValue) or not op.is_ancestor(_place(root))
        }

    def _reduce(self, op: skel.ReduceOp | skel.ScanOp | skel.ScatterOp) -> None:
        """A reduction, scan or scatter: its operator is given elements, the initial value, what is combined of such."""
        with self.frame():
            self._block(op.transform.block)
            found = self.states(op.transform.block.last_op, skip=int(isinstance(op, skel.ScatterOp)))
        block, count = op.combine.block, len(found)
        if op.inits:
            found = [self._join(e, self.state(init)) for e, init in zip(found, op.inits, strict=True)]
        elements = [e if isinstance(e, FloatInterval) else (e[0], _NOTHING) for e in found]
        limits = [_limit(argument) for argument in block.args[:count]]
        ends = block.last_op
        assert ends is not None
        sums = [
            _sum_of(element, end, (block.args[k], block.args[k + count]), self.longest) or limit
            for k, (element, end, limit) in enumerate(zip(elements, ends.operands, limits, strict=True))
        ]
        for states in (elements, sums, limits):
            with self.frame():
                for argument, known in zip(block.args, [*states, *states], strict=True):
                    self.bind(argument, known)
                self._block(block)
                found = self.states(ends)
            stable = [
                self._within(end, known) or (states is sums and known is not limit)
                for end, known, limit in zip(found, states, limits, strict=True)
            ]
            if all(stable):
                break

    def _loop(
        self,
        op: Operation,
        inits: Sequence[SSAValue],
        body: Callable[[Sequence[State]], tuple[list[State], list[Interval | None]]],
    ) -> list[State]:
        """Interpret a loop until all that it carries is stable; the result is what it carries.

        If that takes too long, each carried value is anything of its type, which no further round can exceed: the last
        round is always a stable one, so that what it decides holds in every iteration.
        """
        start = [self.state(value) for value in inits]
        carried = start
        for round_ in range(1, MAX_ROUNDS + 1):
            ends, deltas = body(carried)
            sums = [_added(s, delta, self.trips[op]) for s, delta in zip(start, deltas, strict=True)]
            stable = [self._within(*states) for states in zip(ends, carried, sums, strict=True)]
            if all(stable):
                break
            if round_ == MAX_ROUNDS - 1:
                carried = [_limit(value) for value in inits]
                continue
            if round_ == 1 and isinstance(op, scf.WhileOp):
                sums = [None for _ in sums]  # the first iteration alone does not tell how many there are
            if round_ == 1:  # roots that only the end of an iteration knows may bound the start too
                carried = [self._start(known, end, op) for known, end in zip(carried, ends, strict=True)]
            carried = [
                known if kept else self._widen(known, end, total, value)
                for kept, known, end, total, value in zip(stable, carried, ends, sums, inits, strict=True)
            ]
        return carried

    def _start(self, known: State, end: State, op: Operation) -> State:
        """A carried value's first state, with the uppers that it has in common with the end of an iteration."""
        if isinstance(known, FloatInterval) or isinstance(end, FloatInterval):
            return known
        return known[0], self._outside(self.joined(known[1], known[0], end[1], end[0]), op)

    def _widen(self, known: State, end: State, total: Interval | None, value: SSAValue) -> State:
        if isinstance(known, FloatInterval):
            assert isinstance(end, FloatInterval)
            return known.widened(end)
        assert not isinstance(end, FloatInterval)
        uppers = self._common(end, known[1])
        limit = whole(value.type)
        if total is not None and total in limit:
            return known[0].join(total), uppers
        return known[0] if end[0] in known[0] else known[0].widened(end[0], limit), uppers

    # --- Sums in loops -----------------------------------------------------------------------------------------------

    def _deltas(
        self,
        ends: Sequence[SSAValue],
        starts: Sequence[SSAValue],
        same: dict[SSAValue, SSAValue] | None = None,
    ) -> list[Interval | None]:
        """For each carried integer, what one iteration adds to it, if it is a sum."""
        return [
            None if is_float_type(start.type) else self._delta(end, start, same or {})
            for end, start in zip(ends, starts, strict=True)
        ]

    def _delta(self, value: SSAValue, start: SSAValue, same: dict[SSAValue, SSAValue]) -> Interval | None:
        """What has been added to `start` to give `value`, as numbers that may wrap; None if it is no such sum."""
        value = same.get(value, value)
        if value is start:
            return Interval(0, 0)
        op = value.owner
        match op:
            case arith.AddiOp():
                for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                    if (delta := self._delta(one, start, same)) is not None:
                        return delta + self.get(other)
                return None
            case arith.SubiOp():
                delta = self._delta(op.lhs, start, same)
                return None if delta is None else delta - self.get(op.rhs)
            case arith.SelectOp():
                return self._either([op.lhs, op.rhs], start, same)
            case scf.IfOp():
                index = op.results.index(value)
                ends = [region.block.last_op for region in op.regions if region.blocks]
                return self._either([end.operands[index] for end in ends if end is not None], start, same)
            case scf.ForOp():
                index = op.results.index(value)
                outer = self._delta(op.iter_args[index], start, same)
                last = op.body.block.last_op
                assert last is not None
                inner = self._delta(last.operands[index], op.body.block.args[1 + index], {})
                return None if outer is None or inner is None else outer + _times(inner, self.trips.get(op, 2**64))
            case _:
                return None

    def _either(self, values: Sequence[SSAValue], start: SSAValue, same: dict[SSAValue, SSAValue]) -> Interval | None:
        deltas = [self._delta(value, start, same) for value in values]
        found = [delta for delta in deltas if delta is not None]
        if len(found) < len(deltas):
            return None
        return Interval(min(d.low for d in found), max(d.high for d in found))

    def _trips(self, op: scf.WhileOp, starts: Sequence[SSAValue], deltas: Sequence[Interval | None]) -> int:
        """A bound on a loop's iterations: a carried integer moves one way, and the condition bounds it."""
        bounds = [2**64]
        for start, init, delta in zip(starts, op.arguments, deltas, strict=True):
            if delta is None:
                continue
            inside, first, limit = self.get(start), self.get(init), whole(start.type)
            if delta.low >= 1 and inside.high + delta.high <= limit.high:
                bounds.append((inside.high - first.low) // delta.low + 1)
            elif delta.high <= -1 and inside.low + delta.low >= limit.low:
                bounds.append((first.high - inside.low) // -delta.high + 1)
        return max(0, min(bounds))


def _place(root: SSAValue) -> Operation:
    """The op that a value is defined by or in."""
    owner = root.owner
    op = owner.parent_op() if isinstance(owner, Block) else owner
    assert op is not None
    return op


def _limit(value: SSAValue) -> State:
    return FloatInterval.whole() if is_float_type(value.type) else (whole(value.type), _NOTHING)


def _times(delta: Interval, count: int) -> Interval:
    """What is added in up to `count` iterations."""
    return Interval(min(0, count * delta.low), max(0, count * delta.high))


def _added(start: State, delta: Interval | None, count: int) -> Interval | None:
    """Where a sum can be, from its start on."""
    return None if delta is None or isinstance(start, FloatInterval) else start[0] + _times(delta, count)


def _sum_of(element: State, end: SSAValue, sides: tuple[SSAValue, SSAValue], count: int) -> State | None:
    """Where the partial sums of a reduction by addition are, if twice as much does not wrap."""
    add = end.owner
    if isinstance(element, FloatInterval) or not isinstance(add, arith.AddiOp) or set(add.operands) != set(sides):
        return None
    total = _times(element[0], count)
    return (total, _NOTHING) if total + total in whole(end.type) else None

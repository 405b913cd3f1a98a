"""What is known about numbers at one place of a program, and what follows from the conditions that hold there.

Of an integer an interval is known, constants that it is not, and *uppers*: `x <= root + c` for other values, such as
the length of an array (the upper half of Miné's zones, "The octagon abstract domain", HOSC 2006; below a length is
what removing bounds guards needs). What is a root plus a constant shares the root's knowledge. Of a float an interval
is known, and whether it may be NaN.
"""

from __future__ import annotations

import functools
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import field
from math import isqrt
from operator import itemgetter
from typing import TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from hetc.analysis.conditions import NEGATED, SWAPPED, FloatPredicate, Predicate, implied
from hetc.analysis.float_intervals import FloatInterval, float_format, is_float_type
from hetc.analysis.intervals import Interval
from hetc.analysis.overflow import allowed
from hetc.dataclass import dataclass
from hetc.dialects import guard, skel

Root = SSAValue | tuple[str, int]
"""What stands for a value in facts: the value itself without `guard.fact`, or a numbered dimension."""

Uppers = Mapping[Root, int]
"""For some roots, the c of `value <= root + c`."""

MAX_UPPERS = 12
"""How many uppers of a value are kept: a bound on the cost."""

T = TypeVar("T")
V = TypeVar("V")
_NUMBER = itemgetter(0)


@dataclass
class Frame:
    """What is assumed in one part of a program; of intervals and uppers, for which values something is."""

    intervals: set[Root] = field(default_factory=set[Root])
    uppers: set[Root] = field(default_factory=set[Root])
    floats: set[SSAValue] = field(default_factory=set[SSAValue])
    excluded: set[tuple[Root, int]] = field(default_factory=set[tuple[Root, int]])
    fitting: set[tuple[str, SSAValue, SSAValue]] = field(default_factory=set[tuple[str, SSAValue, SSAValue]])


class RangeFacts:
    """Facts of values, refined by frames of conditions; and the truth values that they decide.

    What the frames that are open assume of a value is one list, so that a question does not take longer the deeper
    loops and branches are nested.
    """

    def __init__(self) -> None:
        self.intervals: dict[Root, Interval] = {}
        self.uppers: dict[SSAValue, Uppers] = {}
        self.linear: dict[SSAValue, tuple[Root, int]] = {}
        self.floats: dict[SSAValue, FloatInterval] = {}
        self.frames = [Frame()]
        self._assumed: dict[Root, list[Interval]] = {}
        self._assumed_floats: dict[SSAValue, list[FloatInterval]] = {}
        self._assumed_uppers: dict[Root, list[tuple[int, Uppers]]] = {}
        """With the number of the frame."""
        self.decided: dict[Operation, bool] = {}

    # --- Questions ---------------------------------------------------------------------------------------------------

    def get(self, value: SSAValue) -> Interval:
        """The interval of an integer, here."""
        interval = self._interval(value, whole(value.type))
        root, offset = self.linear_of(value)
        if root is not value:
            interval = interval.meet(self.of_root(root).shifted(offset))
        return interval

    def of_root(self, root: Root) -> Interval:
        """The interval of a root, here."""
        return self._interval(root, whole(root.type) if isinstance(root, SSAValue) else Interval(0, 2**63 - 1))

    def _interval(self, root: Root, limit: Interval) -> Interval:
        interval = self.intervals.get(root, limit)
        for assumed in self._assumed.get(root, ()):
            interval = interval.meet(assumed)
        return interval

    def get_float(self, value: SSAValue) -> FloatInterval:
        """The interval of a float, here."""
        interval = self.floats.get(value, FloatInterval.whole())
        for assumed in self._assumed_floats.get(value, ()):
            interval = interval.meet(assumed)
        return interval

    def linear_of(self, value: SSAValue) -> tuple[Root, int]:
        """A value as a root plus a constant, exactly."""
        return self._linear_of(root_of(value))

    def _linear_of(self, root: Root) -> tuple[Root, int]:
        return (root, 0) if isinstance(root, tuple) else self.linear.get(root, (root, 0))

    def uppers_of(self, value: SSAValue) -> dict[Root, int]:
        """Roots and constants that a value does not exceed, here. Its own root is among them."""
        plain = root_of(value)
        root, offset = self._linear_of(plain)
        known = {} if _is_constant(root) else {root: offset}
        sources = [(self.uppers.get(value, {}), 0)]
        assumed = [
            (number, uppers, 0) for key in {value, plain} for number, uppers in self._assumed_uppers.get(key, ())
        ]
        if root is not plain:
            assumed += [(number, uppers, offset) for number, uppers in self._assumed_uppers.get(root, ())]
        sources += [(uppers, distance) for _, uppers, distance in sorted(assumed, key=_NUMBER)]
        if not isinstance(root, tuple) and root is not value:
            sources.append((self.uppers.get(root, {}), offset))
        for uppers, distance in sources:
            for other, constant in uppers.items():
                if known.get(other, constant + distance + 1) > constant + distance:
                    known[other] = constant + distance
        return known

    def exceeds(self, value: SSAValue, bound: SSAValue) -> int:
        """The smallest known c with `value <= bound + c`, here."""
        by_interval = self.get(value).high - self.get(bound).low
        root, offset = self.linear_of(bound)
        constant = self.uppers_of(value).get(root)
        return by_interval if constant is None else min(by_interval, constant - offset)

    def is_excluded(self, value: SSAValue, constant: int) -> bool:
        """Whether an integer is known not to be a constant, here."""
        root, offset = self.linear_of(value)
        return constant not in self.get(value) or any(
            (root, constant - offset) in frame.excluded for frame in self.frames
        )

    def fits(self, operator: str, left: SSAValue, right: SSAValue) -> bool:
        """Whether a guard has made sure that an operation does not wrap, here."""
        commutes = operator != "sub"
        return any(
            (operator, left, right) in frame.fitting or (commutes and (operator, right, left) in frame.fitting)
            for frame in self.frames
        )

    # --- New values --------------------------------------------------------------------------------------------------

    def set(self, value: SSAValue, interval: Interval | None, uppers: Uppers | None = None) -> None:
        """Record what is known of a new value; an interval beyond the type's means that it may wrap."""
        limit = whole(value.type)
        self.intervals[value] = interval if interval is not None and interval in limit else limit
        self.linear.pop(value, None)
        kept = list((uppers or {}).items())[:MAX_UPPERS]
        self.uppers[value] = {root: constant for root, constant in kept if root is not value}

    def set_linear(self, value: SSAValue, source: SSAValue, offset: int) -> None:
        """Record that a value, already set, is another plus a constant, exactly."""
        root, distance = self.linear_of(source)
        if root is not value:
            self.linear[value] = (root, distance + offset)

    def set_float(self, value: SSAValue, interval: FloatInterval) -> None:
        """Record what is known of a new float; of half precision, which rounds coarsely, nothing is."""
        if is_float_type(value.type):
            self.floats[value] = interval

    def decide(self, op: Operation, answer: bool | None) -> None:
        """Record a truth value that the ranges imply, or that they no longer do."""
        if answer is None:
            self.decided.pop(op, None)
            self.set(op.results[0], None)
        else:
            self.decided[op] = answer
            self.set(op.results[0], Interval(int(answer), int(answer)))

    def joined(self, one: Uppers, first: Interval, other: Uppers, second: Interval) -> dict[Root, int]:
        """The uppers of what is one value or another; a root that one side does not know is compared by intervals."""
        result: dict[Root, int] = {}
        for root in one.keys() | other.keys():
            low = self.of_root(root).low
            known = root in one and root in other
            if known or low > _lowest(root):
                result[root] = max(one.get(root, first.high - low), other.get(root, second.high - low))
        return result

    # --- Assumptions -------------------------------------------------------------------------------------------------

    @contextmanager
    def frame(self) -> Generator[None]:
        """What is assumed inside holds there alone."""
        self.frames.append(Frame())
        yield
        left = self.frames.pop()
        _forget(self._assumed, left.intervals)
        _forget(self._assumed_floats, left.floats)
        _forget(self._assumed_uppers, left.uppers)

    def assume(self, condition: SSAValue, holds: bool) -> None:
        """From here on in this block the condition is known."""
        for op, truth in implied(condition, holds):
            match op:
                case guard.FitsOp():
                    if truth:
                        self._assume_fits(op)
                case arith.CmpfOp():
                    self._assume_float(op, truth)
                case _:
                    self._assume_integer(op, truth)

    def _assume_fits(self, op: guard.FitsOp) -> None:
        self.frames[-1].fitting.add((op.operator.data, op.left, op.right))
        known = {value: self.get(value) for value in op.operands}
        bound = allowed(op.operator.data, op.left, op.right, known, whole(op.left.type))
        if bound is not None:
            self._narrow(bound[0], known[bound[0]].meet(bound[1]))

    def _assume_float(self, op: arith.CmpfOp, truth: bool) -> None:
        predicate = FloatPredicate(op.predicate.value.data)
        predicate = predicate if truth else predicate.negated()
        for value, relation, other in ((op.lhs, predicate, op.rhs), (op.rhs, predicate.swapped(), op.lhs)):
            if isinstance(value.owner, arith.ConstantOp):
                continue
            refined = self.get_float(value).refined(relation, self.get_float(other), float_format(value.type))
            _assume(self._assumed_floats, self.frames[-1].floats, value, refined)

    def _assume_integer(self, op: arith.CmpiOp, truth: bool) -> None:
        number = op.predicate.value.data
        if number > Predicate.SGE:
            return
        predicate = Predicate(number) if truth else NEGATED[Predicate(number)]
        self._refine(op.lhs, predicate, op.rhs)
        self._refine(op.rhs, SWAPPED[predicate], op.lhs)
        for side in (op.lhs, op.rhs):
            self._refine_root(side)

    def _refine_root(self, square: SSAValue) -> None:
        """x * x <= n bounds x, if the product does not wrap."""
        product = square.owner
        if not isinstance(product, arith.MuliOp) or product.lhs is not product.rhs or self.get(square).high < 0:
            return
        side = self.get(product.lhs)
        if side * side in whole(square.type) or self.fits("mul", product.lhs, product.lhs):
            largest = isqrt(self.get(square).high)
            self._narrow(product.lhs, side.meet(Interval(-largest, largest)))

    def _refine(self, value: SSAValue, predicate: Predicate, other: SSAValue) -> None:
        mine, theirs, limit = self.get(value), self.get(other), whole(value.type)
        known = mine
        match predicate:
            case Predicate.EQ:
                known = theirs
                self._refine_uppers(value, self.uppers_of(other), 0)
            case Predicate.NE:
                known = self._refine_unequal(value, mine, theirs)
            case Predicate.SLT:
                known = Interval(limit.low, max(theirs.high - 1, limit.low))
                self._refine_uppers(value, self.uppers_of(other), -1)
            case Predicate.SLE:
                known = Interval(limit.low, theirs.high)
                self._refine_uppers(value, self.uppers_of(other), 0)
            case Predicate.SGT:
                known = Interval(min(theirs.low + 1, limit.high), limit.high)
            case Predicate.SGE:
                known = Interval(theirs.low, limit.high)
        self._narrow(value, mine.meet(known))

    def _refine_unequal(self, value: SSAValue, mine: Interval, theirs: Interval) -> Interval:
        """A constant that a value is not, which may be the end of its interval."""
        if theirs.low != theirs.high:
            return mine
        root, offset = self.linear_of(value)
        self.frames[-1].excluded.add((root, theirs.low - offset))
        if mine.low == mine.high:
            return mine
        return Interval(mine.low + (mine.low == theirs.low), mine.high - (mine.high == theirs.low))

    def _narrow(self, value: SSAValue, interval: Interval) -> None:
        plain = root_of(value)
        root, offset = self._linear_of(plain)
        known = self.frames[-1].intervals
        for key, shifted in ((value, interval), (plain, interval), (root, interval.shifted(-offset))):
            both = self._assumed[key][-1].meet(shifted) if key in known else shifted
            _assume(self._assumed, known, key, both)

    def _refine_uppers(self, value: SSAValue, uppers: Uppers, distance: int) -> None:
        plain = root_of(value)
        root, offset = self._linear_of(plain)
        known, number = self.frames[-1].uppers, len(self.frames)
        for key, shift in {plain: distance, root: distance - offset}.items():
            merged = dict(self._assumed_uppers[key][-1][1]) if key in known else {}
            for other, constant in uppers.items():
                if other != key and merged.get(other, constant + shift + 1) > constant + shift:
                    merged[other] = constant + shift
            _assume(self._assumed_uppers, known, key, (number, merged))


def _assume(assumed: dict[V, list[T]], known: set[V], value: V, fact: T) -> None:
    """Add what the innermost frame assumes of a value, or replace it by what it assumes now."""
    facts = assumed.setdefault(value, [])
    if value in known:
        facts[-1] = fact
    else:
        known.add(value)
        facts.append(fact)


def _forget(assumed: dict[V, list[T]], known: set[V]) -> None:
    """A frame is left, which assumed something of these values."""
    for value in known:
        assumed[value].pop()


def whole(type_: Attribute) -> Interval:
    """All values of a type."""
    return _of_width(type_.width.data if isinstance(type_, IntegerType) else 64)


_of_width = functools.cache(Interval.of_width)


def _lowest(root: Root) -> int:
    """The lowest value of a root's type, which says nothing of the root; lengths are known not to be negative."""
    return whole(root.type).low if isinstance(root, SSAValue) else -1


def _is_constant(root: Root) -> bool:
    """Whether intervals say all that there is to say of a root."""
    return isinstance(root, SSAValue) and isinstance(root.owner, arith.ConstantOp)


def root_of(value: SSAValue) -> Root:
    """A value without the facts about it; the lengths of one dimension are one value."""
    # By their types: `isinstance` of a class of xDSL takes ten times as long, and this is asked of every operand.
    while type(owner := value.owner) is guard.FactOp:
        value = owner.operand
    return ("size", owner.dim.value.data) if type(owner) is skel.SizeOp else value


def shifted_uppers(uppers: Uppers, distance: int) -> dict[Root, int]:
    """The uppers of a value plus a distance."""
    return {root: constant + distance for root, constant in uppers.items()}


def merged_uppers(parts: Iterable[Uppers]) -> dict[Root, int]:
    """The uppers of a value of which all these hold."""
    result: dict[Root, int] = {}
    for uppers in parts:
        for root, constant in uppers.items():
            result[root] = min(constant, result.get(root, constant))
    return result

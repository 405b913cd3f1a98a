"""From neighbouring array statements to loops: which share one, what is computed before it, and what it leaves.

Statements share a loop if they have one index space and no later one reads or overwrites elements, other than at its
own point, that an earlier one stores to or reads (loop fusion without a fusion-preventing dependence: Kennedy and
McKinley, Maximizing loop parallelism and improving data locality via loop fusion and distribution, 1993, section 2). A
variable that nothing needs after the loop gets no array.

Folds over axes run inside of the loop over what they give; where they are used in a larger space, and where they bring
all axes down, they are a step of their own before it. Products of matrices are NumPy's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from hetc.arrays.numbers import NumberArray
from hetc.errors import UnsupportedError
from hetc.frontends.array_code.accesses import AnyArray
from hetc.frontends.array_code.statements import ArrayStatement, Kind
from hetc.frontends.array_code.steps import Action, LoopStep, Outcome, Plan, ProductStep, Step, parts_of
from hetc.frontends.array_code.touching import Touched, overlap
from hetc.frontends.array_code.typed import (
    Applied,
    DType,
    Earlier,
    Elements,
    Expanded,
    Fold,
    Made,
    Number,
    Product,
    Shape,
    Typing,
    Value,
    check_dtype,
)
from hetc.frontends.array_code.values import PENDING, Values


def plan(statements: Sequence[ArrayStatement], values: Values, *, portable: bool = False) -> Plan:
    """A plan for the first statements, as many as go together. Raises UnsupportedError if the first one is NumPy's.

    `portable` says that portable arrays may be among the operands, for which a copy is worth a loop.
    """
    planner = _Planner(statements, values, portable=portable)
    for number in range(len(values.leaves)):
        try:
            more = planner.add(number)
        except UnsupportedError as error:
            if not number:
                raise error.at(None) from None
            break
        if not more:
            break
    return planner.finish()


_COPIES = "a copy computes nothing: NumPy does it as fast"


class _ApartError(Exception):
    """A statement is not to share the loop of those before it."""


class _Planner:
    """Puts statements into one loop, as long as they go together."""

    def __init__(self, statements: Sequence[ArrayStatement], values: Values, *, portable: bool) -> None:
        self.portable = portable
        self.statements = statements
        self.values = values
        self.steps: list[Step] = []
        self.space: Shape | None = None
        self.actions: list[Action] = []
        self.total: Fold | None = None
        self.total_statement = 0
        self.outcomes: list[Outcome] = []
        self.bound: dict[str, Value] = {}
        self.count = 0
        self.reads: list[Touched] = []
        self.writes: list[Touched] = []

    # --- statements --------------------------------------------------------------------------------------------------

    def add(self, number: int) -> bool:
        """Add a statement; False if no other may follow. Raises UnsupportedError."""
        statement = self.statements[number]
        if self._reads_what_is_stored(number):
            return False
        value, target = self._value(number, statement)
        if target is None and value.shape == () and self._is_total(value):
            return self._add_total(number, value)
        space = value.shape if target is None else target.shape
        if not space or 0 in space:
            raise UnsupportedError("nothing is an array" if not space else "the arrays have no elements")
        if self.space is not None and space != self.space:
            return False
        steps: list[Step] = []
        settled = self._settled(value, space, number, steps)
        if isinstance(settled, Made):
            return self._add_product(number, settled, target, steps)
        try:
            reads = list(self._reads(settled, number, space, at_point=True))
            for step in steps:
                self._check_step(step, number)
        except _ApartError:
            return False
        stored = None if target is None else self._touched(target, number)
        if not self._fits(reads, stored):
            return False
        if stored is not None and not all(read.is_apart(stored) for read in reads):
            return self._add_copy(number, settled, target, space, steps)
        self._accept(number, settled, target, reads, stored, space, steps)
        return statement.kind is not Kind.RETURN

    def _value(self, number: int, statement: ArrayStatement) -> tuple[Value, Elements | None]:
        """What a statement computes, and the array that it stores it to, if there is one already."""
        values = self.values.leaves[number]
        earlier: dict[int, Value] = {}
        for leaf, node in enumerate(statement.leaves):
            if values[leaf] is PENDING and isinstance(node, ast.Name):
                earlier[leaf] = self.bound[node.id]
        typing = Typing(values, lambda leaf: self.values.containers[number, leaf], earlier, portable=self.portable)
        value = typing.value(statement.value)
        target = statement.target
        if target is None:
            return value, None
        if target.number in earlier:
            return _converted(value, earlier[target.number].dtype, earlier[target.number].shape), None
        array = values[target.number]
        if not isinstance(array, np.ndarray | NumberArray) or (isinstance(array, NumberArray) and not self.portable):
            if statement.kind is Kind.STORE:
                raise UnsupportedError("one element is stored")
            return value, None
        found = typing.value(target)
        if not isinstance(found, Elements):
            raise UnsupportedError("it stores to a number")
        _check_target(array, value, found, same_kind=statement.is_update)
        return value, found

    def _is_total(self, value: Value) -> bool:
        return any(isinstance(part, Fold | Product) for part in parts_of(value))

    def _add_total(self, number: int, value: Value) -> bool:
        """A statement whose value is a number, computed of folds of all elements."""
        steps: list[Step] = []
        settled = self._settled(value, (), number, steps)
        _check_products(steps)
        totals = [step for step in steps if isinstance(step, LoopStep) and step.total is not None]
        if self.space is not None:
            # The last loop may become that of the statements before, if it runs over the same space.
            if len(steps) != 1 or len(totals) != 1 or totals[0].space != self.space:
                return False
            (step,) = totals
            assert step.total is not None
            try:
                reads = list(self._reads(step.total.operand, number, self.space, at_point=True))
            except _ApartError:
                return False
            if not self._fits(reads, None):
                return False
            self.total, self.total_statement = step.total, number
        else:
            for step in steps:
                self._check_step(step, number)
            self.steps += steps
        self.outcomes.append(Outcome(number, settled))
        self.count = number + 1
        return False

    def _add_product(self, number: int, value: Made, target: Elements | None, steps: list[Step]) -> bool:
        """A statement whose value is a product of matrices."""
        _check_products(steps)
        if self.count:
            return False
        self.steps += steps
        self.outcomes.append(Outcome(number, value, target))
        self.count = number + 1
        return False

    def _add_copy(self, number: int, value: Value, target: Elements | None, space: Shape, steps: list[Step]) -> bool:
        """A statement that reads what it overwrites, at other points: all is computed before anything is stored."""
        if self.count:
            return False
        if not (self.portable or steps) and _is_plain_value(value):
            raise UnsupportedError(_COPIES)
        self.steps += [*steps, LoopStep(space, (Action(number, value, None, kept=True),))]
        made = Made(space, value.dtype, value.node, len(self.steps) - 1, number)
        self.outcomes.append(Outcome(number, made, target))
        self.count = number + 1
        return False

    def _accept(
        self,
        number: int,
        value: Value,
        target: Elements | None,
        reads: list[Touched],
        stored: Touched | None,
        space: Shape,
        steps: list[Step],
    ) -> None:
        self.steps += steps
        self.space = space
        self.actions.append(Action(number, value, target))
        self.reads += reads
        if stored is not None:
            self.writes.append(stored)
        name = self.statements[number].name
        if name is not None and target is None:
            self.bound[name] = Earlier(space, value.dtype, value.node, number)
        self.outcomes.append(Outcome(number))
        self.count = number + 1

    def finish(self) -> Plan:
        """The plan for the statements that have been added."""
        if not self.count:
            raise UnsupportedError("it is not looked into")
        if self.actions:
            assert self.space is not None
            computes = any(not _is_plain_value(action.value) for action in self.actions)
            if not (self.portable or self.total or self.steps or computes):
                raise UnsupportedError(_COPIES)
            last = {statement.name: k for k, statement in enumerate(self.statements[: self.count]) if statement.name}
            after = self.statements[self.count - 1].after
            actions = tuple(self._kept(action, last, after) for action in self.actions)
            self.steps.append(LoopStep(self.space, actions, self.total, self.total_statement))
            made = len(self.steps) - 1
            for place, outcome in enumerate(self.outcomes):
                if any(action.kept and action.statement == outcome.statement for action in actions):
                    action = next(a for a in actions if a.statement == outcome.statement)
                    value = Made(self.space, action.value.dtype, action.value.node, made, action.statement)
                    self.outcomes[place] = replace(outcome, value=value)
                elif outcome.value is not None and outcome.statement == self.total_statement and self.total is not None:
                    self.outcomes[place] = replace(outcome, value=_with_step(outcome.value, made))
        return Plan(tuple(self.steps), tuple(self.outcomes), self.count)

    def _kept(self, action: Action, last: Mapping[str, int], after: frozenset[str]) -> Action:
        """An action that makes an array, if what it makes is needed after the loop."""
        statement = self.statements[action.statement]
        if action.target is not None:
            return action
        if statement.kind is Kind.RETURN:
            return replace(action, kept=True)
        name = statement.name
        return replace(action, kept=name is not None and name in after and last[name] == action.statement)

    # --- what is computed before -------------------------------------------------------------------------------------

    def _settled(self, value: Value, space: Shape, number: int, steps: list[Step]) -> Value:
        """A value in which all folds run over `space`; the others become steps."""
        match value:
            case Applied(operands=operands):
                return replace(value, operands=tuple(self._settled(part, space, number, steps) for part in operands))
            case Expanded(operand=operand):
                return replace(value, operand=self._settled(operand, space, number, steps))
            case Fold(operand=operand):
                inner = replace(value, operand=self._settled(operand, operand.shape, number, steps))
                if inner.shape == space and space:
                    return inner
                step = (
                    LoopStep(inner.shape, (Action(number, inner, None, kept=True),))
                    if inner.shape
                    else LoopStep(operand.shape, (), inner, number)
                )
                return self._made(value, step, steps)
            case Product(name=name, operands=operands):
                return self._made(
                    value, ProductStep(name, tuple(self._array_of(o, number, steps) for o in operands), number), steps
                )
            case _:
                return value

    def _array_of(self, value: Value, number: int, steps: list[Step]) -> Value:
        """A value as an array that there is, or that a step makes."""
        settled = self._settled(value, value.shape, number, steps)
        if isinstance(settled, Elements | Made):
            return settled
        return self._made(value, LoopStep(value.shape, (Action(number, settled, None, kept=True),)), steps)

    def _made(self, value: Value, step: Step, steps: list[Step]) -> Value:
        if isinstance(step, LoopStep) and 0 in step.space:
            raise UnsupportedError("the arrays have no elements")
        if step not in steps:
            steps.append(step)
        statement = step.actions[0].statement if isinstance(step, LoopStep) and step.actions else None
        return Made(value.shape, value.dtype, value.node, len(self.steps) + steps.index(step), statement)

    def _check_step(self, step: Step, number: int) -> None:
        """Raise _ApartError for a step before the loop that needs what the loop's statements do."""
        values = step.operands if isinstance(step, ProductStep) else [action.value for action in step.actions]
        if isinstance(step, LoopStep) and step.total is not None:
            values = [*values, step.total.operand]
        for value in values:
            for read in self._reads(value, number, None, at_point=False):
                if any(overlap(read.array, written.array) for written in self.writes):
                    raise _ApartError

    # --- dependences -------------------------------------------------------------------------------------------------

    def _reads(self, value: Value, number: int, space: Shape | None, *, at_point: bool) -> Iterator[Touched]:
        """The arrays that a value reads, each with whether only at the point that the loop has come to.

        Raises _ApartError if it needs, at another point, what a statement of the same loop computes.
        """
        here = at_point and value.shape == space
        match value:
            case Elements():
                yield self._touched(value, number, here=here)
            case Earlier():
                if not here:
                    raise _ApartError
            case Applied(operands=operands):
                for operand in operands:
                    yield from self._reads(operand, number, space, at_point=at_point)
            case Fold(operand=operand) | Expanded(operand=operand):
                yield from self._reads(operand, number, space, at_point=False)
            case _:
                return

    def _touched(self, value: Elements, number: int, *, here: bool = True) -> Touched:
        array = self.values.leaves[number][value.leaf]
        return Touched(array, value.access.handed(array, self.values.containers.get((number, value.leaf), array)), here)

    def _fits(self, reads: Sequence[Touched], stored: Touched | None) -> bool:
        """Whether a statement may share the loop of those before."""
        if not all(read.is_apart(written) for read in reads for written in self.writes):
            return False
        return stored is None or all(stored.is_apart(other) for other in (*self.writes, *self.reads))

    def _reads_what_is_stored(self, number: int) -> bool:
        """Whether elements that were read to know a statement's leaves are stored to by those before."""
        return any(overlap(array, written.array) for array in self.values.looked_at[number] for written in self.writes)


def _check_products(steps: Sequence[Step]) -> None:
    """Raise UnsupportedError if there is nothing but products of arrays that there are."""
    if all(isinstance(step, ProductStep) for step in steps):
        raise UnsupportedError(
            "a product of matrices or vectors is NumPy's, which leaves it to a BLAS: no loop is faster on a processor"
        )


def _is_plain_value(value: Value) -> bool:
    return isinstance(value, Elements | Number | Earlier) or (
        isinstance(value, Applied) and value.name == "cast" and _is_plain_value(value.operands[0])
    )


def _with_step(value: Value, step: int) -> Value:
    """A value whose numbers all come from one step."""
    match value:
        case Made():
            return replace(value, step=step)
        case Applied(operands=operands):
            return replace(value, operands=tuple(_with_step(operand, step) for operand in operands))
        case _:
            return value


def _converted(value: Value, dtype: DType, shape: Shape) -> Value:
    """What an update of a variable makes of it: it stays an array of its dtype and shape."""
    if not np.can_cast(value.dtype, dtype, "same_kind") or value.shape != shape:
        raise UnsupportedError("the update does not fit the array")
    if value.dtype == dtype:
        return value
    return Applied(shape, dtype, value.node, "cast", (value,), (dtype,))


def _check_target(array: AnyArray | NumberArray, value: Value, target: Elements, *, same_kind: bool) -> None:
    """Raise UnsupportedError for a store that NumPy refuses, warns of, or converts in a way of its own."""
    check_dtype(array.dtype)
    if array.owner.frozen if isinstance(array, NumberArray) else not array.flags.writeable:
        raise UnsupportedError("the array is read-only")
    if same_kind and not np.can_cast(value.dtype, target.dtype, "same_kind"):
        raise UnsupportedError("the update does not fit the array")
    if value.dtype.kind == "c" and target.dtype.kind != "c":
        raise UnsupportedError("NumPy warns that it leaves out imaginary parts")
    if value.dtype.kind == "f" and target.dtype.kind in "iu":
        raise UnsupportedError("floats become integers")
    try:
        fits = np.broadcast_shapes(value.shape, target.shape) == target.shape
    except ValueError:
        fits = False
    if not fits:
        raise UnsupportedError("the value does not fit the part that it is stored to")
    if isinstance(value, Number) and value.weak is int and target.dtype.kind not in "iufcb":
        raise UnsupportedError("the value does not fit the array")

"""What a plan for array statements consists of: loops, products, and what statements come to."""

from __future__ import annotations

from collections.abc import Iterator

from hetc.dataclass import dataclass
from hetc.frontends.array_code.typed import Applied, Elements, Expanded, Fold, Product, Shape, Value


@dataclass(frozen=True)
class Action:
    """What a loop does for statement `statement`, or for a step: compute `value`, and store it.

    It stores to the elements of `target`, an array of the statement, or to a new array for a variable or step, if
    `kept`.
    """

    statement: int
    value: Value
    target: Elements | None = None
    kept: bool = False


@dataclass(frozen=True)
class LoopStep:
    """A loop over an index space; `total` is what it brings down to one number, if anything."""

    space: Shape
    actions: tuple[Action, ...]
    total: Fold | None = None
    total_statement: int = 0


@dataclass(frozen=True)
class ProductStep:
    """A product that NumPy computes; its operands are arrays that there are, or that earlier steps have made."""

    name: str
    operands: tuple[Value, ...]
    statement: int


Step = LoopStep | ProductStep


@dataclass(frozen=True)
class Outcome:
    """What a statement comes to on the host: a number computed of what steps have made, or a copy of what one has made.

    `value` is None for what a loop has stored, or for a variable that nothing needs.
    """

    statement: int
    value: Value | None = None
    copied_to: Elements | None = None


@dataclass(frozen=True)
class Plan:
    """The first `count` statements of a group, or what is left of it, as steps and what they come to."""

    steps: tuple[Step, ...]
    outcomes: tuple[Outcome, ...]
    count: int


def parts_of(value: Value) -> Iterator[Value]:
    """A value and all that it is made of."""
    yield value
    match value:
        case Applied(operands=operands) | Product(operands=operands):
            for operand in operands:
                yield from parts_of(operand)
        case Fold(operand=operand) | Expanded(operand=operand):
            yield from parts_of(operand)
        case _:
            return

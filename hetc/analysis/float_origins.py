"""Where a program first makes a NaN or an infinity of numbers: level-0 IR run on Python objects, and watched.

Each operator and function of Python is one op there, with its place in the source. One that gives what is no number,
though its operands are numbers, is an *origin*; what it spreads to is not. The exceptional values of IEEE 754 (2019,
section 7) are found by their results, since Python and devices show no flags.
"""

from __future__ import annotations

import cmath
from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from hetc.analysis.concrete import ConcreteRun
from hetc.analysis.locations import source_location
from hetc.containers import value_text
from hetc.dataclass import dataclass
from hetc.dialects import dyn
from hetc.errors import SourceLocation

OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@",
}  # fmt: skip
"""How Python spells the operators of `dyn.binary`."""

FUEL = 1_000_000
"""How many ops the run of one element may take."""


@dataclass(frozen=True)
class Origin:
    """An operation that has made what is no number: its place, how it reads with the values, and its result.

    `operator` is the name of a binary operator, to find its expression in the source.
    """

    place: SourceLocation | None
    text: str
    result: object
    operator: str | None = None


class WatchedRun(ConcreteRun):
    """A run that notes the origins that it comes to, in order."""

    def __init__(self, module: ModuleOp, captured: Mapping[str, object], *, stores: bool = False) -> None:
        super().__init__(module, captured, FUEL, stores=stores, values=True)
        self.origins: list[Origin] = []

    def op(self, op: Operation) -> None:
        """Run one op."""
        super().op(op)
        if isinstance(op, dyn.BinaryOp | dyn.UnaryOp | dyn.BuiltinOp):
            result = self.values[op.results[0]]
            if _is_no_number(result) and all(map(_is_finite, self.all(op.operands))):
                self.origins.append(_origin(op, self.all(op.operands), result))


def _origin(op: dyn.BinaryOp | dyn.UnaryOp | dyn.BuiltinOp, operands: list[Any], result: object) -> Origin:
    place, shown = source_location(op.location), [value_text(value) for value in operands]
    if isinstance(op, dyn.BuiltinOp):
        return Origin(place, f"{op.function.data}({', '.join(shown)})", result)
    name = op.operator.data
    if isinstance(op, dyn.BinaryOp) and name in OPERATORS:
        return Origin(place, f"{shown[0]} {OPERATORS[name]} {shown[1]}", result, name)
    return Origin(place, f"{name} of {', '.join(shown)}", result)


def _is_no_number(value: object) -> bool:
    """Whether a value is a float or complex number, and a NaN or an infinity."""
    return isinstance(value, float | complex | np.floating | np.complexfloating) and not cmath.isfinite(
        cast("complex", value)
    )


def _is_finite(value: Any) -> bool:
    """Whether all numbers in a value are finite."""
    match value:
        case np.ndarray():
            numbers: np.ndarray[Any, Any] = value
            return numbers.dtype.kind not in "fc" or bool(np.isfinite(numbers).all())
        case tuple() | list():
            return all(map(_is_finite, cast("Iterable[object]", value)))
        case _:
            return not _is_no_number(value)

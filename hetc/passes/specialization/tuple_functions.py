"""Functions that take or return tuples: `math.fsum`, `prod`, `sumprod`, `dist`; `divmod`, `math.modf`, `frexp`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from hetc.diagnostics import Category
from hetc.dialects import dyn, obj
from hetc.dialects.guard import GuardKind
from hetc.passes.semantics import arithmetic, conversions, floating, functions
from hetc.passes.semantics.emitter import Number
from hetc.passes.semantics.terms import Term
from hetc.passes.specialization import sequences
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.values import Value

MAX_SUMMANDS = 16
"""The ops of an exact sum grow with the square of its summands."""


def run(s: Interpretation, op: dyn.BuiltinOp) -> SSAValue | None:
    """The result of a function that takes or returns tuples, or None if it is another one."""
    name = op.function.data
    arity = _OF_TUPLES.get(name)
    if arity is not None:
        if len(op.arguments) not in arity:
            raise s.unsupported(f"{name}() with {len(op.arguments)} arguments is not compiled")
        start = s.number(op.arguments[1]) if op.named else s.constant(1, dyn.INT)
        values = [s.get(argument) for argument in op.arguments[: len(op.arguments) - len(op.named)]]
        return s.box(_of_tuples(s, name, values, start))
    if name not in functions.PAIRS:
        return None
    pair = functions.call_pair(s, name, [s.number(argument) for argument in op.arguments])
    return s.add(obj.PackOp([s.box(number) for number in pair])).result


_OF_TUPLES = {"math.fsum": (1,), "math.prod": (1, 2), "math.sumprod": (2,), "math.dist": (2,)}


def _of_tuples(s: Interpretation, name: str, values: Sequence[Value], start: Number) -> Number:
    rows = [_items(s, name, value) for value in values]
    if len({len(row) for row in rows}) > 1:
        raise s.unsupported(f"{name}() of tuples of different lengths raises ValueError")
    match name:
        case "math.fsum":
            return _exact_sum(s, rows[0])
        case "math.dist":
            terms = [[Term(s, conversions.to_float(s, number).value) for number in row] for row in rows]
            differences = [abs(p - q) for p, q in zip(*terms, strict=True)]
            return Number(floating.distance(s, differences).value, dyn.FLOAT)
        case "math.prod":
            result = start
            for number in rows[0]:
                result = arithmetic.binary(s, "mul", result, number)
            return result
        case _:
            return _sum_of_products(s, rows[0], rows[1])


def _items(s: Interpretation, name: str, value: Value) -> list[Number]:
    items = sequences.items_of(s, value)
    if items is None:
        raise s.unsupported(f"{name}() needs a tuple or list", category=Category.CONTAINER)
    return [s.unbox(item) for item in items if isinstance(item, SSAValue)]


def _exact_sum(s: Interpretation, numbers: Sequence[Number]) -> Number:
    if len(numbers) > MAX_SUMMANDS:
        raise s.unsupported(f"math.fsum() of more than {MAX_SUMMANDS} numbers is not compiled")
    terms = [Term(s, conversions.to_float(s, number).value) for number in numbers]
    size = Term(s, s.constant(0.0, dyn.FLOAT).value)
    for term in terms:
        size = size + abs(term)
    # CPython's partial sums are at most the sum of the sizes: where that overflows, it may raise or not.
    s.require(size.is_finite().value, GuardKind.OVERFLOW, "math.fsum() of numbers that are too large")
    return Number(floating.exact_sum(s, terms).value, dyn.FLOAT)


def _sum_of_products(s: Interpretation, left: Sequence[Number], right: Sequence[Number]) -> Number:
    if any(number.source not in (dyn.INT, dyn.BOOL) for number in (*left, *right)):
        raise s.unsupported("math.sumprod() is compiled for Python integers", hint="write the products out")
    total = s.constant(0, dyn.INT)
    for a, b in zip(left, right, strict=True):
        total = arithmetic.binary(s, "add", total, arithmetic.binary(s, "mul", a, b))
    return total

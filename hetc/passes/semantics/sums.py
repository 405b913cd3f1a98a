"""Python's `sum` since 3.12, part by part: see `hetc.analysis.compensated_sums`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from hetc.analysis.source_types import is_complex
from hetc.dialects import dyn
from hetc.passes.semantics import arithmetic
from hetc.passes.semantics.emitter import Emitter, Number
from hetc.passes.semantics.terms import Term

WIDE = sys.version_info >= (3, 14)
"""Whether complex numbers too, and integers that are added to floats, have an error term."""


def call(e: Emitter, name: str, arguments: Sequence[Number]) -> Number:
    """`sum.add(total, lost, item)`, `sum.lose(total, lost, item)` or `sum.end(total, lost)`."""
    total, lost = arguments[:2]
    if name == "end":
        return _end(e, total, lost)
    item = arguments[2]
    if WIDE and (is_complex(total.source) or (total.source == dyn.FLOAT and item.source == dyn.INT)):
        raise e.unsupported("sum() of these numbers is not compiled", hint="add in a loop")
    if total.source == dyn.BOOL:
        raise e.unsupported("sum() that starts with a truth value is not compiled", hint="start with a number")
    if name == "add":
        exact = item.source in (dyn.FLOAT, dyn.INT, dyn.BOOL)
        return arithmetic.binary(e, "add", total if exact else _end(e, total, lost), item)
    if total.source != dyn.FLOAT or item.source in (dyn.INT, dyn.BOOL):
        return lost
    if item.source != dyn.FLOAT:
        return e.constant(0.0, dyn.FLOAT)
    x, y, before = (Term(e, number.value) for number in (total, item, lost))
    new = x + y
    rest = (abs(x) >= abs(y)).choose((x - new) + y, (y - new) + x)
    return Number((before + rest).value, dyn.FLOAT)


def _end(e: Emitter, total: Number, lost: Number) -> Number:
    if total.source != dyn.FLOAT:
        return total
    x, rest = Term(e, total.value), Term(e, lost.value)
    counts = rest.differs(0.0) & rest.is_finite()
    return Number(counts.choose(x + rest, x).value, dyn.FLOAT)

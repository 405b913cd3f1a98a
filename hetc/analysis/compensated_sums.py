"""Python's `sum` since 3.12, in three parts: what a step adds, what rounding lost in it, and the end.

Floats are added with an error term (Neumaier, ZAMM 54, 1974: the improved Kahan-Babuška algorithm). As long as the
total is a float and so are the items, `lost` holds what rounding took away; the first item of another type takes it in,
and so does the end. Integers are added to a float without an error term, until Python 3.14.
"""

from __future__ import annotations

import math
from typing import Any


def add(total: Any, lost: float, item: Any) -> Any:
    """The total after one more item.

    >>> add(1.0, 0.0, 1e-17), lose(1.0, 0.0, 1e-17)
    (1.0, 1e-17)
    """
    if type(total) is float and not isinstance(item, int) and type(item) is not float:
        total = end(total, lost)
    return total + item


def lose(total: Any, lost: float, item: Any) -> float:
    """What rounding has lost after one more item."""
    if type(total) is not float or isinstance(item, int):
        return lost
    if type(item) is not float:
        return 0.0
    new = total + item
    return lost + ((total - new) + item if abs(total) >= abs(item) else (item - new) + total)


def end(total: Any, lost: float) -> Any:
    """The sum: with what was lost, if that is a number."""
    return total + lost if type(total) is float and lost and math.isfinite(lost) else total


PARTS = {"add": add, "lose": lose, "end": end}
"""The functions that `dyn.builtin` calls "sum.add", "sum.lose" and "sum.end"."""

"""Dot products in tasks: Python functions that are compiled with the loop that they stand in.

The terms are added up in any order, as a BLAS does it: that is as with all sums on devices (`any_order`). Those of a
gathered vector come in order, since no device gains by another one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hetc.frontends.python.licences import any_order


@any_order
def dot64(x: Any, y: Any) -> Any:
    """The product of two vectors of float64."""
    if len(x) != len(y):
        raise ValueError
    total = np.float64(0)
    for k in range(len(x)):
        total = total + x[k] * y[k]
    return total


@any_order
def dot32(x: Any, y: Any) -> Any:
    """The product of two vectors of float32."""
    if len(x) != len(y):
        raise ValueError
    total = np.float32(0)
    for k in range(len(x)):
        total = total + x[k] * y[k]
    return total


def gathered_dot64(x: Any, y: Any, places: Any) -> Any:
    """The product of two vectors of float64, `x @ y[places]`."""
    if len(x) != len(places):
        raise ValueError
    total = np.float64(0)
    for k in range(len(x)):
        total = total + x[k] * y[places[k]]
    return total


def gathered_dot32(x: Any, y: Any, places: Any) -> Any:
    """The product of two vectors of float32, `x @ y[places]`."""
    if len(x) != len(places):
        raise ValueError
    total = np.float32(0)
    for k in range(len(x)):
        total = total + x[k] * y[places[k]]
    return total

"""NumPy's functions that give views, on portable arrays: views of the same memory, wherever the numbers are.

Where the elements of a view are, NumPy computes itself, on a layout that has no memory (`hetc.arrays.geometry`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from hetc.arrays.numbers import NumberArray

_ALWAYS_VIEWS: tuple[Any, ...] = (
    np.transpose, np.permute_dims, np.swapaxes, np.moveaxis, np.rollaxis, np.expand_dims, np.squeeze, np.broadcast_to,
    np.flip, np.fliplr, np.flipud, np.rot90, np.matrix_transpose,
)  # fmt: skip


def _by_layout(function: Any) -> Callable[..., NumberArray | None]:
    def view(array: NumberArray, *args: Any, **options: Any) -> NumberArray | None:
        return array.view_of(lambda layout: function(layout, *args, **options))

    return view


def _reshape(array: NumberArray, *args: Any, **options: Any) -> NumberArray | None:
    shape = options.pop("shape", None) if not args else args[0]
    order = options.pop("order", args[1] if len(args) > 1 else "C")
    if options.pop("copy", None) or options or len(args) > 2 or shape is None or order != "C":
        return None
    return array.reshape(shape)


def _ravel(array: NumberArray, order: str = "C") -> NumberArray | None:
    return array.reshape(-1) if order == "C" else None


VIEWS: dict[Any, Callable[..., Any]] = {
    **{function: _by_layout(function) for function in _ALWAYS_VIEWS},
    np.reshape: _reshape,
    np.ravel: _ravel,
    np.shape: operator.attrgetter("shape"),
    np.ndim: operator.attrgetter("ndim"),
}
"""The functions that give views, or say what an array looks like; they give None for what is left to NumPy."""

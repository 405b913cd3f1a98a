"""Elements in the container that the caller of an array function expects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from hetc.abi import Container


def collect(elements: list[Any], container: Container) -> object:
    """Elements in the container that the caller expects.

    In an ndarray, tuples become one array a component, as NumPy's own functions with several outputs return them.
    """
    if container is Container.LIST:
        return elements
    if container is Container.TUPLE:
        return tuple(elements)
    return _as_arrays(elements)


def _as_arrays(elements: Sequence[object]) -> object:
    widths = {_width(element) for element in elements}
    if len(widths) != 1 or None in widths:
        return np.array(elements)
    rows = cast("Sequence[tuple[object, ...]]", elements)
    return tuple(_as_arrays(component) for component in zip(*rows, strict=True))


def _width(element: object) -> int | None:
    """The number of items in a tuple, None for anything else."""
    return len(cast("tuple[object, ...]", element)) if isinstance(element, tuple) else None

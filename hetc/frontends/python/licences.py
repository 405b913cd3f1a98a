"""How what a function computes may be computed: marks on Python functions, which their level-0 functions carry on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])

_MARK = "__hetc_any_order__"


def any_order(function: F) -> F:
    """Floats that the function adds up may be added in any order."""
    setattr(function, _MARK, True)
    return function


def is_any_order(function: object) -> bool:
    """Whether a function is so marked."""
    return getattr(function, _MARK, False) is True

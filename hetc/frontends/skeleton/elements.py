"""The elements of a call as messages name them: their numbers, and what the function's parameters are in them."""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import Any

from hetc.containers import elements_of, values_text
from hetc.frontends.skeleton.composition import Reduce, Scan, Stages, functions


def element_text(stages: Stages, inputs: Sequence[Any], number: int, first: int = 0) -> str:
    """An element of a composition's inputs, by its number and values; `first` is the number of the inputs' first.

    >>> from hetc.frontends.skeleton.composition import Map
    >>> element_text((Map(lambda x, y: x / y),), [[1.0, 2.0], range(2)], 1)
    'element 1, where x = 2.0, y = 1'
    """
    values = [elements_of(value)[number] for value in inputs]
    return f"element {first + number}, where {values_text(parameters(stages, len(values)), values)}"


def parameters(stages: Stages, count: int) -> list[str]:
    """The names of the first function's parameters, if it takes so many values; else their places."""
    first = next(iter(functions(stages)), None)
    if isinstance(first, FunctionType) and not isinstance(stages[0], Reduce | Scan):
        code = first.__code__
        if code.co_argcount == count:
            return list(code.co_varnames[:count])
    return ["input"] if count == 1 else [f"input {number}" for number in range(count)]

"""Maps over arrays of several dimensions, whose elements are rows: maps over the numbers of the rows.

```text
hetc.map(f)(matrix, weights)    ->    hetc.map(lambda i, w: f(matrix[i], w))(range(len(matrix)), weights)
```

The arrays are captured, so that a row is a view, and nothing is copied for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any

import numpy as np

from hetc.abi import ValueType
from hetc.arrays.numbers import NumberArray
from hetc.errors import UnsupportedError
from hetc.frontends.skeleton.composition import Map, Stages
from hetc.runtime.describe import common_length


def has_rows(stages: Stages, inputs: Sequence[Any]) -> bool:
    """Whether elements of an input are rows, and a map takes them."""
    return isinstance(stages[0], Map) and any(map(_is_of_rows, inputs))


def over_numbers(stages: Stages, inputs: Sequence[Any]) -> tuple[Stages, list[Any]]:
    """The composition over the numbers of the rows, and its inputs: these numbers, and the inputs without rows.

    Raises InputError for inputs of several lengths, UnsupportedError for a function that is not Python code.
    """
    first = stages[0]
    assert isinstance(first, Map)
    if not isinstance(first.function, FunctionType):
        raise UnsupportedError(
            "a map over rows is compiled for functions written in Python, not for other callables",
            hint="call it in one: hetc.map(lambda row: sum(row))",
        )
    from hetc.element_loop import element_function  # which is about the syntax of functions, and few calls are

    given = [number for number, value in enumerate(inputs) if not _is_of_rows(value)]
    numbers = range(common_length(list(map(len, inputs))))
    function = element_function(first.function, inputs, given)
    return (Map(function), *stages[1:]), [numbers, *(inputs[number] for number in given)]


def numbers_first(inputs: tuple[ValueType, ...]) -> tuple[ValueType, ...]:
    """The types of the inputs, the first of which are the numbers of rows: they are below the arrays' lengths."""
    numbers, *others = inputs
    (length,) = numbers.dims
    return (replace(numbers, below=((length, -1),), unit_step=True), *others)


def _is_of_rows(value: object) -> bool:
    return isinstance(value, np.ndarray | NumberArray) and value.ndim > 1

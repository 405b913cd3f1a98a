"""What attributes hold, as Python values, where xDSL's types say less than the op's verifier has made sure of."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import Attribute


def int_values(attribute: Attribute) -> tuple[int, ...]:
    """The integers of an attribute such as `array<i64: 0, 1>`.

    >>> from xdsl.dialects.builtin import i64
    >>> int_values(DenseArrayBase.from_list(i64, [2, 3]))
    (2, 3)
    """
    assert isinstance(attribute, DenseArrayBase)
    # isinstance() cannot tell an array of integers from one of floats.
    return cast("DenseArrayBase[IntegerType]", attribute).get_values()

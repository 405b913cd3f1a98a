"""Values of fields: packed where all are Python floats, ints or bools, in the same order and of the same types."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from hetc.field_values import FieldValues, packed_type


def gathered(*blocks: list[Any]) -> Any:
    values = FieldValues(sum(map(len, blocks)))
    for block in blocks:
        values.extend(block)
    return values.result()


def exact(values: Any) -> list[tuple[type, str]]:
    return [(type(value), repr(value)) for value in values]


class Odd(float):
    pass


FLOATS = [0.0, -0.0, 1.5, math.inf, -math.inf, math.nan, 5e-324, 1.7976931348623157e308]
BOOLS = [True, False]
INTS = [0, 1, -1, 2**31, -(2**63), 2**63 - 1]


def test_floats_ints_and_bools_are_packed() -> None:
    for blocks, dtype in (
        ((FLOATS, [], FLOATS[:3]), np.float64),
        ((INTS, INTS[:1]), np.int64),
        ((BOOLS, BOOLS), np.bool_),
    ):
        found = gathered(*blocks)
        assert isinstance(found, np.ndarray)
        assert found.dtype == dtype
        assert exact(found.tolist()) == exact(value for block in blocks for value in block)
    intervals: list[tuple[int, int]] = []
    assert [packed_type(gathered(some), intervals).name for some in (INTS, FLOATS, BOOLS)] == ["int", "float", "bool"]
    assert intervals == [(-(2**63), 2**63 - 1)]


@pytest.mark.parametrize(
    "other",
    [1, True, 2**63, 1j, None, np.float64(1.0), np.float32(1.0), np.int64(1), Odd(1.0), "g1234567", b"g1234567",
     (1.0,), [1.0], object(), 1.0],
)  # fmt: skip
@pytest.mark.parametrize("number", [2.5, 7, False])
def test_other_values_are_never_packed(other: object, number: object) -> None:
    """Whatever stands among floats or ints, in the first block or a later one, keeps its type."""
    for blocks in ([[number, other, number]], [[number] * 3, [other]], [[number], [number, other], [number]]):
        found = gathered(*blocks)
        if type(other) is type(number) and other != 2**63:
            assert isinstance(found, np.ndarray)
        else:
            assert isinstance(found, list)
            assert exact(found) == exact(value for block in blocks for value in block)

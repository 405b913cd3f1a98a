"""Constants are what their types hold: a literal that NumPy rounds or wraps stays so when it is converted again."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from hetc.abi import NUMPY_SCALARS
from hetc.errors import UnsupportedError
from hetc.passes.semantics import functions
from hetc.passes.semantics.emitter import Emitter, Number
from tests.unit.semantics_oracle import ALL_TYPES, check, python_raises

LITERALS: list[Any] = [0, 1, -1, 3, 100, 300, 70000, 2**53 + 1, True, 0.1, -0.0, 1e6, 1e300, 0.1 + 3j, 16777217.0]


@pytest.mark.parametrize("first", NUMPY_SCALARS)
def test_two_conversions(first: str):
    for second, literal in itertools.product(NUMPY_SCALARS, LITERALS):

        def build(e: Emitter, _: Number, literal: Any = literal, second: str = second) -> Number:
            constant = e.constant(literal, ALL_TYPES[type(literal).__name__])
            inner = functions.call(e, f"np.{first}", [constant])
            return functions.call(e, f"np.{second}", [inner])

        def function(_: Any, literal: Any = literal, second: str = second) -> Any:
            return np.dtype(second).type(np.dtype(first).type(literal))

        try:
            check(build, function, [ALL_TYPES["int"]], [(0,)], literal=literal, may_fail="the float does not fit")
        except UnsupportedError:
            complex_to_real = np.dtype(first).kind == "c" and np.dtype(second).kind != "c"
            assert complex_to_real or python_raises(function, [(0,)]), (first, second, literal)

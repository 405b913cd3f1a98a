"""Calls of NumPy's functions as statements: what is written for each, and what is left to NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.errors import UnsupportedError
from hetc.frontends.array_code.calls import (
    ArrayCall,
    cast_call,
    clip_call,
    fold_call,
    outer_call,
    product_call,
    store_call,
    ufunc_call,
    where_call,
)

A: Any = hetc.array(np.arange(24.0).reshape(2, 3, 4))
B: Any = hetc.array(np.arange(4.0))
MANY: Any = hetc.array(np.zeros((2, 3, 4, 5)))
WHOLE: Any = hetc.array(np.arange(4))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: ufunc_call(np.add, (A, B), {}), "np.add(x0, x1)"),
        (lambda: ufunc_call(np.multiply, (A, A), {}), "np.multiply(x0, x0)"),
        (lambda: ufunc_call(np.power, (A, 2), {}), "x0 ** 2"),
        (lambda: ufunc_call(np.sqrt, (A,), {"out": (A,)}), "x0[...] = np.sqrt(x0)"),
        (
            lambda: ufunc_call(np.add, (A, 1.5), {"out": (A,), "where": A > 2}),
            "x0[...] = np.where(x2, np.add(x0, x1), x0)",
        ),
        (lambda: outer_call(np.subtract, (B, B), {}), "np.subtract.outer(x0, x0)"),
        (lambda: fold_call("sum", A, (-1,), {"keepdims": True}), "np.sum(x0, axis=(2,))"),
        (lambda: fold_call("std", A, ((2, 0),), {"ddof": 1}), "np.std(x0, axis=(0, 2), ddof=1)"),
        (lambda: fold_call("mean", A, (None, np.float32), {}), "np.mean(x0, axis=(0, 1, 2), dtype=np.float32)"),
        (lambda: fold_call("max", MANY, ((0, 1),), {}), "np.max(x0, axis=(0, 1))"),
        (lambda: fold_call("max", A > 1, (0,), {}), "np.any(x0, axis=(0,))"),
        (lambda: where_call((A > 1, A, 0)), "np.where(x0, x1, x2)"),
        (lambda: clip_call(A, None, 3), "np.minimum(x0, x1)"),
        (lambda: product_call("dot", A[0], B), "np.sum(x0 * x1, axis=(1,), dtype=np.float64)"),
        (lambda: store_call(A, B), "x1[...] = x0"),
        (lambda: store_call(A, 0, A > 1), "x0[...] = np.where(x1, x2, x0)"),
        (lambda: cast_call(WHOLE, np.dtype(np.float32)), "x0.astype(np.float32)"),
        (lambda: cast_call(A, np.dtype(bool)), "x0 != 0"),
    ],
)
def test_calls_are_statements(call: Callable[[], ArrayCall], text: str) -> None:
    assert call().text == text


@pytest.mark.parametrize(
    "call",
    [
        lambda: ufunc_call(np.modf, (A,), {}),
        lambda: ufunc_call(np.add, (A, 1), {"dtype": np.float32}),
        lambda: ufunc_call(np.add, (A, 1), {"where": A > 2}),
        lambda: ufunc_call(np.add, (A, 1), {"out": (np.zeros((2, 3, 4)),)}),
        lambda: ufunc_call(np.add, (WHOLE, 0.5), {"out": (WHOLE,)}),
        lambda: fold_call("sum", A, (3,), {}),
        lambda: fold_call("sum", A, ((0, 0),), {}),
        lambda: fold_call("sum", A, (0,), {"initial": 3}),
        lambda: fold_call("argmax", A, (None,), {"axis": (0, 1)}),
        lambda: where_call((A,)),
        lambda: product_call("matmul", A, B),
        lambda: product_call("matmul", A[0], A[0]),
        lambda: cast_call(A, np.dtype("M8[s]")),
    ],
)
def test_what_is_left_to_numpy(call: Callable[[], ArrayCall]) -> None:
    with pytest.raises(UnsupportedError):
        call()

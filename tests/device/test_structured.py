"""Structured arrays as inputs: fields that are strided views, fields of fields, and what Python runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.test_objects import SIZES, outcome
from tests.oracle import in_cpython

Array = np.ndarray[Any, np.dtype[Any]]
Check = Callable[..., Any]

INNER = [("u", "f8"), ("v", "u1"), ("w", "c8")]
FIELDS: Any = [
    ("x", "f4"), ("flag", "?"), ("n", "i8"), ("p", INNER), ("name", "S3"), ("pos", "f8", 3), ("big", ">i4"),
    ("h", "i2"),
]  # fmt: skip
LAYOUTS = [np.dtype(FIELDS), np.dtype(FIELDS, align=True)]


def records(size: int, dtype: np.dtype[Any] = LAYOUTS[0]) -> Array:
    array, k = np.zeros(size, dtype), np.arange(size)
    array["x"], array["flag"], array["n"], array["h"] = k / 4 - 3, k % 3 == 0, k * 7 - 20, k % 300 - 100
    array["p"]["u"], array["p"]["v"], array["p"]["w"] = k / 2, k % 256, k - 1j * k
    return array


@pytest.fixture
def same(device: Device) -> Check:
    """`same(f, *inputs)`: hetc gives what CPython gives, compiled; with `reason`, in Python, because of that."""

    def check(function: Any, *inputs: Any, reason: str | None = None) -> None:
        af = hetc.map(function)
        expected = outcome(lambda: in_cpython(af, inputs))
        fallback = "error" if reason is None else "silent"
        if reason is not None:
            with (
                hetc.configure(device=device, offload="always", fallback="error", debug=True),
                pytest.raises(hetc.CompileError, match=reason),
            ):
                af(*inputs)
        with hetc.configure(device=device, offload="always", fallback=fallback, debug=True):
            assert outcome(lambda: af(*inputs)) == expected

    return check


@pytest.mark.parametrize("dtype", LAYOUTS)
@pytest.mark.parametrize("size", SIZES[1:])
def test_fields(same: Check, size: int, dtype: np.dtype[Any]) -> None:
    data = records(size, dtype)
    same(lambda e: e["x"] * 2 + e["h"], data)
    same(lambda e: (e["n"] + 1, e["flag"], e["p"]["v"]), data)
    same(lambda e: e["p"]["u"] if e["flag"] else -1.0, data)
    same(lambda e: e["p"]["w"] * e["x"], data)


def test_no_elements(device: Device) -> None:
    with hetc.configure(device=device, offload="always", fallback="error"):
        found = hetc.map(lambda e: e["x"] * 2 + e["h"])(records(0))
    assert (found.shape, found.dtype) == ((0,), np.float32)


def test_strides_and_other_inputs(same: Check) -> None:
    data = records(257)
    for part in (data[::2], data[::-3], data[5:6], np.asfortranarray(data)):
        same(lambda e: e["p"]["u"] - e["n"], part)
    same(lambda e: e["n"] * 2, np.broadcast_to(data[3:4], 20))
    same(lambda e, k: e["x"] * k, data, range(257))
    same(lambda e, x: e["n"] + x, data, data["x"])
    same(lambda a, b: a["n"] - b["p"]["u"], data, records(257, LAYOUTS[1]))


def test_fields_that_overlap(same: Check) -> None:
    dtype = np.dtype({"names": ["both", "low"], "formats": ["i8", "i4"], "offsets": [0, 0], "itemsize": 12})
    data = np.zeros(9, dtype)
    data["both"] = np.arange(9) * 2**31
    same(lambda e: (e["both"], e["low"]), data)


def test_functions_get_elements(same: Check) -> None:
    def norm(e: Any) -> Any:
        q = e["p"]
        return q["u"] * q["u"] + e["x"]

    same(lambda e: norm(e) + 1, records(20))
    same(lambda e: (isinstance(e, np.generic), isinstance(e, (int, tuple)), isinstance(e, object), e["n"]), records(20))
    same(lambda e: 0.0 if e is None else e["x"], records(20))


def test_reductions(device: Device) -> None:
    data = records(255)
    with hetc.configure(device=device, offload="always", fallback="error"):
        assert hetc.map(lambda e: e["n"]).reduce(lambda a, b: a + b, np.int64(0))(data) == data["n"].sum()


def test_left_to_python(same: Check) -> None:
    data = records(9)
    same(lambda e: e["name"], data, reason="'name'")
    same(lambda e: e["pos"][0], data, reason="'pos'")
    same(lambda e: e["big"] + 1, data, reason="'big'")
    same(lambda e: e["z"], data, reason="'z'")
    same(lambda e: e.x, data, reason="'.x'")
    same(lambda e: e[0], data, reason="indexed")
    same(lambda e: 1.0 if e else 2.0, data, reason="truth")
    same(lambda e: len(e), data, reason="len")  # noqa: PLW0108
    same(lambda e: e["x"] + 1 if e == e else e["x"], data, reason="identities")
    same(lambda e: e["x"], data["x"], reason="'x'")
    same(lambda k: k["x"], [1, 2, 3], reason="'x'")
    same(lambda e: e["x"] + e["n"], data.view(np.recarray), reason="recarray")


def test_an_element_is_not_returned(same: Check) -> None:
    same(lambda e: e["p"]["u"] + 1, records(3))
    with hetc.configure(offload="always", fallback="error"), pytest.raises(hetc.CompileError, match="itself"):
        hetc.map(lambda e: e)(records(3))

"""Structured arrays as inputs, captured and stored to: fields, fields of fields, and what Python runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.looping import check_loops
from tests.device.test_objects import SIZES, outcome
from tests.oracle import in_cpython

Array = np.ndarray[Any, np.dtype[Any]]
Check = Callable[..., Any]

INNER = [("u", "f8"), ("v", "u1"), ("w", "c8")]
FIELDS: Any = [
    ("x", "f4"), ("flag", "?"), ("n", "i8"), ("p", INNER), ("name", "S3"), ("pos", "f8", 3), ("big", ">i4"),
    ("h", "i2"), ("grid", ">f4", (2, 2)), ("parts", INNER, 2),
]  # fmt: skip
LAYOUTS = [np.dtype(FIELDS), np.dtype(FIELDS, align=True)]


def records(size: int, dtype: np.dtype[Any] = LAYOUTS[0]) -> Array:
    array, k = np.zeros(size, dtype), np.arange(size)
    array["x"], array["flag"], array["n"], array["h"] = k / 4 - 3, k % 3 == 0, k * 7 - 20, k % 300 - 100
    array["p"]["u"], array["p"]["v"], array["p"]["w"] = k / 2, k % 256, k - 1j * k
    array["pos"], array["big"] = k[:, None] * [1.5, 2, -3], k * 1000 - 5000
    array["grid"], array["parts"]["u"] = (k + 0.5)[:, None, None] * [[1, 2], [3, 4]], k[:, None] * [5, 7]
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
                hetc.configure(device=device, offload="always", fallback="error", verify=True),
                pytest.raises(hetc.CompileError, match=reason),
            ):
                af(*inputs)
        with hetc.configure(device=device, offload="always", fallback=fallback, verify=True):
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


def middle(e: Any, places: Any) -> Any:
    x, y, z = e["pos"]
    total = x * y - z + len(e["pos"])
    for k in range(places):
        total += e["pos"][k - 1]
    for row in e["grid"]:
        total += row[0] + row[-1]
    return total


def test_fields_that_are_arrays_or_in_the_other_byte_order(same: Check) -> None:
    data = records(257)
    same(middle, data, [k % 4 for k in range(257)])
    same(lambda e: (e["big"], e["big"] / 2, e["grid"][1][0], e["grid"][0, 1], e["parts"][1]["u"]), data[::-2])
    same(lambda e: isinstance(e["pos"], np.ndarray) and not isinstance(e["pos"], tuple), data)


def test_recarrays(same: Check) -> None:
    data = records(30).view(np.recarray)
    same(lambda e: e.x + e["n"] + e.p.u * e.pos[1] + e["p"]["v"] + e.big, data)
    same(lambda e: (isinstance(e, np.generic), isinstance(e.pos, np.ndarray), e.p["u"], e["p"]["u"]), data)


def test_captured(same: Check) -> None:
    data, last = records(257), records(7, LAYOUTS[1])[::2]
    same(lambda k: data[k]["x"] + data["p"]["u"][k] + data[-k]["p"]["v"] + len(data), range(257))
    same(lambda k: (data[k]["pos"][1], data["pos"][k, 2], data["big"][k], sum(e["n"] for e in last)), range(20))
    same(lambda k: (data if k > 3 else last)["x"][0] if k < 0 else last[k]["h"], range(9))
    same(lambda k: data[k]["name"] if k > 300 else data[k]["h"], range(9))
    same(lambda k: data[k], range(9), reason="outside")
    same(lambda k: data[k] == data[0], range(9), reason="not compared")


def move(points: Any, others: Any, dt: Any) -> Any:
    total = 0.0
    for i in hetc.forall(len(points)):
        one = points[i]
        one["x"] = one["n"] * dt
        one["h"] += 1
        points[i]["p"]["u"] += one["x"] + others[i]["p"]["u"]
        points["big"][i] -= 3
        points[i]["pos"][1] = one["big"]
        one["p"]["w"] = one["x"] + 1j
        total += points[i]["pos"][1]
    return total


def test_loops_store_to_fields(device: Device) -> None:
    for layout in LAYOUTS:
        for size in SIZES:
            check_loops(device, move, lambda n=size, t=layout: (records(n, t), records(n), 3))
    check_loops(device, move, lambda: (records(20)[::-3], records(20), 3))
    check_loops(device, move, lambda: (records(20), records(3), 3), deopts=None)  # IndexError


def test_loops_left_to_python(device: Device) -> None:
    def whole(a: Any) -> None:
        for i in hetc.forall(len(a)):
            a[i] = a[0]

    def part(a: Any) -> None:
        for i in hetc.forall(len(a)):
            a[i]["p"] = a[0]["p"]

    def column(a: Any) -> None:
        for i in hetc.forall(len(a)):
            a["x"] = i

    def alias(a: Any, x: Any) -> None:
        for i in hetc.forall(len(a)):
            a[i]["x"] = x[i] + 1

    for function in (whole, part, column):
        check_loops(device, function, lambda: (records(9),), fallbacks=1)
    check_loops(device, alias, lambda: (data := records(9), data["x"]), fallbacks=1)


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
    same(lambda e: e["z"], data, reason="'z'")
    same(lambda e: e.x, data, reason="'x'")
    same(lambda e: e["pos"][1:], data, reason="indexed by integers")
    same(lambda e: e["pos"][e["flag"]], data, reason="indexed by integers")
    same(lambda e: e["pos"][3], data, reason="index 3")
    same(lambda e: e["pos"] * 2, data, reason="'mul'")
    same(lambda e: (e["pos"] == e["x"])[0], data, reason="not compared")
    same(lambda e: e["pos"], data, reason="outside")
    same(lambda e: 1 if e["grid"] is None or e["big"] else e["grid"][0], data, reason="outside")
    same(lambda e: e.p["u"] + e["p"].u, data.view(np.recarray), reason="'u'")
    same(lambda e: e.dtype, data.view(np.recarray), reason="dtype")
    same(lambda e: e[0], data, reason="indexed")
    same(lambda e: 1.0 if e else 2.0, data, reason="truth")
    same(lambda e: len(e), data, reason="len")  # noqa: PLW0108
    same(lambda e: e["x"] + 1 if e == e else e["x"], data, reason="identities")
    same(lambda e: e["x"], data["x"], reason="'x'")
    same(lambda k: k["x"], [1, 2, 3], reason="'x'")


def test_an_element_is_not_returned(same: Check) -> None:
    same(lambda e: e["p"]["u"] + 1, records(3))
    with hetc.configure(offload="always", fallback="error"), pytest.raises(hetc.CompileError, match="itself"):
        hetc.map(lambda e: e)(records(3))


def test_reductions_and_scans_move_only_the_fields_that_they_read() -> None:
    """However a field comes to the operator, the others stay where they are."""
    array = np.zeros(9, [("a", "f8"), ("b", "f8"), ("c", "i4")])
    total = hetc.map(lambda e: e["b"] + 1.0).reduce(lambda p, q: p + q, 0.0)
    running = hetc.map(lambda e: e["b"] + 1.0).scan(lambda p, q: p + q)
    kept = hetc.map(lambda e: e["b"] + 1.0).filter(lambda x: x > 0.0).reduce(lambda p, q: p + q, 0.0)
    for af in (total, running, kept):
        plan = af.lower(array).plan()
        assert [line for line in plan.splitlines() if " Marshal(" in line and "input 0[1]" not in line] == []
        assert "input 0[1]" in plan

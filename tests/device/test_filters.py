"""Filters: what `[x for x in xs if predicate(x)]` gives, in the container of the inputs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device

SIZES = (0, 1, 7, 255, 256, 257, 2049)
DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "complex64", "complex128",
)  # fmt: skip


def add(p: Any, q: Any) -> Any:
    return p + q


def matrix_product(p: Any, q: Any) -> Any:
    """Associative, not commutative."""
    return (p[0] * q[0] % 1009, (p[1] * q[0] + q[1]) % 1009)


@dataclasses.dataclass
class Point:
    x: float
    y: int

    def is_far(self) -> bool:
        return self.x * self.x + self.y * self.y > 50.0


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_keep_their_dtype(agree: Callable[..., Any], dtype: str) -> None:
    for size in (*SIZES, 65537):
        data = ((np.arange(size) * 7919) % 5).astype(dtype)
        assert agree(hetc.filter(lambda x: x), data).dtype == data.dtype


@pytest.mark.parametrize("size", SIZES)
def test_all_and_nothing(agree: Callable[..., Any], size: int) -> None:
    data = np.arange(size, dtype=np.int32)
    for predicate in (lambda x: False, lambda x: True, lambda x: x < 0, lambda x: x >= 0):
        agree(hetc.filter(predicate), data)
        agree(hetc.filter(predicate), data.tolist())


@pytest.mark.parametrize("size", SIZES)
def test_lists_tuples_and_ranges(agree: Callable[..., Any], size: int) -> None:
    for data in (list(range(size)), tuple(k * 0.5 for k in range(size)), range(3, 3 + 2 * size, 2)):
        agree(hetc.filter(lambda x: x % 3 == 1), data)
        agree(hetc.filter(lambda x: x < 0), data)


@pytest.mark.parametrize("step", [3, -1, -2])
def test_strided_arrays(agree: Callable[..., Any], step: int) -> None:
    agree(hetc.filter(lambda x: x % 7 < 3), np.arange(3000)[::step])


def test_lists_keep_their_very_objects(device: Device) -> None:
    numbers = [float(k) for k in range(5000)]
    points = [None if k % 7 == 0 else Point(k * 0.25, k % 9) for k in range(5000)]
    with hetc.configure(device=device, offload="always", fallback="error", verify=True), hetc.profile() as p:
        found = hetc.filter(lambda x: x > 100)(numbers)
        far = hetc.filter(lambda point: point is not None and point.is_far())(points)
        pairs = hetc.zip().filter(lambda pair: pair[0] > 100 and pair[1] is not None and pair[1].y > 2)(numbers, points)
    assert (p.in_python, p.deopts) == (0, 0)
    assert list(map(id, found)) == [id(x) for x in numbers if x > 100]
    assert list(map(id, far)) == [id(point) for point in points if point is not None and point.is_far()]
    assert [tuple(map(id, pair)) for pair in pairs] == [
        (id(x), id(point))
        for x, point in zip(numbers, points, strict=True)
        if x > 100 and point is not None and point.y > 2
    ]


@pytest.mark.parametrize("size", SIZES)
def test_several_inputs(agree: Callable[..., Any], size: int) -> None:
    x, y = np.arange(size, dtype=np.float32), (np.arange(size) * 31) % 17
    agree(hetc.filter(lambda a, b: a % 7 < b), x, y)
    agree(hetc.filter(lambda a, b: a % 7 < b), x.tolist(), y.tolist())
    agree(hetc.filter(lambda a, b: a % 7 < b), tuple(x.tolist()), range(size))
    if size:
        agree(hetc.filter(lambda a, b: a % 7 < b), range(size), y)
    agree(hetc.zip().filter(lambda pair: pair[0] > pair[1]), x, y)
    agree(hetc.zip().filter(lambda pair: pair[0] > pair[1]), x.tolist(), y.tolist())
    if size:
        agree(hetc.filter(lambda a, b: a > b).map(lambda a, b: a - b), x.tolist(), y.tolist())


@pytest.mark.parametrize("size", SIZES)
def test_before_and_after_maps_and_filters(agree: Callable[..., Any], size: int) -> None:
    data = [(k * 7919) % 101 for k in range(size)]
    array = np.array([*data, *range(101)])  # of each something is kept
    for af in (
        hetc.map(lambda x: x * x).filter(lambda x: x % 4 == 1),
        hetc.map(lambda x: x + 0.5).filter(lambda x: x > 20).map(lambda x: x * 2),
        hetc.filter(lambda x: x % 3).map(lambda x: 1000 // x),
        hetc.filter(lambda x: x > 10).filter(lambda x: x < 60),
        hetc.filter(lambda x: x > 10).map(lambda x: x * x).filter(lambda x: x % 2 == 0).map(lambda x: x - 1),
        hetc.filter(lambda x: x > 10).map(lambda x: sum(range(int(x)))),
        hetc.filter(lambda x: sum(range(int(x))) % 2 == 0),
        hetc.map(lambda x: (x, -x)).filter(lambda pair: pair[0] > 30),
    ):
        agree(af, data)
        agree(af, array)


@pytest.mark.parametrize("size", SIZES)
def test_reductions_and_scans_of_what_is_kept(agree: Callable[..., Any], size: int) -> None:
    data = [(k * 7919) % 101 for k in range(size)]
    array = np.array([*data, 99], np.int32)
    for init, operator in ((0, add), (1, lambda p, q: p * q % 1009), (-1, max), (0, lambda p, q: p ^ q)):
        for keep in (lambda x: x % 3 == 0, lambda x: x > 1000, lambda x: 10 // (x + 1) < 3):
            agree(hetc.filter(keep).reduce(operator, init), data)
            agree(hetc.filter(keep).reduce(operator, np.int32(init)), array)
    agree(hetc.filter(lambda x: x % 3 == 0).map(lambda x: (x % 7 + 1, x)).reduce(matrix_product, (1, 0)), data)
    agree(hetc.filter(lambda x: x % 3 == 0).map(lambda x: 100 // (x + 1)).reduce(add, 0), data)
    agree(hetc.filter(lambda a, b: a > b).map(lambda a, b: a * b).reduce(add, 0), data, data[::-1])
    agree(hetc.filter(lambda x: x % 3 == 0).scan(add), data)
    agree(hetc.filter(lambda x: x % 3 == 0).scan(add, np.int32(5), exclusive=True), array)
    agree(hetc.scan(add).filter(lambda x: x % 2 == 0), data)


@pytest.mark.parametrize("size", [1, 7, 300, 5000])
@pytest.mark.parametrize("operator", [add, max])
def test_the_initial_value_as_it_is(agree: Callable[..., Any], operator: Callable[..., Any], size: int) -> None:
    array = np.arange(size, dtype=np.float32)
    for keep in (lambda x: x == 0, lambda x: x < 0):
        agree(hetc.filter(keep).reduce(operator, 0), array, deopts=0)
        agree(hetc.filter(keep).map(lambda x: x * 0.5).reduce(operator, 0), array.tolist(), deopts=0)


@pytest.mark.parametrize("init", [0.0, -0.0])
def test_a_sum_of_nothing_is_the_initial_value(agree: Callable[..., Any], init: float) -> None:
    agree(hetc.filter(lambda x: x > 1e9).reduce(add, init), [-0.0] * 300)
    agree(hetc.filter(lambda x: x == 0).reduce(add, init), [-0.0, 1.0] * 300)


def test_holes(agree: Callable[..., Any]) -> None:
    data = [None if k % 3 == 0 else k for k in range(1000)]
    agree(hetc.filter(lambda x: x is not None), data)
    agree(hetc.filter(lambda x: x is None or x > 500), data)
    agree(hetc.filter(lambda x: x is not None).map(lambda x: x + 1), data, fallbacks=None, deopts=None)


@pytest.mark.parametrize("masked", [[], [3], [0, 1, 2, 3, 4]])
def test_masked_arrays(device: Device, masked: list[int]) -> None:
    data = np.ma.MaskedArray(np.arange(5.0, dtype=np.float32), np.isin(np.arange(5), masked))
    keep = hetc.filter(lambda x: x is None or x > 2)
    for offload in ("always", "never"):
        with hetc.configure(device=device, offload=offload, fallback="error"):
            found = keep(data)
            assert type(found) is np.ma.MaskedArray
            assert found.dtype == np.float32
            assert found.tolist() == [x for x in data.tolist() if x is None or x > 2]


@pytest.mark.parametrize("place", [0, 1, 700, 999])
def test_exceptions_are_those_of_python(agree: Callable[..., Any], place: int) -> None:
    data = list(range(1, 1001))
    data[place] = 0
    agree(hetc.filter(lambda x: 1000 // x > 3), data, deopts=1)
    agree(hetc.filter(lambda x: x < 500).map(lambda x: 1000 // x), data, deopts=1)
    agree(hetc.map(lambda x: 1000 // x).filter(lambda x: x > 3), data, deopts=1)
    agree(hetc.filter(lambda x: x and 1000 // x > 3), data)


def test_overflow_runs_in_python(agree: Callable[..., Any]) -> None:
    agree(hetc.filter(lambda x: x * x > 5), [2**40, 2, 3], deopts=1)
    agree(hetc.filter(lambda x: x > 2).reduce(lambda p, q: p * q, 1), [2**40, 2, 3] * 100, deopts=1)


def test_a_branch_that_a_sample_does_not_take(agree: Callable[..., Any]) -> None:
    agree(hetc.filter(lambda x: x < 10 if x < 4990 else x % 2 == 0), list(range(5000)), deopts=None)


def test_captured_values(agree: Callable[..., Any]) -> None:
    low, table = 7, np.arange(100) % 13
    agree(hetc.filter(lambda x: table[x] > low), list(range(100)))
    agree(hetc.filter(lambda x: table[x] > low), list(range(101)), deopts=1)


@pytest.mark.parametrize("size", [1_000_003, 10_000_019])
def test_many_elements(device: Device, size: int) -> None:
    data = ((np.arange(size, dtype=np.int64) * 2654435761) % 1000).astype(np.float32)
    with hetc.configure(device=device, offload="always", fallback="error"), hetc.profile() as p:
        for keep, mask in ((lambda x: x > 400, data > 400), (lambda x: x < 0, data < 0), (lambda x: x >= 0, data >= 0)):
            found = hetc.filter(keep)(data)
            assert found.tobytes() == data[mask].tobytes()
            assert found.tobytes() == hetc.filter(keep)(data).tobytes()
            total = hetc.filter(keep).reduce(add, np.float32(0))
            assert total(data) == total(data)
            np.testing.assert_allclose(total(data), data[mask].sum(dtype=np.float64), rtol=1e-4)
    assert (p.in_python, p.deopts) == (0, 0)


@pytest.mark.parametrize("size", [1, 7, 257])
def test_structured_arrays_keep_whole_records(device: Device, size: int) -> None:
    """Also of the fields that the predicate does not read."""
    records = np.zeros(size, [("x", "f8"), ("name", "U3"), ("y", "i4")])
    records["x"], records["y"] = np.arange(size) % 3, np.arange(size)
    with hetc.configure(device=device, offload="always", fallback="error"):
        found = hetc.filter(lambda e: e["x"] > 0)(records)
        pairs, weights = hetc.filter(lambda e, w: e["x"] > w)(records, np.ones(size))
        assert hetc.filter(lambda e: e["x"] > 0).map(lambda e: e["y"])(records).tolist() == found["y"].tolist()
    assert (found.dtype, found.tolist()) == (records.dtype, records[records["x"] > 0].tolist())
    assert (pairs.tolist(), weights.tolist()) == (records[records["x"] > 1].tolist(), [1.0] * len(pairs))


@pytest.mark.parametrize("size", [1, 7, 257])
def test_portable_arrays(device: Device, size: int) -> None:
    numbers = np.arange(size) % 5 - 1.5
    with hetc.configure(device=device, offload="always", fallback="error"):
        kept = hetc.filter(lambda x: x > 0)(hetc.array(numbers))
        assert isinstance(kept, hetc.Array)
        assert np.asarray(kept).tolist() == numbers[numbers > 0].tolist()
        assert len(hetc.filter(lambda x: x > 100)(hetc.array(numbers))) == 0
        assert np.asarray(hetc.filter(lambda x: x % 2)(hetc.seq(0, 1, size))).tolist() == list(range(size))[1::2]
        pairs = hetc.filter(lambda t: t[0] > 0)(hetc.array([(x, k) for k, x in enumerate(numbers.tolist())]))
        assert [tuple(pair) for pair in pairs] == [(x, k) for k, x in enumerate(numbers.tolist()) if x > 0]


def test_portable_arrays_keep_whole_objects(device: Device) -> None:
    """Also the fields that the predicate does not read."""
    with hetc.configure(device=device, offload="always", fallback="error"):
        found = hetc.filter(lambda p: p.x > 0)(hetc.array([Point(1.0, 2), Point(-1.0, 3), Point(4.0, 5)]))
    assert list(found) == [Point(1.0, 2), Point(4.0, 5)]


def test_where_it_is_faster() -> None:
    calls: list[int] = []

    def noted(x: int) -> bool:
        calls.append(x)
        return x % 3 == 0

    data = [k % 10 for k in range(100_000)]
    with hetc.configure(threshold=0.0):
        for _ in range(4):
            assert hetc.filter(lambda x: x % 3 == 0)(data) == [x for x in data if x % 3 == 0]
    with hetc.configure(fallback="silent"):
        assert hetc.filter(noted)(data[:1000]) == [x for x in data[:1000] if x % 3 == 0]
    assert calls == data[:1000]


def test_python_keeps_what_arrays_hold() -> None:
    with hetc.configure(offload="never"):
        words = np.array(["a", "bcd"])
        found = hetc.filter(lambda word: len(word) < 2)(words)
        assert (found.tolist(), found.dtype) == (["a"], words.dtype)
        rows = hetc.filter(lambda row: row[0] > 2)(np.arange(6).reshape(3, 2))
        assert rows.tolist() == [[4, 5]]
        one, other = hetc.filter(lambda a, b: a > b)(np.array([1], np.int8), [2.5])
        assert (one.shape, one.dtype, other.shape) == ((0,), np.dtype(np.int8), (0,))
        assert hetc.filter(lambda x: x)(iter([0, 1, 2])) == [1, 2]


def test_arguments_are_checked() -> None:
    with pytest.raises(TypeError, match="a skeleton takes a function, not int"):
        hetc.filter(3)
    with pytest.raises(hetc.InputError, match=r"a reduction takes one input, not 2"):
        hetc.filter(lambda a, b: a < b).reduce(add, 0)([1], [2])
    assert repr(hetc.filter(abs).map(abs)) == "hetc.filter(abs).map(abs)"


def test_a_filter_is_explained_and_lowered(device: Device) -> None:
    af = hetc.filter(lambda x: x > 3)
    with hetc.configure(device=device, offload="always"):
        assert "runs on" in str(af.explain(np.arange(10)))
        assert "skel.filter" in af.lower(np.arange(10)).mlir("fuse-skeletons")
        assert "_compact" in af.lower(np.arange(10)).opencl()
        assert "Last(buffer=" in af.lower(np.arange(10)).plan()
        assert "Pick(positions=" in af.lower([1, 2]).plan()

"""Scans: what `itertools.accumulate` gives, with one result an element."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device

SIZES = (1, 7, 255, 257, 5000)


def add(p: Any, q: Any) -> Any:
    return p + q


def compose(p: Any, q: Any) -> Any:
    """x * q after x * p, as x * a + b modulo a prime: associative, not commutative."""
    return p[0] * q[0] % 1009, (p[1] * q[0] + q[1]) % 1009


def matrix_product(p: Any, q: Any) -> Any:
    return (
        (p[0] * q[0] + p[1] * q[2]) % 1009,
        (p[0] * q[1] + p[1] * q[3]) % 1009,
        (p[2] * q[0] + p[3] * q[2]) % 1009,
        (p[2] * q[1] + p[3] * q[3]) % 1009,
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["int64", "float64", "float32", "int32", "uint8", "bool"])
def test_sums_of_arrays(agree: Callable[..., Any], size: int, dtype: str) -> None:
    data = (np.arange(size) % 5).astype(dtype)
    agree(hetc.scan(add), data)
    agree(hetc.scan(add, data.dtype.type(1)), data)
    agree(hetc.scan(add, data.dtype.type(1), exclusive=True), data)


@pytest.mark.parametrize("size", SIZES)
def test_lists_tuples_and_ranges(agree: Callable[..., Any], size: int) -> None:
    for data in (list(range(size)), tuple(range(size)), range(3, 3 + 2 * size, 2)):
        agree(hetc.scan(add), data)
        agree(hetc.scan(add, 5), data)
        agree(hetc.scan(add, 5, exclusive=True), data)


@pytest.mark.parametrize("step", [3, -1, -2])
def test_strided_arrays(agree: Callable[..., Any], step: int) -> None:
    agree(hetc.scan(add), np.arange(1000)[::step])


@pytest.mark.parametrize("size", SIZES)
def test_operators_that_do_not_commute(agree: Callable[..., Any], size: int) -> None:
    pairs = [(k % 7 + 1, k % 11) for k in range(size)]
    agree(hetc.scan(compose), pairs)
    agree(hetc.scan(compose, (1, 0), exclusive=True), pairs)
    agree(hetc.scan(matrix_product, (1, 2, 3, 4)), [(k % 3, k % 5, k % 7, 1) for k in range(size)])
    agree(hetc.scan(lambda p, q: p), list(range(size)))
    agree(hetc.scan(lambda p, q: q, -1, exclusive=True), list(range(size)))


@pytest.mark.parametrize("size", SIZES)
def test_the_last_that_is_not_none(agree: Callable[..., Any], size: int) -> None:
    last = hetc.scan(lambda p, q: p if q is None else q)
    agree(last, [None if k % 5 else k for k in range(size)], fallbacks=None, deopts=None)


@pytest.mark.parametrize("size", SIZES)
def test_compositions(agree: Callable[..., Any], size: int) -> None:
    x, y = np.arange(size, dtype=np.int64), np.arange(size, dtype=np.int64) % 3
    agree(hetc.map(lambda a, b: a * b).scan(add), x, y)
    agree(hetc.scan(add).map(lambda a: a * 2 + 0.5), x)
    agree(hetc.scan(add).map(lambda a: a % 10).scan(max), x)
    agree(hetc.zip().scan(compose), x % 1009, y)
    agree(hetc.scan(add).map(lambda a: a % 100).reduce(add, 0), x)


@pytest.mark.parametrize("dtype", ["int64", "float32", "uint8"])
def test_nothing_has_the_dtype_of_something(device: Device, dtype: str) -> None:
    with hetc.configure(device=device, offload="always", fallback="error", verify=True):
        for af in (hetc.scan(add), hetc.scan(add, np.dtype(dtype).type(1), exclusive=True)):
            found = af(np.array([], dtype))
            assert (found.dtype, found.shape) == (np.dtype(dtype), (0,))


def test_many_elements(device: Device) -> None:
    data = np.arange(1_000_003) % 1000
    with hetc.configure(device=device, offload="always", fallback="error"), hetc.profile() as p:
        found = hetc.scan(add)(data)
        again = hetc.scan(add)(data.astype(np.float32))
        assert (again == hetc.scan(add)(data.astype(np.float32))).all()
    assert (p.in_python, p.deopts) == (0, 0)
    np.testing.assert_array_equal(found, np.cumsum(data))
    np.testing.assert_allclose(again, np.cumsum(data), rtol=1e-4)


def test_floats_are_grouped_freely(agree: Callable[..., Any]) -> None:
    agree(hetc.scan(add), np.linspace(0.1, 1, 5000), rtol=1e-12)


def test_what_overflows_runs_in_python(agree: Callable[..., Any]) -> None:
    agree(hetc.scan(add), [2**62] * 300, deopts=None)
    agree(hetc.scan(lambda p, q: p * q), [3] * 257, deopts=None)


def test_exceptions_are_those_of_python(agree: Callable[..., Any]) -> None:
    agree(hetc.map(lambda x: 10 // x).scan(add), [3, 2, 1, 0, 5], deopts=1)
    agree(hetc.scan(add).map(lambda x: 10 // x), [3, -2, -1, 5], deopts=1)


@pytest.mark.parametrize("size", [1, 2, 300])
@pytest.mark.parametrize("init", [0, 0.0, True, np.float32(0), np.int64(0)], ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("exclusive", [False, True])
def test_initial_values_of_other_types(agree: Callable[..., Any], init: Any, exclusive: bool, size: int) -> None:
    for data in (list(range(size)), np.ones(size), np.ones(size, np.float32), np.ones(size, np.int64)):
        agree(hetc.scan(add, init, exclusive), data, fallbacks=None)


def test_a_branch_that_a_sample_does_not_take(agree: Callable[..., Any]) -> None:
    agree(hetc.scan(add).map(lambda x: x if x < 500_000 else -x), list(range(5000)), deopts=None)


def test_no_operator_is_called_for_a_result_that_is_not_needed() -> None:
    with hetc.configure(offload="never"):
        assert hetc.scan(lambda p, q: p / q, 1.0, exclusive=True)([2, 0]) == [1.0, 0.5]
        assert hetc.scan(lambda p, q: p / q)([0]) == [0]
        assert hetc.scan(add, 1, exclusive=True)([]) == []


def test_where_it_is_faster() -> None:
    running = hetc.scan(add)
    data = [k % 10 for k in range(200_000)]
    with hetc.configure(threshold=0.0):
        for _ in range(4):
            assert running(data) == list(itertools.accumulate(data))


def test_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match="an exclusive scan needs an initial value"):
        hetc.scan(add, exclusive=True)
    with pytest.raises(hetc.InputError, match=r"a scan takes one input, not 2"):
        hetc.scan(add)([1], [2])
    assert repr(hetc.scan(add, 0, exclusive=True).map(abs)) == "hetc.scan(add, 0, exclusive=True).map(abs)"


def test_a_scan_is_explained_and_lowered(device: Device) -> None:
    af = hetc.scan(add)
    with hetc.configure(device=device, offload="always"):
        assert "runs on" in str(af.explain(np.arange(10)))
        assert "skel.scan" in af.lower(np.arange(10)).mlir("fuse-skeletons")
        assert "kernel" in af.lower(np.arange(10)).opencl()


def shift(p: Any, q: Any) -> Any:
    """x * a + b after x * c + d, on numbers that wrap: associative, not commutative, and light."""
    return p[0] * q[0], p[1] * q[0] + q[1]


@pytest.mark.parametrize("size", [*range(1, 70), 255, 256, 257, 272, 1087, 1088, 1089, 8255, 8256, 8257, 66048, 70001])
def test_runs_of_all_lengths(device: Device, size: int) -> None:
    numbers, others = np.arange(size) % 7 * 2 + 1, np.arange(size) % 11
    with hetc.configure(device=device, offload="always", fallback="error"), hetc.profile() as p:
        sums = hetc.scan(add)(numbers)
        before = hetc.scan(add, np.int64(5), exclusive=True)(numbers)
        factors, terms = hetc.zip().scan(shift)(numbers, others)
    assert (p.in_python, p.deopts) == (0, 0)
    np.testing.assert_array_equal(sums, np.cumsum(numbers))
    np.testing.assert_array_equal(before, 5 + np.cumsum(numbers) - numbers)
    np.testing.assert_array_equal(factors, np.cumprod(numbers))
    np.testing.assert_array_equal(terms[1:], terms[:-1] * numbers[1:] + others[1:])
    assert terms[0] == others[0]

"""Sequences and repeated numbers: computed in the kernel, and equal to what NumPy computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.test_portable_arrays import SIZES, check, moved


def numbers(start: Any, step: Any, size: int) -> Any:
    """What the elements of a sequence are."""
    if isinstance(start, int) and isinstance(step, int):
        return start + step * np.arange(size)
    return np.float64(start) + np.float64(step) * np.arange(size)


RULES = [
    (0, 1),
    (5, -3),
    (-(2**62), 3),
    (7, 0),
    (0.1, 0.3),
    (1, 0.7),
    (-0.0, 0.0),
    (1e300, -1e298),
    (np.float32(0.1), 2),
]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_sequences_move_nothing_in(target: Device, rule: tuple[Any, Any], size: int) -> None:
    expected = numbers(*rule, size)
    found, h2d, _ = moved(lambda: hetc.map(lambda x, y: (x, x / 2 - y))(hetc.seq(*rule, size), hetc.seq(*rule, size)))
    assert h2d == 0
    check(found.fields[0], expected)
    check(found.fields[1], expected / 2 - expected)
    check(hetc.seq(*rule, size), expected)


@pytest.mark.parametrize("part", [slice(1, None), slice(None, None, -2), slice(3, 3), slice(5, 2)], ids=str)
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_parts_of_sequences(target: Device, rule: tuple[Any, Any], part: slice) -> None:
    expected = numbers(*rule, 257)[part]
    found, h2d, _ = moved(lambda: hetc.map(lambda x: x)(hetc.seq(*rule, 257)[part]))
    check(found, expected)
    if expected.dtype == np.int64:
        assert h2d == 0


def test_sequences_returned_zipped_reduced_and_captured(target: Device) -> None:
    q, e = hetc.seq(3, 2, 257), np.arange(3, 517, 2)
    check(hetc.map(lambda x: x)(q), e)
    for part in hetc.zip()(q, q).fields:
        check(part, e)
    assert hetc.zip()(range(3), range(3)) == [(0, 0), (1, 1), (2, 2)]
    assert hetc.reduce(lambda a, b: a + b, 0)(q) == e.sum()
    check(hetc.map(lambda i: q[i] + i)(hetc.seq(0, 1, 257)), e + np.arange(257))


def test_a_sequence_is_an_array(target: Device) -> None:
    q: Any = hetc.seq(0, 2, 5)
    assert repr(q) == "hetc.array([0, 2, 4, 6, 8], dtype=int64, computed)"
    assert "<shape (2000,)>" in repr(hetc.seq(0, 2, 2000))
    assert (q[3], type(q[3]), len(q), q.dtype) == (6, np.int64, 5, np.int64)
    check(q + 1, np.arange(5) * 2 + 1)
    q[1] = 7
    check(hetc.map(lambda x: x + 1)(q), np.array([1, 8, 5, 7, 9]))
    other = q.copy()
    other[0] = 1
    assert q[0] == 0


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((0, 1, -1), ValueError),
        ((0, 1, 2.5), TypeError),
        (("a", 1, 2), TypeError),
        ((1j, 1, 2), TypeError),
        ((2**63, 0, 1), hetc.InputError),
        ((0, 2**62, 4), hetc.InputError),
    ],
    ids=repr,
)
def test_what_is_no_sequence(arguments: tuple[Any, Any, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        hetc.seq(*arguments)


CONSTANTS = [
    np.float32(-0.0), np.float64(np.nan), np.int8(-3), np.uint8(200), np.uint64(2**64 - 1), np.int64(-(2**63)),
    np.bool_(True), np.float16(2.5), np.complex64(1j),
]  # fmt: skip


@pytest.mark.parametrize("size", [1, 7, 255, 257])
@pytest.mark.parametrize("value", CONSTANTS, ids=lambda value: f"{type(value).__name__}-{value}")
@pytest.mark.parametrize("make", [np.asarray, hetc.array], ids=["numpy", "portable"])
def test_one_number_moves_for_a_repeated_one(target: Device, value: Any, size: int, make: Callable[[Any], Any]) -> None:
    repeated, x = np.broadcast_to(value, (size,)), np.arange(size, dtype=np.float32)
    source = make(repeated)
    found, h2d, _ = moved(lambda: hetc.map(lambda a, b: (a, b * 2))(source, x))
    parts = found.fields if isinstance(found, hetc.Array) else found
    assert np.asarray(parts[0]).dtype == repeated.dtype
    assert np.asarray(parts[0]).tobytes() == np.ascontiguousarray(repeated).tobytes()
    np.testing.assert_array_equal(np.asarray(parts[1]), x * 2)
    if type(value) not in (np.float16, np.complex64) and size > 1:
        assert h2d == (0 if target.shared_memory else x.nbytes)


def test_a_hilbert_matrix_moves_nothing_in(target: Device) -> None:
    n = 17
    rows = hetc.map(lambda k: 1.0 / (k // n + k % n + 1))
    found, h2d, _ = moved(lambda: rows(range(n * n)))
    assert h2d == 0
    assert found == [1.0 / (i + j + 1) for i in range(n) for j in range(n)]


def test_daxpy_over_two_ranges_moves_nothing_in(target: Device) -> None:
    daxpy = hetc.map(lambda x, y: 2.5 * x + y)
    found, h2d, _ = moved(lambda: daxpy(range(257), range(0, 514, 2)))
    assert h2d == 0
    assert found == [2.5 * k + 2 * k for k in range(257)]

"""Maps over arrays of several dimensions, whose elements are rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device

SHAPES = [(1, 1), (3, 1), (1, 5), (7, 255), (257, 3), (255, 7)]


def add(p: Any, q: Any) -> Any:
    return p + q


def softmax(row: Any) -> list[float]:
    top = max(row)
    powers = [math.exp(x - top) for x in row]
    total = sum(powers)
    return [x / total for x in powers]


def trace(plane: Any) -> Any:
    total = 0
    for i in range(min(plane.shape)):
        total += plane[i, i]
    return total


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "uint8", "bool", "complex64"])
def test_sums_of_rows(agree: Callable[..., Any], shape: tuple[int, int], dtype: str) -> None:
    matrix = (np.arange(math.prod(shape)) % 7).astype(dtype).reshape(shape)
    agree(hetc.map(lambda row: sum(x for x in row)), matrix)
    agree(hetc.map(lambda row: row[-1]), matrix)


@pytest.mark.parametrize(
    "layout",
    [
        lambda a: a.T,
        lambda a: a[::-1],
        lambda a: a[:, ::-2],
        np.asfortranarray,
        lambda a: np.broadcast_to(a[0], a.shape),
        lambda a: a.astype(">f8"),
        lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),  # read-only
    ],
)
def test_layouts(agree: Callable[..., Any], layout: Callable[[Any], Any]) -> None:
    matrix = layout(np.arange(35.0).reshape(5, 7))
    agree(hetc.map(lambda row: max(row) - row[1]), matrix)


@dataclass
class Point:
    x: float
    y: float


def test_beside_other_inputs(agree: Callable[..., Any]) -> None:
    matrix, numbers = np.arange(12.0).reshape(4, 3), np.arange(4)
    agree(hetc.map(lambda row, k: sum(row) * k), matrix, numbers)
    agree(hetc.map(lambda k, row: row[k]), [2, 0, -1, 1], matrix)
    agree(hetc.map(lambda row, k: row[k % 3]), matrix, range(3, -1, -1))
    agree(hetc.map(lambda row, t: row[t[0]] + t[1]), matrix, [(1, 2.5), (2, 0.5), (0, 1.5), (2, 0.0)])
    agree(hetc.map(lambda row, p: row[0] * p.x + p.y), matrix, [Point(k, 1.0) for k in range(4)])
    agree(hetc.map(lambda p, q: sum((a - b) ** 2 for a, b in zip(p, q))), matrix, matrix[::-1])  # noqa: B905 (not compiled with `strict`)
    agree(hetc.map(lambda p, q: p[0] + q[0]), matrix, matrix)
    agree(
        hetc.map(lambda p: min(sum((a - b) ** 2 for a, b in zip(p, q)) for q in matrix if q[0] > 1)),  # noqa: B905 (not compiled with `strict`)
        matrix,
    )


def test_what_follows(agree: Callable[..., Any]) -> None:
    matrix = np.arange(12.0).reshape(4, 3)
    greatest = hetc.map(lambda row: max(row[0], row[2]))
    for af in (
        greatest.map(lambda x: -x),
        greatest.reduce(add, 0.0),
        greatest.scan(add),
        greatest.filter(lambda x: x > 4),
        greatest.argmax(),
        greatest.gather([3, 0]),
        hetc.map(lambda row: (row[0], len(row))),
    ):
        agree(af, matrix)


def test_planes(agree: Callable[..., Any]) -> None:
    box = np.arange(60).reshape(3, 4, 5)
    agree(hetc.map(trace), box)
    agree(hetc.map(lambda plane: sum(sum(row) for row in plane)), box)
    agree(hetc.map(lambda plane, row: plane[1, 2] + row[0]), box, box[0][:3])


def test_lists_of_rows_make_a_matrix(device: Device) -> None:
    matrix = np.random.default_rng(1).random((9, 33))
    with hetc.configure(device=device, offload="always", fallback="error"), hetc.profile() as p:
        found = hetc.map(softmax)(matrix)
        again = hetc.map(softmax)(matrix)
    np.testing.assert_allclose(found, [softmax(row) for row in matrix], rtol=1e-12)
    assert np.array_equal(found, again)
    assert (p.deopts, p.cache_hits) == (0, 1)


def test_exceptions_and_big_integers_are_those_of_python(agree: Callable[..., Any]) -> None:
    matrix = np.arange(12).reshape(4, 3)
    agree(hetc.map(lambda row: 6 // int(row[0])), matrix, deopts=1)
    agree(hetc.map(lambda row: row[len(row)]), matrix, deopts=1)
    agree(hetc.map(lambda row: int(row[1]) * 2**61), matrix, deopts=1)


def test_rows_that_change(device: Device) -> None:
    def clear(row: Any) -> int:
        row[0] = 9
        return 1

    matrix = np.zeros((3, 2))
    with hetc.configure(device=device, offload="always", fallback="silent"), hetc.profile() as p:
        assert hetc.map(clear)(matrix).tolist() == [1, 1, 1]
    assert p.fallbacks == 1
    assert matrix.tolist() == [[9, 0]] * 3


def test_portable_matrices(device: Device) -> None:
    matrix = hetc.array(np.arange(12.0).reshape(4, 3))
    with hetc.configure(device=device, offload="always", fallback="error"):
        found = hetc.map(lambda row: row[0] + row[1])(matrix + 1)
    assert isinstance(found, hetc.Array)
    assert found.tolist() == [3, 9, 15, 21]


def test_nothing(device: Device) -> None:
    with hetc.configure(device=device, offload="always", fallback="error"):
        found = hetc.map(lambda row: row[0])(np.zeros((0, 3), np.float32))
    assert (found.shape, found.dtype) == ((0,), np.float32)


def test_by_the_hotness_of_the_function() -> None:
    """Without an order, Python runs what is little, and the result is the same."""
    assert hetc.map(lambda row: row[0])(np.arange(6).reshape(2, 3)).tolist() == [0, 3]


def test_bad_inputs(device: Device) -> None:
    matrix = np.zeros((3, 2))
    with hetc.configure(device=device, offload="always", fallback="error"):
        with pytest.raises(hetc.InputError, match="input 0 has 3, input 1 has 2"):
            hetc.map(lambda row, k: row[k])(matrix, [0, 1])
        with pytest.raises(hetc.UnsupportedError, match="2 dimensions, whose elements only maps take"):
            hetc.filter(lambda row: row[0] > 1)(matrix)
        with pytest.raises(hetc.UnsupportedError, match="array of 4 dimensions"):
            hetc.map(lambda box: box[0, 0, 0])(np.zeros((2, 2, 2, 2)))
        with pytest.raises(hetc.UnsupportedError, match="functions written in Python"):
            hetc.map(sum)(matrix)
    with hetc.configure(offload="always", fallback="silent"):
        assert hetc.map(sum)(matrix).tolist() == [0, 0, 0]

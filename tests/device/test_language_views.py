"""Parts of captured arrays: rows, slices with any step, columns, transposes; what can be asked of them."""

# The functions under test are odd on purpose.
# ruff: noqa: B905, RUF015, PLC3002

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc

Agree = Callable[..., Any]

VECTORS = [np.zeros(0), np.array([2.5]), np.arange(7.0) * 1.5 - 4]
VECTOR = VECTORS[-1]
NOTHING = VECTORS[0]
NUMBERS, ONE = [5, -1, 2, 8, 0, -7, 4], [3]
LISTS: list[Any] = [[], ONE, NUMBERS, (1.5, 2.5, -0.5)]
MATRIX = np.arange(12, dtype=np.float64).reshape(3, 4) * 0.5 - 1
INDICES = [-9, -4, -2, -1, 0, 1, 2, 3, 6, 7, 8, 100]

SLICES: list[Callable[[Any, int], Any]] = [
    lambda a, i: a[i:],
    lambda a, i: a[:i],
    lambda a, i: a[i : i + 3],
    lambda a, i: a[-3:i],
    lambda a, i: a[::-1],
    lambda a, i: a[i::-1],
    lambda a, i: a[:i:-1],
    lambda a, i: a[5:i:-2],
    lambda a, i: a[i:-1:2],
    lambda a, i: a[1:-1],
    lambda a, i: a[:],
    lambda a, i: a[None:i:None],
    lambda a, i: a[1:][::-1][:i],
    lambda a, i: a[::2][1:][::-1],
]


@pytest.mark.parametrize("number", range(len(SLICES)))
@pytest.mark.parametrize("data", [*VECTORS, *LISTS], ids=lambda data: f"{type(data).__name__}-{len(data)}")
def test_slices(agree: Agree, data: Any, number: int) -> None:
    part = SLICES[number]

    def of(i: int) -> Any:
        w = part(data, i)
        total = 0
        for k, value in enumerate(w):
            total += (k + 1) * value
        return len(w), total, sum(w)

    agree(hetc.map(of), INDICES, deopts=None)  # the sum of no floats is the int 0


@pytest.mark.parametrize("step", [1, -1, 2, -3, 100, -100])
def test_steps_known_at_run_time(agree: Agree, step: int) -> None:
    data = VECTOR

    def of(i: int, step: int) -> Any:
        w = data[i::step]
        return len(w), sum(w), sum(data[:i:step]), sum(NUMBERS[i:-i:step])

    agree(hetc.map(of), INDICES, [step] * len(INDICES), deopts=None)
    agree(hetc.map(of), [1, 2], [step, 0], deopts=1)


def windows(i: int) -> Any:
    data = NUMBERS
    w = data[i - 1 : i + 2]
    return w[0] + w[-1] * len(w)


def test_windows(agree: Agree) -> None:
    agree(hetc.map(windows), [1, 2, 3, 4, 5])
    agree(hetc.map(windows), [1, 0], deopts=1)
    agree(hetc.map(windows), [1, 9], deopts=1)


def matrix_parts(i: int) -> Any:
    row, column = MATRIX[i], MATRIX[:, i]
    block = MATRIX[i:, 1:3]
    total = 0.0
    for line in block:
        for value in line:
            total += value
    a, b = block.shape
    return (
        sum(row), sum(column), max(row) - min(column), row[-1], column[i], len(block), total, block.size, block.ndim,
        a * 10 + b, MATRIX.T[i, 0], len(MATRIX.T), MATRIX[::-1][i][::-1][0], MATRIX[i][1:][0], MATRIX.T[1:, i].shape[0],
        MATRIX[(i, 1)], sum(MATRIX.T[i]),
    )  # fmt: skip


def test_parts_of_matrices(agree: Agree) -> None:
    agree(hetc.map(matrix_parts), [0, 1, 2])
    agree(hetc.map(matrix_parts), [0, 3], deopts=1)
    agree(hetc.map(lambda i: MATRIX[i, 0, 0]), [0, 1], fallbacks=1)
    agree(hetc.map(lambda i: MATRIX[0.0 + i]), [0, 1], fallbacks=1)
    agree(hetc.map(lambda i: NUMBERS.shape), [0, 1], fallbacks=1)


def extremes(i: int) -> Any:
    w = VECTOR[i:]
    return max(w), min(w), any(w), all(w), any(v > 3 for v in w), max(w, default=0.0), sum(w, 1.5)


def test_functions_of_slices(agree: Agree) -> None:
    agree(hetc.map(extremes), [0, 1, 5, 6, -1, -2])
    agree(hetc.map(extremes), [0, 7], deopts=1)
    agree(hetc.map(lambda i: max(NOTHING, default=i)), [1, 2, 3], fallbacks=None, deopts=None)
    agree(hetc.map(lambda i: sum(NUMBERS[:i])), INDICES)
    agree(hetc.map(lambda i: sum(NOTHING) + i), [1, 2], deopts=None)


def zipped(i: int) -> Any:
    total = 0.0
    for a, b in zip(MATRIX[i], MATRIX[:, i]):
        total += a * b
    for a, b in zip(reversed(MATRIX[i]), MATRIX[0][1:]):
        total -= a * b
    for line, other in zip(MATRIX, MATRIX[::-1]):
        total += line[i] * other[-1]
    for k, line in enumerate(reversed(MATRIX)):
        total += k * line[0]
    for k, weight in zip(range(i, 4), (0.5, 1.5)):
        total += MATRIX[i][k] * weight
    for value, weight in zip(MATRIX[i][i:], (0.5, 1.5, 3)):
        total += value * weight
    return total


def row_sum(row: Any, scale: float) -> float:
    total = 0.0
    for value in row:
        total += value * scale
    return total


def longer(first: Any, second: Any) -> Any:
    return first[1:] if len(first) > 2 else second[1:]


def tail(values: Any) -> Any:
    return values[1:]


def test_views_meet_loops_and_functions(agree: Agree) -> None:
    agree(hetc.map(zipped), [0, 1, 2])
    agree(hetc.map(lambda i: row_sum(MATRIX[i], 2.0) + row_sum(MATRIX[:, i], 0.5) + row_sum((1, i), 1.0)), [0, 1, 2])
    agree(hetc.map(lambda i: tail(tail(MATRIX[i]))[1] + len(tail(NUMBERS))), [0, 1, 2])
    agree(hetc.map(lambda i: longer(MATRIX[i], MATRIX[0])[0]), [0, 1, 2], fallbacks=None, deopts=None)


def unpacked(i: int) -> Any:
    a, b, c, d = MATRIX[i]
    (e, f), g = NUMBERS[i : i + 2], ONE[0]
    return a + 2 * b + 3 * c + 4 * d + e - f + g


def test_arrays_unpack(agree: Agree) -> None:
    agree(hetc.map(unpacked), [0, 1, 2])
    agree(hetc.map(lambda i: [a + b for a, b in (MATRIX[i][:2], MATRIX[i][1:3])][0]), [0, 1])
    agree(hetc.map(lambda i: (lambda a, b: a - b)(*NUMBERS[i:])), [5, 5])
    agree(hetc.map(lambda i: (lambda a, b: a - b)(*NUMBERS[i:])), [5, 6], deopts=1)

"""Which indices tell the iterations of a parallel loop apart: mixed radices, permutations, and what looks like them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.looping import check_loops, refusal

Loop = Callable[..., None]
SHAPES = [(1, 1), (3, 7), (16, 17), (257, 3), (2, 300)]


def _rows(a: Any, h: Any, w: Any) -> None:
    for i, j in hetc.forall(h, w):
        a[i * w + j] = i + 2 * j


def _columns(a: Any, h: Any, w: Any) -> None:
    for i, j in hetc.forall(h, w):
        a[j * h + i] = i + 2 * j


def _turned(a: Any, h: Any, w: Any) -> None:
    for i, j in hetc.forall(h, w):
        a[(h - 1 - i) * w + (w - 1 - j)] = i + 2 * j


def _upside_down(a: Any, h: Any, w: Any) -> None:
    for i, j in hetc.forall(h, w):
        a[(h - 1 - i) * w + j] += i + 2 * j


def _colours(a: Any, h: Any, w: Any) -> None:
    for i, j in hetc.forall(h, w):
        a[(i * w + j) * 3] = i
        a[(i * w + j) * 3 + 1] = j
        a[(i * w + j) * 3 + 2] = a[(i * w + j) * 3] + 1


def _planes(a: Any, h: Any, w: Any) -> None:
    for k, i, j in hetc.forall(3, h, w):
        a[k * h * w + i * w + j] += k + 10 * i + 100 * j


def _planes_by_steps(a: Any, h: Any, w: Any) -> None:
    for k, i, j in hetc.forall(3, h, w):
        a[(k * h + i) * w + j] += k + 10 * i + 100 * j


def _inner_loop(a: Any, h: Any, w: Any) -> None:
    for i in hetc.forall(h):
        s = 1.0
        for j in range(w):
            s += a[i * w + j]
        for j in range(w):
            a[i * w + j] = a[i * w + j] / s


def _inner_column(a: Any, h: Any, w: Any) -> None:
    for i in hetc.forall(h):
        for j in range(w):
            a[j * h + i] = i - j


def _sums_along_rows(a: Any, h: Any, w: Any) -> None:
    for i in hetc.forall(h):
        for j in range(1, w):
            a[i * w + j] += a[i * w + j - 1]


def _ahead_in_rows(a: Any, h: Any, w: Any) -> None:
    for i in hetc.forall(h):
        for j in range(w - 1):
            a[i * w + j + 1] = a[i * w + j] + i


def _every_width(a: Any, h: Any, w: Any) -> None:
    for i in hetc.forall(h):
        a[i * w] += i


DIGITS: list[Loop] = [
    _rows, _columns, _turned, _upside_down, _colours, _planes, _planes_by_steps, _inner_loop, _inner_column,
    _sums_along_rows, _ahead_in_rows, _every_width,
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("loop", DIGITS)
def test_an_index_whose_digits_are_the_variables(device: Device, loop: Loop, shape: tuple[int, int]) -> None:
    h, w = shape
    check_loops(device, loop, lambda: (np.arange(3.0 * h * w), h, w))


def test_a_width_of_numpy(device: Device) -> None:
    check_loops(device, _rows, lambda: (np.zeros(35), 5, np.int64(7)))


def _too_wide(a: Any, h: Any, w: Any) -> None:
    for i, j in hetc.forall(h, w + 1):
        a[i * w + j] += i + 2 * j


def _opposite(a: Any, h: Any, w: Any) -> None:
    for i in hetc.prange(1, h):
        for j in range(w):
            a[i * w + j] = i
        for j in range(w):
            a[i * w - j] = i + j


def _wraps(a: Any, h: Any, w: Any) -> None:
    for i in hetc.forall(h):
        a[i * w * 8] += i


@pytest.mark.parametrize(
    ("loop", "width"),
    [(_too_wide, 4), (_every_width, 0), (_every_width, -2), (_opposite, 5), (_wraps, np.int64(2**61))],
)
def test_digits_that_are_none_are_left_to_python(device: Device, loop: Loop, width: Any) -> None:
    """Iterations would meet: the numbers tell, when the loop runs."""
    check_loops(device, loop, lambda: (np.zeros(40), 6, width), deopts=None)
    with (
        hetc.configure(device=device, offload="always", fallback="error"),
        hetc.profile() as p,
        np.errstate(all="ignore"),
    ):
        hetc.jit(loop)(np.zeros(40), 6, width)
    assert p.deopts


def _next_row(a: Any, h: Any, w: Any) -> None:
    for i in hetc.forall(h - 1):
        for j in range(w):
            a[(i + 1) * w + j] = a[i * w + j] + 1


def _next_column(a: Any, h: Any, w: Any) -> None:
    for i, j in hetc.forall(h, w - 1):
        a[i * w + j + 1] = a[i * w + j] + 1


@pytest.mark.parametrize("loop", [_next_row, _next_column])
def test_what_another_iteration_stores_is_refused(device: Device, loop: Loop) -> None:
    check_loops(device, loop, lambda: (np.arange(20.0), 4, 5), fallbacks=1)
    assert "one iteration may store here to an element of 'a' that another one reads" in refusal(
        loop, np.arange(20.0), 4, 5
    )


# --- Permutations ----------------------------------------------------------------------------------------------------


def _permute(a: Any, p: Any, x: Any) -> None:
    for i in hetc.forall(len(p)):
        a[p[i]] += x[i]


def _permute_rows(a: Any, p: Any, x: Any) -> None:
    for i in hetc.forall(len(p)):
        for j in range(3):
            a[p[i], j] = x[i] + j


def _permute_both(a: Any, p: Any, x: Any) -> None:
    for i, j in hetc.forall(len(p), len(p)):
        a[p[i], p[j]] = x[i] + j


def _permute_twice(a: Any, p: Any, x: Any) -> None:
    for i in hetc.forall(len(p)):
        a[p[p[i]]] = x[i]


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32, np.uint64])
@pytest.mark.parametrize("size", [1, 7, 100])
def test_a_permutation(device: Device, dtype: Any, size: int) -> None:
    order = np.random.default_rng(size).permutation(size).astype(dtype)
    check_loops(device, _permute, lambda: (np.zeros(size), order, np.arange(1.0 * size)))


@pytest.mark.parametrize(("loop", "columns"), [(_permute_rows, 3), (_permute_both, 7), (_permute_twice, None)])
def test_permutations_of_rows_and_of_permutations(device: Device, loop: Loop, columns: int | None) -> None:
    order = np.random.default_rng(0).permutation(7)
    shape = (7,) if columns is None else (7, columns)
    check_loops(device, loop, lambda: (np.zeros(shape), order, np.arange(7.0)))
    check_loops(device, loop, lambda: (np.zeros(shape), order.tolist(), np.arange(7.0)))


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint64])
def test_repeated_indices_run_in_order(device: Device, dtype: Any) -> None:
    indices = np.array([3, 1, 2, 3, 0], dtype)
    check_loops(device, _permute, lambda: (np.zeros(8), indices, np.arange(8.0)), fallbacks=1)
    assert "elements of 'p' are the same" in refusal(_permute, np.zeros(8), indices, np.arange(8.0))


def test_indices_that_change_between_calls(device: Device) -> None:
    """The array is looked at before each run, not when the loop is compiled."""
    compiled, indices = hetc.jit(_permute), np.array([2, 0, 1])
    with hetc.configure(device=device, offload="always", fallback="silent"):
        for repeated in (False, True, False):
            indices[0] = 0 if repeated else 2
            found, expected = np.zeros(3), np.zeros(3)
            with hetc.profile() as p:
                compiled(found, indices, np.arange(3.0))
            _permute(expected, indices, np.arange(3.0))
            assert (found.tolist(), p.fallbacks) == (expected.tolist(), int(repeated))


def test_negative_indices_of_a_permutation_are_left_to_python(device: Device) -> None:
    """-1 and 7 are one element."""
    for indices in ([3, -1, 2, 7, 0], [-1, -2, -3]):
        check_loops(device, _permute, lambda p=indices: (np.zeros(8), np.array(p), np.arange(8.0)), deopts=None)


def test_distant_indices(device: Device) -> None:
    indices = np.array([0, 999_999, 5])
    check_loops(device, _permute, lambda: (np.zeros(1_000_000), indices, np.arange(3.0)))
    indices[2] = 0
    check_loops(device, _permute, lambda: (np.zeros(1_000_000), indices, np.arange(3.0)), fallbacks=1)


def test_permutations_that_change_or_are_read_elsewhere_are_refused(device: Device) -> None:
    def stored(a: Any, p: Any) -> None:
        for i in hetc.forall(len(p)):
            p[p[i]] = i

    def read(a: Any, p: Any) -> None:
        for i in hetc.forall(len(p)):
            a[p[i]] = a[i]

    for loop in (stored, read):
        check_loops(device, loop, lambda: (np.arange(4.0), np.array([3, 1, 2, 0])), fallbacks=1)

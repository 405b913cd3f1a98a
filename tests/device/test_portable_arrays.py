"""Portable arrays on devices: what they give, and which bytes move.

Each test runs on each device twice: as it is, where memory is shared with the host and nothing is copied, and as one
that has memory of its own, where each copy is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.conftest import assert_same, discrete

SIZES = (0, 1, 7, 255, 256, 257, 10_007)
FLAGS = 64
"""No more bytes than these come back to say that no guard has failed."""


def moved(call: Callable[[], Any]) -> tuple[Any, int, int]:
    """The result of a call, and the bytes that it moved to the device and back."""
    with hetc.profile() as p:
        result = call()
    return result, p.bytes_h2d, p.bytes_d2h


def check(found: Any, expected: Any) -> None:
    """A portable array with the contents of a NumPy array."""
    assert isinstance(found, hetc.Array)
    assert_same(np.array(found), expected, 0, 0.0)


double = hetc.map(lambda x: x + x)
square = hetc.map(lambda x: x * x)


# --------------------------------------------------------------------------------------------------------------------
# What moves
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_each_byte_moves_once(target: Device, size: int) -> None:
    x = np.linspace(-1, 1, size)
    once = 0 if target.shared_memory else x.nbytes
    a = hetc.array(x)
    first, h2d, d2h = moved(lambda: square(double(a)))
    assert (h2d, d2h) == (once, 0)
    second, h2d, d2h = moved(lambda: square(double(a)))
    assert (h2d, d2h) == (0, 0)
    expected = (x + x) * (x + x)
    assert moved(lambda: check(first, expected))[1:] == (0, once)
    assert moved(lambda: check(first, expected))[1:] == (0, 0)
    check(second, expected)


def test_the_chain_moves_its_ends_alone(target: Device) -> None:
    x = np.linspace(0, 0.5, 257, dtype=np.float32)
    once = 0 if target.shared_memory else x.nbytes

    def chain() -> Any:
        y: Any = hetc.array(x)
        for _ in range(5):
            y = square(double(y))
        return np.array(y)

    expected = x
    for _ in range(5):
        expected = (expected + expected) ** 2
    result, h2d, d2h = moved(chain)
    assert_same(result, expected, 0, 0.0)
    assert (h2d, d2h) == (once, once)


def test_only_what_changes_moves_again(target: Device) -> None:
    x = np.arange(257.0)
    once = 0 if target.shared_memory else x.nbytes
    a: Any = hetc.array(x)
    double(a)
    x[3] = a[3] = 100
    result, h2d, _ = moved(lambda: double(a))
    check(result, x + x)
    assert h2d == once
    view = a[5:50:3]
    view[:] = 7
    x[5:50:3] = 7
    check(double(a), x + x)
    result[0] = -1
    assert moved(lambda: check(double(result), np.concatenate([[-2], (x + x)[1:]]) * 0 + np.array(double(result))))
    assert result[0] == -1


def test_one_element_of_a_device_moves_alone(target: Device) -> None:
    result: Any = double(hetc.array(np.arange(1000.0)))
    value, _, d2h = moved(lambda: result[-1])
    assert (value, type(value), d2h) == (1998.0, np.float64, 0 if target.shared_memory else 8)
    text, _, d2h = moved(lambda: repr(result))
    assert d2h == 0
    assert ("<shape (1000,)>" in text) == (not target.shared_memory)


@pytest.mark.parametrize("size", SIZES[1:])
@pytest.mark.parametrize(
    "part",
    [slice(1, None), slice(None, -1), slice(None, None, -1), slice(None, None, 3), slice(5, 2)],
    ids=["tail", "head", "reversed", "every-third", "empty"],
)
def test_views(target: Device, size: int, part: slice) -> None:
    x = np.arange(size, dtype=np.float32)
    a: Any = hetc.array(x)
    view = a[part]
    check(double(view), x[part] + x[part])
    assert moved(lambda: double(view))[1:] == (0, 0)
    a[0] = 9
    x[0] = 9
    check(double(view), x[part] + x[part])


def test_a_view_in_a_row_of_a_device_stays_there(target: Device) -> None:
    x = np.arange(1000.0)
    result: Any = double(hetc.array(x))
    found, h2d, d2h = moved(lambda: square(result[13:613]))
    assert (h2d, d2h) == (0, 0)
    check(found, (2 * x[13:613]) ** 2)
    other, h2d, d2h = moved(result.copy)
    assert (h2d, d2h) == (0, 0)
    other[0] = 5
    check(result, 2 * x)


def test_copies_on_two_devices(device: Device) -> None:
    """Each device gets its own copy; what one of them writes, the others get when they need it."""
    one, two = discrete(device, 1), discrete(device, 2)
    x = np.arange(257.0)
    a: Any = hetc.array(x)
    shared = device.traits.shared_memory
    with hetc.configure(fallback="error"):
        for place, expected in (
            (one, x.nbytes),
            (two, x.nbytes),
            (one, 0),
            (two, 0),
            (device, 0 if shared else x.nbytes),
        ):
            assert moved(lambda place=place: double.on(place)(a))[1] == expected
        assert a.places[0] == "host"
        assert len(a.places) == (3 if shared else 4)

        @hetc.jit
        def bump(y: Any) -> None:
            for i in hetc.forall(len(y)):
                y[i] += 1

        assert moved(lambda: bump.on(one)(a))[1:] == (0, 0)
        assert (len(a.places), a.is_on_host) == (1, False)
        result, h2d, d2h = moved(lambda: double.on(two)(a))
        assert (h2d, d2h) == (x.nbytes, x.nbytes)
        check(result, 2 * (x + 1))
        bump.on(device)(a)
        check(double.on(one)(a), 2 * (x + 2))
        check(a, x + 2)


@pytest.mark.usefixtures("work_clock")
def test_devices_are_found_by_what_is_asked_for(target: Device) -> None:
    with hetc.configure(offload="auto"):
        a: Any = hetc.array(np.arange(5.0))
        with hetc.profile() as p:
            double(a)
        assert p.launches == 0
        result = double.on(target)(a)
        with hetc.profile() as p:
            check(double(result), np.arange(5.0) * 4)
        assert p.launches == (0 if target.shared_memory else 1)  # the data is where the kernel is


# --------------------------------------------------------------------------------------------------------------------
# What it gives
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int16", "uint32", "int64", "uint64", "float16", "float32", "complex64"]
)
def test_elements_are_those_of_the_numpy_array(target: Device, dtype: str) -> None:
    x = (np.arange(257) % 7).astype(dtype)
    for source in (
        x,
        x[::-1],
        x.astype(x.dtype.newbyteorder()),
        np.frombuffer(b"\0" + x.tobytes(), "u1")[1:].view(dtype),
    ):
        plain = np.ascontiguousarray(source).astype(dtype)
        for af in (double, hetc.map(lambda x: (x, 2)), hetc.map(lambda x: x == 3), hetc.map(np.negative), square):
            if dtype in ("bool", "complex64") and af.stages[0].function is np.negative:
                continue
            expected = af(plain)
            found = af(hetc.array(source))
            if isinstance(expected, tuple):
                for part, other in zip(found.fields, expected, strict=True):
                    check(part, other)
            else:
                check(found, expected)


@pytest.mark.parametrize("size", SIZES)
def test_tuples(target: Device, size: int) -> None:
    x = np.arange(size, dtype=np.float32)
    pairs: Any = hetc.map(lambda x: (x, (x + 1, x > 3), x + 1))(hetc.array(x))
    assert isinstance(pairs, hetc.Array)
    result, h2d, d2h = moved(lambda: hetc.map(lambda p: p[1][0] if p[1][1] else p[2] - p[0])(pairs))
    assert (h2d, d2h) == (0, 0)
    check(result, np.where(x > 3, x + 1, np.float32(1)))
    pairs.fields[0][:] = 5  # results share no memory with each other
    check(pairs.fields[2], x + 1)
    made = hetc.array([(i, i / 2) for i in range(size)]) if size else pairs
    if size:
        check(hetc.map(lambda p: p[0] * p[1])(made), np.arange(size) * (np.arange(size) / 2))
        assert moved(lambda: hetc.map(lambda p: p[0] * p[1])(made))[1:] == (0, 0)


def test_what_is_returned_as_it_is_has_memory_of_its_own(target: Device) -> None:
    x = np.arange(257.0)
    a: Any = hetc.array(x)
    same, pair = hetc.map(lambda x: x)(a), hetc.map(lambda x: (x, x))(a)
    zipped = hetc.zip()(a, x)
    for result in (same, *pair.fields, *zipped.fields):
        check(result, x)
        result[:] = 0
    check(a, x)
    assert x[1] == 1


def test_with_other_inputs(target: Device) -> None:
    x = np.arange(257.0)
    add = hetc.map(lambda p, q: p + q)
    for other in (x, x[::-1], list(range(257)), tuple(range(257)), range(257), hetc.array(x)):
        check(add(hetc.array(x), other), x + np.asarray(other))
        check(add(other, hetc.array(x)), x + np.asarray(other))
    masked = add(hetc.array(x), np.ma.array(x, mask=False))
    assert isinstance(masked, np.ma.MaskedArray)


@pytest.mark.parametrize("size", SIZES)
def test_reductions_and_scans(target: Device, size: int) -> None:
    a = hetc.array(np.arange(size))
    total = hetc.reduce(lambda p, q: p + q, 0)(a)
    assert total == sum(range(size))
    check(hetc.scan(lambda p, q: p + q)(a), np.cumsum(np.arange(size)))


def test_captured_arrays_stay_too(target: Device) -> None:
    table, matrix = np.arange(1000.0), np.arange(12.0).reshape(3, 4)
    t, m = hetc.array(table), hetc.array(matrix)
    look = hetc.map(lambda i: t[i] + m[i % 3, 1] + len(t) + m.shape[1])
    i = hetc.array(np.arange(257))
    expected = table[:257] + matrix[np.arange(257) % 3, 1] + 1004
    found, h2d, _ = moved(lambda: look(i))
    check(found, expected)
    assert h2d == (0 if target.shared_memory else table.nbytes + matrix.nbytes + 257 * 8)
    _, h2d, d2h = moved(lambda: look(i))
    assert h2d == 0
    assert d2h <= FLAGS
    turned = m.T
    check(hetc.map(lambda i: turned[1, i % 3])(i), matrix[np.arange(257) % 3, 1])


def test_guards_that_fail_leave_numpys_result(target: Device) -> None:
    x = np.arange(1000)
    a = hetc.array(x)
    grow = hetc.map(lambda i: int(i) * 2**60)
    expected = np.array([int(i) * 2**60 for i in x])
    found = grow(a)
    assert type(found) is np.ndarray  # some of the integers are Python's own
    assert found.tolist() == expected.tolist()
    odd = hetc.map(lambda i: 10 // int(i) if i > 990 else 7 // (int(i) + 1) * 2**60 % 5)
    check(odd(a), np.array([10 // int(i) if i > 990 else 7 // (int(i) + 1) * 2**60 % 5 for i in x]))
    with pytest.raises(ZeroDivisionError):
        hetc.map(lambda i: 1 // int(i))(a)
    check(a, x)


def test_guards_that_fail_where_results_may_be_none(target: Device) -> None:
    def step(i: Any) -> Any:
        return None if i == 3 else 100 // (int(i) - 900) if i == 901 else int(i) + 2**62

    def divide(i: Any) -> Any:
        return None if i == 3 else float(10 // int(i - 900) if i != 900 else 2**70)

    x = np.arange(1000)
    for function in (step, divide):
        expected = hetc.map(function)
        with hetc.configure(offload="never"):
            plain = expected(x)
        found = hetc.map(function)(hetc.array(x))
        assert type(found) is type(plain) is np.ndarray
        assert found.tolist() == plain.tolist()


def test_what_an_array_cannot_hold(target: Device) -> None:
    found = hetc.map(lambda x: None if x > 1 else x)(hetc.array(np.arange(4.0)))
    assert found.tolist() == [0.0, 1.0, None, None]
    assert found.dtype == object


# --------------------------------------------------------------------------------------------------------------------
# Loops
# --------------------------------------------------------------------------------------------------------------------


def saxpy(y: Any, x: Any, check_index: int = 1) -> Any:
    total = 0.0
    for i in hetc.forall(len(x)):
        y[i] = 2 * x[i] + y[i]
        total += y[i]
    return total


@pytest.mark.parametrize("size", SIZES[1:])
def test_loops_change_arrays_where_they_are(target: Device, size: int) -> None:
    x, y = np.arange(size, dtype=np.float64), np.ones(size)
    a, b = hetc.array(x), hetc.array(y)
    run = hetc.jit(saxpy)
    once = 0 if target.shared_memory else x.nbytes
    assert moved(lambda: run(b, a))[1] == 2 * once
    assert moved(lambda: run(b, a))[1] == 0
    check(b, 1 + 4 * x)
    check(double(b), 2 * (1 + 4 * x))


@pytest.mark.parametrize("bad", [0, 300, 999])
def test_a_loop_that_fails_has_done_what_python_has(target: Device, bad: int) -> None:
    def divide(y: Any, x: Any) -> None:
        for i in hetc.forall(len(x)):
            y[i] = 10 // int(x[i])

    x = np.arange(1, 1001)
    x[bad] = 0
    expected = np.full(1000, -1)
    a, b = hetc.array(x), hetc.array(expected)
    with hetc.configure(offload="never"), pytest.raises(ZeroDivisionError):
        divide(expected, x)
    square(b)  # it is on the device
    with pytest.raises(ZeroDivisionError):
        hetc.jit(divide)(b, a)
    check(b, expected)
    check(double(b), expected + expected)
    check(a, x)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda a: (a, a[1:]), "overlap in memory"),
        (lambda a: (a[:-1], a[1:].copy()), "is a view of another"),
        (lambda a: (a, np.asarray(a)), "overlap in memory"),
        (lambda a: (hetc.array(np.arange(10.0), copy=False), a), "is read-only"),
    ],
    ids=["views", "stores-to-view", "numpy-view", "read-only"],
)
def test_loops_that_are_not_for_a_device(target: Device, make: Callable[[Any], tuple[Any, Any]], reason: str) -> None:
    def shift(y: Any, x: Any) -> None:
        for i in hetc.forall(9):
            y[i] = x[i] + 1

    run = hetc.jit(shift)
    with pytest.raises(hetc.UnsupportedError, match=reason):
        run(*make(hetc.array(np.arange(10.0))))
    if reason == "is read-only":
        return
    a: Any = hetc.array(np.arange(10.0))
    expected = np.arange(10.0)
    y, x = make(a)
    with hetc.configure(fallback="silent"):
        run(y, x)
    for i in range(9):
        expected[i] = (expected[i + 1] if i < 9 and x is not y and len(x) == 9 else expected[i]) + 1
    if x is not y and isinstance(x, hetc.Array) and not np.shares_memory(np.asarray(x), np.asarray(a)):
        check(a, np.concatenate([np.arange(10.0)[1:] + 1, [9.0]]))
    else:
        check(a, expected)


def test_a_shared_source_is_not_stored_to(target: Device) -> None:
    """A NumPy array and the portable array that shares its memory are one array to a loop."""
    source = np.arange(10.0)
    a = hetc.array(source, copy=False)

    def shift(y: Any, x: Any) -> None:
        for i in hetc.forall(9):
            y[i] = x[i + 1]

    with pytest.raises(hetc.UnsupportedError, match="overlap in memory"):
        hetc.jit(shift)(source, a)


# --------------------------------------------------------------------------------------------------------------------
# NumPy's functions where the data is
# --------------------------------------------------------------------------------------------------------------------

OPERATIONS: tuple[Callable[[Any, Any], Any], ...] = (
    lambda a, b: a + b,
    lambda a, b: a * 2.5,
    lambda a, b: 3 - a,
    lambda a, b: a / b,
    lambda a, b: a < b,
    lambda a, b: -a,
    lambda a, b: np.sqrt(a),
    lambda a, b: np.maximum(a, np.float32(3)),
    lambda a, b: np.where(a < b, a, b),
)
TOTALS: tuple[Callable[[Any], Any], ...] = (np.sum, np.min, np.max, np.prod, np.cumsum, np.add.reduce)


@pytest.mark.parametrize("operation", range(len(OPERATIONS)))
@pytest.mark.parametrize("shape", [(257,), (15, 17)], ids=["1-d", "2-d"])
def test_operations_run_where_the_data_is(target: Device, operation: int, shape: tuple[int, ...]) -> None:
    apply = OPERATIONS[operation]
    x, y = (np.linspace(low, 9, 257 if len(shape) == 1 else 255, dtype=np.float32).reshape(shape) for low in (0, 2))
    a, b = hetc.array(x), hetc.array(y)
    with hetc.profile() as p:
        found = apply(a, b)
    assert (p.launches > 0, p.fallbacks) == (True, 0)
    check(found, apply(x, y))
    _, h2d, d2h = moved(lambda: apply(a, b))
    assert h2d == 0
    assert d2h <= FLAGS
    with hetc.configure(offload="never"), hetc.profile() as p:
        check(apply(a, b), apply(x, y))
    assert p.launches == 0
    with hetc.configure(offload="auto"), hetc.profile() as p:
        check(
            apply(apply(a, b), apply(a, b)) if operation == 0 else apply(a, b),
            x + y + (x + y) if operation == 0 else apply(x, y),
        )
    assert p.launches == 0  # the host has the data


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "float32", "float64", "bool"])
@pytest.mark.parametrize("total", range(len(TOTALS)))
@pytest.mark.parametrize("size", [1, 7, 255, 257])
def test_totals(target: Device, total: int, dtype: str, size: int) -> None:
    apply = TOTALS[total]
    x = ((np.arange(size) % 7 == 0) + 1).astype(dtype)
    expected = apply(x)
    found = apply(hetc.array(x))
    assert_same(np.asarray(found), np.asarray(expected), 0, 1e-5)
    if expected.ndim == 0:
        assert type(found) is type(expected)


def test_totals_of_nothing_and_of_nan(target: Device) -> None:
    empty, odd = hetc.array(np.zeros(0)), hetc.array(np.array([1, np.nan, 3]))
    assert np.sum(empty) == 0
    with pytest.raises(ValueError, match="zero-size"):
        np.min(empty)
    assert np.isnan(np.max(odd))
    assert np.signbit(np.sum(hetc.array([-0.0, -0.0])))


@pytest.mark.usefixtures("work_clock")
def test_operations_in_place_stay_on_the_device(target: Device) -> None:
    with hetc.configure(offload="auto"):
        x = np.linspace(0, 9, 257)
        a: Any = double.on(target)(hetc.array(x))
        view, kept = a[3:], a
        expected = x + x

        def change() -> None:
            nonlocal a, expected
            for _ in range(3):
                a += 1
                a *= a
                expected += 1
                expected *= expected

        _, h2d, d2h = moved(change)
        assert (h2d, d2h) == (0, 0)
        assert a is kept
        assert a.is_on_host == target.shared_memory
        check(a, expected)
        check(view, expected[3:])
        whole: Any = hetc.map(lambda x: x).on(target)(hetc.array([1, 2]))
        with pytest.raises(TypeError, match="Cannot cast"):
            whole += 1.5
        check(whole, np.array([1, 2]))


@pytest.mark.usefixtures("work_clock")
def test_operations_choose_the_device_that_has_the_data(device: Device) -> None:
    one, two = discrete(device, 1), discrete(device, 2)
    with hetc.configure(device=one, offload="auto", fallback="error"):
        a = double.on(two)(hetc.array(np.arange(257.0)))
        result, h2d, d2h = moved(lambda: a + a)
        assert (h2d, d2h) == (0, 0)
        check(result, np.arange(257.0) * 4)


def test_nan_as_missing(target: Device) -> None:
    fill = hetc.map(lambda x: -1.0 if x is None else 2 * x).options(missing="nan")
    check(fill(hetc.array([1.0, np.nan, 3.0])), np.array([2.0, -1, 6]))
    check(fill(hetc.array([1.0, 3.0])), np.array([2.0, 6]))
    keep = hetc.map(lambda x: None if x is None else x + 1).options(missing="nan")
    check(keep(hetc.array([1.0, np.nan])), np.array([2.0, np.nan]))


def test_pinned_arrays(target: Device) -> None:
    x = np.arange(10_007.0)
    a: Any = hetc.array(x, pinned=True)
    pairs = hetc.array([(1, 2.0), (3, 4.0)], pinned=True)
    x[0] = 5
    check(double(a), np.arange(10_007.0) * 2)
    a[0] = 5
    check(double(a), x * 2)
    check(hetc.map(lambda p: p[0] + p[1])(pairs), np.array([3.0, 7.0]))
    assert len(hetc.array([], pinned=True)) == 0

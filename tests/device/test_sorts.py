"""Sorts: stable, as Python's `sorted` has them for lists and NumPy for arrays; on devices by the digits of keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from hetc.timeline.events import Kind
from tests.device.conftest import DTYPES, SIZES, discrete


def numbers(dtype: str, size: int) -> Any:
    """Numbers all over a type, some of them equal, with what is special about floats."""
    generator, kind = np.random.default_rng(size), np.dtype(dtype)
    if kind.kind == "f":
        found = (generator.standard_normal(size) * 50).round(1).astype(kind)
        special = np.array([np.nan, -0.0, 0.0, np.inf, -np.nan, -np.inf, 0.0, -0.0, np.finfo(kind).tiny / 4], kind)
        found[::5] = np.resize(special, len(found[::5]))
        return found
    if kind.kind == "b":
        return generator.random(size) < 0.5
    limits = np.iinfo(kind)
    found = generator.integers(limits.min, limits.max, size, dtype=kind, endpoint=True)
    found[::3] = found[: len(found[::3])]
    return found


def order(x: Any, *, reverse: bool) -> Any:
    """NumPy's stable order; in reverse, that of the reversed elements, reversed."""
    return len(x) - 1 - np.argsort(x[::-1], kind="stable")[::-1] if reverse else np.argsort(x, kind="stable")


def assert_same_bits(found: Any, expected: Any) -> None:
    """The same numbers, zeros with their signs; a NaN is a NaN."""
    assert type(found) is type(expected)
    assert found.dtype == expected.dtype
    same = found == expected
    if expected.dtype.kind == "f":
        same = np.where(np.isnan(expected), np.isnan(found), same & (np.signbit(found) == np.signbit(expected)))
    assert same.all()


@pytest.fixture
def always(target: Device) -> Iterator[Device]:
    """A device, as it is or as one that works in tiles, that all must run on."""
    with hetc.configure(offload="always"):
        yield target


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays(always: Device, dtype: str, reverse: bool):
    for size in SIZES:
        x = numbers(dtype, size)
        before, expected = x.copy(), order(x, reverse=reverse)
        assert_same_bits(hetc.sort(reverse=reverse)(x), x[expected])
        assert_same_bits(hetc.argsort(reverse=reverse)(x), expected.astype(np.int64))
        assert_same_bits(x, before)


def test_views(always: Device):
    x = numbers("float32", 2000)
    for view in (x[::-1], x[::3], x[7:1000:2], x.reshape(40, 50)[:, 3]):
        assert_same_bits(hetc.sort()(view), view[order(view, reverse=False)])


def half(x: Any) -> Any:
    return x // 2


def digits(x: Any) -> Any:
    return x % 7, -x, x % 3


def mixed(x: Any) -> Any:
    return x % 2 == 0, x * 0.5


@pytest.mark.parametrize("reverse", [False, True])
def test_lists_by_keys(always: Device, reverse: bool):
    """The very objects come back, in the order that Python has."""
    for size in SIZES[:-1]:
        ints = [int(x) + (1 << 40) for x in numbers("int16", size)]
        floats = [float(x) for x in np.nan_to_num(numbers("float64", size))]
        for xs in (ints, floats, tuple(ints), range(size, 0, -1)):
            assert list(hetc.sort(reverse=reverse)(xs)) == sorted(xs, reverse=reverse)
            assert type(hetc.sort(reverse=reverse)(xs)) is (tuple if isinstance(xs, tuple) else list)
            expected = sorted(range(size), key=xs.__getitem__, reverse=reverse)
            assert list(hetc.argsort(reverse=reverse)(xs)) == expected
        for key in (half, digits, mixed):
            found = hetc.sort(key=key, reverse=reverse)(ints)
            assert [id(x) for x in found] == [id(x) for x in sorted(ints, key=key, reverse=reverse)]


@pytest.mark.parametrize("reverse", [False, True])
def test_several_inputs(always: Device, reverse: bool):
    for size in (2, 7, 300):
        a, b = numbers("int8", size) % 5, np.nan_to_num(numbers("float32", size))
        pairs = list(zip(a.tolist(), b.tolist(), strict=True))
        assert hetc.sort(reverse=reverse)(a.tolist(), b.tolist()) == sorted(pairs, reverse=reverse)
        found = hetc.sort(reverse=reverse)(a, b)
        assert list(zip(*(part.tolist() for part in found), strict=True)) == sorted(pairs, reverse=reverse)
        found = hetc.sort(key=lambda p, q: q, reverse=reverse)(a, b)
        expected = sorted(pairs, key=lambda pair: pair[1], reverse=reverse)
        assert list(zip(*(part.tolist() for part in found), strict=True)) == expected
        text = [str(number) for number in b]
        found = hetc.sort(key=lambda p, q: p, reverse=reverse)(a.tolist(), b.tolist())
        assert found == sorted(pairs, key=lambda pair: pair[0], reverse=reverse)
        assert hetc.sort(key=lambda k: k)(list(range(size))) == list(range(len(text)))


def test_in_compositions(always: Device):
    x = numbers("int32", 1000) % 100
    squares = hetc.map(lambda v: v * v).filter(lambda v: v % 3 == 0)
    expected = np.sort(squares(x), kind="stable")
    assert_same_bits(squares.sort()(x), expected)
    assert_same_bits(squares.sort().map(lambda v: v + 1)(x), expected + 1)
    assert squares.sort().reduce(lambda p, q: p + q, 0)(x) == expected.sum()
    assert squares.sort(reverse=True).gather([0, 1])(x).tolist() == expected[::-1][:2].tolist()
    assert hetc.iterate(hetc.map(lambda v: v + 1).sort(reverse=True), times=3)(x).tolist() == sorted(
        (v + 3 for v in x.tolist()), reverse=True
    )
    a, b = x, np.arange(1000.0)
    firsts = hetc.zip().sort(key=lambda p: -p[1]).map(lambda p: p[0])
    assert_same_bits(firsts(a, b), a[::-1])
    assert firsts(a.tolist(), b.tolist()) == a[::-1].tolist()
    apart = hetc.filter(lambda p, q: p % 2 == 0).sort(key=lambda p, q: -q).map(lambda p, q: p + q)
    kept = [(p, q) for p, q in zip(a.tolist(), b.tolist(), strict=True) if p % 2 == 0]
    assert apart(a.tolist(), b.tolist()) == [p + q for p, q in reversed(kept)]
    assert apart(a, b).tolist() == [p + q for p, q in reversed(kept)]


def test_rows_by_a_key(always: Device):
    matrix = numbers("int16", 300).reshape(100, 3)
    found = hetc.sort(key=lambda row: row[1])(matrix)
    assert_same_bits(found, matrix[np.argsort(matrix[:, 1], kind="stable")])


def test_portable_arrays_stay(always: Device):
    x = numbers("float32", 3000)
    found = hetc.sort()(hetc.array(x))
    assert isinstance(found, hetc.Array)
    assert_same_bits(np.asarray(found), x[order(x, reverse=False)])
    pairs = hetc.sort(key=lambda p: p[1])(hetc.array(list(zip(range(50), range(50, 0, -1), strict=True))))
    assert [tuple(pair) for pair in pairs.elements()][:2] == [(49, 1), (48, 2)]


class Point:
    def __init__(self, x: int) -> None:
        self.x = x


def test_objects_keep_their_identity(always: Device):
    points = [Point(k * 7919 % 101) for k in range(300)]
    assert hetc.sort(key=lambda p: p.x)(points) == sorted(points, key=lambda p: p.x)


# --- What Python sorts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reverse", [False, True])
def test_nan_in_lists_is_left_to_python(always: Device, reverse: bool):
    """It hangs on the comparisons that `sorted` makes. In tuples, too."""
    nan = float("nan")
    xs = [3.0, nan, 1.0, 2.0, nan, 0.5]
    with hetc.profile() as p:
        assert str(hetc.sort(reverse=reverse)(xs)) == str(sorted(xs, reverse=reverse))
        pairs = [(1, x) for x in xs]
        assert str(hetc.sort(reverse=reverse)(pairs)) == str(sorted(pairs, reverse=reverse))
    assert (p.deopts, p.fallbacks) == (2, 0)


def test_what_is_no_number_is_left_to_python(device: Device):
    with hetc.configure(device=device, offload="always", fallback="silent"), hetc.profile() as p:
        assert hetc.sort()(["b", "a"]) == ["a", "b"]
        assert hetc.sort()([2**53 + 1, 2.0**53, 2**53]) == sorted([2**53 + 1, 2.0**53, 2**53])
        assert hetc.sort(key=lambda x: 2**53 + 1 if x else 2.0**53)([1, 0, 1]) == [0, 1, 1]
        assert hetc.sort()([2**70, 1]) == [1, 2**70]
        assert hetc.sort(key=lambda x: x << 62)([5, 1, 3]) == [1, 3, 5]
        z = np.array([2 + 1j, 1 - 1j, 1 - 2j])
        assert_same_bits(hetc.sort()(z).real, np.sort(z).real)
    assert p.fallbacks >= 4


def test_what_keys_and_comparisons_raise(device: Device):
    with hetc.configure(device=device, offload="always", fallback="silent"):
        with pytest.raises(ZeroDivisionError):
            hetc.sort(key=lambda x: 6 // x)([3, 0, 1])
        with pytest.raises(TypeError, match="not supported between"):
            hetc.sort()([1, None])
        with pytest.raises(ValueError, match="ambiguous"):
            hetc.sort()(np.ones((2, 2)))
        with pytest.raises(hetc.InputError, match="different lengths"):
            hetc.sort()([1, 2], [1])
    with pytest.raises(TypeError, match="takes a function"):
        hetc.sort(key=3)  # pyright: ignore[reportArgumentType]


# --- Where, and how ---------------------------------------------------------------------------------------------------


def passes_of(device: Device, sort: Callable[..., Any], x: Any) -> int:
    with hetc.configure(device=device, offload="always", fallback="error"):
        sort(x)
        with hetc.profile() as p:
            sort(x)
    return sum(event.kind is Kind.KERNEL and event.name.endswith("_place") for event in p.events)


def test_digits_that_all_have_are_left_out(device: Device):
    """Numbers of a small range take few passes, whatever their type; equal ones none."""
    x = np.arange(1000)
    for one in (device, discrete(device)):
        bits = 4 if one.traits.family == "gpu" else 8
        assert passes_of(one, hetc.sort(), x % 200 - 100) == 8 // bits
        assert passes_of(one, hetc.sort(), x % 7 + (1 << 60)) == 1
        assert passes_of(one, hetc.sort(), x) == -(-10 // bits)
        assert passes_of(one, hetc.sort(), np.full(1000, 3)) == 0
        assert passes_of(one, hetc.sort(), x.astype(np.float32)) == 32 // bits


def test_explained(device: Device):
    x = np.arange(10.0)
    with hetc.configure(device=device, offload="always"):
        text = str(hetc.sort().explain(x))
        assert "runs on the device" in text
        assert "digits of float64" in text
        assert "key" in str(hetc.map(abs).sort(key=lambda v: v % 3).explain(x))
    with hetc.configure(device=device, offload="auto"):
        assert "Python takes about" in str(hetc.argsort().explain(x))
    assert "in Python" in str(hetc.sort().explain(np.ma.array([2, 1])))
    with pytest.raises(hetc.UnsupportedError, match="in parts"):
        hetc.sort().lower(x)


def test_auto_measures(device: Device):
    """Little is sorted in Python; a sort that would take long there goes to the device."""
    sort = hetc.sort(key=lambda number: number)  # no other test has measured it
    small, large = np.arange(100.0, dtype=np.float32)[::-1], numbers("float32", 400_000)
    with hetc.configure(device=device, offload="auto", threshold=0.0), hetc.profile() as p:
        assert_same_bits(sort(small.copy()), np.sort(small))
        assert p.launches == 0
        assert p.in_python == 1
        assert_same_bits(sort(large), large[order(large, reverse=False)])
        assert p.launches > 0


def test_missing_values_by_choice(device: Device):
    with hetc.configure(device=device, offload="always", fallback="silent"):
        x = np.array([2.0, 1.0])
        assert hetc.sort().options(missing="nan")(x).tolist() == [1.0, 2.0]

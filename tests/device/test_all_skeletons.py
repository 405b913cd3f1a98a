"""Every skeleton against NumPy or plain Python: all sizes, all dtypes, odd shapes, operators that do not commute.

One table says for each skeleton how to call it and what NumPy has for it. The tests of single skeletons go further into
each; here none is left out.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device, list_devices
from tests.device.conftest import DTYPES, SIZES

LARGE = 10_000_019
PRIME = 1009


def add(p: Any, q: Any) -> Any:
    return p + q


def larger(p: Any, q: Any) -> Any:
    return max(p, q)


def compose(p: Any, q: Any) -> Any:
    """x * q after x * p, as x * a + b modulo a prime: associative, not commutative."""
    return p[0] * q[0] % PRIME, (p[1] * q[0] + q[1]) % PRIME


def last(p: Any, q: Any) -> Any:
    return q


def indices(size: int) -> Any:
    """As many numbers of elements, all over them, half of them from the end."""
    return (np.arange(size) * 7919 % (2 * size) - size) if size else np.arange(0)


def permutation(size: int) -> Any:
    return np.random.default_rng(size).permutation(size)


@dataclass(frozen=True)
class Case:
    """A skeleton: the array function for so many elements, and its result by NumPy, which is to be the same."""

    make: Callable[[int], hetc.ArrayFunction]
    expected: Callable[[Any], Any]
    empty: bool = True
    kinds: str = "biuf"


def scattered(x: Any) -> Any:
    found = np.zeros(len(x) or 1, x.dtype)
    found[permutation(len(x))] = x
    return found


def by_key(x: Any) -> Any:
    keys, found = np.arange(len(x)) % 5, np.zeros(5, x.dtype)
    for key in range(min(5, len(x))):
        found[key] = x[keys == key][-1]
    return found


CASES = {
    "map": Case(lambda n: hetc.map(lambda x: x), lambda x: x),
    "map to another type": Case(lambda n: hetc.map(lambda x: x != 0), lambda x: x != 0),
    "filter": Case(lambda n: hetc.filter(lambda x: x > 1), lambda x: x[x > 1]),
    "reduce": Case(lambda n: hetc.reduce(larger), lambda x: x.max(), empty=False),
    "any": Case(lambda n: hetc.any(lambda x: x > 100), lambda x: bool((x > 100).any())),
    "all": Case(lambda n: hetc.all(lambda x: x < 100), lambda x: bool((x < 100).all())),
    "argmin": Case(lambda n: hetc.argmin(), lambda x: int(x.argmin()), empty=False),
    "argmax": Case(lambda n: hetc.argmax(), lambda x: int(x.argmax()), empty=False),
    "scan": Case(lambda n: hetc.scan(larger), np.maximum.accumulate),
    "scan with an initial value": Case(
        lambda n: hetc.scan(lambda p, q: p + q, np.int64(3), exclusive=True),
        lambda x: np.concatenate([[3], 3 + np.cumsum(x)])[:-1].astype(np.int64),
        kinds="i8",
    ),
    "gather": Case(lambda n: hetc.gather(indices(n)), lambda x: x[indices(len(x))]),
    "scatter": Case(lambda n: hetc.scatter(permutation(n), max(n, 1)), scattered, empty=False),
    "scatter that combines": Case(lambda n: hetc.scatter(np.arange(n) % 5, 5, last), by_key, empty=False),
    "stencil": Case(
        lambda n: hetc.stencil(lambda w: max(w[-1], w[1]), 1, "wrap"),
        lambda x: np.maximum(np.roll(x, 1), np.roll(x, -1)),
    ),
    "iterate": Case(lambda n: hetc.iterate(hetc.map(lambda x: x * x), 3), lambda x: x.astype(x.dtype) ** 8, kinds="ui"),
    "sort": Case(lambda n: hetc.sort(), lambda x: np.sort(x, kind="stable")),
    "argsort": Case(lambda n: hetc.argsort(), lambda x: np.argsort(x, kind="stable")),
    "histogram": Case(lambda n: hetc.histogram(128), lambda x: np.bincount(x % 128, minlength=128), kinds="u"),
}


def numbers(dtype: str, size: int) -> Any:
    """Numbers between 0 and 100, exact in all types."""
    found = np.random.default_rng(size).integers(0, 100, size)
    return (found > 50) if dtype == "bool" else found.astype(dtype)


def fits(case: Case, dtype: str) -> bool:
    kind = np.dtype(dtype)
    return dtype == "int64" if case.kinds == "i8" else kind.kind in case.kinds


def same(found: Any, expected: Any) -> None:
    """The same value, and of arrays the same dtype."""
    if isinstance(expected, np.ndarray):
        assert isinstance(found, np.ndarray)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
    else:
        assert found == expected


@pytest.fixture
def always(device: Device) -> Any:
    with hetc.configure(device=device, offload="always", fallback="error"), np.errstate(all="ignore"):
        yield device


@pytest.mark.parametrize("name", CASES)
def test_all_sizes(always: Device, name: str):
    case = CASES[name]
    dtype = next(dtype for dtype in ("float32", "int64", "uint8") if fits(case, dtype))
    for size in SIZES if case.empty else SIZES[1:]:
        x = numbers(dtype, size)
        same(case.make(size)(x), case.expected(x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_all_dtypes(always: Device, dtype: str):
    for case in CASES.values():
        if fits(case, dtype):
            x = numbers(dtype, 257)
            same(case.make(257)(x), case.expected(x))


@pytest.mark.parametrize("shape", [(3, 1, 5), (0, 3), (4, 7), (1, 257)])
def test_odd_shapes(always: Device, shape: tuple[int, ...]):
    x = numbers("float32", int(np.prod(shape))).reshape(shape)
    same(hetc.iterate(hetc.map(lambda v: v + 1), 2)(x), x + 2)
    padded = np.pad(x, 1, "edge") if x.size else x
    middle = tuple(slice(1, -1) for _ in shape[1:])
    if len(shape) == 2:
        found = hetc.stencil(lambda w: w[-1, 0] + w[1, 0])(x)
        same(found, padded[(slice(None, -2), *middle)] + padded[(slice(2, None), *middle)] if x.size else x)
        same(hetc.map(lambda row: row[0] + row[-1])(x), x[:, 0] + x[:, -1])
    else:
        found = hetc.stencil(lambda w: w[-1, 0, 0] + w[1, 0, 0])(x)
        same(found, padded[(slice(None, -2), *middle)] + padded[(slice(2, None), *middle)])
        same(hetc.map(lambda plane: plane[0][0] + plane[-1][-1])(x), x[:, 0, 0] + x[:, -1, -1])
    portable = hetc.array(x)
    same(np.asarray(portable + portable), x + x)
    assert portable.sum() == x.sum()


def test_operators_that_do_not_commute(always: Device):
    """The order of elements is kept in reductions, scans and scatters."""
    for size in SIZES[1:]:
        pairs = np.arange(size) % 7 + 1, np.arange(size) % 11
        rows = list(zip(*(part.tolist() for part in pairs), strict=True))
        assert hetc.zip().reduce(compose, (1, 0))(*pairs) == functools.reduce(compose, rows, (1, 0))
        found = hetc.zip().scan(compose)(*pairs)
        assert list(zip(*(part.tolist() for part in found), strict=True)) == list(itertools.accumulate(rows, compose))
        keys, items = np.arange(size) % 3, [(1, 0)] * 3
        for key, row in zip(keys.tolist(), rows, strict=True):
            items[key] = compose(items[key], row)
        found = hetc.scatter(keys, 3, compose, (1, 0))(rows)
        assert found == items


def test_integers_follow_numpy(always: Device):
    """Elements wrap as NumPy's scalars do; the sum of an array is NumPy's, in 64 bits."""
    x = np.full(257, 2**30, np.int32)
    found = hetc.reduce(add, np.int32(0))(x)
    assert (type(found), int(found)) == (np.int32, int(np.add.reduce(x, dtype=np.int32)))
    total = hetc.array(x).sum()
    assert (total.dtype, int(total)) == (np.sum(x).dtype, int(np.sum(x)))


def test_the_same_bits_each_time(always: Device):
    for size in (257, 65_537):
        x = np.random.default_rng(size).standard_normal(size).astype(np.float32)
        keys = np.arange(size) % 7
        for af in (
            hetc.reduce(add, np.float32(0)), hetc.scan(add), hetc.reduce_by_key(add, np.float32(0), keys, 7),
            hetc.map(lambda v: v * v).reduce(add), hetc.sort(),
            hetc.filter(lambda v: v > 0).reduce(add, np.float32(0)),
        ):  # fmt: skip
            assert np.asarray(af(x)).tobytes() == np.asarray(af(x)).tobytes()


FIRST = list_devices()[:1]


@pytest.mark.skipif(not FIRST, reason="there is no OpenCL device")
def test_many_elements():
    """On the first device, which is the fastest."""
    with hetc.configure(device=FIRST[0], offload="always", fallback="error"):
        ones = np.ones(1 << 25, np.float32)
        assert hetc.reduce(add, np.float32(0))(ones) == 33554432
        x = numbers("float32", LARGE)
        for name in ("map", "filter", "reduce", "argmax", "scan", "gather", "scatter", "stencil", "sort", "argsort"):
            same(CASES[name].make(LARGE)(x), CASES[name].expected(x))
        same(hetc.histogram(128)(x.astype(np.uint8)), np.bincount(x.astype(np.uint8), minlength=128))

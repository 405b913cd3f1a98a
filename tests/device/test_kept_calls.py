"""Array functions, and functions with loops, that are called with arrays that stay on the device: what moves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.conftest import assert_same
from tests.device.test_transfers import FLAGS, bytes_of

pytestmark = pytest.mark.usefixtures("kernels_of_gpus_unoptimized")

square = hetc.map(lambda x: x * x)
plus = hetc.map(lambda x, y: x + y)
total = hetc.reduce(lambda p, q: p + q, 0)
running = hetc.scan(lambda p, q: p + q)
positive = hetc.filter(lambda x: x > 0)
mean = hetc.stencil(lambda w: 0.5 * (w[-1] + w[1]))
blur = hetc.stencil(lambda w: 0.25 * (w[-1, 0] + w[1, 0] + w[0, -1] + w[0, 1]))
places = hetc.map(lambda x, y: (x - y, x + y))
largest = hetc.argmax()
rounds_of = hetc.iterate(hetc.stencil(lambda w: 0.5 * (w[-1] + w[1])), times=3)


def chain(x: Any) -> Any:
    y = square(x)
    y = plus(y, x)
    y = running(y)
    z = mean(y)
    return float(total(plus(z, y)))


def rounds(x: Any, n: int) -> Any:
    for _ in range(n):
        x = mean(x)
    return x


def kept(x: Any) -> Any:
    y = positive(x)
    s = total(y)
    return y, s, len(y)


def in_two_dimensions(image: Any, n: int) -> Any:
    for _ in range(n):
        image = blur(image)
        for i in hetc.forall(len(image)):
            image[i, 0] = i
    return image


def mixed(x: Any, rounds: int) -> Any:
    y = np.empty_like(x)
    for _ in range(rounds):
        for i in hetc.forall(len(x)):
            y[i] = 2 * x[i] + 1
        x = plus(square(y), y)
        if total(x) > 1e9:
            x = hetc.map(lambda v: v / 1e9)(x)
    return x


def made_here(x: Any) -> Any:
    norm = hetc.map(lambda v: v * v).reduce(lambda p, q: p + q, 0)
    y = square(x)
    return norm(y) + norm(x)


@pytest.mark.parametrize("size", [1, 257])
@pytest.mark.parametrize(
    ("function", "rest", "results"),
    [(chain, (), 0), (rounds, (5,), 1), (mixed, (4,), 1), (made_here, (), 0)],
)
def test_arrays_stay_between_calls(gpu: Device, function: Any, rest: Any, results: int, size: int) -> None:
    """The input goes there once, the result comes back once; numbers that reductions give are beside it."""
    x = np.random.default_rng(1).integers(0, 5, size) * 1.0
    expected = function(x.copy(), *rest)
    found, p = called(gpu, function, x.copy(), *rest)
    assert_same(found, expected, 2, 0.0)
    assert p.bytes_h2d == x.nbytes
    assert results * x.nbytes <= p.bytes_d2h <= results * x.nbytes + FLAGS * p.launches
    off, q = called(gpu, function, x.copy(), *rest, transfer_elimination=False)
    assert_same(off, expected, 2, 0.0)
    assert q.bytes_h2d > p.bytes_h2d


def called(device: Device, function: Any, *arguments: Any, **options: Any) -> tuple[Any, Any]:
    """What a call gives on a device, and what it moves."""
    jitted = function if isinstance(function, hetc.jit_function.JitFunction) else hetc.jit(function)
    with hetc.configure(device=device, offload="always", fallback="error", **options), hetc.profile() as p:
        found = jitted(*arguments)
    return found, p


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.complex128])
def test_results_are_those_of_numpy_arrays(gpu: Device, dtype: Any) -> None:
    """Of any dtype, of two dimensions, of a filter that keeps nothing, and where a function gives tuples."""
    x = np.arange(-3, 254).astype(dtype)
    image = np.arange(35).reshape(5, 7).astype(dtype)

    def several(x: Any, image: Any) -> Any:
        y = square(x)
        z = running(y)
        pair = places(z, y)
        empty = hetc.filter(lambda v: v != v)(x)
        return y, z, pair, empty, total(y), largest(x) if dtype is not np.complex128 else 0

    if dtype is np.complex128:
        x, image = x[:9] * 1j, image[:1]
    for function, arguments in ((several, (x, image)), (kept, (x,))):
        if function is kept and dtype is np.complex128:
            continue
        with np.errstate(all="ignore"):
            expected = function(*arguments)
            found, _ = called(gpu, function, *arguments)
        assert_same(found, expected, 2, 0.0)


def test_grids_stay(gpu: Device) -> None:
    image = np.random.default_rng(2).normal(size=(17, 33))
    expected = in_two_dimensions(image.copy(), 4)
    found, p = called(gpu, in_two_dimensions, image.copy(), 4)
    assert_same(found, expected, 2, 0.0)
    assert p.bytes_h2d == image.nbytes
    assert p.bytes_d2h <= image.nbytes + FLAGS * p.launches
    assert_same(called(gpu, hetc.jit(lambda_free), image[0])[0], lambda_free(image[0]), 2, 0.0)


def lambda_free(x: Any) -> Any:
    y = rounds_of(x)
    return square(y)


@hetc.jit
def step(x: Any, y: Any) -> None:
    for i in hetc.prange(1, len(x) - 1):
        y[i] = 0.5 * (x[i - 1] + x[i + 1])


@hetc.jit
def fresh(x: Any) -> Any:
    y = np.empty_like(x)
    for i in hetc.forall(len(x)):
        y[i] = x[i] + 1
    return y


def stepping(x: Any, y: Any, n: int) -> Any:
    for _ in range(n):
        step(x, y)
        x, y = y, x
    z = fresh(x)
    return square(z)


def looking(x: Any, y: Any, n: int) -> Any:
    s = 0.0
    for _ in range(n):
        step(x, y)
        s += y[1]
        y[1] = s
        step(y, x)
    return s, fresh(x)[1] + x[1]


def test_functions_with_loops_call_each_other(gpu: Device) -> None:
    """Each input moves once, what is made in between not at all."""
    x, y = np.linspace(0, 9, 257), np.zeros(257)
    arguments, expected = (x.copy(), y.copy(), 6), (x.copy(), y.copy(), 6)
    found, p = called(gpu, stepping, *arguments)
    with hetc.configure(offload="never"):
        assert_same((found, arguments), (stepping(*expected), expected), 0, 0.0)
    assert p.bytes_h2d == bytes_of(x, y)
    assert p.bytes_d2h <= bytes_of(x, x, y) + FLAGS * p.launches
    arguments, expected = (x.copy(), y.copy(), 3), (x.copy(), y.copy(), 3)
    found, _ = called(gpu, looking, *arguments)
    with hetc.configure(offload="never"):
        assert_same((found, arguments), (looking(*expected), expected), 0, 0.0)


TABLE = np.arange(300.0)
taken = hetc.map(lambda i: TABLE[i])
told = hetc.map(lambda x: x * 2 if x < 250 else int(str(x)[:2]))


def changing(table: Any, places: Any) -> Any:
    for i in hetc.forall(len(table)):
        table[i] += 1
    y = taken(places)
    table[0] = 7
    return plus(y, taken(places))


def test_what_a_function_captures_is_read_on_the_host(gpu: Device) -> None:
    """Also if the device has written it since."""
    before, where = TABLE.copy(), np.arange(257) % 5
    expected = changing(TABLE, where)
    TABLE[:] = before
    found, _ = called(gpu, changing, TABLE, where)
    TABLE[:] = before
    assert_same(found, expected, 0, 0.0)


def leaving(x: Any) -> Any:
    y = square(x)
    y = told(y)
    z = square(y)
    return z, y, x


def raising(x: Any) -> Any:
    y = square(x)
    return hetc.map(lambda v: math.sqrt(v - 2))(y)


def test_what_python_runs_is_as_ever(gpu: Device) -> None:
    """Elements for which a guard fails, exceptions, and functions that are not compiled."""
    x = np.arange(20)
    with hetc.configure(fallback="silent"):
        jitted = hetc.jit(leaving)
        with hetc.configure(device=gpu, offload="always"):
            for _ in range(3):
                assert_same(jitted(x), leaving(x), 0, 0.0)
    with hetc.configure(device=gpu, offload="always"), pytest.raises(ValueError, match="math domain error"):
        hetc.jit(raising)(np.array([3.0, 1.0, 2.0]))
    with hetc.configure(device=gpu, offload="auto", threshold=0.0):
        values = np.linspace(0, 1, 257)
        assert_same(hetc.jit(chain)(values), chain(values), 2, 0.0)


def test_explain_says_what_calls_copy(gpu: Device) -> None:
    with hetc.configure(device=gpu, offload="always"):
        text = " ".join(str(hetc.jit(chain).explain(np.arange(7.0))).split())
    line = chain.__code__.co_firstlineno + 2
    assert f"line {line}, call of plus: x not copied to the device: the device has a right copy" in text

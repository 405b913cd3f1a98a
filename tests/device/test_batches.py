"""Calls in batches give what calls give, whatever is cut where."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from hetc.runtime.executor import Executable
from tests.device.conftest import assert_same
from tests.oracle import in_cpython

pytestmark = pytest.mark.usefixtures("kernels_of_gpus_unoptimized")

SIZES = (0, 1, 7, 255, 257, 10_007)
SMALL = "3kB"
"""What a batch of the tests takes: so many bytes hold some dozens of elements."""


@pytest.fixture
def check(target: Device) -> Callable[..., hetc.Profile]:
    """`check(af, *inputs)`: in batches, an array function gives what it and CPython give, and is compiled."""

    def call(
        af: hetc.ArrayFunction, *inputs: Any, size: str | int = SMALL, queues: int = 2, rtol: float = 0.0,
        batches: bool = True, deopts: int = 0,
    ) -> hetc.Profile:  # fmt: skip
        with hetc.configure(offload="always"):
            expected = af(*inputs)
            with hetc.profile() as p:
                found = af.batched(size, queues)(*inputs)
        if isinstance(found, hetc.Array):
            assert isinstance(expected, hetc.Array)
            found, expected = np.asarray(found), np.asarray(expected)
        assert_same(found, expected, 0, rtol)
        if len(inputs[0]) and np.size(found) and not isinstance(found, np.ma.MaskedArray):
            assert_same(found, in_cpython(af, inputs), 0, rtol)
        assert p.deopts == deopts
        assert not batches or p.batches > 1
        return p

    return call


perform = Executable.perform


@pytest.fixture(autouse=True)
def told_again() -> None:
    """Each test is told what others have been told before."""
    hetc.api.dispatcher().warned.clear()


# --------------------------------------------------------------------------------------------------------------------
# Maps
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("queues", [1, 2, 3])
@pytest.mark.parametrize("size", SIZES)
def test_a_map_of_any_length(check: Callable[..., hetc.Profile], size: int, queues: int) -> None:
    x, y = np.linspace(-1, 1, size, dtype=np.float32), np.linspace(5, 7, size)
    p = check(hetc.map(lambda a, b: 2.5 * a + b), x, y, queues=queues, batches=size > 1000)
    assert size == 0 or p.batches >= 1


def test_new_programs_with_new_memory_on_several_queues(target: Device) -> None:
    x = np.arange(3000.0)
    functions = (
        lambda a: a + 1, lambda a: a - 2, lambda a: a * 3, lambda a: a / 4, lambda a: a**2, lambda a: -a,
        abs, lambda a: a + a, lambda a: 1 - a, lambda a: a < 7, lambda a: a % 9, lambda a: max(a, 8.0),
    )  # fmt: skip
    for function in functions:
        with hetc.configure(offload="always"):
            found = hetc.map(function).batched(SMALL, queues=3)(x)
        np.testing.assert_array_equal(found, [function(a) for a in x.tolist()])
        target.free_held()


def test_queues_share_no_pool(target: Device) -> None:
    first, second = target.on_queue(1), target.on_queue(2)
    assert len({id(each.pool) for each in (target, first, second, target.on_queue(1))}) == 3
    assert len({each.queue.int_ptr for each in (target, first, second)}) == 3
    assert first.shared_memory == target.shared_memory
    target.free_held()
    buffer = first.pool.allocate(1000)
    del buffer
    assert first.pool.held_blocks == 1
    target.free_lanes()  # what is the host's memory; a device's own is kept for the next call in batches
    assert first.pool.held_blocks == (0 if target.shared_memory else 1)
    target.free_held()
    assert first.pool.held_blocks == 0


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
)
def test_elements_of_one_to_sixteen_bytes(check: Callable[..., hetc.Profile], dtype: str) -> None:
    x = np.arange(2000).astype(dtype)
    check(hetc.map(lambda a: a), x, batches=False)
    check(hetc.map(lambda a, b: (a, b + 1)), x, np.arange(2000.0))


def spread(x: Any) -> list[Any]:
    """The numbers of an array in arrays that have them elsewhere in memory."""
    wide = np.zeros((len(x), 3), x.dtype)
    wide[:, 1] = x
    frozen = x.copy()
    frozen.flags.writeable = False
    unaligned = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype)
    unaligned[:] = x
    return [wide[:, 1], x[::-1].copy()[::-1], np.asfortranarray(wide)[:, 1], frozen, unaligned]


@pytest.mark.parametrize("layout", range(5))
def test_arrays_in_any_layout(check: Callable[..., hetc.Profile], layout: int) -> None:
    x = spread(np.arange(1500, dtype=np.int32))[layout]
    check(hetc.map(lambda a, b: a + 2 * b), x, x[::-1])


def test_rows_of_arrays(check: Callable[..., hetc.Profile]) -> None:
    """Arrays of several dimensions are divided by rows, unless the function reads them elsewhere."""
    x, y = np.arange(4000.0).reshape(400, 10), np.arange(400)
    cube = np.arange(4000.0).reshape(100, 8, 5)
    p = check(hetc.map(lambda row: row[0] + row[9]), x, size="8kB")
    assert p.peak_device_memory <= 16 << 10
    check(hetc.map(lambda row, n: row[n % 10] * n), x, y, size="8kB")
    check(hetc.map(lambda row, other: row[1] - other[2]), x, x[::-1], size="16kB")
    check(hetc.map(lambda plane: plane[7, 4] + len(plane)), cube, size="8kB")
    check(hetc.map(lambda row: row[3]).reduce(lambda p, q: p + q, 0.0), x, size="16kB")
    check(hetc.map(lambda row: row[0] + x[399, 9] + len(x)), x, size="16kB")


def test_batches_of_one_element(check: Callable[..., hetc.Profile]) -> None:
    p = check(hetc.map(lambda a: a + 1), np.arange(9), size=40)
    assert p.batches >= 3


def test_many_elements_a_batch(check: Callable[..., hetc.Profile]) -> None:
    """Long batches begin at aligned addresses, and blocks of guards at their beginnings."""
    check(hetc.map(lambda a: a * 3), np.arange(100_003), size="200kB")


def test_a_sequence_goes_on_in_the_next_batch(check: Callable[..., hetc.Profile]) -> None:
    check(hetc.map(lambda i, j: i * 10 + j), range(5, 5 + 3 * 2000, 3), range(2000, 0, -1))
    x = np.arange(2000.0)
    check(hetc.map(lambda a, i: a * i), x, hetc.seq(7, 2, 2000))
    check(hetc.map(lambda a, i: a * i), x, hetc.seq(0.1, 0.3, 2000))
    check(hetc.map(lambda a, b: a + b), x, np.broadcast_to(np.float32(2.5), 2000))
    check(hetc.map(lambda a, b: a + b), x[:1001], np.broadcast_to(np.float32(2.5), 1001), size=200)


def test_captured_arrays_stay_for_all_batches(target: Device) -> None:
    table = np.arange(64.0)
    af = hetc.map(lambda i: table[i % 64] + len(table))
    with hetc.configure(offload="always"), hetc.profile() as p:
        found = af.batched(SMALL)(np.arange(5000))
    np.testing.assert_array_equal(found, table[np.arange(5000) % 64] + 64)
    assert p.batches > 5
    if not target.shared_memory:
        assert p.bytes_h2d == table.nbytes + 5000 * 8


def test_a_captured_array_as_long_as_the_inputs(check: Callable[..., hetc.Profile]) -> None:
    """The length of a batch is not that of the whole, whatever a captured array or number has of it."""
    x = np.arange(3000.0)
    y, n = x * 2, len(x)
    check(hetc.map(lambda i: x[i] + y[n - 1 - i] + len(x)), range(n))
    check(hetc.map(lambda a: a + n + len(y)), x)


def test_lists_and_tuples(check: Callable[..., hetc.Profile]) -> None:
    check(hetc.map(lambda a, b: a * b), list(range(1000)), [0.5 * i for i in range(1000)])
    check(hetc.map(lambda t: (t[0] + t[1], t[1])), [(i, 0.5 * i) for i in range(1000)])
    check(hetc.map(lambda a: a + 1), tuple(range(1000)))
    check(hetc.map(lambda a: None if a is None else a * 2), [None if i % 3 else i for i in range(1000)])
    check(hetc.map(lambda a: a if a > 500 else None), np.arange(1000.0))


def test_masked_arrays(check: Callable[..., hetc.Profile]) -> None:
    x = np.ma.masked_array(np.arange(1000.0), np.arange(1000) % 7 == 0)
    check(hetc.map(lambda a: None if a is None else a + 1), x)


def test_structured_arrays(check: Callable[..., hetc.Profile]) -> None:
    x = np.zeros(1000, [("a", "f4"), ("b", "i8")])
    x["a"], x["b"] = np.arange(1000), np.arange(1000) * 3
    check(hetc.map(lambda e: e["a"] + e["b"]), x)


@dataclass
class Point:
    x: float
    y: int


class Pair(NamedTuple):
    low: float
    high: float


def test_objects(check: Callable[..., hetc.Profile]) -> None:
    points = [Point(0.5 * i, i) for i in range(1000)]
    holes = [None if i % 5 == 0 else p for i, p in enumerate(points)]
    mixed = [Pair(i, 2.0) if i % 3 else p for i, p in enumerate(points)]
    check(hetc.map(lambda p: p.x * p.y), points)
    check(hetc.map(lambda p: -1.0 if p is None else p.x), holes)
    check(hetc.map(lambda p: p.x if isinstance(p, Point) else p.low), mixed)
    check(hetc.map(lambda p: Point(p.x + 1, p.y)), points)


def test_portable_arrays(target: Device) -> None:
    x = hetc.array(np.arange(3000.0))
    with hetc.configure(offload="always"), hetc.profile() as p:
        found = hetc.map(lambda a: a + 1).batched(SMALL)(x)
    assert isinstance(found, hetc.Array)
    np.testing.assert_array_equal(np.asarray(found), np.arange(1, 3001.0))
    assert p.batches > 3


def test_files_in_memory(check: Callable[..., hetc.Profile], tmp_path: Path) -> None:
    x = np.memmap(tmp_path / "numbers", np.float32, "w+", shape=(5000,))
    x[:] = np.arange(5000)
    read = np.memmap(tmp_path / "numbers", np.float32, "r")
    check(hetc.map(lambda a: a * 2).reduce(lambda p, q: p + q, np.float32(0)), read, rtol=1e-5)
    check(hetc.map(lambda a, i: a + i), read, range(5000))


# --------------------------------------------------------------------------------------------------------------------
# What goes back to Python
# --------------------------------------------------------------------------------------------------------------------


def test_elements_of_some_batches_go_back_to_python(check: Callable[..., hetc.Profile]) -> None:
    x = [3**39 if i in (5, 700, 999) else i for i in range(1000)]
    check(hetc.map(lambda a: a * 10), x, deopts=1)


@pytest.mark.parametrize("place", [0, 500, 999])
def test_an_exception_is_that_of_the_first_element(target: Device, place: int) -> None:
    x = [i if i < place else 0 for i in range(1, 1001)]
    with hetc.configure(offload="always"), pytest.raises(ZeroDivisionError):
        hetc.map(lambda a: 1 // a).batched(SMALL)(x)


def test_warnings_of_numpy(target: Device) -> None:
    x = np.arange(-1000.0, 1000.0)
    with hetc.configure(offload="always"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = hetc.map(np.sqrt).batched(SMALL)(x)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(found, np.sqrt(x))
    assert any("invalid value" in str(warning.message) for warning in told)


def test_a_branch_that_only_a_late_batch_takes(target: Device) -> None:
    """What a sample has not shown makes the call compile again, reductions in all of their programs."""
    x = np.zeros(20_000)
    x[15_001] = 1
    total = hetc.map(lambda a: a if a == 0 else a + 5).reduce(lambda p, q: p + q, 0.0)
    with hetc.configure(offload="always"):
        assert [total.batched("30kB")(x) for _ in range(3)] == [6.0] * 3


# --------------------------------------------------------------------------------------------------------------------
# Reductions, scans, filters
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_reductions(check: Callable[..., hetc.Profile], size: int) -> None:
    many = size > 1000
    x = np.arange(size) % 100
    check(hetc.reduce(lambda p, q: p + q, 5), x, batches=many, size="16kB")
    check(hetc.map(lambda a: a * 0.5).reduce(lambda p, q: p + q, 0.0), x, batches=many, size="16kB")
    check(hetc.reduce(lambda p, q: q if p == 0 else p, 0), x, batches=many, size="16kB")
    if size:
        check(hetc.reduce(max), x[::-1], batches=many, size="16kB")


def test_what_a_reduction_comes_to_keeps_its_type(check: Callable[..., hetc.Profile]) -> None:
    check(hetc.reduce(lambda p, q: p + q, 0), (np.arange(20_000) % 500 // 499).astype(np.uint8), size="12kB")
    check(hetc.reduce(lambda p, q: p + q, np.int64(0)), (np.arange(20_000) % 500 // 499).astype(np.uint8), size="12kB")
    check(hetc.reduce(lambda p, q: p + q, 0), list(range(10_000)), size="16kB")
    check(hetc.reduce(lambda p, q: p or q, False), [False] * 29_999 + [True], size="12kB")
    check(hetc.map(lambda a: a * 1j).reduce(lambda p, q: p + q, 0j), [1.0] * 10_000, size="32kB")


def test_reductions_to_tuples(check: Callable[..., hetc.Profile]) -> None:
    x = (np.arange(20_000) * 7919) % 10_007
    pairs = hetc.map(lambda a: (a, a)).reduce(lambda p, q: (min(p[0], q[0]), max(p[1], q[1])))
    check(pairs, x, size="32kB")


def test_places_and_quantifiers(check: Callable[..., hetc.Profile]) -> None:
    x = np.abs(np.arange(20_000) - 17_003)
    check(hetc.argmin(), x, size="64kB")
    check(hetc.argmax(), x, size="64kB")
    check(hetc.map(lambda a: -a).argmax(), x, size="64kB")
    check(hetc.any(lambda a: a == 3), x, size="64kB")
    check(hetc.all(lambda a: a >= 0), x, size="64kB")


@pytest.mark.parametrize("size", SIZES)
def test_scans(check: Callable[..., hetc.Profile], size: int) -> None:
    many = size > 1000
    x = np.arange(size)
    check(hetc.scan(lambda p, q: p + q), x, batches=many, size="16kB")
    check(hetc.map(lambda a: a % 17).scan(max, 3), x.tolist(), batches=many, size="16kB")
    check(hetc.map(lambda a: (a, 1)).scan(lambda p, q: (p[0] + q[0], p[1] + q[1])), x, batches=many, size="32kB")


@pytest.mark.parametrize("size", SIZES)
def test_filters(check: Callable[..., hetc.Profile], size: int) -> None:
    many = size > 1000
    x = np.arange(size)
    check(hetc.filter(lambda a: a % 3 == 0), x, batches=many, size="16kB")
    check(hetc.filter(lambda a: a > 9000).map(lambda a: a * 2), x, batches=many, size="16kB")
    check(hetc.filter(lambda a, b: a > b), x, x[::-1].copy(), batches=many, size="32kB")
    check(hetc.filter(lambda a: False), x, batches=many, size="16kB")
    check(hetc.filter(lambda a: a % 2 == 0).reduce(lambda p, q: p + q, 0), x, batches=many, size="16kB")


def test_a_filter_keeps_the_very_objects(target: Device) -> None:
    points = [Point(i, i) for i in range(3000)]
    with hetc.configure(offload="always"), hetc.profile() as p:
        kept = hetc.filter(lambda p: p.y % 1000 == 7).batched("16kB")(points)
    assert [id(point) for point in kept] == [id(points[i]) for i in (7, 1007, 2007)]
    assert p.batches > 1


# --------------------------------------------------------------------------------------------------------------------
# Stencils
# --------------------------------------------------------------------------------------------------------------------


WEIGHTS = np.array([[0, 1, 2], [1, -4, 1], [0, 1, 3]])


def weighted(w: Any) -> Any:
    total = 0.0
    for i in range(-1, 2):
        for j in range(-1, 2):
            total += WEIGHTS[i + 1, j + 1] * w[i, j]
    return total


BOUNDARIES = ["clamp", "wrap", "mirror", "reflect", "constant"]
SHAPES = [(50, 30), (40, 40), (3, 30), (900, 1), (1, 7)]


@pytest.mark.parametrize(
    ("boundary", "shape"),
    [*itertools.product(BOUNDARIES, SHAPES[:1]), *itertools.product(BOUNDARIES[1:3], SHAPES[1:])],
    ids=str,
)
def test_stencils_by_rows(target: Device, shape: tuple[int, int], boundary: str) -> None:
    x = np.arange(math.prod(shape)).reshape(shape) ** 2 % 101 * 0.5
    af = hetc.stencil(weighted, 2, boundary, 7).map(lambda a: a + 1)
    with hetc.configure(offload="always"):
        expected = af(x)
        for value in (x, np.asfortranarray(x)):
            with hetc.profile() as p:
                found = af.batched("8kB", queues=3)(value)
            np.testing.assert_array_equal(found, expected)
            assert p.deopts == p.fallbacks == 0
            assert p.batches > 2 or shape[0] < 9


def test_stencils_of_other_dimensions(target: Device) -> None:
    x = np.arange(3000.0)
    cube = (np.arange(12_000) % 37 * 1.0).reshape(40, 20, 15)
    pair = hetc.stencil(lambda w: (w[-2] + w[2], w[0]), 2)
    middle = hetc.stencil(lambda w: w[-1, 0, 1] + w[1, 1, 0] - w[0, 0, 0])
    with hetc.configure(offload="always"):
        expected = pair(x), middle(cube), middle(hetc.array(cube))
        with hetc.configure(memory_limit="30kB"), hetc.profile() as p:
            found = pair(x), middle(cube), middle(hetc.array(cube))
    assert_same(found[:2], expected[:2], 0, 0.0)
    assert isinstance(found[2], hetc.Array)
    np.testing.assert_array_equal(np.asarray(found[2]), np.asarray(expected[2]))
    assert p.batches > 10
    assert p.peak_device_memory <= 30 << 10


def test_captured_arrays_beside_a_grid(target: Device) -> None:
    """They are whole in each batch, as long as the grid or not, be it the very same array."""
    x = np.arange(1600.0).reshape(40, 40)
    n, line = len(x), np.arange(40.0)
    af = hetc.stencil(lambda w: w[0, 0] + n + x[39, 39] + line[n - 1] + len(line) + len(x))
    with hetc.configure(offload="always"), hetc.profile() as p:
        found = af.batched("8kB")(x)
    np.testing.assert_array_equal(found, x + 40 + 1599 + 39 + 80)
    assert p.batches > 2


def test_what_fails_at_the_margin_of_a_batch_fails_in_none(target: Device) -> None:
    """At the end of a batch, windows see what is not there; at those of the array, only what is there."""
    x = np.arange(1.0, 2001.0).reshape(100, 20)
    af = hetc.stencil(lambda w: 1 // int(w[1, 0] - w[-1, 0]), 1, "constant", -1)
    with hetc.configure(offload="always"), hetc.profile() as p:
        found = af.batched("8kB")(x)
    with hetc.configure(offload="never"):
        np.testing.assert_array_equal(found, af(x))
    assert p.batches > 3
    x[50, 3] = x[52, 3]
    with hetc.configure(offload="always"), pytest.raises(ZeroDivisionError):
        af.batched("8kB")(x)


def test_points_of_some_batches_go_back_to_python(target: Device) -> None:
    x = np.arange(4000, dtype=np.int64).reshape(100, 40)
    af = hetc.stencil(lambda w: int(w[0, 0]) ** 6 + int(w[1, 0]))
    with hetc.configure(offload="always"), hetc.profile() as p:
        found = af.batched("16kB")(x)
    with hetc.configure(offload="never"):
        expected = af(x)
    assert found.dtype == expected.dtype
    assert (found == expected).all()
    assert p.deopts >= 1


# --------------------------------------------------------------------------------------------------------------------
# Memory
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", ["64kB", "100kB", "1MB"])
def test_a_limit_of_memory_makes_batches(target: Device, limit: str) -> None:
    x = np.arange(200_000.0)
    programs = [
        hetc.map(lambda a: a * 2),
        hetc.map(lambda a: a * 2).reduce(max, 0.0),
        hetc.scan(max),
        hetc.filter(lambda a: a > 5),
    ]
    for af in programs:
        with hetc.configure(offload="always", memory_limit=limit), hetc.profile() as p:
            found = af(x)
        assert_same(found, in_cpython(af, (x,)), 0, 0.0)
        assert p.batches > 1
        assert p.peak_device_memory <= hetc.settings.bytes_of("", limit)


def test_a_loop_stays_within_the_limit(target: Device) -> None:
    """It has all its arrays at once, or Python runs it."""

    @hetc.jit
    def double(x: Any, y: Any) -> None:
        for i in hetc.forall(len(x)):
            y[i] = 2 * x[i]

    x, y = np.arange(1000.0), np.zeros(1000)
    with hetc.configure(offload="always", memory_limit="64kB"), hetc.profile() as p:
        double(x, y)
    assert y.tolist() == (2 * x).tolist()
    assert p.launches > 0
    told = pytest.warns(hetc.FallbackWarning, match="HETC0033.*a loop has all of its arrays on the device at once")
    with hetc.configure(offload="always", fallback="warn", memory_limit="8kB"), hetc.profile() as p, told:
        double(x + 1, y)
    assert y.tolist() == (2 * (x + 1)).tolist()
    assert p.launches == 0


def test_what_finds_room_runs_at_once(target: Device) -> None:
    x = np.arange(1000.0)
    with hetc.configure(offload="always", memory_limit="1MB"), hetc.profile() as p:
        hetc.map(lambda a: a * 2)(x)
    assert p.batches == 0
    assert 0 < p.peak_device_memory < 1 << 20


def test_no_room_for_one_element(target: Device) -> None:
    table = np.arange(1000.0)
    af = hetc.map(lambda i: table[i])
    with (
        hetc.configure(offload="always", fallback="warn", memory_limit=1000),
        pytest.warns(hetc.FallbackWarning, match=r"HETC0033.*no room on the device.*memory_limit, 1000 B"),
    ):
        assert list(af(range(1000))) == table.tolist()


def test_a_device_that_runs_out_of_memory_gets_less(target: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done stays done; the rest comes in smaller batches; and if there is no memory at all, Python runs."""
    refuse_above(monkeypatch, 1 << 12)
    x = np.arange(100_000.0)
    af = hetc.scan(lambda p, q: p + q)
    with hetc.configure(offload="always", fallback="warn"), hetc.profile() as p:
        with pytest.warns(hetc.FallbackWarning, match="HETC0033.*out of memory"):
            found = af.batched("1MB")(x)
        np.testing.assert_array_equal(found, np.cumsum(x))
        assert p.batches > 100_000 / (1 << 12)


def test_an_undivided_call_that_runs_out_of_memory_is_divided(target: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_above(monkeypatch, 1 << 14)
    x = np.arange(100_000.0)
    af = hetc.map(lambda a: a + 0.5)
    with hetc.configure(offload="always", fallback="warn"), hetc.profile() as p:
        with pytest.warns(hetc.FallbackWarning, match="HETC0033.*out of memory"):
            found = af(x)
        np.testing.assert_array_equal(found, x + 0.5)
        assert p.batches > 1
        refuse_above(monkeypatch, 0)
        with pytest.warns(hetc.FallbackWarning, match="HETC0033.*out of memory"):
            np.testing.assert_array_equal(af(x[:100]), x[:100] + 0.5)


def refuse_above(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Let launches over more elements than this run out of memory."""

    def refuse(self: Executable, call: Any, steps: slice = slice(None)) -> None:
        if any(len(value) > count for value in call.inputs):
            refused = hetc.DeviceError("out of memory")
            refused.out_of_memory = True
            raise refused
        perform(self, call, steps)

    monkeypatch.setattr(Executable, "perform", refuse)


# --------------------------------------------------------------------------------------------------------------------
# Misuse
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", ["256XB", "-1", 0, -5, 1.5, "", True])
def test_sizes_that_there_are_not(size: Any) -> None:
    with pytest.raises(ValueError, match="size is a positive number of bytes"):
        hetc.map(abs).batched(size)


@pytest.mark.parametrize("queues", [0, -1, 1.5, True, "2", None])
def test_numbers_of_queues_that_there_are_not(queues: Any) -> None:
    with pytest.raises(ValueError, match="queues is a number of queues, at least 1"):
        hetc.map(abs).batched(queues=queues)


def test_a_size_that_holds_no_element(target: Device) -> None:
    af, x = hetc.map(lambda a, b: a + b), np.arange(100.0)
    with hetc.configure(offload="always"), pytest.raises(hetc.InputError, match="holds no element") as raised:
        af.batched(8)(x, x)
    assert raised.value.hint is not None
    least = int(raised.value.hint.partition("batched(")[2].rstrip(")"))
    with hetc.configure(offload="always"):
        np.testing.assert_array_equal(af.batched(least)(x, x), x + x)
        with pytest.raises(hetc.InputError):
            af.batched(least - 1)(x, x)


@pytest.mark.parametrize(
    ("af", "reason"),
    [
        (hetc.gather([3, 1]), "a gather may take any"),
        (hetc.histogram(10), "a scatter has one result"),
        (hetc.stencil(lambda w: w[-1] + w[1]).reduce(max, 0), "a stencil is followed by what is no map"),
        (hetc.scan(lambda p, q: p + q, 0, exclusive=True), "an exclusive scan"),
        (hetc.scan(lambda p, q: p + q).map(lambda a: a + 1), "what follows a scan"),
        (hetc.map(lambda a: [a for _ in range(a % 3 + 1)]), "in a heap"),
        (hetc.scan(max, 3), "a batch would go on from"),
    ],
    ids=itertools.count(),
)
def test_what_has_no_batches_runs_at_once_and_says_so(target: Device, af: hetc.ArrayFunction, reason: str) -> None:
    x: Any = np.arange(10) if reason != "in a heap" else list(range(10))
    told = pytest.warns(hetc.FallbackWarning, match=f"HETC0028.*{reason}")
    with hetc.configure(offload="always", fallback="warn"), hetc.profile() as p, told:
        found = af.batched()(x)
    with hetc.configure(offload="never"):
        assert_same(found, af(x), 0, 0.0)
    assert p.batches == p.fallbacks == 0


def test_explain_tells_of_batches(target: Device) -> None:
    x = np.arange(5000.0)
    with hetc.configure(offload="always"):
        text = str(hetc.map(lambda a: a + 1).batched("16kB").explain(x))
        assert "batches of" in text
        assert "asked for" in text
        refused = " ".join(str(hetc.gather([1]).batched("16kB").explain(x)).split())
        assert "the call does not run in batches: a gather may take any of all elements" in refused
    with hetc.configure(offload="always", memory_limit="16kB"):
        text = " ".join(str(hetc.map(lambda a: a + 1).explain(x)).split())
        assert "all at once would take more than memory_limit, 16.0 KiB" in text


def test_several_calls_in_batches_at_once(target: Device) -> None:
    x = np.arange(5000.0)
    total = hetc.reduce(lambda p, q: p + q, 0.0).batched("16kB", queues=3)
    with hetc.configure(offload="always"):
        futures = [total.submit(x + number) for number in range(8)]
        assert [math.isclose(f.result(), x.sum() + n * len(x)) for n, f in enumerate(futures)] == [True] * 8

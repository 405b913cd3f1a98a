"""Parallel loops in ordinary functions: `hetc.jit`, `hetc.forall`, `hetc.prange`."""

from __future__ import annotations

import doctest
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetc
from examples import loops
from hetc.api import dispatcher
from hetc.runtime.devices import Device
from tests.device.conftest import last_place
from tests.device.looping import check_loops, refusal

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "loops.md"
SIZES = (0, 1, 7, 255, 257, 5000)


def saxpy(a: Any, x: Any, y: Any) -> None:
    for i in hetc.forall(len(x)):
        y[i] = a * x[i] + y[i]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint8, np.float16, np.complex64])
def test_saxpy_in_place(device: Device, size: int, dtype: Any):
    check_loops(
        device,
        saxpy,
        lambda: (dtype(3), np.arange(size).astype(dtype), np.linspace(0, 9, size).astype(dtype)),
        fallbacks=None if size == 0 else 0,
    )


def test_the_loop_variable_and_temporaries_keep_their_last_values(device: Device):
    def f(x: Any) -> Any:
        i = t = None
        for i in hetc.forall(len(x)):
            t = x[i] * 2
            x[i] = t
        return i, t

    for size in SIZES:
        check_loops(device, f, lambda n=size: (np.arange(n, dtype=np.float64),), fallbacks=None)


def test_the_loop_variable_of_no_iteration_has_no_value(device: Device):
    def f(x: Any) -> Any:
        for i in hetc.forall(len(x)):
            x[i] = 1
        return i

    check_loops(device, f, lambda: (np.zeros(0),), fallbacks=None)
    assert check_loops(device, f, lambda: (np.zeros(3),)) == 2


def test_two_dimensions(device: Device):
    def f(a: Any, b: Any) -> Any:
        h, w = a.shape
        for i, j in hetc.forall(h, w):
            a[i, j] += 2 * b[j] + i
        return i, j

    for shape in ((1, 1), (3, 7), (16, 17), (257, 3), (2, 300)):
        check_loops(device, f, lambda s=shape: (np.arange(np.prod(s)).reshape(s) * 1.0, np.arange(s[1]) * 1.0))


def test_rows_and_chained_subscripts(device: Device):
    def f(a: Any) -> None:
        for i in hetc.prange(len(a)):
            row = a[i]
            for j in range(row.shape[0]):
                row[j] = a[i][j] * 2 + j

    check_loops(device, f, lambda: (np.arange(35.0).reshape(5, 7),))


def test_prange(device: Device):
    def f(x: Any, start: int, stop: int, step: int) -> Any:
        for i in hetc.prange(start, stop, step):
            x[i] = i * i
        return x

    for bounds in ((0, 1000, 1), (1, 999, 7), (999, -1, -1), (998, 0, -3), (5, 5, 1), (5, 4, 1)):
        check_loops(device, f, lambda b=bounds: (np.zeros(1000, np.int64), *b), fallbacks=None)


def test_stencil_from_one_array_to_another(device: Device):
    def f(x: Any, y: Any) -> None:
        for i in hetc.prange(1, len(x) - 1):
            y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3

    for size in (3, 7, 255, 257):
        check_loops(device, f, lambda n=size: (np.arange(n) ** 2.0, np.zeros(n)))


def test_matrix_product(device: Device):
    def f(a: Any, b: Any, c: Any) -> None:
        for i, j in hetc.forall(a.shape[0], b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total

    rng = np.random.default_rng(1)
    a, b = rng.random((13, 8)), rng.random((8, 19))
    check_loops(device, f, lambda: (a.copy(), b.copy(), np.zeros((13, 19))))


def test_host_code_before_between_and_after(device: Device):
    log: list[str] = []

    def f(x: Any) -> Any:
        log.append("before")
        y = np.empty_like(x)
        for i in hetc.forall(len(x)):
            y[i] = x[i] + 1
        log.append("between")
        total = y.sum()
        for i in hetc.forall(len(x)):
            x[i] = y[i] * total
        log.append("after")
        return y, total

    check_loops(device, f, lambda: (np.arange(100.0),))
    assert log == ["before", "between", "after"] * 2


# --------------------------------------------------------------------------------------------------------------------
# What fails
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 1, 255, 256, 300, 999])
def test_the_first_exception_leaves_the_prefix(device: Device, first: int):
    def f(x: Any, y: Any) -> None:
        for i in hetc.forall(len(x)):
            y[i] = 7 // x[i] + y[i]

    def make() -> tuple[Any, ...]:
        x = [1] * 1000
        for place in (first, 999, 700):
            if place >= first:
                x[place] = 0
        return x, np.zeros(1000, np.int64)

    check_loops(device, f, make, deopts=None)


def test_an_exception_ends_in_the_users_function(device: Device):
    def f(x: Any, y: Any) -> None:
        for i in hetc.forall(1000):
            y[i] = x[i]

    with hetc.configure(device=device, offload="always", fallback="error"), pytest.raises(IndexError) as raised:
        hetc.jit(f)(np.ones(600), np.zeros(1000))
    assert last_place(raised.tb) == (__file__, "f", f.__code__.co_firstlineno + 2)


def test_iterations_that_fail_here_and_there_run_in_python(device: Device):
    def f(x: Any, y: Any) -> None:
        for i in hetc.forall(len(x)):
            y[i] = float(x[i] * x[i])

    def make() -> tuple[Any, ...]:
        x = [3] * 5000
        for place in (1, 700, 701, 4500):
            x[place] = 2**40
        return x, np.zeros(5000)

    check_loops(device, f, make, deopts=3)


def test_a_print_in_a_branch(device: Device, capsys: pytest.CaptureFixture[str]):
    def f(x: Any) -> None:
        for i in hetc.forall(len(x)):
            if x[i] > 900:
                print(i)
            x[i] = -x[i]

    check_loops(device, f, lambda: (np.arange(1000.0),), deopts=None)
    assert capsys.readouterr().out.split() == [str(n) for n in range(901, 1000)] * 2


def test_read_only_arrays_raise_pythons_error(device: Device):
    def make() -> tuple[Any, ...]:
        y = np.zeros(9)
        y.flags.writeable = False
        return 1.0, np.ones(9), y

    check_loops(device, saxpy, make, fallbacks=1)


# --------------------------------------------------------------------------------------------------------------------
# Memory
# --------------------------------------------------------------------------------------------------------------------


def test_the_same_array_twice(device: Device):
    def make() -> tuple[Any, ...]:
        x = np.arange(300.0)
        return 2.0, x, x

    check_loops(device, saxpy, make)


def test_overlapping_views_run_in_order(device: Device):
    def make() -> tuple[Any, ...]:
        x = np.arange(300.0)
        return 2.0, x[:-1], x[1:]

    check_loops(device, saxpy, make, fallbacks=1)


def test_views_side_by_side_do_not_overlap(device: Device):
    def make() -> tuple[Any, ...]:
        x = np.arange(300.0)
        return 2.0, x[::2], x[1::2]

    check_loops(device, saxpy, make)


LAYOUTS = {
    "reversed": lambda: np.arange(600.0)[::-1],
    "strided": lambda: np.arange(1800.0)[1::3],
    "column": lambda: np.arange(1800.0).reshape(600, 3)[:, 1],
    "unaligned": lambda: np.frombuffer(bytearray(4801), np.uint8)[1:].view(np.float64),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(device: Device, layout: str):
    check_loops(device, saxpy, lambda: (2.0, np.ones(600), LAYOUTS[layout]()))
    check_loops(device, saxpy, lambda: (2.0, LAYOUTS[layout](), np.ones(600)))


@pytest.mark.parametrize("layout", ["F", "T", "reversed", "step"])
def test_layouts_of_matrices(device: Device, layout: str):
    def f(a: Any) -> None:
        for i, j in hetc.forall(*a.shape[:1], a.shape[1]):
            a[i, j] = a[i, j] * 10 + i

    def g(a: Any) -> None:
        h, w = a.shape
        for i, j in hetc.forall(h, w):
            a[i, j] = a[i, j] * 10 + i - j

    def make() -> tuple[Any, ...]:
        a = np.arange(35.0).reshape(5, 7)
        return {"F": lambda: np.asfortranarray(a), "T": lambda: a.T, "reversed": lambda: a[::-1, ::-1],
                "step": lambda: a[::2, 1::3]}[layout](),  # fmt: skip

    check_loops(device, f, make, fallbacks=1)
    check_loops(device, g, make)


def test_a_zero_stride_runs_in_order(device: Device):
    def make() -> tuple[Any, ...]:
        return 2.0, np.arange(9.0), np.lib.stride_tricks.as_strided(np.zeros(1), (9,), (0,))

    check_loops(device, saxpy, make, fallbacks=1)
    check_loops(device, saxpy, lambda: (2.0, np.broadcast_to(np.float64(3), (9,)), np.zeros(9)))


# --------------------------------------------------------------------------------------------------------------------
# Dependences
# --------------------------------------------------------------------------------------------------------------------


def test_iterations_that_depend_on_each_other_run_in_order(device: Device):
    def recurrence(a: Any) -> None:
        for i in hetc.prange(1, len(a)):
            a[i] = a[i - 1] + a[i]

    def scatter(a: Any) -> None:
        for i in hetc.forall(len(a)):
            a[int(a[i]) % 5] += 1

    def one_place(a: Any) -> None:
        for i in hetc.forall(len(a)):
            a[0] = a[0] + i

    def carried(a: Any) -> None:
        last = 0.0
        for i in hetc.forall(len(a)):
            a[i] += last
            last = a[i]

    for function in (recurrence, scatter, one_place, carried):
        check_loops(device, function, lambda: (np.arange(50.0),), fallbacks=1)
        said = refusal(function, np.arange(50.0))
        assert said.startswith("HETC0017")
        assert function.__name__ == "carried" or "store" in said


def test_even_and_odd_elements_do_not_meet(device: Device):
    def f(a: Any) -> None:
        for i in hetc.forall(len(a) // 2):
            a[2 * i] += a[2 * i + 1]

    check_loops(device, f, lambda: (np.arange(100.0),))


def test_negative_indices(device: Device):
    def backwards(a: Any, b: Any) -> None:
        for i in hetc.forall(len(a)):
            a[len(a) - 1 - i] = b[i]

    def both_ends(a: Any, b: Any) -> None:
        for i in hetc.forall(len(a)):
            a[i - 3] = b[i] + a[i - 3]

    for function in (backwards, both_ends):
        check_loops(device, function, lambda: (np.zeros(100), np.arange(100.0)), deopts=None)


# --------------------------------------------------------------------------------------------------------------------
# What is stored
# --------------------------------------------------------------------------------------------------------------------

VALUES: dict[str, list[Any]] = {
    "int": [0, 1, -1, 127, 128, 255, 256, -128, -129, 2**31, 2**53 + 1, 2**62],
    "float": [0.0, -0.0, 1.7, -1.7, 1e10, -1e10, 1e300, math.inf, math.nan, 70000.0],
    "bool": [True, False],
    "complex": [1j, 2 + 0j],
}


TARGETS = ["bool", "int8", "uint8", "int32", "uint64", "int64", "float16", "float32", "float64", "complex64"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", ["int", "float", "bool", "complex", "float32", "int64", "uint8", "float16"])
def test_stores_convert_as_numpy_does(device: Device, target: str, kind: str):
    def f(values: Any, a: Any) -> None:
        for i in hetc.forall(len(values)):
            a[i] = values[i]

    if kind in VALUES:
        values: list[Any] = VALUES[kind]
    else:
        with np.errstate(all="ignore"):
            values = [np.array(v).astype(kind)[()] for v in (0, 1, -1, 1.7, 100, 200, 300, 7e4, 2**40)]
    for value in values:
        source = [value] * 3 if kind in VALUES else np.array([value] * 3, kind)
        check_loops(device, f, lambda s=source: (s, np.zeros(3, target)), deopts=None, fallbacks=None)


# --------------------------------------------------------------------------------------------------------------------
# Reductions
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("start", [0, 2.5, np.float32(1), np.int64(3)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
def test_sums(device: Device, size: int, start: Any, dtype: Any):
    def f(x: Any, s: Any) -> Any:
        for i in hetc.forall(len(x)):
            s += x[i]
        return s

    check_loops(
        device, f, lambda: (np.linspace(1, 2, size).astype(dtype), start), rtol=1e-5, fallbacks=None if size == 0 else 0
    )


def test_several_reductions(device: Device):
    def f(x: Any) -> Any:
        total, least, largest, product = 0, x[0], -1e9, 1.0
        for i in hetc.forall(len(x)):
            total += x[i] * 2
            least = min(least, x[i])
            largest = max(largest, x[i])
            product *= 1.0 + x[i] * 1e-3
        return total, least, largest, product, i

    for size in (1, 7, 255, 257, 5000):
        check_loops(device, f, lambda n=size: (np.cos(np.arange(n)),), rtol=1e-9)


def test_a_reduction_beside_stores(device: Device):
    def f(x: Any, y: Any) -> Any:
        s = 0.0
        for i in hetc.forall(len(x)):
            y[i] = x[i] + 1
            s += y[i]
        return s, i

    for size in (1, 7, 255, 257, 5000):
        check_loops(device, f, lambda n=size: (np.cos(np.arange(n)), np.zeros(n)), rtol=1e-9)


def test_a_reduction_under_a_condition(device: Device):
    def f(x: Any) -> Any:
        count, s = 0, np.float64(0)
        for i in hetc.forall(len(x)):
            if x[i] < 0:
                continue
            count += 1
            s += x[i]
        return count, s

    for size in (1, 7, 255, 257, 5000):
        check_loops(device, f, lambda n=size: (np.cos(np.arange(n)),), rtol=1e-9)


def test_a_sum_that_leaves_64_bits(device: Device):
    def f(x: Any) -> Any:
        s = 0
        for i in hetc.forall(len(x)):
            s += x[i]
        return s

    assert check_loops(device, f, lambda: ([2**61] * 300,), deopts=None) == 300 * 2**61


@pytest.mark.parametrize("start", [0, 100, 1000, -1, 2**40, np.int8(5), np.int16(5), 1.5, 2**70])
@pytest.mark.parametrize("kind", ["int8", "uint8", "uint64", "float16", "list"])
def test_what_a_sum_starts_from(device: Device, start: Any, kind: str):
    def f(x: Any, s: Any, p: Any) -> Any:
        for i in hetc.forall(len(x)):
            s += x[i]
            if x[i] == 3:
                p *= x[i]
        return s, p

    def make() -> tuple[Any, ...]:
        return [1, 2, 3] * 3 if kind == "list" else np.array([1, 2, 3] * 3, kind), start, start

    check_loops(device, f, make, fallbacks=None, rtol=1e-2)


def test_a_reduction_over_two_dimensions(device: Device):
    def f(a: Any) -> Any:
        s = 0
        h, w = a.shape
        for i, j in hetc.forall(h, w):
            s += a[i, j]
        return s

    check_loops(device, f, lambda: (np.arange(3000).reshape(60, 50),))


# --------------------------------------------------------------------------------------------------------------------
# Functions
# --------------------------------------------------------------------------------------------------------------------


def test_closures_and_globals_change_between_calls(device: Device):
    factor = 2.0

    @hetc.jit
    def f(x: Any) -> None:
        for i in hetc.forall(len(x)):
            x[i] *= factor

    with hetc.configure(device=device, offload="always", fallback="error"):
        x = np.ones(10)
        f(x)
        factor = 5
        f(x)
    assert x.tolist() == [10.0] * 10


@hetc.jit
def helper(x: Any, k: int) -> Any:
    total = 0.0
    for j in hetc.forall(3):
        total += x[k] * j
    return total


@hetc.jit
def add_one(x: Any, k: int) -> None:
    x[k] += 1.0


def test_a_jit_function_calls_another(device: Device):
    def inside(x: Any, y: Any) -> None:
        for i in hetc.forall(len(x)):
            y[i] = helper(x, i)
            add_one(y, i)

    def outside(x: Any, y: Any) -> None:
        for i in hetc.forall(len(x)):
            y[i] = x[i]
        y[0] = helper(x, 2)

    for function in (inside, outside):
        check_loops(device, function, lambda: (np.arange(300.0), np.zeros(300)))


def test_methods_defaults_and_keywords(device: Device):
    class Scaler:
        factor = 3.0

        @hetc.jit
        def scale(self, x: Any, *, by: float = 1.0) -> None:
            """Scale."""
            factor = self.factor * by
            for i in hetc.forall(len(x)):
                x[i] *= factor

    with hetc.configure(device=device, offload="always", fallback="error"):
        x = np.ones(5)
        Scaler().scale(x)
        Scaler().scale(x, by=2.0)
    assert x.tolist() == [18.0] * 5
    assert Scaler.scale.__doc__ == "Scale."


def test_what_leaves_the_loop_early_runs_in_python(device: Device):
    def breaks(x: Any) -> Any:
        for i in hetc.forall(len(x)):
            if x[i] > 5:
                break
            x[i] = 0
        else:
            return "all"
        return i

    def returns(x: Any) -> Any:
        for i in hetc.forall(len(x)):
            x[i] = 0
            if i > 5:
                return i
        return None

    for function in (breaks, returns):
        check_loops(device, function, lambda: (np.arange(20.0),), fallbacks=1)


def test_else(device: Device):
    def f(x: Any) -> Any:
        for i in hetc.forall(len(x)):
            x[i] = 0
        else:  # noqa: PLW0120 (a loop may have it)
            return i, "all"

    check_loops(device, f, lambda: (np.arange(20.0),))


def test_generators(device: Device):
    def f(x: Any) -> Any:
        yield 1
        for i in hetc.forall(len(x)):
            x[i] = 0
        yield i

    with hetc.configure(device=device, offload="always", fallback="error"):
        x = np.ones(4)
        assert list(hetc.jit(f)(x)) == [1, 3]
    assert not x.any()


@pytest.mark.usefixtures("work_clock")
def test_automatic_choice_gives_the_same(device: Device):
    @hetc.jit
    def f(x: Any, y: Any) -> Any:
        s = 0
        for i in hetc.forall(len(x)):
            y[i] = math.sqrt(x[i])
            s += 1
        return s, i

    dispatcher().hotness.times.clear()
    with hetc.configure(device=device, offload="auto", fallback="error", threshold=0.0), hetc.profile() as p:
        x, y = np.arange(300000.0), np.zeros(300000)
        assert f(x, y) == (300000, 299999)
    assert np.array_equal(y, np.sqrt(x))
    assert p.launches > 0


def warned(function: Any, *arguments: Any) -> list[tuple[str, int]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        function(*arguments)
    return [(str(warning.message), warning.lineno) for warning in caught]


@pytest.mark.parametrize("size", [7, 257, 5000])
def test_numpy_warns_at_the_first_iteration_of_each_place(device: Device, size: int):
    def f(x: Any, y: Any) -> None:
        for i in hetc.forall(len(x)):
            y[i, 0] = 1 / x[i]
            y[i, 1] = np.log(x[i])

    x = np.ones(size)
    x[size // 2 :: 3] = 0
    x[size // 3] = -1
    expected, found = np.zeros((size, 2)), np.zeros((size, 2))
    said = warned(f, x, expected)
    assert len(said) == 3
    with hetc.configure(device=device, offload="always", fallback="error"):
        for _ in range(3):
            found[:] = 0
            assert sorted(warned(hetc.jit(f), x, found)) == sorted(said)
            assert np.array_equal(found, expected, equal_nan=True)
        before = np.zeros((size, 2))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(RuntimeWarning):
                hetc.jit(f)(x, before)
    first = size // 3
    assert np.array_equal(before[:first], expected[:first])
    assert not before[first + 1 :].any()


def test_the_document(device: Device):
    with hetc.configure(device=device, offload="always", fallback="error"):
        found = doctest.testfile(str(DOCUMENT), module_relative=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert found.attempted > 10
    assert found.failed == 0


@pytest.mark.parametrize("size", [1, 255, 1000])
def test_the_examples(device: Device, size: int):
    mass, vx, vy = loops.sample(size)
    y, image, slow = vx.copy(), np.zeros((20, 30), np.int32), np.zeros((20, 30), np.int32)
    with hetc.configure(device=device, offload="always", fallback="error"):
        loops.saxpy(2.5, vy, y)
        loops.mandelbrot(image)
        total, fastest = loops.energy(mass, vx, vy)
    with hetc.configure(offload="never"):
        loops.mandelbrot(slow)
    assert np.array_equal(y, 2.5 * vy + vx)
    assert np.array_equal(image, slow)
    assert total == pytest.approx((mass * (vx**2 + vy**2)).sum() / 2)
    assert fastest == np.sqrt((vx**2 + vy**2).max())


def test_explain_and_lower():
    def f(x: Any, y: Any) -> Any:
        s = 0
        for i in hetc.forall(len(x)):
            y[i] = x[i] * 2.0
        for i in hetc.prange(1, len(x)):
            y[i] = y[i - 1]
        for i in hetc.forall(len(x)):
            s += i * x[i]
        return s

    x, y = np.arange(9.0), np.zeros(9)
    first, second, third = hetc.jit(f).explain(x, y).loops
    assert not y.any()
    assert "y[i] = x[i] * 2.0" in str(first)
    assert second.fallback is not None
    assert "HETC0017" in str(second)
    assert "s += i * x[i]" in str(third)
    with pytest.raises(hetc.UnsupportedError):
        hetc.jit(f).lower(x, y).opencl()

    lowered = hetc.jit(saxpy).lower(2.0, x, y)
    assert "skel.forall" in lowered.mlir("check-dependences")
    assert "y[" in lowered.opencl()
    assert "WriteBack(" in lowered.plan()
    with pytest.raises(hetc.InputError, match="no parallel loop"):
        hetc.jit(np_free).lower(1).plan()


def np_free(x: Any) -> Any:
    return x

"""`hetc.configure(debug=True)`: which iteration of a parallel loop that sums up makes what is no number, and where."""

import math
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.conftest import discrete


@pytest.fixture(autouse=True)
def debugging(device: Device) -> Iterator[None]:
    with hetc.configure(device=device, debug=True, fallback="error"), np.errstate(all="ignore"):
        yield


def told(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """What a call gives, which is what it gives without `debug`, and what is told of it."""
    with hetc.configure(debug=False, offload="always"), warnings.catch_warnings():
        warnings.simplefilter("error", hetc.DebugWarning)
        expected = call()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = call()
    assert repr(result) == repr(expected)
    return result, [str(one.message) for one in found if issubclass(one.category, hetc.DebugWarning)]


def check(found: list[str], line: int, marked: str, *parts: str) -> None:
    """One place is told of: in this line, with these columns of it marked, and what is said has these parts."""
    (text,) = found
    match = re.search(r"\.py:(\d+):(\d+): ", text)
    assert match is not None
    assert int(match[1]) == line
    source, carets = text.splitlines()[1:3]
    assert source[carets.index("^") : carets.rindex("^") + 1] == marked
    for part in parts:
        assert part in text


def line_of(function: Any, offset: int) -> int:
    """A line of a function, counted from its `def`."""
    return function.__wrapped__.__code__.co_firstlineno + offset + 1  # the decorator comes first


@hetc.jit
def inverse_sum(x: Any) -> Any:
    s = 0.5
    for i in hetc.forall(len(x)):
        t = x[i] + 1.0
        s += 2.0 / x[i] * t
    return s


@pytest.mark.parametrize("size", [1, 7, 255, 257, 5000])
def test_the_term_that_is_infinite(size: int):
    x, last = np.ones(size), size - 1
    assert told(lambda: inverse_sum(x))[1] == []
    x[last] = 0.0
    result, found = told(lambda: inverse_sum(x))
    assert result == math.inf
    check(found, line_of(inverse_sum, 4), "2.0 / x[i]", "2.0 / 0.0 gives inf", f"in the iteration i = {last}\n")
    x[size // 2] = 0.0
    assert f"in the iteration i = {size // 2}\n" in told(lambda: inverse_sum(x))[1][0]


def test_no_iterations():
    assert told(lambda: inverse_sum(np.ones(0))) == (0.5, [])


def test_sums_that_overflow_though_their_terms_are_finite():
    @hetc.jit
    def total(x: Any) -> Any:
        s = 1.0
        for i in hetc.forall(len(x)):
            if x[i] != 3.0:
                s += x[i]
        return s

    x = np.ones(5000)
    x[1000] = x[4000] = x[4500] = 1.7e308
    check(told(lambda: total(x))[1], line_of(total, 4), "s += x[i]", "1.7e+308 + 1.7e+308 gives inf", "i = 4000\n")
    y = np.full(3000, 1e30, "f4")
    y[7] = y[2500] = 3e38
    found = told(lambda: total(y))[1]
    check(found, line_of(total, 4), "s += x[i]", "gives inf", "in the iteration i = 2500\n")


def test_products_that_overflow():
    @hetc.jit
    def product(x: Any) -> Any:
        p = 1.0
        for i in hetc.forall(len(x)):
            p *= x[i]
        return p

    x = np.ones(2000)
    x[[3, 900, 1999]] = 1e150
    found = told(lambda: product(x))[1]
    check(found, line_of(product, 3), "p *= x[i]", "* 1e+150 gives inf", "in the iteration i = 1999\n")


def test_what_is_no_number_already_is_nothing_new():
    x = np.ones(3000)
    x[[5, 2000]] = math.nan, math.inf

    @hetc.jit
    def total(x: Any, s: Any) -> Any:
        for i in hetc.forall(len(x)):
            s += 2.0 * x[i]
        return s

    assert told(lambda: total(x, 0.0))[1] == []
    assert told(lambda: total(-np.ones(300), math.inf))[1] == []
    y = np.array([math.inf, 1.0, -math.inf])
    assert told(lambda: total(y, 0.0))[1] == []  # the NaN is made of infinities
    assert told(lambda: total(np.array([1e308, math.nan, 1e308]), 0.0))[1][0].count("2.0 * 1e+308 gives inf") == 1


def test_what_is_selected_away():
    @hetc.jit
    def guarded(x: Any) -> Any:
        s = 0.0
        for i in hetc.forall(len(x)):
            if x[i] != 0.0:
                s += 1.0 / x[i]
        return s

    @hetc.jit
    def made_and_dropped(x: Any) -> Any:
        s = 0.0
        for i in hetc.forall(len(x)):
            t = np.float64(1.0) / x[i]
            s += t if t < 100.0 else 0.0
        return s

    x = np.ones(700)
    assert told(lambda: guarded(x))[1] == []
    x[600] = 0.0
    assert told(lambda: guarded(x)) == (699.0, [])
    result, found = told(lambda: made_and_dropped(x))  # it is made, and told of, though the sum is a number
    assert result == 699.0
    check(found, line_of(made_and_dropped, 3), "np.float64(1.0) / x[i]", "gives inf", "in the iteration i = 600\n")


def test_several_reductions_at_once():
    @hetc.jit
    def several(x: Any, y: Any) -> Any:
        s, p, low, high, good, some = 0.0, 1.0, 5.0, -5.0, True, False
        for i in hetc.forall(len(x)):
            s += x[i] / y[i]
            p *= x[i]
            low = min(low, np.log(x[i]))
            high = max(high, x[i])
            good = good and x[i] * 1e300 > 0.0
            some = some or x[i] < 0.0
        return s, p, low, high, good, some

    x, y = np.ones(1500), np.ones(1500)
    assert told(lambda: several(x, y))[1] == []
    y[1400], x[800], x[20], x[1300] = 0.0, -1.0, 1e250, 1e250
    found = told(lambda: several(x, y))[1]
    told_of = {re.search(r"\.py:(\d+)", text)[1]: text for text in found}  # type: ignore[index]
    assert len(told_of) == len(found) == 4
    first = line_of(several, 3)
    assert "1.0 / 0.0 gives inf, in the iteration i = 1400" in told_of[str(first)]
    assert "1e+250 gives -inf, in the iteration i = 1300" in told_of[str(first + 1)]
    assert "np.log(-1.0) gives nan, in the iteration i = 800" in told_of[str(first + 2)]
    assert "1e+250 * 1e+300 gives inf, in the iteration i = 20" in told_of[str(first + 4)]


def test_what_and_leaves_out_is_not_told_of():
    @hetc.jit
    def all_small(x: Any) -> Any:
        good = True
        for i in hetc.forall(len(x)):
            good = good and np.exp(x[i]) < 100.0
        return good

    x = np.ones(600)
    x[500] = 1e4
    assert "in the iteration i = 500\n" in told(lambda: all_small(x))[1][0]
    x[100] = 50.0  # after this one Python evaluates no term
    assert told(lambda: all_small(x)) == (False, [])


def test_the_place_of_a_minimum():
    @hetc.jit
    def lowest(x: Any) -> Any:
        low, place = math.inf, -1
        for i in hetc.forall(len(x)):
            if x[i] * 10.0 < low:
                low = x[i] * 10.0
                place = i
        return low, place

    x = np.ones(400)
    x[300], x[350] = -1e308, -1.5e308
    result, found = told(lambda: lowest(x))
    assert result == (-math.inf, 300)
    assert all("-1e+308 * 10.0 gives -inf, in the iteration i = 300\n" in text for text in found)


@pytest.mark.parametrize("shape", [(1, 1), (3, 700), (700, 3), (40, 41)])
def test_two_dimensions(shape: tuple[int, int]):
    @hetc.jit
    def total(a: Any, b: Any) -> Any:
        s = 0.0
        for i, j in hetc.forall(a.shape[0], a.shape[1]):
            s += a[i, j] / b[j]
        return s

    a, b = np.ones(shape), np.ones(shape[1])
    b[shape[1] // 2] = 0.0
    point = f"in the iteration i = 0, j = {shape[1] // 2}\n"
    check(told(lambda: total(a, b))[1], line_of(total, 3), "a[i, j] / b[j]", "1.0 / 0.0 gives inf", point)
    assert point in told(lambda: total(np.asfortranarray(a), b[::-1].copy()[::-1]))[1][0]


def test_ranges_that_run_backwards():
    @hetc.jit
    def total(x: Any, start: int, stop: int, step: int) -> Any:
        s = 0.0
        for i in hetc.prange(start, stop, step):
            s += 1.0 / x[i]
        return s

    x = np.ones(2000)
    x[[600, 1200]] = 0.0
    assert "in the iteration i = 1200\n" in told(lambda: total(x, 1998, -1, -3))[1][0]
    assert told(lambda: total(x, 1999, -1, -3))[1] == []
    assert "in the iteration i = 600\n" in told(lambda: total(x, 0, 2000, 2))[1][0]
    x[[600, 1200]] = 1.0
    x[[100, 1100]] = 1e-308
    found = told(lambda: total(x, 1998, -1, -2))[1]
    check(found, line_of(total, 3), "s += 1.0 / x[i]", "gives inf", "in the iteration i = 100\n")


def test_arrays_that_are_stored_to_change_once():
    @hetc.jit
    def step(a: Any, b: Any) -> Any:
        s = 0.0
        for i in hetc.forall(len(a)):
            a[i] *= 2.0
            s += 1.0 / (a[i] - b[i])
        return s

    def run() -> tuple[Any, list[float]]:
        a = np.arange(600.0)[::-2]
        s = step(a, b)
        return s, a.tolist()

    b = np.zeros(300)
    assert told(run)[1] == []
    b[[250, 270]] = 2.0 * np.arange(600.0)[::-2][[250, 270]]
    (_, a), found = told(run)
    assert a == (2.0 * np.arange(600.0)[::-2]).tolist()
    check(found, line_of(step, 4), "1.0 / (a[i] - b[i])", "1.0 / 0.0 gives inf", "in the iteration i = 250\n")


def test_objects_whose_attributes_are_assigned():
    class Body:
        def __init__(self, mass: float) -> None:
            self.mass = mass

    @hetc.jit
    def grow(bodies: list[Body]) -> float:
        s = 0.0
        for i in hetc.forall(len(bodies)):
            bodies[i].mass = bodies[i].mass * 10.0
            s += bodies[i].mass
        return s

    def run() -> tuple[float, list[float]]:
        bodies = [Body(1.0) for _ in range(300)]
        bodies[280].mass = 1e308
        return grow(bodies), [body.mass for body in bodies]

    @hetc.jit
    def grow_only(bodies: list[Body]) -> None:
        for i in hetc.forall(len(bodies)):
            bodies[i].mass = bodies[i].mass * 10.0

    bodies = [Body(1.0) for _ in range(300)]
    bodies[270].mass = 1e308
    found = told(lambda: grow_only(bodies))[1]
    assert found == []  # the run without `debug` has made the infinity
    bodies[270].mass = 1e308
    with pytest.warns(hetc.DebugWarning, match=r"1e\+308 \* 10.0 gives inf, in the iteration i = 270\n"):
        grow_only(bodies)
    (_, masses), found = told(run)
    assert masses == [10.0] * 280 + [math.inf] + [10.0] * 19
    assert "1e+308 * 10.0 gives inf, in the iteration i = 280\n" in found[0]
    assert len(found) == 1


@pytest.mark.parametrize("place", [lambda device: device, discrete], ids=["as it is", "with memory of its own"])
def test_loops_after_each_other_whose_arrays_stay_on_the_device(device: Device, place: Callable[[Device], Device]):
    """Where the array has memory on the device, that the loops after the one that is looked at go on with."""

    @hetc.jit
    def twice(x: Any) -> Any:
        y = np.zeros(len(x))
        for i in hetc.forall(len(x)):
            y[i] = x[i] - 1.0
        s = 0.0
        for i in hetc.forall(len(x)):
            y[i] = 4.0 / y[i]
            s += y[i]
        return s, y.tolist()

    x = np.full(600, 3.0)
    with hetc.configure(device=place(device)):
        assert told(lambda: twice(x))[1] == []
        x[333] = 1.0
        check(told(lambda: twice(x))[1], line_of(twice, 6), "4.0 / y[i]", "4.0 / 0.0 gives inf", "iteration i = 333\n")


def test_an_exception_after_it():
    @hetc.jit
    def total(x: Any, y: Any) -> Any:
        s = 0.0
        for i in hetc.forall(len(x)):
            s += 1.0 / x[i] + y[i + 3]
        return s

    x = np.ones(400)
    x[10] = 0.0
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        with pytest.raises(IndexError) as caught:
            total(x, x)
    assert caught.value.__notes__ == ["hetc: in the iteration i = 397"]
    assert "in the iteration i = 10\n" in str(found[0].message)


def test_complex_numbers_integers_and_lists():
    @hetc.jit
    def total(x: Any, s: Any) -> Any:
        for i in hetc.forall(len(x)):
            s += x[i] * x[i]
        return s

    z = np.ones(500, "c16")
    z[444] = 1e200
    assert "in the iteration i = 444\n" in told(lambda: total(z, 0j))[1][0]
    assert told(lambda: total(np.arange(500), 0))[1] == []
    numbers = [1.0] * 300 + [1e200]
    assert "1e+200 * 1e+200 gives inf, in the iteration i = 300\n" in told(lambda: total(numbers, 0.0))[1][0]


def test_names_that_opencl_does_not_have():
    @hetc.jit
    def total(x: Any) -> Any:
        größe, höchste = 0.0, -1.0  # noqa: PLC2401
        for i in hetc.forall(len(x)):
            größe += x[i]  # noqa: PLC2401
            höchste = max(höchste, x[i])  # noqa: PLC2401
        return größe, höchste

    x = np.ones(300)
    x[[10, 290]] = 1.2e308
    check(told(lambda: total(x))[1], line_of(total, 3), "größe += x[i]", "gives inf", "in the iteration i = 290\n")


def test_sums_that_only_a_device_adds_up_to_an_infinity():
    @hetc.jit
    def total(x: Any) -> Any:
        s = 0.0
        for i in hetc.forall(len(x)):
            s += x[i]
        return s

    x = np.resize([1e308, -1e308], 100_000)
    result, found = told(lambda: total(x))
    assert (found == []) == math.isfinite(result)
    for text in found:
        assert "what a device adds up to 's', in groups, leaves the numbers, in the iteration i = " in text


def test_a_filter_of_warnings_makes_an_exception_before_anything_is_stored():
    @hetc.jit
    def step(a: Any) -> Any:
        s = 0.0
        for i in hetc.forall(len(a)):
            a[i] = 1.0 / a[i]
            s += a[i]
        return s

    a = np.array([1.0, 2.0, 0.0, 4.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error", hetc.DebugWarning)
        with pytest.raises(hetc.DebugWarning, match="in the iteration i = 2\n"):
            step(a)
    assert a.tolist() == [1.0, 2.0, 0.0, 4.0]


def test_what_prints_runs_in_python(capsys: pytest.CaptureFixture[str]):
    @hetc.jit
    def total(x: Any) -> Any:
        s = 0.0
        for i in hetc.forall(len(x)):
            if i == 30:
                print("here", x[i])
            s += 1.0 / x[i]
        return s

    x = np.ones(400)
    x[300] = 0.0
    result, found = told(lambda: total(x))
    assert result == math.inf
    assert capsys.readouterr().out == "here 1.0\n" * 2
    check(found, line_of(total, 5), "1.0 / x[i]", "1.0 / 0.0 gives inf", "in the iteration i = 300\n")


def test_it_is_looked_at_on_the_device():
    x = np.ones(300_000)
    x[123_456] = 0.0
    with hetc.profile() as p:
        _, found = told(lambda: inverse_sum(x))
    assert "in the iteration i = 123456\n" in found[0]
    assert p.launches > 0
    assert p.fallbacks == 0

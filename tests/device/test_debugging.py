"""`hetc.configure(debug=True)`: where floats are first no numbers, which element raises, and functions that print."""

import math
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device

SIZES = (0, 1, 7, 255, 257, 1000)


@pytest.fixture(autouse=True)
def debugging(device: Device) -> Iterator[None]:
    with hetc.configure(device=device, debug=True, fallback="error"):
        yield


def told(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """What a call gives, and what is told of it; NumPy's own warnings are left out."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = call()
    return result, [str(one.message) for one in found if issubclass(one.category, hetc.DebugWarning)]


def one_place(found: list[str]) -> str:
    (text,) = found
    return text


def place_of(text: str) -> tuple[int, int]:
    """The line and column of a message."""
    match = re.search(r"\.py:(\d+):(\d+): ", text)
    assert match is not None
    return int(match[1]), int(match[2])


def quotient(x: Any, y: Any) -> Any:
    z = x + 1.0
    return z / y + 2.0


FIRST = quotient.__code__.co_firstlineno


@pytest.mark.parametrize("size", SIZES)
def test_where_a_quotient_is_infinite(size: int):
    x, y = np.arange(float(size)), np.ones(size)
    result, found = told(lambda: hetc.map(quotient)(x, y))
    assert found == []
    if not size:
        return
    y[size - 1] = 0.0
    result, found = told(lambda: hetc.map(quotient)(x, y))
    text = one_place(found)
    assert result[-1] == math.inf
    assert place_of(text) == (FIRST + 2, 12)
    assert f"{float(size)} / 0.0 gives inf, in element {size - 1}, where x = {size - 1.0}, y = 0.0" in text
    assert text.splitlines()[1:3] == ["    return z / y + 2.0", "           ^^^^^"]
    assert text.startswith("HETC0018: ")


def test_the_first_element_is_told_of_and_each_place():
    def both(x: Any) -> Any:
        if x < 0:
            return np.log(x)
        return x * 1e300

    x = np.array([1.0] * 300 + [-1.0, 1e10, -2.0, 1e11] * 300)
    _, found = told(lambda: hetc.map(both)(x))
    assert len(found) == 2
    assert "np.log(-1.0) gives nan, in element 300, where x = -1.0" in found[0]
    assert "10000000000.0 * 1e+300 gives inf, in element 301" in found[1]


def test_what_is_no_number_already_is_nothing_new():
    x = np.array([1.0, math.nan, math.inf, -math.inf] * 100)
    result, found = told(lambda: hetc.map(lambda v: (v + 1.0) * 2.0)(x))
    assert found == []
    assert np.array_equal(result, (x + 1.0) * 2.0, equal_nan=True)
    _, found = told(lambda: hetc.map(lambda v: v - v)(np.array([1.0, math.inf])))
    assert found == []  # a NaN of an infinity, which was none before
    _, found = told(lambda: hetc.map(lambda v: v * math.inf)(np.ones(9)))
    assert found == []  # it is written there


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_types_and_their_limits(dtype: str):
    largest: Any = np.finfo(dtype).max
    x = np.ones(300, dtype)
    x[257] = largest
    with np.errstate(all="ignore"):
        result, found = told(lambda: hetc.map(lambda v: v * v)(x))
        expected = x * x
    assert "gives" in one_place(found)
    assert "in element 257" in found[0]
    assert np.array_equal(result, expected, equal_nan=True)


def test_lists_views_and_strides():
    def double(v: Any) -> Any:
        return v * 10.0

    _, found = told(lambda: hetc.map(double)([1.0, 2.0, 1e308, 4.0]))
    assert "1e+308 * 10.0 gives inf, in element 2, where v = 1e+308" in one_place(found)
    x = np.ones(20)
    x[4] = 1e308
    _, found = told(lambda: hetc.map(double)(x[::2]))
    assert "in element 2," in one_place(found)
    _, found = told(lambda: hetc.map(double)(x[::-1]))
    assert "in element 15," in one_place(found)


def test_functions_that_overflow_inside_on_purpose():
    """Formulas of operators may have infinities on their way; only what Python sees is told of."""
    x = np.array([0.5, 3.0, 1e-300, 1e150, -7.5] * 60)

    def many(v: Any) -> Any:
        return v % 0.3 + v // 1e-10 + math.hypot(v, 1e-3) + math.atan2(v, 1.0) + abs(v) ** 0.25 + math.tanh(v)

    assert told(lambda: hetc.map(many)(x))[1] == []


def test_called_functions_and_compositions():
    def root(v: Any) -> Any:
        return 1.0 / np.sqrt(v)

    def outer(v: Any) -> Any:
        return root(v) + 1.0

    line = root.__code__.co_firstlineno + 1
    _, found = told(lambda: (hetc.map(lambda v: v - 5.0) | outer)(np.arange(5.0, 400.0)))
    assert place_of(one_place(found)) == (line, 16)
    assert "1.0 / 0.0 gives inf, in element 0, where v = 5.0" in found[0]


def test_loops():
    @hetc.jit
    def normalize(a: Any, b: Any) -> None:
        for i, j in hetc.forall(a.shape[0], a.shape[1]):
            t = a[i, j] / b[j]
            a[i, j] = t * t

    a, b = np.ones((30, 40)), np.arange(40.0) - 7.0
    with np.errstate(all="ignore"):
        _, found = told(lambda: normalize(a, b))
        expected = (np.ones((30, 40)) / b) ** 2
    assert "1.0 / 0.0 gives inf, in the iteration i = 0, j = 7" in one_place(found)
    assert np.array_equal(a, expected)


def test_stencils_and_iterations_in_elements():
    x = np.arange(300.0) - 20.0
    smooth = hetc.stencil(lambda w: (w[-1] + w[1]) / w[0], radius=1, boundary="clamp")
    _, found = told(lambda: smooth(x))
    assert "0.0 / 0.0 gives nan, in element 20" in one_place(found)

    def settle(v: Any) -> Any:
        for _ in range(10):
            v = v * v
        return v

    _, found = told(lambda: hetc.map(settle)([1.0, 0.5, 1e3]))
    assert "gives inf, in element 2, where v = 1000.0" in one_place(found)


@pytest.mark.parametrize("size", [1, 7, 255, 257, 5000])
def test_reductions_scans_and_filters(size: int):
    x, last = np.ones(size), size - 1
    x[last] = 0.0
    with np.errstate(all="ignore"):
        total, found = told(lambda: hetc.map(lambda v: 1 / v).reduce(lambda a, b: a + b, 0.0)(x))
        assert total == math.inf
        assert f"1 / 0.0 gives inf, in element {last}, where v = 0.0" in one_place(found)
        _, found = told(lambda: hetc.map(lambda v: 1 / v).scan(lambda a, b: a + b)(x))
        assert f"1 / 0.0 gives inf, in element {last}, where v = 0.0" in one_place(found)
        _, found = told(lambda: hetc.map(lambda v: 1 / v).filter(lambda v: v > 0)(x))
        assert f"1 / 0.0 gives inf, in element {last}, where v = 0.0" in one_place(found)


def test_sums_that_overflow():
    x = np.ones(5000)
    x[1000] = x[4000] = 1.7e308
    with np.errstate(all="ignore"):
        _, found = told(lambda: hetc.reduce(lambda a, b: a + b, 0.0)(x))
        assert "1.7e+308 + 1.7e+308 gives inf, in element 4000, where input = 1.7e+308" in one_place(found)
        _, found = told(lambda: hetc.scan(lambda a, b: a + b)(x))
        assert "1.7e+308 + 1.7e+308 gives inf, in element 4000, where input = 1.7e+308" in one_place(found)


def test_batches():
    x = np.ones(100_000)
    x[77_777] = 1.7e308
    with np.errstate(all="ignore"):
        result, found = told(lambda: hetc.map(lambda v: v * 2.0).batched("64kB")(x))
        assert np.array_equal(result, x * 2.0)
    assert "in element 77777, where v = 1.7e+308" in one_place(found)


def test_an_index_out_of_range_names_the_element():
    table = [1.0] * 5

    def look(i: int, x: float) -> float:
        return table[i] * x

    with pytest.raises(IndexError) as caught:
        hetc.map(look)([*([0, -1, 4] * 200), 5], np.arange(601.0))
    assert caught.value.__notes__ == ["hetc: in element 600, where i = 5, x = 600.0"]

    @hetc.jit
    def shift(a: Any, b: Any) -> None:
        for i in hetc.forall(len(a)):
            a[i] = b[i + 3]

    with pytest.raises(IndexError) as caught:
        shift(np.zeros(300), np.ones(300))
    assert caught.value.__notes__ == ["hetc: in the iteration i = 297"]


def test_other_exceptions_and_reductions():
    with pytest.raises(ZeroDivisionError) as caught:
        hetc.map(lambda n: 1 // n)([3] * 300 + [0])
    assert caught.value.__notes__ == ["hetc: in element 300, where n = 0"]
    with pytest.raises(ZeroDivisionError) as caught:
        hetc.reduce(lambda a, b: a // b, 5)([1] * 300 + [0])
    assert caught.value.__notes__ == ["hetc: in element 300, where input = 0"]
    with hetc.configure(debug=False), pytest.raises(ZeroDivisionError) as caught:
        hetc.map(lambda n: 1 // n)([0])
    assert not hasattr(caught.value, "__notes__")


def test_prints_come_in_the_order_of_the_elements(capsys: pytest.CaptureFixture[str]):
    def always(n: int) -> int:
        print(n, end=" ")
        return n + 1

    def rarely(n: int) -> int:
        if n % 100 == 3:
            print(n, end=" ")
        return n % 2

    assert hetc.map(always)([3, 1, 2]) == [4, 2, 3]
    assert capsys.readouterr().out == "3 1 2 "
    assert hetc.map(rarely).reduce(lambda a, b: a + b, 0)(range(1000)) == 500
    assert capsys.readouterr().out == " ".join(str(n) for n in range(3, 1000, 100)) + " "

    @hetc.jit
    def loop(a: Any) -> None:
        for i in hetc.forall(len(a)):
            if i % 100 == 3:
                print(i, end=" ")
            a[i] = 2.0 * i

    a = np.zeros(1000)
    loop(a)
    assert np.array_equal(a, 2.0 * np.arange(1000))
    assert capsys.readouterr().out == " ".join(str(n) for n in range(3, 1000, 100)) + " "


def test_objects_are_told_of_by_their_line():
    class Body:
        def __init__(self, mass: float, radius: float) -> None:
            self.mass = mass
            self.radius = radius

        def density(self) -> float:
            return self.mass * (1e300 * self.radius)

    line = Body.density.__code__.co_firstlineno + 1
    bodies = [Body(1.0, 1.0) for _ in range(300)]
    bodies[270] = Body(1.0, 1e200)
    _, found = told(lambda: hetc.map(lambda b: b.density())(bodies))
    assert place_of(found[0])[0] == line


def test_big_data_runs_on_the_device():
    x = np.ones(200_000)
    x[150_000] = 0.0
    with np.errstate(all="ignore"), hetc.profile() as p:
        _, found = told(lambda: hetc.map(lambda v: 1.0 / v)(x))
    assert "in element 150000" in one_place(found)
    assert p.launches > 0
    assert p.fallbacks == 0


STOPPING = """\
import sys

import numpy as np

import hetc


def root(x):
    y = x + 1.0
    breakpoint()
    return y


@hetc.jit
def fill(a):
    for i in hetc.forall(len(a)):
        if i == 2:
            breakpoint()
        a[i] = 2.0 * i


hetc.configure(debug=True, device=sys.argv[1], fallback="error")
print(hetc.map(root)([4.0, 9.0]))
a = np.zeros(4)
fill(a)
print(a)
"""


def test_a_breakpoint_stops_in_the_users_function(device: Device, tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text(STOPPING)
    commands = ["p x + y", "c", "p x + y", "c", "p i", "p a.tolist()", "up", "c"]
    result = subprocess.run(
        [sys.executable, program, device.traits.family.removesuffix("-cpu")],
        input="\n".join(commands) + "\n", capture_output=True, text=True, check=True,
    )  # fmt: skip
    said = result.stdout
    assert said.count(f"> {program}(11)root()\n-> return y") == 2
    assert "(Pdb) 9.0\n" in said
    assert "(Pdb) 19.0\n" in said
    assert "[5.0, 10.0]\n" in said
    assert f"> {program}(19)fill()\n-> a[i] = 2.0 * i" in said
    assert "(Pdb) 2\n(Pdb) [0.0, 2.0, 0.0, 0.0]\n" in said
    assert "[0. 2. 4. 6.]\n" in said
    assert result.stderr == ""

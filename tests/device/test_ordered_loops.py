"""Ordinary loops under `hetc.jit`, as tasks of a device: what they leave behind is what Python leaves behind."""

from __future__ import annotations

import contextlib
import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.dispatch import Dispatcher
from hetc.hotness import FunctionTimes
from hetc.ordered_tasks import OrderedContext
from hetc.runtime.devices import Device, list_devices
from hetc.runtime.repeated_run import RepeatedRun
from tests.device.conftest import assert_same, assert_same_outcome, checked, discrete, outcome

SHARING = [device for device in list_devices() if device.traits.shared_memory]
"""The devices that run tasks."""


@pytest.fixture(params=SHARING or [None], ids=lambda device: device.traits.family if device else "none")
def device(request: pytest.FixtureRequest) -> Device:
    if request.param is None:
        pytest.skip("no device shares the host's memory")
    return request.param


def check(
    device: Device, function: Callable[..., Any], *arguments: Any, launches: int | None = 1, deopts: int = 0
) -> Any:
    """The function under jit does what the plain one does, twice; some loops of it run as tasks."""
    compiled = hetc.jit(function)
    for first in (True, False):
        expected_arguments, found_arguments = copy.deepcopy(arguments), copy.deepcopy(arguments)
        expected = outcome(lambda given=expected_arguments: function(*given))
        with hetc.configure(device=device, offload="always", verify=checked(device)), hetc.profile() as p:
            found = outcome(lambda given=found_arguments: compiled(*given))
        assert_same_outcome(found, expected, 0, 0)
        assert_same(found_arguments, expected_arguments, 0, 0)
        if first or not deopts:  # a loop that has gone back to Python is passed by for a while
            assert launches in (None, p.launches), f"{p.launches} launches"
            assert p.deopts == deopts
    return expected.value


def reasons(device: Device, function: Callable[..., Any], *arguments: Any) -> str:
    """What `explain` says of the loops of a call."""
    with hetc.configure(device=device, offload="always"):
        return str(hetc.jit(function).explain(*arguments))


X = np.arange(6.0) + 1


def test_what_is_left_behind(device: Device) -> None:
    def f(x: Any) -> Any:
        a, b, c, d, e, z = 0, 1.5, True, np.float32(2), None, 0j
        for i in range(len(x)):
            a += i
            b = b * x[i]
            c = a > 3
            d = d + 1
            e = i
            z = z * z + x[i]
        return a, b, c, d, e, z, i

    check(device, f, X)
    check(device, f, X.astype(np.float32))
    check(device, f, np.arange(9, dtype=np.int64))


@pytest.mark.parametrize("count", [0, 1, 5])
def test_variables_without_a_value_before(device: Device, count: int) -> None:
    def f(x: Any, n: int) -> Any:
        for i in range(n):
            s = x[i] * 2
        return s, i

    check(device, f, X, count, deopts=int(count == 0))


def test_start_that_an_empty_loop_leaves(device: Device) -> None:
    def f(x: Any, y: Any) -> Any:
        for i in range(len(y)):
            s = 0.0
            for k in range(i):
                s += x[k]
            y[i] = s
            k, t = 0, 0
            while k < i:
                t += x[k]
                k += 1
            y[i] -= 2 * t
        return s, t

    check(device, f, X, np.zeros(6))
    check(device, f, X, np.zeros(1))


def test_break_and_else(device: Device) -> None:
    def f(x: Any, wanted: float) -> Any:
        for i in range(len(x)):
            if x[i] == wanted:
                break
            x[i] += 1
        else:
            i = -5
        for k in range(3):
            x[k] -= k
        else:  # noqa: PLW0120 - what is tested
            x[0] = 9
        return i, k

    check(device, f, X, 3.0, launches=2)
    check(device, f, X, 99.0, launches=2)


def test_continue_and_nested_loops(device: Device) -> None:
    def f(x: Any) -> Any:
        s, j = 0, -1
        for i in range(len(x)):
            if i % 3 == 2:
                continue
            for j in range(len(x)):
                if j > i:
                    break
                x[i] += x[j] * j
                s += j
        return s, i, j

    check(device, f, X)


@pytest.mark.parametrize("step", [1, 2, -1, -3])
def test_steps(device: Device, step: int) -> None:
    def f(x: Any, first: int, last: int, step: int) -> Any:
        i = None
        for i in range(first, last, step):
            x[i] = x[i - 1] + i
        return i

    check(device, f, X, *((1, 6) if step > 0 else (5, 0)), step)
    check(device, f, X, 4, 4, step)


def test_the_bounds_of_a_range_change(device: Device) -> None:
    def f(x: Any, n: int) -> Any:
        for i in range(n):
            n -= 1
            x[i] += n
        return n, i

    check(device, f, X, 5)


def test_while_inside(device: Device) -> None:
    def f(n: int) -> Any:
        count = 0
        for i in range(n):
            k = i + 1
            while k != 1:
                k = k // 2 if k % 2 == 0 else 3 * k + 1
                count += 1
        return count, k

    check(device, f, 30)


def test_while_outside_of_loops(device: Device) -> None:
    def collatz(n: Any, most: int) -> Any:
        k = 0
        while n != 1:
            n = 3 * n + 1 if n % 2 else n // 2
            k += 1
            if k > most:
                break
        else:
            k = -k
        return n, k

    def newton(x: Any, y: Any) -> Any:
        error, rounds = 1.0, 0
        while error > 1e-12:
            error = 0.0
            for i in range(len(x)):
                new = 0.5 * (y[i] + x[i] / y[i])
                error = max(error, abs(new - y[i]))
                y[i] = new
            rounds += 1
        return error, rounds

    def never(n: int) -> Any:
        while n > 0:
            s = n
            n -= 1
        return n, s

    def two(x: Any, n: int) -> Any:
        if n > 2:
            while x[n] > 2:
                x[n] -= 1
                n -= 1
        while n < 5:
            n += 1
            if n == 3:
                continue
            x[n] = n
        return n

    check(device, collatz, 27, 1000)
    check(device, collatz, 27, 100)
    check(device, collatz, np.int64(27), 100)
    check(device, collatz, 1, 100)
    check(device, newton, X, np.ones(6))
    check(device, newton, X.astype(np.float32), np.ones(6))
    check(device, never, 3, launches=0)  # a variable that may have no value after it
    check(device, never, 0, launches=0)
    check(device, two, X, 5, launches=2)
    check(device, two, X, 1)


def test_while_that_fails_in_the_middle(device: Device) -> None:
    def outside(x: Any, k: int) -> Any:
        while True:
            x[k] += 1
            k += 1

    def grows(n: int, x: Any) -> Any:
        k = 0
        while k < 6:
            n *= 1000
            x[k] = k
            k += 1
        return n

    def divides(x: Any, n: int) -> Any:
        while n > -3:
            x[n] = 6 // n
            n -= 1

    check(device, outside, X, 2, deopts=1)
    check(device, grows, 5, X)
    check(device, grows, 50_000_000, X, deopts=1)
    check(device, divides, X, 3, deopts=1)


def test_while_that_is_pythons(device: Device) -> None:
    def generates(x: Any) -> Any:
        n = 0
        while n < 3:
            yield x[n]
            n += 1

    def shadows(x: Any, range: Any) -> Any:  # noqa: A002 - what is tested
        n = 0
        while n < 3:
            x[n] = range(n)
            n += 1
        return n

    def inside(x: Any) -> Any:
        found = []
        while len(found) < 3:
            n = 0
            while n < len(x):
                x[n] += 1
                n += 1
            found.append(n)
        return found

    with hetc.configure(device=device, offload="always"):
        assert list(hetc.jit(generates)(X)) == list(generates(X))
    check(device, shadows, X, lambda n: n + 1, launches=None)
    check(device, inside, X, launches=None)


def test_return_inside_of_loops(device: Device) -> None:  # noqa: C901, PLR0915 - many ways to return
    def find(x: Any, wanted: float) -> Any:
        for i in range(len(x)):
            if x[i] == wanted:
                return i, x[i]
            x[i] += 1
        return -1

    def nested(x: Any, most: float) -> Any:
        s = 0.5
        for i in range(len(x)):
            for j in range(i):
                s += x[j]
                if s > most:
                    return s
            if i > 4:
                break
        else:
            s = -s
        return s, i

    def several(n: int) -> Any:
        k = 0
        while True:
            n = n // 2
            k += 1
            if n == 1:
                return k
            if n == 7:
                return  # noqa: RET502 - what is tested
            if n == 9:
                return 1.5, k
            if n == 11:
                return True

    def of_else(x: Any, n: int) -> Any:
        while n < len(x):
            if x[n] > 4:
                break
            n += 1
        else:
            return n
        for i in range(n):
            x[i] -= 1
            if x[i] < -5:
                return x[i]
        else:  # noqa: PLW0120 - what is tested
            return -n

    def finally_(x: Any, n: int) -> Any:
        try:
            for i in range(n):
                x[i] += 1
                if x[i] == 4:
                    return i
        finally:
            x[0] = -1
        return n

    def fails(x: Any, n: int) -> Any:
        for i in range(n):
            if x[i] > 8:
                return i
            x[i] = 1
        return None

    def of_arrays(x: Any, kind: int) -> Any:
        for i in range(3):
            x[i] += 1
            if kind == 1 and i == 1:
                return x
            if kind == 2 and i == 1:
                return [i, x[i]]
            if kind == 3 and i == 1:
                return "text"
            if kind == 4 and i == 1:
                return np.float32(x[i])
        return None

    def inside(x: Any) -> Any:
        for i in range(2):
            found = [str(i)]
            for k in range(4):
                x[k] += 1
                if x[k] == 4:
                    return k, found
        return None

    for x in (X, X.astype(np.float32), np.arange(6)):
        check(device, find, x, 4)
        check(device, find, x, 99)
        check(device, nested, x, 7)
        check(device, nested, x, 700)
        check(device, nested, x[:4], 700)
        check(device, of_else, x, 1, launches=None)
        check(device, of_else, x, 5, launches=None)
        check(device, finally_, x, 5)
        check(device, finally_, x, 2)
        check(device, fails, x, 6)
        check(device, fails, x, 8, deopts=1)
        check(device, inside, x, launches=None, deopts=1)  # a list from before the loop is Python's
        for kind in range(5):
            check(device, of_arrays, x, kind, launches=None)
    for n in (1024, 15, 19, 23, 1025):
        check(device, several, n)


def test_what_a_debugger_sees_of_while(device: Device) -> None:
    def f(n: int) -> Any:
        while n < 3:
            n += 1
            found = [name for name in locals() if "ordered" in name]
        return found, [name for name in locals() if "ordered" in name]

    check(device, f, 0, launches=None)


def test_what_is_iterated_over(device: Device) -> None:
    def over(x: Any) -> Any:
        s = 0.0
        for v in x:
            s = v * 0.5 + s
        return s, v

    def numbered(x: Any) -> Any:
        for k, v in enumerate(x):
            x[k] = v + k
        return k, v

    def pairs(x: Any, y: Any) -> Any:
        s = 0
        for a, b in zip(x, y):  # noqa: B905 - of different lengths
            s = a * b - s
        return s, a, b

    for data in (X, X.astype(np.float32), X[::2], X[::-1], np.arange(5, dtype=np.uint8), [1, 2], (1.5, 2.5)):
        check(device, over, data)
    check(device, numbered, X)
    check(device, pairs, X, X[:3].copy())
    check(device, pairs, [1, 2], [3, 4])


def test_integers_that_leave_64_bits(device: Device) -> None:
    def f(x: Any) -> Any:
        a, b = 0, 1
        for i in range(len(x)):
            a, b = b, a + b
            x[i] = a % 1000
        return a, b

    check(device, f, np.zeros(50, np.int64))
    check(device, f, np.zeros(120, np.int64), deopts=1)


def test_exceptions_leave_what_was_done(device: Device) -> None:
    def division(x: Any) -> Any:
        s = 0
        for i in range(len(x)):
            s += 1
            x[i] = 12 // int(x[i])
        return s

    def outside(x: Any) -> None:
        for i in range(len(x)):
            x[i + 1] = x[i] + 1

    def raised(x: Any) -> None:
        for i in range(len(x)):
            if x[i] > 3:
                raise ValueError(f"{i}")
            x[i] = 0

    check(device, division, np.array([1, 2, 0, 3]), deopts=1)
    check(device, outside, X, deopts=1)
    check(device, raised, X, deopts=1)


def test_memory_that_is_shared(device: Device) -> None:
    def overlapping(x: Any) -> Any:
        y = x[1:]
        for i in range(len(y)):
            y[i] += x[i]
        return y.copy()

    def strided(a: Any) -> None:
        v = a[::2]
        for i in range(len(v) - 1):
            v[i + 1] += v[i]

    def twice(x: Any) -> Any:
        y = np.lib.stride_tricks.as_strided(x, (6,), (0,))
        for i in range(6):
            y[i] += 1
        return y[0]

    check(device, overlapping, X, launches=0)
    check(device, strided, np.arange(12.0).reshape(6, 2))
    check(device, strided, np.arange(12.0)[::-1])
    check(device, twice, X, launches=0)


def test_arrays_that_cannot_be_written(device: Device) -> None:
    def f(x: Any) -> None:
        for i in range(len(x)):
            x[i] = i

    x = X.copy()
    x.flags.writeable = False
    with hetc.configure(device=device, offload="always"), pytest.raises(ValueError, match="read-only"):
        hetc.jit(f)(x)


def test_names_that_change_between_calls(device: Device) -> None:
    factor = 2.0

    def f(x: Any) -> Any:
        s = 0.0
        for i in range(len(x)):
            s = s * 0.5 + x[i] * factor
        return s

    compiled = hetc.jit(f)
    with hetc.configure(device=device, offload="always"):
        for factor in (2.0, 3.0, 4, np.float32(5)):  # noqa: B007 - a variable of the closure
            assert_same(compiled(X), f(X), 0, 0)


def test_other_types_in_each_call(device: Device) -> None:
    def f(x: Any, s: Any) -> Any:
        for i in range(len(x)):
            s = s + x[i]
        return s

    compiled = hetc.jit(f)
    with hetc.configure(device=device, offload="always"):
        for s in (0, 0.5, np.int8(1), np.float32(2), 1j, True, 0, "no"):
            for x in (X, np.arange(4), np.arange(4, dtype=np.uint8), [1, 2]):
                given = outcome(lambda x=x, s=s: compiled(x, s))
                assert_same_outcome(given, outcome(lambda x=x, s=s: f(x, s)), 0, 0)


def test_inner_loops_where_the_outer_one_is_pythons(device: Device) -> None:
    def f(x: Any) -> Any:
        seen = []
        for t in range(2):
            seen.append(str(t))
            for i in range(1, len(x)):
                x[i] += x[i - 1]
        return seen

    check(device, f, X, launches=2)


def test_parallel_loops_stay_what_they_are(device: Device) -> None:
    def f(x: Any, y: Any) -> Any:
        for _ in range(3):
            for i in hetc.forall(len(x)):
                y[i] = x[i] * 2
            x, y = y, x
        return x

    @hetc.jit
    def inner(x: Any) -> None:
        for i in hetc.forall(len(x)):
            x[i] += 1

    def calling(x: Any) -> None:
        for _ in range(3):
            inner(x)

    check(device, f, X, X + 1, launches=3)
    check(device, calling, X, launches=3)
    assert "it calls a function whose loops run in parallel" in reasons(device, calling, X)


def test_what_is_pythons_says_why(device: Device) -> None:
    def deletes(x: Any) -> None:
        for i in range(3):
            y = x[i]
            del y

    def strings(x: Any) -> Any:
        s = ""
        for i in range(len(x)):
            s += str(i)
        return s

    def shared(x: Any) -> Any:
        s = 0
        for i in range(len(x)):
            s += i
        later = lambda: s  # noqa: E731 - what is tested
        return later()

    class Point:
        def __init__(self) -> None:
            self.x = 0

    def objects(p: Any) -> Any:
        for i in range(4):
            p.x += i
        return p.x

    for function, argument, reason in (
        (deletes, X, "deleted in the loop"),
        (strings, X, ""),
        (shared, X, "shared with other functions"),
        (objects, Point(), "objects in a loop that runs in order are Python's"),
    ):
        assert reason in reasons(device, function, argument)
        if not isinstance(argument, Point):
            check(device, function, argument, launches=0)


def test_all_locals(device: Device) -> None:
    def f(x: Any) -> Any:
        for i in range(3):
            q = x[i]
        return sorted(locals()), q

    def caught(x: Any, n: int) -> Any:
        try:
            for i in range(n):
                x[i] = i
                if i == 3:
                    raise KeyError(i)
        except KeyError:
            return sorted(locals())
        finally:
            x[0] = len(locals())
        return sorted(locals())

    def suppressed(x: Any, n: int) -> Any:
        with contextlib.suppress(IndexError):
            for i in range(n):
                x[i] += 1
        return sorted(locals()), i

    def inside(x: Any) -> Any:
        for i in range(3):
            q = x[i], sorted(locals())
        return q

    check(device, f, X)
    for count in (2, 5):
        check(device, caught, X, count, launches=None, deopts=int(count > 3))
    for count in (6, 7):
        check(device, suppressed, X, count, launches=None, deopts=int(count > 6))
    check(device, inside, X, launches=0)


# --- NumPy statements in tasks ---------------------------------------------------------------------------------------


def test_slices_are_loops(device: Device) -> None:
    def seidel(a: Any, rounds: int) -> None:
        n = a.shape[0]
        for _ in range(rounds):
            for i in range(1, n - 1):
                a[i, 1:-1] += a[i - 1, :-2] + a[i - 1, 2:] + a[i, 2:] + a[i + 1, :-2]
                for j in range(1, n - 1):
                    a[i, j] += a[i, j - 1]
                    a[i, j] /= 9.0

    def syrk(alpha: Any, beta: Any, c: Any, a: Any) -> None:
        for i in range(a.shape[0]):
            c[i, : i + 1] *= beta
            for k in range(a.shape[1]):
                c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]

    def own(a: Any, n: int) -> None:
        for _ in range(n):
            a[1, 1:] -= a[1, 2] * np.sqrt(a[0, 1:])
            a[0] = np.maximum(a[1], -a[2])

    square = np.random.default_rng(1).random((7, 7))
    check(device, seidel, square, 3)
    check(device, seidel, np.asfortranarray(square), 3)
    check(device, syrk, 1.5, 1.2, square, square + 1)
    check(device, syrk, np.float64(1.5), 1.2, square.astype(np.float32), (square + 1).astype(np.float32))
    check(device, own, square, 2)


def test_slices_that_overlap_what_is_stored(device: Device) -> None:
    def later(x: Any, n: int) -> None:
        for _ in range(n):
            x[:-1] += x[1:] * x[2]

    def earlier(x: Any, n: int) -> None:
        for _ in range(n):
            x[1:] = x[:-1]

    def both(x: Any, n: int) -> None:
        for _ in range(n):
            x[1:-1] = x[:-2] + x[2:]

    def backwards(x: Any, n: int) -> None:
        for _ in range(n):
            x[:] = x[::-1] + 1

    def rows(a: Any, n: int) -> None:
        for i in range(n):
            a[i, 1:] = a[i - 1, :-1] + 1

    check(device, later, X, 3)
    check(device, earlier, X, 3)
    check(device, both, X, 3, launches=None)
    check(device, backwards, X, 3, launches=None)
    check(device, rows, np.ones((4, 4)), 4)
    check(device, rows, np.arange(4.0).reshape(1, 4), 1, launches=None, deopts=1)  # row -1 is row 0


def test_slices_that_are_none_of_these(device: Device) -> None:
    def lengths(x: Any, y: Any, n: int) -> None:
        for k in range(n):
            x[1:] = y[:k]

    def broadcast(x: Any, y: Any, n: int) -> None:
        for _ in range(n):
            x[1:] = y[:1] + 1

    def truncated(x: Any, n: int) -> None:
        for _ in range(n):
            x[1:3] *= 2

    check(device, lengths, X, X + 1, 3, launches=None, deopts=1)
    check(device, broadcast, X, X + 1, 3, launches=None, deopts=1)
    check(device, truncated, np.arange(6), 3, launches=None)


def test_vectors_from_their_end(device: Device) -> None:
    def flips(x: Any, y: Any) -> Any:
        s = 0.0
        for k in range(1, len(x)):
            z = np.flip(x[:k])
            y[:k] = z * 2 + np.flip(x)[:k]
            y[: k + 1] -= 0.5 * x[: k + 1][::-1]
            s = s + z[0] + np.flip(x[:k])[k - 1]
        return s

    def mirrored(x: Any, y: Any) -> None:
        for k in range(len(x) + 1):
            x[:k] += y[0] * np.flip(x[:k]) - y[:k]
            x[:] = x[::-1] * 0.5 + x[:]
            x[1:k] = -x[1:k][::-1]

    def later(x: Any, n: int) -> None:
        for k in range(n):
            x[:k] = x[1 : k + 1] + x[:k][::-1]

    def chained(x: Any, n: int) -> None:
        for _ in range(n):
            x[1:3] += x[2:][1:3]
            x[1:4][::2] *= 2

    def rows(a: Any) -> None:
        for i in range(len(a)):
            a[i][1:] -= np.flip(a[i][1:]) * a[i][0]

    def matrices(a: Any, b: Any) -> None:
        for i in range(len(a)):
            b[i, 0] = np.flip(a)[0, i]

    for kind in (np.float64, np.float32):
        x = np.random.default_rng(3).random(7).astype(kind)
        check(device, flips, x, np.ones(7, kind))
        check(device, flips, x[::2], np.ones(7, kind)[::-1])
        check(device, mirrored, x, x + 1)
        check(device, mirrored, np.ones(14, kind)[::2], x + 1)
        check(device, later, x, 5, launches=None)
        check(device, chained, x, 3, launches=None)
        check(device, rows, np.arange(20).reshape(4, 5).astype(kind))
        check(device, matrices, np.arange(9).reshape(3, 3).astype(kind), np.ones((3, 3), kind), launches=0)


def test_names_that_are_not_numpys_flip(device: Device) -> None:
    class Other:
        @staticmethod
        def flip(x: Any) -> Any:
            return x[1:]

    def f(x: Any, y: Any, np: Any) -> None:
        for k in range(2, 5):
            y[: k - 1] = np.flip(x[:k])

    check(device, f, X, X + 1, Other, launches=None)


def test_gathers_whose_indices_are_unsigned(device: Device) -> None:
    def f(x: Any, places: Any, starts: Any, y: Any) -> None:
        for i in range(len(starts) - 1):
            these = places[starts[i] : starts[i + 1]]
            y[i] = x[starts[i] : starts[i + 1]] @ x[these]

    x = np.arange(6.0)
    for kind in (np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.int32):
        places = np.array([5, 0, 3, 3, 1, 2], kind)
        check(device, f, x, places, np.array([0, 2, 2, 6], kind), np.zeros(3))
        check(device, f, x, np.array([5, 0, 3, 9, 1, 2], kind), np.array([0, 2, 6], kind), np.zeros(3), deopts=1)
        check(device, f, x, places, np.array([0, 4, 2, 9], kind), np.zeros(3))
    check(device, f, x, np.array([-1, -6, 2, 0, 0, 0]), np.array([0, 2, 6]), np.zeros(3))


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 40, 100, 1003])
def test_dot_products_in_any_order(device: Device, count: int) -> None:
    """Sums of products that are exact come out to the bit, in whatever order."""

    def f(x: Any, y: Any, out: Any) -> None:
        for k in range(3):
            out[k] = np.dot(x[k:], y[k:]) + np.flip(x) @ y

    for kind in (np.float64, np.float32):
        x, y = (np.random.default_rng(seed).integers(-9, 9, count).astype(kind) for seed in (1, 2))
        check(device, f, x, y, np.zeros(3, kind))
        check(device, f, np.append(x, kind(np.inf)), np.append(y, kind(0)), np.zeros(3, kind))


def test_dot_products_are_sums(device: Device) -> None:
    def cholesky(a: Any) -> None:
        a[0, 0] = np.sqrt(a[0, 0])
        for i in range(1, a.shape[0]):
            for j in range(i):
                a[i, j] -= np.dot(a[i, :j], a[j, :j])
                a[i, j] /= a[j, j]
            a[i, i] -= np.dot(a[i, :i], a[i, :i])
            a[i, i] = np.sqrt(a[i, i])

    def spmv(rows: Any, columns: Any, values: Any, x: Any) -> Any:
        y = np.empty(rows.size - 1, values.dtype)
        for i in range(rows.size - 1):
            cols = columns[rows[i] : rows[i + 1]]
            vals = values[rows[i] : rows[i + 1]]
            y[i] = vals @ x[cols]
        return y

    def last(x: Any, n: int) -> Any:
        for k in range(n):
            s = x[:k] @ x[:k]
        return s

    generator = np.random.default_rng(2)
    square = generator.random((12, 12))
    square = square @ square.T + 12 * np.eye(12)
    data = np.array([0, 3, 3, 7, 9]), generator.integers(0, 6, 9), generator.random(9), X
    for function, arguments in ((cholesky, (square,)), (spmv, data), (last, (X, 1)), (last, (X, 5))):
        expected, found = copy.deepcopy(arguments), copy.deepcopy(arguments)
        with hetc.configure(device=device, offload="always"), hetc.profile() as p:
            given = hetc.jit(function)(*found)
        assert_same(given, function(*expected), 0, 1e-12)
        assert_same(found, expected, 0, 1e-12)
        assert (p.launches, p.deopts) == (1, 0)


def test_names_that_are_not_numpys_or_pythons(device: Device) -> None:
    class Other:
        @staticmethod
        def dot(x: Any, y: Any) -> Any:
            return x[0] - y[0]

    def f(x: Any, n: int, np: Any) -> Any:
        s = 0.0
        for k in range(1, n):
            s = s - np.dot(x[:k], x[:k])
        return s

    def g(x: Any, n: int, len: Any) -> Any:  # noqa: A002 - what is tested
        for _ in range(n):
            x[1:] += x[0]
        return len(x)

    check(device, f, X, 4, Other, launches=None)
    check(device, g, X, 3, lambda x: 7, launches=None)


def test_products_of_integers_are_numpys(device: Device) -> None:
    def f(x: Any, n: int) -> Any:
        s = 0
        for k in range(n):
            s = s - x[:k] @ x[:k]
        return s

    check(device, f, np.arange(6), 5, launches=0)


# --- what NumPy warns of ---------------------------------------------------------------------------------------------


def running(x: Any, y: Any) -> Any:
    s = 1.0
    for i in range(len(x)):
        s = s * 0.5 + 1 / x[i]
        y[i] = s
    return s


def roots(x: Any, y: Any) -> Any:
    for i in range(1, len(x)):
        y[i] = y[i - 1] + np.sqrt(x[i] - 3)
    return y


def remainders(x: Any, y: Any) -> Any:
    s = 0
    for i in range(len(x)):
        s = s // 2 + x[i] // (x[i] - 2)
    return s


def slices(x: Any, y: Any) -> Any:
    for i in range(1, len(x) - 2):
        y[i:] += x[i] / x[: len(x) - i]
    return y


@pytest.mark.parametrize("offload", ["always", "auto"])
@pytest.mark.parametrize("function", [running, roots, remainders, slices])
def test_numpys_warnings(device: Device, function: Callable[..., Any], offload: Any) -> None:
    """They are those of Python's run, each time; where they are made errors, arrays are what is left then."""
    compiled = hetc.jit(function)
    values = np.concatenate([np.arange(1.0, 40), [0.0], np.arange(1.0, 40)])
    x = values.astype(np.int64) if function is remainders else values
    for action in ("always", "always", "always", "error", "ignore"):
        outcomes: list[Any] = []
        for run in (function, compiled):
            y = np.zeros(len(x))
            with (
                warnings.catch_warnings(record=True) as caught,
                hetc.configure(candidates=(device,), offload=offload, threshold=0),
                np.errstate(over="ignore"),
            ):
                warnings.simplefilter(action)
                try:
                    result: Any = run(x, y)
                except RuntimeWarning as warning:
                    result = str(warning)
            outcomes.append((result, y, [(str(one.message), one.lineno) for one in caught]))
        (found, found_y, told), (expected, expected_y, expected_told) = outcomes[1], outcomes[0]
        assert_same(found, expected, 0, 0)
        assert_same(found_y, expected_y, 0, 0)
        assert told == expected_told


def test_no_warning_is_looked_for_where_nobody_wants_to_know(device: Device) -> None:
    with hetc.configure(device=device, offload="always"):
        assert "warns" in hetc.jit(running).lower(X, X.copy()).opencl()
        with np.errstate(all="ignore"):
            assert "warns" not in hetc.jit(running).lower(X, X.copy()).opencl()
    x = np.array([1.0, 0.0, 2.0])
    check(device, running, x, np.zeros(3))


# --- where they run --------------------------------------------------------------------------------------------------


def test_the_rest_of_a_loop_becomes_a_task(device: Device) -> None:
    def f(x: Any, n: int) -> Any:
        s = 0
        for i in range(3, n, 2):
            s = (s * 31 + i) % 1000003
            x[i % 5] += s
        return s, i

    def over(x: Any) -> Any:
        s = 0.0
        for v in x:
            s = s * 0.5 + v
        return s, v

    for function, arguments in ((f, (np.zeros(5, np.int64), 400_000)), (over, (np.arange(400_000.0),))):
        expected, found = copy.deepcopy(arguments), copy.deepcopy(arguments)
        with hetc.configure(candidates=(device,), offload="auto", threshold=0.002), hetc.profile() as p:
            given = hetc.jit(function)(*found)
        assert_same(given, function(*expected), 0, 0)
        assert_same(found, expected, 0, 0)
        assert p.launches == 1


def check_rest(device: Device, function: Callable[..., Any]) -> None:
    """A function whose loop is first run by Python does what the plain one does."""
    arguments = np.zeros(5, np.int64), np.array([1, 400_000, 2])
    expected, found = copy.deepcopy(arguments), copy.deepcopy(arguments)
    with hetc.configure(candidates=(device,), offload="auto", threshold=0.002):
        given = hetc.jit(function)(*found)
    assert_same(given, function(*expected), 0, 0)
    assert_same(found, expected, 0, 0)


def test_the_rest_of_a_range_that_has_been_evaluated(device: Device) -> None:
    """What the numbers of a range were made of may be different by the time that Python has come to the rest of it."""
    least = 3

    def of_array(x: Any, n: Any) -> Any:
        c = 0
        for i in range(n[0], n[1], n[2]):
            n[:] = 3
            x[i % 5] += i
            c = (c * 31 + i) % 1000003
        return c, i

    def of_sum(x: Any, n: Any) -> Any:
        c = 0
        for i in range(n[1] - least):
            n[1] -= 1
            c = (c * 31 + i) % 1000003
        return c, i

    for function in (of_array, of_sum):
        check_rest(device, function)


def test_the_rest_of_a_range_of_other_arguments(device: Device) -> None:
    def of_arguments(x: Any, n: Any) -> Any:
        c = 0
        for i in range(*n):
            c = (c * 31 + i) % 1000003
        for i in range(*n[:2], 3):
            c = (c * 31 + i) % 1000003
        return c, i

    def of_name(x: Any, n: Any) -> Any:
        def more() -> None:
            nonlocal end
            end += 1

        c, end = 0, int(n[1])
        for i in range(end):
            if i == 1:
                more()
            c = (c * 31 + i) % 1000003
        return c, i, end

    def of_list(x: Any, n: Any) -> Any:
        c, items = 0, [*range(n[1])]
        for i in range(len(items)):
            if i == 1:
                items.append(0)
            c = (c * 31 + i) % 1000003
        return c, i, len(items)

    for function in (of_arguments, of_name, of_list):
        check_rest(device, function)


def test_no_items_of_an_array_without_dimensions(device: Device) -> None:
    def f(x: Any) -> Any:
        s = 0.0
        for v in x:
            s += v
        return s

    for offload in ("always", "auto"):
        with hetc.configure(candidates=(device,), offload=offload), pytest.raises(TypeError, match="0-d array"):
            hetc.jit(f)(np.array(5.0))


def test_a_device_with_memory_of_its_own_runs_no_task(device: Device) -> None:
    def f(x: Any) -> Any:
        s = 0.0
        for i in range(len(x)):
            s = s * 0.5 + x[i]
        return s

    apart = discrete(device)
    check(apart, f, X, launches=0)
    assert "a loop that runs in order is Python's where the device has memory of its own" in reasons(apart, f, X)


def test_short_loops_are_left_alone() -> None:
    @hetc.jit
    def f(x: Any) -> Any:
        s = 0.0
        for i in range(len(x)):
            s += x[i]
        return s

    with hetc.configure(offload="auto"), hetc.profile() as p:
        for _ in range(50):
            f(X)
    assert (p.launches, p.compile_ms) == (0, 0)


def test_tasks_that_are_run_again(device: Device) -> None:
    """Runs that look alike take the short form of a plan; others, and those whose guards fail, are run as ever."""

    def f(x: Any, places: Any, factor: Any) -> None:
        for i in range(len(places)):
            x[places[i]] += factor * x[i]

    class Watched:
        runs = 0

    compiled, x = hetc.jit(f), np.arange(6.0)
    calls: list[tuple[Any, ...]] = [
        *[(x, np.arange(5), 1.5)] * 4, (x, np.arange(5), -2.5), (x, np.arange(5)[::-1], 1.5),
        (x[:5], np.arange(5), 1.5),
        (x, np.array([1, 2, 9, 3, 4]), 1.5), (x, np.array([1, 2, -1, 3, 4]), 1.5), *[(x, np.arange(5), 2)] * 3,
        (x, np.arange(5), 1.5), (x, x, 1.5), (x.astype(np.float32), np.arange(5), 1.5),
        (x, np.arange(5), np.float64(3)),
        *[(x, np.array([1, 2, 9, 3, 4]), 1.5), (x, np.arange(5), 1.5), (x, np.arange(5), 1.5)] * 6,
    ]  # fmt: skip
    run = RepeatedRun.run

    def watched(self: RepeatedRun, *arguments: Any) -> bool:
        Watched.runs += 1
        return run(self, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RepeatedRun, "run", watched)
        for call in calls:
            expected_arguments, found_arguments = copy.deepcopy(call), copy.deepcopy(call)
            expected = outcome(lambda given=expected_arguments: f(*given))
            with hetc.configure(device=device, offload="always"):
                found = outcome(lambda given=found_arguments: compiled(*given))
            assert_same_outcome(found, expected, 0, 0)
            assert_same(found_arguments, expected_arguments, 0, 0)
    assert Watched.runs > 5


def test_a_task_that_looks_the_same_is_not_described_again(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def f(a: Any, n: int) -> None:
        for i in range(1, n):
            a[i, :i] *= np.dot(a[i, :i], a[0, :i])
            if a[i, 0] == 7:
                raise ValueError

    described: list[int] = []
    job = OrderedContext.job

    def watched(self: OrderedContext, *arguments: Any) -> Any:
        described.append(1)
        return job(self, *arguments)

    monkeypatch.setattr(OrderedContext, "job", watched)
    compiled = hetc.jit(f)
    with hetc.configure(device=device, offload="always"):
        for _ in range(4):
            compiled(np.ones((4, 4)), 4)
    assert len(described) == 1


def test_a_kernel_that_is_found_on_disk_is_no_slow_run(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: Any) -> None:
        for i in range(1, len(x)):
            x[i] = (x[i - 1] * 0.5 + x[i]) / 3

    found: list[float | None] = []
    looked: list[int] = []
    ran, has_kernel = FunctionTimes.ran_on_device, Dispatcher.has_kernel

    def watched(self: FunctionTimes, size: int, seconds: float | None) -> None:
        found.append(seconds)
        ran(self, size, seconds)

    def loads(self: Dispatcher, *arguments: Any) -> bool:
        looked.append(len(found))
        self.hotness.compiler.loaded()
        return has_kernel(self, *arguments)

    with hetc.configure(device=device, offload="always"):
        hetc.jit(f)(np.ones(400_000))
    monkeypatch.setattr(FunctionTimes, "ran_on_device", watched)
    monkeypatch.setattr(Dispatcher, "has_kernel", loads)
    compiled = hetc.jit(f)
    with hetc.configure(candidates=(device,), offload="auto", threshold=0.001):
        for _ in range(4):
            compiled(np.ones(400_000))
    assert looked  # for the rest of a loop, and for a whole one, where both come
    assert [number for number, seconds in enumerate(found) if seconds is None] == looked
    assert len(found) > len(looked)

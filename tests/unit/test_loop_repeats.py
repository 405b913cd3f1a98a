"""Runs of a loop that are repeated without being looked at anew: they are, and never where something is different."""

from __future__ import annotations

import copy
import gc
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import hetc
from benchmarks.devices import copying_device
from hetc.runtime import devices, executor, repeated_run

pytestmark = pytest.mark.skipif(not devices.list_devices(), reason="there is no OpenCL device")

factor: Any = 2.0
count: Any = 3
table: Any = np.arange(7.0)


def helper(v: Any) -> Any:
    return v + 1


def other_helper(v: Any) -> Any:
    return v - 1


def scale(x: Any, y: Any, by: Any = 0.5) -> None:
    for i in hetc.forall(len(y)):
        y[i] = factor * x[i] + by


def uses_count(x: Any, y: Any) -> None:
    for i in hetc.forall(len(y)):
        y[i] = x[i] * count


def calls(x: Any, y: Any) -> None:
    for i in hetc.forall(len(y)):
        y[i] = helper(x[i])


def reads_table(x: Any, y: Any) -> None:
    for i in hetc.forall(len(y)):
        y[i] = x[i] + table[i]


def picks(x: Any, y: Any, at: Any) -> None:
    for i in hetc.forall(len(y)):
        y[i] = x[at[i]] + 1


def divides(x: Any, y: Any, by: Any) -> None:
    for i in hetc.forall(len(y)):
        y[i] = x[i] // by[i]


def part(x: Any, y: Any, first: Any, step: Any) -> Any:
    for i in hetc.prange(first, len(y), step):
        y[i] = x[i] + 1
    return i


def rounds(x: Any, y: Any, n: Any) -> Any:
    seen: list[Any] = []
    for k in range(n):
        for i in hetc.forall(len(y)):
            y[i] = 0.5 * x[i] + 1
        if k == 4:
            y[2] = 9
        for i in hetc.forall(len(x)):
            x[i] = 0.25 * y[i] - 1
        if k in (3, 6):
            seen.append(float(x[0]))
        x, y = y, x
    return x, seen


def inner(x: Any, y: Any) -> None:
    for i in hetc.forall(len(y)):
        y[i] = 0.5 * x[i] + 1


inner_compiled = hetc.jit(inner)


def outer(x: Any, n: Any) -> Any:
    y = np.zeros(len(x))
    for _ in range(n):
        inner_compiled(x, y)
        inner_compiled(y, x)
    return y


@pytest.fixture(params=["as it is", "with copies"], autouse=True)
def device(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The best device, and one that copies, be it that it need not."""
    found = devices.select(None) if request.param == "as it is" else copying_device(None, force=True)
    with hetc.configure(device=found, offload="always", fallback="silent"):
        yield found


@pytest.fixture(autouse=True)
def repeated(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Grows by one for each run that is repeated: whether no guard has failed."""
    found: list[bool] = []
    run = repeated_run.RepeatedRun.run

    def counted(self: Any, *arguments: Any) -> bool:
        done = run(self, *arguments)
        found.append(done)
        return done

    monkeypatch.setattr(repeated_run.RepeatedRun, "run", counted)
    return found


def outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a call returns or raises."""
    try:
        return function(*arguments)
    except Exception as error:  # noqa: BLE001 (whatever it is, it is compared)
        return type(error), str(error)


def check(function: Callable[..., Any], compiled: Any, *arguments: Any) -> None:
    """A call leaves what Python leaves."""
    copies = [like(value) for value in arguments]
    with hetc.configure(offload="never"):
        expected = outcome(function, *copies)
    found = outcome(compiled, *arguments)
    np.testing.assert_equal(found, expected)
    for one, other in zip(arguments, copies, strict=True):
        np.testing.assert_array_equal(one, other)


def like(value: Any) -> Any:
    """A copy, which may be written as the value may."""
    made = copy.copy(value)
    if isinstance(value, np.ndarray):
        made.flags.writeable = value.flags.writeable
    return made


def numbers(size: int = 7, dtype: str = "float64") -> tuple[Any, Any]:
    return np.arange(1, size + 1).astype(dtype), np.zeros(size, dtype)


def warm(function: Callable[..., Any], compiled: Any, make: Callable[[], tuple[Any, ...]], found: list[bool]) -> None:
    """Call until runs are repeated."""
    for _ in range(14):
        check(function, compiled, *make())
    before = len(found)
    check(function, compiled, *make())
    assert len(found) > before, "the last run was not repeated"


def test_runs_are_repeated_on_other_arrays_and_numbers(repeated: list[bool]) -> None:
    compiled = hetc.jit(scale)
    warm(scale, compiled, lambda: (*numbers(), 0.5), repeated)
    before = len(repeated)
    for by in (0.25, 3.5, 1e300):
        x, y = numbers()
        check(scale, compiled, x * by, y, by)
    assert len(repeated) > before
    assert all(repeated)


@pytest.mark.parametrize("value", [5.0, -2.0, 2, np.float32(0.1), "text", None, np.arange(7.0)])
def test_a_global_number_is_what_it_is_now(value: Any, monkeypatch: pytest.MonkeyPatch, repeated: list[bool]) -> None:
    compiled = hetc.jit(scale)
    warm(scale, compiled, numbers, repeated)
    monkeypatch.setitem(globals(), "factor", value)
    for _ in range(3):
        check(scale, compiled, *numbers())
    monkeypatch.undo()
    check(scale, compiled, *numbers())


def test_a_global_integer_and_a_global_function(monkeypatch: pytest.MonkeyPatch, repeated: list[bool]) -> None:
    for function, name, values in (
        (uses_count, "count", (4, -3, 2**70, True, 3)),
        (calls, "helper", (other_helper, helper)),
    ):
        compiled = hetc.jit(function)
        warm(function, compiled, numbers, repeated)
        for value in values:
            monkeypatch.setitem(globals(), name, value)
            check(function, compiled, *numbers())


def test_a_function_that_gets_other_code(monkeypatch: pytest.MonkeyPatch, repeated: list[bool]) -> None:
    compiled = hetc.jit(calls)
    warm(calls, compiled, numbers, repeated)
    monkeypatch.setattr(helper, "__code__", other_helper.__code__)
    check(calls, compiled, *numbers())


def test_a_global_array(monkeypatch: pytest.MonkeyPatch, repeated: list[bool]) -> None:
    compiled = hetc.jit(reads_table)
    for _ in range(4):
        check(reads_table, compiled, *numbers())
    table[3] = 70
    check(reads_table, compiled, *numbers())
    monkeypatch.setitem(globals(), "table", np.arange(9.0)[::-1])
    check(reads_table, compiled, *numbers())
    x, y = numbers()
    monkeypatch.setitem(globals(), "table", y)
    compiled(x, y)  # each element is read and stored by one iteration
    np.testing.assert_array_equal(y, x)


def test_a_variable_of_a_function_around(repeated: list[bool]) -> None:
    def around(add: Any) -> tuple[Any, Any, Callable[[Any], None]]:
        def shift(x: Any, y: Any) -> None:
            for i in hetc.forall(len(y)):
                y[i] = x[i] + add

        def change(value: Any) -> None:
            nonlocal add
            add = value

        return shift, hetc.jit(shift), change

    plain, compiled, change = around(1.5)
    warm(plain, compiled, numbers, repeated)
    for value in (2.5, -2.5, 3, np.float32(1), np.arange(7.0), "text", 1.5):
        change(value)
        check(plain, compiled, *numbers())


def aligned_otherwise(x: Any) -> Any:
    made = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype)
    made[...] = x
    return made


OTHERS: dict[str, Callable[[Any], Any]] = {
    "longer": lambda x: np.concatenate([x, x]),
    "shorter": lambda x: x[:3].copy(),
    "empty": lambda x: x[:0].copy(),
    "float32": lambda x: x.astype(np.float32),
    "integers": lambda x: x.astype(np.int64),
    "with a step": lambda x: np.repeat(x, 2)[::2],
    "backwards": lambda x: x[::-1],
    "not aligned": aligned_otherwise,
    "other byte order": lambda x: x.astype(">f8"),
    "repeated": lambda x: np.broadcast_to(x[:1], x.shape),
    "a list": lambda x: x.tolist(),
    "two dimensions": lambda x: np.stack([x, x], 1),
    "a subclass": lambda x: np.ma.masked_array(x, x > 3),
    "a field": lambda x: np.array([(v,) for v in x], [("a", "f8")])["a"],
    "objects": lambda x: x.astype(object),
    "portable": hetc.array,
}


@pytest.mark.parametrize("name", OTHERS)
def test_an_array_of_another_kind(name: str, repeated: list[bool]) -> None:
    compiled = hetc.jit(scale)
    warm(scale, compiled, numbers, repeated)
    x, y = numbers()
    with hetc.configure(offload="never"):
        expected = outcome(scale, OTHERS[name](x), y)
    z = np.zeros(7)
    assert outcome(compiled, OTHERS[name](x), z) == expected
    np.testing.assert_array_equal(z, y)
    check(scale, compiled, *numbers())


@pytest.mark.parametrize("name", ["longer", "shorter", "empty", "float32", "integers", "with a step", "backwards"])
def test_a_result_of_another_kind(name: str, repeated: list[bool]) -> None:
    compiled = hetc.jit(scale)
    warm(scale, compiled, numbers, repeated)
    x, y = numbers()
    check(scale, compiled, x, OTHERS[name](y))
    check(scale, compiled, x, y)


def test_arrays_that_overlap(repeated: list[bool]) -> None:
    def shift(x: Any, y: Any) -> None:
        for i in hetc.forall(len(y)):
            y[i] = x[i] + 1

    compiled = hetc.jit(shift)
    warm(shift, compiled, numbers, repeated)
    for first, second in ((0, 1), (1, 0), (0, 0)):
        memory, expected = np.arange(8.0), np.arange(8.0)
        compiled(memory[first : first + 7], memory[second : second + 7])
        shift(expected[first : first + 7], expected[second : second + 7])
        np.testing.assert_array_equal(memory, expected)
    x, _ = numbers()
    compiled(x, x)
    np.testing.assert_array_equal(x, np.arange(1, 8.0) + 1)


def test_a_result_that_is_read_only(repeated: list[bool]) -> None:
    compiled = hetc.jit(scale)
    warm(scale, compiled, numbers, repeated)
    x, y = numbers()
    y.flags.writeable = False
    check(scale, compiled, x, y)
    assert not y.any()
    y.flags.writeable = True
    x.flags.writeable = False
    check(scale, compiled, x, y)


def test_the_same_array_in_other_memory(repeated: list[bool]) -> None:
    compiled = hetc.jit(scale)
    warm(scale, compiled, numbers, repeated)
    x, y = numbers()
    compiled(x, y)
    x.resize(100_000, refcheck=False)
    x[:] = 3
    x.resize(7, refcheck=False)
    check(scale, compiled, x, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # since NumPy 2.5
        x.dtype = np.int64
    check(scale, compiled, x, y)


def test_ranges_and_the_variable_after_the_loop(repeated: list[bool]) -> None:
    compiled = hetc.jit(part)
    warm(part, compiled, lambda: (*numbers(), 1, 2), repeated)
    for first, step in ((0, 2), (1, 3), (6, 1), (5, -1), (7, 1), (9, 2), (1, 2)):
        check(part, compiled, *numbers(), first, step)


@pytest.mark.parametrize("bad", [7, 99, -8])
def test_an_index_out_of_range_in_a_repeated_run(bad: int, repeated: list[bool]) -> None:
    compiled = hetc.jit(picks)
    warm(picks, compiled, lambda: (*numbers(), np.arange(7)[::-1].copy()), repeated)
    for place in (0, 3, 6):
        at = np.arange(7)
        at[place] = bad
        check(picks, compiled, *numbers(), at)
    check(picks, compiled, *numbers(), np.arange(7) - 7)
    check(picks, compiled, *numbers(), np.arange(7))


def test_guards_that_keep_failing_end_the_repeating(repeated: list[bool]) -> None:
    compiled = hetc.jit(picks)
    for _ in range(3):
        warm(picks, compiled, lambda: (*numbers(), np.arange(7)), repeated)
        at = np.arange(7)
        at[2] = 50
        check(picks, compiled, *numbers(), at)
    assert repeated.count(False) == 3


def test_what_numpy_warns_of_or_raises(repeated: list[bool]) -> None:
    compiled = hetc.jit(divides)
    x, y = numbers()
    with np.errstate(all="ignore"):
        warm(divides, compiled, lambda: (x, y, x + 1), repeated)
        check(divides, compiled, x, y, x - 3)
    with np.errstate(all="warn"):
        with pytest.warns(RuntimeWarning, match="divide"):
            compiled(x, y, x - 3)
        warm(divides, compiled, lambda: (x, y, x + 1), repeated)
        with pytest.warns(RuntimeWarning, match="divide"):
            compiled(x, y, x - 3)
    with np.errstate(all="raise"):
        check(divides, compiled, x, y.copy(), x - 3)


def test_integers_that_are_divided_by_zero(repeated: list[bool]) -> None:
    compiled = hetc.jit(divides)

    def make() -> tuple[Any, Any, Any]:
        return [*range(7)], np.zeros(7, np.int64), [2] * 7

    for _ in range(4):
        check(divides, compiled, *make())
    check(divides, compiled, *make()[:2], [1, 2, 0, 1, 1, 0, 1])


def test_settings_and_those_who_watch(repeated: list[bool]) -> None:
    compiled = hetc.jit(scale)
    warm(scale, compiled, numbers, repeated)
    before = len(repeated)
    with hetc.configure(offload="never"):
        check(scale, compiled, *numbers())
    with hetc.configure(debug=True):
        check(scale, compiled, *numbers())
    with hetc.configure(fastmath=True):
        check(scale, compiled, *numbers())
    with hetc.profile() as p:
        check(scale, compiled, *numbers())
    assert p.launches == 1
    assert p.cache_hits == 1
    assert "line by line" not in str(compiled.explain(*numbers()))
    with np.errstate(over="raise"):
        check(scale, compiled, *numbers())
    assert len(repeated) == before
    warm(scale, compiled, numbers, repeated)
    with hetc.configure(fallback="silent"):  # as it is already
        before = len(repeated)
        check(scale, compiled, *numbers())
        assert len(repeated) > before
    warm(scale, compiled, numbers, repeated)


def test_a_loop_between_statements_of_the_host(repeated: list[bool]) -> None:
    compiled = hetc.jit(rounds)
    for n in (1, 2, 5, 9, 9, 8):
        check(rounds, compiled, *numbers(), n)
    assert len(repeated) > 8
    assert all(repeated)


def test_functions_that_call_each_other(repeated: list[bool]) -> None:
    compiled = hetc.jit(outer)
    for n in (1, 3, 3, 4):
        check(outer, compiled, numbers()[0], n)
    assert repeated
    assert all(repeated)


def test_no_array_is_kept_alive(repeated: list[bool]) -> None:
    compiled = hetc.jit(scale)
    warm(scale, compiled, numbers, repeated)
    x, y = numbers()
    compiled(x, y)
    gone = weakref.ref(x), weakref.ref(y)
    del x, y
    gc.collect()
    assert [ref() for ref in gone] == [None, None]


def test_programs_that_are_not_remembered_any_more(repeated: list[bool]) -> None:
    compiled = hetc.jit(uses_count)
    check(uses_count, compiled, *numbers())
    executor._build_program.cache_clear()
    gc.collect()
    warm(uses_count, compiled, numbers, repeated)


def test_no_room_for_what_would_be_kept(monkeypatch: pytest.MonkeyPatch, repeated: list[bool]) -> None:
    def refuse(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(executor.Executable, "new_kernel", refuse)
    compiled = hetc.jit(scale)
    for _ in range(5):
        check(scale, compiled, *numbers())
    assert not repeated


def test_several_threads(repeated: list[bool]) -> None:
    compiled = hetc.jit(rounds)
    warm(rounds, compiled, lambda: (*numbers(300), 3), repeated)
    expected = rounds(*numbers(300), 20)
    found: list[Any] = []
    current = hetc.settings.current()

    def work() -> None:
        with hetc.configure(device=current.device, offload="always"):
            found.extend(compiled(*numbers(300), 20) for _ in range(10))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 40
    for each in found:
        np.testing.assert_equal(each, expected)


def test_a_device_that_refuses_before_anything_runs(monkeypatch: pytest.MonkeyPatch, repeated: list[bool]) -> None:
    compiled = hetc.jit(rounds)
    warm(rounds, compiled, lambda: (*numbers(), 3), repeated)

    def refuse(*_: Any) -> None:
        raise MemoryError

    for name in ("share", "bring"):
        monkeypatch.setattr(repeated_run._Run, name, refuse)
    check(rounds, compiled, *numbers(), 3)


def test_where_hetc_decides(device: Any, repeated: list[bool]) -> None:
    compiled = hetc.jit(scale)
    with hetc.configure(device=device, offload="auto", threshold=0, fallback="silent"):
        for _ in range(30):
            check(scale, compiled, *numbers(20_000))
        check(scale, compiled, *numbers())

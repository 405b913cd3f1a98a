"""What hetc cannot compile, and what it cannot take: Python's result and one warning, or one clear error."""

# The functions under test are odd on purpose.
# ruff: noqa: PLW0108, RUF005

from __future__ import annotations

import math
import operator
import re
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import api
from hetc.division import DividingDispatcher
from hetc.runtime.devices import Device

Agree = Callable[..., Any]

increment = hetc.map(lambda x: x + 1)
total = hetc.reduce(lambda a, b: a + b, 0)
add = hetc.map(lambda a, b: a + b)


@pytest.fixture(autouse=True)
def forget_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test starts as a new process does: nothing compiled, nothing warned about."""
    monkeypatch.setattr(api, "_dispatcher", DividingDispatcher())


def line_of(function: Callable[..., Any]) -> int:
    return function.__code__.co_firstlineno


# --------------------------------------------------------------------------------------------------------------------
# Inputs that do not fit together
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["always", "never"])
@pytest.mark.parametrize(
    "inputs",
    [
        ([1, 2], [1, 2, 3]), ([1], []), (np.arange(3), np.arange(4)), (range(3), [1, 2]), ((1, 2), np.arange(5.0)),
        ([], [1]),
    ],
    ids=["lists", "one empty", "arrays", "range", "tuple", "the other empty"],
)  # fmt: skip
def test_different_lengths(device: Device, mode: str, inputs: tuple[Any, ...]) -> None:
    for af in (add, hetc.zip().map(lambda p: p[0]), add.reduce(lambda a, b: a + b, 0)):
        with (
            hetc.configure(device=device, offload=mode),
            pytest.raises(hetc.InputError, match="different lengths") as error,
        ):
            af(*inputs)
        for value in inputs:
            assert str(len(value)) in str(error.value)
        assert isinstance(error.value, ValueError)


def test_no_input(device: Device) -> None:
    for af in (increment, total, add, hetc.zip()):
        with hetc.configure(device=device), pytest.raises(hetc.InputError, match="at least one input"):
            af()


def test_a_reduction_of_several_inputs(device: Device) -> None:
    with hetc.configure(device=device), pytest.raises(hetc.InputError, match=r"one input, not 2(.|\n)*hetc\.zip"):
        total([1], [2])


def test_nothing_follows_a_reduction() -> None:
    with pytest.raises(hetc.InputError, match="nothing can follow a reduction"):
        total.map(lambda x: x)


@pytest.mark.parametrize("empty", [[], (), range(0), range(5, 5), np.array([])], ids=repr)
def test_empty_inputs(agree: Agree, empty: Any) -> None:
    agree(increment, empty)
    agree(add, empty, empty)
    agree(total, empty)
    agree(hetc.map(lambda x: x * x).reduce(lambda a, b: a + b, 2.5), empty)


@pytest.mark.parametrize("mode", ["always", "never"])
@pytest.mark.parametrize("dtype", ["float32", "int8", "bool", "uint64"])
def test_empty_arrays_give_empty_arrays(device: Device, mode: str, dtype: str) -> None:
    empty = np.array([], dtype)
    with hetc.configure(device=device, offload=mode, fallback="error"):
        result = increment(empty)
        assert isinstance(result, np.ndarray)
        assert result.shape == (0,)
        assert type(total(empty)) is int


# --------------------------------------------------------------------------------------------------------------------
# Calls that Python rejects
# --------------------------------------------------------------------------------------------------------------------


def test_the_wrong_number_of_parameters(agree: Agree) -> None:
    agree(add, [1, 2], fallbacks=1)
    agree(increment, [1], [2], fallbacks=1)
    agree(hetc.map(lambda: 1), [1], fallbacks=1)
    agree(hetc.reduce(lambda a: a, 0), [1], fallbacks=1)
    agree(hetc.map(math.sqrt), [1.0], [2.0], fallbacks=1)

    def helper(a: Any, b: Any) -> Any:
        return a + b

    agree(hetc.map(lambda x: helper(x)), [1], fallbacks=1)
    agree(hetc.map(lambda x: helper(x, c=1)), [1], fallbacks=1)
    agree(hetc.map(lambda x: helper(x, 1, 2)), [1], fallbacks=1)


def test_an_exception_in_the_function(agree: Agree) -> None:
    def explicit(x: int) -> int:
        if x == 3:
            raise ValueError(f"no threes: {x}")
        return x

    agree(hetc.map(explicit), [1, 2, 3, 4], deopts=1)

    agree(hetc.map(lambda x: undefined_name + x), [1], fallbacks=1)  # noqa: F821
    agree(hetc.map(lambda x: x.nothing), [1], fallbacks=1)
    agree(hetc.map(lambda x: x[0]), [1], fallbacks=1)
    agree(hetc.map(lambda x: x + (1,)), [1], fallbacks=1)
    agree(hetc.map(lambda x: x & 1.5), [1], fallbacks=1)
    agree(hetc.map(lambda p: p[5]), [(1, 2)], fallbacks=1)

    def unbound(x: int) -> int:
        if x > 1:
            y = x
        return y

    agree(hetc.map(unbound), [2, 1], fallbacks=1)


def test_the_exception_of_the_first_element_in_order(agree: Agree) -> None:
    def several(x: int) -> float:
        if x == 500:
            return 1 / (x - 500)
        if x == 400:
            return math.sqrt(-x)
        return 2.0**x

    agree(hetc.map(several), range(1000), deopts=1)
    agree(hetc.map(several), range(999, -1, -1), deopts=1)


def test_the_traceback_shows_the_users_line_and_nothing_of_the_compiler(device: Device) -> None:
    def helper(x: float) -> float:
        return 1 / x

    def outer(x: float) -> float:
        return helper(x) + 1

    with hetc.configure(device=device, offload="always"), pytest.raises(ZeroDivisionError) as error:
        hetc.map(outer)([1.0, 0.0])
    frames = traceback.extract_tb(error.value.__traceback__)
    assert [frame.name for frame in frames[-2:]] == ["outer", "helper"]
    assert frames[-1].line == "return 1 / x"
    text = "".join(traceback.format_exception(error.value))
    assert "xdsl" not in text
    assert "pyopencl" not in text
    assert "During handling" not in text
    assert "direct cause" not in text


def takes_two(a: Any, _: Any) -> Any:
    return a


def takes_one(a: Any) -> Any:
    return a


NOT_TAKEN: list[tuple[Callable[[Any], Any], Any]] = [
    (hetc.map(takes_two), [1, 2]),
    (hetc.map(takes_two), np.array([1.0, 2.0])),
    (hetc.map(takes_one).map(takes_two), [1]),
    (hetc.filter(takes_two), [1, 2]),
    (hetc.reduce(takes_one, 0), [1, 2]),
    (hetc.reduce(takes_two), []),
    (hetc.map(takes_one).reduce(takes_one, 0), [1, 2]),
    (hetc.scan(takes_one), [1, 2]),
    (hetc.scan(takes_one, 0, exclusive=True), [1, 2]),
    (hetc.sort(takes_two), [1, 2]),
    (hetc.sort(), [1, "a"]),
    (hetc.argsort(takes_two), np.array([1, 2])),
    (hetc.gather([5]), [1, 2]),
    (hetc.gather(np.array([5])), np.array([1, 2])),
    (hetc.scatter([5, 0], 2), [1, 2]),
    (hetc.scatter([0, 0], 2, takes_one), [1, 2]),
    (hetc.stencil(lambda w: w[2], 1), np.array([1, 2, 3])),
    (hetc.stencil(lambda w: w[0, 0], 1), np.array([1, 2, 3])),
    (hetc.stencil(takes_two, 1), np.array([1, 2, 3])),
    (hetc.stencil(lambda w: w[0], 1), 5),
    (hetc.iterate(hetc.map(takes_two), 2), [1, 2]),
    (hetc.iterate(hetc.map(takes_one), until=takes_one), [1, 2]),
    (hetc.map(takes_one), 5),
]


@pytest.mark.parametrize("offload", ["always", "auto", "never"])
@pytest.mark.parametrize("case", range(len(NOT_TAKEN)))
def test_the_traceback_of_what_a_function_does_not_take_ends_in_the_call(
    device: Device, case: int, offload: Any
) -> None:
    """Python's own error where it calls functions: of hetc, the traceback has the call alone."""
    function, value = NOT_TAKEN[case]
    with (
        hetc.configure(device=device, offload=offload, fallback="silent"),
        pytest.raises((TypeError, IndexError)) as error,
    ):
        function(value)
    places = [Path(frame.filename) for frame in traceback.extract_tb(error.value.__traceback__)]
    assert [place.name for place in places if place.parts[-2] in ("hetc", "skeleton")] == ["api.py"]


# --------------------------------------------------------------------------------------------------------------------
# Types
# --------------------------------------------------------------------------------------------------------------------

COMPLEX = np.array([1.5, 2.5j], np.clongdouble)


@pytest.mark.parametrize(
    "data",
    [
        np.ones(2, np.clongdouble), ["a", "b"], np.array(["a", "b"]), [None], [(1, 2), None],
        [1, 2.5, True, None, np.int8(1), np.int16(1), np.int32(1)], [2**64, 1], [-(2**63) - 1],
        range(2**63, 2**63 + 2), [[1], [2]], [(1, 2), (3,)], [(), ()],
        np.array([1, 2.5], object), COMPLEX, np.array([1.0, 2.0], ">f8"), np.array(["2020-01-01"], "M8[D]"),
        np.array([1.0, 2.0], np.longdouble), [b"x"], [(1, "a")], {1: 2, 3: 4}, "text", b"bytes", {5},
        np.arange(6.0).reshape(2, 3), np.array(["x"], "S1"),
        [np.array([1.0, 2.0])],
    ],
    ids=lambda data: re.sub(r"\W+", " ", repr(data))[:30].strip(),
)  # fmt: skip
def test_types_that_are_not_compiled_run_in_python(agree: Agree, data: Any) -> None:
    agree(hetc.map(lambda x: x == x), data, fallbacks=1)


def test_arithmetic_of_whole_rows_runs_in_python(agree: Agree) -> None:
    agree(hetc.map(lambda row: row * 2), np.arange(6.0).reshape(3, 2), fallbacks=1)


@pytest.mark.parametrize(
    "value",
    ["text", {1: 2.0}, [1, None], [(1, 2)], [], 2**70, np.arange(8).reshape(2, 2, 2), np.longdouble(1)],
    ids=lambda value: re.sub(r"\W+", " ", repr(value))[:30].strip(),
)
def test_captured_values_that_are_not_compiled(agree: Agree, value: Any) -> None:
    agree(hetc.map(lambda x: x if value == value else -x), [1, 2], fallbacks=1)


def test_objects(agree: Agree) -> None:
    class Point:
        def __init__(self, x: float) -> None:
            self.x = x

    points = [Point(1.0), Point(2.0)]
    with hetc.configure(fallback="silent"):
        assert hetc.map(lambda p: p.x * 2)(points) == [2.0, 4.0]

    class Scale:
        factor = 3

        def __call__(self, x: int) -> int:
            return x * self.factor

        def method(self, x: int) -> int:
            return x * self.factor + 1

    agree(hetc.map(Scale()), [1, 2], fallbacks=1)
    agree(hetc.map(Scale().method), [1, 2], fallbacks=1)
    agree(hetc.map(lambda x: x * Scale.factor), [1, 2])


def test_iterators_and_generators(device: Device) -> None:
    def generated() -> Iterator[int]:
        yield from range(5)

    with hetc.configure(device=device, fallback="silent"):
        assert increment(generated()) == [1, 2, 3, 4, 5]
        assert increment(iter([1, 2])) == [2, 3]
        assert total(x * x for x in range(4)) == 14
        assert total(generated()) == 10
        assert increment(iter([])) == []
        assert add(generated(), range(5)) == [0, 2, 4, 6, 8]
        with pytest.raises(ValueError, match=r"shorter|longer"):
            add(generated(), range(4))


@pytest.mark.parametrize("thing", [5, None, 2.5, object()], ids=["int", "None", "float", "object"])
def test_things_that_cannot_be_iterated(device: Device, thing: Any) -> None:
    with (
        hetc.configure(device=device, fallback="silent"),
        pytest.raises(TypeError, match=f"'{type(thing).__name__}' object is not iterable"),
    ):
        increment(thing)


# --------------------------------------------------------------------------------------------------------------------
# Functions
# --------------------------------------------------------------------------------------------------------------------


def recursive(n: int) -> int:
    return 1 if n < 2 else n * recursive(n - 1)


def even(n: int) -> bool:
    return n == 0 or odd(n - 1)


def odd(n: int) -> bool:
    return n != 0 and even(n - 1)


def test_recursion(agree: Agree) -> None:
    agree(hetc.map(recursive), [1, 5, 10], fallbacks=1)
    agree(hetc.map(lambda n: recursive(n) + 1), [1, 5, 10], fallbacks=1)
    agree(hetc.map(even), [1, 2, 3], fallbacks=1)


def test_functions_without_source(agree: Agree) -> None:
    namespace: dict[str, Any] = {}
    exec("def doubled(x):\n    return x * 2\n", namespace)
    agree(hetc.map(namespace["doubled"]), [1, 2], fallbacks=1)
    agree(hetc.map(eval("lambda x: x + 5")), [1, 2], fallbacks=1)  # noqa: S307
    doubled = namespace["doubled"]
    agree(hetc.map(lambda x: doubled(x) + 1), [1, 2], fallbacks=1)
    agree(hetc.reduce(operator.add, 0), [1, 2, 3], fallbacks=1)
    agree(hetc.map(operator.neg), [1, 2, 3], fallbacks=1)
    agree(hetc.map(str), [1, 2], fallbacks=1)
    agree(hetc.map(len), [(1, 2), (3, 4)])
    agree(hetc.map(operator.pos), [1.5, 2.5], fallbacks=1)
    agree(hetc.map(lambda x: operator.pos(x)), [1.5, 2.5], fallbacks=1)


def test_a_function_whose_file_is_gone(agree: Agree, tmp_path: Path) -> None:
    path = tmp_path / "gone.py"
    path.write_text("def f(x):\n    return x + 1\n")
    namespace: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    path.unlink()
    agree(hetc.map(namespace["f"]), [1, 2], fallbacks=1)


def test_a_function_whose_file_has_changed(agree: Agree, tmp_path: Path) -> None:
    path = tmp_path / "changed.py"
    path.write_text("def f(x):\n    return x + 1\n")
    namespace: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    path.write_text("\n\n\nAA = 1\n")
    agree(hetc.map(namespace["f"]), [1, 2], fallbacks=1)


def stateful(x: int) -> int:
    global counter
    counter += 1
    return x + counter


counter = 0


def mutating(i: int) -> int:
    seen[i] = seen[i] + 1
    return seen[i]


seen = [0, 0, 0]


def test_side_effects_happen_once(device: Device) -> None:
    global counter
    counter, seen[:] = 0, [0, 0, 0]
    with hetc.configure(device=device, fallback="silent"):
        assert hetc.map(stateful)([10, 20]) == [11, 22]
        assert counter == 2
        assert hetc.map(mutating)(range(3)) == [1, 1, 1]
        assert seen == [1, 1, 1]


UNSUPPORTED: list[Any] = [
    lambda x: [[k] for k in range(x)],
    lambda x: {x: 1},
    lambda x: f"{x}",
    lambda x: x.as_integer_ratio(),
    lambda x: sum(sorted([k * x for k in range(x)])),
    lambda x: x in seen,
    lambda x: dict.fromkeys((1, 2), x),
    lambda x: x is x + 1,
    lambda x: "yes" if x > 1 else "no",
    lambda x: None,
    lambda x: print(end="") or x,
    lambda x: [10, 20, 30][x:],
    lambda x, **named: x,
    lambda x: max(x, 2, key=abs),
    lambda x: 1j // x,
    lambda x: x + 2**70,
    lambda x: 99999999999999999999 + x,
    lambda x: ...,
    lambda x: x @ x if x > 1 else x[1],
    lambda x: int("12") + x,
    lambda x: frozenset((x,)),
    lambda x: np.array([x]).sum(),
]


@pytest.mark.parametrize("function", UNSUPPORTED, ids=range(len(UNSUPPORTED)))
def test_constructs_that_are_not_compiled(agree: Agree, function: Callable[[Any], Any]) -> None:
    agree(hetc.map(function), [1, 2, 3], fallbacks=1)


def with_import(n: int) -> int:
    import math as m

    return m.floor(n)


def with_block(n: int) -> int:
    with np.errstate(all="ignore"):
        return n + 1


def generator(n: int) -> Any:
    yield n


async def asynchronous(n: int) -> int:
    return n


@pytest.mark.parametrize("function", [with_import, with_block])
def test_statements_that_are_not_compiled(agree: Agree, function: Callable[[int], Any]) -> None:
    agree(hetc.map(function), [0, 1, 2, 3], fallbacks=1)


def test_generator_functions_and_coroutines(device: Device) -> None:
    with hetc.configure(device=device, fallback="silent"):
        assert [list(g) for g in hetc.map(generator)([1, 2])] == [[1], [2]]
        coroutines = hetc.map(asynchronous)([1, 2])
    for coroutine in coroutines:
        with pytest.raises(StopIteration, match=r"1|2"):
            coroutine.send(None)


# --------------------------------------------------------------------------------------------------------------------
# What the user is told
# --------------------------------------------------------------------------------------------------------------------


def listed(x: int) -> list[object]:
    y = x + 1
    return [(y, [x])] if x else []


def test_a_fallback_warns_once_with_place_caret_and_reason(device: Device) -> None:
    af = hetc.map(listed)
    with hetc.configure(device=device, fallback="warn"):
        with pytest.warns(hetc.FallbackWarning) as caught:
            assert af([1, 2]) == [[(2, [1])], [(3, [2])]]
        assert af([3]) == [[(4, [3])]]  # a second warning would be an error here
        assert hetc.map(listed)((3,)) == ([(4, [3])],)
    (warning,) = caught
    line = line_of(listed) + 2
    text = str(warning.message)
    assert f"{__file__}:{line}:12: " in text
    assert "a list whose length varies holds numbers and tuples of them, not (int, [int])" in text
    assert text.splitlines()[1:3] == ["    return [(y, [x])] if x else []", "           ^"]
    assert (warning.filename, Path(__file__).name) == (__file__, "test_bad_input.py")


def test_each_place_and_reason_warns(device: Device) -> None:
    calls = [
        lambda: hetc.map(lambda x: [[k] for k in range(x)])([1]),
        lambda: hetc.map(lambda x: {x})([1]),
        lambda: increment([np.longdouble(1)]),
    ]
    for call in calls:
        with hetc.configure(device=device), pytest.warns(hetc.FallbackWarning) as caught:
            call()
        assert len(caught) == 1


def test_fallback_error_raises_the_same_text(device: Device) -> None:
    with hetc.configure(device=device), pytest.warns(hetc.FallbackWarning) as caught:
        hetc.map(listed)([1])
    for raising in (hetc.map(listed).options(fallback="error"), hetc.map(listed)):
        with hetc.configure(device=device, fallback="error"), pytest.raises(hetc.UnsupportedError) as error:
            raising([1])
        assert str(caught[0].message).endswith(str(error.value))
        assert "xdsl" not in "".join(traceback.format_exception(error.value))
        assert "pyopencl" not in "".join(traceback.format_exception(error.value))


def test_fallback_silent_says_nothing(device: Device) -> None:
    with warnings.catch_warnings(record=True) as caught, hetc.configure(device=device, fallback="silent"):
        warnings.simplefilter("always")
        assert hetc.map(listed)([1]) == [[(2, [1])]]
        assert hetc.map(listed).options(fallback="silent")([1]) == [[(2, [1])]]
    assert not caught


@pytest.mark.parametrize("function", UNSUPPORTED, ids=range(len(UNSUPPORTED)))
def test_reasons_name_the_place(device: Device, function: Callable[[Any], Any]) -> None:
    """A person reads where it is and what it is, in words, not the compiler's own."""
    with hetc.configure(device=device, fallback="error"), pytest.raises(hetc.UnsupportedError) as error:
        hetc.map(function)([1, 2, 3])
    place = error.value.location
    assert place is not None, str(error.value)
    assert (place.filename, place.line) == (__file__, line_of(function))
    assert place.excerpt()
    assert not re.search(r"!dyn|dyn\.|obj\.|xdsl|SSA|_ast", error.value.reason)


def test_a_device_that_does_not_exist() -> None:
    with hetc.configure(device="no such thing"), pytest.raises(hetc.DeviceError) as error:
        increment([1])
    text = str(error.value)
    assert "no such thing" in text
    for device in hetc.devices():
        assert device.name in text
    with pytest.raises(hetc.DeviceError, match="no such thing"):
        increment.on("no such thing")([1])
    with hetc.configure(device=99), pytest.raises(hetc.DeviceError, match="99"):
        increment([1])
    assert "pyopencl" not in "".join(traceback.format_exception(error.value))


def test_a_device_from_the_environment_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HETC_DEVICE", "missing")
    with pytest.raises(hetc.DeviceError, match=r"missing(.|\n)*HETC_DEVICE"):
        increment([1])


def test_bad_settings() -> None:
    with pytest.raises(ValueError, match="offload is one of"):
        hetc.configure(offload="sometimes")
    with pytest.raises(ValueError, match="fallback is"):
        increment.options(fallback="loud")

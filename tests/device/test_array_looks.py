"""Statements that look like those of a run before are not looked into: whatever is another way must be seen."""

from __future__ import annotations

import copy
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device

RUNS = 4
"""So often each kind of arguments is met, one after the other, and all kinds again and again."""


def check_kinds(device: Device, function: Callable[..., Any], *kinds: Callable[[], tuple[Any, ...]]) -> None:
    """The function under jit does the same as the plain one, however the kinds of arguments follow each other."""
    compiled = hetc.jit(function)  # pyright: ignore[reportArgumentType, reportCallIssue]
    order = [kind for kind in kinds for _ in range(RUNS)] + [kind for _ in range(RUNS) for kind in kinds]
    with hetc.configure(device=device, offload="always", fallback="silent"):
        for make in order:
            expected_arguments, arguments = make(), make()
            expected = come_to(function, expected_arguments)
            found = come_to(compiled, arguments)
            same(found, expected)
            for one, other in zip(arguments, expected_arguments, strict=True):
                same(one, other)


def come_to(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    try:
        return function(*arguments)
    except (ArithmeticError, ValueError, TypeError, IndexError) as error:
        return type(error), str(error)


def same(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    if isinstance(expected, np.ndarray):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(found, expected)
    elif isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    else:
        assert found == expected


def counted(count: int) -> Iterator[int]:
    """The numbers of a range, in a way that no task runs through, so that statements are asked for one by one."""
    yield from range(count)


def numbers(*shape: int, dtype: Any = np.float64) -> Any:
    return (np.random.default_rng(0).uniform(-4, 4, shape) * 10).astype(dtype)


def test_other_arrays_behind_the_same_names(device: Device) -> None:
    def step(a: Any, b: Any) -> None:
        for _ in counted(3):
            b[1:-1] = 0.5 * (a[:-2] + a[2:])
            a[1:-1] = 0.25 * (b[:-2] + b[2:])

    def the_same() -> tuple[Any, ...]:
        a = numbers(9)
        return a, a

    def overlapping() -> tuple[Any, ...]:
        a = numbers(12)
        return a[:9], a[2:11]

    def apart_in_one() -> tuple[Any, ...]:
        a = numbers(20)
        return a[:9], a[10:19]

    def read_only() -> tuple[Any, ...]:
        a, b = numbers(9), numbers(9)
        b.flags.writeable = False
        return a, b

    check_kinds(
        device,
        step,
        lambda: (numbers(9), numbers(9)),
        lambda: (numbers(12), numbers(12)),
        lambda: (numbers(9, dtype=np.float32), numbers(9)),
        lambda: (numbers(18)[::2], numbers(9)),
        lambda: (numbers(9)[::-1], numbers(9)),
        lambda: (numbers(9), numbers(8)),
        lambda: (numbers(9, dtype=np.int64), numbers(9)),
        lambda: (numbers(9).tolist(), numbers(9)),
        the_same,
        overlapping,
        apart_in_one,
        read_only,
    )


def test_numbers_of_other_values_and_types(device: Device) -> None:
    def step(a: Any, b: Any, x: Any, k: Any) -> None:
        for t in counted(k):
            b[t, 1:] = a[t, 1:] * x + a[k, :-1]
            b[1:k, 0] = (2 * x) / a[1:k, 1]

    def made(x: Any, k: Any, dtype: Any = np.float64) -> Callable[[], tuple[Any, ...]]:
        return lambda: (numbers(6, 5, dtype=dtype) + 50, numbers(6, 5, dtype=dtype), x, k)

    check_kinds(
        device,
        step,
        made(2.0, 3),
        made(-2.0, 3),
        made(3, 3),
        made(0.0, 3),
        made(np.float32(0.1), 3, np.float32),
        made(np.float64(0.1), 3, np.float32),
        made(0.1, 3, np.float32),
        made(True, 3),
        made(1.5, 5),
        made(1.5, np.int64(4)),
        made(1.5, -1),
        made(1.5, 6),
        made(1e300 * 1e10, 2),
    )


def test_elements_that_are_read_as_numbers(device: Device) -> None:
    def step(a: Any, b: Any, x: Any) -> None:
        for t in counted(4):
            b[1:] = x[t] * a[1:] + b[t]
            a[:-1] = a[1] * b[:-1]

    check_kinds(
        device,
        step,
        lambda: (numbers(7), numbers(7), numbers(4)),
        lambda: (numbers(7), numbers(7), numbers(4, dtype=np.float32)),
        lambda: (numbers(7), numbers(7), [1.0, 2.0, 3.0, 4.0]),
        lambda: (numbers(7), numbers(7), numbers(3)),
    )


def test_new_arrays_and_updates(device: Device) -> None:
    def step(a: Any, b: Any) -> Any:
        total = a * 0.5
        for _ in counted(3):
            total = total + b
            c = np.sqrt(abs(total))
            total *= 2.0
            b[...] = c - total
        return total, b

    check_kinds(
        device,
        step,
        lambda: (numbers(5, 4), numbers(5, 4)),
        lambda: (numbers(5, 4), numbers(5, 4, dtype=np.float32)),
        lambda: (numbers(5, 4), numbers(4)),
        lambda: (numbers(4, 5).T, numbers(5, 4)),
        lambda: (3.0, numbers(5, 4)),
    )


def test_functions_that_are_replaced(device: Device) -> None:
    module = types.ModuleType("functions")
    functions: Any = module
    functions.exp = np.exp2

    def step(a: Any, b: Any) -> None:
        for _ in counted(3):
            b[:] = functions.exp(a) + a
            a[:] = b * 0.125

    jitted = hetc.jit(step)
    with hetc.configure(device=device, offload="always", fallback="silent"):
        for function in (np.exp2, np.sin, np.exp2, np.negative):
            functions.exp = function
            for _ in range(RUNS):
                found, expected = (numbers(6) / 50, numbers(6)), (numbers(6) / 50, numbers(6))
                jitted(*found)
                step(*expected)
                for one, other in zip(found, expected, strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-13)


def test_an_error_state_that_changes(device: Device) -> None:
    def step(a: Any, b: Any) -> None:
        b[:] = a / b

    compiled = hetc.jit(step)
    with hetc.configure(device=device, offload="always", fallback="silent"):
        for state in ("ignore", "raise", "ignore", "raise"):
            for _ in range(RUNS):
                a, b = numbers(6), np.zeros(6)
                with np.errstate(all=state):  # pyright: ignore[reportArgumentType]
                    if state == "raise":
                        with pytest.raises(FloatingPointError):
                            compiled(a, b)
                        np.testing.assert_array_equal(b, 0.0)
                    else:
                        compiled(a, b)
                        np.testing.assert_array_equal(b, np.sign(a) * np.inf)


def test_a_variable_that_hides_a_global_one(device: Device) -> None:
    def step(a: Any, b: Any, hide: bool) -> None:
        if hide:
            np = _Other
        else:
            import numpy as np
        for _ in counted(3):
            b[:] = np.exp(a)

    check_kinds(device, step, lambda: (numbers(5) / 50, numbers(5), False), lambda: (numbers(5), numbers(5), True))


class _Other:
    @staticmethod
    def exp(a: Any) -> Any:
        return a + 1.0


def test_arrays_of_one_owner_in_several_variables(device: Device) -> None:
    def step(a: Any) -> Any:
        x, y = a[:, 0:1], a[:, 1:2]
        for _ in counted(3):
            d = x.T - y
            x += 0.5
            y -= d[:, :1]
        return d

    check_kinds(device, step, lambda: (numbers(6, 3),), lambda: (numbers(7, 2),), lambda: (numbers(3, 6).T,))


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")
def test_an_array_that_is_changed_in_shape(device: Device) -> None:
    def step(a: Any, b: Any) -> None:
        for k in counted(6):
            b[...] = a * 2.0 + k
            a.shape = (6, 4) if k % 2 else (4, 6)
            b.shape = a.shape

    check_kinds(device, step, lambda: (numbers(6, 4), numbers(6, 4)), lambda: (numbers(24), numbers(24)))


def test_statements_that_are_left_to_numpy_are_found_again(device: Device) -> None:
    def step(a: Any, b: Any) -> None:
        for _ in counted(20):
            a[0, :] = 0.0
            a[1:, 1:] = b[1:, :-1] - b[:-1, 1:]
            b[:, 0] = b[:, 1]
            b[-1, :] = a[1, :]

    check_kinds(device, step, lambda: (numbers(6, 7), numbers(6, 7)), lambda: (numbers(6, 7), numbers(6, 7)[:, ::-1]))


def test_results_do_not_share_memory(device: Device) -> None:
    def step(a: Any) -> Any:
        found: list[Any] = []
        for k in range(RUNS + 2):
            b = a * 0.5 + k
            found.append(b)
        return tuple(found)

    compiled = hetc.jit(step)
    with hetc.configure(device=device, offload="always"):
        results = compiled(numbers(50))
    for k, found in enumerate(copy.copy(results)):
        np.testing.assert_array_equal(found, numbers(50) * 0.5 + k)


def test_what_is_under_way_is_waited_for(device: Device) -> None:
    def step(a: Any, b: Any, c: Any, x: Any) -> Any:
        for t in counted(12):
            b[1:-1] = 0.5 * a[1:-1] + (a[:-2] - a[2:]) * x[t]
            a[1:-1] = 0.25 * (b[:-2] + b[2:])
            c[:] = a[::-1]  # NumPy's
            b[1:-1] -= c[1:-1] * c[t]
            d = a * 2.0
            d += b
            e = d[::-1].copy()
        return d, e

    def failing(a: Any, b: Any) -> None:
        for t in counted(12):
            b[:] = a * 0.5
            a[1:] = b[1:] + b[:-1]
            b[t + 200_000 :] = a[5:] * 2.0  # does not fit

    size = 200_000
    check_kinds(device, step, lambda: (numbers(size) / 50, numbers(size), numbers(size), numbers(12) / 50))
    check_kinds(device, failing, lambda: (numbers(size) / 50, numbers(size)))


def by_two_names(a: Any, b: Any) -> None:
    for _ in range(3):
        b[1:-1] = 0.5 * (a[:-2] + a[2:])


def bound_in_the_loop(a: Any, b: Any) -> None:
    for _ in range(3):
        c = a
        c[1:-1] = 0.5 * (a[:-2] + a[2:])


def a_row_and_its_array(a: Any, b: Any) -> None:
    for k in range(3):
        r = b[k]
        r[1:-1] = 0.5 * (b[0, :-2] + b[k, 2:])


def rows_around(a: Any, b: Any) -> None:
    c, d = b[1], b[1:]
    for k in range(3):
        c[1:-1] = 0.5 * (d[0, :-2] + b[k, 2:])


@pytest.mark.parametrize("function", [by_two_names, bound_in_the_loop, a_row_and_its_array, rows_around])
def test_one_array_by_two_names_in_ordinary_loops(device: Device, function: Callable[..., Any]) -> None:
    def one() -> tuple[Any, ...]:
        a = numbers(9)
        return a, a

    def a_part() -> tuple[Any, ...]:
        a = numbers(5, 9)
        return a[0], a

    check_kinds(device, function, lambda: (numbers(9), numbers(4, 9)), one, a_part, lambda: (numbers(9), numbers(9)))

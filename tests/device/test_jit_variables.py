"""Loops under `hetc.jit` and the variables around them: what is shared, carried, left behind."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.asserting import asserted_loop
from tests.device.looping import check_loops, refusal


def ones(size: int = 300) -> Any:
    return lambda: (np.arange(float(size)), np.zeros(size))


def test_temporaries_that_only_some_iterations_make(device: Device):
    def f(x: Any, y: Any) -> Any:
        t = -1.0
        for i in hetc.forall(len(x)):
            if x[i] < 100:
                t = x[i] * 2
            y[i] = x[i]
        return t

    check_loops(device, f, ones(), fallbacks=1)


def test_temporaries_made_on_both_branches(device: Device):
    def f(x: Any, y: Any) -> Any:
        for i in hetc.forall(len(x)):
            if x[i] < 100:
                t = x[i] * 2
                y[i] = 1
            else:
                t = 1.5
            y[i] += t
        return t, i

    check_loops(device, f, ones())


def test_a_reduction_and_a_temporary_read_after_the_loop(device: Device):
    def f(x: Any, y: Any) -> Any:
        s = 0.0
        for i in hetc.forall(len(x)):
            t = x[i] * 2
            y[i] = t
            s += t
        return s, t

    check_loops(device, f, ones(), rtol=1e-12)


def test_functions_that_share_the_loops_variables(device: Device):
    def f(x: Any, y: Any) -> Any:
        t = 0.0

        def shared() -> Any:
            return t

        for i in hetc.forall(len(x)):
            t = x[i]
            y[i] = shared()
        return t

    def g(x: Any, y: Any) -> Any:
        def twice(value: Any) -> Any:
            return 2 * value

        for i in hetc.forall(len(x)):
            y[i] = twice(x[i]) + (lambda: x[i])()  # noqa: PLC3002
        return i

    check_loops(device, f, ones(), fallbacks=1)
    check_loops(device, g, ones())


counter = 0


def test_global_variables(device: Device):
    def reads(x: Any, y: Any) -> None:
        for i in hetc.forall(len(x)):
            y[i] = x[i] + counter

    def sums(x: Any, y: Any) -> None:
        global counter
        for _ in hetc.forall(len(x)):
            counter += 1

    def target(x: Any, y: Any) -> None:
        global counter
        for counter in hetc.forall(len(x)):
            y[counter] = 1

    check_loops(device, reads, ones())
    check_loops(device, sums, ones(), fallbacks=1)
    check_loops(device, target, ones(), fallbacks=1)
    assert counter == 299


def test_nonlocal_variables(device: Device):
    def f(x: Any, y: Any) -> Any:
        def inner() -> None:
            nonlocal s
            for i in hetc.forall(len(x)):
                s += x[i]

        s = 0.0
        inner()
        return s

    def g(x: Any, y: Any) -> Any:
        s = 0.0

        def bump(value: Any) -> None:
            nonlocal s
            s += value

        for i in hetc.forall(len(x)):
            y[i] = 1
            bump(x[i])
        return s

    check_loops(device, f, ones())
    check_loops(device, g, ones(), fallbacks=1)


def test_a_variable_without_a_value(device: Device):
    def f(x: Any, y: Any) -> Any:
        for i in hetc.forall(len(x)):
            s += x[i]  # noqa: F821
        s = 0  # noqa: F841

    def g(x: Any, y: Any) -> Any:
        for i in hetc.forall(len(x)):
            y[i] = later  # noqa: F821
        later = 1
        return y, later

    check_loops(device, f, ones(), fallbacks=1)
    check_loops(device, g, ones(), fallbacks=None, deopts=None)


def test_local_variables_are_those_of_the_function(device: Device):
    def f(x: Any, y: Any) -> Any:
        for i in hetc.forall(len(x)):
            y[i] = 1
        return sorted(locals())

    def caught(x: Any, y: Any) -> Any:
        try:
            for i in hetc.forall(len(x)):
                y[i + 1] = 1
        except IndexError:
            return sorted(locals())
        finally:
            y[0] = len(locals())
        return 0

    def suppressed(x: Any, y: Any) -> Any:
        with contextlib.suppress(IndexError):
            for i in hetc.forall(len(x)):
                y[i + 1] = 1
        return sorted(locals())

    def statements(x: Any, y: Any) -> Any:
        for k in range(3):
            y = x + y
            z = y * k
            found = sorted(locals())
        return found, z

    check_loops(device, f, ones())
    check_loops(device, caught, ones(), deopts=1)
    check_loops(device, suppressed, ones(), deopts=1)
    check_loops(device, statements, ones(), deopts=None, fallbacks=None)
    with hetc.configure(device=device, offload="auto"):
        assert hetc.jit(statements)(*ones()())[0] == statements(*ones()())[0]


def test_loops_in_loops(device: Device):
    def f(x: Any, y: Any) -> Any:
        for _ in range(3):
            for i in hetc.forall(len(x)):
                y[i] += x[i]
            for i in hetc.forall(len(x)):
                x[i] = y[i] * 0.5
        return i

    def g(x: Any, y: Any) -> None:
        for i in hetc.forall(len(x)):
            for j in hetc.prange(3):
                for k in hetc.forall(2):
                    y[i] += x[i] * j - k

    check_loops(device, f, ones())
    check_loops(device, g, ones())


def test_an_index_that_a_branch_chooses(device: Device):
    """`i + 5 if i < 0 else i` looks like Python's negative index, `i + 5 if i < n else i` only nearly."""

    def f(x: Any, y: Any) -> None:
        n = 7
        for i in hetc.forall(20):
            k = i + 5 if i < n else i
            y[k] = i

    def g(x: Any, y: Any) -> None:
        for i in hetc.prange(-5, 5):
            k = i + 5 if i < 0 else i
            y[k] = i

    check_loops(device, f, ones(), fallbacks=1)
    check_loops(device, g, ones(), fallbacks=None, deopts=None)


def test_values_of_several_types_are_stored(device: Device):
    def f(x: Any, y: Any) -> None:
        for i in hetc.forall(len(x)):
            y[i] = x[i] if i % 2 else i // 2

    def g(x: Any, y: Any) -> None:
        for i in hetc.forall(len(x)):
            y[i] = None if i == 299 else 1

    check_loops(device, f, ones())
    check_loops(device, g, ones(), deopts=None)


def test_try_and_assert(device: Device):
    def f(x: Any, y: Any) -> None:
        for i in hetc.forall(len(x)):
            try:
                y[i] = 100 // int(x[i] - 250)
            except ZeroDivisionError:
                y[i] = -1

    check_loops(device, f, ones(), deopts=1)
    check_loops(device, asserted_loop, ones(), deopts=None)


def test_endless_index_spaces_are_pythons(device: Device):
    def f(x: Any, y: Any) -> Any:
        for i in hetc.prange(2**70):
            if i == 5:
                return i
        return None

    check_loops(device, f, ones(), fallbacks=None)


def test_arrays_without_elements(device: Device):
    def f(x: Any, y: Any) -> None:
        for i in hetc.forall(5):
            y[i] = 1

    check_loops(device, f, lambda: (np.zeros(3), np.zeros(0)), deopts=None)


def test_something_else_that_is_called_forall(device: Device):
    def forall(n: int) -> Any:
        return ["a", "b"][:n]

    def f(x: Any, y: Any) -> Any:
        found = ""
        for i in forall(2):
            found += i
        return found

    check_loops(device, f, ones())


def test_lists_are_read_and_never_stored_to(device: Device):
    def reads(x: Any, y: Any) -> None:
        for i in hetc.forall(len(x)):
            y[i] = x[i] * 2

    def stores(x: Any, y: Any) -> None:
        for i in hetc.forall(len(x)):
            x[i] = y[i]

    check_loops(device, reads, lambda: ([1, 2, 3], np.zeros(3, np.int64)))
    check_loops(device, stores, lambda: ([1, 2, 3], np.zeros(3, np.int64)), fallbacks=1)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("x[i] = x[i - 1]", "one iteration may store here to an element of 'x' that another one reads"),
        ("x[i // 2] = 1.0", "different iterations may store to one element of 'x'"),
        ("x[i:i + 1] = 1.0", "only single elements of an array can be stored to"),
        ("x[i] = 1.0; break", "a break statement leaves the loop early"),
        ("return 1", "a return statement leaves the loop early"),
        ("t = x[i] * 2", "the loop computes nothing that is left after it"),
        ("x[i] = len({1})", "is not compiled"),
    ],
)
def test_reasons(line: str, reason: str, tmp_path: Any):
    path = tmp_path / "loops.py"
    path.write_text(f"import hetc\ndef f(x):\n    for i in hetc.prange(1, len(x)):\n        {line}\n")
    names: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    said = refusal(names["f"], np.ones(9))
    assert reason in said
    assert f"{path}:" in said


def test_the_reason_has_a_caret():
    def f(x: Any) -> None:
        for i in hetc.prange(1, len(x)):
            x[i] = x[i - 1] + 1

    lines = refusal(f, np.ones(9)).splitlines()
    assert lines[1].strip() == "x[i] = x[i - 1] + 1"
    assert lines[2].strip() == "^"

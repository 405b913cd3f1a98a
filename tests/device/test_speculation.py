"""Branches that no sample has taken are assumed away; where that proves wrong, the call learns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hetc
from hetc.speculation import MAX_RECOMPILATIONS, MAX_VAIN_CALLS, STEADY_CALLS


def step(x: float) -> int:
    if x < 1:
        return 0
    else:
        return 1


def zeros_and_a_two(size: int) -> Any:
    data = np.zeros(size)
    data[-1] = 2.0
    return data


@pytest.fixture
def on(device: Any) -> Any:
    """Settings for a test: this device, always, and nothing may run in Python unsaid."""
    return lambda: hetc.configure(device=device, offload="always", fallback="error", verify=True)


def test_a_branch_that_is_taken_once_at_the_end(on: Any) -> None:
    """The literature's example: one failure, then a kernel with both branches."""
    data = zeros_and_a_two(1_000_000)
    expected = np.zeros(1_000_000, np.int64)
    expected[-1] = 1
    af = hetc.map(step)
    with on():
        assert "else" not in af.lower(data).opencl()
        with hetc.profile() as first:
            np.testing.assert_array_equal(af(data), expected, strict=True)
        with hetc.profile() as second:
            np.testing.assert_array_equal(af(data), expected, strict=True)
        assert "else" in af.lower(data).opencl()
    assert (first.deopts, second.deopts) == (1, 0)
    assert second.compile_ms > 0


def test_many_failures_compile_again_at_once(on: Any) -> None:
    """Python does not run what the device can."""
    data = np.zeros(200_000)
    data[16:] = np.where(np.arange(16, 200_000) % 4167 == 0, 0.0, 2.0)
    data[(np.arange(48) * 200_000) // 48] = 0.0
    counted = 0

    class Counted(list[float]):
        def __getitem__(self, key: Any) -> Any:
            nonlocal counted
            counted += len(range(*key.indices(len(self)))) if isinstance(key, slice) else 1
            return super().__getitem__(key)

    values = Counted(data.tolist())
    with on(), hetc.profile() as p:
        result = hetc.map(lambda x: step(x) + 1)(values)
    assert result == [step(x) + 1 for x in data.tolist()]
    assert p.deopts == 1
    assert counted < 1000


def test_few_elements_are_no_profile(on: Any) -> None:
    af = hetc.map(lambda x: step(x) + 2)
    with on(), hetc.profile() as p:
        assert af([0.0] * 10) == [2] * 10
        assert af([2.0] * 10) == [3] * 10
    assert p.deopts == 0


def test_a_call_stops_assuming(on: Any) -> None:
    """A branch a call: after a few failures all branches are compiled."""

    def digits(x: int) -> int:
        y = 0
        if x == 1:
            y += 1
        if x == 2:
            y += 2
        if x == 3:
            y += 3
        if x == 4:
            y += 4
        if x == 5:
            y += 5
        if x == 6:
            y += 6
        return y

    with on(), hetc.profile() as p:
        for value in range(8):
            data = [0] * 1000
            data[-1] = value
            assert hetc.map(digits)(data) == [0] * 999 + [value if value < 7 else 0]
    assert p.deopts == MAX_RECOMPILATIONS


def test_a_call_that_always_goes_back_stays_in_python(device: Any) -> None:
    af = hetc.map(lambda i: (i + 1) * 2**62 * 2)
    with hetc.configure(device=device, offload="always", fallback="silent"), hetc.profile() as p:
        for _ in range(MAX_VAIN_CALLS + 2):
            assert af(range(3000))[:3] == [2**63, 2**64, 3 * 2**63]
    assert (p.deopts, p.fallbacks) == (MAX_VAIN_CALLS, 2)


def test_what_is_not_compiled_may_stand_in_a_branch(on: Any) -> None:
    def checked(x: int) -> int:
        if x < 0:
            print(f"negative: {x}")
            raise ValueError(f"negative: {x}")
        return x + 1

    with on(), hetc.profile() as p:
        assert hetc.map(checked)(list(range(100))) == list(range(1, 101))
    assert p.deopts == 0
    with on(), pytest.raises(ValueError, match="negative: -7"):
        hetc.map(checked)([*range(100), -7, -8])


def test_side_effects_of_a_branch_happen_once_in_order(on: Any) -> None:
    seen: list[int] = []

    def noting(x: int) -> int:
        if x % 100 == 7:
            seen.append(x)
        return x

    with on():
        assert hetc.map(noting)(list(range(1000))) == list(range(1000))
    assert seen == list(range(7, 1000, 100))


def test_a_reduction_is_run_again_whole(on: Any) -> None:
    data = zeros_and_a_two(100_000)
    with on(), hetc.profile() as p:
        assert hetc.map(step).reduce(lambda a, b: a + b, 0)(data) == 1
        assert hetc.reduce(lambda a, b: a if a > b else b, -1.0)(data) == 2.0
    assert p.deopts == 1


def test_a_branch_inside_a_loop(on: Any) -> None:
    def escape(c: float) -> int:
        z = 0.0
        for i in range(100):
            if z > 1e6:
                return i
            z = z * z + c
        return -1

    data = np.linspace(0.0, 0.2, 5000)
    data[4321] = 3.0
    with on(), hetc.profile() as p:
        expected = [escape(x) for x in data]
        assert hetc.map(escape)(data).tolist() == expected
        assert hetc.map(escape)(data).tolist() == expected
    assert p.deopts <= 1


def test_a_captured_integer_that_stays_the_same_becomes_a_constant(on: Any) -> None:
    order = 3

    def powers(x: float) -> float:
        total = 0.0
        for k in range(order):
            total += x**2 + k
        return total

    af, data = hetc.map(powers), np.linspace(0.0, 1.0, 300)
    with on(), hetc.profile() as p:
        for _ in range(STEADY_CALLS + 3):
            np.testing.assert_array_equal(af(data), [powers(x) for x in data])
        before = p.compile_ms
        order = 5
        for _ in range(STEADY_CALLS):
            np.testing.assert_array_equal(af(data), [powers(x) for x in data])
        assert p.compile_ms == before
        order = 3
        np.testing.assert_array_equal(af(data), [powers(x) for x in data])
    assert (p.deopts, p.fallbacks) == (0, 0)


def test_captured_integers_that_keep_changing_stay_variables(on: Any) -> None:
    def upto(x: int) -> int:
        total = 0
        for k in range(limit):
            total += k * x
        return total

    af, data = hetc.map(upto), list(range(40))
    with on(), hetc.profile() as p:
        for limit in range(1, 25):  # noqa: B007 (the function reads it)
            assert af(data) == [upto(x) for x in data]
    assert p.cache_hits == 23

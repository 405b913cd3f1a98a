"""With offload="auto" a call gives what Python gives, wherever its elements run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import api
from hetc.division import DividingDispatcher
from hetc.runtime.devices import Device

pytestmark = pytest.mark.usefixtures("work_clock")

SIZES = [0, 1, 7, 255, 257, 20_000]


@pytest.fixture(autouse=True)
def dispatcher(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing compiled or measured yet."""
    monkeypatch.setattr(api, "_dispatcher", DividingDispatcher())


def collatz(x: int) -> int:
    steps = 0
    while x > 1 and steps < 50:
        x = 3 * x + 1 if x % 2 else x // 2
        steps += 1
    return steps


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("make", [list, tuple, range, np.array], ids=["list", "tuple", "range", "array"])
def test_maps(device: Device, make: Any, size: int) -> None:
    numbers = range(size)
    inputs = numbers if make is range else make(numbers, **({"dtype": np.int64} if make is np.array else {}))
    count, root = hetc.map(collatz), hetc.map(lambda x: (math.sqrt(x), x))
    for _ in range(3):  # in Python, then on the device
        with hetc.configure(device=device, offload="auto", threshold=0, fallback="error"):
            counts, roots = count(inputs), root(inputs)
        expected = [collatz(x) for x in numbers]
        if make is np.array:
            assert counts.dtype == np.int64
            assert counts.tolist() == expected
            if size:
                assert [part.dtype for part in roots] == [np.float64, np.int64]
                assert roots[0].tolist() == [math.sqrt(x) for x in numbers]
        else:
            assert type(counts) is (tuple if make is tuple else list)
            assert list(counts) == expected
            assert list(roots) == [(math.sqrt(x), x) for x in numbers]


@pytest.mark.parametrize("size", SIZES)
def test_reductions(device: Device, size: int) -> None:
    total = hetc.map(collatz).reduce(lambda a, b: a + b, 10)
    for _ in range(3):
        with hetc.configure(device=device, offload="auto", threshold=0, fallback="error"):
            assert total(range(size)) == 10 + sum(map(collatz, range(size)))


def test_a_guard_that_fails_after_the_first_elements(device: Device) -> None:
    numbers = [*range(20_000), 2**40, 3]
    with hetc.configure(device=device, offload="auto", threshold=0, fallback="error"):
        for _ in range(2):
            assert hetc.map(lambda x: x * x * x)(numbers) == [x * x * x for x in numbers]
        with pytest.raises(ZeroDivisionError):
            hetc.map(lambda x: collatz(x) // (x - 15_000))(numbers)


def test_what_is_decided_is_explained(device: Device) -> None:
    numbers = np.arange(20_000)
    count = hetc.map(collatz)
    with hetc.configure(device=device, offload="auto", threshold=0):
        before = count.explain(numbers).decision
        count(numbers)
        count(numbers)
        after = count.explain(numbers).decision
    assert not before.offload
    assert "not known yet" in before.reason
    assert after.offload
    assert "there is a kernel" in after.reason
    assert after.python_seconds is not None
    assert after.device_seconds is not None
    assert after.python_seconds > after.device_seconds


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_paths_with_side_effects_run_once_an_element(device: Device, dtype: Any) -> None:
    seen: list[int] = []

    def noted(x: Any) -> Any:
        if x % 5000 == 3:
            seen.append(int(x))
            return 2.5
        return x * 2

    numbers = np.arange(100_000, dtype=dtype)
    expected = np.array([noted(x) for x in numbers])
    in_python, seen[:] = list(seen), []
    for _ in range(3):
        with hetc.configure(device=device, offload="auto", threshold=0, fallback="silent"):
            result = hetc.map(noted)(numbers)
        assert seen == in_python
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)
        seen.clear()


@pytest.mark.parametrize("offload", ["always", "auto"])
def test_what_an_element_left_to_python_changes_is_seen_by_those_after_it(device: Device, offload: str) -> None:
    table = [1, 2, 3]

    def changes(x: Any) -> Any:
        if x % 7000 == 5:
            table[0] = int(x)
        return x + table[0]

    def once(x: Any) -> Any:
        if table[0] == 1:
            table[0] = 10
        return x + table[0]

    numbers = np.arange(20_000)
    for function in (changes, once):
        table[0] = 1
        expected = np.array([function(x) for x in numbers])
        for _ in range(3):
            table[0] = 1
            with hetc.configure(device=device, offload=offload, threshold=0, fallback="silent"):
                np.testing.assert_array_equal(hetc.map(function)(numbers), expected)

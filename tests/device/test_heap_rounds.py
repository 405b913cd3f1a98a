"""A small heap that is filled many times: launches ahead, whole work-groups, iterations that leave."""

# The functions under test are odd on purpose.
# ruff: noqa: C416

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import hetc
from hetc.runtime.devices import Device
from hetc.runtime.heap_launches import Launches, rounds_filled

Agree = Callable[..., Any]

SIZES = (0, 1, 7, 255, 257, 3000)


@pytest.fixture(params=["looked at", "ahead"])
def rounds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each launch is looked at before the next, as where memory is shared, or some are enqueued ahead, as elsewhere."""

    def ahead(launches: Launches, pending: int, done: int) -> int:
        return 1 if launches.call.heap is None or done == 0 else rounds_filled(pending, done)

    if request.param == "ahead":
        monkeypatch.setattr(Launches, "rounds_ahead", ahead)
    else:
        monkeypatch.setattr(Launches, "rounds_ahead", lambda launches, pending, done: 1)
    return request.param


def triple(n: int) -> list[float]:
    return [n * 0.5, n * 1.5, -n * 2.5]


def some_triples(n: int) -> list[float]:
    """Seven of eight, of a length that nobody knows before: those of `triple` need no heap."""
    return [n * 0.5, n * 1.5, -n * 2.5] if n % 8 else []


def ragged(n: int) -> list[int]:
    return [n + k for k in range(n * 7 % 11)]


def growing(n: int) -> list[int]:
    return [k for k in range(2, n % 97) if n % k == 0]


def two_lists(n: int) -> tuple[list[int], list[float]]:
    return [n + k for k in range(n % 3)], [k * 0.5 for k in range(n % 5)]


def within(n: int) -> int:
    return sum([k * k for k in range(n % 17)])


@pytest.mark.usefixtures("rounds")
@pytest.mark.parametrize("function", [triple, some_triples, ragged, growing, two_lists, within])
@pytest.mark.parametrize("heap", [2000, 5000, 100_000])
def test_results_are_those_of_a_large_heap(device: Device, function: Callable[[int], Any], heap: int) -> None:
    af = hetc.map(function).options(heap=heap)
    for size in SIZES:
        with hetc.configure(device=device, offload="always", fallback="error"):
            assert af(range(size)) == [function(n) for n in range(size)]


def test_as_many_launches_as_the_heap_is_filled(device: Device, rounds: str) -> None:
    af = hetc.map(some_triples).options(heap=2400)  # 100 lists of 3 doubles
    size = 2288  # of which 2002 take room
    with hetc.configure(device=device, offload="always", fallback="error"):
        af(range(size))
        with hetc.profile() as p:
            assert af(range(size)) == [some_triples(n) for n in range(size)]
    assert 19 <= p.heap_retries <= 25
    if rounds == "looked at":
        assert p.launches <= p.heap_retries + 2  # only the first may have a work-group that is not whole


@pytest.mark.usefixtures("rounds")
def test_guards_and_exceptions_in_some_rounds(agree: Agree) -> None:
    squares = hetc.map(lambda n: [n * n * k for k in range(n % 5)]).options(heap=2000)
    agree(squares, [3, 2**40, 7, 2**62 + 3, 5] * 200, deopts=1)
    divided = hetc.map(lambda n: [100 // (n - k) for k in range(n % 40 if n < 900 else n + 1)]).options(heap=8000)
    agree(divided, range(50, 899), deopts=0)
    agree(divided, range(800, 910), deopts=1)


@pytest.mark.usefixtures("rounds")
def test_one_large_list_among_small_ones(device: Device) -> None:
    numbers = [3] * 500 + [249] + [3] * 500 + [251, 250]
    af = hetc.map(lambda n: [k for k in range(n)])
    with hetc.configure(device=device, offload="always", fallback="error"):
        assert af.options(heap=2008)(numbers) == [list(range(n)) for n in numbers]
        with pytest.raises(hetc.DeviceError, match="a heap of 1992 bytes does not hold") as error:
            af.options(heap=1992)(numbers)
        assert error.value.hint == "options(heap=3984) does"
        assert af.options(heap=3984)(numbers) == [list(range(n)) for n in numbers]

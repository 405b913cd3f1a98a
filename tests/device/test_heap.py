"""Lists whose length only the kernel finds: results, lists that live in one element, heaps of all sizes."""

# The functions under test are odd on purpose.
# ruff: noqa: C416, PERF401, B905

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device

Agree = Callable[..., Any]

SIZES = (0, 1, 7, 255, 257)
NUMBERS = [3, 1, 7, 12, 5, 30, 2, 0]


def divisors(n: int) -> list[int]:
    return [k for k in range(2, n) if n % k == 0]


def pairs(n: int) -> list[tuple[int, float]]:
    out = []
    for i in range(n % 20):
        out.append((i, i * 0.5))
    return out


def multiples(x: Any) -> list[Any]:
    return [x * k for k in range(3)]


# --------------------------------------------------------------------------------------------------------------------
# Results
# --------------------------------------------------------------------------------------------------------------------


def test_results_of_all_sizes_in_heaps_of_all_sizes(agree: Agree, device: Device) -> None:
    af = hetc.map(divisors)
    for size in SIZES:
        agree(af, range(size))
        expected = [divisors(n) for n in range(size)]
        for heap in (512, "1kB", 8000, "auto"):
            with hetc.configure(device=device, offload="always", fallback="error"), hetc.profile() as p:
                assert af.options(heap=heap)(range(size)) == expected
            assert (p.deopts, p.fallbacks) == (0, 0)
            if size > 200 and heap == 512:  # 64 items: few elements fit at once, and one needs 60
                assert 10 < p.heap_retries < size
            if heap == "auto" or size <= 1:
                assert p.heap_retries == 0


def test_lists_of_tuples_and_containers(agree: Agree) -> None:
    af = hetc.map(pairs)
    for size in SIZES[1:]:
        agree(af, list(range(size)))
        agree(af, tuple(range(size)))
    agree(hetc.map(lambda x: (x, [x + k for k in range(x % 3)], 0.5)), NUMBERS)
    agree(hetc.map(lambda x: ([k for k in range(x)], [0.5 * k for k in range(2 * x)])), NUMBERS)


def test_arrays_become_what_numpy_makes_of_the_lists(agree: Agree) -> None:
    af = hetc.map(multiples)
    for size in SIZES:
        agree(af, np.arange(size, dtype=np.int16))
        agree(af, np.arange(3 * size, dtype=np.int16)[::3])
        agree(af, np.arange(2 * size, dtype=np.int16)[::-2])
    for dtype in (np.bool_, np.uint8, np.uint64, np.float16, np.float32, np.float64, np.complex64, np.complex128):
        agree(af, np.arange(5).astype(dtype))
    nothing = agree(hetc.map(lambda x: [x for k in range(int(x))]), np.zeros(4))
    assert nothing.shape == (4, 0)


def test_ragged_lists_of_arrays_raise_what_numpy_raises(device: Device) -> None:
    x = np.arange(5)
    with pytest.raises(ValueError, match="inhomogeneous") as expected:
        np.array([divisors(int(n)) for n in x])
    with (
        hetc.configure(device=device, offload="always", fallback="error"),
        pytest.raises(ValueError, match="inhomogeneous") as found,
    ):
        hetc.map(lambda n: [k for k in range(n)])(x)
    assert str(found.value)[:60] == str(expected.value)[:60]


def mixed(n: int) -> list[Any]:
    out: list[Any] = []
    for k in range(n):
        if k % 2:
            out.append(k)
        else:
            out.append(k * 0.5)
    out.append(True)
    return out


def collatz(n: int) -> list[int]:
    path = []
    while n > 1:
        path.append(n)
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    return path


def left_early(n: int) -> list[int]:
    out = [n]
    for k in range(n):
        if k == 5:
            break
        out.append(k)
    else:
        out.append(-1)
    return out


def conditional(n: int) -> list[int]:
    out = [n]
    if n > 2:
        out.append(n * 2)
    return out


def retyped(n: int) -> list[float]:
    out: list[float] = [k for k in range(n)]
    out.append(0.5)
    out[0] = -0.5
    return out


@pytest.mark.parametrize("function", [mixed, collatz, left_early, conditional, retyped])
def test_how_lists_are_made(agree: Agree, function: Callable[[int], Any]) -> None:
    agree(hetc.map(function), NUMBERS * 5)
    agree(hetc.map(function).options(heap=4096), NUMBERS * 5)


def test_what_comprehensions_make(agree: Agree) -> None:
    agree(hetc.map(lambda n: [i * j for i in range(n) for j in range(i) if i != j + 1]), NUMBERS)
    agree(hetc.map(lambda n: [None if k % 3 else k for k in range(n)]), NUMBERS)
    agree(hetc.map(lambda n: [complex(k, n) for k in range(n, -n, -3)]), NUMBERS)
    agree(hetc.map(lambda n: [n, n + 1]), NUMBERS)


# --------------------------------------------------------------------------------------------------------------------
# Lists that do not leave their element
# --------------------------------------------------------------------------------------------------------------------


def primes_below(n: int) -> int:
    flags = [True for _ in range(n + 1)]
    for k in range(2, n + 1):
        if flags[k]:
            multiple = k * k
            while multiple <= n:
                flags[multiple] = False
                multiple += k
    return len([k for k in range(2, n + 1) if flags[k]])


def reads(n: int) -> float:
    halves = [k * 0.5 for k in range(n)]
    total = sum(halves) + len(halves) + halves[-1] + min(halves)
    for i, x in enumerate(halves):
        total += i * x
    for x, y in zip(halves, reversed(halves)):
        total += x * y
    return total if halves else -1.0


def test_lists_inside_an_element(agree: Agree) -> None:
    af = hetc.map(primes_below)
    for size in SIZES:
        agree(af, range(size))
    agree(af.options(heap=2400), range(257))  # room for 266 flags and primes; one element has up to 257
    agree(hetc.map(reads), [3, 1, 7, 250])
    agree(hetc.map(reads), [3, 0, 7], deopts=1)  # halves[-1] raises


def test_lists_before_other_skeletons(agree: Agree) -> None:
    agree(hetc.filter(lambda n: len(divisors(n)) > 1), range(257))
    agree(hetc.map(primes_below).reduce(lambda a, b: a + b, 0).options(heap=2400), range(257))


# --------------------------------------------------------------------------------------------------------------------
# Guards, errors, refusals
# --------------------------------------------------------------------------------------------------------------------


def test_overflows_and_exceptions(agree: Agree) -> None:
    squares = hetc.map(lambda n: [n * n * k for k in range(n % 5)])
    for heap in ("auto", 2000):
        agree(squares.options(heap=heap), [3, 2**40, 7, 2**62 + 3, 5] * 200, deopts=1)
    divided = hetc.map(lambda n: [100 // (n - k) for k in range(n if n < 400 else n + 1)])
    for heap in ("auto", 8000):
        agree(divided.options(heap=heap), range(399), deopts=0)
        agree(divided.options(heap=heap), range(390, 420), deopts=1)


def test_a_heap_that_is_too_small_names_one_that_does(device: Device) -> None:
    af = hetc.map(lambda n: [k for k in range(n)])
    expected = [list(range(n)) for n in (1, 100, 5)]
    with hetc.configure(device=device, offload="always", fallback="error"):
        with pytest.raises(hetc.DeviceError, match=r"a heap of 64 bytes does not hold .*\n.*heap=1024") as error:
            af.options(heap=64)([1, 100, 5])
        assert error.value.hint == "options(heap=1024) does"
        assert af.options(heap=1024)([1, 100, 5]) == expected
        with pytest.raises(hetc.DeviceError, match="does not hold"):
            af.options(heap=1)([1, 100, 5])
        assert af.options(heap=64).options(heap="auto")([1, 100, 5]) == expected
        with pytest.raises(hetc.DeviceError, match="out of memory"):
            af([1, 10**17])


def test_a_heap_learns_how_much_is_made(device: Device) -> None:
    af = hetc.map(lambda n: [k for k in range(n + 1000)])
    with hetc.configure(device=device, offload="always", fallback="error"):
        with hetc.profile() as first:
            result = af(range(100))
        with hetc.profile() as second:
            assert af(range(100)) == result == [list(range(n + 1000)) for n in range(100)]
    assert first.heap_retries > 0
    assert second.heap_retries == 0


@pytest.mark.parametrize("heap", [0, -1, True, "much", 1.5])
def test_what_is_no_size(heap: Any) -> None:
    with pytest.raises(ValueError, match="heap is a positive number of bytes"):
        hetc.map(divisors).options(heap=heap)


def test_what_is_left_to_python(agree: Agree) -> None:
    agree(hetc.map(divisors).map(len), range(9), fallbacks=1)
    agree(hetc.map(divisors).filter(lambda v: len(v) > 1), range(9), fallbacks=1)
    agree(hetc.reduce(lambda a, b: max([k for k in range(a + b)], default=0), 1), range(5), fallbacks=1)
    agree(hetc.map(lambda n: [[k] for k in range(n)]), range(5), fallbacks=1)
    agree(hetc.map(lambda n: [k for k in range(n)] if n else None), range(5), fallbacks=1)
    agree(hetc.map(lambda n: [k for k in range(n)] + [1]), range(5), fallbacks=1)

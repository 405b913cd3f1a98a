"""Results that are lists of known length: each has its place in the result, and needs no heap."""

# The functions under test are odd on purpose.

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.passes.specialization.growing import MOST_ITEMS
from hetc.runtime.devices import Device

Agree = Callable[..., Any]

SIZES = (0, 1, 7, 255, 257)


def pair(x: Any) -> list[Any]:
    return [x, 2 * x]


def several_types(x: Any) -> list[Any]:
    return [x, 0.5 * x, x > 3]


def in_a_tuple(x: Any) -> tuple[Any, ...]:
    return [x, x + 1], 3, (x, [0.5 * x])


def nested(x: Any) -> list[Any]:
    return [[x, 1], [2 * x, 3]]


def ragged_nested(x: Any) -> list[Any]:
    return [[x], [2 * x, 3], (x, 4)]


def of_tuples(x: Any) -> list[Any]:
    return [(x, 1.0), (x, 2.0)]


def comprehended(x: Any) -> list[Any]:
    return [k * x for k in range(4)]


def appended(x: Any) -> list[Any]:
    out = [x]
    out.append(x + 1)
    out[0] = 3
    return out


def of_one_length(x: Any) -> list[Any]:
    return [x, 1] if x > 5 else [2 * x, 2]


def shared(x: Any) -> tuple[Any, Any]:
    both = [x, x + 1]
    return both, both


def most(x: Any) -> list[Any]:
    return [
        x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7,
        x + 8, x + 9, x + 10, x + 11, x + 12, x + 13, x + 14, x + 15,
    ]  # fmt: skip


FIXED = [
    pair,
    several_types,
    in_a_tuple,
    nested,
    ragged_nested,
    of_tuples,
    comprehended,
    appended,
    of_one_length,
    shared,
    most,
]


def test_the_longest_is_stored_so() -> None:
    assert len(most(0)) == MOST_ITEMS


def too_many(x: Any) -> list[Any]:
    return [*most(x), x]


def of_two_lengths(x: Any) -> list[Any]:
    return [x] if x % 2 > 0 else [x, x]


def some_none(x: Any) -> list[Any]:
    return [x, None if x % 2 > 0 else x]


def several_types_in_one_place(x: Any) -> list[Any]:
    return [x, 1] if x % 2 > 0 else [0.5 * x, 1]


IN_HEAP = [several_types_in_one_place, too_many, of_two_lengths, some_none]


@pytest.mark.parametrize("function", [*FIXED, *IN_HEAP])
def test_lists_are_those_of_python(agree: Agree, function: Callable[[Any], Any]) -> None:
    af = hetc.map(function)
    for size in SIZES:
        agree(af, range(size))
        agree(af, [k * 0.5 for k in range(size)])
        agree(af, tuple(range(size)))


@pytest.mark.parametrize("function", [pair, several_types, in_a_tuple, nested, of_tuples, comprehended, most])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "u2", "i4", "u8", "?", "c8"])
def test_arrays_are_those_of_numpy(agree: Agree, function: Callable[[Any], Any], dtype: str) -> None:
    if dtype == "c8" and function is several_types:
        pytest.skip("complex numbers have no order")
    af = hetc.map(function)
    for size in SIZES:
        numbers = (np.arange(2 * size) % 5).astype(dtype)
        agree(af, numbers[:size])
        agree(af, numbers[::-2])


@pytest.mark.parametrize("function", FIXED)
def test_a_list_of_known_length_takes_no_heap(device: Device, function: Callable[[Any], Any]) -> None:
    af = hetc.map(function).options(heap=1)
    with hetc.configure(device=device, offload="always", fallback="error"), hetc.profile() as p:
        assert af(range(1000)) == [function(k) for k in range(1000)]
    assert (p.heap_retries, p.deopts) == (0, 0)
    assert p.launches <= 2  # a work-group that is not whole may be a launch of its own
    assert "heap" not in af.lower(range(1000)).opencl()


@pytest.mark.parametrize("function", IN_HEAP)
def test_other_lists_lie_in_a_heap(device: Device, function: Callable[[Any], Any]) -> None:
    with hetc.configure(device=device):
        assert "heap" in hetc.map(function).lower(range(1000)).opencl()


def test_elements_that_python_runs(agree: Agree) -> None:
    """A guard that fails leaves what the other elements have made; an exception is that of Python."""
    agree(hetc.map(lambda n: [n * n, 1]), [1, 2, 2**40, 3] * 100, deopts=None)
    agree(hetc.map(lambda n: [10 // n, n]), [1, 2, 0, 3] * 100, deopts=None)
    agree(hetc.map(lambda n: [n, n // 2] if n != 700 else [n]), range(1000), deopts=None)


def test_each_list_is_a_new_one(device: Device) -> None:
    with hetc.configure(device=device, offload="always", fallback="error"):
        lists = hetc.map(pair)([1, 1, 1])
    lists[0].append(3)
    assert lists == [[1, 2, 3], [1, 2], [1, 2]]


def test_batches_and_other_containers(device: Device) -> None:
    wanted = [pair(k) for k in range(5000)]
    with hetc.configure(device=device, offload="always", fallback="error"):
        assert hetc.map(pair).batched("8kB")(list(range(5000))) == wanted
        made = hetc.map(pair)(hetc.array(np.arange(5000)))
        kept = hetc.map(pair).options(results="array")(np.arange(5000))
        two = hetc.map(lambda x, y: [x, y])(np.arange(7.0), np.arange(7.0)[::-1])
    assert np.array_equal(np.asarray(made), wanted)
    assert np.array_equal(np.asarray(kept), wanted)
    assert np.array_equal(two, np.column_stack([np.arange(7.0), np.arange(7.0)[::-1]]))


def test_a_list_does_not_go_to_the_next_skeleton(device: Device) -> None:
    with hetc.configure(device=device, offload="always", fallback="error"):
        with pytest.raises(hetc.UnsupportedError, match="a list that one skeleton makes"):
            hetc.map(pair).map(lambda p: p[0] + p[1])(range(9))
        with pytest.raises(hetc.UnsupportedError, match="a list is the result of maps alone"):
            hetc.map(lambda x: x).reduce(lambda p, q: [p, q], 0)(range(9))

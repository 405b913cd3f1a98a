"""Assigning numbers to attributes, and which objects stand in a list, by the compiled loops and in Python."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from hetc import native
from hetc.abi import SCALAR_TYPES, ElementType
from hetc.identities import identities_of_all
from hetc.runtime.marshal import elements_of
from hetc.runtime.object_writes import assign, assign_numbers

compiled = pytest.mark.skipif(native.compiled is None, reason="hetc was installed without its C code")


@dataclass
class Plain:
    x: Any = 0.0
    y: Any = 1.0


class Derived(Plain):
    pass


@dataclass(slots=True)
class Slotted:
    x: Any = 0.0


class SlottedBase:
    __slots__ = ("x",)


class WithDict(SlottedBase):
    """A slot of its base, and a dict."""


class Bare:
    """An object without the attribute gets it; the class has one of that name."""

    x = 0.5


def shared_dict() -> Plain:
    """An object of which somebody has looked at the dict, which then is a real one."""
    made = Plain()
    made.__dict__["z"] = 3.0
    return made


MAKERS: list[Callable[[], Any]] = [Plain, Derived, Slotted, SlottedBase, WithDict, Bare, shared_dict]
NUMBERS = {
    "float": np.array([0.0, -0.0, np.inf, 5e-324, 0.1, -1e300, 2.5], np.float64),
    "int": np.array([0, 1, -5, 256, 257, 2**62, -(2**63)], np.int64),
    "bool": np.array([True, False, True, True, False, False, True], np.bool_),
}


def in_python(objects: Sequence[Any], numbers: Any, type_: ElementType, marks: Any) -> None:
    values = elements_of([numbers], type_, len(numbers), {})
    chosen = [k for k in range(len(objects)) if marks[k]]
    assign([objects[k] for k in chosen], "x", [values[k] for k in chosen])


@compiled
@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("container", [list, tuple])
@pytest.mark.parametrize("pattern", ["all", "some", "none"])
def test_both_assign_the_same(make: Callable[[], Any], name: str, container: type, pattern: str) -> None:
    numbers = NUMBERS[name]
    marks = {"all": np.ones, "none": np.zeros, "some": lambda n, _: np.arange(n) % 3 == 1}[pattern](7, np.bool_)
    ours, theirs = ([make() for _ in range(7)] for _ in range(2))
    for objects in (ours, theirs):
        for k, one in enumerate(objects[::2]):
            one.x = f"{k} before"
    assert assign_numbers(container(ours), "x", [numbers], SCALAR_TYPES[name], marks)
    in_python(theirs, numbers, SCALAR_TYPES[name], marks)
    missing = object()
    for one, other in zip(ours, theirs, strict=True):
        found, wanted = (getattr(o, "x", missing) for o in (one, other))
        assert (found is missing) == (wanted is missing)
        if found is not missing:
            assert type(found) is type(wanted)
            assert repr(found) == repr(wanted)  # which tells -0.0 from 0.0
        assert list(getattr(one, "__dict__", {})) == list(getattr(other, "__dict__", {}))


@compiled
@pytest.mark.parametrize("size", [0, 1, 255, 257])
def test_sizes_and_layouts(size: int) -> None:
    """Numbers with a stride are made contiguous; marks are the device's bytes."""
    objects = [Plain() for _ in range(size)]
    numbers = np.arange(2.0 * size)[::-2]
    marks = np.array([k % 2 for k in range(2 * size)], np.int8)[::-1][:size]
    assert assign_numbers(objects, "x", [numbers], SCALAR_TYPES["float"], marks)
    assert [one.x for one in objects] == [
        n if m else 0.0 for n, m in zip(numbers.tolist(), marks.tolist(), strict=True)
    ]


@pytest.mark.parametrize("name", ["f32", "f64", "i64", "complex", "b1"])
def test_numbers_of_numpy_are_left_to_python(name: str) -> None:
    """An attribute that held a NumPy number gets one: those the compiled loops do not make."""
    type_ = SCALAR_TYPES[name]
    assert not assign_numbers([Plain()], "x", [np.zeros(1, type_.dtype)], type_, np.ones(1, np.bool_))


def test_other_sequences_are_left_to_python() -> None:
    objects: Any = np.array([Plain()], object)
    assert not assign_numbers(objects, "x", [np.zeros(1)], SCALAR_TYPES["float"], np.ones(1, np.bool_))


@compiled
def test_the_list_may_become_shorter_as_values_are_freed() -> None:
    objects = [Plain() for _ in range(100)]
    kept = list(objects)

    class Clearing:
        def __del__(self) -> None:
            del objects[50:]

    objects[10].x = Clearing()
    assert assign_numbers(objects, "x", [np.full(100, 7.0)], SCALAR_TYPES["float"], np.ones(100, np.bool_))
    assert [one.x for one in kept] == [7.0] * 50 + [0.0] * 50


@compiled
def test_an_object_that_cannot_be_assigned_raises_what_python_raises() -> None:
    objects: list[Any] = [Plain(), object(), Plain()]
    with pytest.raises(AttributeError, match="'object' object has no attribute 'x'"):
        assign_numbers(objects, "x", [np.full(3, 7.0)], SCALAR_TYPES["float"], np.ones(3, np.bool_))
    assert objects[0].x == 7.0
    assert objects[2].x == 0.0


@compiled
def test_nothing_is_lost_or_kept() -> None:
    """Neither objects nor values are counted wrongly: what is replaced is freed, what is assigned is held once."""
    one, value = Plain(), float("2.5")
    one.x = value
    before = sys.getrefcount(one), sys.getrefcount(value)
    assert assign_numbers([one], "x", [np.ones(1)], SCALAR_TYPES["float"], np.ones(1, np.bool_))
    assert (sys.getrefcount(one), sys.getrefcount(value)) == (before[0], before[1] - 1)
    assert value == 2.5
    held, other = one.x, float("3.5")
    assert sys.getrefcount(held) == sys.getrefcount(other) + 1


@compiled
@pytest.mark.parametrize(
    "arguments",
    [
        (range(3), "x", np.zeros(3), "d", None),
        ([], b"x", np.zeros(3), "d", None),
        ([], "x", [0.0], "d", None),
        ([], "x", np.zeros(4)[::2], "d", None),
        ([], "x", np.zeros(3), "f", None),
        ([], "x", np.zeros(3), "", None),
        ([], "x", np.zeros(3), "d", [True]),
        ([], "x", np.zeros(3), "d"),
    ],
)
def test_wrong_arguments_raise(arguments: tuple[Any, ...]) -> None:
    loops: Any = native.compiled
    with pytest.raises((TypeError, ValueError, BufferError)):
        loops.assign_numbers(*arguments)


@pytest.mark.parametrize("make", [list, tuple, iter, lambda objects: np.array(objects, object)])
@pytest.mark.parametrize("size", [0, 1, 7, 257])
def test_identities(make: Callable[[list[Any]], Any], size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    objects = [None if k % 5 == 3 else object() for k in range(size)]
    wanted = [id(one) for one in objects if one is not None]
    found = identities_of_all(make(objects))
    assert (found.dtype, found.tolist()) == (np.uint64, wanted)
    monkeypatch.setattr(native, "compiled", None)
    assert identities_of_all(make(objects)).tolist() == wanted


@compiled
def test_addresses_need_room() -> None:
    loops: Any = native.compiled
    with pytest.raises(ValueError, match="too small"):
        loops.addresses([None] * 3, np.zeros(2, np.uint64))
    with pytest.raises(TypeError):
        loops.addresses(iter([]), np.zeros(2, np.uint64))

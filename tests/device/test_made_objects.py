"""Results that are portable arrays of objects: equal to the list of the objects, which are made when looked at."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import hetc
from hetc.arrays.made_objects import MadeObjects
from hetc.runtime.devices import Device
from tests.device.test_objects import state


@dataclass
class Vec:
    x: float
    y: float

    def dot(self) -> float:
        return self.x * self.x + self.y * self.y


@dataclass
class Part:
    at: Vec
    number: int
    pair: tuple[int, float] = (1, 2.0)
    flag: bool = False


class Row(NamedTuple):
    a: int
    b: float


SIZES = [1, 7, 255, 257]


def vectors(size: int) -> list[Vec]:
    return [Vec(k / 2 - 1, float(k % 5)) for k in range(size)]


def moved(v: Vec) -> Vec:
    return Vec(v.x + 1.0, v.y * 2)


def part(v: Vec, k: int) -> Part:
    return Part(Vec(v.x, k * 1.0), k, (k, v.y), v.x > 2)


@pytest.mark.parametrize("size", SIZES)
def test_a_result_is_the_list_of_its_objects(device: Device, size: int) -> None:
    some = vectors(size)
    step, make = (hetc.map(f).options(results="array") for f in (moved, part))
    with hetc.configure(device=device, offload="always", fallback="error", verify=True):
        found = step(step(some))
        parts = make(found, range(size))
        expected = [moved(moved(v)) for v in some]
        wanted = [part(v, k) for k, v in enumerate(expected)]
        assert isinstance(found, MadeObjects)
        assert isinstance(parts, MadeObjects)
        for array, objects in ((found, expected), (parts, wanted)):
            assert len(array) == size
            assert state(list(array)) == state(array.tolist()) == state(objects)
            assert state([array[k] for k in range(-size, size)]) == state(objects + objects)
            assert state(list(array[1:5])) == state(objects[1:5])
            assert state(np.asarray(array).tolist()) == state(objects)
            assert state(list(pickle.loads(pickle.dumps(array)))) == state(objects)
            with pytest.raises(IndexError):
                array[size]
        read = hetc.map(lambda p: p.at.x + p.pair[1] * p.number if p.flag else p.at.y)(parts)
        assert read.tolist() == [p.at.x + p.pair[1] * p.number if p.flag else p.at.y for p in wanted]
        assert hetc.map(Vec.dot)(found).tolist() == [v.dot() for v in expected]
        assert hetc.map(lambda k: found[k].x)(range(size)) == [v.x for v in expected]
        kept = hetc.filter(lambda v: v.x > 1)(found)
        assert state(list(kept)) == state([v for v in expected if v.x > 1])


def test_numbers_stay_between_calls(device: Device) -> None:
    step = hetc.map(moved).options(results="array")
    with hetc.configure(device=device, offload="always", fallback="error"):
        first = step(vectors(300))
        with hetc.profile() as p:
            second = step(step(first))
        assert (p.bytes_h2d, p.bytes_d2h, p.fallbacks) == (0, 0, 0)
        assert state(second[299]) == state(moved(moved(moved(vectors(300)[299]))))


def test_objects_are_copies(device: Device) -> None:
    with hetc.configure(device=device, offload="always", fallback="error"):
        found = hetc.map(moved).options(results="array")(vectors(9))
        found[3].x = 100.0
        for one in found:
            one.y = -1.0
        assert state(list(found)) == state(list(map(moved, vectors(9))))
        assert found[3] is not found[3]


def test_elements_that_python_has_to_run(device: Device) -> None:
    cubed = hetc.map(lambda v, k: Vec(v.x, k * k * k)).options(results="array")
    inverse = hetc.map(lambda v: Vec(1 / v.x, v.y)).options(results="array")
    numbers = [1, 2, 2**40, 3]
    with hetc.configure(device=device, offload="always", fallback="error"):
        assert state(list(cubed(vectors(4), numbers))) == state(
            [Vec(v.x, k * k * k) for v, k in zip(vectors(4), numbers, strict=True)]
        )
        with pytest.raises(ZeroDivisionError):
            inverse(vectors(4))


@pytest.mark.parametrize("offload", ["always", "never"])
def test_other_results(device: Device, offload: Any) -> None:
    some = vectors(30)

    def result(function: Any, inputs: Any = some) -> Any:
        return hetc.map(function).options(results="array")(inputs)

    with hetc.configure(device=device, offload=offload, fallback="error"):
        for array in (
            result(lambda v: Vec(v.x, 1.0) if v.x > 3 else None),
            result(lambda v: v),
            result(lambda v: Row(1, v.x)),
            result(moved, tuple(some)),
        ):
            assert isinstance(array, hetc.Array)
            assert len(array) == 30
        assert result(lambda v: v)[3] is not some[3]  # the array's own
        assert result(lambda v: v.x).tolist() == [v.x for v in some]
        assert isinstance(result(lambda v: (v.x, 1)), hetc.Array)
        total = hetc.map(lambda v: v.x).reduce(lambda p, q: p + q, 0.0).options(results="array")(some)
        assert total == sum(v.x for v in some)
        assert result(lambda v: Vec(v.x, 1.0) if v.x > 3 else None)[0] is None


def test_what_may_be_asked_for() -> None:
    with pytest.raises(ValueError, match='results is "array" or "auto"'):
        hetc.map(moved).options(results="list")
    back = hetc.map(moved).options(results="array").options(results="auto")
    with hetc.configure(offload="never"):
        assert back(vectors(2)) == list(map(moved, vectors(2)))

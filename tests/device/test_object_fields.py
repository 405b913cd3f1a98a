"""Fields of elements that hold objects of several classes, and the same object as others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import hetc
from hetc.runtime.devices import Device
from tests.device.test_captured_objects import Check, Circle, Holder, Shape, Square, same, shapes
from tests.device.test_objects import state
from tests.oracle import in_cpython

__all__ = ["same"]


@dataclass
class Pair:
    left: Any
    right: Any
    count: int = 0


def holders(count: int = 23, *, holes: bool = False) -> list[Holder]:
    some = [Holder(float(k), shape) for k, shape in enumerate(shapes(count))]
    return [*some, Holder(1.0)] if holes else some


def test_methods_are_those_of_each_class(same: Check) -> None:
    same(lambda h: h.shape.area() * h.weight, holders())
    same(lambda h: h.shape.half if isinstance(h.shape, Square) else h.weight, holders())
    same(lambda h: 0.0 if h.shape is None else h.shape.doubled(), holders(holes=True))
    same(lambda h: h.shape.area(), holders(holes=True), deopts=1)
    same(lambda h: h.shape.radius, holders(), deopts=1)


def test_two_fields_at_a_time(same: Check) -> None:
    pairs = [Pair(one, other) for one, other in zip(shapes(), shapes()[::-1], strict=True)]
    same(lambda p: p.left.area() + p.right.area(), pairs)
    same(lambda p: p.left if p.left.area() > p.right.area() else p.right, pairs)


def test_integers_beside_them_are_still_checked(same: Check) -> None:
    pairs = [Pair(shape, None, 2**40 * k) for k, shape in enumerate(shapes())]
    same(lambda p: (p.count * p.count, p.left.area()), pairs, deopts=1)


def test_the_very_objects_come_back(device: Device) -> None:
    some = holders(holes=True)
    with hetc.configure(device=device, offload="always", fallback="error"):
        found = hetc.map(lambda h: h.shape)(some)
    assert all(one is h.shape for one, h in zip(found, some, strict=True))


def test_an_object_that_several_refer_to_changes_for_all(device: Device) -> None:
    """Where each element sees what the one before has written, Python runs."""

    def grow(h: Holder) -> float:
        h.shape.side += h.weight
        return h.shape.side

    def run(offload: str) -> Any:
        one, other = Square(1.0), Square(2.0)
        some = [Holder(1.0, one), Holder(2.0, other), Holder(3.0, one), Holder(4.0, Square(0.0))]
        with hetc.configure(device=device, offload=offload, fallback="silent"):
            return state([hetc.map(grow)(some), some])

    assert run("always") == run("never")


def test_one_object_read_through_several_fields(same: Check) -> None:
    shared: list[Any] = [Circle(2.0), Square(3.0), Shape()]
    same(lambda h: h.shape.area() * h.weight, [Holder(float(k), shared[k % 3]) for k in range(20)])
    assert in_cpython(hetc.map(lambda h: h.weight), [holders(3)]) == [0.0, 1.0, 2.0]

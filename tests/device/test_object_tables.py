"""References to objects that others refer to as well: what is read through them, which they are, what is assigned."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.test_object_loops import checked_loops, picture, reached
from tests.device.test_objects import SIZES, outcome

Check = Callable[..., None]


@dataclass(eq=False)
class Node:
    value: float
    weight: int = 0
    left: Node | None = None
    right: Node | None = None

    @property
    def is_leaf(self) -> bool:
        return self.left is None and self.right is None

    def down(self, key: int) -> Node | None:
        return self.left if key < self.weight else self.right

    def depth(self, key: int) -> int:
        node, depth = self, 0
        while node is not None:
            node, depth = node.down(key), depth + 1
        return depth

    def add(self, amount: int) -> None:
        self.weight += amount


@dataclass(eq=False)
class Edge:
    source: Node
    target: Node | None
    weight: int = 1
    length: float = 0.5


def nodes(size: int) -> list[Node]:
    return [Node(k * 0.5 - 1, k % 5) for k in range(size)]


def graph(size: int) -> tuple[list[Node], list[Edge]]:
    """So many edges among a third as many nodes."""
    some = nodes(size // 3 + 1)
    count = len(some)
    return some, [Edge(some[k * k % count], some[k % count] if k % 4 != 3 else None, k, k / 8) for k in range(size)]


def tree(size: int) -> list[Node]:
    """A binary search tree in an array: node k has the children 2k + 1 and 2k + 2."""
    some = [Node(k / 4, (k * 7) % (size + 1)) for k in range(size)]
    for k, one in enumerate(some):
        one.left = some[2 * k + 1] if 2 * k + 1 < size else None
        one.right = some[2 * k + 2] if 2 * k + 2 < size else None
    return some


def chain(size: int) -> list[Node]:
    some = nodes(size)
    for one, other in itertools.pairwise(some):
        one.left = other
    return some


@pytest.fixture
def same(device: Device) -> Check:
    """`same(f, *inputs)`: a map gives what Python gives, on the device."""

    def check(function: Any, *inputs: Any) -> Any:
        expected = outcome(lambda: list(map(function, *inputs)))
        with hetc.configure(device=device, offload="always", fallback="error", verify=True):
            found = outcome(lambda: hetc.map(function)(*inputs))
        assert found == expected  # nodes are equal if they are the same

    return check


@pytest.fixture
def same_loop(device: Device) -> Check:
    return checked_loops(device)


@pytest.mark.parametrize("size", SIZES[1:])
def test_linked_objects_are_read_through_references(same: Check, size: int) -> None:
    some, path = tree(size), chain(size)
    places = range(size)
    same(lambda k: some[k].depth(k), places)
    same(lambda k: some[-1 - k].value if some[k].is_leaf else some[k].left.value, places)
    same(lambda n: n.depth(3), some)
    same(lambda n, k: n.value + k if n.left is None else n.left.value, path, places)
    same(lambda k: 0 if path[k].left is None or path[k].left.left is None else path[k].left.left.weight, places)


@pytest.mark.parametrize("size", SIZES[2:])
def test_references_keep_their_identity(same: Check, size: int) -> None:
    some, edges = tree(size), graph(size)[1]
    places = range(size)
    last = some[-1]
    same(lambda k: some[k].down(k), places)
    same(lambda k: (some[k], some[k].left, k), places)
    same(lambda k: some[k].left is some[min(2 * k + 1, len(some) - 1)], places)
    same(lambda k: some[k] if some[k].left is None else some[k].left, places)
    same(lambda n: n.left is None or n.left is last, some)
    same(lambda e: e.source is e.target, edges)


def test_what_none_has_not_raises_as_in_python(same: Check) -> None:
    some = tree(20)
    same(lambda k: some[k].left.value, range(20))
    same(lambda n: n.right.weight + 1, some)


def test_a_root_that_is_captured_by_itself(same: Check) -> None:
    root = tree(63)[0]

    def found(key: int) -> float:
        node, best = root, root
        while node is not None:
            best = node if node.weight > best.weight else best
            node = node.down(key)
        return best.value

    same(found, range(40))
    same(lambda key: root.left.right.value + key, range(40))


@pytest.mark.parametrize("size", SIZES)
def test_sums_of_integers_through_shared_references(same_loop: Check, size: int) -> None:
    def degrees(some: Any, edges: Any) -> None:
        for i in hetc.forall(len(edges)):
            edges[i].source.weight += 1
            if edges[i].target is not None:
                edges[i].target.weight -= edges[i].weight

    def by_method(some: Any, edges: Any) -> None:
        for i in hetc.forall(len(edges)):
            edges[i].source.add(edges[i].weight)

    def total(some: Any, edges: Any) -> int:
        found = 0
        for i in hetc.forall(len(edges)):
            edges[i].source.weight += 2
            found += edges[i].weight
        return found

    for function in (degrees, by_method, total):
        same_loop(function, lambda: graph(size))


def test_integers_that_may_leave_64_bits_are_summed_in_order(same_loop: Check) -> None:
    def degrees(some: Any, edges: Any) -> None:
        for i in hetc.forall(len(edges)):
            edges[i].source.weight += edges[i].weight

    def large(start: int, weight: int) -> tuple[list[Node], list[Edge]]:
        some, edges = graph(30)
        some[0].weight, edges[0].weight = start, weight
        return some, edges

    def repeated(some: Any, edges: Any) -> None:
        for i in hetc.forall(len(edges)):
            for _ in range(edges[i].weight):
                edges[i].source.weight += 1

    same_loop(degrees, lambda: large(2**63 - 2, 1), reason="several places")
    same_loop(degrees, lambda: large(0, 2**40), reason="several places")
    same_loop(repeated, lambda: graph(9), reason="several places")
    same_loop(degrees, lambda: large(1, 1))


@pytest.mark.parametrize("size", SIZES)
def test_what_is_assigned_through_references_that_differ(same_loop: Check, size: int) -> None:
    def turned(some: Any, edges: Any) -> None:
        for i in hetc.forall(len(edges)):
            edges[i].source.value = edges[i].length * i
            if edges[i].target is not None:
                edges[i].length = 0.5

    def pushed(some: Any, edges: Any) -> None:
        for i in hetc.forall(len(edges)):
            target = edges[i].target
            if target is not None:
                target.value += edges[i].length

    def permuted() -> tuple[list[Node], list[Edge]]:
        some = nodes(2 * size)
        pairs = [Edge(some[2 * size - 1 - k], some[k] if k % 3 != 2 else None, k, k / 2) for k in range(size)]
        return some[::2] + some[:1], pairs

    same_loop(turned, permuted)
    same_loop(pushed, permuted)


def test_what_is_assigned_through_shared_references_is_in_order(same_loop: Check) -> None:
    def last_one(some: Any, edges: Any) -> None:
        for i in hetc.forall(len(edges)):
            edges[i].source.value = edges[i].length

    def rounded(some: Any, edges: Any) -> None:
        for i in hetc.forall(len(edges)):
            edges[i].source.value += 0.1 * i

    def read_elsewhere(some: Any, edges: Any) -> None:
        for i in hetc.forall(len(some)):
            some[i].value = edges[i].source.value + 1.0

    def summed_and_read(some: Any, edges: Any) -> None:
        for i in hetc.forall(len(edges)):
            edges[i].source.weight += 1
            edges[i].length = 1.0 * edges[i].source.weight

    def doubled(some: Any, edges: Any) -> None:
        for i in hetc.forall(len(edges)):
            edges[i].source.weight += edges[i].source.weight

    def another(some: Any, edges: Any) -> None:
        for i in hetc.forall(len(some)):
            edges[i].source = some[i]

    for function in (last_one, rounded, read_elsewhere, summed_and_read, doubled):
        same_loop(function, lambda: graph(40), reason="several places")
    same_loop(another, lambda: graph(40), reason="others may have")


def test_other_fields_of_shared_objects_are_read(same_loop: Check) -> None:
    def lifted(some: Any, edges: Any) -> None:
        for i in hetc.forall(len(some)):
            some[i].value = edges[i].source.weight + 0.5

    def weighed(some: Any, edges: Any) -> None:
        for i in hetc.forall(len(edges)):
            edges[i].length = edges[i].source.value * (0.0 if edges[i].target is None else edges[i].target.value)

    same_loop(lifted, lambda: graph(40))
    same_loop(weighed, lambda: graph(40))


def test_linked_objects_that_are_assigned(same_loop: Check) -> None:
    def parents(some: Any) -> None:
        for i in hetc.forall(len(some)):
            if some[i].left is not None:
                some[i].left.value = some[i].weight * 2.0
            one = some[i].right
            if one is not None:
                one.value -= 1.0

    def children(some: Any) -> None:
        for i in hetc.forall(len(some)):
            if some[i].left is not None:
                some[i].left.weight += 1

    def meeting(some: Any) -> None:
        for i in hetc.forall(len(some)):
            if some[i].left is not None:
                some[i].left.weight = some[i].weight

    same_loop(children, lambda: (tree(50),))
    same_loop(meeting, lambda: (tree(50),), reason="several places")
    same_loop(parents, lambda: (tree(50),), reason="several places")


def test_an_exception_among_sums(same_loop: Check) -> None:
    def divided(some: Any, edges: Any) -> None:
        for i in hetc.forall(len(edges)):
            edges[i].source.weight += 1
            edges[i].length = 1.0 / (i - 25)

    same_loop(divided, lambda: graph(40), None, 1)


def test_maps_that_assign_through_references(device: Device) -> None:
    def counted(edge: Edge) -> int:
        edge.source.weight += 1
        return edge.weight

    expected, found = graph(60), graph(60)
    had, has = list(reached(list(expected))), list(reached(list(found)))
    wanted = list(map(counted, expected[1]))
    with hetc.configure(device=device, offload="always", fallback="error", verify=True):
        assert hetc.map(counted)(found[1]) == wanted
    assert picture(list(found), has) == picture(list(expected), had)


def test_elements_of_portable_arrays_are_copies(device: Device) -> None:
    some = nodes(5)
    array = hetc.array(some)

    @hetc.jit
    def assigned(copies: Any) -> None:
        for i in hetc.forall(len(copies)):
            copies[i].value = 5.0

    with (
        hetc.configure(device=device, offload="always", fallback="error"),
        pytest.raises(hetc.CompileError, match="is a copy"),
    ):
        assigned(array)
    assert [one.value for one in array] == [one.value for one in some] == [k * 0.5 - 1 for k in range(5)]


def test_linked_portable_arrays(device: Device) -> None:
    array = hetc.array(tree(30))

    def value(k: int) -> float:
        left = array[k].left
        return -1.0 if left is None else left.value

    with hetc.configure(device=device, offload="always", fallback="error"):
        assert hetc.map(value)(range(30)) == list(map(value, range(30)))

"""Fields of objects as struct of arrays, array of structs and a mix: the same results, and what is chosen."""

from __future__ import annotations

import itertools
import linecache
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.dialects.parts.offload_records import struct_offsets, struct_size
from hetc.runtime.devices import Device
from hetc.runtime.opencl import cl
from tests.device.conftest import discrete
from tests.device.test_layouts import C_TYPES

SIZES = (0, 1, 7, 255, 257)
LAYOUTS = ("auto", "soa", "aos")


@dataclass(eq=False)
class Named:
    """What all have: inherited fields."""

    key: int
    heavy: bool = False


@dataclass(eq=False)
class Place:
    x: float
    y: np.float32


@dataclass(eq=False)
class Body(Named):
    at: Any = None
    mass: float = 1.0
    kind: Any = 0
    near: Any = None

    def score(self) -> float:
        return (self.mass if self.heavy else -self.mass) + self.at.x * self.at.y + self.key


@dataclass(eq=False)
class Link:
    body: Any
    weight: float


def bodies(size: int) -> list[Body]:
    made = [
        Body(k * 7 % 5, k % 3 == 0, Place(k / 4, np.float32(k % 9)), k * 0.5 - 3, np.int8(k % 50)) for k in range(size)
    ]
    for k, body in enumerate(made):
        body.near = made[k // 2] if k % 4 else None
    return made


def run(device: Device, function: Any, *inputs: Any) -> Any:
    """The result on the device; where a list is empty, nothing says that it is one of objects, and Python runs."""
    fallback = "error" if len(inputs[0]) else "silent"
    with hetc.configure(device=device, offload="always", fallback=fallback, verify=True):
        return function(*inputs)


def members(af: Any, *inputs: Any) -> list[list[str]]:
    """The numbers that stand in each record of a call."""
    lines = [line for line in af.lower(*inputs).plan().splitlines() if "Records(" in line]
    return [[part.split(" at ")[0].split("(")[-1] for part in line.split(", ") if " at " in part] for line in lines]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_maps_and_reductions(device: Device, layout: str) -> None:
    scores = hetc.map(Body.score).options(layout=layout)
    least = hetc.map(Body.score).reduce(lambda a, b: b if b < a else a, 0.0).options(layout=layout)
    for size in SIZES:
        some = bodies(size)
        assert run(device, scores, some) == [body.score() for body in some]
        assert run(device, least, some) == min([body.score() for body in some] + [0.0])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gathers_through_references(device: Device, layout: str) -> None:
    def follow(link: Any) -> Any:
        body, total, steps = link.body, link.weight, 0
        while body is not None and steps < 5:
            total += body.mass * body.key if body.heavy else body.kind
            body, steps = body.near, steps + 1
        return total

    af = hetc.map(follow).options(layout=layout)
    for size in SIZES[1:]:
        some = bodies(size)
        links = [Link(some[k * k % size], k / 8) for k in range(3 * size)]
        assert run(device, af, links) == [follow(link) for link in links]
        with hetc.configure(device=device, offload="always", fallback="error"):
            found = members(af, links)
        together = [record for record in found if {"key", "near_places"} <= set(record)]
        assert len(together) == (layout != "soa" and size > 1)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_loops_and_maps_assign(device: Device, layout: str) -> None:
    def step(some: Any, order: Any) -> None:
        for i in hetc.forall(len(some)):
            other = some[order[i]]
            some[i].mass = 2.0 * some[i].key + (other.at.x if other.heavy else 1.5 * int(other.kind))

    def fall(body: Any) -> Any:
        body.key += 1
        if body.heavy:
            body.mass = body.mass * 0.5 + body.kind

    on_device, fallen = hetc.jit(step).options(layout=layout), hetc.map(fall).options(layout=layout)
    for size in SIZES:
        expected, found = bodies(size), bodies(size)
        order = np.arange(size)[::-1].copy()
        step(expected, order)
        run(device, on_device, found, order)
        for body in expected:
            fall(body)
        run(device, fallen, found)
        assert [(b.key, b.mass) for b in found] == [(b.key, b.mass) for b in expected]
        assert [type(body.mass) for body in found] == [type(body.mass) for body in expected]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_none_and_several_classes(device: Device, layout: str) -> None:
    @dataclass
    class Square:
        side: float
        turns: int = 1

        def area(self) -> float:
            return self.side * self.side * self.turns

    @dataclass
    class Circle:
        radius: float
        kind: Any = 3

        def area(self) -> float:
            return 3.0 * self.radius + self.kind

    shapes = [None if k % 7 == 3 else Square(k / 2, k) if k % 2 else Circle(k / 3, np.int16(k)) for k in range(257)]
    order = np.arange(257)[::-1].copy()

    def area(shape: Any) -> Any:
        return -1.0 if shape is None else shape.area()

    def area_at(k: Any) -> Any:
        shape = shapes[order[k]]
        return -1.0 if shape is None else shape.area()

    assert run(device, hetc.map(area).options(layout=layout), shapes) == [area(shape) for shape in shapes]
    assert run(device, hetc.map(area_at).options(layout=layout), range(257)) == [area_at(k) for k in range(257)]


KINDS: dict[str, Callable[[int], Any]] = {
    "i1": lambda k: np.int8(k % 10),
    "?": lambda k: k % 3 == 1,
    "i2": lambda k: np.int16(k * 3),
    "i4": lambda k: np.int32(-k),
    "f4": lambda k: np.float32(k / 8),
    "i8": lambda k: k * 5 - 9,
    "f8": lambda k: k / 16,
}
"""A number of each size, of Python's and NumPy's."""


class Mixed:
    """Fields whose order is that in which they are read."""

    def __init__(self, k: int) -> None:
        for kind, make in KINDS.items():
            setattr(self, f"x_{kind.replace('?', 'b')}", make(k))


ORDERS = [*(list(KINDS)[k:] + list(KINDS)[:k] for k in range(7)), list(KINDS)[::-1]]


def test_fields_of_every_size_in_every_order(device: Device) -> None:
    records = [Mixed(k) for k in range(257)]
    order = np.arange(257)[::-1].copy()
    for number, kinds in enumerate(ORDERS):
        terms = " + ".join(f"r.x_{kind.replace('?', 'b')} * {place + 2}" for place, kind in enumerate(kinds))
        scope = {"records": records, "order": order}
        # The functions are made in a file that is there, for hetc reads their syntax.
        at = hetc.map(made(f"lambda k: (lambda r: {terms})(records[order[k]])", scope)).options(layout="aos")
        own = hetc.map(made(f"lambda r: {terms}", scope)).options(layout=LAYOUTS[number % 3])
        plain = made(f"lambda r: {terms}", scope)
        expected = [plain(record) for record in records]
        assert run(device, own, records) == expected
        assert run(device, at, range(257)) == expected[::-1]
        with hetc.configure(device=device, offload="always", fallback="error"):
            (found,) = members(at, range(257))
        assert sorted(found) == sorted(f"x_{kind.replace('?', 'b')}" for kind in kinds)


def made(text: str, scope: dict[str, Any]) -> Any:
    """A function of text, in a file of the text's own."""
    name = f"<made {text}>"
    linecache.cache[name] = (len(text), None, [text], name)
    return eval(compile(text, name, "eval"), scope)  # noqa: S307 - it is ours


def test_structs_are_those_of_the_device(device: Device) -> None:
    """The device's C lays structs out as `struct_offsets` says, whatever the order of the fields."""
    kinds = list(KINDS)
    orders = [*itertools.permutations(["i1", "f8", "i2", "f4"]), *itertools.permutations(kinds, 3)]
    orders += [tuple(kinds[k:] + kinds[:k]) for k in range(len(kinds))]
    declared, rows, expected = list[str](), list[str](), list[int]()
    for number, order in enumerate(orders):
        sizes = [np.dtype(kind).itemsize for kind in order]
        expected += [struct_size(sizes), *struct_offsets(sizes)]
        fields = " ".join(f"{C_TYPES[kind]} x{k};" for k, kind in enumerate(order))
        declared.append(f"struct s{number} {{ {fields} }};")
        at = "".join(
            f" *next++ = (int)((__global char *)&one->x{k} - (__global char *)one);" for k in range(len(order))
        )
        rows.append(
            f"{{ __global struct s{number} *one = (__global struct s{number} *)out; *next++ = sizeof(*one);{at} }}"
        )
    text = "\n".join([*declared, "__kernel void report(__global int *out) { __global int *next = out;", *rows, "}"])
    with warnings.catch_warnings(action="ignore"):  # of what the compilers say
        program = cl.Program(device.context, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" + text).build()
    found = np.zeros(len(expected), np.int32)
    buffer = cl.Buffer(device.context, cl.mem_flags.READ_WRITE, found.nbytes)
    cl.Kernel(program, "report")(device.queue, (1,), None, buffer)
    cl.enqueue_copy(device.queue, found, buffer)
    assert found.tolist() == expected


def test_the_access_decides(device: Device) -> None:
    some: Any = bodies(64)
    order = np.arange(64)[::-1].copy()

    def mixed(k: Any) -> Any:
        total = 0.0
        for body in some:
            total += body.mass
        other: Any = some[order[k]]
        return other.at.x + other.key + total + some[k].kind

    with hetc.configure(device=device, offload="always", fallback="error", verify=True):
        af = hetc.map(mixed)
        assert af(range(64)) == [mixed(k) for k in range(64)]
        chosen = {layout: members(af.options(layout=layout), range(64)) for layout in LAYOUTS}
        assert {layout: list(map(sorted, found)) for layout, found in chosen.items()} == {
            "auto": [["at_x", "key"]],
            "soa": [],
            "aos": [["at_x", "key", "kind", "mass"]],
        }
        facts = " ".join(str(af.explain(range(64))).split())
        assert "as array of structs 'some': read together at places that are data" in facts
        assert "layout: some_mass is read as struct of arrays: all work-items read it in a loop" in facts
        assert "layout: some_kind is read as struct of arrays: each work-item reads its own" in facts


def test_on_a_device_with_memory_of_its_own(device: Device) -> None:
    """Only what is read moves, in a record as in arrays."""
    some = bodies(257)
    order = np.arange(257)[::-1].copy()

    def at(k: Any) -> Any:
        return some[order[k]].mass + some[order[k]].at.x

    af = hetc.map(at)
    for layout, size in (("soa", 8 + 8 + 8), ("aos", 8 + 16), ("auto", 8 + 16)):
        chosen = af.options(layout=layout)
        with hetc.configure(device=discrete(device), offload="always", fallback="error"):
            assert chosen(range(257)) == [at(k) for k in range(257)]
            with hetc.profile() as p:
                chosen(range(257))
        assert p.bytes_h2d == 257 * size
        assert len(members(chosen, range(257))) == (layout != "soa")


def test_other_words(device: Device) -> None:
    with pytest.raises(ValueError, match='layout is "auto", "aos" or "soa"'):
        hetc.map(Body.score).on(device).options(layout="columns")


def test_portable_arrays_of_objects(device: Device) -> None:
    """Their fields stay on the device, in the layout that is asked for of the array, or of the function."""

    def sum_of(b: Any) -> Any:
        return b.mass * b.key + b.at.x

    some = bodies(257)
    af = hetc.map(sum_of)
    expected = [sum_of(b) for b in some]
    with hetc.configure(device=discrete(device), offload="always", fallback="error", verify=True):
        for layout in (None, *LAYOUTS):
            array: Any = hetc.array(some, layout=layout)
            assert list(af(array)) == expected
            with hetc.profile() as p:
                assert list(af(array)) == expected
                assert list(af(array[:])) == expected
            assert p.bytes_h2d == 257 * 24
            plans = [af.lower(array).plan(), af.options(layout="aos").lower(array).plan()]
            assert ["PresentRecords(" in plan for plan in plans] == [layout == "aos", True]
            assert "PresentRecords(" not in af.options(layout="soa").lower(array).plan()
    with hetc.configure(device=device, offload="always", fallback="error", verify=True):
        array = hetc.array(some, layout="aos")
        assert list(af(array)) == list(af(array)) == expected
        facts = " ".join(str(af.explain(array)).split())
    assert "as array of structs 'input_0': an array of structs is asked for" in facts


def test_layouts_of_arrays_that_there_are_not() -> None:
    with pytest.raises(ValueError, match='layout is "auto", "aos" or "soa"'):
        hetc.array(bodies(3), layout="columns")
    with pytest.raises(ValueError, match="is one of lists of objects"):
        hetc.array([1, 2], layout="aos")

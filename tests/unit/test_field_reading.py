"""Reading fields and making objects, by the compiled loops and in Python: both do the same."""

from __future__ import annotations

import abc
import gc
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any, NamedTuple

import numpy as np
import pytest

from hetc import native
from hetc.errors import UnsupportedError
from hetc.field_reading import read_fields
from hetc.field_values import BLOCK
from hetc.records import ClassLayout, Method
from hetc.runtime.describe import describe
from hetc.runtime.marshal import marshal
from hetc.runtime.objects import make_objects

WAYS = {"python": None} | ({} if native.compiled is None else {"compiled": native.compiled})


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(native, "compiled", WAYS[request.param])
    return request.param


@dataclass
class Plain:
    x: Any
    y: Any = 0.5

    def twice(self) -> float:
        return 2 * self.x

    @classmethod
    def made(cls) -> Plain:
        return cls(1.0)

    @staticmethod
    def unit() -> float:
        return 1.0


class Sub(Plain):
    pass


@dataclass(slots=True)
class Slotted:
    x: Any
    y: Any = 0.5


class SlottedAndMore(Slotted):
    __slots__ = ("z",)


class SlotsInheritedByADict(Slotted):
    pass


class Pair(NamedTuple):
    x: Any
    y: Any = 0.5


class Constant:
    x: Any = 2.5
    y = 0.5

    def __init__(self, x: Any) -> None:
        if x != self.x:
            self.x = x


@dataclass(frozen=True, slots=True)
class Frozen:
    x: Any
    y: Any


class Abstract(abc.ABC):
    @abc.abstractmethod
    def f(self) -> None: ...


class Odd(float):
    pass


CLASSES = [Plain, Sub, Slotted, SlottedAndMore, SlotsInheritedByADict, Pair, Constant]
FLOATS = [0.0, -0.0, 1.5, np.inf, -np.inf, np.nan, 5e-324, 1.7976931348623157e308]
INTS = [0, 1, -1, 2**31, -(2**63), 2**63 - 1]
BOOLS = [True, False, True]
OTHERS = [
    2**63,
    -(2**63) - 1,
    1j,
    None,
    "x",
    (1.0,),
    Plain(1.0),
    np.float64(1),
    np.float32(1),
    np.int64(1),
    np.True_,
    Odd(1),
]


def value_lists() -> Iterator[list[Any]]:
    """Numbers of one type; each other value, and each of another type, first, last and on both sides of a block."""
    numbers = [FLOATS, INTS, BOOLS]
    yield from numbers
    for most in numbers:
        for odd in (1.5, 7, True, *OTHERS):
            if type(odd) is type(most[0]) and odd not in OTHERS[:2]:
                continue
            yield [most[0], odd, most[1]]
            yield [odd, most[0]]
    for place, most, odd in ((BLOCK - 1, 1.5, 1), (BLOCK, 1, 2**63), (BLOCK + 1, True, 0), (BLOCK, 2.5, None)):
        yield [*[most] * place, odd, *[most] * (BLOCK + 2 - place)]


def layout_of(cls: type, *names: str, methods: tuple[Method, ...] = ()) -> ClassLayout:
    return ClassLayout(cls, cls.__name__, names, methods, {})


def with_holes(objects: list[Any], every: int) -> list[Any]:
    return [each for k, one in enumerate(objects) for each in ([None, one] if k % every == 1 else [one])]


def state(values: Any) -> Any:
    """The values of a field: what they are packed as, and each with its type; objects by what they are."""
    if isinstance(values, UnsupportedError):
        return values.reason
    packed = str(values.dtype) if isinstance(values, np.ndarray) else None
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    return packed, [(type(v), id(v) if isinstance(v, Plain) else repr(v)) for v in listed]


def expected(values: list[Any]) -> Any:
    """What reading must find, in the plainest terms."""
    kinds = set(map(type, values))
    fits = all(type(v) is not int or -(2**63) <= v < 2**63 for v in values)
    packed = {float: "float64", int: "int64", bool: "bool"}.get(kinds.pop()) if len(kinds) == 1 and fits else None
    return packed, state(values)[1]


@pytest.mark.parametrize("cls", CLASSES)
def test_values_and_their_types(cls: type, way: str) -> None:
    for values in value_lists():
        objects = [cls(value) for value in values]
        for elements in (objects, tuple(objects), with_holes(objects, 2), [None, None, *objects, None]):
            present, (x, y) = read_fields(elements, layout_of(cls, "x", "y"), "it")
            assert state(x) == expected(values)
            assert state(y) == expected([0.5] * len(values))
            places = [k for k, element in enumerate(elements) if element is not None]
            assert (list(range(len(elements))) if present is None else present.tolist()) == places
            assert (present is None) == (len(places) == len(elements))


def test_no_field_and_the_same_object_twice(way: str) -> None:
    one = Plain(1.5)
    assert read_fields([one, one], layout_of(Plain), "it") == (None, [])
    _, (x,) = read_fields([one, Plain(2.5), one], layout_of(Plain, "x"), "it")
    assert state(x) == expected([1.5, 2.5, 1.5])


@pytest.mark.parametrize("cls", [Plain, Slotted, SlottedAndMore, SlotsInheritedByADict])
def test_the_first_missing_attribute_is_named_and_the_others_are_read(cls: type, way: str) -> None:
    for lacking in (0, 3, BLOCK - 1, BLOCK, BLOCK + 2):
        objects = [cls(float(k)) for k in range(BLOCK + 5)]
        for k in (lacking, BLOCK + 3):
            del objects[k].x
        _, (x, y) = read_fields([None, *objects], layout_of(cls, "x", "y"), "input 0")
        assert state(x) == f"element {lacking + 1} of input 0 has no attribute 'x'"
        assert state(y) == expected([0.5] * len(objects))


@pytest.mark.parametrize("distinct", [1, 3, 100, 255, 256, 5000])
@pytest.mark.parametrize("every", [0, 3])
def test_objects_that_stand_in_several_places(distinct: int, every: int, way: str) -> None:
    objects = [Plain(k * 0.5, None if k % 2 else k) for k in range(distinct)]
    elements = [objects[k * 7 % distinct] for k in range(5000)]
    elements = with_holes(elements, every) if every else elements
    present, (xs, ys) = read_fields(elements, layout_of(Plain, "x", "y"), "some")
    here = [k for k, one in enumerate(elements) if one is not None]
    assert here == (list(range(5000)) if present is None else present.tolist())
    assert state(xs) == expected([elements[k].x for k in here])
    assert state(ys) == expected([elements[k].y for k in here])
    objects[-1] = elements[-1] = Sub(1.0)  # type: ignore[assignment]
    assert "class Sub" in refusal(elements, layout_of(Plain, "x"))


def refusal(elements: list[Any], layout: ClassLayout) -> str:
    with pytest.raises(UnsupportedError) as caught:
        read_fields(elements, layout, "input 0")
    return caught.value.reason


def test_another_class_is_named(way: str) -> None:
    for place in (0, 5, BLOCK, BLOCK + 1):
        for other in (Sub(1.0), Slotted(1.0), 1.5, Plain):
            objects: list[Any] = [Plain(float(k)) for k in range(BLOCK + 2)]
            objects[place] = other
            assert f"element {place} of input 0 is of the class" in refusal(objects, layout_of(Plain, "x"))


METHODS = tuple(
    Method(name, getattr(getattr(Plain, name), "__func__", getattr(Plain, name)), kind)
    for name, kind in (("twice", "method"), ("made", "class"), ("unit", "static"))
)


def test_methods_are_those_of_the_class_bound_to_the_object(way: str) -> None:
    layout = layout_of(Plain, "x", methods=METHODS)
    one, other = Plain(1.0), Plain(2.0)
    assert state(read_fields([None, one, other], layout, "it")[1][0]) == expected([1.0, 2.0])
    one.__dict__.update(twice=one.twice, made=one.made, unit=one.unit)  # the same methods, as attributes
    assert state(read_fields([one, other], layout, "it")[1][0]) == expected([1.0, 2.0])
    function: FunctionType = Plain.twice
    hiding: list[tuple[str, Any]] = [
        ("twice", lambda: 1.0),
        ("twice", 1.0),
        ("twice", function),
        ("twice", other.twice),
        ("twice", MethodType(function, Plain)),
        ("made", lambda: one),
        ("made", Sub.made),
        ("unit", lambda: 2.0),
        ("unit", MethodType(Plain.unit, one)),
    ]
    for name, value in hiding:
        for place in (0, 3, BLOCK):
            objects = [Plain(float(k)) for k in range(BLOCK + 2)]
            objects[place].__dict__[name] = value
            assert refusal(objects, layout) == (
                f"an object in input 0 has an attribute '{name}' of its own, which hides the method"
            )


class Watched:
    """An object whose attribute runs `watch` when it is read."""

    watch: Callable[[Watched], object]

    def __init__(self, number: float) -> None:
        self.number = number
        self.y = 0.5

    @property
    def x(self) -> float:
        Watched.watch(self)
        return self.number

    def __del__(self) -> None:
        self.number = -1.0


def test_errors_come_through(way: str) -> None:
    def fail(one: Watched) -> None:
        if one.number == 3.0:
            raise ZeroDivisionError("watch")

    Watched.watch = fail
    with pytest.raises(ZeroDivisionError, match="watch"):
        read_fields([Watched(float(k)) for k in range(7)], layout_of(Watched, "y", "x"), "it")
    method = Method("x", Plain.twice, "method")
    with pytest.raises(ZeroDivisionError, match="watch"):
        read_fields([Watched(float(k)) for k in range(7)], layout_of(Watched, "y", methods=(method,)), "it")


def test_a_list_that_changes_while_it_is_read(way: str) -> None:
    """Whatever the user's code does to it: a list of another length is refused, one of the same length is read."""
    changes: list[Callable[[list[Any]], object]] = [
        lambda elements: elements.clear(),
        lambda elements: elements.pop(),
        lambda elements: elements.append(Watched(1.0)),
        lambda elements: elements.extend([None] * 9000),
    ]
    for change in changes:
        for when in (0.0, 3.0, 6.0):
            elements = [Watched(float(k)) for k in range(7)]
            Watched.watch = lambda one, when=when, elements=elements, change=change: (
                change(elements) if one.number == when else None
            )
            assert refusal(elements, layout_of(Watched, "x", "y")) == "input 0 has changed its length while it was read"
    elements = [Watched(float(k)) for k in range(7)]

    def replace(one: Watched) -> None:
        elements[:] = [Watched(one.number) for _ in range(7)]

    Watched.watch = replace
    assert len(read_fields(elements, layout_of(Watched, "x"), "it")[1][0]) == 7


def test_nothing_is_leaked(way: str) -> None:
    marks = [object() for _ in range(3)]
    objects = [Plain(float(k), marks[k % 3]) for k in range(300)]
    lacking, hiding, failing = (
        [Plain(float(k)) for k in range(300)],
        [Plain(float(k)) for k in range(300)],
        Watched(1.0),
    )
    del lacking[200].x
    hiding[200].__dict__["twice"] = 1.0
    layout = layout_of(Plain, "x", "y", methods=METHODS)

    def fail(one: Watched) -> None:
        raise ZeroDivisionError

    Watched.watch = fail

    def once() -> None:
        read_fields([None, *objects], layout, "it")
        read_fields(lacking, layout, "it")
        mixed = [*objects[:100], *(Plain(k, float(k)) for k in range(100))]
        read_fields(mixed, layout, "it")
        for elements, layouted in (
            (hiding, layout),
            ([*objects, 1], layout),
            ([failing], layout_of(Watched, "y", "x")),
        ):
            with pytest.raises((UnsupportedError, ZeroDivisionError)):
                read_fields(elements, layouted, "it")
        describe([[k * 1.0 for k in range(300)], list(range(300))], {})
        assert len(make_objects(Slotted, ("x", "y"), (list(range(1000, 1300)), [0.5] * 300), 300)) == 300

    counted: list[Any] = [
        *marks,
        Plain,
        Slotted,
        Plain.twice,
        objects[0],
        lacking[200],
        hiding[200],
        failing,
        METHODS[0],
    ]
    once()
    gc.collect()
    before = [sys.getrefcount(one) for one in counted]
    tracemalloc.start()
    try:
        once()
        gc.collect()
        first = tracemalloc.get_traced_memory()[0]
        for _ in range(20):
            once()
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - first
    finally:
        tracemalloc.stop()
    assert [sys.getrefcount(one) for one in counted] == before
    assert grown < 20 * 300 * 8, "less than one column a pass"


def test_lists_of_numbers_are_described_and_marshalled_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(values: Any) -> Any:
        try:
            signature, _ = describe([values], {"v": values})
        except UnsupportedError as error:
            return error.reason
        leaf = signature.inputs[0].element
        array = marshal(values, (), np.dtype(leaf.dtype)) if hasattr(leaf, "dtype") else np.zeros(0)
        return repr(signature), array.dtype.name, array.tobytes()

    class Numbers(list[Any]):
        pass

    for values in value_lists():
        for form in (values, tuple(values), Numbers(values), values[:1]):
            outcomes: list[Any] = []
            for compiled in WAYS.values():
                monkeypatch.setattr(native, "compiled", compiled)
                outcomes.append(found(form))
            assert all(outcome == outcomes[0] for outcome in outcomes)
    assert "bounds" in found([1, 2])[0]


def test_numbers_that_have_changed_since_they_were_described(way: str) -> None:
    assert marshal([1, 2], (), np.dtype(np.float64)).tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="could not convert"):
        marshal([1.5, "x"], (), np.dtype(np.float64))


@pytest.mark.parametrize("cls", [Plain, Sub, Slotted, SlottedAndMore, SlotsInheritedByADict, Pair, Frozen])
def test_objects_are_made(cls: type, way: str) -> None:
    for count in (0, 1, 7, 1000):
        columns = ([float(k) for k in range(count)], [object() for _ in range(count)])
        made = make_objects(cls, ("x", "y"), columns, count)
        assert [type(one) for one in made] == [cls] * count
        assert all(one.x is x and one.y is y for one, x, y in zip(made, *columns, strict=True))


def test_the_garbage_collector_is_left_as_it_was(way: str) -> None:
    assert gc.isenabled()
    make_objects(Plain, ("x",), ([1.0],), 1)
    with pytest.raises(TypeError, match="abstract"):
        make_objects(Abstract, (), (), 1)
    with pytest.raises(AttributeError):
        make_objects(Slotted, ("nothing",), ([1.0],), 1)
    assert gc.isenabled()
    gc.disable()
    try:
        make_objects(Plain, ("x",), ([1.0],), 1)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_wrong_arguments_are_refused() -> None:
    room, none, read_only, objects = np.empty(4, np.int64), np.empty(0, np.int64), np.empty(4, np.int64), [Plain(1.0)]
    read_only.flags.writeable = False
    wrong: list[tuple[str, tuple[Any, ...]]] = [
        ("pack", ({1.0}, room)),
        ("pack", ([1.0], none)),
        ("type_of_numbers", ({1.0},)),
        ("pack", ([1.0], read_only)),
        ("read_fields", ({1}, Plain, (), (), room, ())),
        ("read_fields", (objects, 1, (), (), room, ())),
        ("read_fields", (objects, Plain, (), ("x",), room, ())),
        ("read_fields", (objects, Plain, (), ("x",), none, (room,))),
        ("read_fields", (objects, Plain, (), ("x", "y"), room, (room, none))),
        ("read_fields", (objects, Plain, (), (1,), room, (room,))),
        ("read_fields", (objects, Plain, ((1, 2, 3),), (), room, ())),
        ("make_objects", (Plain, ("x",), ([1.0],), 2)),
        ("make_objects", (Plain, ("x",), (), 0)),
        ("make_objects", (Plain, ("x",), ((1.0,),), 1)),
    ]
    for compiled in filter(None, WAYS.values()):
        for name, arguments in wrong:
            with pytest.raises((TypeError, ValueError)):
                getattr(compiled, name)(*arguments)

"""Objects as elements and captured variables: what Python gives, objects compared by class and fields."""

from __future__ import annotations

import abc
import enum
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.oracle import in_cpython

Check = Callable[..., Any]
SIZES = [0, 1, 7, 255, 257]


def state(value: Any) -> Any:
    """A value as something that can be compared: objects by class and fields, numbers by type and digits."""
    if isinstance(value, enum.Enum):
        return type(value).__qualname__, id(value)
    if isinstance(value, list | tuple):
        return type(value).__name__, [state(item) for item in value]
    if value is None or isinstance(value, int | float | complex | np.generic):
        return type(value).__name__, repr(value)
    if isinstance(value, np.ndarray):
        return "ndarray", value.dtype.name, [state(item) for item in value]
    slots = [name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ())]
    fields = {name: object.__getattribute__(value, name) for name in slots if name in dir(value)}
    if hasattr(type(value), "__dict__") and type(value).__dictoffset__:
        fields |= object.__getattribute__(value, "__dict__")
    return type(value).__qualname__, {name: state(part) for name, part in fields.items()}


def outcome(run: Callable[[], Any]) -> Any:
    try:
        return state(run())
    except Exception as error:  # noqa: BLE001 (whatever it raises is the outcome)
        return type(error).__name__, str(error)


@pytest.fixture
def same(device: Device) -> Check:
    """`same(f, *inputs)`: hetc gives what CPython gives, compiled; with `reason`, in Python, because of that."""

    def check(function: Any, *inputs: Any, reason: str | None = None, deopts: int | None = 0) -> Any:
        af = function if isinstance(function, hetc.ArrayFunction) else hetc.map(function)
        expected = outcome(lambda: in_cpython(af, inputs))
        before = state(list(inputs))
        with hetc.configure(device=device, offload="always", fallback="error", verify=True), hetc.profile() as p:
            if reason is not None:
                with pytest.raises(hetc.CompileError, match=reason):
                    af(*inputs)
        if reason is not None:
            with hetc.configure(device=device, offload="always", fallback="silent"):
                assert outcome(lambda: af(*inputs)) == expected
            return None
        with hetc.configure(device=device, offload="always", fallback="error", verify=True), hetc.profile() as p:
            found = outcome(lambda: af(*inputs))
        assert found == expected
        assert state(list(inputs)) == before
        assert deopts in (None, p.deopts), f"{p.deopts} calls went back to Python"
        return found

    return check


# --------------------------------------------------------------------------------------------------------------------
# Classes
# --------------------------------------------------------------------------------------------------------------------


@dataclass
class Vec:
    x: float
    y: float = 0.5

    def __add__(self, other: Vec) -> Vec:
        return Vec(self.x + other.x, self.y + other.y)

    def __sub__(self, other: Vec) -> Vec:
        return Vec(self.x - other.x, self.y - other.y)

    def __mul__(self, factor: float) -> Vec:
        return Vec(self.x * factor, self.y * factor)

    def __rmul__(self, factor: float) -> Vec:
        return self * factor

    def __neg__(self) -> Vec:
        return Vec(-self.x, -self.y)

    def __abs__(self) -> float:
        return math.sqrt(self.x * self.x + self.y * self.y)

    def __getitem__(self, index: int) -> float:
        return (self.x, self.y)[index]

    def __len__(self) -> int:
        return 2

    def __call__(self, t: float, scale: float = 1.0) -> float:
        return (self.x + t * self.y) * scale

    def dot(self, other: Vec, *, bias: float = 0.0) -> float:
        return self.x * other.x + self.y * other.y + bias

    @property
    def squared(self) -> float:
        return self.dot(self)

    @staticmethod
    def twice(number: float) -> float:
        return number * 2

    @classmethod
    def diagonal(cls, size: float) -> Vec:
        return cls(size, size)


@dataclass(frozen=True, order=True)
class Frozen:
    key: int
    weight: float


@dataclass(slots=True)
class Slotted:
    n: int
    w: float


class Plain:
    SCALE = 3

    def __init__(self, a: int, b: int) -> None:
        self.a = a
        self.total = a + b
        if b > 2:
            self.total += 1
        self.b = b

    def scaled(self) -> int:
        return self.total * self.SCALE


class Derived(Plain):
    def __init__(self, a: int, b: int, c: float) -> None:
        super().__init__(a, b)
        self.c = c

    def scaled(self) -> int:
        return self.a - 1

    def both(self) -> float:
        return self.scaled() + self.c


class Pair(NamedTuple):
    left: int
    right: float

    def swap(self) -> float:
        return self.right - self.left


@dataclass
class Body:
    position: Vec
    velocity: Vec
    mass: float

    def moved(self, dt: float) -> Body:
        return Body(self.position + self.velocity * dt, self.velocity * 1.0, self.mass)


def vectors(size: int) -> list[Vec]:
    return [Vec(k * 0.75 - 3, 2.0 - k) for k in range(size)]


def bodies(size: int) -> list[Body]:
    return [Body(Vec(k * 1.5, -k * 0.25), Vec(0.5, k - 3.0), 1.0 + k) for k in range(size)]


ORIGIN = Vec(1.0, -2.0)
SITES = vectors(5)
CROWD = bodies(6)
LIMIT = 2


# --------------------------------------------------------------------------------------------------------------------
# Reading
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_fields_methods_properties(same: Check, size: int) -> None:
    data = vectors(size)
    if not size:
        same(lambda v: v.x, data, reason="attribute")
        return
    same(lambda v: v.x, data)
    same(lambda v: v.dot(v, bias=1.5) + v.squared, data)
    same(lambda v: v.twice(v.x) + Vec.twice(v.y), data)
    same(lambda v: (v[0], v[1], len(v), abs(v), v(2.0, 1.5)), tuple(data))
    same(lambda v, k: v.x * k, data, range(size))


def test_plain_classes_and_inheritance(same: Check) -> None:
    same(lambda p: p.scaled() + p.SCALE + Plain.SCALE, [Plain(k, k % 4) for k in range(20)])
    same(lambda p: (p.both(), p.total, p.c), [Derived(k, k % 4, k / 2) for k in range(20)])
    same(lambda s: s.n * s.w, [Slotted(k, k + 0.5) for k in range(20)])
    same(lambda s: s.key * s.weight, [Frozen(k, k + 0.5) for k in range(20)])


def test_named_tuples(same: Check) -> None:
    data = [Pair(k, k * 0.25) for k in range(20)]

    def unpacked(p: Pair) -> float:
        a, b = p
        return a * b + p[0] + p.right + len(p) + p.swap()

    same(unpacked, data)
    same(lambda p: p < (5, 1.0), data)
    same(lambda p: Pair(p.left + 1, p.right), data)
    same(lambda p: (Pair(p.left, 1.0) == (3, 1.0), isinstance(p, tuple), isinstance(p, Pair)), data)


def test_nested_objects(same: Check) -> None:
    data = bodies(20)
    same(lambda b: b.position.x + abs(b.velocity) * b.mass, data)
    same(lambda b: (b.position + b.velocity * 0.5).squared, data)
    same(lambda b: b.moved(0.25), data)


def test_fields_of_all_kinds(same: Check) -> None:
    @dataclass
    class Kinds:
        i: int
        b: bool
        c: complex
        f32: Any
        u8: Any
        pair: tuple[int, float]

    data = [Kinds(k - 5, k % 2 == 0, complex(k, -k), np.float32(k / 4), np.uint8(k), (k, k / 2)) for k in range(20)]
    same(lambda k: (k.i // 3, not k.b, k.c * 2, k.f32 * k.f32, k.u8 + k.u8, k.pair[0] * k.pair[1]), data)


def test_a_field_of_several_types(same: Check) -> None:
    data = [Vec(k if k % 2 else k / 2, 1.0) for k in range(20)]
    same(lambda v: v.x * 2, data)
    holes: list[Any] = [Vec(1.0, None if k % 3 == 0 else k / 2) for k in range(20)]
    same(lambda v: -1.0 if v.y is None else v.y, holes)


def test_none_among_the_objects(same: Check) -> None:
    data = [None if k % 3 == 0 else v for k, v in enumerate(vectors(20))]
    same(lambda v: 0.0 if v is None else v.x, data)
    same(lambda v: v.x if v else -1.0, data)
    same(lambda v: v == None, data)  # noqa: E711
    same(lambda v: Vec(0.0, 0.0) if v is None else v + v, data)
    nested = [Body(v, ORIGIN, 1.0) for v in data]
    same(lambda b: 1.0 if b.position is None else b.position.y, nested)


def test_none_where_an_object_is_needed_raises(same: Check) -> None:
    assert same(lambda v: v.x, [*vectors(3), None], deopts=None)[0] == "AttributeError"


def test_the_same_object_twice(same: Check) -> None:
    one, other = vectors(2)
    same(lambda a, b: a.x * b.y, [one, other, one, one], [one, one, other, one])


# --------------------------------------------------------------------------------------------------------------------
# Captured objects
# --------------------------------------------------------------------------------------------------------------------


def nearest(v: Vec) -> int:
    best, least = 0, 1e300
    for k, site in enumerate(SITES):
        distance = (v - site).squared
        if distance < least:
            best, least = k, distance
    return best


def force(b: Body) -> Vec:
    total = Vec(0.0, 0.0)
    for other in CROWD:
        between = other.position - b.position
        total = total + between * (other.mass / (between.squared + 0.5))
    return total


def test_captured_objects(same: Check) -> None:
    same(lambda v: (v - ORIGIN).dot(ORIGIN), vectors(20))
    same(nearest, vectors(20))
    same(force, bodies(20))
    same(lambda v: v.x + sum(s.x for s in SITES[0:2]), vectors(5), reason="indices")
    same(lambda v: v.x * SITES[1].y + SITES[-1].x + len(SITES), vectors(5))
    same(lambda i: SITES[i].x, range(-5, 5))
    assert same(lambda i: SITES[i].x, range(7), deopts=None)[0] == "IndexError"


def test_objects_that_change_between_calls(same: Check) -> None:
    data, here = vectors(9), Vec(1.0, 2.0)
    program = hetc.map(lambda v: v.x + here.x)
    same(program, data)
    data[3].x, here.x = 100.0, -7.0
    same(program, data)
    data[4] = Vec(5, 6)
    here.x = 3
    same(program, data)


def test_classes_that_change_between_calls(same: Check) -> None:
    class Changing:
        RATE = 2.0

        def __init__(self, x: float) -> None:
            self.x = x

        def value(self) -> float:
            return self.x * self.RATE

    data = [Changing(k / 2) for k in range(9)]
    program = hetc.map(lambda c: c.value())
    same(program, data)
    Changing.RATE = 5.0
    same(program, data)
    Changing.value = lambda self: self.x - 1
    same(program, data)
    data[2].value = lambda: 0.125
    same(program, data, reason="hides the method")
    del data[2].value
    data[3].RATE = 9.0
    Changing.value = lambda self: self.x * self.RATE
    same(program, data)


# --------------------------------------------------------------------------------------------------------------------
# Making objects
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES[1:])
def test_results_are_objects(same: Check, size: int) -> None:
    data = vectors(size)
    same(lambda v: Vec(v.y, v.x), data)
    same(lambda v: Vec(v.y), data)
    same(lambda v: Vec(y=1.0, x=2), tuple(data))
    same(lambda v: v + v - -v * 2.0, data)
    same(lambda v: 2.0 * v, data)
    same(lambda v: (v.x, v + ORIGIN), data)
    same(lambda v: Vec.diagonal(v.x), data)
    same(lambda v: v.diagonal(v.y), data)
    same(lambda v: Frozen(LIMIT, v.x), data)
    same(lambda v: Slotted(1, v.x), data)
    same(lambda k: Plain(k, 3 - k), range(size))
    same(lambda k: Derived(k, 3, k / 2), range(size))
    same(lambda k: Body(Vec(k, 1), Vec(2.0 * k), 1.0), range(size))
    same(lambda k: None if k % 2 else Vec(k), range(size)) if size > 1 else None
    same(hetc.map(lambda v: v + v).map(lambda w: w.x * w.y), data)
    same(hetc.map(lambda v: v.x).reduce(max, -1e9), data)
    same(lambda k: Vec(k, 1.0), np.arange(size, dtype=np.float32))


def test_objects_as_variables(same: Check) -> None:
    def walk(v: Vec) -> float:
        p = Vec(0.0, 1.0)
        for _ in range(5):
            p.x += v.x
            if p.x > 3.0:
                p.y = p.y * 2 + p.x
        return p.x * p.y

    def chosen(v: Vec) -> Vec:
        w = v + ORIGIN
        if v.x > 0:
            w = Vec(v.y, v.x)
        while w.x < 10.0:
            w = w + Vec(1.0, 0.25)
        return w

    same(walk, vectors(20))
    same(chosen, vectors(20))


def test_comparisons(same: Check) -> None:
    data = [Frozen(k % 4, k % 3 / 2) for k in range(24)]
    other = data[::-1]
    for program in (
        lambda a, b: a == b, lambda a, b: a != b, lambda a, b: a < b, lambda a, b: a >= b,
        lambda a, b: a == Frozen(1, 0.5), lambda a, b: a == 3, lambda a, b: a is None or b == None,  # noqa: E711
    ):  # fmt: skip
        same(program, data, other)
    same(lambda a: a < 3, data, reason="'lt'")
    same(lambda a, b: a == b, vectors(5), vectors(5))
    same(lambda a, b: a.key == 1 and a is b, data, other, deopts=None)
    same(lambda a, b: a.key if a is b else a.weight, data, other)


def test_isinstance(same: Check) -> None:
    data = [Derived(k, 1, 2.0) for k in range(5)]
    same(
        lambda d: (isinstance(d, Plain), isinstance(d, Vec), isinstance(d, (int, Derived)), isinstance(d, object)), data
    )


# --------------------------------------------------------------------------------------------------------------------
# Left to Python
# --------------------------------------------------------------------------------------------------------------------


def test_identity_of_results(same: Check) -> None:
    data = vectors(5)
    same(lambda v: [v, v.x][0], data)
    same(lambda v: ORIGIN if v.x > 0 else v, data)
    same(lambda b: Body(b.position, Vec(1.0), 1.0), bodies(5))
    array = hetc.array(data)
    same(lambda k: array[k] if k else array[0], range(4), reason="Python returns the object itself")

    def twice(v: Vec) -> tuple[Vec, Vec]:
        w = v + v
        return w, w

    same(twice, data, reason="several places")


def test_several_classes(same: Check) -> None:
    same(lambda v: v.x, [*vectors(3), Vec(1.0), Slotted(1, 2.0)], deopts=None)

    class Sub(Vec):
        @property
        def squared(self) -> float:
            return -1.0

    same(lambda v: v.squared, [*vectors(3), Sub(1.0)])
    same(lambda v: v.squared + v.x, [Sub(float(k)) for k in range(4)])
    same(lambda v: v.x + 1, [*vectors(3), 2.0], reason="others are of Vec")


def test_missing_attributes(same: Check) -> None:
    data = vectors(5)
    del data[3].x
    same(lambda v: v.x, data, reason="element 3 of input 0 has no attribute 'x'")
    same(lambda v: v.x + v.z, vectors(3), reason="'z'")


def test_what_stands_in_a_later_block(same: Check) -> None:
    """Objects are gone through in blocks of 2048."""
    same(lambda v: v.x * 2, vectors(5000))
    odd: list[Any] = vectors(5000)
    odd[4500].x, odd[3000].x, odd[10].y = 3, None, 1
    same(lambda v: (0.0 if v.x is None else v.x * 2, v.y), odd)
    holes: list[Any] = vectors(5000)
    holes[4097] = None
    same(lambda v: 0.0 if v is None else v.x, holes)
    lacking: list[Any] = vectors(5000)
    lacking[7] = None
    del lacking[4100].x
    same(lambda v: v.x, lacking[8:], reason="element 4092 of input 0 has no attribute 'x'")
    assert same(lambda v: 0.0 if v is None else v.x, lacking, deopts=None)[0] == "AttributeError"
    mixed = [*vectors(3000), Slotted(1, 2.0)]
    same(lambda v: v.n if isinstance(v, Slotted) else v.x, mixed, deopts=None)
    assert same(lambda v: v.x, mixed, deopts=None)[0] == "AttributeError"
    hidden: list[Any] = vectors(3000)
    hidden[2999].twice = lambda x: -x
    same(lambda v: v.twice(v.x), hidden, reason="hides the method")
    borrowed: list[Any] = vectors(7)
    borrowed[5].dot = borrowed[2].dot  # the method of the class, but of another object
    same(lambda v: v.dot(v), borrowed, reason="hides the method")


def test_code_in_attributes(same: Check) -> None:
    class Computed:
        def __getattr__(self, name: str) -> float:
            return 1.5

    class Watched:
        def __getattribute__(self, name: str) -> Any:
            return 2.5

    class Lazy:
        @functools.cached_property
        def x(self) -> float:
            return 3.5

    class Descriptor:
        def __get__(self, instance: Any, owner: Any) -> float:
            return 4.5

        def __set__(self, instance: Any, value: Any) -> None:
            raise AttributeError

    class Described:
        x = Descriptor()

    class Meta(type):
        pass

    class Made(metaclass=Meta):
        x = 1.0

    for cls in (Computed, Watched, Lazy, Described, Made):
        same(lambda c: c.x, [cls() for _ in range(3)], reason=".")


def test_writes_are_left_to_python(device: Device) -> None:
    def grow(v: Vec) -> float:
        v.x += 1.0
        return v.x

    data, expected = vectors(5), [v.x + 1.0 for v in vectors(5)]
    with hetc.configure(device=device, offload="always", fallback="silent"):
        assert hetc.map(grow)(data) == expected
        assert [v.x for v in data] == expected
        frozen = [Frozen(1, 2.0)]

        def thaw(f: Frozen) -> int:
            f.key = 3
            return f.key

        with pytest.raises(AttributeError):
            hetc.map(thaw)(frozen)


def test_constructors_with_effects(same: Check) -> None:
    made: list[int] = []

    class Counted:
        def __init__(self, k: int) -> None:
            made.append(k)
            self.k = k

    class Checked:
        def __init__(self, k: int) -> None:
            if k > 2:
                raise ValueError("too large")
            self.k = k

    class Lists:
        def __init__(self, k: int) -> None:
            self.ks = [k]

    @dataclass
    class Post:
        x: float
        y: float = 0.0

        def __post_init__(self) -> None:
            self.y = self.x * 2

    @dataclass
    class Factory:
        x: float
        more: list[int] = field(default_factory=list)

    class Abstract(abc.ABC):
        @abc.abstractmethod
        def f(self) -> None: ...

    class Guarded:
        def __setattr__(self, name: str, value: Any) -> None:
            object.__setattr__(self, name, value * 2)

        def __init__(self, k: int) -> None:
            self.k = k

    same(lambda k: Counted(k).k, range(3), reason=".")
    assert len(made) % 3 == 0
    same(lambda k: Checked(k).k, range(3), deopts=None)
    assert same(lambda k: Checked(k).k, range(5), deopts=None)[0] == "ValueError"
    same(lambda k: Lists(k + 1), range(3))
    same(lambda k: Post(k / 2), range(3))
    same(lambda k: Factory(k / 2).x, range(3), reason="plain defaults")
    same(lambda k: Abstract(), range(3), reason="abstract")
    same(lambda k: Guarded(k).k, range(3), reason=".")
    same(lambda k: Vec(k, 1.0, 2.0), range(3), reason=".")


def test_linked_objects(same: Check) -> None:
    class Node:
        def __init__(self, value: int, following: Node | None) -> None:
            self.value = value
            self.following = following

    end = Node(1, None)
    same(lambda n: n.following.value, [Node(2, end), Node(3, end)])
    same(lambda n: n.value, [Node(2, end), Node(3, end)])


def test_recursion_through_methods(same: Check) -> None:
    class Deep:
        def __init__(self, x: int) -> None:
            self.x = x

        def down(self, k: int) -> int:
            return self.x if k <= 0 else self.down(k - 1)

    same(lambda d: d.down(3), [Deep(k) for k in range(3)], reason="calls itself")


def test_overflow_goes_back_to_python(same: Check) -> None:
    same(lambda p: p.a * p.b, [Plain(2**40, 2**k) for k in range(30)], deopts=None)


def test_a_reason_names_line_and_caret(device: Device) -> None:
    with (
        hetc.configure(device=device, offload="always", fallback="error"),
        pytest.raises(hetc.CompileError) as told,
    ):
        hetc.map(lambda v: v.unknown)(vectors(3))
    assert "lambda v: v.unknown" in str(told.value)
    assert "^" in str(told.value)


def test_only_what_is_used_moves(device: Device) -> None:
    data = bodies(1000)
    with hetc.configure(device=device, offload="always", fallback="error"), hetc.profile() as p:
        hetc.map(lambda b: b.position.x * 2)(data)
    shared = device.traits.shared_memory
    assert p.bytes_h2d == (0 if shared else 8 * 1000)
    source = hetc.map(lambda b: b.position.x * 2).on(device).lower(data).opencl()
    assert source.count("__global const") == source.count("__kernel")  # each kernel reads one array

"""hetc's `dataclass` gives what the standard library's gives: classes declared by both do the same."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import math
import pickle
from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar

import pytest

from hetc.dataclass import dataclass

Decorator = Any
NOTHING = object()


def same_hash(one: object, other: object) -> bool:
    """Whether two objects that are there at the same time have the same hash."""
    return hash(one) == hash(other)


def declared(decorator: Decorator, **options: bool) -> dict[str, type]:
    """The same classes by one of the decorators."""

    @decorator(**options)
    class Empty:
        """No fields."""

    @decorator(**options)
    class One:
        """One field."""

        x: Any

    @decorator(**options)
    class Many:
        """Fields of each kind."""

        x: Any
        self_: Any
        y: Any = 2
        z: list[Any] = field(default_factory=list)
        hidden: Any = field(default=None, repr=False)
        ignored: Any = field(default=None, compare=False)
        made: Any = field(default_factory=list, init=False)
        constant: Any = field(default=5, init=False)
        LIMIT: ClassVar[int] = 7

    @decorator(**options)
    class Base:
        """To inherit from."""

        x: Any
        y: Any = 1

        def double(self) -> Any:
            return 2 * self.x

    @decorator(**options)
    class Derived(Base):
        """One more field, and another default value."""

        z: Any = 3
        y: Any = 4

    @decorator(**options)
    class Checked:
        """With something to do at the end."""

        x: Any
        y: Any = None

        def __post_init__(self) -> None:
            if self.x == "bad":
                raise ValueError("it is bad")

    @decorator(**options)
    class Own:
        """What a class defines itself stays."""

        x: Any

        def __init__(self, x: Any) -> None:
            object.__setattr__(self, "x", -x)

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return other == 5

        def __hash__(self) -> int:
            return 11

    class Plain(Base):
        """Not decorated."""

        def __init__(self, x: Any) -> None:
            super().__init__(x, y=9)

    found = (Empty, One, Many, Base, Derived, Checked, Own, Plain)
    return {cls.__name__: cls for cls in found}


OPTIONS = [{}, {"frozen": True}, {"eq": False}, {"frozen": True, "eq": False}]

CALLS: list[tuple[str, Callable[[type], Any]]] = [
    ("Empty", lambda c: c()),
    ("Empty", lambda c: c(1)),
    ("One", lambda c: c(1)),
    ("One", lambda c: c(x=1)),
    ("One", lambda c: c()),
    ("One", lambda c: c(1, 2)),
    ("One", lambda c: c(1, x=2)),
    ("One", lambda c: c(y=2)),
    ("Many", lambda c: c(1, 2)),
    ("Many", lambda c: c(1, self_=2, z=[3])),
    ("Many", lambda c: c(1, 2, 3, [4], 5, 6)),
    ("Many", lambda c: c(1, 2, made=[3])),
    ("Many", lambda c: c(1, 2, constant=3)),
    ("Many", lambda c: c(1, 2, other=3)),
    ("Many", lambda c: c(1)),
    ("Many", lambda c: c(1, 2, 3, [4], 5, 6, 7)),
    ("Many", lambda c: c.LIMIT),
    ("Many", lambda c: c.y),
    ("Many", lambda c: c.z),
    ("Many", lambda c: c(1, 2).constant),
    ("Many", lambda c: c(1, 2).z is c(1, 2).z),
    ("Many", lambda c: c(1, 2, ignored=3) == c(1, 2, ignored=4)),
    ("Many", lambda c: c(1, 2, hidden=3) == c(1, 2, hidden=4)),
    ("Many", lambda c: [f.name for f in dataclasses.fields(c)]),
    ("Many", lambda c: dataclasses.asdict(c(1, 2))),
    ("Many", lambda c: dataclasses.replace(c(1, 2), y=8)),
    ("Many", lambda c: dataclasses.replace(c(1, 2), made=8)),
    ("Many", lambda c: c.__match_args__),
    ("Many", lambda c: list(inspect.signature(c).parameters)),
    ("Base", lambda c: c(2).double()),
    ("Base", lambda c: str(inspect.signature(c)).replace(" -> None", "")),
    ("Derived", lambda c: c(2).double()),
    ("Derived", lambda c: c(1, 2, 3)),
    ("Derived", lambda c: c(1)),
    ("Derived", lambda c: c(1) == c.__bases__[0](1)),
    ("Plain", lambda c: c(1)),
    ("Plain", lambda c: str(inspect.signature(c)).replace(" -> None", "")),
    ("Checked", lambda c: c(1)),
    ("Checked", lambda c: c("bad")),
    ("Own", lambda c: c(1).x),
    ("Own", lambda c: repr(c(1))),
    ("Own", lambda c: (c(1) == 5, hash(c(1)))),
    ("One", lambda c: c(math.nan) == c(math.nan)),
    ("One", lambda c: c(float("nan")) == c(float("nan"))),
    ("One", lambda c: c(1) == 1),
    ("One", lambda c: c(1) != c(2)),
    ("One", lambda c: c(1) == c(1)),
    ("One", lambda c: same_hash(c(1), c(1))),
    ("One", lambda c: {c(1): 2}.get(c(1))),
    ("Many", lambda c: same_hash(c(1, 2, ignored=[]), c(1, 2))),
    ("Base", lambda c: same_hash(c(1, 2), c(1, 2))),
    ("Empty", lambda c: same_hash(c(), c())),
    ("One", lambda c: copy.copy(c([1])).x),
    ("One", lambda c: copy.deepcopy(c([1])).x),
]


def outcome(action: Callable[[type], Any], cls: type) -> object:
    """What an action on a class gives, or raises."""
    try:
        found = action(cls)
    except Exception as error:  # noqa: BLE001 (whatever it is)
        return type(error)
    return repr(found)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_classes_do_what_those_of_the_standard_library_do(options: dict[str, bool]) -> None:
    ours, theirs = declared(dataclass, **options), declared(dataclasses.dataclass, **options)
    for name, action in CALLS:
        number = CALLS.index((name, action))
        expected = outcome(action, theirs[name])
        for cls in (ours[name], declared(dataclass, **options)[name]):  # one that has objects already, and a new one
            found = outcome(action, cls)
            assert str(found).partition(" object at ")[0] == str(expected).partition(" object at ")[0], (number, name)


@pytest.mark.parametrize("name", ["One", "Many", "Derived", "Checked"])
def test_frozen_classes_refuse_changes(name: str) -> None:
    cls = declared(dataclass, frozen=True)[name]
    one = cls(*[1] * (2 if name == "Many" else 1))
    with pytest.raises(dataclasses.FrozenInstanceError, match="'x'"):
        one.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError, match="'x'"):
        del one.x
    with pytest.raises(AttributeError, match="'other'"):
        one.other = 2
    assert one.x == 1


def test_other_classes_can_be_changed() -> None:
    one = declared(dataclass)["One"](1)
    one.x = one.y = 3
    del one.y
    assert repr(one).endswith("One(x=3)")


def test_an_object_in_itself_is_shown() -> None:
    ours, theirs = (declared(decorator)["One"](None) for decorator in (dataclass, dataclasses.dataclass))
    ours.x, theirs.x = ours, theirs
    assert repr(ours) == repr(theirs)


@dataclass(frozen=True)
class Stored:
    """A class that can be found by its name."""

    x: int
    y: tuple[int, ...] = ()


def test_objects_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Stored(1, (2,)))) == Stored(1, (2,))


def test_fields_can_be_matched() -> None:
    match Stored(1, (2, 3)):
        case Stored(1, (_, last)):
            assert last == 3
        case _:
            pytest.fail("nothing matches")


def test_init_has_the_messages_of_python() -> None:
    with pytest.raises(TypeError, match=r"Stored.__init__\(\) missing 1 required positional argument: 'x'"):
        Stored()  # pyright: ignore[reportCallIssue]

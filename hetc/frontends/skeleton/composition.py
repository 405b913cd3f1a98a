"""A composition of skeletons as data: what `hetc.map(f).reduce(op, init)` remembers.

Importing it loads neither xDSL nor pyopencl: building an array function costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any

from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.errors import InputError

if TYPE_CHECKING:
    from hetc.windows import Neighbourhood

Function = Callable[..., Any]


def check_callable(function: object) -> None:
    """Raise TypeError, here and not at the call, for what is no function."""
    if not callable(function):
        raise TypeError(f"a skeleton takes a function, not {type(function).__name__}")


@dataclass(frozen=True)
class Map:
    """Apply `function` to each element (to the elements of all inputs, if it is the first stage)."""

    function: Function

    def __post_init__(self) -> None:
        check_callable(self.function)


@dataclass(frozen=True)
class Zip:
    """Make one array of tuples out of the inputs."""


class Nothing(Enum):
    """What a reduction starts from that has no initial value."""

    NOTHING = "nothing"


@dataclass(frozen=True)
class Enumerate:
    """Number the elements: the functions that follow take the number of each first."""


@dataclass(frozen=True)
class Reduce:
    """Combine all elements, in order, with the associative `operator`, starting from `init`, or from the first element.

    If `last` is not None, the elements after which it is the result are not asked for. The result is the item `part` of
    what they come to, if that is not None.
    """

    operator: Function
    init: object
    last: bool | None = None
    part: int | None = None

    def __post_init__(self) -> None:
        check_callable(self.operator)


@dataclass(frozen=True)
class Scan:
    """Combine all elements up to each one, in order, with the associative `operator`; without `init` if it is None.

    With `exclusive`, the element itself is left out.
    """

    operator: Function
    init: object = None
    exclusive: bool = False

    def __post_init__(self) -> None:
        check_callable(self.operator)
        if self.exclusive and self.init is None:
            raise ValueError("an exclusive scan needs an initial value, which is its first element")


@dataclass(frozen=True)
class Filter:
    """Keep the elements of which `predicate` is true, as they are; as the first stage it takes one of each input."""

    predicate: Function

    def __post_init__(self) -> None:
        check_callable(self.predicate)


@dataclass(frozen=True)
class Captured:
    """As the initial value of a reduction: that of a captured variable."""

    name: str


@dataclass(frozen=True)
class ForAll:
    """Run `function`, which may store to captured arrays, for each point of the product of the inputs.

    It is what a parallel loop becomes: the function is the loop's body, the inputs are its ranges. If it `yields`, what
    it returns are the elements of the result, in order. If that is `dropped`, it is only asked how they come about.
    With `single` there is one point, and the function is a sequential loop: a task that one work-item runs.
    """

    function: Function
    yields: bool = False
    dropped: bool = False
    single: bool = False


@dataclass(frozen=True)
class Stencil:
    """Apply `function` to the windows around each point of the inputs, arrays of one shape."""

    function: Function
    neighbourhood: Neighbourhood

    def __post_init__(self) -> None:
        check_callable(self.function)


@dataclass(frozen=True)
class Iterate:
    """Apply `stages` again and again, to what they have made: `times` times, or until `until(new, old)` is true."""

    stages: tuple[Any, ...]
    times: int | None
    until: Function | None = None

    def __post_init__(self) -> None:
        if (self.times is None) == (self.until is None):
            raise InputError("an iteration takes `times` or `until`, one of them")
        if self.times is not None and self.times < 0:
            raise InputError(f"an iteration takes a number of times that is not negative, not {self.times}")
        if self.until is not None:
            check_callable(self.until)
        if self.stages and isinstance(self.stages[-1], Reduce):
            raise InputError(
                "a reduction cannot be iterated: its result is one value, not an array",
                hint="reduce in `until`, or after the iteration",
            )


@dataclass(frozen=True, eq=False)
class Gather:
    """Take the elements at `indices`, in that order: integers, of which negative ones count from the end."""

    indices: Any


@dataclass(frozen=True, eq=False)
class Scatter:
    """Combine each element into the item of an array of `size` that its key numbers, from `init`.

    The keys are `keys`, one for each element, of which negative ones count from the end; without them, the elements are
    the keys, and each counts as 1. Without `combine`, an element takes the place of the item, and no two keys may be
    the same. An `init` of None is the zero of the elements' type.
    """

    keys: Any
    size: int
    init: object
    combine: Function | None

    def __post_init__(self) -> None:
        if self.combine is not None:
            check_callable(self.combine)


@dataclass(frozen=True)
class Partition:
    """Order the elements by what `function` makes of them, a number from 0 up to `classes`; equal ones stay in order.

    The function takes one element of each input. The first inputs, as many as are `dropped`, are asked for that alone.
    """

    function: Function
    classes: int
    dropped: int = 0


@dataclass(frozen=True)
class Sort:
    """Order the elements by what `key` makes of them, or by themselves; or tell their places in that order.

    Equal ones stay in their order, in a `reverse` order too.
    """

    key: Function | None
    reverse: bool
    places: bool = False

    def __post_init__(self) -> None:
        if self.key is not None:
            check_callable(self.key)


Stage = (
    Map | Zip | Enumerate | Reduce | Scan | Filter | ForAll | Gather | Scatter | Stencil | Iterate | Partition | Sort
)
Stages = tuple[Stage, ...]


def compose(stages: Stages, following: Stages) -> Stages:
    """Stages one after the other; a reduction must come last, since its result is one value and not an array."""
    if following and stages and isinstance(stages[-1], Reduce):
        raise InputError(
            "nothing can follow a reduction: its result is one value, not an array",
            hint="put the reduction last",
        )
    return stages + following


def functions(stages: Stages) -> tuple[Function, ...]:
    """The Python functions of a composition, in order."""
    found: list[Function] = []
    for stage in stages:
        match stage:
            case Map(function) | ForAll(function) | Filter(function) | Stencil(function) | Partition(function):
                found.append(function)
            case Sort(key):
                found += [] if key is None else [key]
            case Reduce(operator) | Scan(operator):
                found.append(operator)
            case Iterate(stages):
                found += functions(stages)
            case Scatter(combine=combine) if combine is not None:
                found.append(combine)
            case Zip() | Enumerate() | Gather() | Scatter():
                pass
    return tuple(found)


def composition_text(stages: Stages) -> str:
    """A composition as the calls that make it.

    >>> composition_text((Map(abs), Reduce(max, 0)))
    'hetc.map(abs).reduce(max, 0)'
    """
    return f"hetc.{'.'.join(map(stage_text, stages))}"


def stage_text(stage: Stage) -> str:
    """One stage as the call that adds it."""
    match stage:
        case Map(function):
            return f"map({_name(function)})"
        case Reduce(operator, init):
            start = "" if init is Nothing.NOTHING else f", {init!r}"
            return f"reduce({_name(operator)}{start})"
        case Enumerate():
            return "enumerate()"
        case Gather():
            return "gather(...)"
        case Scatter(keys=None, size=size):
            return f"histogram({size})"
        case Scatter(size=size, init=init, combine=combine):
            return f"scatter(..., {size}, {'None' if combine is None else _name(combine)}, {init!r})"
        case Scan(operator, init, exclusive):
            start = "" if init is None else f", {init!r}"
            return f"scan({_name(operator)}{start}{', exclusive=True' if exclusive else ''})"
        case Filter(predicate):
            return f"filter({_name(predicate)})"
        case Zip():
            return "zip()"
        case Stencil(function, where):
            value = f", {where.value!r}" if where.boundary == "constant" else ""
            return f"stencil({_name(function)}, {where.radius!r}, {where.boundary!r}{value})"
        case Iterate(inner, times, until):
            rounds = f"times={times}" if until is None else f"until={_name(until)}"
            return f"iterate({composition_text(inner)}, {rounds})"
        case ForAll(function):
            return f"forall({_name(function)})"
        case Partition(function, classes):
            return f"partition({_name(function)}, {classes})"
        case Sort(key, reverse, places):
            given = [*([] if key is None else [f"key={_name(key)}"]), *(["reverse=True"] if reverse else [])]
            return f"{'argsort' if places else 'sort'}({', '.join(given)})"


def _name(function: Function) -> str:
    return getattr(function, "__name__", repr(function))


def index_arrays(stages: Stages) -> tuple[Any, ...]:
    """The arrays of indices that a composition holds, in the order of its stages."""
    found: list[Any] = []
    for stage in stages:
        match stage:
            case Gather(array) | Scatter(keys=array) if array is not None:
                found.append(array)
            case _:
                pass
    return tuple(found)


def is_barrier(stage: Stage) -> bool:
    """Whether a stage needs all elements before it gives one."""
    return isinstance(stage, Gather | Scatter | Partition)


def any_of(predicate: Function) -> Stages:
    """Whether a predicate is true of one element, as `any` tells: of those after it nothing is asked."""
    return (Map(predicate), Map(bool), Reduce(max, init=False, last=True))


def least_place() -> Stages:
    """The number of the least element, and of the first of several."""
    return (Enumerate(), Zip(), Reduce(_least, Nothing.NOTHING, part=0))


def greatest_place() -> Stages:
    """The number of the greatest element, and of the first of several."""
    return (Enumerate(), Zip(), Reduce(_greatest, Nothing.NOTHING, part=0))


def _least(p: tuple[int, Any], q: tuple[int, Any]) -> tuple[int, Any]:
    """Of two numbered elements the less, as NumPy has it: a NaN is less than all numbers."""
    return q if q[1] < p[1] or (q[1] != q[1] and p[1] == p[1]) else p


def _greatest(p: tuple[int, Any], q: tuple[int, Any]) -> tuple[int, Any]:
    """Of two numbered elements the greater, as NumPy has it: a NaN is greater than all numbers."""
    return q if q[1] > p[1] or (q[1] != q[1] and p[1] == p[1]) else p


def all_of(predicate: Function) -> Stages:
    """Whether a predicate is true of all elements, as `all` tells."""
    return (Map(predicate), Map(bool), Reduce(min, init=True, last=False))


def keeps_elements(stages: Stages) -> bool:
    """Whether the elements of the result are elements of the inputs, each as it went in, or tuples of them."""
    return any(isinstance(stage, Filter | Gather) for stage in stages) and all(
        isinstance(stage, Filter | Gather | Zip) for stage in stages
    )


_ONE_INPUT: dict[type, str] = {Reduce: "reduce", Scan: "scan", Scatter: "scatter"}


def check_inputs(stages: Stages, count: int) -> None:
    """Raise InputError if a composition cannot take that many inputs."""
    if count == 0:
        raise InputError("an array function needs at least one input", category=Category.COUNT)
    first = next((stage for stage in stages if not isinstance(stage, Filter | Gather)), None)
    name = _ONE_INPUT.get(type(first))
    if count > 1 and name is not None:
        raise InputError(
            f"a {'reduction' if name == 'reduce' else name} takes one input, not {count}",
            hint=f"zip the inputs first: hetc.zip().{name}(...)",
            category=Category.COUNT,
        )


def has_stencil(stages: Stages) -> bool:
    """Whether a composition works on grids."""
    return any(isinstance(stage, Stencil) for stage in stages)


def has_iteration(stages: Stages) -> bool:
    """Whether a composition has rounds."""
    return any(isinstance(stage, Iterate) for stage in stages)


def asks_in_between(stages: Stages) -> bool:
    """Whether a function of the user's is called between the rounds of an iteration."""
    return any(isinstance(s, Iterate) and (s.until is not None or asks_in_between(s.stages)) for s in stages)


def has_sort(stages: Stages) -> bool:
    """Whether a composition has a sort."""
    return any(isinstance(stage, Sort) for stage in stages)


def is_taken_apart(stages: Stages) -> bool:
    """Whether a composition is run in parts: around stencils, iterations and sorts."""
    return has_stencil(stages) or has_iteration(stages) or has_sort(stages)

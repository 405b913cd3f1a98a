"""Runs of array statements that look like one before in all that their plan hangs on: a few comparisons, and launches.

    for t in range(n):
        b[1:-1] = a[:-2] + a[2:]        looked into once; from then on `a` and `b` are compared with what they were

To evaluate the leaves of statements and to find their form takes longer than to launch a kernel. Most of the leaves are
parts of few variables, and all that a form says of them follows from

* the types, shapes, strides and owners of the arrays that the variables are, and which of these are the same;
* the values of the numbers that indices are computed from, and the types of the others;
* what the names of functions and modules are bound to.

If these are as they were, the plan is the one that it was, and what its loops capture is found without the leaves: an
array is a variable, or a part of one with an index that is known; a number is the one of the run before, if it was
computed from the same objects. That arrays which are stored to share no memory with others is asked each time.

Statements that read attributes of objects, or views of one array in several variables, are looked into as ever.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import ModuleType
from typing import Any, cast

import numpy as np

from hetc.array_job import ReadyLoop, ReadyPlan, Results, Runner, compiled_for, number_captured
from hetc.dataclass import dataclass
from hetc.dispatch import Dispatcher
from hetc.errors import UnsupportedError
from hetc.frontends.array_code.accesses import AnyArray, address
from hetc.frontends.array_code.captured import Captured, CapturedArray, CapturedLength, CapturedMade, CapturedNumber
from hetc.frontends.array_code.forms import Sizes
from hetc.frontends.array_code.leaves import LeafValues, owner_of
from hetc.frontends.array_code.statements import ArrayStatement
from hetc.frontends.array_code.trees import leaf_numbers
from hetc.frontends.array_code.typed import Applied, Made, Value
from hetc.frontends.array_code.values import PENDING, Values
from hetc.runtime.under_way import UnderWay
from hetc.settings import Settings

MOST = 256
"""Looks that are kept for a statement; the oldest go first."""

Names = Sequence[Mapping[str, Any]]
Found = dict[str, Any]
"""What the variables are in one run."""


class _NoLookError(Exception):
    """What a plan hangs on cannot be told from the variables."""


# --- what a statement names -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NamesOf:
    """The variables of a statement's leaves: those that are read as they are, and those that indices are made of.

    `attributes` are those of a variable that are read, `stored` the variable whose part is stored to.
    """

    plain: frozenset[str]
    indices: frozenset[str]
    attributes: frozenset[tuple[str, str]]
    stored: str | None


def names_of(statement: ArrayStatement) -> NamesOf | None:
    """What a statement names; None if that is more than variables, their parts and their attributes."""
    plain, indices, attributes = set[str](), set[str](), set[tuple[str, str]]()
    stored = None
    try:
        for number, leaf in enumerate(statement.leaves):
            name = _note(leaf, plain, indices, attributes)
            if statement.target is not None and statement.target.number == number:
                stored = name
    except _NoLookError:
        return None
    return NamesOf(frozenset(plain), frozenset(indices), frozenset(attributes), stored)


def _note(node: ast.expr, plain: set[str], indices: set[str], attributes: set[tuple[str, str]]) -> str | None:
    """Note what a leaf names: the variable that it is, or is a part of."""
    match node:
        case ast.Constant():
            return None
        case ast.Tuple(elts=parts) if all(isinstance(part, ast.Constant) for part in parts):
            return None
        case ast.Name(id=name):
            plain.add(name)
            return name
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            plain.add(name)
            attributes.add((name, attribute))
            return None
        case ast.Subscript(value=ast.Name(id=name), slice=index):
            plain.add(name)
            for inner in ast.walk(index):
                if isinstance(inner, ast.Name):
                    indices.add(inner.id)
                elif isinstance(inner, ast.Attribute | ast.Subscript):
                    raise _NoLookError
            return name
        case _:
            raise _NoLookError


# --- what a variable is like ------------------------------------------------------------------------------------------


class _Array:
    """What a NumPy array has to be like."""

    __slots__ = ("aligned", "dtype", "owner", "shape", "strides", "writeable")

    def __init__(self, array: AnyArray) -> None:
        self.dtype, self.shape, self.strides = array.dtype, array.shape, array.strides
        self.writeable, self.aligned = array.flags.writeable, array.flags.aligned
        self.owner = None if not isinstance(array.base, np.ndarray) else _owner(array)

    def fits(self, value: Any) -> bool:
        if type(value) is not np.ndarray:
            return False
        array = cast("AnyArray", value)
        if array.dtype is not self.dtype or array.shape != self.shape or array.strides != self.strides:
            return False
        flags = array.flags
        if flags.writeable is not self.writeable or flags.aligned is not self.aligned:
            return False
        if not isinstance(array.base, np.ndarray):
            return self.owner is None
        return self.owner is not None and self.owner == _owner(array)


def _owner(array: AnyArray) -> Hashable:
    """What there is to say of the memory that an array is a view of."""
    owner = owner_of(array)
    return type(owner), owner.dtype, owner.shape, owner.strides, address(array) - address(owner)


class _Number:
    """The same for a number of which the type alone matters."""

    __slots__ = ("kind",)

    def __init__(self, value: object) -> None:
        self.kind = type(value)

    def fits(self, value: object) -> bool:
        return type(value) is self.kind


class _Index:
    """The same for a number that an index is made of."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def fits(self, value: object) -> bool:
        return type(value) is type(self.value) and value == self.value


class _Thing:
    """The same for what is compared as it is: a module, a function, a dtype, None."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def fits(self, value: object) -> bool:
        return value is self.value


_Fact = _Array | _Number | _Index | _Thing


def _fact(value: Any, *, is_index: bool) -> _Fact:
    if type(value) is np.ndarray:
        return _Array(cast("AnyArray", value))
    if type(value) in (bool, int, float, complex) or isinstance(value, np.generic):
        number = cast("object", value)
        if not is_index:
            return _Number(number)
        if type(number) is int or isinstance(number, np.integer):
            return _Index(cast("object", number))
        raise _NoLookError
    if value is None or isinstance(value, ModuleType | type | np.dtype | np.ufunc) or callable(value):
        return _Thing(value)
    raise _NoLookError


_MISSING = object()


def _variable(names: Names, name: str) -> Any:
    for inner in names:
        value = inner.get(name, _MISSING)
        if value is not _MISSING:
            return value
    return _MISSING


# --- how what a loop captures is found --------------------------------------------------------------------------------

Recipe = Callable[[Found, Sequence[Results]], Any]


def _taken(what: CapturedArray, statements: Sequence[ArrayStatement], values: Values, found: Found) -> Recipe:
    """How the array that a kernel is given is found."""
    source = what.source
    node = statements[source.statement].leaves[source.leaf]
    name, index = (node.value, node.slice) if isinstance(node, ast.Subscript) else (node, None)
    if not isinstance(name, ast.Name):
        raise _NoLookError
    variable, access = name.id, what.access
    owned = False
    key: Any = ...
    if access.whole:
        if index is not None:
            key = LeafValues((found,)).index(index)
    else:
        container = values.containers.get((source.statement, source.leaf))
        owned = found[variable] is not container
        if owned and owner_of(found[variable]) is not container:
            raise _NoLookError
    if not (key is not ... or owned or (access.whole and access.dropped) or what.flat or what.groups):
        return lambda found, _: found[variable]

    def take(found: Found, _: Sequence[Results]) -> Any:
        array = found[variable]
        if owned:
            array = owner_of(array)
        return what.shaped(access.handed(array if key is ... else array[key], array))

    return take


class _NumberTaken:
    """How a number is found: the one of the run before, if what it is computed from are the same objects."""

    def __init__(self, what: CapturedNumber, statement: ArrayStatement, found: Found) -> None:
        self.what = what
        self.nodes = {number: statement.leaves[number] for number in leaf_numbers(what.tree)}
        self.count = len(statement.leaves)
        inner = [part for node in self.nodes.values() for part in ast.walk(node)]
        self.names = tuple(dict.fromkeys(part.id for part in inner if isinstance(part, ast.Name)))
        self.reads_elements = any(isinstance(part, ast.Subscript) for part in inner)
        self.last: tuple[Any, ...] | None = None
        self.value: Any = None
        self(found, ())

    def __call__(self, found: Found, _: Sequence[Results]) -> Any:
        now = tuple([found[name] for name in self.names])
        last = self.last
        if last is not None and all(map(_is, now, last)):
            return self.value
        evaluator = LeafValues((found,))
        leaves = [evaluator.value(self.nodes[k]) if k in self.nodes else None for k in range(self.count)]
        value = number_captured(self.what, leaves)
        if not (self.reads_elements or any(isinstance(part, np.ndarray) for part in now)):
            self.last, self.value = now, value
        return value


def _is(one: object, other: object) -> bool:
    return one is other


def _recipe(
    what: Captured, statements: Sequence[ArrayStatement], values: Values, found: Found, sizes: Sizes, new_array: Any
) -> Recipe:
    match what:
        case CapturedArray():
            return _taken(what, statements, values, found)
        case CapturedNumber():
            return _NumberTaken(what, statements[what.statement], found)
        case CapturedMade(step=step, statement=statement):
            return lambda _, made: what.of(made[step][statement])
        case CapturedLength():
            length = what.length_in(sizes)
            return lambda _, made: length
        case _:
            shape, dtype = what.shape_in(sizes), what.dtype
            return lambda _, made: new_array(shape, dtype)


class _Loop:
    """A loop of a plan, and how what it captures is found."""

    def __init__(self, loop: ReadyLoop, recipes: dict[str, Recipe]) -> None:
        self.loop = loop
        self.recipes = tuple(recipes.items())
        self.numbers = tuple(name for name, what in loop.body.captured.items() if isinstance(what, CapturedNumber))
        self.last: tuple[ReadyLoop, tuple[Any, ...], Runner] | None = None

    def only_views(self, found: Found) -> bool:
        """Whether the arrays that it captures are views of variables, in a row, and there is no total."""
        if self.loop.step.total is not None:
            return False
        for name, what in self.loop.body.captured.items():
            if isinstance(what, CapturedMade):
                return False
            if isinstance(what, CapturedArray):
                array = dict(self.recipes)[name](found, ())
                shared = any(np.may_share_memory(array, value) for value in found.values() if type(value) is np.ndarray)
                if not (shared and array.flags.c_contiguous):
                    return False
        return True

    def captures(self, found: Found, made: Sequence[Results]) -> dict[str, Any]:
        return {name: recipe(found, made) for name, recipe in self.recipes}

    def runner(self, loop: ReadyLoop, ranges: tuple[range, ...], captures: Mapping[str, Any]) -> Runner | None:
        """What runs it: the same as before, if the numbers are; its arrays look as they did."""
        numbers = tuple([captures[name] for name in self.numbers])
        last = self.last
        if last is not None and last[0] is loop and all(map(_is, last[1], numbers)):
            return last[2]
        runner = loop.executables.get((ranges, *map(compiled_for, captures.values())))
        if runner is not None:
            self.last = loop, numbers, runner
        return runner


# --- looks ------------------------------------------------------------------------------------------------------------


class Look:
    """What the variables of statements have to be like for a plan to be theirs; `known` is what is known of it."""

    def __init__(
        self,
        known: Any,
        settings: Settings,
        errors: Mapping[str, Any],
        facts: Mapping[str, _Fact],
        attributes: Sequence[tuple[str, str, Any]],
        pairs: Sequence[tuple[str, str, bool]],
    ) -> None:
        self.known = known
        self.settings = settings
        self.errors = errors
        self.facts = tuple(facts.items())
        self.attributes = tuple(attributes)
        self.pairs = tuple(pairs)
        self.arrays = tuple(name for name, fact in self.facts if isinstance(fact, _Array))
        self.sizes: Sizes = {}
        self.points = 0
        self.loops: tuple[_Loop, ...] = ()
        self.reads_elements = True
        """Whether the host reads elements of arrays to find what loops capture, or to put them in a row."""

    def find(self, names: Names, settings: Settings) -> Found | None:
        """What the variables are; None if anything looks another way."""
        if self.settings is not settings and self.settings != settings:
            return None
        found: Found = {}
        local = names[0]
        for name, fact in self.facts:
            value = local.get(name, _MISSING)
            if value is _MISSING:
                value = _variable(names[1:], name)
            if not fact.fits(value):
                return None
            found[name] = value
        for name, attribute, value in self.attributes:
            module = cast("ModuleType", found[name])
            if vars(module).get(attribute, _MISSING) is not value:
                return None
        for one, other, same in self.pairs:
            first, second = found[one], found[other]
            if (first is second) is not same or (not same and np.may_share_memory(owner_of(first), owner_of(second))):
                return None
        return found if np.geterr() == self.errors else None

    def run(
        self,
        ready: ReadyPlan,
        found: Found,
        dispatcher: Dispatcher,
        current: Settings,
        under_way: UnderWay,
        *,
        ahead: bool,
    ) -> dict[int, Any]:
        """Run the plan: see `ReadyPlan.run`. `ahead`: it may be one of the runs that are `under_way` afterwards."""
        if not ahead or self.reads_elements:
            under_way.settle()
        may_wait = under_way if ahead else None
        made: list[Results] = []
        for loop, known in zip(ready.loops, self.loops, strict=True):
            assert loop is not None
            ranges = loop.body.ranges(self.sizes)
            captures = known.captures(found, made)
            runner = known.runner(loop, ranges, captures)
            made.append(ready.run_loop(loop, ranges, captures, self.sizes, dispatcher, current, runner, may_wait))
        return ready.results(None, made)


class Looks:
    """The looks of the statements of a group from number `number` on."""

    def __init__(self, statements: Sequence[ArrayStatement]) -> None:
        self.statements = statements
        self.names = [names_of(statement) for statement in statements]
        self.keyed = tuple(sorted({name for named in self.names if named is not None for name in named.indices}))
        self.found: dict[tuple[Any, ...], Look] = {}

    @property
    def can_tell(self) -> bool:
        """Whether looks are kept of them at all."""
        return self.names[0] is not None

    def _key(self, names: Names) -> tuple[Any, ...]:
        return tuple([_variable(names, name) for name in self.keyed])

    def find(self, names: Names, settings: Settings) -> tuple[Look, Found] | None:
        """A run before that this one looks like."""
        if not self.found:
            return None
        try:
            look = self.found.get(self._key(names) if self.keyed else ())
        except TypeError:  # an index that cannot be hashed
            return None
        found = None if look is None else look.find(names, settings)
        return None if look is None or found is None else (look, found)

    def keep(
        self,
        known: Any,
        ready: ReadyPlan | None,
        values: Values,
        sizes: Sizes,
        names: Names,
        settings: Settings,
    ) -> None:
        """Remember a run with these values, for which a plan was found, or that there is none."""
        if not self.can_tell:
            return
        count = 1 if ready is None else ready.plan.count
        try:
            look = self._look(known, ready, values, sizes, names, settings, count)
            key = self._key(names)
            hash(key)
        except (_NoLookError, UnsupportedError, KeyError, TypeError):
            return
        while len(self.found) >= MOST:
            self.found.pop(next(iter(self.found)))
        self.found[key] = look

    def _look(
        self,
        known: Any,
        ready: ReadyPlan | None,
        values: Values,
        sizes: Sizes,
        names: Names,
        settings: Settings,
        count: int,
    ) -> Look:
        facts: dict[str, _Fact] = {}
        found: Found = {}
        attributes: list[tuple[str, str, Any]] = []
        stored = set[str]()
        for number in range(count):
            named = self.names[number]
            if named is None:
                raise _NoLookError
            pending = self._pending(number, values)
            for name in (named.plain | named.indices) - pending:
                value = _variable(names, name)
                fact = _fact(value, is_index=name in named.indices)
                if name not in facts or isinstance(fact, _Index):
                    facts[name] = fact
                found[name] = value
            for name, attribute in named.attributes:
                value = found.get(name)
                if isinstance(value, ModuleType):
                    attributes.append((name, attribute, vars(value)[attribute]))
                elif type(value) is not np.ndarray:
                    raise _NoLookError
            if named.stored is not None and named.stored not in pending:
                stored.add(named.stored)
        for looked_at in itertools.chain.from_iterable(values.looked_at[:count]):
            if any(found[name] is looked_at for name in stored):
                raise _NoLookError
        look = Look(known, settings, np.geterr(), facts, attributes, _pairs(found, facts, stored))
        if ready is not None:
            look.sizes, look.points = sizes, ready.points(sizes)
            look.loops = tuple(
                self._loop(loop, values, found, sizes, ready.new_array) for loop in ready.loops if loop is not None
            )
            if len(look.loops) != len(ready.loops) or not all(map(_is_made, ready.plan.outcomes)):
                raise _NoLookError
            read = any(values.looked_at[:count])
            look.reads_elements = read or not all(loop.only_views(found) for loop in look.loops)
        return look

    def _pending(self, number: int, values: Values) -> set[str]:
        """The variables of a statement that are bound by those before it."""
        leaves = self.statements[number].leaves
        return {
            node.id
            for node, value in zip(leaves, values.leaves[number], strict=True)
            if value is PENDING and isinstance(node, ast.Name)
        }

    def _loop(self, loop: ReadyLoop, values: Values, found: Found, sizes: Sizes, new_array: Any) -> _Loop:
        recipes = {
            name: _recipe(what, self.statements, values, found, sizes, new_array)
            for name, what in loop.body.captured.items()
        }
        return _Loop(loop, recipes)


def _pairs(found: Found, facts: Mapping[str, _Fact], stored: set[str]) -> list[tuple[str, str, bool]]:
    """Which variables are one array, and which must share no memory."""
    arrays = [name for name, fact in facts.items() if isinstance(fact, _Array)]
    pairs: list[tuple[str, str, bool]] = []
    for one, other in itertools.combinations(arrays, 2):
        same = found[one] is found[other]
        if not same and np.may_share_memory(owner_of(found[one]), owner_of(found[other])):
            raise _NoLookError
        if same or one in stored or other in stored:
            pairs.append((one, other, same))
    return pairs


def _is_made(outcome: Any) -> bool:
    """Whether what a statement comes to has been made by steps alone, and is not copied anywhere."""
    return outcome.copied_to is None and (outcome.value is None or _of_steps(outcome.value))


def _of_steps(value: Value) -> bool:
    match value:
        case Made():
            return True
        case Applied(operands=operands):
            return all(map(_of_steps, operands))
        case _:
            return False

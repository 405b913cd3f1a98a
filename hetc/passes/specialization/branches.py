"""Branches: types meet where paths join."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Region, SSAValue

from hetc.analysis.locations import location_attribute
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.dialects import dyn, guard, obj
from hetc.errors import UnsupportedError
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.unions import common_type, constant_tag, widen
from hetc.passes.specialization.values import Abstract, MaybeUnbound, Unbound, Value

Run = Callable[[], list[Value]]
"""Interprets a path in the current block; the result is what it yields."""


@dataclass(frozen=True)
class Path:
    """One branch, interpreted: its typed ops, and what it yields."""

    block: Block
    yields: list[Value]


def run_if(s: Interpretation, op: scf.IfOp) -> None:
    """`scf.if`: interpret both branches; each result has the type that both agree on, or a union.

    A branch that is not compiled, or that a profile has not seen, becomes a guard: Python runs the elements that would
    take it. Then nothing is left of the `if`.
    """

    def then() -> list[Value]:
        return _run_region(s, op.true_region)

    def other() -> list[Value]:
        return _run_region(s, op.false_region)

    condition, seen = s.typed(op.cond), op.attributes.get(dyn.SEEN)
    if guard.is_true(condition) or guard.is_false(condition):
        results = (then if guard.is_true(condition) else other)()
    elif isinstance(seen, StringAttr):
        taken = seen.data == "then"
        s.require(condition if taken else s.negate(condition), guard.GuardKind.BRANCH, "this branch was never taken")
        results = (then if taken else other)()
    else:
        results = choose(s, condition, then, other)
    for old, value in zip(op.results, results, strict=True):
        s.bind(old, value)


def _run_region(s: Interpretation, region: Region) -> list[Value]:
    if not region.blocks:  # an `if` without an else branch
        return []
    s.run_block(region.block)
    terminator = region.block.last_op
    assert isinstance(terminator, scf.YieldOp)
    return [s.get(value) for value in terminator.arguments]


def choose(s: Interpretation, condition: SSAValue, then: Run, other: Run) -> list[Value]:
    """Interpret two paths, of which the condition chooses one; a path that is not compiled becomes a guard."""
    location = s.location
    first, second = _attempt(s, then), _attempt(s, other)
    s.location = location
    if isinstance(first, Path) and isinstance(second, Path):
        return _join_paths(s, condition, first, second)
    if isinstance(first, Path):
        _leave_unless(s, condition, second)
        return _go_on(s, first)
    if isinstance(second, Path):
        _leave_unless(s, s.negate(condition), first)
        return _go_on(s, second)
    raise first


def each_alternative(s: Interpretation, value: SSAValue, run: Callable[[SSAValue], list[Value]]) -> list[Value]:
    """Interpret something once for each type that a value may be of, and test its tag to choose between them."""
    if not isinstance(value.type, obj.UnionType):
        return run(value)
    types, location = value.type.alternatives.data, s.location
    tag = s.add(obj.TagOp(value)).result

    def only(index: int) -> list[Value]:
        return run(s.add(obj.AlternativeOp(value, index)).result)

    def from_(index: int) -> list[Value]:
        s.location = location
        if index == len(types) - 1:
            return only(index)
        is_it = s.add(arith.CmpiOp(tag, constant_tag(s, types[index]), "eq")).result
        return choose(s, is_it, lambda: only(index), lambda: from_(index + 1))

    return from_(0)


def _attempt(s: Interpretation, run: Run) -> Path | UnsupportedError:
    """A branch that is not compiled need not be taken."""
    try:
        with s.inside(Block()) as block:
            yields = run()
    except UnsupportedError as error:
        return error
    return Path(block, yields)


def _leave_unless(s: Interpretation, condition: SSAValue, error: Path | UnsupportedError) -> None:
    assert isinstance(error, UnsupportedError)
    outer = s.location
    if error.location is not None:
        s.location = location_attribute(error.location)
    s.require(condition, guard.GuardKind.DOMAIN, error.reason)
    s.location = outer


def _go_on(s: Interpretation, path: Path) -> list[Value]:
    """Only one branch is left: its ops go on in the current block."""
    for inner in list(path.block.ops):
        inner.detach()
        s.block.add_op(inner)
    return path.yields


def _join_paths(s: Interpretation, condition: SSAValue, then: Path, other: Path) -> list[Value]:
    pairs = list(zip(then.yields, other.yields, strict=True))
    joined = [join(s, left, right) for left, right in pairs]
    types = [value for value in joined if isinstance(value, Attribute)]
    for path in (then, other):
        with s.inside(path.block):
            kept = [(v, t) for v, t in zip(path.yields, joined, strict=True) if isinstance(t, Attribute)]
            s.add(scf.YieldOp(*(materialize(s, value, type_) for value, type_ in kept)))
    results = iter(s.add(scf.IfOp(condition, types, Region(then.block), Region(other.block))).results)
    return [
        joined_value(next(results), pair) if isinstance(target, Attribute) else target
        for target, pair in zip(joined, pairs, strict=True)
    ]


def join(s: Interpretation, left: Value, right: Value) -> Attribute | Value:
    """The type of a value that is `left` on one path and `right` on the other, or the value that both are."""
    if left == right and not isinstance(left, SSAValue | MaybeUnbound):
        return left
    for value in (left, right):
        if isinstance(value, Abstract):
            raise s.unsupported(
                f"{value.noun} cannot be chosen by a branch",
                hint="choose between its numbers",
                category=Category.CONTAINER,
            )
    found = [type_ for type_ in map(type_of, (left, right)) if type_ is not None]
    if not found:
        return Unbound(next((v.variable for v in (left, right) if isinstance(v, Unbound) and v.variable), ""))
    return common_type(s, found[0], found[-1])


def type_of(value: Value) -> Attribute | None:
    """The type of a value, None if it is unbound. An array is not a value that can change."""
    match value:
        case SSAValue():
            return value.type
        case MaybeUnbound(inner, _):
            return inner.type
        case _:
            return None


def materialize(s: Interpretation, value: Value, type_: Attribute) -> SSAValue:
    """A value at the end of a path, as SSA of the joined type."""
    match value:
        case SSAValue():
            return widen(s, value, type_)
        case MaybeUnbound(inner, _):
            return widen(s, inner, type_)
        case Unbound():
            return s.poison(type_)
        case Abstract():
            raise s.unsupported(
                f"{value.noun} cannot be a number on another path",
                hint="choose between its numbers",
                category=Category.CONTAINER,
            )


def joined_value(new: SSAValue, paths: Sequence[Value]) -> Value:
    """The result of a join; it may be unbound if it is on some path."""
    names = [v.variable for v in paths if isinstance(v, Unbound | MaybeUnbound) and v.variable]
    return MaybeUnbound(new, names[0]) if names else new


def bind_joined(s: Interpretation, old: SSAValue, new: SSAValue, paths: Sequence[Value]) -> None:
    """An old value is the result of a join."""
    s.bind(old, new)
    s.values[old] = joined_value(new, paths)

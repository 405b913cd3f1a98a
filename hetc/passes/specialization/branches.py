"""Branches: types meet where paths join."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, Region, SSAValue

from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.values import Captured, MaybeUnbound, Row, Unbound, Value, describe


def run_if(s: Interpretation, op: scf.IfOp) -> None:
    """`scf.if`: interpret both branches; each result has the type that both agree on."""
    condition = s.typed(op.cond)
    blocks: list[Block] = []
    yields: list[list[Value]] = []
    for region in (op.true_region, op.false_region):
        with s.inside(Block()) as block:
            s.run_block(region.block)
            terminator = region.block.last_op
            assert isinstance(terminator, scf.YieldOp)
            yields.append([s.get(value) for value in terminator.arguments])
        blocks.append(block)
    s.location = op.location
    joined = [join(s, then, other) for then, other in zip(*yields, strict=True)]
    types = [value for value in joined if isinstance(value, Attribute)]
    for block, values in zip(blocks, yields, strict=True):
        with s.inside(block):
            kept = [(v, t) for v, t in zip(values, joined, strict=True) if isinstance(t, Attribute)]
            s.add(scf.YieldOp(*(materialize(s, value, type_) for value, type_ in kept)))
    then_block, other_block = blocks
    results = iter(s.add(scf.IfOp(condition, types, Region(then_block), Region(other_block))).results)
    for old, target, then, other in zip(op.results, joined, *yields, strict=True):
        if isinstance(target, Attribute):
            bind_joined(s, old, next(results), [then, other])
        else:
            s.values[old] = target


def join(s: Interpretation, left: Value, right: Value) -> Attribute | Value:
    """The type of a value that is `left` on one path and `right` on the other, or the value that both are."""
    if left == right and not isinstance(left, SSAValue | MaybeUnbound):
        return left
    if any(isinstance(value, Captured | Row) for value in (left, right)):
        raise s.unsupported("an array cannot be chosen by a branch", hint="choose between its numbers")
    types = [type_of(value) for value in (left, right)]
    found = [type_ for type_ in types if type_ is not None]
    if not found:
        return Unbound(next((v.variable for v in (left, right) if isinstance(v, Unbound) and v.variable), ""))
    if len(found) == 2 and found[0] != found[1]:
        raise s.unsupported(
            f"this is {describe(found[0])} on one path and {describe(found[1])} on the other",
            hint="give both paths the same type, for example with float(...) or numpy.float32(...)",
        )
    return found[0]


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
            return value
        case MaybeUnbound(inner, _):
            return inner
        case Unbound():
            return s.poison(type_)
        case Captured() | Row():
            raise s.unsupported("an array cannot be a number on another path", hint="choose between its numbers")


def bind_joined(s: Interpretation, old: SSAValue, new: SSAValue, paths: Sequence[Value]) -> None:
    """The result of a join; it may be unbound if it is on some path."""
    names = [v.variable for v in paths if isinstance(v, Unbound | MaybeUnbound) and v.variable]
    s.bind(old, new)
    if names:
        s.values[old] = MaybeUnbound(new, names[0])

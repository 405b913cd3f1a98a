"""What is known of the operators of reductions and scans: whether they commute, and what changes nothing."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType
from xdsl.dialects.complex import CreateOp, ImOp, ReOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from hetc.dialects import guard, skel

_COMMUTATIVE = arith.AddfOp | arith.MulfOp | arith.AddiOp | arith.MuliOp | arith.AndIOp | arith.OrIOp | arith.XOrIOp


def is_commutative(combine: Block) -> bool:
    """Whether each component of the result is one op that commutes, on that component of both arguments.

    A complex number has two such components. Overflow guards of such ops may stand beside them.
    """
    half = len(combine.args) // 2
    for inner in combine.ops:
        symmetric = isinstance(inner, _COMMUTATIVE) or (
            isinstance(inner, guard.FitsOp) and inner.operator.data in ("add", "mul")
        )
        if symmetric and _component(inner, half) is None:
            return False
        if not symmetric and not isinstance(inner, guard.RequireOp | skel.YieldOp | _PARTS):
            return False
    last = combine.last_op
    return isinstance(last, skel.YieldOp) and all(
        [_component(part.owner, half) for part in _parts(value)] == [(k, part) for part in _part_kinds(value)]
        for k, value in enumerate(last.values)
    )


_PARTS = ReOp | ImOp | CreateOp


def _parts(value: SSAValue) -> list[SSAValue]:
    return list(value.owner.operands) if isinstance(value.owner, CreateOp) else [value]


def _part_kinds(value: SSAValue) -> list[type[Operation] | None]:
    return [ReOp, ImOp] if isinstance(value.owner, CreateOp) else [None]


def _component(op: Operation | Block, half: int) -> tuple[int, type[Operation] | None] | None:
    """The component (its number, and which part of it) of both arguments that an op combines, None if it is not one."""
    if not isinstance(op, _COMMUTATIVE | guard.FitsOp):
        return None
    found: set[tuple[int, type[Operation] | None]] = set()
    for operand in op.operands:
        part, value = None, operand
        if isinstance(operand.owner, ReOp | ImOp):
            part, value = type(operand.owner), operand.owner.complex
        if not isinstance(value, BlockArgument):
            return None
        found.add((value.index, part))
    (first, part), (second, other) = sorted(found, key=lambda entry: entry[0]) if len(found) == 2 else [(0, None)] * 2
    return (first, part) if part == other and second == first + half else None


Number = IntegerAttr[IntegerType] | FloatAttr
_IDENTITIES: dict[type[Operation], float] = {
    arith.AddfOp: -0.0, arith.MulfOp: 1.0, arith.AddiOp: 0, arith.MuliOp: 1, arith.AndIOp: -1, arith.OrIOp: 0,
    arith.XOrIOp: 0,
}  # fmt: skip


def identities(combine: Block) -> list[Number] | None:
    """For each component, the number that an operator that commutes leaves any other unchanged by, to the bit.

    None if one has no such number that is known here.
    """
    last = combine.last_op
    if last is None or not is_commutative(combine):
        return None
    found: list[Number] = []
    for value in last.operands:
        assert isinstance(value.owner, Operation)
        number = _IDENTITIES.get(type(value.owner))
        if number is None:  # a complex number
            return None
        if isinstance(value.type, IntegerType):
            found.append(IntegerAttr(int(number), value.type))
        else:
            assert isinstance(value.type, AnyFloat)
            found.append(FloatAttr(number, value.type))
    return found

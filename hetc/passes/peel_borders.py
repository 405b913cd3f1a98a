"""peel-borders: the points of a loop whose windows reach no end of their arrays get a body of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1, i64
from xdsl.ir import BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.attributes import known_integer
from hetc.dialects import guard, heap, skel


@dataclass(frozen=True)
class PeelBordersPass(ModulePass):
    """Lower the windows of stencils: without any test inside of a grid, by the rule of the boundary at its border.

    Needs: level 2. Leaves: no `skel.neighbor` and no `skel.inside`; loops with margins and a border body.

    1. Along each axis of a loop, the margins are the largest distances that its windows reach, down and up.
    2. The loop's body is copied as that of the border, where neighbor(i, d) becomes, for p = i + d in an axis of n:
       "clamp" and "constant" max(min(p, n - 1), 0); "wrap" p mod n; "mirror" min(q, m - q) with m = max(2 (n - 1), 1)
       and q = p mod m; "reflect" min(q, 2 n - 1 - q) with q = p mod 2 n; and inside(i, d) becomes 0 <= p < n.
    3. In the body of the interior, neighbor(i, d) = i + d and inside(i, d) = true.

    A loop that makes lists stays in one piece, with the rules of the border everywhere: its work-items may have to run
    again, by their number. So does one whose windows have no radius: there is no border.

    A border's test in the kernel costs a CPU its vectors: stencils written by hand took 7 to 12 times as long with it
    (2 cores of an AMD EPYC, Intel's runtime). The border of 4096 x 4096 float32 takes 0.5 ms where the interior takes
    10 or more. Cost: linear.
    """

    name = "peel-borders"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in [inner for inner in op.walk() if isinstance(inner, skel.ForallOp)]:
            accesses = [inner for inner in loop.body.walk() if isinstance(inner, Access)]
            if not accesses:
                continue
            margins = _margins(loop, accesses)
            if any(margins) and not heap.is_used_in(loop):
                _split(loop, margins)
            else:
                _lower(loop.body, _at_border if any(margins) else _in_interior)


Access = skel.NeighborOp | skel.InsideOp


def _margins(loop: skel.ForallOp, accesses: Sequence[Access]) -> list[int]:
    """How far the windows reach, down and up, along each axis."""
    margins = [0] * (2 * len(loop.sequences))
    for access in accesses:
        axis = _axis(access.index)
        offset, radius = known_integer(access.offset), access.radius.value.data
        down, up = (radius, radius) if offset is None else (-offset, offset)
        margins[2 * axis] = max(margins[2 * axis], down)
        margins[2 * axis + 1] = max(margins[2 * axis + 1], up)
    return margins


def _axis(index: SSAValue) -> int:
    """The number of the sequence that a window's point comes from."""
    while isinstance(index.owner, guard.FactOp):
        index = index.owner.operand
    assert isinstance(index, BlockArgument)
    return index.index


def _split(loop: skel.ForallOp, margins: Sequence[int]) -> None:
    """before: forall {f}; after: forall margins {f in the interior} border {f at the border}."""
    border = loop.body.clone()
    interior = loop.detach_region(loop.body)
    _lower(border, _at_border)
    _lower(interior, _in_interior)
    new = skel.ForallOp(loop.sequences, loop.outputs.types, interior, margins, border)
    new.location = loop.location
    Rewriter.replace_op(loop, new)


class _Formula:
    """Arithmetic in the place of an op."""

    def __init__(self, before: Operation) -> None:
        self.before = before

    def add(self, op: Operation) -> SSAValue:
        op.location = self.before.location
        Rewriter.insert_op(op, InsertPoint.before(self.before))
        return op.results[0]

    def constant(self, value: int) -> SSAValue:
        return self.add(arith.ConstantOp(IntegerAttr(value, i64)))

    def modulo(self, left: SSAValue, right: SSAValue) -> SSAValue:
        """The remainder of a floor division by a positive number."""
        rest = self.add(arith.RemSIOp(left, right))
        return self.add(arith.RemSIOp(self.add(arith.AddiOp(rest, right)), right))


Rule = Callable[[_Formula, Access], SSAValue]


def _lower(region: Region, rule: Rule) -> None:
    for access in [op for op in region.walk() if isinstance(op, Access)]:
        Rewriter.replace_op(access, [], [rule(_Formula(access), access)])


def _in_interior(f: _Formula, access: Access) -> SSAValue:
    """neighbor(i, d) -> i + d; inside(i, d) -> true."""
    if isinstance(access, skel.InsideOp):
        return f.add(arith.ConstantOp(IntegerAttr(1, i1)))
    return f.add(arith.AddiOp(access.index, access.offset))


def _at_border(f: _Formula, access: Access) -> SSAValue:
    """The rule of the boundary."""
    size, place = access.size, f.add(arith.AddiOp(access.index, access.offset))
    if isinstance(access, skel.InsideOp):
        above = f.add(arith.CmpiOp(place, f.constant(0), "sge"))
        return f.add(arith.AndIOp(above, f.add(arith.CmpiOp(place, size, "slt"))))
    one = f.constant(1)
    match access.boundary.data:
        case "wrap":
            return f.modulo(place, size)
        case "mirror":
            ends = f.add(arith.SubiOp(size, one))
            period = f.add(arith.MaxSIOp(f.add(arith.AddiOp(ends, ends)), one))
            rest = f.modulo(place, period)
            return f.add(arith.MinSIOp(rest, f.add(arith.SubiOp(period, rest))))
        case "reflect":
            period = f.add(arith.AddiOp(size, size))
            rest = f.modulo(place, period)
            other = f.add(arith.SubiOp(f.add(arith.SubiOp(period, one)), rest))
            return f.add(arith.MinSIOp(rest, other))
        case _:
            last = f.add(arith.SubiOp(size, one))
            return f.add(arith.MaxSIOp(f.add(arith.MinSIOp(place, last)), f.constant(0)))

"""What a kernel may as well do for nothing, where a guard that is asked later fails."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import arith, gpu, memref, scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from hetc.analysis.attributes import known_integer
from hetc.analysis.conditions import implied
from hetc.analysis.kernels import ELEMENT, is_quiet
from hetc.dialects import guard, skel


class Support:
    """The integers that a guard is about; a guard on floats is about none."""

    def __init__(self, require: guard.RequireOp) -> None:
        comparisons = {op for truth in (True, False) for op, _ in implied(require.condition, truth)}
        self.is_on_floats = all(isinstance(op, arith.CmpfOp) for op in comparisons) and bool(comparisons)
        self.block = require.parent
        self.values = set[SSAValue]() if self.is_on_floats else sources([require.condition])

    def touches(self, *values: SSAValue) -> bool:
        """Whether values are computed from one of these integers."""
        return bool(self.values) and not self.values.isdisjoint(sources(values))


def sources(values: Iterable[SSAValue]) -> set[SSAValue]:
    """All that values are computed from, themselves included, constants not."""
    found: set[SSAValue] = set()
    work = list(values)
    while work:
        value = work.pop()
        if value in found or isinstance(value.owner, arith.ConstantOp):
            continue
        found.add(value)
        if isinstance(value.owner, Operation):
            for op in value.owner.walk():
                work += op.operands
    return found


INTEGER_DIVISIONS = (arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp)


def is_own(index: SSAValue) -> bool:
    """Whether an index is the work-item's own."""
    owner = index.owner
    return isinstance(owner, gpu.GlobalIdOp) or (isinstance(owner, Operation) and ELEMENT in owner.attributes)


def is_harmless(op: Operation, support: Support) -> bool:
    """Whether an op does no harm where the guard fails.

    Harmless are arithmetic, but not a conversion of a float to an integer, which has no meaning for some floats; a load
    or store at the work-item's own index; another load, and an integer division, if no integer that they are computed
    from is one that the guard is about: else it may be the guard that makes the index one of the array's, or the
    divisor another number than zero; a branch over such, and another guard. A loop is not: it may run long, or forever,
    on nonsense.
    """
    match op:
        case memref.LoadOp() | memref.StoreOp():
            return all(map(is_own, op.indices)) or not support.touches(*op.indices)
        case arith.FPToSIOp() | arith.FPToUIOp():
            return False
        case _ if isinstance(op, INTEGER_DIVISIONS):
            return not support.touches(*op.operands)
        case scf.IfOp():
            return all(is_harmless(inner, support) for r in op.regions for b in r.blocks for inner in b.ops)
        case guard.RequireOp() | guard.WarnOp() | gpu.ReturnOp() | scf.YieldOp():
            return True
        case _:
            return not op.regions and is_quiet(op)


def may_all_go_on(bodies: Iterable[Block]) -> bool:
    """Whether work-items may go on with these bodies where a guard in them fails, on whatever nonsense comes of it.

    What one round makes goes into the next, so all is asked for: no loop, no access of memory, and neither a
    division by an integer that might be zero nor a conversion of a float to an integer.
    """
    ops = [op for body in bodies for op in body.walk()]
    return all(map(_is_plain, ops)) or not any(isinstance(op, guard.RequireOp) for op in ops)


def _is_plain(op: Operation) -> bool:
    """Whether an op is arithmetic that has a result for all numbers, or a branch."""
    if isinstance(op, INTEGER_DIVISIONS):
        return known_integer(op.operands[1]) not in (None, 0, -1)
    if isinstance(op, arith.FPToSIOp | arith.FPToUIOp):
        return False
    known = guard.RequireOp | guard.WarnOp | guard.FactOp | scf.IfOp | scf.YieldOp | skel.YieldOp
    return isinstance(op, known) or (not op.regions and is_side_effect_free(op))

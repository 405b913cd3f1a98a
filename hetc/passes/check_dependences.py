"""check-dependences: a parallel loop is only run in parallel if its iterations do not get in each other's way."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from hetc.analysis.affine import Affine, AffineForms
from hetc.analysis.locations import source_location
from hetc.diagnostics import Category
from hetc.dialects import guard, obj, skel
from hetc.errors import UnsupportedError
from hetc.passes.conversion.insertion import insert

Access = obj.LoadOp | obj.StoreOp


@dataclass(frozen=True)
class CheckDependencesPass(ModulePass):
    """Refuse loops (`skel.forall`) in which one iteration may access what another one stores to.

    Needs: level 2 (calls inlined, indices in `arith`), before kernels are outlined.
    Leaves: the same module, with a guard on each index that has to be non-negative for the proof.

    For each array that the loop stores to, and each two accesses of which one at least is a store:

    1. Write each index as a linear function of the loop's variables, plus what all iterations share.
    2. A dimension in which both have one and the same function of one variable tells that iterations that meet have
       the same value of that variable. If that holds for all variables, only an iteration and itself can meet.
    3. A dimension in which the functions differ by a constant that the variable's coefficient does not divide tells
       that the two never meet (the GCD test).
    4. Otherwise, refuse: Python runs the iterations in order.
    5. Negative indices count from the end, so that `a[i]` and `a[-1]` may be one element: where an index is not known
       to be non-negative, a guard asks.

    That different arrays do not overlap in memory is checked when the loop is run. Cost: quadratic in the accesses of
    an array. The tests are those of Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 3.3
    (strong SIV and GCD).
    """

    name = "check-dependences"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in [inner for inner in op.walk() if isinstance(inner, skel.ForallOp)]:
            _Loop(loop).check()


class _Loop:
    """The accesses of one loop, by array."""

    def __init__(self, loop: skel.ForallOp) -> None:
        self.count = len(loop.sequences)
        self.forms = AffineForms(loop.body.block)
        self.accesses: dict[str, list[Access]] = {}
        for op in loop.body.walk():
            if isinstance(op, Access):
                self.accesses.setdefault(skel.captured_name(op.array), []).append(op)

    def check(self) -> None:
        """Raise UnsupportedError for two accesses that may meet."""
        for name, accesses in self.accesses.items():
            if not any(isinstance(access, obj.StoreOp) for access in accesses):
                continue
            for one, other in combinations_with_replacement(accesses, 2):
                if isinstance(one, obj.StoreOp) or isinstance(other, obj.StoreOp):
                    self._check_pair(name, one, other)
            for access in accesses:
                self._ask_signs(access)

    def _check_pair(self, name: str, one: Access, other: Access) -> None:
        same: set[int] = set()
        for left, right in zip(one.indices, other.indices, strict=True):
            variable, apart = _relation(self.forms.of(left), self.forms.of(right))
            if apart:
                return
            if variable is not None:
                same.add(variable)
        if len(same) < self.count:
            raise _refusal(name, one, other)

    def _ask_signs(self, access: Access) -> None:
        self.forms.wrapped.clear()
        for position in access.indices:
            self.forms.of(position)
        for index in dict.fromkeys(self.forms.wrapped):
            _require_not_negative(access, index)


def _relation(left: Affine | None, right: Affine | None) -> tuple[int | None, bool]:
    """What two indices say of the iterations that meet: a variable that they share; and whether none ever meet."""
    if left is None or right is None or left.invariants != right.invariants or left.variables != right.variables:
        return None, False
    distance = left.constant - right.constant
    if not left.variables:
        return None, distance != 0
    if len(left.variables) > 1:
        return None, False
    ((variable, coefficient),) = left.variables.items()
    if distance == 0:
        return variable, False
    return None, distance % coefficient != 0


def _refusal(name: str, one: Access, other: Access) -> UnsupportedError:
    first, second = (one, other) if isinstance(other, obj.StoreOp) else (other, one)
    here, there = source_location(second.location), source_location(first.location)
    if first is second:
        reason = f"different iterations may store to one element of '{name}'"
    else:
        doing = "stores to" if isinstance(first, obj.StoreOp) else "reads"
        line = "" if there is None else f" in line {there.line}"
        reason = f"one iteration may store here to an element of '{name}' that another one {doing}{line}"
    return UnsupportedError(
        reason,
        location=here,
        hint="index what is stored to by the loop's variables, each alone in a dimension, as in a[i] or a[i, j]",
        category=Category.DEPENDENCE,
    )


def _require_not_negative(access: Access, index: SSAValue) -> None:
    zero = arith.ConstantOp(IntegerAttr(0, i64))
    test = arith.CmpiOp(index, zero.result, "sge")
    require = guard.RequireOp(test.result, guard.GuardKind.BOUNDS, "a negative index may be another iteration's")
    insert([zero, test, require], InsertPoint.before(access), access)

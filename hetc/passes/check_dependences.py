"""check-dependences: a parallel loop is only run in parallel if its iterations do not get in each other's way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations_with_replacement, takewhile

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i64
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.affine import Affine, AffineForms
from hetc.analysis.dependences import LIMIT, Digit, Relation, relate
from hetc.analysis.locations import source_location
from hetc.analysis.polynomials import Polynomial
from hetc.diagnostics import Category
from hetc.dialects import guard, obj, skel
from hetc.errors import UnsupportedError
from hetc.passes.conversion.accumulations import accumulate
from hetc.passes.conversion.dead_code import erase_dead
from hetc.passes.conversion.insertion import insert

Access = obj.LoadOp | obj.StoreOp

_HINT = "index what is stored to by all of the loop's variables, as in a[i], a[i, j] or a[i * width + j]"


@dataclass(frozen=True)
class CheckDependencesPass(ModulePass):
    """Refuse loops (`skel.forall`) in which one iteration may access what another one stores to.

    Needs: level 2 (calls inlined, indices in `arith`), before kernels are outlined; guards are eliminated and hoisted
    afterwards. Leaves: the same module, with guards on what the proof takes for granted, and `obj.accumulate`, and
    without its `obj.table`s, which say whose attributes arrays hold.

    For each array that the loop stores to, and each two accesses of which one at least is a store:

    1. Write each index as a linear function of the variables of the loop and of loops inside it; the coefficients and
       the rest are what all iterations share, such as a width.
    2. A dimension may tell that two iterations that meet have the same values of some variables: if it has one
       variable, or if it is a number in a mixed radix with the variables as its digits, as i * width + j is. If the
       dimensions together tell it of all variables, only an iteration and itself can meet.
    3. A dimension in which the functions differ by a constant that the coefficients do not divide tells that the two
       never meet (the GCD test).
    4. Otherwise, if all that is done with the array is adding integers to elements, `a[k] += x`, the order does not
       matter -> `obj.accumulate`. `atomics` are the widths in which the device adds in one step. Python's integers do
       not wrap, so of them the sum of all that a loop adds must be known to fit: from what is known of the numbers in
       the array before, of what is added and of the loop's ranges. Then no sum is asked whether it fits.
    5. Otherwise, what is said of i holds for p[i] too, if no two elements of p are the same: the plan has the array
       looked at before each run. If that does not help, refuse: Python runs the iterations in order.
    6. What is not known of the digits (0 <= j < width), a guard asks; iterations that pass the guards do not meet.
       Negative indices count from the end, so that `a[i]` and `a[-1]` may be one element: where an index is not known
       to be non-negative, a guard asks too.

    A loop of a `single` iteration is left as it is. That different arrays do not overlap in memory is checked when the
    loop is run. Cost: quadratic in the accesses of
    an array. The tests are those of Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 3.3
    (strong SIV and GCD), and for step 2 delinearization (Maslov, Delinearization: an efficient way to break multiloop
    dependence equations, PLDI 1992).
    """

    name = "check-dependences"
    atomics: tuple[int, ...] = (32, 64)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in [inner for inner in op.walk() if isinstance(inner, skel.ForallOp)]:
            if loop.single is not None:
                continue
            erase_dead(loop, arith.ExtSIOp, arith.ExtUIOp)  # what asked whether sums fit would count as a use of them
            _Loop(loop, op, self.atomics).check()
        for table in [inner for inner in op.ops if isinstance(inner, obj.TableOp)]:
            Rewriter.erase_op(table)


class _Loop:
    """The accesses of one loop, by array. `asked` are the guards that are needed, `distinct` arrays to be looked at."""

    def __init__(self, loop: skel.ForallOp, module: ModuleOp, atomics: Sequence[int]) -> None:
        self.module = module
        self.loop = loop
        self.atomics = atomics
        self.count = len(loop.sequences)
        self.body = loop.body.block
        self.forms = AffineForms(self.body)
        self.accesses: dict[str, list[Access]] = {}
        self.asked: list[tuple[Access, Digit]] = []
        self.distinct: frozenset[str] = frozenset()
        self.bounded = all(map(_is_bounded, self.body.args))
        for op in loop.body.walk():
            if isinstance(op, Access):
                self.accesses.setdefault(skel.captured_name(op.array), []).append(op)

    def check(self) -> None:
        """Raise UnsupportedError for two accesses that may meet."""
        for name, accesses in self.accesses.items():
            if any(isinstance(access, obj.StoreOp) for access in accesses):
                self._check_array(name, accesses)
        for access, digit in self.asked:
            _require(access, digit)
        for op in self.module.ops:
            if isinstance(op, skel.CaptureOp) and op.sym_name.data in self.distinct:
                op.distinct = UnitAttr()

    def _check_array(self, name: str, accesses: Sequence[Access]) -> None:
        asked, distinct = list(self.asked), self.distinct
        refusal: UnsupportedError | None = None
        try:
            for one, other in combinations_with_replacement(accesses, 2):
                if isinstance(one, obj.StoreOp) or isinstance(other, obj.StoreOp):
                    self._check_pair(name, one, other)
        except UnsupportedError as error:
            refusal = error
        apart = refusal is None and self.distinct == distinct
        if not apart and accumulate(accesses, self.atomics, self.loop):
            self.asked, self.distinct = asked, distinct
            return
        if refusal is not None:
            raise refusal
        for access in accesses:
            self._ask_signs(access)

    def _check_pair(self, name: str, one: Access, other: Access) -> None:
        relations: list[Relation] = []
        for left, right in zip(one.indices, other.indices, strict=True):
            found = self._relations(left, right)
            apart = next((relation for relation in found if relation.apart), None)
            if apart is not None:
                self.distinct |= apart.distinct
                return
            relations += found
        chosen = _enough(relations, self.count)
        if chosen is None:
            raise _refusal(self._noun(name), one, other)
        for relation in chosen:
            self.distinct |= relation.distinct
            for access, digits in zip((one, other), relation.digits, strict=True):
                pairs = [(access, digit) for digit in digits if not digit.holds]
                self.asked += [pair for pair in pairs if pair not in self.asked]

    def _noun(self, name: str) -> str:
        """How a message names something in an array."""
        for op in self.module.ops:
            columns = zip(op.fields, op.columns, strict=True) if isinstance(op, obj.TableOp) else ()
            attribute = next((field.data for field, column in columns if column.captured == name), None)
            if attribute is not None:
                return f"the attribute '{attribute}' of an object, which may stand in several places,"
        return f"an element of '{name}'"

    def _relations(self, left: SSAValue, right: SSAValue) -> list[Relation]:
        """What the indices in one dimension say: one relation, or where both look an array up, what its indices say."""
        one, other = self.forms.lookup(left), self.forms.lookup(right)
        if one is None or other is None:
            relation = relate(self.forms.of(left), self.forms.of(right), self.body)
            known = self.bounded or all(digit.holds for side in relation.digits for digit in side)
            return [relation] if known else []
        if one.array != other.array:
            return []
        inner = [self._relations(*pair) for pair in zip(one.indices, other.indices, strict=True)]
        return [replace(relation, distinct=relation.distinct | {one.array}) for found in inner for relation in found]

    def _ask_signs(self, access: Access) -> None:
        self.forms.wrapped.clear()
        positions = list(access.indices)
        while positions:
            found = self.forms.lookup(positions[-1])
            if found is None:
                self.forms.of(positions.pop())
            else:
                positions[-1:] = found.indices if found.array in self.distinct else ()
        for index in dict.fromkeys(self.forms.wrapped):
            _require_not_negative(access, index)


def _fact(variable: BlockArgument) -> guard.FactOp | None:
    """What is known of a variable from the start."""
    facts = takewhile(lambda op: isinstance(op, guard.FactOp), variable.owner.ops)
    return next((op for op in facts if isinstance(op, guard.FactOp) and op.operand is variable), None)


def _is_bounded(variable: BlockArgument) -> bool:
    """Whether a variable is known to be so small that it times a coefficient does not leave 64 bits."""
    fact = _fact(variable)
    return fact is not None and fact.low.value.data > -LIMIT and fact.high.value.data < LIMIT


def _enough(relations: Iterable[Relation], count: int) -> list[Relation] | None:
    """Relations that together tell all variables, those first that need no guard; None if there are none."""
    told: set[int] = set()
    chosen: list[Relation] = []
    for relation in sorted(relations, key=lambda r: sum(map(len, r.digits))):
        if relation.same - told:
            told |= relation.same
            chosen.append(relation)
    return chosen if len(told) == count else None


def _refusal(noun: str, one: Access, other: Access) -> UnsupportedError:
    first, second = (one, other) if isinstance(other, obj.StoreOp) else (other, one)
    here, there = source_location(second.location), source_location(first.location)
    if first is second:
        reason = f"different iterations may store to {noun.replace('an element', 'one element')}".removesuffix(",")
    else:
        doing = "stores to" if isinstance(first, obj.StoreOp) else "reads"
        line = "" if there is None else f" in line {there.line}"
        reason = f"one iteration may store here to {noun} that another one {doing}{line}"
    return UnsupportedError(
        reason,
        location=here,
        hint=None if noun.startswith("the attribute") else _HINT,
        category=Category.DEPENDENCE,
    )


def _require_not_negative(access: Access, index: SSAValue) -> None:
    zero = arith.ConstantOp(IntegerAttr(0, i64))
    test = arith.CmpiOp(index, zero.result, "sge")
    require = guard.RequireOp(test.result, guard.GuardKind.BOUNDS, "a negative index may be another iteration's")
    insert([zero, test, require], InsertPoint.before(access), access)


def _require(access: Access, digit: Digit) -> None:
    """Guard that 0 <= lower < base <= LIMIT."""
    ops: list[Operation] = []
    lower, base = _build_affine(ops, digit.lower), _build(ops, digit.base)
    zero, limit = _constant(ops, 0), _constant(ops, LIMIT)
    for left, predicate, right in ((lower, "sge", zero), (lower, "slt", base), (base, "sle", limit)):
        holds = _add(ops, arith.CmpiOp(left, right, predicate))
        reason = "an index may be that of another iteration"
        ops.append(guard.RequireOp(holds, guard.GuardKind.BOUNDS, reason))
    insert(ops, InsertPoint.before(access), access)


def _add(ops: list[Operation], op: Operation) -> SSAValue:
    ops.append(op)
    return op.results[0]


def _constant(ops: list[Operation], number: int) -> SSAValue:
    return _add(ops, arith.ConstantOp(IntegerAttr(number, i64)))


def _build_affine(ops: list[Operation], form: Affine) -> SSAValue:
    products = [_scaled(ops, variable, coefficient) for variable, coefficient in form.variables.items()]
    return _sum(ops, [*products, _build(ops, form.rest)] if form.rest.terms else products)


def _scaled(ops: list[Operation], variable: BlockArgument, coefficient: Polynomial) -> SSAValue:
    fact = _fact(variable)
    value = variable if fact is None else fact.result
    return value if coefficient.known == 1 else _add(ops, arith.MuliOp(value, _build(ops, coefficient)))


def _build(ops: list[Operation], polynomial: Polynomial) -> SSAValue:
    products: list[SSAValue] = []
    for monomial, coefficient in polynomial.terms.items():
        factors = [invariant.value for invariant, power in monomial for _ in range(power)]
        if coefficient != 1 or not factors:
            factors.append(_constant(ops, coefficient))
        products.append(_chain(ops, factors, arith.MuliOp))
    return _sum(ops, products)


def _sum(ops: list[Operation], terms: Sequence[SSAValue]) -> SSAValue:
    return _chain(ops, terms, arith.AddiOp) if terms else _constant(ops, 0)


def _chain(ops: list[Operation], values: Sequence[SSAValue], op: type[arith.AddiOp | arith.MuliOp]) -> SSAValue:
    return reduce(lambda left, right: _add(ops, op(left, right)), values)

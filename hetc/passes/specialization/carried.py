"""What a loop carries, and how it starts.

A loop-carried variable may start as a Python number and become something else (`total = 0`, then `total += x[i]` with
floats). If every use of the starting value mixes it with a number that absorbs it without rounding, the loop may as
well start from the converted number (*weak start*); that the loop runs at all is then guarded, because a loop that runs
zero times leaves the Python number. In a task, which would be lost as a whole, it is of both types after the loop
instead. Otherwise the variable is of both types: a union.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import f16
from xdsl.ir import Attribute, Block, BlockArgument, Region, SSAValue

from hetc.analysis.source_types import is_complex, is_float, is_integer, is_python, part_type
from hetc.diagnostics import Category
from hetc.dialects import dyn, obj
from hetc.passes.semantics import conversions
from hetc.passes.semantics.complex_numbers import REAL_STAYS_REAL
from hetc.passes.semantics.emitter import Constant, ConstantOp, constant_value
from hetc.passes.specialization.branches import bind_joined, materialize, type_of
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.unions import common_type
from hetc.passes.specialization.values import Abstract, MaybeUnbound, Unbound, Value


class Carried:
    """The loop-carried values of one loop: their types, found by repeated interpretation."""

    def __init__(self, s: Interpretation, inits: Sequence[SSAValue], heads: Sequence[Sequence[SSAValue]]) -> None:
        self.s = s
        self.inits: list[Value] = [s.get(value) for value in inits]
        self.heads = heads  # old values that stand for each carried value, in each region
        self.types: list[Attribute | None] = [type_of(value) for value in self.inits]
        self.weak: set[int] = set()
        self.strong: set[int] = set()
        """Those whose start is not absorbed: they are of both types."""

    @property
    def kept(self) -> list[int]:
        """The carried values that exist on the device (not those that are unbound on all paths so far)."""
        return [k for k, type_ in enumerate(self.types) if type_ is not None]

    def kept_types(self) -> list[Attribute]:
        """Their types."""
        return [type_ for type_ in self.types if type_ is not None]

    def bind_arguments(self, old: Sequence[SSAValue], new: Sequence[BlockArgument]) -> None:
        """At the head of a region: what each carried value is."""
        arguments = iter(new)
        for k, (value, type_) in enumerate(zip(old, self.types, strict=True)):
            if type_ is None:
                self.s.values[value] = self.inits[k]
            else:
                bind_joined(self.s, value, next(arguments), [self.inits[k]])

    def widen(self, yields: Sequence[Value]) -> bool:
        """Meet the types that one iteration yields; True if they were stable."""
        stable = True
        for k, value in enumerate(yields):
            type_ = type_of(value)
            if isinstance(value, Abstract) and value != self.inits[k]:
                raise self.s.unsupported(
                    f"{value.noun} cannot be chosen by a loop",
                    hint="choose between its numbers",
                    category=Category.CONTAINER,
                )
            if type_ is None or type_ == self.types[k]:
                continue
            known = self.types[k]
            self.types[k] = self._met(k, type_)
            stable = stable and self.types[k] == known
        return stable

    def _met(self, k: int, type_: Attribute) -> Attribute:
        """The type of a carried value that an iteration yields as `type_`: that type, if its start is absorbed."""
        known, init = self.types[k], self.inits[k]
        if known is None or k in self.weak:
            if known is not None:
                self.weak.remove(k)
                self.strong.add(k)
                known = common_type(self.s, known, _type(init))
            return type_ if known is None else common_type(self.s, known, type_)
        absorbed = known == type_of(init) and isinstance(init, SSAValue) and weak_constant(init, type_) is not None
        if absorbed and k not in self.strong:
            self.weak.add(k)
            return type_
        return common_type(self.s, known, type_)

    def give_up_weak(self, yielded: Sequence[SSAValue]) -> bool:
        """Whether some start turns out not to be absorbed by the loop; it then keeps its own type, in a union."""
        lost = {k for k in self.weak if not self._is_absorbed(k, yielded)}
        for k in lost:
            known = self.types[k]
            assert known is not None
            self.types[k] = common_type(self.s, known, _type(self.inits[k]))
        self.weak -= lost
        self.strong |= lost
        return bool(lost)

    def _is_absorbed(self, k: int, yielded: Sequence[SSAValue]) -> bool:
        """A weak start must be absorbed wherever it is used, and replaced by the first iteration."""
        tainted = absorbed_uses(self.s, [head[k] for head in self.heads], self.types[k])
        return tainted is not None and tainted.isdisjoint(yielded)

    def start_values(self) -> list[SSAValue]:
        """The initial values in the types that the loop carries."""
        values: list[SSAValue] = []
        for k in self.kept:
            init, type_ = self.inits[k], self.types[k]
            assert type_ is not None
            if k in self.weak:
                assert isinstance(init, SSAValue)
                assert isinstance(type_, obj.BoxedType)
                number = weak_constant(init, type_)
                assert number is not None
                values.append(self.s.box(self.s.constant(number, type_.source)))
            else:
                values.append(materialize(self.s, init, type_))
        return values

    def unbound(self, used: Sequence[bool]) -> set[int]:
        """The variables that are used after the loop, and may have no value before it.

        What a loop returns has none either, and is used only where the loop was left: it is no variable, and has no
        name.
        """
        inits = [self.inits[k] for k in range(len(used))]
        named = [isinstance(init, Unbound | MaybeUnbound) and bool(init.variable) for init in inits]
        return {k for k in self.kept if used[k] and named[k]}

    def bind_results(
        self,
        old: Sequence[SSAValue],
        new: Sequence[SSAValue],
        yields: Sequence[Value],
        replaced: Collection[int] = (),
        entered: SSAValue | None = None,
    ) -> None:
        """After the loop: zero iterations leave the initial value, but of what is surely `replaced`.

        `entered` says whether there was an iteration, if that is not known: a weak start is what it was without any.
        """
        results = iter(new)
        for k, value in enumerate(old):
            if self.types[k] is None:
                self.s.values[value] = self.inits[k]
            elif entered is not None and k in self.weak:
                self.s.bind(value, self._or_start(k, next(results), entered))
            else:
                starts = [] if k in replaced else [self.inits[k]]
                bind_joined(self.s, value, next(results), [*starts, yields[k]])

    def _or_start(self, k: int, result: SSAValue, entered: SSAValue) -> SSAValue:
        """What a loop has made of a weak start, or the start itself: a union."""
        s, init = self.s, self.inits[k]
        joined = common_type(s, result.type, _type(init))
        then, other = Block(), Block()
        for block, path in ((then, result), (other, init)):
            with s.inside(block):
                s.add(scf.YieldOp(materialize(s, path, joined)))
        return s.add(scf.IfOp(entered, [joined], Region(then), Region(other))).results[0]


def _type(value: Value) -> Attribute:
    type_ = type_of(value)
    assert type_ is not None
    return type_


def weak_constant(init: SSAValue, type_: Attribute) -> Constant | None:
    """The Python number that `init` is, if a number of `type_` absorbs it without rounding."""
    if not isinstance(init.type, obj.BoxedType) or not isinstance(type_, obj.BoxedType):
        return None
    if not is_python(init.type.source) or init.type.source == dyn.BOOL or not isinstance(init.owner, obj.BoxOp):
        return None
    constant = init.owner.payload.owner
    if not isinstance(constant, ConstantOp):
        return None
    value = constant_value(constant, init.type.source)
    if value is None:
        return None
    if is_complex(type_.source):
        return _weak_complex(value, type_.source)
    if isinstance(value, complex):
        return None
    if is_float(type_.source) and is_exact(value, type_.source):
        return value
    if is_integer(type_.source) and isinstance(value, int):
        low, high = conversions.integer_limits(type_.source)
        return value if low <= value <= high else None
    return None


def _weak_complex(value: Constant, source: Attribute) -> Constant | None:
    """A real number is absorbed where it becomes complex before it is added."""
    if source == dyn.COMPLEX and not isinstance(value, complex) and REAL_STAYS_REAL:
        return None
    number = complex(value)
    return value if all(is_exact(part, part_type(source)) for part in (number.real, number.imag)) else None


def is_exact(value: int | float, source: Attribute) -> bool:
    """Whether a Python number converts to a float type without rounding."""
    if obj.payload(source) == obj.payload(dyn.FLOAT):
        return float(value) == value
    return abs(value) <= (2**11 if source == f16 else 2**24) and float(value).is_integer() and float(value) == value


def absorbed_uses(s: Interpretation, values: Sequence[SSAValue], type_: Attribute | None) -> set[SSAValue] | None:
    """Follow a starting value through a loop body. None if some use would tell it from the converted number.

    Allowed are arithmetic and comparisons with a number of the target type, and passing it on unchanged through a
    branch. The result holds all old values that may still be the starting value.
    """
    tainted: set[SSAValue] = set()
    work = list(values)
    while work:
        value = work.pop()
        if value in tainted:
            continue
        tainted.add(value)
        for use in value.uses:
            op = use.operation
            if isinstance(op, dyn.BinaryOp | dyn.CompareOp):
                other = op.right if use.index == 0 else op.left
                absorbs = isinstance(op, dyn.CompareOp) or op.operator.data in ("add", "sub", "mul", "truediv")
                if not absorbs or other in tainted or type_of(s.values.get(other, Unbound(""))) != type_:
                    return None
            elif isinstance(op, scf.YieldOp) and isinstance(parent := op.parent_op(), scf.IfOp):
                work.append(parent.results[use.index])
            elif not isinstance(op, scf.YieldOp | dyn.YieldOp | scf.ConditionOp):
                return None
    return tainted

"""The `guard` dialect: speculation made visible.

`guard.require` says that the work-item may go on only if a condition holds; otherwise the call goes back to Python
(it *deoptimises*). `guard.fact` says what is already known about a value, so that `guard-elimination` can prove guards
away: marshalling knows the bounds of the data that it moved (Fumero et al., VEE 2017, section 5.2: guards that type
conversion already ensures are removed).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    SignlessIntegerConstraint,
    StringAttr,
    UnitAttr,
    i1,
    i64,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Dialect, Operation, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.traits import HasCanonicalizationPatternsTrait, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

MARKS = MemRefType(IntegerType(8), [DYNAMIC_INDEX])
"""The buffer of the marks of failed blocks."""

WARNS = "guard.warns"
"""An attribute of modules, of a string: what is to be found out of NumPy's warnings (`Warns`)."""

WIDENED = "guard.widened"
"""An attribute of modules: the places at which a guard of kind `branch` has failed, for nothing to be assumed there."""


class GuardKind(StrEnum):
    """What a guard protects against."""

    TYPE = "type"
    NONE = "none"
    OVERFLOW = "overflow"
    ZERO_DIVISION = "zero_division"
    BOUNDS = "bounds"
    DOMAIN = "domain"
    BRANCH = "branch"
    VALUE = "value"
    SIGN = "sign"
    WARNING = "warning"
    ALLOC = "alloc"


class Warns(StrEnum):
    """What a compiled call finds out of NumPy's warnings: whether there are any, or where each of them is."""

    ANY = "any"
    EACH = "each"


def warns(module: Operation) -> Warns | None:
    """What is to be found out of NumPy's warnings in a module."""
    value = module.attributes.get(WARNS)
    return Warns(value.data) if isinstance(value, StringAttr) else None


@irdl_attr_definition
class GuardKindAttr(EnumAttribute[GuardKind], SpacedOpaqueSyntaxAttribute):
    """The kind of a guard, written as a bare word."""

    name = "guard.kind"


def is_true(condition: SSAValue) -> bool:
    """Whether an `i1` is the constant true."""
    return (
        isinstance(constant := condition.owner, ConstantOp)
        and isinstance(constant.value, IntegerAttr)
        and constant.value.type == IntegerType(1)
        and constant.value.value.data != 0
    )


def is_false(condition: SSAValue) -> bool:
    """Whether an `i1` is the constant false."""
    return (
        isinstance(constant := condition.owner, ConstantOp)
        and isinstance(constant.value, IntegerAttr)
        and constant.value.type == IntegerType(1)
        and constant.value.value.data == 0
    )


class RequireCanonicalization(HasCanonicalizationPatternsTrait):
    """Canonicalisation of `guard.require`."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (RemoveProvenGuard(), RequireOpposite())


class WarnCanonicalization(HasCanonicalizationPatternsTrait):
    """Canonicalisation of `guard.warn`."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (RemoveNeedlessWarning(),)


@irdl_op_definition
class RequireOp(IRDLOperation):
    """Go on only if `condition` holds; else this work-item stops and the call goes back to Python.

    What follows may rely on the condition. `reason` is for people and names what was assumed. It has an effect (it may
    leave), so it is neither removed nor moved by generic passes. Its
    canonicalisations are require(true) -> nothing and require(not (a < b)) -> require(a >= b).

    ```mlir
    guard.require %nonzero, zero_division, "division by zero"
    ```
    """

    name = "guard.require"
    condition = operand_def(i1)
    kind = prop_def(GuardKindAttr)
    reason = prop_def(StringAttr)
    traits = traits_def(RequireCanonicalization())
    assembly_format = "$condition `,` $kind `,` $reason attr-dict"

    def __init__(self, condition: SSAValue, kind: GuardKind, reason: str):
        super().__init__(operands=[condition], properties={"kind": GuardKindAttr(kind), "reason": StringAttr(reason)})

    def verify_(self) -> None:
        if self.kind.data is GuardKind.WARNING:
            raise VerifyException("what NumPy warns of leaves nothing to Python: use guard.warn")


@irdl_op_definition
class WarnOp(IRDLOperation):
    """Python is to tell of it, unless `condition` holds: NumPy warns there. The call goes on, its result is right.

    Nothing may rely on the condition. Its canonicalisation is warn(true) -> nothing.

    ```mlir
    guard.warn %finite, "division by zero or overflow"
    ```
    """

    name = "guard.warn"
    condition = operand_def(i1)
    reason = prop_def(StringAttr)
    traits = traits_def(WarnCanonicalization())
    assembly_format = "$condition `,` $reason attr-dict"

    def __init__(self, condition: SSAValue, reason: str):
        super().__init__(operands=[condition], properties={"reason": StringAttr(reason)})


@irdl_op_definition
class FactOp(IRDLOperation):
    """The same value, known to lie in the closed interval `[low, high]`.

    `below` lists pairs of a numbered dimension and a constant c: the value is at most the length of that dimension plus
    c. The knowledge comes from marshalling, which looked at the data. Wrong facts are undefined behaviour.

    ```mlir
    %j = guard.fact %i in [0, 2147483647] : i64
    %k = guard.fact %i in [0, 2147483647] {below = array<i64: 1, -1>} : i64
    ```
    """

    T: ClassVar = VarConstraint("T", base(IndexType) | SignlessIntegerConstraint)

    name = "guard.fact"
    operand = operand_def(T)
    low = prop_def(IntegerAttr[I64])
    high = prop_def(IntegerAttr[I64])
    below = opt_prop_def(DenseArrayBase.constr(i64))
    result = result_def(T)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$operand `in` ` ` `[` $low `,` $high `]` attr-dict `:` type($result)"

    def __init__(self, operand: SSAValue, low: int, high: int, below: Sequence[tuple[int, int]] = ()):
        pairs = [number for pair in below for number in pair]
        super().__init__(
            operands=[operand],
            properties={
                "low": IntegerAttr(low, i64),
                "high": IntegerAttr(high, i64),
                "below": DenseArrayBase.from_list(i64, pairs) if pairs else None,
            },
            result_types=[operand.type],
        )

    @property
    def lengths(self) -> dict[int, int]:
        """For some dimensions, the c of `value <= length + c`."""
        numbers = () if self.below is None else tuple(map(int, self.below.get_values()))
        return dict(zip(numbers[::2], numbers[1::2], strict=True))

    def verify_(self) -> None:
        if self.low.value.data > self.high.value.data:
            raise VerifyException("the interval is empty: low is above high")
        if self.below is not None and len(self.below) % 2:
            raise VerifyException("below lists pairs of a dimension and a constant")


@irdl_op_definition
class FitsOp(IRDLOperation):
    """Whether `left <operator> right`, computed without bound, fits the type: the question an overflow guard asks.

    `operator` is "add", "sub" or "mul". `fold-ranges` answers it where the ranges of the operands do, `lower-guards`
    turns what is left into bit arithmetic.

    ```mlir
    %ok = guard.fits "mul" %a, %b : i64
    ```
    """

    T: ClassVar = VarConstraint("T", SignlessIntegerConstraint)

    name = "guard.fits"
    operator = prop_def(StringAttr)
    left = operand_def(T)
    right = operand_def(T)
    result = result_def(i1)
    traits = traits_def(Pure())
    assembly_format = "$operator $left `,` $right attr-dict `:` type($left)"

    def __init__(self, operator: str, left: SSAValue, right: SSAValue):
        super().__init__(operands=[left, right], properties={"operator": StringAttr(operator)}, result_types=[i1])

    def verify_(self) -> None:
        if self.operator.data not in ("add", "sub", "mul"):
            raise VerifyException(f"unknown operator '{self.operator.data}', expected add, sub or mul")


@irdl_op_definition
class CheckOp(IRDLOperation):
    """A guard as a kernel runs it: unless `condition` holds, set `flags[slot]` to 1 and leave the kernel.

    With `mark`, `marks[mark]` is set to 1 as well: it tells which block of elements failed, where a work-item computes
    one element. With `stay` the work-item does not leave: nothing that follows relies on the condition. `lower-guards`
    makes it from `guard.require`, and from `guard.warn` with `stay` and the kind `warning`. All writers of a place
    write the same value, so no atomic is needed.

    ```mlir
    guard.check %nonzero, %flags[0] mark %block in %marks, zero_division, "division by zero" : memref<?xi32>
    guard.check %positive, %flags[1] stay, domain, "math.log() would raise" : memref<?xi32>
    ```
    """

    name = "guard.check"
    condition = operand_def(i1)
    flags = operand_def(MemRefType)
    mark = opt_operand_def(IndexType)
    marks = opt_operand_def(MARKS)
    slot = prop_def(IntegerAttr[I64])
    kind = prop_def(GuardKindAttr)
    reason = prop_def(StringAttr)
    stay = opt_prop_def(UnitAttr)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "$condition `,` $flags `[` $slot `]` (`mark` $mark^ `in` $marks)? (`stay` $stay^)? `,` $kind `,` $reason "
        "attr-dict `:` type($flags)"
    )

    def __init__(
        self,
        condition: SSAValue,
        flags: SSAValue,
        slot: int,
        kind: GuardKind,
        reason: str,
        mark: SSAValue | None = None,
        marks: SSAValue | None = None,
        *,
        stay: bool = False,
    ):
        super().__init__(
            operands=[condition, flags, mark, marks],
            properties={
                "slot": IntegerAttr(slot, i64),
                "kind": GuardKindAttr(kind),
                "reason": StringAttr(reason),
                "stay": UnitAttr() if stay else None,
            },
        )

    def verify_(self) -> None:
        if self.slot.value.data < 0:
            raise VerifyException("a slot counts from 0")
        if (self.mark is None) != (self.marks is None):
            raise VerifyException("a mark needs the buffer that it is set in")


class RemoveProvenGuard(RewritePattern):
    """require(true) -> nothing."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: RequireOp, rewriter: PatternRewriter) -> None:
        if is_true(op.condition):
            rewriter.erase(op)


class RemoveNeedlessWarning(RewritePattern):
    """warn(true) -> nothing."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: WarnOp, rewriter: PatternRewriter) -> None:
        if is_true(op.condition):
            rewriter.erase(op)


def _opposites(*pairs: tuple[str, str]) -> dict[str, str]:
    return {one: other for pair in pairs for one, other in (pair, pair[::-1])}


_OPPOSITES = {
    arith.CmpiOp: _opposites(("eq", "ne"), ("slt", "sge"), ("sle", "sgt"), ("ult", "uge"), ("ule", "ugt")),
    arith.CmpfOp: _opposites(
        ("oeq", "une"), ("ogt", "ule"), ("oge", "ult"), ("olt", "uge"), ("ole", "ugt"), ("one", "ueq"), ("ord", "uno"),
        ("false", "true"),
    ),
}  # fmt: skip
_NAMES = {
    arith.CmpiOp: arith.CMPI_COMPARISON_OPERATIONS,
    arith.CmpfOp: arith.CMPF_COMPARISON_OPERATIONS,
}


class RequireOpposite(RewritePattern):
    """require(not (a < b)) -> require(a >= b), and likewise for every comparison."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: RequireOp, rewriter: PatternRewriter) -> None:
        negation = op.condition.owner
        if not isinstance(negation, arith.XOrIOp) or not is_true(negation.rhs):
            return
        comparison = negation.lhs.owner
        if not isinstance(comparison, arith.CmpiOp | arith.CmpfOp):
            return
        kind = arith.CmpiOp if isinstance(comparison, arith.CmpiOp) else arith.CmpfOp
        predicate = _OPPOSITES[kind][_NAMES[kind][comparison.predicate.value.data]]
        opposite = kind(comparison.lhs, comparison.rhs, predicate)
        require = RequireOp(opposite.result, op.kind.data, op.reason.data)
        opposite.location = require.location = op.location
        rewriter.replace(op, [opposite, require], [])


GUARD = Dialect("guard", [RequireOp, WarnOp, FactOp, FitsOp, CheckOp], [GuardKindAttr])

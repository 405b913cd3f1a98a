"""The `dyn` dialect: dynamic Python.

Level 0 of the pipeline. Values are Python objects (`!dyn.object`) and operators are Python's, in Python's evaluation
order; nothing is assumed about types. Conditions are `i1` values that `dyn.truth` makes, so that `scf.if` and
`scf.while` can carry Python's control flow. `specialize` replaces every op here by typed ops; nothing below this level
depends on the Python version.

The idea of a dialect for the dynamic program, specialised by abstract interpretation, follows Fumero et al., VEE 2017,
section 4 (there: FastR's AST and Truffle's partial evaluation).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    f64,
    i1,
)
from xdsl.dialects.builtin import ComplexType as BuiltinComplexType
from xdsl.dialects.complex import ComplexNumberAttr
from xdsl.ir import Attribute, Dialect, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import HasParent, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from hetc.diagnostics import Category
from hetc.dialects.parts import dyn_types
from hetc.dialects.parts.dyn_functions import CallOp, CallValueOp, FunctionOp, GlobalOp, KnownOp
from hetc.dialects.parts.dyn_objects import (
    ClassOp,
    FieldOp,
    GetAttrOp,
    IsInstanceOp,
    MethodOp,
    NewOp,
    ReferOp,
    SetAttrOp,
    SeveralOp,
    StoreAttrOp,
    StoreFieldOp,
)
from hetc.dialects.parts.dyn_sequences import (
    AppendOp,
    BuildListOp,
    BuildTupleOp,
    ContainsOp,
    GetItemOp,
    SetItemOp,
    ShapeOp,
    SliceOp,
    SpreadOp,
    StoreItemOp,
    UnpackOp,
)
from hetc.dialects.parts.dyn_types import BoolType, ComplexType, FloatType, IntType, NoneType, ObjectType, check_name

OBJECT = dyn_types.OBJECT
INT = dyn_types.INT
FLOAT = dyn_types.FLOAT
COMPLEX = dyn_types.COMPLEX
BOOL = dyn_types.BOOL
NONE = dyn_types.NONE

BINARY_OPERATORS = (
    "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift",
)  # fmt: skip
UNARY_OPERATORS = ("neg", "pos", "invert", "not")
ARRAY_ATTRIBUTES = ("ndim", "size", "T")
COMPARISONS = ("lt", "le", "eq", "ne", "gt", "ge", "is", "is_not")

BRANCH = "dyn.branch"
"""Marks an `scf.if` that is a branch of the user's program: an `if` statement or a conditional expression."""
IN_PLACE = "dyn.in_place"
"""Marks a `dyn.binary` that is an augmented assignment: it changes a list in place."""
SEEN = "dyn.seen"
"""On a marked `scf.if`: which of its branches a profile has seen, "then" or "else". Both, or not known: absent."""


@irdl_op_definition
class ConstOp(IRDLOperation):
    """A Python literal: an `int` of 64 bits, a `float`, a `complex` or a `bool`.

    The result is the Python object that the literal denotes.

    ```mlir
    %0 = dyn.const 2.5 : f64
    %1 = dyn.const 7 : i64
    %2 = dyn.const true
    %3 = dyn.const #complex.number<:f64 0.0, 2.0> : complex<f64>
    ```
    """

    name = "dyn.const"
    value = prop_def(IntegerAttr | FloatAttr | ComplexNumberAttr)
    result = result_def(ObjectType)
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict"

    def __init__(self, value: bool | int | float | complex):
        attribute: Attribute
        if isinstance(value, bool):
            attribute = BoolAttr.from_bool(value)
        elif isinstance(value, int):
            attribute = IntegerAttr(value, 64)
        elif isinstance(value, complex):
            attribute = ComplexNumberAttr(value.real, value.imag, BuiltinComplexType(f64))
        else:
            attribute = FloatAttr(value, 64)
        super().__init__(properties={"value": attribute}, result_types=[OBJECT])


@irdl_op_definition
class BinaryOp(IRDLOperation):
    """A Python binary operator: `left <operator> right`, exceptions included.

    `operator` is the operator's name in Python's data model without underscores (`add`, `floordiv`, `pow`, ...).
    Raises what Python raises; may have side effects until types are known, so it is never removed or merged here.

    ```mlir
    %sum = dyn.binary "add" %a, %b
    ```
    """

    name = "dyn.binary"
    operator = prop_def(StringAttr)
    left = operand_def(ObjectType)
    right = operand_def(ObjectType)
    result = result_def(ObjectType)
    assembly_format = "$operator $left `,` $right attr-dict"

    def __init__(self, operator: str, left: SSAValue, right: SSAValue):
        super().__init__(operands=[left, right], properties={"operator": StringAttr(operator)}, result_types=[OBJECT])

    def verify_(self) -> None:
        check_name(self.operator.data, BINARY_OPERATORS, "binary operator")


@irdl_op_definition
class UnaryOp(IRDLOperation):
    """A Python unary operator: `neg`, `pos`, `invert` or `not`.

    ```mlir
    %minus = dyn.unary "neg" %a
    ```
    """

    name = "dyn.unary"
    operator = prop_def(StringAttr)
    operand = operand_def(ObjectType)
    result = result_def(ObjectType)
    assembly_format = "$operator $operand attr-dict"

    def __init__(self, operator: str, operand: SSAValue):
        super().__init__(operands=[operand], properties={"operator": StringAttr(operator)}, result_types=[OBJECT])

    def verify_(self) -> None:
        check_name(self.operator.data, UNARY_OPERATORS, "unary operator")


@irdl_op_definition
class CompareOp(IRDLOperation):
    """One Python comparison: `left <operator> right`. A chain is several, joined by `scf.if`.

    ```mlir
    %less = dyn.compare "lt" %a, %b
    ```
    """

    name = "dyn.compare"
    operator = prop_def(StringAttr)
    left = operand_def(ObjectType)
    right = operand_def(ObjectType)
    result = result_def(ObjectType)
    assembly_format = "$operator $left `,` $right attr-dict"

    def __init__(self, operator: str, left: SSAValue, right: SSAValue):
        super().__init__(operands=[left, right], properties={"operator": StringAttr(operator)}, result_types=[OBJECT])

    def verify_(self) -> None:
        check_name(self.operator.data, COMPARISONS, "comparison")


@irdl_op_definition
class TruthOp(IRDLOperation):
    """Python's truth value of an object, as an `i1` that control flow can test.

    ```mlir
    %t = dyn.truth %a
    ```
    """

    name = "dyn.truth"
    operand = operand_def(ObjectType)
    result = result_def(i1)
    assembly_format = "$operand attr-dict"

    def __init__(self, operand: SSAValue):
        super().__init__(operands=[operand], result_types=[i1])


@irdl_op_definition
class FromBoolOp(IRDLOperation):
    """The Python `bool` of an `i1`: `True` or `False`.

    ```mlir
    %b = dyn.from_bool %t
    ```
    """

    name = "dyn.from_bool"
    operand = operand_def(i1)
    result = result_def(ObjectType)
    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict"

    def __init__(self, operand: SSAValue):
        super().__init__(operands=[operand], result_types=[OBJECT])


NUMBER_ATTRIBUTES = ("real", "imag", "numerator", "denominator")
"""The attributes of numbers that can be read, each a function with "number." before its name."""
NUMBER_METHODS = ("bit_count", "bit_length", "conj", "conjugate", "is_integer", "item")
"""The methods of numbers that take no arguments, likewise."""


@irdl_op_definition
class BuiltinOp(IRDLOperation):
    """A call of a function that hetc knows by name: a Python builtin, or one of `math` or `numpy`.

    The last arguments may be for parameters that take keywords only, which are then named. With "number." before it,
    the function is an attribute or method of its first argument. With "sum.", it is a part of `sum` as Python has it
    since 3.12 (`hetc.analysis.compensated_sums`).

    ```mlir
    %r = dyn.builtin "math.sqrt"(%x)
    %s = dyn.builtin "math.isclose"(%x, %y, %tolerance) keywords ["rel_tol"]
    ```
    """

    name = "dyn.builtin"
    function = prop_def(StringAttr)
    arguments = var_operand_def(ObjectType)
    keywords = opt_prop_def(ArrayAttr[StringAttr])
    result = result_def(ObjectType)
    assembly_format = "$function `(` $arguments `)` (`keywords` $keywords^)? attr-dict"

    def __init__(self, function: str, arguments: Sequence[SSAValue], keywords: Sequence[str] = ()):
        names = ArrayAttr(map(StringAttr, keywords)) if keywords else None
        super().__init__(
            operands=[arguments],
            properties={"function": StringAttr(function), "keywords": names},
            result_types=[OBJECT],
        )

    @property
    def named(self) -> tuple[str, ...]:
        """The names of the last arguments, those that are given by keyword."""
        return () if self.keywords is None else tuple(name.data for name in self.keywords)

    def verify_(self) -> None:
        if len(self.named) > len(self.arguments):
            raise VerifyException("there are more keywords than arguments")


@irdl_op_definition
class LambdaOp(IRDLOperation):
    """A nested function, as a value: the body takes its parameters and yields its result.

    The body may use the values around it, as they are where the op stands.

    ```mlir
    %f = dyn.lambda {
    ^bb0(%y: !dyn.object):
      %z = dyn.binary "mul" %x, %y
      dyn.yield %z : !dyn.object
    }
    ```
    """

    name = "dyn.lambda"
    body = region_def("single_block")
    result = result_def(ObjectType)
    assembly_format = "$body attr-dict"

    def __init__(self, body: Region):
        super().__init__(regions=[body], result_types=[OBJECT])

    def verify_(self) -> None:
        last = self.body.block.last_op
        if not isinstance(last, YieldOp) or tuple(last.values.types) != (OBJECT,):
            raise VerifyException("the body must yield the result of the function")


@irdl_op_definition
class ForEachOp(IRDLOperation):
    """Python's `for item in iterable`, with loop-carried values.

    The iterable is read once. The body receives the item and the carried values, and yields the carried values of the
    next iteration; `early_exit` is that of `dyn.for_range`. Over a tuple or list the loop is unrolled, and so the items
    and the carried values may change their types from one iteration to the next; with `unroll` it is in any case, so
    that a list may grow by an item in each.

    ```mlir
    %sum = dyn.for_each %t iter_args(%zero : !dyn.object) -> !dyn.object {
    ^bb0(%item: !dyn.object, %s: !dyn.object):
      %t = dyn.binary "add" %s, %item
      dyn.yield %t : !dyn.object
    }
    ```
    """

    name = "dyn.for_each"
    iterable = operand_def(ObjectType)
    inits = var_operand_def()
    outputs = var_result_def()
    early_exit = opt_prop_def(UnitAttr)
    unroll = opt_prop_def(UnitAttr)
    body = region_def("single_block")
    assembly_format = (
        "$iterable (`unroll` $unroll^)? (`early_exit` $early_exit^)? "
        "(`iter_args` `(` $inits^ `:` type($inits) `)` `->` type($outputs))? $body attr-dict"
    )

    def __init__(
        self,
        iterable: SSAValue,
        inits: Sequence[SSAValue],
        body: Region,
        *,
        early_exit: bool = False,
        unroll: bool = False,
    ):
        super().__init__(
            operands=[iterable, inits],
            properties={
                "early_exit": UnitAttr() if early_exit else None,
                "unroll": UnitAttr() if unroll else None,
            },
            result_types=[[value.type for value in inits]],
            regions=[body],
        )

    def verify_(self) -> None:
        _check_loop(self)


@irdl_op_definition
class UnboundOp(IRDLOperation):
    """A local variable that has no value on this path; using it raises `UnboundLocalError` in Python.

    With an empty `variable` it stands for a value that control flow makes sure nobody reads.

    ```mlir
    %u = dyn.unbound "total"
    ```
    """

    name = "dyn.unbound"
    variable = prop_def(StringAttr)
    result = result_def(ObjectType)
    traits = traits_def(Pure())
    assembly_format = "$variable attr-dict"

    def __init__(self, variable: str):
        super().__init__(properties={"variable": StringAttr(variable)}, result_types=[OBJECT])


@irdl_op_definition
class BoundOp(IRDLOperation):
    """A read of a variable that may have no value: its value, or `UnboundLocalError`.

    ```mlir
    %x = dyn.bound %v
    ```
    """

    name = "dyn.bound"
    operand = operand_def(ObjectType)
    result = result_def(ObjectType)
    assembly_format = "$operand attr-dict"

    def __init__(self, operand: SSAValue):
        super().__init__(operands=[operand], result_types=[OBJECT])


@irdl_op_definition
class NoneOp(IRDLOperation):
    """Python's `None`.

    ```mlir
    %n = dyn.none
    ```
    """

    name = "dyn.none"
    result = result_def(ObjectType)
    traits = traits_def(Pure())
    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__(result_types=[OBJECT])


@irdl_op_definition
class LeaveOp(IRDLOperation):
    """Python runs the element from its start: the path that comes here raises, or is not compiled.

    What follows on the path is never reached. `reason`, `hint` and `code` (of `hetc/diagnostics.py`) are what the user
    is told if every path comes here.

    ```mlir
    dyn.leave "a print() is not compiled" hint "print the results" code "HETC0002"
    ```
    """

    name = "dyn.leave"
    reason = prop_def(StringAttr)
    hint = opt_prop_def(StringAttr)
    code = opt_prop_def(StringAttr)
    assembly_format = "$reason (`hint` $hint^)? (`code` $code^)? attr-dict"

    def __init__(self, reason: str, hint: str | None = None, code: str | None = None):
        super().__init__(
            properties={
                "reason": StringAttr(reason),
                "hint": None if hint is None else StringAttr(hint),
                "code": None if code is None else StringAttr(code),
            }
        )

    def verify_(self) -> None:
        if self.code is not None and not any(category.code == self.code.data for category in Category):
            raise VerifyException(f"'{self.code.data}' is no code of a diagnostic")


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends the body of a loop with the loop-carried values of the next iteration, that of a function with its result.

    ```mlir
    dyn.yield %s : !dyn.object
    ```
    """

    name = "dyn.yield"
    values = var_operand_def()
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(ForRangeOp, ForEachOp, LambdaOp), Pure()))
    assembly_format = "($values^ `:` type($values))? attr-dict"

    def __init__(self, values: Sequence[SSAValue]):
        super().__init__(operands=[values])


@irdl_op_definition
class ForRangeOp(IRDLOperation):
    """Python's `for i in range(start, stop, step)`, with loop-carried values.

    The bounds are read once; `step` may have either sign, and 0 raises `ValueError`. The body receives the loop
    variable and the carried values, and yields the carried values of the next iteration. With `early_exit` the last
    carried value is an `i1`, and the loop ends as soon as it is true (`break`, or `return` from inside).

    ```mlir
    %sum = dyn.for_range %a to %b step %c iter_args(%zero : !dyn.object) -> !dyn.object {
    ^bb0(%i: !dyn.object, %s: !dyn.object):
      %t = dyn.binary "add" %s, %i
      dyn.yield %t : !dyn.object
    }
    ```
    """

    name = "dyn.for_range"
    start = operand_def(ObjectType)
    stop = operand_def(ObjectType)
    step = operand_def(ObjectType)
    inits = var_operand_def()
    outputs = var_result_def()
    early_exit = opt_prop_def(UnitAttr)
    body = region_def("single_block")
    assembly_format = (
        "$start `to` $stop `step` $step (`early_exit` $early_exit^)? "
        "(`iter_args` `(` $inits^ `:` type($inits) `)` `->` type($outputs))? $body attr-dict"
    )

    def __init__(
        self,
        start: SSAValue,
        stop: SSAValue,
        step: SSAValue,
        inits: Sequence[SSAValue],
        body: Region,
        *,
        early_exit: bool = False,
    ):
        super().__init__(
            operands=[start, stop, step, inits],
            properties={"early_exit": UnitAttr() if early_exit else None},
            result_types=[[value.type for value in inits]],
            regions=[body],
        )

    def verify_(self) -> None:
        _check_loop(self)


def _check_loop(op: ForRangeOp | ForEachOp) -> None:
    carried = tuple(op.inits.types)
    if tuple(op.outputs.types) != carried:
        raise VerifyException("the results must have the types of the loop-carried values")
    if tuple(op.body.block.arg_types) != (OBJECT, *carried):
        raise VerifyException("the body must take the loop variable and the loop-carried values")
    if op.early_exit is not None and (not carried or carried[-1] != i1):
        raise VerifyException("with early_exit the last loop-carried value must be an i1")
    last = op.body.block.last_op
    if not isinstance(last, YieldOp) or tuple(last.values.types) != carried:
        raise VerifyException("the body must yield the loop-carried values")


DYN = Dialect(
    "dyn",
    [
        ConstOp, GlobalOp, BinaryOp, UnaryOp, CompareOp, TruthOp, FromBoolOp, CallOp, BuiltinOp, GetItemOp, ShapeOp,
        BuildTupleOp, BuildListOp, UnpackOp, SliceOp, SetItemOp, AppendOp, StoreItemOp, ContainsOp, IsInstanceOp,
        GetAttrOp, FieldOp, SetAttrOp, StoreAttrOp, StoreFieldOp, MethodOp, NewOp, SeveralOp, ReferOp, ClassOp,
        FunctionOp, KnownOp, LambdaOp, CallValueOp, SpreadOp,
        UnboundOp, BoundOp, NoneOp, LeaveOp, YieldOp, ForRangeOp, ForEachOp,
    ],
    [ObjectType, IntType, FloatType, ComplexType, BoolType, NoneType],
)  # fmt: skip

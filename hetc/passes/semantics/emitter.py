"""Numbers with their source types, and the block that ops are appended to."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import NamedTuple, TypeVar, cast

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    AnyFloat,
    ArrayAttr,
    ComplexType,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    i1,
)
from xdsl.dialects.complex import ConstantOp as ComplexConstantOp
from xdsl.dialects.complex import CreateOp, ImOp, ReOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from hetc.analysis.attributes import number_attribute
from hetc.analysis.locations import source_location
from hetc.analysis.source_types import is_bool, is_complex, is_float, is_unsigned, part_type, spelling
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.dialects import dyn, guard, obj
from hetc.dialects.guard import GuardKind, Warns
from hetc.errors import UnsupportedError

Op = TypeVar("Op", bound=Operation)
Constant = bool | int | float | complex
ConstantOp = arith.ConstantOp | ComplexConstantOp


@dataclass(frozen=True)
class Number:
    """A number on the device: its payload, its source type, and its value if that is known now."""

    value: SSAValue
    source: Attribute
    constant: Constant | None = None

    @property
    def integer(self) -> int | None:
        """Its value if that is known now and whole by its type; of truth values 0 and 1."""
        return int(self.constant) if isinstance(self.constant, int) else None


class Parts(NamedTuple):
    """The real and the imaginary part of a complex number, both of one float type."""

    re: SSAValue
    im: SSAValue


class Emitter:
    """Appends typed ops to the current block, each with the location of the Python op that it stands for.

    `warns` says what is to be found out of NumPy's warnings, and `fast` how floats may be computed otherwise than
    exactly, where the program computes them: what hetc makes of its operators beside is exact.
    """

    def __init__(self) -> None:
        self.warns: Warns | None = None
        self.fast: arith.FastMathFlagsAttr | None = None
        self.block = Block()
        self.location: LocationAttr = UNKNOWN_LOC

    def add(self, op: Op) -> Op:
        """Append an op."""
        op.location = self.location
        self.block.add_op(op)
        return op

    @contextmanager
    def inside(self, block: Block) -> Generator[Block]:
        """Append to another block for a while."""
        outer, self.block = self.block, block
        try:
            yield block
        finally:
            self.block = outer

    def unsupported(
        self, reason: str, *, hint: str | None = None, category: Category = Category.OPERATION
    ) -> UnsupportedError:
        """The error that sends the call to Python, at the place of the current Python op."""
        return UnsupportedError(reason, location=source_location(self.location), hint=hint, category=category)

    # ---------------------------------------------------------------------------------------------------------------
    # Constants, boxes, conversions
    # ---------------------------------------------------------------------------------------------------------------

    def constant(self, value: Constant, source: Attribute) -> Number:
        """A number known now, as its type holds it: rounded, or wrapped."""
        payload = obj.payload(source)
        if isinstance(payload, ComplexType):
            number = complex(value)
            values = [number_attribute(part, payload.element_type) for part in (number.real, number.imag)]
            op = self.add(ComplexConstantOp(ArrayAttr(values), payload))
            return Number(op.complex, source, constant_value(op, source))
        assert not isinstance(value, complex)
        stored = value
        if isinstance(payload, IntegerType) and payload != i1:
            stored = _wrap(int(value), payload.width.data)
        op = self.add(arith.ConstantOp(number_attribute(stored, payload)))
        return Number(op.result, source, constant_value(op, source))

    def unbox(self, boxed: SSAValue) -> Number:
        """The number in a boxed value."""
        if not isinstance(boxed.type, obj.BoxedType):
            what = "None" if isinstance(boxed.type, dyn.NoneType) else "a tuple or an array"
            raise self.unsupported(f"a number is needed here, not {what}", category=Category.CONTAINER)
        constant: Constant | None = None
        if isinstance(boxed.owner, obj.BoxOp) and isinstance(owner := boxed.owner.payload.owner, ConstantOp):
            constant = constant_value(owner, boxed.type.source)
        return Number(self.add(obj.UnboxOp(boxed)).payload, boxed.type.source, constant)

    def box(self, number: Number) -> SSAValue:
        """A boxed value holding a number."""
        return self.add(obj.BoxOp(number.value, number.source)).boxed

    def convert(self, number: Number, target: Attribute) -> Number:
        """The number as another source type, as a C cast would; the caller has guarded what must be guarded."""
        if number.source == target:
            return number
        constant = number.constant
        if is_complex(target):
            return (
                self.constant(constant, target)
                if constant is not None
                else self.from_parts(self.parts(number, part_type(target)), target)
            )
        assert not isinstance(constant, complex)
        if constant is not None and not is_bool(target) and isinstance(constant, float) == is_float(target):
            return self.constant(constant, target)
        if constant is not None and is_float(target):
            return self.constant(float(constant), target)
        value = self._cast(number.value, obj.payload(number.source), obj.payload(target), number.source, target)
        return Number(value, target)

    def _cast(
        self, value: SSAValue, have: Attribute, want: Attribute, source: Attribute, target: Attribute
    ) -> SSAValue:
        if have == want:
            return value
        if want == i1:
            return self.truth(Number(value, source))
        if isinstance(have, IntegerType) and isinstance(want, IntegerType):
            if have.width.data > want.width.data:
                return self.add(arith.TruncIOp(value, want)).result
            unsigned = have == i1 or is_unsigned(source)
            return self.add((arith.ExtUIOp if unsigned else arith.ExtSIOp)(value, want)).result
        if isinstance(have, IntegerType):
            assert isinstance(want, AnyFloat)
            unsigned = have == i1 or is_unsigned(source)
            return self.add((arith.UIToFPOp if unsigned else arith.SIToFPOp)(value, want)).result
        if isinstance(want, IntegerType):
            unsigned = is_unsigned(target)
            return self.add((arith.FPToUIOp if unsigned else arith.FPToSIOp)(value, want)).result
        assert isinstance(have, AnyFloat)
        assert isinstance(want, AnyFloat)
        return self.add((arith.ExtFOp if have.bitwidth < want.bitwidth else arith.TruncFOp)(value, want)).result

    # ---------------------------------------------------------------------------------------------------------------
    # Complex numbers
    # ---------------------------------------------------------------------------------------------------------------

    def parts(self, number: Number, part: Attribute | None = None) -> Parts:
        """The parts of a number in a float source type; the imaginary part of a real number is 0.

        Without a type, a complex number's own.
        """
        if not is_complex(number.source):
            assert part is not None
            return Parts(self.convert(number, part).value, self.constant(0.0, part).value)
        own = part_type(number.source)
        part = own if part is None else part
        if isinstance(number.constant, complex):
            values = (number.constant.real, number.constant.imag)
            return Parts(*(self.constant(value, part).value for value in values))
        created = _payload_owner(number.value)
        if isinstance(created, CreateOp):
            re, im = created.real, created.imaginary
        else:
            re, im = self.add(ReOp(number.value)).result, self.add(ImOp(number.value)).result
        return Parts(self.convert(Number(re, own), part).value, self.convert(Number(im, own), part).value)

    def from_parts(self, parts: Parts, source: Attribute) -> Number:
        """The complex number of a source type with the given parts, which are converted to its."""
        payload = obj.payload(source)
        assert isinstance(payload, ComplexType)
        re, im = (self.convert(Number(part, part.type), payload.element_type).value for part in parts)
        return Number(self.add(CreateOp(re, im, payload)).complex, source)

    # ---------------------------------------------------------------------------------------------------------------
    # Truth values
    # ---------------------------------------------------------------------------------------------------------------

    def truth(self, number: Number) -> SSAValue:
        """Whether a number is not zero, as an `i1`."""
        if number.constant is not None:
            return self.flag(bool(number.constant))
        if is_bool(number.source):
            return number.value
        if is_complex(number.source):
            re, im = self.parts(number)
            return self.either(self.compare_floats("une", re, 0.0), self.compare_floats("une", im, 0.0))
        zero = self.constant(0, number.source).value
        if is_float(number.source):
            return self.add(arith.CmpfOp(number.value, zero, "une")).result
        return self.add(arith.CmpiOp(number.value, zero, "ne")).result

    def flag(self, value: bool) -> SSAValue:
        """A constant `i1`."""
        return self.add(arith.ConstantOp(IntegerAttr(int(value), i1))).result

    def negate(self, flag: SSAValue) -> SSAValue:
        """not flag, known now if the flag is."""
        if guard.is_true(flag) or guard.is_false(flag):
            return self.flag(guard.is_false(flag))
        return self.add(arith.XOrIOp(flag, self.flag(True))).result

    def both(self, left: SSAValue, right: SSAValue) -> SSAValue:
        """left and right, both computed."""
        return self.add(arith.AndIOp(left, right)).result

    def either(self, left: SSAValue, right: SSAValue) -> SSAValue:
        """left or right, both computed."""
        return self.add(arith.OrIOp(left, right)).result

    def select(self, condition: SSAValue, then: SSAValue, other: SSAValue) -> SSAValue:
        """then if condition else other, both computed."""
        return self.add(arith.SelectOp(condition, then, other)).result

    def compare_floats(self, predicate: str, left: SSAValue, right: SSAValue | float) -> SSAValue:
        """A floating-point comparison; predicates starting with "u" are true when an operand is NaN."""
        return self.add(arith.CmpfOp(left, self._operand(right, left.type), predicate)).result

    def compare_ints(self, predicate: str, left: SSAValue, right: SSAValue | int) -> SSAValue:
        """An integer comparison."""
        return self.add(arith.CmpiOp(left, self._operand(right, left.type), predicate)).result

    def _operand(self, value: SSAValue | float, type_: Attribute) -> SSAValue:
        if isinstance(value, SSAValue):
            return value
        return self.add(arith.ConstantOp(number_attribute(value, type_))).result

    # ---------------------------------------------------------------------------------------------------------------
    # Guards
    # ---------------------------------------------------------------------------------------------------------------

    def require(self, condition: SSAValue, kind: GuardKind, reason: str) -> None:
        """Go on only if the condition holds."""
        self.add(guard.RequireOp(condition, kind, reason))

    def warn(self, condition: SSAValue, reason: str) -> None:
        """Unless the condition holds, Python is to tell of it."""
        self.add(guard.WarnOp(condition, reason))

    def require_between(self, number: Number, low: int, high: int, kind: GuardKind, reason: str) -> None:
        """Go on only if an integer lies in a closed interval."""
        if isinstance(number.constant, int) and low <= number.constant <= high:
            return
        above = self.compare_ints("sge", number.value, low)
        self.require(self.both(above, self.compare_ints("sle", number.value, high)), kind, reason)

    def require_sign(self, function: str, value: SSAValue) -> None:
        """Go on only if a float has a sign: that of a NaN is whatever the processor makes it."""
        self.require(self.compare_floats("ord", value, value), GuardKind.SIGN, f"the sign of a NaN in {function}")

    def unary(self, op: type[math.FloatingPointLikeUnaryMathOperation], value: SSAValue) -> SSAValue:
        """A `math` function of one argument."""
        return self.add(op(value, self.fast)).result

    def names(self, *numbers: Number) -> str:
        """How a message names the types of numbers."""
        return " and ".join(spelling(number.source) for number in numbers)


def constant_value(op: ConstantOp, source: Attribute) -> Constant | None:
    """The Python value of a constant payload of a source type."""
    if isinstance(op, ComplexConstantOp):
        re, im = (cast("FloatAttr", part).value.data for part in op.value)
        return complex(re, im)
    if isinstance(op.value, IntegerAttr):
        number = op.value.value.data
        if is_bool(source):
            return bool(number)
        payload = obj.payload(source)
        assert isinstance(payload, IntegerType)
        return number % (1 << payload.width.data) if is_unsigned(source) else number
    if isinstance(op.value, FloatAttr):
        return op.value.value.data
    return None


def _payload_owner(value: SSAValue) -> Operation | Block:
    """The op that computes a payload, seen through a box."""
    if isinstance(value.owner, obj.UnboxOp) and isinstance(box := value.owner.boxed.owner, obj.BoxOp):
        return box.payload.owner
    return value.owner


def _wrap(value: int, width: int) -> int:
    """Two's complement: the signless value of `width` bits."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value

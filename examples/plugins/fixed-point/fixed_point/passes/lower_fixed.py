"""lower-fixed: fixed-point numbers become integers, and their products integer arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

from fixed_point.dialects.fixed import FromBitsOp, MulOp, NumberType, ToBitsOp
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp, i32, i64
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    TypeConversionPattern,
    attr_type_rewrite_pattern,
    op_type_rewrite_pattern,
)

LOW, HIGH = -(2**31), 2**31 - 1


class LowerBits(RewritePattern):
    """from_bits(x) -> x, to_bits(x) -> x."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: FromBitsOp | ToBitsOp, rewriter: PatternRewriter) -> None:
        rewriter.replace_op(op, [], [op.operands[0]])


class LowerProduct(RewritePattern):
    """mul(x, y) -> max(LOW, min(HIGH, (x * y) >> fraction)), in 64 bits, where no product of 32 bits overflows."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MulOp, rewriter: PatternRewriter) -> None:
        assert isinstance(op.result.type, NumberType)
        bits = [ToBitsOp(operand) for operand in (op.left, op.right)]
        wide = [arith.ExtSIOp(number.result, i64) for number in bits]
        constants = [arith.ConstantOp(IntegerAttr(n, i64)) for n in (op.result.type.fraction.data, HIGH, LOW)]
        fraction, high, low = (constant.result for constant in constants)
        product = arith.MuliOp(wide[0].result, wide[1].result)
        shifted = arith.ShRSIOp(product.result, fraction)
        below = arith.MinSIOp(shifted.result, high)
        inside = arith.MaxSIOp(below.result, low)
        narrow = arith.TruncIOp(inside.result, i32)
        number = FromBitsOp(narrow.result, op.result.type)
        ops: list[Operation] = [*bits, *wide, *constants, product, shifted, below, inside, narrow, number]
        for new in ops:
            new.location = op.location
        rewriter.replace_op(op, ops, [number.result])


class NumbersAreIntegers(TypeConversionPattern):
    """!fixed.number -> i32, wherever such a type stands: in control flow, functions and attributes too."""

    @attr_type_rewrite_pattern
    def convert_type(self, typ: NumberType) -> IntegerType:
        return i32


@dataclass(frozen=True)
class LowerFixedPass(ModulePass):
    """Lowers the dialect `fixed` to integers.

    Needs: nothing; ops of other dialects stay as they are, but for their types.
    Leaves: no op and no type of `fixed`.

    1. Write each product as integer arithmetic in 64 bits.
    2. Give every value of a number type the type i32.
    3. Drop the conversions between numbers and their bits.

    Cost: linear in the number of ops.
    """

    name = "lower-fixed"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(LowerProduct()).rewrite_module(op)
        PatternRewriteWalker(NumbersAreIntegers(recursive=True)).rewrite_module(op)
        PatternRewriteWalker(LowerBits()).rewrite_module(op)

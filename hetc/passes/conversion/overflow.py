"""Overflow questions as arithmetic: of several ways to answer `guard.fits`, the cheapest that the ranges allow."""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, f64, i64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.intervals import Interval
from hetc.analysis.overflow import allowed
from hetc.analysis.ranges import Ranges
from hetc.dialects import guard

LARGEST_PRODUCT = 2.0**63 - 2.0**13
"""A product of 64-bit integers as floats that is below it fits: three roundings are off by less than one in 2**51."""


def lower_fits(op: guard.FitsOp, ranges: Ranges, *, float_products: bool) -> None:
    """Replace the question by arithmetic on the operands.

    1. One operand is a constant: the other lies in an interval, of which one end may be known to hold. Likewise a
       square: its root does not exceed the root of the largest number.
    2. The sign of what is added is known: the sum has moved that way.
    3. Else add and sub by signs, ((a ^ r) & (b ^ r)) >= 0 with r = a + b, and mul by the high half of the product
       (Warren, Hacker's Delight, 2nd edition, sections 2-13 and 2-14). With `float_products` a 64-bit product is
       bounded by that of the operands as floats, which says no too early, by at most 2**13 below 2**63.
    """
    _Question(op, ranges).answer(float_products=float_products)


class _Question:
    """One question, and the ops that answer it."""

    def __init__(self, op: guard.FitsOp, ranges: Ranges) -> None:
        assert isinstance(op.left.type, IntegerType)
        self.op, self.type = op, op.left.type
        self.left, self.right = op.left, op.right
        self.known = {value: ranges.get(value) for value in op.operands}
        self.limit = Interval.of_width(self.type.width.data)

    def answer(self, *, float_products: bool) -> None:
        """Choose, and replace the question."""
        operator = self.op.operator.data
        bound = allowed(operator, self.left, self.right, self.known, self.limit)
        if bound is not None:
            result = self.between(*bound)
        elif operator == "mul":
            result = self.float_product() if float_products and self.type == i64 else self.product()
        elif self.known[self.right].low >= 0 or self.known[self.right].high <= 0:
            result = self.moved(operator, self.left, self.right)
        elif operator == "add" and (self.known[self.left].low >= 0 or self.known[self.left].high <= 0):
            result = self.moved(operator, self.right, self.left)
        else:
            result = self.signs(operator)
        self.op.result.replace_all_uses_with(result)
        Rewriter.erase_op(self.op)

    def add(self, new: Operation) -> SSAValue:
        """One more op, before the question."""
        new.location = self.op.location
        Rewriter.insert_op(new, InsertPoint.before(self.op))
        return new.results[0]

    def constant(self, value: int) -> SSAValue:
        """An integer."""
        return self.add(arith.ConstantOp(IntegerAttr(value, self.type)))

    def between(self, value: SSAValue, interval: Interval) -> SSAValue:
        """Whether a value lies in an interval; an end that its range does not reach is not asked for."""
        tests: list[SSAValue] = []
        if self.known[value].low < interval.low:
            tests.append(self.add(arith.CmpiOp(value, self.constant(interval.low), "sge")))
        if self.known[value].high > interval.high or not tests:
            tests.append(self.add(arith.CmpiOp(value, self.constant(interval.high), "sle")))
        return tests[0] if len(tests) == 1 else self.add(arith.AndIOp(tests[0], tests[1]))

    def moved(self, operator: str, start: SSAValue, distance: SSAValue) -> SSAValue:
        """Whether a sum lies on that side of one operand that the sign of the other says."""
        adds = operator == "add"
        total = self.add((arith.AddiOp if adds else arith.SubiOp)(start, distance))
        rises = adds == (self.known[distance].low >= 0)
        return self.add(arith.CmpiOp(total, start, "sge" if rises else "sle"))

    def signs(self, operator: str) -> SSAValue:
        """Whether the sign of the result is one that the operands' signs allow."""
        adds = operator == "add"
        total = self.add((arith.AddiOp if adds else arith.SubiOp)(self.left, self.right))
        first = self.add(arith.XOrIOp(self.left, total))
        second = self.add(arith.XOrIOp(self.right, total) if adds else arith.XOrIOp(self.left, self.right))
        both = self.add(arith.AndIOp(first, second))
        return self.add(arith.CmpiOp(both, self.constant(0), "sge"))

    def float_product(self) -> SSAValue:
        """Whether the product of the operands as floats is clearly small enough."""
        left, right = (self.add(arith.SIToFPOp(value, f64)) for value in (self.left, self.right))
        size = self.add(math.AbsFOp(self.add(arith.MulfOp(left, right))))
        bound = self.add(arith.ConstantOp(FloatAttr(LARGEST_PRODUCT, f64)))
        return self.add(arith.CmpfOp(size, bound, "olt"))

    def product(self) -> SSAValue:
        """Whether the high half of the product is the sign of the low half."""
        low = self.add(arith.MuliOp(self.left, self.right))
        product = arith.MulSIExtendedOp(self.left, self.right)
        self.add(product)
        sign = self.add(arith.ShRSIOp(low, self.constant(self.type.width.data - 1)))
        return self.add(arith.CmpiOp(product.high, sign, "eq"))

"""expand-half: numbers of half precision are computed in single precision, rounded after every op."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, gpu, math, memref, scf, ub
from xdsl.dialects.builtin import (
    ArrayAttr,
    Float16Type,
    FloatAttr,
    FunctionType,
    MemRefType,
    ModuleOp,
    f16,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.attributes import number_attribute
from hetc.analysis.walking import kernels_in, walk
from hetc.dialects import offload
from hetc.passes.conversion.insertion import insert

EXACT = (
    arith.NegfOp, arith.SelectOp, ub.PoisonOp, math.AbsFOp, math.CopySignOp, math.FloorOp, math.CeilOp, math.TruncOp,
    math.RoundEvenOp, scf.IfOp, scf.ForOp, scf.WhileOp,
)  # fmt: skip
"""Ops that give numbers of half precision when they are given such numbers."""

SMALLEST_NORMAL = 2.0**-14
LIMIT = 65536.0
"""What rounds to this or more is infinite: the largest number of half precision is 65504."""


@dataclass(frozen=True)
class ExpandHalfPass(ModulePass):
    """Compute with `f32` values where the program has `f16`, rounding to half precision after every op.

    Needs: kernels outlined. Leaves: `f16` as the element type of buffers, converted at loads and stores, which
    OpenCL C can do without an extension.

    1. A captured number is passed as an `f32`.
    2. Each value of type `f16` becomes an `f32` that `f16` can hold, in local memory too; constants are rounded now.
    3. The result of an op that may need more digits is rounded to nearest, ties to even, in integer arithmetic. Where
       it is only stored, the store rounds it.

    NumPy computes so, on every processor. For + - * / and sqrt the two roundings give the correctly rounded result, as
    single precision has more than twice the digits (Figueroa, "When is double rounding innocuous?", SIGNUM 1995).
    MLIR has a pass of the same idea, arith-emulate-unsupported-floats. Cost: linear.
    """

    name = "expand-half"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in walk(op):
            if isinstance(inner, offload.ScalarOp) and inner.result.type == f16:
                _replace(inner, offload.ScalarOp(inner.part.data, inner.operand, f32))
        for kernel in kernels_in(op):
            _Expansion(kernel).run()


@dataclass
class _Expansion:
    """One kernel; `exact` tells, for a rounded value, what was rounded."""

    kernel: gpu.FuncOp
    exact: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def run(self) -> None:
        block = self.kernel.body.block
        for argument in list(block.args):
            _retype(argument)
        self.kernel.function_type = FunctionType(ArrayAttr(block.arg_types), self.kernel.function_type.outputs)
        for op in self.kernel.walk():
            if isinstance(op, memref.AllocaOp) and op.memref.type.element_type == f16:
                Rewriter.replace_value_with_new_type(op.memref, offload.local_array(f32, *op.memref.type.get_shape()))
        for op in walk(self.kernel):
            self.expand(op)
        for op in walk(self.kernel):
            if isinstance(op, memref.StoreOp) and _is_half(op):
                self.store(op)

    def expand(self, op: Operation) -> None:
        """Expand one op, whose operands have been expanded."""
        for region in op.regions:
            for block in region.blocks:
                for argument in list(block.args):
                    _retype(argument)
        match op:
            case arith.ExtFOp() if op.input.type == op.result.type:
                op.result.replace_all_uses_with(op.input)
                Rewriter.erase_op(op)
            case _ if not any(isinstance(type_, Float16Type) for type_ in op.result_types):
                pass
            case memref.LoadOp() if not _is_half(op):
                _retype(op.res)
            case memref.LoadOp():
                extended = arith.ExtFOp(op.res, f32)
                insert([extended], InsertPoint.after(op), op)
                op.res.replace_uses_with_if(extended.result, lambda use: use.operation is not extended)
                extended.result.name_hint = None
            case arith.ConstantOp(value=FloatAttr() as value):
                rounded = number_attribute(value.value.data, f16)  # what folding made of constants may not be
                assert isinstance(rounded, FloatAttr)
                _replace(op, arith.ConstantOp(number_attribute(rounded.value.data, f32)))
            case arith.TruncFOp() if _is_stored(op):
                pass
            case arith.TruncFOp():
                self.round(op, op.input)
            case _:
                for result in list(op.results):
                    _retype(result)
                if not isinstance(op, EXACT):
                    self.round_result(op)

    def round_result(self, op: Operation) -> None:
        """Round the result of an op that now gives an `f32`."""
        (result,) = op.results
        ops, rounded = rounding(result)
        insert(ops, InsertPoint.after(op), op)
        result.replace_uses_with_if(rounded, lambda use: use.operation not in ops)
        result.name_hint = None
        self.exact[rounded] = result

    def round(self, op: arith.TruncFOp, value: SSAValue) -> None:
        """Replace a conversion to half precision by a rounding."""
        ops, rounded = rounding(value)
        if value.type == f64:
            narrow = arith.TruncFOp(rounded, f32)
            ops, rounded = [*ops, narrow], narrow.result
        else:
            self.exact[rounded] = value
        insert(ops, InsertPoint.before(op), op)
        op.result.replace_all_uses_with(rounded)
        Rewriter.erase_op(op)

    def store(self, op: memref.StoreOp) -> None:
        """A store converts, and rounds."""
        if op.value.type == f16:
            return
        narrow = arith.TruncFOp(self.exact.get(op.value, op.value), f16)
        insert([narrow], InsertPoint.before(op), op)
        op.operands[0] = narrow.result


def rounding(value: SSAValue) -> tuple[list[Operation], SSAValue]:
    """The ops that round an `f32` or `f64` to a number of half precision, kept in its type.

    The lowest digits are cut off after adding half a unit, less one unless the last digit kept is odd (ties to even).
    Below the smallest normal number the last place is fixed: adding and subtracting a number whose last place is that
    one rounds there. All is chosen on the bits, which are ordered as the sizes are; NaN, above infinity, stays.
    """
    double = value.type == f64
    integer, digits, shifter = (i64, 42, 2.0**28) if double else (i32, 13, 0.5)
    sign = -(1 << (63 if double else 31))
    infinity, limit, normal = (_bits(number, double) for number in (float("inf"), LIMIT, SMALLEST_NORMAL))
    ops: list[Operation] = []

    def add(op: Operation) -> SSAValue:
        ops.append(op)
        return op.results[0]

    def whole(number: int) -> SSAValue:
        return add(arith.ConstantOp(number_attribute(number, integer)))

    def choose(left: SSAValue, predicate: str, right: int, then: SSAValue, other: SSAValue) -> SSAValue:
        return add(arith.SelectOp(add(arith.CmpiOp(left, whole(right), predicate)), then, other))

    shift = add(arith.ConstantOp(number_attribute(shifter, value.type)))
    bits = add(arith.BitcastOp(value, integer))
    size = add(arith.AndIOp(bits, whole(~sign)))
    odd = add(arith.AndIOp(add(arith.ShRUIOp(size, whole(digits))), whole(1)))
    bumped = add(arith.AddiOp(add(arith.AddiOp(size, whole((1 << (digits - 1)) - 1))), odd))
    cut = add(arith.AndIOp(bumped, whole(-(1 << digits))))
    fixed = add(arith.SubfOp(add(arith.AddfOp(add(arith.BitcastOp(size, value.type)), shift)), shift))
    rounded = choose(cut, "sge", limit, whole(infinity), cut)
    rounded = choose(size, "slt", normal, add(arith.BitcastOp(fixed, integer)), rounded)
    rounded = choose(size, "sgt", infinity, size, rounded)
    signed = add(arith.OrIOp(rounded, add(arith.AndIOp(bits, whole(sign)))))
    return ops, add(arith.BitcastOp(signed, value.type))


def _bits(number: float, double: bool) -> int:
    """The bits of a float as an integer."""
    return int(np.float64(number).view(np.int64) if double else np.float32(number).view(np.int32))


def _retype(value: SSAValue) -> None:
    if isinstance(value.type, Float16Type):
        Rewriter.replace_value_with_new_type(value, f32)


def _is_half(op: memref.StoreOp | memref.LoadOp) -> bool:
    assert isinstance(op.memref.type, MemRefType)
    return op.memref.type.element_type == f16


def _is_stored(op: arith.TruncFOp) -> bool:
    """Whether a conversion is that of a store."""
    users = [use.operation for use in op.result.uses]
    return all(isinstance(user, memref.StoreOp) and _is_half(user) for user in users)


def _replace(op: Operation, new: Operation) -> None:
    insert([new], InsertPoint.before(op), op)
    op.results[0].replace_all_uses_with(new.results[0])
    Rewriter.erase_op(op)

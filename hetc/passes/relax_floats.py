"""relax-floats: what may be computed otherwise than exactly is computed faster."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, gpu, math, scf
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import Float32Type, Float64Type, FloatAttr, ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.attributes import number_attribute
from hetc.analysis.fast_math import FastMathFlag, may
from hetc.analysis.float_intervals import float_format
from hetc.analysis.walking import kernels_in, walk
from hetc.dialects import special
from hetc.passes.conversion.insertion import insert


@dataclass(frozen=True)
class RelaxFloatsPass(ModulePass):
    """Use the freedom that the flags of float ops give (`arith.fastmath`), which `fastmath=True` sets.

    Needs: kernels after `cse`. Leaves: ops without flags as they were.

    1. y / sqrt(x), with `arcp` and `afn`, the root used nowhere else -> y * rsqrt(x).
    2. x / c, with `arcp`, 1/c a normal number -> x * (1/c).
    3. x / d, with `arcp`, in a loop in which d is the same in all rounds -> x * r, with r = 1 / d before the loop.
    4. With `contract`, x * y + z and the like, both ops with that flag, the product used nowhere else -> fma(x, y, z).
    5. With `contract`, fma(a, b, fma(c, d, e * f)) + s, all with `reassoc`, the products used nowhere else, s not
       carried from round to round -> fma(a, b, fma(c, d, fma(e, f, s))).
    6. An op whose name is among `exact`, with `arcp` or `afn` -> without.

    What is left with `arcp` or `afn` in single precision the backend prints as the device's own approximation.

    `contract` is for GPUs, where a fused operation takes as long as a product. On Intel's runtime one by `mad` or `fma`
    takes 0.7 to 1.5 times as long, and 1.4 to 2 times on PoCL, so there none is made. `exact` is for Intel's runtime,
    whose approximations of these have 12 bits; the others are off by some units in the last place (docs/fastmath.md).

    Measured on an NVIDIA H200: all-pairs N-body, whose distances end with `+ SOFTENING`, takes 0.95 of the time by 5.

    Refuses nothing. Cost: linear in the ops, and in the loops around a division.

    The flags are LLVM's (Language Reference, "Fast-Math Flags"); 1 to 3 are Allen and Kennedy, Optimizing Compilers for
    Modern Architectures, 2001, strength reduction, where rounding does not forbid it.
    """

    name = "relax-floats"

    contract: bool = False
    exact: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            for inner in walk(kernel):
                if isinstance(inner, arith.DivfOp) and may(inner, FastMathFlag.ALLOW_RECIP):
                    _multiply_instead(inner)
            for inner in walk(kernel) if self.contract else ():
                if isinstance(inner, arith.AddfOp | arith.SubfOp) and may(inner, FastMathFlag.ALLOW_CONTRACT):
                    _contract(inner)
            for inner in list(kernel.walk()) if self.contract else ():
                if isinstance(inner, arith.AddfOp) and may(inner, FastMathFlag.REASSOC):
                    _start_with(inner)
            for inner in kernel.walk():
                if "fastmath" in inner.properties and _mnemonic(inner) in self.exact:
                    inner.attributes.pop("fastmath", None)
                    inner.properties["fastmath"] = FastMathFlagsAttr("none")


def _mnemonic(op: Operation) -> str:
    return op.name.rpartition(".")[2]


def _multiply_instead(op: arith.DivfOp) -> None:
    """Replace a division, if there is a reciprocal."""
    divisor = op.rhs.owner
    if isinstance(divisor, math.SqrtOp) and may(divisor, FastMathFlag.APPROX_FUNC) and op.rhs.has_one_use():
        root = special.RsqrtOp(divisor.operand, divisor.fastmath)
        if _is_one(op.lhs):
            _replace(op, [root])
        else:
            _replace(op, [root, arith.MulfOp(op.lhs, root.result, op.fastmath)])
        Rewriter.erase_op(divisor)
    elif isinstance(divisor, arith.ConstantOp):
        if (reciprocal := _reciprocal(divisor)) is not None:
            constant = arith.ConstantOp(reciprocal)
            _replace(op, [constant, arith.MulfOp(op.lhs, constant.result, op.fastmath)])
    elif (loop := _outermost_loop(op)) is not None:
        one = arith.ConstantOp(number_attribute(1.0, op.result.type))
        reciprocal = arith.DivfOp(one.result, op.rhs)
        insert([one, reciprocal], InsertPoint.before(loop), op)
        _replace(op, [arith.MulfOp(op.lhs, reciprocal.result, op.fastmath)])


def _is_one(value: SSAValue) -> bool:
    owner = value.owner
    return isinstance(owner, arith.ConstantOp) and isinstance(owner.value, FloatAttr) and owner.value.value.data == 1.0


def _reciprocal(constant: arith.ConstantOp) -> FloatAttr | None:
    """1 / c in the type of c, if that is a normal number: one that is not would lose its digits, or be infinite."""
    value, type_ = constant.value, constant.result.type
    if not isinstance(value, FloatAttr) or not isinstance(type_, Float32Type | Float64Type):
        return None
    format_ = float_format(type_)
    with np.errstate(all="ignore"):
        found = format_(1.0) / format_(value.value.data)
    if not np.isfinite(found) or abs(found) < np.finfo(format_).tiny:
        return None
    return FloatAttr(float(found), type_)


def _outermost_loop(op: arith.DivfOp) -> Operation | None:
    """The outermost loop around a division in which its divisor is the same in all rounds."""
    found: Operation | None = None
    around = op.parent_op()
    while around is not None and not isinstance(around, gpu.FuncOp) and not around.is_ancestor(op.rhs.owner):
        if isinstance(around, scf.ForOp | scf.WhileOp):
            found = around
        around = around.parent_op()
    return found


def _contract(op: arith.AddfOp | arith.SubfOp) -> None:
    """Replace a sum or difference, if one of its terms is a product that is used nowhere else."""
    for product, other, on_the_left in ((op.lhs, op.rhs, True), (op.rhs, op.lhs, False)):
        factors = product.owner
        if (
            isinstance(factors, arith.MulfOp)
            and may(factors, FastMathFlag.ALLOW_CONTRACT)
            and product.has_one_use()
            and factors.parent is op.parent
        ):
            _replace(op, _fused(op, factors, other, on_the_left))
            Rewriter.erase_op(factors)
            return


def _fused(
    op: arith.AddfOp | arith.SubfOp, product: arith.MulfOp, other: SSAValue, on_the_left: bool
) -> list[Operation]:
    """The ops of x * y + z, x * y - z or z - x * y."""
    x, y = product.lhs, product.rhs
    if isinstance(op, arith.AddfOp):
        return [math.FmaOp(x, y, other, op.fastmath)]
    if on_the_left:
        negated = arith.NegfOp(other, op.fastmath)
        return [negated, math.FmaOp(x, y, negated.result, op.fastmath)]
    negated = arith.NegfOp(x, op.fastmath)
    return [negated, math.FmaOp(negated.result, y, other, op.fastmath)]


def _start_with(op: arith.AddfOp) -> None:
    """fma(a, b, fma(c, d, e * f)) + s -> fma(a, b, fma(c, d, fma(e, f, s))): the sum of products begins with s."""
    for total, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if isinstance(other, BlockArgument) and isinstance(other.block.parent_op(), scf.ForOp | scf.WhileOp):
            continue  # the rounds of a loop would wait for each other for longer
        chain: list[math.FmaOp] = []
        value = total
        while isinstance(value.owner, math.FmaOp) and _is_part(value.owner, value, op):
            chain.append(value.owner)
            value = value.owner.c
        product = value.owner
        if not chain or not isinstance(product, arith.MulfOp) or not _is_part(product, value, op):
            continue
        value = other
        for part in (product, *reversed(chain)):
            x, y = part.operands[:2]
            fused = math.FmaOp(x, y, value, part.fastmath)
            insert([fused], InsertPoint.before(op), op)
            value = fused.result
        value.name_hint = op.result.name_hint
        op.result.replace_all_uses_with(value)
        for part in (op, *chain, product):
            Rewriter.erase_op(part)
        return


def _is_part(part: math.FmaOp | arith.MulfOp, value: SSAValue, op: arith.AddfOp) -> bool:
    """Whether a part of a sum may be added up in another order, and is there for that sum alone."""
    licensed = may(part, FastMathFlag.REASSOC) and may(part, FastMathFlag.ALLOW_CONTRACT)
    return licensed and value.has_one_use() and part.parent is op.parent


def _replace(op: Operation, ops: list[Operation]) -> None:
    """Put ops in the place of one, whose result is now that of the last of them."""
    insert(ops, InsertPoint.before(op), op)
    ops[-1].results[0].name_hint = op.results[0].name_hint
    op.results[0].replace_all_uses_with(ops[-1].results[0])
    Rewriter.erase_op(op)
